//! Result files: complete or not there at all, never over something else.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::failure::{Failure, Result};

/// Where a result will appear.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    private: bool,
    force: bool,
}

impl Output {
    /// Checks, before any work, that `path` may be written: its folder takes new files; nothing is
    /// there, or `force` is set and it is a file other than `input`. A `private` file is readable by
    /// its owner only.
    pub fn reserve(path: &Path, input: &Path, private: bool, force: bool) -> Result<Self> {
        let says = |what: &str| Err(Failure::new(format!("{}: {what}", path.display())));
        if let Ok(there) = fs::symlink_metadata(path) {
            if !there.is_file() {
                return says("is there and is not a plain file");
            }
            if same_file(path, input) {
                return says("is the input file");
            }
            if !force {
                return says("is there already; --force replaces it");
            }
        }
        let output = Self { path: path.to_owned(), private, force };
        output.temporary()?;
        Ok(output)
    }

    /// Writes with `fill` into a file beside the final one, then renames it.
    pub fn write(self, fill: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>) -> Result<()> {
        let temporary = self.temporary()?;
        let mut writer = BufWriter::new(temporary.as_file());
        let filled = fill(&mut writer).and_then(|()| writer.flush());
        drop(writer);
        filled.and_then(|()| temporary.as_file().sync_all()).map_err(Failure::writing(&self.path))?;
        let renamed =
            if self.force { temporary.persist(&self.path) } else { temporary.persist_noclobber(&self.path) };
        renamed.map(drop).map_err(|e| Failure::writing(&self.path)(e.error))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn temporary(&self) -> Result<NamedTempFile> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".hushtable-");
        #[cfg(unix)]
        if !self.private {
            use std::os::unix::fs::PermissionsExt;
            // What a new file gets, before the user's mask; without this: the owner only.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder).map_err(|e| {
            Failure::local(format!("{}: cannot write in {}: {e}", self.path.display(), folder.display()))
        })
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn appears_complete_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (input, path) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
        let failing = Output::reserve(&path, &input, false, false).unwrap();
        let broken = failing.write(|w| {
            w.write_all(b"half")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(broken.unwrap_err().to_string().contains("out.csv: disk full"));
        assert_eq!(names(folder.path()), [""; 0]);
        let good = Output::reserve(&path, &input, false, false).unwrap();
        good.write(|w| w.write_all(b"all")).unwrap();
        assert_eq!(names(folder.path()), ["out.csv"]);
        assert_eq!(fs::read(&path).unwrap(), b"all");
    }

    #[test]
    fn replaces_only_when_told() {
        let folder = tempfile::tempdir().unwrap();
        let (input, path) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
        fs::write(&input, "in").unwrap();
        // Appears between the check and the end.
        let late = Output::reserve(&path, &input, false, false).unwrap();
        fs::write(&path, "old").unwrap();
        assert!(late.write(|w| w.write_all(b"new")).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let says = |path: &Path, force| Output::reserve(path, &input, false, force).unwrap_err().to_string();
        assert!(says(&path, false).contains("--force replaces it"));
        assert!(says(&input, true).contains("is the input file"));
        assert!(says(folder.path(), true).contains("not a plain file"));
        assert!(says(&folder.path().join("none/out.csv"), false).contains("cannot write in"));
        Output::reserve(&path, &input, false, true).unwrap().write(|w| w.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["in.csv", "out.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn shares_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shares.json");
        Output::reserve(&path, &path, true, false).unwrap().write(|w| w.write_all(b"{}")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
