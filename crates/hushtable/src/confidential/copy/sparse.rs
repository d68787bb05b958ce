//! Copies with a cell for each key in each of three thirds; the function says which.

use prim::{Block, Prg, Wiped, transpose::transpose64};
use zeroize::Zeroizing;

use super::{
    bit_rows::{row_len, write_planes},
    job::CopyJob,
};
use crate::{
    confidential::{
        cells,
        prf::{Key, PrfJob},
    },
    error::Result,
};

/// Keys whose values are computed at a time.
const CHUNK: usize = 512;

/// The function's key, and the copy's words. A key whose places leave a row without a cell of its own is never used: the
/// next one is taken, and nobody else sees how many there were. Few rows with little room need five tries, many one.
pub(super) fn encrypt(job: &CopyJob, keys: &[u128], rows: &[u64], secret: Block) -> Result<(Key, Vec<u64>)> {
    // It ends: keys are distinct, so each try is another throw.
    for number in 0.. {
        let secrets = Zeroizing::new(derived(secret, number).map(|block| block.0));
        let (key, rng) = (Key::of(job.cipher, Block(secrets[0])), &mut Prg::new(Block(secrets[1])));
        let places = places(job, &key, keys)?;
        let Some(order) = cells::peel(&places, 3 << job.keys.position_bits()) else { continue };
        let masked = masked(job, &key, keys, rows)?;
        let filled = cells::fill(&places, &order, row_len(job), &masked, rng);
        drop((places, order, masked));
        return Ok((key, planes(job, &filled)));
    }
    unreachable!("tries without an end")
}

/// The key of a try, and the seed of its cells that nothing decides.
fn derived(secret: Block, number: u64) -> [Block; 2] {
    let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 sparse copy of a table");
    let bytes = Zeroizing::new(secret.0.to_le_bytes());
    hash.update(&*bytes).update(&number.to_le_bytes());
    let mut out = Zeroizing::new([0; 32]);
    hash.finalize_xof().fill(&mut *out);
    [0, 16].map(|at| Block(u128::from_le_bytes(out[at..at + 16].try_into().expect("16 bytes"))))
}

/// The places of each key.
fn places(job: &CopyJob, key: &Key, keys: &[u128]) -> Result<Wiped<[u32; 3]>> {
    let bits = job.keys.position_bits();
    let mut places = Wiped::from(Vec::with_capacity(keys.len()));
    let first = PrfJob { output_bits: job.place_bits() as u32, ..job.prf() };
    for keys in keys.chunks(CHUNK) {
        let values = values(&first, key, keys)?;
        for value in values.chunks_exact(values.len() / keys.len()) {
            let part = |i: usize| (i << bits) as u32 | field(value, i * bits as usize, bits) as u32;
            places.extend_from_slice(&[[part(0), part(1), part(2)]]);
        }
    }
    Ok(places)
}

/// The row of each key masked, with zeros behind it that are masked too.
fn masked(job: &CopyJob, key: &Key, keys: &[u128], rows: &[u64]) -> Result<Wiped<u64>> {
    let (given, len) = (job.row_words(), row_len(job));
    let mut masked = Wiped::from(Vec::with_capacity(keys.len() * len));
    for (keys, rows) in keys.chunks(CHUNK).zip(rows.chunks(CHUNK * given)) {
        let values = values(&job.prf(), key, keys)?;
        let values = values.chunks_exact(values.len() / keys.len());
        for (value, row) in values.zip(rows.chunks_exact(given)) {
            for i in 0..len {
                let left = (job.planes() - 64 * i).min(64) as u32;
                let mask = field(value, job.place_bits() + 64 * i, left);
                masked.extend_from_slice(&[mask ^ row.get(i).copied().unwrap_or(0)]);
            }
        }
    }
    Ok(masked)
}

/// The values at these inputs, words of one behind those of another.
pub(in crate::confidential) fn values(job: &PrfJob, key: &Key, keys: &[u128]) -> Result<Wiped<u64>> {
    let mut inputs = Wiped::<u128>::zeros(keys.len().next_multiple_of(64));
    inputs[..keys.len()].copy_from_slice(keys);
    let width = inputs.len() / 64;
    let mut planes = Wiped::<u64>::zeros(job.output_bits as usize * width);
    key.add_values(job, &inputs, &mut planes)?;
    let len = job.output_bits.div_ceil(64) as usize;
    let mut values = Wiped::zeros(inputs.len() * len);
    let mut square = Zeroizing::new([[0u64; 64]]);
    for word in 0..width {
        for column in 0..len {
            square[0].fill(0);
            let planes = planes.chunks_exact(width).skip(64 * column).take(64);
            square[0].iter_mut().zip(planes).for_each(|(row, plane)| *row = plane[word]);
            transpose64(&mut *square);
            let to = values[64 * word * len..].iter_mut().skip(column).step_by(len);
            to.zip(&square[0]).for_each(|(to, &bits)| *to = bits);
        }
    }
    values.truncate(keys.len() * len);
    Ok(values)
}

/// `bits` bits of a value from bit `at` on.
pub(in crate::confidential) fn field(value: &[u64], at: usize, bits: u32) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let above = value.get(word + 1).map_or(0, |next| next.checked_shl(64 - shift as u32).unwrap_or(0));
    prim::low(value[word] >> shift | above, bits)
}

/// The planes of the cells, third by third, and piece by piece.
fn planes(job: &CopyJob, cells: &[u64]) -> Vec<u64> {
    let (len, row) = (job.piece_words(), row_len(job));
    let mut words = vec![0; job.words() * job.planes()];
    let third = row << job.keys.position_bits();
    // Less than a word of cells: the rest of it stays zero.
    let mut padded = Wiped::zeros(third.max(64 * row));
    for (part, planes) in
        cells.chunks_exact(third).zip(words.chunks_exact_mut(job.part_words() * job.planes()))
    {
        padded[..third].copy_from_slice(part);
        let pieces = padded.chunks_exact(64 * len * row).zip(planes.chunks_exact_mut(len * job.planes()));
        pieces.for_each(|(cells, planes)| write_planes(cells, row, len, planes));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed that is a key would put the function's values into cells, since AES makes both.
    #[test]
    fn no_two_secrets_of_a_version_are_alike() {
        let all = (0..1000).flat_map(|number| derived(Block(7), number)).map(|block| block.0);
        let mut all: Vec<u128> = all.chain([7]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2001);
    }
}
