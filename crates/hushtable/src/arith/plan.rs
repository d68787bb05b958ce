//! Which protocol compares digits, and how wide they are.

use std::fmt;

use super::{
    digits::{Cut, MAX_DIGIT_BITS},
    lookup_digits::Lookups,
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
}

/// How numbers are compared. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComparePlan {
    /// How their digits are.
    pub method: DigitMethod,
    /// Largest width of a digit in bits, 1 to 6.
    pub digit: u32,
}

impl fmt::Display for ComparePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.method {
            DigitMethod::Thermometer => "thermometer",
            DigitMethod::Lookup => "lookup",
        };
        write!(f, "{method} in digits of {}", self.digit)
    }
}

impl ComparePlan {
    /// The best plan for comparisons of numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width.
    pub fn best(bits: u32, objective: Objective) -> Result<Self> {
        let mut best = None;
        for method in [DigitMethod::Thermometer, DigitMethod::Lookup] {
            for digit in 1..=MAX_DIGIT_BITS {
                let plan = Self { method, digit };
                let weight = weight(&plan.bill(bits)?, objective);
                if best.is_none_or(|(_, least)| weight < least) {
                    best = Some((plan, weight));
                }
            }
        }
        Ok(best.expect("there are plans").0)
    }

    /// All of it as numbers, for a digest.
    pub(crate) fn words(self) -> [u64; 2] {
        let Self { method, digit } = self;
        [method as u64, digit.into()]
    }

    /// What a comparison of numbers of `bits` bits costs by this plan.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64` and `1 <= digit <= 6`.
    pub fn bill(&self, bits: u32) -> Result<Bill> {
        let cut = Cut::new(bits, self.digit)?;
        let digits = match self.method {
            DigitMethod::Thermometer => Thermometers::bill(&cut),
            DigitMethod::Lookup => Lookups::bill(&cut),
        };
        Ok(digits + Tree::bill(cut.len()))
    }
}

/// What is to be least, in arbitrary units. For time: a correlated OT takes as long as about 30
/// bits offline, and what is sent online comes with the most work. For bytes a correlated OT counts
/// as a bit. Online, a bit offline still counts a little; a round counts as much as all bits.
pub(super) fn weight(bill: &Bill, objective: Objective) -> u64 {
    let (cots, offline, online) = (bill.all_cots(), bill.offline.all_bits(), bill.online.all_bits());
    match objective {
        Objective::Total => 30 * cots + offline + 8 * online,
        Objective::Online => 16 * online + offline + cots,
        Objective::Bytes => cots + offline + online,
        Objective::Rounds => (u64::from(bill.online.rounds) << 32) + 16 * online + offline,
    }
}
