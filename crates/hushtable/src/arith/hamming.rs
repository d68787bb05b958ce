//! Equality of shared numbers by their Hamming distance: two rounds at any width.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x and y. Out: XOR shares of `1{x = y}`.
//!
//! # Protocol
//! `c = x_0 - y_0` at P0 and `d = y_1 - x_1` at P1 are equal or not. Let `k = ceil(log2(l + 1))`.
//! 1. *Offline*: for each bit a random bit `ρ_i`, shared by XOR and additively mod `2^k`; and a one-hot vector e of
//!    `2^k` entries at a random position s, shared mod `2^k`.
//! 2. Open `v = c ^ d ^ ρ`. The distance W of c and d is the sum of `ρ_i` where `v_i = 0` and of `1 - ρ_i` where
//!    `v_i = 1`, at most l: shares of it mod `2^k` are local.
//! 3. Open `m = W - s`. The numbers are equal if `s = -m`: the entry `-m mod 2^k` of e.
//!
//! # Cost
//! Offline `k - 1` bits and a correlated OT for each bit, and `2 (2^k - k - 1) + k (k - 1) / 2` bits and `2 k - 1`
//! correlated OTs; online `2 l + 2 k` bits, 2 rounds.
//!
//! # Source
//! Lipmaa, Toft, "Secure Equality and Greater-Than Tests with Sublinear Online Complexity" (ICALP 2013), section 4,
//! which takes the Hamming distance; the test for 0 of a small number by fss-beyond B0.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    bill::Bill,
    codec::{Reader, Writer},
    error::{Result, same, within},
    gates::{Bits, DaBits},
    net::Role,
    onehot::{UnitShape, UnitVectors},
    party::Party,
    session::Session,
    share::{AShare, BShare},
    source::{Atom, Source},
    terms::Terms,
};

/// One-time material for a batch of comparisons.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::HammingEquality};
/// fn twice(p: &mut Party, m: HammingEquality, x: &AShare<u32>) -> Result<()> {
///     m.eq(p, x, x)?;
///     m.eq(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct HammingEquality {
    bits: u32,
    /// `ρ`, a word of l bits each.
    masks: Zeroizing<Vec<u64>>,
    /// The same bits, l shares mod `2^k` each.
    ones: Zeroizing<Vec<u8>>,
    vectors: UnitVectors,
}

impl HammingEquality {
    /// Offline, for `batch` pairs of numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, batch: usize) -> Result<Self> {
        check(bits)?;
        p.atom(bits, batch, |p| Self::make(p, bits, batch))
    }

    /// [`prepare`](Self::prepare), with the peer.
    fn make(p: &mut Party, bits: u32, batch: usize) -> Result<Self> {
        let k = weight_bits(bits);
        let (masks, ones) = DaBits::<u8>::random(p, k, bits as usize * batch)?.into_shares();
        let mut drawn = masks.iter();
        let word = |_| (0..bits).fold(0, |word, j| word | drawn.next().unwrap_or(0) << j);
        let masks = Zeroizing::new((0..batch).map(word).collect::<Vec<u64>>());
        let vectors = UnitVectors::doubling(p, &[(shape(bits), batch)])?.swap_remove(0);
        Ok(Self { bits, masks, ones: Zeroizing::new(ones.words().to_vec()), vectors })
    }

    /// What a comparison costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64`.
    pub fn bill(bits: u32) -> Result<Bill> {
        check(bits)?;
        let k = weight_bits(bits);
        // What a random bit of both sharings costs offline.
        let drawn =
            Bill { online: crate::bill::Phase::default(), ..DaBits::<u8>::bill(k) }.times(bits as usize);
        let kept = u64::from(bits) * (1 + u64::from(k));
        let opened = Bill::opening(bits.into()) + Bill::opening(k.into());
        Ok(drawn.keeping(kept) + shape(bits).bill() + opened)
    }

    /// Online, 2 rounds: shares of `1{x = y}`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if numbers or widths are not those prepared for, and those of the channel.
    pub fn eq<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<Bits> {
        for z in [x, y] {
            same("numbers to compare", self.masks.len(), z.len())?;
            same("bits of the numbers to compare", self.bits as usize, z.bits() as usize)?;
        }
        let (difference, role, l) = (x - y, s.role(), self.bits as usize);
        let masked = difference.words().iter().zip(self.masks.iter()).map(|(w, mask)| match role {
            Role::P0 => w.to_u64() ^ mask,
            Role::P1 => low(w.to_u64().wrapping_neg(), self.bits) ^ mask,
        });
        // Public: every bit is masked by a uniform one that serves only here.
        let v = s.open(&BShare::new(self.bits, masked.collect()))?;
        let one = 1 - role as u64;
        let weight = |(v, ones): (&u64, &[u8])| {
            let bits = ones.iter().enumerate().map(|(j, &r)| {
                let flip = (v >> j & 1).wrapping_neg();
                // `1 - r` or `r`
                (u64::from(r) ^ flip).wrapping_sub(flip).wrapping_add(one & flip)
            });
            bits.fold(0u64, u64::wrapping_add)
        };
        let weights = Zeroizing::new(v.iter().zip(self.ones.chunks_exact(l)).map(weight).collect::<Vec<_>>());
        let k = weight_bits(self.bits);
        let masked = self.vectors.mask(weights.iter().copied()).collect();
        // Public: s is uniform and serves only here.
        let m = s.open(&AShare::<u32>::new(k, masked))?;
        let entry = |(i, m): (usize, &u32)| {
            let at = m.wrapping_neg() & ((1 << k) - 1); // public
            self.vectors.row(i)[at as usize / 64] >> (at % 64) & 1
        };
        Ok(Bits::collect(m.iter().enumerate().map(entry)))
    }
}

/// By width.
impl Atom for HammingEquality {
    type Form = u32;

    fn terms(&bits: &u32) -> Terms {
        Terms::of("equality by Hamming distance").with("bits", bits)
    }

    fn encode(&self, to: &mut Writer) {
        to.words(&self.masks, self.bits);
        to.words(&self.ones, weight_bits(self.bits));
        self.vectors.encode(to);
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &bits: &u32, count: usize) -> Result<Self> {
        let masks = Zeroizing::new(from.words(count, bits)?);
        let ones = Zeroizing::new(from.words(bits as usize * count, weight_bits(bits))?);
        Ok(Self { bits, masks, ones, vectors: UnitVectors::decode(from, shape(bits), count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let vectors = self.vectors.take(count)?;
        let left = self.vectors.len();
        let masks = Zeroizing::new(self.masks[left..].to_vec());
        let ones = Zeroizing::new(self.ones[self.bits as usize * left..].to_vec());
        prim::wipe(&mut self.masks[left..]);
        prim::wipe(&mut self.ones[self.bits as usize * left..]);
        self.masks.truncate(left);
        self.ones.truncate(self.bits as usize * left);
        Ok(Self { bits: self.bits, masks, ones, vectors })
    }
}

/// Bits of a number up to `bits`.
fn weight_bits(bits: u32) -> u32 {
    (bits + 1).next_power_of_two().ilog2()
}

/// The vector of the test for 0.
fn shape(bits: u32) -> UnitShape {
    let k = weight_bits(bits);
    UnitShape { d: k, ring: Some(k) }
}

fn check(bits: u32) -> Result<()> {
    within("width of a number", bits, 1..=64)
}
