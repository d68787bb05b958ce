//! Statistics as operations, which run as any other. An item is a join: columns have a word for each of its bins.

use hushtable::{
    AShare, BShare, Result,
    bill::Bill,
    chance::Chance,
    gates::Bits,
    operation::{Material, Operation, Port, Signature, Words},
    ot::Setting,
    session::Session,
    source::Origin,
};

use super::{Count, End, Extremes, Group, GroupShape, Groups, Quantile, count::COUNT};

/// How many bins match.
#[derive(Clone, Copy, Debug)]
pub struct Matches {
    /// Of the join.
    pub bins: usize,
}

/// The largest number that matches, or the smallest.
#[derive(Clone, Copy, Debug)]
pub struct Extreme {
    /// Which.
    pub end: End,
    /// Width of the numbers.
    pub bits: u32,
    /// Of the join.
    pub bins: usize,
}

/// Which of the cuts of a quantile has at least its share of the numbers that match below it.
#[derive(Clone, Debug)]
pub struct QuantileOf {
    /// Its cuts.
    pub quantile: Quantile,
    /// Of the join.
    pub bins: usize,
}

/// Material and what spends it.
struct Spend<F>(F);

impl<F: FnOnce(&mut Session, &[&[u64]]) -> Result<Vec<Words>> + Send> Material for Spend<F> {
    fn items(&self) -> usize {
        1
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        (self.0)(s, operands)
    }
}

fn material(
    spend: impl FnOnce(&mut Session, &[&[u64]]) -> Result<Vec<Words>> + Send + 'static,
) -> Result<Box<dyn Material>> {
    Ok(Box::new(Spend(spend)))
}

fn bits(words: &[u64]) -> Bits {
    Bits::collect(words.iter().map(|word| word & 1))
}

fn numbers(bits: u32, words: &[u64]) -> AShare<u64> {
    AShare::new(bits, words.to_vec())
}

fn words(share: &AShare<u64>) -> Words {
    Words::new(share.words().to_vec())
}

impl Operation for Matches {
    fn name(&self) -> String {
        "count of matches".into()
    }

    fn method(&self) -> String {
        "bits as numbers".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bins", self.bins.to_string())]
    }

    fn signature(&self) -> Signature {
        Signature::new([Port::bit("matches").of(self.bins)], Port::additive("count", COUNT))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Count::bill(self.bins).times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let count = Count::prepare(from, self.bins)?;
        material(move |s, given| Ok(vec![words(&count.count(s, &bits(given[0]))?)]))
    }

    fn tells(&self) -> String {
        "how many rows match".into()
    }
}

/// Takes a word for each bin with a bit for each group, the lowest first, and the columns to be summed. Gives, for each group, the bit whether it is large
/// enough, if there is a least size above 1; its count; and its sum of each column. Counts and sums are opened of groups
/// that are large enough: [`Group::all`] puts them together.
impl Operation for GroupShape {
    fn name(&self) -> String {
        "counts and sums by group".into()
    }

    fn method(&self) -> String {
        "selections".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        GroupShape::fields(self)
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
        Ok(self.shared_bill()?.times(items))
    }

    fn chance(&self, _: usize) -> Chance {
        GroupShape::chance(self)
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let (shape, groups) = (self.clone(), Groups::prepare(from, self.clone())?);
        material(move |s, given| {
            let members = Bits::from_share(&BShare::<u64>::new(shape.groups as u32, given[0].to_vec()));
            let columns = given[1..].iter().zip(&shape.widths).map(|(words, &bits)| numbers(bits, words));
            let columns: Vec<AShare<u64>> = columns.collect();
            groups.add_up(s, &members, &columns.iter().collect::<Vec<_>>())?.into_columns(s)
        })
    }

    fn tells(&self) -> String {
        match self.least {
            0 | 1 => "counts and sums of all groups".into(),
            least => format!("which groups have {least} members or more, and their counts and sums"),
        }
    }
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

/// Takes the bits of matches and the numbers.
impl Operation for Extreme {
    fn name(&self) -> String {
        match self.end {
            End::Least => "smallest number",
            End::Greatest => "largest number",
        }
        .into()
    }

    fn method(&self) -> String {
        "maximum of all bins".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bins", self.bins.to_string()), ("width of numbers", self.bits.to_string())]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", self.bits);
        Signature::new([Port::bit("matches").of(self.bins), number.of(self.bins)], number)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Extremes::bill(self.bits, self.bins)?.times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let (Self { end, bits: width, bins }, of) = (*self, *self);
        let extremes = Extremes::prepare(from, of.bits, bins)?;
        material(move |s, given| {
            Ok(vec![words(&extremes.find(s, end, &bits(given[0]), &numbers(width, given[1]))?)])
        })
    }

    fn tells(&self) -> String {
        format!("the {} of those that match", self.name())
    }
}

/// Takes the bits of matches and the numbers; gives a bit for each cut. The first 1 is at the cut, see
/// [`Quantile::cut`].
impl Operation for QuantileOf {
    fn name(&self) -> String {
        "quantile".into()
    }

    fn method(&self) -> String {
        format!("comparisons with {} cuts", self.quantile.cuts.len())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let bins = ("bins", self.bins.to_string());
        [bins].into_iter().chain(self.quantile.fields()).collect()
    }

    fn signature(&self) -> Signature {
        let takes = [Port::bit("matches"), Port::additive("number", self.quantile.bits)];
        Signature::new(
            takes.map(|port| port.of(self.bins)),
            Port::bit("reached").of(self.quantile.cuts.len()),
        )
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.quantile.bill(self.bins)?.times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let (width, quantile) = (self.quantile.bits, self.quantile.prepare(from, self.bins)?);
        material(move |s, given| {
            let reached = quantile.reached(s, &bits(given[0]), &numbers(width, given[1]))?;
            Ok(vec![Words::new(reached.iter().collect())])
        })
    }

    fn tells(&self) -> String {
        let (a, b) = self.quantile.share;
        format!("between which cuts the number lies that {a} of {b} are below")
    }
}
