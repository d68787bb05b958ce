//! `circuit`: evaluations of a circuit at random inputs, compared with what its first form gives in the clear.

mod asked;
mod values;

use std::{io::Write, ops::Range, sync::Arc};

use hushtable::{
    Role,
    circuit::{Circuit, Form},
    net::LinkShape,
    operation::{self, Engine, Evaluate, Operation},
    plan::{Machine, Wanted},
    run::{self, Reveal},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{
    calibration::Calibration,
    choice::Optimise,
    circuit::{self, Aim, Holder, Wish},
};
use tempfile::NamedTempFile;

pub use self::asked::CircuitWork;
use self::{
    asked::{Choice, Chosen},
    values::Values,
};
use crate::{baseline::Baseline, benchmark::Benchmark, inputs, lanes::Lanes};

/// The form of lookups that was made.
const MADE: &str = "made";

impl Benchmark for CircuitWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "evaluation"
    }

    fn prepare(&mut self, link: &LinkShape, _: usize) -> Result<()> {
        self.choose(link)
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let bill = self.operation().and_then(|operation| {
            Ok(run::bill(&*operation, items, 1, Reveal::Nobody, &inputs::usual_setting())?)
        });
        bill.map_or((0, 0), |bill| bill.cots_of(role)) // what fails is told by `run`
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let operation = self.operation()?;
        let plain = circuit::load(&self.file)?;
        let known = self.roles(&plain)?;
        let values = Values { circuit: &plain, known: &known };
        let piece = self.piece(&*operation)?;
        let inputs = |role, rows: Range<usize>| Ok(values.of(role, rows));
        let done = lanes.operate(piece, |_| Ok(operation.clone()), inputs, |_| ())?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(rows, mine)| values.check(rows, mine, from)),
        )
    }

    fn protocol(&self) -> Option<String> {
        Some(self.engine.to_string())
    }

    fn is_baseline(&self) -> bool {
        self.engine == Choice::Nmt
    }

    fn plan(&mut self, link: &LinkShape, optimise: Optimise) -> Result<bool> {
        (self.engine, self.optimise, self.form, self.max_inputs) = (Choice::Auto, optimise, None, None);
        self.choose(link).map(|()| true)
    }
}

impl CircuitWork {
    /// Settles what is left open, and notes what is evaluated.
    fn choose(&mut self, link: &LinkShape) -> Result<()> {
        let circuit = self.circuit()?;
        let known = self.roles(&circuit)?;
        self.known = known.iter().map(|role| Holder::from(*role)).collect();
        if self.engine == Choice::Auto {
            let machine = Calibration::load(None)?.machine();
            let objective = self.optimise.into();
            let asked = circuit::Asked {
                circuit: &circuit,
                known: &known,
                items: self.items(),
                objective,
                link: *link,
                machine: &machine,
            };
            let way = circuit::ways(&asked)?.swap_remove(0).way;
            self.engine = Choice::Of(Wish::of(&way));
            if self.max_inputs.is_none() {
                self.form = Some(way.way().0.name().into());
            }
        }
        let circuit = self.circuit()?;
        if self.max_inputs.is_some() {
            self.written = Some(Arc::new(self.write(&circuit.forms()[0])?));
        }
        let way = self.evaluate(&circuit)?;
        let form = way.way().0;
        if self.max_inputs.is_none() {
            self.form = Some(form.name().into());
        }
        let (ands, luts, layers) = (form.ands(), form.lookups(), form.depth());
        let operation = self.runs(way.clone())?;
        let bill = run::bill(&*operation, self.items(), 1, Reveal::Nobody, &inputs::usual_setting())?;
        let piece = self.piece(&*operation)?;
        self.chosen = Some(Chosen { ands, luts, layers, cots: bill.cots, piece });
        Ok(())
    }

    /// The circuit, with the form that is asked for alone, or with lookups made of that.
    fn circuit(&self) -> Result<Arc<Circuit>> {
        let circuit = circuit::load(&self.file)?;
        let with = |form: Form| {
            let (inputs, outputs) = (circuit.inputs().to_vec(), circuit.outputs().to_vec());
            let alone = Circuit::new(circuit.name(), inputs, outputs, vec![form]);
            alone.map(Arc::new).map_err(|error| Failure::new(error.to_string()))
        };
        let named = match &self.form {
            None => None,
            Some(name) => {
                let found = circuit.forms().iter().find(|form| form.name() == name);
                let known = || circuit.forms().iter().map(Form::name).collect::<Vec<_>>().join(", ");
                Some(found.ok_or_else(|| Failure::new(format!("--form {name}: accepted: {}", known())))?)
            }
        };
        match (named, self.max_inputs) {
            (None, None) => Ok(circuit),
            (Some(form), None) => with(form.clone()),
            (form, Some(most)) => {
                let wanted = Wanted::new(self.optimise.into(), LinkShape::LAN, Machine::REFERENCE);
                let engine = self.engine.wish().map_or(Engine::Layers(None), Wish::engine);
                let aim = Aim { engine, inputs: most as usize, items: self.items(), wanted: &wanted };
                with(aim.lookups(&circuit, form.unwrap_or(&circuit.forms()[0])))
            }
        }
    }

