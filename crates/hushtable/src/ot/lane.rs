//! What the correlated OTs of a lane start from: seeds of SoftSpoken that both parties draw at the same point. A lane of
//! a [fork](super::Ot::fork) gets seeds of a running Ferret besides.

use prim::{Wiped, block::Block};
use zeroize::Zeroize;

use super::{choice::Limits, softspoken, wish::Setting};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Error, Result},
    net::Role,
};

/// Seeds of both directions, and this party's Delta.
pub(crate) struct LaneSeeds {
    pub(super) setting: Setting,
    pub(super) delta: Block,
    pub(super) outgoing: Wiped<Block>,
    pub(super) incoming: Wiped<Block>,
}

/// Seeds of a direction: `2^k` in each of `128 / k` groups.
fn count(limits: &Limits) -> usize {
    (128 / limits.k as usize) << limits.k
}

impl LaneSeeds {
    /// How the OTs are made.
    pub(crate) fn limits(&self) -> Limits {
        self.setting.limits
    }

    /// What both parties of the session came to.
    pub(crate) fn setting(&self) -> Setting {
        self.setting
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
        16 * (1 + 2 * count(&self.setting.limits))
    }

    /// Delta and the seeds.
    pub(crate) fn encode(&self, w: &mut Writer) {
        w.blocks(&[self.delta]);
        w.blocks(&self.outgoing);
        w.blocks(&self.incoming);
    }

    /// Those of a party of this role.
    pub(crate) fn decode(r: &mut Reader, role: Role, setting: Setting) -> Result<Self> {
        let Setting { limits, link, memory, .. } = setting;
        if !limits.are_limits() || link != link.within() || memory == 0 {
            return Err(malformed("is damaged"));
        }
        let mut blocks = |count| Ok::<_, Error>(Wiped::from(r.blocks(count)?));
        let delta = blocks(1)?[0];
        let many = count(&limits);
        let seeds = Self { setting, delta, outgoing: blocks(many)?, incoming: blocks(many)? };
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
