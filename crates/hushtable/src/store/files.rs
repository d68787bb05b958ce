//! The door to the disk. Files appear complete or not at all, and stay.
//!
//! Whatever the store changes on a disk it changes here, step by step, and what must outlast a power cut
//! goes through [`sync`]. Tests record the steps and play power cuts with them (`power.rs`).

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

#[cfg(test)]
use super::power::{Step, note};
use crate::error::{Error, Result};

/// For `map_err` on an I/O result: names the file.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    Error::io(path.display().to_string())
}

/// Writes a new file under a name of its own, and renames it when all of it is on the disk.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let building = path.with_extension("tmp");
    // What an earlier attempt left behind.
    let _ = fs::remove_file(&building);
    let file = create(&building)?;
    append(&file, &building, bytes)?;
    sync(&file, &building)?;
    #[cfg(test)]
    note(Step::Rename(building.clone(), path.into()));
    fs::rename(&building, path).map_err(at(path))?;
    sync_names(folder_of(path))
}

/// A new and empty file that only its owner may read; all writes go to its end.
pub(super) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(test)]
    note(Step::Create(path.into()));
    options.open(path).map_err(at(path))
}

/// An existing file, to be appended to.
pub(super) fn reopen(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).append(true).open(path).map_err(at(path))
}

/// Writes behind what is there.
pub(super) fn append(mut file: &File, path: &Path, bytes: &[u8]) -> Result<()> {
    #[cfg(test)]
    note(Step::Append(path.into(), bytes.into()));
    file.write_all(bytes).map_err(at(path))
}

/// Cuts a file off.
pub(super) fn truncate(file: &File, path: &Path, len: u64) -> Result<()> {
    #[cfg(test)]
    note(Step::Truncate(path.into(), len));
    file.set_len(len).map_err(at(path))
}

/// Makes what is in a file durable, or the names that are in a folder.
pub(super) fn sync(file: &File, path: &Path) -> Result<()> {
    file.sync_all().map_err(at(path))?;
    #[cfg(test)]
    note(Step::Sync(path.into()));
    Ok(())
}

/// Makes the names in a folder durable, where the system has a way to.
pub(super) fn sync_names(folder: &Path) -> Result<()> {
    if cfg!(unix) { sync(&File::open(folder).map_err(at(folder))?, folder) } else { Ok(()) }
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

/// A new folder for its owner only, durable, where nothing or an empty folder is.
pub(super) fn new_folder(path: &Path) -> Result<()> {
    let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if !empty {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Error::Store(format!("{} exists already; nothing is overwritten", path.display())));
        }
        create_folder(path)?;
    }
    protect(path)?;
    sync_names(folder_of(path))
}

/// A folder that only its owner may read, from its first moment.
fn create_folder(path: &Path) -> Result<()> {
    #[cfg(test)]
    note(Step::Folder(path.into()));
    #[cfg(unix)]
    let created = std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    let created = fs::create_dir(path);
    created.map_err(at(path))
}

/// Makes a folder readable by its owner only.
fn protect(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(at(path))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The folder that a name is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
