//! What a party brings to the choice of its OT extension, and how both come to one.
//!
//! # Functionality
//! Both parties come to the same [`Limits`], and take the same [`LinkShape`] for the link between them.
//!
//! # Protocol
//! Beside the parameters that they compare, both send the number of the extension that they ask for, or 0; whether
//! they know the link; the limits that they predict; the link for which they do; the memory that they have for a
//! batch; the number of what is to be least, or 0; and if that is money, what this party pays.
//! 1. What either asks for is taken. Two that differ end both parties with the same error.
//! 2. If neither asks: P0's limits, unless only P1 knows the link. The link is that of the same party.
//! 3. The memory is the lesser.
//! 4. Of what is to be least as of the extension: what either says is taken, and two that differ end both parties.
//! 5. Each party pays for what it sends and computes, so two that pay different prices agree: those of both count. A party
//!    that says none is taken to pay what the other one does. Where money is to be least, limits follow from what both have
//!    then: link, prices, and rates as those of the reference.
//!
//! # Cost
//! 65 bytes from each party, in messages that cross beside the parameters: no round.

use super::{
    choice::{Aim, Limits, Rates},
    scheme::Scheme,
};
use crate::{
    bill::{Objective, Prices},
    error::{Error, Result},
    net::{LinkShape, Role},
    session::by_role,
};

/// What a party wishes of its session: the extension of correlated OTs, and what choices are made by.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SessionWish {
    /// The extension asked for; `None`: by [the rule](crate::bill::NEARLY).
    pub scheme: Option<Scheme>,
    /// The link, if it is known; `None`: what the connection says of it.
    pub link: Option<LinkShape>,
    /// How fast the machines are.
    pub rates: Rates,
    /// Bytes of memory that a batch may take here in each lane: whole MiB, 32 and more.
    pub memory: u64,
    /// What operations that can be done in several ways are to make least; `None`: what each says, which is time in all
    /// unless another was asked for.
    pub objective: Option<Objective>,
    /// What this party pays, if [money](Objective::Money) is to be least.
    pub prices: Prices,
}

impl Default for SessionWish {
    fn default() -> Self {
        let (rates, prices) = (Rates::REFERENCE, Prices::USUAL);
        Self { scheme: None, link: None, rates, memory: MEMORY, objective: None, prices }
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

    /// With operations that make this least; where it is bytes or money, with the extension for that, too.
    #[must_use]
    pub fn objective(self, objective: impl Into<Option<Objective>>) -> Self {
        Self { objective: objective.into(), ..self }
    }

    /// With the least money for both parties, where this one pays these prices.
    #[must_use]
    pub fn prices(self, prices: Prices) -> Self {
        Self { prices, ..self }.objective(Objective::Money)
    }
}

impl From<Option<Scheme>> for SessionWish {
    fn from(scheme: Option<Scheme>) -> Self {
        Self { scheme, ..Self::default() }
    }
}

/// What a party sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    asked: Option<Scheme>,
    knows: bool,
    limits: Limits,
    link: LinkShape,
    /// MiB for a batch.
    memory: u32,
    objective: Option<Objective>,
    prices: Prices,
}

/// What both parties came to, and by which all is chosen and billed. Public, the same at both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Which extension makes how many OTs.
    pub limits: Limits,
    /// What both take for the link: what one of them knows of it, or [the usual one](LinkShape::USUAL) where neither knows
    /// anything.
    pub link: LinkShape,
    /// Bytes of memory that a batch may take at either party, in each lane.
    pub memory: u64,
    /// What operations make least, before what each says.
    pub objective: Option<Objective>,
    /// What P0 and P1 pay: it counts where money is to be least.
    pub prices: [Prices; 2],
}

/// Of parties that ask for nothing, over a link of which nothing is known.
impl Default for Setting {
    fn default() -> Self {
        Self::over(LinkShape::USUAL)
    }
}

impl Setting {
    /// Of parties that ask for no extension, over this link.
    pub fn over(link: LinkShape) -> Self {
        Self::new(None, link, &Rates::REFERENCE)
    }

    /// Of parties that ask for this extension, over this link, with machines of these rates.
    pub fn new(asked: Option<Scheme>, link: LinkShape, rates: &Rates) -> Self {
        let (limits, prices) = (Limits::new(asked, &link, rates), [Prices::USUAL; 2]);
        Self { limits, link, memory: MEMORY, objective: None, prices }
    }

    /// With so many bytes of memory for a batch, in each lane.
    #[must_use]
    pub fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// With operations that make this least, and the extension that suits it.
    #[must_use]
    pub fn objective(self, objective: Option<Objective>) -> Self {
        let limits = match objective {
            Some(objective @ (Objective::Bytes | Objective::Money)) => {
                let aim = Aim { objective, prices: self.prices };
                Limits::aimed(None, &self.link, &Rates::REFERENCE, &aim)
            }
            _ => self.limits,
        };
        Self { limits, objective, ..self }
    }

