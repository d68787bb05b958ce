//! A netlist garbled by the party that knows some of its inputs: what these alone decide is free.

use std::sync::Arc;

use crate::{
    circuit::{Flat, Layers, Netlist},
    error::Result,
    gates::Bits,
    gc::{Garbled, Garbler, Job, Program},
    net::Role,
    session::Session,
};

/// A netlist as a form, and that ready to be garbled. Public.
pub(super) struct Ready {
    flat: Flat,
    program: Arc<Program>,
}

impl Ready {
    pub(super) fn new(net: &Arc<Netlist>) -> Arc<Self> {
        let flat = Flat::new(net);
        let program = Program::new(flat.form()).expect("a form of ANDs and XORs");
        Arc::new(Self { flat, program })
    }

    /// What is garbled.
    pub(super) fn job(&self, garbler: Role, items: usize) -> Result<Job> {
        Job::new(&self.program, self.flat.known(), items, Garbler::One(garbler))
    }
}

/// What evaluates a netlist.
pub(super) enum Circuit {
    Layers(Layers),
    Garbled(Arc<Ready>, Garbled),
}

impl Circuit {
    /// Items there is material for.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Layers(layers) => layers.len(),
            Self::Garbled(_, garbled) => garbled.len(),
        }
    }

    /// The netlist's outputs, from its inputs.
    pub(super) fn eval(self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        match self {
            Self::Layers(layers) => layers.eval(s, inputs),
            Self::Garbled(ready, garbled) => {
                let inputs = ready.flat.inputs(garbled.len(), s.role(), inputs)?;
                Ok(ready.flat.outputs(garbled.eval(s, inputs)?))
            }
        }
    }
}
