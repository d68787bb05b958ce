//! Lookups of shared keys in one party's table; the other party keeps nothing of it.
//!
//! # Functionality
//! That of [`copy`](super::copy), for one batch of up to [`MAX_LOOKUPS`]. *Distinct*: the caller knows that no key stands
//! twice in the batch; if one does, the party without the table learns which are equal.
//!
//! # Protocol
//! F is the [function](super::prf) under a key k of the owner, a fresh one for each batch; `F_k(x)` is `id ‖ mask`, the
//! id of 64 bits.
//! 1. *Offline*: the owner sends a store from which whoever has the id of a key reads its row, masked. All keys that
//!    there could be are in it, but for [`Keys::Sparse`], and m dummies, ids of no key. The other material is made.
//! 2. The keys are [shuffled](crate::permutation::shuffle), and their indexes with them. `x ‖ index` is
//!    [sorted](super::order): the order is public. Of each but the first it is asked whether its key is that of the one
//!    before, shared bits t, and of some before that: [runs](super::spread).
//! 3. Shares of `F_k(x)` are computed for all, in the rounds of step 2's bits. Where `t = 1` a dummy takes the place of
//!    the id: what the other party then opens are m different ids, in an order of no meaning. It reads what they have in
//!    the store.
//! 4. By step 2's bits, what was read at the first of equal keys is [copied](super::spread) to the others. Masks are taken
//!    off.
//! 5. Sparse keys: the row is present if the bits behind it are zero. The rows go back to the keys' order.
//!
//! Distinct keys need steps 1, 3 and 5 alone, and no dummies.
//!
//! # Cost
//! What [`ThinLookups::bill`] adds up; fewer rounds for more bytes at another [`Pace`]. The store is the largest part where
//! there are many rows: for n keys and dummies 1.24 to 1.26 n rows, from `2^18` keys on; sparse ones 1.3 n rows in words
//! of 64 bits. The owner computes the function at all keys for each batch; the other party's work is that of its m
//! lookups, and it keeps the store between the phases.
//!
//! # Source
//! confidential-beyond 2, design B. Deviations: ids and masks come from one evaluation, after the sort, not beside it;
//! dummies are values of another block, so that no key needs a bit more; a bit of presence or zeros behind the row as in
//! design A.
//!
//! # Security
//! The owner sees the order of a shuffled list of distinct items. The other party sees it too, and ids: at most one of
//! each key of the table, and values of other inputs, all pseudo-random and different, so they do not even tell how many
//! keys are equal, unless two absent sparse keys have one id by chance ([`ThinJob::chance`]). The store is pseudo-random,
//! as the masks are. Its making has no second try that depends on what the other party cannot compute from b ids alone
//! (`thin/store.rs`). A sparse key that is absent seems present as in design A. All of this is for one batch.
//!
//! **How long the owner takes to make a store tells about how many rows a table has**, since the other party waits for it,
//! for sparse keys more than for others. Who must hide that fills the table up, or takes a [`copy`](super::copy).

mod job;
mod sorted;
mod store;

pub use job::{MAX_LOOKUPS, MAX_ROW_BITS, Pace, Table, ThinJob};

use job::{ID_BITS, words};
use prim::Wiped;
use sorted::{Clock, Sorted, Sorting, unsorted};
use store::{Form, Kept, Store};

use super::{
    copy::{Keys, Rows, presence::Presence},
    prf::Prf,
};
use crate::{
    bill::{Bill, Phase},
    error::{Error, Result, same},
    gates::{Bits, Mux},
    net::Role,
    party::Party,
    session::Session,
    share::{BShare, Bitwise},
};

/// One-time material for a batch of lookups.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, confidential::thin::ThinLookups, session::Session};
/// fn twice(s: &mut Session, m: ThinLookups, x: &[BShare<u64>]) -> Result<()> {
///     m.eval(s, x)?;
///     m.eval(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct ThinLookups {
    job: ThinJob,
    count: usize,
    /// Unless keys are distinct.
    sorted: Option<Sorted>,
    prf: Prf,
    presence: Option<Presence>,
    side: Side,
}

/// What is opened for a batch: to both parties which of the shuffled keys is the least, and so on; to the one without the
/// table the ids, in that order, and what the store has there, word by word.
#[doc(hidden)]
pub struct Seen {
    pub order: Vec<u32>,
    pub ids: Vec<u64>,
    pub stored: Vec<Wiped<u64>>,
}

