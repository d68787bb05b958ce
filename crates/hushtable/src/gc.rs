//! Garbled circuits: any circuit in two rounds.
//!
//! # Functionality
//! In: XOR shares of bits, and bits that one party knows; a public [`Program`]. Out: XOR shares of the circuit's outputs.
//! Stands beside [`circuit::Layers`](crate::circuit::Layers), which takes a round for each layer and fewer bytes.
//!
//! # Protocol
//! The garbler has a label `w` for the 0 of each wire, and `w ^ Delta` for its 1. The evaluator has one of both. `Delta`
//! is that of the garbler's correlated OTs, with lowest bit 1: the lowest bits of `w` and of the evaluator's label are XOR
//! shares of the wire's bit.
//! 1. *Inputs.* Of an input `e ^ g` the evaluator has the share `e`, the garbler `g`. A correlated OT gives the evaluator
//!    `t = q ^ r Delta` for a random `r`. It sends `d = e ^ r` and takes `t` as its label; the garbler takes
//!    `w = q ^ (d ^ g) Delta`. For a bit that the evaluator knows, `g` is 0. A bit that the garbler knows is a constant
//!    to the evaluator: its label is zero, and the garbler's `w = g Delta`.
//! 2. *Gates.* XOR adds up labels, NOT swaps the garbler's two. For an AND the garbler sends a table of two blocks. Tables
//!    are made, sent and spent in one stream, of which nobody holds more than a few messages.
//! 3. *Outputs.* The lowest bits of labels.
//!
//! A label is hashed as `H(label ^ tweak)`, with a tweak that no other half gate under the key has, and a fresh key before
//! 2^20 calls. [`Garbler::Both`] lets each party garble half of the items, so that both work.
//!
//! [`Ahead`] makes and sends the tables before there are inputs. Its `w` are random; online the garbler answers `d` with
//! `w ^ q ^ (d ^ g) Delta`, to which the evaluator adds `t`; what the garbler knows it answers with `w ^ g Delta`.
//!
//! # Security
//! The garbler sees `d`, each masked by a random choice bit. The evaluator sees tables. Each is the sum of what it can
//! compute and of `H(x ^ Delta) ^ b Delta`, x being a label it has with the tweak: so they look uniform by the circular
//! correlation robustness of `H`, whatever its labels are, zero among them, as long as no x repeats under a key. Tweaks
//! differ, and labels are zero or sums of strings that are random to begin with: two x are equal with a probability of
//! about 2^-128 a pair. No output is decoded, so the simulator needs none, and sends uniform tables. That is also why
//! inputs may be chosen after the tables of [`Ahead`] were seen: with an ideal `H` these are uniform whatever the bits will
//! be. That a share of an output is no fresh one is harmless to what takes shares: it follows from its party's view.
//!
//! # Cost
//! 256 bits for an AND, from the garbler; a correlated OT and a bit from the evaluator for an input that the garbler does
//! not know. 2 rounds. The garbler hashes 4 blocks for an AND, the evaluator 2. With [`Ahead`] the tables are sent
//! offline, and online 128 bits more for each input. [`Garbled::bill`], [`Ahead::bill`].
//!
//! # Source
//! Zahur, Rosulek, Evans, "Two Halves Make a Whole" (EUROCRYPT 2015); Kolesnikov, Schneider (ICALP 2008) for XOR; keys as
//! in Guo, Katz, Wang, Weng, Yu, "Better Concrete Security for Half-Gates Garbling" (CRYPTO 2020).
//!
//! ```
//! # use hushtable::{Party, Result, Role, circuit::Draft, gates::Bits, gc::{Garbled, Garbler, Job, Program}, run_pair};
//! // Of three bits the one that most of them are, for 5 items side by side: (x ^ z) & (y ^ z) ^ z.
//! let mut d = Draft::new(3);
//! let [x, y, z] = [0, 1, 2].map(|i| d.input(i));
//! let (xz, yz) = (d.xor(x, z), d.xor(y, z));
//! let both = d.and(xz, yz);
//! let most = d.xor(both, z);
//! let program = Program::new(&d.finish("ands", vec![most]))?;
//! // P1 knows the third one.
//! let job = Job::new(&program, vec![None, None, Some(Role::P1)], 5, Garbler::One(Role::P1))?;
//! assert_eq!(Garbled::bill(&job).online.bits, [10, 5 * 256]);
//! let party = |p: &mut Party| {
//!     let material = Garbled::prepare(p, &job)?; // offline
//!     let known = |role, bits: u64| Bits::new(5, vec![if p.role() == role { bits } else { 0 }]);
//!     let inputs = vec![known(Role::P0, 0b10100), known(Role::P0, 0b00110), known(Role::P1, 0b11110)];
//!     material.eval(p, inputs)?[0].open(p) // online, 2 rounds, and one to open
//! };
//! let (at_p0, at_p1) = run_pair(Party::pair()?, party, party)?;
//! assert_eq!((at_p0, at_p1), (vec![0b10110], vec![0b10110]));
//! # Ok::<(), hushtable::Error>(())
//! ```

mod ahead;
mod garbled;
mod inputs;
mod job;
mod network;
mod program;
mod stream;

pub use ahead::Ahead;
pub use garbled::Garbled;
pub use job::{Garbler, Job};
pub(crate) use network::{GarbledNetwork, NetworkLabels};
pub use program::Program;
