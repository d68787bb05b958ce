//! All lookup protocols behind one call: what serves a batch of lookups, and its one-time material.
//!
//! For a program that lets its user, or a plan, choose. Code that knows its protocol calls that
//! protocol's own type. What a protocol says of itself, its [`Spec`], stands in its own file; a new one is that file,
//! and here its name in three lists.

use std::{fmt, str::FromStr};

use prim::ring::Ring;

use super::{
    Table, arithmetic, flute, oplut, ottt,
    spec::{LookupJob, Lookups, Made, Spec, never_stored},
    splut,
    vectors::Vectors,
};
use crate::{
    bill::{Bill, Effort},
    codec::Reader,
    error::{Error, Result},
    net::Role,
    onehot::{self, Group, OneHot},
    session::Session,
    share::{Kind, Share},
    source::Source,
};

/// A lookup protocol for public tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Protocol {
    /// One message as long as the table: [`SpLut`](splut::SpLut).
    SpLut,
    /// The same with OTs from codes, for small jobs: [`SpLut::prepare_kk13`](splut::SpLut::prepare_kk13).
    SpLutKk13,
    /// One-hot vectors by rotation: [`OneHot::rotl`](crate::onehot::OneHot::rotl).
    Rotl,
    /// One-hot vectors by doubling: [`OneHot::doubling`](crate::onehot::OneHot::doubling).
    Doubling,
    /// One-hot vectors by half-trees: [`OneHot::tree`](crate::onehot::OneHot::tree).
    Tree,
    /// One-hot vectors by rotation digit by digit: [`OneHot::staged`](crate::onehot::OneHot::staged).
    Staged,
    /// Additive one-hot vectors, for additive outputs in one round: [`Arithmetic`](arithmetic::Arithmetic).
    Arithmetic,
    /// One-hot vectors by balanced outer products: [`OneHot::balanced`](crate::onehot::OneHot::balanced).
    Balanced,
    /// One-hot vectors by AND gates: [`OneHot::flute_plus`](crate::onehot::OneHot::flute_plus).
    FlutePlus,
    /// Masked wires, and one-hot vectors at their masks: [`Flute`](flute::Flute).
    Flute,
    /// Shared tables, turned by a shared secret: [`OpLut`](oplut::OpLut).
    OpLut,
    /// One-time truth tables by a circuit: [`Ottt`](ottt::Ottt).
    Ottt,
}

