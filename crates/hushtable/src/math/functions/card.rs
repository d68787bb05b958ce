//! What is known of an evaluation: the function card.

use std::fmt;

use super::{Bounds, Function, Method, Outside};
use crate::bill::{Bill, Phase};

/// A bound with two decimals, never below it: as cards print what is proven.
pub fn rounded_up(bound: f64) -> String {
    let nearest = format!("{bound:.2}");
    match nearest.parse() {
        Ok(shown) if bound > shown => format!("{:.2}", shown + 0.01),
        _ => nearest,
    }
}

/// How far results lie from the function, in units in their last place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The largest; infinite if it is not known.
    pub max_ulp: f64,
    /// On average over the numbers looked at and all shares of them.
    pub mean_ulp: f64,
    /// Every how many numbers of the domain one was looked at: 1 for all. 0 for a bound by proof, with the mean
    /// that its roundings have. More than 1 for the mean alone, where the largest is not known.
    pub step: u64,
}

/// What is known of an evaluation, public. Printed, it is the function card.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Card {
    /// The function.
    pub function: String,
    /// The same, if it is one that is known by name.
    pub named: Option<Function>,
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
    /// What a number costs: of one that is checked together with others, its share in a large batch, but the rounds
    /// of one. [`of_batch`](Self::of_batch) has the sum for many.
    pub bill: Bill,
    /// Whether the numbers of a batch are checked together, because some are refused.
    pub gathered: bool,
    /// What becomes of numbers outside: `Usual` where that differs between the ends.
    pub outside: Outside,
    /// Whether numbers below the domain are refused, and those above.
    pub refused: [bool; 2],
    /// Whether the function repeats beyond the domain, which is a whole period: what is outside does not matter.
    pub repeats: bool,
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
        self.bill.bytes()
    }

    /// Rounds online of a number.
    pub fn rounds(&self) -> u32 {
        self.bill.online.rounds
    }

    /// What becomes of numbers outside, in words.
    pub fn treatment(&self) -> &'static str {
        match (self.outside, self.refused) {
            _ if self.repeats => "repeats",
            (Outside::Usual, [true, false]) => "strict below, saturate above",
            (Outside::Usual, _) => "saturate below, strict above",
            (outside, _) => outside.name(),
        }
    }

    /// What a batch of `count` numbers costs. One bit is gathered of all that are checked together: by one AND
    /// less than there are numbers, in `ceil(log2 count)` rounds more, and it is opened once. Each round's bits
    /// are sent in whole bytes, which is not counted.
    pub fn of_batch(&self, count: usize) -> Bill {
        let bill = self.bill.times(count);
        if !self.gathered || count == 0 {
            return bill;
        }
        let levels = count.next_power_of_two().trailing_zeros();
        let bits = bill.online.bits.map(|b| b - 2 + 1);
        Bill { online: Phase { bits, rounds: bill.online.rounds + levels }, ..bill }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cots, online, rounds) =
            (self.bill.all_cots(), self.bill.online.all_bits(), self.bill.online.rounds);
        let (max, mean) = (self.accuracy.max_ulp, self.accuracy.mean_ulp);
        let over = match self.accuracy.step {
            _ if max.is_infinite() => format!("not known, about {mean:.2} ulp on average"),
            0 => format!("less than {} ulp by proof, about {mean:.2} on average", rounded_up(max)),
            _ => format!("at most {} ulp, {mean:.2} on average, over all numbers", rounded_up(max)),
        };
        writeln!(f, "function  {}", self.function)?;
        writeln!(f, "domain    {}", self.domain)?;
        writeln!(f, "ring      {} bits, scale 2^-{} to 2^-{}", self.ring, self.scale, self.scale_out)?;
        match self.method {
            Method::Angle => writeln!(f, "method    {}", self.method)?,
            _ => writeln!(f, "method    {}, {} entries", self.method, self.entries)?,
        }
        writeln!(f, "error     {over}")?;
        writeln!(
            f,
            "cost      {:.0} bytes a number ({:.0} online) with {cots} correlated OTs of a bit each, {rounds} rounds online{}",
            self.bytes(),
            online as f64 / 8.0,
            if self.gathered { ", ceil(log2 n) more for n numbers" } else { "" }
        )?;
        match self.outside {
            _ if self.repeats => write!(f, "outside   repeats; numbers in {}", self.reach),
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
        }?;
        match self.undefined() {
            Some(undefined) => write!(f, "\nno value  {undefined}"),
            None => Ok(()),
        }
    }
}

