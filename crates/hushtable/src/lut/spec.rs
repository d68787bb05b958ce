//! What a lookup protocol says of itself, and what its material does.

use std::fmt;

use prim::ring::Ring;

use super::Table;
use crate::{
    bill::{Bill, Step, Work},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    onehot::Group,
    party::Party,
    session::Session,
    share::{Kind, Share, Sharing},
};

/// What the lookups of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LookupJob {
    /// How the indices are shared.
    pub index: Sharing,
    /// How the entries are to be shared.
    pub output: Sharing,
    /// The table has `2^index_bits` entries.
    pub index_bits: u32,
    /// Width of an entry, 1 to 64 bits.
    pub value_bits: u32,
}

impl LookupJob {
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

impl fmt::Display for LookupJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, output, .. } = self;
        write!(f, "{index} indices of {} bits, {output} outputs of {} bits", self.index_bits, self.value_bits)
    }
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
    /// Whether online, with XOR outputs, it opens one value and sends nothing else, so that lookups of any such protocols
    /// can share the round.
    const OPENS: bool = false;

    /// `Ok(())` if it serves the job, whose index bits and widths are in range.
    fn check(_job: &LookupJob) -> Result<()> {
        Ok(())
    }

    /// What a batch costs.
    fn bill(job: &LookupJob, batch: usize) -> Bill;

    /// In which order correlated OTs are drawn and messages sent offline.
    fn steps(job: &LookupJob, batch: usize) -> Vec<Step> {
        Step::of(&Self::bill(job, batch))
    }

    /// Local work of a lookup, offline and online, averaged over both parties.
    fn work(job: &LookupJob) -> [Work; 2] {
        Work::implied(|batch| Self::bill(job, batch))
    }

    /// Bytes of memory that a lookup takes at a party, at most: its correlated OTs, of `cots` bytes, what is made of
    /// them, and its messages.
    fn memory(job: &LookupJob, cots: usize) -> usize;

    /// Bytes besides, however few lookups there are.
    fn room(_job: &LookupJob) -> usize {
        0
    }

    /// Bits that the material of a lookup takes on disk at a party, at most; `None` if it cannot be stored.
    fn stored_bits(_job: &LookupJob) -> Option<usize> {
        None
    }

    /// Offline.
    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R>;

    /// What [`Lookups::encode`] wrote.
    fn decode<G: Group, K: Kind, R: Ring>(
        _from: &mut Reader<'_>,
        _job: &LookupJob,
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

    /// This party's share of what a lookup opens, where it opens one value of the width of the index and sends nothing
    /// else: [`OPENS`](Spec::OPENS).
    fn masked(&self, _x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        Err(not_one_opening())
    }

    /// Shares of `T[x]` from the opened values. Local, spends the material.
    fn read(self: Box<Self>, _table: &Table<R>, _opened: &[u32]) -> Result<Share<K, R>> {
        Err(not_one_opening())
    }

    /// Cuts off the material for `m` lookups.
    fn take(&mut self, _m: usize) -> Made<G, K, R> {
        Err(never_stored())
    }

    /// This party's material as bytes.
    fn encode(&self, _to: &mut Writer) {}
}

fn not_one_opening() -> Error {
    let accepted = "protocols whose lookups open one value".into();
    Error::Param { what: "protocol of a circuit's lookups", got: "another".into(), accepted }
}

pub(super) fn never_stored() -> Error {
    Error::Store("its material is never stored".into())
}

/// An error for a protocol that serves one sharing only.
pub(super) fn only(name: &str, what: &'static str, got: Sharing, accepted: Sharing) -> Result<()> {
    if got == accepted {
        return Ok(());
    }
    Err(Error::Param { what, got: format!("{got} with {name}"), accepted: accepted.to_string() })
}
