//! Products of ciphertexts and polynomials that a party knows.

use prim::{
    Wiped,
    ntt::{DEGREE, SHORT, Sums},
};

use crate::{
    ciphertext::Ciphertext,
    poly::{Plain, Ring, power},
};

/// Who makes polynomials into transforms and multiplies ciphertexts by them, in memory that serves again.
pub struct Multiplier<'a> {
    ring: &'a Ring,
    sums: Sums,
    /// The lower halves of coefficients, and the upper ones moved by `2^31`.
    halves: [Wiped<u32>; 2],
    residues: Wiped<u32>,
}

impl<'a> Multiplier<'a> {
    /// In this ring.
    pub fn new(ring: &'a Ring) -> Self {
        let zeros = || Wiped::zeros(DEGREE);
        Self { ring, sums: Sums::default(), halves: [zeros(), zeros()], residues: zeros() }
    }

    /// Memory for a polynomial.
    pub fn zero(&self) -> Plain {
        Plain::zeros(self.ring.params().limbs())
    }

    /// A polynomial that this party knows, of signed coefficients, for products of which `packed` are packed into one:
    /// then it is that much smaller, mod q. Coefficients that are left out are zero.
    ///
    /// # Panics
    /// For more than 8192 coefficients.
    pub fn plain(&mut self, coefficients: &[i64], packed: usize, out: &mut Plain) {
        assert!(coefficients.len() <= DEGREE, "coefficients");
        let size = if coefficients.len() <= SHORT { SHORT } else { DEGREE };
        let [lower, upper] = self.halves.each_mut().map(|half| &mut half[..size]);
        let moved = 1u32 << 31;
        lower.iter_mut().zip(coefficients).for_each(|(to, x)| *to = *x as u32);
        upper.iter_mut().zip(coefficients).for_each(|(to, x)| *to = ((*x >> 32) as u32).wrapping_add(moved));
        lower[coefficients.len()..].fill(0);
        upper[coefficients.len()..].fill(moved);
        let residues = &mut self.residues[..size];
        for (ntt, out) in self.ring.ntts().iter().zip(out.limbs_mut()) {
            let q = ntt.modulus();
            let part = power(packed as u64, q - 2, q);
            let times = |x: u64| (u64::from(part) * (x % u64::from(q)) % u64::from(q)) as u32;
            ntt.linear(&[(lower, part), (upper, times(1 << 32))], (q - times(1 << 63)) % q, residues);
            match size {
                SHORT => ntt.forward_short(residues, out),
                _ => ntt.forward(residues, out),
            }
        }
    }

    /// The sum of ciphertexts times polynomials.
    pub fn products(&mut self, of: &[(&Ciphertext, &Plain)], out: &mut Ciphertext) {
        let pairs = of.iter();
        let (first, second) =
            (pairs.clone().map(|(x, w)| (&x.first, w.poly())), pairs.map(|(x, w)| (&x.second, w.poly())));
        self.ring.products_to(&mut self.sums, first, &mut out.first);
        self.ring.products_to(&mut self.sums, second, &mut out.second);
    }
}

#[cfg(test)]
mod tests {
    use prim::{Block, Prg};

    use super::*;
    use crate::Params;

    /// Residues of coefficients of any size, by division; as short polynomials and as long ones.
    #[test]
    fn coefficients_are_those_of_division() {
        let ring = Ring::new(Params::new(64, 5).expect("parameters"));
        let mut prg = Prg::new(Block(77));
        for count in [1, 5, SHORT, SHORT + 1, DEGREE] {
            for packed in [1usize, 8, 64] {
                let ends = [i64::MIN, i64::MAX, -1, 0, 1, i64::from(i32::MIN), 1 << 32];
                let x: Vec<i64> = (0..count)
                    .map(|i| if i % 3 == 0 { ends[i % 7] } else { prg.u64() as i64 >> (i % 64) })
                    .collect();
                let mut multiplier = Multiplier::new(&ring);
                let mut plain = multiplier.zero();
                multiplier.plain(&vec![-9; DEGREE], 1, &mut plain);
                multiplier.plain(&x, packed, &mut plain);
                let back = ring.inverse(plain.poly().clone());
                for (ntt, limb) in ring.ntts().iter().zip(back.limbs()) {
                    let q = i128::from(ntt.modulus());
                    for (i, found) in limb.iter().enumerate() {
                        let want = x.get(i).map_or(0, |x| i128::from(*x).rem_euclid(q));
                        assert_eq!(
                            i128::from(*found) * packed as i128 % q,
                            want,
                            "coefficient {i} of {count}"
                        );
                    }
                }
            }
        }
    }
}
