//! Inputs that both processes know, because they verify. Public, for measurements only.

use blake3::{Hasher, OutputReader};
use hushtable::ot::Setting;

/// An endless stream of words, the same in both processes.
pub fn words(label: &str, role: u64, lane: u64) -> impl Iterator<Item = u64> {
    let mut hash = Hasher::new();
    hash.update(label.as_bytes()).update(&role.to_le_bytes()).update(&lane.to_le_bytes());
    let mut from = hash.finalize_xof();
    std::iter::repeat_with(move || word(&mut from))
}

/// The next word of a stream.
pub fn word(from: &mut OutputReader) -> u64 {
    let mut bytes = [0; 8];
    from.fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

/// The setting by which OTs are counted before the link is known: only the last LPN set depends on the link, and that changes
/// little here.
pub fn usual_setting() -> Setting {
    Setting::default()
}
