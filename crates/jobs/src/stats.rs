//! Statistics of the rows that two parties have in common, from their files of a hidden join.

pub mod arguments;
pub mod explain;
mod groups;
mod orders;
pub mod question;
pub mod results;
pub mod work;
