//! Triples of products by a lattice: how they are cut, what they cost, and their making.
//!
//! # Functionality
//! Shares of uniform U and V of a shape, and of `U V`: `ProductTriples` spends them.
//!
//! # Protocol
//! Each party draws its part of both factors. It encrypts its part of one, and the other party multiplies it by its part of
//! the other one, as lattice/cross.rs has it; what both factors have of one party is local.
//!
//! # Cost
//! Offline twice what a product of a matrix of one party with one of the other costs, both in the same rounds unless one is
//! larger than what a channel holds, and no correlated OTs. Keys once a session, in both directions.
//!
//! # Source
//! Beaver (CRYPTO 1991); docs/spec/lattice-spec.md, sections 4 and 5.

use prim::ring::signed;
use zeroize::Zeroizing;

use super::{
    lattice::{Cross, Side, part},
    linear::LinearShape,
    matrix::MatrixShape,
};
use crate::{
    bill::{Bill, Effort, Objective, Once, Work},
    error::Result,
    net::Role,
    party::Party,
};

/// Triples of a shape by a lattice. Public, the same at both parties.
#[derive(Clone, Copy, Debug)]
pub struct LatticeTriplesJob {
    bits: u32,
    shape: MatrixShape,
    /// The products of one party's numbers with the other one's, P0 and P1 encrypting.
    crosses: [Cross; 2],
}

impl LatticeTriplesJob {
    /// Of numbers of `bits` bits, in the tiles that `objective` likes best.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for less than 8 bits, for a shape without a number, and where the noise fits no
    /// parameters.
    pub fn new(bits: u32, shape: MatrixShape, objective: Objective) -> Result<Self> {
        let products = LinearShape::from(shape).products()?;
        let of = |role| Cross::new(products, [bits, bits], &[Side::Left, Side::Right], role, objective);
        Ok(Self { bits, shape, crosses: [of(Role::P0)?, of(Role::P1)?] })
    }

    /// Width of the numbers.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The products.
    pub fn shape(&self) -> MatrixShape {
        self.shape
    }

    /// What the products cost, without the keys.
    pub fn bill(&self) -> Bill {
        let (shape, [p0, p1]) = (self.shape, &self.crosses);
        let made = if p0.is_held() { p0.bill().beside(p1.bill()) } else { p0.bill() + p1.bill() };
        let numbers = (shape.left() + shape.right()) as u64;
        let opened = u64::from(self.bits) * numbers;
        (made + Bill::opening(opened)).keeping(64 * (numbers + shape.out() as u64))
    }

    /// The keys that the session keeps.
    pub fn keys(&self) -> Once {
        self.crosses[0].keys().and(self.crosses[1].keys())
    }

    /// Makes the keys that the session keeps, where it has none, which takes 2 rounds.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        self.crosses.iter().try_for_each(|cross| cross.ready(p).map(drop))
    }

    /// What ways to the same products are compared by.
    pub(super) fn price(&self) -> f64 {
        self.crosses.iter().map(Cross::price).sum()
    }

    /// The work of the lattices, offline: each party encrypts for one of them and answers in the other.
    pub(super) fn work(&self) -> Work {
        self.crosses[0].work()
    }

    /// What the products take, the keys once.
    pub fn effort(&self) -> Effort {
        let (shape, bill) = (self.shape, self.bill());
        // Online two products of matrices, 3 to a nanosecond.
        let products = shape.out() as f64 * shape.inner as f64 * 2.0 / 3000.0;
        let [offline, online] = Work::of_batch(&bill);
        let effort = Effort::implied(bill).after(self.keys(), Work::default());
        // Each party answers what the other one encrypts.
        let memory = [0, 1].map(|party| effort.memory[party] + self.crosses[1 - party].memory());
        let local = [offline + self.work(), online + Work::vectors(products)];
        effort.working(local).remembering(memory)
    }

    /// This party's shares of U, V and their product, made with the peer.
    pub(super) fn made(&self, p: &mut Party) -> Result<[Zeroizing<Vec<u64>>; 3]> {
        let Self { bits, shape, crosses } = self;
        let s = p.session();
        let mut drawn = |count| {
            let mut words = Zeroizing::new(vec![0u64; count]);
            s.rng().words(*bits, &mut words);
            words
        };
        let (u, v) = (drawn(shape.left()), drawn(shape.right()));
        let mut product = Zeroizing::new(shape.local(&u, &v));
        let (left, right) = if crosses[0].encrypts_left() { (&u, &v) } else { (&v, &u) };
        let known: Zeroizing<Vec<i64>> = Zeroizing::new(right.iter().map(|x| signed(*x, *bits)).collect());
        let [encrypted, others] = crosses[0].sizes();
        let (encrypted, known) = (|i| part(left, i, encrypted), |i| part(&known, i, others));
        Cross::multiply(crosses, p, &encrypted, &known, &mut product)?;
        Ok([u, v, product])
    }
}
