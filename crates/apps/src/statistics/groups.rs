//! Counts and sums by group.
//!
//! # Functionality
//! In, for each bin: shares of a bit for each group, which are exclusive and 0 where the bin does not match, and of the
//! columns to be summed. Out, for each group: shares of the bit whether it is large enough, if there is a least size above
//! 1; of its count; and of its sum of each column, mod `2^l` of the column's width.
//!
//! # Protocol
//! Each bit becomes a word of 32 bits, and selects the words to be summed; shares are added up. Each party adds its noise,
//! if there is noise. Then the counts are compared with the least size.
//!
//! # Cost
//! A bin: for each group a conversion of a bit and a selection from all columns. A group: a comparison, with a least size.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    AShare, BShare, Result, Role,
    arith::Comparison,
    bill::Bill,
    chance::Chance,
    error::same,
    gates::{B2a, Bits, Mux},
    operation::{Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
    session::Session,
    source::Origin,
    terms::Value,
};

use super::{
    count::{COUNT, sum},
    shape::GroupShape,
};

/// Takes a word for each bin with a bit for each group, the lowest first, and the columns to be summed. Counts and sums
/// are opened of groups that are large enough: [`Group::all`] puts them together.
impl Operation for GroupShape {
    fn name(&self) -> String {
        "counts and sums by group".into()
    }

    fn method(&self) -> String {
        "selections".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("bins", self.bins.to_string()),
            ("groups", self.groups.to_string()),
            ("least size", self.least.to_string()),
            ("noise", if self.noise.is_some() { "yes" } else { "no" }.into()),
        ];
        if let Some(noise) = &self.noise {
            [&noise.counts].into_iter().chain(&noise.sums).for_each(|noise| fields.extend(noise.fields()));
        }
        fields.push(("widths of columns", Value::text(&self.widths[..])));
        fields
    }

    fn signature(&self) -> Signature {
        let groups = [Port::xor("groups", self.groups as u32)].into_iter();
        let columns = self.widths.iter().map(|&bits| Port::additive("column", bits));
        let takes = groups.chain(columns).map(|port| port.of(self.bins)).collect();
        let enough = (self.least > 1).then(|| Port::bit("large enough"));
        let counts =
            [COUNT].iter().chain(&self.widths).map(|&bits| Port { name: "sum", ..Port::additive("", bits) });
        let counts = counts.map(|port| if enough.is_some() { port.guarded(0) } else { port });
        Signature {
            takes,
            gives: enough.into_iter().chain(counts).map(|port| port.of(self.groups)).collect(),
        }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.check()?;
        let bits = self.bins * self.groups;
        let bill = B2a::bill(COUNT).times(bits) + Mux::bill(&self.widths).times(bits);
        let enough = self.compare()?.map(|job| job.bill()).transpose()?;
        Ok((bill + enough.map_or(Bill::FREE, |bill| bill.times(self.groups))).times(items))
    }

    /// Of noise that takes a number out of its width, where it would wrap around. Nothing without noise.
    fn chance(&self, items: usize) -> Chance {
        let one = || self.noise.as_ref().map_or(Chance::NONE, |noise| noise.chance(self));
        (0..items).map(|_| one()).sum()
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        self.check()?;
        let bits = self.bins * self.groups;
        let counts = B2a::prepare(from, COUNT, bits)?;
        let sums = Mux::prepare(from, bits, &self.widths)?;
        let enough = self.compare()?.map(|job| Comparison::prepare(from, job, self.groups)).transpose()?;
        let prepared = Prepared { shape: self.clone(), counts, sums, enough };
        Ok(spend(1, move |s, given| prepared.add_up(s, given)))
    }

    fn tells(&self) -> String {
        match self.least {
            0 | 1 => "counts and sums of all groups".into(),
            least => format!("which groups have {least} members or more, and their counts and sums"),
        }
    }
}

/// One-time material for it.
struct Prepared {
    shape: GroupShape,
    counts: B2a,
    sums: Mux,
    enough: Option<Comparison>,
}

impl Prepared {
    fn add_up(self, s: &mut Session, given: &[&[u64]]) -> Result<Vec<Words>> {
        let Self { shape, counts, sums, enough } = self;
        same("operands", 1 + shape.widths.len(), given.len())?;
        given.iter().try_for_each(|words| same("bins", shape.bins, words.len()))?;
        let members = Bits::from_share(&BShare::<u64>::new(shape.groups as u32, given[0].to_vec()));
        let members = Bits::concat(members.iter());
        let columns = given[1..].iter().zip(&shape.widths);
        let columns = columns.map(|(words, &bits)| AShare::<u64>::new(bits, words.repeat(shape.groups)));
        let columns: Vec<AShare<u64>> = columns.collect();
        let counts = counts.convert::<u64>(s, &members)?;
        let sums = sums.select_all(s, &members, &columns.iter().collect::<Vec<_>>())?;
        let noise = shape.noise.iter().flat_map(|noise| [&noise.counts].into_iter().chain(&noise.sums));
        let mut noise = noise.map(Some).chain(std::iter::repeat(None));
        let by_group = |column: &AShare<u64>| {
            let sums = AShare::new(column.bits(), column.words().chunks(shape.bins).map(sum).collect());
            match noise.next().flatten() {
                Some(noise) => noise.add(s, &sums),
                None => sums,
            }
        };
        let all: Vec<AShare<u64>> = [&counts].into_iter().chain(&sums).map(by_group).collect();
        let mut gives = Vec::with_capacity(1 + all.len());
        if let Some(enough) = enough {
            let least = if s.role() == Role::P0 { shape.least.into() } else { 0 };
            let least = AShare::<u64>::new(COUNT, vec![least; shape.groups]);
            gives.push(Words::new(enough.ge(s, &all[0], &least)?.to_wide()));
        }
        gives.extend(all.into_iter().map(|share| Words::new(share.into_wide())));
        Ok(gives)
    }
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

impl Group {
    /// The groups that may be told of, from the opened columns of a [`GroupShape`].
    pub fn all(shape: &GroupShape, mut columns: Vec<Vec<i64>>) -> Vec<Self> {
        let chosen: Vec<usize> = match shape.least > 1 && !columns.is_empty() {
            true => {
                let enough = columns.remove(0);
                (0..shape.groups).filter(|&group| enough.get(group) == Some(&1)).collect()
            }
            false => (0..shape.groups).collect(),
        };
        let mut columns = columns.into_iter();
        let counts = columns.next().unwrap_or_default();
        let sums: Vec<Vec<i64>> = columns.collect();
        let masks: Vec<u64> = shape.widths.iter().map(|bits| u64::MAX >> (64 - bits)).collect();
        let group = |(i, (group, count)): (usize, (usize, i64))| Self {
            group,
            count,
            sums: sums.iter().zip(&masks).map(|(column, mask)| column[i] as u64 & mask).collect(),
        };
        // With a least size of 1 nothing was compared: that a group is not there says that it has no members. Noise can
        // make a number negative.
        let told = |group: &Self| shape.least == 0 || group.count >= shape.least.into();
        chosen.into_iter().zip(counts).enumerate().map(group).filter(told).collect()
    }
}
