//! Comparison of two numbers, one known to each party.
//!
//! # Functionality
//! P0 inputs `c`, P1 inputs `d`, numbers of L bits. Both get XOR shares of `1{c < d}`.
//!
//! # Protocol
//! 1. Both cut their numbers into digits and get shares of `1{c_i < d_i}` and `1{c_i = d_i}`, by
//!    a thermometer for each digit or by one 1-of-n OT;
//! 2. a tree of ANDs merges neighbours.
//!
//! # Cost
//! That of the digits and of the tree, for `m = ceil(L / w)` digits, which differ in width by one
//! bit at most. With thermometers: offline `m` times `(w - 1) 2^w + 1` bits and w correlated OTs,
//! `2 (m - 1)` correlated OTs for the tree, 1 message; online `2 L + 6 (m - 1) - 2 ceil(log2 m)`
//! bits in `1 + ceil(log2 m)` rounds.
//!
//! # Source
//! Garay, Schoenmakers, Villegas (PKC 2007); Rathee et al., "CrypTFlow2" (CCS 2020), section 3;
//! Hou et al., "ROTL" (PoPETs 2026), Fig. 12, with a modulus of `2^(w+1)` a digit: as printed,
//! `2^w` or `2^m`, no table gives the order.

use std::ops::Range;

use zeroize::Zeroizing;

use super::{
    thermometer::Thermometer,
    tree::{Order, Tree},
};
use crate::{
    error::{Error, Result, same},
    gates::Bits,
    net::Role,
    party::Party,
};

/// Items in a message; whole words of bits.
const PIECE: usize = 1 << 14;

/// Largest width of a digit.
pub const MAX_DIGIT_BITS: u32 = 6;

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
    widths: Vec<u32>,
    batch: usize,
    digits: Vec<Thermometer>,
    tree: Tree,
}

impl Millionaires {
    /// Offline, for `batch` comparisons of numbers of `bits` bits, 1 to 64, in digits of at most
    /// `digit` bits, 1 to 6.
    ///
    /// # Errors
    /// [`Error::Param`] for other widths, and those of the channel.
    pub fn prepare(p: &mut Party, bits: u32, digit: u32, batch: usize) -> Result<Self> {
        let widths = widths(bits, digit)?;
        let digits = Thermometer::prepare(p, &widths, batch)?;
        let tree = Tree::prepare(p, widths.len(), batch)?;
        Ok(Self { widths, batch, digits, tree })
    }

    /// Correlated OTs that [`prepare`](Self::prepare) takes at `role`: `(as sender, as receiver)`.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn cots(role: Role, bits: u32, digit: u32, batch: usize) -> Result<(usize, usize)> {
        let widths = widths(bits, digit)?;
        let (send, recv) = Thermometer::cots(role, &widths, batch);
        let tree = Tree::cots(widths.len(), batch);
        Ok((send + tree, recv + tree))
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
    /// [`Error::Shape`] unless there are as many numbers as comparisons, and those of the channel.
    pub fn less(self, p: &mut Party, mine: &[u64]) -> Result<Bits> {
        same("numbers to compare", self.batch, mine.len())?;
        let orders = self.orders(p, mine)?;
        self.tree.merge(p, orders)
    }

    /// Step 1: 1 round.
    fn orders(&self, p: &mut Party, mine: &[u64]) -> Result<Vec<Order>> {
        let role = p.role();
        let planes = || vec![Vec::with_capacity(self.batch.div_ceil(64)); self.digits.len()];
        let mut state = (pieces(self.batch), pieces(self.batch), planes(), planes());
        p.session().duplex(
            &mut state,
            |_, (to_send, ..)| Ok(to_send.next().map(|at| self.masked(role, mine, at))),
            |s, (_, to_receive, less, equal)| {
                let Some(at) = to_receive.next() else { return Ok(false) };
                let lens = self.digits.iter().map(|digit| digit.masked_len(at.len()));
                let message = s.recv(lens.clone().sum())?;
                let mut rest = message.as_slice();
                let columns = less.iter_mut().zip(equal).zip(lens);
                for ((i, digit), (planes, len)) in self.digits.iter().enumerate().zip(columns) {
                    let x = self.digit(mine, i, &at);
                    digit.compare(role, &x, at.clone(), &rest[..len], planes);
                    rest = &rest[len..];
                }
                Ok(true)
            },
        )?;
        let bits = |words| Bits::new(self.batch, words);
        let orders = state.2.into_iter().zip(state.3).enumerate();
        Ok(orders.map(|(i, (l, e))| Order { less: bits(l), equal: (i > 0).then(|| bits(e)) }).collect())
    }

    fn masked(&self, role: Role, mine: &[u64], at: Range<usize>) -> Vec<u8> {
        let mut message = Vec::new();
        for (i, digit) in self.digits.iter().enumerate() {
            digit.masked(role, &self.digit(mine, i, &at), at.clone(), &mut message);
        }
        message
    }

    /// Digit `i` of some numbers.
    fn digit(&self, mine: &[u64], i: usize, at: &Range<usize>) -> Zeroizing<Vec<u8>> {
        let shift: u32 = self.widths[..i].iter().sum();
        let mask = (1u64 << self.widths[i]) - 1;
        Zeroizing::new(mine[at.clone()].iter().map(|x| (x >> shift & mask) as u8).collect())
    }
}

/// The widths of the digits, lowest first.
fn widths(bits: u32, digit: u32) -> Result<Vec<u32>> {
    if !(1..=64).contains(&bits) {
        return Err(Error::Param {
            what: "width of a comparison",
            got: bits.to_string(),
            accepted: "1 to 64".into(),
        });
    }
    if !(1..=MAX_DIGIT_BITS).contains(&digit) {
        let accepted = format!("1 to {MAX_DIGIT_BITS}");
        return Err(Error::Param { what: "width of a digit", got: digit.to_string(), accepted });
    }
    let count = bits.div_ceil(digit);
    Ok((0..count).map(|i| bits / count + u32::from(i < bits % count)).collect())
}

fn pieces(batch: usize) -> impl Iterator<Item = Range<usize>> {
    (0..batch).step_by(PIECE).map(move |from| from..batch.min(from + PIECE))
}
