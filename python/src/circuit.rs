//! Circuits: files of them, the library's, and what is evaluated.

use std::{fs, path::PathBuf, str::FromStr, sync::Arc};

use hushtable::{
    Role,
    circuit::{self, Kind},
    net::LinkShape,
    operation::Evaluate,
    plan::Machine,
};
use hushtable_columns::{
    failure::Failure,
    output::{Output, PUBLIC},
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{Asked, Compilation, Goal, Wish, load, ways, written},
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    error::{raise, refused},
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
            let machine = match calibration {
                Some(path) => Calibration::load(Some(&path))?.machine(),
                None => Machine::REFERENCE,
            };
            let compilation = Compilation { files, top, types, parameters, max_inputs, batch, prove };
            compilation.circuit(&Goal::named(&purpose)?.wanted(machine))
        })
    }

    /// Writes it, in the format of the file's extension.
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let save = || {
            if !overwrite && fs::symlink_metadata(&path).is_ok_and(|there| there.is_file()) {
                let path = path.display();
                return Err(Failure::new(format!("{path}: is there already; overwrite=True replaces it")));
            }
            let output = Output::reserve(&path, &[], PUBLIC, overwrite)?;
            let text = written(&self.inner, &path)?;
            output.write(|to| std::io::Write::write_all(to, text.as_bytes()))
        };
        py.detach(save).map_err(|failure| refused(py, &failure, &[]))
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
            let way =
                wish(py, engine)?.way(&self.inner, &known).map_err(|failure| refused(py, &failure, &[]))?;
            return Ok(Operation::of(way));
        }
        Operation::of_circuit(&self.inner, known).map_err(|error| raise(py, &error))
    }

    /// Refuses what is no engine's name.
    #[staticmethod]
    fn check_engine(py: Python<'_>, engine: &str) -> PyResult<()> {
        wish(py, engine).map(drop)
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
        let all = py.detach(|| ways(&asked)).map_err(|failure| refused(py, &failure, &[]))?;
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
        Ok(Self { inner: inner.map_err(|failure| refused(py, &failure, &files))? })
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

/// The engine of this name.
fn wish(py: Python<'_>, engine: &str) -> PyResult<Wish> {
    Wish::from_str(engine).map_err(|accepted| {
        refused(py, &Failure::new(format!("engine {engine:?} is not supported; {accepted}")), &[])
    })
}

fn roles(known: Vec<Option<u8>>) -> Vec<Option<Role>> {
    known.into_iter().map(|role| role.map(party::role)).collect()
}
