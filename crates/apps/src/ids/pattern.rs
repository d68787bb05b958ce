//! Patterns of ids, and what kind of id one is of: 9 stands for a digit, A and a for letters, x for one of neither kind,
//! * for one or more of the kind before it.

/// A capital letter, a small one, one of neither kind, and a digit.
pub(super) const CLASSES: &str = "Aax9";

/// Longest pattern.
pub(super) const LONGEST: usize = 48;

/// A character of the pattern for each of the id.
pub(super) fn exact(id: &str) -> String {
    // A pattern that is too long is not told: there is no need to look at all of the id.
    let class = |c: char| match c {
        '0'..='9' => '9',
        '*' => '?',
        _ if c.is_ascii_punctuation() || c == ' ' => c,
        _ if c.is_uppercase() => 'A',
        _ if c.is_lowercase() => 'a',
        _ if c.is_alphanumeric() => 'x',
        _ => '?',
    };
    id.chars().take(LONGEST + 1).map(class).collect()
}

/// A pattern without lengths: letters and digits that follow each other are one.
pub(super) fn runs(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars().filter(|c| *c != '*') {
        if !(CLASSES.contains(c) && out.ends_with(c)) {
            out.push(c);
        }
    }
    out
}

/// The same as it is told.
pub(super) fn with_stars(runs: &str) -> String {
    runs.chars().flat_map(|c| [Some(c), CLASSES.contains(c).then_some('*')]).flatten().collect()
}

/// A pattern of numbers with a point or an exponent, such as 9*.9 and 9.99A+99: a spreadsheet's, not ids.
pub(super) fn is_figure(pattern: &str) -> bool {
    let pattern = pattern.replace('*', "");
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c == b'9');
    let (number, exponent) = match pattern.split_once(['A', 'a']) {
        Some((number, exponent)) => (number, exponent.strip_prefix('+').is_some_and(digits)),
        None => (&pattern[..], false),
    };
    let point = number.split_once(['.', ',']);
    let decimal = point.is_some_and(|(whole, rest)| digits(whole) && digits(rest));
    match pattern.contains(['A', 'a']) {
        true => exponent && (decimal || digits(number)),
        false => decimal,
    }
}

/// A pattern of what may be a day, also with a year of two digits or a month by its name.
pub(super) fn is_day(pattern: &str) -> bool {
    // Without lengths any part may be a year.
    let open = pattern.contains('*');
    let pattern = pattern.replace('*', "");
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c == b'9');
    let day = |part: &str| digits(part) && part.len() < 3;
    let year = |part: &str| digits(part) && (matches!(part.len(), 2 | 4) || open);
    let month = |part: &str| {
        let name = ["Aaa", "AAA", "aaa"].contains(&part) || open && ["Aa", "A", "a"].contains(&part);
        name || day(part)
    };
    match pattern.split([' ', '.', '-', '/']).collect::<Vec<_>>()[..] {
        [a, b, c] => year(c) && (day(a) && month(b) || month(a) && day(b)) || year(a) && month(b) && day(c),
        _ => false,
    }
}

/// A pattern of days such as 99.99.9999 or 9999-99-99, also with a time behind them.
pub(super) fn is_date(pattern: &str) -> bool {
    let open = pattern.contains('*');
    let (pattern, sign) = (pattern.replace('*', ""), |c: char| ".-/".contains(c));
    let time = pattern.find(':').and_then(|colon| pattern[..colon].rfind([' ', 'A', 'a']));
    let pattern = &pattern[..time.unwrap_or(pattern.len())];
    let parts: Vec<&str> = pattern.split(sign).collect();
    let signs: Vec<&str> = pattern.matches(sign).collect();
    let day = |part: &str| ["9", "99"].contains(&part);
    let year = |part: &str| part == "9999" || open && part == "9";
    match parts[..] {
        [a, b, c] if signs[0] == signs[1] => day(b) && (a == "9999" && day(c) || day(a) && year(c)),
        _ => false,
    }
}

/// A pattern of digits, which blanks and such may part, with a plus sign before them or none.
pub(super) fn is_phone(pattern: &str) -> bool {
    let rest = pattern.strip_prefix('+').unwrap_or(pattern);
    rest.contains('9') && rest.chars().all(|c| "9* -/.()".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::day;

    #[test]
    fn kinds() {
        for (is, all, none) in [
            (
                is_figure as fn(&str) -> bool,
                &["9*.9", "99,99", "9.99999A+99", "9A+99", "9*.9*a*+9*"][..],
                &["99", "9.9.9", "9A99", "9A-99", "A+99", ".9", "9.", "9.9A", "9AA+99", "9.A+99"][..],
            ),
            (
                is_day,
                &[
                    "99.99.99",
                    "9999-99-99",
                    "99-Aaa-9999",
                    "Aaa 99 9999",
                    "9*/9*/9*",
                    "9999 9 9",
                    "9*-A*a*-9*",
                ],
                &["999-99-9999", "9-9-9", "99-9999-99", "9999-99-9999", "99-99", "99-99-99-99", "99-AA-99"],
            ),
            (
                is_date,
                &[
                    "99.99.9999",
                    "9*.9*.9999",
                    "9999/9/9",
                    "9999-99-99A99:99:99A",
                    "9/9/9999 99:99 AA",
                    "9*-9*-9*",
                ],
                &["99.99.99", "99.99/9999", "999-99-9999", "99:99", "9999-99-99 99", "99-99"],
            ),
            (is_phone, &["+9*", "99 / 999", "(99) 99"], &["9+9", "A9", "", "- -", "++9"]),
        ] {
            all.iter().for_each(|pattern| assert!(is(pattern), "{pattern}"));
            none.iter().for_each(|pattern| assert!(!is(pattern), "{pattern}"));
        }
    }

    /// Whatever may be a day has the pattern of one, in either of its forms.
    #[test]
    fn days_have_patterns_of_days() {
        for (day, month, year) in (1..=31).flat_map(|day| (1..=12).map(move |month| (day, month, 1980 + day)))
        {
            for sign in ['-', '.', '/', ' '] {
                let name = ["Jan", "FEB", "mar"][month % 3];
                for text in [
                    format!("{day}{sign}{month}{sign}{year}"),
                    format!("{month:02}{sign}{day:02}{sign}{:02}", year % 100),
                    format!("{year}{sign}{month}{sign}{day}"),
                    format!("{day:02}{sign}{name}{sign}{year}"),
                    format!("{name}{sign}{day}{sign}{year}"),
                ] {
                    assert!(day::may_be(&text), "{text}");
                    let pattern = exact(&text);
                    assert!(is_day(&pattern) && is_day(&with_stars(&runs(&pattern))), "{text}: {pattern}");
                    let read = day::Orders::of(&text).any();
                    assert!(!read || is_date(&pattern), "{text}: {pattern}");
                }
            }
        }
    }
}
