//! `hushtable completions` and `hushtable man`: what shells and readers of manuals take.

use std::{fs, path::PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};

const COMPLETIONS: &str = "\
Examples:
  For bash, in ~/.local/share/bash-completion/completions it serves this user:
    hushtable completions bash > hushtable";

/// Print what a shell completes commands and options by
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

const MAN: &str = "\
Examples:
  hushtable man --out man1

`man ./man1/hushtable-join.1` shows one.";

/// Write the manual pages, one for each command; without --out print that of the program
#[derive(Args, Debug)]
#[command(after_help = MAN)]
pub struct Man {
    /// The folder for them; pages that are there are replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `completions`; `command` is that of the program.
pub fn complete(args: &Completions, mut command: Command) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "hushtable", &mut text);
    terminal::print(&String::from_utf8_lossy(&text))
}

/// Runs `man`; `command` is that of the program.
pub fn write_pages(args: &Man, command: Command) -> Result<()> {
    let Some(folder) = &args.out else {
        let mut text = Vec::new();
        let rendered = clap_mangen::Man::new(command).render(&mut text);
        rendered.map_err(|error| Failure::local(format!("a manual page: {error}")))?;
        return terminal::print(&String::from_utf8_lossy(&text));
    };
    fs::create_dir_all(folder).map_err(Failure::writing(folder))?;
    clap_mangen::generate_to(command, folder).map_err(Failure::writing(folder))
}
