//! The Grain LFSR as a self-shrinking generator.

use super::{BITS, Matrix};

/// The designers' generator of public constants.
pub(super) struct Grain {
    state: u128,
    /// Bits that were made, and how many pairs of them are left.
    made: u128,
    pairs: usize,
}

/// Bits made at once: what they follow from is there before the first of them.
const AT_ONCE: usize = 16;

impl Grain {
    pub(super) fn new() -> Self {
        let mut grain = Self { state: (1 << 80) - 1, made: 0, pairs: 0 };
        for _ in 0..160 / AT_ONCE {
            grain.step();
        }
        grain
    }

    fn step(&mut self) {
        let s = self.state;
        self.made = (s ^ s >> 13 ^ s >> 23 ^ s >> 38 ^ s >> 51 ^ s >> 62) & ((1 << AT_ONCE) - 1);
        self.state = s >> AT_ONCE | self.made << (80 - AT_ONCE);
    }

    /// Of two bits the second one, if the first is 1.
    fn bit(&mut self) -> u128 {
        loop {
            if self.pairs == 0 {
                self.step();
                self.pairs = AT_ONCE / 2;
            }
            let pair = self.made & 3;
            self.made >>= 2;
            self.pairs -= 1;
            if pair & 1 == 1 {
                return pair >> 1;
            }
        }
    }

    pub(super) fn row(&mut self) -> u128 {
        (0..BITS).fold(0, |row, i| row | self.bit() << i)
    }

    pub(super) fn matrix(&mut self) -> Matrix {
        loop {
            let matrix = std::array::from_fn(|_| self.row());
            if invertible(matrix) {
                return matrix;
            }
        }
    }
}

fn invertible(mut rows: Matrix) -> bool {
    for column in 0..BITS {
        let Some(pivot) = (column..BITS).find(|&i| rows[i] >> column & 1 == 1) else { return false };
        rows.swap(column, pivot);
        let found = rows[column];
        rows[column + 1..].iter_mut().filter(|row| **row >> column & 1 == 1).for_each(|row| *row ^= found);
    }
    true
}
