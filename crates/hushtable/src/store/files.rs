//! Files that appear complete or not at all, and stay.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

use crate::error::{Error, Result};

/// For a file that only its owner may read.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// For `map_err` on an I/O result: names the file.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    Error::io(path.display().to_string())
}

/// Writes a new file under a name of its own, and renames it when all of it is on the disk.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let building = path.with_extension("tmp");
    let put = |mut file: File| file.write_all(bytes).and_then(|()| file.sync_all());
    private()
        .create(true)
        .truncate(true)
        .open(&building)
        .and_then(put)
        .and_then(|()| fs::rename(&building, path))
        .map_err(at(path))?;
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Reads a file of at most `most` bytes.
pub(super) fn read(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes)).map_err(at(path))?;
    if bytes.len() > most {
        return Err(Error::Store(format!("{}: longer than the {most} bytes it may have", path.display())));
    }
    Ok(bytes)
}

/// A new folder for its owner only, where nothing or an empty folder is.
pub(super) fn new_folder(path: &Path) -> Result<()> {
    let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if !empty {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Error::Store(format!("{} exists already; nothing is overwritten", path.display())));
        }
        create_folder(path)?;
    }
    protect(path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync(parent),
        _ => sync(Path::new(".")),
    }
}

/// A folder that only its owner may read, from its first moment.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    #[cfg(unix)]
    let created = std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    let created = fs::create_dir(path);
    created.map_err(at(path))
}

/// Makes a folder readable by its owner only.
pub(super) fn protect(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(at(path))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Makes the names in a folder durable, where the system has a way to.
pub(super) fn sync(folder: &Path) -> Result<()> {
    if cfg!(unix) { File::open(folder).and_then(|f| f.sync_all()).map_err(at(folder)) } else { Ok(()) }
}
