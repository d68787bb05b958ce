//! What SP-LUT says of itself.

use prim::ring::Ring;

use super::{MAX_ENTRIES, SpLut};
use crate::{
    bill::{Bill, Phase, Work},
    codec::{Reader, Writer},
    error::Result,
    lut::{
        Table,
        spec::{LookupJob, Lookups, Made, Spec},
    },
    net::Role,
    onehot::{Cyclic, Group},
    party::Party,
    session::Session,
    share::{Kind, Share, Sharing},
};

/// SP-LUT with 1-of-n OTs by products of keys.
pub(crate) struct Products;

/// Online: S sends all entries but one, R its masked index.
pub(super) fn online(job: &LookupJob) -> Bill {
    let sent = ((1u64 << job.index_bits) - 1) * u64::from(job.value_bits);
    Bill { online: Phase { bits: [sent, job.index_bits.into()], rounds: 2 }, ..Bill::FREE }
}

/// Local work of the same. Half of the lookups are sent, for which pads are hashed.
pub(super) fn online_work(job: &LookupJob) -> Work {
    let n = 1 << job.index_bits;
    Work::hashes(n / 2) + Work::words(n) + Work::index()
}

/// Bytes of the message of a lookup.
pub(super) fn message(job: &LookupJob) -> usize {
    (job.value_bits as usize) << job.index_bits >> 3
}

impl Spec for Products {
    const NAME: &'static str = "splut";
    const ABOUT: &'static str = "one message as long as the table";
    const NUMBER: u8 = 1;
    const MAX_BITS: u32 = MAX_ENTRIES.ilog2();
    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let d = u64::from(job.index_bits);
        (Bill::of_cots([d, 0]).keeping(128 * d) + online(job)).alternating(batch)
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let choices = Work::words(3 * job.index_bits as usize);
        [choices, online_work(job) + Work::levels(job.index_bits)]
    }

    fn memory(job: &LookupJob, cots: usize) -> usize {
        cots + message(job)
    }

    fn stored_bits(job: &LookupJob) -> Option<usize> {
        Some(SpLut::<Cyclic>::stored_bits(job.index_bits))
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(SpLut::<G>::prepare(p, table.len(), batch)?))
    }

    fn decode<G: Group, K: Kind, R: Ring>(
        from: &mut Reader<'_>,
        job: &LookupJob,
        role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        Ok(Box::new(SpLut::<G>::decode(from, role, job.index_bits, count)?))
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for SpLut<G> {
    fn len(&self) -> usize {
        SpLut::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        match K::SHARING {
            Sharing::Additive => Ok(SpLut::lookup(*self, s, table, x)?.of_kind()),
            Sharing::Xor => Ok(self.lookup_xor(s, table, x)?.of_kind()),
        }
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(SpLut::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        SpLut::encode(self, to);
    }
}
