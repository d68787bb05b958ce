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
        return words(py, &ints, &range, part, one, one);
    }
    let floats = values.extract::<PyReadonlyArrayDyn<'py, f64>>()?;
    // A party's own range; halves of whole numbers are exact.
    let (scale, lo, hi) = (range.scale, range.lo as f64 / part as f64, range.hi as f64 / part as f64);
    let exact = move |v: f64| {
        let rounded = (v * scale).round();
        (rounded as i128 as u64, (rounded >= lo) & (rounded < hi))
    };
    let (lo, hi) = (lo.max(-EXACT), hi.min(EXACT));
    let fast = move |v: f64| {
        let (word, rounded) = round(v * scale);
        (word, (rounded >= lo) & (rounded < hi))
    };
    words(py, &floats, &range, part, fast, exact)
}

/// Below this, [`round`] is exact.
const EXACT: f64 = (1u64 << 50) as f64;
/// 1.5 * 2^52: a sum with it is rounded to a whole number, which its last bits hold.
const WHOLE: f64 = (3u64 << 51) as f64;

/// The nearest integer, ties away from zero: as a word and as a float. The word has no meaning from
/// [`EXACT`] on, and if `x` is not finite; then the float is not below [`EXACT`] either.
fn round(x: f64) -> (u64, f64) {
    let even = (x + WHOLE) - WHOLE; // of two nearest ones the even one
    let away = if x - even == 0.5f64.copysign(x) { 1f64.copysign(x) } else { 0.0 };
    let rounded = even + away;
    ((rounded + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()), rounded)
}

/// Which number an opened word of `bits` bits stands for: the one in `lo <= x < lo + 2^bits`, divided by
/// `2^fraction`.
#[derive(Clone, Copy)]
pub struct View {
    pub bits: u32,
    pub fraction: u32,
    pub lo: i128,
}

impl View {
    /// The numbers of as many words, for a view without fraction bits.
    pub fn integers<R: Word>(self, words: &[R], out: &mut [i64]) {
        out.iter_mut().zip(words).for_each(|(o, w)| *o = self.whole(w) as i64);
    }

    /// The numbers of as many words.
    pub fn floats<R: Word>(self, words: &[R], out: &mut [f64]) {
        let step = 2f64.powi(-(self.fraction as i32));
        if self.bits > 50 || self.lo.unsigned_abs() > 1 << 50 {
            return out.iter_mut().zip(words).for_each(|(o, w)| *o = self.whole(w) as f64 * step);
        }
        // A float of exponent 52 holds a whole number in its last bits.
        let base = (1u64 << 52) as f64;
        let whole = move |w: &R| f64::from_bits(base.to_bits() | self.above(w)) - (base - self.lo as f64);
        out.iter_mut().zip(words).for_each(|(o, w)| *o = whole(w) * step);
    }

    /// How far a number lies above `lo`.
    fn above<R: Word>(self, w: &R) -> u64 {
        low(w.to_u64().wrapping_sub(self.lo as u64), self.bits)
    }

    fn whole<R: Word>(self, w: &R) -> i128 {
        i128::from(self.above(w)) + self.lo
    }

    fn array<'py, R: Word>(
        self,
        py: Python<'py>,
        words: &[R],
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.fraction == 0 {
            return filled(py, shape, |out| self.integers(words, out));
        }
        filled(py, shape, |out| self.floats(words, out))
    }
}

/// Numbers from public words.
#[pyfunction]
pub fn decode<'py>(
    py: Python<'py>,
    words: &Bound<'py, PyAny>,
    bits: u32,
    fraction: u32,
    lo: i128,
) -> PyResult<Bound<'py, PyAny>> {
    let (view, (words, shape)) = (View { bits, fraction, lo }, Words::of(words)?);
    match words {
        Words::U8(w) => view.array(py, &w, &shape),
        Words::U16(w) => view.array(py, &w, &shape),
        Words::U32(w) => view.array(py, &w, &shape),
        Words::U64(w) => view.array(py, &w, &shape),
    }
}

/// Words of all values. `fast` and `exact` give a number's word and whether it is in the range; what `fast`
/// does not say, `exact` does.
fn words<'py, T: numpy::Element + Copy + Sync + ToString>(
    py: Python<'py>,
    values: &PyReadonlyArrayDyn<'py, T>,
    range: &Range,
    part: i128,
    fast: impl Fn(T) -> (u64, bool) + Send,
    exact: impl Fn(T) -> (u64, bool) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let (slice, bits) = (values.as_slice()?, range.bits);
    let mut found = None;
    let outside_at = &mut found;
    let encoded = match bits {
        ..=8 => {
            filled::<u8>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, fast, exact, out))
        }
        9..=16 => {
            filled::<u16>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, fast, exact, out))
        }
        17..=32 => {
            filled::<u32>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, fast, exact, out))
        }
        _ => filled::<u64>(py, values.shape(), |out| *outside_at = encode_all(slice, bits, fast, exact, out)),
    }?;
    match found {
        None => Ok(encoded),
        Some(at) => Err(raise(py, &outside(values.shape(), at, &slice[at].to_string(), range, part))),
    }
}

/// Values that go the exact way together.
const CHUNK: usize = 4096;

/// The words, or the index of the first number outside.
fn encode_all<T: Copy, R: Word>(
    values: &[T],
    bits: u32,
    fast: impl Fn(T) -> (u64, bool),
    exact: impl Fn(T) -> (u64, bool),
    out: &mut [R],
) -> Option<usize> {
    let mut chunks = values.chunks(CHUNK).zip(out.chunks_mut(CHUNK)).enumerate();
    chunks.find_map(|(number, (values, out))| {
        if encode_chunk(values, bits, &fast, out) || encode_chunk(values, bits, &exact, out) {
            return None;
        }
        Some(number * CHUNK + values.iter().position(|&v| !exact(v).1)?)
    })
}

/// The words, and whether all numbers are in the range.
fn encode_chunk<T: Copy, R: Word>(
    values: &[T],
    bits: u32,
    one: impl Fn(T) -> (u64, bool),
    out: &mut [R],
) -> bool {
    let mut inside = true;
    for (&v, o) in values.iter().zip(out) {
        let (word, ok) = one(v);
        inside &= ok;
        *o = R::from_u64(low(word, bits));
    }
    inside
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
        what: "number",
        got: if shape.is_empty() { value.into() } else { format!("{value} at index {}", index(shape, at)) },
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
