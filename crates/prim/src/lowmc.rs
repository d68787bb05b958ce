//! LowMC with blocks and keys of 128 bits: Albrecht, Rechberger, Schneider, Tiessen, Zohner, "Ciphers for MPC and
//! FHE" (EUROCRYPT 2015).
//!
//! A round: S-boxes on the lowest `3 * boxes` bits, a matrix, a constant and a key. Bits of a block are numbered from
//! its lowest. Matrices and constants are those of the designers' generator, the Grain LFSR as a self-shrinking
//! generator from the state of all ones: all linear layers, then all constants, then all key matrices, those without
//! full rank left out.
//!
//! Work is done on bit planes: bit i of 64 blocks a word, for `width` words one after the other. Matrices are public,
//! what they are multiplied with may be secret.

use std::sync::OnceLock;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::simd::{Isa, Op};
use crate::{Block, Kernel};

/// Bits of a block.
pub const BITS: usize = 128;

/// S-boxes of a round of [`LowMc::standard`].
pub const BOXES: usize = 42;

/// Its rounds.
pub const ROUNDS: usize = 13;

/// A square matrix over F_2: bit j of row i is what column j of the factor counts for row i of the product.
pub type Matrix = [u128; BITS];

/// An instance: its matrices and constants. Public.
pub struct LowMc {
    boxes: usize,
    linear: Vec<Matrix>,
    constants: Vec<u128>,
    keys: Vec<Matrix>,
}

/// The keys of all rounds, and the one before the first; constants included.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct RoundKeys(Vec<u128>);

impl RoundKeys {
    /// That of a round, from 1 on; 0 is the one before the first.
    pub fn of(&self, round: usize) -> Block {
        Block(self.0[round])
    }
}

impl LowMc {
    /// 42 S-boxes, 13 rounds, made once: by the designers' script for 128 bits of security and up to 2^64 blocks.
    pub fn standard() -> &'static Self {
        static STANDARD: OnceLock<LowMc> = OnceLock::new();
        STANDARD.get_or_init(|| Self::new(BOXES, ROUNDS))
    }

    /// The instance of these numbers.
    ///
    /// # Panics
    /// For more S-boxes than 42.
    pub fn new(boxes: usize, rounds: usize) -> Self {
        assert!(3 * boxes <= BITS, "S-boxes of a block");
        let mut grain = Grain::new();
        let linear = (0..rounds).map(|_| grain.matrix()).collect();
        let constants = (0..rounds).map(|_| grain.row()).collect();
        let keys = (0..=rounds).map(|_| grain.matrix()).collect();
        Self { boxes, linear, constants, keys }
    }

    /// S-boxes of a round.
    pub fn boxes(&self) -> usize {
        self.boxes
    }

    /// Rounds.
    pub fn rounds(&self) -> usize {
        self.linear.len()
    }

    /// The linear layer of a round, from 1 on.
    pub fn linear(&self, round: usize) -> &Matrix {
        &self.linear[round - 1]
    }

    /// The round keys of a key.
    pub fn round_keys(&self, key: Block) -> RoundKeys {
        let constants = std::iter::once(&0).chain(&self.constants);
        let keys = self.keys.iter().zip(constants);
        RoundKeys(keys.map(|(matrix, constant)| times(matrix, key.0) ^ constant).collect())
    }

    /// Encrypts what stands in the planes, `width` words each: 64 blocks a word.
    ///
    /// # Panics
    /// Unless there are 128 planes.
    pub fn encrypt(&self, keys: &RoundKeys, planes: &mut [u64], width: usize) {
        assert_eq!(planes.len(), BITS * width, "planes");
        let mut out = vec![0; planes.len()];
        add(keys.of(0), planes, width);
        for round in 1..=self.rounds() {
            self.substitute(planes, width);
            multiply(self.linear(round), planes, width, &mut out);
            planes.copy_from_slice(&out);
            add(keys.of(round), planes, width);
        }
        crate::wipe(&mut out);
    }

    fn substitute(&self, planes: &mut [u64], width: usize) {
        for planes in planes.chunks_exact_mut(3 * width).take(self.boxes) {
            let (c, rest) = planes.split_at_mut(width);
            let (b, a) = rest.split_at_mut(width);
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                let (ab, ac, bc) = (*a & *b, *a & *c, *b & *c);
                (*c, *b, *a) = (*a ^ *b ^ *c ^ ab, *a ^ *b ^ ac, *a ^ bc);
            }
        }
    }
}

