//! Which way of doing something suits a job: predicted time, bytes, rounds and memory of each, and a choice.
//!
//! A prediction adds up counts times rates: messages and correlated OTs by the way's [bill](crate::bill),
//! hashes, words and bytes by what it says of its local work, at the rates of a [`Machine`]; the link by its rate
//! and delay. `hushtable calibrate` measures a machine and a link; [`Machine::REFERENCE`] is what it found on one.

mod clock;
mod machine;
mod ot;
mod predict;
mod rounds;
mod settle;

pub use crate::bill::{NEARLY, Objective, Prices};
pub use machine::Machine;
pub(crate) use predict::waiting;
pub use predict::{BEFORE, Estimate, Prediction, Room, Wanted, choose, least, rank};
pub use settle::{Wish, settle};
