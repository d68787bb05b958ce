//! Products and responses at the ends of all ranges: none is opened wrongly.

use prim::Block;

use super::{
    tests::{evaluator, noise, sent, sum},
    *,
};
use crate::{Encryptor, Product, sample::public};

/// Plaintexts and primes: narrow, wide, with the least room and with much.
const SETS: [(u32, usize); 9] =
    [(8, 3), (24, 3), (16, 4), (37, 4), (54, 4), (48, 5), (64, 5), (64, 6), (64, 7)];

/// The widest weights of which a polynomial's are allowed, and as many as are, of two polynomials at most.
fn largest(params: Params) -> Product {
    let product = |weight_bits, terms| Product { weight_bits, terms, outputs: DEGREE, packed: 1 };
    let fitting = |bits: &u32| params.fits(&product(*bits, DEGREE));
    let weight_bits = (1..=64).rev().find(fitting).unwrap_or(1);
    let terms = (1..=2 * DEGREE).rev().find(|terms| params.fits(&product(weight_bits, *terms)));
    product(weight_bits, terms.expect("room for a term"))
}

/// `x w` for weights `w, sw, w, sw, ..`, so many of them.
fn product(x: &[u64], w: i64, s: u64, terms: usize) -> Vec<u64> {
    let sign = |i: usize| if i.is_multiple_of(2) { 1 } else { s };
    // Coefficient k is w s^k times the sum of x_i s^i over the terms places up to k, those from beyond the end less.
    let at =
        |i: usize| x[i % DEGREE].wrapping_mul(sign(i)).wrapping_mul(if i < DEGREE { u64::MAX } else { 1 });
    let mut sums = vec![0u64];
    (0..2 * DEGREE).for_each(|i| sums.push(sums[i].wrapping_add(at(i))));
    let coefficient = |k: usize| {
        let sum = sums[k + DEGREE + 1].wrapping_sub(sums[k + DEGREE + 1 - terms]);
        sum.wrapping_mul(w as u64).wrapping_mul(sign(k))
    };
    (0..DEGREE).map(coefficient).collect()
}

fn opened(encryptor: &Encryptor, response: &Response, mask: &[u64], want: &[u64], what: &str) {
    let (bits, places) = (encryptor.ring().params().bits(), (0..DEGREE).collect::<Vec<_>>());
    for (i, found) in encryptor.open(response, &places).iter().enumerate() {
        assert_eq!(low(found.wrapping_add(mask[i]), bits), low(want[i], bits), "{what}, coefficient {i}");
    }
}

/// All terms that parameters allow, of the largest weights, and plaintexts that are all ones, alternate or are their ends:
/// 140,000 coefficients, and with `LONG` 40 million. The noise of sums is what is said, and as large as chance makes it.
#[test]
fn nothing_fails_at_the_ends() {
    let long = std::env::var_os("LONG").is_some();
    for (bits, limbs) in SETS {
        let params = Params::new(bits, limbs).expect("parameters");
        let of = largest(params);
        let mut prg = Prg::new(Block(u128::from(bits) + limbs as u128 * 100));
        let encryptor = Encryptor::new(params, &mut prg);
        let evaluator = evaluator(&encryptor, &mut prg);
        let [worst, variance] = params.noise(&of);
        let (ones, half) = (low(u64::MAX, bits), 1i64.wrapping_shl(of.weight_bits - 1));
        let ends = [[ones; 2], [0, ones], [low(0x5555_5555_5555_5555, bits); 2], [ones / 2, ones / 2 + 1]];
        let weights = [half.wrapping_neg(), half.wrapping_sub(1)];
        let all = ends
            .iter()
            .flat_map(|x| weights.map(|w| (x, w)))
            .flat_map(|(x, w)| [(x, w, 1), (x, w, u64::MAX)]);
        let count = if long { 16 * 34 } else { 2 };
        for (i, (x, w, s)) in all.cycle().step_by(if long { 1 } else { 7 }).take(count).enumerate() {
            let x: Vec<u64> = (0..DEGREE).map(|i| x[i % 2]).collect();
            let pieces = [of.terms.min(DEGREE), of.terms.saturating_sub(DEGREE)];
            let each = |terms: usize| -> Vec<i64> {
                (0..terms).map(|i| if i.is_multiple_of(2) { w } else { w.wrapping_mul(s as i64) }).collect()
            };
            let encrypted = [0, 1].map(|_| sent(&encryptor, &encryptor.encrypt(&mut prg, &x)));
            let sum = sum(encryptor.ring(), &encrypted, &pieces.map(each));
            let products = pieces.map(|terms| product(&x, w, s, terms));
            let want: Vec<u64> =
                products[0].iter().zip(&products[1]).map(|(a, b)| a.wrapping_add(*b)).collect();
            let what = format!("{bits} bits, {limbs} primes, {of:?}, weights of {w}");
            if i < 2 {
                let parts = [&sum.first, &sum.second].map(|part| encryptor.ring().inverse(part.clone()));
                let found = noise(&encryptor, parts, &want);
                let largest = found.iter().map(|x| x.abs()).max().expect("coefficients") as f64;
                assert!(largest <= worst, "{what}: noise of {largest}, not {worst}");
                // Neighbours share their errors, and so are all large or small.
                assert!((0.03..6.0).contains(&(largest / variance.sqrt())), "{what}: {largest}, {variance}");
            }
            let places: Vec<usize> = (0..DEGREE).collect();
            let (response, mask) = evaluator.respond(&mut prg, &sum, &places);
            opened(&encryptor, &response, &mask, &want, &what);
        }
    }
}

