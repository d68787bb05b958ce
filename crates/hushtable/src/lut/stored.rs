//! One-time material as bytes, for the store on disk, and cut in pieces.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    protocol::{Prepared, Protocol},
    spec::LookupJob,
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Result, same},
    net::Role,
    onehot::Group,
    share::Kind,
    source::{Atom, MAX_ITEMS},
    terms::Terms,
};

/// What a piece takes besides its lookups, at most.
const OVERHEAD: usize = 64;

/// By protocol and job.
impl<G: Group, K: Kind, R: Ring> Atom for Prepared<G, K, R> {
    type Form = (Protocol, LookupJob);

    fn terms((protocol, job): &Self::Form) -> Terms {
        Terms::of("lookups")
            .with("protocol", protocol.name())
            .with("index", job.index)
            .with("output", job.output)
            .with("index bits", job.index_bits)
            .with("bits", job.value_bits)
    }

    fn encode(&self, to: &mut Writer) {
        self.material.encode(to);
    }

    fn decode(from: &mut Reader<'_>, role: Role, (protocol, job): &Self::Form, count: usize) -> Result<Self> {
        Ok(Self { material: protocol.decode(from, job, role, count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Self::take(self, count)
    }
}

impl<G: Group, K: Kind, R: Ring> Prepared<G, K, R> {
    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.material.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts off the material for `m` lookups, to be spent separately; the peer cuts off as many.
    /// Cutting off a and then b takes the same material as cutting off a + b.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        Ok(Self { material: self.material.take(m)? })
    }

    /// This party's material as bytes, secret as it is: for the store and its tests.
    #[doc(hidden)]
    pub fn to_bytes(&self, protocol: Protocol, job: &LookupJob) -> Zeroizing<Vec<u8>> {
        let bits = protocol.stored_bits(job).unwrap_or(0);
        let mut to = Writer::new(self.len() * bits / 8 + OVERHEAD);
        self.material.encode(&mut to);
        to.finish()
    }

    /// The inverse of [`to_bytes`](Self::to_bytes), for `count` lookups at the party `role`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a job the protocol does not serve,
    /// [`Error::Store`](crate::Error::Store) for bytes of another length.
    #[doc(hidden)]
    pub fn from_bytes(
        protocol: Protocol,
        job: &LookupJob,
        role: Role,
        count: usize,
        bytes: &[u8],
    ) -> Result<Self> {
        protocol.check(job)?;
        same("lookups in a piece, too many", count.min(MAX_ITEMS), count)?;
        if (job.index, job.output) != (G::Kind::SHARING, K::SHARING) {
            return Err(malformed("holds material for other sharings"));
        }
        let mut from = Reader::new(bytes);
        let material = protocol.decode(&mut from, job, role, count)?;
        from.finish()?;
        Ok(Self { material })
    }
}
