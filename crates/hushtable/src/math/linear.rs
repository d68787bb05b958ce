//! Linear functions of shares, and scales of numbers inside a protocol.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{BoundedExtension, Multiplication, Truncation},
    bill::Bill,
    error::Result,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// Shares of `f(x)` for a linear f without a constant.
pub(super) fn map<R: Ring, S: Ring>(x: &AShare<R>, bits: u32, f: impl Fn(u64) -> u64) -> AShare<S> {
    let words = Zeroizing::new(x.words().iter().map(|w| low(f(w.to_u64()), bits)).collect::<Vec<_>>());
    AShare::new(bits, words.iter().map(|&w| S::from_u64(w)).collect())
}

/// Shares of `x + c` for a public c.
pub(super) fn plus<R: Ring>(role: Role, x: &AShare<R>, c: u64) -> AShare<R> {
    let c = role.share_of(c);
    map(x, x.bits(), |w| w.wrapping_add(c))
}

/// Shares of `c - x` for a public c.
pub(super) fn from<R: Ring>(role: Role, c: u64, x: &AShare<R>) -> AShare<R> {
    let c = role.share_of(c);
    map(x, x.bits(), |w| c.wrapping_sub(w))
}

/// The number of each row once for each of its numbers.
pub(super) fn repeated(x: &AShare<u64>, len: usize) -> AShare<u64> {
    // As long as it will be: growing leaves copies that are not wiped.
    let mut words = Vec::with_capacity(len * x.len());
    x.words().iter().for_each(|&w| words.extend(std::iter::repeat_n(w, len)));
    AShare::new(x.bits(), words)
}

/// The sum of each row.
pub(super) fn row_sums(x: &AShare<u64>, len: usize) -> AShare<u64> {
    let sum = |row: &[u64]| row.iter().fold(0u64, |sum, x| sum.wrapping_add(*x));
    AShare::new(x.bits(), x.words().chunks_exact(len).map(sum).collect())
}

/// One-time material for giving numbers `to` instead of `scale` bits behind the point.
pub(super) struct Rescaling {
    /// Bits that go, or if negative, come.
    cut: i32,
    truncation: Option<Truncation>,
}

impl Rescaling {
    /// Offline, for `batch` numbers of `bits` bits.
    ///
    /// # Errors
    /// Those of [`Truncation::prepare`].
    pub(super) fn prepare(p: &mut dyn Source, bits: u32, scale: i32, to: u32, batch: usize) -> Result<Self> {
        let cut = scale - to as i32;
        let truncation = match cut {
            ..=0 => None,
            _ => Some(Truncation::prepare(p, bits, cut as u32, batch)?),
        };
        Ok(Self { cut, truncation })
    }

    /// What a number costs.
    pub(super) fn bill(scale: i32, to: u32) -> Bill {
        match scale - to as i32 {
            ..=0 => Bill::FREE,
            cut => Truncation::bill(cut as u32),
        }
    }

    /// Online: the same numbers, to the nearest unit or one beside it: a safe truncation, to which a unit is
    /// added: half for its own rounding and as much for that of the shares. 1 round, or none where bits are added. They
    /// must lie in `-2^(l-2) .. 2^(l-2)`. Spends the material.
    ///
    /// # Errors
    /// Those of [`Truncation::truncate`].
    pub(super) fn run(self, s: &mut Session, x: &AShare<u64>) -> Result<AShare<u64>> {
        match self.truncation {
            None => Ok(map(x, x.bits(), |w| w << -self.cut)),
            // Behind it, so that it takes nothing of the range.
            Some(truncation) => Ok(plus(s.role(), &truncation.truncate(s, x)?, 1)),
        }
    }
}

/// One-time material for products that are rescaled.
pub(super) struct RescaledProduct {
    product: Multiplication,
    rescaling: Rescaling,
}

