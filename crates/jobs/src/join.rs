//! Joins: rows of both parties with the same id, in the clear or as shares in a file that later commands read.

pub mod agree;
pub mod asked;
pub mod column;
pub mod common;
pub mod condition;
pub mod explain;
pub mod file;
pub mod forms;
pub mod hidden;
mod labels;
pub mod named;
pub mod rows;
pub mod tell;