/// Adds a block to each of those in the planes.
fn add(key: Block, planes: &mut [u64], width: usize) {
    for (i, plane) in planes.chunks_exact_mut(width).enumerate() {
        let mask = ((key.0 >> i & 1) as u64).wrapping_neg();
        plane.iter_mut().for_each(|word| *word ^= mask);
    }
}

/// Planes of the products of these rows of a matrix with the blocks in 128 planes of `width` words.
///
/// # Panics
/// Unless there are 128 planes, and one of the product for each row.
pub fn multiply(rows: &[u128], planes: &[u64], width: usize, out: &mut [u64]) {
    assert_eq!((planes.len(), out.len()), (BITS * width, rows.len() * width), "planes");
    Kernel::active().engine().run(Multiply { rows, planes, width, out });
}

struct Multiply<'a> {
    rows: &'a [u128],
    planes: &'a [u64],
    width: usize,
    out: &'a mut [u64],
}

/// Words of a plane that are multiplied together.
const PIECE: usize = 8;

/// Plain code on rows as long as the longest vectors, compiled once more for each instruction set.
impl<S: Isa> Op<S> for Multiply<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        // Of four planes at a time, the sums of every choice (Arlazarov and others, 1970): secret, so wiped.
        let mut sums = vec![[[0u64; PIECE]; 16]; BITS / 4];
        for from in (0..self.width).step_by(PIECE) {
            let len = PIECE.min(self.width - from);
            for (group, sums) in sums.iter_mut().enumerate() {
                for (k, plane) in (4 * group..4 * group + 4).enumerate() {
                    let mut words = [0; PIECE];
                    words[..len].copy_from_slice(&self.planes[plane * self.width + from..][..len]);
                    for i in 0..1 << k {
                        sums[i | 1 << k] = sum(sums[i], words);
                    }
                }
            }
            for (i, &row) in self.rows.iter().enumerate() {
                let mut total = [0; PIECE];
                for (group, sums) in sums.iter().enumerate() {
                    total = sum(total, sums[(row >> (4 * group)) as usize & 15]);
                }
                self.out[i * self.width + from..][..len].copy_from_slice(&total[..len]);
            }
        }
        crate::wipe(bytemuck::cast_slice_mut::<_, u64>(&mut sums));
    }
}

#[inline(always)]
fn sum(mut a: [u64; PIECE], b: [u64; PIECE]) -> [u64; PIECE] {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
    a
}

/// The product of a matrix and a block, which may be secret.
fn times(matrix: &Matrix, x: u128) -> u128 {
    matrix.iter().enumerate().fold(0, |product, (i, row)| product | parity(row & x) << i)
}

fn parity(mut x: u128) -> u128 {
    for shift in [64, 32, 16, 8, 4, 2, 1] {
        x ^= x >> shift;
    }
    x & 1
}

/// The designers' generator of public constants.
struct Grain(u128);

impl Grain {
    fn new() -> Self {
        let mut grain = Self((1 << 80) - 1);
        for _ in 0..160 {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> u128 {
        let s = self.0;
        let bit = (s ^ s >> 13 ^ s >> 23 ^ s >> 38 ^ s >> 51 ^ s >> 62) & 1;
        self.0 = s >> 1 | bit << 79;
        bit
    }

    /// Of two bits the second one, if the first is 1.
    fn bit(&mut self) -> u128 {
        loop {
            let (choice, bit) = (self.step(), self.step());
            if choice == 1 {
                return bit;
            }
        }
    }

    fn row(&mut self) -> u128 {
        (0..BITS).fold(0, |row, i| row | self.bit() << i)
    }

    fn matrix(&mut self) -> Matrix {
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
