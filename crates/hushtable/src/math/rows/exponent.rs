//! The part of an exponential that a party computes by itself.

/// `(1 - e^(-u / 2^s)) 2^f`, rounded, for `u / 2^s < 1/2` and `f <= 28`. The number is a secret: the
/// steps do not depend on it.
pub(super) fn complement(u: u64, s: u32, f: u32) -> u64 {
    // e^-v = 1 - v (1 - v/2 (1 - v/3 ( .. ))), with 32 bits behind the point; v^9 / 9! < 2^-27.
    let v = u << (32 - s);
    let one = 1u64 << 32;
    let inner = (2..=9u64).rev().fold(one, |inner, k| {
        let share = (one + k / 2) / k; // public
        one - ((((v * inner) >> 32) * share) >> 32)
    });
    let lost = (v * inner) >> 32;
    (lost + (1 << (31 - f))) >> (32 - f)
}

#[cfg(test)]
mod tests {
    use super::complement;

    #[test]
    fn every_number_of_11_to_16_bits() {
        for s in 12..=17u32 {
            for u in 0..1u64 << (s - 1) {
                let want = (1.0 - (-(u as f64) / f64::from(1u32 << s)).exp()) * f64::from(1u32 << 20);
                let got = complement(u, s, 20) as f64;
                assert!((got - want).abs() < 0.51, "{u} of 2^{s}: {got}, not {want}");
            }
        }
    }
}
