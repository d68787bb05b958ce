//! Proofs by the solver of abc, or of yosys where there is no abc.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    error::{Error, Result},
    verilog::yosys::{on_path, program},
};

/// Names of abc.
const ABC: [&str; 3] = ["yosys-abc", "berkeley-abc", "abc"];

/// What a solver found.
pub enum Found {
    Equal,
    Different,
    Nothing,
}

/// Whether two BLIF files in a folder, `a.blif` and `b.blif`, compute the same.
pub fn compared(folder: &Path, limit: Duration) -> Result<Found> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (said, done) = match ABC.iter().find_map(|name| on_path(&path, name)) {
        Some(abc) => run(abc, &["-c", "cec a.blif b.blif"], folder, limit)?,
        None => {
            let seconds = limit.as_secs().max(1);
            let script = format!(
                "read_blif a.blif; read_blif b.blif; \
                 miter -equiv -flatten -make_assert a b both; hierarchy -top both; opt; \
                 sat -prove-asserts -timeout {seconds} both"
            );
            run(program()?, &["-p", &script], folder, limit)?
        }
    };
    Ok(match () {
        () if !done => Found::Nothing,
        () if said.contains("are equivalent")
            || said.contains("proof finished - no model found: SUCCESS") =>
        {
            Found::Equal
        }
        () if said.contains("NOT EQUIVALENT") || said.contains("model found: FAIL") => Found::Different,
        () => Found::Nothing,
    })
}

/// What a program prints, and whether it ended in time.
fn run(program: PathBuf, arguments: &[&str], folder: &Path, limit: Duration) -> Result<(String, bool)> {
    let log = folder.join("solver.log");
    let file = std::fs::File::create(&log).map_err(Error::file(&log))?;
    let mut command = Command::new(&program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    let mut child = command.spawn().map_err(Error::file(&program))?;
    let end = Instant::now() + limit;
    let done = loop {
        match child.try_wait().map_err(Error::file(&program))? {
            Some(_) => break true,
            None if Instant::now() >= end => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let said = std::fs::read(&log).map_err(Error::file(&log))?;
    Ok((String::from_utf8_lossy(&said).into_owned(), done))
}
