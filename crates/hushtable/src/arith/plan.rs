//! Which protocol compares digits, and how wide they are.

use std::fmt;

use super::{
    digits::{Cut, MAX_DIGIT_BITS},
    lookup_digits::Lookups,
    onehot_digits::{MAX_JOIN, MAX_ONEHOT_DIGIT, OneHotForm},
    thermometer::Thermometers,
    tree::Tree,
};
use crate::{
    bill::{Bill, Objective},
    error::Result,
};

/// How the digits of numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DigitMethod {
    /// By shared thermometers: nearly everything is offline.
    Thermometer,
    /// By one lookup a digit in a table of the sender's: nearly everything is online.
    Lookup,
    /// By one-hot vectors, which make any number of digits cheap to join: the fewest rounds, and the most bytes, all
    /// but a few of them offline.
    OneHot {
        /// How many digits are joined at once, 2 to 5.
        join: u32,
    },
}

/// How numbers are compared. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComparePlan {
    /// How their digits are.
    pub method: DigitMethod,
    /// Largest width of a digit in bits, 1 to 6; by one-hot vectors 1 to 10.
    pub digit: u32,
}

impl fmt::Display for ComparePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = self.digit;
        match self.method {
            DigitMethod::Thermometer => write!(f, "thermometer in digits of {digit}"),
            DigitMethod::Lookup => write!(f, "lookup in digits of {digit}"),
            DigitMethod::OneHot { join } => write!(f, "one-hot in digits of {digit}, joined by {join}"),
        }
    }
}

impl ComparePlan {
    /// The best plan for comparisons of numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width.
    pub fn best(bits: u32, objective: Objective) -> Result<Self> {
        let mut best = None;
        for plan in Self::all() {
            let weight = weight(&plan.bill(bits)?, objective);
            if best.is_none_or(|(_, least)| weight < least) {
                best = Some((plan, weight));
            }
        }
        Ok(best.expect("there are plans").0)
    }

    /// The plan of the least work for comparisons of numbers of `bits` bits, 1 to 64, in at most so many rounds online; `None`
    /// if they take more by all.
    ///
    /// # Errors
    /// As [`best`](Self::best).
    pub fn within(bits: u32, rounds: u32) -> Result<Option<Self>> {
        let bills = Self::all().map(|plan| Ok((plan, plan.bill(bits)?))).collect::<Result<Vec<_>>>()?;
        let few = bills.into_iter().filter(|(_, bill)| bill.online.rounds <= rounds);
        Ok(few.min_by_key(|(_, bill)| weight(bill, Objective::Total)).map(|(plan, _)| plan))
    }

    /// All plans.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |method, most| (1..=most).map(move |digit| Self { method, digit });
        let short = [DigitMethod::Thermometer, DigitMethod::Lookup].into_iter();
        let onehot = (2..=MAX_JOIN).map(|join| DigitMethod::OneHot { join });
        short
            .flat_map(move |m| of(m, MAX_DIGIT_BITS))
            .chain(onehot.flat_map(move |m| of(m, MAX_ONEHOT_DIGIT)))
    }

    /// All of it as numbers, for a digest.
    pub(crate) fn words(self) -> [u64; 2] {
        let Self { method, digit } = self;
        let method = match method {
            DigitMethod::Thermometer => 0,
            DigitMethod::Lookup => 1,
            DigitMethod::OneHot { join } => join.into(), // 2 and more
        };
        [method, digit.into()]
    }

    /// What a comparison of numbers of `bits` bits costs by this plan.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64` and the plan is one of [`all`](Self::all).
    pub fn bill(&self, bits: u32) -> Result<Bill> {
        let cut = || Cut::new(bits, self.digit);
        let (digits, cut) = match self.method {
            DigitMethod::Thermometer => (Thermometers::bill(&cut()?), cut()?),
            DigitMethod::Lookup => (Lookups::bill(&cut()?, false), cut()?),
            DigitMethod::OneHot { join } => return Ok(OneHotForm::new(bits, self.digit, join)?.bill()),
        };
        Ok(digits + Tree::bill(cut.len()))
    }
}

/// What to minimise, in arbitrary units. For time: a correlated OT takes as long as about 30
/// bits offline, and what is sent online comes with the most work. For bytes a correlated OT counts
/// as a bit. Online, a bit offline still counts a little, and a round as much as 1024 of them: a batch of some
/// thousands waits for it about as long as for them, a 64th of the time before being counted. For rounds, one counts as
/// much as all bits.
pub(super) fn weight(bill: &Bill, objective: Objective) -> u64 {
    let (cots, offline, online) = (bill.all_cots(), bill.offline.all_bits(), bill.online.all_bits());
    match objective {
        Objective::Total => 30 * cots + offline + 8 * online,
        Objective::Online => 16 * online + offline + cots + 1024 * u64::from(bill.online.rounds),
        Objective::Bytes | Objective::Money => cots + offline + online,
        Objective::Rounds => (u64::from(bill.online.rounds) << 32) + 16 * online + offline,
    }
}
