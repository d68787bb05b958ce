//! Lookups of shared keys in one party's table, which both scan in an encrypted copy.
//!
//! # Functionality
//! In: the *owner*'s table T, rows of w bits at some keys of d bits; XOR shares of m keys x. Out: XOR shares of the rows
//! `T[x]`, 0 where there is none, and if keys may be absent shares of a bit that says whether x is present. Public is the
//! [`CopyJob`]: d, w, who the owner is, which keys there may be ([`Keys`]); and m. Nothing else is learned: not which
//! keys are present, nor how many, nor which of the m are equal, in this batch or another.
//!
//! # Protocol
//! F is the [function](super::prf) under a key k of the owner, one for each version of the table. With a place for every
//! key of up to 24 bits ([`Keys::All`], [`Keys::Dense`]):
//! 1. *Once a version*: the owner sends the copy `E[x] = (T[x] ‖ present) ^ F_k(x)` for all keys of d bits.
//! 2. *Offline*: keys of the [point function](crate::fss::Dpf) with the bit 1 at a random position, for each lookup; the
//!    function's triples.
//! 3. *Online*: the distance of each x from its position is opened. Each party adds up `E[j]` over all j where its
//!    share of the point function is 1: together `E[x]`. Shares of `F_k(x)` are computed, and taken off.
//!
//! With keys of up to 96 bits, few of which are there ([`Keys::Sparse`]), `F_k(x)` is `a ‖ b ‖ c ‖ mask`:
//! 1. The copy has three thirds of `2^e` cells, 1.25 for each row and more, with
//!    `E[a] ^ E[b] ^ E[c] = (T[x] ‖ 0^t) ^ mask` for each key of the table. Cells that no key decides are random.
//! 2. Point functions for all three of each lookup, the function's triples, and those of step 4.
//! 3. Shares of `F_k(x)` are computed first, then the three positions are looked up as above, and the mask is taken off.
//! 4. The row is present if the t bits are zero (54, and more from 2^13 lookups on): a tree of ANDs, and an AND of it with each bit of the row.
//!
//! Rows that change alone ([`Keys::Changing`]): behind a row stands, in clear, the number v of the [`Update`] that it
//! last had. An update has the changed rows, masked by `F_k(x ‖ v)`. A lookup finds shares of v with the row, then computes
//! the function.
//!
//! The copy lies in pieces of `2^14` places, each as planes of bits. A piece is read once for all lookups of the batch,
//! while what the parties hold of a point function there is grown and moved by its distance.
//!
//! # Cost
//! Once: as many bits as the copy has ([`CopyJob::copy_bits`]) and a digest of 256 from the owner. A lookup: what
//! [`Dpf::bit_bill`] and [`Prf::bill`] say; online, 1 round and then the function's. Sparse: three times the former
//! with e bits, `t - 1 + w` ANDs, and 7 rounds more. Each party reads the copy once a batch: for n places and p planes
//! `m n p` bits are ANDed, `m n / 64` blocks hashed.
//!
//! # Source
//! confidential-beyond 1, design A; figures-checked, "Confidential tables", for the distance of all d bits. Doerner,
//! shelat, "Scaling ORAM for secure computation" (CCS 2017) for one of the parties with the table in clear.
//!
//! Sparse keys deviate: the page hashes a key by three linear functions that both parties know. Then keys in a row, such
//! as dates, may have no placement at all, and trying other functions until one fits tells about the keys. Here
//! the places are a part of the function's value, which nobody else sees, so that keys of any form are as good as random
//! ones, further tries are invisible, and 3 cells give a row by XOR without a comparison each.
//!
//! # Security
//! Copies are pseudo-random. A key of the function serves one copy: two under one key would show where the tables
//! differ and how ([`Owner`]). Of `F_k(x)` nothing is opened, so the key and the copy serve any number of batches.
//! Results are shares: whoever is shown a row learns `F_k` at a key only if it knows the key too, and of that key the
//! row, which it has. Of the lookups of a job in a sparse table at absent keys one seems present with
//! probability `2^-41` at most ([`CopyJob::chance`]), in a version always or never, and then has a random row.
//! Updates show which keys they are of, that is all; no number masks a row twice, since none is sent by a version that was
//! restored. How long the owner takes to encrypt a sparse table depends on how many rows it has and on how many tries its places
//! take: encrypt it before a peer waits for it.

mod arriving;
mod bit_rows;
mod dense;
mod encrypted;
mod job;
pub(super) mod owner;
pub(super) mod presence;
pub(super) mod sparse;
mod update;

pub use arriving::Arriving;
pub use encrypted::EncryptedCopy;
pub use job::{CopyJob, Keys, MAX_JOB, MAX_ROWS};
pub use owner::Owner;
pub use update::Update;

use std::{fmt::Write, ops::Range};

use presence::Presence;
use prim::{Wiped, planes};

use super::prf::Prf;
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    fss::{Dpf, Point, Unplaced},
    gates::Bits,
    net::Role,
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
/// fn twice(s: &mut Session, m: Lookups, copy: &EncryptedCopy, x: &[BShare<u64>]) -> Result<()> {
///     m.eval(s, Held::Copy(copy), x)?;
///     m.eval(s, Held::Copy(copy), x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Lookups {
    job: CopyJob,
    /// Of the first part of the copy for all lookups, then of the next.
    keys: Unplaced<Point, Xor, Bitwise>,
    prf: Prf,
    presence: Option<Presence>,
}

