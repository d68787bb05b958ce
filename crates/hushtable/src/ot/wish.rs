//! What a party brings to the choice of its OT extension, and how both come to one.
//!
//! # Functionality
//! Both parties come to the same [`Limits`], and take the same [`LinkShape`] for the link between them.
//!
//! # Protocol
//! Beside the parameters that they compare, both send the number of the extension that they ask for, or 0; whether
//! they know the link; the limits that they predict; the link for which they do; and the memory that they have for a
//! batch.
//! 1. What either asks for is taken. Two that differ end both parties with the same error.
//! 2. If neither asks: P0's limits, unless only P1 knows the link. The link is that of the same party.
//! 3. The memory is the lesser.
//!
//! # Cost
//! 48 bytes from each party, in messages that cross beside the parameters: no round.

use super::{
    choice::{Limits, Rates},
    scheme::Scheme,
};
use crate::{
    error::{Error, Result},
    net::{LinkShape, Role},
    session::by_role,
};

/// What a party wishes of its session: the extension of correlated OTs, and what choices are made by.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SessionWish {
    /// The extension asked for; `None`: the one with the least predicted time.
    pub scheme: Option<Scheme>,
    /// The link, if it is known; `None`: what the connection says of it.
    pub link: Option<LinkShape>,
    /// How fast the machines are.
    pub rates: Rates,
    /// Bytes of memory that a batch may take here in each lane: whole MiB, 32 and more.
    pub memory: u64,
}

impl Default for SessionWish {
    fn default() -> Self {
        Self { scheme: None, link: None, rates: Rates::REFERENCE, memory: MEMORY }
    }
}

/// Bytes of memory for a batch, where nothing else is said.
const MEMORY: u64 = 256 << 20;
const MIB: u64 = 1 << 20;
/// The least, so that nobody can have the other cut its work into batches of a few items.
const LEAST_MIB: u32 = 32;

impl SessionWish {
    /// For this extension.
    #[must_use]
    pub fn scheme(self, scheme: impl Into<Option<Scheme>>) -> Self {
        Self { scheme: scheme.into(), ..self }
    }

    /// Over this link.
    #[must_use]
    pub fn link(self, link: impl Into<Option<LinkShape>>) -> Self {
        Self { link: link.into(), ..self }
    }

    /// With machines so fast.
    #[must_use]
    pub fn rates(self, rates: Rates) -> Self {
        Self { rates, ..self }
    }

    /// With so many bytes of memory for a batch, in each lane: whole MiB, 32 and more.
    #[must_use]
    pub fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }
}

impl From<Option<Scheme>> for SessionWish {
    fn from(scheme: Option<Scheme>) -> Self {
        Self { scheme, ..Self::default() }
    }
}

/// What is taken for a link of which nothing is known.
const UNKNOWN: LinkShape = LinkShape::LAN;

/// What a party sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    asked: Option<Scheme>,
    knows: bool,
    limits: Limits,
    link: LinkShape,
    /// MiB for a batch.
    memory: u32,
}

/// What both parties came to, and by which all is chosen and billed. Public, the same at both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Which extension makes how many OTs.
    pub limits: Limits,
    /// What both take for the link: what one of them knows of it, or a local network where neither knows anything.
    pub link: LinkShape,
    /// Bytes of memory that a batch may take at either party, in each lane.
    pub memory: u64,
}

/// Of parties inside a machine that ask for nothing.
impl Default for Setting {
    fn default() -> Self {
        Self::over(LinkShape::LOOPBACK)
    }
}

impl Setting {
    /// Of parties that ask for no extension, over this link.
    pub fn over(link: LinkShape) -> Self {
        Self::new(None, link, &Rates::REFERENCE)
    }

    /// Of parties that ask for this extension, over this link, with machines of these rates.
    pub fn new(asked: Option<Scheme>, link: LinkShape, rates: &Rates) -> Self {
        Self { limits: Limits::new(asked, &link, rates), link, memory: MEMORY }
    }

