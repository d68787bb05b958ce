//! A form that grows, gate by gate.

use std::{collections::HashMap, sync::Arc};

use crate::{
    form::{Form, Gate},
    lit::Lit,
    table::TruthTable,
};

/// A [`Form`] that grows. A gate that is there already is not made again, and one whose result is plain is not made at
/// all. [`finish`](Self::finish) leaves out what no output needs.
pub struct Draft {
    form: Form,
    seen: HashMap<(bool, Lit, Lit), Lit>,
    tables: HashMap<Arc<TruthTable>, u32>,
    /// Of each wire.
    levels: Vec<u32>,
}

impl Draft {
    /// Of a form with so many inputs.
    pub fn new(inputs: usize) -> Self {
        let inputs = u32::try_from(inputs).expect("inputs of a form");
        let form = Form::new("", inputs);
        let levels = vec![0; inputs as usize + 1];
        Self { form, seen: HashMap::new(), tables: HashMap::new(), levels }
    }

    /// Input i, from 0.
    ///
    /// # Panics
    /// If there are no more than i.
    pub fn input(&self, i: usize) -> Lit {
        assert!(i < self.form.inputs(), "input {i} of {}", self.form.inputs());
        Lit::of(i as u32 + 1)
    }

    /// All inputs.
    pub fn inputs(&self) -> Vec<Lit> {
        (0..self.form.inputs()).map(|i| self.input(i)).collect()
    }

    /// ANDs and lookups that this waits for, one after the other.
    pub fn level(&self, lit: Lit) -> u32 {
        self.levels[lit.wire() as usize]
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.negated() != b.negated();
        let (a, b) = ordered(a.plain(), b.plain());
        let made = match (a, b) {
            _ if a == b => Lit::FALSE,
            (Lit::FALSE, _) => b,
            _ => self.gate(Gate::Xor(a, b), (true, a, b)),
        };
        made.negate_if(negate)
    }

