//! What parties ask: what is refused, and what they compare.

use hushtable::{Error, Result};

/// Largest least size. No more bins can be counted, so that comparisons with it do not wrap around.
pub const MAX_LEAST: u32 = 1 << 30;

pub(super) fn refused(what: &'static str, got: impl ToString, accepted: String) -> Error {
    Error::Param { what, got: got.to_string(), accepted }
}

pub(super) fn check_least(least: u32) -> Result<()> {
    if least > MAX_LEAST {
        return Err(refused("least size", least, format!("0 to {MAX_LEAST}")));
    }
    Ok(())
}

/// What a party announces before a statistic: what it compares with the peer, and a hash of it, as an announcement is
/// of a bounded length.
pub(super) fn announced(fields: &[(&str, String)]) -> String {
    let text: String = fields.iter().map(|(name, value)| format!("; {name} {value}")).collect();
    format!("statistics {}{text}", &blake3::hash(text.as_bytes()).to_hex()[..32])
}
