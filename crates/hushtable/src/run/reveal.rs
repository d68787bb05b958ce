//! To whom results are opened: the one file that opens what operations give.

use std::fmt;

use crate::{
    bill::{self, Bill},
    error::Result,
    net::Role,
    operation::{Held, Port, Words},
    session::Session,
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

/// What a party ends with, of a column.
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

    /// What opening an item's words of these columns costs.
    pub fn bill(self, gives: &[Port]) -> Bill {
        let shared = gives.iter().filter(|port| port.sharing().is_some());
        let bits = shared.map(|port| u64::from(port.bits) * port.words as u64).sum();
        let sent = match self {
            Self::Nobody => return Bill::FREE,
            Self::Both => [bits; 2],
            Self::Only(Role::P0) => [0, bits],
            Self::Only(Role::P1) => [bits, 0],
        };
        Bill { online: bill::Phase { bits: sent, rounds: 1 }, ..Bill::FREE }
    }

    /// Opens what these columns hold to whom they go: 1 round, or none. What one party knows stays there.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(self, s: &mut Session, gives: &[Port], columns: Vec<Words>) -> Result<Vec<Outcome>> {
        let to = if let Self::Only(role) = self { Some(role) } else { None };
        let at: Vec<usize> = (0..gives.len()).filter(|&i| gives[i].sharing().is_some()).collect();
        let shared = |&i: &usize| Some((gives[i].sharing()?, gives[i].bits, &columns[i][..]));
        let opened: Vec<_> = at.iter().filter_map(shared).collect();
        let mut values: Vec<Vec<i64>> = columns.iter().map(|words| Vec::with_capacity(words.len())).collect();
        if self != Self::Nobody {
            // Public to the parties that both chose before any work: it is the result that they want.
            s.open_columns(to, &opened, |i, words| values[at[i]].extend(gives[at[i]].values(words)))?;
        }
        let mine = to.is_none_or(|to| to == s.role());
        let outcome = |((port, words), values): ((&Port, Words), Vec<i64>)| match port.held {
            Held::Shared(_) if self == Self::Nobody => Outcome::Shares(words),
            Held::Shared(_) if mine => Outcome::Values(values),
            Held::Shared(_) => Outcome::AtPeer,
            Held::Known(role) if role != s.role() => Outcome::AtPeer,
            Held::Known(_) | Held::Own => Outcome::Values(port.values(&words).collect()),
        };
        Ok(gives.iter().zip(columns).zip(values).map(outcome).collect())
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