/// Ciphertexts whose noise is exactly the largest that is allowed, of either sign: before the response adds its own, and
/// with flooding at its ends. With four times that flooding decryption fails, which the test sees.
#[test]
fn nothing_fails_at_the_bound() {
    for (bits, limbs) in SETS {
        let params = Params::new(bits, limbs).expect("parameters");
        let worst = params.noise(&largest(params))[0];
        let mut prg = Prg::new(Block(u128::from(bits) + limbs as u128 * 200));
        let encryptor = Encryptor::new(params, &mut prg);
        let (ring, evaluator) = (encryptor.ring(), evaluator(&encryptor, &mut prg));
        let numbers: Vec<u64> =
            (0..DEGREE).map(|i| [0, u64::MAX, prg.u64()][i % 3]).map(|x| low(x, bits)).collect();
        // Coefficients of both parts, with noise of the worst and so many times 2^k.
        let mut with_noise = |floods: u32| {
            let second = public(ring.ntts(), &[3; 32], prg.u64());
            let mut first = ring.product(&second, encryptor.secret());
            ring.negate(&mut first);
            let (mut first, second) = (ring.inverse(first), ring.inverse(second));
            ring.add(&mut first, &encode(ring, &numbers, Rounding::Nearest));
            let noise = ring.residues(|ntt, limb| {
                let q = ntt.modulus();
                let flood = times(power(2, params.flooding_bits(), q), floods, q);
                let size = below((worst as u128 % u128::from(q)) as u32 + flood, q);
                limb.iter_mut()
                    .enumerate()
                    .for_each(|(i, to)| *to = if (i / 7).is_multiple_of(2) { size } else { q - size });
            });
            ring.add(&mut first, &noise);
            [first, second]
        };
        let (what, places) = (format!("{bits} bits, {limbs} primes"), (0..DEGREE).collect::<Vec<_>>());
        let parts = with_noise(0);
        let found = noise(&encryptor, parts.clone(), &numbers);
        assert!(found.iter().all(|x| x.unsigned_abs() == worst as u128), "{what}: noise at the bound");
        let [first, second] = parts.each_ref().map(|part| ring.forward(part));
        let (response, mask) =
            evaluator.respond(&mut Prg::new(Block(4)), &Ciphertext { first, second }, &places);
        opened(&encryptor, &response, &mask, &numbers, &what);
        let mut at_the_end = |floods| {
            let [first, second] = with_noise(floods);
            Response {
                first: evaluator.rounded(&first, &places, bits + Response::FIRST),
                second: evaluator.rounded(&second, &places, bits + Response::SECOND),
            }
        };
        opened(&encryptor, &at_the_end(1), &[0; DEGREE], &numbers, &what);
        let wrong =
            encryptor.open(&at_the_end(4), &places).iter().zip(&numbers).filter(|(a, b)| a != b).count();
        assert!(wrong > DEGREE / 8, "{what}: {wrong} wrong");
    }
}
