//! The log: lines on standard error, each with the time, none with anything secret.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// Writes a line.
pub fn line(text: &str) {
    eprintln!("{} {text}", now());
}

/// Lines that strangers cause: at most one a second, so that they do not fill the disk.
#[derive(Default)]
pub struct Throttled(Mutex<(Option<Instant>, u64)>);

impl Throttled {
    /// Writes a line, or counts it for the next one.
    pub fn line(&self, text: &str) {
        if let Some(text) = self.at(text, Instant::now()) {
            line(&text);
        }
    }

    fn at(&self, text: &str, now: Instant) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, more) = &mut *state;
        if last.is_some_and(|last| now.duration_since(last) < Duration::from_secs(1)) {
            *more += 1;
            return None;
        }
        *last = Some(now);
        Some(match std::mem::take(more) {
            0 => text.to_owned(),
            more => format!("{text}; and {more} such lines before it"),
        })
    }
}

fn now() -> String {
    crate::store::date(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_cause_a_line_a_second() {
        let (log, start) = (Throttled::default(), Instant::now());
        let at = |ms| log.at("x", start + Duration::from_millis(ms));
        assert_eq!([at(0), at(10), at(999)], [Some("x".into()), None, None]);
        assert_eq!(at(1000), Some("x; and 2 such lines before it".into()));
        assert_eq!([at(1500), at(2100)], [None, Some("x; and 1 such lines before it".into())]);
        assert_eq!(at(5000), Some("x".into()));
    }
}
