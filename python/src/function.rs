//! Functions of shared numbers beyond a single table, with their cards.

use hushtable::{
    Error,
    math::{self, Bounds, Function, Method, Options, Outside, Suggestion},
};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::error::raise;

/// A function by name at a given ring and scale.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Evaluation {
    pub inner: math::Evaluation,
}

#[pymethods]
impl Evaluation {
    /// `method` is `(0, 0)` for the cheapest that is accurate enough, `(0, 1)` for a table, `(0, 2)` for angle
    /// addition, or degree and pieces of a spline. `outside`: `"usual"`, `"saturate"`, `"clamp"`, `"wrap"` or `"strict"`. All numbers are known to
    /// lie in `range`.
    #[new]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn new(
        py: Python<'_>,
        name: &str,
        bits: u32,
        fraction: u32,
        domain: Option<(f64, f64)>,
        range: Option<(f64, f64)>,
        method: (u32, u32),
        outside: &str,
        fraction_out: Option<u32>,
        max_ulp: Option<f64>,
    ) -> PyResult<Self> {
        let all = [Outside::Usual, Outside::Saturate, Outside::Clamp, Outside::Wrap, Outside::Strict];
        let outside = all.into_iter().find(|o| o.name() == outside);
        let bounds = |(lo, hi)| Bounds { lo, hi };
        let options = Options::default()
            .domain(domain.map(bounds))
            .range(range.map(bounds))
            .method(match method {
                (0, 0) => Method::Auto,
                (0, 2) => Method::Angle,
                (0, _) => Method::Direct,
                (degree, pieces) => Method::Spline { degree, pieces },
            })
            .outside(outside.ok_or_else(|| PyTypeError::new_err("no such treatment of numbers outside"))?)
            .fraction_out(fraction_out)
            .max_ulp(max_ulp);
        // Its table may take seconds.
        let made = py.detach(|| {
            let function = name.parse::<Function>().map_err(|error| (error, Suggestion::default()))?;
            math::Evaluation::attempt(function, bits, fraction, &options)
                .map(|inner| Self { inner })
                .map_err(|error| (error, Suggestion::find(function, [bits, fraction], &options)))
        });
        made.map_err(|(error, found)| raise(py, &explained(name, error, found)))
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

    /// The least result and the greatest, at the scale of the results, for numbers `lo <= x < hi`.
    fn range(&self, lo: f64, hi: f64) -> (i64, i64) {
        self.inner.range(Bounds { lo, hi }).into()
    }
}

/// An error with what would do instead, by the names of arguments.
fn explained(name: &str, error: Error, found: Suggestion) -> Error {
    let why = match &error {
        Error::Param { what, got, .. } => format!("{name} ({what}: {got})"),
        _ => return error,
    };
    let parts = [
        found.range.map(|Bounds { lo, hi }| format!("range=({lo}, {hi})")),
        found.fraction.map(|fraction| format!("fraction={fraction} of the shares")),
        found.bits.map(|bits| format!("bits={bits}")),
        found.outside.map(|outside| format!("outside='{outside}' for numbers outside")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => error,
        false => Error::Param { what: "function", got: why, accepted: parts.join(" or ") },
    }
}
