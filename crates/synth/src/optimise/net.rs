//! A form that changes in place: gates that know how many read them.

use std::collections::HashMap;

use logic::{Draft, Form, Gate, Lit};

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Input,
    Xor,
    And,
}

/// A gate or an input.
#[derive(Clone, Copy)]
pub struct Node {
    pub kind: Kind,
    a: Lit,
    b: Lit,
    /// What reads it among those that an output needs. None: it does not count.
    pub reads: u32,
    /// ANDs that it waits for, one after the other, at most.
    pub level: u32,
    /// What stands in its place, which is itself at first.
    to: Lit,
}

/// ANDs and XORs.
pub type Count = (i32, i32);

/// A form without lookups.
pub struct Net {
    pub nodes: Vec<Node>,
    inputs: usize,
    outputs: Vec<Lit>,
    seen: HashMap<(Kind, Lit, Lit), u32>,
}

impl Net {
    pub fn new(form: &Form) -> Self {
        let nodes = Vec::with_capacity(form.wires() * 2);
        let mut net =
            Self { nodes, inputs: form.inputs(), outputs: form.outputs().to_vec(), seen: HashMap::new() };
        for _ in 0..=form.inputs() {
            net.push(Kind::Input, Lit::FALSE, Lit::FALSE, 0);
        }
        for gate in form.gates() {
            let (kind, a, b) = match *gate {
                Gate::Xor(a, b) => (Kind::Xor, a, b),
                Gate::And(a, b) => (Kind::And, a, b),
                Gate::Lookup { .. } => unreachable!("a form without lookups"),
            };
            let level = net.level(a).max(net.level(b)) + u32::from(kind == Kind::And);
            let made = net.push(kind, a, b, level);
            net.seen.insert((kind, a, b), made);
        }
        for output in net.outputs.clone() {
            net.take(output, u32::MAX);
        }
        net
    }

    fn push(&mut self, kind: Kind, a: Lit, b: Lit, level: u32) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { kind, a, b, reads: 0, level, to: Lit::of(number) });
        number
    }

    pub fn node(&self, lit: Lit) -> &Node {
        &self.nodes[lit.wire() as usize]
    }

    pub fn level(&self, lit: Lit) -> u32 {
        self.node(lit).level
    }

    /// What stands for a wire now.
    pub fn now(&self, mut lit: Lit) -> Lit {
        loop {
            let to = self.node(lit).to;
            if to.wire() == lit.wire() {
                return lit;
            }
            lit = to.negate_if(lit.negated());
        }
    }

    /// What a gate reads now.
    pub fn sides(&self, number: u32) -> (Lit, Lit) {
        let node = &self.nodes[number as usize];
        (self.now(node.a), self.now(node.b))
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.negated() != b.negated();
        let (a, b) = (a.plain().min(b.plain()), a.plain().max(b.plain()));
        let made = match (a, b) {
            _ if a == b => Lit::FALSE,
            (Lit::FALSE, _) => b,
            _ => self.gate(Kind::Xor, a, b),
        };
        made.negate_if(negate)
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, _) => b,
            _ => self.gate(Kind::And, a, b),
        }
    }

    fn gate(&mut self, kind: Kind, a: Lit, b: Lit) -> Lit {
        if let Some(made) = self.seen.get(&(kind, a, b)) {
            // What was replaced is not made again.
            return self.now(Lit::of(*made));
        }
        let level = self.level(a).max(self.level(b)) + u32::from(kind == Kind::And);
        let made = self.push(kind, a, b, level);
        self.seen.insert((kind, a, b), made);
        Lit::of(made)
    }

    /// One more reads it: the gates that count from now on. Nothing if `not` is among them.
    pub fn take(&mut self, lit: Lit, not: u32) -> Option<Count> {
        let mut count = (0, 0);
        let mut well = true;
        let mut stack = vec![lit];
        while let Some(lit) = stack.pop() {
            let number = lit.wire();
            well &= number != not;
            let node = &mut self.nodes[number as usize];
            node.reads += 1;
            if node.reads > 1 {
                continue;
            }
            match node.kind {
                Kind::Input => continue,
                Kind::And => count.0 += 1,
                Kind::Xor => count.1 += 1,
            }
            let (a, b) = self.sides(number);
            stack.extend([a, b]);
        }
        well.then_some(count)
    }

    /// One less reads it: the gates that no longer count.
    pub fn drop(&mut self, lit: Lit) -> Count {
        self.nodes[lit.wire() as usize].reads -= 1;
        if self.node(lit).reads > 0 { (0, 0) } else { self.drop_sides(lit.wire()) }
    }

    /// The gates that no longer count if this one does not, which is taken to have no reader.
    pub fn drop_sides(&mut self, number: u32) -> Count {
        let mut count = (0, 0);
        let mut stack = vec![number];
        while let Some(number) = stack.pop() {
            match self.nodes[number as usize].kind {
                Kind::Input => continue,
                Kind::And => count.0 += 1,
                Kind::Xor => count.1 += 1,
            }
            let (a, b) = self.sides(number);
            for side in [a, b] {
                let node = &mut self.nodes[side.wire() as usize];
                node.reads -= 1;
                if node.reads == 0 {
                    stack.push(side.wire());
                }
            }
        }
        count
    }

    /// Puts another in a gate's place, for so many readers.
    pub fn replace(&mut self, number: u32, by: Lit, readers: u32) {
        self.nodes[number as usize].to = by;
        self.nodes[by.wire() as usize].reads += readers;
    }

    /// The form that it has become.
    pub fn form(&self, name: &str) -> Form {
        let mut draft = Draft::new(self.inputs);
        let mut made: Vec<Option<Lit>> = vec![None; self.nodes.len()];
        made[0] = Some(Lit::FALSE);
        (0..self.inputs).for_each(|i| made[i + 1] = Some(draft.input(i)));
        let mut outputs = Vec::with_capacity(self.outputs.len());
        for output in &self.outputs {
            let output = self.now(*output);
            let mut stack = vec![output.wire()];
            while let Some(number) = stack.last().copied() {
                if made[number as usize].is_some() {
                    stack.pop();
                    continue;
                }
                let (a, b) = self.sides(number);
                let get = |lit: Lit| made[lit.wire() as usize].map(|made| made.negate_if(lit.negated()));
                let (Some(x), Some(y)) = (get(a), get(b)) else {
                    stack.extend([b.wire(), a.wire()].iter().filter(|wire| made[**wire as usize].is_none()));
                    continue;
                };
                let lit = match self.nodes[number as usize].kind {
                    Kind::And => draft.and(x, y),
                    _ => draft.xor(x, y),
                };
                made[number as usize] = Some(lit);
                stack.pop();
            }
            let lit = made[output.wire() as usize].unwrap_or(Lit::FALSE);
            outputs.push(lit.negate_if(output.negated()));
        }
        draft.finish(name, outputs)
    }
}
