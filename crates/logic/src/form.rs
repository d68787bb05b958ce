//! A form of a circuit: gates in an order in which they can be evaluated.

use std::sync::Arc;

use crate::{
    error::{Error, Result},
    lit::Lit,
    port::is_name,
    table::TruthTable,
};

/// Gates, each of which reads inputs and what earlier ones made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    pub(crate) name: String,
    pub(crate) inputs: u32,
    pub(crate) gates: Vec<Gate>,
    /// What lookups read, one after the other.
    pub(crate) pins: Vec<Lit>,
    pub(crate) tables: Vec<Arc<TruthTable>>,
    pub(crate) outputs: Vec<Lit>,
    /// Wires, the constant among them.
    pub(crate) wires: u32,
}

/// A gate. It makes the next wire; a lookup as many as its table has outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The XOR of two wires that are not negated.
    Xor(Lit, Lit),
    /// The AND of two wires or complements.
    And(Lit, Lit),
    /// A row of a table.
    Lookup {
        /// Which of [`Form::tables`].
        table: u32,
        /// The first of its inputs among what the lookups of its form read.
        pins: u32,
    },
}

/// How many gates of a layer there are, which wait for as many messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// ANDs.
    pub ands: usize,
    /// Lookups: inputs, outputs, how many.
    pub lookups: Vec<[usize; 3]>,
}

impl Form {
    /// Of so many inputs, without gates.
    pub(crate) fn new(name: &str, inputs: u32) -> Self {
        let (gates, pins, tables, outputs) = Default::default();
        Self { name: name.into(), inputs, gates, pins, tables, outputs, wires: inputs + 1 }
    }

    /// What it is made for, in a word: `ands`, `layers`, `luts`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same under another name.
    ///
    /// # Errors
    /// [`Error::Circuit`] for a name of more than one word.
    pub fn renamed(mut self, name: &str) -> Result<Self> {
        if !is_name(name) {
            return Error::of(format!("name {name:?} of a form"));
        }
        self.name = name.into();
        Ok(self)
    }

    /// Bits that it takes: wires 1 to so many.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// Its gates.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// What it gives.
    pub fn outputs(&self) -> &[Lit] {
        &self.outputs
    }

    /// The tables that its lookups read.
    pub fn tables(&self) -> &[Arc<TruthTable>] {
        &self.tables
    }

    /// Wires: the constant, the inputs, and what the gates make.
    pub fn wires(&self) -> usize {
        self.wires as usize
    }

    /// The table of a lookup, and what it reads.
    ///
    /// # Panics
    /// If no gate has these numbers.
    pub fn lookup(&self, table: u32, pins: u32) -> (&Arc<TruthTable>, &[Lit]) {
        let table = &self.tables[table as usize];
        (table, &self.pins[pins as usize..][..table.inputs() as usize])
    }

    /// Each gate with the first wire that it makes, and how many it makes.
    pub fn made(&self) -> impl Iterator<Item = (&Gate, u32, u32)> {
        let mut next = self.inputs + 1;
        self.gates.iter().map(move |gate| {
            let made = self.makes(gate);
            next += made;
            (gate, next - made, made)
        })
    }

    /// What a gate reads.
    pub fn reads(&self, gate: &Gate) -> Vec<Lit> {
        match *gate {
            Gate::Xor(a, b) | Gate::And(a, b) => vec![a, b],
            Gate::Lookup { table, pins } => self.lookup(table, pins).1.to_vec(),
        }
    }

    /// How many wires a gate makes.
    pub(crate) fn makes(&self, gate: &Gate) -> u32 {
        match gate {
            Gate::Lookup { table, .. } => self.tables[*table as usize].outputs(),
            _ => 1,
        }
    }

    /// How many ANDs it has.
    pub fn ands(&self) -> usize {
        self.gates.iter().filter(|gate| matches!(gate, Gate::And(..))).count()
    }

    /// How many lookups.
    pub fn lookups(&self) -> usize {
        self.gates.iter().filter(|gate| matches!(gate, Gate::Lookup { .. })).count()
    }

    /// How many XORs.
    pub fn xors(&self) -> usize {
        self.gates.len() - self.ands() - self.lookups()
    }

    /// ANDs and lookups that one output waits for, one after the other, at most.
    pub fn depth(&self) -> usize {
        self.levels().into_iter().max().unwrap_or(0) as usize
    }

    /// Of each wire how many ANDs and lookups it waits for, one after the other.
    pub fn levels(&self) -> Vec<u32> {
        let mut levels = vec![0; self.inputs as usize + 1];
        for gate in &self.gates {
            let level = self.reads(gate).iter().map(|lit| levels[lit.wire() as usize]).max().unwrap_or(0);
            let more = u32::from(!matches!(gate, Gate::Xor(..)));
            levels.extend((0..self.makes(gate)).map(|_| level + more));
        }
        levels
    }

    /// What each layer has, the first one first.
    pub fn layers(&self) -> Vec<Layer> {
        let levels = self.levels();
        let mut layers = vec![Layer::default(); levels.iter().copied().max().unwrap_or(0) as usize];
        for (gate, first, _) in self.made() {
            let layer = levels[first as usize] as usize;
            match *gate {
                Gate::Xor(..) => {}
                Gate::And(..) => layers[layer - 1].ands += 1,
                Gate::Lookup { table, .. } => {
                    let table = &self.tables[table as usize];
                    let shape = [table.inputs() as usize, table.outputs() as usize];
                    let lookups = &mut layers[layer - 1].lookups;
                    match lookups.iter_mut().find(|found| found[..2] == shape) {
                        Some(found) => found[2] += 1,
                        None => lookups.push([shape[0], shape[1], 1]),
                    }
                }
            }
        }
        layers.iter_mut().for_each(|layer| layer.lookups.sort_unstable());
        layers
    }

    /// The outputs of 64 evaluations side by side, one in each bit.
    ///
    /// # Panics
    /// Unless there is a word for each input.
    pub fn eval(&self, inputs: &[u64]) -> Vec<u64> {
        self.eval_in(inputs, &mut vec![0; self.wires()])
    }

    /// The same with memory of the caller for all wires, who may wipe it. Without lookups no branch and no address
    /// depends on the inputs.
    ///
    /// # Panics
    /// Unless there is a word for each input, and memory for each wire.
    pub fn eval_in(&self, inputs: &[u64], wires: &mut [u64]) -> Vec<u64> {
        assert_eq!(
            [inputs.len(), wires.len()],
            [self.inputs(), self.wires()],
            "inputs and wires of the form"
        );
        wires[0] = 0;
        wires[1..=inputs.len()].copy_from_slice(inputs);
        let get = |wires: &[u64], lit: Lit| wires[lit.wire() as usize] ^ lit.mask();
        for (gate, first, made) in self.made() {
            let first = first as usize;
            match *gate {
                Gate::Xor(a, b) => wires[first] = get(wires, a) ^ get(wires, b),
                Gate::And(a, b) => wires[first] = get(wires, a) & get(wires, b),
                Gate::Lookup { table, pins } => {
                    let (table, pins) = self.lookup(table, pins);
                    let read: Vec<u64> = pins.iter().map(|pin| get(wires, *pin)).collect();
                    table.eval(&read, &mut wires[first..][..made as usize]);
                }
            }
        }
        self.outputs.iter().map(|out| get(wires, *out)).collect()
    }
}
