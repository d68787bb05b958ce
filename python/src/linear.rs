//! Linear maps that one party knows.

use std::sync::Arc;

use hushtable::{
    arith::{ConvolutionShape, LayerJob, LinearJob, LinearShape, MatrixShape},
    operation::{KnownMap, Linear},
};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::{error::raise, operation::Operation, party};

/// A map's numbers, at the party that knows them: matrices row by row, or filters line by line, pixel by pixel, a row for
/// each channel; wiped.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Numbers(Arc<KnownMap>);

#[pymethods]
impl Numbers {
    /// With numbers to be added to each column of the results before they are rounded, or none.
    #[new]
    fn new(
        numbers: PyReadonlyArrayDyn<'_, i64>,
        offsets: Option<PyReadonlyArrayDyn<'_, u64>>,
    ) -> PyResult<Self> {
        let offsets = offsets.map(|offsets| offsets.as_slice().map(<[u64]>::to_vec)).transpose()?;
        let numbers = numbers.as_slice()?.to_vec().into();
        Ok(Self(Arc::new(KnownMap { numbers, offsets: offsets.unwrap_or_default().into() })))
    }
}

/// A map's shape, public.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct MapShape(LinearShape);

#[pymethods]
impl MapShape {
    /// Products with matrices: `rows x inner` times `inner x columns`.
    #[staticmethod]
    fn matrices(batch: usize, rows: usize, inner: usize, columns: usize) -> Self {
        Self(MatrixShape { batch, rows, inner, columns }.into())
    }

    /// Convolutions of images, (images, lines, columns, channels), with filters, (lines, columns, channels of a group,
    /// filters).
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn convolution(
        images: usize,
        image: [usize; 2],
        channels: usize,
        filters: usize,
        window: [usize; 2],
        stride: [usize; 2],
        padding: [[usize; 2]; 2],
        groups: usize,
    ) -> Self {
        Self(ConvolutionShape { images, image, channels, filters, window, stride, padding, groups }.into())
    }

    /// Numbers of the results.
    #[getter]
    fn results(&self, py: Python<'_>) -> PyResult<usize> {
        if let LinearShape::Convolution(shape) = &self.0 {
            shape.check().map_err(|e| raise(py, &e))?;
        }
        Ok(self.0.out())
    }
}

/// The map of numbers mod `2^bits`, by numbers of `number_bits` bits that `owner` knows and gives; results lose `cut` bits.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn known_map(
    py: Python<'_>,
    shape: &MapShape,
    bits: u32,
    number_bits: u32,
    cut: u32,
    owner: u8,
    numbers: Option<&Numbers>,
) -> PyResult<Operation> {
    let map = LinearJob { shape: shape.0, bits, number_bits, owner: party::role(owner) };
    let made =
        LayerJob::new(map, cut).and_then(|job| Linear::new(job, numbers.map(|known| Arc::clone(&known.0))));
    Ok(Operation::of(made.map_err(|e| raise(py, &e))?))
}
