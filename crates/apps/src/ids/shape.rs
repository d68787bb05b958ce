//! What both parties may agree to tell of how their ids look, before they join by them.
//!
//! A shape is a pattern that more than half of a party's ids have, and at least ten of them: `A999999`, or without
//! lengths `A*9*`. Nothing is told of the others, nor of how many they are. It says of most ids which characters are
//! letters and which are digits, and shows signs such as `-` and `@`; never a letter or a digit itself.

use std::{fmt, str::FromStr};

/// The pattern of one column of ids. Public once it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Option<String>);

/// What two shapes say about a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
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

/// Longest pattern.
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

    /// What follows for a join of ids of these shapes.
    pub fn compare(&self, other: &Self) -> Shapes {
        let (Some(a), Some(b)) = (&self.0, &other.0) else { return Shapes::Unknown };
        if a == b {
            return Shapes::Equal;
        }
        if runs(a) == runs(b) {
            // One of them may have no lengths.
            let whole = a.contains('*') || b.contains('*');
            return if whole { Shapes::Equal } else { Shapes::Lengths };
        }
        let by = |rule: &'static str, how: &dyn Fn(&str) -> String| {
            let [a, b] = [a, b].map(|pattern| runs(&how(&runs(pattern))));
            (a == b && !a.is_empty()).then_some(rule)
        };
        let lower = |pattern: &str| pattern.replace('A', "a");
        let plain = |pattern: &str| pattern.replace(|c| !CLASSES.contains(c), "");
        let digits = |pattern: &str| pattern.replace(|c| c != '9', "");
        let rule = by("lower", &lower)
            .or_else(|| by("alnum", &plain))
            .or_else(|| by("lower,alnum", &|pattern| plain(&lower(pattern))))
            .or_else(|| by("digits", &digits));
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

    fn from_str(text: &str) -> Result<Self, String> {
        if text == SEVERAL {
            return Ok(Self(None));
        }
        let fine = |c: char| CLASSES.contains(c) || c == ' ' || c.is_ascii_punctuation();
        match (1..=2 * LONGEST).contains(&text.len()) && text.chars().all(fine) {
            true => Ok(Self(Some(text.to_owned()))),
            false => Err(format!("a pattern of ids that is none: {} bytes", text.len())),
        }
    }
}

#[cfg(test)]
mod tests {
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
            ("+99 99", "AA99", Shapes::Differ(Some("digits"))),
            ("a*@a*.a*", "99999", Shapes::Differ(None)),
        ] {
            assert_eq!(compare(a, b), wanted, "{a} {b}");
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
}
