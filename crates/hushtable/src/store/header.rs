//! What a store is for: one file, readable by people's tools only through `hushtable store ls`.

use crate::{
    codec::{Reader, Writer, malformed},
    error::Result,
    lut::{LookupJob, Protocol},
    net::{Fingerprint, Role},
    share::Sharing,
    source::MAX_ITEMS,
};

const MAGIC: &[u8; 8] = b"hushstor";
/// Of the whole format of a store.
const VERSION: u64 = 3;
/// Longest header.
pub(super) const LONGEST: usize = 1 << 10;

/// What a store holds, for whom, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Of the session that made it, or following from that: the same at both parties.
    pub id: [u8; 32],
    /// This party's role then, and whenever it is spent.
    pub role: Role,
    /// What the material is for, in words.
    pub text: String,
    /// The digest of its [shape](crate::source::Shape).
    pub shape: [u8; 32],
    /// Of lookups, the protocol, and what they have in common.
    pub lookups: Option<(Protocol, LookupJob)>,
    /// This party.
    pub own: Fingerprint,
    /// The peer.
    pub peer: Fingerprint,
    /// The name in the peer's certificate.
    pub peer_name: String,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// Items it was to hold.
    pub planned: u64,
    /// Items in each file but the last.
    pub piece: u64,
}

impl About {
    /// The id as text.
    pub fn name(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What its items are called.
    pub fn items(&self) -> &'static str {
        if self.lookups.is_some() { "lookups" } else { "items" }
    }

    /// Bytes to be authenticated by the caller.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(LONGEST);
        to.bytes(MAGIC);
        to.number(VERSION);
        to.bytes(&self.id);
        to.bytes(&[self.role as u8, self.lookups.is_some().into()]);
        to.text(&self.text);
        to.bytes(&self.shape);
        if let Some((protocol, job)) = self.lookups {
            to.text(protocol.name());
            to.bytes(&[sharing(job.index), sharing(job.output)]);
            to.number(job.index_bits.into());
            to.number(job.value_bits.into());
        }
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
    /// [`Error::Param`](crate::Error::Param) for lookups that their protocol does not serve.
    #[doc(hidden)]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::new(bytes);
        if from.bytes(MAGIC.len())? != MAGIC {
            return Err(malformed("is no header of a store"));
        }
        match from.number()? {
            VERSION => {}
            older if older < VERSION => {
                let what = format!("is of version {older}, and this program spends {VERSION}");
                return Err(malformed(&format!("{what}: make the store again with `prepare`")));
            }
            other => return Err(malformed(&format!("has version {other}; this program reads {VERSION}"))),
        }
        let id = from.array()?;
        let [role, kind] = from.array()?;
        let role = match role {
            0 => Role::P0,
            1 => Role::P1,
            _ => return Err(malformed("names no role")),
        };
        let (text, shape) = (from.text()?, from.array()?);
        let lookups = match kind {
            0 => None,
            1 => Some(lookups(&mut from)?),
            _ => return Err(malformed("names no kind of material")),
        };
        let (own, peer) = (Fingerprint::from_bytes(from.array()?), Fingerprint::from_bytes(from.array()?));
        let peer_name = from.text()?;
        let [made, planned, piece] = [from.number()?, from.number()?, from.number()?];
        from.finish()?;
        // So that sums of positions never overflow.
        if planned == 0 || planned > 1 << 48 || piece == 0 || piece > MAX_ITEMS as u64 {
            return Err(malformed("has sizes out of range"));
        }
        Ok(Self { id, role, text, shape, lookups, own, peer, peer_name, made, planned, piece })
    }
}

fn lookups(from: &mut Reader<'_>) -> Result<(Protocol, LookupJob)> {
    let protocol: Protocol = from.text()?.parse()?;
    let [index, output] = from.array()?;
    let (index, output) = (sharing_of(index)?, sharing_of(output)?);
    let small = |number: u64| u32::try_from(number).map_err(|_| malformed("has a width out of range"));
    let (index_bits, value_bits) = (small(from.number()?)?, small(from.number()?)?);
    let job = LookupJob { index, output, index_bits, value_bits };
    protocol.check(&job)?;
    Ok((protocol, job))
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
