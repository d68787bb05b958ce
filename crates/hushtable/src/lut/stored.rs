//! One-time material as bytes, for the store on disk, and cut in pieces.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    arithmetic::Arithmetic,
    protocol::{Job, Material, Prepared, Protocol},
    read::Signed,
    splut::SpLut,
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Error, Result, same},
    net::Role,
    onehot::{Cyclic, Group, OneHot},
    share::{Kind, Sharing},
};

/// Most lookups in one piece of stored material.
pub(crate) const MAX_PIECE: usize = 1 << 18;
/// What a piece takes besides its lookups, at most.
const OVERHEAD: usize = 64;

impl Protocol {
    /// Bits that the material of one lookup takes on disk at a party, at most; `None` if it cannot
    /// be stored.
    pub fn stored_bits(self, job: &Job) -> Option<usize> {
        let n = job.index_bits;
        match self {
            Self::SpLut => Some(SpLut::<Cyclic>::stored_bits(n)),
            Self::Arithmetic => Some(n as usize + ((job.value_bits as usize) << n)),
            // Made for small jobs, at once; or a baseline.
            Self::SpLutKk13 | Self::Flute | Self::OpLut | Self::Ottt => None,
            _ => Some(match job.output {
                Sharing::Xor => OneHot::<Cyclic>::stored_bits(n),
                Sharing::Additive => Signed::<Cyclic>::stored_bits(n, job.value_bits),
            }),
        }
    }
}

impl<G: Group, K: Kind, R: Ring> Prepared<G, K, R> {
    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        match &self.material {
            Material::OneHot(m) => m.len(),
            Material::Signed(m) => m.len(),
            Material::SpLut(m) => m.len(),
            Material::Arithmetic(m) => m.len(),
            Material::Flute(m) => m.len(),
            Material::OpLut(m) => m.len(),
            Material::Ottt(m) => m.len(),
        }
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
        Ok(Self::of(match &mut self.material {
            Material::OneHot(all) => Material::OneHot(all.take(m)?),
            Material::Signed(all) => Material::Signed(all.take(m)?),
            Material::SpLut(all) => Material::SpLut(all.take(m)?),
            Material::Arithmetic(all) => Material::Arithmetic(all.take(m)?),
            Material::Flute(_) | Material::OpLut(_) | Material::Ottt(_) => return Err(never_stored()),
        }))
    }

    /// This party's material as bytes, secret as it is: for the store and its tests.
    #[doc(hidden)]
    pub fn to_bytes(&self, protocol: Protocol, job: &Job) -> Zeroizing<Vec<u8>> {
        let bits = protocol.stored_bits(job).unwrap_or(0);
        let mut to = Writer::new(self.len() * bits / 8 + OVERHEAD);
        match &self.material {
            Material::OneHot(m) => m.encode(&mut to),
            Material::Signed(m) => m.encode(&mut to),
            Material::SpLut(m) => m.encode(&mut to),
            Material::Arithmetic(m) => m.encode(&mut to),
            Material::Flute(_) | Material::OpLut(_) | Material::Ottt(_) => {} // see `stored_bits`
        }
        to.finish()
    }

    /// The inverse of [`to_bytes`](Self::to_bytes), for `count` lookups at the party `role`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a job the protocol does not serve,
    /// [`Error::Store`](crate::Error::Store) for bytes of another length.
    #[doc(hidden)]
    pub fn from_bytes(protocol: Protocol, job: &Job, role: Role, count: usize, bytes: &[u8]) -> Result<Self> {
        protocol.check(job)?;
        same("lookups in a piece, too many", count.min(MAX_PIECE), count)?;
        if (job.index, job.output) != (G::Kind::SHARING, K::SHARING) {
            return Err(malformed("holds material for other sharings"));
        }
        let (mut from, n, l) = (Reader::new(bytes), job.index_bits, job.value_bits);
        let material = match (protocol, job.output) {
            (Protocol::SpLut, _) => Material::SpLut(SpLut::decode(&mut from, role, n, count)?),
            (Protocol::Arithmetic, _) => Material::Arithmetic(Arithmetic::decode(&mut from, n, l, count)?),
            (Protocol::SpLutKk13 | Protocol::Flute | Protocol::OpLut | Protocol::Ottt, _) => {
                return Err(never_stored());
            }
            (_, Sharing::Xor) => Material::OneHot(OneHot::decode(&mut from, n, count)?),
            (_, Sharing::Additive) => Material::Signed(Signed::decode(&mut from, n, l, count)?),
        };
        from.finish()?;
        Ok(Self::of(material))
    }

    fn of(material: Material<G, K, R>) -> Self {
        Self { material }
    }
}

fn never_stored() -> Error {
    malformed("holds material that is never stored")
}
