//! What OP-LUT says of itself.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{OpLut, check_size};
use crate::{
    bill::{Bill, Phase, Work},
    error::{Error, Result, same},
    lut::{
        Table,
        spec::{LookupJob, Lookups, Made, Spec},
    },
    onehot::Group,
    ot::one_of_n,
    party::Party,
    session::Session,
    share::{Kind, Share},
};

/// OP-LUT.
pub(crate) struct TurnedTable;

impl Spec for TurnedTable {
    const NAME: &'static str = "oplut";
    const ABOUT: &'static str = "a table turned by a shared secret: no work online";
    const NUMBER: u8 = 11;
    const MAX_BITS: u32 = 11;
    const OPENS: bool = true;
    fn check(job: &LookupJob) -> Result<()> {
        check_size(1 << job.index_bits, job.value_bits)
    }

    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let (d, entries, l) = (u64::from(job.index_bits), 1u64 << job.index_bits, u64::from(job.value_bits));
        let offline = Phase { bits: [entries * (entries - 1) * l, 0], rounds: 1 };
        let made = Bill { cots: [d, 0], offline, kept: entries * l + 32, ..Bill::FREE };
        (made + Bill::opening(d)).alternating(batch)
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        // Half of the lookups are sent: pads of n words for each of n rotations. Half are received.
        let (n, word) = (1usize << job.index_bits, job.value_bits.next_power_of_two().max(8) as usize / 8);
        let pads = Work::levels(job.index_bits) + Work::hashes(n / 2 + n * n * word / 32);
        [pads + Work::words(n * n) + Work::index(), Work::index()]
    }

    fn memory(job: &LookupJob, _cots: usize) -> usize {
        64 + 32 * job.index_bits as usize + (8 << job.index_bits)
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(OpLut::<G, K, R>::prepare(p, table, batch)?))
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for OpLut<G, K, R> {
    fn len(&self) -> usize {
        OpLut::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        _table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        OpLut::lookup(*self, s, x)
    }

    fn masked(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        let bits = one_of_n::index_bits(self.entries) as u32;
        Ok(Share::new(bits, OpLut::masked(self, x.low_bits::<u32>(bits)?.words())?))
    }

    fn read(self: Box<Self>, _table: &Table<R>, opened: &[u32]) -> Result<Share<K, R>> {
        same("opened values", self.len(), opened.len())?;
        Ok(self.entries_at(opened))
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "lookups left", want: m, got: self.len() });
        };
        let offsets = Zeroizing::new(self.offsets.split_off(left));
        let tables = Zeroizing::new(self.tables.split_off(left * self.entries));
        Ok(Box::new(Self { offsets, tables, ..*self }))
    }
}
