#[path = "../../hushtable/tests/support/stats.rs"]
mod stats;
mod support { pub(crate) use super::stats; }
#[path = "../../hushtable/tests/okvs.rs"]
mod okvs;
