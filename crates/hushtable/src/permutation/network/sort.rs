//! Sorting of secret words by a network: what is compared with what depends on their number alone.

/// In ascending order.
///
/// # Panics
/// Unless there are a power of two of words, all below `2^63`.
pub(super) fn sort(words: &mut [u64]) {
    assert!(words.len().is_power_of_two(), "{} words", words.len());
    let mut run = 2;
    while run <= words.len() {
        // Two ascending runs of half the length: the second is read backwards.
        for both in words.chunks_exact_mut(run) {
            let (low, high) = both.split_at_mut(run / 2);
            low.iter_mut().zip(high.iter_mut().rev()).for_each(|(a, b)| order(a, b));
        }
        let mut part = run / 2;
        while part >= 2 {
            for both in words.chunks_exact_mut(part) {
                let (low, high) = both.split_at_mut(part / 2);
                low.iter_mut().zip(high).for_each(|(a, b)| order(a, b));
            }
            part /= 2;
        }
        run *= 2;
    }
}

/// The lower one first, without a branch.
fn order(a: &mut u64, b: &mut u64) {
    let swap = (*a ^ *b) & (b.wrapping_sub(*a) >> 63).wrapping_neg();
    (*a, *b) = (*a ^ swap, *b ^ swap);
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::{Block, Prg};

    #[test]
    fn words_are_sorted() {
        let rng = &mut Prg::new(Block(3));
        for bits in 0..11 {
            for most in [2, 7, 1 << 63] {
                let mut words = vec![0; 1 << bits];
                rng.words(63, &mut words);
                words.iter_mut().for_each(|x| *x %= most);
                let mut want = words.clone();
                want.sort_unstable();
                sort(&mut words);
                assert_eq!(words, want);
            }
        }
    }
}
