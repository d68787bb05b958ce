//! The S-box of AES on bit planes: a circuit of 34 ANDs in 4 layers.
//!
//! Boyar, Peralta, "A small depth-16 circuit for the AES S-box" (SEC 2012), whose names these are: an inversion in
//! `GF(2^4)` by 7 ANDs in 2 layers, between 9 products before and 18 after it. The 18 are 9 pairs with a common operand,
//! and of the 7 six are.

use super::ands::{Group, Layer};
use crate::{error::Result, gates::Bits};

/// A byte of a batch, lowest bit first.
pub(super) type Byte = [Bits; 8];

/// The S-box of bytes; one party alone is to add constants.
pub(super) fn sbox(layer: &mut impl Layer, adds: bool, x: &Byte) -> Result<Byte> {
    let t = Top::new(x);
    let [m1, m2, m4, m6, m7, m9, m11, m12, m14] = products(layer, &t.pairs())?;
    let (m3, m5, m8, m10) = (&(&t.t14 ^ &m1), &(&m4 ^ &m1), &(&t.t26 ^ &m6), &(&m9 ^ &m6));
    let (m13, m15) = (&m12 ^ &m11, &m14 ^ &m11);
    let (m20, m21) = (&(m3 ^ &m2) ^ &m13, &(m5 ^ &t.t24) ^ &m15);
    let (m22, m23) = (&(m8 ^ &m7) ^ &m13, &(m10 ^ &m15) ^ &t.t25);
    let inverse = inverse(layer, [&m20, &m21, &m22, &m23])?;
    let after = products(layer, &t.after(&inverse))?;
    Ok(bottom(adds, &after))
}

/// Sums of the bits of a byte, those that are used again.
struct Top {
    d: Bits,
    t1: Bits,
    t2: Bits,
    t3: Bits,
    t4: Bits,
    t6: Bits,
    t8: Bits,
    t9: Bits,
    t10: Bits,
    t13: Bits,
    t14: Bits,
    t15: Bits,
    t16: Bits,
    t17: Bits,
    t19: Bits,
    t20: Bits,
    t22: Bits,
    t23: Bits,
    t24: Bits,
    t25: Bits,
    t26: Bits,
    t27: Bits,
}

impl Top {
    fn new([u7, u6, u5, u4, u3, u2, u1, u0]: &Byte) -> Self {
        let (t1, t2, t3, t4) = (u0 ^ u3, u0 ^ u5, u0 ^ u6, u3 ^ u5);
        let (t5, t7, t11, t12) = (u4 ^ u6, u1 ^ u2, u1 ^ u5, u2 ^ u5);
        let t6 = &t1 ^ &t5;
        let (t8, t9, t10) = (u7 ^ &t6, u7 ^ &t7, &t6 ^ &t7);
        let (t13, t14, t15, t16) = (&t3 ^ &t4, &t6 ^ &t11, &t5 ^ &t11, &t5 ^ &t12);
        let t17 = &t9 ^ &t16;
        let t19 = &t7 ^ &(u3 ^ u7);
        let (t20, t22) = (&t1 ^ &t19, &t7 ^ &(u6 ^ u7));
        let (t23, t24, t25) = (&t2 ^ &t22, &t2 ^ &t10, &t20 ^ &t17);
        let (t26, t27, d) = (&t3 ^ &t16, &t1 ^ &t12, u7.clone());
        Self {
            d,
            t1,
            t2,
            t3,
            t4,
            t6,
            t8,
            t9,
            t10,
            t13,
            t14,
            t15,
            t16,
            t17,
            t19,
            t20,
            t22,
            t23,
            t24,
            t25,
            t26,
            t27,
        }
    }

    /// M1, M2, M4, M6, M7, M9, M11, M12 and M14.
    fn pairs(&self) -> [Group<'_>; 9] {
        let of = |x, y| (x, vec![y]);
        [
            of(&self.t13, &self.t6),
            of(&self.t23, &self.t8),
            of(&self.t19, &self.d),
            of(&self.t3, &self.t16),
            of(&self.t22, &self.t9),
            of(&self.t20, &self.t17),
            of(&self.t1, &self.t15),
            of(&self.t4, &self.t27),
            of(&self.t2, &self.t10),
        ]
    }

    /// M46 and M55, M47 and M56, and so on up to M54 and M63.
    fn after<'a>(&'a self, inverse: &'a Inverse) -> [Group<'a>; 9] {
        let [m37, m38, m39, m40, m41, m42, m43, m44, m45] = &inverse.0;
        [
            (m44, vec![&self.t6, &self.t13]),
            (m40, vec![&self.t8, &self.t23]),
            (m39, vec![&self.d, &self.t19]),
            (m43, vec![&self.t16, &self.t3]),
            (m38, vec![&self.t9, &self.t22]),
            (m37, vec![&self.t17, &self.t20]),
            (m42, vec![&self.t15, &self.t1]),
            (m45, vec![&self.t27, &self.t4]),
            (m41, vec![&self.t10, &self.t2]),
        ]
    }
}

