//! Shifts of rows of many words, and of runs that are not neighbours.

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

/// Shifts the runs of rows up by fewer than [`RUN`](super::RUN) PUBLIC bits. What comes in from below is of the same
/// run of the other rows, which become those that were shifted.
pub(super) struct Carry<'a> {
    pub rows: &'a mut [u64],
    pub below: &'a mut [u64],
    pub by: &'a [u32],
}

impl<S: Isa> Op<S> for Carry<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let words = self.rows.len() / self.by.len().max(1);
        let rows = self.rows.chunks_exact_mut(words.max(1)).zip(self.below.chunks_exact_mut(words.max(1)));
        for ((row, below), &by) in rows.zip(self.by) {
            match by < 64 {
                true => carry::<false>(row, below, by),
                false => carry::<true>(row, below, by - 64),
            }
        }
    }
}

/// `FAR`: by a word more.
#[inline(always)]
fn carry<const FAR: bool>(row: &mut [u64], below: &mut [u64], bits: u32) {
    let runs = row.as_chunks_mut::<2>().0.iter_mut().zip(below.as_chunks_mut::<2>().0);
    for (run, below) in runs {
        let old = *run;
        let [first, second, third] =
            if FAR { [below[0], below[1], old[0]] } else { [below[1], old[0], old[1]] };
        *run = [second << bits | first >> 1 >> (63 - bits), third << bits | second >> 1 >> (63 - bits)];
        *below = old;
    }
}
