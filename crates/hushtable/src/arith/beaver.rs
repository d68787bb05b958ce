//! Multiplication triples for numbers and matrices: products whose online phase only opens.
//!
//! # Functionality
//! *Offline*: additive shares of uniform U and V of a given shape, and of `U V`. *Online*: in
//! additive shares of A and B of that shape, out those of `A B`.
//!
//! # Protocol
//! Offline: Gilboa's products in both directions; the factor whose numbers are the bits of
//! correlated OTs is made of their random choices, so that nothing is corrected. Online:
//! 1. open `E = A - U` and `F = B - V`;
//! 2. `A B = U V + E V + U F + E F`, the last term at P0.
//!
//! Or by a lattice: [`LatticeTriplesJob`].
//!
//! # Cost, of `m x k` and `k x n` numbers of l bits
//! Offline `2 k min(m, n) l` correlated OTs and `m k n l (l + 1)` bits, 1 message each way. Online
//! `2 l k (m + n)` bits, 1 round.
//!
//! # Source
//! Beaver, "Efficient Multiparty Protocols Using Circuit Randomization" (CRYPTO 1991); Mohassel,
//! Zhang, "SecureML" (S&P 2017), for matrices.

use std::fmt;

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    lattice::sends_less,
    lattice_triples::LatticeTriplesJob,
    matrix::{Directions, MatrixShape, Mixed},
    product::{check_width, share, words},
};
use crate::{
    bill::{Bill, Objective},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// Both parties have shares of both factors.
const BOTH: Directions = Directions { left: true, right: true };

/// One-time material for products of a shape.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::ProductTriples};
/// fn twice(p: &mut Party, t: ProductTriples<u32>, x: &AShare<u32>) -> Result<()> {
///     t.multiply(p, x, x)?;
///     t.multiply(p, x, x)?; // use of moved value: `t`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct ProductTriples<R: Ring> {
    shape: MatrixShape,
    u: AShare<R>,
    v: AShare<R>,
    product: AShare<R>,
}

impl<R: Ring> ProductTriples<R> {
    /// Offline, 1 message each way: triples of a shape, of numbers of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for a width that `R` does not have, and those of the channel.
    pub fn random(p: &mut dyn Source, bits: u32, shape: MatrixShape) -> Result<Self> {
        check_width::<R>(bits)?;
        p.atom((bits, MatrixShape { batch: 1, ..shape }), shape.batch, |p| Self::make(p, bits, shape))
    }

    /// [`random`](Self::random), with the peer.
    fn make(p: &mut Party, bits: u32, shape: MatrixShape) -> Result<Self> {
        let mut drawn = |count| {
            let mut words = Zeroizing::new(vec![0u64; count]);
            p.rng().words(bits, &mut words);
            words
        };
        // The other factor is made of random choices.
        let right = shape.numbers_are_right();
        let given = drawn(if right { shape.left() } else { shape.right() });
        let both = Mixed::prepare(p, bits, shape, BOTH)?;
        let (made, mut mixed) = (both.random_numbers(), Zeroizing::new(vec![0; shape.out()]));
        both.add(p, (&given, &given), None, &mut mixed)?;
        let (u, v) = if right { (given, made) } else { (made, given) };
        let mut product = Zeroizing::new(shape.local(&u, &v));
        product.iter_mut().zip(mixed.iter()).for_each(|(a, b)| *a = a.wrapping_add(*b));
        Ok(Self { shape, u: share(bits, &u), v: share(bits, &v), product: share(bits, &product) })
    }

    /// Offline: the same by a lattice, in each direction one party encrypts.
    ///
    /// # Errors
    /// [`Error::Param`] for a width that `R` does not have, and those of the channel.
    pub fn by_lattice(p: &mut dyn Source, job: &LatticeTriplesJob) -> Result<Self> {
        let (bits, shape) = (job.bits(), job.shape());
        check_width::<R>(bits)?;
        p.atom((bits, MatrixShape { batch: 1, ..shape }), shape.batch, |p| {
            let [u, v, product] = job.made(p)?;
            Ok(Self { shape, u: share(bits, &u), v: share(bits, &v), product: share(bits, &product) })
        })
    }

    /// The products of a shape by a lattice, in the tiles that `objective` likes best, if that sends less than OTs do, keys for
    /// these products counted.
    pub fn suiting_lattice(bits: u32, shape: MatrixShape, objective: Objective) -> Option<LatticeTriplesJob> {
        let made = LatticeTriplesJob::new(bits, shape, objective).ok()?;
        sends_less([&made.bill(), &made.keys().bill()], &Self::bill(bits, shape)).then_some(made)
    }

