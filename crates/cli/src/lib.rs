//! The program `hushtable`: arguments, files and processes around the library.
//!
//! Public is what `hushtable-bench` shares with it.
#![forbid(unsafe_code)]

/// As the standard library's. What standard error does not take, because its disk is full say, is lost: that is no
/// reason to end.
macro_rules! eprint {
    ($($arg:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($arg)*));
    }};
}

/// The same, with the end of a line.
macro_rules! eprintln {
    ($($arg:tt)*) => {
        eprint!("{}\n", format_args!($($arg)*))
    };
}

mod apply;
mod args;
pub mod calibrate;
pub mod choice;
mod columns;
pub mod cost;
pub mod count;
mod demo;
mod doctor;
mod errand;
mod explain;
pub mod extension;
pub mod failure;
mod functions;
#[doc(hidden)]
pub mod hostile;
mod identity;
mod info;
mod join;
pub mod link;
mod lookup;
pub mod pair;
mod per_row;
mod plan;
mod prepare;
mod private;
pub mod progress;
mod proximity;
mod record;
mod room;
mod run;
mod score;
mod serve;
mod stats;
mod store;
mod throttle;
mod toml_file;

pub use args::run;
pub use identity::pair as identities;
