//! The program `hushtable`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Batches come and go by the megabyte: the system's allocator asks the kernel for fresh pages each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    hushtable_cli::run()
}
