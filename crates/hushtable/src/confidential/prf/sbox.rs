//! The S-box of AES: a circuit of 34 ANDs in 4 layers.
//!
//! Boyar, Peralta, "A small depth-16 circuit for the AES S-box" (SEC 2012), whose names these are: an inversion in
//! `GF(2^4)` by 7 ANDs in 2 layers, between 9 products before and 18 after it. The 18 are 9 pairs with a common operand,
//! and of the 7 six are.

use crate::circuit::{Builder, Wire};

/// A byte, lowest bit first.
pub(super) type Byte = [Wire; 8];

/// T1 to T27, each the sum of two: of those before, and of U0 to U7, which have the numbers from 30 on.
const TOP: [usize; 54] = [
    30, 33, 30, 35, 30, 36, 33, 35, 34, 36, 1, 5, 31, 32, 37, 6, 37, 7, 6, 7, 31, 35, 32, 35, 3, 4, 6, 11, 5,
    11, 5, 12, 9, 16, 33, 37, 7, 18, 1, 19, 36, 37, 7, 21, 2, 22, 2, 10, 20, 17, 3, 16, 1, 12,
];

/// M1, M2, M4, M6, M7, M9, M11, M12 and M14 are products of these T, and of U7. The later products are those of M44,
/// M40 .. with both.
const PAIRS: [[usize; 2]; 9] =
    [[13, 6], [23, 8], [19, 37], [3, 16], [22, 9], [20, 17], [1, 15], [4, 27], [2, 10]];

/// L0 to L29, and then S0 to S7, each the sum of two: of those before, and of M46 to M63.
const BOTTOM: [usize; 76] = [
    61, 62, 50, 56, 46, 48, 47, 55, 54, 58, 49, 61, 62, 5, 46, 3, 51, 59, 52, 53, 53, 4, 60, 2, 48, 51, 50,
    0, 52, 61, 55, 1, 56, 0, 57, 1, 58, 8, 63, 4, 0, 1, 1, 7, 3, 12, 18, 2, 15, 9, 6, 10, 7, 9, 8, 10, 11,
    14, 11, 17, 6, 24, 16, 26, 19, 28, 6, 21, 20, 22, 25, 29, 13, 27, 6, 23,
];

/// The S-box of a byte by its definition, FIPS-197 5.1.1, but for the 0x63 that it adds.
pub(super) fn defined(x: u64) -> u64 {
    let times = |a: u8, b: u8| {
        (0..8).rev().fold(0u8, |sum, i| {
            let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
            doubled ^ if b >> i & 1 == 1 { a } else { 0 }
        })
    };
    let inverse = (0..=255).find(|&y| times(x as u8, y) == 1).unwrap_or(0);
    (0..5).fold(0, |sum, k| sum ^ inverse.rotate_left(k)).into()
}

/// The S-box of bytes, but for the 0x63 that it adds.
pub(super) fn sbox(n: &mut Builder, x: Byte) -> Byte {
    let mut t = [x[0]; 38];
    x.iter().rev().zip(&mut t[30..]).for_each(|(bit, u)| *u = *bit);
    TOP.chunks(2).zip(1..).for_each(|(of, i)| t[i] = n.xor(&[t[of[0]], t[of[1]]]));
    let [m1, m2, m4, m6, m7, m9, m11, m12, m14] = products(n, &PAIRS.map(|[a, b]| (t[a], vec![t[b]])));
    let (m13, m15) = (n.xor(&[m12, m11]), n.xor(&[m14, m11]));
    let m20 = n.xor(&[t[14], m1, m2, m13]);
    let m21 = n.xor(&[m4, m1, t[24], m15]);
    let m22 = n.xor(&[t[26], m6, m7, m13]);
    let m23 = n.xor(&[m9, m6, m15, t[25]]);
    let [m37, m38, m39, m40, m41, m42, m43, m44, m45] = inverse(n, [m20, m21, m22, m23]);
    let factors = [m44, m40, m39, m43, m38, m37, m42, m45, m41].into_iter().zip(PAIRS);
    let groups: Vec<_> = factors.map(|(m, [a, b])| (m, vec![t[b], t[a]])).collect();
    // M46 and M55, M47 and M56, and so on up to M54 and M63.
    let after: [Wire; 18] = products(n, &groups);
    let mut l = [after[0]; 64];
    (0..18).for_each(|i| l[46 + i / 2 + i % 2 * 9] = after[i]);
    BOTTOM.chunks(2).enumerate().for_each(|(i, of)| l[i] = n.xor(&[l[of[0]], l[of[1]]]));
    std::array::from_fn(|k| l[37 - k])
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

fn products<const N: usize>(n: &mut Builder, groups: &[(Wire, Vec<Wire>)]) -> [Wire; N] {
    let groups: Vec<(Wire, &[Wire])> = groups.iter().map(|(x, ys)| (*x, &ys[..])).collect();
    n.ands(&groups).try_into().unwrap_or_else(|_| unreachable!("a product for each AND"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        circuit::{Layers, Span},
        gates::Bits,
        net::Role,
        party::{Party, run_pair},
    };

    #[test]
    fn every_byte_is_substituted() {
        for (known, depth, triples) in [(None, 4, [[1, 10], [2, 12]]), (Some(Role::P1), 0, [[1, 0], [2, 0]])]
        {
            let mut b = Builder::new(&[1, 2]);
            let x = std::array::from_fn(|_| b.input(Span::Each(1), known));
            let out = sbox(&mut b, x);
            let net = b.finish(&out);
            assert_eq!((net.depth(), net.triples()), (depth, &triples[..]));
            let party = |p: &mut Party| {
                let mine = u64::from(p.role() == Role::P1);
                let plane = |i: usize| Bits::collect((0..256u64).map(|x| x >> i & mine));
                let out = Layers::prepare(p, &net, 256)?.eval(p, (0..8).map(plane).collect())?;
                out.iter().map(|bit| bit.open(p)).collect::<crate::Result<Vec<_>>>()
            };
            let (out, _) =
                run_pair(Party::pair_seeded(1).expect("a pair"), party, party).expect("an evaluation");
            for x in 0..256usize {
                let byte = (0..8).fold(0, |byte, i| byte | (out[i][x / 64] >> (x % 64) & 1) << i);
                assert_eq!(byte, defined(x as u64), "{x}");
            }
        }
    }
}
