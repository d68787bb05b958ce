//! Forms that are drawn, and one party's part of what goes in.
#![allow(dead_code)] // not every test uses all of it

use std::sync::Arc;

use hushtable::{
    Role,
    circuit::{Draft, Form, Lit, TruthTable},
    gates::Bits,
};
use prim::{block::Block, prg::Prg};

/// A source of small numbers.
pub struct Dice(Prg);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Prg::new(Block(seed.into())))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.u64() as usize % bound
    }

    pub fn word(&mut self) -> u64 {
        self.0.u64()
    }

    fn lit(&mut self, all: &[Lit]) -> Lit {
        // Mostly what was made last, so that forms are deep.
        let from = if self.below(3) == 0 { 0 } else { all.len().saturating_sub(8) };
        all[from + self.below(all.len() - from)].negate_if(self.below(3) == 0)
    }
}

/// A form with so many inputs, of about so many gates: of lookups one in `lookups`, none if that is 0. Its outputs are some
/// of its wires, inputs and constants.
pub fn form(seed: u64, inputs: usize, gates: usize, lookups: usize) -> Form {
    let mut dice = Dice::new(seed);
    let mut d = Draft::new(inputs);
    let mut all = d.inputs();
    let mut tables = Vec::new();
    for _ in 0..gates {
        if lookups > 0 && dice.below(lookups) == 0 {
            if tables.is_empty() || dice.below(3) == 0 {
                let (inputs, outputs) = (1 + dice.below(5) as u32, 1 + dice.below(9) as u32);
                let row = |_| dice.word() >> (64 - outputs);
                tables.push(Arc::new(TruthTable::tabulate(inputs, outputs, row).expect("a table")));
            }
            let table = tables[dice.below(tables.len())].clone();
            let index: Vec<Lit> = (0..table.inputs()).map(|_| dice.lit(&all)).collect();
            all.extend(d.lookup(&table, &index));
            continue;
        }
        let (a, b) = (dice.lit(&all), dice.lit(&all));
        let made = match dice.below(5) {
            0 | 1 => d.xor(a, b),
            2 => {
                let c = dice.lit(&all);
                d.select(a, b, c)
            }
            _ => d.and(a, b),
        };
        all.push(made);
    }
    let count = 1 + dice.below(12);
    let outputs = (0..count).map(|_| match dice.below(10) {
        0 => Lit::TRUE,
        1 => Lit::FALSE,
        _ => dice.lit(&all),
    });
    let outputs = outputs.collect();
    d.finish("drawn", outputs)
}

/// Of each input of a form its bits for so many items, and who knows it: half of them nobody.
pub fn inputs(seed: u64, form: &Form, items: usize) -> Vec<(Vec<u64>, Option<Role>)> {
    let mut dice = Dice::new(seed ^ 0xf0);
    let known = [None, None, Some(Role::P0), Some(Role::P1)];
    let each = |_| {
        let known = known[dice.below(4)];
        ((0..items.div_ceil(64)).map(|_| dice.word()).collect(), known)
    };
    (0..form.inputs()).map(each).collect()
}

/// Who knows each of them.
pub fn known(inputs: &[(Vec<u64>, Option<Role>)]) -> Vec<Option<Role>> {
    inputs.iter().map(|(_, known)| *known).collect()
}

/// The party's part. Of what the peer knows it gives what must not count.
pub fn part(role: Role, inputs: &[(Vec<u64>, Option<Role>)], items: usize) -> Vec<Bits> {
    let mut dice = Dice::new(0x5ee);
    let part = |(words, known): &(Vec<u64>, Option<Role>)| {
        let words = words.iter().map(|word| {
            let mask = dice.word();
            match known {
                Some(known) if *known == role => *word,
                None if role == Role::P0 => word ^ mask,
                _ => mask,
            }
        });
        Bits::new(items, words.collect())
    };
    inputs.iter().map(part).collect()
}

/// What comes out, in words of 64 items; bits behind the last item are zeros.
pub fn outputs(form: &Form, inputs: &[(Vec<u64>, Option<Role>)], items: usize) -> Vec<Vec<u64>> {
    let mut out = vec![Vec::new(); form.outputs().len()];
    for word in 0..items.div_ceil(64) {
        let given: Vec<u64> = inputs.iter().map(|(words, _)| words[word]).collect();
        let left = items - 64 * word;
        let mask = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        out.iter_mut().zip(form.eval(&given)).for_each(|(out, made)| out.push(made & mask));
    }
    out
}

/// So many lookups of 4 bits in a table of 4, one after the other.
pub fn chain(lookups: usize) -> Form {
    let table = Arc::new(TruthTable::tabulate(4, 4, |row| (row * 7 % 16) ^ 9).expect("a table"));
    let mut d = Draft::new(4);
    let inputs = d.inputs();
    let outputs = (0..lookups).fold(inputs, |wires, _| d.lookup(&table, &wires));
    d.finish("luts", outputs)
}
