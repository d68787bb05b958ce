//! Comparisons of two shared numbers.

use super::{Material, Operation, Port, Signature, Ways, material, operands};
use crate::{
    arith::{
        CompareDomain, CompareJob, Comparison, DigitMethod, Equality, HammingEquality, Maximum, Objective,
    },
    bill::Bill,
    error::{Error, Result},
    gates::{B2a, Bits},
    ot::Setting,
    session::Session,
    share::AShare,
    source::Origin,
};

/// What is asked of two numbers x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `x >= y`.
    Ge,
    /// `x > y`.
    Gt,
    /// `x <= y`.
    Le,
    /// `x < y`.
    Lt,
    /// `x = y`.
    Eq,
    /// `x` and `y` differ.
    Ne,
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Ge, Self::Gt, Self::Le, Self::Lt, Self::Eq, Self::Ne, Self::Max, Self::Min];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ge => "ge",
            Self::Gt => "gt",
            Self::Le => "le",
            Self::Lt => "lt",
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Max => "max",
            Self::Min => "min",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Ge => "1 if x >= y, else 0",
            Self::Gt => "1 if x > y, else 0",
            Self::Le => "1 if x <= y, else 0",
            Self::Lt => "1 if x < y, else 0",
            Self::Eq => "1 if x = y, else 0",
            Self::Ne => "1 if x and y differ, else 0",
            Self::Max => "the larger of x and y",
            Self::Min => "the smaller of x and y",
        }
    }

    /// Whether the result is a number, not a bit.
    pub fn selects(self) -> bool {
        matches!(self, Self::Max | Self::Min)
    }

    fn by_equality(self) -> bool {
        matches!(self, Self::Eq | Self::Ne)
    }
}

/// Comparisons of signed numbers of one format.
#[derive(Clone, Copy, Debug)]
pub struct Compare {
    relation: Relation,
    fraction: u32,
    /// Of a result that is a number.
    range: [i64; 2],
    job: CompareJob,
    /// What its plan was chosen for; `None` where it was asked for.
    objective: Option<Objective>,
    /// Width of a bit that becomes an additive share.
    additive: Option<u32>,
}

impl Compare {
    /// Comparisons of numbers of `bits` bits with `fraction` bits behind the point, of an x in the range `x` with a
    /// y in the range `y`, both ends included.
    ///
    /// # Errors
    /// [`Error::Param`] for a width that is not supported.
    pub fn new(
        relation: Relation,
        [bits, fraction]: [u32; 2],
        x: [i64; 2],
        y: [i64; 2],
        objective: Objective,
    ) -> Result<Self> {
        let wide = |range: [i64; 2]| range.map(i128::from);
        let domain = CompareDomain::of(bits, wide(x), wide(y)).unwrap_or(CompareDomain::Signed);
        let range = match relation {
            Relation::Min => [x[0].min(y[0]), x[1].min(y[1])],
            _ => [x[0].max(y[0]), x[1].max(y[1])],
        };
        let job = CompareJob::new(bits, domain, objective)?;
        Ok(Self { relation, fraction, range, job, objective: Some(objective), additive: None })
    }

    /// As a job says.
    pub fn of(relation: Relation, job: CompareJob) -> Self {
        let half = 1i128 << job.bits.clamp(1, 64).saturating_sub(1);
        let range = [(-half) as i64, (half - 1) as i64];
        Self { relation, fraction: 0, range, job, objective: None, additive: None }
    }

    /// Of a job whose plan is the best for this objective: over some link another of its [ways](Operation::ways) may suit.
    #[must_use]
    pub fn chosen_for(self, objective: Objective) -> Self {
        Self { objective: Some(objective), ..self }
    }

    /// What is compared, and by which plan.
    pub fn job(&self) -> CompareJob {
        self.job
    }

    /// With results that are additive shares, of `bits` bits where they are bits.
    #[must_use]
    pub fn additive(self, bits: u32) -> Self {
        Self { additive: Some(bits), ..self }
    }

    /// What is asked.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The bits, from shares of both numbers; and what makes numbers of them.
    fn bits(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, relation) = (self.job.bits, self.relation);
        let convert = self.additive.map(|bits| B2a::prepare(from, bits, items)).transpose()?;
        let finish = move |s: &mut Session, found: Bits| match convert {
            None => Ok(found.to_wide()),
            Some(convert) => Ok(convert.convert::<u64>(s, &found)?.into_wide()),
        };
        if relation.by_equality() {
            let equality = Equal::prepare(from, &self.job, items)?;
            return Ok(material(items, move |s, given| {
                let [x, y] = numbers(bits, given)?;
                let equal = equality.eq(s, &x, &y)?;
                let found = if relation == Relation::Ne { equal.not(s.role()) } else { equal };
                finish(s, found)
            }));
        }
        let order = Comparison::prepare(from, self.job, items)?;
        Ok(material(items, move |s, given| {
            let [x, y] = operands(given)?;
            let swapped = matches!(relation, Relation::Gt | Relation::Le);
            let less = if swapped { order.less_words(s, y, x)? } else { order.less_words(s, x, y)? };
            let strict = matches!(relation, Relation::Gt | Relation::Lt);
            let found = if strict { less } else { less.not(s.role()) };
            finish(s, found)
        }))
    }
}

