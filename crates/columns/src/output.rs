//! Result files: complete or not there at all, never over something else, never over an input.
//!
//! Where the system has files without a name, a result has none until it is complete: a process that is killed
//! leaves nothing behind.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use prim::wipe::{Wiped, wipe};
use tempfile::{Builder, NamedTempFile};

use crate::failure::{Failure, Result};

/// For a file that only its owner may read.
pub const PRIVATE: u32 = 0o600;
/// For a file without secrets: what the user's mask allows.
pub const PUBLIC: u32 = 0o666;

/// A file that is being written. What has been written is wiped here: it may be shares.
pub struct Writer<'a> {
    file: &'a File,
    waiting: Wiped<u8>,
}

/// A file that lacks nothing but its name.
enum Complete {
    Nameless(File),
    Named(NamedTempFile),
}

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Where a result will appear.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    mode: u32,
    force: bool,
    nameless: bool,
}

impl Output {
    /// Checks, before any work, that `path` may be written: its folder takes new files; nothing is there, or
    /// `force` is set and it is a file that is none of `inputs` and in none of those that are folders, by whatever
    /// name. The file gets the permissions `mode`, as far as the user's mask allows.
    pub fn reserve(path: &Path, inputs: &[&Path], mode: u32, force: bool) -> Result<Self> {
        let says = |what: &str| Err(Failure::new(format!("{}: {what}", path.display())));
        if let Ok(there) = fs::symlink_metadata(path) {
            if !there.is_file() {
                return says("is there and is not a plain file");
            }
            if let Some(input) = inputs.iter().find(|input| is_or_holds(input, path)) {
                let holds = if input.is_dir() { "belongs to the input" } else { "is the input file" };
                return says(&format!("{holds} {}", input.display()));
            }
            if !force {
                return says("is there already; --force replaces it");
            }
        }
        let mut output = Self { path: path.to_owned(), mode, force, nameless: false };
        output.nameless = output.can_be_nameless();
        if !output.nameless {
            output.named()?;
        }
        Ok(output)
    }

