//! A predicted phase as `--json` prints it.

use hushtable::plan::Estimate;
use serde::Serialize;

#[derive(Serialize)]
pub struct Phase {
    pub seconds: f64,
    pub bytes: [u64; 2],
    pub rounds: u32,
}

impl From<Estimate> for Phase {
    fn from(e: Estimate) -> Self {
        Self { seconds: e.seconds, bytes: e.bytes.map(|bytes| bytes.round() as u64), rounds: e.rounds }
    }
}
