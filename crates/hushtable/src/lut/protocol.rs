//! All lookup protocols behind one call: what serves a batch of lookups, and its one-time material.
//!
//! For a program that lets its user, or a plan, choose. Code that knows its protocol calls that
//! protocol's own type. What a protocol says of itself, its [`Spec`], stands in its own file; a new one is that file,
//! and here its name in three lists.

use std::{fmt, marker::PhantomData, str::FromStr};

use prim::ring::Ring;

use super::{
    Table, arithmetic, flute, oplut, ottt,
    spec::{LookupJob, Lookups, Made, Spec, never_stored},
    splut,
    vectors::Vectors,
};
use crate::{
    bill::{Bill, Step, Work},
    codec::Reader,
    error::{Error, Result},
    net::Role,
    onehot::{self, Group},
    party::Party,
    session::{Session, pieces},
    share::{Kind, Share},
    source::Source,
};

/// A lookup protocol for public tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

/// Something that is done with the spec of a protocol.
trait Ask {
    type Answer;
    fn of<S: Spec>(self) -> Self::Answer;
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

    fn ask<A: Ask>(self, ask: A) -> A::Answer {
        match self {
            Self::SpLut => ask.of::<splut::Products>(),
            Self::SpLutKk13 => ask.of::<splut::Codes>(),
            Self::Rotl => ask.of::<Vectors<onehot::Rotation>>(),
            Self::Doubling => ask.of::<Vectors<onehot::ByDoubling>>(),
            Self::Tree => ask.of::<Vectors<onehot::HalfTree>>(),
            Self::Staged => ask.of::<Vectors<onehot::StagedRotation>>(),
            Self::Arithmetic => ask.of::<arithmetic::Words>(),
            Self::Balanced => ask.of::<Vectors<onehot::OuterProducts>>(),
            Self::FlutePlus => ask.of::<Vectors<onehot::FlutePlus>>(),
            Self::Flute => ask.of::<flute::MaskedWires>(),
            Self::OpLut => ask.of::<oplut::TurnedTable>(),
            Self::Ottt => ask.of::<ottt::TruthTable>(),
        }
    }