/// What a party has of the store.
enum Side {
    Owner(Kept),
    Other(Box<Store>),
}

impl ThinJob {
    /// Bits of the store, which are sent for each batch of so many lookups.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn store_bits(&self, count: usize) -> Result<u64> {
        self.check(count)?;
        let form = Form::of(self, count)?;
        let row: u32 = form.widths(self.row_planes()).iter().sum();
        Ok(form.columns() as u64 * u64::from(row))
    }
}

impl ThinLookups {
    /// Offline: for `count` lookups, 1 to [`ThinJob::most`]. The owner gives its table, the other party none. Of sparse keys
    /// chance is counted as if all batches of the job were of this size: divide lookups evenly.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, for batches so small or so many that chance could spoil the
    /// job ([`ThinJob::chance`]), and unless the owner alone gives a table, of the job;
    /// [`Error::Chance`] if a store has no place for the table, with probability below `2^-44`; those of the channel.
    pub fn prepare(p: &mut Party, job: ThinJob, table: Option<&Table>, count: usize) -> Result<Self> {
        job.check(count)?;
        job.check_chance(count)?;
        let owner = p.role() == job.table.owner;
        if owner != table.is_some() || table.is_some_and(|table| table.job != job.table) {
            let got = table.map_or("none".into(), |table| format!("{:?}", table.job));
            let accepted = format!("{:?} at its owner, none at the other party", job.table);
            return Err(Error::Param { what: "table to look up in", got, accepted });
        }
        let sorted = if job.sorts(count) { Some(Sorted::prepare(p, &job, count)?) } else { None };
        let prf = Prf::prepare_by(p, job.prf(), job.way(count), count)?;
        let presence = match job.table.keys {
            Keys::Sparse { .. } => {
                Some(Presence::prepare(p, job.tag_bits(), job.table.row_bits as usize, count)?)
            }
            _ => None,
        };
        let side = match table {
            Some(table) => Side::Owner(store::send(p, &job, table, count)?),
            None => Side::Other(Store::receive(p, &job, count)?.into()),
        };
        Ok(Self { job, count, sorted, prf, presence, side })
    }

