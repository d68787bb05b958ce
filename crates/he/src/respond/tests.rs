use prim::Block;

use super::*;
use crate::{Encryptor, Multiplier, Plain, Product, Seeded};

/// Words and weights of a case.
struct Case {
    params: Params,
    weight_bits: u32,
    prg: Prg,
}

impl Case {
    fn words(&mut self, count: usize, ends: bool) -> Vec<u64> {
        let bits = self.params.bits();
        let end = [0, 1, low(u64::MAX, bits), 1 << (bits - 1), (1 << (bits - 1)) - 1];
        (0..count)
            .map(|_| match ends {
                true => end[self.prg.below(5) as usize],
                false => low(self.prg.u64(), bits),
            })
            .collect()
    }

    fn weights(&mut self, count: usize, ends: bool) -> Vec<i64> {
        let half = 1i64.wrapping_shl(self.weight_bits - 1);
        (0..count)
            .map(|_| match ends {
                true => half.wrapping_neg(),
                false => (self.prg.u64() as i64) >> (64 - self.weight_bits),
            })
            .collect()
    }
}

/// `x w` mod `X^8192 + 1` and `2^64`.
fn product(x: &[u64], w: &[i64]) -> Vec<u64> {
    let mut out = vec![0u64; DEGREE];
    for (i, x) in x.iter().enumerate() {
        for (j, w) in w.iter().enumerate() {
            let product = x.wrapping_mul(*w as u64);
            match (i + j) / DEGREE {
                0 => out[i + j] = out[i + j].wrapping_add(product),
                _ => out[i + j - DEGREE] = out[i + j - DEGREE].wrapping_sub(product),
            }
        }
    }
    out
}

/// What the peer gets.
pub(super) fn sent(encryptor: &Encryptor, seeded: &Seeded) -> Ciphertext {
    let (ring, mut bytes) = (encryptor.ring(), Vec::new());
    seeded.encode(&mut bytes);
    assert_eq!(bytes.len(), Seeded::len(ring.params()));
    Seeded::decode(ring, encryptor.seed(), seeded.number, &bytes).expect("a ciphertext")
}

pub(super) fn evaluator(encryptor: &Encryptor, prg: &mut Prg) -> Evaluator {
    Evaluator::new(encryptor.ring().clone(), sent(encryptor, &encryptor.public_key(prg)))
}

/// The sum of ciphertexts times weights.
pub(super) fn sum(ring: &Ring, of: &[Ciphertext], weights: &[Vec<i64>]) -> Ciphertext {
    let (mut multiplier, mut sum) = (Multiplier::new(ring), Ciphertext::zeros(ring));
    let plain = |w: &Vec<i64>| {
        let mut plain = multiplier.zero();
        multiplier.plain(w, 1, &mut plain);
        plain
    };
    let plain: Vec<Plain> = weights.iter().map(plain).collect();
    multiplier.products(&of.iter().zip(&plain).collect::<Vec<_>>(), &mut sum);
    sum
}

