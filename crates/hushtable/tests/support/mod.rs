//! What several tests need.

pub mod bare;
pub mod billed;
pub mod exact;
pub mod fixed;
pub mod forms;
pub mod jobs;
pub mod onehot;
pub mod operations;
pub mod pairs;
pub mod recorded;
pub mod relay;
pub mod shares;
pub mod stats;
#[cfg(feature = "tls")]
pub mod stores;
pub mod sweep;
pub mod transcripts;
pub mod uniform;
pub mod views;
