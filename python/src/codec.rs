//! Numbers to words and back: rounding, the range of a party's addend, two's complement.

use hushtable::Error;
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use prim::ring::low;
use pyo3::prelude::*;

use crate::{
    error::raise,
    words::{Word, Words, filled},
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
        // Of `v` and `v << fraction * part` both or neither are in their range.
        let end = |x: i128| -(-x).div_euclid(part << fraction);
        let (lo, hi) = (end(range.lo), end(range.hi));
        let one = move |v: i64| ((v as u64) << fraction, lo <= i128::from(v) && i128::from(v) < hi);
        return words(py, &ints, &range, part, one);
    }
    let floats = values.extract::<PyReadonlyArrayDyn<'py, f64>>()?;
    let (scale, part_f, lo, hi) = (range.scale, part as f64, range.lo as f64, range.hi as f64);
    if lo.abs().max(hi.abs()) <= EXACT {
        let one = move |v: f64| {
            let (word, rounded) = round(v * scale);
            (word, (part_f * rounded >= lo) & (part_f * rounded < hi))
        };
        return words(py, &floats, &range, part, one);
    }
    let one = move |v: f64| {
        let (word, rounded) = round_wide(v * scale);
        (word, (part_f * rounded >= lo) & (part_f * rounded < hi))
    };
    words(py, &floats, &range, part, one)
}

/// Below this, [`round`] is exact.
const EXACT: f64 = (1u64 << 50) as f64;
/// 1.5 * 2^52: a sum with it is rounded to a whole number, which its last bits hold.
const WHOLE: f64 = (3u64 << 51) as f64;

/// The nearest integer, ties away from zero: as a word and as a float. The word has no meaning from
/// [`EXACT`] on, and if `x` is not finite; then the float is not below [`EXACT`] either.
fn round(x: f64) -> (u64, f64) {
    let even = (x + WHOLE) - WHOLE; // of two nearest ones the even one
    let rest = x - even;
    let up = if (rest == 0.5) & (x > 0.0) { 1.0 } else { 0.0 };
    let down = if (rest == -0.5) & (x < 0.0) { 1.0 } else { 0.0 };
    let rounded = even + up - down;
    ((rounded + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()), rounded)
}

/// [`round`] of any number.
fn round_wide(x: f64) -> (u64, f64) {
    let rounded = x.round();
    (rounded as i128 as u64, rounded)
}

/// Which number an opened word of `bits` bits stands for: the one in `lo <= x < lo + 2^bits`, divided by
/// `2^fraction`.
#[derive(Clone, Copy)]
pub struct View {
    pub bits: u32,
    pub fraction: u32,
    pub lo: i64,
}

impl View {
    /// An array of `float64`, or of `int64` if there are no fraction bits.
    pub fn numbers<'py>(
        self,
        py: Python<'py>,
        words: &Words,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        match words {
            Words::U8(w) => self.of(py, w, shape),
            Words::U16(w) => self.of(py, w, shape),
            Words::U32(w) => self.of(py, w, shape),
            Words::U64(w) => self.of(py, w, shape),
        }
    }

    fn of<'py, R: Word>(self, py: Python<'py>, words: &[R], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let Self { bits, fraction, lo } = self;
        let above = move |w: &R| low(w.to_u64().wrapping_sub(lo as u64), bits);
        let whole = move |w: &R| (above(w) as i64).wrapping_add(lo);
        if fraction == 0 {
            return filled(py, shape, |out| out.iter_mut().zip(words).for_each(|(o, w)| *o = whole(w)));
        }
        let step = 2f64.powi(-(fraction as i32));
        if bits > 50 || lo.unsigned_abs() > 1 << 50 {
            let floats = move |out: &mut [f64]| {
                out.iter_mut().zip(words).for_each(|(o, w)| *o = whole(w) as f64 * step);
            };
            return filled(py, shape, floats);
        }
        // A float of exponent 52 holds a whole number in its last bits.
        let base = (1u64 << 52) as f64;
        let whole = move |w: &R| f64::from_bits(base.to_bits() | above(w)) - (base - lo as f64);
        filled(py, shape, |out| out.iter_mut().zip(words).for_each(|(o, w)| *o = whole(w) * step))
    }
}

/// Numbers from public words.
#[pyfunction]
pub fn decode<'py>(
    py: Python<'py>,
    words: &Bound<'py, PyAny>,
    bits: u32,
    fraction: u32,
    lo: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let (words, shape) = Words::of(words)?;
    View { bits, fraction, lo }.numbers(py, &words, &shape)
}

fn words<'py, T: numpy::Element + Copy + Sync + ToString>(
    py: Python<'py>,
    values: &PyReadonlyArrayDyn<'py, T>,
    range: &Range,
    part: i128,
    one: impl Fn(T) -> (u64, bool) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let (slice, bits) = (values.as_slice()?, range.bits);
    let mut found = None;
    let outside_at = &mut found;
    let encoded = match bits {
        ..=8 => filled::<u8>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, one, out)),
        9..=16 => filled::<u16>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, one, out)),
        17..=32 => filled::<u32>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, one, out)),
        _ => filled::<u64>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, one, out)),
    }?;
    match found {
        None => Ok(encoded),
        Some(at) => Err(raise(py, &outside(values.shape(), at, &slice[at].to_string(), range, part))),
    }
}

/// Values between two looks for one outside.
const CHUNK: usize = 4096;

/// The words, or the index of the first number without one. `one` says whether there is one.
fn encode_all<T: Copy, R: Word>(
    values: &[T],
    bits: u32,
    one: impl Fn(T) -> (u64, bool),
    out: &mut [R],
) -> Option<usize> {
    for (number, (values, out)) in values.chunks(CHUNK).zip(out.chunks_mut(CHUNK)).enumerate() {
        let mut inside = true;
        for (&v, o) in values.iter().zip(out) {
            let (word, ok) = one(v);
            inside &= ok;
            *o = R::from_u64(low(word, bits));
        }
        if !inside {
            return Some(number * CHUNK + values.iter().position(|&v| !one(v).1)?);
        }
    }
    None
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