/// An expression of the [`Spec`] of a protocol, by a name for its type.
macro_rules! with_spec {
    ($protocol:expr, $spec:ident => $of:expr) => {
        with_spec!($protocol, $spec => $of;
            SpLut splut::Products, SpLutKk13 splut::Codes, Rotl Vectors<onehot::Rotation>,
            Doubling Vectors<onehot::ByDoubling>, Tree Vectors<onehot::HalfTree>,
            Staged Vectors<onehot::StagedRotation>, Arithmetic arithmetic::Words,
            Balanced Vectors<onehot::OuterProducts>, FlutePlus Vectors<onehot::FlutePlus>, Flute flute::MaskedWires,
            OpLut oplut::TurnedTable, Ottt ottt::TruthTable)
    };
    ($protocol:expr, $spec:ident => $of:expr; $($name:ident $type:ty),*) => {
        match $protocol {
            $(Protocol::$name => {
                type $spec = $type;
                $of
            })*
        }
    };
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::SpLut,
        Self::SpLutKk13,
        Self::Rotl,
        Self::Doubling,
        Self::Tree,
        Self::Staged,
        Self::Arithmetic,
        Self::Balanced,
        Self::FlutePlus,
        Self::Flute,
        Self::OpLut,
        Self::Ottt,
    ];

    /// What is said of it without a job.
    pub(crate) fn facts(self) -> Facts {
        with_spec!(self, S => Facts { name: S::NAME, about: S::ABOUT, number: S::NUMBER, max_bits: S::MAX_BITS })
    }

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        self.facts().about
    }

    /// Its number on the wire and on disk, never 0.
    pub fn number(self) -> u8 {
        self.facts().number
    }

    /// The protocol of a number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.number() == number)
    }

    /// Whether online, with XOR outputs, its lookups open one value and send nothing else: those of a circuit's layer
    /// share the round.
    pub fn opens(self) -> bool {
        with_spec!(self, S => S::OPENS)
    }

    /// `Ok(())` if the protocol serves the job.
    ///
    /// # Errors
    /// [`Error::Param`] that says what it serves.
    pub fn check(self, job: &LookupJob) -> Result<()> {
        if !(1..=64).contains(&job.value_bits) {
            let (what, got) = ("width of an entry", job.value_bits.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64 bits".into() });
        }
        let most = self.facts().max_bits;
        if !(1..=most).contains(&job.index_bits) {
            let got = format!("{} with {}", job.index_bits, self.name());
            return Err(Error::Param { what: "index bits", got, accepted: format!("1 to {most}") });
        }
        with_spec!(self, S => S::check(job))
    }

    /// The one for stores, where none is asked for: what is on disk is small, and made once for any number of lookups.
    pub fn to_store(job: &LookupJob) -> Self {
        if job.index_bits <= 8 { Self::Doubling } else { Self::Tree }
    }

    /// What `batch` lookups cost, with words no wider than the entries need: of 8, 16, 32 or 64 bits. `ar` costs more
    /// with wider ones.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(self, job: &LookupJob, batch: usize) -> Result<Bill> {
        self.check(job)?;
        Ok(self.bill_of(job, batch))
    }

    /// [`bill`](Self::bill) of a job that it serves.
    pub(crate) fn bill_of(self, job: &LookupJob, batch: usize) -> Bill {
        with_spec!(self, S => S::bill(job, batch))
    }

    /// What `batch` lookups take.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn effort(self, job: &LookupJob, batch: usize) -> Result<Effort> {
        self.check(job)?;
        Ok(self.effort_of(job, batch))
    }

    /// [`effort`](Self::effort) of a job that it serves.
    pub(crate) fn effort_of(self, job: &LookupJob, batch: usize) -> Effort {
        let each = (self.memory(job) as u64).saturating_mul(batch as u64);
        let memory = each.saturating_add(self.room(job) as u64);
        let effort = with_spec!(self, S => Effort {
            steps: S::steps(job, batch),
            ..Effort::implied(S::bill(job, batch)).working(S::work(job).map(|work| work * batch as f64))
        });
        effort.remembering([memory; 2])
    }

    /// What `batch` lookups take by every protocol that serves them.
    ///
    /// # Errors
    /// [`Error::Param`] for an empty batch, or if no protocol serves the job.
    pub fn ways(job: &LookupJob, batch: usize) -> Result<Vec<(Self, Effort)>> {
        if batch == 0 {
            return Err(Error::Param { what: "lookups", got: "0".into(), accepted: "1 and more".into() });
        }
        Ok(Self::serving(job)?.into_iter().map(|p| (p, p.effort_of(job, batch))).collect())
    }

    /// Every protocol that serves the job.
    ///
    /// # Errors
    /// [`Error::Param`] if there is none.
    pub fn serving(job: &LookupJob) -> Result<Vec<Self>> {
        // A tree over 7 bits and fewer is doubling.
        let same = |protocol| protocol == Self::Tree && job.index_bits <= 7;
        let all: Vec<_> = Self::ALL.into_iter().filter(|&p| p.check(job).is_ok() && !same(p)).collect();
        if all.is_empty() { Self::SpLut.check(job).map(|()| all) } else { Ok(all) }
    }

    /// Bytes of memory that one lookup takes at a party, at most: its correlated OTs, what is made of them, and
    /// its messages. [`room`](Self::room) comes on top, and what connecting and extending OTs takes for any job.
    pub fn memory(self, job: &LookupJob) -> usize {
        let cots = 8 * self.bill_of(job, 2).all_cots() as usize; // 16 bytes each
        with_spec!(self, S => S::memory(job, cots))
    }

    /// Bytes of memory at a party however few lookups there are: the leaves and the rows of a group while rows are
    /// grown from trees, and the table as it is laid out for many lookups.
    pub fn room(self, job: &LookupJob) -> usize {
        with_spec!(self, S => S::room(job))
    }

    /// Bits that the material of one lookup takes on disk at a party, at most; `None` if it cannot
    /// be stored.
    pub fn stored_bits(self, job: &LookupJob) -> Option<usize> {
        with_spec!(self, S => S::stored_bits(job))
    }

    /// `Ok(())` if the material of such lookups can be stored.
    ///
    /// # Errors
    /// [`Error::Param`] for a job that it does not serve, or if it cannot.
    pub fn check_stored(self, job: &LookupJob) -> Result<()> {
        self.check(job)?;
        if self.stored_bits(job).is_some() {
            return Ok(());
        }
        let stored = Self::ALL.into_iter().filter(|p| p.stored_bits(job).is_some());
        let accepted = stored.map(Self::name).collect::<Vec<_>>().join(", ");
        Err(Error::Param { what: "protocol of material on disk", got: self.name().into(), accepted })
    }

    /// Offline phase for `batch` lookups in `table`, of `2^k` entries.
    ///
    /// # Errors
    /// [`Error::Param`] for a table that the protocol does not serve, and those of the channel.
    pub fn prepare<G: Group, K: Kind, R: Ring>(
        self,
        p: &mut dyn Source,
        table: &Table<R>,
        batch: usize,
    ) -> Result<Prepared<G, K, R>> {
        let job = LookupJob::of::<G, K, R>(table)?;
        self.check(&job)?;
        p.atom((self, job), batch, |p| {
            Ok(Prepared { material: with_spec!(self, S => S::prepare::<G, K, R>(p, table, batch))? })
        })
    }

    /// Material that is there already, for a job that it serves.
    pub(crate) fn ask_for<G: Group, K: Kind, R: Ring>(
        self,
        from: &mut dyn Source,
        job: &LookupJob,
        batch: usize,
    ) -> Result<Prepared<G, K, R>> {
        from.atom((self, *job), batch, |_| Err(never_stored()))
    }

    /// What [`Lookups::encode`] wrote, of a job that it serves.
    pub(super) fn decode<G: Group, K: Kind, R: Ring>(
        self,
        from: &mut Reader<'_>,
        job: &LookupJob,
        role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        with_spec!(self, S => S::decode::<G, K, R>(from, job, role, count))
    }
}

