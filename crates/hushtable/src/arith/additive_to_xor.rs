//! Numbers that are shared additively as XOR shares of their bits.
//!
//! # Functionality
//! In: additive shares of x mod `2^l`. Out: XOR shares of the l bits of x.
//!
//! # Protocol
//! The sum of both shares, of which each party knows one. Bit i makes a carry if both shares have it, and passes one on if
//! one of them has. A party knows each bit of its share: an AND of two such bits is a product of a correlated OT. A prefix
//! tree of ANDs finds the carries.
//!
//! # Cost
//! Nothing for one bit. Else `l - 1` correlated OTs from P0, with 2 bits each, in a round; for the tree
//! `ceil(log2 (l - 1))` rounds more, 6 bits and 2 correlated OTs for a pair of prefixes, 4 bits where the lower one begins
//! at bit 0: [`AdditiveToXor::bill`].
//!
//! # Source
//! Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-B, by an adder after Sklansky (1960).

use std::sync::Arc;

use prim::ring::Ring;

use super::decompose::prefix_tree;
use crate::{
    bill::Bill,
    circuit::{Builder, Layers, Made, Netlist, Span},
    error::{Error, Result, same},
    gates::Bits,
    net::Role,
    session::Session,
    share::{AShare, BShare},
    source::Source,
};

/// One-time material for a batch of conversions.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Result, arith::AdditiveToXor, session::Session};
/// fn twice(s: &mut Session, m: AdditiveToXor, x: &AShare<u64>) -> Result<()> {
///     m.bits(s, x)?;
///     m.bits(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct AdditiveToXor {
    bits: u32,
    adder: Layers,
}

impl AdditiveToXor {
    /// Offline, for `count` numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, count: usize) -> Result<Self> {
        Ok(Self { bits, adder: Layers::prepare(p, &adder(bits)?, count)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for another width.
    pub fn bill(bits: u32) -> Result<Bill> {
        let adder = adder(bits)?;
        Ok(Layers::bill(&adder, 1))
    }

    /// Numbers there is material for.
    pub fn len(&self) -> usize {
        self.adder.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.adder.is_empty()
    }

    /// Online: XOR shares of the bits, in words. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many numbers of the width prepared for, and those of the channel.
    pub fn bits<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<BShare<R>> {
        same("numbers to convert", self.len(), x.len())?;
        same("bits of the numbers to convert", self.bits as usize, x.bits() as usize)?;
        let mine = Bits::from_share(&BShare::<R>::new(self.bits, x.words().to_vec()));
        let others = mine.iter().map(|bits| Bits::zeros(bits.len())).collect();
        let [of_p0, of_p1] = match s.role() {
            Role::P0 => [mine, others],
            Role::P1 => [others, mine],
        };
        Bits::to_share(&self.adder.eval(s, [of_p0, of_p1].concat())?)
    }
}

/// The sum of a number of P0 and one of P1: bits of the first, then of the second, the lowest ones first.
fn adder(bits: u32) -> Result<Arc<Netlist>> {
    if !(1..=64).contains(&bits) {
        let (what, accepted) = ("width of a conversion", "1 to 64".into());
        return Err(Error::Param { what, got: bits.to_string(), accepted });
    }
    static MADE: Made<u32> = Made::new();
    Ok(MADE.get(bits, || {
        let mut b = Builder::new(&[1, 2]);
        let mut number = |role| -> Vec<_> { (0..bits).map(|_| b.input(Span::Each(1), Some(role))).collect() };
        let (x, y) = (number(Role::P0), number(Role::P1));
        let mut sums: Vec<_> = x.iter().zip(&y).map(|(x, y)| b.xor(&[*x, *y])).collect();
        let below = bits as usize - 1;
        if below > 0 {
            let pairs: Vec<_> = x.iter().zip(y.chunks(1)).take(below).map(|(x, y)| (*x, y)).collect();
            let makes = b.products(&pairs);
            let carries = prefix_tree(&mut b, makes, sums[1..below].to_vec());
            for (sum, carry) in sums[1..].iter_mut().zip(carries) {
                *sum = b.xor(&[*sum, carry]);
            }
        }
        b.finish(&sums)
    }))
}
