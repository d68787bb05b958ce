//! Functions of shared numbers beyond a single table, with their cards.

use hushtable::math::{self, Bounds, Function, Method, Options, Outside, Tail};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::error::raise;

/// A function by name at a given ring and scale.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Evaluation {
    pub inner: math::Evaluation,
    function: Function,
}

#[pymethods]
impl Evaluation {
    /// `method` is `(0, 0)` for the cheapest that is accurate enough, `(0, 1)` for a table, or degree and pieces
    /// of a spline. `outside`: `"saturate"`, `"clamp"`, `"wrap"` or `"strict"`.
    #[new]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn new(
        py: Python<'_>,
        name: &str,
        bits: u32,
        fraction: u32,
        domain: Option<(f64, f64)>,
        method: (u32, u32),
        outside: &str,
        fraction_out: Option<u32>,
        max_ulp: Option<f64>,
    ) -> PyResult<Self> {
        let all = [Outside::Saturate, Outside::Clamp, Outside::Wrap, Outside::Strict];
        let outside = all.into_iter().find(|o| o.name() == outside);
        let options = Options {
            domain: domain.map(|(lo, hi)| Bounds { lo, hi }),
            method: match method {
                (0, 0) => Method::Auto,
                (0, _) => Method::Direct,
                (degree, pieces) => Method::Spline { degree, pieces },
            },
            outside: outside.ok_or_else(|| PyTypeError::new_err("no such treatment of numbers outside"))?,
            fraction_out,
            max_ulp,
            ..Options::default()
        };
        // Its table may take seconds.
        let made = py.detach(|| {
            let function = name.parse::<Function>()?;
            math::Evaluation::new(function, bits, fraction, &options).map(|inner| Self { inner, function })
        });
        made.map_err(|e| raise(py, &e))
    }

    /// The function card.
    #[getter]
    fn card(&self) -> String {
        self.inner.card().to_string()
    }

    /// Hash of format, tables and what becomes of numbers outside, which the parties compare.
    #[getter]
    fn digest(&self) -> String {
        self.inner.digest().to_hex().to_string()
    }

    /// Bits behind the point of the results.
    #[getter]
    fn fraction(&self) -> u32 {
        self.inner.scale_out()
    }

    /// Numbers between these are treated as the card says.
    #[getter]
    fn reach(&self) -> (f64, f64) {
        let Bounds { lo, hi } = self.inner.card().reach;
        (lo, hi)
    }

    /// The least result and the greatest, at the scale of the results, for numbers `lo <= x <= hi`.
    fn range(&self, lo: f64, hi: f64) -> (f64, f64) {
        let card = self.inner.card();
        let (first, last) = (card.domain.lo, card.domain.hi - 0.5f64.powi(card.scale as i32));
        let sample = (0..=SAMPLES).map(|i| first + (last - first) * f64::from(i) / f64::from(SAMPLES));
        let mut values: Vec<f64> = sample.map(|x| self.function.eval(x)).collect();
        if card.outside == Outside::Saturate {
            for (tail, end) in self.function.tails().into_iter().zip([lo, hi]) {
                match tail {
                    Tail::Limit(limit) => values.push(limit),
                    Tail::Number => values.push(end),
                    Tail::End => {}
                }
            }
        }
        let unit = 2f64.powi(card.scale_out as i32);
        // Between samples the functions are as good as straight; the rest is their error.
        let least = values.iter().copied().fold(f64::INFINITY, f64::min) * unit;
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) * unit;
        let slack = card.max_ulp() + 1.0 + (most - least) / f64::from(SAMPLES);
        ((least - slack).floor(), (most + slack).ceil())
    }
}

/// Points at which a function is looked at for its range.
const SAMPLES: u32 = 4096;