    /// With the least money, where P0 and P1 pay these prices.
    #[must_use]
    pub fn prices(self, prices: [Prices; 2]) -> Self {
        Self { prices, ..self }.objective(Some(Objective::Money))
    }

    /// What is chosen by beside the extension, as parties compare it.
    pub(crate) fn named(&self) -> String {
        let link: String = self.link.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let objective = self.objective.map_or("as each says", Objective::name);
        let paid = match self.objective {
            Some(Objective::Money) => {
                let paid = |prices: Prices| format!("{} and {}", prices.gigabyte(), prices.core_hour());
                format!(" at {}, {}", paid(self.prices[0]), paid(self.prices[1]))
            }
            _ => String::new(),
        };
        format!("{link}, {} bytes, least {objective}{paid}", self.memory)
    }
}

/// Instead of an extension's number: none is asked for.
const OPEN: u8 = 0;

impl Offer {
    /// Bytes of an offer.
    pub const LEN: usize = 65;

    /// What this party offers; `link` is what its connection says.
    pub fn new(wish: &SessionWish, link: Option<LinkShape>) -> Self {
        let link = wish.link.or(link);
        let (knows, link) = (link.is_some(), link.unwrap_or(LinkShape::USUAL).within());
        let memory = u32::try_from(wish.memory / MIB).unwrap_or(u32::MAX).max(LEAST_MIB);
        let SessionWish { objective, prices, .. } = *wish;
        let aim = Aim { objective: objective.unwrap_or(Objective::Total), prices: [prices; 2] };
        let limits = Limits::aimed(None, &link, &wish.rates, &aim);
        Self { asked: wish.scheme, knows, limits, link, memory, objective, prices }
    }

    /// As it is sent.
    pub fn to_bytes(self) -> Vec<u8> {
        let Limits { k, direct, ends } = self.limits;
        let asked = self.asked.map_or(OPEN, Scheme::number);
        let mut bytes = vec![asked, self.knows.into(), k as u8, direct.into()];
        bytes.extend(ends.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(self.link.to_bytes());
        bytes.extend(self.memory.to_le_bytes());
        bytes.push(Objective::number(self.objective));
        let prices = Some(self.prices).filter(|_| self.objective == Some(Objective::Money));
        bytes.extend(prices.map_or([0; 16], Prices::to_bytes));
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
        let objective = Objective::of_number(rest[44]).ok_or_else(strange)?;
        let prices: [u8; 16] = std::array::from_fn(|i| rest[45 + i]);
        let prices = match objective {
            Some(Objective::Money) => Prices::from_bytes(prices),
            _ => Some(Prices::USUAL).filter(|_| prices == [0; 16]),
        };
        let prices = prices.ok_or_else(strange)?;
        Ok(Self { asked, knows: knows == 1, limits, link, memory, objective, prices })
    }

    /// What both parties come to.
    ///
    /// # Errors
    /// [`Error::Handshake`] if they ask for different extensions, or for different things to be least.
    pub fn settle(self, role: Role, theirs: Self) -> Result<Setting> {
        let (p0, p1) = by_role(role, self, theirs);
        let Self { limits, link, .. } = if p1.knows && !p0.knows { p1 } else { p0 };
        let memory = u64::from(p0.memory.min(p1.memory)) * MIB;
        let objective = either("what is to be least", [self.objective, theirs.objective], Objective::name)?;
        let asked = either("OT extension", [self.asked, theirs.asked], |scheme| scheme.to_string())?;
        let said = |party: Self| Some(party.prices).filter(|_| party.objective == Some(Objective::Money));
        let prices = match [said(p0), said(p1)] {
            [Some(p0), Some(p1)] => [p0, p1],
            [one, other] => [one.or(other).unwrap_or(Prices::USUAL); 2],
        };
        let limits = match (asked, objective) {
            (Some(_), _) => Limits::new(asked, &link, &Rates::REFERENCE),
            (None, Some(objective @ Objective::Money)) => {
                Limits::aimed(None, &link, &Rates::REFERENCE, &Aim { objective, prices })
            }
            // Also where the party whose limits count did not ask for it.
            (None, Some(Objective::Bytes)) => if p0.objective == objective { p0 } else { p1 }.limits,
            (None, _) => limits,
        };
        Ok(Setting { limits, link, memory, objective, prices })
    }
}

/// What one of the parties, here and at the peer, asks for.
fn either<T: Copy + PartialEq, N: Into<String>>(
    field: &str,
    asked: [Option<T>; 2],
    name: impl Fn(T) -> N,
) -> Result<Option<T>> {
    match asked {
        [Some(ours), Some(theirs)] if ours != theirs => Err(Error::Handshake {
            field: field.into(),
            ours: name(ours).into(),
            theirs: name(theirs).into(),
        }),
        [ours, theirs] => Ok(ours.or(theirs)),
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
