//! From a netlist to a circuit: each wire after what it reads.

use std::collections::HashMap;

use logic::{Circuit, Draft, Kind, Lit, Port};

use super::{
    cells::{Part, Shape, shape},
    netlist::{Bit, Module},
    options::Options,
};
use crate::error::{Error, Result};

/// The circuit of a flat module.
pub fn circuit(module: &Module, top: &str, options: &Options) -> Result<Circuit> {
    check(module, top)?;
    let count = |direction| {
        let ports = module.ports.0.iter().filter(|(_, port)| port.direction == direction);
        ports.map(|(_, port)| port.bits.len()).sum()
    };
    let draft = Draft::new(count("input"));
    let mut build = Build { module, top, draft, wires: HashMap::new(), drivers: HashMap::new() };
    build.connect()?;
    let (mut inputs, mut outputs, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (name, port) in &module.ports.0 {
        let bits = port.bits.len() as u32;
        let kind = if port.signed == 1 { Kind::Signed(bits) } else { Kind::Unsigned(bits) };
        let kind = options.kinds.iter().find(|(port, _)| port == name).map_or(kind, |(_, kind)| *kind);
        let made = Port::new(name, Kind::Unsigned(bits))?.retyped(kind)?;
        if port.direction == "input" {
            inputs.push(made);
            continue;
        }
        outputs.push(made);
        for (i, bit) in port.bits.iter().enumerate() {
            match build.value(*bit, options.lookups)? {
                Some(lit) => results.push(lit),
                None => {
                    return Error::at(top, format!("bit {i} of output {name} has no value (x)"));
                }
            }
        }
    }
    if let Some((name, _)) =
        options.kinds.iter().find(|(name, _)| module.ports.0.iter().all(|(port, _)| port != name))
    {
        return Err(Error::Asked(format!("a type for port {name}, which {top} does not have")));
    }
    let name = options.name.as_deref().unwrap_or(top);
    let form = build.draft.finish("ands", results);
    let form = if form.lookups() > 0 { form.renamed("luts")? } else { form };
    Ok(Circuit::new(name, inputs, outputs, vec![form])?)
}

/// Whether all of it can be gates.
fn check(module: &Module, top: &str) -> Result<()> {
    for (name, port) in &module.ports.0 {
        if !matches!(port.direction.as_str(), "input" | "output") {
            return Error::at(top, format!("port {name} is inout; accepted: input and output"));
        }
    }
    for (_, cell) in &module.cells.0 {
        let signal =
            || cell.port("Q").first().map_or(String::new(), |bit| format!(" {}", named(module, *bit).0));
        let what = match shape(&cell.kind) {
            Shape::State if cell.kind.contains("latch") => format!(
                "signal{} is a latch: it keeps its value where nothing is assigned; assign it in each case",
                signal()
            ),
            Shape::State => {
                format!("signal{} is a register ({}); a circuit has no clock", signal(), cell.kind)
            }
            Shape::Foreign => {
                let kind = cell.kind.trim_start_matches('$');
                format!("the operator or module {kind}, which no gates are known for")
            }
            _ => continue,
        };
        return Error::at(cell.at().unwrap_or_else(|| top.into()), what);
    }
    Ok(())
}

/// A wire's name for a reader, and the place where it is declared.
fn named(module: &Module, bit: Bit) -> (String, Option<String>) {
    let mut found = None;
    for (name, net) in &module.netnames.0 {
        if let Some(i) = net.bits.iter().position(|other| *other == bit) {
            let name = if net.bits.len() == 1 { name.clone() } else { format!("{name}[{i}]") };
            if net.hide_name == 0 {
                return (name, net.at());
            }
            found = Some((name, net.at()));
        }
    }
    found.unwrap_or_else(|| (format!("{bit:?}"), None))
}

struct Build<'a> {
    module: &'a Module,
    top: &'a str,
    draft: Draft,
    /// What is made. A bit that was begun and not made has nothing.
    wires: HashMap<usize, Option<Lit>>,
    /// Which part of which cell makes a wire.
    drivers: HashMap<usize, (usize, usize)>,
}

