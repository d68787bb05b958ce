//! Lookups of shared keys in one party's table, of which the other keeps nothing.
//!
//! # Functionality
//! That of [`copy`](super::copy), for one batch of up to [`MAX_LOOKUPS`]. *Distinct*: the caller knows that no key stands
//! twice in the batch; if one does, the party without the table learns which are equal.
//!
//! # Protocol
//! F is the [function](super::prf) under a key k of the owner, a fresh one for each batch; `F_k(x)` is `id ‖ mask`, the
//! id of 64 bits.
//! 1. *Offline*: the owner sends a [store](store) from which whoever has the id of a key reads its row, masked. All keys that
//!    there could be are in it, but for [`Keys::Sparse`], and m dummies, ids of no key. The other material is made.
//! 2. The keys are [shuffled](crate::permutation::shuffle), and their indexes with them. `x ‖ index` is
//!    [sorted](super::order): the order is public. Of each but the first it is asked whether its key is that of the one
//!    before: shared bits t.
//! 3. Shares of `F_k(x)` are computed for all. Where `t = 1` a dummy takes the place of the id: what the other party
//!    then opens are m different ids, in an order of no meaning. It reads what they have in the store.
//! 4. By t, what was read at the first of equal keys is [copied](super::spread) to the others. Masks are taken off.
//! 5. Sparse keys: the row is present if the bits behind it are zero. The rows go back to the keys' order.
//!
//! Distinct keys need steps 1, 3 and 5 alone, and no dummies.
//!
//! # Cost
//! What [`ThinLookups::bill`] adds up. The store is the largest part where there are many rows: for n keys and dummies 1.24
//! to 1.26 n rows, from `2^18` keys on; sparse ones 1.3 n rows in words of 64 bits. The owner computes the function at all
//! keys for each batch; the other party's work is that of its m lookups, and it keeps the store between the phases.
//!
//! # Source
//! confidential-beyond 2, design B. Deviations: ids and masks come from one evaluation, after the sort, not beside it;
//! dummies are values of another block, so that no key needs a bit more; a bit of presence or zeros behind the row as in
//! design A.
//!
//! # Security
//! The owner sees the order of a shuffled list of distinct items. The other party sees it too, and ids: at most one of
//! each key of the table, and values of other inputs, all pseudo-random and different, so they do not even tell how many
//! keys are equal. Ids of absent sparse keys are equal with probability below `2^-41`. The store is pseudo-random, as the
//! masks are. Its making has no second try that depends on what the other party cannot compute from b ids alone
//! ([`store`]). A sparse key that is absent seems present with probability `2^-52`.

mod store;

use prim::Wiped;
use store::{Form, Kept, Store};

use super::{
    copy::{
        CopyJob, Keys, Rows, owner,
        presence::{Presence, Zeros},
    },
    order::{self, Order},
    prf::{Prf, PrfJob},
    spread::Spread,
};
use crate::{
    bill::{Bill, Phase},
    error::{Error, Result, same, within},
    gates::{Bits, Mux},
    net::Role,
    party::Party,
    permutation::shuffle::{Shuffle, Unshuffle},
    session::Session,
    share::{BShare, Bitwise},
};

/// Most lookups of a batch.
pub const MAX_LOOKUPS: usize = order::MAX_ITEMS;

/// Most bits of a row.
pub const MAX_ROW_BITS: u32 = 1 << 12;

/// Bits of an id: the first of the function's value.
const ID_BITS: u32 = 64;

/// The form of a table and of its lookups. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThinJob {
    /// The table's.
    pub table: CopyJob,
    /// Whether no key stands twice in a batch.
    pub distinct: bool,
}

/// The owner's table. Secret.
pub struct Table {
    job: CopyJob,
    keys: Wiped<u128>,
    rows: Wiped<u64>,
}

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

/// What hides which keys are equal.
struct Sorted {
    shuffle: Shuffle,
    order: Order,
    tags: Zeros,
    mux: Mux,
    spread: Spread,
    /// A mistake, for tests.
    by_position: bool,
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
    Other(Store),
}

impl ThinJob {
    /// `Ok(())` if so many lookups can be made.
    fn check(&self, count: usize) -> Result<()> {
        self.table.check()?;
        within("bits of a table's row", self.table.row_bits, 1..=MAX_ROW_BITS)?;
        within("lookups at once", u32::try_from(count).unwrap_or(u32::MAX), 1..=MAX_LOOKUPS as u32)?;
        self.prf().check_count(count)
    }

    /// Most lookups at once.
    pub fn most(&self) -> usize {
        self.prf().most().min(MAX_LOOKUPS)
    }

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

    /// Bits of a row and of what stands behind it.
    fn row_planes(&self) -> u32 {
        self.table.masked() as u32
    }

