//! A pseudo-random function on shared inputs, whose key one party has.
//!
//! # Functionality
//! In: XOR shares of m inputs x of d bits, `1 <= d <= 96`; the *owner*'s key k. Out: XOR shares of the w bits of
//! `F_k(x)`, a batch of each bit. The other party learns nothing, the owner nothing of x.
//!
//! `F_k(x)` is `C_k(x, 0) ‖ C_k(x, 1) ‖ ..`, a block cipher of x and the number of a block of 128 bits, cut off at w
//! bits. x takes bytes of AES that go into as few columns as hold it, or the first S-boxes of LowMC; the number takes
//! others: [`Cipher`].
//!
//! # Protocol
//! The cipher's rounds on bit planes of the whole batch: linear layers without a message, ANDs by triples. The key is
//! the owner's, so round keys are added by the owner alone. What neither x nor a shared bit reaches (in the first
//! rounds) the owner computes alone. Until x and the number of the block have met, all blocks of a row share the
//! S-boxes. S-boxes whose result is cut off are left out.
//!
//! An S-box of AES is a circuit of 34 ANDs in 4 layers, one of LowMC has 3 ANDs in one. Two ANDs with a common operand
//! open it once and spend one triple.
//!
//! # Cost
//! c blocks of which the last has v bits. An S-box of AES: 44 correlated OTs and 112 bits; of LowMC: 4 and 10 bits.
//!
//! | | S-boxes of an item | rounds |
//! |---|---|---|
//! | AES-128 | `ceil(d/8) + 4 ceil(d/32) + 128 (c - 1) + 96 + 4 ceil(v/32) + ceil(v/8)` | 40 |
//! | LowMC | `ceil(d/3) + 504 c` | 13 |
//!
//! An S-box of AES may be looked up instead: 14 correlated OTs and 510 bits, of which 16 are sent online, and 10 rounds in
//! all.
//!
//! [Garbled](Prf::prepare_garbled) by the owner it takes 2 rounds, and online 256 bits for each of the 34 or 3 ANDs of an
//! S-box, less for a value of a few bits by LowMC; what the key alone decides is free.
//!
//! # Source
//! confidential-beyond 1 and figures-checked, "Circuits". The S-box of AES: Boyar, Peralta, "A small depth-16 circuit
//! for the AES S-box" (SEC 2012). Circuits of 32 ANDs have 6 layers: 20 rounds more, and the 5 ANDs of their inversion
//! would take 10 OTs and 20 bits, where the 7 here take 8 and 22. The order of the output's bits is a deviation: it is
//! that before the last ShiftRows, so that four bytes need four S-boxes of round 9.
//!
//! # Security
//! A pseudo-random permutation of 128 bits stands for a function: of the at most `2^37` blocks of a key that are
//! shown, masked, the difference is `2^-55`. AES-128 is the default. LowMC's assumption is younger: 42 S-boxes and 13 rounds are what its
//! designers' script gives for 128 bits of security with up to `2^64` blocks that an adversary may choose; partial
//! layers and fewer rounds have been attacked since (confidential-errata E6).

mod aes;
mod garbled;
mod job;
mod key;
mod lowmc;
mod sbox;

pub use job::{Cipher, MAX_INPUT_BITS, MAX_OUTPUT_BITS, PrfJob};
pub use key::Key;

use std::sync::Arc;

use garbled::{Circuit, Ready};

use super::runs::{JOINED, Reach, joined, runs};
use crate::{
    bill::{Bill, Effort},
    circuit::{Builder, Layers, Made, TruthTable},
    error::{Error, Result, same},
    forms::Layered,
    gates::{Bits, Triples},
    gc::Garbled,
    lut::Protocol,
    net::Role,
    party::Party,
    session::Session,
    source::Source,
};

/// One-time material for an evaluation at a batch of inputs.
///
/// ```compile_fail,E0382
/// # use hushtable::{Result, confidential::prf::{Key, Prf}, gates::Bits, session::Session};
/// fn twice(s: &mut Session, m: Prf, k: Option<&Key>, x: &[Bits]) -> Result<()> {
///     m.eval(s, k, x)?;
///     m.eval(s, k, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Prf {
    job: PrfJob,
    circuit: Circuit,
}

/// How the function is computed, and what of the inputs in the same rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Way {
    /// By lookups of eight bits: the S-boxes of AES, and runs.
    pub lookups: bool,
    /// Runs of equal inputs, which stand together.
    pub reach: Option<Reach>,
}

