//! SP-LUT with 1-of-n OTs from codes.

use std::marker::PhantomData;

use prim::ring::Ring;

use super::{
    SpLut, check_entries,
    spec::{message, online, online_work},
};
use crate::{
    bill::{Bill, Phase, Work},
    error::Result,
    lut::{
        Table,
        spec::{LookupJob, Made, Spec},
    },
    net::Role,
    onehot::Group,
    ot::one_of_n,
    party::Party,
    session::halves,
    share::Kind,
};

impl<G: Group> SpLut<G> {
    /// Offline phase from a code (KK13): for small jobs, which do not pay for silent OTs. 1 round.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), with at most 2^13 entries.
    pub fn prepare_kk13(p: &mut Party, entries: usize, batch: usize) -> Result<Self> {
        check_entries::<G>(entries, one_of_n::MAX_CODE_PADS)?;
        let counts = halves(p.role(), batch);
        let (send, recv) = one_of_n::code_cots(entries, counts);
        let cots = p.cots(send, recv)?;
        let (out, inc) = one_of_n::by_code(p.session(), entries, cots, counts)?;
        Ok(Self { role: p.role(), entries, out, inc, group: PhantomData })
    }

    /// Correlated OTs that [`prepare_kk13`](Self::prepare_kk13) takes at the party `role`.
    pub fn kk13_cots(role: Role, entries: usize, batch: usize) -> (usize, usize) {
        one_of_n::code_cots(entries, halves(role, batch))
    }
}

/// SP-LUT with 1-of-n OTs from codes.
pub(crate) struct Codes;

impl Spec for Codes {
    const NAME: &'static str = "splut-kk13";
    const ABOUT: &'static str = "one message as long as the table, OTs from codes";
    const NUMBER: u8 = 2;
    const MAX_BITS: u32 = one_of_n::MAX_CODE_PADS.ilog2();
    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let (p0, p1) = one_of_n::code_cots(1 << job.index_bits, halves(Role::P0, batch));
        let columns = one_of_n::code_columns(job.index_bits) as u64;
        let offline = Phase { bits: [0, columns], rounds: 1 };
        let each = Bill { offline, kept: 128, ..Bill::FREE } + online(job);
        Bill::of_cots([p0 as u64, p1 as u64]).beside(each.alternating(batch))
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let d = job.index_bits as usize;
        let columns = one_of_n::code_columns(job.index_bits) + d;
        // Columns from two seeds here, from one there; codewords, the map to 128 bits, three transpositions. What a
        // batch takes once, about a millisecond, is left out: the middle one of 123 runs, many of 10^4 lookups, took
        // 37 % longer offline than this says, 8 % in all.
        let seeds = Work::hashes(3 * columns / 256);
        let rows = Work::bytes(columns * d / 16 + 8 * (columns - 128) + 3 * 7 * 16);
        [seeds + rows + Work::index(), online_work(job) + Work::index()]
    }

    fn memory(job: &LookupJob, _cots: usize) -> usize {
        64 + message(job)
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(SpLut::<G>::prepare_kk13(p, table.len(), batch)?))
    }
}
