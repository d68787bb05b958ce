//! Whether a disk has room for what will be written, asked before any work.

use std::path::Path;

use crate::{
    failure::{Failure, Result},
    units,
};

/// Refuses what the disk of `path` cannot hold.
pub fn check(path: &Path, bytes: u64) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(free) = free(folder) else { return Ok(()) };
    if bytes <= free {
        return Ok(());
    }
    let (needed, free) = (units::bytes(bytes), units::bytes(free));
    Err(Failure::local(format!("{}: needs {needed}, and {free} are free on that disk", path.display())))
}

/// Bytes that may still be written to the disk of a folder, where the system tells.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    return rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Cause;

    #[test]
    fn what_no_disk_holds_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        check(&path, 1).unwrap();
        if free(folder.path()).is_some() {
            let failure = check(&path, u64::MAX).unwrap_err();
            assert!(failure.to_string().contains("out.csv: needs "), "{failure}");
            assert!(matches!(failure, Failure::Reported(Cause::Local, _)));
        }
    }
}
