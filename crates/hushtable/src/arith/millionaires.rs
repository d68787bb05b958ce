//! Comparison of two numbers, one known to each party.
//!
//! # Functionality
//! P0 inputs `c`, P1 inputs `d`, numbers of L bits. Both get XOR shares of `1{c < d}`.
//!
//! # Protocol
//! By one-hot vectors as on their page. Otherwise:
//! 1. Both cut their numbers into digits and get shares of `1{c_i < d_i}` and `1{c_i = d_i}`, by
//!    thermometers or by lookups in a table of the sender's;
//! 2. a tree of ANDs merges neighbours.
//!
//! # Cost
//! That of the digits and of the tree, for `m = ceil(L / w)` digits, which differ in width by one
//! bit at most. With thermometers: offline `(w - 1) 2^w + 1` bits and w correlated OTs a digit, and
//! `2 (m - 1)` correlated OTs for the tree, 1 message; online `2 L + 6 (m - 1) - 2 ceil(log2 m)`
//! bits in `1 + ceil(log2 m)` rounds. With lookups: offline the correlated OTs alone; online
//! `w + 2 (2^w - 1)` bits a digit instead of `2 w`, and a round more. By one-hot vectors: that of
//! their [page](super::onehot_digits).
//!
//! # Source
//! Garay, Schoenmakers, Villegas (PKC 2007); Rathee et al., "CrypTFlow2" (CCS 2020), section 3;
//! Hou et al., "ROTL" (PoPETs 2026), Fig. 12, with a modulus of `2^(w+1)` a digit: as printed,
//! `2^w` or `2^m`, no table gives the order.

use super::{
    digits::Cut,
    lookup_digits::Lookups,
    onehot_digits::{OneHotForm, OneHots},
    plan::{ComparePlan, DigitMethod},
    thermometer::Thermometers,
    tree::Tree,
};
use crate::{
    error::{Result, same},
    gates::Bits,
    session::Session,
    source::Source,
};

/// One-time material for a batch of comparisons.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Millionaires};
/// fn twice(p: &mut Party, m: Millionaires, x: &[u64]) -> Result<()> {
///     m.less(p, x)?;
///     m.less(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Millionaires {
    batch: usize,
    by: By,
}

enum By {
    Thermometers(Thermometers, Tree),
    Lookups(Lookups, Tree),
    OneHots(OneHots),
}

impl Millionaires {
    /// Offline, for `batch` comparisons of numbers of `bits` bits, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, plan: ComparePlan, batch: usize) -> Result<Self> {
        let by = match plan.method {
            DigitMethod::Thermometer => {
                let cut = Cut::new(bits, plan.digit)?;
                let digits = Thermometers::prepare(p, &cut, batch)?;
                By::Thermometers(digits, Tree::prepare(p, cut.len(), batch)?)
            }
            DigitMethod::Lookup => {
                let cut = Cut::new(bits, plan.digit)?;
                let digits = Lookups::prepare(p, &cut, false, batch)?;
                By::Lookups(digits, Tree::prepare(p, cut.len(), batch)?)
            }
            DigitMethod::OneHot { join } => {
                By::OneHots(OneHots::prepare(p, &OneHotForm::new(bits, plan.digit, join)?, batch)?)
            }
        };
        Ok(Self { batch, by })
    }

    /// Number of comparisons it serves.
    pub fn len(&self) -> usize {
        self.batch
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// Online: shares of `1{c < d}`, `mine` being this party's numbers, of which the low bits count.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many numbers as comparisons, and
    /// those of the channel.
    pub fn less(self, s: &mut Session, mine: &[u64]) -> Result<Bits> {
        same("numbers to compare", self.batch, mine.len())?;
        let (orders, tree) = match self.by {
            By::Thermometers(digits, tree) => (digits.orders(s, mine)?, tree),
            By::Lookups(digits, tree) => (digits.orders(s, mine)?, tree),
            By::OneHots(digits) => return digits.less(s, mine),
        };
        Ok(tree.merge(s, orders)?.less)
    }
}