    /// What is said of it without a job.
    pub(crate) fn facts(self) -> Facts {
        struct Question;
        impl Ask for Question {
            type Answer = Facts;
            fn of<S: Spec>(self) -> Facts {
                let (name, about, number) = (S::NAME, S::ABOUT, S::NUMBER);
                Facts { name, about, number, max_bits: S::MAX_BITS }
            }
        }
        self.ask(Question)
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

    /// `Ok(())` if the protocol serves the job.
    ///
    /// # Errors
    /// [`Error::Param`] that says what it serves.
    pub fn check(self, job: &LookupJob) -> Result<()> {
        struct Question<'a>(&'a LookupJob);
        impl Ask for Question<'_> {
            type Answer = Result<()>;
            fn of<S: Spec>(self) -> Result<()> {
                S::check(self.0)
            }
        }
        if !(1..=64).contains(&job.value_bits) {
            let (what, got) = ("width of an entry", job.value_bits.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64 bits".into() });
        }
        let most = self.facts().max_bits;
        if !(1..=most).contains(&job.index_bits) {
            let got = format!("{} with {}", job.index_bits, self.name());
            return Err(Error::Param { what: "index bits", got, accepted: format!("1 to {most}") });
        }
        self.ask(Question(job))
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
        struct Question<'a>(&'a LookupJob, usize);
        impl Ask for Question<'_> {
            type Answer = Bill;
            fn of<S: Spec>(self) -> Bill {
                S::bill(self.0, self.1)
            }
        }
        self.ask(Question(job, batch))
    }

    /// The steps of the offline phase of a job that it serves.
    pub(crate) fn steps(self, job: &LookupJob, batch: usize) -> Vec<Step> {
        struct Question<'a>(&'a LookupJob, usize);
        impl Ask for Question<'_> {
            type Answer = Vec<Step>;
            fn of<S: Spec>(self) -> Vec<Step> {
                S::steps(self.0, self.1)
            }
        }
        self.ask(Question(job, batch))
    }

    /// Local work of a lookup of a job that it serves, offline and online.
    pub(crate) fn work(self, job: &LookupJob) -> [Work; 2] {
        struct Question<'a>(&'a LookupJob);
        impl Ask for Question<'_> {
            type Answer = [Work; 2];
            fn of<S: Spec>(self) -> [Work; 2] {
                S::work(self.0)
            }
        }
        self.ask(Question(job))
    }

    /// Bytes of memory that one lookup takes at a party, at most: its correlated OTs, what is made of them, and
    /// its messages. [`room`](Self::room) comes on top, and what connecting and extending OTs takes for any job.
    pub fn memory(self, job: &LookupJob) -> usize {
        struct Question<'a>(&'a LookupJob);
        impl Ask for Question<'_> {
            type Answer = usize;
            fn of<S: Spec>(self) -> usize {
                let Question(job) = self;
                S::memory(job, 8 * S::bill(job, 2).all_cots() as usize) // 16 bytes each
            }
        }
        self.ask(Question(job))
    }

    /// Bytes of memory at a party however few lookups there are: the leaves and the rows of a group while rows are
    /// grown from trees, and the table as it is laid out for many lookups.
    pub fn room(self, job: &LookupJob) -> usize {
        struct Question<'a>(&'a LookupJob);
        impl Ask for Question<'_> {
            type Answer = usize;
            fn of<S: Spec>(self) -> usize {
                S::room(self.0)
            }
        }
        self.ask(Question(job))
    }

    /// Lookups whose material and messages stay in memory together, at most.
    pub fn most(self, job: &LookupJob) -> usize {
        (BATCH_BYTES.saturating_sub(self.room(job)) / self.memory(job)).clamp(1, 1 << 18)
    }

    /// Sizes of the batches into which `rows` lookups are cut, so that a batch's material and messages stay
    /// in memory together.
    pub fn batches(self, job: &LookupJob, rows: usize) -> impl Iterator<Item = usize> + use<> {
        let most = self.most(job);
        pieces(rows, most).map(|at| at.len())
    }

    /// Bits that the material of one lookup takes on disk at a party, at most; `None` if it cannot
    /// be stored.
    pub fn stored_bits(self, job: &LookupJob) -> Option<usize> {
        struct Question<'a>(&'a LookupJob);
        impl Ask for Question<'_> {
            type Answer = Option<usize>;
            fn of<S: Spec>(self) -> Option<usize> {
                S::stored_bits(self.0)
            }
        }
        self.ask(Question(job))
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
        struct Question<'a, G, K, R: Ring>(&'a mut Party, &'a Table<R>, usize, PhantomData<(G, K)>);
        impl<G: Group, K: Kind, R: Ring> Ask for Question<'_, G, K, R> {
            type Answer = Made<G, K, R>;
            fn of<S: Spec>(self) -> Made<G, K, R> {
                S::prepare(self.0, self.1, self.2)
            }
        }
        let job = LookupJob::of::<G, K, R>(table)?;
        self.check(&job)?;
        p.atom((self, job), batch, |p| {
            Ok(Prepared { material: self.ask(Question(p, table, batch, PhantomData))? })
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
        struct Question<'a, 'b, G, K, R>(
            &'a mut Reader<'b>,
            &'a LookupJob,
            Role,
            usize,
            PhantomData<(G, K, R)>,
        );
        impl<G: Group, K: Kind, R: Ring> Ask for Question<'_, '_, G, K, R> {
            type Answer = Made<G, K, R>;
            fn of<S: Spec>(self) -> Made<G, K, R> {
                S::decode(self.0, self.1, self.2, self.3)
            }
        }
        self.ask(Question(from, job, role, count, PhantomData))
    }
}

/// What is said of a protocol without a job.
pub(crate) struct Facts {
    name: &'static str,
    about: &'static str,
    number: u8,
    max_bits: u32,
}

/// Memory for a batch's material and messages.
const BATCH_BYTES: usize = 64 << 20;

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
    /// Online: shares of `T[x]`. The low bits of a wider index count. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the
    /// channel.
    pub fn lookup(self, s: &mut Session, table: &Table<R>, x: &Share<G::Kind, u32>) -> Result<Share<K, R>> {
        self.material.lookup(s, table, x)
    }
}

#[cfg(test)]
mod tests;
