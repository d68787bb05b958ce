//! What the correlated OTs of a lane start from: seeds that both parties draw at the same point.

use prim::{Wiped, block::Block};
use zeroize::Zeroize;

use super::{scheme::Scheme, softspoken};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Error, Result},
    net::Role,
};

/// Seeds of both directions, and this party's Delta.
pub(crate) struct LaneSeeds {
    pub(super) scheme: Option<Scheme>,
    pub(super) delta: Block,
    pub(super) outgoing: Wiped<Block>,
    pub(super) incoming: Wiped<Block>,
}

/// Seeds of a direction: `2^k` in each of `128 / k` groups.
fn count(scheme: Option<Scheme>) -> usize {
    let k = Scheme::subfield(scheme);
    (128 / k as usize) << k
}

impl LaneSeeds {
    /// How the OTs are made.
    pub(crate) fn scheme(&self) -> Option<Scheme> {
        self.scheme
    }

    /// Seeds derived from these for the session `id`, as at the peer: those for two sessions have nothing in common.
    pub(crate) fn bind(&mut self, id: &[u8; 32]) {
        for seed in self.outgoing.iter_mut().chain(self.incoming.iter_mut()) {
            let bound = blake3::keyed_hash(id, &seed.0.to_le_bytes());
            *seed = Block(u128::from_le_bytes(std::array::from_fn(|i| bound.as_bytes()[i])));
        }
    }

    /// Bytes that [`encode`](Self::encode) writes.
    pub(crate) fn encoded_len(&self) -> usize {
        16 * (1 + 2 * count(self.scheme))
    }

    /// Delta and the seeds.
    pub(crate) fn encode(&self, w: &mut Writer) {
        w.blocks(&[self.delta]);
        w.blocks(&self.outgoing);
        w.blocks(&self.incoming);
    }

    /// Those of a party of this role.
    pub(crate) fn decode(r: &mut Reader, role: Role, scheme: Option<Scheme>) -> Result<Self> {
        let mut blocks = |count| Ok::<_, Error>(Wiped::from(r.blocks(count)?));
        let delta = blocks(1)?[0];
        let seeds =
            Self { scheme, delta, outgoing: blocks(count(scheme))?, incoming: blocks(count(scheme))? };
        if !softspoken::is_delta(role, delta) {
            return Err(malformed("is damaged"));
        }
        Ok(seeds)
    }
}

impl Drop for LaneSeeds {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}
