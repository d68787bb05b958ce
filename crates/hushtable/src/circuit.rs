//! Boolean circuits as data: netlists, and their evaluation on shared bits.
//!
//! # Functionality
//! In: XOR shares of bits, and bits that one party knows; a public [`Netlist`]. Out: XOR shares of the circuit's outputs.
//!
//! # Protocol
//! XOR and all that only moves bits is local. What one party knows the other holds as zeros, so an AND of bits that the
//! same party knows is local too: round keys and numbers of blocks cost nothing. [`Layers`] evaluates all other ANDs by
//! their depth, those of a layer in one round, as [`and_all`](crate::gates::and_all) does.
//!
//! # Cost
//! That of the triples, with a round for each layer: [`Layers::bill`].
//!
//! # Source
//! Goldreich, Micali, Wigderson (STOC 1987); Beaver (CRYPTO 1991).
//!
//! ```
//! # use std::sync::Arc;
//! # use hushtable::{Party, Result, Role, circuit::{Builder, Layers, Span}, gates::Bits, run_pair};
//! // Of three bits the one that most of them are, for 5 items side by side: (x ^ z) & (y ^ z) ^ z.
//! let mut b = Builder::new(&[1]);
//! let [x, y, z] = [(); 3].map(|()| b.input(Span::Each(1), None));
//! let (xz, yz) = (b.xor(&[x, z]), b.xor(&[y, z]));
//! let both = b.and(xz, yz);
//! let most = b.xor(&[both, z]);
//! let net = Arc::new(b.finish(&[most])?);
//! assert_eq!(Layers::bill(&net, 5).online.bits, [10, 10]);
//! let party = |p: &mut Party| {
//!     let material = Layers::prepare(p, net.clone(), 5)?; // offline
//!     let share = |bits: u64| Bits::new(5, vec![if p.role() == Role::P0 { bits } else { 0 }]);
//!     let [x, y, z] = [0b10100, 0b00110, 0b11110].map(share);
//!     material.eval(p, &[&x, &y, &z])?[0].open(p) // online, a round, and one to open
//! };
//! let (at_p0, at_p1) = run_pair(Party::pair()?, party, party)?;
//! assert_eq!((at_p0, at_p1), (vec![0b10110], vec![0b10110]));
//! # Ok::<(), hushtable::Error>(())
//! ```

mod builder;
mod layers;
mod logic;
mod netlist;

pub use builder::Builder;
pub use layers::Layers;
pub use logic::conjunction;
pub use netlist::{Netlist, Span, Wire};
