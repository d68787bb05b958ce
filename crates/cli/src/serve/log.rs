//! The log: lines on standard error, each with the time, none with anything secret.

use std::time::SystemTime;

/// Writes a line.
pub fn line(text: &str) {
    let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    eprintln!("{} {text}", hushtable_columns::units::date(now));
}
