//! AES-128 on shared inputs, under a key of one party.
//!
//! Byte i of a block stands in row `i mod 4` and column `i / 4`. Shared are bytes that ShiftRows puts into the first
//! columns, as few as hold x: after round 1 these columns alone are shared, after round 2 all of the block. What an S-box
//! adds, 0x63, MixColumns does not change, so that it is part of the next round's key.

use super::{
    job::{Inputs, PrfJob, aes_source},
    sbox::{Byte, sbox},
};
use crate::circuit::{Builder, Wire};

/// The circuit being built.
struct Cipher<'a> {
    b: &'a mut Builder,
    job: &'a PrfJob,
    /// The table of the S-box, if it is looked up.
    table: Option<usize>,
    /// The round keys, one behind the other.
    keys: Wire,
}

/// Sixteen bytes.
type State = Vec<Byte>;

/// Of [inputs](PrfJob::circuit_inputs), the bits of the bytes that are needed, each of the blocks in which it is.
pub(super) fn value(
    b: &mut Builder,
    job: &PrfJob,
    (shared, numbers, keys): &Inputs,
    table: Option<usize>,
) -> Vec<Wire> {
    let mut cipher = Cipher { b, job, table, keys: *keys };
    let mut state = cipher.first_rounds(shared.as_chunks().0, numbers.as_chunks().0);
    for round in 3..=8 {
        let bytes = cipher.substitute(&state);
        state = cipher.next(round, 0, &shifted(&bytes));
    }
    cipher.last_rounds(&state).as_flattened().to_vec()
}

/// The bytes in the order of the columns into which ShiftRows puts them.
fn shifted(state: &[Byte]) -> State {
    (0..16).map(|i| state[aes_source(i % 4, i / 4)]).collect()
}

impl Cipher<'_> {
    /// Rounds 1 and 2: the blocks of all rows, those of a number one behind the other.
    fn first_rounds(&mut self, shared: &[Byte], numbers: &[Byte]) -> State {
        let blocks = self.job.blocks();
        let columns = shared.len().div_ceil(4);
        let place = |i: usize| aes_source(i % 4, i / 4);
        let shared: State =
            shared.iter().enumerate().flat_map(|(i, byte)| self.plus_key(0, place(i), &[*byte])).collect();
        let known = self.plus_key(0, 0, numbers);
        // Round 1.
        let (mut shared, known) = (self.substitute(&shared), self.substitute(&known));
        for i in shared.len()..4 * columns {
            // No number of a block stands in these columns: one bit serves all.
            shared.push(known[place(i)].map(|bits| {
                let bit = self.b.parts(bits, 0, &[1])[0];
                self.b.spread(bit)
            }));
        }
        let shared = self.next(1, 0, &shared);
        let known = self.next(1, columns, &shifted(&known)[4 * columns..]);
        // Round 2.
        let (shared, known) = (self.substitute(&shared), self.substitute(&known));
        let shared = shared.into_iter().map(|byte| byte.map(|bit| self.b.join(&vec![bit; blocks])));
        let mut state: State = shared.collect();
        state.extend(known.into_iter().map(|byte| byte.map(|bit| self.b.spread(bit))));
        self.next(2, 0, &shifted(&state))
    }

    /// Rounds 9 and 10, of what is needed.
    fn last_rounds(&mut self, state: &State) -> State {
        let job = self.job;
        let columns = (0..4).filter(|&j| job.blocks_with(4 * j) > 0).count();
        let bytes = shifted(state).into_iter().take(4 * columns).enumerate();
        let bytes: State = bytes.map(|(i, byte)| self.cut(byte, job.blocks_with(i / 4 * 4))).collect();
        let bytes = self.substitute(&bytes);
        let state = self.next(9, 0, &bytes);
        let needed = state.iter().enumerate().filter(|(i, _)| job.blocks_with(*i) > 0);
        let last: State = needed.map(|(i, byte)| self.cut(*byte, job.blocks_with(i))).collect();
        let last = self.substitute(&last);
        let place = |i: usize| i % 4 + 4 * ((i / 4 + 4 - i % 4) % 4);
        last.iter().enumerate().flat_map(|(i, byte)| self.plus_key(10, place(i), &[*byte])).collect()
    }

    /// The first blocks of a byte.
    fn cut(&mut self, byte: Byte, blocks: usize) -> Byte {
        byte.map(|bit| self.b.parts(bit, 0, &[blocks])[0])
    }

    /// The S-box of all bytes at once, but for what it adds.
    fn substitute(&mut self, bytes: &State) -> State {
        let plane = |k: usize| bytes.iter().map(|byte| byte[k]).collect::<Vec<Wire>>();
        let planes: Byte = std::array::from_fn(|k| self.b.join(&plane(k)));
        // What one party knows it substitutes alone.
        let out: Byte = match self.table.filter(|_| self.b.known(planes[0]).is_none()) {
            Some(table) => {
                let out = self.b.lookup(table, &planes);
                out.try_into().unwrap_or_else(|_| unreachable!("a wire for each bit"))
            }
            None => sbox(self.b, planes),
        };
        let out = out.map(|bits| self.b.parted(bits, &plane(0)));
        (0..bytes.len()).map(|i| out.each_ref().map(|parts| parts[i])).collect()
    }

    /// MixColumns of the columns from `column` on, `2 a_i + 3 a_(i+1) + a_(i+2) + a_(i+3)`, and the key of the round.
    fn next(&mut self, round: usize, column: usize, of: &[Byte]) -> State {
        let mut mixed = Vec::with_capacity(of.len());
        for i in 0..of.len() {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| of[i / 4 * 4 + (i + k) % 4]);
            let sum: Byte = std::array::from_fn(|k| self.b.xor(&[a[k], b[k]]));
            mixed.push(std::array::from_fn(|k| {
                // Twice a byte in `GF(2^8)`.
                let reduced = if [1, 3, 4].contains(&k) { &sum[7..] } else { &[] };
                self.b.xor(&[&[sum[(k + 7) % 8], b[k], c[k], d[k]], reduced].concat())
            }));
        }
        self.plus_key(round, 4 * column, &mixed)
    }

    /// Adds the bytes of a round key from number i on, at the owner.
    fn plus_key(&mut self, round: usize, i: usize, bytes: &[Byte]) -> State {
        let sum = self.b.add(self.keys, 128 * round + 8 * i, bytes.as_flattened());
        sum.as_chunks().0.to_vec()
    }
}
