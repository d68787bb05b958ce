//! What both parties may agree to tell of how their ids look, before they join by them.
//!
//! A shape is a pattern that more than half of a party's ids have, and at least ten of them: `A999999`, or without
//! lengths `A*9*`. Nothing is told of the others, nor of how many they are. It says of most ids which characters are
//! letters and which are digits, and shows signs such as `-` and `@`; never a letter or a digit itself.

use std::{fmt, str::FromStr};

use super::pattern::{is_date, is_day, is_decimal, is_phone};
use hushtable::{Error, Result, session::Session};

/// The pattern of one column of ids. Public once it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Option<String>);

/// What two shapes say about a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shapes {
    /// The same pattern.
    Equal,
    /// One party has ids of several patterns, so that nothing is known.
    Unknown,
    /// Only the numbers of characters differ.
    Lengths,
    /// Ids can hardly be the same; with these rules at both parties they might be.
    Differ(Option<&'static str>),
}

/// Fewer ids are not described.
const LEAST: usize = 10;

/// Longest pattern, and bytes in which one is told.
const LONGEST: usize = 48;

/// What is written for ids of several patterns.
const SEVERAL: &str = "several";

impl Shape {
    /// Of ids in the form that the rules give them.
    pub fn of<'a>(ids: impl Iterator<Item = &'a str> + Clone) -> Self {
        let majority = |of: &dyn Fn(&str) -> String| {
            // By votes: only this one can have more than half.
            let (mut first, mut votes) = (None, 0usize);
            for id in ids.clone() {
                let pattern = of(id);
                match votes {
                    0 => (first, votes) = (Some(pattern), 1),
                    _ if first.as_ref() == Some(&pattern) => votes += 1,
                    _ => votes -= 1,
                }
            }
            let first = first?;
            let (rows, have) =
                ids.clone().fold((0, 0), |(rows, have), id| (rows + 1, have + usize::from(of(id) == first)));
            (have >= LEAST && 2 * have > rows && (1..=LONGEST).contains(&first.len())).then_some(first)
        };
        Self(majority(&exact).or_else(|| majority(&|id| with_stars(&runs(&exact(id))))))
    }

    /// Tells the peer the shapes of the columns of the ids, and takes its: 1 round. Both parties asked for that; `asks`
    /// says how one asks for a rule. Of each column whether ids look alike, and words about it.
    ///
    /// # Errors
    /// [`Error::Handshake`], at both parties, if ids can hardly be the same; [`Error::Peer`] for what is no shape; and
    /// those of the channel.
    pub fn tell(
        s: &mut Session,
        mine: &[Self],
        asks: impl Fn(&str) -> String,
    ) -> Result<Vec<(bool, String)>> {
        let mut told = vec![0; LONGEST * mine.len()];
        for (shape, to) in mine.iter().zip(told.chunks_exact_mut(LONGEST)) {
            let text = shape.to_string();
            to[..text.len()].copy_from_slice(text.as_bytes());
        }
        let length = told.len();
        let theirs = s.exchange(told, length)?;
        let compare = |(own, other): (&Self, &[u8])| {
            let text = String::from_utf8_lossy(other);
            let other: Self = text.trim_end_matches('\0').parse::<Self>().map_err(Error::Peer)?;
            let both = format!("here {own}, at the peer {other}");
            Ok(match own.compare(&other) {
                Shapes::Equal => (true, format!("ids look alike at both: {both}")),
                Shapes::Unknown => (
                    false,
                    format!(
                        "how ids look could not be compared: {both} (several: no pattern has more than half of the ids)"
                    ),
                ),
                Shapes::Lengths => (
                    false,
                    format!(
                        "ids differ in length: {both}; if one of you lost leading zeros, {} at both parties settles it",
                        asks("zeros")
                    ),
                ),
                Shapes::Differ(rule) => {
                    let cure = match rule {
                        Some(rule) => format!("{} at both parties would make them alike", asks(rule)),
                        None => "check that both name the same kind of id".to_owned(),
                    };
                    return Err(Error::Handshake {
                        field: "how most ids look".into(),
                        ours: own.to_string(),
                        theirs: format!("{other}; {cure}. Nothing was joined"),
                    });
                }
            })
        };
        mine.iter().zip(theirs.chunks_exact(LONGEST)).map(compare).collect()
    }

    /// What follows for a join of ids of these shapes.
    fn compare(&self, other: &Self) -> Shapes {
        let (Some(a), Some(b)) = (&self.0, &other.0) else { return Shapes::Unknown };
        if a == b {
            return Shapes::Equal;
        }
        if runs(a) == runs(b) {
            // One of them may have no lengths.
            let whole = a.contains('*') || b.contains('*');
            return if whole { Shapes::Equal } else { Shapes::Lengths };
        }
        // Dates and telephone numbers have rules of their own, which their digits alone do not replace.
        let both = [a, b];
        if both.iter().all(|pattern| is_date(pattern)) {
            // Behind slashes and dashes months may come first.
            let sure = both.iter().all(|pattern| pattern.starts_with("9999") || pattern.contains('.'));
            return Shapes::Differ(sure.then_some("date:dmy"));
        }
        // Digits of a time or behind a point are none of an id, nor do those of days say which is which.
        if both.iter().any(|pattern| pattern.contains(':') || is_decimal(pattern))
            || both.iter().all(|pattern| is_day(pattern))
        {
            return Shapes::Differ(None);
        }
        if [a, b].iter().all(|pattern| is_phone(pattern)) && [a, b].iter().any(|p| p.starts_with('+')) {
            return Shapes::Differ(Some("e164:+CODE"));
        }
        // A rule whose results have other lengths makes no two ids equal, where both lengths are known.
        let open = a.contains('*') || b.contains('*');
        let by = |rule: &'static str, zeros: bool, how: &dyn Fn(&str) -> String| {
            let [a, b] = [a, b].map(|pattern| how(&pattern.replace('*', "")));
            let equal = if open || zeros { runs(&a) == runs(&b) } else { a == b };
            let numbers = a.chars().all(|c| c == '9');
            (equal && !a.is_empty() && (!zeros || numbers)).then_some(rule)
        };
        let lower = |pattern: &str| pattern.replace('A', "a");
        let plain = |pattern: &str| pattern.replace(|c| !CLASSES.contains(c), "");
        let digits = |pattern: &str| pattern.replace(|c| c != '9', "");
        let rule = by("lower", false, &lower)
            .or_else(|| by("alnum", false, &plain))
            .or_else(|| by("lower,alnum", false, &|pattern| plain(&lower(pattern))))
            .or_else(|| by("digits", false, &digits))
            .or_else(|| by("digits,zeros", true, &digits));
        Shapes::Differ(rule)
    }
}

