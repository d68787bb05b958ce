//! What both parties may agree to tell of how their ids look, before they join by them.
//!
//! A shape is a pattern that more than half of a party's ids have, and at least ten of them: `A999999`, or without
//! lengths `A*9*`. Nothing is told of the others, nor of how many they are. It says of most ids which characters are
//! letters and which are digits, and shows signs such as `-` and `@`; never a letter or a digit itself.

use std::{fmt, str::FromStr};

use hushtable::{Error, Result, session::Session};

use super::{
    cure::{Patterns, Reads},
    pattern::{CLASSES, LONGEST, exact, runs, with_stars},
};

/// How the ids of one column look. The pattern is public once it is told.
#[derive(Clone, Debug)]
pub struct Shape {
    pattern: Option<String>,
    reads: Reads,
}

/// What is told: a pattern, or none for ids of several.
struct Told(Option<String>);

/// Fewer ids are not described.
const LEAST: usize = 10;

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
        let pattern = majority(&exact).or_else(|| majority(&|id| with_stars(&runs(&exact(id)))));
        Self { pattern, reads: Reads::of(ids) }
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
        let compare = |(own, told): (&Self, &[u8])| {
            let text = String::from_utf8_lossy(told);
            let peer = text.trim_end_matches('\0').parse::<Told>().map_err(Error::Peer)?;
            own.compare(&peer, &asks)
        };
        mine.iter().zip(theirs.chunks_exact(LONGEST)).map(compare).collect()
    }

    /// Whether ids look like the peer's, and words about it; an error if they can hardly be the same.
    fn compare(&self, peer: &Told, asks: &dyn Fn(&str) -> String) -> Result<(bool, String)> {
        let both = format!("here {self}, at the peer {peer}");
        let (Some(a), Some(b)) = (&self.pattern, &peer.0) else {
            let why = "(several: no pattern has more than half of the ids)";
            return Ok((false, format!("how ids look could not be compared: {both} {why}")));
        };
        match Patterns::compare(a, self.reads, b) {
            Patterns::Equal => Ok((true, format!("ids look alike at both: {both}"))),
            Patterns::Lengths(cure) => {
                Ok((false, format!("ids differ in length: {both}; {}", cure.words(asks))))
            }
            Patterns::Differ(cure) => Err(Error::Handshake {
                field: "how most ids look".into(),
                ours: self.to_string(),
                theirs: format!("{peer}; {}. Nothing was joined", cure.words(asks)),
            }),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pattern.as_deref().unwrap_or(SEVERAL))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or(SEVERAL))
    }
}

/// As it is displayed; what a peer says is checked.
impl FromStr for Told {
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
            let told = text.parse::<Told>().unwrap().to_string();
            assert_eq!(told, text, "seed {seed}, round {round}: {id:?}");
            if text != SEVERAL {
                assert!(
                    text.chars().all(|c| CLASSES.contains(c) || !c.is_alphanumeric()),
                    "seed {seed}, round {round}: {id:?} as {text}"
                );
            }
        }
        for text in ["", "B9", "\u{1b}[2J", "A\n", "severa", "\u{e4}", &"9".repeat(200)] {
            assert!(text.parse::<Told>().is_err(), "{text:?}");
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
                let mine = Shape::of(["C1"; 10].into_iter());
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
