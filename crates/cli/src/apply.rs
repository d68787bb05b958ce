//! `hushtable apply`
pub mod csv_file;
pub mod fixed;
pub mod function;
pub mod output;
pub mod shares;
pub mod table_file;
