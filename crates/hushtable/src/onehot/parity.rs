//! Parities of parts of a shared one-hot vector: shares of whether its position is inside.

use std::ops::Range;

use crate::net::Role;

/// Whether the position is inside, of the vector whose entries from `m` on are `row`: a share of the bit. All but the row is public.
pub(crate) fn contained(role: Role, row: &[u64], bits: u32, m: u64, interval: &Range<u64>) -> u64 {
    let (n, one) = (1u64 << bits, 1 - role as u64);
    match interval.end.saturating_sub(interval.start) {
        0 => 0,
        len if len == n => one,
        _ => {
            let [u, v] = [interval.start, interval.end].map(|bound| bound.wrapping_sub(m) & (n - 1));
            // All entries but those from v up to u, where the interval passes the end.
            let round = if u > v { one } else { 0 };
            round ^ parity(row, u.min(v)..u.max(v))
        }
    }
}

/// The parity of some entries, whose places are public.
fn parity(row: &[u64], at: Range<u64>) -> u64 {
    let (first, last) = ((at.start / 64) as usize, (at.end / 64) as usize);
    let below = |bound: u64, word: usize| row.get(word).map_or(0, |w| w & ((1 << (bound % 64)) - 1));
    let whole = row[first..last].iter().fold(0, |sum, w| sum ^ w);
    u64::from((whole ^ below(at.start, first) ^ below(at.end, last)).count_ones() & 1)
}
