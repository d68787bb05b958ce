//! Step 3.

use prim::{Block, Wiped, gf64};

use super::{
    rows::{BATCH, Hashing, Rows},
    size::Size,
};
use crate::error::{Result, same};

/// The rows of `width` words that a table has for these keys, row by row.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless the table has as many words as columns of this width.
pub fn decode(with: &Hashing, size: Size, table: &[u64], width: usize, keys: &[Block]) -> Result<Wiped<u64>> {
    let mut out = Wiped::zeros(keys.len() * width);
    decode_into(with, size, table, keys, (width, &mut out))?;
    Ok(out)
}

/// [`decode`] of words in pairs, as a store of the columns of pairs has them.
///
/// # Errors
/// As [`decode`].
pub fn decode_pairs(with: &Hashing, size: Size, table: &[Block], keys: &[Block]) -> Result<Wiped<Block>> {
    let mut out = Wiped::zeros(keys.len());
    decode_into(with, size, bytemuck::cast_slice(table), keys, (2, bytemuck::cast_slice_mut(&mut out)))?;
    Ok(out)
}

fn decode_into(
    with: &Hashing,
    size: Size,
    table: &[u64],
    keys: &[Block],
    (width, out): (usize, &mut [u64]),
) -> Result<()> {
    same("words of a key-value store", size.columns() * width, table.len())?;
    if width == 0 {
        return Ok(());
    }
    let mut rows = Rows::new();
    let [mut words, mut factors] = [(); 2].map(|()| Wiped::<u64>::zeros(BATCH * width));
    for (keys, out) in keys.chunks(BATCH).zip(out.chunks_mut(BATCH * width)) {
        rows.hash(with, size, keys);
        let column = |place: u32| &table[place as usize * width..][..width];
        for (out, places) in out.chunks_exact_mut(width).zip(rows.places.iter()) {
            out.copy_from_slice(column(places[0]));
        }
        for i in [0, 1] {
            let each = words.chunks_exact_mut(width).zip(factors.chunks_exact_mut(width));
            for ((words, factors), row) in each.zip(rows.places.iter().zip(rows.coefficients.iter())) {
                words.copy_from_slice(column(row.0[i + 1]));
                factors.fill(row.1[i]);
            }
            gf64::mul_add(out, &factors[..out.len()], &words[..out.len()]);
        }
    }
    Ok(())
}
