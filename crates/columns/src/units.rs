//! Seconds, bytes and points in time as people read them.

use apps::private_table::date_of;

/// So many of what is called so: 1 row, 2 rows.
pub fn some(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

/// Seconds in the unit that suits them.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}

/// Bytes in the unit that suits them; 1 kB = 1000 B.
pub fn bytes(count: u64) -> String {
    match count {
        n if n >= 1_000_000 => format!("{:.2} MB", n as f64 / 1e6),
        n if n >= 1000 => format!("{:.2} kB", n as f64 / 1e3),
        n => format!("{n} B"),
    }
}

/// Seconds since 1970 as a date and time.
pub fn date(seconds: u64) -> String {
    let (day, time) = (date_of((seconds / 86_400) as i64), seconds % 86_400);
    format!("{day}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!([time(2.0), time(0.0123), time(4.5e-6)], ["2.00 s", "12.3 ms", "4.5 us"]);
        assert_eq!([bytes(999), bytes(1500), bytes(2_500_000)], ["999 B", "1.50 kB", "2.50 MB"]);
    }

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_795_255_200, "2026-11-21T10:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }
}