    fn prf(&self) -> PrfJob {
        let CopyJob { cipher, owner, keys, .. } = self.table;
        PrfJob {
            cipher,
            owner,
            input_bits: keys.bits(),
            output_bits: ID_BITS.saturating_add(self.row_planes()),
        }
    }

    /// Whether equal keys must be hidden among so many.
    fn sorts(&self, count: usize) -> bool {
        !self.distinct && count > 1
    }

    /// Ids that take the place of others and are keys of the store: those of sparse keys need not be.
    fn dummies(&self, count: usize) -> usize {
        if self.sorts(count) { count } else { 0 }
    }

    /// Widths of the words of a key, and of its index.
    fn item_widths(&self, count: usize) -> Vec<u32> {
        let index = count.next_power_of_two().ilog2();
        words(self.table.keys.bits()).chain([index]).collect()
    }

    /// Widths of the words of a row, and of a bit of presence.
    fn result_widths(&self) -> Vec<u32> {
        words(self.table.row_bits).chain(self.table.keys.absent().then_some(1)).collect()
    }
}

/// Widths of the words of so many bits.
fn words(bits: u32) -> impl Iterator<Item = u32> {
    (0..bits.div_ceil(64)).map(move |i| (bits - 64 * i).min(64))
}

impl Table {
    /// A table with [`CopyJob::row_words`] words for each of `keys`, lowest first.
    ///
    /// # Errors
    /// As [`Owner::encrypt`](super::copy::Owner::encrypt).
    pub fn new(job: CopyJob, keys: &[u128], rows: &[u64]) -> Result<Self> {
        job.check()?;
        owner::check(&job, keys, rows)?;
        Ok(Self { job, keys: Wiped::from(keys.to_vec()), rows: Wiped::from(rows.to_vec()) })
    }

    /// Its form.
    pub fn job(&self) -> &CopyJob {
        &self.job
    }

    /// The rows of all keys that there can be, with the bit behind each that says whether it is there.
    fn by_key(&self) -> Wiped<u64> {
        let (given, len) = (self.job.row_words(), self.job.masked().div_ceil(64));
        let mut rows = Wiped::zeros(len << self.job.keys.bits());
        let behind = self.job.row_bits as usize;
        for (key, row) in self.keys.iter().zip(self.rows.chunks_exact(given)) {
            let to = &mut rows[*key as usize * len..][..len];
            to[..given].copy_from_slice(row);
            if self.job.keys.absent() {
                to[behind / 64] |= 1 << (behind % 64);
            }
        }
        rows
    }
}

