//! Circuits: files of them, the library's, and what is evaluated.

use std::{path::PathBuf, str::FromStr, sync::Arc};

use hushtable::{
    Role,
    circuit::{self, Kind},
    net::LinkShape,
    operation::Evaluate,
    plan::{Machine, Objective},
};
use hushtable_columns::{
    failure::{Cause, Failure},
    output::{Output, PUBLIC},
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{Asked, Purpose, Source, Wish, load, ways, written},
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    error::{named, raise},
    interrupt::interruptible,
    operation::Operation,
    party,
    plan::{self, Prediction},
    running::{Array, arrays, given},
};

/// A circuit: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Circuit {
    inner: Arc<circuit::Circuit>,
}

#[pymethods]
impl Circuit {
    /// Of a file, or `lib:NAME` of the library.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::made(py, vec![path.clone()], move || load(&path))
    }

    /// What two numbers of so many bits add up to.
    #[staticmethod]
    fn adder(py: Python<'_>, bits: u32) -> PyResult<Self> {
        let adder = synth::library::adder(bits);
        let inner = adder.map_err(|error| failed(py, &Failure::new(error.to_string()), &[]))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Of Verilog, or of gates in a file, as the program's `compile` makes it.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn compile(
        py: Python<'_>,
        files: Vec<PathBuf>,
        top: Option<String>,
        types: Vec<(String, String)>,
        parameters: Vec<(String, i64)>,
        max_inputs: u32,
        purpose: String,
        batch: usize,
        prove: bool,
        calibration: Option<PathBuf>,
    ) -> PyResult<Self> {
        let read = calibration.iter().chain(&files).cloned().collect();
        Self::made(py, read, move || {
            let kind = |(port, kind): (String, String)| match Kind::from_str(&kind) {
                Ok(kind) => Ok((port, kind)),
                Err(error) => Err(Failure::new(error.to_string())),
            };
            let types = types.into_iter().map(kind).collect::<Result<_, Failure>>()?;
            let machine = Calibration::load(calibration.as_deref())?.machine();
            let source = Source { files, top, types, parameters, max_inputs, batch, prove };
            source.circuit(&Purpose::named(&purpose)?.wanted(machine))
        })
    }

    /// Writes it, in the format of the file's extension.
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let save = || {
            let output = Output::reserve(&path, &[], PUBLIC, overwrite)?;
            let text = written(&self.inner, &path)?;
            output.write(|to| std::io::Write::write_all(to, text.as_bytes()))
        };
        py.detach(save).map_err(|failure| failed(py, &failure, &[]))
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// What the parties compare.
    #[getter]
    fn digest(&self) -> String {
        self.inner.digest().to_hex().to_string()
    }

    /// Names and types.
    #[getter]
    fn inputs(&self) -> Vec<(String, String)> {
        ports(self.inner.inputs())
    }

    #[getter]
    fn outputs(&self) -> Vec<(String, String)> {
        ports(self.inner.outputs())
    }

    /// Name, ANDs, lookups, layers.
    #[getter]
    fn forms(&self) -> Vec<(String, usize, usize, usize)> {
        let form = |form: &circuit::Form| (form.name().into(), form.ands(), form.lookups(), form.depth());
        self.inner.forms().iter().map(form).collect()
    }

    /// Words of each output port, of words in the clear of each input port.
    fn plain<'py>(
        &self,
        py: Python<'py>,
        operands: Vec<Array<'py>>,
        items: usize,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u64>>>> {
        let (operands, circuit) = (given(&operands)?, Arc::clone(&self.inner));
        let found = interruptible(
            py,
            || (),
            move || {
                let operands: Vec<&[u64]> = operands.iter().map(|words| &words[..]).collect();
                Evaluate::plain(&circuit, items, &operands)
            },
        )?;
        Ok(arrays(py, found))
    }

    /// Evaluations, of whose input ports each is known to this party or shared. `engine` has a name, or is the one that
    /// suits.
    fn evaluation(
        &self,
        py: Python<'_>,
        known: Vec<Option<u8>>,
        engine: Option<&str>,
    ) -> PyResult<Operation> {
        let known = roles(known);
        if let Some(engine) = engine {
            let wish = Wish::from_str(engine).map_err(|accepted| {
                failed(py, &Failure::new(format!("engine {engine:?} is not supported; {accepted}")), &[])
            })?;
            let way = wish.way(&self.inner, &known).map_err(|failure| failed(py, &failure, &[]))?;
            return Ok(Operation::of(way));
        }
        let of = |objective| match Evaluate::new(&self.inner, &known, objective) {
            Ok(evaluate) => Ok(Arc::new(evaluate)),
            Err(error) => Err(raise(py, &error)),
        };
        Ok(Operation { now: of(Objective::Total)?, ahead: of(Objective::Online)? })
    }

    /// What each form takes by each engine, the best first; as [`predict`](plan::predict).
    fn predict(
        &self,
        py: Python<'_>,
        known: Vec<Option<u8>>,
        items: usize,
        net: &str,
        objective: &str,
        machine: Option<[f64; Machine::NAMES.len()]>,
    ) -> PyResult<Vec<Prediction>> {
        let known = roles(known);
        let asked = Asked {
            circuit: &self.inner,
            known: &known,
            items,
            objective: plan::objective(objective),
            link: net.parse::<LinkShape>().map_err(|e| raise(py, &e))?,
            machine: &machine.map_or(Machine::REFERENCE, Machine::from),
        };
        let all = py.detach(|| ways(&asked)).map_err(|failure| failed(py, &failure, &[]))?;
        let row = |p: &_| {
            let hushtable::plan::Prediction::<Evaluate> { way, .. } = p;
            plan::row(format!("{}, form {}", Wish::of(way).name(), way.way().0.name()), p)
        };
        Ok(all.iter().map(row).collect())
    }
}

impl Circuit {
    /// What is made of these files, in a thread that an interrupt does not wait for.
    fn made(
        py: Python<'_>,
        files: Vec<PathBuf>,
        make: impl FnOnce() -> Result<Arc<circuit::Circuit>, Failure> + Send + 'static,
    ) -> PyResult<Self> {
        let inner = interruptible(py, || (), move || Ok(make()))?;
        Ok(Self { inner: inner.map_err(|failure| failed(py, &failure, &files))? })
    }
}

/// The names of the library's circuits.
#[pyfunction]
pub fn circuits() -> Vec<&'static str> {
    synth::library::names().collect()
}

fn ports(ports: &[circuit::Port]) -> Vec<(String, String)> {
    ports.iter().map(|port| (port.name().into(), port.kind().to_string())).collect()
}

fn roles(known: Vec<Option<u8>>) -> Vec<Option<Role>> {
    known.into_iter().map(|role| role.map(party::role)).collect()
}

/// The exception for what the program would end with: a file that is not there, one that is wrong, or an argument.
fn failed(py: Python<'_>, failure: &Failure, files: &[PathBuf]) -> PyErr {
    let text =
        failure.to_string().replace("--top", "top=").replace("--force replaces", "overwrite=True replaces");
    let unread = files.iter().any(|file| std::fs::File::open(file).is_err());
    match failure {
        Failure::Reported(Cause::Input, _) if unread => named(py, "IoError", &text),
        Failure::Reported(Cause::Local, _) => named(py, "IoError", &text),
        _ => named(py, "ParamError", &text),
    }
}
