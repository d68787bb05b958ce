//! A form made ready to be garbled: what it does in which order, and where its labels are meanwhile.

use std::sync::Arc;

use logic::{Form, Gate, Lit};
use prim::half_gates::{And, Xor};

use crate::{
    bill::Work,
    error::{Error, Result},
};

/// Items side by side, at most.
pub(super) const COPIES: usize = 16;

/// Gates within which those of a level stand together. A program needs at most so many places more than the form's own
/// order would.
const WINDOW: usize = 1 << 12;

/// A form of XORs and ANDs, ready to be garbled. Public.
///
/// ANDs that do not wait for each other stand together. A label has a place, which another label takes
/// after the last gate that reads it: the memory of an evaluation follows from the circuit's width, not from its size.
pub struct Program {
    inputs: usize,
    pub(super) ands: Vec<And>,
    pub(super) xors: Vec<Xor>,
    pub(super) layers: Vec<Layer>,
    /// Places: that of the constant is 0, those of the inputs follow.
    pub(super) places: usize,
    pub(super) outputs: Vec<Lit>,
}

/// ANDs that do not wait for each other, and behind them XORs, in order: where both end.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) ands: usize,
    pub(super) xors: usize,
}

impl Program {
    /// The program of a form.
    ///
    /// # Errors
    /// [`Error::Param`] for a form with lookups.
    pub fn new(form: &Form) -> Result<Arc<Self>> {
        if form.lookups() > 0 {
            return Err(Error::Param {
                what: "lookups of a form that is to be garbled",
                got: form.lookups().to_string(),
                accepted: "0: a form of XORs and ANDs".into(),
            });
        }
        let first = form.inputs() + 1;
        let order = ordered(form);
        let last = last_reads(form, order.iter().map(|(gate, _)| *gate));
        let mut places: Vec<u32> = (0..first as u32).collect();
        places.resize(form.wires(), 0);
        let (mut all, mut free) = (first as u32, Vec::new());
        let (mut ands, mut xors, mut layers) = (Vec::new(), Vec::new(), Vec::new());
        for gates in order.chunk_by(|(_, a), (_, b)| a == b) {
            for &(gate, _) in gates {
                let (Gate::Xor(a, b) | Gate::And(a, b)) = form.gates()[gate] else { unreachable!() };
                let place = |lit: Lit| places[lit.wire() as usize];
                let of = [a, b].map(place);
                let mut read = [a.wire(), b.wire()].map(|wire| wire as usize).to_vec();
                read.dedup();
                free.extend(read.into_iter().filter(|wire| last[*wire] == gate).map(|wire| places[wire]));
                // A gate may take the place of what it, or one before it, reads last: no later one reads that.
                let to = free.pop().unwrap_or_else(|| {
                    all += 1;
                    all - 1
                });
                places[first + gate] = to;
                if last[first + gate] == gate {
                    free.push(to); // nothing reads it
                }
                match form.gates()[gate] {
                    Gate::And(..) => {
                        ands.push(And { of, not: [a.negated(), b.negated()], to });
                    }
                    _ => xors.push(Xor { of, to }),
                }
            }
            layers.push(Layer { ands: ands.len(), xors: xors.len() });
        }
        let output = |out: &Lit| Lit::of(places[out.wire() as usize]).negate_if(out.negated());
        let outputs = form.outputs().iter().map(output).collect();
        Ok(Arc::new(Self { inputs: form.inputs(), ands, xors, layers, places: all as usize, outputs }))
    }

    /// Bits that it takes.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Bits that it gives.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many ANDs it has.
    pub fn ands(&self) -> usize {
        self.ands.len()
    }

    /// Local work on an item, of the party that has more of it where each garbles half of the items: four hashes there and
    /// two here, and labels that are read, written and added up.
    pub(super) fn work(&self) -> Work {
        let passed = 16 * 3 * (self.ands.len() + self.xors.len());
        Work::hashes(3 * self.ands.len()) + Work::words(2 * self.ands.len()) + Work::bytes(passed)
    }

    /// Labels that an evaluation holds at a time.
    pub fn width(&self) -> usize {
        self.places
    }
}

