//! Public tables and the functions by name.

use hushtable::math::{self, Bounds, Domain, Function, Tabulated};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::sync::Arc;

use crate::error::raise;

/// Signed fixed-point values at `2^k` indices.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Table {
    pub inner: Arc<Tabulated>,
}

#[pymethods]
impl Table {
    /// Values rounded to nearest at scale `2^fraction`.
    #[new]
    fn new(py: Python<'_>, values: PyReadonlyArray1<'_, f64>, fraction: u32) -> PyResult<Self> {
        let made = Tabulated::new(values.as_slice()?, fraction).map_err(|e| raise(py, &e))?;
        Ok(Self { inner: Arc::new(made) })
    }

    /// A function by name at every multiple of `2^-fraction` in `lo <= x < hi`.
    #[staticmethod]
    fn function(
        py: Python<'_>,
        name: &str,
        lo: f64,
        hi: f64,
        fraction: u32,
        output_fraction: u32,
    ) -> PyResult<Self> {
        let made = name.parse::<Function>().and_then(|function| {
            let domain = Domain::new(Bounds { lo, hi }, fraction)?;
            Tabulated::function(function, &domain, output_fraction)
        });
        Ok(Self { inner: Arc::new(made.map_err(|e| raise(py, &e))?) })
    }

    /// The values times `2^fraction`.
    fn entries<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<i64>> {
        numpy::PyArray1::from_slice(py, self.inner.entries())
    }

    #[getter]
    fn fraction(&self) -> u32 {
        self.inner.fraction_bits()
    }

    /// Bits that hold every entry in two's complement.
    #[getter]
    fn bits(&self) -> u32 {
        self.inner.bits()
    }

    /// The least and the greatest entry.
    #[getter]
    fn range(&self) -> (i64, i64) {
        self.inner.range().into()
    }

    /// Hash of scale and entries, which the parties compare.
    #[getter]
    fn digest(&self) -> String {
        self.inner.digest().to_hex().to_string()
    }
}

/// Binary digits behind the point that numbers need.
#[pyfunction]
pub fn fraction_bits(values: PyReadonlyArray1<'_, f64>) -> PyResult<u32> {
    Ok(math::fraction_bits(values.as_slice()?))
}

/// The functions by name: `(name, about, lo, hi)`, the default domain being `lo <= x < hi`.
#[pyfunction]
pub fn functions() -> Vec<(&'static str, &'static str, f64, f64)> {
    Function::ALL.map(|f| (f.name(), f.about(), f.domain().lo, f.domain().hi)).into()
}
