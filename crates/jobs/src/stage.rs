//! What is being done, where nothing can be counted: in place on a terminal, a line now and then in a log.

use std::{
    io::IsTerminal,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::progress::Showing;
use hushtable_columns::{manner::shows_progress, terminal};
use indicatif::{ProgressBar, ProgressStyle};

/// Shows while it lives.
pub struct Stage {
    now: Arc<Mutex<String>>,
    _showing: Option<Showing>,
}

impl Stage {
    /// From now on this is being done.
    pub fn start(what: impl Into<String>) -> Self {
        let now = Arc::new(Mutex::new(what.into()));
        let shown = Arc::clone(&now);
        let what = move || shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let showing = shows_progress().then(|| {
            Showing::start(move |ended| match std::io::stderr().is_terminal() {
                true => draw(&what, ended),
                false => log(&what, ended),
            })
        });
        Self { now, _showing: showing }
    }

    /// From now on it is this.
    pub fn next(&self, what: impl Into<String>) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    }
}

/// The line in place, for what takes longer than a second.
fn draw(what: &dyn Fn() -> String, ended: &dyn Fn(Duration) -> bool) {
    let start = Instant::now();
    if ended(Duration::from_secs(1)) {
        return;
    }
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{msg}").expect("a fixed template"));
    terminal::draws_in_place(true);
    loop {
        bar.set_message(line(&what(), start.elapsed()));
        bar.tick();
        if ended(Duration::from_millis(500)) {
            break;
        }
    }
    bar.finish_and_clear();
    terminal::draws_in_place(false);
}

/// Lines.
fn log(what: &dyn Fn() -> String, ended: &dyn Fn(Duration) -> bool) {
    let (start, mut said) = (Instant::now(), 0);
    while !ended(Duration::from_millis(250)) {
        if start.elapsed().as_secs() >= due(said) {
            eprintln!("{}", line(&what(), start.elapsed()));
            said += 1;
        }
    }
}

/// After how many seconds the next line is due, if so many were said.
fn due(said: u64) -> u64 {
    match said {
        0 => 5,
        1 => 15,
        _ => 60 * (said - 1),
    }
}

fn line(what: &str, since: Duration) -> String {
    format!("{}, {} s", terminal::within_a_line(what), since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rare() {
        assert_eq!([0, 1, 2, 3, 4].map(due), [5, 15, 60, 120, 180]);
        let said = line("waiting for a\u{1b}[2J", Duration::from_millis(15_900));
        assert_eq!(said, "waiting for a\\u{1b}[2J, 15 s");
    }
}