/// The numbers of a form's gates, each with its level, in the order of levels: within one the ANDs, and then the XORs,
/// which may wait for those and for each other. Levels of later windows are higher.
fn ordered(form: &Form) -> Vec<(usize, u32)> {
    let mut levels = vec![0; form.inputs() + 1];
    let (mut floor, mut highest) = (0, 0);
    let mut order = Vec::with_capacity(form.gates().len());
    for (i, gate) in form.gates().iter().enumerate() {
        if i.is_multiple_of(WINDOW) {
            floor = highest;
        }
        let (Gate::Xor(a, b) | Gate::And(a, b)) = *gate else { unreachable!("a lookup") };
        let waits = [a, b].map(|lit| levels[lit.wire() as usize]);
        let level = floor.max(waits[0]).max(waits[1]) + u32::from(is_and(gate));
        highest = highest.max(level);
        levels.push(level);
        order.push((i, level));
    }
    order.sort_by_key(|&(i, level)| (level, !is_and(&form.gates()[i])));
    order
}

fn is_and(gate: &Gate) -> bool {
    matches!(gate, Gate::And(..))
}

/// Of each wire the gate that reads it last; the gate that makes it if none does, and no gate for those that stay.
fn last_reads(form: &Form, order: impl Iterator<Item = usize>) -> Vec<usize> {
    const STAYS: usize = usize::MAX;
    let mut last = vec![STAYS; form.wires()];
    for gate in order {
        last[form.inputs() + 1 + gate] = gate;
        form.reads(&form.gates()[gate]).iter().for_each(|lit| last[lit.wire() as usize] = gate);
    }
    last[0] = STAYS;
    form.outputs().iter().for_each(|out| last[out.wire() as usize] = STAYS);
    last
}

#[cfg(test)]
mod tests {
    use logic::Draft;

    use super::*;

    /// A chain of ANDs, with a second one that does not wait for the first.
    fn chains(length: usize) -> Form {
        let mut d = Draft::new(3);
        let [x, y, z] = [0, 1, 2].map(|i| d.input(i));
        let mut ends = [x, y];
        for _ in 0..length {
            for end in &mut ends {
                let both = d.and(*end, z);
                *end = d.xor(!both, x);
            }
        }
        let sum = d.xor(ends[0], ends[1]);
        d.finish("ands", vec![sum])
    }

    #[test]
    fn places_are_taken_again_and_layers_are_wide() {
        for length in [10, 1000, 10_000] {
            let form = chains(length);
            let program = Program::new(&form).unwrap();
            assert_eq!((program.ands(), program.inputs(), program.outputs()), (form.ands(), 3, 1));
            assert!(program.width() <= 8, "{length}: {} places", program.width());
            assert!(program.layers.len() <= length + 4, "{length}: {} layers", program.layers.len());
        }
    }

    #[test]
    fn a_program_computes_its_form() {
        let form = chains(5);
        let program = Program::new(&form).unwrap();
        let inputs = [0x1234_5678_9abc_def0, 0x0f0f_3333_5555_ffff, 0xfff0_f0f0_cccc_aaaa];
        let mut places = vec![0; program.places];
        places[1..4].copy_from_slice(&inputs);
        let get = |places: &[u64], lit: Lit| places[lit.wire() as usize] ^ lit.mask();
        let read = |places: &[u64], gate: &And| {
            [0, 1].map(|i| get(places, Lit::of(gate.of[i]).negate_if(gate.not[i])))
        };
        let (mut ands, mut xors) = (program.ands.iter(), program.xors.iter());
        let (mut and, mut xor) = (0, 0);
        for layer in &program.layers {
            // One after the other, as they are garbled.
            for gate in ands.by_ref().take(layer.ands - and) {
                let [a, b] = read(&places, gate);
                places[gate.to as usize] = a & b;
            }
            for gate in xors.by_ref().take(layer.xors - xor) {
                places[gate.to as usize] = places[gate.of[0] as usize] ^ places[gate.of[1] as usize];
            }
            (and, xor) = (layer.ands, layer.xors);
        }
        let found: Vec<u64> = program.outputs.iter().map(|out| get(&places, *out)).collect();
        assert_eq!(found, form.eval(&inputs));
    }
}