    /// With so many bytes of memory for a batch, in each lane.
    #[must_use]
    pub fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// The link and the memory, as parties compare them.
    pub(crate) fn named(&self) -> String {
        let link: String = self.link.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{link}, {} bytes", self.memory)
    }
}

/// Instead of an extension's number: none is asked for.
const OPEN: u8 = 0;

impl Offer {
    /// Bytes of an offer.
    pub const LEN: usize = 48;

    /// What this party offers; `link` is what its connection says.
    pub fn new(wish: &SessionWish, link: Option<LinkShape>) -> Self {
        let link = wish.link.or(link);
        let (knows, link) = (link.is_some(), link.unwrap_or(UNKNOWN).within());
        let memory = u32::try_from(wish.memory / MIB).unwrap_or(u32::MAX).max(LEAST_MIB);
        Self { asked: wish.scheme, knows, limits: Limits::new(None, &link, &wish.rates), link, memory }
    }

    /// As it is sent.
    pub fn to_bytes(self) -> Vec<u8> {
        let Limits { k, direct, ends } = self.limits;
        let asked = self.asked.map_or(OPEN, Scheme::number);
        let mut bytes = vec![asked, self.knows.into(), k as u8, direct.into()];
        bytes.extend(ends.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(self.link.to_bytes());
        bytes.extend(self.memory.to_le_bytes());
        bytes
    }

    /// The peer's.
    ///
    /// # Errors
    /// [`Error::Handshake`] if it asks for an extension that this release does not know; [`Error::Peer`] for numbers
    /// that no prediction gives.
    pub fn of_peer(bytes: &[u8]) -> Result<Self> {
        let strange = || Error::Peer("limits of OT extensions that no prediction gives".into());
        let (&[number, knows @ 0..=1, k, direct @ 0..=1], rest) =
            bytes.split_first_chunk().filter(|_| bytes.len() == Self::LEN).ok_or_else(strange)?
        else {
            return Err(strange());
        };
        let asked = match number {
            OPEN => None,
            _ => Some(Scheme::of_number(number).ok_or_else(|| unknown(number))?),
        };
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|j| rest[8 * i + j]));
        let limits = Limits { k: k.into(), direct: direct == 1, ends: [word(0), word(1), word(2)] };
        let link = LinkShape::from_bytes(std::array::from_fn(|i| rest[24 + i])).ok_or_else(strange)?;
        let memory = u32::from_le_bytes(std::array::from_fn(|i| rest[40 + i]));
        if !limits.are_sane() || memory < LEAST_MIB {
            return Err(strange());
        }
        Ok(Self { asked, knows: knows == 1, limits, link, memory })
    }

    /// What both parties come to.
    ///
    /// # Errors
    /// [`Error::Handshake`] if they ask for different extensions.
    pub fn settle(self, role: Role, theirs: Self) -> Result<Setting> {
        let (p0, p1) = by_role(role, self, theirs);
        let Self { limits, link, .. } = if p1.knows && !p0.knows { p1 } else { p0 };
        let memory = u64::from(p0.memory.min(p1.memory)) * MIB;
        match (self.asked, theirs.asked) {
            (Some(ours), Some(theirs)) if ours != theirs => Err(Error::Handshake {
                field: "OT extension".into(),
                ours: ours.to_string(),
                theirs: theirs.to_string(),
            }),
            (Some(asked), _) | (None, Some(asked)) => {
                let limits = Limits::new(Some(asked), &LinkShape::LOOPBACK, &Rates::REFERENCE);
                Ok(Setting { limits, link, memory })
            }
            (None, None) => Ok(Setting { limits, link, memory }),
        }
    }
}

fn unknown(number: u8) -> Error {
    Error::Handshake {
        field: "OT extension".into(),
        ours: "those of this release".into(),
        theirs: format!("number {number}, which this release does not know"),
    }
}

#[cfg(test)]
mod tests;