impl Lookups {
    /// Offline: for `count` lookups, 1 to [`CopyJob::most`]. Any version of the table will do.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and those of the channel.
    pub fn prepare(p: &mut Party, job: CopyJob, count: usize) -> Result<Self> {
        job.check_count(count)?;
        let of = job.keys;
        let keys = Dpf::<Xor, Bitwise>::prepare_bit(p, of.position_bits(), of.parts() * count)?;
        let prf = Prf::prepare(p, job.prf(), count)?;
        let (tag, row) = (of.tag_bits() as usize, job.row_bits as usize);
        let presence = of.sparse().then(|| Presence::prepare(p, tag, row, count)).transpose()?;
        Ok(Self { job, keys, prf, presence })
    }

    /// What `count` lookups cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &CopyJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        let of = job.keys;
        let keys = Dpf::<Xor, Bitwise>::bit_bill(of.position_bits())?.times(of.parts() * count);
        let bill = keys + Prf::bill(&job.prf(), count)?;
        let (tag, row) = (of.tag_bits() as usize, job.row_bits as usize);
        Ok(if of.sparse() { bill + Presence::bill(tag, row, count) } else { bill })
    }

    /// Lookups there is material for.
    pub fn len(&self) -> usize {
        self.prf.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.prf.is_empty()
    }

    fn another(&self, copy: &EncryptedCopy, role: Role) -> Error {
        let (what, accepted) = ("table to look up in", format!("{:?}", self.job));
        Error::Param { what, got: format!("{:?} of {role}", copy.job()), accepted }
    }

    /// Online: shares of the rows at the keys of which x has the words, lowest first. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key of the right width for each lookup; [`Error::Param`] for a table or copy
    /// of another job, or the owner's at the other party; [`Error::Handshake`], at both parties, if their copies
    /// differ; and those of the channel.
    pub fn eval(self, s: &mut Session, held: Held<'_>, x: &[BShare<u64>]) -> Result<Rows> {
        let copy = held.copy();
        let owner = match held {
            Held::Owner(owner) => Some(owner),
            Held::Copy(_) => None,
        };
        if self.job != *copy.job() || (s.role() == self.job.owner) != owner.is_some() {
            return Err(self.another(copy, s.role()));
        }
        same("words of a key", self.job.key_words(), x.len())?;
        let full = x[..x.len() - 1].iter();
        full.into_iter().try_for_each(|word| same("bits of a key's word", 64, word.bits() as usize))?;
        let x: Vec<Bits> = x.iter().flat_map(Bits::from_share).collect();
        same("bits of a key", self.job.keys.bits() as usize, x.len())?;
        x.iter().try_for_each(|bit| same("keys to look up", self.len(), bit.len()))?;
        s.announce(&announced(copy))?;
        let key = owner.map(Owner::key);
        let found = match self.presence {
            None => {
                let keys = self.keys.at(s, &Bits::to_share(&x)?)?;
                let mut found = bits(&self.job, &scan(copy, keys)?);
                let updates = found.split_off(self.job.masked());
                let x = [x, updates].concat();
                unmasked(&found, &self.prf.eval(s, key, &x)?)
            }
            Some(presence) => {
                let mut masks = self.prf.eval(s, key, &x)?;
                let places: Vec<Bits> = masks.drain(..self.job.place_bits()).collect();
                let keys = self.keys.at(s, &joined(&self.job, &places)?)?;
                let mut row = unmasked(&bits(&self.job, &scan(copy, keys)?), &masks);
                let tag = row.split_off(self.job.row_bits as usize);
                let (mut row, present) = presence.eval(s, &row, &tag)?;
                row.push(present);
                row
            }
        };
        rows(&self.job, found)
    }
}

/// The positions in the first part of all lookups, then in the next.
fn joined(job: &CopyJob, places: &[Bits]) -> Result<BShare<u32>> {
    let bits = job.keys.position_bits() as usize;
    let bit = |i: usize| Bits::concat(places[i..].iter().step_by(bits));
    Bits::to_share(&(0..bits).map(bit).collect::<Vec<_>>())
}

/// Names the copy: those of other versions and tables differ.
fn announced(copy: &EncryptedCopy) -> String {
    copy.digest().iter().fold("copy ".into(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string has room");
        text
    })
}

/// This party's sums of the copy's rows where its shares of the point functions are 1: for each lookup as many words as
/// a row fills.
fn scan(copy: &EncryptedCopy, mut keys: Dpf<Xor, Bitwise>) -> Result<Wiped<u64>> {
    let job = copy.job();
    let (width, parts) = (job.planes(), job.keys.parts());
    let (words, count) = (width.div_ceil(64), keys.len() / parts);
    let mut found = Wiped::zeros(count * words);
    let mut sums = Wiped::<u64>::default();
    // The last part's keys are cut off first.
    for part in (0..parts).rev() {
        let keys = keys.take(count)?;
        for (piece, planes) in (0..).zip(copy.pieces(part)) {
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
    }
    Ok(found)
}

/// What was found: a batch of each bit.
fn bits(job: &CopyJob, found: &[u64]) -> Vec<Bits> {
    let width = job.planes().div_ceil(64);
    let word = |i: usize| {
        let bits = (job.planes() - 64 * i).min(64) as u32;
        let words = found.iter().skip(i).step_by(width).copied().collect();
        Bits::from_share(&BShare::<u64>::new(bits, words))
    };
    (0..width).flat_map(word).collect()
}

/// Without its masks.
fn unmasked(found: &[Bits], masks: &[Bits]) -> Vec<Bits> {
    found.iter().zip(masks).map(|(found, mask)| found ^ mask).collect()
}

/// A row's words, and the bit behind them if there is one.
fn rows(job: &CopyJob, mut bits: Vec<Bits>) -> Result<Rows> {
    let present = if job.keys.absent() { bits.pop() } else { None };
    Ok(Rows { words: bits.chunks(64).map(Bits::to_share).collect::<Result<_>>()?, present })
}
