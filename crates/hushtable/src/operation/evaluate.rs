//! Evaluation of a circuit.

mod columns;

use std::sync::{Arc, OnceLock};

use prim::Wiped;

use self::columns::{column, planes, words};
use super::{Held, Material, Operation, Port, Signature, Ways, Words, spend};
use crate::{
    bill::{Bill, Effort, Objective},
    circuit::{self, Circuit, Form, Layers, TruthTable},
    error::{Error, Result, same},
    forms::{Layered, Switched, Switching},
    gates::Bits,
    gc::{Ahead, Garbled, Garbler, Job, Program},
    lut::{LookupJob, Protocol},
    net::Role,
    ot::Setting,
    party::Party,
    session::Session,
    share::Sharing,
    source::Origin,
};

/// What evaluates a form of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Layer by layer: ANDs by triples, lookups by this protocol, or else by the one for stores.
    Layers(Option<Protocol>),
    /// SP-LUT lookups with switching roles, ANDs too: a round more than there are layers.
    Switching,
    /// Garbled, each half of the items by one party, in two rounds: forms without lookups.
    Garbled {
        /// Before the inputs are there. Tables of 32 bytes an AND are kept until then.
        ahead: bool,
    },
}

impl Engine {
    /// Those that evaluate a form.
    fn of(form: &Form) -> Vec<Self> {
        let layered = [Self::Layers(None), Self::Switching];
        let garbled = [false, true].map(|ahead| Self::Garbled { ahead });
        let garbled = garbled.into_iter().filter(|_| form.lookups() == 0);
        layered.into_iter().chain(garbled).collect()
    }
}

/// A form as an engine takes it.
#[derive(Clone)]
enum Lowered {
    Layered(Layered),
    Switched(Switched),
    Program(Arc<Program>),
}

/// Evaluations of a circuit. An input port is known to one party or shared by XOR, and so are the outputs: words of 64
/// bits, the lowest first, of a port with more.
#[derive(Clone)]
pub struct Evaluate {
    circuit: Arc<Circuit>,
    /// Who knows each input port.
    known: Arc<[Option<Role>]>,
    form: usize,
    engine: Engine,
    /// What the way was chosen for; `None` where it was asked for.
    objective: Option<Objective>,
    lowered: Arc<OnceLock<Lowered>>,
    /// All ways, which keep what they were lowered to.
    all: Arc<OnceLock<Vec<Self>>>,
}

impl Evaluate {
    /// The circuit, of whose input ports each is known to this party or shared, by the way that suits the objective.
    ///
    /// # Errors
    /// [`Error::Param`] unless there is one for each port, for ports that one party knows all, and for a circuit without
    /// inputs or outputs.
    pub fn new(circuit: &Arc<Circuit>, known: &[Option<Role>], objective: Objective) -> Result<Self> {
        let (form, engine) = (0, Engine::Layers(None));
        Ok(Self { objective: Some(objective), ..Self::by(circuit, known, form, engine)? })
    }

