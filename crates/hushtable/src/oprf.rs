//! Values of a pseudo-random function whose key one party has, for inputs of both.
//!
//! # Functionality
//! In: up to n distinct inputs x of 128 bits of the *receiver*, inputs y of the *sender*. Out: F(x) to the receiver,
//! F(y) to the sender, blocks of 128 bits that agree for equal inputs. F is another one each time. The sender learns
//! nothing, the receiver nothing of F at other inputs.
//!
//! # Protocol
//! With `h` from inputs to `F_2^64`, and the sender's `Delta` in `(F_2^64)^2`:
//! 1. *Offline*: a VOLE for each column of a [store](crate::okvs) for n keys: a and w to the receiver, v to the sender,
//!    `w = v + a Delta`.
//! 2. The receiver encodes P with `decode(P, x) = h(x)` and sends `a ^ P`; the sender adds `(a ^ P) Delta` to v. Now
//!    `w = v + P Delta`.
//! 3. `F(x) = H(decode(w, x))`, and `F(y) = H(decode(v, y) + h(y) Delta)`. H has a key for each block of the value and
//!    for each `2^20` inputs of the sender, chosen by an input's upper bits, never by its position.
//!
//! For an input y of the sender alone, the receiver lacks `(h(y) - decode(P, y)) Delta`, which it could only know if the
//! factor is 0: `2^-64` for each.
//!
//! # Cost
//! m columns: m VOLEs, and 64 m bits from the receiver online.
//!
//! # Source
//! join-spec 3. Raghuraman, Rindal (CCS 2022), with `F_2^64` for the field and pairs for V.

use prim::{Block, CcrHash, Wiped, gf64};

use crate::{
    bill::{Bill, Phase},
    chance::Chance,
    error::{Error, Result},
    net::Role,
    okvs::{self, Hashing, Size},
    ot::{Limits, vole},
    party::Party,
    session::{Purpose, Session, pieces},
};

/// Most inputs of the sender. Each is exposed with probability `2^-64`: see [`OprfJob::chance`].
pub const MAX_INPUTS: usize = 3 << 24;

/// Inputs of the sender for which H has a key, on average at most: by the bound for a binomial there are never twice as
/// many.
const UNDER_KEY: usize = 1 << 19;

/// Columns in a message.
const PIECE: usize = 1 << 16;

/// Who evaluates how many inputs. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OprfJob {
    /// The receiver; the other is the sender.
    pub receiver: Role,
    /// Inputs of the receiver, at most.
    pub keys: usize,
    /// Inputs of the sender, at most.
    pub inputs: usize,
    /// Blocks of a value.
    pub blocks: usize,
}

impl OprfJob {
    /// What all of it costs, in a session of these limits.
    ///
    /// # Errors
    /// [`Error::Param`] for more inputs than are supported.
    pub fn bill(&self, limits: &Limits) -> Result<Bill> {
        let columns = self.size()?.columns();
        let mut online = Phase { bits: [0; 2], rounds: 1 };
        online.bits[self.receiver as usize] = 64 * columns as u64;
        Ok(vole::bill(self.receiver.peer(), columns, limits)? + Bill { online, ..Bill::FREE })
    }

    /// That the receiver's inputs have no table, or that it has the value of one that only the sender has.
    pub fn chance(&self) -> Chance {
        Size::chance(self.keys)
            + Chance::of("values of the other's inputs that show", self.inputs as f64, -64)
    }

    fn size(&self) -> Result<Size> {
        if self.inputs > MAX_INPUTS {
            let (what, got) = ("inputs of the sender", self.inputs.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {MAX_INPUTS}") });
        }
        Size::of(self.keys)
    }

    /// Keys of H by an input's upper bits, as a power of two.
    fn log2_groups(&self) -> u32 {
        self.inputs.div_ceil(UNDER_KEY).max(1).next_power_of_two().trailing_zeros()
    }
}

/// One-time material for an evaluation at both parties.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, oprf::Oprf};
/// # use prim::Block;
/// fn twice(p: &mut Party, m: Oprf, x: &[Block]) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Oprf {
    job: OprfJob,
    size: Size,
    half: Half,
}

enum Half {
    Receiver(vole::Receiver),
    Sender(vole::Sender),
}

