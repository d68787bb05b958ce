//! How few ANDs make a function of a few bits.
//!
//! A function of at most four bits takes three ANDs at most; some of five bits take two. XORs being free, functions that
//! differ by a sum of inputs take the same ones, so that the tables hold one of each such class.

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

/// Most inputs.
pub const MOST: usize = 5;

/// The truth tables of the inputs.
pub const INPUTS: [u32; MOST] = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00, 0xffff_0000];

/// A function up to a sum of inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recipe {
    /// Each AND's two sides: bits 0 to 4 for the inputs that are summed, bits 5 to 7 for earlier ANDs.
    pub steps: [(u8, u8); 3],
    pub ands: usize,
    /// Which ANDs are summed.
    pub sum: u8,
}

/// The function less the sum of inputs that agrees with it where at most one input is 1, and that sum: bits 0 to 4 for
/// the inputs, bit 5 for a complement.
pub fn reduced(table: u32) -> (u32, u8) {
    let mut left = table;
    let mut sum = 0;
    if left & 1 == 1 {
        left = !left;
        sum = 1 << MOST;
    }
    for (i, input) in INPUTS.iter().enumerate() {
        if left >> (1 << i) & 1 == 1 {
            left ^= input;
            sum |= 1 << i;
        }
    }
    (left, sum)
}

/// How to make a function with few ANDs, where that is known. Its table repeats itself if it has fewer inputs than five.
pub fn recipe(reduced: u32) -> Option<&'static Recipe> {
    static KNOWN: OnceLock<HashMap<u32, Recipe>> = OnceLock::new();
    KNOWN.get_or_init(search).get(&reduced)
}

/// Functions of four bits, up to such sums.
const OF_FOUR: usize = 1 << 11;

fn search() -> HashMap<u32, Recipe> {
    let mut known = HashMap::from([(0, Recipe::default())]);
    // With four inputs to the end, then with five as far as two ANDs.
    for (inputs, ands) in [(4, 3), (5, 2)] {
        let mut found = Search { inputs, known: &mut known, tables: vec![0] };
        found.tables = sums(&INPUTS[..inputs]);
        (1..=ands).for_each(|ands| found.step(ands, &mut Recipe::default()));
    }
    known
}

/// The sums of any of these, numbered by which.
fn sums(of: &[u32]) -> Vec<u32> {
    of.iter().fold(vec![0], |mut all, one| {
        let more: Vec<u32> = all.iter().map(|sum| sum ^ one).collect();
        all.extend(more);
        all
    })
}

struct Search<'a> {
    inputs: usize,
    known: &'a mut HashMap<u32, Recipe>,
    /// Of all sums of inputs and of the ANDs so far.
    tables: Vec<u32>,
}

impl Search<'_> {
    /// All functions that take so many more ANDs after these, each AND one that no sum of earlier ones is.
    fn step(&mut self, more: usize, so_far: &mut Recipe) {
        let done = so_far.ands;
        let mut seen = HashSet::new();
        for u in 1..self.tables.len() {
            for v in 1..u {
                if self.inputs == 4 && self.known.len() == OF_FOUR {
                    return;
                }
                let (product, _) = reduced(self.tables[u] & self.tables[v]);
                if product == 0 || !seen.insert(product) {
                    continue;
                }
                so_far.steps[done] = (self.sides(u), self.sides(v));
                so_far.ands = done + 1;
                if more > 1 {
                    let size = self.tables.len();
                    let last = self.tables[u] & self.tables[v];
                    self.tables.extend_from_within(..);
                    self.tables[size..].iter_mut().for_each(|sum| *sum ^= last);
                    self.step(more - 1, so_far);
                    self.tables.truncate(size);
                } else {
                    self.keep(u, v, so_far);
                }
                so_far.ands = done;
            }
        }
    }

    /// The sums of the last AND with earlier ones.
    fn keep(&mut self, u: usize, v: usize, made: &Recipe) {
        let last = self.tables[u] & self.tables[v];
        let earlier = made.ands - 1;
        for sum in 0..1usize << earlier {
            let (function, _) = reduced(last ^ self.tables[sum << self.inputs]);
            let recipe = Recipe { sum: sum as u8 | 1 << earlier, ..*made };
            self.known.entry(function).or_insert(recipe);
        }
    }

    /// A sum's number as a recipe has it, whose ANDs come after five inputs.
    fn sides(&self, number: usize) -> u8 {
        let inputs = number & ((1 << self.inputs) - 1);
        (inputs | number >> self.inputs << MOST) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a recipe.
    fn made(recipe: &Recipe) -> u32 {
        let mut terms = INPUTS.to_vec();
        let sum = |terms: &[u32], which: u8| {
            terms.iter().enumerate().filter(|(i, _)| which >> i & 1 == 1).fold(0, |all, (_, term)| all ^ term)
        };
        for (u, v) in &recipe.steps[..recipe.ands] {
            terms.push(sum(&terms, *u) & sum(&terms, *v));
        }
        sum(&terms[MOST..], recipe.sum)
    }

    #[test]
    fn all_functions_of_four_bits_are_known() {
        let mut counts = [0; 4];
        for table in 0..1u32 << 16 {
            let (left, sum) = reduced(table | table << 16);
            let recipe = recipe(left).expect("a recipe");
            counts[recipe.ands] += 1;
            assert_eq!(reduced(made(recipe)).0, left);
            assert!(sum < 64);
        }
        // As published: of 65536 functions so many take 0, 1, 2 and 3 ANDs.
        assert_eq!(counts, [32, 1120, 31616, 32768]);
    }
}
