//! Copies with a place for every key that there could be.

use prim::{Block, Wiped};

use super::{
    bit_rows::{row_len, write_planes},
    job::CopyJob,
};
use crate::{confidential::prf::Key, error::Result};

/// The function's key, and the copy's words.
pub(super) fn encrypt(job: &CopyJob, keys: &[u128], rows: &[u64], secret: Block) -> Result<(Key, Vec<u64>)> {
    let key = Key::of(job.cipher, secret);
    let (len, row) = (job.piece_words(), row_len(job));
    let table = table(job, keys, rows);
    let mut words = Vec::with_capacity(job.words() * job.planes());
    for first in (0..job.words()).step_by(len) {
        let from = words.len();
        words.resize(from + len * job.planes(), 0);
        let planes = &mut words[from..];
        let masked = &mut planes[..job.masked() * len];
        write_planes(&table[64 * first * row..], row, len, masked);
        let inputs: Vec<u128> = (64 * first as u128..).take(64 * len).collect();
        key.add_values(&job.prf(), &inputs, masked)?;
    }
    if job.keys.bits() < 6 {
        // Behind the last key of a word there is nothing.
        words.iter_mut().for_each(|word| *word = prim::low(*word, 1 << job.keys.bits()));
    }
    Ok((key, words))
}

/// The rows of all keys, zero where there is none; of each its bit of presence behind it.
fn table(job: &CopyJob, keys: &[u128], rows: &[u64]) -> Wiped<u64> {
    let (given, len) = (job.row_words(), row_len(job));
    let mut table = Wiped::zeros(64 * job.words() * len);
    for (&key, row) in keys.iter().zip(rows.chunks_exact(given)) {
        let to = &mut table[key as usize * len..][..len];
        to[..given].copy_from_slice(row);
        if job.keys.absent() {
            to[job.row_bits as usize / 64] |= 1 << (job.row_bits % 64);
        }
    }
    table
}
