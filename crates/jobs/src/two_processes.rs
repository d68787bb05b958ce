//! This program as two processes on this machine, one listening, one connecting.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use crate::link::LISTENING;
use hushtable::net::Identity;
use hushtable_columns::failure::{CHECK_FAILED, Failure, Result};

/// How long a process may go on by itself once the other has failed.
const GRACE: Duration = Duration::from_secs(12);

/// This program.
pub fn program() -> Result<Command> {
    let path = env::current_exe().map_err(|e| Failure::local(format!("path of this program: {e}")))?;
    Ok(Command::new(path))
}

/// Runs `first`, which must listen on port 0 of some address, and once it does the command that
/// `second` makes of that address. Returns what each wrote on standard output; with `piped`, `second`
/// reads there what `first` writes.
///
/// If either fails, so does this, with the messages of both.
pub fn run(mut first: Command, second: impl FnOnce(&str) -> Command, piped: bool) -> Result<[String; 2]> {
    let mut first = Running::start(first.stdin(Stdio::null()))?;
    let mut errors = BufReader::new(first.0.stderr.take().expect("piped"));
    let (seen, address) = until_listening(&mut errors)?;
    let Some(address) = address else {
        let code = first.ended()?.unwrap_or(2);
        return Err(Failure::of_process(code, message(&seen).unwrap_or("a process ended early")));
    };
    let mut second = second(&address);
    match first.0.stdout.take_if(|_| piped) {
        Some(output) => second.stdin(output),
        None => second.stdin(Stdio::null()),
    };
    let mut second = Running::start(&mut second)?;
    let texts = [drain(first.0.stdout.take()), drain(second.0.stdout.take())];
    let errors = [drain(Some(errors)), drain(second.0.stderr.take())];
    let p1 = second.ended()?;
    let [p0_errors, p1_errors] = errors;
    // The end of its messages is the end of the process.
    let p0_errors = p0_errors.recv_timeout(if p1.is_some() { GRACE } else { Duration::MAX });
    if p0_errors.is_err() {
        let _ = first.0.kill();
    }
    let p0 = first.ended()?;
    let p1_errors = p1_errors.recv().unwrap_or_default();
    match p0.or(p1) {
        None => Ok(texts.map(|text| text.recv().unwrap_or_default())),
        Some(code) => {
            let parties = [("P0", p0_errors.unwrap_or_default()), ("P1", p1_errors)];
            let said =
                parties.iter().filter_map(|(party, errors)| Some(format!("{party}: {}", message(errors)?)));
            Err(Failure::of_process(code, said.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Two identities in `folder` that trust each other, for two processes on this machine.
pub fn identities(folder: &Path, names: [&str; 2]) -> Result<[PathBuf; 2]> {
    let folders = names.map(|name| folder.join(format!("{name}.id")));
    let [first, second] = [0, 1].map(|i| Identity::create(&folders[i], names[i]));
    let (first, second) = (first?, second?);
    for (own, peer) in [(&folders[0], &second), (&folders[1], &first)] {
        // Made here, a moment ago: nothing is to be compared.
        Identity::trust(own, &peer.certificate_path(), peer.fingerprint(), None)?;
    }
    Ok(folders)
}

/// A process that does not outlive this value.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Result<Self> {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        child.map(Self).map_err(|e| Failure::local(format!("cannot start a process: {e}")))
    }

    /// Waits for the end; the exit code if it is not 0.
    fn ended(&mut self) -> Result<Option<i32>> {
        let status = self.0.wait().map_err(|e| Failure::local(format!("waiting for a process: {e}")))?;
        Ok((!status.success()).then(|| status.code().unwrap_or(2)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines up to the one that names the address, and the address; none if the process ends before.
fn until_listening(errors: &mut impl BufRead) -> Result<(String, Option<String>)> {
    let mut seen = String::new();
    loop {
        let from = seen.len();
        let read =
            errors.read_line(&mut seen).map_err(|e| Failure::local(format!("output of a process: {e}")))?;
        if let Some(address) = seen[from..].trim_end().strip_prefix(LISTENING) {
            let address = address.to_owned();
            return Ok((seen, Some(address)));
        }
        if read == 0 {
            return Ok((seen, None));
        }
    }
}

/// Reads everything in a thread of its own, so that the process never waits for a full pipe.
fn drain(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (done, text) = channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut from) = from {
            let _ = from.read_to_end(&mut all);
        }
        let _ = done.send(String::from_utf8_lossy(&all).into_owned());
    });
    text
}

/// What a process complained about: its error message, what it panicked for, or whatever else it said last.
fn message(errors: &str) -> Option<&str> {
    let error = errors.lines().find_map(|line| line.strip_prefix("error: "));
    let panic = || errors.lines().skip_while(|line| !line.contains(" panicked at ")).nth(1);
    let said = error.or_else(panic).or(errors.lines().last())?;
    Some(said.strip_prefix(CHECK_FAILED).unwrap_or(said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable_columns::failure::Cause;

    #[test]
    fn messages_of_processes() {
        assert_eq!(message(""), None);
        assert_eq!(message("warning: x\nerror: no\n\nUsage: y\n"), Some("no"));
        assert_eq!(message("error: check failed: wrong\n"), Some("wrong"));
        assert_eq!(
            message("thread 'main' panicked at x.rs:1:1:\nwhy\nstack backtrace:\nnote: y\n"),
            Some("why")
        );
        assert_eq!(message("warning\nat last\n"), Some("at last"));
    }

    #[test]
    fn a_process_that_does_not_listen_is_an_error() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo error: broken >&2; exit 2"]);
        let failure = run(command, |_| unreachable!("nobody listens"), false).unwrap_err();
        assert!(matches!(failure, Failure::Reported(Cause::Arguments, text) if text == "broken"));
    }

    #[test]
    fn both_processes_are_heard() {
        let mut first = Command::new("sh");
        first
            .args(["-c", "echo listening on here >&2; echo out0; echo error: check failed: bad >&2; exit 1"]);
        let second = |address: &str| {
            let mut second = Command::new("sh");
            second.args(["-c", &format!("cat >/dev/null; echo error: at {address} >&2; exit 2")]);
            second
        };
        let failure = run(first, second, true).unwrap_err();
        assert!(matches!(failure, Failure::Check(text) if text == "P0: bad; P1: at here"));
    }

    #[test]
    fn output_goes_to_the_caller_or_to_the_second() {
        for (piped, wanted) in [(false, ["out0\n", "\n"]), (true, ["", "out0\n"])] {
            let mut first = Command::new("sh");
            first.args(["-c", "echo listening on here >&2; echo out0"]);
            let second = |_: &str| {
                let mut second = Command::new("sh");
                second.args(["-c", "read line; echo $line"]);
                second
            };
            assert_eq!(run(first, second, piped).unwrap(), wanted);
        }
    }
}