    /// A form of it by an engine.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Param`] for a form that is not there, or that the engine does not evaluate.
    pub fn by(circuit: &Arc<Circuit>, known: &[Option<Role>], form: usize, engine: Engine) -> Result<Self> {
        let param = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        if circuit.inputs().len() != known.len() {
            let accepted = format!("{}, the input ports", circuit.inputs().len());
            return param("who knows what of a circuit's ports", known.len().to_string(), accepted);
        }
        if circuit.inputs().is_empty() || circuit.outputs().is_empty() {
            return param("ports of a circuit", "none".into(), "an input and an output at least".into());
        }
        if form >= circuit.forms().len() {
            let accepted = format!("below {}", circuit.forms().len());
            return param("form of a circuit", form.to_string(), accepted);
        }
        if let [Some(role), others @ ..] = known
            && others.iter().all(|other| *other == Some(*role))
        {
            let accepted = format!("some shared or known to {}: {role} can compute it alone", role.peer());
            return param("who knows what of a circuit's ports", format!("all known to {role}"), accepted);
        }
        let (circuit, known) = (circuit.clone(), known.into());
        let (lowered, all) = Default::default();
        Ok(Self { circuit, known, form, engine, objective: None, lowered, all })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// Which form, and by which engine.
    pub fn way(&self) -> (&Form, Engine) {
        (&self.circuit.forms()[self.form], self.engine)
    }

    /// All ways: each form by each engine that evaluates it.
    ///
    /// # Errors
    /// As [`by`](Self::by).
    pub fn all(&self) -> Result<Vec<Self>> {
        if let Some(all) = self.all.get() {
            return Ok(all.clone());
        }
        let mut all = Vec::new();
        for form in 0..self.circuit.forms().len() {
            for engine in Engine::of(&self.circuit.forms()[form]) {
                all.push(Self::by(&self.circuit, &self.known, form, engine)?);
            }
        }
        Ok(self.all.get_or_init(|| all).clone())
    }

    /// What a circuit gives of values in the clear, as words for each output port: by a form without lookups if there is
    /// one, so that no branch and no address depends on them.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are the words of so many items for each input port.
    pub fn plain(circuit: &Circuit, items: usize, operands: &[&[u64]]) -> Result<Vec<Words>> {
        let form = circuit.forms().iter().find(|form| form.lookups() == 0).unwrap_or(&circuit.forms()[0]);
        same("operands", circuit.inputs().len(), operands.len())?;
        let mut inputs = Vec::with_capacity(form.inputs());
        for (port, words) in circuit.inputs().iter().zip(operands) {
            inputs.extend(planes(words, port.bits(), items)?);
        }
        let mut outputs = vec![Vec::with_capacity(items.div_ceil(64)); form.outputs().len()];
        let mut wires = Wiped::zeros(form.wires());
        for block in 0..items.div_ceil(64) {
            let given = Wiped::from(inputs.iter().map(|plane| plane.words()[block]).collect::<Vec<_>>());
            let found = Wiped::from(form.eval_in(&given, &mut wires));
            outputs.iter_mut().zip(found.iter()).for_each(|(plane, word)| plane.push(*word));
        }
        let mut found = outputs.into_iter().map(|plane| Bits::new(items, plane));
        let column =
            |port: &circuit::Port| words(&found.by_ref().take(port.bits()).collect::<Vec<_>>(), items);
        circuit.outputs().iter().map(column).collect()
    }

    /// Who knows each bit of the inputs.
    fn known(&self) -> Vec<Option<Role>> {
        let ports = self.circuit.inputs().iter().zip(self.known.iter());
        ports.flat_map(|(port, known)| vec![*known; port.bits()]).collect()
    }

    /// The form as the engine takes it, made once.
    fn lowered(&self) -> Result<Lowered> {
        if let Some(found) = self.lowered.get() {
            return Ok(found.clone());
        }
        let ((form, engine), known) = (self.way(), self.known());
        let lowered = match engine {
            Engine::Layers(by) => {
                Lowered::Layered(Layered::of(form, &known, |table| Ok(by.unwrap_or_else(|| usual(table))))?)
            }
            Engine::Switching => Lowered::Switched(Switched::of(form, &known)?),
            Engine::Garbled { .. } => Lowered::Program(Program::new(form)?),
        };
        Ok(self.lowered.get_or_init(|| lowered).clone())
    }

    /// What is garbled.
    fn job(&self, program: &Arc<Program>, items: usize) -> Result<Job> {
        Job::new(program, self.known(), items, Garbler::Both)
    }

    /// Material, and what spends it.
    fn evaluation(&self, made: Made, items: usize) -> Box<dyn Material> {
        let (circuit, known) = (self.circuit.clone(), self.known.clone());
        spend(items, move |s, given| {
            same("operands", circuit.inputs().len(), given.len())?;
            let mut inputs = Vec::new();
            for ((port, known), words) in circuit.inputs().iter().zip(known.iter()).zip(given) {
                match known {
                    Some(known) if *known != s.role() => {
                        inputs.extend((0..port.bits()).map(|_| Bits::zeros(items)));
                    }
                    _ => inputs.extend(planes(words, port.bits(), items)?),
                }
            }
            let mut found = made.eval(s, inputs)?.into_iter();
            let column = |port: &circuit::Port| {
                let planes: Vec<Bits> = found.by_ref().take(port.bits()).collect();
                words(&planes, items)
            };
            circuit.outputs().iter().map(column).collect()
        })
    }
}

/// Evaluations of a circuit layer by layer, with triples that were made elsewhere.
pub fn by_layers(of: &Evaluate, layers: Layers) -> Box<dyn Material> {
    let items = layers.len();
    of.evaluation(Made::Layers(layers), items)
}

/// Material of an engine.
enum Made {
    Layers(Layers),
    Switching(Switching),
    Garbled(Garbled),
    Ahead(Ahead),
}

impl Made {
    fn eval(self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        match self {
            Self::Layers(layers) => layers.eval(s, inputs),
            Self::Switching(switching) => switching.eval(s, inputs),
            Self::Garbled(garbled) => garbled.eval(s, inputs),
            Self::Ahead(ahead) => ahead.eval(s, inputs),
        }
    }
}

/// The protocol for lookups where none is asked for.
fn usual(table: &TruthTable) -> Protocol {
    let (index, output) = (Sharing::Xor, Sharing::Xor);
    Protocol::to_store(&LookupJob { index, output, index_bits: table.inputs(), value_bits: table.outputs() })
}

impl Operation for Evaluate {
    fn name(&self) -> String {
        format!("circuit {}", self.circuit.name())
    }

