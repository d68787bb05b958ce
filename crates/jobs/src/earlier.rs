//! Results of an earlier step of a job, before they are there.

use std::{path::PathBuf, sync::Arc};

use hushtable_columns::shares::ShareFile;

/// Everything but the shares.
#[derive(Clone)]
pub struct Earlier {
    /// What stands for them in place of a file's path.
    pub path: PathBuf,
    pub shares: Arc<ShareFile>,
}
