//! Bitsliced AES on 128-bit integers: constant time on any processor, no tables.

use super::{Isa, Op};
use crate::{Block, block::sigma, ct::bit_mask};

// The larger functions are not inlined: one copy of each instead of one in every kernel.

/// Eight blocks, bitsliced: bit `8 p + j` of plane `b` is bit `b` of byte `p` of block `j`.
///
/// So a permutation of the bytes of a block is the same permutation of the bytes of each plane,
/// and an instruction on a plane treats all 128 bytes at once.
pub(crate) type Planes = [u128; 8];

/// The instruction set of every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Isa for Portable {
    type V = Planes;
    const BLOCKS: usize = 8;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        op.call(self)
    }

    fn load(self, src: &[Block]) -> Planes {
        let src: &[Block; 8] = src.try_into().expect("eight blocks");
        transpose8(src.map(|x| x.0))
    }

    fn store(self, v: Planes, dst: &mut [Block]) {
        let dst: &mut [Block; 8] = dst.try_into().expect("eight blocks");
        *dst = transpose8(v).map(Block);
    }

    fn splat(self, x: Block) -> Planes {
        transpose8([x.0; 8])
    }

    fn counters(self, first: u64) -> Planes {
        self.load(&std::array::from_fn::<_, 8, _>(|i| Block(u128::from(first.wrapping_add(i as u64)))))
    }

    fn xor(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| a[i] ^ b[i])
    }

    fn and(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| a[i] & b[i])
    }

    fn sigma(self, x: Planes) -> Planes {
        // sigma moves whole bytes, so it acts on planes as on blocks
        x.map(|plane| sigma(Block(plane)).0)
    }

    fn round(self, x: Planes, key: Planes) -> Planes {
        self.xor(mix_columns(shift_rows(sub_bytes(x))), key)
    }

    fn hold(self, x: Planes) -> Planes {
        x
    }

    fn last_round(self, x: Planes, key: Planes) -> Planes {
        self.xor(shift_rows(sub_bytes(x)), key)
    }

    fn pairs(self, a: Planes, b: Planes) -> (Planes, Planes) {
        let (a, b) = (transpose8(a), transpose8(b));
        let pairs = |from| transpose8(std::array::from_fn(|i| [a, b][i % 2][from + i / 2]));
        (pairs(0), pairs(4))
    }

    fn add_halves(self, a: Planes, b: Planes) -> Planes {
        by_halves(a, b, u64::wrapping_add)
    }

    fn equal_halves(self, a: Planes, b: Planes) -> Planes {
        by_halves(a, b, |a, b| {
            let x = a ^ b;
            bit_mask(1 ^ (x | x.wrapping_neg()) >> 63)
        })
    }

    fn spread_bit_1(self, x: Planes) -> Planes {
        // byte 0 of a plane belongs to byte 0 of each of the blocks
        [u128::from_ne_bytes([x[1] as u8; 16]); 8]
    }

    fn fold(self, v: Planes) -> Block {
        Block(transpose8(v).into_iter().fold(0, |sum, x| sum ^ x))
    }
}

/// Transposes the 8 x 8 bit matrix that the eight values have at each byte position. Own inverse.
#[inline(never)]
fn transpose8(mut x: [u128; 8]) -> [u128; 8] {
    for (step, mask) in [(1, 0x55), (2, 0x33), (4, 0x0f)] {
        let mask = u128::from_ne_bytes([mask; 16]);
        for i in (0..8).filter(|i| i & step == 0) {
            let swap = ((x[i] >> step) ^ x[i + step]) & mask;
            x[i] ^= swap << step;
            x[i + step] ^= swap;
        }
    }
    x
}

/// `f` of the 64-bit halves of blocks.
fn by_halves(a: Planes, b: Planes, f: impl Fn(u64, u64) -> u64) -> Planes {
    let (a, b) = (transpose8(a), transpose8(b));
    transpose8(std::array::from_fn(|i| {
        let half = |shift: u32| u128::from(f((a[i] >> shift) as u64, (b[i] >> shift) as u64)) << shift;
        half(0) | half(64)
    }))
}

/// Byte `r + 4 c` of the result is byte `r + 4 (c + r mod 4)`.
fn shift_rows(x: Planes) -> Planes {
    const ROW: u128 = 0x0000_00ff_0000_00ff_0000_00ff_0000_00ff;
    x.map(|plane| (0..4).fold(0, |out, r| out | (plane & (ROW << (8 * r))).rotate_right(32 * r)))
}

/// Column `(a0, a1, a2, a3)` becomes `2 a0 + 3 a1 + a2 + a3` and its rotations.
#[inline(never)]
fn mix_columns(x: Planes) -> Planes {
    let next = x.map(|plane| rotate_columns(plane, 8));
    let both: Planes = std::array::from_fn(|b| x[b] ^ next[b]);
    std::array::from_fn(|b| {
        // doubling moves bit b to b + 1, and bit 7 to bits 0, 1, 3 and 4
        let doubled = match b {
            0 => both[7],
            1 | 3 | 4 => both[b - 1] ^ both[7],
            _ => both[b - 1],
        };
        doubled ^ next[b] ^ rotate_columns(both[b], 16)
    })
}

/// Rotates every 32-bit column down by `by` bits (a multiple of 8).
fn rotate_columns(plane: u128, by: u32) -> u128 {
    let low = u128::from_ne_bytes(bytemuck::cast([u32::MAX >> by; 4]));
    (plane >> by) & low | (plane << (32 - by)) & !low
}

