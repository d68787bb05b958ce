//! A circuit: ports, and forms that compute the same.

use std::collections::BTreeSet;

use crate::{
    draft::Draft,
    error::{Error, Result},
    form::Form,
    lit::Lit,
    port::{Port, is_name},
};

/// A function of bits, with names for its inputs and outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    name: String,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    forms: Vec<Form>,
}

impl Circuit {
    /// A circuit with these ports, in the order of the forms' inputs and outputs. That its forms compute the same is the
    /// caller's to know: `synth` tries.
    ///
    /// # Errors
    /// [`Error::Circuit`] for a name that no port can have, a name that two inputs or two outputs have, no form or two of a
    /// name, a form with more or fewer inputs or outputs than the ports, and more than 2^20 bits of inputs or of outputs.
    pub fn new(
        name: impl Into<String>,
        inputs: Vec<Port>,
        outputs: Vec<Port>,
        forms: Vec<Form>,
    ) -> Result<Self> {
        let name = name.into();
        if !is_name(&name) {
            return Error::of(format!(
                "name {name:?} of a circuit; accepted: 1 to 256 printable letters without blanks"
            ));
        }
        for (what, ports) in [("input", &inputs), ("output", &outputs)] {
            let mut seen = BTreeSet::new();
            if let Some(twice) = ports.iter().find(|port| !seen.insert(port.name())) {
                return Error::of(format!("two {what}s of the name {}", twice.name()));
            }
        }
        for (what, ports) in [("inputs", &inputs), ("outputs", &outputs)] {
            let bits: usize = ports.iter().map(Port::bits).sum();
            if bits > Port::MAX_BITS as usize {
                return Error::of(format!("{bits} bits of {what}; accepted: {} in all", Port::MAX_BITS));
            }
        }
        let mut seen = BTreeSet::new();
        for form in &forms {
            if !seen.insert(form.name()) {
                return Error::of(format!("two forms of the name {}", form.name()));
            }
            let sides = [("inputs", &inputs, form.inputs()), ("outputs", &outputs, form.outputs().len())];
            for (what, ports, wires) in sides {
                let bits: usize = ports.iter().map(Port::bits).sum();
                if bits != wires {
                    let form = form.name();
                    return Error::of(format!(
                        "the ports have {bits} bits of {what}, form {form} has {wires}"
                    ));
                }
            }
        }
        if forms.is_empty() {
            return Error::of("a circuit without a form");
        }
        Ok(Self { name, inputs, outputs, forms })
    }

    /// Circuits side by side: what none waits for shares rounds. Port x of a circuit c is called `c.x`, and of the second
    /// one of the same name `c:2.x`. There is a form of each name that one of them has, made of their forms of this name, or
    /// else of their first ones.
    ///
    /// # Errors
    /// As [`new`](Self::new), and for ports whose names become too long.
    pub fn beside(name: impl Into<String>, circuits: &[&Self]) -> Result<Self> {
        let called = |at: usize| {
            let name = circuits[at].name();
            match circuits[..at].iter().filter(|before| before.name() == name).count() {
                0 => name.to_owned(),
                before => format!("{name}:{}", before + 1),
            }
        };
        let ports = |of: fn(&Self) -> &[Port]| -> Result<Vec<Port>> {
            let all = circuits.iter().enumerate().flat_map(|(at, circuit)| {
                of(circuit)
                    .iter()
                    .map(move |port| Port::new(format!("{}.{}", called(at), port.name()), port.kind()))
            });
            all.collect()
        };
        let (inputs, outputs) = (ports(Self::inputs)?, ports(Self::outputs)?);
        let bits: usize = inputs.iter().map(Port::bits).sum();
        let mut names: Vec<&str> = Vec::new();
        for form in circuits.iter().flat_map(|circuit| &circuit.forms) {
            if !names.contains(&form.name()) {
                names.push(form.name());
            }
        }
        let form = |name: &&str| {
            let (mut draft, mut from, mut outputs) = (Draft::new(bits), 0, Vec::new());
            for circuit in circuits {
                let named = circuit.forms.iter().find(|form| form.name() == *name);
                let form = named.unwrap_or(&circuit.forms[0]);
                let inputs: Vec<Lit> = (from..from + form.inputs()).map(|i| draft.input(i)).collect();
                outputs.extend(draft.insert(form, &inputs));
                from += form.inputs();
            }
            draft.finish(name, outputs)
        };
        Self::new(name, inputs, outputs, names.iter().map(form).collect())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The input ports, in the order of the forms' inputs.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The output ports.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Its forms: one or more.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// The same with another form besides, in place of that of its name.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(mut self, form: Form) -> Result<Self> {
        self.forms.retain(|other| other.name() != form.name());
        self.forms.push(form);
        Self::new(self.name, self.inputs, self.outputs, self.forms)
    }