    /// What products of a shape cost: made, and multiplied with.
    pub fn bill(bits: u32, shape: MatrixShape) -> Bill {
        let mixed = shape.mixed_bill(bits, BOTH);
        // Random numbers are not sent.
        let numbers = if shape.numbers_are_right() { shape.right() } else { shape.left() };
        let mut made = mixed.beside(mixed.swapped());
        made.online.bits.iter_mut().for_each(|b| *b -= numbers as u64 * u64::from(bits));
        let opened = u64::from(bits) * (shape.left() + shape.right()) as u64;
        // In words of the ring, however many bits count.
        let kept = 8 * size_of::<R>() as u64 * (shape.left() + shape.right() + shape.out()) as u64;
        let offline = Bill { cots: made.cots, offline: made.online, ..Bill::FREE };
        (offline + Bill::opening(opened)).keeping(kept)
    }

    /// Width of the numbers.
    pub fn bits(&self) -> u32 {
        self.u.bits()
    }

    /// What they are for.
    pub fn shape(&self) -> MatrixShape {
        self.shape
    }

    /// Cuts off the material for `batch` products, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, batch: usize) -> Result<Self> {
        let Some(left) = self.shape.batch.checked_sub(batch) else {
            return Err(Error::Shape { what: "products left", want: batch, got: self.shape.batch });
        };
        let shape = MatrixShape { batch, ..self.shape };
        self.shape.batch = left;
        let (u, v) = (self.u.split_off(self.shape.left()), self.v.split_off(self.shape.right()));
        Ok(Self { shape, u, v, product: self.product.split_off(self.shape.out()) })
    }

    /// Online, 1 round: shares of `A B`. Spends the triples.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those of the triples, and those of the channel.
    pub fn multiply(self, s: &mut Session, a: &AShare<R>, b: &AShare<R>) -> Result<AShare<R>> {
        let bits = self.u.bits();
        for (what, mine, other) in [("left factors", &self.u, a), ("right factors", &self.v, b)] {
            same(what, mine.len(), other.len())?;
            same("bits of the factors", bits as usize, other.bits() as usize)?;
        }
        // Public: U and V are uniform and mask nothing else.
        let mut masked = a - &self.u;
        masked.append(&(b - &self.v))?;
        let opened = s.open(&masked)?;
        let opened: Vec<u64> = opened.iter().map(|w| w.to_u64()).collect();
        let (e, f) = opened.split_at(a.len());
        // U F, and E (V + F) at P0.
        let mut right = words(self.v.words());
        if s.role() == Role::P0 {
            right.iter_mut().zip(f).for_each(|(v, f)| *v = low(v.wrapping_add(*f), bits));
        }
        let terms = [self.shape.local(e, &right), self.shape.local(&words(self.u.words()), f)];
        let mut out = words(self.product.words());
        for term in terms.map(Zeroizing::new) {
            out.iter_mut().zip(term.iter()).for_each(|(o, t)| *o = o.wrapping_add(*t));
        }
        Ok(share(bits, &out))
    }
}

/// By width, and by the shape of one product.
impl<R: Ring> Atom for ProductTriples<R> {
    type Form = (u32, MatrixShape);

    fn terms(&(bits, shape): &Self::Form) -> Terms {
        Terms::of("triples of products")
            .with("bits", bits)
            .with("rows", shape.rows)
            .with("inner", shape.inner)
            .with("columns", shape.columns)
    }

    fn encode(&self, to: &mut Writer) {
        [&self.u, &self.v, &self.product].iter().for_each(|share| to.words(share.words(), share.bits()));
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &(bits, shape): &Self::Form, batch: usize) -> Result<Self> {
        let shape = MatrixShape { batch, ..shape };
        let mut share = |count| Ok(AShare::new(bits, from.words(count, bits)?));
        let (u, v) = (share(shape.left())?, share(shape.right())?);
        Ok(Self { shape, u, v, product: share(shape.out())? })
    }

    fn take(&mut self, batch: usize) -> Result<Self> {
        Self::take(self, batch)
    }
}

/// Prints the shape only.
impl<R: Ring> fmt::Debug for ProductTriples<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProductTriples({:?}, {} bits)", self.shape, self.u.bits())
    }
}
