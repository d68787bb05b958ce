//! Which protocol compares digits, and how wide they are.

use super::{
    digits::{Cut, MAX_DIGIT_BITS},
    tree::pairs,
};
use crate::error::Result;

/// How the digits of numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// By shared thermometers: nearly everything is offline.
    Thermometer,
    /// By one lookup a digit in a table of the sender's: nearly everything is online.
    Lookup,
}

/// What a comparison is to have least of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Time, offline and online together.
    Total,
    /// Time online, and a small share of that offline.
    Online,
    /// Bytes, offline and online together.
    Bytes,
    /// Rounds online.
    Rounds,
}

/// How numbers are compared. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// How their digits are.
    pub method: Method,
    /// Largest width of a digit in bits, 1 to 6.
    pub digit: u32,
}

/// What a comparison costs, without framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanCost {
    /// Correlated OTs, of both directions.
    pub cots: usize,
    /// Bits offline, of both directions, without those of the correlated OTs.
    pub offline_bits: usize,
    /// Bits online, of both directions.
    pub online_bits: usize,
    /// Rounds online.
    pub rounds: usize,
}

impl Plan {
    /// The best plan for comparisons of numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width.
    pub fn best(bits: u32, objective: Objective) -> Result<Self> {
        let mut best = None;
        for method in [Method::Thermometer, Method::Lookup] {
            for digit in 1..=MAX_DIGIT_BITS {
                let plan = Self { method, digit };
                let weight = plan.cost(bits)?.weight(objective);
                if best.is_none_or(|(_, least)| weight < least) {
                    best = Some((plan, weight));
                }
            }
        }
        Ok(best.expect("there are plans").0)
    }

    /// What a comparison of numbers of `bits` bits costs by this plan.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64` and `1 <= digit <= 6`.
    pub fn cost(&self, bits: u32) -> Result<PlanCost> {
        let digits = self.digits(bits)?;
        let (ones, twos) = pairs(Cut::new(bits, self.digit)?.len());
        Ok(PlanCost {
            cots: digits.cots + 2 * (ones + twos),
            online_bits: digits.online_bits + 4 * ones + 6 * twos,
            rounds: digits.rounds + ones,
            ..digits
        })
    }

    /// What the orders of the digits cost, by themselves.
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub(super) fn digits(&self, bits: u32) -> Result<PlanCost> {
        let cut = Cut::new(bits, self.digit)?;
        let entries = |w: u32| 1usize << w;
        let (mut offline_bits, mut online_bits) = (0, 0);
        for (i, &w) in cut.widths().iter().enumerate() {
            match self.method {
                Method::Thermometer => {
                    offline_bits += (w as usize - 1) * entries(w) + 1;
                    online_bits += 2 * w as usize;
                }
                Method::Lookup => online_bits += w as usize + (1 + usize::from(i > 0)) * (entries(w) - 1),
            }
        }
        let rounds = if self.method == Method::Lookup { 2 } else { 1 };
        Ok(PlanCost { cots: bits as usize, offline_bits, online_bits, rounds })
    }

    /// About how many bytes a party holds for a comparison of numbers of `bits` bits: the strings of its
    /// correlated OTs, and for each digit an offset and words.
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn memory(&self, bits: u32) -> Result<usize> {
        let (digits, cots) = (Cut::new(bits, self.digit)?.len(), self.cost(bits)?.cots);
        let words = match self.method {
            Method::Thermometer => 1,
            Method::Lookup => 2,
        };
        Ok(16 * cots + (8 * words + 1) * digits)
    }
}

impl PlanCost {
    /// What is to be least, in arbitrary units. For time: a correlated OT takes as long as about 30
    /// bits offline, and what is sent online comes with the most work. For bytes a correlated OT counts
    /// as a bit. Online, a bit offline still counts a little; a round counts as much as all bits.
    pub(super) fn weight(&self, objective: Objective) -> usize {
        let Self { cots, offline_bits, online_bits, rounds } = *self;
        match objective {
            Objective::Total => 30 * cots + offline_bits + 8 * online_bits,
            Objective::Online => 16 * online_bits + offline_bits + cots,
            Objective::Bytes => cots + offline_bits + online_bits,
            Objective::Rounds => (rounds << 32) + 16 * online_bits + offline_bits,
        }
    }
}
