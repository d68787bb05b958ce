//! The log: lines on standard error, each with the time, none with anything secret.

use std::time::SystemTime;

/// Writes a line.
pub fn line(text: &str) {
    eprintln!("{} {text}", now());
}

fn now() -> String {
    crate::store::date(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()))
}
