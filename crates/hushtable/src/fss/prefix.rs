//! Keys of a function with a payload for every prefix of a secret position.
//!
//! # Functionality
//! In: shares of payloads, for each length of a prefix of a position of d bits; later XOR shares of the position.
//! Out: keys which for any public prefixes of any length, and any number of times, give shares of the payload of this
//! length if the position begins so, and of 0 otherwise.
//!
//! # Protocol
//! As [`super::point`], with all bits in the tree: the nodes of every level are corrected like leaves, in the passes
//! that grow the tree; one selection for all signs, and one opening. The position is shared by XOR, because an opened
//! difference of integers does not move prefixes to prefixes; bits of an additive position come from a decomposition.
//!
//! # Cost
//! For d bits and payloads of l bits `256 d + 2 d l` bits, for additive ones besides `2 d l`; `d + 1` rounds, two
//! more for additive ones (one for a position of one bit). Online `2 d` bits, 1 round.
//!
//! # Source
//! fss-spec 3 with a final word for every level. Boneh et al., "Lightweight Techniques for Private Heavy Hitters" (S&P
//! 2021), with dealers in place of the two parties.

use std::ops::Range;

use prim::{Wiped, forest::LANES};

use super::{
    function::{Function, Placed, Unplaced},
    keys::{Nodes, Plan},
    layout::KeyShape,
    make,
    point::plan_of,
};
use crate::{
    bill::Bill,
    error::{Error, Result},
    party::Party,
    share::{BShare, Kind, Share},
    tree::Xor,
};

/// The function of an [`Incremental`].
pub struct Prefixes;

impl Function for Prefixes {
    const NAME: &'static str = "Incremental";
}

/// Keys of an incremental distributed point function.
pub type Incremental<K> = Placed<Prefixes, Xor, K>;

impl<K: Kind> Incremental<K> {
    /// Offline: keys with a payload for each length of a prefix, from 1 on; of each a batch for each word.
    ///
    /// # Errors
    /// As [`Dpf::prepare`](super::Dpf::prepare).
    pub fn prepare(p: &mut Party, payload: &[Vec<Share<K, u64>>]) -> Result<Unplaced<Prefixes, Xor, K>> {
        let payload: Vec<&make::Payload<K>> = payload.iter().map(Vec::as_slice).collect();
        let (plan, batch) = plan_of(payload.len() as u32, payload.first().unwrap_or(&&[][..]), Nodes::Each)?;
        make::make(p, plan, batch, &payload).map(Unplaced::of)
    }

    /// Keys at these positions, with these payloads.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn new(p: &mut Party, position: &BShare<u32>, payload: &[Vec<Share<K, u64>>]) -> Result<Self> {
        Self::prepare(p, payload)?.at(p, position)
    }

    /// What a key costs.
    ///
    /// # Errors
    /// [`Error::Param`] if there are none of this shape.
    pub fn bill(shape: KeyShape) -> Result<Bill> {
        Ok(make::bill::<Xor>(&Plan::new::<K>(shape, false, Nodes::Each)?))
    }

    /// Shares of each function's value for a public prefix of `length` bits of its own, a batch of each word.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a prefix for each key, and [`Error::Param`] if one lies outside or there is
    /// no such length.
    pub fn eval(&self, length: u32, prefixes: &[u32]) -> Result<Vec<Share<K, u64>>> {
        let (keys, shape) = (&self.0, self.0.plan.shape);
        self.check_length(length)?;
        keys.check_points(prefixes, length)?;
        let (_, layout) = keys.level(length);
        let column = || Wiped::from(Vec::with_capacity(prefixes.len()));
        let mut columns: Vec<Wiped<u64>> = (0..shape.words).map(|_| column()).collect();
        for (prefixes, first) in prefixes.chunks(LANES).zip((0..).step_by(LANES)) {
            let moved = |(key, &x): (usize, &u32)| (key, x ^ keys.shifts()[key] >> (shape.position - length));
            let nodes: Vec<_> = (first..).zip(prefixes).map(moved).collect();
            for blocks in keys.nodes(length, &nodes).chunks_exact(layout.blocks) {
                for (word, column) in (0..).zip(&mut columns) {
                    column.push(keys.value(&layout, blocks, 0, word));
                }
            }
        }
        Ok(columns.into_iter().map(|column| Share::new(shape.bits, column.into_vec())).collect())
    }

    /// Shares of all functions' values for a range of prefixes of `length` bits, as
    /// [`Dpf::eval_range`](super::Dpf::eval_range).
    ///
    /// # Errors
    /// [`Error::Param`] if the range lies outside or there is no such length.
    pub fn eval_range(
        &self,
        length: u32,
        range: Range<u32>,
        mut read: impl FnMut(usize, u32, &[u64]),
    ) -> Result<()> {
        self.check_length(length)?;
        self.0.level_range(length, range, &mut read)
    }

    fn check_length(&self, length: u32) -> Result<()> {
        let most = self.0.plan.shape.position;
        match (1..=most).contains(&length) {
            true => Ok(()),
            false => {
                let (what, got) = ("bits of a prefix", length.to_string());
                Err(Error::Param { what, got, accepted: format!("1 to {most}") })
            }
        }
    }
}