/// M37 to M45: the inverse in `GF(2^4)`, and sums of its bits.
struct Inverse([Bits; 9]);

fn inverse(layer: &mut impl Layer, [m20, m21, m22, m23]: [&Bits; 4]) -> Result<Inverse> {
    let [m25, m34, m31] = products(layer, &[(m22, vec![m20, m21]), (m20, vec![m23])])?;
    let (m24, m27) = (m22 ^ m23, m20 ^ m21);
    let (m26, m28) = (m21 ^ &m25, m23 ^ &m25);
    let [m29, m32, m30, m35] = products(layer, &[(&m27, vec![&m28, &m31]), (&m24, vec![&m26, &m34])])?;
    let (m33, m36) = (&m27 ^ &m25, &m24 ^ &m25);
    let (m37, m38, m39, m40) = (m21 ^ &m29, &m32 ^ &m33, m23 ^ &m30, &m35 ^ &m36);
    let (m41, m42, m43, m44) = (&m38 ^ &m40, &m37 ^ &m39, &m37 ^ &m38, &m39 ^ &m40);
    let m45 = &m42 ^ &m41;
    Ok(Inverse([m37, m38, m39, m40, m41, m42, m43, m44, m45]))
}

/// The bits of the byte, from M46, M55, M47, M56 and so on.
fn bottom(adds: bool, products: &[Bits; 18]) -> Byte {
    let [m46, m55, m47, m56, m48, m57, m49, m58, m50, m59, m51, m60, m52, m61, m53, m62, m54, m63] = products;
    let (l0, l1, l2, l3) = (&(m61 ^ m62), &(m50 ^ m56), &(m46 ^ m48), &(m47 ^ m55));
    let (l4, l5) = (&(m54 ^ m58), &(m49 ^ m61));
    let (l6, l7, l8, l9) = (&(m62 ^ l5), &(m46 ^ l3), &(m51 ^ m59), &(m52 ^ m53));
    let (l10, l11, l12, l13) = (&(m53 ^ l4), &(m60 ^ l2), &(m48 ^ m51), &(m50 ^ l0));
    let (l14, l15, l16, l17) = (&(m52 ^ m61), &(m55 ^ l1), &(m56 ^ l0), &(m57 ^ l1));
    let (l18, l19, l20, l21) = (&(m58 ^ l8), &(m63 ^ l4), &(l0 ^ l1), &(l1 ^ l7));
    let (l22, l23, l24, l25) = (&(l3 ^ l12), &(l18 ^ l2), &(l15 ^ l9), &(l6 ^ l10));
    let (l26, l27, l28, l29) = (&(l7 ^ l9), &(l8 ^ l10), &(l11 ^ l14), &(l11 ^ l17));
    let not =
        |x: Bits| Bits::new(x.len(), x.words().iter().map(|w| w ^ u64::from(adds).wrapping_neg()).collect());
    let (s0, s1, s2, s3) = (l6 ^ l24, not(l16 ^ l26), not(l19 ^ l28), l6 ^ l21);
    let (s4, s5, s6, s7) = (l20 ^ l22, l25 ^ l29, not(l13 ^ l27), not(l6 ^ l23));
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

fn products<const N: usize>(layer: &mut impl Layer, groups: &[Group<'_>]) -> Result<[Bits; N]> {
    let all = layer.ands(groups)?;
    Ok(all.try_into().unwrap_or_else(|_| unreachable!("a product for each AND")))
}

#[cfg(test)]
mod tests {
    use super::super::ands::Local;
    use super::*;

    /// The S-box by its definition, FIPS-197 5.1.1.
    fn defined(x: u8) -> u8 {
        let times = |a: u8, b: u8| {
            (0..8).rev().fold(0u8, |sum, i| {
                let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
                doubled ^ if b >> i & 1 == 1 { a } else { 0 }
            })
        };
        let inverse = (0..=255).find(|&y| times(x, y) == 1).unwrap_or(0);
        (0..5).fold(0x63, |sum, k| sum ^ inverse.rotate_left(k))
    }

    #[test]
    fn every_byte_is_substituted() {
        let plane = |i: usize| Bits::collect((0..256u64).map(|x| x >> i & 1));
        let out = sbox(&mut Local, true, &std::array::from_fn(plane)).expect("no channel");
        for x in 0..256usize {
            let byte = (0..8).fold(0, |byte, i| byte | (out[i].words()[x / 64] >> (x % 64) & 1) << i);
            assert_eq!(byte as u8, defined(x as u8), "{x}");
        }
    }
}
