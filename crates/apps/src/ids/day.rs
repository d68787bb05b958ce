//! Days as people write them.

use zeroize::Zeroizing;

/// In which order a date is written whose year does not come first. One whose year comes first, in four digits, is read
/// in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DateOrder {
    /// 31.1.1970
    DayMonthYear,
    /// 1/31/1970
    MonthDayYear,
    /// 1970-01-31, and nothing else.
    YearMonthDay,
}

/// Orders in which some texts are days: those that each of them allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orders {
    year_first: bool,
    day_first: bool,
    month_first: bool,
    /// None of the texts has dots, behind which no month comes first.
    no_dots: bool,
}

impl Orders {
    /// Of no text.
    pub(super) const ALL: Self = Self { year_first: true, day_first: true, month_first: true, no_dots: true };

    /// Of texts that no order reads.
    pub(super) const NONE: Self =
        Self { year_first: false, day_first: false, month_first: false, no_dots: true };

    /// Of one.
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim();
        let is = |order| read(text, order).is_ok();
        let year_first = is(DateOrder::YearMonthDay);
        // A time behind the day may have a dot of its own.
        let dots = without_midnight(text).is_ok_and(|day| day.contains('.'));
        Self {
            year_first,
            day_first: is(DateOrder::DayMonthYear),
            month_first: is(DateOrder::MonthDayYear),
            no_dots: year_first || !dots,
        }
    }

    /// Of the texts of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            year_first: self.year_first && other.year_first,
            day_first: self.day_first && other.day_first,
            month_first: self.month_first && other.month_first,
            no_dots: self.no_dots && other.no_dots,
        }
    }

    pub(super) fn any(self) -> bool {
        self.day_first || self.month_first
    }

    /// The rules that read them. Two if only who wrote them knows.
    pub(super) fn rules(self) -> &'static [&'static str] {
        match (self.year_first, self.day_first, self.month_first) {
            (true, ..) => &["date"],
            (_, true, true) if self.no_dots => &["date:dmy", "date:mdy"],
            (_, true, _) => &["date:dmy"],
            (_, false, true) => &["date:mdy"],
            (_, false, false) => &[],
        }
    }
}

/// Writes a day as year-month-day.
pub(super) fn write(text: &str, order: DateOrder, to: &mut String) -> Result<(), &'static str> {
    if text.is_empty() {
        return Ok(());
    }
    let [year, month, day] = read(text, order)?;
    for part in [format!("{year:04}-"), format!("{month:02}-"), format!("{day:02}")] {
        to.push_str(&Zeroizing::new(part));
    }
    Ok(())
}

/// Whether this may be a day in words that no rule reads: with a year of two digits, or a month by its name.
pub(super) fn may_be(text: &str) -> bool {
    let mut parts = text.split([' ', '.', '-', '/']);
    let (Some(a), Some(b), Some(c), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |part: &str, most: u32| {
        part.len() < 3 && digits(part) && part.parse().is_ok_and(|number| (1..=most).contains(&number))
    };
    let day = |part: &str| number(part, 31);
    let month = |part: &str| {
        let name = part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        name || number(part, 12)
    };
    let year = |part: &str| matches!(part.len(), 2 | 4) && digits(part);
    year(c) && (day(a) && month(b) || month(a) && day(b)) || year(a) && month(b) && day(c)
}

/// Year, month and day.
fn read(text: &str, order: DateOrder) -> Result<[u32; 3], &'static str> {
    let none = match order {
        DateOrder::DayMonthYear => "is no date; accepted: such as 31.12.2024, 31/12/2024 and 2024-12-31",
        DateOrder::MonthDayYear => "is no date; accepted: such as 12/31/2024, 12-31-2024 and 2024-12-31",
        DateOrder::YearMonthDay => {
            "is no date; accepted: such as 2024-12-31, 2024/12/31 and 20241231, or with date:dmy and date:mdy \
             another order"
        }
    };
    let day = without_midnight(text)?;
    let [first, second, third] = match day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()) {
        true => [&day[..4], &day[4..6], &day[6..]],
        false => {
            let by = ['-', '.', '/'].into_iter().find(|by| day.contains(*by)).ok_or(none)?;
            let mut parts = day.split(by).map(str::trim);
            match (parts.next(), parts.next(), parts.next(), parts.next()) {
                (Some(first), Some(second), Some(third), None) => [first, second, third],
                _ => return Err(none),
            }
        }
    };
    let [year, month, day] = match ([first, second, third].map(str::len), order) {
        ([4, 1..=2, 1..=2], _) => [first, second, third],
        ([1..=2, 1..=2, 4], DateOrder::DayMonthYear) => [third, second, first],
        ([1..=2, 1..=2, 4], DateOrder::MonthDayYear) => [third, first, second],
        _ => return Err(none),
    };
    let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse::<u32>().map_err(|_| none),
        false => Err(none),
    };
    let [year, month, day] = [number(year)?, number(month)?, number(day)?];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return Err("is no date: it has no such month"),
    };
    match (1..=days).contains(&day) && year > 0 {
        true => Ok([year, month, day]),
        false => Err("is no date: the month has no such day"),
    }
}

