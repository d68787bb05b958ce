//! Shares of a batch of values. Additive and XOR shares are different types: they do not mix.

use std::{
    any::Any,
    fmt,
    marker::PhantomData,
    mem::take,
    ops::{Add, BitXor, Sub},
};

use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroize;

use crate::{
    error::{Error, Result, same},
    terms::Value,
};

/// The two ways of sharing, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// `x = x0 + x1 mod 2^bits`: [`Additive`].
    Additive,
    /// `x = x0 ^ x1`: [`Bitwise`].
    Xor,
}

impl From<Sharing> for Value {
    fn from(sharing: Sharing) -> Self {
        match sharing {
            Sharing::Additive => "additive",
            Sharing::Xor => "xor",
        }
        .into()
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Additive => "additive",
            Self::Xor => "xor",
        })
    }
}

/// How two shares make a value.
pub trait Kind: Copy + Send + Sync + 'static {
    /// This kind, as a value.
    const SHARING: Sharing;
    /// The value of two shares, before reduction to the width.
    fn combine(a: u64, b: u64) -> u64;
    /// What `combine`s with `b` to `a`, before reduction to the width.
    fn strip(a: u64, b: u64) -> u64;
}

/// `x = x0 + x1 mod 2^bits`.
#[derive(Clone, Copy)]
pub struct Additive;

/// `x = x0 ^ x1`.
#[derive(Clone, Copy)]
pub struct Bitwise;

impl Kind for Additive {
    const SHARING: Sharing = Sharing::Additive;
    fn combine(a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    fn strip(a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }
}

impl Kind for Bitwise {
    const SHARING: Sharing = Sharing::Xor;
    fn combine(a: u64, b: u64) -> u64 {
        a ^ b
    }
    fn strip(a: u64, b: u64) -> u64 {
        a ^ b
    }
}

/// One party's shares of a batch of `bits`-bit values, each held reduced in a word `R`.
///
/// Not printable, not comparable: a share is secret. Wiped when dropped.
#[derive(Clone)]
pub struct Share<K: Kind, R: Ring> {
    bits: u32,
    words: Vec<R>,
    kind: PhantomData<K>,
}

/// One party's additive shares of a batch.
///
/// ```compile_fail,E0308
/// # use hushtable::share::{AShare, BShare};
/// fn mixed(a: &AShare<u64>, b: &BShare<u64>) { let _ = a - b; } // different sharings
/// ```
pub type AShare<R> = Share<Additive, R>;

/// One party's XOR shares of a batch.
pub type BShare<R> = Share<Bitwise, R>;

impl<K: Kind, R: Ring> Share<K, R> {
    /// A batch of `bits`-bit shares from words; each word is reduced to `bits`.
    ///
    /// # Panics
    /// Unless `1 <= bits <= R::WIDTH`: the width is the program's choice, never data.
    pub fn new(bits: u32, mut words: Vec<R>) -> Self {
        assert!((1..=R::WIDTH).contains(&bits), "{bits}-bit shares do not fit words of {} bits", R::WIDTH);
        if bits < R::WIDTH {
            for w in &mut words {
                *w = R::from_u64(low(w.to_u64(), bits));
            }
        }
        Self { bits, words, kind: PhantomData }
    }

    /// Number of values in the batch.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Width of each value, `1..=64`.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// This party's words: secret until combined with the peer's.
    pub fn words(&self) -> &[R] {
        &self.words
    }

    /// This party's words, in words of 64 bits, which are the caller's to wipe; without a copy where they have as many.
    pub fn into_wide(mut self) -> Vec<u64> {
        match (&mut self.words as &mut dyn Any).downcast_mut::<Vec<u64>>() {
            Some(words) => take(words),
            None => self.words.iter().map(|w| w.to_u64()).collect(),
        }
    }

    /// Shares of each value mod `2^n`, in words `S`. Local for either kind; the width only shrinks,
    /// because widening would need the carry or the sign: a protocol.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= n <= self.bits()` and `n <= S::WIDTH`.
    pub fn low_bits<S: Ring>(&self, n: u32) -> Result<Share<K, S>> {
        if n == 0 || n > self.bits || n > S::WIDTH {
            let accepted = format!("1 to {}", self.bits.min(S::WIDTH));
            return Err(Error::Param { what: "width of the low bits", got: n.to_string(), accepted });
        }
        Ok(Share::new(n, self.words.iter().map(|w| S::from_u64(w.to_u64())).collect()))
    }

    /// Cuts off the values from `at` on.
    ///
    /// # Panics
    /// If `at > len()`.
    pub fn split_off(&mut self, at: usize) -> Self {
        Self { bits: self.bits, words: self.words.split_off(at), kind: PhantomData }
    }

    /// Puts the values of `rest` behind these.
    ///
    /// # Errors
    /// [`Error::Shape`] if the widths differ.
    pub fn append(&mut self, rest: &Self) -> Result<()> {
        same("bits of the appended share", self.bits as usize, rest.bits as usize)?;
        // Words that would have to move are copied here, so that none stay behind.
        if self.words.capacity() - self.words.len() < rest.words.len() {
            let mut room = Vec::with_capacity((self.len() + rest.len()).max(2 * self.len()));
            room.extend_from_slice(&self.words);
            self.words.zeroize();
            self.words = room;
        }
        self.words.extend_from_slice(&rest.words);
        Ok(())
    }

