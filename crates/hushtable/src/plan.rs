//! Which lookup protocol suits a job: predicted time, bytes, rounds and memory of each, and a choice.
//!
//! A prediction is the sum of what each part is known to take: messages and correlated OTs by the
//! protocol's [bill](crate::bill), the OTs at the rates of a [`Machine`], local work by a model fitted
//! to measurements, the link by its rate and delay. `hushtable calibrate` measures a machine and a
//! link; [`Machine::REFERENCE`] is the one that the model was fitted on.

mod clock;
mod machine;
mod ot;
mod predict;
mod rounds;
mod settle;
mod work;

pub use crate::bill::Objective;
pub use machine::Machine;
pub(crate) use predict::BEFORE;
pub use predict::{Estimate, Prediction, choose, least, plan};
pub use settle::{Wish, settle};
