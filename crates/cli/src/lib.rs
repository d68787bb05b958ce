//! The program `hushtable`: arguments, files and processes around the library.
#![forbid(unsafe_code)]
pub mod failure;
pub mod apply;
pub fn run() -> std::process::ExitCode { std::process::ExitCode::SUCCESS }
