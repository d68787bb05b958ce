//! All lookup protocols behind one call: what serves a batch of lookups, and its one-time material.
//!
//! For a program that lets its user, or a plan, choose. Code that knows its protocol calls that
//! protocol's own type. What a protocol says of itself, its [`Spec`], stands in its own file; a new one is that file,
//! and here its name in three lists.

use std::{fmt, marker::PhantomData, str::FromStr};

use prim::{lookup, ring::Ring};

use super::{Table, arithmetic, flute, oplut, ottt, read::Signed, splut};
use crate::{
    bill::{Bill, LocalWork, Step},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    onehot::{self, Cyclic, Generator, Group, OneHot, Xor},
    party::Party,
    session::Session,
    share::{Kind, Share, Sharing},
};

/// A lookup protocol for public tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// One message as long as the table: [`SpLut`](splut::SpLut).
    SpLut,
    /// The same with OTs from codes, for small jobs: [`SpLut::prepare_kk13`](splut::SpLut::prepare_kk13).
    SpLutKk13,
    /// One-hot vectors by rotation: [`OneHot::rotl`].
    Rotl,
    /// One-hot vectors by doubling: [`OneHot::doubling`].
    Doubling,
    /// One-hot vectors by half-trees: [`OneHot::tree`].
    Tree,
    /// One-hot vectors by rotation digit by digit: [`OneHot::staged`].
    Staged,
    /// Additive one-hot vectors, for additive outputs in one round: [`Arithmetic`](arithmetic::Arithmetic).
    Arithmetic,
    /// One-hot vectors by balanced outer products: [`OneHot::balanced`].
    Balanced,
    /// One-hot vectors by AND gates: [`OneHot::flute_plus`].
    FlutePlus,
    /// Masked wires, and one-hot vectors at their masks: [`Flute`](flute::Flute).
    Flute,
    /// Shared tables, turned by a shared secret: [`OpLut`](oplut::OpLut).
    OpLut,
    /// One-time truth tables by a circuit: [`Ottt`](ottt::Ottt).
    Ottt,
}

/// What the lookups of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// How the indices are shared.
    pub index: Sharing,
    /// How the entries are to be shared.
    pub output: Sharing,
    /// The table has `2^index_bits` entries.
    pub index_bits: u32,
    /// Width of an entry, 1 to 64 bits.
    pub value_bits: u32,
}

/// What a lookup protocol says of itself, beside its Cost heading.
pub(crate) trait Spec {
    /// The name on a command line.
    const NAME: &'static str;
    /// What it does, in a few words.
    const ABOUT: &'static str;
    /// Its number on the wire and on disk. Never given twice.
    const NUMBER: u8;
    /// Most index bits that it serves.
    const MAX_BITS: u32;
    /// Its local work.
    const WORK: LocalWork;

    /// `Ok(())` if it serves the job, whose index bits and widths are in range.
    fn check(_job: &Job) -> Result<()> {
        Ok(())
    }

    /// What a batch costs.
    fn bill(job: &Job, batch: usize) -> Bill;

    /// In which order correlated OTs are drawn and messages sent offline.
    fn steps(job: &Job, batch: usize) -> Vec<Step> {
        Step::of(&Self::bill(job, batch))
    }

    /// Bytes of memory that a lookup takes at a party, at most: its correlated OTs, of `cots` bytes, what is made of
    /// them, and its messages.
    fn memory(job: &Job, cots: usize) -> usize;

    /// Bytes besides, however few lookups there are.
    fn room(_job: &Job) -> usize {
        0
    }

    /// Bits that the material of a lookup takes on disk at a party, at most; `None` if it cannot be stored.
    fn stored_bits(_job: &Job) -> Option<usize> {
        None
    }

    /// Offline.
    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R>;

    /// What [`Lookups::encode`] wrote.
    fn decode<G: Group, K: Kind, R: Ring>(
        _from: &mut Reader<'_>,
        _job: &Job,
        _role: Role,
        _count: usize,
    ) -> Made<G, K, R> {
        Err(never_stored())
    }
}

/// Material that was made, of whichever protocol.
pub(crate) type Made<G, K, R> = Result<Box<dyn Lookups<G, K, R>>>;

/// One-time material of a lookup protocol.
pub(crate) trait Lookups<G: Group, K: Kind, R: Ring>: Send {
    /// Number of lookups it serves.
    fn len(&self) -> usize;

