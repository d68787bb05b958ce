//! The encrypted copy: on its way, on a disk, in memory. It shows nothing but its size.

use super::job::{CopyJob, Keys, TAG_BITS as LEAST_TAG};
use crate::{
    codec::{Reader, Writer, malformed},
    confidential::prf::Cipher,
    error::{Error, Result},
    net::Role,
    session::{Session, pieces},
};

/// What copies begin with on a disk: the format and its version.
const MAGIC: &[u8; 8] = b"hushcpy2";

/// Words in a message.
pub(super) const MESSAGE: usize = 1 << 17;

/// A version of a table, encrypted.
#[derive(Clone)]
pub struct EncryptedCopy {
    job: CopyJob,
    /// Pieces one after the other, of each its planes.
    pub(super) words: Vec<u64>,
    digest: [u8; 32],
}

impl EncryptedCopy {
    /// Of these words, as many as the job says.
    pub(super) fn of(job: CopyJob, words: Vec<u64>) -> Self {
        let digest = digest(&job, &words);
        Self { job, words, digest }
    }

    /// What it is a copy of.
    pub fn job(&self) -> &CopyJob {
        &self.job
    }

    /// Tells it from the copies of other versions and tables. Public.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The planes of each piece of a part.
    pub(super) fn pieces(&self, part: usize) -> impl ExactSizeIterator<Item = &[u64]> {
        let len = self.job.planes() * self.job.part_words();
        self.words[part * len..][..len].chunks_exact(self.job.planes() * self.job.piece_words())
    }

    /// Sends it, as the owner.
    pub(super) fn send(&self, s: &mut Session) -> Result<()> {
        s.announce(&name(&self.job))?;
        // Public: rows masked by a pseudo-random function of which nothing is opened.
        s.send(self.digest.to_vec())?;
        pieces(self.words.len(), MESSAGE)
            .try_for_each(|at| s.send(bytemuck::cast_slice(&self.words[at]).to_vec()))
    }

    /// Sends it from a message on, to a party that has those before.
    pub(super) fn send_from(&self, s: &mut Session, first: usize) -> Result<()> {
        s.announce(&rest(&self.job, first))?;
        // Public, as above.
        pieces(self.words.len(), MESSAGE)
            .skip(first)
            .try_for_each(|at| s.send(bytemuck::cast_slice(&self.words[at]).to_vec()))
    }

    /// The owner's copy: one of 32 bytes, then messages of up to 1 MiB.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, or at the owner; [`Error::Peer`] for a copy that is not what
    /// its digest says; and those of the channel.
    pub fn receive(s: &mut Session, job: CopyJob) -> Result<Self> {
        job.check()?;
        if s.role() == job.owner {
            let (what, got) = ("who receives a copy", s.role().to_string());
            return Err(Error::Param { what, got, accepted: job.owner.peer().to_string() });
        }
        s.announce(&name(&job))?;
        let claimed = s.recv(32)?;
        let mut words = Vec::new();
        for at in pieces(job.words() * job.planes(), MESSAGE) {
            // As much as has come: no number from the peer allocates.
            let from = words.len();
            words.resize(at.end, 0);
            s.connection().channel().recv_into(bytemuck::cast_slice_mut(&mut words[from..]))?;
        }
        let copy = Self::of(job, words);
        match copy.digest[..] == claimed[..] {
            true => Ok(copy),
            false => Err(Error::Peer("a copy of a table that does not match its digest".into())),
        }
    }

    /// All of it, for a disk.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(8 * self.words.len() + 64);
        to.bytes(&head(&self.job, &self.digest));
        to.bytes(bytemuck::cast_slice(&self.words));
        to.finish().to_vec()
    }

    /// What [`to_bytes`](Self::to_bytes) wrote, of a table of this form. Whether it is of the version that the owner
    /// has, lookups find out.
    ///
    /// # Errors
    /// [`Error::Store`] for anything else: cut short, altered, of another form.
    pub fn from_bytes(job: CopyJob, bytes: &[u8]) -> Result<Self> {
        job.check()?;
        let mut from = Reader::new(bytes);
        if from.array()? != *MAGIC || from.array()? != header(&job) {
            return Err(malformed("is no copy of such a table"));
        }
        let claimed: [u8; 32] = from.array()?;
        let count = job.words() * job.planes();
        let found = from.bytes(8 * count)?;
        from.finish()?;
        let mut words = vec![0u64; count];
        bytemuck::cast_slice_mut(&mut words).copy_from_slice(found);
        let copy = Self::of(job, words);
        if copy.digest == claimed { Ok(copy) } else { Err(malformed("does not match its digest")) }
    }
}

/// What both parties announce before a copy is sent.
fn name(job: &CopyJob) -> String {
    job.terms().to_string()
}

/// The same before what follows some messages.
pub(super) fn rest(job: &CopyJob, first: usize) -> String {
    format!("{} from message {first}", name(job))
}

/// What stands before the words on a disk.
pub(super) fn head(job: &CopyJob, digest: &[u8; 32]) -> Vec<u8> {
    [&MAGIC[..], &header(job), digest].concat()
}

/// The form in 16 bytes.
fn header(job: &CopyJob) -> [u8; 16] {
    let cipher = Cipher::ALL.iter().position(|&cipher| cipher == job.cipher).expect("one of them");
    let (keys, most) = match job.keys {
        Keys::All { .. } => (0, 0),
        Keys::Dense { .. } => (1, 0),
        Keys::Sparse { rows, .. } => (2, rows),
        Keys::Changing { updates, .. } => (3, updates),
    };
    let mut header = [0; 16];
    header[0] = job.keys.bits() as u8;
    header[1] = keys;
    header[2] = cipher as u8;
    header[3] = u8::from(job.owner == Role::P1);
    header[4..8].copy_from_slice(&job.row_bits.to_le_bytes());
    header[8..12].copy_from_slice(&most.to_le_bytes());
    // Of copies for few lookups 0: as it was before others were made.
    header[12] = if job.keys.sparse() { (job.keys.tag_bits() - LEAST_TAG) as u8 } else { 0 };
    header
}

/// BLAKE3 of form and words.
fn digest(job: &CopyJob, words: &[u64]) -> [u8; 32] {
    let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 encrypted copy of a table");
    hash.update(&header(job));
    hash.update(bytemuck::cast_slice(words));
    *hash.finalize().as_bytes()
}