    /// A batch of two parts' words, which are wiped.
    pub(crate) fn joined(bits: u32, [first, second]: [Vec<R>; 2]) -> Self {
        let mut whole = Self::new(bits, first);
        whole.append(&Self::new(bits, second)).expect("of one width");
        whole
    }

    /// The same shares where the kind is known by its value only.
    pub(crate) fn of_kind<L: Kind>(mut self) -> Share<L, R> {
        assert_eq!(K::SHARING, L::SHARING, "the kind of a share never changes");
        Share { bits: self.bits, words: std::mem::take(&mut self.words), kind: PhantomData }
    }

    /// This party's message when the batch is opened.
    pub(crate) fn to_wire(&self) -> Vec<u8> {
        to_wire(&self.words, self.bits)
    }

    /// Puts [`to_wire`](Self::to_wire) behind `message`.
    pub(crate) fn append_wire(&self, message: &mut Vec<u8>) {
        pack(&self.words, self.bits, message);
    }

    /// Bytes of [`to_wire`](Self::to_wire).
    pub(crate) fn wire_len(&self) -> usize {
        packed_len(self.len(), self.bits)
    }

    /// The values, from this share and the peer's message.
    pub(crate) fn combine(&self, peer: &[u8]) -> Result<Vec<R>> {
        same("opened bytes", self.wire_len(), peer.len())?;
        let mut out = Vec::new();
        combine::<K, R>(&self.words, peer, self.bits, &mut out);
        Ok(out)
    }

    /// Adds public values to the shared ones; exactly one of the parties calls this.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many values as shares.
    pub fn plus_public(&self, values: &[u64]) -> Result<Self> {
        same("public values", self.len(), values.len())?;
        let words = self.words.iter().zip(values).map(|(w, &v)| R::from_u64(K::combine(w.to_u64(), v)));
        Ok(Self::new(self.bits, words.collect()))
    }

    /// The difference in the sharing's own group: `x - rhs` or `x ^ rhs`.
    ///
    /// # Panics
    /// If widths or lengths differ, as for arrays.
    pub fn minus(&self, rhs: &Self) -> Self {
        self.zip(rhs, K::strip)
    }

    fn zip(&self, rhs: &Self, f: fn(u64, u64) -> u64) -> Self {
        let (mine, other) = ((self.bits, self.len()), (rhs.bits, rhs.len()));
        assert_eq!(mine, other, "shares of different (bits, length)");
        let words = self.words.iter().zip(&rhs.words).map(|(a, b)| R::from_u64(f(a.to_u64(), b.to_u64())));
        Self::new(self.bits, words.collect())
    }
}

/// A party's message when its words are opened: `bits`-bit words without padding.
pub(crate) fn to_wire<R: Ring>(words: &[R], bits: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(packed_len(words.len(), bits));
    pack(words, bits, &mut out);
    out
}

/// The values in place of what is in `out`, from a party's words and its peer's message, of their length.
pub(crate) fn combine<K: Kind, R: Ring>(words: &[R], peer: &[u8], bits: u32, out: &mut Vec<R>) {
    let value = |mine: &R, theirs: &R| R::from_u64(low(K::combine(mine.to_u64(), theirs.to_u64()), bits));
    if let (true, Ok(theirs)) = (bits == R::WIDTH, bytemuck::try_cast_slice(peer)) {
        out.clear();
        return out.extend(words.iter().zip(theirs).map(|(mine, theirs)| value(mine, theirs)));
    }
    out.resize(words.len(), R::default());
    unpack(peer, bits, out);
    out.iter_mut().zip(words).for_each(|(o, mine)| *o = value(mine, o));
}

/// Prints the shape only: shares are secret and belong in no log.
impl<K: Kind, R: Ring> fmt::Debug for Share<K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Share({} x {} bits)", self.len(), self.bits)
    }
}

impl<K: Kind, R: Ring> Drop for Share<K, R> {
    fn drop(&mut self) {
        drop(Wiped::from(take(&mut self.words)));
    }
}

/// # Panics
/// If widths or lengths differ, as for arrays.
impl<R: Ring> Add for &AShare<R> {
    type Output = AShare<R>;
    fn add(self, rhs: Self) -> AShare<R> {
        self.zip(rhs, u64::wrapping_add)
    }
}

/// # Panics
/// If widths or lengths differ, as for arrays.
impl<R: Ring> Sub for &AShare<R> {
    type Output = AShare<R>;
    fn sub(self, rhs: Self) -> AShare<R> {
        self.zip(rhs, u64::wrapping_sub)
    }
}

/// # Panics
/// If widths or lengths differ, as for arrays.
impl<R: Ring> BitXor for &BShare<R> {
    type Output = BShare<R>;
    fn bitxor(self, rhs: Self) -> BShare<R> {
        self.zip(rhs, |a, b| a ^ b)
    }
}
