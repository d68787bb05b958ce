//! The encrypted copy on this party's disk: as much of it as has come.
//!
//! The file is what [`EncryptedCopy::to_bytes`] writes, or its beginning. A whole message more is written as it comes, so
//! that whatever ends this process, the next one goes on where it ended. It shows nothing of the table but its size; what
//! is in it is believed when its digest is that of the owner's copy.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use apps::private_table::Description;
use hushtable::{
    Error,
    confidential::copy::{Arriving, CopyJob, EncryptedCopy},
};
use hushtable_columns::{
    disk,
    failure::{Failure, Result},
};

/// The file of a table, which no other process uses meanwhile.
pub struct Cache {
    path: PathBuf,
    /// None if another process uses it: then the copy is fetched and not kept.
    file: Option<File>,
}

/// What the file has.
pub enum Kept {
    /// The copy.
    Whole(Box<EncryptedCopy>),
    /// Some of its messages, or none; and what is to be said of it.
    Part(Arriving, Option<&'static str>),
}

impl Cache {
    /// The file at `path`, or that of this table of the peer in the user's cache.
    pub fn open(path: Option<&Path>, peer: &str, description: &Description) -> Result<Self> {
        let path = match path {
            Some(path) => path.to_owned(),
            None => default_path(peer, &description.table)?,
        };
        if path.is_dir() {
            return Err(Failure::new(format!("{}: is a folder; --copy names a file", path.display())));
        }
        // What the file has already is kept or written over.
        let has = fs::metadata(&path).map_or(0, |file| file.len());
        disk::check(&path, (description.job().copy_bits() / 8).saturating_sub(has))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(Failure::writing(&path))?;
        let file = match file.try_lock() {
            Ok(()) => Some(file),
            Err(fs::TryLockError::WouldBlock) => None,
            Err(fs::TryLockError::Error(error)) => return Err(Failure::writing(&path)(error)),
        };
        Ok(Self { path, file })
    }

    /// What there is of the copy with this digest. A file of something else is not touched unless it is a copy.
    pub fn load(&mut self, job: CopyJob, digest: [u8; 32]) -> Result<Kept> {
        let nothing = Arriving::new(job, digest)?;
        let Some(file) = &mut self.file else {
            return Ok(Kept::Part(nothing, Some("another process uses the file: the copy is not kept")));
        };
        let bytes = read(file, job.copy_bits() / 8).map_err(Failure::file(&self.path))?;
        let head = nothing.head();
        if !bytes.is_empty() && !bytes.starts_with(&head[..MAGIC.min(bytes.len())]) {
            let path = self.path.display();
            return Err(Failure::input(format!("{path}: is no copy of a table, and is not replaced by one")));
        }
        let (arriving, note) = match Arriving::resumed(job, digest, &bytes) {
            Ok(arriving) => (arriving, None),
            Err(_) if bytes.is_empty() => (nothing, None),
            Err(_) => (nothing, Some("is of another version or table: it is replaced")),
        };
        drop(bytes);
        if arriving.messages() < job.messages() {
            let cut = if arriving.messages() > 0 { Some("is cut short: the rest is fetched") } else { note };
            self.begin(&arriving)?;
            return Ok(Kept::Part(arriving, cut));
        }
        match arriving.finish() {
            Ok(copy) => Ok(Kept::Whole(Box::new(copy))),
            Err(_) => {
                let nothing = Arriving::new(job, digest)?;
                self.begin(&nothing)?;
                Ok(Kept::Part(nothing, Some("is damaged: it is fetched anew")))
            }
        }
    }

    /// Makes the file ready for what comes behind what has come.
    pub fn begin(&mut self, arriving: &Arriving) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let head = arriving.head();
        let mut prepare = || {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
            let end = head.len() as u64 + ((arriving.messages() as u64) << 20);
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end)).map(drop)
        };
        prepare().map_err(Failure::writing(&self.path))
    }

    /// Writes a message that came.
    pub fn keep(&mut self, message: &[u8]) -> hushtable::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(message).map_err(Error::io(format!("writing {}", self.path.display())))
    }

    /// Makes what was written durable, and lets other processes use it.
    pub fn close(self) -> Result<()> {
        match self.file {
            Some(file) => file.sync_all().map_err(Failure::writing(&self.path)),
            None => Ok(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Bytes that name the format.
const MAGIC: usize = 7;

/// The bytes of a file, no more than a copy has and one.
fn read(file: &mut File, copy: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(copy + 64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file of a peer's table, whose folder is made.
fn default_path(peer: &str, table: &str) -> Result<PathBuf> {
    let folder = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))
        .ok_or_else(|| Failure::new("no folder for the copy: --copy FILE names one"))?;
    let folder = folder.join("hushtable").join("copies");
    fs::create_dir_all(&folder).map_err(Failure::writing(&folder))?;
    Ok(folder.join(file_name(peer, table)))
}

/// The name of the file: as the table is called, as far as that can be, and a hash of whose table it is.
fn file_name(peer: &str, table: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = table.chars().take(40).map(plain).collect();
    let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 name of a copy of a table");
    hash.update(&(peer.len() as u64).to_le_bytes()).update(peer.as_bytes()).update(table.as_bytes());
    format!("{name}-{}.copy", &hash.finalize().to_hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_files_of_their_own() {
        let name = file_name;
        let names = [name("shop", "a"), name("shop", "b"), name("shop2", "a"), name("shopa", "")];
        assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)), "{names:?}");
        assert!(name("shop", "../a b").starts_with("___a_b-"), "{}", name("shop", "../a b"));
    }
}