    fn method(&self) -> String {
        let (form, engine) = self.way();
        let engine = match engine {
            Engine::Layers(_) if form.lookups() == 0 => "triples".into(),
            Engine::Layers(by) => format!("lookups by {}", by.map_or("one-hot vectors", Protocol::name)),
            Engine::Switching => "lookups with switching roles".into(),
            Engine::Garbled { ahead: false } => "garbled".into(),
            Engine::Garbled { ahead: true } => "garbled ahead".into(),
        };
        format!("form {}, {engine}", form.name())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let known = self.circuit.inputs().iter().zip(self.known.iter()).map(|(port, known)| {
            let known = known.map_or("shared".into(), |role| format!("of {role}"));
            format!("{} {known}", port.name())
        });
        vec![
            ("circuit", self.circuit.digest().to_hex().to_string()),
            ("inputs", known.collect::<Vec<_>>().join(", ")),
            ("method", self.method()),
        ]
    }

    fn signature(&self) -> Signature {
        let takes = self.circuit.inputs().iter().zip(self.known.iter()).map(|(port, known)| match known {
            Some(role) => Port { held: Held::Known(*role), ..column(port) },
            None => column(port),
        });
        let gives = self.circuit.outputs().iter().map(column);
        Signature { takes: takes.collect(), gives: gives.collect() }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        match (self.lowered()?, self.engine) {
            (Lowered::Layered(form), _) => Ok(form.bill(items)),
            (Lowered::Switched(form), _) => Ok(form.bill(items)),
            (Lowered::Program(program), Engine::Garbled { ahead: true }) => {
                Ok(Ahead::bill(&self.job(&program, items)?))
            }
            (Lowered::Program(program), _) => Ok(Garbled::bill(&self.job(&program, items)?)),
        }
    }

    fn effort(&self, items: usize, _: &Setting) -> Result<Effort> {
        let effort = match (self.lowered()?, self.engine) {
            (Lowered::Layered(form), _) => form.effort(items),
            (Lowered::Switched(form), _) => form.effort(items),
            (Lowered::Program(program), engine) => {
                self.job(&program, items)?.effort(engine == Engine::Garbled { ahead: true })
            }
        };
        let Signature { takes, gives } = self.signature();
        let words: u64 = takes.iter().chain(&gives).map(|port| port.words as u64).sum();
        let memory = effort.memory.map(|memory| memory.saturating_add(8 * words * items as u64));
        Ok(effort.remembering(memory))
    }

    fn stocks(&self) -> bool {
        !matches!(self.engine, Engine::Layers(_))
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let Some(objective) = self.objective else { return Ok(None) };
        let all = self.all()?.into_iter().map(|way| Box::new(way) as Box<dyn Operation>);
        Ok(Some(Ways { objective: asked.unwrap_or(objective), all: all.collect() }))
    }

    fn stored_as(&self) -> String {
        let digest = self.circuit.digest().to_hex();
        format!("circuit {}, {}.., {}", self.circuit.name(), &digest[..8], self.method())
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let made = match (self.lowered()?, self.engine) {
            (Lowered::Layered(form), _) => Made::Layers(form.prepare(from, items)?),
            (Lowered::Switched(form), _) => Made::Switching(form.prepare(from, items)?),
            (Lowered::Program(program), Engine::Garbled { ahead: true }) => {
                return Err(Error::Store(format!(
                    "{} garbled ahead is not stored: its tables take {} bytes an evaluation, and those of evaluations that \
                     were garbled side by side cannot be cut apart. Material for lookups, triples or tables garbled online is \
                     stored",
                    self.name(),
                    32 * program.ands(),
                )));
            }
            (Lowered::Program(program), _) => {
                Made::Garbled(Garbled::prepare(from, &self.job(&program, items)?)?)
            }
        };
        Ok(self.evaluation(made, items))
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        match (self.lowered()?, self.engine) {
            (Lowered::Program(program), Engine::Garbled { ahead: true }) => {
                let made = Ahead::prepare(p, &self.job(&program, items)?)?;
                Ok(self.evaluation(Made::Ahead(made), items))
            }
            _ => self.material(&mut Origin::peer(p), items),
        }
    }

    fn tells(&self) -> String {
        format!("what circuit {} says of its inputs", self.circuit.name())
    }
}
