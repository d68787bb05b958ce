//! To whom results are opened: the one file that opens what operations give.

use std::fmt;

use crate::{
    bill::{self, Bill},
    error::Result,
    net::Role,
    operation::{Held, Words},
    session::Session,
    share::{Additive, Bitwise, Sharing},
};

/// Who gets the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// Both parties.
    Both,
    /// One of them.
    Only(Role),
    /// Nobody: each party keeps its shares.
    Nobody,
}

/// What a party ends with.
pub enum Outcome {
    /// The values, in two's complement; bits are 0 and 1.
    Values(Vec<i64>),
    /// This party's shares of the values.
    Shares(Words),
    /// The peer got the values.
    AtPeer,
}

impl Reveal {
    /// In the same words at both parties.
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Only(Role::P0) => "the listening party (p0)",
            Self::Only(Role::P1) => "the connecting party (p1)",
            Self::Nobody => "none",
        }
    }

    /// Whether the party `role` ends with something to write.
    pub fn reaches(self, role: Role) -> bool {
        match self {
            Self::Both | Self::Nobody => true,
            Self::Only(one) => one == role,
        }
    }

    /// What opening a word of `bits` bits costs.
    pub fn bill(self, bits: u32) -> Bill {
        let sent = match self {
            Self::Nobody => return Bill::FREE,
            Self::Both => [bits; 2],
            Self::Only(Role::P0) => [0, bits],
            Self::Only(Role::P1) => [bits, 0],
        };
        Bill { online: bill::Phase { bits: sent.map(u64::from), rounds: 1 }, ..Bill::FREE }
    }

    /// Opens results to whom they go: 1 round, or none.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(self, s: &mut Session, held: Held, words: Words) -> Result<Outcome> {
        let to = match self {
            Self::Nobody => return Ok(Outcome::Shares(words)),
            Self::Both => None,
            Self::Only(role) => Some(role),
        };
        let mut values = Vec::with_capacity(words.len());
        let unused = if held.signed() { 64 - held.bits } else { 0 };
        let take = |opened: &[u64]| values.extend(opened.iter().map(|w| (w << unused) as i64 >> unused));
        // Public to the parties that both chose before any work: it is the result that they want.
        match held.sharing {
            Sharing::Additive => s.open_words::<Additive, u64>(to, held.bits, &words, take)?,
            Sharing::Xor => s.open_words::<Bitwise, u64>(to, held.bits, &words, take)?,
        }
        let mine = to.is_none_or(|to| to == s.role());
        Ok(if mine { Outcome::Values(values) } else { Outcome::AtPeer })
    }
}

impl Outcome {
    /// The values, at a party that gets them.
    pub fn values(self) -> Option<Vec<i64>> {
        match self {
            Self::Values(values) => Some(values),
            Self::Shares(_) | Self::AtPeer => None,
        }
    }

    /// This party's shares, of results that stay shared.
    pub fn shares(self) -> Option<Words> {
        match self {
            Self::Shares(words) => Some(words),
            Self::Values(_) | Self::AtPeer => None,
        }
    }

    /// The results of later items behind these.
    pub fn append(&mut self, rest: Self) {
        match (self, rest) {
            (Self::Values(all), Self::Values(rest)) => all.extend(rest),
            (Self::Shares(all), Self::Shares(rest)) => {
                // No part of the old memory is left behind.
                let both = [&all[..], &rest[..]].concat();
                *all = Words::new(both);
            }
            _ => {}
        }
    }
}

/// Says how many, and of shares no more.
impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values) => write!(f, "Values({})", values.len()),
            Self::Shares(shares) => write!(f, "Shares({})", shares.len()),
            Self::AtPeer => f.write_str("AtPeer"),
        }
    }
}
