//! How numbers that are read come to their scale.

use hushtable::operation::Relation;

/// How numbers that are read come to their scale. Multiples of the step stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties away from zero.
    Nearest,
    Up,
    Down,
    /// To nearest before it is asked whether numbers are equal. If this party has parts of both numbers, `sums`, none may be
    /// rounded: sums that are equal as they are written may differ then.
    Equal {
        sums: bool,
    },
}

impl Rounding {
    /// That of x before a comparison, so that a sum that is equal to what it is compared with comes out equal, or on the side
    /// whose answer is the same; y is rounded the other way.
    pub fn before(relation: Relation) -> Self {
        match relation {
            Relation::Ge | Relation::Lt => Self::Up,
            Relation::Gt | Relation::Le => Self::Down,
            Relation::Eq | Relation::Ne | Relation::Max | Relation::Min => Self::Nearest,
        }
    }

    pub fn other_way(self) -> Self {
        match self {
            Self::Nearest | Self::Equal { .. } => self,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// A number in steps as a whole one.
    pub fn whole(self, scaled: f64) -> f64 {
        match self {
            Self::Nearest | Self::Equal { .. } => scaled.round(),
            Self::Up => scaled.ceil(),
            Self::Down => scaled.floor(),
        }
    }

    /// How many steps the sum of two numbers may lie from what it stands for.
    pub fn of_sums(self) -> f64 {
        if matches!(self, Self::Up | Self::Down) { 2.0 } else { 1.0 }
    }
}