/// Sums of two products, of random numbers and of ends, by all bits of plaintexts, through bytes: both shares are the sum.
/// With keys that were made for another width.
#[test]
fn shares_are_those_of_the_product() {
    for (bits, weight_bits, terms) in [
        (8, 8, 64),
        (9, 5, 100),
        (16, 12, 400),
        (32, 16, 512),
        (37, 15, 1000),
        (37, 37, 64),
        (48, 16, 300),
        (64, 16, 512),
        (64, 64, 300),
    ] {
        let of = Product { weight_bits, terms: 2 * terms, outputs: DEGREE, packed: 1 };
        let params = Params::fitting(bits, &of).expect("parameters");
        let mut case = Case { params, weight_bits, prg: Prg::new(Block(bits.into())) };
        let other = Encryptor::new(Params::new(8, params.limbs()).expect("parameters"), &mut case.prg);
        let encryptor = other.of_width(bits).expect("a width");
        let ring = encryptor.ring().clone();
        let evaluator = evaluator(&other, &mut case.prg).of_width(bits).expect("a width");
        let numbers = [&encryptor, &other, &encryptor].map(|key| key.encrypt(&mut case.prg, &[]).number);
        assert!(numbers[0] < numbers[1] && numbers[1] < numbers[2], "no number serves twice: {numbers:?}");
        for ends in [[false; 2], [true, false], [false, true], [true; 2]] {
            let x = [0, 1].map(|_| case.words(DEGREE, ends[0]));
            let w = [0, 1].map(|_| case.weights(terms, ends[1]));
            let encrypted = x.each_ref().map(|x| sent(&encryptor, &encryptor.encrypt(&mut case.prg, x)));
            let sum = sum(&ring, &encrypted, &w);
            let places: Vec<usize> = (0..DEGREE).filter(|_| case.prg.below(3) > 0).collect();
            let (response, mask) = evaluator.respond(&mut case.prg, &sum, &places);
            let mut bytes = Vec::new();
            response.encode(params, &mut bytes);
            let back = Response::decode(params, places.len(), &bytes).expect("a response");
            assert!(back == response);
            let opened = encryptor.open(&back, &places);
            let want = [0, 1].map(|i| product(&x[i], &w[i]));
            for (i, place) in places.iter().enumerate() {
                let want = low(want[0][*place].wrapping_add(want[1][*place]), bits);
                let found = low(opened[i].wrapping_add(mask[i]), bits);
                assert_eq!(
                    found, want,
                    "{bits} bits, weights of {weight_bits}, ends {ends:?}, place {place}"
                );
            }
        }
    }
}

/// The encryptor's view of both parts, less what they should stand for: the noise, in whole numbers below `2^118` in size, or
/// `2^88` for three primes.
pub(super) fn noise(encryptor: &Encryptor, parts: [Poly; 2], want: &[u64]) -> Vec<i128> {
    let ring = encryptor.ring();
    let [first, second] = parts;
    let mut rest = ring.inverse(ring.product(&ring.forward(&second), encryptor.secret()));
    ring.add(&mut rest, &first);
    let mut expected = encode(ring, want, Rounding::Nearest);
    ring.negate(&mut expected);
    ring.add(&mut rest, &expected);
    let primes: Vec<u128> = ring.ntts().iter().map(|ntt| u128::from(ntt.modulus())).take(4).collect();
    let all: u128 = primes.iter().product();
    let inverse = |q: &u128| u128::from(power((all / q % q) as u64, *q as u32 - 2, *q as u32));
    let inverses: Vec<u128> = primes.iter().map(inverse).collect();
    let limbs: Vec<&[u32]> = rest.limbs().collect();
    let whole = |i: usize| {
        let part = |(k, q): (usize, &u128)| u128::from(limbs[k][i]) * inverses[k] % q * (all / q);
        let sum = primes.iter().enumerate().map(part).fold(0, |sum, part| (sum + part) % all);
        if sum > all / 2 { sum as i128 - all as i128 } else { sum as i128 }
    };
    (0..DEGREE).map(whole).collect()
}

