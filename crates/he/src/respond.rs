//! The response of the party that multiplies: what makes it private, in one place.
//!
//! # Protocol
//! From a sum of products `c = (c0, c1)`, mod q:
//! 1. `c += (b u + e0, a u + e1)` with the key `(b, a)` of the encryptor and fresh errors u, e0, e1: a fresh encryption of
//!    zero, for every response.
//! 2. `c0 += f + q (-r) / 2^l` in every coefficient that is sent, each with an f and an r of its own: f is uniform in
//!    `-2^k..2^k` and covers the noise, r is uniform mod `2^l` and the share of this party. Others of c0 are not sent.
//! 3. c1 is rounded to `l + 11` bits, c0 to `l + 3`.
//!
//! # Security
//! The encryptor knows its secret and errors. The noise E that c has gathered depends on weights; f is `2^40` times as large
//! ([`Params::fits`](crate::Params::fits)), so that `E + f` is as good as f. Then c0 follows from c1 and the encryptor's share
//! of the result, and c1 is `a u + e1` and something: uniform by RLWE with the secret u. Step 3 is computed from that. The
//! order matters: what rounding adds before 2. would be covered by less, and without 1. the part c1 shows the weights.
//!
//! # Failure
//! The encryptor rounds to multiples of `2^11`, in units of `q / 2^(l + 11)`: it is wrong where what stands beside the plaintext
//! is `2^10` or more. Of that
//! * f and E are less than 257: f is at most `2^8 2^(30 L) / q`, primes are so near to `2^30` that this is below 256.6 for
//!   7 of them, and E is `2^-40` of it;
//! * the rounding of c0 is less than 129: half a unit of `2^8`, and what fixed point is off;
//! * the rounding of c1, by d with `|d_i|` at most a half, or `2^-20` more by fixed point, gives a sum of 8192 products of
//!   the d_i and coefficients of s with signs.
//!
//! c1 comes of public parts, weights and what this party draws, so that d says nothing of s, which is uniform in -1, 0, 1.
//! Then `E exp(t d_i s_j) = (1 + 2 cosh(t d_i)) / 3`, at most `exp(t^2 d_i^2 / 3)` term by term: the sum is sub-Gaussian
//! with variance `8192 / 4 * 2 / 3 < 1366`, and 638 or more with probability below `2 exp(-638^2 / 2732) < 2^-210`. So
//! fewer than `2^170` outputs have a wrong one among them with probability below `2^-40`.
//!
//! # Source
//! docs/spec/lattice-spec.md, section 3.

use prim::{
    Prg, Wiped, low,
    ntt::{DEGREE, Ntt},
    pack::{pack, packed_len, unpack},
};

use std::sync::Arc;

use crate::{
    ciphertext::Ciphertext,
    encode::{Rounding, encode},
    error::{Error, Result},
    params::Params,
    poly::{Poly, Ring, below, power, times},
    sample::{error, words},
};

/// Who multiplies what another party has encrypted. Threads may share one.
#[derive(Clone)]
pub struct Evaluator {
    ring: Ring,
    /// An encryption of zero under the encryptor's key.
    key: Arc<Ciphertext>,
}

/// This party's share of the coefficients that are sent: mod `2^l`.
pub type Mask = Wiped<u64>;

/// What the encryptor gets: the first part at places that both know, and the second one as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub(crate) first: Vec<u128>,
    pub(crate) second: Vec<u128>,
}

impl Evaluator {
    /// With the encryptor's key.
    pub fn new(ring: Ring, key: Ciphertext) -> Self {
        Self { ring, key: Arc::new(key) }
    }

