use super::{
    DEGREE, Ntt, PRIMES, SHORT, Sums,
    transform::{power, root, times},
};
use crate::{Block, Kernel, Prg};

fn drawn(prg: &mut Prg, q: u32) -> Vec<u32> {
    (0..DEGREE).map(|_| (prg.block().0 as u64 % u64::from(q)) as u32).collect()
}

/// Numbers where something may bend: 0, 1, `q - 1`.
fn ends(prg: &mut Prg, q: u32) -> Vec<u32> {
    (0..DEGREE).map(|_| [0, 1, q - 1, q - 2][prg.block().0 as usize % 4]).collect()
}

#[test]
fn primes_are_the_largest() {
    let is_prime = |n: u32| n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let largest = (1..1u32 << 30).rev().filter(|n| n % (2 * DEGREE as u32) == 1);
    assert!(largest.filter(|n| is_prime(*n)).take(PRIMES.len()).eq(PRIMES));
}

/// The portable kernel against values of the polynomial, and the others against it.
#[test]
fn every_kernel_gives_the_values_at_odd_powers() {
    for (q, seed) in PRIMES.into_iter().zip(1..) {
        let (mut prg, psi) = (Prg::new(Block(seed)), root(q));
        for x in [drawn(&mut prg, q), ends(&mut prg, q), vec![q - 1; DEGREE], vec![0; DEGREE]] {
            let mut want = vec![0; DEGREE];
            Ntt::with_kernel(q, Kernel::Portable).forward(&x, &mut want);
            for place in (0..DEGREE).step_by(97).chain([1, 15, 16, DEGREE - 1]) {
                let at = power(psi, Ntt::exponent(place) as u32, q);
                let value = x
                    .iter()
                    .rev()
                    .fold(0, |sum, x| ((u64::from(times(sum, at, q)) + u64::from(*x)) % u64::from(q)) as u32);
                assert_eq!(want[place], value, "{q}, place {place}");
            }
            for kernel in Kernel::supported() {
                let (ntt, mut found, mut back) =
                    (Ntt::with_kernel(q, kernel), vec![0; DEGREE], vec![0; DEGREE]);
                ntt.forward(&x, &mut found);
                assert!(found == want, "{kernel:?}, {q}");
                ntt.inverse(&mut found, &mut back);
                assert!(back == x, "{kernel:?}, {q}: back");
            }
        }
    }
}

#[test]
fn sums_of_products_are_those_of_polynomials() {
    for kernel in Kernel::supported() {
        let q = PRIMES[7];
        let (ntt, mut prg) = (Ntt::with_kernel(q, kernel), Prg::new(Block(3)));
        for terms in [0, 1, 2, 15, 16, 17, 40] {
            let (mut sums, mut want) = (Sums::default(), vec![0u64; DEGREE]);
            for term in 0..terms {
                let a = if term % 3 == 0 { vec![q - 1; DEGREE] } else { drawn(&mut prg, q) };
                let b = if term % 2 == 0 { vec![q - 1; DEGREE] } else { ends(&mut prg, q) };
                sums.add(&ntt, &a, &b);
                want.iter_mut()
                    .zip(a.iter().zip(&b))
                    .for_each(|(sum, (a, b))| *sum += u64::from(times(*a, *b, q)));
            }
            let mut found = vec![7; DEGREE];
            sums.take(&ntt, &mut found);
            assert!(
                found.iter().zip(&want).all(|(found, want)| u64::from(*found) == want % u64::from(q)),
                "{kernel:?}, {terms}"
            );
            sums.take(&ntt, &mut found);
            assert!(found.iter().all(|x| *x == 0));
        }
    }
    // Of two polynomials: X^8192 is -1.
    let (ntt, q) = (Ntt::new(PRIMES[0]), PRIMES[0]);
    let (mut x, mut y, mut out) = (vec![0; DEGREE], vec![0; DEGREE], [vec![0; DEGREE], vec![0; DEGREE]]);
    (x[8000], x[1], y[1000], y[5]) = (3, 1, 2, q - 1);
    ntt.forward(&x, &mut out[0]);
    ntt.forward(&y, &mut out[1]);
    let (mut sums, mut product, mut found) = (Sums::default(), vec![0; DEGREE], vec![0; DEGREE]);
    sums.add(&ntt, &out[0], &out[1]);
    sums.take(&ntt, &mut product);
    ntt.inverse(&mut product, &mut found);
    let mut want = vec![0; DEGREE];
    (want[9000 - 8192], want[8005], want[1001], want[6]) = (q - 6, q - 3, 2, q - 1);
    assert!(found == want);
}

/// One to three terms, whose numbers are any.
#[test]
fn sums_of_multiples_are_those_of_division() {
    for (q, seed) in PRIMES.into_iter().zip(20..) {
        let mut prg = Prg::new(Block(seed));
        let any = |prg: &mut Prg| -> Vec<u32> { (0..DEGREE).map(|_| prg.u64() as u32).collect() };
        let x = [any(&mut prg), vec![u32::MAX; DEGREE], ends(&mut prg, q)];
        for by in [[0, 1, q - 1], [q - 1; 3], [prg.below(q), prg.below(q), prg.below(q)]] {
            for (count, constant) in [(1, 0), (2, q - 1), (3, prg.below(q))] {
                let terms: Vec<(&[u32], u32)> = x.iter().map(Vec::as_slice).zip(by).take(count).collect();
                for kernel in Kernel::supported() {
                    let mut out = vec![0; DEGREE];
                    Ntt::with_kernel(q, kernel).linear(&terms, constant, &mut out);
                    for (i, out) in out.iter().enumerate() {
                        let sum =
                            terms.iter().map(|(x, by)| u128::from(x[i]) * u128::from(*by)).sum::<u128>();
                        assert_eq!(
                            u128::from(*out),
                            (sum + u128::from(constant)) % u128::from(q),
                            "{kernel:?} {q}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn short_polynomials_are_as_long_ones() {
    for (q, seed) in PRIMES.into_iter().zip(40..) {
        let mut prg = Prg::new(Block(seed));
        for x in [drawn(&mut prg, q), ends(&mut prg, q), vec![q - 1; DEGREE]] {
            let long: Vec<u32> = x[..SHORT].iter().copied().chain(vec![0; DEGREE - SHORT]).collect();
            for kernel in Kernel::supported() {
                let (ntt, mut want, mut found) =
                    (Ntt::with_kernel(q, kernel), vec![0; DEGREE], vec![1; DEGREE]);
                ntt.forward(&long, &mut want);
                ntt.forward_short(&x[..SHORT], &mut found);
                assert!(found == want, "{kernel:?}, {q}");
            }
        }
    }
}
