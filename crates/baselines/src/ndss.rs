//! What stands beside the tables of Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017): triples from codes,
//! from 1-of-N OTs.

mod nmt;

pub use nmt::{code_cots, triples_from_codes};