impl Oprf {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] for more inputs than are supported, and those of the channel.
    pub fn prepare(p: &mut Party, job: OprfJob) -> Result<Self> {
        let size = job.size()?;
        let half = if p.role() == job.receiver {
            Half::Receiver(p.receive_voles(size.columns())?)
        } else {
            Half::Sender(p.send_voles(size.columns())?)
        };
        Ok(Self { job, size, half })
    }

    /// Online: F at these inputs, `blocks` blocks each, of this party. One message, from the receiver. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] for more inputs than prepared for; [`Error::Chance`] at the receiver with probability `2^-44` or
    /// if its inputs are not distinct; and those of the channel.
    pub fn eval(self, s: &mut Session, inputs: &[Block]) -> Result<Wiped<Block>> {
        let Self { job, size, half } = self;
        let sender = job.receiver.peer();
        let most = if s.role() == job.receiver { job.keys } else { job.inputs };
        if inputs.len() > most {
            return Err(Error::Shape { what: "inputs to evaluate, at most", want: most, got: inputs.len() });
        }
        let with = Hashing::new(s, job.receiver);
        let to_field = s.hash(Purpose::FunctionInput, sender);
        let keys = (0..job.blocks << job.log2_groups()).map(|_| s.hash(Purpose::FunctionValue, sender));
        let keys: Vec<CcrHash> = keys.collect();
        let values = match half {
            Half::Receiver(vole::Receiver { a, w }) => {
                let targets = field(&to_field, inputs);
                let mut table = okvs::encode(&with, size, inputs, &targets, 1, s.rng())?;
                drop(targets);
                table.iter_mut().zip(a.iter()).for_each(|(p, a)| *p ^= a);
                drop(a);
                // Public: masked by a, which is uniform to the sender and serves only here.
                pieces(table.len(), PIECE)
                    .try_for_each(|at| s.send(bytemuck::cast_slice(&table[at]).to_vec()))?;
                drop(table);
                okvs::decode_pairs(&with, size, &w, inputs)?
            }
            Half::Sender(mut vole) => {
                let mut masked = vec![0u64; PIECE.min(size.columns())];
                for at in pieces(size.columns(), PIECE) {
                    let masked = &mut masked[..at.len()];
                    s.connection().channel().recv_into(bytemuck::cast_slice_mut(masked))?;
                    gf64::scale_pair_add(&mut vole.v[at], masked, *vole.delta);
                }
                let mut values = okvs::decode_pairs(&with, size, &vole.v, inputs)?;
                gf64::scale_pair_add(&mut values, &field(&to_field, inputs), *vole.delta);
                values
            }
        };
        Ok(hashed(&keys, job.blocks, inputs, &values))
    }
}

/// `h`: inputs to the field.
fn field(hash: &CcrHash, inputs: &[Block]) -> Wiped<u64> {
    let mut hashed = Wiped::zeros(inputs.len());
    hash.xored(inputs, Block::ZERO, &mut hashed);
    Wiped::from(hashed.iter().map(|x: &Block| x.0 as u64).collect::<Vec<u64>>())
}

/// `H`: `blocks` blocks for each value, under the keys of its input.
fn hashed(keys: &[CcrHash], blocks: usize, inputs: &[Block], values: &[Block]) -> Wiped<Block> {
    let mut out = Wiped::zeros(inputs.len() * blocks);
    let groups = (keys.len() / blocks.max(1)).max(1).trailing_zeros();
    let group = |x: &Block| (x.0 >> 96) as usize >> (32 - groups);
    // The numbers of the inputs, group by group: groups tell bits of ids.
    let mut ends = Wiped::<usize>::zeros(1 + (1 << groups));
    inputs.iter().for_each(|x| ends[group(x) + 1] += 1);
    (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
    let mut members = Wiped::<usize>::zeros(inputs.len());
    for (i, x) in inputs.iter().enumerate() {
        let end = &mut ends[group(x)]; // so far
        members[*end] = i;
        *end += 1;
    }
    let mut start = 0;
    for (&end, keys) in ends.iter().zip(keys.chunks(blocks.max(1))) {
        let members = &members[start..end];
        start = end;
        let own = Wiped::from(members.iter().map(|&i| values[i]).collect::<Vec<Block>>());
        let mut hashes = Wiped::zeros(own.len());
        for (j, key) in keys.iter().enumerate() {
            key.xored(&own, Block::ZERO, &mut hashes);
            members.iter().zip(hashes.iter()).for_each(|(&i, hash)| out[i * blocks + j] = *hash);
        }
    }
    out
}
