//! Lookups of shared keys in one party's table, which both scan in an encrypted copy.
//!
//! # Functionality
//! In: the *owner*'s table T, rows of w bits at some of the keys of d bits, `1 <= d <= 24`; XOR shares of m keys x.
//! Out: XOR shares of the rows `T[x]`, 0 where there is none, and if keys may be absent shares of a bit that says
//! whether x is present. Public are d, w, m, who the owner is, and whether keys may be absent; nothing else is learned:
//! not which keys are present, nor how many, nor which of the m are equal, in this batch or another.
//!
//! # Protocol
//! F is the [function](super::prf) under a key k of the owner, one for each version of the table.
//! 1. *Once a version*: the owner sends the copy `E[x] = (T[x] ‖ present) ^ F_k(x)` for all keys of d bits.
//! 2. *Offline*: keys of the [point function](crate::fss::Dpf) with the bit 1 at a random position, for each lookup; the
//!    function's triples.
//! 3. *Online*: the distance of each x from its position is opened. Each party adds up `E[j]` over all j where its
//!    share of the point function is 1: together `E[x]`. Shares of `F_k(x)` are computed, and taken off.
//!
//! The copy lies in pieces of `2^14` keys, each as planes of bits. A piece is read once for all lookups of the batch,
//! while what the parties hold of a point function there is grown and moved by its distance.
//!
//! # Cost
//! Once: `(w + 1) 2^d` bits and a digest of 256 from the owner, w without the bit; at least 64 for a plane. A lookup:
//! what [`Dpf::bit_bill`] and [`Prf::bill`] say of `w + 1` bits: online `2 d` bits and 1 round, then the function's.
//! Each party reads the copy once a batch: `m (w + 1) 2^d` bits are ANDed, `m 2^d / 64` blocks hashed.
//!
//! # Source
//! confidential-beyond 1, design A; figures-checked, "Confidential tables", for the distance of all d bits. Doerner,
//! shelat, "Scaling ORAM for secure computation" (CCS 2017) for one of the parties with the table in clear.
//!
//! # Security
//! Copies are pseudo-random. A key of the function serves one copy: two under one key would show where the tables
//! differ and how ([`Owner`]). Of `F_k(x)` nothing is opened, so the key and the copy serve any number of batches.
//! Results are shares: whoever is shown a row learns `F_k` at a key only if it knows the key too, and of that key the
//! row, which it has. How long the owner takes to encrypt a table depends on how many rows it has; that is done before a
//! session, and once.

mod encrypted;
mod job;
mod owner;

pub use encrypted::EncryptedCopy;
pub use job::CopyJob;
pub use owner::Owner;

use std::{fmt::Write, ops::Range};

use prim::{Wiped, planes};
use zeroize::Zeroizing;

use super::prf::Prf;
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    fss::{Dpf, Point, Unplaced},
    gates::Bits,
    onehot::Xor,
    party::Party,
    session::Session,
    share::{BShare, Bitwise},
};

/// What a party looks up in.
#[derive(Clone, Copy)]
pub enum Held<'a> {
    /// The owner's table.
    Owner(&'a Owner),
    /// The other party's copy.
    Copy(&'a EncryptedCopy),
}

impl Held<'_> {
    fn copy(&self) -> &EncryptedCopy {
        match self {
            Held::Owner(owner) => owner.copy(),
            Held::Copy(copy) => copy,
        }
    }
}

/// Rows that were looked up.
pub struct Rows {
    /// Words of 64 bits, lowest first, a batch of each; the last one has what is left.
    pub words: Vec<BShare<u64>>,
    /// Whether each key is present, if keys may be absent.
    pub present: Option<Bits>,
}

/// One-time material for a batch of lookups.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, confidential::copy::{EncryptedCopy, Held, Lookups}, session::Session};
/// fn twice(s: &mut Session, m: Lookups, copy: &EncryptedCopy, x: &BShare<u32>) -> Result<()> {
///     m.eval(s, Held::Copy(copy), x)?;
///     m.eval(s, Held::Copy(copy), x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Lookups {
    job: CopyJob,
    keys: Unplaced<Point, Xor, Bitwise>,
    prf: Prf,
}

