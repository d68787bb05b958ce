//! Polynomials with integer coefficients, near a function.

/// Nodes of a fit.
const NODES: usize = 10;

/// Integers `c_0, ..., c_degree` such that the sum of `c_q u^q` is near `f(u)` for u in `from..=to`, or `None`
/// for coefficients that 63 bits do not hold.
///
/// From the top down: the leading coefficient of the best polynomial of a degree, by Chebyshev's nodes, is
/// rounded, and what is left is fitted by one degree less; so lower coefficients make up for the rounding of
/// higher ones. The constant is in the middle of what is left.
pub(in crate::math) fn fit(degree: u32, [from, to]: [u64; 2], f: impl Fn(f64) -> f64) -> Option<Vec<i64>> {
    let (middle, half) = ((from as f64 + to as f64) / 2.0, (to as f64 - from as f64) / 2.0);
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / NODES as f64;
    let nodes: [f64; NODES] = std::array::from_fn(|k| libm::cos(angle(k)));
    let mut left: [f64; NODES] = nodes.map(|x| f(middle + half * x));
    let mut coefficients = vec![0; degree as usize + 1];
    for q in (1..=degree).rev() {
        if half == 0.0 {
            break;
        }
        // The coefficient of the Chebyshev polynomial T_q, whose leading one is 2^(q-1).
        let weight = |k: usize| libm::cos(f64::from(q) * angle(k));
        let sum: f64 = left.iter().enumerate().map(|(k, y)| y * weight(k)).sum();
        let leading = 2.0 / NODES as f64 * sum * 2f64.powi(q as i32 - 1) / power(half, q);
        let c = integer(leading)?;
        left.iter_mut().zip(nodes).for_each(|(y, x)| *y -= c as f64 * power(middle + half * x, q));
        coefficients[q as usize] = c;
    }
    let (least, most) = left.iter().fold((f64::MAX, f64::MIN), |(a, b), &y| (a.min(y), b.max(y)));
    coefficients[0] = integer((least + most) / 2.0)?;
    Some(coefficients)
}

/// The same bits on every machine.
fn power(x: f64, q: u32) -> f64 {
    (0..q).fold(1.0, |product, _| product * x)
}

fn integer(x: f64) -> Option<i64> {
    (x.abs() < 2f64.powi(62)).then(|| x.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_found_again() {
        for (degree, want) in [(1, vec![7, -3]), (2, vec![-5, 0, 11]), (3, vec![1 << 40, 12, -9, 4])] {
            let value = |u: f64| want.iter().rev().fold(0.0, |sum, &c| sum * u + c as f64);
            assert_eq!(fit(degree, [0, 1023], value), Some(want.clone()));
            assert_eq!(fit(degree, [512, 1023], value), Some(want.clone()));
        }
    }

    /// The best polynomial of degree d - 1 for a multiple of T_d is 0.
    #[test]
    fn the_largest_error_is_small() {
        let c = fit(2, [0, 2000], |u| 1e6 * libm::cos(3.0 * libm::acos(u / 1000.0 - 1.0))).unwrap();
        assert!(c[2] == 0 && c[1] == 0 && c[0].abs() <= 1, "{c:?}");
        let value = |u: f64| 1e9 * libm::exp(u / 1000.0);
        let c = fit(2, [0, 1000], value).unwrap();
        let worst = (0..=1000).map(|u| {
            let sum: f64 = c.iter().rev().fold(0.0, |sum, &c| sum * f64::from(u) + c as f64);
            (sum - value(f64::from(u))).abs()
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 9.4e6, "{worst}, the best polynomial has 8.76e6");
        assert_eq!(fit(1, [0, 1], |_| 1e19), None);
        assert_eq!(fit(2, [5, 5], |u| u), Some(vec![5, 0, 0]));
    }
}
