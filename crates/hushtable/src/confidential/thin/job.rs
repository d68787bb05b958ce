//! What is looked up, and in what.

use prim::Wiped;

use crate::{
    chance::{self, Chance},
    confidential::{
        copy::{CopyJob, Keys, MAX_JOB, owner},
        order,
        prf::{PrfJob, Way},
        runs::Reach,
    },
    error::{Error, Result, within},
    okvs::Size,
};

/// Most lookups of a batch.
pub const MAX_LOOKUPS: usize = order::MAX_ITEMS;

/// Most bits of a row.
pub const MAX_ROW_BITS: u32 = 1 << 12;

/// Bits of an id: the first of the function's value.
pub(super) const ID_BITS: u32 = 64;

/// The form of a table and of its lookups. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThinJob {
    /// The table's.
    pub table: CopyJob,
    /// Whether no key stands twice in a batch.
    pub distinct: bool,
    /// How few rounds a batch takes.
    pub pace: Pace,
}

/// How few rounds a batch takes online: fewer cost more bytes. [`paced`](crate::confidential::planner::paced) chooses for
/// a link. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pace {
    /// Whether S-boxes of AES, and which keys are equal, are looked up, and not computed by ANDs.
    pub lookups: bool,
    /// The radix of the [segmented copy](crate::confidential::spread): 2, 4 or 8.
    pub radix: u32,
    /// The order's.
    pub order: order::Pace,
}

impl Pace {
    /// Nearly the fewest bytes, whatever the rounds.
    pub const USUAL: Self = Self { lookups: false, radix: 2, order: order::Pace::USUAL };

    /// Those between which there is a choice.
    pub fn all() -> impl Iterator<Item = Self> {
        let lookups = || [false, true].into_iter();
        let of = move |order, radix| lookups().map(move |lookups| Self { lookups, radix, order });
        order::Pace::all()
            .flat_map(move |order| [2, 4, 8].into_iter().flat_map(move |radix| of(order, radix)))
    }
}

/// The owner's table. Secret.
pub struct Table {
    pub(super) job: CopyJob,
    pub(super) keys: Wiped<u128>,
    pub(super) rows: Wiped<u64>,
}

impl ThinJob {
    /// `Ok(())` if so many lookups can be made.
    pub(super) fn check(&self, count: usize) -> Result<()> {
        self.table.check()?;
        within("bits of a table's row", self.table.row_bits, 1..=MAX_ROW_BITS)?;
        if ![2, 4, 8].contains(&self.pace.radix) {
            let (what, got) = ("radix of a copy within runs", self.pace.radix.to_string());
            return Err(Error::Param { what, got, accepted: "2, 4 or 8".into() });
        }
        within("lookups at once", u32::try_from(count).unwrap_or(u32::MAX), 1..=MAX_LOOKUPS as u32)?;
        self.prf().check_count(count)
    }

    /// Most lookups at once.
    pub fn most(&self) -> usize {
        self.prf().most().min(MAX_LOOKUPS)
    }

    /// What chance can spoil in all lookups of a job, all in batches of `count`: those that the table's form allows for, or one
    /// batch. Nothing where all keys that there can be are in the store. An order for which the
    /// [sort](crate::confidential::order) lacks room is not counted: it tells nothing, no bound is known.
    pub fn chance(&self, count: usize) -> Chance {
        match self.table.keys {
            Keys::Sparse { lookups, .. } => self.of_lookups(lookups.max(count as u32), count),
            _ => Chance::NONE,
        }
    }

    /// The same, of a table for so many.
    fn of_lookups(&self, lookups: u32, count: usize) -> Chance {
        let Keys::Sparse { bits, rows, .. } = self.table.keys else { return Chance::NONE };
        let table = CopyJob { keys: Keys::Sparse { bits, rows, lookups }, ..self.table };
        let pairs = (count as f64).powi(2) / 2.0;
        let batch =
            Size::chance(rows as usize) + Chance::of("absent keys of one id", pairs, -(ID_BITS as i32));
        let batches = f64::from(lookups.div_ceil(count as u32));
        let all = batch.parts().iter().map(|(what, part)| Chance::of(what, batches * part, 0));
        table.chance(lookups.into()) + all.sum()
    }

    /// `Ok(())` unless chance can spoil a job too easily, in batches of `count`.
    pub(in crate::confidential) fn check_chance(&self, count: usize) -> Result<()> {
        self.chance(count).check_or(|| {
            let most = chance::most(MAX_JOB.into(), |lookups| self.of_lookups(lookups.max(1) as u32, count));
            format!("up to {most} lookups of a job in batches of {count}")
        })
    }

    /// Bits of a row and of what stands behind it.
    pub(super) fn row_planes(&self) -> u32 {
        self.table.masked() as u32
    }

    pub(super) fn prf(&self) -> PrfJob {
        let CopyJob { cipher, owner, keys, .. } = self.table;
        PrfJob {
            cipher,
            owner,
            input_bits: keys.bits(),
            output_bits: ID_BITS.saturating_add(self.row_planes()),
        }
    }

    /// How the function is computed at so many keys.
    pub(super) fn way(&self, count: usize) -> Way {
        let reach = self.sorts(count).then(|| Reach::over(count, self.pace.radix));
        Way { lookups: self.pace.lookups, reach }
    }

    /// Whether equal keys must be hidden among so many.
    pub(super) fn sorts(&self, count: usize) -> bool {
        !self.distinct && count > 1
    }

    /// Ids that take the place of others and are keys of the store: those of sparse keys need not be.
    pub(super) fn dummies(&self, count: usize) -> usize {
        if self.sorts(count) { count } else { 0 }
    }

    /// Widths of the words of a key, and of its index.
    pub(super) fn item_widths(&self, count: usize) -> Vec<u32> {
        let index = count.next_power_of_two().ilog2();
        words(self.table.keys.bits()).chain([index]).collect()
    }

    /// Widths of the words of a row, and of a bit of presence.
    pub(super) fn result_widths(&self) -> Vec<u32> {
        words(self.table.row_bits).chain(self.table.keys.absent().then_some(1)).collect()
    }

    /// Widths of the words that are read in the store, without what no row has.
    pub(super) fn read_widths(&self) -> Vec<u32> {
        words(self.row_planes()).collect()
    }

    pub(super) fn tag_bits(&self) -> usize {
        self.table.keys.tag_bits() as usize
    }
}

/// Widths of the words of so many bits.
pub(super) fn words(bits: u32) -> impl Iterator<Item = u32> {
    (0..bits.div_ceil(64)).map(move |i| (bits - 64 * i).min(64))
}

impl Table {
    /// A table with [`CopyJob::row_words`] words for each of `keys`, lowest first.
    ///
    /// # Errors
    /// As [`Owner::encrypt`](crate::confidential::copy::Owner::encrypt).
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
    pub(in crate::confidential) fn by_key(&self) -> Wiped<u64> {
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
