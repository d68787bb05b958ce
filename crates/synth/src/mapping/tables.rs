//! What a lookup holds: its functions, of which those are left out that are sums.

use std::collections::HashMap;

use logic::{Form, Gate, Lit};

use crate::patterns::counted;

use super::{
    groups::Group,
    span::{Basis, Sums},
};

/// A function as its values, a bit for each row.
type Function = Vec<u64>;

/// The functions of a group of the wires that it reads.
pub(super) struct Simulated {
    inputs: usize,
    outputs: Vec<Function>,
}

/// An output as the XOR of functions, inputs and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) functions: u64,
    pub(super) inputs: u64,
    pub(super) negated: bool,
}

impl Simulated {
    /// `makers` has of each wire the gate that makes it.
    pub(super) fn of(form: &Form, makers: &[Option<u32>], sums: &Sums, group: &Group) -> Self {
        let inputs = group.leaves.len();
        let mut basis = Basis::default();
        group.leaves.iter().for_each(|leaf| {
            assert!(basis.insert(sums.of_wire(*leaf)).is_none(), "independent leaves");
        });
        let mut cone = Cone { form, sums, basis, inputs, makers, known: HashMap::new() };
        Self { inputs, outputs: group.outputs.iter().map(|out| cone.value(*out)).collect() }
    }

    /// Functions that are independent, of inputs and constants too, and each output as a sum of them.
    pub(super) fn reduced(&self) -> (Vec<Function>, Vec<Sum>) {
        let words = rows(self.inputs).div_ceil(64);
        let last = if rows(self.inputs) < 64 { (1 << rows(self.inputs)) - 1 } else { u64::MAX };
        let mut found: Vec<(Function, Sum)> = Vec::new();
        let mut add = |function: Function, sum: Sum| -> Result<(), Sum> {
            let (mut rest, mut of) = (function, sum);
            for (row, sum) in &found {
                let at = leading(row).expect("a row that is not zero");
                if rest[at / 64] >> (at % 64) & 1 == 1 {
                    rest.iter_mut().zip(row).for_each(|(rest, row)| *rest ^= row);
                    of.functions ^= sum.functions;
                    of.inputs ^= sum.inputs;
                    of.negated ^= sum.negated;
                }
            }
            match leading(&rest) {
                None => Err(of),
                Some(_) => {
                    found.push((rest, of));
                    Ok(())
                }
            }
        };
        let ones = vec![last; words];
        let _ = add(ones, Sum { negated: true, ..Sum::default() });
        for i in 0..self.inputs {
            let _ = add(variable(i, self.inputs), Sum { inputs: 1 << i, ..Sum::default() });
        }
        let (mut kept, mut sums) = (Vec::new(), Vec::new());
        for output in &self.outputs {
            // If it is a sum, then of what the reduction to zero took.
            sums.push(match add(output.clone(), Sum { functions: 1 << kept.len(), ..Sum::default() }) {
                Ok(()) => {
                    kept.push(output.clone());
                    Sum { functions: 1 << (kept.len() - 1), ..Sum::default() }
                }
                Err(of) => Sum { functions: of.functions ^ 1 << kept.len(), ..of },
            });
        }
        (kept, sums)
    }
}

/// The gates between outputs and what is read.
struct Cone<'a> {
    form: &'a Form,
    sums: &'a Sums,
    basis: Basis,
    inputs: usize,
    makers: &'a [Option<u32>],
    known: HashMap<u32, Function>,
}

impl Cone<'_> {
    fn value(&mut self, wire: u32) -> Function {
        if let Some(known) = self.known.get(&wire) {
            return known.clone();
        }
        let value = match self.basis.find(self.sums.of_wire(wire)) {
            Some(of) => {
                let mut sum = vec![0; rows(self.inputs).div_ceil(64)];
                for i in (0..self.inputs).filter(|i| of >> i & 1 == 1) {
                    sum.iter_mut().zip(variable(i, self.inputs)).for_each(|(sum, word)| *sum ^= word);
                }
                sum
            }
            None => match self.form.gates()[self.makers[wire as usize].expect("a gate's") as usize] {
                Gate::Xor(a, b) => self.pair(a, b, |a, b| a ^ b),
                Gate::And(a, b) => self.pair(a, b, |a, b| a & b),
                Gate::Lookup { .. } => unreachable!("no cut goes through a lookup"),
            },
        };
        self.known.insert(wire, value.clone());
        value
    }

    fn pair(&mut self, a: Lit, b: Lit, gate: impl Fn(u64, u64) -> u64) -> Function {
        let mask = if rows(self.inputs) < 64 { (1 << rows(self.inputs)) - 1 } else { u64::MAX };
        let (x, y) = (self.value(a.wire()), self.value(b.wire()));
        x.iter().zip(y).map(|(x, y)| gate(x ^ a.mask(), y ^ b.mask()) & mask).collect()
    }
}

fn rows(inputs: usize) -> usize {
    1 << inputs
}

/// Input i as a function of so many.
fn variable(i: usize, inputs: usize) -> Function {
    let mask = if rows(inputs) < 64 { (1 << rows(inputs)) - 1 } else { u64::MAX };
    (0..rows(inputs).div_ceil(64)).map(|word| counted(i, word) & mask).collect()
}

/// The last row in which a function is 1.
fn leading(function: &[u64]) -> Option<usize> {
    let word = function.iter().rposition(|word| *word != 0)?;
    Some(64 * word + 63 - function[word].leading_zeros() as usize)
}
