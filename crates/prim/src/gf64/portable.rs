//! The twin that runs everywhere.

use crate::Block;

/// `x^64` in the field.
pub const TAIL: u64 = 0b1_1011;

/// A sum of products of a word and a pair, not reduced.
#[derive(Default)]
pub struct Sum([u128; 2]);

impl Sum {
    pub fn add(&mut self, a: u64, v: Block) {
        self.0[0] ^= carry_less(a, v.0 as u64);
        self.0[1] ^= carry_less(a, (v.0 >> 64) as u64);
    }

    pub fn reduce(self) -> Block {
        let [low, high] = self.0.map(reduce);
        Block(u128::from(high) << 64 | u128::from(low))
    }
}

pub fn product(a: u64, b: u64) -> u64 {
    reduce(carry_less(a, b))
}

/// The remainder of a polynomial of degree 126 at most.
pub fn reduce(x: u128) -> u64 {
    let fold = |upper: u64| {
        let upper = u128::from(upper);
        upper ^ upper << 1 ^ upper << 3 ^ upper << 4
    };
    const { assert!(TAIL == 0b1_1011) };
    let once = fold((x >> 64) as u64);
    x as u64 ^ once as u64 ^ fold((once >> 64) as u64) as u64
}

/// The product of two polynomials, by multiplications of integers with holes: their carries stay in the holes.
pub fn carry_less(a: u64, b: u64) -> u128 {
    let upper = low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(upper) << 64 | u128::from(low_half(a, b))
}

/// The low 64 coefficients. At most 16 ones are added in a place, 16 only in the uppermost, whose carry is lost.
fn low_half(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let part = |x: u64, i: u32| x & EVERY_FOURTH << i;
    let mut out = 0;
    for place in 0..4 {
        let mut sum = 0;
        for i in 0..4 {
            sum ^= part(a, i).wrapping_mul(part(b, (place + 4 - i) % 4));
        }
        out |= part(sum, place);
    }
    out
}
