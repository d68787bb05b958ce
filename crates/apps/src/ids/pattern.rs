//! What kind of id a pattern is of: 9 stands for a digit, A and a for letters, * for one or more of the kind before it.

/// A pattern of numbers with a point, such as 9*.9.
pub(super) fn is_decimal(pattern: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| "9*".contains(c));
    pattern.split_once(['.', ',']).is_some_and(|(whole, rest)| digits(whole) && digits(rest))
}

/// A pattern of what may be a day, also with a year of two digits or a month by name.
pub(super) fn is_day(pattern: &str) -> bool {
    let pattern = pattern.replace('*', "");
    let parts: Vec<&str> = pattern.split([' ', '.', '-', '/']).collect();
    let digits = |part: &str| (1..=4).contains(&part.len()) && part.chars().all(|c| c == '9');
    match parts[..] {
        [a, month, c] => digits(a) && (digits(month) || ["Aaa", "AAA", "aaa"].contains(&month)) && digits(c),
        _ => false,
    }
}

/// A pattern of days such as 99.99.9999 or 9999-99-99.
pub(super) fn is_date(pattern: &str) -> bool {
    // Without lengths any part may be a year.
    let open = pattern.contains('*');
    let (pattern, sign) = (pattern.replace('*', ""), |c: char| ".-/".contains(c));
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
