//! Groups between public cuts.
//!
//! # Functionality
//! In, for each bin: the bit whether it matches, and a signed number near the cuts. Out: shares of a bit for each group,
//! those below the first cut, between two, and from the last one on; all are 0 where the bin does not match.
//!
//! # Protocol
//! A comparison with each cut, and an AND with the bit of the match; a bin is of the group whose lower cut it reaches and
//! whose upper cut it does not.
//!
//! # Cost
//! A bin: a comparison for each cut, and an AND with an operand in common. The rounds of a comparison, and 1.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    AShare, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Objective},
    bill::Bill,
    error::within,
    gates::{Bits, Triples, and_shared},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
    terms::Value,
};

use super::MAX_GROUPS;

/// Groups between cuts. Takes the bits of matches and the numbers; gives a word for each bin, with a bit for each group,
/// the lowest first.
#[derive(Clone, Debug)]
pub struct CutGroups {
    job: CompareJob,
    cuts: Vec<i64>,
}

impl CutGroups {
    /// Of numbers of `bits` bits, each nearer than `2^(bits-1)` to every cut; the cuts increase.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) unless there are 1 to 63 cuts, and for a width that is not supported.
    pub fn new(bits: u32, cuts: Vec<i64>) -> Result<Self> {
        within("cuts between groups", cuts.len() as u32, 1..=MAX_GROUPS as u32 - 1)?;
        Ok(Self { job: CompareJob::new(bits, CompareDomain::Near, Objective::Total)?, cuts })
    }
}

impl Operation for CutGroups {
    fn name(&self) -> String {
        "groups between cuts".into()
    }

    fn method(&self) -> String {
        self.job.plan.to_string()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.job.bits.to_string()), ("cuts", Value::text(&self.cuts[..]))]
    }

    fn signature(&self) -> Signature {
        let takes = [Port::bit("matches"), Port::additive("number", self.job.bits)];
        Signature::new(takes, Port::xor("groups", self.cuts.len() as u32 + 1))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let cuts = self.cuts.len();
        Ok(self.job.bill()?.times(items * cuts) + Triples::bill(cuts).times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (job, cuts) = (self.job, self.cuts.clone());
        let compare = Comparison::prepare(from, job, items * cuts.len())?;
        let triples = Triples::shared(from, items, cuts.len())?;
        Ok(spend(items, move |s, given| {
            let [matched, numbers] = operands(given)?;
            // Public: P0's share of a cut is all of it.
            let public = |cut: &i64| if s.role() == Role::P0 { *cut as u64 } else { 0 };
            let public = cuts.iter().flat_map(|cut| std::iter::repeat_n(public(cut), items)).collect();
            let numbers = AShare::<u64>::new(job.bits, numbers.repeat(cuts.len()));
            let reached = compare.ge(s, &numbers, &AShare::<u64>::new(job.bits, public))?;
            let reached: Vec<Bits> =
                (0..cuts.len()).map(|i| reached.range(i * items..(i + 1) * items)).collect();
            let matched = Bits::collect(matched.iter().copied());
            let reached = and_shared(s, triples, &matched, &reached.iter().collect::<Vec<_>>())?;
            // Those that reach a cut and not the next.
            let mut groups = vec![&matched ^ &reached[0]];
            groups.extend(reached.windows(2).map(|pair| &pair[0] ^ &pair[1]));
            groups.extend(reached.last().cloned());
            Ok(vec![Words::new(Bits::to_share::<u64>(&groups)?.into_wide())])
        }))
    }

    fn tells(&self) -> String {
        format!("which of {} groups the number is in, where it matches", self.cuts.len() + 1)
    }
}
