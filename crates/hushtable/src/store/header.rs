//! What a store is for: one file, readable by people's tools only through `hushtable store ls`.

use crate::{
    codec::{Reader, Writer, malformed},
    error::Result,
    lut::{LookupJob, MAX_PIECE, Protocol},
    net::{Fingerprint, Role},
    share::Sharing,
};

const MAGIC: &[u8; 8] = b"hushstor";
/// Of the whole format of a store.
const VERSION: u64 = 1;
/// Longest header.
pub(super) const LONGEST: usize = 1 << 10;

/// What a store holds, for whom, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The id of the session that made it, the same at both parties.
    pub id: [u8; 32],
    /// This party's role then, and whenever it is spent.
    pub role: Role,
    /// Whose material it is.
    pub protocol: Protocol,
    /// What the lookups have in common.
    pub job: LookupJob,
    /// This party.
    pub own: Fingerprint,
    /// The peer.
    pub peer: Fingerprint,
    /// The name in the peer's certificate.
    pub peer_name: String,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// Lookups it was to hold.
    pub planned: u64,
    /// Lookups in each file but the last.
    pub piece: u64,
}

impl About {
    /// The id as text.
    pub fn name(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Bytes to be authenticated by the caller.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(LONGEST);
        to.bytes(MAGIC);
        to.number(VERSION);
        to.bytes(&self.id);
        to.bytes(&[self.role as u8, sharing(self.job.index), sharing(self.job.output)]);
        to.text(self.protocol.name());
        to.number(self.job.index_bits.into());
        to.number(self.job.value_bits.into());
        to.bytes(self.own.bytes());
        to.bytes(self.peer.bytes());
        to.text(&self.peer_name);
        [self.made, self.planned, self.piece].into_iter().for_each(|number| to.number(number));
        to.finish().to_vec()
    }

    /// The inverse of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`Error::Store`](crate::Error::Store), without the file's name, for anything else;
    /// [`Error::Param`](crate::Error::Param) for a job that the protocol does not serve.
    #[doc(hidden)]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::new(bytes);
        if from.bytes(MAGIC.len())? != MAGIC {
            return Err(malformed("is no header of a store"));
        }
        match from.number()? {
            VERSION => {}
            other => return Err(malformed(&format!("has version {other}; this program reads {VERSION}"))),
        }
        let id = from.array()?;
        let [role, index, output] = from.array()?;
        let role = match role {
            0 => Role::P0,
            1 => Role::P1,
            _ => return Err(malformed("names no role")),
        };
        let (index, output) = (sharing_of(index)?, sharing_of(output)?);
        let protocol: Protocol = from.text()?.parse()?;
        let small = |number: u64| u32::try_from(number).map_err(|_| malformed("has a width out of range"));
        let (index_bits, value_bits) = (small(from.number()?)?, small(from.number()?)?);
        let job = LookupJob { index, output, index_bits, value_bits };
        protocol.check(&job)?;
        let (own, peer) = (Fingerprint::from_bytes(from.array()?), Fingerprint::from_bytes(from.array()?));
        let peer_name = from.text()?;
        let [made, planned, piece] = [from.number()?, from.number()?, from.number()?];
        from.finish()?;
        // So that sums of positions never overflow.
        if planned == 0 || planned > 1 << 48 || piece == 0 || piece > MAX_PIECE as u64 {
            return Err(malformed("has sizes out of range"));
        }
        Ok(Self { id, role, protocol, job, own, peer, peer_name, made, planned, piece })
    }
}

fn sharing(sharing: Sharing) -> u8 {
    match sharing {
        Sharing::Additive => 0,
        Sharing::Xor => 1,
    }
}

fn sharing_of(byte: u8) -> Result<Sharing> {
    match byte {
        0 => Ok(Sharing::Additive),
        1 => Ok(Sharing::Xor),
        _ => Err(malformed("names no way of sharing")),
    }
}
