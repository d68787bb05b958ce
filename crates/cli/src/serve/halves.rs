//! Shares of keys in a folder, found by what names them. A file is read once, and again when it has changed.

use std::{
    collections::HashMap,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use apps::private_table::Description;
use hushtable::Role;
use hushtable_columns::shares::ShareFile;
use hushtable_jobs::private_table::{shares_fit, shares_name};

/// Most files that are remembered.
const MOST_FILES: usize = 1 << 16;

/// The files of a folder.
pub struct Halves {
    folder: PathBuf,
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// A file as it was read.
struct Known {
    stamp: Stamp,
    /// Nothing if it is no half of anything.
    name: Option<[u8; 32]>,
}

/// What tells a file from what it was before.
#[derive(PartialEq)]
struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
    #[cfg(unix)]
    number: u64,
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        Self {
            bytes: about.len(),
            changed: about.modified().ok(),
            #[cfg(unix)]
            number: std::os::unix::fs::MetadataExt::ino(about),
        }
    }
}

impl Halves {
    /// Those that are in the folder now.
    pub fn new(folder: &Path) -> Self {
        let halves = Self { folder: folder.to_owned(), known: Mutex::default() };
        halves.refresh(&mut halves.known.lock().unwrap_or_else(PoisonError::into_inner));
        halves
    }

    /// This party's half of the keys of that name, if it is in the folder and can be looked up.
    pub fn find(&self, name: &[u8; 32], lookups: u64, description: &Description) -> Option<ShareFile> {
        let path = self.path(name)?;
        let file = read(&path)?;
        let fits = file.count as u64 == lookups && shares_name(&file, Role::P0) == *name;
        (fits && shares_fit(&file, description).is_ok()).then_some(file)
    }

    /// The file of that name.
    fn path(&self, name: &[u8; 32]) -> Option<PathBuf> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // The path, and whether the file is still as it was.
        let among = |known: &HashMap<PathBuf, Known>| {
            let (path, file) = known.iter().find(|(_, file)| file.name == Some(*name))?;
            let about = fs::metadata(path).ok()?;
            Some((path.clone(), Stamp::of(&about) == file.stamp))
        };
        match among(&known) {
            Some((path, true)) => Some(path),
            // It has changed, or is new: only what has changed is read.
            _ => {
                self.refresh(&mut known);
                among(&known).map(|(path, _)| path)
            }
        }
    }

    /// Reads what has changed.
    fn refresh(&self, known: &mut HashMap<PathBuf, Known>) {
        let mut before = std::mem::take(known);
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        for path in files.filter_map(|entry| Some(entry.ok()?.path())).take(MOST_FILES) {
            // From what is no plain file nothing may ever come.
            let Some(about) = fs::metadata(&path).ok().filter(Metadata::is_file) else { continue };
            let stamp = Stamp::of(&about);
            let file = match before.remove(&path).filter(|file| file.stamp == stamp) {
                Some(file) => file,
                None => Known { stamp, name: read(&path).map(|file| shares_name(&file, Role::P0)) },
            };
            known.insert(path, file);
        }
    }
}

/// A file of shares; what cannot be read is no half of anything.
fn read(path: &Path) -> Option<ShareFile> {
    let text = hushtable_columns::read(path).ok()?;
    ShareFile::read(path, &text).ok()?
}

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable_columns::Format;

    fn half(path: &Path, of: &str) -> [u8; 32] {
        let format = Format { bits: 32, fraction_bits: 0 };
        let file = ShareFile::new(of, [7; 32], Role::P0, format, [0, 9], vec![1u64, 2].into()).sealed();
        let mut text = Vec::new();
        file.write(&mut text).unwrap();
        fs::write(path, text).unwrap();
        shares_name(&file, Role::P0)
    }

    #[test]
    fn a_file_is_read_once_and_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("other.txt"), "no shares").unwrap();
        fs::create_dir(path("folder")).unwrap();
        let a = half(&path("a"), "a");
        let halves = Halves::new(folder.path());
        assert_eq!(halves.path(&a), Some(path("a")));
        assert_eq!(halves.path(&[0; 32]), None);
        let b = half(&path("b"), "b is new");
        assert_eq!(halves.path(&b), Some(path("b")));
        let c = half(&path("a"), "a is another one, and longer");
        assert_eq!((halves.path(&a), halves.path(&c)), (None, Some(path("a"))));
        fs::rename(path("b"), path("moved")).unwrap();
        assert_eq!(halves.path(&b), Some(path("moved")));
        fs::remove_file(path("moved")).unwrap();
        assert_eq!(halves.path(&b), None);
        // Planted: what was not read again is what is known of it.
        halves.known.lock().unwrap().get_mut(&path("other.txt")).unwrap().name = Some(b);
        assert_eq!(halves.path(&b), Some(path("other.txt")), "a file that has not changed is not read again");
    }
}