/// The AES S-box on every byte: the 113-gate circuit of Boyar and Peralta (ePrint 2009/191), in
/// its three parts. `u[0]` is the high bit.
#[inline(never)]
fn sub_bytes(x: Planes) -> Planes {
    let u: Planes = std::array::from_fn(|i| x[7 - i]);
    let y = sbox_top(u);
    let s = sbox_bottom(sbox_middle(u[7], y));
    std::array::from_fn(|i| s[7 - i])
}

/// The linear layer before the inversion: `y[1..=21]`.
fn sbox_top(x: Planes) -> [u128; 22] {
    let mut y = [0; 22];
    let t0 = x[1] ^ x[2];
    y[14] = x[3] ^ x[5];
    y[13] = x[0] ^ x[6];
    y[9] = x[0] ^ x[3];
    y[8] = x[0] ^ x[5];
    y[1] = t0 ^ x[7];
    y[4] = y[1] ^ x[3];
    y[12] = y[13] ^ y[14];
    y[2] = y[1] ^ x[0];
    y[5] = y[1] ^ x[6];
    y[3] = y[5] ^ y[8];
    let t1 = x[4] ^ y[12];
    y[15] = t1 ^ x[5];
    y[20] = t1 ^ x[1];
    y[6] = y[15] ^ x[7];
    y[10] = y[15] ^ t0;
    y[11] = y[20] ^ y[9];
    y[7] = x[7] ^ y[11];
    y[17] = y[10] ^ y[11];
    y[19] = y[10] ^ y[8];
    y[16] = t0 ^ y[11];
    y[21] = y[13] ^ y[16];
    y[18] = x[0] ^ y[16];
    y
}

/// The inversion in GF(2^8) and the products with the linear layer.
fn sbox_middle(x7: u128, y: [u128; 22]) -> [u128; 18] {
    let t2 = y[12] & y[15];
    let t4 = (y[3] & y[6]) ^ t2;
    let t6 = (y[4] & x7) ^ t2;
    let t7 = y[13] & y[16];
    let t9 = (y[5] & y[1]) ^ t7;
    let t11 = (y[2] & y[7]) ^ t7;
    let t12 = y[9] & y[11];
    let t14 = (y[14] & y[17]) ^ t12;
    let t16 = (y[8] & y[10]) ^ t12;
    let t21 = t4 ^ t14 ^ y[20];
    let t22 = t6 ^ t16 ^ y[19];
    let t23 = t9 ^ t14 ^ y[21];
    let t24 = t11 ^ t16 ^ y[18];

    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t29 = (t25 & t27) ^ t22;
    let t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
    let t36 = t24 & (t27 ^ t33);
    let t37 = t36 ^ t23 ^ t33;
    let t40 = t25 ^ (t29 & (t27 ^ t36));

    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    let left = [t44, t37, t33, t43, t40, t29, t42, t45, t41, t44, t37, t33, t43, t40, t29, t42, t45, t41];
    let right = [15, 6, 0, 16, 1, 7, 11, 17, 10, 12, 3, 4, 13, 5, 2, 9, 14, 8];
    std::array::from_fn(|i| left[i] & if i == 2 { x7 } else { y[right[i]] })
}

/// The linear layer after the inversion, with the affine constant.
fn sbox_bottom(z: [u128; 18]) -> Planes {
    let t46 = z[15] ^ z[16];
    let t48 = z[5] ^ z[13];
    let t53 = z[0] ^ z[3];
    let t57 = z[2] ^ z[12] ^ t53;
    let t58 = z[4] ^ t46;
    let t59 = z[3] ^ z[6] ^ z[7];
    let t62 = z[7] ^ z[8] ^ t58;
    let t63 = z[9] ^ z[10] ^ t58;
    let t64 = z[4] ^ t59;
    let t65 = z[14] ^ t57 ^ t62;
    let t66 = z[1] ^ t63;
    let s3 = t53 ^ t66;
    [
        t59 ^ t63,
        t64 ^ !s3,
        z[16] ^ z[17] ^ !(t64 ^ t65),
        s3,
        z[2] ^ z[5] ^ t66,
        z[10] ^ z[11] ^ t65,
        z[12] ^ t48 ^ !t62,
        t48 ^ !(t46 ^ t57),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The S-box from its definition: inverse in GF(2^8), then the affine map.
    fn sbox(x: u8) -> u8 {
        let double = |a: u8| (a << 1) ^ if a & 0x80 != 0 { 0x1b } else { 0 };
        let times =
            |a: u8, b: u8| (0..8).rev().fold(0, |sum, i| double(sum) ^ if b >> i & 1 == 1 { a } else { 0 });
        let inverse = (0..254).fold(1, |power, _| times(power, x));
        let inverse = if x == 0 { 0 } else { inverse };
        (0..5).fold(0x63, |out, i| out ^ inverse.rotate_left(i))
    }

    #[test]
    fn sub_bytes_is_the_sbox() {
        let input: [Block; 8] =
            std::array::from_fn(|j| Block(u128::from_le_bytes(std::array::from_fn(|p| (j * 16 + p) as u8))));
        for flip in [0, 0x80] {
            let blocks = input.map(|x| x ^ Block(u128::from_ne_bytes([flip; 16])));
            let mut out = [Block::ZERO; 8];
            Portable.store(sub_bytes(Portable.load(&blocks)), &mut out);
            let (from, to): (&[u8], &[u8]) = (bytemuck::cast_slice(&blocks), bytemuck::cast_slice(&out));
            assert!(from.iter().zip(to).all(|(&x, &y)| sbox(x) == y));
        }
    }
}
