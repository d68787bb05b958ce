//! Lines that others cause: some at once, then at most one a second, so that they do not fill a disk.

use crate::count::some;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Lines that may come at once, and of sessions that did what was asked for.
const BURST: u64 = 20;
const BURST_DONE: u64 = 100;
/// Between those that come later.
const PAUSE: Duration = Duration::from_secs(1);
/// After so long they may come at once again.
const PEACE: Duration = Duration::from_secs(60);
/// Most who have lines of their own; all others share theirs. There are more only without TLS, where a client is an
/// address.
const NAMES: usize = 1 << 12;

/// What was let through.
pub struct Throttled {
    burst: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: Option<Instant>,
    /// Of the burst that is under way.
    lines: u64,
    /// That were held back since, and of how many keys they are, but for the last of them; and that one.
    more: u64,
    keys: u64,
    held: (String, u64),
}

impl Throttled {
    /// What is to be written of a line: nothing if it is counted for the next one.
    pub fn take(&self, text: &str) -> Option<String> {
        self.at(text, 0, Instant::now())
    }

    /// What is to be written when nothing more comes: how many lines were held back, and the last of them.
    fn due_at(&self, now: Instant) -> Option<String> {
        let mut state = self.state();
        let pause = state.last.map_or(Duration::MAX, |last| now.duration_since(last));
        if state.more == 0 || pause < PAUSE {
            return None;
        }
        (state.last, state.lines) = (Some(now), state.lines + 1);
        let (more, (last, _)) = (std::mem::take(&mut state.more), std::mem::take(&mut state.held));
        let keys = of(std::mem::take(&mut state.keys));
        Some(if more == 1 {
            last
        } else {
            format!("{} such lines{keys} are left out; then: {last}", more - 1)
        })
    }

    /// Whether what comes now is as the first line.
    fn is_over(&self, now: Instant) -> bool {
        let state = self.state();
        state.more == 0 && state.last.is_none_or(|last| now.duration_since(last) >= PEACE)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line that is of so many keys.
    fn at(&self, text: &str, keys: u64, now: Instant) -> Option<String> {
        let mut state = self.state();
        let pause = state.last.map_or(Duration::MAX, |last| now.duration_since(last));
        if pause >= PEACE {
            state.lines = 0;
        }
        if state.lines >= self.burst && pause < PAUSE {
            state.more += 1;
            state.keys += state.held.1;
            state.held = (text.to_owned(), keys);
            return None;
        }
        (state.last, state.lines) = (Some(now), state.lines + 1);
        let keys = of(std::mem::take(&mut state.keys) + std::mem::take(&mut state.held).1);
        Some(match std::mem::take(&mut state.more) {
            0 => text.to_owned(),
            more => format!("{text}; and {more} such lines{keys} before it"),
        })
    }
}

fn of(keys: u64) -> String {
    if keys == 0 { String::new() } else { format!(" of {}", some(keys as usize, "key")) }
}

impl Default for Throttled {
    fn default() -> Self {
        Self { burst: BURST, state: Mutex::default() }
    }
}

/// About sessions that did what was asked for, and about others: these do not hide why one failed.
struct Lines {
    done: Throttled,
    other: Throttled,
}

impl Default for Lines {
    fn default() -> Self {
        let done = Throttled { burst: BURST_DONE, state: Mutex::default() };
        Self { done, other: Throttled::default() }
    }
}

/// Lines about clients, bounded for each.
#[derive(Default)]
pub struct OfEach {
    named: Mutex<HashMap<String, Lines>>,
    rest: Lines,
}

impl OfEach {
    /// What is to be written of a line about `name`, whose session was done with so many keys, or was not done.
    pub fn take(&self, name: &str, text: &str, done: Option<u64>) -> Option<String> {
        self.at(name, text, done, Instant::now())
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
        let all = named.values().chain([&self.rest]).flat_map(|lines| [&lines.done, &lines.other]);
        let due = all.filter_map(|lines| lines.due_at(now)).collect();
        named.retain(|_, lines| !lines.done.is_over(now) || !lines.other.is_over(now));
        due
    }

    fn at(&self, name: &str, text: &str, done: Option<u64>, now: Instant) -> Option<String> {
        let mut named = self.named();
        let lines = match named.len() >= NAMES && !named.contains_key(name) {
            true => &self.rest,
            false => named.entry(name.to_owned()).or_default(),
        };
        match done {
            Some(keys) => lines.done.at(text, keys, now),
            None => lines.other.at(text, 0, now),
        }
    }

    fn named(&self) -> MutexGuard<'_, HashMap<String, Lines>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_cause_some_lines_and_then_one_a_second() {
        let (log, start) = (Throttled::default(), Instant::now());
        let at = |ms| log.at("x", 0, start + Duration::from_millis(ms));
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
        (0..BURST).for_each(|i| assert_eq!(log.at(&i.to_string(), 1, start), Some(i.to_string())));
        let held = [("a", 5), ("b", 7), ("why", 9)].map(|(text, keys)| log.at(text, keys, start));
        assert_eq!(held, [None, None, None]);
        assert_eq!(log.due_at(later(999)), None);
        assert_eq!(log.due_at(later(1000)), Some("2 such lines of 12 keys are left out; then: why".into()));
        assert_eq!(log.due_at(later(2500)), None, "once");
        assert_eq!([log.at("c", 3, later(1500)), log.due_at(later(2000))], [None, Some("c".into())]);
        assert!(!log.is_over(later(61_999)) && log.is_over(later(62_000)));
    }

    #[test]
    fn each_has_its_own_lines() {
        let (log, now) = (OfEach::default(), Instant::now());
        let lines = |name: &str, done| {
            (0..3 * BURST_DONE).filter(|_| log.at(name, "x", done, now).is_some()).count() as u64
        };
        assert_eq!(
            [("bank", None), ("telecom", None), ("bank", None)].map(|(name, done)| lines(name, done)),
            [BURST, BURST, 0]
        );
        assert_eq!(lines("bank", Some(1)), BURST_DONE, "beside the others");
        let all: u64 =
            (0..2 * NAMES).map(|i| u64::from(log.at(&i.to_string(), "x", None, now).is_some())).sum();
        assert_eq!(all, NAMES as u64 - 2 + BURST, "those without a place share one");
        assert_eq!(log.named().len(), NAMES);
    }
}