impl RescaledProduct {
    /// Offline, for `batch` products of `bits` bits, with `to` instead of the `scale` bits that they have behind the
    /// point.
    ///
    /// # Errors
    /// As [`Multiplication::prepare`] and [`Rescaling::prepare`].
    pub(super) fn prepare(p: &mut dyn Source, bits: u32, scale: i32, to: u32, batch: usize) -> Result<Self> {
        let product = Multiplication::prepare(p, bits, batch)?;
        Ok(Self { product, rescaling: Rescaling::prepare(p, bits, scale, to, batch)? })
    }

    /// What a product costs.
    pub(super) fn bill(bits: u32, scale: i32, to: u32) -> Bill {
        Multiplication::bill(bits) + Rescaling::bill(scale, to)
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// As [`Multiplication::multiply`] and [`Rescaling::run`].
    pub(super) fn multiply(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<AShare<u64>> {
        self.with(s, x, y, |_, product| product.clone())
    }

    /// [`multiply`](Self::multiply), with a linear function of the product in its place before it is rescaled.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub(super) fn with(
        self,
        s: &mut Session,
        x: &AShare<u64>,
        y: &AShare<u64>,
        f: impl FnOnce(Role, &AShare<u64>) -> AShare<u64>,
    ) -> Result<AShare<u64>> {
        let product = self.product.multiply(s, x, y)?;
        self.rescaling.run(s, &f(s.role(), &product))
    }
}

/// One-time material for numbers in a larger ring; they are far from the ends of their own.
pub(super) struct Widening {
    bits: u32,
    /// None where the ring is the same.
    extension: Option<BoundedExtension>,
}

impl Widening {
    /// Offline, for `batch` numbers of l bits, to w bits.
    ///
    /// # Errors
    /// As [`BoundedExtension::prepare`].
    pub(super) fn prepare(p: &mut dyn Source, [l, w]: [u32; 2], batch: usize) -> Result<Self> {
        let extension = if l == w { None } else { Some(BoundedExtension::prepare(p, [l, w], batch)?) };
        Ok(Self { bits: w, extension })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// As [`BoundedExtension::bill`].
    pub(super) fn bill([l, w]: [u32; 2]) -> Result<Bill> {
        if l == w { Ok(Bill::FREE) } else { BoundedExtension::bill([l, w]) }
    }

    /// Online: signed numbers. Spends the material.
    ///
    /// # Errors
    /// As [`BoundedExtension::sign`].
    pub(super) fn sign<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        match self.extension {
            None => x.low_bits(self.bits),
            Some(extension) => extension.sign(s, x),
        }
    }

    /// Online: unsigned numbers. Spends the material.
    ///
    /// # Errors
    /// As [`BoundedExtension::zero`].
    pub(super) fn zero<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        match self.extension {
            None => x.low_bits(self.bits),
            Some(extension) => extension.zero(s, x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Party, run_pair};

    /// To a unit beside the nearest at most: all numbers of the range, in all shares.
    #[test]
    fn numbers_are_rescaled_up_to_the_ends() {
        for cut in 1..=4 {
            let all: Vec<(i64, u64)> = (-16..16).flat_map(|x| (0..64).map(move |first| (x, first))).collect();
            let run = |p: &mut Party| {
                let word = |(x, first): &(i64, u64)| match p.role() {
                    Role::P0 => *first,
                    Role::P1 => low((*x as u64).wrapping_sub(*first), 6),
                };
                let x = AShare::<u64>::new(6, all.iter().map(word).collect());
                let out = Rescaling::prepare(p, 6, cut, 0, all.len())?.run(p, &x)?;
                p.open(&out)
            };
            let pair = Party::pair_seeded(7).expect("two parties");
            let (found, _) = run_pair(pair, run, run).expect("an honest run");
            for ((x, first), found) in all.iter().zip(found) {
                let found = (found << 58) as i64 >> 58;
                let (lower, upper) = (x >> cut, (x >> cut) + 1);
                assert!(found == lower || found == upper, "{x} by 2^{cut} is {found}, share {first}");
            }
        }
    }
}
