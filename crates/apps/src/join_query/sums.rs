//! What is done with joined rows: filters, and sums by group.

use hushtable::{
    AShare, Result,
    arith::{CompareJob, Comparison},
    bill::Bill,
    gates::{Bits, Triples, and, and_shared},
    session::Session,
    source::Source,
};

use crate::statistics::{GroupShape, Grouped, Groups};

/// One-time material for a filter: of rows that count, those stay where one number is at least another one.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Filter {
    compare: Comparison,
    ands: Triples,
}

impl Filter {
    /// Offline, for so many rows.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for a comparison that is not supported, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: CompareJob, rows: usize) -> Result<Self> {
        Ok(Self { compare: Comparison::prepare(p, job, rows)?, ands: Triples::random(p, rows)? })
    }

    /// What a row costs.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for a comparison that is not supported.
    pub fn bill(job: CompareJob) -> Result<Bill> {
        Ok(job.bill()? + Triples::bill(1))
    }

    /// Online: shares of the bits of the rows that count and where `x >= y`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) unless rows and widths are those prepared for, and those of the channel.
    pub fn at_least(self, s: &mut Session, valid: &Bits, x: &AShare<u64>, y: &AShare<u64>) -> Result<Bits> {
        let stays = self.compare.ge(s, x, y)?;
        and(s, self.ands, valid, &stays)
    }
}

/// One-time material for counts and sums by group of the rows that count.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Aggregate {
    ands: Triples,
    groups: Groups,
}

impl Aggregate {
    /// Offline. A bin of the shape is a row.
    ///
    /// # Errors
    /// Those of [`Groups::prepare`].
    pub fn prepare(p: &mut dyn Source, shape: GroupShape) -> Result<Self> {
        let (rows, groups) = (shape.bins, shape.groups);
        let made = Groups::prepare(p, shape)?;
        Ok(Self { ands: Triples::shared(p, rows, groups)?, groups: made })
    }

    /// What all of it costs, with opening to both parties: at most, as of [`GroupShape::bill`].
    ///
    /// # Errors
    /// Those of [`Groups::prepare`].
    pub fn bill(shape: &GroupShape) -> Result<Bill> {
        Ok(Triples::bill(shape.groups).times(shape.bins) + shape.bill()?)
    }

    /// Online, 3 rounds: shares of counts and sums, which [`Grouped::open`] shows to both parties, and
    /// [`Grouped::reveal`] to one. `groups` are bits of the rows, which need not count. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) unless rows, groups and columns are those prepared for, and those of the
    /// channel.
    pub fn add_up(
        self,
        s: &mut Session,
        valid: &Bits,
        groups: &[Bits],
        columns: &[&AShare<u64>],
    ) -> Result<Grouped> {
        let members = and_shared(s, self.ands, valid, &groups.iter().collect::<Vec<_>>())?;
        self.groups.add_up(s, &members, columns)
    }
}
