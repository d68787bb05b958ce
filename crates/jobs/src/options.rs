//! Options that do not go together.

use hushtable_columns::failure::{Failure, Result};

/// An error for the first option that was given.
pub fn refuse<const N: usize>(why: &str, options: [(&str, bool); N]) -> Result<()> {
    match options.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::new(format!("{option} {why}"))),
    }
}