    /// What `count` lookups cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &ThinJob, count: usize) -> Result<Bill> {
        let store = job.store_bits(count)?;
        let from = |role: Role, bits: u64| [Role::P0, Role::P1].map(|p| if p == role { bits } else { 0 });
        let owner = job.table.owner;
        let sent = Bill { offline: Phase { bits: from(owner, store), rounds: 1 }, kept: store, ..Bill::FREE };
        let ids = from(owner, u64::from(ID_BITS) * count as u64);
        let opened = Bill { online: Phase { bits: ids, rounds: 1 }, ..Bill::FREE };
        let prf = Prf::bill_by(&job.prf(), job.way(count), count)?;
        let presence = match job.table.keys {
            Keys::Sparse { .. } => Presence::bill(job.tag_bits(), job.table.row_bits as usize, count),
            _ => Bill::FREE,
        };
        let bill = prf + opened + presence + sent;
        let (values, behind) = (prf.online.rounds, presence.online.rounds);
        let mut clock = Clock::default();
        if !job.sorts(count) {
            clock.both(values).from(owner).both(behind);
            return Ok(clock.rounds(bill));
        }
        let parts = Sorted::bills(job, count)?;
        let [_, order, ids, spread] = parts.map(|part| part.online.rounds);
        clock.from(Role::P1).from(Role::P0).both(order + values + ids);
        clock.from(owner).both(spread + behind).from(Role::P0).from(Role::P1);
        Ok(clock.rounds(parts.into_iter().fold(Bill::FREE, Bill::then) + bill))
    }

    /// Lookups there is material for.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// With ties broken by the public position after the shuffle, not by the secret index: a mistake that shows which
    /// keys are equal, for the test that finds it.
    #[doc(hidden)]
    pub fn insecure_ties_by_position(mut self) -> Self {
        self.sorted.iter_mut().for_each(|sorted| sorted.by_position = true);
        self
    }

    /// Online: shares of the rows at the keys of which x has the words, lowest first. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key of the right width for each lookup, [`Error::Chance`] as
    /// [`Order::reveal`](super::order::Order::reveal), and those of the channel.
    pub fn eval(self, s: &mut Session, x: &[BShare<u64>]) -> Result<Rows> {
        self.eval_seen(s, x).map(|(rows, _)| rows)
    }

    /// [`eval`](Self::eval), and what is opened on the way.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn eval_seen(self, s: &mut Session, x: &[BShare<u64>]) -> Result<(Rows, Seen)> {
        let Self { job, count, sorted, prf, presence, side } = self;
        same("words of a key", job.table.key_words(), x.len())?;
        for (x, width) in x.iter().zip(words(job.table.keys.bits())) {
            same("bits of a key's word", width as usize, x.bits() as usize)?;
            same("keys to look up", count, x.len())?;
        }
        let (keys, sorting) = match sorted {
            None => (x.iter().flat_map(Bits::from_share).collect(), None),
            Some(sorted) => sorted.sort(s, &job, x).map(|(keys, sorting)| (keys, Some(sorting)))?,
        };
        let key = match &side {
            Side::Owner(kept) => Some(&kept.key),
            Side::Other(_) => None,
        };
        let (mut masks, runs) = prf.eval_beside(s, key, &keys)?;
        let mut ids: BShare<u64> = Bits::to_share(&masks[..ID_BITS as usize])?;
        masks.drain(..ID_BITS as usize);
        let Sorting { mux, spread, order, back } = sorting.unwrap_or_default();
        if let (Some(mux), Some(follows)) = (mux, runs.first()) {
            ids = replaced(s, &side, mux, follows, ids)?;
        }
        let mut seen = read(s, &job, &side, &ids)?;
        let mut read = shares(&job, &seen.stored, count);
        if let Some(spread) = spread {
            read = spread.spread(s, &runs, read)?;
        }
        let read: Vec<Bits> = read.iter().flat_map(Bits::from_share).collect();
        let mut row: Vec<Bits> = read.iter().zip(&masks).map(|(row, mask)| row ^ mask).collect();
        if let Some(presence) = presence {
            let tag = row.split_off(job.table.row_bits as usize);
            let (there, present) = presence.eval(s, &row, &tag)?;
            row = there;
            row.push(present);
        }
        let mut columns = columns(&row, &job.result_widths())?;
        if let (Some(order), Some(back)) = (order, back) {
            columns = back.unshuffle(s, &unsorted(&columns, &order))?;
            seen.order = order;
        }
        let present = job.table.keys.absent().then(|| columns.pop().expect("a bit behind the row"));
        let present = present.map(|bit| Bits::from_share(&bit).remove(0));
        Ok((Rows { words: columns, present }, seen))
    }
}

/// Step 3: dummies instead of ids, where the bit is 1.
fn replaced(s: &mut Session, side: &Side, mux: Mux, follows: &Bits, ids: BShare<u64>) -> Result<BShare<u64>> {
    let change = match side {
        Side::Owner(kept) => &ids ^ &BShare::new(ID_BITS, kept.dummies.to_vec()),
        Side::Other(_) => ids.clone(),
    };
    Ok(&ids ^ &mux.select::<Bitwise, u64>(s, follows, &change)?)
}

/// Step 3: opens the ids; what the store has there, at the party that reads.
fn read(s: &mut Session, job: &ThinJob, side: &Side, ids: &BShare<u64>) -> Result<Seen> {
    let mut opened = Vec::with_capacity(ids.len());
    // To one party: pseudo-random and different, as equal ones were replaced.
    let to = Some(job.table.owner.peer());
    s.open_words::<Bitwise, u64>(to, ID_BITS, ids.words(), |words| opened.extend_from_slice(words))?;
    let stored = match side {
        Side::Owner(_) => Vec::new(),
        Side::Other(store) => store.read(&opened)?,
    };
    Ok(Seen { order: Vec::new(), ids: opened, stored })
}

/// Shares of what was read, all at the party that did: without what no row has.
fn shares(job: &ThinJob, stored: &[Wiped<u64>], count: usize) -> Vec<BShare<u64>> {
    let column = |(i, width)| {
        let words = stored.get(i).map_or(vec![0; count], |words: &Wiped<u64>| words.to_vec());
        BShare::new(width, words)
    };
    job.read_widths().into_iter().enumerate().map(column).collect()
}

/// Words of these widths from bits.
fn columns(bits: &[Bits], widths: &[u32]) -> Result<Vec<BShare<u64>>> {
    let mut rest = bits;
    let column = |&width: &u32| {
        let (mine, others) = rest.split_at(width as usize);
        rest = others;
        Bits::to_share(mine)
    };
    widths.iter().map(column).collect()
}
