//! Batches of words of the four widths, as NumPy gives and takes them.

use std::mem::take;

use hushtable::{operation, share::Sharing};
use numpy::{
    Element, IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
    ndarray::ArrayD,
};
use prim::{Wiped, ring::Ring};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyTuple};

/// Words as they come from an array: copies that are wiped.
pub enum Words {
    U8(Wiped<u8>),
    U16(Wiped<u16>),
    U32(Wiped<u32>),
    U64(Wiped<u64>),
}

/// A word that NumPy knows too.
pub trait Word: Ring + Element {}

impl Word for u8 {}
impl Word for u16 {}
impl Word for u32 {}
impl Word for u64 {}

impl Words {
    /// A copy of a contiguous unsigned array's elements, and its shape.
    pub fn of(array: &Bound<'_, PyAny>) -> PyResult<(Self, Vec<usize>)> {
        if let Ok(a) = array.extract::<PyReadonlyArrayDyn<'_, u8>>() {
            return Ok((Words::U8(a.as_slice()?.to_vec().into()), a.shape().to_vec()));
        }
        if let Ok(a) = array.extract::<PyReadonlyArrayDyn<'_, u16>>() {
            return Ok((Words::U16(a.as_slice()?.to_vec().into()), a.shape().to_vec()));
        }
        if let Ok(a) = array.extract::<PyReadonlyArrayDyn<'_, u32>>() {
            return Ok((Words::U32(a.as_slice()?.to_vec().into()), a.shape().to_vec()));
        }
        if let Ok(a) = array.extract::<PyReadonlyArrayDyn<'_, u64>>() {
            return Ok((Words::U64(a.as_slice()?.to_vec().into()), a.shape().to_vec()));
        }
        Err(PyTypeError::new_err("an array of unsigned words is expected"))
    }

    /// Words of `bits` bits in the narrowest that hold them.
    pub fn narrow(mut words: operation::Words, bits: u32) -> Self {
        match bits {
            ..=8 => Self::U8(words.iter().map(|&w| w as u8).collect::<Vec<_>>().into()),
            9..=16 => Self::U16(words.iter().map(|&w| w as u16).collect::<Vec<_>>().into()),
            17..=32 => Self::U32(words.iter().map(|&w| w as u32).collect::<Vec<_>>().into()),
            _ => Self::U64(take(&mut *words).into()),
        }
    }

    /// The array of these words, which takes them over.
    pub fn into_array<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Words::U8(w) => array(py, w.into_vec(), shape).map(Bound::into_any),
            Words::U16(w) => array(py, w.into_vec(), shape).map(Bound::into_any),
            Words::U32(w) => array(py, w.into_vec(), shape).map(Bound::into_any),
            Words::U64(w) => array(py, w.into_vec(), shape).map(Bound::into_any),
        }
    }
}

/// The array with `shape` of these elements, which it takes over.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    elements: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let shaped = ArrayD::from_shape_vec(shape, elements).map_err(|e| PyTypeError::new_err(e.to_string()))?;
    Ok(shaped.into_pyarray(py))
}

/// A new array with `shape`, filled without the interpreter lock.
pub fn filled<'py, T: Element + Send>(
    py: Python<'py>,
    shape: &[usize],
    fill: impl FnOnce(&mut [T]) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let made = empty::<T>(py, shape)?;
    let mut writable = made.readwrite();
    let slice = writable.as_slice_mut()?;
    py.detach(|| fill(slice));
    drop(writable);
    Ok(made.into_any())
}

/// A new array with `shape` and any contents. NumPy allocates it, in large pages if it is large.
pub fn empty<'py, T: Element>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let shape = PyTuple::new(py, shape)?;
    let made = py.import("numpy")?.call_method1("empty", (shape, numpy::dtype::<T>(py)))?;
    Ok(made.cast_into()?)
}

/// The kind of sharing by its name in Python.
pub fn sharing(name: &str) -> PyResult<Sharing> {
    match name {
        "additive" => Ok(Sharing::Additive),
        "xor" => Ok(Sharing::Xor),
        _ => Err(PyTypeError::new_err(format!("kind {name:?} is neither \"additive\" nor \"xor\""))),
    }
}
