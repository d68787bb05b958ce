//! What is done with joined rows, as operations: filters, and sums by group.

use hushtable::{
    AShare, BShare, Result,
    arith::{CompareJob, Comparison},
    bill::Bill,
    chance::Chance,
    gates::{Bits, Triples, and, and_shared},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
};

use crate::statistics::GroupShape;

/// Of rows that count, those stay where one number is at least another one. An item is a row. Takes the bits whether the
/// rows count, and both numbers; gives the bits whether they still do.
#[derive(Clone, Copy, Debug)]
pub struct Filter(pub CompareJob);

impl Operation for Filter {
    fn name(&self) -> String {
        "filter of rows".into()
    }

    fn method(&self) -> String {
        self.0.plan.to_string()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.0.bits.to_string()), ("numbers", self.0.domain.to_string())]
    }

    fn signature(&self) -> Signature {
        let [x, y] = ["x", "y"].map(|name| Port::additive(name, self.0.bits));
        Signature::new([Port::bit("counts"), x, y], Port::bit("stays"))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok((self.0.bill()? + Triples::bill(1)).times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, compare) = (self.0.bits, Comparison::prepare(from, self.0, items)?);
        let triples = Triples::random(from, items)?;
        Ok(spend(items, move |s, given| {
            let [counts, x, y] = operands(given)?;
            let [x, y] = [x, y].map(|words| AShare::<u64>::new(bits, words.to_vec()));
            let reaches = compare.ge(s, &x, &y)?;
            let stays = and(s, triples, &Bits::collect(counts.iter().copied()), &reaches)?;
            Ok(vec![Words::new(stays.to_wide())])
        }))
    }

    fn tells(&self) -> String {
        "which rows stay".into()
    }
}

/// Counts and sums by group of the rows that count, of which each is a bin of the shape. Takes the bits whether they count,
/// and then what the [shape](GroupShape) takes, with bits of the groups also of rows that do not; gives what the shape gives.
#[derive(Clone, Debug)]
pub struct Aggregate(pub GroupShape);

impl Operation for Aggregate {
    fn name(&self) -> String {
        format!("{}, of rows that count", self.0.name())
    }

    fn method(&self) -> String {
        self.0.method()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.0.fields()
    }

    fn signature(&self) -> Signature {
        let mut signature = self.0.signature();
        signature.takes.insert(0, Port::bit("counts").of(self.0.bins));
        signature
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        let members = Triples::bill(self.0.groups).times(self.0.bins);
        Ok(members.times(items) + self.0.bill(items, under)?)
    }

    fn chance(&self, items: usize) -> Chance {
        self.0.chance(items)
    }

    fn most(&self) -> usize {
        self.0.most()
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (groups, sums) = (self.0.groups, self.0.material(from, items)?);
        let triples = Triples::shared(from, self.0.bins, groups)?;
        Ok(spend(sums.items(), move |s, given| {
            let [counts, members, columns @ ..] = given else {
                return operands::<2>(given).map(|_| vec![]);
            };
            let counts = Bits::collect(counts.iter().copied());
            let members = Bits::from_share(&BShare::<u64>::new(groups as u32, members.to_vec()));
            let members = and_shared(s, triples, &counts, &members.iter().collect::<Vec<_>>())?;
            let members = Words::new(Bits::to_share::<u64>(&members)?.into_wide());
            sums.eval(s, &[&[&members[..]], columns].concat())
        }))
    }

    fn tells(&self) -> String {
        self.0.tells()
    }
}
