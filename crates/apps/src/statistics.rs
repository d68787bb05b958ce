//! Statistics of joined columns: what two parties learn of the rows that they have in common, without seeing which.
//!
//! # Functionality
//! In: the bit of each bin whether it matches, and columns that are 0 where it does not, as
//! [`Joined`](crate::join::Joined) has them. Out, as shares until they are opened: the count of matches; sums; sums of
//! products, of which with count and sums [`Moments`] are computed, in the clear; counts and sums by group; the
//! largest and the smallest number, and the least of public cuts that a quantile does not reach ([`Extremes`],
//! [`Quantile`]).
//!
//! **What is opened is all that is told**: a mean and a variance tell count, sum and sum of squares. A group with few
//! members tells of them: [`Groups::open`] opens nothing of groups that are smaller than a public least size, so that a
//! small one looks like an empty one. That does not help where the same is known by another way: do not open a total
//! beside groups, nor a second query that differs in one person. Keep a list of what was asked. [`Laplace`] noise of
//! both parties, added before opening, bounds what any query tells.
//!
//! Sums are mod `2^l` of the column's width: it is the caller's to leave room.
//!
//! # Protocol
//! * *Count*: the bits become additive words of 32 bits, which are added up.
//! * *Sums*: of shares. *Sums of products*: an inner product.
//! * *Groups*: a column of bits for each group, which are exclusive; each bit counts, and selects the words to be summed.
//!   The count of each group is compared with the least size; those bits are opened, then what reaches it.
//!
//! # Cost
//! Those of the conversions, products, selections and comparisons, see the bills.
//!
//! # Source
//! join-spec 4, Aggregates.

mod noise;
mod order;

pub use noise::Laplace;
pub use order::{End, Extremes, Quantile, QuantileMaterial};

use hushtable::{
    AShare, Error, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Multiplication, Objective},
    bill::Bill,
    error::same,
    gates::{B2a, Bits, Mux},
    session::Session,
    source::Source,
};

/// Bits of a count.
const COUNT: u32 = 32;

/// Most groups.
pub const MAX_GROUPS: usize = 64;

/// The sum of a column. Local.
pub fn sum(column: &AShare<u64>) -> AShare<u64> {
    let sum = column.words().iter().fold(0u64, |sum, word| sum.wrapping_add(*word));
    AShare::new(column.bits(), vec![sum])
}

/// One-time material for a count of bits.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Count(B2a);

impl Count {
    /// Offline, for so many bins.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut impl Source, bins: usize) -> Result<Self> {
        Ok(Self(B2a::prepare(p, COUNT, bins)?))
    }

    /// What it costs.
    pub fn bill(bins: usize) -> Bill {
        B2a::bill(COUNT).times(bins)
    }

    /// Online, 1 round: a share of how many bits are 1, of 32 bits. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many bits as prepared for, and those of the channel.
    pub fn count(self, s: &mut Session, matched: &Bits) -> Result<AShare<u64>> {
        Ok(sum(&self.0.convert::<u64>(s, matched)?))
    }
}

/// One-time material for the sum of the products of two columns.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct ProductSum {
    bins: usize,
    products: Multiplication,
}

impl ProductSum {
    /// Offline, for columns of `bits` bits, with room for the sum.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut impl Source, bits: u32, bins: usize) -> Result<Self> {
        Ok(Self { bins, products: Multiplication::prepare(p, bits, bins)? })
    }

    /// What it costs.
    pub fn bill(bits: u32, bins: usize) -> Bill {
        Multiplication::bill(bits).times(bins)
    }

    /// Online, 1 round: a share of the sum of `x_i y_i`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if columns or widths are not those prepared for, and those of the channel.
    pub fn sum(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<AShare<u64>> {
        self.products.inner_products(s, x, y, self.bins)
    }
}

/// What follows from opened sums of two columns, or of one taken twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Of both columns.
    pub means: [f64; 2],
    /// Of the rows there are, not of those they were drawn from; of one column its variance.
    pub covariance: f64,
}

impl Moments {
    /// From the count, the sums and the sum of products. `None` if nothing matches.
    pub fn of(count: u64, sums: [i64; 2], products: i64) -> Option<Self> {
        let n = (count > 0).then_some(count as f64)?;
        // In whole numbers, so that nothing gets lost in the difference.
        let difference = i128::from(count) * i128::from(products) - i128::from(sums[0]) * i128::from(sums[1]);
        Some(Self { means: sums.map(|sum| sum as f64 / n), covariance: difference as f64 / n / n })
    }
}

/// One-time material for counts and sums by group.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Groups {
    shape: GroupShape,
    counts: B2a,
    sums: Mux,
    enough: Option<Comparison>,
}

/// Public, the same at both parties.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupShape {
    /// Bins of the join.
    pub bins: usize,
    /// Groups, at most [`MAX_GROUPS`].
    pub groups: usize,
    /// Widths of the columns to be summed, at least one.
    pub widths: Vec<u32>,
    /// The least number of members of a group that is opened; 0 and 1: of all, those without members among them.
    pub least: u32,
}

