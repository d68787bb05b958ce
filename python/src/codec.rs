//! Numbers to words and back: rounding, the range of a party's addend, two's complement.

use hushtable::Error;
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use prim::ring::low;
use pyo3::prelude::*;

use crate::{
    error::raise,
    words::{Word, Words, array},
};

/// What a number must be to become a word.
struct Range {
    bits: u32,
    scale: f64,
    /// The least integer and the one that all are below, at the scale.
    lo: i128,
    hi: i128,
}

/// Words of `bits` bits from finite numbers (`float64` or `int64`, contiguous), each times `2^fraction`,
/// rounded to nearest, ties away from zero. `part` is 2 if a number is an addend, in its half of the range
/// `lo <= x < hi` (integers at the scale), else 1. The first number outside is named by its index.
#[pyfunction]
pub fn encode<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    bits: u32,
    fraction: u32,
    range: (i128, i128),
    part: i128,
) -> PyResult<Bound<'py, PyAny>> {
    let range = Range { bits, scale: 2f64.powi(fraction as i32), lo: range.0, hi: range.1 };
    if let Ok(ints) = values.extract::<PyReadonlyArrayDyn<'py, i64>>() {
        let one = move |v: i64| {
            let scaled = i128::from(v) << fraction;
            (part * scaled >= range.lo && part * scaled < range.hi).then_some(scaled as u64)
        };
        return words(py, &ints, &range, part, one);
    }
    let floats = values.extract::<PyReadonlyArrayDyn<'py, f64>>()?;
    let (scale, part_f, lo, hi) = (range.scale, part as f64, range.lo as f64, range.hi as f64);
    let one = move |v: f64| {
        let scaled = v * scale;
        // Of 2^52 and above every float is whole; below, the nearest integer is the truncated one or the
        // next away from zero.
        let whole = if scaled.abs() < 4.5e15 {
            let t = scaled as i64;
            let rest = scaled - t as f64;
            t + i64::from(rest >= 0.5) - i64::from(rest <= -0.5)
        } else {
            scaled as i64
        };
        let rounded = whole as f64;
        let inside = scaled.is_finite() && part_f * rounded >= lo && part_f * rounded < hi;
        inside.then_some(whole as u64)
    };
    words(py, &floats, &range, part, one)
}

/// Numbers from opened words: the one in `lo <= x < lo + 2^bits` that each word stands for, as `float64`
/// divided by `2^fraction`, or as `int64` if `fraction` is 0.
#[pyfunction]
pub fn decode<'py>(
    py: Python<'py>,
    words: &Bound<'py, PyAny>,
    bits: u32,
    fraction: u32,
    lo: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let (words, shape) = Words::of(words)?;
    match words {
        Words::U8(w) => numbers(py, w, &shape, bits, fraction, lo),
        Words::U16(w) => numbers(py, w, &shape, bits, fraction, lo),
        Words::U32(w) => numbers(py, w, &shape, bits, fraction, lo),
        Words::U64(w) => numbers(py, w, &shape, bits, fraction, lo),
    }
}

fn words<'py, T: numpy::Element + Copy + Sync + ToString>(
    py: Python<'py>,
    values: &PyReadonlyArrayDyn<'py, T>,
    range: &Range,
    part: i128,
    one: impl Fn(T) -> Option<u64> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let slice = values.as_slice()?;
    let encoded = match range.bits {
        ..=8 => py.detach(|| encode_all::<T, u8>(slice, range.bits, one)),
        9..=16 => py.detach(|| encode_all::<T, u16>(slice, range.bits, one)),
        17..=32 => py.detach(|| encode_all::<T, u32>(slice, range.bits, one)),
        _ => py.detach(|| encode_all::<T, u64>(slice, range.bits, one)),
    };
    match encoded {
        Ok(words) => words.into_array(py, values.shape()),
        Err(at) => Err(raise(py, &outside(values.shape(), at, &slice[at].to_string(), range, part))),
    }
}

/// The words, or the index of the first number without one.
fn encode_all<T: Copy, R: Word>(
    values: &[T],
    bits: u32,
    one: impl Fn(T) -> Option<u64>,
) -> Result<Words, usize> {
    let mut out = Vec::with_capacity(values.len());
    for (i, &v) in values.iter().enumerate() {
        out.push(R::from_u64(low(one(v).ok_or(i)?, bits)));
    }
    Ok(R::batch(out))
}

fn outside(shape: &[usize], at: usize, value: &str, range: &Range, part: i128) -> Error {
    let (lo, hi) = (range.lo as f64 / range.scale, range.hi as f64 / range.scale);
    let own = if part == 1 {
        format!("{lo} (included) to {hi} (excluded)")
    } else {
        let (half_lo, half_hi) = (lo / 2.0, hi / 2.0);
        format!("{half_lo} (included) to {half_hi} (excluded), this party's half of the range {lo}:{hi}")
    };
    Error::Param {
        what: "value to share",
        got: format!("{value} at index {}", index(shape, at)),
        accepted: own,
    }
}

/// The index of the element `at` of an array with `shape`, as Python writes it.
fn index(shape: &[usize], at: usize) -> String {
    let mut rest = at;
    let mut parts: Vec<String> = Vec::new();
    for &n in shape.iter().rev() {
        parts.push((rest % n).to_string());
        rest /= n;
    }
    parts.reverse();
    if parts.len() == 1 { parts.swap_remove(0) } else { format!("({})", parts.join(", ")) }
}

fn numbers<'py, R: Word>(
    py: Python<'py>,
    words: Vec<R>,
    shape: &[usize],
    bits: u32,
    fraction: u32,
    lo: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let whole = move |w: &R| (low(w.to_u64().wrapping_sub(lo as u64), bits) as i64).wrapping_add(lo);
    if fraction == 0 {
        let ints = py.detach(|| words.iter().map(whole).collect::<Vec<i64>>());
        return Ok(array(py, ints, shape)?.into_any());
    }
    let step = 2f64.powi(-(fraction as i32));
    let floats = py.detach(|| words.iter().map(|w| whole(w) as f64 * step).collect::<Vec<f64>>());
    Ok(array(py, floats, shape)?.into_any())
}
