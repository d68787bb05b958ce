//! Random polynomials. None but public ones draw again, and none branches on what is drawn.

use prim::{
    Block, Prg, Wiped,
    ntt::{DEGREE, Ntt},
};

use crate::poly::{Poly, Ring};

/// Coins of each sign that an error counts: a standard deviation of 3.24.
const COINS: u32 = 21;

/// Uniform in -1, 0, 1, up to `2^-62`.
pub(crate) fn ternary(prg: &mut Prg) -> Wiped<i32> {
    small(prg, |word| ((u128::from(word) * 3) >> 64) as i32 - 1)
}

/// The number of 21 coins that show heads, less that of 21 others.
pub(crate) fn error(prg: &mut Prg) -> Wiped<i32> {
    let heads = |word: u64| (word & ((1 << COINS) - 1)).count_ones() as i32;
    small(prg, |word| heads(word) - heads(word >> COINS))
}

fn small(prg: &mut Prg, of: impl Fn(u64) -> i32) -> Wiped<i32> {
    let mut numbers = Wiped::zeros(DEGREE);
    for (to, word) in numbers.iter_mut().zip(words(prg, DEGREE).iter()) {
        *to = of(*word);
    }
    numbers
}

/// So many random words.
pub(crate) fn words(prg: &mut Prg, count: usize) -> Wiped<u64> {
    let mut blocks = Wiped::zeros(count.div_ceil(2));
    prg.blocks(&mut blocks);
    let mut words = Wiped::zeros(count);
    for (to, block) in words.chunks_mut(2).zip(blocks.iter()) {
        to.iter_mut().zip([block.0 as u64, (block.0 >> 64) as u64]).for_each(|(to, word)| *to = word);
    }
    words
}

/// The public part of a ciphertext, as a transform: uniform, from the seed of a key and a ciphertext's number.
pub(crate) fn public(ntts: &[Ntt], seed: &[u8; 32], number: u64) -> Poly {
    Ring::residues_of(ntts, |ntt, limb| {
        let mut hash = blake3::Hasher::new_keyed(seed);
        hash.update(&number.to_le_bytes()).update(&ntt.modulus().to_le_bytes());
        let key: [u8; 16] = hash.finalize().as_bytes()[..16].try_into().expect("16 of 32 bytes");
        let (mut prg, q) = (Prg::new(Block(u128::from_le_bytes(key))), ntt.modulus());
        // One in 4000 draws or less is none of q numbers.
        let mut drawn = std::iter::repeat_with(|| prg.u64())
            .flat_map(|word| [word as u32, (word >> 32) as u32].map(|x| x & ((1 << 30) - 1)))
            .filter(|x| *x < q);
        limb.iter_mut().for_each(|to| *to = drawn.next().expect("an endless stream"));
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    /// Mean, variance and ends.
    #[test]
    fn small_numbers_are_as_they_should() {
        let mut prg = Prg::new(Block(1));
        let moments = |numbers: &[i32]| {
            let mean = numbers.iter().map(|x| f64::from(*x)).sum::<f64>() / numbers.len() as f64;
            let square = numbers.iter().map(|x| f64::from(x * x)).sum::<f64>() / numbers.len() as f64;
            (mean, square, numbers.iter().copied().min(), numbers.iter().copied().max())
        };
        let all: Vec<i32> = (0..32).flat_map(|_| ternary(&mut prg).to_vec()).collect();
        let (mean, square, least, most) = moments(&all);
        assert!(mean.abs() < 0.01 && (square - 2.0 / 3.0).abs() < 0.01, "{mean} {square}");
        assert_eq!((least, most), (Some(-1), Some(1)));
        let all: Vec<i32> = (0..32).flat_map(|_| error(&mut prg).to_vec()).collect();
        let (mean, square, least, most) = moments(&all);
        assert!(mean.abs() < 0.05 && (square - 10.5).abs() < 0.2, "{mean} {square}");
        assert!(least > Some(-22) && most < Some(22));
    }

    #[test]
    fn public_parts_follow_from_seed_and_number() {
        let ring = Ring::new(Params::new(32, 4).expect("parameters"));
        let of = |seed: u8, number| public(ring.ntts(), &[seed; 32], number).0.to_vec();
        assert_eq!(of(1, 5), of(1, 5));
        for other in [of(2, 5), of(1, 6)] {
            let alike = of(1, 5).iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!(alike < 5, "{alike} numbers alike");
        }
        for (ntt, limb) in ring.ntts().iter().zip(public(ring.ntts(), &[3; 32], 0).limbs()) {
            assert!(limb.iter().all(|x| *x < ntt.modulus()));
            let mean = limb.iter().map(|x| f64::from(*x)).sum::<f64>() / DEGREE as f64;
            assert!((mean / f64::from(ntt.modulus()) - 0.5).abs() < 0.02);
        }
    }
}