    /// The circuit with this form besides, as a file.
    fn write(&self, made: &Form) -> Result<NamedTempFile> {
        let circuit = Circuit::clone(&*circuit::load(&self.file)?);
        let all = made.clone().renamed(MADE).and_then(|made| circuit.with(made));
        let text = all.map_err(|error| Failure::new(error.to_string()))?.to_string();
        let file = tempfile::Builder::new().suffix(".hut").tempfile();
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
        written.map_err(|error| Failure::local(format!("temporary file: {error}")))
    }

    /// As the two processes get it: with lookups that are made already.
    pub fn handed(&self) -> Option<Self> {
        let file = self.written.as_ref()?.path().to_owned();
        Some(Self { file, form: Some(MADE.into()), max_inputs: None, ..self.clone() })
    }

    /// Who knows each port.
    fn roles(&self, circuit: &Circuit) -> Result<Vec<Option<Role>>> {
        let ports = circuit.inputs().len();
        let known: Vec<Option<Role>> = match &self.known[..] {
            [] if ports == 1 => vec![None],
            [] => (0..ports).map(|port| Some(if port == 0 { Role::P0 } else { Role::P1 })).collect(),
            known => known.iter().map(|who| who.role()).collect(),
        };
        if known.len() != ports {
            let (told, name) = (known.len(), circuit.name());
            return Err(Failure::new(format!("--known says who knows {told} ports; {name} has {ports}")));
        }
        Ok(known)
    }

    /// How the circuit is evaluated.
    fn evaluate(&self, circuit: &Arc<Circuit>) -> Result<Evaluate> {
        match &self.engine {
            Choice::Auto => Err(Failure::new("the engine is chosen before the processes start")),
            Choice::Nmt => "gmw".parse::<Wish>().expect("an engine").way(circuit, &self.roles(circuit)?),
            Choice::Of(wish) => wish.way(circuit, &self.roles(circuit)?),
        }
    }

    fn runs(&self, way: Evaluate) -> Result<Arc<dyn Operation>> {
        match self.is_baseline() {
            true => Baseline::Codes(way).operation(),
            false => Ok(Arc::new(way)),
        }
    }

    /// What is run, made once: making it takes longer than some runs.
    fn operation(&self) -> Result<Arc<dyn Operation>> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let operation = self.runs(self.evaluate(&self.circuit()?)?)?;
        Ok(self.made.keep(operation))
    }

    /// Evaluations at once, as the library cuts batches.
    fn piece(&self, operation: &dyn Operation) -> Result<usize> {
        Ok(operation::batch(operation, self.items(), &inputs::usual_setting())?.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(json: &str) -> CircuitWork {
        serde_json::from_str(json).expect("a description")
    }

    /// A batch that takes more memory than a cache has is cut, and each piece has its OTs.
    #[test]
    fn large_batches_are_cut() {
        let chosen = |batch: u32| {
            let json = format!(r#"{{"file": "lib:aes128", "engine": "gc-ahead", "batch": {batch}}}"#);
            let mut work = asked(&json);
            work.choose(&LinkShape::LOOPBACK).expect("a way");
            let cots = work.cots(Role::P0, batch as usize);
            let chosen = work.chosen.expect("what was chosen");
            assert_eq!(chosen.cots, [cots.0 as u64, cots.1 as u64]);
            chosen
        };
        let [few, many] = [10, 100_000].map(chosen);
        assert_eq!(few.piece, 10);
        assert!((100..1000).contains(&many.piece), "{}", many.piece);
        // The parties' halves of odd pieces differ.
        let [few, many] = [few, many].map(|chosen| chosen.cots.iter().sum::<u64>());
        assert_eq!(many, few * 10_000);
    }

    /// What is settled is settled alike where it runs.
    #[test]
    fn what_is_chosen_is_run() {
        for json in [
            r#"{"file": "lib:less_u32", "engine": "auto", "optimise": "rounds", "batch": 9}"#,
            r#"{"file": "lib:less_u32", "engine": "splut", "max_inputs": 6, "batch": 9}"#,
        ] {
            let mut work = asked(json);
            work.choose(&LinkShape::WAN).expect("a way");
            let there = asked(&crate::work::Work::Circuit(work.clone()).handed());
            let [here, there] = [&work, &there].map(|work| work.operation().expect("an operation"));
            let bill = |of: &dyn Operation| of.bill(9, &inputs::usual_setting()).expect("a bill");
            assert_eq!(bill(&*here), bill(&*there));
            assert_eq!([&here, &there].map(|of| of.fields()[1].1.clone()), ["a of P0, b of P1"; 2]);
        }
        assert!(asked(r#"{"file": "lib:add32", "engine": "auto", "batch": 9}"#).operation().is_err());
    }
}
