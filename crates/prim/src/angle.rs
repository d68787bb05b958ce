//! Sine and cosine in fixed point, of angles that may be secret: no branch, no address and no shift depends on them.

use crate::ct::bit_mask;

/// Bits behind the point of a [`sin_cos`].
pub const SCALE: u32 = 62;

/// What a [`sin_cos`] is off at most, as a power of two: each step of Horner's rule loses a unit and a half of
/// `2^-62`, of which the next keeps 0.62; the angle loses one, and the series ends below a unit.
pub const ERROR_BITS: u32 = 58;

/// `pi / 2`, times `2^62`.
const QUARTER: i64 = 0x6487_ed51_10b4_611a;

/// `1 / (2 pi)` in limbs of 64 bits, lowest first, times `2^192`.
const PER_RADIAN: [u64; 3] = [0x36d8_a566_4f10_e410, 0x7f09_d5f4_7d4d_3770, 0x28be_60db_9391_054a];

/// Terms of each series.
const TERMS: usize = 10;

/// Coefficients of the sine at 1, of the cosine at 0.
const SIN: [i64; TERMS] = series(1);
const COS: [i64; TERMS] = series(0);

/// `(-1)^k / (2k + odd)!`, times `2^62`.
const fn series(odd: i128) -> [i64; TERMS] {
    let (mut all, mut factorial, mut k) = ([0; TERMS], 1i128, 0);
    while k < TERMS {
        let rounded = ((1 << SCALE) + factorial / 2) / factorial;
        all[k] = if k % 2 == 0 { rounded as i64 } else { -(rounded as i64) };
        factorial *= (2 * k as i128 + 1 + odd) * (2 * k as i128 + 2 + odd);
        k += 1;
    }
    all
}

/// Sine and cosine of `turn / 2^64` turns, times `2^62`, off by less than `2^-58`.
#[inline]
pub fn sin_cos(turn: u64) -> [i64; 2] {
    // The nearest quarter, and what is left: at most an eighth of a turn.
    let quarter = turn.wrapping_add(1 << 61) >> 62;
    let left = turn.wrapping_sub(quarter << 62) as i64;
    let z = times(left, QUARTER);
    let square = times(z, z);
    let (sin, cos) = (times(z, horner(&SIN, square)), horner(&COS, square));
    let (odd, second) = (quarter & 1, quarter >> 1);
    let change = (sin ^ cos) & bit_mask(odd) as i64;
    [negated(sin ^ change, second), negated(cos ^ change, odd ^ second)]
}

/// `x / (2^fraction * 2 pi)` mod 1, times `2^64`, rounded down: the turns of an angle in radians.
///
/// # Panics
/// Unless `fraction < 64`.
#[inline]
pub fn turns_of_radians(x: u64, fraction: u32) -> u64 {
    assert!(fraction < 64, "bits behind the point");
    let mut carry = 0u128;
    let mut limbs = [0u64; 4];
    for (limb, factor) in limbs.iter_mut().zip(PER_RADIAN) {
        carry += u128::from(x) * u128::from(factor);
        *limb = carry as u64;
        carry >>= 64;
    }
    limbs[3] = carry as u64;
    let upper = u128::from(limbs[3]) << 64 | u128::from(limbs[2]);
    (upper >> fraction) as u64
}

/// A fixed-point number with fewer bits behind the point, rounded to nearest.
///
/// # Panics
/// Unless `1 <= cut < 64`.
#[inline]
pub fn rounded(x: i64, cut: u32) -> i64 {
    assert!((1..64).contains(&cut), "bits to cut off");
    (x >> (cut - 1)).wrapping_add(1) >> 1
}

fn times(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> SCALE) as i64
}

fn horner(coefficients: &[i64; TERMS], x: i64) -> i64 {
    coefficients.iter().rev().fold(0, |sum, c| times(sum, x) + c)
}

/// The number, or its negative for a bit of 1.
fn negated(x: i64, bit: u64) -> i64 {
    let mask = bit_mask(bit) as i64;
    (x ^ mask) - mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: i64 = 1 << SCALE;

    fn near(a: i64, b: i64) -> bool {
        (a - b).unsigned_abs() < 1 << (SCALE - ERROR_BITS + 1)
    }

    #[test]
    fn the_quarters_and_the_known_angles() {
        let eighth = 3_260_954_456_333_195_553; // 2^62 / sqrt 2
        for (turn, sin, cos) in [
            (0, 0, ONE),
            (1 << 62, ONE, 0),
            (1 << 63, 0, -ONE),
            (3 << 62, -ONE, 0),
            (1 << 61, eighth, eighth),
            (5 << 61, -eighth, -eighth),
            (u64::MAX / 12 + 1, ONE / 2, 3_993_837_246_235_628_775), // 30 degrees: 2^61 sqrt 3
        ] {
            let [s, c] = sin_cos(turn);
            assert!(near(s, sin) && near(c, cos), "{turn}: {s} {c}, not {sin} {cos}");
        }
    }

    #[test]
    fn turns_of_known_radians() {
        for fraction in [0, 1, 16, 40, 63] {
            assert_eq!(turns_of_radians(0, fraction), 0);
            // 355 / 113 is pi and 2.7e-7 more.
            let (x, digits) = (355u64 << (fraction.min(50)), fraction.min(50));
            let turns = turns_of_radians(x, digits) as f64 / 2f64.powi(64);
            let want = (355.0 / std::f64::consts::TAU).fract();
            assert!((turns - want).abs() < 1e-12, "{fraction}: {turns}");
        }
        // Twice a number is twice the turns, but for what is cut off.
        let (one, two) = (turns_of_radians(1 << 62, 3), turns_of_radians(1 << 63, 3));
        assert!(two.wrapping_sub(one.wrapping_mul(2)) < 2);
    }

    proptest! {
        #[test]
        fn as_in_floating_point(turn in any::<u64>()) {
            let [s, c] = sin_cos(turn).map(|v| v as f64 / ONE as f64);
            let angle = (turn as i64) as f64 / 2f64.powi(64) * std::f64::consts::TAU;
            prop_assert!((s - angle.sin()).abs() < 1e-15 && (c - angle.cos()).abs() < 1e-15);
        }

        /// Finer than floating point: the sum of squares, and the addition of angles.
        #[test]
        fn angles_add(a in any::<u64>(), b in any::<u64>()) {
            let ([sa, ca], [sb, cb], [s, c]) = (sin_cos(a), sin_cos(b), sin_cos(a.wrapping_add(b)));
            let close = |a: i64, b: i64| (a - b).unsigned_abs() < 1 << (SCALE - ERROR_BITS + 2);
            prop_assert!(close(times(sa, sa) + times(ca, ca), ONE));
            prop_assert!(close(times(sa, cb) + times(ca, sb), s) && close(times(ca, cb) - times(sa, sb), c));
        }

        #[test]
        fn rounds_to_nearest(x in any::<i64>(), cut in 1u32..63) {
            let want = (i128::from(x) + (1i128 << (cut - 1))) >> cut;
            prop_assert_eq!(i128::from(rounded(x, cut)), want);
        }
    }
}
