//! What stands beside the tables of Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017): triples from codes,
//! and what they do with several tables.

mod merged;
mod nmt;
mod switching;

pub use merged::Merged;
pub use nmt::{code_cots, triples_from_codes};
pub use switching::Chain;