/// The noise of a product is within the worst that is said, and about as large as is proven; that of a response is uniform
/// in the range of the flooding, and less than that without it, which the test sees.
#[test]
fn noise_is_as_said_and_is_flooded() {
    let (weight_bits, terms) = (16, 1024);
    let of = Product { weight_bits, terms, outputs: 1 << 18, packed: 1 };
    let params = Params::fitting(32, &of).expect("parameters");
    assert_eq!(params.limbs(), 4);
    let mut case = Case { params, weight_bits, prg: Prg::new(Block(9)) };
    let encryptor = Encryptor::new(params, &mut case.prg);
    let ring = encryptor.ring().clone();
    let evaluator = evaluator(&encryptor, &mut case.prg);
    let places: Vec<usize> = (0..DEGREE).collect();
    for ends in [false, true] {
        let (x, w) = (case.words(DEGREE, ends), case.weights(terms, ends));
        let want = product(&x, &w);
        let sum =
            sum(&ring, &[sent(&encryptor, &encryptor.encrypt(&mut case.prg, &x))], std::slice::from_ref(&w));
        let parts = [&sum.first, &sum.second].map(|part| ring.inverse(part.clone()));
        let noise_of_sum = noise(&encryptor, parts, &want);
        let size: f64 = w.iter().map(|w| (*w as f64).powi(2)).sum::<f64>().sqrt();
        let worst: f64 = 22.0 * w.iter().map(|w| (*w as f64).abs()).sum::<f64>();
        let deviation =
            (noise_of_sum.iter().map(|x| (*x as f64).powi(2)).sum::<f64>() / DEGREE as f64).sqrt();
        assert!(noise_of_sum.iter().all(|x| (*x as f64).abs() <= worst));
        // Neighbours share their errors: there are about eight independent ones.
        assert!((0.3..2.5).contains(&(deviation / (10.75f64.sqrt() * size))), "{deviation} of {size}");
        let (parts, mask) = evaluator.covered(&mut case.prg, &sum, &places);
        let masked: Vec<u64> =
            want.iter().zip(mask.iter()).map(|(x, r)| low(x.wrapping_sub(*r), params.bits())).collect();
        let range = f64::from(params.flooding_bits()).exp2();
        let uniform = |noise: &[i128]| {
            let parts = noise.iter().map(|x| *x as f64 / range);
            let square = parts.clone().map(|x| x * x).sum::<f64>() / DEGREE as f64;
            parts.clone().all(|x| x.abs() < 1.001) && (square - 1.0 / 3.0).abs() < 0.02
        };
        assert!(uniform(&noise(&encryptor, parts, &masked)));
        assert!(!uniform(&noise_of_sum));
    }
}

/// What the second part of a response tells: with the fresh encryption of zero nothing of the weights, without it all.
#[test]
fn responses_of_other_weights_are_alike() {
    let params = Params::fitting(32, &Product { weight_bits: 9, terms: 64, outputs: DEGREE, packed: 1 })
        .expect("parameters");
    let mut case = Case { params, weight_bits: 9, prg: Prg::new(Block(12)) };
    let encryptor = Encryptor::new(params, &mut case.prg);
    let ring = encryptor.ring().clone();
    let evaluator = evaluator(&encryptor, &mut case.prg);
    let encrypted = [sent(&encryptor, &encryptor.encrypt(&mut case.prg, &[5; DEGREE]))];
    let weights: [Vec<i64>; 2] = [vec![200; 64], case.weights(64, false)];
    let bits = params.bits() + Response::SECOND;
    let all: Vec<usize> = (0..DEGREE).collect();
    let seconds = weights.each_ref().map(|w| {
        let sum = sum(&ring, &encrypted, std::slice::from_ref(w));
        let guess = evaluator.rounded(&ring.inverse(sum.second.clone()), &all, bits);
        let (response, _) = evaluator.respond(&mut case.prg, &sum, &all);
        (guess, response.second)
    });
    for (guess, _) in &seconds {
        for (_, second) in &seconds {
            // A quarter, if it tells nothing.
            assert!((apart(guess, second, bits) - 0.25).abs() < 0.01);
        }
    }
    // Without the encryption of zero a guess is what comes, and no other one is.
    let [(one, _), (other, _)] = &seconds;
    assert!(apart(one, other, bits) > 0.2);
}

