//! AES-128 on shared inputs, under a key of one party.
//!
//! Byte i of a block stands in row `i mod 4` and column `i / 4`. Shared are bytes that ShiftRows puts into the first
//! columns, as few as hold x: after round 1 these columns alone are shared, after round 2 all of the block.

use prim::{Aes128, Block};

use super::{
    ands::{Layer, Local, Shared, Stock, constant, repeated, spread},
    job::{PrfJob, aes_source},
    sbox::{Byte, sbox},
};
use crate::{error::Result, gates::Bits, session::Session};

/// The evaluation of a batch at one party, the key's owner if it has round keys.
struct Run<'a> {
    layer: Shared<'a>,
    job: &'a PrfJob,
    keys: Option<&'a [Block; 11]>,
    count: usize,
}

/// Shares of the bits of the values at the inputs of which `x` has the bits.
pub(super) fn eval(
    session: &mut Session,
    stock: &mut Stock,
    job: &PrfJob,
    key: Option<&Aes128>,
    x: &[Bits],
) -> Result<Vec<Bits>> {
    let keys = key.map(Aes128::round_keys);
    let mut run = Run { layer: Shared { session, stock }, job, keys, count: x[0].len() };
    let mut state = run.first_rounds(x)?;
    for round in 3..=8 {
        let bytes = run.substitute(state)?;
        state = run.next(round, 0..4, shifted(&bytes));
    }
    run.last_rounds(&state)
}

/// Sixteen bytes.
type State = Vec<Byte>;

/// The bytes that ShiftRows puts into each column.
fn shifted(state: &State) -> Vec<[&Byte; 4]> {
    (0..4).map(|column| std::array::from_fn(|row| &state[aes_source(row, column)])).collect()
}

