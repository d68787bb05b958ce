//! Operations: words of `uint64`, whatever their width.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use hushtable::{
    Error, Role,
    arith::{CompareDomain, CompareJob, MatrixShape, Objective},
    circuit::Circuit,
    lut::LookupJob,
    math::{Affine, Gated, GeluJob, NormJob, Precision, SoftmaxJob},
    net::LinkShape,
    operation::{
        self, Compare, Evaluate, Intervals, LayerNorm, Multiply, Products, Rectify, Relation, SecretTable,
        Select, SymmetricProducts, ToAdditive, ToXor, Truncate,
    },
    ot::Setting,
    plan::Machine,
    store::{Contents, Store},
};
use hushtable_columns::failure::Failure;
use hushtable_jobs::circuit::{Asked, served, to_store};
use numpy::PyReadonlyArrayDyn;
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::{error::raise, function::Evaluation, party, words::sharing};

/// What is computed of two arrays of words, or of one and an empty one: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
#[derive(Clone)]
pub struct Operation {
    /// What takes the least in all.
    pub now: Arc<dyn operation::Operation>,
    /// What is made before there are inputs.
    pub ahead: Arc<dyn operation::Operation>,
    /// The circuit whose form and engine are open, if it is one.
    open: Option<Arc<Open>>,
}

/// A circuit, and who knows its inputs.
struct Open {
    circuit: Arc<Circuit>,
    known: Vec<Option<Role>>,
    /// What was found out for each store by its id, which takes as long as many evaluations.
    served: Mutex<HashMap<[u8; 32], Option<Way>>>,
}

type Way = Arc<dyn operation::Operation>;

impl Operation {
    pub fn of(operation: impl operation::Operation + 'static) -> Self {
        let operation = Arc::new(operation);
        Self { now: operation.clone(), ahead: operation, open: None }
    }

    /// One that depends on what is to be least.
    fn least<T: operation::Operation + 'static>(of: impl Fn(Objective) -> T) -> Self {
        Self { now: Arc::new(of(Objective::Total)), ahead: Arc::new(of(Objective::Online)), open: None }
    }

    /// Evaluations of a circuit, by the form and the engine that suit.
    pub fn of_circuit(circuit: &Arc<Circuit>, known: Vec<Option<Role>>) -> Result<Self, Error> {
        let of = |objective| Evaluate::new(circuit, &known, objective).map(Arc::new);
        let (now, ahead) = (of(Objective::Total)?, of(Objective::Online)?);
        let open = Open { circuit: Arc::clone(circuit), known, served: Mutex::default() };
        Ok(Self { now, ahead, open: Some(Arc::new(open)) })
    }

    /// The way for which material of `items` of it goes to a store: what the program's `prepare` makes by default.
    pub fn to_store(&self, items: usize) -> Result<Way, Failure> {
        let Some(open) = &self.open else { return Ok(Arc::clone(&self.ahead)) };
        Ok(Arc::new(to_store(&open.circuit, &open.known, Objective::Online, items)?))
    }

    /// The way for which the store has material, if there is one.
    pub fn served(&self, store: &Store) -> Option<Way> {
        let Some(open) = &self.open else {
            return store.fits(self.ahead.as_ref()).is_ok().then(|| Arc::clone(&self.ahead));
        };
        let mut known = open.served.lock().expect("no panic while the lock is held");
        known.entry(store.about().id).or_insert_with(|| open.served(store)).clone()
    }
}

impl Open {
    /// Of several ways the one that suits one evaluation: both parties take the same, whatever they did before.
    fn served(&self, store: &Store) -> Option<Way> {
        let Self { circuit, known, .. } = self;
        let (items, objective) = (1, Objective::Total);
        let (link, machine) = (LinkShape::USUAL, &Machine::REFERENCE);
        let asked = Asked { circuit, known, items, objective, link, machine };
        let way = served(&asked, &store.about().text, |way| store.fits(way).is_ok());
        way.ok().flatten().map(|way| Arc::new(way) as Way)
    }
}

#[pymethods]
impl Operation {
    /// `x_i y_i`.
    #[staticmethod]
    fn multiply(bits: u32) -> Self {
        Self::least(|objective| Multiply { bits, objective })
    }

    /// Matrix products: `rows x inner` times `inner x columns`.
    #[staticmethod]
    fn matrix_product(bits: u32, batch: usize, rows: usize, inner: usize, columns: usize) -> Self {
        let shape = MatrixShape { batch, rows, inner, columns };
        Self::least(|objective| Products { shape, bits, objective })
    }

