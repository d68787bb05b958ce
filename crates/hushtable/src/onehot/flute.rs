//! FLUTE+: a shared one-hot vector from the AND gates of all products of the position's bits.
//!
//! # Functionality
//! As `onehot::doubling`: shares of `e_s` and of the uniform `s`.
//!
//! # Protocol
//! The position's bits `s_j` are shared and random, `A_Q` is the product of those with j in Q.
//! 1. All `A_Q` by AND gates, each from two halves of Q: `n - d - 1` gates in `ceil(log2 d)` rounds,
//!    bit-sliced over the batch;
//! 2. with `w_Q := A_Q`, and `w_{} := 1` at P0: for every bit j and every i without it
//!    `w_i ^= w_{i | 2^j}`, the superset (Moebius) transform, local. Now `w = e_s`.
//!
//! # Cost
//! `4 (n - d - 1)` bits and `2 (n - d - 1)` correlated OTs a lookup, `ceil(log2 d)` rounds, for n
//! entries and `d = log2 n`. In the cyclic group `d (d - 1) / 2` bits, `d - 1` correlated OTs and one
//! round more.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 6. Deviation: the transform gives `e_s` itself; as
//! printed it reads past the end, and corrected it is one-hot at the complement of s.

use std::collections::BTreeMap;

use prim::{ct, transpose::transpose64};
use zeroize::Zeroizing;

use super::{Generator, Group, MAX_FLUTE_BITS, OneHot, check_index_bits, lift::Position};
use crate::{
    bill::{Bill, Phase, Step, Work},
    error::Result,
    gates::{Bits, Triples, and_pairs},
    net::Role,
    party::Party,
};

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 12`, in `ceil(log2 d)`
    /// rounds (one more in the cyclic group).
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn flute_plus(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_FLUTE_BITS)?;
        let position = Position::draw::<G>(p, d, batch)?;
        let all = (1 << d) - 1;
        let products = subset_products(p, &position.bits, &[all])?;
        Self::new(d, position.shares()?, one_hot_rows(p.role(), &products, all, batch))
    }
}

/// Products of shared bits by the set of their numbers, as a mask.
pub(crate) type SubsetProducts = BTreeMap<u64, Bits>;

/// Step 1: the products of all non-empty subsets of each of `sets`, those in common once.
pub(crate) fn subset_products(p: &mut Party, bits: &[Bits], sets: &[u64]) -> Result<SubsetProducts> {
    let batch = bits.first().map_or(0, Bits::len);
    let mut wanted: Vec<u64> =
        sets.iter().flat_map(|&set| subsets(set)).filter(|q| q.count_ones() > 1).collect();
    wanted.sort_unstable_by_key(|q| (q.count_ones(), *q));
    wanted.dedup();
    let mut triples = Triples::random(p, wanted.len() * batch)?;
    let mut products: SubsetProducts = bits.iter().enumerate().map(|(j, b)| (1 << j, b.clone())).collect();
    // Sets of up to 2, 4, 8 .. bits: both halves are there.
    for round in wanted.chunk_by(|a, b| depth(*a) == depth(*b)) {
        let halves = round.iter().map(|&q| (&products[&low_half(q)], &products[&(q ^ low_half(q))]));
        let pairs: Vec<(&Bits, &Bits)> = halves.collect();
        let material = triples.take(round.len() * batch)?;
        let made = and_pairs(p, material, &pairs)?;
        products.extend(round.iter().copied().zip(made));
    }
    Ok(products)
}

/// Step 2 for the subsets of `set`, and the rows of the one-hot vectors.
pub(crate) fn one_hot_rows(role: Role, products: &SubsetProducts, set: u64, batch: usize) -> Vec<u64> {
    let one = (role as u64).wrapping_sub(1); // all ones at P0
    // The subset of `set` whose k-th bit is there for bit k of i, for i = 1, 2 ..
    let planes: Vec<&[u64]> = subsets(set).map(|q| products[&q].words()).collect();
    let entries = planes.len() + 1;
    let words = ct::row_words(entries);
    let mut rows = vec![0; batch * words];
    let mut column = Zeroizing::new(vec![0; entries.max(64)]);
    for (group, rows) in rows.chunks_mut(64 * words).enumerate() {
        column[0] = one;
        column[1..].iter_mut().zip(&planes).for_each(|(w, plane)| *w = plane[group]);
        for j in 0..entries.ilog2() {
            for pair in column[..entries].chunks_exact_mut(2 << j) {
                let (without, with) = pair.split_at_mut(1 << j);
                without.iter_mut().zip(with).for_each(|(a, b)| *a ^= *b);
            }
        }
        let (squares, _) = column.as_chunks_mut::<64>();
        transpose64(squares);
        for (w, square) in squares.iter_mut().enumerate() {
            rows.iter_mut().skip(w).step_by(words).zip(square.iter()).for_each(|(row, word)| *row = *word);
            square.fill(0);
        }
    }
    rows
}

/// The non-empty subsets, in increasing order.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let next = move |q: &u64| Some(q.wrapping_sub(set) & set).filter(|&q| q != 0);
    std::iter::successors(next(&0), next)
}

/// The lower half of a set, rounded down.
fn low_half(set: u64) -> u64 {
    (0..set.count_ones().div_ceil(2)).fold(set, |rest, _| rest & !(1 << rest.ilog2()))
}

/// Rounds of ANDs that make the product of a set.
fn depth(set: u64) -> u32 {
    set.count_ones().next_power_of_two().ilog2()
}

/// [`OneHot::flute_plus`].
pub(crate) struct FlutePlus;

impl Generator for FlutePlus {
    const NAME: &'static str = "fluteplus";
    const ABOUT: &'static str = "one-hot vectors by AND gates";
    const NUMBER: u8 = 9;
    const MAX_BITS: u32 = MAX_FLUTE_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::flute_plus(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        (Position::bill::<G>(d) + products_bill(d)).keeping((1 << d) + 32).times(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        Position::work::<G>(d) + Work::triples(products(d)) + Work::index() + Work::row(1 << d)
    }

    fn steps<G: Group>(d: u32, batch: usize) -> Vec<Step> {
        Position::steps::<G>(d, batch, &Self::bill::<G>(d, batch))
    }

    fn memory(d: u32, _cots: usize, _removal: usize) -> usize {
        // Triples, both operands and the products.
        128 + (2 << d)
    }
}

/// Of d bits, of two and more.
pub(crate) fn products(d: u32) -> usize {
    (1 << d) - d as usize - 1
}

/// What all products of d shared bits cost, offline.
pub(crate) fn products_bill(d: u32) -> Bill {
    let ands = Triples::bill(1).times(products(d));
    let rounds = d.next_power_of_two().trailing_zeros();
    Bill { cots: ands.cots, offline: Phase { rounds, ..ands.online }, ..Bill::FREE }
}
