//! The object most lookups consume: XOR shares of a one-hot vector at a random shared position.

mod balanced;
pub(crate) mod doubling;
pub(crate) mod flute;
mod lift;
mod parity;
mod rotl;
pub(crate) mod rows;
mod shifted;
pub(crate) mod staged;
pub(crate) mod tree;
mod unit;

use std::{fmt, ops::Range};

use prim::{Wiped, ct};
use zeroize::Zeroizing;

pub(crate) use balanced::OuterProducts;
pub(crate) use doubling::ByDoubling;
pub(crate) use flute::FlutePlus;
pub(crate) use parity::contained;
pub(crate) use rotl::Rotation;
use rows::{Rows, Trees};
pub(crate) use staged::StagedRotation;
pub(crate) use tree::HalfTree;
pub(crate) use unit::{UnitShape, UnitVectors};

pub use crate::tree::{Cyclic, Group, Xor};
use crate::{
    bill::{Bill, Step, Work},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    party::Party,
    share::Share,
};

/// One-time material for a batch of lookups in tables of n entries: XOR shares of `e_s`, the
/// vector that is 1 at the uniform position `s` only, and shares of `s` itself.
///
/// Neither the shares of the vector nor anything computed from them may be sent, used as a mask or
/// printed: with some generators one party's share of the vector determines its share of `s`.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::Table, onehot::{Cyclic, OneHot}};
/// fn twice(p: &mut Party, m: OneHot<Cyclic>, t: &Table<u8>, x: &AShare<u32>) -> Result<()> {
///     m.lookup_xor(p, t, x)?;
///     m.lookup_xor(p, t, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OneHot<G: Group> {
    d: u32,
    offset: Share<G::Kind, u32>,
    /// Of [`ct::row_words`] words.
    rows: Rows<u64>,
}

/// What a generator of one-hot vectors says of itself, beside its protocol: for lookups by name, and for plans.
pub(crate) trait Generator {
    /// The name on a command line.
    const NAME: &'static str;
    /// What it does, in a few words.
    const ABOUT: &'static str;
    /// Its number on the wire and on disk. Never given twice.
    const NUMBER: u8;
    /// Most index bits.
    const MAX_BITS: u32;

    /// Offline: vectors for `batch` lookups in tables of `2^d` entries.
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>>;

    /// What these cost.
    fn bill<G: Group>(d: u32, batch: usize) -> Bill;

    /// Local work of a vector of `2^d` entries at a party.
    fn work<G: Group>(d: u32) -> Work {
        Work::implied(|batch| Self::bill::<G>(d, batch))[0]
    }

    /// The same whenever it is read, of one that is not stored.
    fn growing(_d: u32) -> Work {
        Work::default()
    }

    /// In which order correlated OTs are drawn and messages sent.
    fn steps<G: Group>(d: u32, batch: usize) -> Vec<Step> {
        Step::of(&Self::bill::<G>(d, batch))
    }

    /// Bytes of memory that a lookup takes at a party, at most, with correlated OTs of `cots` bytes, and `removal`
    /// bytes to remove a sign.
    fn memory(d: u32, cots: usize, _removal: usize) -> usize {
        cots + 32 + 16 * ct::row_words(1 << d)
    }

    /// Bytes besides, however few lookups there are.
    fn room(_n: u32) -> usize {
        0
    }
}

/// Most index bits that a generator makes a vector for.
pub const MAX_INDEX_BITS: u32 = 20;

/// The same for generators whose messages grow with the table.
pub const MAX_DENSE_BITS: u32 = 16;

/// The same for FLUTE+, which takes nearly as many AND gates a lookup as the table has entries.
pub const MAX_FLUTE_BITS: u32 = 12;

impl<G: Group> OneHot<G> {
    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Base-2 logarithm of the table's length.
    pub fn index_bits(&self) -> u32 {
        self.d
    }

    /// Cuts off the material for `m` lookups, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "lookups left", want: m, got: self.len() });
        };
        let rows = self.rows.split_off(left, ct::row_words(1 << self.d));
        Ok(Self { d: self.d, offset: self.offset.split_off(left), rows })
    }

    /// Bits that one lookup takes on disk.
    pub(crate) fn stored_bits(d: u32) -> usize {
        d as usize + (1 << d)
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        to.words(self.offset.words(), self.d);
        self.visit_rows(|_, rows| to.words(rows, word_bits(self.d)));
    }

    /// For `count` lookups.
    pub(crate) fn decode(from: &mut Reader<'_>, d: u32, count: usize) -> Result<Self> {
        check_index_bits(d, MAX_INDEX_BITS)?;
        let offset = from.words(count, d)?;
        let rows = from.words(count * ct::row_words(1 << d), word_bits(d))?;
        Self::new(d, offset, rows)
    }

    pub(crate) fn offset(&self) -> &Share<G::Kind, u32> {
        &self.offset
    }

    /// Lets `read` have all rows, some after others, with their numbers.
    pub(crate) fn visit_rows(&self, read: impl FnMut(Range<usize>, &[u64])) {
        self.rows.visit(ct::row_words(1 << self.d), read);
    }

    /// How many ones each row has, mod 4.
    pub(crate) fn weights(&self) -> Zeroizing<Vec<u8>> {
        self.rows.weights(ct::row_words(1 << self.d))
    }

    /// Spends the material: `read` gets its rows, to change them, some after others with their numbers.
    pub(crate) fn spend_rows(self, read: impl FnMut(Range<usize>, &mut [u64])) {
        self.rows.spend(ct::row_words(1 << self.d), read);
    }

    /// In how many parts [`spend_shifted`](Self::spend_shifted) can hand out rows.
    pub(crate) fn parts(&self) -> usize {
        self.rows.parts(ct::row_words(1 << self.d))
    }

    /// Spends the material: `read` gets its rows, shifted by PUBLIC amounts, in these [`parts`](Self::parts) or in one:
    /// of each its number, those of some rows, and these.
    pub(crate) fn spend_shifted(
        self,
        by: &[u32],
        parts: usize,
        read: impl FnMut(usize, Range<usize>, &[u64]),
    ) {
        self.rows.spend_shifted(self.d, parts, G::SHIFT, by, read);
    }

    /// Spends the material for all of its rows.
    pub(crate) fn into_rows(self) -> Wiped<u64> {
        self.rows.into_stored(ct::row_words(1 << self.d))
    }

    /// Bytes in memory.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        4 * self.offset.words().len() + self.rows.held()
    }

    fn new(d: u32, offset: Vec<u32>, rows: impl Into<Wiped<u64>>) -> Result<Self> {
        let rows = rows.into();
        same("words of one-hot rows", offset.len() * ct::row_words(1 << d), rows.len())?;
        Ok(Self { d, offset: Share::new(d, offset), rows: Rows::Stored(rows) })
    }

    fn grown(d: u32, offset: Vec<u32>, trees: Trees<u64>) -> Self {
        let rows = Rows::grown(trees, offset.len());
        Self { d, offset: Share::new(d, offset), rows }
    }
}

/// Prints the shape only.
impl<G: Group> fmt::Debug for OneHot<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OneHot<{}>({} x {} entries)", G::NAME, self.len(), 1u64 << self.d)
    }
}

/// Bits in use of each word of a row.
fn word_bits(d: u32) -> u32 {
    (1 << d.min(6)).min(64)
}

fn check_index_bits(d: u32, max: u32) -> Result<()> {
    if (1..=max).contains(&d) {
        return Ok(());
    }
    let accepted = format!("1 to {max}");
    Err(Error::Param { what: "index bits", got: d.to_string(), accepted })
}
