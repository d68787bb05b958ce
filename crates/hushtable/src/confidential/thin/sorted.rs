//! Step 2: the keys in an order that is public, and what hides which of them are equal.

use prim::Wiped;

use super::job::{ID_BITS, ThinJob};
use crate::{
    bill::{Bill, Phase},
    confidential::{order::Order, spread::Spread},
    error::Result,
    gates::{Bits, Mux},
    net::Role,
    party::Party,
    permutation::shuffle::{Shuffle, Unshuffle},
    session::Session,
    share::BShare,
};

/// What hides which keys are equal.
pub(super) struct Sorted {
    shuffle: Shuffle,
    order: Order,
    mux: Mux,
    spread: Spread,
    /// A mistake, for tests.
    pub(super) by_position: bool,
}

/// What is left of the material for sorting, and what was learned.
#[derive(Default)]
pub(super) struct Sorting {
    pub(super) mux: Option<Mux>,
    pub(super) spread: Option<Spread>,
    pub(super) order: Option<Vec<u32>>,
    pub(super) back: Option<Unshuffle>,
}

impl Sorted {
    pub(super) fn prepare(p: &mut Party, job: &ThinJob, count: usize) -> Result<Self> {
        let widths = job.item_widths(count);
        let store = job.read_widths();
        Ok(Self {
            shuffle: Shuffle::prepare(p, count, &widths, &job.result_widths())?,
            order: Order::prepare(p, widths.iter().sum(), count, job.pace.order)?,
            mux: Mux::prepare(p, count, &[ID_BITS])?,
            spread: Spread::prepare(p, count, &store, job.pace.radix)?,
            by_position: false,
        })
    }

    /// Of the fields, in order.
    pub(super) fn bills(job: &ThinJob, count: usize) -> Result<[Bill; 4]> {
        let widths = job.item_widths(count);
        Ok([
            Shuffle::bill(count, &widths, &job.result_widths())?,
            Order::bill(widths.iter().sum(), count, job.pace.order)?,
            Mux::bill(&[ID_BITS]).times(count),
            Spread::bill(count, &job.read_widths(), job.pace.radix),
        ])
    }

    /// Step 2: the keys' bits in order.
    pub(super) fn sort(
        self,
        s: &mut Session,
        job: &ThinJob,
        x: &[BShare<u64>],
    ) -> Result<(Vec<Bits>, Sorting)> {
        let Self { shuffle, order, mux, spread, by_position } = self;
        let (role, count) = (s.role(), x[0].len());
        let width = *job.item_widths(count).last().expect("that of the index");
        let index =
            BShare::new(width, (0..count as u64).map(|i| if role == Role::P0 { i } else { 0 }).collect());
        let (moved, back) = shuffle.shuffle(s, &[x, std::slice::from_ref(&index)].concat())?;
        let mut keys: Vec<Bits> = moved.iter().flat_map(Bits::from_share).collect();
        let mut places = keys.split_off(job.table.keys.bits() as usize);
        if by_position {
            places = Bits::from_share(&index);
        }
        // Ties are broken by the index, which is secret after the shuffle.
        places.extend(keys.iter().cloned());
        let order = order.reveal(s, &places)?;
        let moved = |bit: &Bits| {
            let at = |&i: &u32| bit.words()[i as usize / 64] >> (i % 64) & 1;
            Bits::collect(order.iter().map(at))
        };
        let keys: Vec<Bits> = keys.iter().map(moved).collect();
        let (mux, spread) = (Some(mux), Some(spread));
        Ok((keys, Sorting { mux, spread, order: Some(order), back: Some(back) }))
    }
}

/// How many messages, each of which waits for the one before, each party has waited for: where one party alone sends, the
/// other is a message ahead, and the next one may cost nothing.
#[derive(Default)]
pub(super) struct Clock([u32; 2]);

impl Clock {
    /// Rounds in which both send.
    pub(super) fn both(&mut self, rounds: u32) -> &mut Self {
        for _ in 0..rounds {
            let [a, b] = self.0;
            self.0 = [a.max(b + 1), b.max(a + 1)];
        }
        self
    }

    /// A message of one party.
    pub(super) fn from(&mut self, role: Role) -> &mut Self {
        let (mine, theirs) = (role as usize, role.peer() as usize);
        self.0[theirs] = self.0[theirs].max(self.0[mine] + 1);
        self
    }

    /// A bill with these rounds online.
    pub(super) fn rounds(&self, bill: Bill) -> Bill {
        let rounds = self.0[0].max(self.0[1]);
        Bill { online: Phase { rounds, ..bill.online }, ..bill }
    }
}

/// Each item at the place that it was sorted from, which is public.
pub(super) fn unsorted(columns: &[BShare<u64>], order: &[u32]) -> Vec<BShare<u64>> {
    let column = |x: &BShare<u64>| {
        let mut words = Wiped::zeros(x.len());
        order.iter().zip(x.words()).for_each(|(&to, &word)| words[to as usize] = word);
        BShare::new(x.bits(), words.into_vec())
    };
    columns.iter().map(column).collect()
}
