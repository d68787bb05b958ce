//! Shares as words of 64 bits and back, and ANDs in rounds.

use hushtable::{
    bill::{Bill, Phase},
    share::AShare,
};
use prim::ring::{Ring, low};
use zeroize::Zeroizing;

pub fn share<R: Ring>(bits: u32, words: &[u64]) -> AShare<R> {
    AShare::new(bits, words.iter().map(|&w| R::from_u64(low(w, bits))).collect())
}

pub fn words<R: Ring>(words: &[R]) -> Zeroizing<Vec<u64>> {
    Zeroizing::new(words.iter().map(|w| w.to_u64()).collect())
}

/// A bill of what shares so many rounds.
pub fn in_rounds(bill: Bill, rounds: u32) -> Bill {
    Bill { online: Phase { rounds, ..bill.online }, ..bill }
}
