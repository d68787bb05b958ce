//! Tables and figures of the papers that this program does not measure, and why: `bench/papers/unmeasured.toml`.

use std::fmt;

use hushtable_columns::failure::{Failure, Result};
use serde::Deserialize;

const TEXT: &str = include_str!("../../../../bench/papers/unmeasured.toml");

/// A table or a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmeasured {
    paper: String,
    /// Its number in the paper.
    what: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    left: Vec<Unmeasured>,
}

/// All of them.
pub fn all() -> Result<Vec<Unmeasured>> {
    let file: File = toml::from_str(TEXT).map_err(|e| Failure::new(format!("unmeasured.toml: {e}")))?;
    Ok(file.left)
}

impl fmt::Display for Unmeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.paper, self.what, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_reasons() {
        let all = all().unwrap();
        assert!(all.len() > 5 && all.iter().all(|left| left.reason.len() > 20 && left.reason.ends_with('.')));
    }
}
