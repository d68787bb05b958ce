//! What is known of an evaluation: the function card.

use std::{fmt, ops::Add};

use super::{Bounds, Method, Outside};
use crate::arith::PlanCost;

/// What a number costs, framing aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Correlated OTs, of both directions and phases.
    pub cots: usize,
    /// Bits offline, of both directions, without those of the correlated OTs.
    pub offline_bits: usize,
    /// Bits online, of both directions.
    pub online_bits: usize,
    /// Rounds online.
    pub rounds: usize,
}

impl Cost {
    /// A one-hot vector of `2^n` entries by [`OneHot::tree`](crate::onehot::OneHot::tree).
    pub(super) fn tree(n: u32) -> Self {
        let (n, low) = (n as usize, n.min(7) as usize);
        let doubling = 2 * ((1 << low) - low - 1);
        let above = if n > low { 256 * (n - low) + 256 } else { 0 };
        let lift = if n > 1 { (n * (n - 1) / 2, 1) } else { (0, 0) };
        let cots = 2 * (n - 1) + lift.1;
        Self { cots, offline_bits: doubling + above + lift.0, ..Self::default() }
    }

    /// A conversion or extension by one correlated OT, to or by so many bits: see [`b2a`](crate::gates::b2a).
    pub(super) fn conversion(bits: u32) -> Self {
        Self { cots: 1, online_bits: bits as usize, rounds: 1, ..Self::default() }
    }

    /// A batch of so many, in the same rounds.
    pub(super) fn times(self, count: usize) -> Self {
        Self {
            cots: count * self.cots,
            offline_bits: count * self.offline_bits,
            online_bits: count * self.online_bits,
            rounds: self.rounds,
        }
    }

    /// Bytes of both phases, a correlated OT counting as a bit.
    pub fn bytes(&self) -> f64 {
        (self.cots + self.offline_bits + self.online_bits) as f64 / 8.0
    }
}

impl From<PlanCost> for Cost {
    fn from(PlanCost { cots, offline_bits, online_bits, rounds }: PlanCost) -> Self {
        Self { cots, offline_bits, online_bits, rounds }
    }
}

impl Add for Cost {
    type Output = Self;

    /// One after the other.
    fn add(self, then: Self) -> Self {
        Self {
            cots: self.cots + then.cots,
            offline_bits: self.offline_bits + then.offline_bits,
            online_bits: self.online_bits + then.online_bits,
            rounds: self.rounds + then.rounds,
        }
    }
}

/// How far results lie from the function, in units in their last place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The largest seen.
    pub max_ulp: f64,
    /// On average over the numbers looked at and all shares of them.
    pub mean_ulp: f64,
    /// Every how many numbers of the domain one was looked at; 1 for all.
    pub step: u64,
}

/// What is known of an evaluation, public. Printed, it is the function card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The function.
    pub function: String,
    /// Where it is evaluated.
    pub domain: Bounds,
    /// Width of the ring, of numbers and of results.
    pub ring: u32,
    /// Bits behind the point of the numbers.
    pub scale: u32,
    /// Bits behind the point of the results.
    pub scale_out: u32,
    /// How it is evaluated: never `Auto`.
    pub method: Method,
    /// Entries of the table that is read, in each of its columns.
    pub entries: usize,
    /// The error inside the domain.
    pub accuracy: Accuracy,
    /// How far a result beyond the domain's lower and upper end lies from the function's value at the end, in
    /// units in the last place.
    pub jumps: [f64; 2],
    /// What a number costs. [`of_batch`](Self::of_batch) has the sum for many.
    pub cost: Cost,
    /// Whether the numbers of a batch are checked together, because some are refused.
    pub gathered: bool,
    /// What becomes of numbers outside: `Usual` where that differs between the ends.
    pub outside: Outside,
    /// Whether numbers below the domain are refused, and those above.
    pub refused: [bool; 2],
    /// Numbers between these are treated so; others may give anything.
    pub reach: Bounds,
}

impl Card {
    /// The largest error, in units in the last place of a result.
    pub fn max_ulp(&self) -> f64 {
        self.accuracy.max_ulp
    }

    /// The mean error.
    pub fn mean_ulp(&self) -> f64 {
        self.accuracy.mean_ulp
    }

    /// Bytes a number, of both parties and phases, a correlated OT counting as a bit.
    pub fn bytes(&self) -> f64 {
        self.cost.bytes()
    }

    /// Rounds online of a number.
    pub fn rounds(&self) -> usize {
        self.cost.rounds
    }

    /// What becomes of numbers outside, in words.
    pub fn treatment(&self) -> &'static str {
        match (self.outside, self.refused) {
            (Outside::Usual, [true, false]) => "strict below, saturate above",
            (Outside::Usual, _) => "saturate below, strict above",
            (outside, _) => outside.name(),
        }
    }

    /// What a batch of `count` numbers costs. One bit is gathered of all that are checked together: by one AND
    /// less than there are numbers, in `ceil(log2 count)` rounds more, and it is opened once. Each round's bits
    /// are sent in whole bytes, which is not counted.
    pub fn of_batch(&self, count: usize) -> Cost {
        let Cost { cots, offline_bits, online_bits, rounds } = self.cost.times(count);
        if !self.gathered || count == 0 {
            return Cost { cots, offline_bits, online_bits, rounds };
        }
        let levels = count.next_power_of_two().trailing_zeros() as usize;
        Cost { cots: cots - 2, offline_bits, online_bits: online_bits - 4 + 2, rounds: rounds + levels }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { cots, offline_bits, online_bits, rounds } = self.cost;
        let (max, mean) = (self.accuracy.max_ulp, self.accuracy.mean_ulp);
        let over = match self.accuracy.step {
            1 => format!("at most {max:.2} ulp, {mean:.2} on average, over all numbers"),
            step => format!("largest seen {max:.2} ulp, {mean:.2} on average, at one number of {step}"),
        };
        writeln!(f, "function  {}", self.function)?;
        writeln!(f, "domain    {}", self.domain)?;
        writeln!(f, "ring      {} bits, scale 2^-{} to 2^-{}", self.ring, self.scale, self.scale_out)?;
        writeln!(f, "method    {}, {} entries", self.method, self.entries)?;
        writeln!(f, "error     {over}")?;
        writeln!(
            f,
            "cost      {:.0} bytes a number ({:.0} online), {cots} correlated OTs, {rounds} rounds online{}",
            (cots + offline_bits + online_bits) as f64 / 8.0,
            online_bits as f64 / 8.0,
            if self.gathered { ", ceil(log2 n) more for n numbers" } else { "" }
        )?;
        match self.outside {
            Outside::Wrap => write!(f, "outside   not allowed, not checked"),
            Outside::Strict => write!(f, "outside   strict: refused, which the cost includes"),
            _ => {
                let ([low, high], treatment) = (self.jumps, self.treatment());
                let steps = match self.refused {
                    [false, false] => format!("with steps of {low:.0} and {high:.0} ulp"),
                    [true, _] => format!("with a step of {high:.0} ulp, and what is refused is in the cost"),
                    [_, true] => format!("with a step of {low:.0} ulp, and what is refused is in the cost"),
                };
                write!(f, "outside   {treatment}, {steps}; numbers in {}", self.reach)
            }
        }
    }
}