    /// `a & b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = ordered(a, b);
        match (a, b) {
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, _) => b,
            _ => self.gate(Gate::And(a, b), (false, a, b)),
        }
    }

    /// `a | b`, an AND.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// `a` where `choose` is 1, else `b`: an AND.
    pub fn select(&mut self, choose: Lit, a: Lit, b: Lit) -> Lit {
        let differ = self.xor(a, b);
        let change = self.and(choose, differ);
        self.xor(change, b)
    }

    /// The XOR of any number.
    pub fn xor_all(&mut self, all: impl IntoIterator<Item = Lit>) -> Lit {
        all.into_iter().fold(Lit::FALSE, |sum, lit| self.xor(sum, lit))
    }

    /// The outputs of a table at these inputs, the first one lowest.
    ///
    /// # Panics
    /// Unless there are as many as the table has inputs.
    pub fn lookup(&mut self, table: &Arc<TruthTable>, at: &[Lit]) -> Vec<Lit> {
        assert_eq!(table.inputs() as usize, at.len(), "inputs of a lookup");
        at.iter().for_each(|lit| self.check(*lit));
        let tables = &mut self.form.tables;
        let number = *self.tables.entry(table.clone()).or_insert_with(|| {
            tables.push(table.clone());
            tables.len() as u32 - 1
        });
        let level = 1 + at.iter().map(|lit| self.level(*lit)).max().unwrap_or(0);
        let gate = Gate::Lookup { table: number, pins: self.form.pins.len() as u32 };
        self.form.pins.extend_from_slice(at);
        let first = self.push(gate, level, table.outputs());
        (first..self.form.wires).map(Lit::of).collect()
    }

    /// Another form's gates, on these inputs: what its outputs are here.
    ///
    /// # Panics
    /// Unless there are as many as it has inputs.
    pub fn insert(&mut self, form: &Form, inputs: &[Lit]) -> Vec<Lit> {
        self.insert_with(form, inputs, Self::lookup)
    }

    /// The same with what `lookup` gives in the place of the outputs of each lookup.
    ///
    /// # Panics
    /// As [`insert`](Self::insert), and unless it gives as many as the table has.
    pub fn insert_with(
        &mut self,
        form: &Form,
        inputs: &[Lit],
        mut lookup: impl FnMut(&mut Self, &Arc<TruthTable>, &[Lit]) -> Vec<Lit>,
    ) -> Vec<Lit> {
        assert_eq!(form.inputs(), inputs.len(), "inputs of a form");
        let mut wires = Vec::with_capacity(form.wires());
        wires.push(Lit::FALSE);
        wires.extend_from_slice(inputs);
        let get = |wires: &[Lit], lit: Lit| wires[lit.wire() as usize].negate_if(lit.negated());
        for gate in &form.gates {
            match *gate {
                Gate::Xor(a, b) => {
                    let made = self.xor(get(&wires, a), get(&wires, b));
                    wires.push(made);
                }
                Gate::And(a, b) => {
                    let made = self.and(get(&wires, a), get(&wires, b));
                    wires.push(made);
                }
                Gate::Lookup { table, pins } => {
                    let (table, pins) = form.lookup(table, pins);
                    let at: Vec<Lit> = pins.iter().map(|pin| get(&wires, *pin)).collect();
                    let made = lookup(self, table, &at);
                    assert_eq!(table.outputs() as usize, made.len(), "outputs of a lookup");
                    wires.extend(made);
                }
            }
        }
        form.outputs.iter().map(|out| get(&wires, *out)).collect()
    }

    /// The form of this name with these outputs, and nothing that they do not need.
    ///
    /// # Panics
    /// If an output is not there, or for a name of more than one word.
    pub fn finish(self, name: &str, outputs: Vec<Lit>) -> Form {
        assert!(crate::port::is_name(name), "name {name:?} of a form");
        outputs.iter().for_each(|out| self.check(*out));
        let old = self.form;
        let mut needed = vec![false; old.wires as usize];
        outputs.iter().for_each(|out| needed[out.wire() as usize] = true);
        let mut next = old.wires;
        let mut kept = vec![false; old.gates.len()];
        for (gate, kept) in old.gates.iter().zip(&mut kept).rev() {
            let made = old.makes(gate);
            next -= made;
            *kept = needed[next as usize..][..made as usize].contains(&true);
            if *kept {
                old.reads(gate).iter().for_each(|lit| needed[lit.wire() as usize] = true);
            }
        }
        let mut form = Form::new(name, old.inputs);
        form.gates.reserve_exact(kept.iter().filter(|kept| **kept).count());
        let mut moved: Vec<u32> = (0..=old.inputs).collect();
        let mut tables = vec![None; old.tables.len()];
        let to = |moved: &[u32], lit: Lit| Lit::of(moved[lit.wire() as usize]).negate_if(lit.negated());
        for (gate, kept) in old.gates.iter().zip(kept) {
            let made = match gate {
                Gate::Lookup { table, .. } => old.tables[*table as usize].outputs(),
                _ => 1,
            };
            if !kept {
                moved.extend((0..made).map(|_| u32::MAX));
                continue;
            }
            let gate = match *gate {
                Gate::Xor(a, b) => Gate::Xor(to(&moved, a), to(&moved, b)),
                Gate::And(a, b) => Gate::And(to(&moved, a), to(&moved, b)),
                Gate::Lookup { table, pins } => {
                    let table = table as usize;
                    let inputs = old.tables[table].inputs() as usize;
                    let from = &old.pins[pins as usize..][..inputs];
                    let pins = form.pins.len() as u32;
                    form.pins.extend(from.iter().map(|pin| to(&moved, *pin)));
                    let number = *tables[table].get_or_insert_with(|| {
                        form.tables.push(old.tables[table].clone());
                        form.tables.len() as u32 - 1
                    });
                    Gate::Lookup { table: number, pins }
                }
            };
            form.gates.push(gate);
            moved.extend(form.wires..form.wires + made);
            form.wires += made;
        }
        form.outputs = outputs.into_iter().map(|out| to(&moved, out)).collect();
        form
    }

    fn check(&self, lit: Lit) {
        assert!(lit.wire() < self.form.wires, "wire {} of {}", lit.wire(), self.form.wires);
    }

    fn gate(&mut self, gate: Gate, key: (bool, Lit, Lit)) -> Lit {
        self.check(key.1);
        self.check(key.2);
        if let Some(made) = self.seen.get(&key) {
            return *made;
        }
        let level = self.level(key.1).max(self.level(key.2)) + u32::from(!key.0);
        let made = Lit::of(self.push(gate, level, 1));
        self.seen.insert(key, made);
        made
    }

    fn push(&mut self, gate: Gate, level: u32, made: u32) -> u32 {
        let first = self.form.wires;
        self.form.gates.push(gate);
        self.form.wires += made;
        assert!(self.form.wires <= Lit::MOST, "wires of a form");
        self.levels.resize(self.form.wires as usize, level);
        first
    }
}

fn ordered(a: Lit, b: Lit) -> (Lit, Lit) {
    if a <= b { (a, b) } else { (b, a) }
}