/// A fresh encryption of zero is one, with the errors that it is said to have: they are below what is rounded away, so that no
/// byte that is sent shows whether they are there. Without the second one, second parts would be multiples of the key, rounded.
#[test]
fn an_encryption_of_zero_has_all_its_errors() {
    let of = Product { weight_bits: 9, terms: 64, outputs: DEGREE, packed: 1 };
    let params = Params::fitting(32, &of).expect("parameters");
    let mut case = Case { params, weight_bits: 9, prg: Prg::new(Block(15)) };
    let encryptor = Encryptor::new(params, &mut case.prg);
    let (ring, evaluator) = (encryptor.ring().clone(), evaluator(&encryptor, &mut case.prg));
    let (x, w) = (case.words(DEGREE, false), case.weights(64, false));
    let sum =
        sum(&ring, &[sent(&encryptor, &encryptor.encrypt(&mut case.prg, &x))], std::slice::from_ref(&w));
    let places: Vec<usize> = (0..DEGREE).collect();
    let ([mut first, mut second], mask) = evaluator.covered(&mut Prg::new(Block(16)), &sum, &places);
    // What is drawn, in this order: the factor of the key, an error of each part, the flooding.
    let mut again = Prg::new(Block(16));
    let factor = error(&mut again);
    let drawn = [error(&mut again), error(&mut again)];
    let mut covering = evaluator.flood(&mut again, DEGREE);
    let negative: Vec<u64> = mask.iter().map(|r| r.wrapping_neg()).collect();
    ring.add(&mut covering, &encode(&ring, &negative, Rounding::Nearest));
    ring.negate(&mut covering);
    ring.add(&mut first, &covering);
    let fresh = ring.forward(&ring.small(&factor));
    let key = [&evaluator.key.first, &evaluator.key.second];
    for (((part, key), sum), drawn) in
        [&mut first, &mut second].into_iter().zip(key).zip([&sum.first, &sum.second]).zip(&drawn)
    {
        let mut known = ring.product(key, &fresh);
        ring.add(&mut known, sum);
        ring.negate(&mut known);
        ring.add(part, &ring.inverse(known));
        let same = ring.small(drawn);
        assert!(part.limbs().zip(same.limbs()).all(|(a, b)| a == b), "the error of a part");
        let square = drawn.iter().map(|x| f64::from(x * x)).sum::<f64>() / DEGREE as f64;
        assert!((square - 10.5).abs() < 1.0, "errors of variance {square}");
    }
    assert!(drawn[0].iter().zip(drawn[1].iter()).filter(|(a, b)| a == b).count() < DEGREE / 4);
}

/// The part of the whole by which two numbers are apart, either way round: a quarter on average, for uniform ones.
fn apart(a: &[u128], b: &[u128], bits: u32) -> f64 {
    let whole = f64::from(bits).exp2();
    let parts = a.iter().zip(b).map(|(a, b)| low(a.wrapping_sub(*b) as u64, bits) as f64 / whole);
    parts.map(|part| part.min(1.0 - part)).sum::<f64>() / a.len() as f64
}

/// Responses of one evaluator, at whatever width, share neither the encryption of zero, nor flooding, nor masks: two with one
/// zero show the difference of what was multiplied, two with one flooding that of their noise, two with one mask that of
/// their results. Nor do neighbours in a response.
#[test]
fn no_randomness_serves_two_responses() {
    let of = Product { weight_bits: 9, terms: 64, outputs: DEGREE, packed: 1 };
    let params = Params::fitting(32, &of).expect("parameters");
    let mut case = Case { params, weight_bits: 9, prg: Prg::new(Block(31)) };
    let encryptor = Encryptor::new(params, &mut case.prg);
    let first = evaluator(&encryptor, &mut case.prg);
    let evaluators = [first.clone(), first.of_width(32).expect("a width"), first];
    let (x, w) = (case.words(DEGREE, false), case.weights(64, false));
    let sum = sum(
        encryptor.ring(),
        &[sent(&encryptor, &encryptor.encrypt(&mut case.prg, &x))],
        std::slice::from_ref(&w),
    );
    let (want, places) = (product(&x, &w), (0..DEGREE).collect::<Vec<_>>());
    let range = f64::from(params.flooding_bits()).exp2();
    let responses: Vec<(Vec<u128>, Vec<u64>, Vec<f64>)> = [0, 1, 2, 2]
        .into_iter()
        .map(|i| {
            let (parts, mask) = evaluators[i].covered(&mut case.prg, &sum, &places);
            let second = evaluators[i].rounded(&parts[1], &places, params.bits() + Response::SECOND);
            let masked: Vec<u64> =
                want.iter().zip(mask.iter()).map(|(x, r)| low(x.wrapping_sub(*r), 32)).collect();
            let noise = noise(&encryptor, parts, &masked).into_iter().map(|x| x as f64 / range).collect();
            (second, mask.to_vec(), noise)
        })
        .collect();
    let mean = |of: &dyn Fn(usize) -> f64, count: usize| (0..count).map(of).sum::<f64>() / count as f64;
    for (i, (second, mask, noise)) in responses.iter().enumerate() {
        for lag in [1, 2, 3, DEGREE / 2] {
            let alike = mask.iter().zip(&mask[lag..]).filter(|(a, b)| a == b).count();
            assert!(alike < 5, "{alike} masks as those {lag} places away");
            let product = mean(&|k| noise[k] * noise[k + lag], DEGREE - lag);
            assert!(product.abs() < 0.03, "flooding and that {lag} places away: {product}");
        }
        for (other_second, other_mask, other_noise) in &responses[..i] {
            let far = apart(second, other_second, params.bits() + Response::SECOND);
            assert!((far - 0.25).abs() < 0.01, "second parts are {far} apart: one encryption of zero");
            let alike = mask.iter().zip(other_mask).filter(|(a, b)| a == b).count();
            assert!(alike < 5, "{alike} masks serve twice");
            let product = mean(&|k| noise[k] * other_noise[k], DEGREE);
            assert!(product.abs() < 0.03, "floodings of two responses: {product}");
        }
    }
}

