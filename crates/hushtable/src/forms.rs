//! Forms of circuits evaluated with lookups: each layer in one message, by any protocol that opens one value.
//!
//! # Functionality
//! In: XOR shares of a form's inputs, some of which one party may know. Out: XOR shares of its outputs.
//!
//! # Protocol
//! [`Layered`] is a form laid out as a [netlist](crate::circuit): of a level the ANDs that have an operand in common open
//! it once, those of bits that different parties know are products by correlated OTs, and lookups in one table stand
//! together. One-hot vectors by doubling serve tables of their length alike, so those of all tables are made in the same
//! rounds. [`Switched`] is the same with SP-LUT lookups whose roles switch.
//!
//! # Cost
//! Those of the ANDs and of the lookups; a round a layer, or one more than there are layers.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV.

mod layered;
mod lookups;
mod lowered;
pub(crate) mod network;
mod switching;
mod vectors;

pub use layered::Layered;
pub use lookups::Reading;
pub use switching::{Switched, Switching};