    /// Online: shares of `T[x]`. Spends the material.
    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>>;

    /// Cuts off the material for `m` lookups.
    fn take(&mut self, _m: usize) -> Made<G, K, R> {
        Err(never_stored())
    }

    /// This party's material as bytes.
    fn encode(&self, _to: &mut Writer) {}
}

pub(super) fn never_stored() -> Error {
    Error::Store("holds material that is never stored".into())
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
                Facts { name, about, number, max_bits: S::MAX_BITS, work: S::WORK }
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
    pub fn check(self, job: &Job) -> Result<()> {
        struct Question<'a>(&'a Job);
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

    /// What `batch` lookups cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(self, job: &Job, batch: usize) -> Result<Bill> {
        self.check(job)?;
        Ok(self.bill_of(job, batch))
    }

    /// [`bill`](Self::bill) of a job that it serves.
    pub(crate) fn bill_of(self, job: &Job, batch: usize) -> Bill {
        struct Question<'a>(&'a Job, usize);
        impl Ask for Question<'_> {
            type Answer = Bill;
            fn of<S: Spec>(self) -> Bill {
                S::bill(self.0, self.1)
            }
        }
        self.ask(Question(job, batch))
    }

    /// The steps of the offline phase of a job that it serves.
    pub(crate) fn steps(self, job: &Job, batch: usize) -> Vec<Step> {
        struct Question<'a>(&'a Job, usize);
        impl Ask for Question<'_> {
            type Answer = Vec<Step>;
            fn of<S: Spec>(self) -> Vec<Step> {
                S::steps(self.0, self.1)
            }
        }
        self.ask(Question(job, batch))
    }

    /// Bytes of memory that one lookup takes at a party, at most: its correlated OTs, what is made of them, and
    /// its messages. [`room`](Self::room) comes on top, and what connecting and extending OTs takes for any job.
    pub fn memory(self, job: &Job) -> usize {
        struct Question<'a>(&'a Job);
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
    pub fn room(self, job: &Job) -> usize {
        struct Question<'a>(&'a Job);
        impl Ask for Question<'_> {
            type Answer = usize;
            fn of<S: Spec>(self) -> usize {
                S::room(self.0)
            }
        }
        self.ask(Question(job))
    }

    /// Lookups whose material and messages stay in memory together, at most.
    pub fn most(self, job: &Job) -> usize {
        (BATCH_BYTES.saturating_sub(self.room(job)) / self.memory(job)).clamp(1, 1 << 18)
    }

    /// Sizes of the batches into which `rows` lookups are cut, so that a batch's material and messages stay
    /// in memory together.
    pub fn batches(self, job: &Job, rows: usize) -> impl Iterator<Item = usize> + use<> {
        let most = self.most(job);
        (0..rows).step_by(most).map(move |from| most.min(rows - from))
    }

    /// Bits that the material of one lookup takes on disk at a party, at most; `None` if it cannot
    /// be stored.
    pub fn stored_bits(self, job: &Job) -> Option<usize> {
        struct Question<'a>(&'a Job);
        impl Ask for Question<'_> {
            type Answer = Option<usize>;
            fn of<S: Spec>(self) -> Option<usize> {
                S::stored_bits(self.0)
            }
        }
        self.ask(Question(job))
    }

    /// Offline phase for `batch` lookups in `table`, of `2^k` entries.
    ///
    /// # Errors
    /// [`Error::Param`] for a table that the protocol does not serve, and those of the channel.
    pub fn prepare<G: Group, K: Kind, R: Ring>(
        self,
        p: &mut Party,
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
        self.check(&Job::of::<G, K, R>(table)?)?;
        Ok(Prepared { material: self.ask(Question(p, table, batch, PhantomData))? })
    }

    /// What [`Lookups::encode`] wrote, of a job that it serves.
    pub(super) fn decode<G: Group, K: Kind, R: Ring>(
        self,
        from: &mut Reader<'_>,
        job: &Job,
        role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        struct Question<'a, 'b, G, K, R>(&'a mut Reader<'b>, &'a Job, Role, usize, PhantomData<(G, K, R)>);
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
    pub(crate) work: LocalWork,
}

/// Memory for a batch's material and messages.
const BATCH_BYTES: usize = 64 << 20;

/// An error for a protocol that serves one sharing only.
pub(super) fn only(name: &str, what: &'static str, got: Sharing, accepted: Sharing) -> Result<()> {
    if got == accepted {
        return Ok(());
    }
    Err(Error::Param { what, got: format!("{got} with {name}"), accepted: accepted.to_string() })
}

/// Lookups by one-hot vectors of a generator.
pub(crate) struct Vectors<V>(PhantomData<V>);

impl<V: Generator> Spec for Vectors<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const NUMBER: u8 = V::NUMBER;
    const MAX_BITS: u32 = V::MAX_BITS;
    const WORK: LocalWork = V::WORK;

    fn bill(job: &Job, batch: usize) -> Bill {
        let made = match job.index {
            Sharing::Additive => V::bill::<Cyclic>(job.index_bits, batch),
            Sharing::Xor => V::bill::<Xor>(job.index_bits, batch),
        };
        made + Signed::<Cyclic>::bill(job.index_bits, &[job.sign_bits()]).times(batch)
    }

    fn steps(job: &Job, batch: usize) -> Vec<Step> {
        let mut steps = match job.index {
            Sharing::Additive => V::steps::<Cyclic>(job.index_bits, batch),
            Sharing::Xor => V::steps::<Xor>(job.index_bits, batch),
        };
        if job.signed() {
            // What removes the sign is chosen by a round.
            steps.extend([Step::Cots([batch as u64; 2]), Step::both(1)]);
        }
        steps
    }

    fn memory(job: &Job, cots: usize) -> usize {
        V::memory(job.index_bits, cots, if job.signed() { REMOVAL } else { 0 })
    }

    fn room(job: &Job) -> usize {
        lookup::layout_bytes(1 << job.index_bits, &[job.value_bits]) + V::room(job.index_bits)
    }

    fn stored_bits(job: &Job) -> Option<usize> {
        Some(Signed::<Cyclic>::stored_bits(job.index_bits, job.sign_bits()))
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        let onehot = V::make::<G>(p, table.index_bits(), batch)?;
        match K::SHARING {
            Sharing::Xor => Ok(Box::new(onehot)),
            Sharing::Additive => Ok(Box::new(onehot.signed(p, &[table.bits()])?)),
        }
    }

    fn decode<G: Group, K: Kind, R: Ring>(
        from: &mut Reader<'_>,
        job: &Job,
        _role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        match K::SHARING {
            Sharing::Xor => Ok(Box::new(OneHot::<G>::decode(from, job.index_bits, count)?)),
            Sharing::Additive => {
                Ok(Box::new(Signed::<G>::decode(from, job.index_bits, job.value_bits, count)?))
            }
        }
    }
}

