//! Rotation of and selection from arrays of words by a secret amount, without branching or
//! indexing on it.

use crate::{
    ct::{eq_mask, swap_in_word},
    ring::Ring,
    simd::{Isa, Kernel, Op},
};

/// `words[i] = old words[(i + by) mod n]`, `by < n`; `spare` is scratch of the same length.
///
/// # Panics
/// If the lengths differ.
pub fn rotate_left<R: Ring>(words: &mut Vec<R>, spare: &mut Vec<R>, by: u32) {
    assert_eq!(words.len(), spare.len(), "scratch of another length");
    Kernel::active().engine().run(Rotate { words, spare, by });
}

/// `words[i] = old words[i ^ by]`, for a power of two of words; `spare` is scratch of that length.
///
/// # Panics
/// If the lengths differ or are no power of two.
pub fn permute_xor<R: Ring>(words: &mut Vec<R>, spare: &mut Vec<R>, by: u32) {
    assert_eq!(words.len(), spare.len(), "scratch of another length");
    assert!(words.len().is_power_of_two(), "{} words are no power of two", words.len());
    Kernel::active().engine().run(Permute { words, spare, by });
}

/// `words[at]`, reading all of them; zero if `at` lies outside.
pub fn select<R: Ring>(words: &[R], at: u32) -> R {
    Kernel::active().engine().run(Select { words, at })
}

struct Rotate<'a, R> {
    words: &'a mut Vec<R>,
    spare: &'a mut Vec<R>,
    by: u32,
}

struct Permute<'a, R> {
    words: &'a mut Vec<R>,
    spare: &'a mut Vec<R>,
    by: u32,
}

struct Select<'a, R> {
    words: &'a [R],
    at: u32,
}

impl<S: Isa, R: Ring> Op<S> for Rotate<'_, R> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let Self { words, spare, by } = self;
        let n = words.len();
        for bit in 0..n.next_power_of_two().trailing_zeros() {
            let take = eq_mask(by >> bit & 1, 1);
            let step = 1 << bit;
            choose(take, &words[step..], &words[..n - step], &mut spare[..n - step]);
            choose(take, &words[..step], &words[n - step..], &mut spare[n - step..]);
            std::mem::swap(words, spare);
        }
    }
}

impl<S: Isa, R: Ring> Op<S> for Permute<'_, R> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let Self { words, spare, by } = self;
        for bit in 0..words.len().trailing_zeros() {
            let take = eq_mask(by >> bit & 1, 1);
            let (step, moved) = (1 << bit, R::WIDTH << bit);
            if moved < 64 && words.len() * R::WIDTH as usize >= 64 {
                // neighbours inside 64 bits; shorter arrays take the general way
                for eight in bytemuck::cast_slice_mut::<R, u8>(words).as_chunks_mut().0 {
                    let swapped = swap_in_word(u64::from_le_bytes(*eight), moved.trailing_zeros(), take);
                    *eight = swapped.to_le_bytes();
                }
                continue;
            }
            for (old, new) in words.chunks_exact(2 * step).zip(spare.chunks_exact_mut(2 * step)) {
                let ((low, high), (new_low, new_high)) = (old.split_at(step), new.split_at_mut(step));
                choose(take, high, low, new_low);
                choose(take, low, high, new_high);
            }
            std::mem::swap(words, spare);
        }
    }
}

impl<S: Isa, R: Ring> Op<S> for Select<'_, R> {
    type Out = R;

    #[inline(always)]
    fn call(self, _: S) -> R {
        let Self { words, at } = self;
        let mut out = 0;
        for (part, first) in words.chunks(16).zip((0..).step_by(16)) {
            // All ones for i = at. Hidden from the compiler, which would turn the masks into
            // branches or conditional loads.
            let masks: [u64; 16] = std::array::from_fn(|i| u64::from(first + i as u32 == at).wrapping_neg());
            let masks = std::hint::black_box(&masks);
            part.iter().zip(masks).for_each(|(w, mask)| out |= w.to_u64() & mask);
        }
        R::from_u64(out)
    }
}

/// `out[i] = a[i]` where `take` is all ones, `b[i]` where it is zero.
#[inline(always)]
fn choose<R: Ring>(take: u64, a: &[R], b: &[R], out: &mut [R]) {
    for ((&a, &b), out) in a.iter().zip(b).zip(out) {
        *out = R::from_u64(b.to_u64() ^ (take & (a.to_u64() ^ b.to_u64())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_amounts<R: Ring>() {
        for n in (2..=33u32).chain([64, 128]) {
            let words: Vec<R> = (0..u64::from(n)).map(|i| R::from_u64(i * 7 + 1)).collect();
            for by in 0..n {
                let mut turned = words.clone();
                rotate_left(&mut turned, &mut words.clone(), by);
                assert!((0..n).all(|i| turned[i as usize] == words[((i + by) % n) as usize]));
                assert_eq!(select(&words, by), words[by as usize]);
                if n.is_power_of_two() {
                    let mut permuted = words.clone();
                    permute_xor(&mut permuted, &mut words.clone(), by);
                    assert!((0..n).all(|i| permuted[i as usize] == words[(i ^ by) as usize]));
                }
            }
            assert_eq!(select(&words, n), R::default());
        }
    }

    #[test]
    fn all_amounts_of_small_arrays() {
        all_amounts::<u8>();
        all_amounts::<u16>();
        all_amounts::<u32>();
        all_amounts::<u64>();
    }
}