impl Lookups {
    /// Offline: for `count` lookups, 1 to [`MAX_KEYS`](crate::fss::MAX_KEYS). Any version of the table will do.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and those of the channel.
    pub fn prepare(p: &mut Party, job: CopyJob, count: usize) -> Result<Self> {
        job.check_count(count)?;
        let keys = Dpf::<Xor, Bitwise>::prepare_bit(p, job.key_bits, count)?;
        let prf = Prf::prepare(p, job.prf(), count)?;
        Ok(Self { job, keys, prf })
    }

    /// What `count` lookups cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &CopyJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        Ok(Dpf::<Xor, Bitwise>::bit_bill(job.key_bits)?.times(count) + Prf::bill(&job.prf(), count)?)
    }

    /// Lookups there is material for.
    pub fn len(&self) -> usize {
        self.prf.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.prf.is_empty()
    }

    /// Online: shares of the rows at these keys. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key of the right width for each lookup; [`Error::Param`] for a table or copy
    /// of another job, or the owner's at the other party; [`Error::Handshake`], at both parties, if their copies
    /// differ; and those of the channel.
    pub fn eval(self, s: &mut Session, held: Held<'_>, x: &BShare<u32>) -> Result<Rows> {
        let copy = held.copy();
        let owner = match held {
            Held::Owner(owner) => Some(owner),
            Held::Copy(_) => None,
        };
        if self.job != *copy.job() || (s.role() == self.job.owner) != owner.is_some() {
            let (what, accepted) = ("table to look up in", format!("{:?}", self.job));
            return Err(Error::Param { what, got: format!("{:?} of {:?}", copy.job(), s.role()), accepted });
        }
        same("keys to look up", self.len(), x.len())?;
        same("bits of a key", self.job.key_bits as usize, x.bits() as usize)?;
        s.announce(&announced(copy))?;
        let keys = self.keys.at(s, x)?;
        let masks = self.prf.eval(s, owner.map(Owner::key), x)?;
        let found = scan(copy, &keys)?;
        Ok(rows(&self.job, &found, &masks))
    }
}

/// Names the copy: those of other versions and tables differ.
fn announced(copy: &EncryptedCopy) -> String {
    copy.digest().iter().fold("copy ".into(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string has room");
        text
    })
}

/// This party's sums of the copy's rows where its shares of the point functions are 1: for each key as many words as a
/// row fills.
fn scan(copy: &EncryptedCopy, keys: &Dpf<Xor, Bitwise>) -> Result<Wiped<u64>> {
    let width = copy.job().planes();
    let words = width.div_ceil(64);
    let mut found = Wiped::zeros(keys.len() * words);
    let mut sums = Wiped::<u64>::default();
    for (piece, planes) in (0..).zip(copy.pieces()) {
        let len = planes.len() / width;
        keys.eval_piece(piece, |keys: Range<usize>, rows| {
            sums.truncate(0);
            planes::add_chosen(rows, planes, len, sums.extend_zeros(keys.len() * width));
            let found = found[keys.start * words..keys.end * words].chunks_exact_mut(words);
            for (found, sums) in found.zip(sums.chunks_exact(width)) {
                for (found, sums) in found.iter_mut().zip(sums.chunks(64)) {
                    let parity = |(i, sum): (usize, &u64)| u64::from(sum.count_ones() & 1) << i;
                    *found ^= sums.iter().enumerate().map(parity).fold(0, |word, bit| word | bit);
                }
            }
        })?;
    }
    Ok(found)
}

/// What was found, without its masks.
fn rows(job: &CopyJob, found: &[u64], masks: &[Bits]) -> Rows {
    let width = job.planes().div_ceil(64);
    let word = |i: usize| {
        let bits = &masks[64 * i..masks.len().min(64 * i + 64)];
        let masks: BShare<u64> = Bits::to_share(bits).expect("batches of one length");
        let words = Zeroizing::new(found.iter().skip(i).step_by(width).copied().collect::<Vec<_>>());
        &BShare::new(bits.len() as u32, words.to_vec()) ^ &masks
    };
    let mut words: Vec<BShare<u64>> = (0..width).map(word).collect();
    if !job.absent {
        return Rows { words, present: None };
    }
    // The bit behind the row.
    let last = words.pop().expect("a word at least");
    let mut bits = Bits::from_share(&last);
    let present = bits.pop();
    if !bits.is_empty() {
        words.push(Bits::to_share(&bits).expect("batches of one length"));
    }
    Rows { words, present }
}
