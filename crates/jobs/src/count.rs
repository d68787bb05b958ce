//! Numbers of things.

pub use hushtable_columns::units::some;

/// A number of things: digits, or as 1e5 or 2^17.
pub fn count(text: &str) -> std::result::Result<usize, String> {
    let number = text.parse::<usize>().ok().or_else(|| {
        if let Some(power) = text.strip_prefix("2^") {
            return power.parse::<u32>().ok().filter(|&power| power <= 40).map(|power| 1 << power);
        }
        let value = text.parse::<f64>().ok()?;
        (value.fract() == 0.0 && (1.0..=1e12).contains(&value)).then_some(value as usize)
    });
    number
        .filter(|&n| n > 0)
        .ok_or_else(|| "not a whole number of 1 or more, such as 100000, 1e5 or 2^17".to_owned())
}

/// The same, at most 2^28.
pub fn batch(text: &str) -> std::result::Result<u32, String> {
    let most = 1 << 28;
    match count(text)? {
        n if n <= most => Ok(n as u32),
        n => Err(format!("{n} is more than 2^28 = {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_several() {
        assert_eq!([some(0, "row"), some(1, "row"), some(2, "row")], ["0 rows", "1 row", "2 rows"]);
    }

    #[test]
    fn counts() {
        assert_eq!(count("100"), Ok(100));
        assert_eq!(count("1e6"), Ok(1_000_000));
        assert!(count("0").is_err() && count("1.5").is_err() && count("-3").is_err() && count("x").is_err());
        assert_eq!(batch("1e4"), Ok(10_000));
        assert!(batch("268435456").is_ok() && batch("268435457").is_err());
    }
}
