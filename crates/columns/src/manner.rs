//! How a program speaks: how much it says, and whether it prints for people or for other programs.

use std::sync::OnceLock;

use clap::{ArgAction, Args};

/// What every command takes.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Messages")]
pub struct Manner {
    /// Print nothing but results and errors; with port 0 also the address that is listened on
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also say what each phase took and which protocols were chosen, and in `explain` digests and what both compare; twice, what the library traces, if that is built
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Print results as JSON, a line for each
    #[arg(long, global = true)]
    json: bool,
}

/// That of this process, which is said once.
static SAID: OnceLock<Manner> = OnceLock::new();

impl Manner {
    /// From now on this process speaks so.
    pub fn adopt(self) {
        let _ = SAID.set(self);
    }

    /// Whether the library's traces are wanted.
    pub fn traces(self) -> bool {
        self.verbose > 1
    }
}

fn said() -> Manner {
    SAID.get().copied().unwrap_or_default()
}

/// Whether nothing but results and errors is printed.
pub fn is_quiet() -> bool {
    said().quiet
}

/// Whether more is said than what everybody needs.
pub fn is_verbose() -> bool {
    said().verbose > 0
}

/// Whether results are printed as JSON.
pub fn is_json() -> bool {
    said().json
}

/// Whether progress is shown: not in a process that never said how it speaks, such as one of Python.
pub fn shows_progress() -> bool {
    SAID.get().is_some_and(|said| !said.quiet)
}
