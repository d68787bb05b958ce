//! The S-box of AES: a circuit of 34 ANDs in 4 layers.
//!
//! Boyar, Peralta, "A small depth-16 circuit for the AES S-box" (SEC 2012), whose names these are: an inversion in
//! `GF(2^4)` by 7 ANDs in 2 layers, between 9 products before and 18 after it. The 18 are 9 pairs with a common operand,
//! and of the 7 six are.

use crate::circuit::{Builder, Wire};

/// A byte, lowest bit first.
pub(super) type Byte = [Wire; 8];

/// M1, M2, M4, M6, M7, M9, M11, M12 and M14 are products of these T; D, which is U7, stands as T0. The later products
/// are those of M44, M40 .. with both.
const PAIRS: [[usize; 2]; 9] =
    [[13, 6], [23, 8], [19, 0], [3, 16], [22, 9], [20, 17], [1, 15], [4, 27], [2, 10]];

/// The S-box of bytes; `one` is what is added for 1.
pub(super) fn sbox(n: &mut Builder, one: Wire, x: Byte) -> Byte {
    let t = top(n, x);
    let [m1, m2, m4, m6, m7, m9, m11, m12, m14] = products(n, &PAIRS.map(|[a, b]| (t[a], vec![t[b]])));
    let (m13, m15) = (n.xor(&[m12, m11]), n.xor(&[m14, m11]));
    let m20 = n.xor(&[t[14], m1, m2, m13]);
    let m21 = n.xor(&[m4, m1, t[24], m15]);
    let m22 = n.xor(&[t[26], m6, m7, m13]);
    let m23 = n.xor(&[m9, m6, m15, t[25]]);
    let [m37, m38, m39, m40, m41, m42, m43, m44, m45] = inverse(n, [m20, m21, m22, m23]);
    let factors = [m44, m40, m39, m43, m38, m37, m42, m45, m41].into_iter().zip(PAIRS);
    let groups: Vec<_> = factors.map(|(m, [a, b])| (m, vec![t[b], t[a]])).collect();
    let after = products(n, &groups);
    bottom(n, one, after)
}

/// T1 to T27, at their numbers; T18 and T21 are not used.
fn top(n: &mut Builder, [u7, u6, u5, u4, u3, u2, u1, u0]: Byte) -> [Wire; 28] {
    let mut sum = |a, b| n.xor(&[a, b]);
    let (t1, t2, t3, t4) = (sum(u0, u3), sum(u0, u5), sum(u0, u6), sum(u3, u5));
    let (t5, t7, t11, t12) = (sum(u4, u6), sum(u1, u2), sum(u1, u5), sum(u2, u5));
    let t6 = sum(t1, t5);
    let (t8, t9, t10) = (sum(u7, t6), sum(u7, t7), sum(t6, t7));
    let (t13, t14, t15, t16) = (sum(t3, t4), sum(t6, t11), sum(t5, t11), sum(t5, t12));
    let t17 = sum(t9, t16);
    let t19 = sum(t9, u3);
    let (t20, t22) = (sum(t1, t19), sum(t9, u6));
    let (t23, t24, t25) = (sum(t2, t22), sum(t2, t10), sum(t20, t17));
    let (t26, t27) = (sum(t3, t16), sum(t1, t12));
    [
        u7, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t17, u7, t19, t20, u7,
        t22, t23, t24, t25, t26, t27,
    ]
}

/// M37 to M45: the inverse in `GF(2^4)`, and sums of its bits.
fn inverse(n: &mut Builder, [m20, m21, m22, m23]: [Wire; 4]) -> [Wire; 9] {
    let [m25, m34, m31] = products(n, &[(m22, vec![m20, m21]), (m20, vec![m23])]);
    let (m24, m27) = (n.xor(&[m22, m23]), n.xor(&[m20, m21]));
    let (m26, m28) = (n.xor(&[m21, m25]), n.xor(&[m23, m25]));
    let [m29, m32, m30, m35] = products(n, &[(m27, vec![m28, m31]), (m24, vec![m26, m34])]);
    let (m37, m38) = (n.xor(&[m21, m29]), n.xor(&[m32, m27, m25]));
    let (m39, m40) = (n.xor(&[m23, m30]), n.xor(&[m35, m24, m25]));
    let (m41, m42) = (n.xor(&[m38, m40]), n.xor(&[m37, m39]));
    let (m43, m44) = (n.xor(&[m37, m38]), n.xor(&[m39, m40]));
    let m45 = n.xor(&[m42, m41]);
    [m37, m38, m39, m40, m41, m42, m43, m44, m45]
}

