//! The function garbled by its key's owner, to whom all that the key alone decides is free.

use std::sync::Arc;

use super::{Cipher, Prf, PrfJob, netlist, sizes};
use crate::{
    bill::{Bill, Effort},
    circuit::{Flat, Layers, Made},
    error::Result,
    gates::Bits,
    gc::{Garbled, Garbler, Job, Program},
    party::Party,
    session::Session,
};

/// The circuit as a form, and that ready to be garbled.
type Ready = (Flat, Arc<Program>);

/// What evaluates the circuit.
pub(super) enum Circuit {
    Layers(Layers),
    Garbled(Arc<Ready>, Garbled),
}

impl Circuit {
    /// Inputs there is material for.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Layers(layers) => layers.len(),
            Self::Garbled(_, garbled) => garbled.len(),
        }
    }

    /// The netlist's outputs, from its inputs.
    pub(super) fn eval(self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let (ready, garbled) = match self {
            Self::Layers(layers) => return layers.eval(s, inputs),
            Self::Garbled(ready, garbled) => (ready, garbled),
        };
        let (flat, count) = (&ready.0, garbled.len());
        let inputs = flat.inputs(count, s.role(), inputs)?;
        Ok(flat.outputs(garbled.eval(s, inputs)?))
    }
}

impl Prf {
    /// Offline: for `count` inputs, to be garbled by the key's owner.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_garbled(p: &mut Party, job: PrfJob, count: usize) -> Result<Self> {
        job.check_count(count)?;
        let ready = ready(&job);
        let garbled = Garbled::prepare(p, &garbled(&job, &ready, count)?)?;
        Ok(Self { job, circuit: Circuit::Garbled(ready, garbled) })
    }

    /// What `count` inputs cost, garbled: 2 rounds.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for sizes that are not supported.
    pub fn bill_garbled(job: &PrfJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        Ok(Garbled::bill(&garbled(job, &ready(job), count)?))
    }

    /// What `count` inputs take, by layers and garbled.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn efforts(job: &PrfJob, count: usize) -> Result<[Effort; 2]> {
        job.check_count(count)?;
        Ok([Layers::effort(&netlist(job), count), garbled(job, &ready(job), count)?.effort(false)])
    }
}

fn garbled(job: &PrfJob, (flat, program): &Ready, count: usize) -> Result<Job> {
    Job::new(program, flat.known(), count, Garbler::One(job.owner))
}

fn ready(job: &PrfJob) -> Arc<Ready> {
    static MADE: Made<(Cipher, bool, u32, u32), 4, Ready> = Made::new();
    MADE.get(sizes(job), || {
        let flat = Flat::new(&netlist(job));
        let program = Program::new(flat.form()).expect("a form of ANDs and XORs");
        Arc::new((flat, program))
    })
}