    /// With the same key for plaintexts mod `2^bits`.
    ///
    /// # Errors
    /// As [`Params::new`].
    pub fn of_width(&self, bits: u32) -> Result<Self> {
        Ok(Self { ring: self.ring.of_width(bits)?, key: self.key.clone() })
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The response for a sum of products, of which the coefficients at these places are sent, and this party's share of
    /// them, from random bits that serve nothing else. The parameters have to fit the sum:
    /// [`Params::fits`](crate::Params::fits).
    ///
    /// # Panics
    /// For a place beyond 8191.
    pub fn respond(&self, prg: &mut Prg, sum: &Ciphertext, places: &[usize]) -> (Response, Mask) {
        let ([first, second], mask) = self.covered(prg, sum, places);
        let (bits, all) = (self.ring.params().bits(), (0..DEGREE).collect::<Vec<_>>());
        // 3. Fewer bits.
        let response = Response {
            first: self.rounded(&first, places, bits + Response::FIRST),
            second: self.rounded(&second, &all, bits + Response::SECOND),
        };
        (response, mask)
    }

    /// Steps 1 and 2: the coefficients of both parts, and this party's share.
    fn covered(&self, prg: &mut Prg, sum: &Ciphertext, places: &[usize]) -> ([Poly; 2], Mask) {
        let (ring, params) = (self.ring.clone(), self.ring.params());
        // 1. The encryption of zero.
        let fresh = ring.forward(&ring.small(&error(prg)));
        let mut part = |key: &Poly, sum: &Poly| {
            let mut made = ring.product(key, &fresh);
            ring.add(&mut made, sum);
            made = ring.inverse(made);
            ring.add(&mut made, &ring.small(&error(prg)));
            made
        };
        let (mut first, second) = (part(&self.key.first, &sum.first), part(&self.key.second, &sum.second));
        // 2. Flooding and mask.
        let (flood, mask) = (self.flood(prg, places.len()), words(prg, places.len()));
        let mask = Wiped::from(mask.iter().map(|word| low(*word, params.bits())).collect::<Vec<_>>());
        let negative = Wiped::from(mask.iter().map(|r| r.wrapping_neg()).collect::<Vec<_>>());
        let encoded = encode(&ring, &negative, Rounding::Nearest);
        let limbs = ring.ntts().iter().zip(first.limbs_mut()).zip(flood.limbs()).zip(encoded.limbs());
        for (((ntt, first), flood), encoded) in limbs {
            let q = ntt.modulus();
            for ((place, flood), encoded) in places.iter().zip(flood).zip(encoded) {
                first[*place] = below(below(first[*place] + flood, q) + encoded, q);
            }
        }
        ([first, second], mask)
    }

    /// Numbers that are uniform in `-2^k..2^k`, as the first so many coefficients.
    fn flood(&self, prg: &mut Prg, count: usize) -> Poly {
        let bits = self.ring.params().flooding_bits() + 1;
        let each = bits.div_ceil(32) as usize;
        let drawn = words(prg, each * count);
        let top = u32::MAX >> (32 * each as u32 - bits);
        self.ring.residues(|ntt: &Ntt, limb| {
            let q = ntt.modulus();
            let units: Vec<u32> = (0..each as u32).map(|i| power(2, 32 * i, q)).collect();
            let least = power(2, bits - 1, q);
            for (to, drawn) in limb.iter_mut().zip(drawn.chunks_exact(each)) {
                let piece = |(i, word): (usize, &u64)| {
                    let piece = *word as u32 & if i + 1 == each { top } else { u32::MAX };
                    times(piece, units[i], q)
                };
                let sum = drawn.iter().enumerate().map(piece).fold(0, |sum, piece| below(sum + piece, q));
                *to = below(sum + q - least, q);
            }
        })
    }

    /// Coefficients `x` at these places as `2^bits x / q`, rounded, mod `2^bits`. By fixed point of 128 bits: a unit off
    /// at most, where that is nearly a half.
    fn rounded(&self, x: &Poly, places: &[usize], bits: u32) -> Vec<u128> {
        let mut sums = Wiped::zeros(places.len());
        for ((ntt, limb), inverse) in self.ring.ntts().iter().zip(x.limbs()).zip(self.ring.inverses()) {
            let q = ntt.modulus();
            let part = u128::MAX / u128::from(q);
            for (sum, place) in sums.iter_mut().zip(places) {
                *sum =
                    u128::wrapping_add(*sum, u128::from(times(limb[*place], *inverse, q)).wrapping_mul(part));
            }
        }
        sums.iter().map(|sum| sum.wrapping_add(1 << (127 - bits)) >> (128 - bits)).collect()
    }
}

impl Response {
    /// Bits of the second part beyond those of a plaintext; of the first.
    pub(crate) const SECOND: u32 = 11;
    pub(crate) const FIRST: u32 = 3;

    /// Bytes of one with so many coefficients of the first part.
    pub fn len(params: Params, places: usize) -> usize {
        let bytes = |count, bits: u32| packed_len(count, bits.min(64)) + beyond_len(count, bits);
        bytes(places, params.bits() + Self::FIRST) + bytes(DEGREE, params.bits() + Self::SECOND)
    }

    /// As it is sent.
    pub fn encode(&self, params: Params, to: &mut Vec<u8>) {
        for (numbers, more) in [(&self.first, Self::FIRST), (&self.second, Self::SECOND)] {
            let bits = params.bits() + more;
            let lower: Vec<u64> = numbers.iter().map(|x| *x as u64).collect();
            pack(&lower, bits.min(64), to);
            if bits > 64 {
                let upper: Vec<u64> = numbers.iter().map(|x| (x >> 64) as u64).collect();
                pack(&upper, bits - 64, to);
            }
        }
    }

    /// As the peer sent it.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length.
    pub fn decode(params: Params, places: usize, bytes: &[u8]) -> Result<Self> {
        if bytes.len() != Self::len(params, places) {
            return Err(Error::Malformed("a response of another length"));
        }
        let mut rest = bytes;
        let mut part = |count, more: u32| {
            let bits = params.bits() + more;
            let mut take = |len| {
                let (now, later) = rest.split_at(len);
                rest = later;
                now
            };
            let (mut lower, mut upper) = (vec![0u64; count], vec![0u64; count]);
            unpack(take(packed_len(count, bits.min(64))), bits.min(64), &mut lower);
            if bits > 64 {
                unpack(take(beyond_len(count, bits)), bits - 64, &mut upper);
            }
            lower
                .iter()
                .zip(upper)
                .map(|(lower, upper)| u128::from(*lower) | u128::from(upper) << 64)
                .collect()
        };
        Ok(Self { first: part(places, Self::FIRST), second: part(DEGREE, Self::SECOND) })
    }
}

/// Bytes of what numbers of so many bits have beyond 64.
fn beyond_len(count: usize, bits: u32) -> usize {
    packed_len(count, bits.saturating_sub(64))
}

#[cfg(test)]
mod end_tests;
#[cfg(test)]
mod tests;
