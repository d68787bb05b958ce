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
//! members tells of them: [`Grouped::open`] opens nothing of groups that are smaller than a public least size, so that a
//! small one looks like an empty one. That does not help where the same is known by another way: do not open a total
//! beside groups, nor a second query that differs in one person. Keep a list of what was asked. [`Laplace`] noise of
//! both parties, added before opening, bounds what any query tells. Of groups, counts and sums get it, or neither
//! ([`GroupNoise`]). Under noise the least size is compared with the noisy count: a small group may be opened, and a
//! large one may not.
//!
//! Sums are mod `2^l` of the column's width. It is the caller's to leave room for what rows add up to; noise that might
//! leave this room is refused ([`GroupShape::chance`]).
//!
//! What the parties ask is compared before anything is opened: shapes, least sizes and noise. A difference ends both
//! with [`Error::Handshake`].
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
mod split;

pub use noise::Laplace;
pub use order::{End, Extremes, Quantile, QuantileMaterial};
pub use split::GroupNoise;

use hushtable::{
    AShare, Error, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Multiplication, Objective},
    bill::Bill,
    chance::Chance,
    error::same,
    gates::{B2a, Bits, Mux},
    session::Session,
    source::Source,
};

/// Bits of a count.
const COUNT: u32 = 32;

/// Most groups.
pub const MAX_GROUPS: usize = 64;

/// Largest least size. No more bins can be counted, so that comparisons with it do not wrap around.
pub const MAX_LEAST: u32 = 1 << 30;

fn refused(what: &'static str, got: impl ToString, accepted: String) -> Error {
    Error::Param { what, got: got.to_string(), accepted }
}

fn check_least(least: u32) -> Result<()> {
    if least > MAX_LEAST {
        return Err(refused("least size", least, format!("0 to {MAX_LEAST}")));
    }
    Ok(())
}

