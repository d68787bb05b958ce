//! A circuit: ports, and forms that compute the same.

use std::collections::BTreeSet;

use crate::{
    error::{Error, Result},
    form::Form,
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
    /// name, and a form with more or fewer inputs or outputs than the ports.
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