/// Bytes of what removes the sign from one output: this party's bit and choice, its pads as sender and as
/// receiver.
pub(super) const REMOVAL: usize = 8 + 8 + 16 + 8;

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for OneHot<G> {
    fn len(&self) -> usize {
        OneHot::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(self.lookup_xor(s, table, x)?.of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(OneHot::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        OneHot::encode(self, to);
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for Signed<G> {
    fn len(&self) -> usize {
        Signed::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(Signed::lookup(*self, s, table, x)?.of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(Signed::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        Signed::encode(self, to);
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, output, .. } = self;
        write!(f, "{index} indices of {} bits, {output} outputs of {} bits", self.index_bits, self.value_bits)
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

impl Job {
    /// The job of looking up indices of the group `G` in `table`, for outputs of kind `K`.
    ///
    /// # Errors
    /// [`Error::Param`] unless the table has `2^k` entries and one column.
    pub fn of<G: Group, K: Kind, R: Ring>(table: &Table<R>) -> Result<Self> {
        same("columns of the table", 1, table.columns().len())?;
        if !table.len().is_power_of_two() {
            let accepted = "powers of two (Table::pad)".into();
            let (what, got) = ("entries of the table", table.len().to_string());
            return Err(Error::Param { what, got, accepted });
        }
        let (index, output) = (G::Kind::SHARING, K::SHARING);
        Ok(Self { index, output, index_bits: table.len().ilog2(), value_bits: table.bits() })
    }

    /// Width of an output whose sign matters; 1 where none does.
    pub(crate) fn sign_bits(&self) -> u32 {
        if self.signed() { self.value_bits } else { 1 }
    }

    /// Whether the sign of a one-hot vector matters to the output.
    pub(crate) fn signed(&self) -> bool {
        self.output == Sharing::Additive && self.value_bits > 1
    }
}

/// One-time material for a batch of lookups, of whichever protocol.
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