impl Build<'_> {
    fn connect(&mut self) -> Result<()> {
        let mut next = 0;
        for (_, port) in self.module.ports.0.iter().filter(|(_, port)| port.direction == "input") {
            for bit in &port.bits {
                if let Bit::Wire(wire) = bit {
                    self.wires.insert(*wire, Some(self.draft.input(next)));
                }
                next += 1;
            }
        }
        for (number, (_, cell)) in self.module.cells.0.iter().enumerate() {
            let (port, width) = match shape(&cell.kind) {
                Shape::Bitwise => ("Y", 1),
                Shape::Memory => ("RD_DATA", cell.number("WIDTH").max(1)),
                Shape::Whole => ("Y", cell.port("Y").len().max(1)),
                _ => continue,
            };
            for (i, bit) in cell.port(port).iter().enumerate() {
                let Bit::Wire(wire) = *bit else { continue };
                if self.drivers.insert(wire, (number, i / width)).is_some() || self.wires.contains_key(&wire)
                {
                    let name = named(self.module, *bit).0;
                    let at = cell.at().unwrap_or_else(|| self.top.into());
                    return Error::at(at, format!("signal {name} is driven twice"));
                }
            }
        }
        Ok(())
    }

    /// What a bit is: nothing for one without a value. Makes all that it needs, without recursion.
    fn value(&mut self, bit: Bit, lookups: bool) -> Result<Option<Lit>> {
        let mut stack = vec![bit];
        while let Some(bit) = stack.last().copied() {
            let Some((number, part)) = self.unmade(bit)? else {
                stack.pop();
                continue;
            };
            let cell = &self.module.cells.0[number].1;
            let part = Part { cell, part };
            let reads = part.reads();
            let depth = stack.len();
            for read in &reads {
                let Bit::Wire(wire) = *read else { continue };
                match self.wires.get(&wire) {
                    Some(Some(_)) => {}
                    Some(None) => return self.circle(*read),
                    None => stack.push(*read),
                }
            }
            let outputs = self.outputs(number, part.part);
            if stack.len() > depth {
                outputs.into_iter().flatten().for_each(|wire| {
                    self.wires.insert(wire, None);
                });
                continue;
            }
            let values: Vec<Option<Lit>> = reads.iter().map(|bit| self.known(*bit)).collect();
            let made = part.gates(&mut self.draft, &values, lookups).or_else(|what| {
                let signal =
                    outputs.iter().flatten().next().map(|wire| named(self.module, Bit::Wire(*wire)).0);
                let signal = signal.unwrap_or_default();
                Error::at(
                    cell.at().unwrap_or_else(|| self.top.into()),
                    format!("{what}, for signal {signal}"),
                )
            })?;
            for (wire, lit) in outputs.into_iter().zip(made) {
                if let Some(wire) = wire {
                    self.wires.insert(wire, Some(lit));
                }
            }
            stack.pop();
        }
        Ok(self.known(bit))
    }

    fn known(&self, bit: Bit) -> Option<Lit> {
        match bit {
            Bit::Constant(value) => Some(Lit::FALSE.negate_if(value)),
            Bit::Unknown => None,
            Bit::Wire(wire) => self.wires.get(&wire).copied().flatten(),
        }
    }

    /// What makes a wire that is not made.
    fn unmade(&self, bit: Bit) -> Result<Option<(usize, usize)>> {
        let Bit::Wire(wire) = bit else { return Ok(None) };
        if let Some(Some(_)) = self.wires.get(&wire) {
            return Ok(None);
        }
        let Some(driver) = self.drivers.get(&wire) else {
            let (name, at) = named(self.module, bit);
            return Error::at(at.unwrap_or_else(|| self.top.into()), format!("nothing drives signal {name}"));
        };
        Ok(Some(*driver))
    }

    /// The wires of a part's output.
    fn outputs(&self, number: usize, part: usize) -> Vec<Option<usize>> {
        let cell = &self.module.cells.0[number].1;
        let bits = match shape(&cell.kind) {
            Shape::Bitwise => &cell.port("Y")[part..=part],
            Shape::Memory => cell.port("RD_DATA").chunks(cell.number("WIDTH")).nth(part).unwrap_or(&[]),
            _ => cell.port("Y"),
        };
        bits.iter().map(|bit| if let Bit::Wire(wire) = bit { Some(*wire) } else { None }).collect()
    }

    fn circle<T>(&self, bit: Bit) -> Result<T> {
        let (name, mut at) = named(self.module, bit);
        if let (None, Bit::Wire(wire)) = (&at, bit) {
            at = self.drivers.get(&wire).and_then(|driver| self.module.cells.0[driver.0].1.at());
        }
        Error::at(
            at.unwrap_or_else(|| self.top.into()),
            format!("signal {name} depends on itself: a combinational loop"),
        )
    }
}