/// What the noise tells an encryptor that guesses the weights, and so what noise they make of its own ciphertexts': nothing where
/// it is flooded, and without that which weights they are.
#[test]
fn noise_of_other_weights_is_alike() {
    let params = Params::fitting(32, &Product { weight_bits: 9, terms: 64, outputs: DEGREE, packed: 1 })
        .expect("parameters");
    let mut case = Case { params, weight_bits: 9, prg: Prg::new(Block(13)) };
    let encryptor = Encryptor::new(params, &mut case.prg);
    let ring = encryptor.ring().clone();
    let evaluator = evaluator(&encryptor, &mut case.prg);
    let x = case.words(DEGREE, false);
    let encrypted = [sent(&encryptor, &encryptor.encrypt(&mut case.prg, &x))];
    let places: Vec<usize> = (0..DEGREE).collect();
    let weights: [Vec<i64>; 2] = [vec![200; 64], case.weights(64, false)];
    let found = weights.each_ref().map(|w| {
        let (sum, want) = (sum(&ring, &encrypted, std::slice::from_ref(w)), product(&x, w));
        let parts = [&sum.first, &sum.second].map(|part| ring.inverse(part.clone()));
        let guess = noise(&encryptor, parts, &want);
        let (flooded, mask) = evaluator.covered(&mut Prg::new(Block(14)), &sum, &places);
        let masked: Vec<u64> =
            want.iter().zip(mask.iter()).map(|(x, r)| low(x.wrapping_sub(*r), params.bits())).collect();
        // The same less its flooding, which is drawn after three polynomials of errors.
        let mut again = Prg::new(Block(14));
        (0..3).for_each(|_| drop(error(&mut again)));
        let mut flood = evaluator.flood(&mut again, DEGREE);
        ring.negate(&mut flood);
        let mut bare = flooded.clone();
        ring.add(&mut bare[0], &flood);
        (guess, [flooded, bare].map(|parts| noise(&encryptor, parts, &masked)))
    });
    let correlation = |a: &[i128], b: &[i128]| {
        let sum = |a: &[i128], b: &[i128]| a.iter().zip(b).map(|(a, b)| *a as f64 * *b as f64).sum::<f64>();
        sum(a, b) / (sum(a, a) * sum(b, b)).sqrt()
    };
    for (i, (guess, _)) in found.iter().enumerate() {
        for (j, (_, [flooded, bare])) in found.iter().enumerate() {
            // Of 8192 numbers that have nothing to do with each other 0.011 or so.
            let [hidden, shown] = [flooded, bare].map(|noise| correlation(guess, noise));
            assert!(hidden.abs() < 0.05, "guess {i} of weights {j}: {hidden}");
            assert_eq!(shown > 0.8, i == j, "guess {i} of weights {j} without flooding: {shown}");
        }
    }
}