/// What is said of a protocol without a job.
pub(crate) struct Facts {
    name: &'static str,
    about: &'static str,
    number: u8,
    max_bits: u32,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        known.ok_or_else(|| {
            let accepted = Self::ALL.map(Self::name).join(", ");
            Error::Param { what: "protocol", got: name.into(), accepted }
        })
    }
}

/// One-time material for a batch of lookups, by any protocol.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Prepared<G: Group, K: Kind, R: Ring> {
    pub(super) material: Box<dyn Lookups<G, K, R>>,
}

impl<G: Group, K: Kind, R: Ring> Prepared<G, K, R> {
    /// Of one-hot vectors, for XOR outputs.
    pub(crate) fn of(vectors: OneHot<G>) -> Self {
        Self { material: Box::new(vectors) }
    }

    /// Online: shares of `T[x]`. The low bits of a wider index count. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the
    /// channel.
    pub fn lookup(self, s: &mut Session, table: &Table<R>, x: &Share<G::Kind, u32>) -> Result<Share<K, R>> {
        self.material.lookup(s, table, x)
    }

    /// Of a protocol that [opens](Protocol::opens) one value this party's share of it.
    pub(crate) fn masked(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        self.material.masked(x)
    }

    /// The rest, from what was opened: local. Spends this material.
    pub(crate) fn read(self, table: &Table<R>, opened: &[u32]) -> Result<Share<K, R>> {
        self.material.read(table, opened)
    }
}

#[cfg(test)]
mod tests;
