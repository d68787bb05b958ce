//! How far a long job has come: a bar on a terminal, a line now and then in a log.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use hushtable::run::Watch;
use hushtable_columns::{manner::shows_progress, terminal};
use indicatif::{ProgressBar, ProgressStyle};

/// Shows while it lives; the work counts up `done`.
pub struct Progress {
    done: Arc<AtomicUsize>,
    _showing: Option<Showing>,
}

/// A thread that shows something while this lives.
pub struct Showing(Option<(Sender<()>, JoinHandle<()>)>);

impl Showing {
    /// `show` is told by what it gets whether all has ended, after a wait of so long at most.
    pub fn start(show: impl FnOnce(&dyn Fn(Duration) -> bool) + Send + 'static) -> Self {
        let (stop, stopped) = channel::<()>();
        let ended = move |wait| stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
        Self(Some((stop, thread::spawn(move || show(&ended)))))
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

impl Progress {
    /// For `total` pieces of work, if this process shows progress.
    pub fn start(what: &'static str, total: usize) -> Self {
        Self::shown(what, total, shows_progress())
    }

    /// The same, if it is to be shown.
    pub fn shown(what: &'static str, total: usize, shown: bool) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&done);
        let showing = shown.then(|| {
            Showing::start(move |ended| {
                let done = || counter.load(Ordering::Relaxed);
                if std::io::stderr().is_terminal() {
                    draw(what, total, done, ended);
                } else {
                    log(what, total, done, ended);
                }
            })
        });
        Self { done, _showing: showing }
    }

    /// Pieces done so far.
    pub fn done(&self) -> &AtomicUsize {
        &self.done
    }

    /// One more piece is done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Watch for Progress {
    fn done(&self, items: usize) {
        Progress::done(self).fetch_add(items, Ordering::Relaxed);
    }
}

/// A bar, for work that takes longer than a second.
fn draw(what: &'static str, total: usize, done: impl Fn() -> usize, ended: &dyn Fn(Duration) -> bool) {
    if ended(Duration::from_secs(1)) {
        return;
    }
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}, left {eta}");
    let bar = ProgressBar::new(total as u64).with_message(what);
    bar.set_style(style.expect("a fixed template"));
    terminal::draws_in_place(true);
    while !ended(Duration::from_millis(100)) {
        bar.set_position(done() as u64);
    }
    bar.finish_and_clear();
    terminal::draws_in_place(false);
}

/// Lines.
fn log(what: &'static str, total: usize, done: impl Fn() -> usize, ended: &dyn Fn(Duration) -> bool) {
    let start = Instant::now();
    let mut lines = Lines { what, total, said: (Duration::ZERO, 0) };
    while !ended(Duration::from_secs(1)) {
        if let Some(line) = lines.next(start.elapsed(), done()) {
            eprintln!("{line}");
        }
    }
}

/// The lines of a job in a log.
struct Lines {
    what: &'static str,
    total: usize,
    /// When the last line was said, and what was done then.
    said: (Duration, usize),
}

impl Lines {
    /// Seconds between two lines.
    const PAUSE: Duration = Duration::from_secs(10);
    /// A line comes without a tenth of the work when this much time has passed.
    const LONGEST: Duration = Duration::from_secs(60);

    /// The line that is due, if one is.
    fn next(&mut self, now: Duration, done: usize) -> Option<String> {
        let (since, before) = (now.saturating_sub(self.said.0), self.said.1);
        let much = (done - before.min(done)).saturating_mul(10) >= self.total;
        if since < Self::PAUSE || !(much || since >= Self::LONGEST) {
            return None;
        }
        self.said = (now, done);
        let (what, total, percent) = (self.what, self.total, done as u128 * 100 / self.total.max(1) as u128);
        Some(format!("{done} of {total} {what} ({percent} %) after {} s", now.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_now_and_then() {
        let mut lines = Lines { what: "rows", total: 1000, said: (Duration::ZERO, 0) };
        let mut at = |seconds, done| lines.next(Duration::from_secs(seconds), done);
        assert_eq!(at(9, 900), None, "a short job");
        assert_eq!(at(10, 100).unwrap(), "100 of 1000 rows (10 %) after 10 s");
        assert_eq!(at(11, 900), None, "soon after");
        assert_eq!(at(20, 199), None, "not much more");
        assert_eq!(at(21, 200).unwrap(), "200 of 1000 rows (20 %) after 21 s");
        assert_eq!(at(80, 200), None);
        // Stuck, and it shows.
        assert_eq!(at(81, 200).unwrap(), "200 of 1000 rows (20 %) after 81 s");
    }

    #[test]
    fn it_ends_at_once() {
        let start = Instant::now();
        for shown in [false, true] {
            let progress = Progress::shown("rows", 5, shown);
            progress.done().store(5, Ordering::Relaxed);
        }
        assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
    }
}
