//! What the patterns of two parties' ids say about a join by them, and what might make ids alike.

use super::{
    day::{self, Orders},
    pattern::{CLASSES, is_date, is_day, is_figure, is_phone, runs},
    phone,
};

/// What two patterns say about a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patterns {
    /// They are the same.
    Equal,
    /// Only the numbers of characters differ.
    Lengths(Cure),
    /// Ids can hardly be the same.
    Differ(Cure),
}

/// What might make ids alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cure {
    /// Rules of days, in the orders that this party's allow.
    pub(super) days: Option<Orders>,
    /// The rule of telephone numbers.
    pub(super) phone: bool,
    /// Another rule, the same at both parties.
    pub(super) rule: Option<&'static str>,
}

/// What all ids of this party can be read as. It is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reads {
    orders: Orders,
    /// As days, also such as no rule reads.
    day: bool,
    phone: bool,
    /// Whether all begin as complete telephone numbers do.
    complete: bool,
    /// Whether one has a zero as its first digit.
    zero: bool,
}

impl Reads {
    /// Of ids in their form.
    pub(super) fn of<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self { orders: Orders::ALL, day: true, phone: true, complete: true, zero: false };
        for id in ids {
            if all.orders.any() {
                all.orders = all.orders.and(Orders::of(id));
            }
            all.day = all.day && day::may_be(id);
            all.phone = all.phone && phone::is_number(id);
            all.complete = all.complete && phone::is_complete(id);
            all.zero = all.zero || id.chars().find(char::is_ascii_digit) == Some('0');
        }
        all
    }
}

impl Patterns {
    /// Of this party's ids, which can be read like this, and of the peer's.
    pub(super) fn compare(own: &str, reads: Reads, peer: &str) -> Self {
        if own == peer {
            return Self::Equal;
        }
        let (cure, open) = (Cure::of(own, reads, peer), own.contains('*') || peer.contains('*'));
        match runs(own) == runs(peer) {
            // One of them may have no lengths. Days with zeros and without are not alike.
            true if open && cure.days.is_none() => Self::Equal,
            true => Self::Lengths(cure),
            false => Self::Differ(cure),
        }
    }
}

impl Cure {
    const NONE: Self = Self { days: None, phone: false, rule: None };

    /// For different patterns.
    fn of(a: &str, reads: Reads, b: &str) -> Self {
        let both = [a, b];
        let all = |is: fn(&str) -> bool| both.iter().all(|pattern| is(pattern));
        let any = |is: &dyn Fn(&str) -> bool| both.iter().any(|pattern| is(pattern));
        // Days and telephone numbers have rules of their own, which their digits alone do not replace.
        let is_compact = |pattern: &str| pattern == "99999999";
        let (compact, open) = (any(&is_compact), any(&|pattern| pattern.contains('*')));
        let time = any(&|pattern| pattern.contains(':'));
        if reads.orders.any() && (all(is_date) || compact && any(&is_date)) {
            let unsigned = |pattern: &str| pattern.replace(['.', '/'], "-");
            let same = compact || unsigned(a) == unsigned(b);
            let rule = if same && !time { rule(a, b) } else { None };
            return Self { days: Some(reads.orders), rule, ..Self::NONE };
        }
        // Digits of a time, of a fraction or of an exponent are none of an id, nor do those of days say which is which.
        let days =
            reads.day && any(&is_day) && both.iter().all(|pattern| is_day(pattern) || is_compact(pattern));
        if time || any(&is_figure) || days {
            return Self::NONE;
        }
        // Where the longer ones are here and have no zeros, there are none to leave out.
        let longer = a.matches('9').count() > b.matches('9').count();
        let rule = rule(a, b).filter(|rule| !rule.ends_with("zeros") || reads.zero || !longer);
        if all(is_phone) && reads.phone {
            let plus = |pattern: &str| pattern.starts_with('+');
            if any(&plus) {
                // Spreadsheets take plus signs away.
                let lost = !all(plus) && (plus(a) || !reads.complete);
                return Self { phone: true, rule: rule.filter(|_| lost), ..Self::NONE };
            }
            // The same digits need no code.
            let phone = reads.complete && (open || rule != Some("alnum"));
            return Self { phone, rule, ..Self::NONE };
        }
        Self { rule, ..Self::NONE }
    }