/// What is known of a function of a tensor, public. Printed, it is its card.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TensorCard {
    /// The function.
    pub function: &'static str,
    /// Rows and numbers in a row.
    pub shape: [usize; 2],
    /// Width of the ring, of numbers and of results.
    pub ring: u32,
    /// Bits behind the point, of both.
    pub scale: u32,
    /// The largest error in units in the last place: measured on random rows and on hard ones, not proven.
    pub max_ulp: String,
    /// What becomes of numbers outside its domain.
    pub outside: String,
    /// What the whole tensor costs.
    pub bill: Bill,
}

impl TensorCard {
    /// Bytes a number, of both parties and phases, a correlated OT counting as a bit.
    pub fn bytes_a_number(&self) -> f64 {
        self.bill.bytes() / (self.shape[0] * self.shape[1]).max(1) as f64
    }
}

impl fmt::Display for TensorCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([rows, len], bill) = (self.shape, self.bill);
        let numbers = (rows * len).max(1) as f64;
        writeln!(f, "function  {}", self.function)?;
        writeln!(f, "shape     {rows} x {len}")?;
        writeln!(f, "ring      {} bits, scale 2^-{}", self.ring, self.scale)?;
        writeln!(
            f,
            "error     at most {} ulp, measured on random rows and hard ones, not proven",
            self.max_ulp
        )?;
        writeln!(
            f,
            "cost      {:.0} bytes a number ({:.0} online) with {:.0} correlated OTs of a bit each, {} rounds online",
            self.bytes_a_number(),
            bill.online.all_bits() as f64 / 8.0 / numbers,
            bill.all_cots() as f64 / numbers,
            bill.online.rounds
        )?;
        write!(f, "outside   {}", self.outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_up() {
        for (bound, shown) in [
            (0.0, "0.00"),
            (0.001, "0.01"),
            (0.07, "0.07"),
            (0.2165, "0.22"),
            (0.2241, "0.23"),
            (0.5, "0.50"),
            (0.501, "0.51"),
            (0.995, "1.00"),
            (1.999, "2.00"),
            (2.7131, "2.72"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(rounded_up(bound), shown);
        }
        for i in 0..100_000 {
            let bound = f64::from(i) / 7e4;
            let shown: f64 = rounded_up(bound).parse().unwrap();
            assert!((bound..bound + 0.01).contains(&shown), "{bound} is shown as {shown}");
        }
    }

    #[test]
    fn a_card_states_no_less_than_the_bound() {
        let bounds = Bounds { lo: 0.0, hi: 1.0 };
        let card = |max_ulp: f64, step: u64| {
            Card {
                function: "f".into(),
                named: None,
                domain: bounds,
                ring: 16,
                scale: 8,
                scale_out: 8,
                method: Method::Direct,
                entries: 256,
                accuracy: Accuracy { max_ulp, mean_ulp: 0.25, step },
                jumps: [0.0; 2],
                bill: Bill::FREE,
                gathered: false,
                outside: Outside::Wrap,
                refused: [false; 2],
                repeats: false,
                reach: bounds,
            }
            .to_string()
        };
        let bound = 1.0 + 1.0 / 256.0;
        for (card, text) in [
            (card(bound, 0), "error     less than 1.01 ulp by proof, about 0.25"),
            (card(bound, 1), "error     at most 1.01 ulp, 0.25"),
            (card(f64::INFINITY, 9), "error     not known, about 0.25 ulp on average"),
        ] {
            assert!(card.contains(text), "{card}");
        }
    }
}
