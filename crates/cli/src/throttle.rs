//! Lines that strangers cause: some at once, then at most one a second, so that they do not fill a disk.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Lines that may come at once.
const BURST: u64 = 20;

/// What was let through.
#[derive(Default)]
pub struct Throttled(Mutex<State>);

#[derive(Default)]
struct State {
    last: Option<Instant>,
    /// Of the burst that is under way.
    lines: u64,
    /// That were held back since.
    more: u64,
}

impl Throttled {
    /// What is to be written of a line: nothing if it is counted for the next one.
    pub fn take(&self, text: &str) -> Option<String> {
        self.at(text, Instant::now())
    }

    fn at(&self, text: &str, now: Instant) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = state.last.map_or(Duration::MAX, |last| now.duration_since(last));
        if pause >= Duration::from_secs(60) {
            state.lines = 0;
        }
        if state.lines >= BURST && pause < Duration::from_secs(1) {
            state.more += 1;
            return None;
        }
        (state.last, state.lines) = (Some(now), state.lines + 1);
        Some(match std::mem::take(&mut state.more) {
            0 => text.to_owned(),
            more => format!("{text}; and {more} such lines before it"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_cause_some_lines_and_then_one_a_second() {
        let (log, start) = (Throttled::default(), Instant::now());
        let at = |ms| log.at("x", start + Duration::from_millis(ms));
        for _ in 0..2 * BURST {
            at(0);
        }
        assert_eq!(at(0), None);
        assert_eq!(at(999), None);
        assert_eq!(at(1000), Some(format!("x; and {} such lines before it", BURST + 2)));
        assert_eq!([at(1500), at(2100)], [None, Some("x; and 1 such lines before it".into())]);
        assert_eq!(at(3200), Some("x".into()));
        // After a minute of peace they may come at once again.
        assert_eq!([at(100_000), at(100_000)], [Some("x".into()), Some("x".into())]);
    }
}