    /// Writes with `fill` into a file without this name, then gives it the name.
    pub fn write(self, fill: impl FnOnce(&mut Writer<'_>) -> io::Result<()>) -> Result<()> {
        let complete = self.complete(fill)?;
        self.publish(complete)
    }

    /// Everything but the name.
    fn complete(&self, fill: impl FnOnce(&mut Writer<'_>) -> io::Result<()>) -> Result<Complete> {
        let failed = Failure::writing(&self.path);
        let file = match self.nameless {
            true => Complete::Nameless(self.open_nameless().map_err(Failure::writing(&self.path))?),
            false => Complete::Named(self.named()?),
        };
        let to = match &file {
            Complete::Nameless(file) => file,
            Complete::Named(named) => named.as_file(),
        };
        let mut writer = Writer::of(to);
        let filled = fill(&mut writer).and_then(|()| writer.flush()).and_then(|()| to.sync_all());
        filled.map(|()| file).map_err(failed)
    }

    /// The name.
    fn publish(&self, file: Complete) -> Result<()> {
        let named = match file {
            Complete::Nameless(file) => self.name(&file),
            Complete::Named(named) => self.rename(named),
        };
        named.and_then(|()| self.settle()).map_err(Failure::writing(&self.path))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Gives a nameless file its name. One that replaces another is complete when it gets a name of its own before.
    fn name(&self, file: &File) -> io::Result<()> {
        if self.force { self.rename(self.beside(file)?) } else { link(file, &self.path) }
    }

    fn rename<F>(&self, named: NamedTempFile<F>) -> io::Result<()> {
        let renamed =
            if self.force { named.persist(&self.path) } else { named.persist_noclobber(&self.path) };
        renamed.map(drop).map_err(|e| e.error)
    }

    /// Makes the name durable.
    fn settle(&self) -> io::Result<()> {
        if cfg!(unix) { File::open(self.folder())?.sync_all() } else { Ok(()) }
    }

    fn builder(&self) -> Builder<'static, 'static> {
        let mut builder = Builder::new();
        builder.prefix(".hushtable-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(self.mode));
        builder
    }

    fn named(&self) -> Result<NamedTempFile> {
        self.builder().tempfile_in(self.folder()).map_err(|e| {
            Failure::local(format!(
                "{}: cannot write in {}: {e}",
                self.path.display(),
                self.folder().display()
            ))
        })
    }

    /// A new name for a nameless file, in the same folder.
    fn beside(&self, file: &File) -> io::Result<NamedTempFile<()>> {
        self.builder().make_in(self.folder(), |path| link(file, path))
    }

    /// Tried out, name and all: later there is a result to lose.
    fn can_be_nameless(&self) -> bool {
        self.open_nameless().and_then(|file| self.beside(&file)).is_ok()
    }

    #[cfg(target_os = "linux")]
    fn open_nameless(&self) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        Ok(File::from(open(self.folder(), flags, Mode::from_raw_mode(self.mode))?))
    }

    #[cfg(not(target_os = "linux"))]
    fn open_nameless(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Writes two files that belong together: neither appears before both are complete, and if the second cannot appear the
/// first goes, unless it took the place of another.
pub fn write_both(
    (first, fill_first): (Output, impl FnOnce(&mut Writer<'_>) -> io::Result<()>),
    (second, fill_second): (Output, impl FnOnce(&mut Writer<'_>) -> io::Result<()>),
) -> Result<()> {
    let files = (first.complete(fill_first)?, second.complete(fill_second)?);
    let replaces = first.force && first.path.exists();
    first.publish(files.0)?;
    second.publish(files.1).inspect_err(|_| {
        if !replaces {
            let _ = fs::remove_file(&first.path);
        }
    })
}

impl<'a> Writer<'a> {
    fn of(file: &'a File) -> Self {
        let mut waiting = Wiped::default();
        waiting.reserve(PIECE);
        Self { file, waiting }
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.waiting.len() == PIECE {
            self.flush()?;
        }
        let taken = bytes.len().min(PIECE - self.waiting.len());
        self.waiting.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.waiting)?;
        wipe(&mut self.waiting);
        self.waiting.clear();
        Ok(())
    }
}

/// Gives a nameless file a name that nothing has.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether `file` is the file `input`, or one in the folder `input`.
fn is_or_holds(input: &Path, file: &Path) -> bool {
    match fs::read_dir(input) {
        Ok(entries) => entries.flatten().any(|entry| is_or_holds(&entry.path(), file)),
        Err(_) => same_file(input, file),
    }
}

/// Whether both are the same file, by whatever names.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(path).map(|there| (there.dev(), there.ino()));
        matches!((identity(a), identity(b)), (Ok(a), Ok(b)) if a == b)
    }
    #[cfg(not(unix))]
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

    /// An output, and the same on a system without nameless files.
    fn both(path: &Path, force: bool) -> [Output; 2] {
        [true, false].map(|nameless| {
            let output = Output::reserve(path, &[], PRIVATE, force).unwrap();
            Output { nameless: output.nameless && nameless, ..output }
        })
    }

    #[test]
    fn appears_complete_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        for failing in both(&path, false) {
            let broken = failing.write(|w| {
                w.write_all(b"half")?;
                Err(io::Error::other("disk full"))
            });
            assert!(broken.unwrap_err().to_string().contains("out.csv: disk full"));
            assert_eq!(names(folder.path()), [""; 0]);
        }
        for good in both(&path, false) {
            good.write(|w| w.write_all(b"all")).unwrap();
            assert_eq!(names(folder.path()), ["out.csv"]);
            assert_eq!(fs::read(&path).unwrap(), b"all");
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn two_files_appear_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        let full = |_: &mut Writer<'_>| Err(io::Error::other("disk full"));
        for (first, second) in both(&a, false).into_iter().zip(both(&b, false)) {
            let refused = write_both((first, |w: &mut Writer<'_>| w.write_all(b"a")), (second, full));
            assert!(refused.unwrap_err().to_string().contains("b: disk full"));
            assert_eq!(names(folder.path()), [""; 0]);
        }
        // The second name is taken meanwhile.
        for (first, second) in both(&a, false).into_iter().zip(both(&b, false)) {
            fs::write(&b, "other").unwrap();
            let [fill_a, fill_b] = [b"a", b"b"].map(|text| move |w: &mut Writer<'_>| w.write_all(text));
            assert!(write_both((first, fill_a), (second, fill_b)).is_err());
            assert_eq!((names(folder.path()), fs::read(&b).unwrap()), (vec!["b".into()], b"other".to_vec()));
            fs::remove_file(&b).unwrap();
        }
        for (first, second) in both(&a, false).into_iter().zip(both(&b, false)) {
            let [fill_a, fill_b] = [b"a", b"b"].map(|text| move |w: &mut Writer<'_>| w.write_all(text));
            write_both((first, fill_a), (second, fill_b)).unwrap();
            assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), (b"a".to_vec(), b"b".to_vec()));
            [&a, &b].into_iter().for_each(|path| fs::remove_file(path).unwrap());
        }
    }

    /// What a kill leaves behind is what has a name by then.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_unfinished_file_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let output = Output::reserve(&path, &[], PRIVATE, false).unwrap();
        if output.open_nameless().is_err() {
            return; // a file system without them
        }
        output
            .write(|w| {
                w.write_all(b"half")?;
                w.flush()?;
                assert_eq!(names(folder.path()), [""; 0]);
                Ok(())
            })
            .unwrap();
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn replaces_only_when_told() {
        let folder = tempfile::tempdir().unwrap();
        let (input, path) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
        fs::write(&input, "in").unwrap();
        // Appears between the check and the end.
        for late in both(&path, false) {
            fs::write(&path, "old").unwrap();
            assert!(late.write(|w| w.write_all(b"new")).is_err());
            assert_eq!(fs::read(&path).unwrap(), b"old");
        }
        let says =
            |path: &Path, force| Output::reserve(path, &[&input], PRIVATE, force).unwrap_err().to_string();
        assert!(says(&path, false).contains("--force replaces it"));
        assert!(says(folder.path(), true).contains("not a plain file"));
        assert!(says(&folder.path().join("none/out.csv"), false).contains("cannot write in"));
        for output in both(&path, true) {
            output.write(|w| w.write_all(b"new")).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(names(folder.path()), ["in.csv", "out.csv"]);
            fs::write(&path, "old").unwrap();
        }
    }

    #[test]
    fn no_input_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [input, other, deep] =
            ["in.csv", "other.csv", "id/trusted/key.pem"].map(|n| folder.path().join(n));
        fs::create_dir_all(deep.parent().unwrap()).unwrap();
        [&input, &other, &deep].into_iter().for_each(|path| fs::write(path, "in").unwrap());
        let aliases = [&input, &other, &deep].map(|path| {
            let alias = folder.path().join(format!("alias of {}", path.file_name().unwrap().display()));
            fs::hard_link(path, &alias).unwrap();
            alias
        });
        let identity = folder.path().join("id");
        for path in [&input, &other, &deep].into_iter().chain(&aliases) {
            let refused = Output::reserve(path, &[&input, &other, &identity], PRIVATE, true).unwrap_err();
            assert!(refused.to_string().contains(" input"), "{refused}");
        }
        let free = folder.path().join("out.csv");
        fs::write(&free, "old").unwrap();
        Output::reserve(&free, &[&input, &other, &identity], PRIVATE, true).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn files_are_for_their_owner_only_unless_asked() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for (mode, most) in [(PRIVATE, 0o600), (0o640, 0o640), (PUBLIC, 0o666)] {
            for output in both(&path, true) {
                Output { mode, ..output }.write(|w| w.write_all(b"{}")).unwrap();
                let got = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
                assert_eq!((got & 0o600, got & !most), (0o600, 0), "{got:o}");
            }
        }
    }
}
