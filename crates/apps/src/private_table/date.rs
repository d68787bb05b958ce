//! Dates as numbers of days.

use crate::ids::{DateOrder, Rules};

/// Days from 1970-01-01 to the first day of year 1, and to the last one of year 9999.
pub const DAYS: [i64; 2] = [-719_162, 2_932_896];

/// Days since 1970-01-01 of a date in the civil calendar.
///
/// # Errors
/// Why it is no date, to be read after "it".
pub fn days_of(text: &str, order: DateOrder) -> Result<i64, String> {
    let rules = Rules { date: Some(order), ..Rules::default() };
    let form = rules.form(text)?;
    let mut parts = form.split('-').map(|part| part.parse::<i64>());
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err("is missing: every row needs a date there".into());
    };
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Ok(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The date so many days after 1970-01-01.
pub fn date_of(days: i64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates() {
        let days = |text: &str| days_of(text, DateOrder::YearMonthDay);
        for (text, want) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("0001-01-01", DAYS[0]),
            ("9999-12-31", DAYS[1]),
        ] {
            assert_eq!(days(text), Ok(want), "{text}");
            assert_eq!(date_of(want), text);
        }
        for day in (DAYS[0]..DAYS[1]).step_by(997) {
            assert_eq!(days(&date_of(day)), Ok(day));
        }
        assert_eq!(days_of("31.1.2024", DateOrder::DayMonthYear), days("2024-01-31"));
        assert!(days("2023-02-29").is_err() && days("").is_err() && days("today").is_err());
    }
}
