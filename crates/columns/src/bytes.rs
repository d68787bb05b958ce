//! The bytes of a file.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

use prim::wipe::Wiped;

use crate::failure::{Failure, Result};

/// What is read at once.
const PIECE: usize = 1 << 16;

/// The bytes of a file. All memory that held some of them is wiped.
pub fn read(path: &Path) -> Result<Wiped<u8>> {
    read_at_most(path, usize::MAX)
}

/// The same of a file that should have so many bytes at most, and no end if it is none: of more it gives one more.
pub fn read_at_most(path: &Path, most: usize) -> Result<Wiped<u8>> {
    let mut file = File::open(path).map_err(Failure::file(path))?;
    let size = file.metadata().map_or(0, |file| file.len());
    let mut bytes = Wiped::default();
    // Only a hint: a pipe has no size.
    bytes.reserve(usize::try_from(size).unwrap_or(0).min(1 << 40) + PIECE);
    loop {
        let start = bytes.len();
        if start > most {
            bytes.truncate(most + 1);
            return Ok(bytes);
        }
        let got = file.read(bytes.extend_zeros(PIECE));
        bytes.truncate(start + got.as_ref().map_or(0, |&got| got));
        match got {
            Ok(0) => return Ok(bytes),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::file(path)(error)),
        }
    }
}