impl Run<'_> {
    /// Rounds 1 and 2: the blocks of all rows, those of a number one behind the other.
    fn first_rounds(&mut self, x: &[Bits]) -> Result<State> {
        let (count, blocks) = (self.count, self.job.blocks());
        let shared_bytes = x.len().div_ceil(8);
        let columns = shared_bytes.div_ceil(4);
        let place = |i: usize| aes_source(i % 4, i / 4);
        let zero = constant(count, 0);
        let shared = (0..shared_bytes).map(|i| {
            let bit = |k: usize| x.get(8 * i + k).unwrap_or(&zero).clone();
            self.plus_key(0, place(i), std::array::from_fn(bit))
        });
        let shared = shared.collect();
        let known: State = (0..16).map(|i| self.plus_key(0, i, self.numbers(i))).collect();
        // Round 1.
        let (mut shared, known) = (self.substitute(shared)?, self.substitute_own(known)?);
        for i in shared_bytes..4 * columns {
            // No number of a block stands in these columns: one bit serves all.
            shared.push(known[place(i)].each_ref().map(|bit| spread(&bit.range(0..1), count)));
        }
        let columns_of = shared.chunks_exact(4).map(|c| std::array::from_fn(|i| &c[i]));
        let shared = self.next(1, 0..columns, columns_of.collect());
        let known = self.next(1, columns..4, shifted(&known).split_off(columns));
        // Round 2.
        let (shared, known) = (self.substitute(shared)?, self.substitute_own(known)?);
        let shared = shared.iter().map(|byte| byte.each_ref().map(|bit| repeated(bit, blocks)));
        let known = known.iter().map(|byte| byte.each_ref().map(|bit| spread(bit, count)));
        let state: State = shared.chain(known).collect();
        Ok(self.next(2, 0..4, shifted(&state)))
    }

    /// Rounds 9 and 10, of what is needed: of each bit of the values a batch.
    fn last_rounds(&mut self, state: &State) -> Result<Vec<Bits>> {
        let (job, count) = (self.job, self.count);
        let cut = |byte: &Byte, blocks: usize| byte.each_ref().map(|bit| bit.range(0..count * blocks));
        let columns: Vec<usize> = (0..4).filter(|&j| job.blocks_with(4 * j) > 0).collect();
        let bytes = columns.iter().flat_map(|&j| (0..4).map(move |row| (aes_source(row, j), j)));
        let bytes = bytes.map(|(i, j)| cut(&state[i], job.blocks_with(4 * j))).collect();
        let bytes = self.substitute(bytes)?;
        let all: Vec<[&Byte; 4]> = bytes.chunks_exact(4).map(|c| std::array::from_fn(|i| &c[i])).collect();
        let state = self.next(9, 0..columns.len(), all);
        let needed = state.iter().enumerate().filter(|(i, _)| job.blocks_with(*i) > 0);
        let last = needed.map(|(i, byte)| cut(byte, job.blocks_with(i))).collect();
        let last = self.substitute(last)?;
        let place = |i: usize| i % 4 + 4 * ((i / 4 + 4 - i % 4) % 4);
        let last: State =
            last.into_iter().enumerate().map(|(i, byte)| self.plus_key(10, place(i), byte)).collect();
        let bit = |i: usize| {
            let (block, i) = (i / 128, i % 128);
            last[i / 8][i % 8].range(block * count..(block + 1) * count)
        };
        Ok((0..job.output_bits as usize).map(bit).collect())
    }

    /// Byte i of the public part of the input, of each number of a block: the owner's, zero at the other party.
    fn numbers(&self, i: usize) -> Byte {
        let numbers = 0..self.job.blocks();
        let byte = |block| (self.job.cipher.input(0, block).0 >> (8 * i)) as u64;
        let mine = u64::from(self.keys.is_some());
        std::array::from_fn(|k| Bits::collect(numbers.clone().map(|block| byte(block) >> k & mine)))
    }

    /// The S-box of shared bytes, all at once.
    fn substitute(&mut self, bytes: State) -> Result<State> {
        let adds = self.keys.is_some();
        all_at_once(&mut self.layer, adds, &bytes)
    }

    /// The S-box of bytes that the owner has alone.
    fn substitute_own(&self, bytes: State) -> Result<State> {
        match self.keys {
            Some(_) => all_at_once(&mut Local, true, &bytes),
            None => Ok(bytes),
        }
    }

    /// MixColumns of these columns, and the key of the round.
    fn next(&self, round: usize, columns: std::ops::Range<usize>, of: Vec<[&Byte; 4]>) -> State {
        let mixed = columns.zip(of).flat_map(|(j, column)| {
            let mixed = mix(column);
            (0..4).map(|row| 4 * j + row).zip(mixed).collect::<Vec<_>>()
        });
        mixed.map(|(i, byte)| self.plus_key(round, i, byte)).collect()
    }

    /// Adds byte i of a round key, at the owner.
    fn plus_key(&self, round: usize, i: usize, byte: Byte) -> Byte {
        let Some(keys) = self.keys else { return byte };
        let key = (keys[round].0 >> (8 * i)) as u64;
        std::array::from_fn(|k| &byte[k] ^ &constant(byte[k].len(), key >> k & 1))
    }
}

/// The S-box of bytes of any lengths.
fn all_at_once(layer: &mut impl Layer, adds: bool, bytes: &[Byte]) -> Result<State> {
    let plane = |k: usize| Bits::concat(bytes.iter().map(|byte| &byte[k]));
    let out = sbox(layer, adds, &std::array::from_fn(plane))?;
    let mut from = 0;
    let cut = |byte: &Byte| {
        from += byte[0].len();
        out.each_ref().map(|bit| bit.range(from - byte[0].len()..from))
    };
    Ok(bytes.iter().map(cut).collect())
}

/// MixColumns of a column: `2 a_i + 3 a_(i+1) + a_(i+2) + a_(i+3)`.
fn mix(a: [&Byte; 4]) -> [Byte; 4] {
    let sum = |x: &Byte, y: &Byte| -> Byte { std::array::from_fn(|k| &x[k] ^ &y[k]) };
    std::array::from_fn(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| a[(i + k) % 4]);
        sum(&doubled(&sum(a, b)), &sum(b, &sum(c, d)))
    })
}

/// Twice a byte in `GF(2^8)`.
fn doubled([b0, b1, b2, b3, b4, b5, b6, b7]: &Byte) -> Byte {
    [b7.clone(), b0 ^ b7, b1.clone(), b2 ^ b7, b3 ^ b7, b4.clone(), b5.clone(), b6.clone()]
}
