//! Parts of tables, and what is added up.

use crate::Ring;
use std::borrow::Cow;

/// Entries that stay together when a row is cut into parts.
pub const RUN: usize = 128;

/// The entries of a part.
pub(super) fn part_of<R: Ring>(table: &[R], parts: usize, part: usize) -> Cow<'_, [R]> {
    match parts {
        1 => Cow::Borrowed(table),
        _ => table.chunks_exact(RUN).skip(part).step_by(parts).flatten().copied().collect(),
    }
}

/// Adds words to what is there, as sums or XORs.
#[inline(always)]
pub(super) fn combine<R: Ring, const ADD: bool>(out: &mut [R], words: impl IntoIterator<Item = u64>) {
    for (out, word) in out.iter_mut().zip(words) {
        let old = out.to_u64();
        *out = R::from_u64(if ADD { old.wrapping_add(word) } else { old ^ word });
    }
}