    /// In words; `asks` says how one asks for a rule.
    pub(super) fn words(&self, asks: impl Fn(&str) -> String) -> String {
        let mut words = Vec::new();
        if let Some(orders) = self.days {
            let rules = orders.rules().iter().map(|rule| asks(rule)).collect::<Vec<_>>();
            let here = if rules.len() > 1 { " (as they are written here)" } else { "" };
            words.push(format!(
                "if these are days, {}{here} makes them alike, with the order of its own at the peer",
                rules.join(" or ")
            ));
        }
        if self.phone {
            words.push(format!(
                "if these are telephone numbers, {} makes them alike, at each party with the code of those that have none",
                asks("e164:+CODE")
            ));
        }
        let otherwise = match (self.days, self.phone) {
            (_, true) => "if not, or if one of you lost plus signs, ",
            (Some(_), false) => "if not, ",
            (None, false) => "",
        };
        words.extend(self.rule.map(|rule| match rule {
            "zeros" => format!("if one of you lost leading zeros, {} at both parties settles it", asks(rule)),
            _ => format!("{otherwise}{} at both parties would make them alike", asks(rule)),
        }));
        match words.is_empty() {
            true => "check that both name the same kind of id".into(),
            false => words.join("; "),
        }
    }
}

/// A rule by which ids of two patterns can be the same, whatever they are.
fn rule(a: &str, b: &str) -> Option<&'static str> {
    if runs(a) == runs(b) {
        // Other zeros than those at the beginning are not settled.
        return (a.starts_with('9') && b.starts_with('9')).then_some("zeros");
    }
    // A rule whose results have other lengths makes no two ids equal, where both lengths are known.
    let open = a.contains('*') || b.contains('*');
    let by = |rule: &'static str, zeros: bool, how: &dyn Fn(&str) -> String| {
        let [a, b] = [a, b].map(|pattern| how(&pattern.replace('*', "")));
        let equal = if open || zeros { runs(&a) == runs(&b) } else { a == b };
        (equal && !a.is_empty()).then_some(rule)
    };
    let lower = |pattern: &str| pattern.replace('A', "a");
    let plain = |pattern: &str| pattern.replace(|c| !CLASSES.contains(c), "");
    let digits = |pattern: &str| pattern.replace(|c| c != '9', "");
    by("lower", false, &lower)
        .or_else(|| by("alnum", false, &plain))
        .or_else(|| by("lower,alnum", false, &|pattern| plain(&lower(pattern))))
        .or_else(|| by("digits", false, &digits))
        .or_else(|| by("digits,zeros", true, &digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ids are read as of which nothing is known but their pattern.
    const ANY: Reads = Reads { orders: Orders::ALL, day: true, phone: true, complete: false, zero: true };
    const OTHER: Reads =
        Reads { orders: Orders::NONE, day: false, phone: false, complete: false, zero: false };

    const fn rule(rule: &'static str) -> Patterns {
        Patterns::Differ(Cure { rule: Some(rule), ..Cure::NONE })
    }

    #[test]
    fn patterns_say_what_might_be_wrong() {
        let none = Patterns::Differ(Cure::NONE);
        let calls = Cure { phone: true, ..Cure::NONE };
        let phone = Patterns::Differ(calls);
        let days = |rule| Patterns::Differ(Cure { days: Some(Orders::ALL), rule, ..Cure::NONE });
        let longer = |cure| Patterns::Lengths(cure);
        for (reads, a, b, wanted) in [
            (ANY, "A999999", "A999999", Patterns::Equal),
            (ANY, "A999999", "A*9*", Patterns::Equal),
            (ANY, "99999", "9999", longer(Cure { rule: Some("zeros"), ..Cure::NONE })),
            // Zeros behind a letter or a sign are none at the beginning.
            (ANY, "A999", "A99", longer(Cure::NONE)),
            (ANY, "-99", "-9", longer(Cure::NONE)),
            (ANY, "+99 99999", "+999 9999", longer(Cure { phone: true, ..Cure::NONE })),
            (ANY, "A999999", "a999999", rule("lower")),
            (ANY, "99-99", "99 99", rule("alnum")),
            (ANY, "A-99", "a99", rule("lower,alnum")),
            (ANY, "+99 99", "AA9999", rule("digits")),
            (ANY, "AA999999", "999", rule("digits,zeros")),
            (ANY, "AA999", "AA-99", rule("digits,zeros")),
            (ANY, "A9-99", "A9", rule("digits,zeros")),
            (ANY, "A-99", "A999a", rule("digits,zeros")),
            (ANY, "aa", "AAA", none),
            (ANY, "99.99.9999", "9999-99-99", days(None)),
            (ANY, "9*.9*.9999", "99/99/9999", days(None)),
            (ANY, "99-99-9999", "99/99/9999", days(Some("alnum"))),
            (ANY, "9999-99-99", "9999-99-99 99:99:99", days(None)),
            (ANY, "99999999", "9999-99-99 99:99:99", days(None)),
            (ANY, "99.99.9999", "99999999", days(Some("alnum"))),
            (ANY, "99.99.9999", "9*.9*.9*", longer(Cure { days: Some(Orders::ALL), ..Cure::NONE })),
            (ANY, "9999-99-99", "99.99.99", none),
            (ANY, "99999999", "99.99.99", none),
            (ANY, "9999-99-99", "99-Aaa-9999", none),
            (ANY, "99-99-99", "99 99 99", none),
            // What these ids rule out.
            (OTHER, "99-99-9999", "99/99/9999", rule("alnum")),
            (OTHER, "99-99-99", "99 99 99", rule("alnum")),
            (OTHER, "99.99.9999", "99999999", rule("alnum")),
            (OTHER, "9999-99-99 99:99:99", "9999-99-99", none),
            (OTHER, "+99 9 99", "99 999", rule("alnum")),
            // No days: a part of three digits.
            (ANY, "999-99-9999", "999 99 9999", rule("alnum")),
            (ANY, "9*.9", "9*", none),
            (ANY, "9.99A+99", "999999", none),
            (ANY, "+99 9 999", "99 999", Patterns::Differ(Cure { rule: Some("digits,zeros"), ..calls })),
            (ANY, "+9*", "999/9999", Patterns::Differ(Cure { rule: Some("alnum"), ..calls })),
            (ANY, "+99 999", "+99999", phone),
            (ANY, "9999 99 99999", "999/99999", rule("digits,zeros")),
            (ANY, "a*@a*.a*", "99999", none),
        ] {
            assert_eq!(Patterns::compare(a, reads, b), wanted, "{a} {b}");
            assert_eq!(Patterns::compare(b, reads, a), wanted, "{b} {a}");
        }
        // Without zeros at the longer ones there are none to leave out.
        for (a, b, wanted) in [("99999", "9999", None), ("9999", "99999", Some("zeros"))] {
            let longer = Patterns::Lengths(Cure { rule: wanted, ..Cure::NONE });
            assert_eq!(Patterns::compare(a, OTHER, b), longer, "{a} {b}");
        }
        // With zeros or plus signs before all of them they are complete.
        let complete = Reads { complete: true, ..ANY };
        let either = |rule| Cure { phone: true, rule: Some(rule), days: None };
        for (a, b, wanted) in [
            ("9999 99 99999", "999/99999", Patterns::Differ(either("digits,zeros"))),
            ("9999999999999", "9999999999", longer(either("zeros"))),
            ("999-99999", "999/99999", rule("alnum")),
            // Without lengths one may have a code and the other none.
            ("9*-9*", "9*/9*", Patterns::Differ(either("alnum"))),
        ] {
            assert_eq!(Patterns::compare(a, complete, b), wanted, "{a} {b}");
        }
        // Those that are complete have lost no plus signs.
        let lost = Patterns::Differ(Cure { rule: Some("alnum"), ..calls });
        for (a, b, wanted) in [("9*/9*", "+9*", phone), ("+9*", "9*/9*", lost)] {
            assert_eq!(Patterns::compare(a, complete, b), wanted, "{a} {b}");
        }
    }

    #[test]
    fn a_cure_is_said_in_words() {
        let asks = |rule: &str| format!("<{rule}>");
        let said = |cure: Cure| cure.words(asks);
        let orders = |text: &str| Some(Orders::of(text));
        assert_eq!(said(Cure::NONE), "check that both name the same kind of id");
        let lower = Cure { rule: Some("lower"), ..Cure::NONE };
        assert_eq!(said(lower), "<lower> at both parties would make them alike");
        let zeros = Cure { rule: Some("zeros"), ..Cure::NONE };
        assert_eq!(said(zeros), "if one of you lost leading zeros, <zeros> at both parties settles it");
        let days = Cure { days: orders("1/2/2024"), rule: Some("alnum"), phone: false };
        assert_eq!(
            said(days),
            "if these are days, <date:dmy> or <date:mdy> (as they are written here) makes them alike, with the order of \
             its own at the peer; if not, <alnum> at both parties would make them alike"
        );
        let days = Cure { days: orders("12/31/2024"), ..Cure::NONE };
        assert!(
            said(days).starts_with("if these are days, <date:mdy> makes them alike, with"),
            "{}",
            said(days)
        );
        let phone = Cure { phone: true, ..zeros };
        assert!(
            said(phone).contains("numbers, <e164:+CODE> makes them")
                && said(phone).contains("; if one of you")
        );
        let phone = Cure { phone: true, ..lower };
        assert!(
            said(phone).contains("; if not, or if one of you lost plus signs, <lower> at"),
            "{}",
            said(phone)
        );
    }

    #[test]
    fn ids_are_read_as_what_all_of_them_can_be() {
        let reads = |ids: &[&str]| Reads::of(ids.iter().copied());
        assert_eq!(reads(&["x"]), OTHER);
        assert_eq!(
            reads(&["01 234567", "+43 1 234567"]),
            Reads { complete: true, phone: true, zero: true, ..OTHER }
        );
        assert_eq!(reads(&["+43 1 234567", "1 2345678"]), Reads { phone: true, ..OTHER });
        assert_eq!(reads(&["01 234567", "01"]), Reads { complete: true, zero: true, ..OTHER });
        assert_eq!(reads(&["A12", "A02"]), Reads { zero: true, ..OTHER });
        assert_eq!(reads(&["31-12-24", "1-Jan-2024"]), Reads { day: true, ..OTHER });
        for (ids, rules) in [
            (&["31/12/2024", "1/2/2024"][..], &["date:dmy"][..]),
            (&["1/2/2024"], &["date:dmy", "date:mdy"]),
            (&["31/12/2024", "12/31/2024"], &[]),
            (&["31/12/2024", "x"], &[]),
        ] {
            assert_eq!(reads(ids).orders.rules(), rules, "{ids:?}");
        }
    }

    /// A rule is named only if ids of both patterns can be equal by it: some that are, of random patterns.
    #[test]
    fn a_rule_that_is_named_can_settle_it() {
        let mut state = 11u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        let mut named = 0;
        for _ in 0..20_000 {
            let [a, b] = [0, 1].map(|_| {
                let signs = b"Aaa999--. ";
                (0..1 + below(8)).map(|_| char::from(signs[below(signs.len())])).collect::<String>()
            });
            let Some(rule) = (a != b).then(|| super::rule(&a, &b)).flatten() else { continue };
            named += 1;
            // Of these, all digits are 0, but for the last.
            let id = |pattern: &str| {
                let at = pattern.rfind('9');
                let cell =
                    |(i, c): (usize, char)| if c == '9' { if Some(i) == at { '1' } else { '0' } } else { c };
                pattern.char_indices().map(cell).collect::<String>()
            };
            let rules: crate::ids::Rules = format!("trim,nfc,{rule}").parse().unwrap();
            let forms = [&a, &b].map(|pattern| rules.form(&id(pattern)).map(|form| form.to_string()));
            assert!(rule == "zeros" || forms[0] == forms[1], "{rule} for {a:?} and {b:?}");
        }
        assert!(named > 200, "{named}");
    }
}
