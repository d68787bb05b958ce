//! XOR shares of a batch of single bits.

use std::{
    borrow::Borrow,
    fmt,
    ops::{BitXor, BitXorAssign, Range},
};

use prim::{ring::Ring, transpose::transpose64};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    codec::{Reader, Writer},
    error::{Result, same},
    net::Role,
    party::Party,
    session::{self, Session},
    share::BShare,
};

/// Words of one vector in a message.
pub(super) const PIECE: usize = 1 << 14;

/// One party's XOR shares of a batch of bits, 64 a word: bit `i` is bit `i % 64` of word `i / 64`.
///
/// Not printable, not comparable: a share is secret. Wiped when dropped.
#[derive(Clone)]
pub struct Bits {
    len: usize,
    /// Bits from `len` on are zero.
    words: Vec<u64>,
}

impl Bits {
    /// A batch of `len` bits from words; bits of the last word beyond them are dropped.
    ///
    /// # Panics
    /// Unless there are `len / 64` words, rounded up.
    pub fn new(len: usize, mut words: Vec<u64>) -> Self {
        assert_eq!(words.len(), len.div_ceil(64), "words of {len} bits");
        if let (Some(last), true) = (words.last_mut(), !len.is_multiple_of(64)) {
            *last &= u64::MAX >> (64 - len % 64);
        }
        Self { len, words }
    }

    /// This party's share of `len` uniform bits that nobody knows. Local.
    pub fn random(p: &mut Party, len: usize) -> Self {
        let mut words = vec![0; len.div_ceil(64)];
        p.rng().words(64, &mut words);
        Self::new(len, words)
    }

    /// From the lowest bits of words.
    pub fn collect(bits: impl IntoIterator<Item = u64>) -> Self {
        let mut bits = bits.into_iter();
        // growing leaves unwiped copies behind
        let (mut words, mut len) = (Vec::with_capacity(bits.size_hint().0.div_ceil(64)), 0);
        loop {
            let (mut word, mut count) = (0, 0);
            for bit in bits.by_ref().take(64) {
                word |= (bit & 1) << count;
                count += 1;
            }
            if count > 0 {
                words.push(word);
                len += count;
            }
            if count < 64 {
                break;
            }
        }
        Self { len, words }
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// This party's words: secret until combined with the peer's.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The same, to be changed. Bits beyond the last must stay zero.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// This party's single bits.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len).map(|i| self.words[i / 64] >> (i % 64) & 1)
    }

    /// They as words, each 0 or 1, which are the caller's to wipe.
    pub fn to_wide(&self) -> Vec<u64> {
        let mut wide = vec![0; self.len];
        for (group, word) in wide.chunks_mut(64).zip(&self.words) {
            group.iter_mut().enumerate().for_each(|(i, bit)| *bit = word >> i & 1);
        }
        wide
    }

    /// Shares of the complements: exactly one of the parties changes its share.
    #[must_use]
    pub fn not(&self, role: Role) -> Self {
        let flip = (role as u64).wrapping_sub(1); // all ones at P0
        Self::new(self.len, self.words.iter().map(|w| w ^ flip).collect())
    }

    /// Adds a bit, which may be secret, to each.
    pub(crate) fn add(&mut self, bit: u64) {
        self.words.iter_mut().for_each(|w| *w ^= bit.wrapping_neg());
        if let (Some(last), true) = (self.words.last_mut(), !self.len.is_multiple_of(64)) {
            *last &= u64::MAX >> (64 - self.len % 64);
        }
    }