/// The bits of the byte, from M46, M55, M47, M56 and so on.
fn bottom(n: &mut Builder, one: Wire, products: [Wire; 18]) -> Byte {
    let [m46, m55, m47, m56, m48, m57, m49, m58, m50, m59, m51, m60, m52, m61, m53, m62, m54, m63] = products;
    let mut sum = |a, b| n.xor(&[a, b]);
    let (l0, l1, l2, l3) = (sum(m61, m62), sum(m50, m56), sum(m46, m48), sum(m47, m55));
    let (l4, l5) = (sum(m54, m58), sum(m49, m61));
    let (l6, l7, l8, l9) = (sum(m62, l5), sum(m46, l3), sum(m51, m59), sum(m52, m53));
    let (l10, l11, l12, l13) = (sum(m53, l4), sum(m60, l2), sum(m48, m51), sum(m50, l0));
    let (l14, l15, l16, l17) = (sum(m52, m61), sum(m55, l1), sum(m56, l0), sum(m57, l1));
    let (l18, l19, l20, l21) = (sum(m58, l8), sum(m63, l4), sum(l0, l1), sum(l1, l7));
    let (l22, l23, l24, l25) = (sum(l3, l12), sum(l18, l2), sum(l15, l9), sum(l6, l10));
    let (l26, l27, l28, l29) = (sum(l7, l9), sum(l8, l10), sum(l11, l14), sum(l11, l17));
    let (s0, s3, s4, s5) = (sum(l6, l24), sum(l6, l21), sum(l20, l22), sum(l25, l29));
    let (s1, s2) = (n.xor(&[l16, l26, one]), n.xor(&[l19, l28, one]));
    let (s6, s7) = (n.xor(&[l13, l27, one]), n.xor(&[l6, l23, one]));
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

fn products<const N: usize>(n: &mut Builder, groups: &[(Wire, Vec<Wire>)]) -> [Wire; N] {
    let groups: Vec<(Wire, &[Wire])> = groups.iter().map(|(x, ys)| (*x, &ys[..])).collect();
    n.ands(&groups).try_into().unwrap_or_else(|_| unreachable!("a product for each AND"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        circuit::{Layers, Netlist, Span},
        gates::Bits,
        net::Role,
        party::{Party, run_pair},
    };

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

    fn netlist(known: Option<Role>) -> Netlist {
        let mut b = Builder::new(&[1, 2]);
        let x = std::array::from_fn(|_| b.input(Span::Each(1), known));
        let one = b.constant(Role::P1, [true]);
        let out = sbox(&mut b, one, x);
        b.finish(&out).expect("bytes")
    }

    #[test]
    fn every_byte_is_substituted() {
        let (shared, known) = (netlist(None), netlist(Some(Role::P1)));
        assert_eq!((shared.depth(), shared.triples()), (4, &[[1, 10], [2, 12]][..]));
        assert_eq!((known.depth(), known.ands()), (0, 0), "one party computes alone");
        for net in [shared, known] {
            let party = |p: &mut Party| {
                let mine = u64::from(p.role() == Role::P1);
                let plane = |i: usize| Bits::collect((0..256u64).map(|x| x >> i & mine));
                let x: Vec<Bits> = (0..8).map(plane).collect();
                let material = Layers::prepare(p, net.clone(), 256)?;
                let out = material.eval(p, &x.iter().collect::<Vec<_>>())?;
                out.iter().map(|bit| bit.open(p)).collect::<crate::Result<Vec<_>>>()
            };
            let (out, _) =
                run_pair(Party::pair_seeded(1).expect("a pair"), party, party).expect("an evaluation");
            for x in 0..256usize {
                let byte = (0..8).fold(0, |byte, i| byte | (out[i][x / 64] >> (x % 64) & 1) << i);
                assert_eq!(byte as u8, defined(x as u8), "{x}");
            }
        }
    }
}
