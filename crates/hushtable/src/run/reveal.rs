//! To whom results are opened: the one file that opens what operations give.

use std::fmt;

use crate::{
    bill::{self, Bill},
    error::{Error, Result},
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

    /// `Ok(())` if these columns may be opened so, and guards are what they must be: columns of shared bits, one for each
    /// word, that nothing else holds back.
    pub(super) fn check(self, gives: &[Port]) -> Result<()> {
        for port in gives {
            let Some(guard) = port.guard else { continue };
            let bit = |guard: &&Port| guard.sharing().is_some() && guard.bits == 1 && !guard.signed();
            let free = |guard: &&Port| guard.guard.is_none() && guard.only.is_none() && !guard.fewer;
            let right = gives.get(guard).filter(bit).filter(free).filter(|guard| guard.words == port.words);
            if right.is_none() || port.sharing().is_none() {
                let (what, got) = ("guard of a column", format!("column {guard}, of {:?}", port.name));
                let accepted = "a column of shared bits, as many, that go to both".into();
                return Err(Error::Param { what, got, accepted });
            }
        }
        let allowed = |port: &Port| self == Self::Nobody || port.only.is_none_or(|to| self == Self::Only(to));
        let Some(port) = gives.iter().find(|port| !allowed(port)) else { return Ok(()) };
        let (what, got) = ("who gets results", format!("{}, of {:?}", self.name(), port.name));
        let to = port.only.map_or("none", |to| Self::Only(to).name());
        Err(Error::Param { what, got, accepted: format!("none, or {to}") })
    }

    /// Whether the party `role` ends with something to write.
    pub fn reaches(self, role: Role) -> bool {
        match self {
            Self::Both | Self::Nobody => true,
            Self::Only(one) => one == role,
        }
    }

    /// What opening an item's words of these columns costs: at most, where some are guarded.
    pub fn bill(self, gives: &[Port]) -> Bill {
        let bits = |ports: &mut dyn Iterator<Item = &Port>| -> u64 {
            ports.map(|port| u64::from(port.bits) * port.words as u64).sum()
        };
        let is_guard = |i: usize| gives.iter().any(|port| port.guard == Some(i));
        let guards = bits(&mut (0..gives.len()).filter(|&i| is_guard(i)).map(|i| &gives[i]));
        let rest = (0..gives.len()).filter(|&i| !is_guard(i) && gives[i].sharing().is_some());
        let rest = bits(&mut rest.map(|i| &gives[i]));
        let sent = match self {
            Self::Nobody => return Bill::FREE,
            Self::Both => [rest; 2],
            Self::Only(Role::P0) => [0, rest],
            Self::Only(Role::P1) => [rest, 0],
        };
        let opened = Bill { online: bill::Phase { bits: sent, rounds: 1 }, ..Bill::FREE };
        if guards > 0 { Bill::opening(guards) + opened } else { opened }
    }

    /// Opens what these columns hold to whom they go: 1 round, one more if some are guarded, or none. What one party
    /// knows stays there.
    ///
    /// # Errors
    /// [`Error::Param`] for a column that may not be opened so; those of the channel.
    pub fn open(self, s: &mut Session, gives: &[Port], columns: Vec<Words>) -> Result<Vec<Outcome>> {
        self.check(gives)?;
        let to = if let Self::Only(role) = self { Some(role) } else { None };
        let mut values: Vec<Vec<i64>> = columns.iter().map(|words| Vec::with_capacity(words.len())).collect();
        let is_guard = |i: usize| gives.iter().any(|port| port.guard == Some(i));
        if self != Self::Nobody {
            // Public to both, as the operation says: which words may be opened.
            let guards = (0..gives.len()).filter(|&i| is_guard(i)).map(|i| (i, &columns[i][..])).collect();
            open(s, None, gives, guards, &mut values)?;
            let allowed = |i: usize| gives[i].guard.map(|guard| chosen(&columns[i], &values[guard]));
            let allowed: Vec<Option<Words>> = (0..gives.len()).map(allowed).collect();
            let rest = (0..gives.len()).filter(|&i| gives[i].sharing().is_some() && !is_guard(i));
            let rest = rest.map(|i| (i, &allowed[i].as_ref().unwrap_or(&columns[i])[..])).collect();
            // Public to the parties that both chose before any work: it is the result that they want.
            open(s, to, gives, rest, &mut values)?;
        }
        let mine = |i: usize| to.is_none_or(|to| to == s.role()) || is_guard(i);
        let outcome = |(i, (words, values)): (usize, (Words, Vec<i64>))| match gives[i].held {
            Held::Shared(_) if self == Self::Nobody => Outcome::Shares(words),
            Held::Shared(_) if mine(i) => Outcome::Values(values),
            Held::Shared(_) => Outcome::AtPeer,
            Held::Known(role) if role != s.role() => Outcome::AtPeer,
            Held::Known(_) | Held::Own => Outcome::Values(gives[i].values(&words).collect()),
        };
        Ok(columns.into_iter().zip(values).enumerate().map(outcome).collect())
    }
}