impl ThinLookups {
    /// Offline: for `count` lookups, 1 to [`ThinJob::most`]. The owner gives its table, the other party none.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and unless the owner alone gives a table, of the job;
    /// [`Error::Chance`] if a store has no place for the table, with probability below `2^-44`; those of the channel.
    pub fn prepare(p: &mut Party, job: ThinJob, table: Option<&Table>, count: usize) -> Result<Self> {
        job.check(count)?;
        let owner = p.role() == job.table.owner;
        if owner != table.is_some() || table.is_some_and(|table| table.job != job.table) {
            let got = table.map_or("none".into(), |table| format!("{:?}", table.job));
            let accepted = format!("{:?} at its owner, none at the other party", job.table);
            return Err(Error::Param { what: "table to look up in", got, accepted });
        }
        let sorted = if job.sorts(count) { Some(Sorted::prepare(p, &job, count)?) } else { None };
        let prf = Prf::prepare(p, job.prf(), count)?;
        let presence = match job.table.keys {
            Keys::Sparse { .. } => {
                Some(Presence::prepare(p, job.tag_bits(), job.table.row_bits as usize, count)?)
            }
            _ => None,
        };
        let side = match table {
            Some(table) => Side::Owner(store::send(p, &job, table, count)?),
            None => Side::Other(Store::receive(p, &job, count)?),
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
        let prf = Prf::bill(&job.prf(), count)?;
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
        let [_, order, tags, ids, spread] = parts.map(|part| part.online.rounds);
        clock.from(Role::P1).from(Role::P0).both(order + tags + values + ids);
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
    #[must_use]
    pub fn insecure_ties_by_position(mut self) -> Self {
        self.sorted.iter_mut().for_each(|sorted| sorted.by_position = true);
        self
    }

    /// Online: shares of the rows at the keys of which x has the words, lowest first. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key of the right width for each lookup, [`Error::Chance`] as
    /// [`Order::reveal`], and those of the channel.
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
        let mut masks = prf.eval(s, key, &keys)?;
        let mut ids: BShare<u64> = Bits::to_share(&masks[..ID_BITS as usize])?;
        masks.drain(..ID_BITS as usize);
        let Sorting { tags, mux, spread, order, back } = match sorting {
            None => Sorting::default(),
            Some(sorting) => sorting,
        };
        if let (Some(mux), Some(tags)) = (mux, &tags) {
            ids = replaced(s, &side, mux, tags, ids)?;
        }
        let mut seen = read(s, &job, &side, &ids)?;
        let mut read = shares(&job, &seen.stored, count);
        if let (Some(spread), Some(tags)) = (spread, &tags) {
            read = spread.spread(s, tags, read)?;
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

/// How many messages, each of which waits for the one before, each party has waited for: where one party alone sends, the
/// other is a message ahead, and the next one may cost nothing.
#[derive(Default)]
struct Clock([u32; 2]);

impl Clock {
    /// Rounds in which both send.
    fn both(&mut self, rounds: u32) -> &mut Self {
        for _ in 0..rounds {
            let [a, b] = self.0;
            self.0 = [a.max(b + 1), b.max(a + 1)];
        }
        self
    }

    /// A message of one party.
    fn from(&mut self, role: Role) -> &mut Self {
        let (mine, theirs) = (role as usize, role.peer() as usize);
        self.0[theirs] = self.0[theirs].max(self.0[mine] + 1);
        self
    }

    /// A bill with these rounds online.
    fn rounds(&self, bill: Bill) -> Bill {
        let rounds = self.0[0].max(self.0[1]);
        Bill { online: Phase { rounds, ..bill.online }, ..bill }
    }
}

/// What is left of the material for sorting, and what was learned.
#[derive(Default)]
struct Sorting {
    tags: Option<Bits>,
    mux: Option<Mux>,
    spread: Option<Spread>,
    order: Option<Vec<u32>>,
    back: Option<Unshuffle>,
}

impl Sorted {
    fn prepare(p: &mut Party, job: &ThinJob, count: usize) -> Result<Self> {
        let widths = job.item_widths(count);
        let store = job.read_widths();
        Ok(Self {
            shuffle: Shuffle::prepare(p, count, &widths, &job.result_widths())?,
            order: Order::prepare(p, widths.iter().sum(), count)?,
            tags: Zeros::prepare(p, job.table.keys.bits() as usize, count - 1)?,
            mux: Mux::prepare(p, count, &[ID_BITS])?,
            spread: Spread::prepare(p, count, &store)?,
            by_position: false,
        })
    }

    /// Of the fields, in order.
    fn bills(job: &ThinJob, count: usize) -> Result<[Bill; 5]> {
        let widths = job.item_widths(count);
        Ok([
            Shuffle::bill(count, &widths, &job.result_widths())?,
            Order::bill(widths.iter().sum(), count)?,
            Zeros::bill(job.table.keys.bits() as usize, count - 1),
            Mux::bill(&[ID_BITS]).times(count),
            Spread::bill(count, &job.read_widths()),
        ])
    }

    /// Step 2: the keys' bits in order, and which is that of the one before.
    fn sort(self, s: &mut Session, job: &ThinJob, x: &[BShare<u64>]) -> Result<(Vec<Bits>, Sorting)> {
        let Self { shuffle, order, tags, mux, spread, by_position } = self;
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
        let change = |bit: &Bits| &bit.range(1..count) ^ &bit.range(0..count - 1);
        let same = tags.eval(s, &keys.iter().map(change).collect::<Vec<_>>())?;
        let tags = Bits::collect(std::iter::once(0).chain(same.iter()));
        let (mux, spread) = (Some(mux), Some(spread));
        Ok((keys, Sorting { tags: Some(tags), mux, spread, order: Some(order), back: Some(back) }))
    }
}

impl ThinJob {
    /// Widths of the words that are read in the store, without what no row has.
    fn read_widths(&self) -> Vec<u32> {
        words(self.row_planes()).collect()
    }

    fn tag_bits(&self) -> usize {
        self.table.keys.tag_bits() as usize
    }
}

/// Step 3: dummies instead of ids, where the bit is 1.
fn replaced(s: &mut Session, side: &Side, mux: Mux, tags: &Bits, ids: BShare<u64>) -> Result<BShare<u64>> {
    let change = match side {
        Side::Owner(kept) => &ids ^ &BShare::new(ID_BITS, kept.dummies.to_vec()),
        Side::Other(_) => ids.clone(),
    };
    Ok(&ids ^ &mux.select::<Bitwise, u64>(s, tags, &change)?)
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

/// Each item at the place that it was sorted from, which is public.
fn unsorted(columns: &[BShare<u64>], order: &[u32]) -> Vec<BShare<u64>> {
    let column = |x: &BShare<u64>| {
        let mut words = Wiped::zeros(x.len());
        order.iter().zip(x.words()).for_each(|(&to, &word)| words[to as usize] = word);
        BShare::new(x.bits(), words.into_vec())
    };
    columns.iter().map(column).collect()
}
