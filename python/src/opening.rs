//! The opening of shares, piece by piece into an array.

use hushtable::{
    Error, Role,
    share::{Additive, Bitwise, Sharing},
};
use numpy::{Element, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::{
    codec::View,
    party::{Party, Steps},
    words::{Word, empty},
};

/// What is opened, and to whom.
pub struct Opening<'a> {
    pub operation: &'a str,
    pub kind: Sharing,
    pub bits: u32,
    pub to: Option<Role>,
}

impl Party {
    /// An array of the opened words, or of the numbers that they are in a view.
    pub fn open_words<'py, R: Word>(
        &self,
        py: Python<'py>,
        opening: &Opening<'_>,
        words: &PyReadonlyArrayDyn<'py, R>,
        view: Option<View>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match view {
            None => self.open_as(py, opening, words, |words, out: &mut [R]| out.copy_from_slice(words)),
            Some(view) if view.fraction == 0 => {
                self.open_as(py, opening, words, move |words, out| view.integers(words, out))
            }
            Some(view) => self.open_as(py, opening, words, move |words, out| view.floats(words, out)),
        }
    }

    /// An array of what `numbers` makes of the opened words, piece by piece.
    fn open_as<'py, R: Word, T: Element + Send>(
        &self,
        py: Python<'py>,
        opening: &Opening<'_>,
        words: &PyReadonlyArrayDyn<'py, R>,
        numbers: impl Fn(&[R], &mut [T]) + Send,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let slice = words.as_slice()?;
        if opening.to.is_some_and(|to| to != self.role()) {
            self.call_on_borrowed(py, opening.operation, |steps, _| opening.run(steps, slice, |_| ()))?;
            return Ok(None);
        }
        let made = empty::<T>(py, words.shape())?;
        let mut writable = made.readwrite();
        let mut out = writable.as_slice_mut()?;
        self.call_on_borrowed(py, opening.operation, move |steps, _| {
            opening.run(steps, slice, |opened| {
                let (now, rest) = std::mem::take(&mut out).split_at_mut(opened.len());
                numbers(opened, now);
                out = rest;
            })
        })?;
        drop(writable);
        Ok(Some(made.into_any()))
    }
}

impl Opening<'_> {
    fn run<R: Word>(&self, steps: &mut Steps<'_>, words: &[R], take: impl FnMut(&[R])) -> Result<(), Error> {
        let Self { kind, bits, to, .. } = *self;
        // Public to whom the caller names: opening is what the Python program asks for.
        steps.phase("online", |p| match kind {
            Sharing::Additive => p.open_words::<Additive, R>(to, bits, words, take),
            Sharing::Xor => p.open_words::<Bitwise, R>(to, bits, words, take),
        })
    }
}