impl Operation for Compare {
    fn name(&self) -> String {
        self.relation.name().into()
    }

    fn method(&self) -> String {
        match self.relation.by_equality() {
            true if few_rounds(&self.job) => "equality by Hamming distance".into(),
            true => format!("equality in digits of {}", self.job.plan.digit),
            false => self.job.plan.to_string(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("bits", self.job.bits.to_string()),
            ("fraction bits", self.fraction.to_string()),
            ("method", format!("{} of {} numbers", self.method(), self.job.domain)),
        ]
    }

    fn signature(&self) -> Signature {
        let [x, y] = ["x", "y"].map(|name| Port::additive(name, self.job.bits).scaled(self.fraction));
        let result = match (self.relation.selects(), self.additive) {
            (true, _) => Port { name: self.relation.name(), range: Some(self.range), ..x },
            (false, Some(bits)) => Port::additive(self.relation.name(), bits).within(Some([0, 1])),
            (false, None) => Port::bit(self.relation.name()),
        };
        Signature::new([x, y], result)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        if self.relation.selects() {
            return Ok(Maximum::bill(&self.job)?.times(items));
        }
        let found = match self.relation.by_equality() {
            true => Equal::bill(&self.job)?,
            false => self.job.bill()?,
        };
        Ok((found + self.additive.map_or(Bill::FREE, B2a::bill)).times(items))
    }

    /// All orders are one, and so are both equalities, and both selections.
    fn stored_as(&self) -> String {
        let results = self.additive.map_or(String::new(), |bits| format!(", as numbers of {bits} bits"));
        let what = match (self.relation.by_equality(), self.relation.selects()) {
            (true, _) => "equality",
            (_, true) => "larger or smaller ones",
            _ => "comparisons",
        };
        format!("{what} of {} numbers of {} bits{results}", self.job.domain, self.job.bits)
    }

    fn tells(&self) -> String {
        let about = self.relation.about();
        format!("{about}; with its own numbers, also what this says about the other party's")
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let Some(objective) = self.objective else { return Ok(None) };
        let CompareJob { bits, domain, .. } = self.job;
        Ways::by_objective(asked.unwrap_or(objective), |objective| {
            Ok(Self { job: CompareJob::new(bits, domain, objective)?, ..*self })
        })
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        if !self.relation.selects() {
            return self.bits(from, items);
        }
        let (bits, smaller) = (self.job.bits, self.relation == Relation::Min);
        let larger = Maximum::prepare(from, self.job, items)?;
        Ok(material(items, move |s, given| {
            let [x, y] = numbers(bits, given)?;
            let max = larger.max(s, &x, &y)?;
            Ok(if smaller { &(&x + &y) - &max } else { max }.into_wide())
        }))
    }
}

/// Material for equality.
enum Equal {
    ByDigits(Equality),
    ByDistance(HammingEquality),
}

/// Whether the plan is one for few rounds.
fn few_rounds(job: &CompareJob) -> bool {
    matches!(job.plan.method, DigitMethod::OneHot { .. })
}

impl Equal {
    fn prepare(from: &mut Origin<'_>, job: &CompareJob, items: usize) -> Result<Self> {
        Ok(match few_rounds(job) {
            true => Self::ByDistance(HammingEquality::prepare(from, job.bits, items)?),
            false => Self::ByDigits(Equality::prepare(from, job.bits, job.plan.digit, items)?),
        })
    }

    fn bill(job: &CompareJob) -> Result<Bill> {
        match few_rounds(job) {
            true => HammingEquality::bill(job.bits),
            false => Equality::bill(job.bits, job.plan.digit),
        }
    }

    fn eq(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<Bits> {
        match self {
            Self::ByDigits(equality) => equality.eq(s, x, y),
            Self::ByDistance(equality) => equality.eq(s, x, y),
        }
    }
}

/// The shares of x and y.
fn numbers(bits: u32, given: &[&[u64]]) -> Result<[AShare<u64>; 2]> {
    let given: [&[u64]; 2] = operands(given)?;
    if given[0].len() != given[1].len() {
        return Err(Error::Shape { what: "numbers to compare", want: given[0].len(), got: given[1].len() });
    }
    Ok(given.map(|words| AShare::new(bits, words.to_vec())))
}
