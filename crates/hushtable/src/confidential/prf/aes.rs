//! AES-128 on shared inputs, under a key of one party.
//!
//! Byte i of a block stands in row `i mod 4` and column `i / 4`. Shared are bytes that ShiftRows puts into the first
//! columns, as few as hold x: after round 1 these columns alone are shared, after round 2 all of the block.

use super::{
    job::{PrfJob, aes_source},
    sbox::{Byte, sbox},
};
use crate::{
    circuit::{Builder, Netlist, Span, Wire},
    error::Result,
};

/// The circuit being built.
struct Cipher<'a> {
    b: Builder,
    job: &'a PrfJob,
    /// The round keys, one behind the other.
    keys: Wire,
    /// Added by the owner of the key.
    one: Wire,
}

/// Sixteen bytes.
type State = Vec<Byte>;

/// In: the bits of the bytes that x reaches; round keys one behind the other, which the owner knows. Out: the bits of the
/// bytes that are needed, each of the blocks in which it is.
pub(super) fn netlist(job: &PrfJob) -> Result<Netlist> {
    let mut b = Builder::new(&[1, 2]);
    let shared = b.inputs(job.shared_bits());
    let keys = b.input(Span::All(job.cipher.key_bits()), Some(job.owner));
    let one = b.constant(job.owner, [true]);
    let mut cipher = Cipher { b, job, keys, one };
    let mut state = cipher.first_rounds(&shared);
    for round in 3..=8 {
        let bytes = cipher.substitute(state);
        state = cipher.next(round, 0..4, shifted(&bytes));
    }
    let last = cipher.last_rounds(&state);
    cipher.b.finish(last.as_flattened())
}

/// The bytes that ShiftRows puts into each column.
fn shifted(state: &State) -> Vec<[Byte; 4]> {
    (0..4).map(|column| std::array::from_fn(|row| state[aes_source(row, column)])).collect()
}

/// The columns as they stand.
fn unshifted(state: &State) -> Vec<[Byte; 4]> {
    state.as_chunks().0.to_vec()
}

impl Cipher<'_> {
    /// Rounds 1 and 2: the blocks of all rows, those of a number one behind the other.
    fn first_rounds(&mut self, x: &[Wire]) -> State {
        let blocks = self.job.blocks();
        let shared = x.as_chunks().0;
        let columns = shared.len().div_ceil(4);
        let place = |i: usize| aes_source(i % 4, i / 4);
        let shared = shared.iter().enumerate();
        let shared: State = shared.map(|(i, byte)| self.plus_key(0, place(i), *byte)).collect();
        let known = (0..16).map(|i| {
            let number = self.number(i);
            self.plus_key(0, i, number)
        });
        let known = known.collect();
        // Round 1.
        let (mut shared, known) = (self.substitute(shared), self.substitute(known));
        for i in shared.len()..4 * columns {
            // No number of a block stands in these columns: one bit serves all.
            shared.push(known[place(i)].map(|bits| {
                let bit = self.b.part(bits, 0, 1);
                self.b.spread(bit)
            }));
        }
        let shared = self.next(1, 0..columns, unshifted(&shared));
        let known = self.next(1, columns..4, shifted(&known).split_off(columns));
        // Round 2.
        let (shared, known) = (self.substitute(shared), self.substitute(known));
        let shared = shared.into_iter().map(|byte| byte.map(|bit| self.b.repeat(bit, blocks)));
        let mut state: State = shared.collect();
        state.extend(known.into_iter().map(|byte| byte.map(|bit| self.b.spread(bit))));
        self.next(2, 0..4, shifted(&state))
    }

    /// Rounds 9 and 10, of what is needed.
    fn last_rounds(&mut self, state: &State) -> State {
        let job = self.job;
        let columns: Vec<usize> = (0..4).filter(|&j| job.blocks_with(4 * j) > 0).collect();
        let bytes = columns.iter().flat_map(|&j| (0..4).map(move |row| (aes_source(row, j), j)));
        let bytes = bytes.map(|(i, j)| self.cut(state[i], job.blocks_with(4 * j))).collect();
        let bytes = self.substitute(bytes);
        let state = self.next(9, 0..columns.len(), unshifted(&bytes));
        let needed = state.iter().enumerate().filter(|(i, _)| job.blocks_with(*i) > 0);
        let last = needed.map(|(i, byte)| self.cut(*byte, job.blocks_with(i))).collect();
        let last = self.substitute(last);
        let place = |i: usize| i % 4 + 4 * ((i / 4 + 4 - i % 4) % 4);
        last.into_iter().enumerate().map(|(i, byte)| self.plus_key(10, place(i), byte)).collect()
    }

    /// The first blocks of a byte.
    fn cut(&mut self, byte: Byte, blocks: usize) -> Byte {
        byte.map(|bit| self.b.part(bit, 0, blocks))
    }

    /// Byte i of the public part of the input, of each number of a block.
    fn number(&mut self, i: usize) -> Byte {
        let job = self.job;
        let byte = move |block| job.cipher.input(0, block).0 >> (8 * i);
        let bits = |k: usize| (0..job.blocks()).map(move |block| byte(block) >> k & 1 == 1);
        std::array::from_fn(|k| self.b.constant(job.owner, bits(k)))
    }

    /// The S-box of all bytes at once.
    fn substitute(&mut self, bytes: State) -> State {
        let planes = std::array::from_fn(|k| self.b.join(&plane(&bytes, k)));
        let out = sbox(&mut self.b, self.one, planes);
        let parts: [Vec<Wire>; 8] = out.map(|bits| self.b.parted(bits, &plane(&bytes, 0)));
        (0..bytes.len()).map(|i| std::array::from_fn(|k| parts[k][i])).collect()
    }

    /// MixColumns of these columns, `2 a_i + 3 a_(i+1) + a_(i+2) + a_(i+3)`, and the key of the round.
    fn next(&mut self, round: usize, columns: std::ops::Range<usize>, of: Vec<[Byte; 4]>) -> State {
        let mut state = Vec::with_capacity(4 * of.len());
        for (place, (column, row)) in
            (4 * columns.start..).zip(of.iter().flat_map(|c| (0..4).map(move |r| (c, r))))
        {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| column[(row + k) % 4]);
            let sum: Byte = std::array::from_fn(|k| self.b.xor(&[a[k], b[k]]));
            state.push(std::array::from_fn(|k| {
                // Twice a byte in `GF(2^8)`.
                let doubled = [&[sum[(k + 7) % 8]][..], if [1, 3, 4].contains(&k) { &sum[7..] } else { &[] }];
                let key = self.key(round, place, k);
                self.b.xor(&[&doubled.concat()[..], &[b[k], c[k], d[k], key]].concat())
            }));
        }
        state
    }

    /// Adds byte i of a round key, at the owner.
    fn plus_key(&mut self, round: usize, i: usize, byte: Byte) -> Byte {
        std::array::from_fn(|k| {
            let key = self.key(round, i, k);
            self.b.xor(&[byte[k], key])
        })
    }

    /// Bit k of byte i of a round key.
    fn key(&mut self, round: usize, i: usize, k: usize) -> Wire {
        self.b.part(self.keys, 128 * round + 8 * i + k, 1)
    }
}

/// Bit k of all bytes.
fn plane(bytes: &State, k: usize) -> Vec<Wire> {
    bytes.iter().map(|byte| byte[k]).collect()
}
