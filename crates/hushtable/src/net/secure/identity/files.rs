//! Files of an identity: read with a limit, written whole, private where they must be.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Names in an identity's folder.
pub(super) const KEY: &str = "key.pem";
pub(super) const CERTIFICATE: &str = "cert.pem";
pub(super) const TRUSTED: &str = "trusted";
pub(super) const SPENT: &str = "spent";

/// No PEM file we read is longer.
const LONGEST_FILE: u64 = 64 << 10;

/// A new name in the same folder, so that a rename to `path` is atomic.
pub(super) fn beside(path: &Path) -> Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(Error::Identity(format!("{} is not a name for a folder", path.display())));
    };
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the operating system has randomness");
    let random = u64::from_le_bytes(random);
    Ok(path.with_file_name(format!(".{}.{random:016x}.tmp", name.to_string_lossy())))
}

/// Writes a file that must not exist, and makes it durable.
pub(super) fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let write = |mut file: File| file.write_all(bytes).and_then(|()| file.sync_all());
    options.open(path).and_then(write).map_err(Error::io(format!("writing {}", path.display())))
}

/// Writes a file that appears complete, or not at all, in place of one that may be there.
pub(super) fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let temporary = beside(path)?;
    let written = write_new(&temporary, bytes, mode).and_then(|()| {
        fs::rename(&temporary, path).map_err(Error::io(format!("writing {}", path.display())))
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
        return written;
    }
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in a folder durable.
pub(super) fn sync(dir: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(dir)
        .and_then(|folder| folder.sync_all())
        .map_err(Error::io(format!("writing {}", dir.display())))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Reads a file of at most 64 KiB.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(Error::io(format!("reading {}", path.display())))?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(Error::Identity(format!("{} is longer than {LONGEST_FILE} bytes", path.display())));
    }
    Ok(bytes)
}

/// Reads a file that only its owner may read.
pub(super) fn read_private(path: &Path) -> Result<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let about = fs::metadata(path).map_err(Error::io(format!("reading {}", path.display())))?;
        let mode = about.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let path = path.display();
            return Err(Error::Identity(format!(
                "{path} is open to other users (mode {mode:o}): run `chmod 600 {path}`, and make a new \
                 identity if others may have read it"
            )));
        }
    }
    read(path)
}
