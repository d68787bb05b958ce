//! Circuits with triples from codes (N-MT).
//!
//! # Functionality
//! That of [`Evaluate`].
//!
//! # Protocol
//! The circuit layer by layer, as [`Layers`] evaluates it, with a triple from codes for each AND, two an OT.
//!
//! # Cost
//! 133 bits an AND offline; 4 online, in a round for each layer.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section VII: GMW with N-MT.

use std::sync::Arc;

use hushtable::{
    Error, Party, Result, Role,
    bill::{Bill, Phase},
    circuit::{Builder, Form, Gate, Layers, Lit, Netlist, Span, Wire},
    inner::by_layers,
    operation::{Evaluate, Held, Material, Operation, Signature},
    ot::Setting,
};

use super::{code_bill, triples_from_codes};

/// Triples an OT: that number which takes fewest bits.
const T: u32 = 2;

/// A circuit's form without lookups, evaluated so.
pub struct ByCodes {
    of: Evaluate,
    net: Arc<Netlist>,
}

impl ByCodes {
    /// The form that `of` evaluates.
    ///
    /// # Errors
    /// [`Error::Param`] for a form with lookups.
    pub fn new(of: Evaluate) -> Result<Self> {
        let ports = of.circuit().inputs().iter().zip(of.signature().takes);
        let known = ports.flat_map(|(port, column)| {
            let known = if let Held::Known(role) = column.held { Some(role) } else { None };
            vec![known; port.bits()]
        });
        let net = netlist(of.way().0, &known.collect::<Vec<_>>())?;
        Ok(Self { of, net })
    }
}

/// The ANDs of a layer in one message, without common operands.
fn netlist(form: &Form, known: &[Option<Role>]) -> Result<Arc<Netlist>> {
    if form.lookups() > 0 {
        let (what, got) = ("lookups in a form for triples", form.lookups().to_string());
        return Err(Error::Param { what, got, accepted: "0".into() });
    }
    let mut b = Builder::new(&[1]);
    let inputs: Vec<Wire> = known.iter().map(|known| b.input(Span::Each(1), *known)).collect();
    let mut wires = vec![b.xor(&[inputs[0], inputs[0]]); form.wires()];
    wires[1..=inputs.len()].copy_from_slice(&inputs);
    let levels = form.levels();
    let mut gates: Vec<(&Gate, usize)> = form.made().map(|(gate, first, _)| (gate, first as usize)).collect();
    // Of a level ANDs come first, which read wires of those below; the sort keeps the others in order.
    gates.sort_by_key(|(gate, made)| (levels[*made], matches!(gate, Gate::Xor(..))));
    let together = |a: &(&Gate, usize), b: &(&Gate, usize)| {
        matches!((a.0, b.0), (Gate::And(..), Gate::And(..))) && levels[a.1] == levels[b.1]
    };
    for group in gates.chunk_by(together) {
        if let [(Gate::Xor(x, y), made)] = group {
            let operands = [*x, *y].map(|lit| read(&mut b, &wires, lit));
            wires[*made] = b.xor(&operands);
            continue;
        }
        let operands = group.iter().map(|(gate, _)| match gate {
            Gate::And(x, y) => [*x, *y].map(|lit| read(&mut b, &wires, lit)),
            _ => unreachable!("XORs come one by one, and there are no lookups"),
        });
        let operands: Vec<[Wire; 2]> = operands.collect();
        let ands: Vec<(Wire, &[Wire])> =
            operands.iter().map(|[x, y]| (*x, std::slice::from_ref(y))).collect();
        group.iter().zip(b.ands(&ands)).for_each(|((_, made), product)| wires[*made] = product);
    }
    let outputs: Vec<Wire> = form.outputs().iter().map(|lit| read(&mut b, &wires, *lit)).collect();
    Ok(b.finish(&outputs))
}

fn read(b: &mut Builder, wires: &[Wire], lit: Lit) -> Wire {
    let wire = wires[lit.wire() as usize];
    if lit.negated() { b.not(wire) } else { wire }
}

impl Operation for ByCodes {
    fn name(&self) -> String {
        self.of.name()
    }

    fn method(&self) -> String {
        format!("form {}, triples from codes", self.of.way().0.name())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.of.fields()
    }

    fn signature(&self) -> Signature {
        self.of.signature()
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let triples = code_bill(self.net.ands() * items, T)?;
        let online: Phase = Layers::bill(&self.net, items).online;
        Ok(Bill { online, ..triples })
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let triples = triples_from_codes(p, self.net.ands() * items, T)?;
        Ok(by_layers(&self.of, Layers::with(&self.net, items, vec![triples])?))
    }
}