/// Opens these words of shared columns: in 1 round, unless there are none.
fn open(
    s: &mut Session,
    to: Option<Role>,
    gives: &[Port],
    columns: Vec<(usize, &[u64])>,
    values: &mut [Vec<i64>],
) -> Result<()> {
    let all_none = columns.iter().all(|(i, words)| words.is_empty() && gives[*i].guard.is_some());
    if all_none {
        return Ok(());
    }
    let at: Vec<usize> = columns.iter().map(|(i, _)| *i).collect();
    let shared = |(i, words): (usize, _)| Some((gives[i].sharing()?, gives[i].bits, words));
    let opened: Vec<_> = columns.into_iter().filter_map(shared).collect();
    s.open_columns(to, &opened, |i, words| values[at[i]].extend(gives[at[i]].values(words)))
}

/// The words that may be opened.
fn chosen(words: &[u64], bits: &[i64]) -> Words {
    let mut all = Words::new(Vec::with_capacity(words.len()));
    all.extend(words.iter().zip(bits).filter(|(_, bit)| **bit == 1).map(|(word, _)| *word));
    all
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

    /// The words of a column that was not opened: this party's shares, or what it alone knows.
    pub fn into_words(self) -> Words {
        match self {
            Self::Shares(words) => words,
            Self::Values(values) => Words::new(values.into_iter().map(|value| value as u64).collect()),
            Self::AtPeer => Words::default(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A guard that would let words out, or that says nothing of them, is refused before anything is opened.
    #[test]
    fn guards_are_bits_that_nothing_holds_back() {
        let (bit, word) = (Port::bit("large enough"), Port::additive("sum", 32));
        let check = |gives: &[Port]| Reveal::Only(Role::P1).check(gives);
        check(&[bit, word.guarded(0)]).unwrap();
        check(&[bit.of(3), word.of(3).guarded(0), bit.of(3).guarded(0)]).unwrap();
        let wrong = [
            vec![bit.guarded(1), bit.guarded(0), word.guarded(0)],
            vec![bit.only(Role::P1), word.guarded(0)],
            vec![bit, word.of(2).guarded(0)],
            vec![bit, word.guarded(2)],
            vec![Port::xor("unsigned", 1), word.guarded(0)],
            vec![Port::additive("number", 8), word.guarded(0)],
            vec![Port { held: Held::Own, ..bit }, word.guarded(0)],
            vec![Port { fewer: true, ..bit }, word.guarded(0)],
            vec![bit, Port { held: Held::Own, ..word }.guarded(0)],
        ];
        for gives in wrong {
            assert!(matches!(check(&gives), Err(Error::Param { .. })), "{gives:?}");
        }
    }
}