    /// The same with other ports of the same bits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_ports(self, inputs: Vec<Port>, outputs: Vec<Port>) -> Result<Self> {
        Self::new(self.name, inputs, outputs, self.forms)
    }

    /// What two parties compare: the hash of all of it, as it is written.
    pub fn digest(&self) -> blake3::Hash {
        self.written().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, TruthTable};

    /// A sum and a product of two bits, by gates and, where it has a table, by a lookup.
    fn circuit(name: &str, and: bool, table: bool) -> Circuit {
        let port = |name: &str| Port::new(name, Kind::Unsigned(1)).expect("a port");
        let mut d = Draft::new(2);
        let (x, y) = (d.input(0), d.input(1));
        let made = if and { d.and(x, y) } else { d.xor(x, y) };
        let mut forms = vec![d.finish("ands", vec![made])];
        if table {
            let rows = TruthTable::tabulate(2, 1, |row| u64::from(if and { row == 3 } else { row % 3 > 0 }));
            let mut d = Draft::new(2);
            let made = d.lookup(&rows.expect("a table").into(), &d.inputs());
            forms.push(d.finish("luts", made));
        }
        Circuit::new(name, vec![port("x"), port("y")], vec![port("z")], forms).expect("a circuit")
    }

    #[test]
    fn circuits_side_by_side_give_what_each_gives() {
        let all = [circuit("both", true, true), circuit("sum", false, false), circuit("both", true, false)];
        let one = Circuit::beside("all", &all.each_ref()).expect("a circuit");
        let names =
            |ports: &[Port]| ports.iter().map(|port| port.name().to_owned()).collect::<Vec<_>>().join(" ");
        assert_eq!(names(one.inputs()), "both.x both.y sum.x sum.y both:2.x both:2.y");
        assert_eq!(names(one.outputs()), "both.z sum.z both:2.z");
        let forms: Vec<_> =
            one.forms().iter().map(|form| (form.name(), form.ands(), form.lookups())).collect();
        assert_eq!(forms, [("ands", 2, 0), ("luts", 1, 1)]);
        // All inputs at once: a bit of a word for each.
        let inputs: Vec<u64> = (0..6).map(|i| (0..64).map(|row| (row >> i & 1) << row).sum()).collect();
        for form in one.forms() {
            let want = [inputs[0] & inputs[1], inputs[2] ^ inputs[3], inputs[4] & inputs[5]];
            assert_eq!(form.eval(&inputs), want, "{}", form.name());
            assert_eq!(form.depth(), 1);
        }
        assert!(Circuit::beside("all", &[]).is_err());
    }

    #[test]
    fn bits_of_all_ports_are_bounded() {
        let ports = |count: usize| -> Vec<Port> {
            (0..count).map(|i| Port::new(format!("p{i}"), Kind::Bits(1 << 19)).expect("a port")).collect()
        };
        let of = |count: usize| {
            let form = Form::new("ands", (count as u32) << 19);
            Circuit::new("wide", ports(count), Vec::new(), vec![form])
        };
        assert!(of(2).is_ok());
        assert!(
            of(3).expect_err("too many").to_string().contains("1572864 bits of inputs; accepted: 1048576")
        );
    }
}
