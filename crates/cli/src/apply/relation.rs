//! Comparisons of two columns, or of a column and a public number.

use std::{ops::Range, sync::atomic::AtomicUsize};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{self, CompareJob, Comparison, Domain, Equality, Objective},
    gates::Bits,
};

use super::{
    input::Format,
    lanes::{Done, Outcome, Reveal, SHARED_BITS, in_batches},
};
use crate::cost::Phase;

/// Rows whose material is in memory at a time.
const BATCH: usize = 1 << 18;

/// What is asked of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Ge,
    Gt,
    Le,
    Lt,
    Eq,
    Ne,
    Max,
    Min,
}

impl Relation {
    pub const ALL: [Self; 8] =
        [Self::Ge, Self::Gt, Self::Le, Self::Lt, Self::Eq, Self::Ne, Self::Max, Self::Min];

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

/// Comparisons of numbers of one format. Public, the same at both parties.
pub struct Comparing {
    relation: Relation,
    format: Format,
    /// Of a result that is a number, times `2^fraction_bits`.
    range: [i64; 2],
    job: CompareJob,
}

/// One-time material for some rows.
enum Material {
    Order(Comparison),
    Equality(Equality),
}

impl Comparing {
    /// Comparisons of an x in the range `x` with a y in the range `y`, both ends included.
    pub fn new(
        relation: Relation,
        format: Format,
        x: [i64; 2],
        y: [i64; 2],
        objective: Objective,
    ) -> Result<Self, Error> {
        let half = 1i128 << (format.bits - 1);
        let near = |a: [i64; 2], b: [i64; 2]| i128::from(a[1]) - i128::from(b[0]) < half;
        // Differences that fit, in either order, take a third of the work.
        let domain = if near(x, y) && near(y, x) { Domain::Near } else { Domain::Signed };
        let range = match relation {
            Relation::Min => [x[0].min(y[0]), x[1].min(y[1])],
            _ => [x[0].max(y[0]), x[1].max(y[1])],
        };
        let job = CompareJob::new(format.bits, domain, objective)?;
        Ok(Self { relation, format, range, job })
    }

    /// How the results are held, and their range.
    pub fn result(&self, reveal: Reveal) -> (Format, [i64; 2]) {
        let bits = if reveal == Reveal::None { SHARED_BITS } else { 1 };
        match self.relation.selects() {
            true => (self.format, self.range),
            false => (Format { bits, fraction_bits: 0 }, [0, 1]),
        }
    }

    /// How it is done, for reports.
    pub fn protocol(&self) -> String {
        match self.relation.by_equality() {
            true => format!("equality in digits of {}", self.job.plan.digit),
            false => {
                format!("{:?} in digits of {}", self.job.plan.method, self.job.plan.digit).to_lowercase()
            }
        }
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("function", self.relation.name().to_owned()),
            ("bits", self.format.bits.to_string()),
            ("fraction bits", self.format.fraction_bits.to_string()),
            ("method", self.protocol()),
        ]
    }

    /// Correlated OTs, as sender and as receiver, that `rows` comparisons take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize, reveal: Reveal) -> Result<(usize, usize), Error> {
        let (bits, digit) = (self.format.bits, self.job.plan.digit);
        let (send, recv) = match self.relation.by_equality() {
            true => Equality::cots(role, bits, digit, rows)?,
            false => self.job.cots(role, rows)?,
        };
        let (more_send, more_recv) = self.online_cots(role, rows, reveal);
        Ok((send + more_send, recv + more_recv))
    }

    /// The results for a lane's rows. `progress` counts those that are done.
    pub fn lane(
        &self,
        p: &mut Party,
        [x, y]: [&[u64]; 2],
        reveal: Reveal,
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        in_batches(x.len(), BATCH, progress, |at| self.batch(p, [x, y], at, reveal))
    }

    fn batch(
        &self,
        p: &mut Party,
        operands: [&[u64]; 2],
        at: Range<usize>,
        reveal: Reveal,
    ) -> Result<Done, Error> {
        let (material, offline) = Phase::of(p, |p| {
            let (send, recv) = self.online_cots(p.role(), at.len(), reveal);
            let material = self.prepare(p, at.len())?;
            p.stock_cots(send, recv).map(|()| material)
        })?;
        let [x, y] = operands.map(|words| AShare::<u64>::new(self.format.bits, words[at.clone()].to_vec()));
        let (outcome, online) = Phase::of(p, |p| self.online(p, material, &x, &y, reveal))?;
        Ok(Done { outcome, offline, online })
    }

    fn prepare(&self, p: &mut Party, rows: usize) -> Result<Material, Error> {
        if self.relation.by_equality() {
            Equality::prepare(p, self.format.bits, self.job.plan.digit, rows).map(Material::Equality)
        } else {
            Comparison::prepare(p, self.job, rows).map(Material::Order)
        }
    }

    fn online(
        &self,
        p: &mut Party,
        material: Material,
        x: &AShare<u64>,
        y: &AShare<u64>,
        reveal: Reveal,
    ) -> Result<Outcome, Error> {
        let role = p.role();
        let bits: Bits = match (material, self.relation) {
            (Material::Equality(m), Relation::Ne) => m.eq(p, x, y)?.not(role),
            (Material::Equality(m), _) => m.eq(p, x, y)?,
            (Material::Order(m), Relation::Gt) => m.less(p, y, x)?,
            (Material::Order(m), Relation::Le) => m.ge(p, y, x)?,
            (Material::Order(m), Relation::Lt) => m.less(p, x, y)?,
            (Material::Order(m), Relation::Max) => {
                let max = arith::max(p, m, x, y)?;
                return reveal.numbers(p, &max);
            }
            (Material::Order(m), Relation::Min) => {
                let max = arith::max(p, m, x, y)?;
                return reveal.numbers(p, &(&(x + y) - &max));
            }
            (Material::Order(m), _) => m.ge(p, x, y)?,
        };
        reveal.bits(p, &bits)
    }

    /// Those that are taken online: to select a number, or to share a bit additively.
    fn online_cots(&self, role: Role, rows: usize, reveal: Reveal) -> (usize, usize) {
        match (self.relation.selects(), reveal, role) {
            (true, ..) => (rows, rows),
            (false, Reveal::None, Role::P0) => (rows, 0),
            (false, Reveal::None, Role::P1) => (0, rows),
            _ => (0, 0),
        }
    }
}
