//! A copy on its way in parts: what one connection brought, the next one goes on with.

use super::{
    encrypted::{EncryptedCopy, MESSAGE, head, rest},
    job::CopyJob,
};
use crate::{
    codec::malformed,
    error::{Error, Result},
    session::{Session, pieces},
};

/// As much of a copy as has come. What is here is believed only when all of it is.
pub struct Arriving {
    job: CopyJob,
    digest: [u8; 32],
    words: Vec<u64>,
}

impl CopyJob {
    /// Messages in which a copy is sent, of up to 1 MiB.
    pub fn messages(&self) -> usize {
        (self.words() * self.planes()).div_ceil(MESSAGE)
    }
}

impl Arriving {
    /// Nothing yet of the copy with this digest.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn new(job: CopyJob, digest: [u8; 32]) -> Result<Self> {
        job.check()?;
        Ok(Self { job, digest, words: Vec::new() })
    }

    /// What a file has of it: [`head`](Self::head), and whole messages behind it; a part of a message counts for
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported; [`Error::Store`] for bytes of another copy, or too many.
    pub fn resumed(job: CopyJob, digest: [u8; 32], bytes: &[u8]) -> Result<Self> {
        let mut arriving = Self::new(job, digest)?;
        let Some(rest) = bytes.strip_prefix(&arriving.head()[..]) else {
            return Err(malformed("is no part of this copy"));
        };
        let all = arriving.all();
        if rest.len() > 8 * all {
            return Err(malformed("is no part of this copy"));
        }
        let whole = if rest.len() == 8 * all { all } else { rest.len() / (8 * MESSAGE) * MESSAGE };
        arriving.words = vec![0; whole];
        bytemuck::cast_slice_mut(&mut arriving.words).copy_from_slice(&rest[..8 * whole]);
        Ok(arriving)
    }

    /// How [`EncryptedCopy::to_bytes`] begins: what a file has before the first message.
    pub fn head(&self) -> Vec<u8> {
        head(&self.job, &self.digest)
    }

    /// Messages that are here.
    pub fn messages(&self) -> usize {
        self.words.len().div_ceil(MESSAGE)
    }

    /// Receives the messages that are lacking, after the owner has been told how many those are. `keep` gets each as it
    /// comes. After an error [`messages`](Self::messages) are here.
    ///
    /// # Errors
    /// [`Error::Param`] at the owner; those of `keep` and of the channel.
    pub fn receive(&mut self, s: &mut Session, mut keep: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if s.role() == self.job.owner {
            let (what, got) = ("who receives a copy", s.role().to_string());
            return Err(Error::Param { what, got, accepted: self.job.owner.peer().to_string() });
        }
        s.announce(&rest(&self.job, self.messages()))?;
        for at in pieces(self.all(), MESSAGE).skip(self.messages()) {
            // As much as has come: no number from the peer allocates.
            self.words.resize(at.end, 0);
            let message = bytemuck::cast_slice_mut(&mut self.words[at.start..]);
            let came = s.connection().channel().recv_into(message).and_then(|()| keep(message));
            if came.is_err() {
                self.words.truncate(at.start);
            }
            came?;
        }
        Ok(())
    }

    /// The copy, if all of it is here and it is what its digest says.
    ///
    /// # Errors
    /// [`Error::Store`] otherwise: a part that was altered on its way or on the disk.
    pub fn finish(self) -> Result<EncryptedCopy> {
        if self.words.len() < self.all() {
            return Err(malformed("ends early"));
        }
        let copy = EncryptedCopy::of(self.job, self.words);
        if *copy.digest() == self.digest { Ok(copy) } else { Err(malformed("does not match its digest")) }
    }

    fn all(&self) -> usize {
        self.job.words() * self.job.planes()
    }
}