impl Prf {
    /// Offline: for `count` inputs.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: PrfJob, count: usize) -> Result<Self> {
        Self::prepare_by(p, job, Way::default(), count)
    }

    /// [`prepare`](Self::prepare) for this way.
    pub(super) fn prepare_by(p: &mut dyn Source, job: PrfJob, way: Way, count: usize) -> Result<Self> {
        job.check_count(count)?;
        Ok(Self { job, circuit: Circuit::Layers(layered(&job, way).prepare(p, count)?) })
    }

    /// What `count` inputs cost this way.
    pub(super) fn bill_by(job: &PrfJob, way: Way, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        Ok(layered(job, way).bill(count))
    }

    /// What `count` inputs cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &PrfJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        let [[_, one], [_, two]] = job.triples();
        let mut bill = Triples::bill(1).times(one).beside(Triples::bill(2).times(two)).times(count);
        bill.online.rounds = if count > 0 { job.depth() } else { 0 };
        Ok(bill)
    }

    /// Offline: for `count` inputs, to be garbled by the key's owner.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_garbled(p: &mut Party, job: PrfJob, count: usize) -> Result<Self> {
        job.check_count(count)?;
        let ready = ready(&job);
        let garbled = Garbled::prepare(p, &ready.job(job.owner, count)?)?;
        Ok(Self { job, circuit: Circuit::Garbled(ready, garbled) })
    }

    /// What `count` inputs cost, garbled: 2 rounds.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn bill_garbled(job: &PrfJob, count: usize) -> Result<Bill> {
        job.check_count(count)?;
        Ok(Garbled::bill(&ready(job).job(job.owner, count)?))
    }

    /// What `count` inputs take, by layers and garbled.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn efforts(job: &PrfJob, count: usize) -> Result<[Effort; 2]> {
        job.check_count(count)?;
        let garbled = ready(job).job(job.owner, count)?.effort(false);
        Ok([Layers::effort(layered(job, Way::default()).netlist(), count), garbled])
    }

    /// Inputs there is material for.
    pub fn len(&self) -> usize {
        self.circuit.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Online: shares of the function's values, a batch of each bit, from those of the inputs. The owner gives its key, the other party none.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many inputs of the right width, [`Error::Param`] unless the owner alone
    /// gives a key, of the job's cipher; and those of the channel.
    pub fn eval(self, s: &mut Session, key: Option<&Key>, x: &[Bits]) -> Result<Vec<Bits>> {
        Ok(self.eval_beside(s, key, x)?.0)
    }

    /// [`eval`](Self::eval), and the bits of runs, if they are asked for.
    pub(super) fn eval_beside(
        self,
        s: &mut Session,
        key: Option<&Key>,
        x: &[Bits],
    ) -> Result<(Vec<Bits>, Vec<Bits>)> {
        let (job, count) = (&self.job, self.len());
        same("bits of an input", job.input_bits as usize, x.len())?;
        x.iter().try_for_each(|bit| same("inputs of the function", count, bit.len()))?;
        let owner = s.role() == job.owner;
        if owner != key.is_some() || key.is_some_and(|key| key.cipher() != job.cipher) {
            let got = key.map_or("none".into(), |key| format!("one of {}", key.cipher()));
            let accepted = format!("one of {} at {:?}, none at the other", job.cipher, job.owner);
            return Err(Error::Param { what: "key of the function", got, accepted });
        }
        let reached = x.len().next_multiple_of(job.cipher.sizes()[2]);
        let shared = x.iter().cloned().chain((x.len()..reached).map(|_| Bits::zeros(count)));
        let known =
            key.map_or_else(|| job.known_bits().map(Bits::zeros), |key| [job.numbers(), key.round_keys()]);
        let mut out = self.circuit.eval(s, shared.chain(known).collect())?;
        let beside = out.split_off(job.made());
        // Of a bit those of all blocks stand one behind the other.
        let bit = |i: usize| out[i % 128].range(i / 128 * count..(i / 128 + 1) * count);
        Ok(((0..job.output_bits as usize).map(bit).collect(), beside))
    }
}

/// Of a cipher, whose owner P0 may be, bits of an input and of a value.
type Sizes = (Cipher, bool, u32, u32);

/// What a circuit follows from.
fn sizes(job: &PrfJob) -> Sizes {
    (job.cipher, job.owner == Role::P0, job.input_bits, job.output_bits)
}

/// The circuit of the function, and behind it what is computed in the same rounds.
fn layered(job: &PrfJob, way: Way) -> Arc<Layered> {
    static MADE: Made<(Sizes, Way), 16, Layered> = Made::new();
    MADE.get((sizes(job), way), || {
        let table =
            |value: fn(u64) -> u64| Arc::new(TruthTable::tabulate(JOINED, JOINED, value).expect("bytes"));
        let tables = if way.lookups { vec![table(joined), table(sbox::defined)] } else { Vec::new() };
        let [of_runs, of_boxes] = [0, 1].map(|number| way.lookups.then_some(number));
        let mut b = Builder::new(&[1, 2]).reading(&vec![[JOINED; 2]; tables.len()]);
        let inputs = job.circuit_inputs(&mut b);
        let mut out = match job.cipher {
            Cipher::Aes128 => aes::value(&mut b, job, &inputs, of_boxes),
            Cipher::LowMc => lowmc::value(&mut b, job, &inputs),
        };
        if let Some(reach) = way.reach {
            out.extend(runs(&mut b, &inputs.0[..job.input_bits as usize], reach, of_runs));
        }
        let layered = Layered::netlist_with(b.finish(&out), &tables, Protocol::Doubling);
        Arc::new(layered.expect("tables of bytes, which are read by one opening"))
    })
}

/// The circuit, ready to be garbled.
fn ready(job: &PrfJob) -> Arc<Ready> {
    static MADE: Made<Sizes, 4, Ready> = Made::new();
    MADE.get(sizes(job), || Ready::new(layered(job, Way::default()).netlist()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circuits_have_the_ands_of_the_formula() {
        let sizes = [(1, 1), (8, 9), (33, 128), (65, 129), (96, 300)];
        for (cipher, (input_bits, output_bits)) in Cipher::ALL.into_iter().flat_map(|c| sizes.map(|s| (c, s)))
        {
            let job = PrfJob { cipher, owner: Role::P1, input_bits, output_bits };
            let layered = layered(&job, Way::default());
            let net = layered.netlist();
            assert_eq!((net.triples(), net.depth()), (&job.triples()[..], job.depth()), "{job:?}");
            let by_lookups = Way { lookups: true, ..Way::default() };
            if cipher == Cipher::Aes128 {
                let layered = super::layered(&job, by_lookups);
                let (net, boxes) = (layered.netlist(), job.boxes());
                assert_eq!((net.ands(), net.depth(), net.lookups()[1].1), (0, 10, boxes), "{job:?}");
            }
        }
    }
}
