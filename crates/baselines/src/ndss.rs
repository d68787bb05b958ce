//! What stands beside the tables of Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017): triples from codes,
//! and circuits by them.

mod by_codes;
mod nmt;

pub use by_codes::ByCodes;
pub use nmt::{code_bill, code_cots, triples_from_codes};
