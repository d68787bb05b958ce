//! A function of numbers in a known range as one table, whose index leaves low bits out: few rounds.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x, `lo <= x <= hi` in units. Out: shares mod `2^l` of the function.
//!
//! # Protocol
//! Each party cuts s bits off its share of `x - lo + 2^s - 1`, mod `2^(n+s)`, which holds that number for all of the range.
//! The sum H of what is left is `floor((x - lo + 2^s - 1) / 2^s)`, or one less where both low parts carry. They do not at
//! the least number, for which that is `2^s - 1`: so H never is -1. And x is less than `2^s` units from `lo + 2^s H`, where
//! the entry at H has the function, rounded to nearest. A range that needs fewer entries begins in their midst: numbers a
//! bit beyond either end have results, too.
//!
//! Where the function rises or falls by D a unit at most, results are `D (2^s - 1) + 1/2` units off at most, for all shares
//! of all numbers. Of all s for which that is as accurate as the other forms the largest is taken.
//!
//! What is opened is the index less the position of a one-hot vector mod `2^n`, which is uniform, whatever the number and
//! the shares are, and serves once; what follows are products from correlated OTs, each of which is masked and serves
//! once. Which bits are cut, and the table, follow from what is public: nothing else is sent.
//!
//! # Cost, a number
//! That of [reading](Reading) a table of `2^n` entries of l bits: 2 rounds, or 1 up to 12 bits of an index.
//!
//! # Source
//! functions-beyond 5, the whole ring in one table. Deviation: the range need not be a power of two, and its ends are
//! apart: as printed, numbers at its lower end are looked up at the upper one where both low parts carry.

use prim::ring::{Ring, low};

use crate::{
    arith::Objective,
    error::Result,
    math::{
        linear,
        tables::{Entries, MAX_TABLE_BITS, Material, Reading},
    },
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// The shortest index: ranges of a few numbers take no shorter one.
const MIN_TABLE_BITS: u32 = 4;

/// Which table it is. Public.
#[derive(Clone, Copy)]
pub(super) struct TableJob {
    /// The number of the first entry, in units, and how many bits these are behind the point.
    lo: i64,
    scale: u32,
    /// Bits that are left out, s.
    cut: u32,
    /// How much the function rises or falls at most, D.
    slope: f64,
    pub(super) reading: Reading,
}

/// One-time material for a batch of numbers.
pub(super) struct Tabled {
    job: TableJob,
    material: Material,
}

impl TableJob {
    /// The shortest table for numbers of these bits, with so many behind the point, in a range, both ends included, of what
    /// rises by `slope` at most, that is off by `most` units at most; `None` for one that is too long.
    pub(super) fn suiting(
        [bits, scale]: [u32; 2],
        slope: f64,
        [lo, hi]: [i64; 2],
        most: f64,
    ) -> Option<Self> {
        let cut = (0..scale).rev().find(|&cut| off(slope, cut) <= most)?;
        // The greatest H.
        let last = (hi.abs_diff(lo) + (1 << cut) - 1) >> cut;
        let index_bits = (u64::BITS - last.leading_zeros()).max(MIN_TABLE_BITS);
        let reading = Reading::suiting(index_bits, bits, Objective::Rounds);
        // Entries that are left serve numbers beyond either end.
        let beside = (((1i64 << index_bits) - 1 - last as i64) / 2) << cut;
        let job = Self { lo: lo - beside, scale, cut, slope, reading };
        (index_bits <= MAX_TABLE_BITS).then_some(job)
    }

    /// Units that results may be off.
    pub(super) fn most_off(&self) -> f64 {
        off(self.slope, self.cut)
    }

    /// With what is the table's.
    pub(super) fn terms(&self, of: Terms) -> Terms {
        of.with("first entry", self.lo).with("index bits", self.reading.index_bits)
    }

    fn entries(&self, function: impl Fn(f64) -> f64) -> Result<Entries> {
        let unit = libm::exp2(f64::from(self.scale));
        let value = |index: i64| {
            let x = (self.lo + (index << self.cut)) as f64 / unit;
            low((function(x) * unit).round() as i64 as u64, self.reading.bits)
        };
        Entries::new(self.reading.bits, &(0..1 << self.reading.index_bits).map(value).collect::<Vec<_>>())
    }
}

/// Units that what rises by so much is off where so many bits are cut.
fn off(slope: f64, cut: u32) -> f64 {
    slope * (libm::exp2(f64::from(cut)) - 1.0) + 0.5
}

impl Tabled {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: TableJob, batch: usize) -> Result<Self> {
        Ok(Self { job, material: job.reading.prepare(p, 1, batch)? })
    }

    /// Online: shares of the function, in the ring of the numbers. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn eval<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<u64>,
        function: impl Fn(f64) -> f64,
    ) -> Result<AShare<R>> {
        let Self { job, material } = self;
        let from = (1i64 << job.cut) - 1 - job.lo;
        let moved = linear::plus(s.role(), x, from as u64);
        let index = linear::map(&moved, job.reading.index_bits, |x| x >> job.cut);
        Ok(material.read(s, &[&job.entries(function)?], &index)?.remove(0))
    }
}