    /// Products of `rows x inner` matrices with themselves, transposed; of one row and one column: squares.
    #[staticmethod]
    fn symmetric_product(bits: u32, rows: usize, inner: usize) -> Self {
        Self::least(|objective| SymmetricProducts { rows, inner, bits, objective })
    }

    /// `floor(x_i / 2^fraction)`, for `-2^(bits-2) <= x < 2^(bits-2)`.
    #[staticmethod]
    fn truncate(bits: u32, fraction: u32) -> Self {
        Self::of(Truncate { bits, cut: fraction })
    }

    /// XOR shares of bits, such as `x_i < y_i`, or the greater or smaller ones: `relation` has a name. Of numbers in
    /// these ranges, both ends included; nothing if the width holds them in no way.
    #[staticmethod]
    fn compare(
        py: Python<'_>,
        relation: &str,
        bits: u32,
        x: [i128; 2],
        y: [i128; 2],
    ) -> PyResult<Option<Self>> {
        let Some(relation) = Relation::ALL.into_iter().find(|known| known.name() == relation) else {
            return Err(PyTypeError::new_err(format!("no comparison is called {relation:?}")));
        };
        let Some(domain) = CompareDomain::of(bits, x, y) else { return Ok(None) };
        let job = CompareJob::new(bits, domain, Objective::Total).map_err(|e| raise(py, &e))?;
        Ok(Some(Self::of(Compare::of(relation, job).chosen_for(Objective::Total))))
    }

    /// Bits, shared by XOR, for each interval `a..b` of signed numbers, whether `x_i` lies in it.
    #[staticmethod]
    fn intervals(py: Python<'_>, bits: u32, intervals: Vec<(i64, i64)>) -> PyResult<Self> {
        let intervals = intervals.into_iter().map(|(a, b)| a..b).collect();
        Ok(Self::of(Intervals::new(bits, intervals).map_err(|e| raise(py, &e))?))
    }

    /// Entries `x_i` of a table of which this party has the shares `entries`.
    #[staticmethod]
    fn secret_table(
        py: Python<'_>,
        index_kind: &str,
        index_bits: u32,
        kind: &str,
        bits: u32,
        fraction: u32,
        entries: PyReadonlyArrayDyn<'_, u64>,
    ) -> PyResult<Self> {
        let (index, output) = (sharing(index_kind)?, sharing(kind)?);
        let job = LookupJob { index, output, index_bits, value_bits: bits };
        let table = SecretTable::new(job, fraction, entries.as_slice()?.to_vec().into());
        Ok(Self::of(table.map_err(|e| raise(py, &e))?))
    }

    /// `y_i` where the bit `x_i`, shared by XOR, is 1, else 0.
    #[staticmethod]
    fn select(bits: u32) -> Self {
        Self::of(Select { bits })
    }

    /// Numbers of `width` bits that are shared by XOR, as additive ones of `bits` bits.
    #[staticmethod]
    fn to_additive(width: u32, bits: u32, signed: bool, fraction: u32) -> Self {
        Self::of(ToAdditive { bits: [width, bits], signed, fraction })
    }

    /// Additive numbers of `bits` bits as ones that are shared by XOR.
    #[staticmethod]
    fn to_xor(bits: u32, fraction: u32) -> Self {
        Self::of(ToXor { bits, fraction })
    }

    /// A function of `x_i`.
    #[staticmethod]
    fn evaluate(evaluation: &Evaluation) -> Self {
        Self::of(evaluation.inner.clone())
    }

    /// ReLU of numbers that fit `within` bits with their sign.
    #[staticmethod]
    fn relu(bits: u32, within: u32) -> Self {
        Self::of(Rectify { bits, within, objective: Objective::Total })
    }

    /// GELU, by its formula with tanh, or SiLU: `function` has a name, and so has the precision. Of numbers with so many
    /// bits before the point, their sign left out, and in a range, in steps, both ends included.
    #[staticmethod]
    fn gated(
        py: Python<'_>,
        function: &str,
        bits: u32,
        fraction: u32,
        precision: &str,
        magnitude: u32,
        range: [i64; 2],
    ) -> PyResult<Self> {
        let function = match function {
            "gelu" => Gated::Gelu,
            "silu" => Gated::Silu,
            _ => return Err(PyTypeError::new_err(format!("no such function: {function:?}"))),
        };
        let (precision, magnitude, range) = (self::precision(precision)?, Some(magnitude), Some(range));
        let usual = GeluJob::new(bits, fraction);
        let job = GeluJob { batch: 1, function, precision, magnitude, range, ..usual };
        job.check().map_err(|e| raise(py, &e))?;
        Ok(Self::least(|objective| GeluJob { objective, ..job }))
    }