impl GroupShape {
    fn check(&self) -> Result<()> {
        if (1..=MAX_GROUPS).contains(&self.groups) && self.bins > 0 {
            return Ok(());
        }
        let (what, got) = ("groups", self.groups.to_string());
        Err(Error::Param { what, got, accepted: format!("1 to {MAX_GROUPS}") })
    }

    fn compare(&self) -> Result<Option<CompareJob>> {
        let job = || CompareJob::new(COUNT, CompareDomain::Near, Objective::Total);
        (self.least > 1).then(job).transpose()
    }

    /// What counts and sums cost, with the opening of the groups that are large enough: at most, as of all groups. A round
    /// for the counts and for each column.
    ///
    /// # Errors
    /// [`Error::Param`] as [`Groups::prepare`].
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let items = self.bins * self.groups;
        let mut bill = B2a::bill(COUNT).times(items) + Mux::bill(&self.widths).times(items);
        if let Some(job) = self.compare()? {
            bill = bill + job.bill()?.times(self.groups) + Bill::opening(self.groups as u64);
        }
        let opening = |bill: Bill, &width: &u32| bill + Bill::opening(u64::from(width) * self.groups as u64);
        Ok([COUNT].iter().chain(&self.widths).fold(bill, opening))
    }
}

/// An opened group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub group: usize,
    /// Its members.
    pub count: u64,
    /// The sums of the columns.
    pub sums: Vec<u64>,
}

/// Shares of counts, and of the sums of each column, by group.
pub struct Grouped {
    counts: AShare<u64>,
    sums: Vec<AShare<u64>>,
    least: u32,
    enough: Option<Comparison>,
}

impl Groups {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_GROUPS`] or none, and for widths other than 1 to 64; and those of the
    /// channel.
    pub fn prepare(p: &mut impl Source, shape: GroupShape) -> Result<Self> {
        shape.check()?;
        let items = shape.bins * shape.groups;
        let counts = B2a::prepare(p, COUNT, items)?;
        let sums = Mux::prepare(p, items, &shape.widths)?;
        let enough = shape.compare()?.map(|job| Comparison::prepare(p, job, shape.groups)).transpose()?;
        Ok(Self { shape, counts, sums, enough })
    }

    /// Online, 2 rounds: shares of counts and sums. A batch of bits for each group, 0 where a bin does not match.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless groups, bins and columns are those prepared for, and those of the channel.
    pub fn add_up(self, s: &mut Session, groups: &[Bits], columns: &[&AShare<u64>]) -> Result<Grouped> {
        let Self { shape, counts, sums, enough } = self;
        same("groups", shape.groups, groups.len())?;
        groups.iter().try_for_each(|group| same("bins", shape.bins, group.len()))?;
        columns.iter().try_for_each(|column| same("bins", shape.bins, column.len()))?;
        let bits = Bits::concat(groups.iter());
        let by_group = |column: &AShare<u64>| {
            let sums = column
                .words()
                .chunks(shape.bins)
                .map(|group| group.iter().fold(0u64, |s, w| s.wrapping_add(*w)));
            AShare::<u64>::new(column.bits(), sums.collect())
        };
        let counts = by_group(&counts.convert(s, &bits)?);
        let repeated = columns
            .iter()
            .map(|column| AShare::<u64>::new(column.bits(), column.words().repeat(shape.groups)));
        let repeated: Vec<_> = repeated.collect();
        let selected = sums.select_all(s, &bits, &repeated.iter().collect::<Vec<_>>())?;
        Ok(Grouped { counts, sums: selected.iter().map(by_group).collect(), least: shape.least, enough })
    }
}

impl Grouped {
    /// Adds noise of this party's to the counts; the other adds its own. Comparisons with the least size see it.
    pub fn add_noise(&mut self, s: &mut Session, noise: &Laplace) {
        self.counts = noise.add(s, &self.counts);
    }

    /// Online: the groups that are large enough, to both. Spends all of it.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(self, s: &mut Session) -> Result<Vec<Group>> {
        let groups = self.counts.len();
        let chosen: Vec<usize> = match self.enough {
            None => (0..groups).collect(),
            Some(compare) => {
                let least = if s.role() == Role::P0 { self.least.into() } else { 0 };
                let least = AShare::<u64>::new(COUNT, vec![least; groups]);
                // Public by the functionality: which groups are large enough.
                let enough = compare.ge(s, &self.counts, &least)?.open(s)?;
                (0..groups).filter(|&group| enough[group / 64] >> (group % 64) & 1 == 1).collect()
            }
        };
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        // Public by the functionality: of groups that are large enough only. The others stay shared.
        let pick = |column: &AShare<u64>| {
            AShare::<u64>::new(column.bits(), chosen.iter().map(|&group| column.words()[group]).collect())
        };
        let counts = s.open(&pick(&self.counts))?;
        let sums = self.sums.iter().map(|column| s.open(&pick(column))).collect::<Result<Vec<_>>>()?;
        let group = |(i, &group): (usize, &usize)| Group {
            group,
            count: counts[i],
            sums: sums.iter().map(|column| column[i]).collect(),
        };
        Ok(chosen.iter().enumerate().map(group).collect())
    }
}
