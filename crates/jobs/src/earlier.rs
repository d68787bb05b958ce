//! Results of an earlier step of a job, before they are there.

use std::{fmt, path::PathBuf, sync::Arc};

use hushtable_columns::shares::ShareFile;

/// Everything but the shares.
#[derive(Clone)]
pub struct Earlier {
    /// What stands for them in place of a file's path.
    pub path: PathBuf,
    pub shares: Arc<ShareFile>,
}

/// The path alone: shares are not printed.
impl fmt::Debug for Earlier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Earlier({})", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use hushtable::Role;
    use hushtable_columns::Format;

    use super::*;

    #[test]
    fn shares_of_earlier_steps_are_not_printed() {
        let format = Format { bits: 16, fraction_bits: 0 };
        let shares = ShareFile::new("max", [7; 32], Role::P0, format, [0, 1], vec![54321].into());
        assert_eq!(
            format!("{:?}", Earlier { path: "first".into(), shares: shares.into() }),
            "Earlier(first)"
        );
    }
}