    /// Softmax of each row, with a precision and a magnitude as of `gated`.
    #[staticmethod]
    fn softmax(
        py: Python<'_>,
        bits: u32,
        fraction: u32,
        rows: usize,
        len: usize,
        precision: &str,
        magnitude: u32,
    ) -> PyResult<Self> {
        let (precision, magnitude) = (self::precision(precision)?, Some(magnitude));
        let job = SoftmaxJob { rows, precision, magnitude, ..SoftmaxJob::new(len, bits, fraction) };
        job.check().map_err(|e| raise(py, &e))?;
        Ok(Self::of(job))
    }

    /// Layer norm of each row; the bounds are those of the library's `NormJob`. Gains and offsets are public, or
    /// known to `owner` only: then `role`, this party's, says whether they are its own, or for their number only.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn layer_norm(
        py: Python<'_>,
        bits: u32,
        fraction: u32,
        rows: usize,
        gains: Vec<f64>,
        offsets: Vec<f64>,
        owner: Option<u8>,
        role: u8,
        gain: f64,
        largest: f64,
        variance: [f64; 2],
        epsilon: f64,
    ) -> PyResult<Self> {
        let (len, owner, role) = (gains.len(), owner.map(party::role), party::role(role));
        let gains_known_to = owner;
        let job = NormJob {
            rows,
            len,
            bits,
            scale: fraction,
            largest,
            variance,
            epsilon,
            gain,
            gains_known_to,
            objective: Objective::Total,
        };
        job.ring().map_err(|e| raise(py, &e))?;
        Ok(Self::of(LayerNorm { job, affine: affine(gains, offsets, owner, role) }))
    }

    /// How many items these operands are at the party `role`.
    fn items(&self, py: Python<'_>, role: u8, operands: Vec<PyReadonlyArrayDyn<'_, u64>>) -> PyResult<usize> {
        let operands = operands.iter().map(|words| words.as_slice()).collect::<Result<Vec<_>, _>>()?;
        self.ahead.signature().items(party::role(role), &operands).map_err(|e| raise(py, &e))
    }

    /// The digest of the shape of the material that a store keeps of it, and the bytes of so many items on each disk, at most;
    /// nothing if it is not stored.
    fn stored(&self, py: Python<'_>, items: u64) -> PyResult<Option<([u8; 32], u64)>> {
        kept(py, py.detach(|| self.to_store(items as usize)).ok(), items)
    }

    /// Bytes of both parties for so many items, of the messages of the OT extension a bit for each OT.
    fn bytes(&self, py: Python<'_>, items: usize) -> PyResult<f64> {
        Ok(self.now.bill(items, &Setting::default()).map_err(|e| raise(py, &e))?.bytes())
    }

    /// What is known of a function of a tensor.
    #[getter]
    fn card(&self) -> Option<String> {
        self.now.card()
    }

    /// The least result and the greatest, at their scale, where that is known.
    #[getter]
    fn range(&self) -> Option<(i64, i64)> {
        self.now.result().range.map(<(i64, i64)>::from)
    }
}

/// The digest of the shape of what a store keeps, and the bytes of so many items on each disk; nothing if it is not stored.
pub fn kept(py: Python<'_>, way: Option<Way>, items: u64) -> PyResult<Option<([u8; 32], u64)>> {
    let Some(way) = way else { return Ok(None) };
    match py.detach(|| Contents::new(way.as_ref(), items).map(|plan| (plan.shape().digest, plan.bytes()))) {
        Err(Error::Store(_)) => Ok(None),
        made => made.map(Some).map_err(|e| raise(py, &e)),
    }
}

fn precision(name: &str) -> PyResult<Precision> {
    match name {
        "fine" => Ok(Precision::Fine),
        "network" => Ok(Precision::Network),
        _ => Err(PyTypeError::new_err(format!("no such precision: {name:?}"))),
    }
}

/// Gains and offsets: public, this party's, or, for their number only, its peer's.
fn affine(gains: Vec<f64>, offsets: Vec<f64>, owner: Option<Role>, role: Role) -> Affine {
    match owner {
        None => Affine::public(gains, offsets),
        Some(owner) if owner == role => Affine::own(role, gains, offsets),
        Some(_) => Affine::of_peer(role, gains.len()),
    }
}
