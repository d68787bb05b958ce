//! Which wire of one form a gate of another one makes: guessed by the values for inputs by chance, then proven with all
//! values of what the gate reads. Apart from the mapping, which has cones and bases of its own: a proof by the same code
//! would make its mistakes again.

use std::{collections::HashMap, rc::Rc};

use logic::{Form, Gate, Lit};

use super::sum::{Basis, Sum};
use crate::patterns::{counted, random};

/// Most wires between what a gate reads and what it makes.
const LARGEST: usize = 4096;
/// Most wires with the same values that are tried.
const TRIED: usize = 256;

/// The values of a wire for inputs by chance, or their complements: the first bit is 0.
type Values = [u64; 8];

/// The values of all wires of a form for the same inputs, and which ones are complements.
pub fn values(form: &Form) -> Vec<(Values, bool)> {
    let mut chance = 2;
    let mut all = vec![Values::default(); form.wires()];
    let mut wires = vec![0; form.wires()];
    for word in 0..Values::default().len() {
        let inputs: Vec<u64> = inputs(form.inputs(), word, &mut chance);
        form.eval_in(&inputs, &mut wires);
        all.iter_mut().zip(&wires).for_each(|(values, wire)| values[word] = *wire);
    }
    let first = |values: Values| {
        let negated = values[0] & 1 == 1;
        (values.map(|word| word ^ u64::from(negated).wrapping_neg()), negated)
    };
    all.into_iter().map(first).collect()
}

/// Inputs by chance; but for the first word, runs of them are all 0 or all 1 in some evaluations, since what happens
/// seldom tells wires apart.
fn inputs(count: usize, word: usize, chance: &mut u64) -> Vec<u64> {
    let run = if word == 0 { usize::MAX } else { 2 << (word % 4) };
    let (mut zeros, mut ones) = (0, 0);
    let one = |i: usize| {
        if word > 0 && i.is_multiple_of(run) {
            zeros = random(chance);
            ones = random(chance) & random(chance);
        }
        random(chance) & !zeros | ones
    };
    (0..count).map(one).collect()
}

/// What is known of the wires of a form.
pub struct Known<'a> {
    form: &'a Form,
    /// Of each wire the sum that it is.
    sums: Vec<Sum>,
    /// Of each wire the gate that makes it.
    makers: Vec<Option<u32>>,
    with: HashMap<Values, Vec<u32>>,
}

impl<'a> Known<'a> {
    pub fn new(form: &'a Form, sums: Vec<Sum>) -> Self {
        let mut makers = vec![None; form.wires()];
        form.made().zip(0..).for_each(|((_, first, made), gate)| {
            makers[first as usize..][..made as usize].fill(Some(gate));
        });
        let mut with: HashMap<Values, Vec<u32>> = HashMap::new();
        values(form).into_iter().zip(0..).for_each(|((values, _), wire)| {
            with.entry(values).or_default().push(wire);
        });
        Self { form, sums, makers, with }
    }

    /// The outputs of a gate as sums, where they are wires of this form: by what the gate reads, by the values of each
    /// output, and by its function, a bit for each row. Nothing if that is not found for all.
    pub fn find(&self, read: &[Sum], outputs: &[(Values, bool)], tables: &[Vec<u64>]) -> Option<Vec<Sum>> {
        let mut basis = Basis::default();
        // Rows that can be: one input may be a sum of others.
        let mut possible =
            vec![if read.len() < 6 { (1 << (1 << read.len())) - 1 } else { u64::MAX }; words(read.len())];
        for (i, sum) in read.iter().enumerate() {
            match basis.find(sum) {
                None => basis.insert(sum, i),
                Some((of, negated)) => possible.iter_mut().enumerate().for_each(|(word, possible)| {
                    *possible &= !(linear(of, negated, word) ^ counted(i, word));
                }),
            }
        }
        let mut cone = Cone { known: self, basis, words: words(read.len()), found: HashMap::new() };
        let one = |((values, _), table): (&(Values, bool), &Vec<u64>)| {
            self.with.get(values)?.iter().take(TRIED).find_map(|wire| {
                let function = cone.function(*wire)?;
                let rows = || function.iter().zip(table).zip(&possible);
                let is = |negated: bool| {
                    let by = u64::from(negated).wrapping_neg();
                    rows().all(|((function, table), possible)| (function ^ table ^ by) & possible == 0)
                };
                let negated = [false, true].into_iter().find(|negated| is(*negated))?;
                Some(self.sums[*wire as usize].negate_if(negated))
            })
        };
        outputs.iter().zip(tables).map(one).collect()
    }
}

/// Words of a function of so many inputs.
fn words(inputs: usize) -> usize {
    (1usize << inputs).div_ceil(64)
}

/// A word of the sum of some inputs, each a bit of `of`.
fn linear(of: u32, negated: bool, word: usize) -> u64 {
    let inputs = (0..u32::BITS as usize).filter(|i| of >> i & 1 == 1);
    inputs.fold(u64::from(negated).wrapping_neg(), |sum, i| sum ^ counted(i, word))
}

/// The gates behind what is read.
struct Cone<'a> {
    known: &'a Known<'a>,
    basis: Basis,
    words: usize,
    found: HashMap<u32, Option<Rc<[u64]>>>,
}

impl Cone<'_> {
    /// A wire as a function of what is read. Nothing if it is none, or one behind too many gates.
    fn function(&mut self, wire: u32) -> Option<Rc<[u64]>> {
        if let Some(found) = self.found.get(&wire) {
            return found.clone();
        }
        if self.found.len() == LARGEST {
            return None;
        }
        self.found.insert(wire, None);
        let function = match self.basis.find(&self.known.sums[wire as usize]) {
            Some((of, negated)) => Some((0..self.words).map(|word| linear(of, negated, word)).collect()),
            None => match self.known.makers[wire as usize].map(|gate| self.known.form.gates()[gate as usize])
            {
                Some(Gate::Xor(a, b)) => self.pair(a, b, |a, b| a ^ b),
                Some(Gate::And(a, b)) => self.pair(a, b, |a, b| a & b),
                Some(Gate::Lookup { .. }) | None => None,
            },
        };
        self.found.insert(wire, function.clone());
        function
    }

    fn pair(&mut self, a: Lit, b: Lit, gate: impl Fn(u64, u64) -> u64) -> Option<Rc<[u64]>> {
        let (x, y) = (self.function(a.wire())?, self.function(b.wire())?);
        Some(x.iter().zip(&y[..]).map(|(x, y)| gate(x ^ a.mask(), y ^ b.mask())).collect())
    }
}