    /// So many zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Self { len, words: vec![0; len.div_ceil(64)] }
    }

    /// Cuts off the bits from `at` on.
    ///
    /// # Panics
    /// If `at > len()`.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let rest = self.range(at..self.len);
        self.words[at.div_ceil(64)..].zeroize();
        self.words.truncate(at.div_ceil(64));
        if !at.is_multiple_of(64) {
            self.words[at / 64] &= u64::MAX >> (64 - at % 64);
        }
        self.len = at;
        rest
    }

    /// A copy of some of the bits.
    ///
    /// # Panics
    /// If the range lies outside.
    #[must_use]
    pub fn range(&self, at: Range<usize>) -> Self {
        assert!(at.start <= at.end && at.end <= self.len, "bits {at:?} of {}", self.len);
        let (first, shift) = (at.start / 64, at.start % 64);
        let word = |i: usize| {
            let above = self.words.get(i + 1).copied().unwrap_or(0);
            self.words[i] >> shift | above << 1 << (63 - shift)
        };
        Self::new(at.len(), (first..first + at.len().div_ceil(64)).map(word).collect())
    }

    /// Puts the bits of `rest` behind these.
    pub fn append(&mut self, rest: &Self) {
        let shift = self.len % 64;
        self.len += rest.len;
        if shift == 0 {
            return self.words.extend_from_slice(&rest.words);
        }
        for &w in &rest.words {
            *self.words.last_mut().expect("an incomplete word") |= w << shift;
            self.words.push(w >> (64 - shift));
        }
        self.words.truncate(self.len.div_ceil(64));
    }

    /// The bits of a batch of words: one batch of bits per bit of the width, lowest first. Local.
    pub fn from_share<R: Ring>(x: &BShare<R>) -> Vec<Self> {
        let plane = |_| Vec::with_capacity(x.len().div_ceil(64));
        let mut planes: Vec<Vec<u64>> = (0..x.bits()).map(plane).collect();
        let mut square = Zeroizing::new([[0; 64]]);
        for group in x.words().chunks(64) {
            square[0].fill(0);
            square[0].iter_mut().zip(group).for_each(|(s, x)| *s = x.to_u64());
            transpose64(&mut *square);
            planes.iter_mut().zip(square[0]).for_each(|(plane, w)| plane.push(w));
        }
        planes.into_iter().map(|words| Self::new(x.len(), words)).collect()
    }

    /// Words made of bits, lowest first: the inverse of [`from_share`](Self::from_share). Local.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the batches differ in length.
    ///
    /// # Panics
    /// Unless there are 1 to `R::WIDTH` batches of bits.
    pub fn to_share<R: Ring>(bits: &[impl Borrow<Self>]) -> Result<BShare<R>> {
        let len = bits.first().map_or(0, |plane| plane.borrow().len);
        bits.iter().try_for_each(|plane| same("bits of a batch", len, plane.borrow().len))?;
        let mut words = Vec::with_capacity(len);
        let mut square = Zeroizing::new([[0; 64]]);
        for group in 0..len.div_ceil(64) {
            square[0].fill(0);
            square[0].iter_mut().zip(bits).for_each(|(s, plane)| *s = plane.borrow().words[group]);
            transpose64(&mut *square);
            words.extend(square[0].iter().take(len - 64 * group).map(|&w| R::from_u64(w)));
        }
        Ok(BShare::new(bits.len() as u32, words))
    }

    /// Bits of several batches, one behind the other.
    pub fn concat<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let len: usize = parts.clone().map(Self::len).sum();
        let mut all = Self { len: 0, words: Vec::with_capacity(len / 64 + 2) };
        parts.for_each(|part| all.append(part));
        all
    }

    /// Opens the bits to both parties: 1 round, a bit each way for each. Every call says why they
    /// may be public.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(&self, s: &mut Session) -> Result<Vec<u64>> {
        let mut state = (pieces(self.len), pieces(self.len), self.words.clone());
        s.duplex(
            &mut state,
            |_, (mine, _, _)| Ok(mine.next().map(|at| self.wire(&at).to_vec())),
            |s, (_, theirs, opened)| {
                let Some(at) = theirs.next() else { return Ok(false) };
                let message = s.recv(wire_len(self.len, &at))?;
                let opened = bytemuck::cast_slice_mut::<u64, u8>(&mut opened[at]);
                opened.iter_mut().zip(&message).for_each(|(o, m)| *o ^= m);
                Ok(true)
            },
        )?;
        Ok(Self::new(self.len, state.2).words.to_vec())
    }

    /// All of them, for a store.
    pub(super) fn encode(&self, to: &mut Writer) {
        to.bits(&self.words, self.len);
    }

    pub(super) fn decode(from: &mut Reader<'_>, len: usize) -> Result<Self> {
        Ok(Self { len, words: from.bits(len)? })
    }

    /// The bytes on the wire of these words of the batch: no padding but to whole bytes at its end.
    pub(super) fn wire(&self, words: &Range<usize>) -> &[u8] {
        let bytes = wire_len(self.len, words);
        &bytemuck::cast_slice(&self.words[words.clone()])[..bytes]
    }
}

/// Bytes of these words of `len` bits.
pub(super) fn wire_len(len: usize, words: &Range<usize>) -> usize {
    (len.min(64 * words.end) - 64 * words.start).div_ceil(8)
}

/// The words of `len` bits, in the pieces of one message each.
pub(super) fn pieces(len: usize) -> impl Iterator<Item = Range<usize>> {
    session::pieces(len.div_ceil(64), PIECE)
}

/// Prints the shape only: shares are secret and belong in no log.
impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({})", self.len)
    }
}

impl Drop for Bits {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

/// # Panics
/// If lengths differ, as for arrays.
impl BitXorAssign<&Bits> for Bits {
    fn bitxor_assign(&mut self, rhs: &Bits) {
        assert_eq!(self.len, rhs.len, "shares of different length");
        self.words.iter_mut().zip(&rhs.words).for_each(|(a, b)| *a ^= b);
    }
}

/// # Panics
/// If lengths differ, as for arrays.
impl BitXor for &Bits {
    type Output = Bits;
    fn bitxor(self, rhs: Self) -> Bits {
        assert_eq!(self.len, rhs.len, "shares of different length");
        Bits { len: self.len, words: self.words.iter().zip(&rhs.words).map(|(a, b)| a ^ b).collect() }
    }
}
