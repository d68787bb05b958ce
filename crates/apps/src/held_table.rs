//! A table of one party as each party holds it, for lookups: [`embedding`](crate::embedding),
//! [`join_query`](crate::join_query) and [`private_table`](crate::private_table).

use std::{fmt, sync::Arc};

use hushtable::{
    BShare, Error, Result,
    confidential::copy::{CopyJob, EncryptedCopy, Held, Owner, Rows},
};
use prim::{Wiped, ring::low};

/// Blocks of the function in a batch: their material takes 2 KB each.
const BLOCKS: usize = 1 << 15;

/// What a party looks up in. Clones are of the same table, which is in memory once.
#[derive(Clone)]
pub enum Table {
    /// At the owner: its table.
    Owner(Arc<Owner>),
    /// At the other party: the encrypted copy.
    Copy(Arc<EncryptedCopy>),
}

impl Table {
    /// For lookups.
    pub fn held(&self) -> Held<'_> {
        match self {
            Self::Owner(owner) => Held::Owner(owner),
            Self::Copy(copy) => Held::Copy(copy),
        }
    }

    /// The copy, which both parties have.
    pub fn copy(&self) -> &EncryptedCopy {
        match self {
            Self::Owner(owner) => owner.copy(),
            Self::Copy(copy) => copy,
        }
    }

    /// `Ok(())` if it is of this form.
    pub(crate) fn check(&self, job: &CopyJob) -> Result<()> {
        let found = self.copy().job();
        match found == job {
            true => Ok(()),
            false => Err(Error::Param {
                what: "table to look up in",
                got: format!("{found:?}"),
                accepted: format!("{job:?}"),
            }),
        }
    }
}

impl From<Owner> for Table {
    fn from(owner: Owner) -> Self {
        Self::Owner(owner.into())
    }
}

impl From<EncryptedCopy> for Table {
    fn from(copy: EncryptedCopy) -> Self {
        Self::Copy(copy.into())
    }
}

/// Prints which table it is: rows and keys are secret.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = if matches!(self, Self::Owner(_)) { "the owner's" } else { "a copy" };
        write!(f, "Table({who}, {:?})", self.copy().job())
    }
}

/// Lookups whose material fits memory together.
pub(crate) fn lookups_at_once(copy: &CopyJob) -> usize {
    (BLOCKS / copy.row_bits.div_ceil(128).max(1) as usize).clamp(1, copy.most().max(1))
}

/// Shares of keys of this form, whose words stand one behind the other, lowest first.
pub(crate) fn key_shares(keys: &[u64], copy: &CopyJob) -> Vec<BShare<u64>> {
    let words = copy.key_words();
    let word = |i: usize| {
        let width = (copy.keys.bits() - 64 * i as u32).min(64);
        BShare::new(width, keys.iter().skip(i).step_by(words).copied().collect())
    };
    (0..words).map(word).collect()
}

/// Puts values of these widths, 1 to 64 each, in a row of words, one behind the other, the lowest bits first.
pub(crate) fn pack(values: impl IntoIterator<Item = (u64, u32)>, row: &mut [u64]) {
    let mut at = 0;
    for (value, bits) in values {
        let (word, shift) = (at / 64, at % 64);
        row[word] |= value << shift;
        if shift + bits as usize > 64 {
            row[word + 1] |= value >> (64 - shift);
        }
        at += bits as usize;
    }
}

/// Shares of the values that stand at these places, `(first bit, width)`, in each row that was found: those of the
/// first row first.
pub(crate) fn unpack(rows: &Rows, places: &[(usize, u32)]) -> Wiped<u64> {
    let words: Vec<&[u64]> = rows.words.iter().map(BShare::words).collect();
    let count = words.first().map_or(0, |word| word.len());
    let mut out = Wiped::default();
    let values = out.extend_zeros(count * places.len());
    for (row, values) in values.chunks_exact_mut(places.len().max(1)).enumerate() {
        for (value, &(at, bits)) in values.iter_mut().zip(places) {
            let (word, shift) = (at / 64, at % 64);
            let mut found = words[word][row] >> shift;
            if shift + bits as usize > 64 {
                found |= words[word + 1][row] << (64 - shift);
            }
            *value = low(found, bits);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_width_come_back() {
        let widths = [1u32, 64, 7, 33, 60, 64, 20, 3];
        let total: u32 = widths.iter().sum();
        let mut rows = vec![vec![0u64; total.div_ceil(64) as usize]; 3];
        let value = |row: u64, bits: u32| low((row + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15), bits);
        for (row, words) in (0..).zip(&mut rows) {
            pack(widths.iter().map(|&bits| (value(row, bits), bits)), words);
        }
        let word = |i: usize| {
            let bits = (total - 64 * i as u32).min(64);
            BShare::new(bits, rows.iter().map(|row| row[i]).collect())
        };
        let found = Rows { words: (0..rows[0].len()).map(word).collect(), present: None };
        let places: Vec<(usize, u32)> = widths
            .iter()
            .scan(0, |at, &bits| {
                let from = *at;
                *at += bits as usize;
                Some((from, bits))
            })
            .collect();
        let want: Vec<u64> =
            (0..3).flat_map(|row| widths.iter().map(move |&bits| value(row, bits))).collect();
        assert_eq!(*unpack(&found, &places), want);
    }
}
