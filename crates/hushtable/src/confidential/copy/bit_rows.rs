//! Planes of rows.

use prim::transpose::transpose64;
use zeroize::Zeroizing;

use super::job::CopyJob;

/// Words of a row with what stands behind it.
pub(super) fn row_len(job: &CopyJob) -> usize {
    job.masked().div_ceil(64)
}

/// The planes of rows with `len` words in a piece of 64 places a word, as many as it has.
pub(super) fn write_planes(rows: &[u64], row_len: usize, len: usize, planes: &mut [u64]) {
    let mut square = Zeroizing::new([[0u64; 64]]);
    for word in 0..len {
        let rows = &rows[64 * word * row_len..][..64 * row_len];
        for column in 0..row_len {
            let column_of = rows.iter().skip(column).step_by(row_len);
            square[0].iter_mut().zip(column_of).for_each(|(s, &word)| *s = word);
            transpose64(&mut *square);
            let planes = planes.chunks_exact_mut(len).skip(64 * column).take(64);
            planes.zip(&square[0]).for_each(|(plane, bits)| plane[word] = *bits);
        }
    }
}
