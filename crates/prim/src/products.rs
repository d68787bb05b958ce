//! Products of secret bits with secret words, from the pads of correlated OTs.

use crate::simd::{Isa, Op};
use crate::{Kernel, low};

/// One bit of each of many numbers of this party's that multiplies the peer's word, and the other way round.
/// Bits are 64 a word, the lowest first.
#[derive(Clone, Copy)]
pub struct Products<'a> {
    /// As sender: the pads `X_0`.
    pub zero: &'a [u64],
    /// This party's words x.
    pub words: &'a [u64],
    /// Where the peer's bit is not its choice.
    pub theirs: &'a [u64],
    /// As receiver: the pads `X_c`.
    pub chosen: &'a [u64],
    /// The peer's `x + X_0 - X_1`.
    pub payload: &'a [u64],
    /// The choices c.
    pub choices: &'a [u64],
    /// Where this party's bit is not its choice.
    pub mine: &'a [u64],
}

impl Products<'_> {
    /// Adds this party's shares of both products, times `2^place`, to the sums.
    ///
    /// # Panics
    /// Unless there are as many of all as sums, and `place < 64`.
    pub fn add(&self, place: u32, sums: &mut [u64]) {
        self.add_on(Kernel::active(), place, sums);
    }

    fn add_on(&self, kernel: Kernel, place: u32, sums: &mut [u64]) {
        let n = sums.len();
        let words = [self.zero, self.words, self.chosen, self.payload];
        let bits = [self.theirs, self.choices, self.mine];
        assert!(
            words.iter().all(|w| w.len() == n) && bits.iter().all(|b| b.len() == n.div_ceil(64)),
            "lengths"
        );
        assert!(place < 64, "place");
        kernel.engine().run(Add { products: *self, place, sums });
    }
}

/// Bit `k` of word `i` says whether number `64 i + k` has the bit; of all bits of the numbers, a square for
/// every 64 numbers.
pub fn planes(numbers: &[u64]) -> Vec<[u64; 64]> {
    let mut squares = vec![[0; 64]; numbers.len().div_ceil(64)];
    for (square, numbers) in squares.iter_mut().zip(numbers.chunks(64)) {
        square[..numbers.len()].copy_from_slice(numbers);
    }
    crate::transpose::transpose64(&mut squares);
    squares
}

/// `len` bits from bit `from` on, 64 a word; those above are zero.
pub fn bits_from(words: &[u64], from: usize, len: usize) -> impl Iterator<Item = u64> {
    let (at, shift) = (from / 64, (from % 64) as u32);
    (0..len.div_ceil(64)).map(move |i| {
        let above = words.get(at + i + 1).map_or(0, |above| above << 1 << (63 - shift));
        low(words[at + i] >> shift | above, (len - 64 * i).min(64) as u32)
    })
}

struct Add<'a> {
    products: Products<'a>,
    place: u32,
    sums: &'a mut [u64],
}

impl<S: Isa> Op<S> for Add<'_> {
    type Out = ();

    // a plain loop, which the compiler turns into vector instructions of the set
    #[inline(always)]
    fn call(self, _: S) {
        let Self { products: p, place, sums } = self;
        for (i, sums) in sums.chunks_mut(64).enumerate() {
            let (n, from) = (sums.len(), 64 * i);
            let (theirs, choices, mine) = (p.theirs[i], p.choices[i], p.mine[i]);
            let (zero, words) = (&p.zero[from..][..n], &p.words[from..][..n]);
            let (chosen, payload) = (&p.chosen[from..][..n], &p.payload[from..][..n]);
            for k in 0..n {
                let mask = |bits: u64| (bits >> k & 1).wrapping_neg();
                // -X_0, or x + X_0.
                let flip = mask(theirs);
                let sent = (words[k] & flip).wrapping_add(zero[k] ^ !flip).wrapping_sub(!flip);
                let flip = mask(mine);
                let received = chosen[k].wrapping_add(payload[k] & mask(choices));
                let received = (received ^ flip).wrapping_sub(flip);
                sums[k] = sums[k].wrapping_add(sent.wrapping_add(received) << place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Prg};

    fn bit(words: &[u64], i: usize) -> bool {
        words[i / 64] >> (i % 64) & 1 == 1
    }

    #[test]
    fn products_of_all_kernels() {
        for n in [0, 1, 63, 64, 65, 200] {
            let mut prg = Prg::new(Block(n as u128));
            let mut draw = |len: usize| {
                let mut words = vec![0u64; len];
                prg.words(64, &mut words);
                words
            };
            let [zero, words, chosen, payload, before] = [(); 5].map(|()| draw(n));
            let [theirs, choices, mine] = [(); 3].map(|()| draw(n.div_ceil(64)));
            let products = Products {
                zero: &zero,
                words: &words,
                theirs: &theirs,
                chosen: &chosen,
                payload: &payload,
                choices: &choices,
                mine: &mine,
            };
            for kernel in Kernel::supported() {
                let mut sums = before.clone();
                products.add_on(kernel, 5, &mut sums);
                for i in 0..n {
                    let sent =
                        if bit(&theirs, i) { words[i].wrapping_add(zero[i]) } else { zero[i].wrapping_neg() };
                    let received = chosen[i].wrapping_add(if bit(&choices, i) { payload[i] } else { 0 });
                    let received = if bit(&mine, i) { received.wrapping_neg() } else { received };
                    let want = before[i].wrapping_add(sent.wrapping_add(received) << 5);
                    assert_eq!(sums[i], want, "{kernel:?} {n} {i}");
                }
            }
        }
    }

    #[test]
    fn bits_of_numbers() {
        let numbers: Vec<u64> = (0..150u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let squares = planes(&numbers);
        for (i, number) in numbers.iter().enumerate() {
            let of = |place: usize| squares[i / 64][place] >> (i % 64) & 1;
            assert!((0..64).all(|place| of(place) == number >> place & 1), "{i}");
        }
        for (from, len) in [(0, 150), (3, 64), (64, 64), (70, 129), (9000, 600), (0, 0)] {
            let cut: Vec<u64> = bits_from(&numbers, from, len).collect();
            assert_eq!(cut.len(), len.div_ceil(64));
            assert!((0..64 * cut.len()).all(|i| bit(&cut, i) == (i < len && bit(&numbers, from + i))));
        }
    }
}
