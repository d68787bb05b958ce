//! What protocols say of their memory.

use prim::forest::LANES;

use super::*;
use crate::{
    lut::{
        arithmetic::{self, Arithmetic},
        vectors::REMOVAL,
    },
    onehot::{Cyclic, OneHot, tree},
    party::{Party, run_pair},
    share::Sharing,
};

const BATCH: usize = 3 * LANES;

fn job(index_bits: u32, value_bits: u32) -> LookupJob {
    LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits, value_bits }
}

/// `f` says how many bytes are held and how many they should be.
fn both(f: impl Fn(&mut Party) -> Result<(usize, usize)> + Sync) {
    let same = |p: &mut Party| f(p);
    let (p0, p1) = run_pair(Party::pair_seeded(9).unwrap(), same, same).unwrap();
    assert_eq!(p0, p1, "both parties hold as much");
    assert_eq!(p0.0, p0.1, "bytes held, and what the formula says");
}

#[test]
fn the_material_of_trees_is_as_large_as_the_formula_says() {
    for (d, l) in [(8, 8), (9, 1), (11, 64), (12, 33), (14, 16)] {
        both(|p| {
            let onehot = OneHot::<Cyclic>::tree(p, d, BATCH)?;
            let (held, sign) = (onehot.held(), if job(d, l).signed() { REMOVAL } else { 0 });
            let removal = onehot.signed(p, &[l])?.removal_held();
            Ok((held + removal, BATCH * (tree::material(d) + sign)))
        });
    }
}

#[test]
fn additive_one_hot_material_is_as_large_as_the_formula_says() {
    for d in [1, 3, 5, 8, 12] {
        both(|p| {
            let words = Arithmetic::<Cyclic, u8>::prepare(p, d, 7, BATCH)?;
            Ok((words.held(), BATCH * arithmetic::material(d, 7)))
        });
        both(|p| {
            let words = Arithmetic::<Cyclic, u64>::prepare(p, d, 64, BATCH)?;
            Ok((words.held(), BATCH * arithmetic::material(d, 64)))
        });
    }
}

/// Trees are kept, not rows.
#[test]
fn large_tables_take_little_memory() {
    let tree = |d| Protocol::Tree.memory(&job(d, 64));
    assert!(tree(20) < (1 << 20) / 8 / 100, "{} bytes, not rows of 2^20 bits", tree(20));
    assert!(Protocol::Arithmetic.memory(&job(16, 64)) < 1500);
    assert!(Protocol::Staged.memory(&job(16, 64)) > (1 << 16) / 8, "rows");
}