/// A capital letter, a small one, one of neither kind, and a digit.
const CLASSES: &str = "Aax9";

/// A character of the pattern for each of the id.
fn exact(id: &str) -> String {
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
fn runs(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars().filter(|c| *c != '*') {
        if !(CLASSES.contains(c) && out.ends_with(c)) {
            out.push(c);
        }
    }
    out
}

fn with_stars(runs: &str) -> String {
    runs.chars().flat_map(|c| [Some(c), CLASSES.contains(c).then_some('*')]).flatten().collect()
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or(SEVERAL))
    }
}

/// As it is displayed; what a peer says is checked.
impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == SEVERAL {
            return Ok(Self(None));
        }
        let fine = |c: char| CLASSES.contains(c) || c == ' ' || c.is_ascii_punctuation();
        match (1..=LONGEST).contains(&text.len()) && text.chars().all(fine) {
            true => Ok(Self(Some(text.to_owned()))),
            false => Err(format!("a pattern of ids, {} bytes", text.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use hushtable::net::LinkShape;

    use super::*;

    fn of(ids: &[&str]) -> String {
        Shape::of(ids.iter().flat_map(|id| [*id; 10])).to_string()
    }

    #[test]
    fn most_ids_say_the_pattern() {
        assert_eq!(of(&["C204409"]), "A999999");
        assert_eq!(of(&["C204409", "C1", "C100000"]), "A999999");
        assert_eq!(of(&["C204409", "C1"]), "A*9*");
        assert_eq!(of(&["ann@x.org", "b.c@y.at", "zoe@abc.com"]), "a*@a*.a*");
        assert_eq!(of(&["C204409", "c204409"]), "several");
        assert_eq!(of(&["\u{c4}nne", "\u{5d0}", "J\u{f6}rg"]), "Aaaa");
        assert_eq!(of(&["a*b"]), "a?a");
        assert_eq!(of(&[&"x1".repeat(30)]), "several");
        // Nine are too few to speak of.
        assert_eq!(Shape::of(["C1"; 9].into_iter()).to_string(), "several");
        assert_eq!(Shape::of([].into_iter()).to_string(), "several");
    }

    #[test]
    fn shapes_say_what_might_be_wrong() {
        let compare = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| text.parse::<Shape>().unwrap());
            assert_eq!(a.compare(&b), b.compare(&a));
            a.compare(&b)
        };
        for (a, b, wanted) in [
            ("A999999", "A999999", Shapes::Equal),
            ("A999999", "A*9*", Shapes::Equal),
            ("A999999", "several", Shapes::Unknown),
            ("99999", "9999", Shapes::Lengths),
            ("A999999", "a999999", Shapes::Differ(Some("lower"))),
            ("99-99", "99 99", Shapes::Differ(Some("alnum"))),
            ("A-99", "a99", Shapes::Differ(Some("lower,alnum"))),
            ("+99 99", "AA9999", Shapes::Differ(Some("digits"))),
            ("AA999999", "999", Shapes::Differ(Some("digits,zeros"))),
            ("AA999", "AA-99", Shapes::Differ(Some("digits,zeros"))),
            ("A9-99", "A9", Shapes::Differ(Some("digits,zeros"))),
            ("A-99", "A999a", Shapes::Differ(Some("digits,zeros"))),
            ("aa", "AAA", Shapes::Differ(None)),
            ("99.99.9999", "9999-99-99", Shapes::Differ(Some("date:dmy"))),
            ("9*.9*.9999", "99/99/9999", Shapes::Differ(None)),
            ("9999-99-99", "99.99.99", Shapes::Differ(None)),
            ("9999-99-99", "99-Aaa-9999", Shapes::Differ(None)),
            ("9999-99-99", "9999-99-99 99:99:99", Shapes::Differ(None)),
            ("9*.9", "9*", Shapes::Differ(None)),
            ("99.99.9999", "99999999", Shapes::Differ(Some("alnum"))),
            ("+99 9 999", "99 999", Shapes::Differ(Some("e164:+CODE"))),
            ("+9*", "999/9999", Shapes::Differ(Some("e164:+CODE"))),
            ("a*@a*.a*", "99999", Shapes::Differ(None)),
        ] {
            assert_eq!(compare(a, b), wanted, "{a} {b}");
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
            let shapes = [&a, &b].map(|text| Shape(Some(text.clone())));
            let Shapes::Differ(Some(rule)) = shapes[0].compare(&shapes[1]) else { continue };
            if rule.contains(':') {
                continue;
            }
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
            assert_eq!(forms[0], forms[1], "{rule} for {a:?} and {b:?}");
        }
        assert!(named > 200, "{named}");
    }

    /// Days and telephone numbers in notations of either party: the rule that is named makes them alike.
    #[test]
    fn days_and_telephone_numbers_are_settled_by_their_rules() {
        let days = (1..=12).map(|n| (n, 13 - n, 1990 + n)).collect::<Vec<(u32, u32, u32)>>();
        let days: [Vec<String>; 2] = [
            days.iter().map(|(d, m, y)| format!("{d:02}.{m:02}.{y}")).collect(),
            days.iter().map(|(d, m, y)| format!("{y}-{m:02}-{d:02}")).collect(),
        ];
        let calls = [|n| format!("+43 1 {n}"), |n| format!("01 / {n}"), |n| format!("0043-1-{n}")];
        let calls = calls.map(|of: fn(u32) -> String| (500_100..500_112).map(of).collect::<Vec<_>>());
        for (all, rule, said) in [(&days[..], "date:dmy", "date:dmy"), (&calls[..], "e164:+43", "e164:+CODE")]
        {
            let rules: crate::ids::Rules = rule.parse().unwrap();
            let form =
                |ids: &[String]| ids.iter().map(|id| rules.form(id).unwrap().to_string()).collect::<Vec<_>>();
            let shape = |ids: &[String]| Shape::of(ids.iter().map(String::as_str));
            for ids in &all[1..] {
                assert_eq!(shape(&all[0]).compare(&shape(ids)), Shapes::Differ(Some(said)), "{ids:?}");
                assert_eq!(form(&all[0]), form(ids));
            }
        }
    }

    /// No id shows a letter or digit of its own, and what is said is read as it was meant.
    #[test]
    fn a_pattern_is_read_as_it_was_written_and_shows_classes_only() {
        let seed: u64 = 0x54a;
        let mut state = seed;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for round in 0..2000 {
            let id: String = (0..1 + below(60))
                .filter_map(|_| {
                    let most = [128, 0x3000, 0x110000][below(3)];
                    char::from_u32(below(most) as u32)
                })
                .collect();
            let shape = Shape::of([id.as_str(); 12].into_iter());
            let text = shape.to_string();
            assert_eq!(text.parse(), Ok(shape), "seed {seed}, round {round}: {id:?}");
            if text != SEVERAL {
                assert!(
                    text.chars().all(|c| CLASSES.contains(c) || !c.is_alphanumeric()),
                    "seed {seed}, round {round}: {id:?} as {text}"
                );
            }
        }
        for text in ["", "B9", "\u{1b}[2J", "A\n", "severa", "\u{e4}", &"9".repeat(200)] {
            assert!(text.parse::<Shape>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_a_peer_tells_is_checked() {
        let told = |theirs: &[u8]| {
            let (mut s0, mut s1) = Session::pair_seeded(5, LinkShape::LOOPBACK);
            let mut message = theirs.to_vec();
            message.resize(LONGEST, 0);
            std::thread::scope(|scope| {
                scope.spawn(move || s1.exchange(message, LONGEST).unwrap());
                let mine = "A9".parse().unwrap();
                let said = Shape::tell(&mut s0, &[mine], |rule| format!("normalise={rule}"));
                said.map(|said| said[0].0).map_err(|error| error.to_string())
            })
        };
        assert_eq!(
            [told(b"A9"), told(b"A*9*"), told(b"A99"), told(b"several")],
            [true, true, false, false].map(Ok)
        );
        let says = |theirs: &[u8]| told(theirs).unwrap_err();
        assert!(
            says(b"a9").contains("here A9, at the peer a9; normalise=lower at both parties"),
            "{}",
            says(b"a9")
        );
        assert!(says(b"9-9").contains("normalise=digits") && says(b"a@a").contains("same kind of id"));
        for theirs in [&b""[..], b"\x1b[2J", b"Bob", b"A\09", &[0xff; LONGEST], &[b'9', 0xff]] {
            assert!(says(theirs).contains("malformed message from the peer: a pattern"), "{theirs:?}");
        }
    }
}