/// The day of a timestamp at midnight; a text without a time as it is. The day is the one that is written: whatever the
/// zone behind it, it is midnight there.
fn without_midnight(text: &str) -> Result<&str, &'static str> {
    let begins = |c: char| c.is_whitespace() || matches!(c, 'T' | 't');
    let at = match text.find(':') {
        Some(colon) => text[..colon].rfind(begins),
        // Without colons, as in 20241231T000000.
        None => text.find(['T', 't']).filter(|&at| text[..at].ends_with(|c: char| c.is_ascii_digit())),
    };
    let Some((day, time)) = at.map(|at| text.split_at(at)) else { return Ok(text) };
    match is_midnight(time.trim_start_matches(begins)) {
        true => Ok(day.trim_end()),
        false => Err(
            "has a time of day other than midnight; accepted: days such as 2024-12-31 and 2024-12-31T00:00:00",
        ),
    }
}

/// 00:00 and 00:00:00, also with a fraction and a zone, and 12:00:00 AM.
fn is_midnight(time: &str) -> bool {
    let end = time.find(|c: char| !c.is_ascii_digit() && !":.,".contains(c)).unwrap_or(time.len());
    let (clock, rest) = (&time[..end], time[end..].trim_start());
    let morning = rest.get(..2).is_some_and(|am| am.eq_ignore_ascii_case("am"));
    let zone = if morning { rest[2..].trim_start() } else { rest };
    let offset = zone.strip_prefix(['+', '-']).is_some_and(|offset| {
        matches!(offset.len(), 2 | 4 | 5) && offset.bytes().all(|b| b.is_ascii_digit() || b == b':')
    });
    let named = ["", "z", "utc", "gmt"].iter().any(|name| zone.eq_ignore_ascii_case(name));
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let zeros = |text: &str| !text.is_empty() && text.bytes().all(|b| b == b'0');
    let mut fields = clock.split(':');
    let hour = fields.next().unwrap_or_default();
    let rest: Vec<&str> = fields.collect();
    let midnight = match rest.len() {
        0 => matches!(hour.len(), 2 | 4 | 6) && zeros(hour) && !morning,
        1 | 2 => {
            let hour = if morning && hour == "12" { "0" } else { hour };
            hour.len() < 3 && zeros(hour) && rest.iter().all(|field| field.len() == 2 && zeros(field))
        }
        _ => false,
    };
    midnight && zeros(fraction) && (named || offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rules;

    const ORDERS: [DateOrder; 3] =
        [DateOrder::DayMonthYear, DateOrder::MonthDayYear, DateOrder::YearMonthDay];

    fn form(order: DateOrder, text: &str) -> Result<String, &'static str> {
        Rules { date: Some(order), ..Rules::default() }.form(text).map(|form| form.to_string())
    }

    #[test]
    fn dates() {
        let [day, month, year] = ORDERS;
        for (order, text) in [
            (day, "3.4.1970"),
            (day, "03/04/1970"),
            (day, "3. 4. 1970"),
            (month, "4/3/1970"),
            (month, "04-03-1970"),
            (year, "1970-04-03"),
            (day, "1970/4/3"),
            (month, "19700403"),
        ] {
            assert_eq!(form(order, text), Ok("1970-04-03".into()), "{text}");
        }
        assert_eq!(form(day, "29.2.2000"), Ok("2000-02-29".into()));
        assert_eq!(form(day, "3.4.0970"), Ok("0970-04-03".into()));
        assert_eq!(form(day, ""), Ok("".into()));
        for (order, text) in [
            (year, "3.4.1970"),
            (day, "3.4.70"),
            (day, "29.2.1900"),
            (day, "31.4.1970"),
            (month, "13/1/1970"),
            (day, "1970-13-01"),
            (day, "1970-04"),
            (day, "1970-0004-03"),
            (day, "0.1.1970"),
            (day, "+1.1.1970"),
            (day, "April 3, 1970"),
            (day, "1970-04-031"),
            (day, "3\u{e4}.4.1970"),
            (day, "3.4.1970.5"),
            (day, "1970-05-031"),
            (day, "970-04-03"),
            (day, "003.4.1970"),
            (day, "3.004.1970"),
            (month, "004/3/1970"),
            (month, "4/003/1970"),
            (year, "0000-01-01"),
            (year, "text"),
        ] {
            assert!(form(order, text).unwrap_err().contains("is no date"), "{text}");
        }
        assert!(form(day, "3.4.70").unwrap_err().contains("31.12.2024"));
        assert!(form(month, "3.4.70").unwrap_err().contains("12/31/2024"));
    }

    /// A timestamp at midnight is its day, whatever wrote it; one at another time is refused and says so.
    #[test]
    fn midnights_are_days() {
        let midnights = [
            "T00:00",
            "T00:00:00",
            " 00:00:00",
            " 0:00",
            "  00:00:00.000",
            "T00:00:00,000000",
            "T00:00:00Z",
            "t00:00:00z",
            " 00:00:00 UTC",
            " 00:00:00+00",
            "T00:00:00+02:00",
            " 00:00:00.000 -0530",
            " 12:00:00 AM",
            " 12:00 am",
            "T000000",
            "T0000Z",
            "T00",
            "\t00:00",
            " 00:00 gmt",
            " 12:00 AM UTC",
        ];
        let others = [
            "T10:30",
            " 12:00:00",
            " 12:00:00 PM",
            " 0:00 PM",
            "T00:00:01Z",
            " 00:00:00.001",
            "T24:00:00",
            "T22:00:00Z",
            " 01:00 AM",
            "T000001",
            "T000000 AM",
            "T120000 AM",
            "T00:00:00:00",
            "T00:00:00+2",
            "T00:00:00[Europe/Vienna]",
            "T0:",
            "T:",
            "T:00",
            "T0",
            "T000",
            "T00000",
            "T00000000",
            "T000:00",
            " 00:0",
            "T00:000",
            "T00:00:00.",
            "T00:00:00+020",
            "T00:00:00+02:000",
            "T00:00:00+0a",
        ];
        for (order, days) in ORDERS.into_iter().zip([
            &["3.4.1970", "1970-04-03"][..],
            &["4/3/1970"],
            &["19700403", "1970/4/3"],
        ]) {
            for day in days {
                for time in midnights {
                    assert_eq!(form(order, &format!("{day}{time}")), Ok("1970-04-03".into()), "{day}{time}");
                }
                for time in others {
                    let error = form(order, &format!("{day}{time}")).unwrap_err();
                    assert!(
                        error.contains("time of day") && error.contains("2024-12-31T00"),
                        "{day}{time}: {error}"
                    );
                }
            }
        }
        for text in ["T00:00:00", "1970-04-03T", "Teststr. 00:00", "1970:04:03", "12:00", "text"] {
            assert!(form(DateOrder::YearMonthDay, text).is_err(), "{text}");
        }
    }

    /// Every day in every notation allows the orders in which it can be read as a day, and no other.
    #[test]
    fn orders_are_those_that_days_allow() {
        let rules = |texts: &[String]| {
            texts.iter().map(|text| Orders::of(text)).fold(Orders::ALL, Orders::and).rules()
        };
        for (year, leap) in [(1900, false), (2000, true), (2023, false), (2024, true)] {
            for month in 1..=12u32 {
                let days =
                    [31, 28 + u32::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1];
                for day in 1..=31u32 {
                    let fine = day <= days;
                    // The same numbers, read the other way round.
                    let turned = day <= 12 && Orders::of(&format!("{year}-{day}-{month}")).any();
                    for sign in ["-", "/", "."] {
                        for time in ["", " 00:00:00", " 00:00:00.000"] {
                            let wanted = |first: bool, second: bool| match (first, second) {
                                (true, true) if sign == "." => &["date:dmy"][..],
                                (true, true) => &["date:dmy", "date:mdy"],
                                (true, false) => &["date:dmy"],
                                (false, true) => &["date:mdy"],
                                (false, false) => &[],
                            };
                            let dmy = format!("{day}{sign}{month:02}{sign}{year}{time}");
                            assert_eq!(rules(std::slice::from_ref(&dmy)), wanted(fine, turned), "{dmy}");
                            let mdy = format!("{month:02}{sign}{day}{sign}{year}{time}");
                            assert_eq!(rules(std::slice::from_ref(&mdy)), wanted(turned, fine), "{mdy}");
                            let ymd = format!("{year}{sign}{month}{sign}{day:02}{time}");
                            assert_eq!(
                                rules(std::slice::from_ref(&ymd)),
                                &["date"][..usize::from(fine)],
                                "{ymd}"
                            );
                            let both = rules(&[dmy, ymd]);
                            assert!(fine || both.is_empty());
                            assert!(!both.contains(&"date"));
                        }
                    }
                }
            }
        }
        let rules = |texts: &[&str]| rules(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(rules(&["12/31/2024", "1/2/2024"]), ["date:mdy"]);
        assert_eq!(rules(&["31/12/2024", "1/2/2024"]), ["date:dmy"]);
        assert_eq!(rules(&["31/12/2024", "12/31/2024"]), [""; 0]);
        assert_eq!(rules(&["20241231", "1/2/2024"]), ["date:dmy", "date:mdy"]);
        assert_eq!(rules(&["2024.12.31", "1/2/2024"]), ["date:dmy", "date:mdy"]);
    }

    #[test]
    fn days_that_no_rule_reads() {
        for text in
            ["31.12.24", "12/31/24", "24-12-31", "31-Dec-2024", "2024 dec 31", "Dec 31 2024", "1-1-2024"]
        {
            assert!(may_be(text), "{text}");
        }
        let none = "123-45-6789 078-05-1120 20-00-00 31-13-32 99-99-99 2024-12 a-b-c 1-2-3-4 1-1-1 \
                    31-12-124 124-12-31 031-12-24 +1-1-24 32-12-2024 1-June-2024 2024-13-01 1-2-2024-4 31-12-ab";
        for text in none.split(' ') {
            assert!(!may_be(text), "{text}");
        }
    }
}
