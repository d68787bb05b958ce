//! The version that is served, and how another takes its place.

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::serve::{
    arguments::Serve,
    table::{self, Loaded},
};
use apps::private_table::{Description, Served};
use hushtable::confidential::copy::Owner;
use hushtable_columns::{
    failure::{Failure, Result},
    output::{Output, PRIVATE},
};
use zeroize::Zeroizing;

/// The arguments and the version of now. Sessions hold the version with which they began.
pub struct Versions {
    pub args: Serve,
    now: Mutex<Version>,
}

struct Version {
    served: Arc<Served>,
    /// Tells its rows from others. Secret.
    content: blake3::Hash,
}

impl Versions {
    /// Reads the table for the first time.
    pub fn first(args: Serve) -> Result<Self> {
        let loaded = table::load(&args)?;
        let version = args.version(loaded)?;
        Ok(Self { args, now: Mutex::new(version) })
    }

    /// The version of now.
    pub fn now(&self) -> Arc<Served> {
        self.lock().served.clone()
    }

    /// Reads the table again; whether it has changed. If it cannot be read, the version of now stays. The error is a line
    /// for the log, without keys or cells.
    pub fn reload(&self) -> std::result::Result<bool, String> {
        let table = &self.args.table;
        if table.exists() && !table.is_file() {
            return Err(format!("{}: {NOT_PLAIN}", table.display()));
        }
        let loaded = table::load(&self.args).map_err(|refused| refused.line(&self.args))?;
        self.take(loaded).map_err(|failure| failure.to_string().replace('\n', " "))
    }

    /// Another version, if what was read is one.
    fn take(&self, loaded: Loaded) -> Result<bool> {
        let (now, content) = (self.now(), self.lock().content);
        let digest = now.description().digest;
        let as_before = *now.description() == Description { digest, ..loaded.description.clone() };
        if as_before && content == loaded.table.digest() {
            return Ok(false);
        }
        let next = self.args.version(loaded)?;
        *self.lock() = next;
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Version> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Serve {
    /// A version of what was read, with the key in the file of `--key-file` if it is that of this very table; the file
    /// gets the key of another one.
    fn version(&self, loaded: Loaded) -> Result<Version> {
        let Loaded { description, table } = loaded;
        let job = description.job();
        let restored = match &self.kept()? {
            Some(secret) => table.restore(job, secret)?,
            None => None,
        };
        let owner = match restored {
            Some(owner) => owner,
            None => {
                let owner = table.encrypt(job)?;
                if let Some(path) = &self.key_file {
                    // Meanwhile something else may have come there.
                    self.kept()?;
                    let output = Output::reserve(path, &[&self.table], PRIVATE, true)?;
                    output.write(|to| to.write_all(&owner.secret()))?;
                }
                owner
            }
        };
        let content = table.digest();
        Ok(Version { served: Arc::new(Served::new(description, owner)?), content })
    }
}

impl Serve {
    /// The key that is there.
    fn kept(&self) -> Result<Option<Zeroizing<Vec<u8>>>> {
        self.key_file.as_deref().filter(|path| path.exists()).map(secret).transpose()
    }
}

/// Said of a pipe, say: from there nothing may ever come.
const NOT_PLAIN: &str = "is no plain file";

/// The key in a file that only its owner may read. Another file is not replaced.
fn secret(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let about = fs::metadata(path).map_err(Failure::file(path))?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        let path = path.display();
        return Err(Failure::input(format!("{path}: others can read this key; chmod 600 {path}")));
    }
    let says = |what: &str| Err(Failure::input(format!("{}: {what}", path.display())));
    if !about.is_file() {
        return says(NOT_PLAIN);
    }
    // Of something else no more is read than a key has, and one.
    let mut bytes = Zeroizing::new(Vec::with_capacity(Owner::SECRET_BYTES + 1));
    let read =
        File::open(path).and_then(|file| file.take(Owner::SECRET_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(Failure::file(path))?;
    match bytes.starts_with(Owner::SECRET_BEGINS) {
        true if bytes.len() == Owner::SECRET_BYTES => Ok(bytes),
        true if bytes.len() < Owner::SECRET_BYTES => says(
            "is a key file that was cut short: remove it; a new one is made, and clients fetch the copy again",
        ),
        _ => says("is no key of a table, and is not replaced: name another --key-file"),
    }
}
