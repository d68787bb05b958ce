//! Mapped forms against those they were made of.

use std::sync::Arc;

use logic::{Draft, Form, Lit, TruthTable};

use super::*;

/// Numbers that look drawn.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        self.word() as usize % bound
    }
}

fn drawn(seed: u64) -> Form {
    let mut dice = Dice(seed);
    let mut d = Draft::new(1 + dice.below(20));
    let mut all = d.inputs();
    let table = Arc::new(TruthTable::tabulate(3, 4, |_| dice.word() & 15).expect("a table"));
    for _ in 0..dice.below(150) {
        let from = if dice.below(3) == 0 { 0 } else { all.len().saturating_sub(10) };
        let mut lit = || all[from + dice.below(all.len() - from)].negate_if(dice.below(3) == 0);
        let (a, b, c) = (lit(), lit(), lit());
        match dice.below(12) {
            0..=4 => all.push(d.xor(a, b)),
            5..=9 => all.push(d.and(a, b)),
            10 => all.push(d.select(a, b, c)),
            _ if seed.is_multiple_of(2) => all.extend(d.lookup(&table, &[a, b, c])),
            _ => {}
        }
    }
    let outputs = (0..1 + dice.below(10)).map(|_| all[dice.below(all.len())].negate_if(dice.below(2) == 0));
    let outputs = outputs.collect();
    d.finish("ands", outputs)
}

fn same(a: &Form, b: &Form, seed: u64) {
    let mut dice = Dice(seed);
    for _ in 0..64 {
        let inputs: Vec<u64> = (0..a.inputs()).map(|_| dice.word()).collect();
        assert_eq!(a.eval(&inputs), b.eval(&inputs), "seed {seed}");
    }
}

/// Costs like those of one-hot vectors by doubling, in bits.
fn by_doubling(inputs: u32, _outputs: u32) -> f64 {
    f64::from((2 << inputs) - 2)
}

/// Like those of SP-LUT.
fn by_splut(inputs: u32, outputs: u32) -> f64 {
    f64::from(inputs) + f64::from(((1 << inputs) - 1) * outputs)
}

#[test]
fn drawn_forms_compute_the_same() {
    for seed in 0..200 {
        let form = drawn(seed);
        let most = 2 + seed as usize % 11;
        for lookup in [&by_doubling as &dyn Fn(u32, u32) -> f64, &by_splut] {
            let costs = Costs { lookup, and: 6.0 };
            let sums = Sums::of(&form);
            for shallow in [true, false] {
                let found = mapped(&form, &sums, &costs, most, shallow);
                same(&form, &found, seed);
                assert!(!shallow || found.depth() <= form.depth(), "seed {seed}");
                let widest = found.tables().iter().map(|table| table.inputs()).max();
                let old = form.tables().len() as u32 * 3;
                assert!(widest.unwrap_or(0) <= (most as u32).max(old), "seed {seed}");
            }
        }
    }
}

/// A ripple-carry adder: 32 layers become a few.
#[test]
fn carries_become_lookups() {
    let mut d = Draft::new(64);
    let x = d.inputs();
    let (mut carry, mut out) = (Lit::FALSE, Vec::new());
    for i in 0..32 {
        let (a, b) = (d.xor(x[i], carry), d.xor(x[32 + i], carry));
        let both = d.and(a, b);
        let sum = d.xor(a, x[32 + i]);
        out.push(sum);
        carry = d.xor(both, carry);
    }
    let form = d.finish("ands", out);
    let costs = Costs { lookup: &by_doubling, and: 6.0 };
    let found = lookups(&form, 8, &costs, &|form| form.depth() as f64);
    same(&form, &found, 1);
    assert!(found.depth() <= 10, "{} layers: {:?}", found.depth(), found.layers());
}