/// What a party announces before a statistic: what it compares with the peer, and a hash of it, as an announcement is
/// of a bounded length.
fn announced(fields: &[(&str, String)]) -> String {
    let text: String = fields.iter().map(|(name, value)| format!("; {name} {value}")).collect();
    format!("statistics {}{text}", &blake3::hash(text.as_bytes()).to_hex()[..32])
}

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
    pub fn prepare(p: &mut dyn Source, bins: usize) -> Result<Self> {
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
    pub fn prepare(p: &mut dyn Source, bits: u32, bins: usize) -> Result<Self> {
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
        Some(Self { means: sums.map(|sum| sum as f64 / n), covariance: difference as f64 / (n * n) })
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
#[derive(Clone, Debug, PartialEq)]
pub struct GroupShape {
    /// Bins of the join.
    pub bins: usize,
    /// Groups, at most [`MAX_GROUPS`].
    pub groups: usize,
    /// Widths of the columns to be summed, at least one. One of 1 bit is of zeros: no signed sum fits it.
    pub widths: Vec<u32>,
    /// The least number of members of a group that is told of, at most [`MAX_LEAST`]; only with 0 also of those without
    /// members. With noise it is compared with the noisy number.
    pub least: u32,
    /// What each party adds before anything is compared or opened.
    pub noise: Option<GroupNoise>,
}

impl GroupShape {
    fn check(&self) -> Result<()> {
        if !(1..=MAX_GROUPS).contains(&self.groups) {
            return Err(refused("groups", self.groups, format!("1 to {MAX_GROUPS}")));
        }
        if !(1..=MAX_LEAST as usize).contains(&self.bins) {
            return Err(refused("bins of groups", self.bins, format!("1 to {MAX_LEAST}")));
        }
        check_least(self.least)?;
        match &self.noise {
            Some(noise) if noise.sums.len() != self.widths.len() => {
                let accepted = format!("{}, one for each", self.widths.len());
                Err(refused("noises for columns", noise.sums.len(), accepted))
            }
            Some(noise) => noise.check_room(self),
            None => Ok(()),
        }
    }

    /// What chance can spoil: noise that takes a number out of its width, where it would wrap around. Nothing without
    /// noise.
    pub fn chance(&self) -> Chance {
        self.noise.as_ref().map_or(Chance::NONE, |noise| noise.chance(self))
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("bins", self.bins.to_string()),
            ("groups", self.groups.to_string()),
            ("least size", self.least.to_string()),
            ("noise", if self.noise.is_some() { "yes" } else { "no" }.into()),
        ];
        if let Some(noise) = &self.noise {
            [&noise.counts].into_iter().chain(&noise.sums).for_each(|noise| fields.extend(noise.fields()));
        }
        fields.push(("widths of columns", format!("{:?}", self.widths)));
        fields
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

/// A count of [`COUNT`] bits, which noise may have made negative.
fn signed(count: u64) -> i64 {
    (count << (64 - COUNT)) as i64 >> (64 - COUNT)
}

/// An opened group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub group: usize,
    /// Its members; with noise it can be negative.
    pub count: i64,
    /// The sums of the columns.
    pub sums: Vec<u64>,
}

/// Shares of counts, and of the sums of each column, by group.
pub struct Grouped {
    counts: AShare<u64>,
    sums: Vec<AShare<u64>>,
    shape: GroupShape,
    enough: Option<Comparison>,
}

impl Groups {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_GROUPS`] or none, for no bins or more than [`MAX_LEAST`], for a least size
    /// above it, for widths other than 1 to 64, unless there is noise for each column or for none, and for noise that
    /// might leave a width, with the width that would do;
    /// [`Error::Handshake`] if the peer's shape is another; and those of the channel.
    pub fn prepare(p: &mut dyn Source, shape: GroupShape) -> Result<Self> {
        shape.check()?;
        p.announce(&announced(&shape.fields()))?;
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
    /// [`Error::Shape`] unless groups, bins and columns are those prepared for; [`Error::Handshake`] if the peer's shape
    /// is another; and those of the channel.
    pub fn add_up(self, s: &mut Session, groups: &[Bits], columns: &[&AShare<u64>]) -> Result<Grouped> {
        let Self { shape, counts, sums, enough } = self;
        same("groups", shape.groups, groups.len())?;
        groups.iter().try_for_each(|group| same("bins", shape.bins, group.len()))?;
        columns.iter().try_for_each(|column| same("bins", shape.bins, column.len()))?;
        // Here, and not where it is opened: messages that differ from the peer's must not go out first. Material that
        // was stored has not been compared.
        s.announce(&announced(&shape.fields()))?;
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
        Ok(Grouped { counts, sums: selected.iter().map(by_group).collect(), shape, enough })
    }
}

impl Grouped {
    /// Online: the groups that are large enough, to both. First this party adds its noise, if the shape asks for noise,
    /// and the other adds its own. Spends all of it.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(self, s: &mut Session) -> Result<Vec<Group>> {
        self.told(s, None).map(Option::unwrap_or_default)
    }

    /// Online: as [`open`](Self::open), to one party; the other gets `None`. Which groups are large enough both learn, if
    /// there is a least size.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn reveal(self, s: &mut Session, to: Role) -> Result<Option<Vec<Group>>> {
        self.told(s, Some(to))
    }

    fn told(mut self, s: &mut Session, to: Option<Role>) -> Result<Option<Vec<Group>>> {
        let groups = self.counts.len();
        if let Some(noise) = &self.shape.noise {
            self.counts = noise.counts.added(s, &self.counts);
            for (column, noise) in self.sums.iter_mut().zip(&noise.sums) {
                *column = noise.added(s, column);
            }
        }
        let chosen: Vec<usize> = match self.enough {
            None => (0..groups).collect(),
            Some(compare) => {
                let least = if s.role() == Role::P0 { self.shape.least.into() } else { 0 };
                let least = AShare::<u64>::new(COUNT, vec![least; groups]);
                // Public by the functionality: which groups are large enough.
                let enough = compare.ge(s, &self.counts, &least)?.open(s)?;
                (0..groups).filter(|&group| enough[group / 64] >> (group % 64) & 1 == 1).collect()
            }
        };
        if chosen.is_empty() {
            return Ok(to.is_none_or(|to| to == s.role()).then(Vec::new));
        }
        // Public by the functionality: of groups that are large enough only. The others stay shared.
        let pick = |column: &AShare<u64>| {
            AShare::<u64>::new(column.bits(), chosen.iter().map(|&group| column.words()[group]).collect())
        };
        let mut open = |column: &AShare<u64>| match to {
            None => s.open(&pick(column)).map(Some),
            Some(to) => s.reveal(&pick(column), to),
        };
        let opened =
            std::iter::once(&self.counts).chain(&self.sums).map(&mut open).collect::<Result<Vec<_>>>()?;
        let Some(mut sums) = opened.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let counts = sums.remove(0);
        let group = |(i, &group): (usize, &usize)| Group {
            group,
            count: signed(counts[i]),
            sums: sums.iter().map(|column| column[i]).collect(),
        };
        // With a least size of 1 nothing was compared: that a group is not there says that it has no members. Noise can
        // make a number negative.
        let least = self.shape.least;
        let enough = |group: &Group| least == 0 || group.count >= least.into();
        Ok(Some(chosen.iter().enumerate().map(group).filter(enough).collect()))
    }
}
