//! Carries of shared numbers into any place.
//!
//! # Functionality
//! In: additive shares `x_0`, `x_1` mod `2^l`. Out: XOR shares of the carry into bit k of their sum,
//! `1{(x_0 mod 2^k) + (x_1 mod 2^k) >= 2^k}`, for `1 <= k <= l`.
//!
//! # Protocol
//! It is `1{2^k - 1 - x_0 < x_1}` of the low k bits: millionaires'.
//!
//! # Cost
//! That of the comparison of numbers of k bits.
//!
//! # Source
//! Rathee et al., "CrypTFlow2" (CCS 2020), section 4; Hou et al., "ROTL" (PoPETs 2026), section 7,
//! where the number compared is `2^k - x_p`: that has `k + 1` bits for `x_p = 0`, and reduced to k
//! bits the result is wrong.

use prim::ring::low;
use zeroize::Zeroizing;

use super::{millionaires::Millionaires, plan::ComparePlan};
use crate::{bill::Bill, error::Result, gates::Bits, net::Role, session::Session, source::Source};

/// One-time material for a batch of carries into bit k.
pub(super) struct Carry {
    k: u32,
    less: Millionaires,
}

impl Carry {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= k <= 64`, and those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, k: u32, plan: ComparePlan, batch: usize) -> Result<Self> {
        Ok(Self { k, less: Millionaires::prepare(p, k, plan, batch)? })
    }

    /// What a carry costs.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(super) fn bill(k: u32, plan: ComparePlan) -> Result<Bill> {
        plan.bill(k)
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many numbers as carries, and those of
    /// the channel.
    pub(super) fn of(self, s: &mut Session, x: &[u64]) -> Result<Bits> {
        self.of_each(s, x.iter().copied())
    }

    /// [`of`](Self::of), of numbers that stand nowhere yet.
    pub(super) fn of_each(self, s: &mut Session, x: impl ExactSizeIterator<Item = u64>) -> Result<Bits> {
        // 2^k - 1 - x is the complement of x.
        let flip = match s.role() {
            Role::P0 => u64::MAX,
            Role::P1 => 0,
        };
        let mine = Zeroizing::new(x.map(|x| low(x ^ flip, self.k)).collect::<Vec<u64>>());
        self.less.less(s, &mine)
    }
}
