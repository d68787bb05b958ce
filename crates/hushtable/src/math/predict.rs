//! What the steps of functions of tensors cost, for the jobs' own sums; and the card of such a function.

use std::fmt;

use super::Cost;
use crate::{arith::CompareJob, error::Result};

/// What is known of a function of a tensor, public. Printed, it is its card.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorCard {
    /// The function.
    pub function: &'static str,
    /// Rows and numbers in a row.
    pub shape: [usize; 2],
    /// Width of the ring, of numbers and of results.
    pub ring: u32,
    /// Bits behind the point, of both.
    pub scale: u32,
    /// The largest error in units in the last place.
    pub max_ulp: String,
    /// What becomes of numbers outside its domain.
    pub outside: String,
    /// What the whole tensor costs.
    pub cost: Cost,
}

impl TensorCard {
    /// Bytes a number, of both parties and phases, a correlated OT counting as a bit.
    pub fn bytes_a_number(&self) -> f64 {
        self.cost.bytes() / (self.shape[0] * self.shape[1]).max(1) as f64
    }
}

impl fmt::Display for TensorCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([rows, len], cost) = (self.shape, self.cost);
        let numbers = (rows * len).max(1) as f64;
        writeln!(f, "function  {}", self.function)?;
        writeln!(f, "shape     {rows} x {len}")?;
        writeln!(f, "ring      {} bits, scale 2^-{}", self.ring, self.scale)?;
        writeln!(f, "error     at most {} ulp", self.max_ulp)?;
        writeln!(
            f,
            "cost      {:.0} bytes a number ({:.0} online), {:.0} correlated OTs, {} rounds online",
            self.bytes_a_number(),
            cost.online_bits as f64 / 8.0 / numbers,
            cost.cots as f64 / numbers,
            cost.rounds
        )?;
        write!(f, "outside   {}", self.outside)
    }
}

/// A message each way online, with so many bits and correlated OTs in all.
fn online(cots: u32, bits: u32) -> Cost {
    Cost { cots: cots as usize, online_bits: bits as usize, rounds: 1, ..Cost::default() }
}

/// The reading of a one-hot vector of `2^n` entries with additive outputs.
pub(super) fn reading(n: u32, widths: &[u32]) -> Cost {
    let outputs: u32 = widths.iter().map(|w| 2 * (w - 1)).sum();
    Cost { cots: 2, offline_bits: 2, online_bits: (2 * n + outputs) as usize, rounds: 2 }
}

/// A vector by doubling, with its lift.
pub(super) fn doubling(n: u32) -> Cost {
    let n = n as usize;
    let offline_bits = 2 * ((1 << n) - n - 1) + n * (n - 1) / 2;
    Cost { cots: 2 * (n - 1) + 1, offline_bits, ..Cost::default() }
}

/// A product of shared numbers.
pub(super) fn product(w: u32) -> Cost {
    online(2 * w, 2 * w + w * (w + 1))
}

/// Products of `count` numbers with one: they share its correlated OTs.
pub(super) fn products_with_one(w: u32, count: usize) -> Cost {
    let online_bits = (2 * w) as usize + count * (w * (w + 1)) as usize;
    Cost { cots: (2 * w) as usize, online_bits, rounds: 1, ..Cost::default() }
}

/// Products of a number that one party knows with `count` shared ones.
pub(super) fn known(w: u32, count: usize) -> Cost {
    let online_bits = w as usize + count * (w * (w + 1) / 2) as usize;
    Cost { cots: w as usize, online_bits, rounds: 1, ..Cost::default() }
}

/// A square.
pub(super) fn square(w: u32) -> Cost {
    online(w - 1, w - 1 + (w - 1) * w / 2)
}

/// A product with small numbers of b bits, one of each party's.
pub(super) fn small(w: u32, b: u32) -> Cost {
    online(2 * b, 2 * b + b * (2 * w - b + 1))
}

/// A safe truncation from `scale` to `to` bits behind the point; nothing where bits are added.
pub(super) fn rescaling(scale: i32, to: u32) -> Cost {
    match scale - to as i32 {
        ..=0 => Cost::default(),
        cut => online(1, cut as u32 + 1),
    }
}

/// A bounded extension; nothing to the same width.
pub(super) fn extension(l: u32, k: u32) -> Cost {
    if l == k { Cost::default() } else { online(1, k - l + 1) }
}

/// A multiplexer.
pub(super) fn selection(w: u32) -> Cost {
    online(2, 2 + 2 * w)
}

/// A comparison of near numbers.
pub(super) fn comparison(job: &CompareJob) -> Result<Cost> {
    Ok(job.plan.cost(job.bits - 1)?.into())
}
