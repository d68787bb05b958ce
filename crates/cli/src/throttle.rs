//! Lines that others cause: some at once, then at most one a second, so that they do not fill a disk.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Lines that may come at once.
const BURST: u64 = 20;
/// Between those that come later.
const PAUSE: Duration = Duration::from_secs(1);
/// After so long they may come at once again.
const PEACE: Duration = Duration::from_secs(60);
/// Most who have lines of their own; all others share theirs. There are more only without TLS, where a client is an
/// address.
const NAMES: usize = 1 << 12;

/// What was let through.
#[derive(Default)]
pub struct Throttled(Mutex<State>);

#[derive(Default)]
struct State {
    last: Option<Instant>,
    /// Of the burst that is under way.
    lines: u64,
    /// That were held back since, and the last of them.
    more: u64,
    held: String,
}

impl Throttled {
    /// What is to be written of a line: nothing if it is counted for the next one.
    pub fn take(&self, text: &str) -> Option<String> {
        self.at(text, Instant::now())
    }

    /// What is to be written when nothing more comes: how many lines were held back, and the last of them.
    fn due_at(&self, now: Instant) -> Option<String> {
        let mut state = self.state();
        let pause = state.last.map_or(Duration::MAX, |last| now.duration_since(last));
        if state.more == 0 || pause < PAUSE {
            return None;
        }
        (state.last, state.lines) = (Some(now), state.lines + 1);
        let (more, last) = (std::mem::take(&mut state.more), std::mem::take(&mut state.held));
        Some(if more == 1 { last } else { format!("{} such lines are left out; then: {last}", more - 1) })
    }

    /// Whether what comes now is as the first line.
    fn is_over(&self, now: Instant) -> bool {
        let state = self.state();
        state.more == 0 && state.last.is_none_or(|last| now.duration_since(last) >= PEACE)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, text: &str, now: Instant) -> Option<String> {
        let mut state = self.state();
        let pause = state.last.map_or(Duration::MAX, |last| now.duration_since(last));
        if pause >= PEACE {
            state.lines = 0;
        }
        if state.lines >= BURST && pause < PAUSE {
            state.more += 1;
            state.held = text.to_owned();
            return None;
        }
        (state.last, state.lines) = (Some(now), state.lines + 1);
        Some(match std::mem::take(&mut state.more) {
            0 => text.to_owned(),
            more => format!("{text}; and {more} such lines before it"),
        })
    }
}

/// Lines about clients, bounded for each.
#[derive(Default)]
pub struct OfEach {
    named: Mutex<HashMap<String, Throttled>>,
    rest: Throttled,
}

impl OfEach {
    /// What is to be written of a line about `name`.
    pub fn take(&self, name: &str, text: &str) -> Option<String> {
        self.at(name, text, Instant::now())
    }

    /// What is to be written of lines that were held back.
    pub fn due(&self) -> Vec<String> {
        self.due_at(Instant::now())
    }

    /// The same of all of them: none will follow.
    pub fn rest(&self) -> Vec<String> {
        self.due_at(Instant::now() + PAUSE)
    }

    fn due_at(&self, now: Instant) -> Vec<String> {
        let mut named = self.named();
        let due = named.values().chain([&self.rest]).filter_map(|lines| lines.due_at(now)).collect();
        named.retain(|_, lines| !lines.is_over(now));
        due
    }

    fn at(&self, name: &str, text: &str, now: Instant) -> Option<String> {
        let mut named = self.named();
        if named.len() >= NAMES && !named.contains_key(name) {
            return self.rest.at(text, now);
        }
        named.entry(name.to_owned()).or_default().at(text, now)
    }

    fn named(&self) -> MutexGuard<'_, HashMap<String, Throttled>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn what_was_held_back_is_told_when_nothing_more_comes() {
        let (log, start) = (Throttled::default(), Instant::now());
        let later = |ms| start + Duration::from_millis(ms);
        (0..BURST).for_each(|i| assert_eq!(log.at(&i.to_string(), start), Some(i.to_string())));
        assert_eq!([log.at("a", start), log.at("b", start), log.at("why", start)], [None, None, None]);
        assert_eq!(log.due_at(later(999)), None);
        assert_eq!(log.due_at(later(1000)), Some("2 such lines are left out; then: why".into()));
        assert_eq!(log.due_at(later(2500)), None, "once");
        assert_eq!([log.at("c", later(1500)), log.due_at(later(2000))], [None, Some("c".into())]);
        assert!(!log.is_over(later(61_999)) && log.is_over(later(62_000)));
    }

    #[test]
    fn each_has_its_own_lines() {
        let (log, now) = (OfEach::default(), Instant::now());
        let lines = |name: &str| (0..3 * BURST).filter(|_| log.at(name, "x", now).is_some()).count() as u64;
        assert_eq!([lines("bank"), lines("telecom"), lines("bank")], [BURST, BURST, 0]);
        let all: u64 = (0..2 * NAMES).map(|i| u64::from(log.at(&i.to_string(), "x", now).is_some())).sum();
        assert_eq!(all, NAMES as u64 - 2 + BURST, "those without a place share one");
        assert_eq!(log.named().len(), NAMES);
    }
}
