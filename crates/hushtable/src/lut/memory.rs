//! How much memory lookups take, and how many are therefore done at once.

use prim::{ct, forest::LANES, lookup};

use super::{Job, Protocol, arithmetic, ottt};
use crate::{
    net::Role,
    onehot::{Cyclic, OneHot, tree},
};

/// Memory for a batch's material and messages.
const BATCH_BYTES: usize = 64 << 20;

impl Protocol {
    /// Bytes of memory that one lookup takes at a party, at most: its correlated OTs, what is made of them, and
    /// its messages. [`room`](Self::room) comes on top, and what connecting and extending OTs takes for any job.
    pub fn memory(self, job: &Job) -> usize {
        let (n, l) = (job.index_bits, job.value_bits);
        let entries = 1usize << n;
        let (send, recv) = self.cots(job, Role::P0, 2);
        let ots = 8 * (send + recv); // 16 bytes each
        match self {
            Self::SpLut => ots + entries * l as usize / 8,
            Self::SpLutKk13 => 64 + entries * l as usize / 8,
            Self::Tree if n > tree::LOW => {
                // The sign's correlated OTs come when those of the tree are spent.
                let (send, recv) = OneHot::<Cyclic>::tree_cots(Role::P0, n, 1);
                let sign = if job.signed() { REMOVAL + 2 * 16 + 4 * 16 } else { 0 };
                tree::material(n) + (16 * (send + recv) + tree::MAKING).max(sign)
            }
            Self::Rotl | Self::Doubling | Self::Staged | Self::Tree => ots + 32 + 16 * ct::row_words(entries),
            // Not all of its OTs are there at once.
            Self::Arithmetic => arithmetic::material(n, l) + arithmetic::making(n, l),
            // Its OTs at once, and the cross terms of the last product.
            Self::Balanced => 128 + 64 * ct::row_words(entries) + (64 << n.div_ceil(2)),
            // Triples, both operands and the products.
            Self::FlutePlus | Self::Flute => 128 + 2 * entries,
            Self::OpLut => 64 + 32 * n as usize + 8 * entries,
            // The same for a circuit at every index, and its OTs.
            Self::Ottt => 128 + 40 * entries * ottt::ands::<Cyclic>(n, l),
        }
    }

    /// Bytes of memory at a party however few lookups there are: the leaves and the rows of a group while rows are
    /// grown from trees, and the table as it is laid out for many lookups.
    pub fn room(self, job: &Job) -> usize {
        let entries = 1usize << job.index_bits;
        let table = match self {
            Self::SpLut | Self::SpLutKk13 | Self::OpLut | Self::Ottt | Self::Arithmetic => 0,
            _ => lookup::layout_bytes(entries, &[job.value_bits]),
        };
        table
            + match self {
                Self::Tree if job.index_bits > tree::LOW => 2 * LANES * entries / 8,
                Self::Arithmetic => 2 * LANES * entries * arithmetic::word_bits(job.value_bits) as usize / 8,
                _ => 0,
            }
    }

    /// Lookups whose material and messages stay in memory together, at most.
    pub fn most(self, job: &Job) -> usize {
        (BATCH_BYTES.saturating_sub(self.room(job)) / self.memory(job)).clamp(1, 1 << 18)
    }

    /// Sizes of the batches into which `rows` lookups are cut, so that a batch's material and messages stay
    /// in memory together.
    pub fn batches(self, job: &Job, rows: usize) -> impl Iterator<Item = usize> + use<> {
        let most = self.most(job);
        (0..rows).step_by(most).map(move |from| most.min(rows - from))
    }
}

/// Bytes of what removes the sign from one output: this party's bit and choice, its pads as sender and as
/// receiver.
const REMOVAL: usize = 8 + 8 + 16 + 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Party, Result,
        lut::{arithmetic::Arithmetic, protocol::Material},
        run_pair,
        share::{Additive, Sharing},
    };

    const BATCH: usize = 3 * LANES;

    fn job(index_bits: u32, value_bits: u32) -> Job {
        Job { index: Sharing::Additive, output: Sharing::Additive, index_bits, value_bits }
    }

    fn both(f: impl Fn(&mut Party) -> Result<usize> + Sync) {
        let same = |p: &mut Party| f(p);
        let (p0, p1) = run_pair(Party::pair_seeded(9).unwrap(), same, same).unwrap();
        assert_eq!(p0, p1, "both parties hold as much");
        assert_eq!(p0, 0, "bytes held beyond what the formula says");
    }

    #[test]
    fn the_material_of_trees_is_as_large_as_the_formula_says() {
        for (n, l) in [(8, 8), (9, 1), (11, 64), (12, 33), (14, 16)] {
            both(|p| {
                let job = job(n, l);
                let onehot = OneHot::<Cyclic>::tree(p, n, BATCH)?;
                let (held, sign) = (onehot.held(), if job.signed() { REMOVAL } else { 0 });
                let Material::<_, Additive, u64>::Signed(signed) = Material::reading(onehot, p, &job)? else {
                    unreachable!("the output is additive")
                };
                Ok(held + signed.removal_held() - BATCH * (tree::material(n) + sign))
            });
        }
    }

    #[test]
    fn additive_one_hot_material_is_as_large_as_the_formula_says() {
        for n in [1, 3, 5, 8, 12] {
            both(|p| {
                let words = Arithmetic::<Cyclic, u8>::prepare(p, n, 7, BATCH)?;
                Ok(words.held() - BATCH * arithmetic::material(n, 7))
            });
            both(|p| {
                let words = Arithmetic::<Cyclic, u64>::prepare(p, n, 64, BATCH)?;
                Ok(words.held() - BATCH * arithmetic::material(n, 64))
            });
        }
    }

    /// Trees are kept, not rows.
    #[test]
    fn large_tables_take_little_memory() {
        let tree = |n| Protocol::Tree.memory(&job(n, 64));
        assert!(tree(20) < (1 << 20) / 8 / 100, "{} bytes, not rows of 2^20 bits", tree(20));
        assert!(Protocol::Arithmetic.memory(&job(16, 64)) < 1500);
        assert!(Protocol::Staged.memory(&job(16, 64)) > (1 << 16) / 8, "rows");
    }
}
