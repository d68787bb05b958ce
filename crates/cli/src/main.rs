//! The program `hushtable`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hushtable_cli::run()
}
