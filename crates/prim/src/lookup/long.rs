//! Shifts of rows of many words, and of runs that are not neighbours.

use super::parts::RUN;
use crate::Shift;
use crate::ct::swap_in_word;
use crate::simd::{Isa, Op};

/// Words of which the order is changed at once.
const STEP: usize = 8;

/// Shifts rows of at least [`STEP`] words by PUBLIC amounts; `old` has room for one.
pub(super) struct ShiftLong<'a> {
    pub group: Shift,
    pub rows: &'a mut [u64],
    pub by: &'a [u32],
    pub old: &'a mut [u64],
}

impl<S: Isa> Op<S> for ShiftLong<'_> {
    type Out = ();

    // plain loops without closures, which the compiler turns into vector instructions of the set
    #[inline(always)]
    fn call(self, _: S) {
        for (row, &by) in self.rows.chunks_exact_mut(self.old.len()).zip(self.by) {
            self.old.copy_from_slice(row);
            match self.group {
                Shift::Cyclic => rotate(self.old, row, by),
                Shift::Xor => permute(self.old, row, by),
            }
        }
    }
}

#[inline(always)]
fn rotate(old: &[u64], new: &mut [u64], by: u32) {
    let words = by as usize / 64;
    let (low, high) = new.split_at_mut(words);
    let (rest, top) = old.split_at(old.len() - words);
    shift_up(rest, old[old.len() - 1], high, by % 64);
    shift_up(top, rest[rest.len() - 1], low, by % 64);
}

/// Shifts words up by some bits, which come in from the word below.
#[inline(always)]
fn shift_up(old: &[u64], below: u64, new: &mut [u64], bits: u32) {
    let Some(rest) = old.len().checked_sub(1) else { return };
    new[0] = old[0] << bits | below >> 1 >> (63 - bits);
    for ((new, &here), &below) in new[1..].iter_mut().zip(&old[1..]).zip(&old[..rest]) {
        *new = here << bits | below >> 1 >> (63 - bits);
    }
}

#[inline(always)]
fn permute(old: &[u64], new: &mut [u64], by: u32) {
    let words = by as usize / 64;
    let old = old.as_chunks::<STEP>().0;
    for (at, new) in new.as_chunks_mut::<STEP>().0.iter_mut().enumerate() {
        let old = &old[at ^ (words / STEP)];
        for (i, new) in new.iter_mut().enumerate() {
            *new = old[i ^ (words % STEP)];
        }
    }
    // `by` is public, and a step that is not needed costs more here than one foretold badly
    for step in (0..6).filter(|step| by >> step & 1 == 1) {
        for word in &mut *new {
            *word = swap_in_word(*word, step, u64::MAX);
        }
    }
}

/// Shifts parts of rows by PUBLIC amounts: see [`shift_parts`](super::shift_parts).
pub(super) struct ShiftParts<'a> {
    pub rows: &'a [u64],
    pub below: &'a mut [u64],
    pub out: &'a mut [u64],
    pub by: &'a [u32],
}

impl<S: Isa> Op<S> for ShiftParts<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let words = (self.rows.len() / self.by.len().max(1)).max(1);
        let parts = self.below.chunks_exact_mut(words).zip(self.out.chunks_exact_mut(words));
        for ((row, (below, out)), &by) in self.rows.chunks_exact(words).zip(parts).zip(self.by) {
            let cut = by as usize / RUN * RUN / 64;
            let ((low_below, high_below), (low_out, high_out)) =
                (below.split_at_mut(cut), out.split_at_mut(cut));
            let (rest, top) = row.split_at(words - cut);
            carry(top, low_below, low_out, by % RUN as u32);
            carry(rest, high_below, high_out, by % RUN as u32);
        }
    }
}

/// Shifts runs up by some bits, which come in from `below`.
#[inline(always)]
fn carry(runs: &[u64], below: &mut [u64], out: &mut [u64], by: u32) {
    if by < 64 {
        carry_words::<false>(runs, below, out, by);
    } else {
        carry_words::<true>(runs, below, out, by - 64);
    }
}

/// `FAR`: by a word more. Two runs at once, which the compiler turns into vector instructions.
#[inline(always)]
fn carry_words<const FAR: bool>(runs: &[u64], below: &mut [u64], out: &mut [u64], bits: u32) {
    let (mut below_pairs, mut out_pairs) = (below.chunks_exact_mut(4), out.chunks_exact_mut(4));
    let mut pairs = runs.chunks_exact(4);
    for ((x, y), out) in (&mut pairs).zip(&mut below_pairs).zip(&mut out_pairs) {
        let (x, y): (&[u64; 4], &mut [u64; 4]) = (x.try_into().expect("4"), y.try_into().expect("4"));
        let (first, second) = match FAR {
            true => (*y, [y[1], x[0], y[3], x[2]]),
            false => ([y[1], x[0], y[3], x[2]], *x),
        };
        for i in 0..4 {
            out[i] = second[i] << bits | first[i] >> 1 >> (63 - bits);
        }
        *y = *x;
    }
    let rest = pairs.remainder().as_chunks::<2>().0.iter();
    let below = below_pairs.into_remainder().as_chunks_mut::<2>().0.iter_mut();
    for ((x, y), out) in rest.zip(below).zip(out_pairs.into_remainder().as_chunks_mut::<2>().0) {
        let [first, second, third] = if FAR { [y[0], y[1], x[0]] } else { [y[1], x[0], x[1]] };
        *out = [second << bits | first >> 1 >> (63 - bits), third << bits | second >> 1 >> (63 - bits)];
        *y = *x;
    }
}
