//! Digits of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x. Out, *exactly*: shares of x's digits of w bits, each mod `2^w`,
//! the top one with what is left. *Without a carry*: shares of numbers `i` mod `2^k` and
//! `0 <= u < 2^(t+1)` with `2^t i + u = x` mod `2^(t+k)`; then `i` is the upper digit or one less.
//!
//! # Protocol
//! Without a carry: each party cuts its own share; the sum of the lower parts is not reduced.
//!
//! Exactly: digit i is the sum of the shares' digits and of the carry from below. For each digit but
//! the top one, thermometers tell whether it makes a carry (`2^w - 1 - d_0 < d_1`) and whether it
//! passes one on (equal); a tree of ANDs finds the carries of all prefixes, and a conversion makes them
//! additive.
//!
//! # Cost
//! Without a carry: none. Exactly, for m digits: thermometers of `m - 1` digits, `ceil(log2 (m - 1))`
//! rounds of ANDs, 6 bits and 2 correlated OTs for a pair of prefixes, 4 bits where the lower one begins
//! at 0; and `m - 1` conversions to w bits, 1 round.
//!
//! # Source
//! Rathee et al., "SiRNN" (S&P 2021), digit decomposition; the prefixes after Sklansky (1960);
//! lut-spec 11.2 without a carry.

use std::sync::Arc;

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{digits::Cut, product::share, thermometer::Thermometers};
use crate::{
    bill::Bill,
    circuit::{Builder, Layers, Made, Netlist, Wire},
    error::{Error, Result, same},
    gates::{B2a, Bits},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// Without a carry: `i` mod `2^k`, and `u` in a ring of `bits` bits. Local.
///
/// # Errors
/// [`Error::Param`] unless `1 <= t`, `1 <= k`, `t + k <= l` and `t < bits <= S::WIDTH`.
pub fn carry_free_split<R: Ring, S: Ring>(
    x: &AShare<R>,
    t: u32,
    k: u32,
    bits: u32,
) -> Result<(AShare<R>, AShare<S>)> {
    let refuse = |what, got: u32, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
    let l = x.bits();
    if t == 0 || k == 0 || t.saturating_add(k) > l {
        return refuse("bits of a split", t.saturating_add(k), format!("1 and 1 to {l} in all"));
    }
    if bits <= t || bits > S::WIDTH {
        return refuse("bits of the lower part", bits, format!("{} to {}", t + 1, S::WIDTH));
    }
    let upper = x.words().iter().map(|w| w.to_u64() >> t).collect::<Vec<_>>();
    let lower = x.words().iter().map(|w| low(w.to_u64(), t)).collect::<Vec<_>>();
    Ok((share(k, &Zeroizing::new(upper)), share(bits, &Zeroizing::new(lower))))
}

/// One-time material for the digits of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Decomposition};
/// fn twice(p: &mut Party, m: Decomposition, x: &AShare<u32>) -> Result<()> {
///     m.digits(p, x)?;
///     m.digits(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Decomposition {
    bits: u32,
    batch: usize,
    cut: Cut,
    carries: Option<Carries>,
}

/// What the digits below the top one take.
struct Carries {
    thermometers: Thermometers,
    prefixes: Layers,
    convert: B2a,
}

impl Decomposition {
    /// Offline, for `batch` numbers of `bits` bits, 1 to 64, in digits of `digit` bits, 1 to 6.
    ///
    /// # Errors
    /// [`Error::Param`] for other widths, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, digit: u32, batch: usize) -> Result<Self> {
        let cut = Cut::full(bits, digit)?;
        let below = cut.below_top();
        let carries = match below.len() {
            0 => None,
            count => {
                let thermometers = Thermometers::prepare(p, &below, batch)?;
                let prefixes = Layers::prepare(p, &prefixes(count), batch)?;
                let convert = B2a::prepare(p, cut.widths()[0], count * batch)?;
                Some(Carries { thermometers, prefixes, convert })
            }
        };
        Ok(Self { bits, batch, cut, carries })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn bill(bits: u32, digit: u32) -> Result<Bill> {
        let cut = Cut::full(bits, digit)?;
        let below = cut.below_top();
        if below.len() == 0 {
            return Ok(Bill::FREE);
        }
        let converted = B2a::bill(cut.widths()[0]).times(below.len());
        Ok(Thermometers::bill(&below) + Layers::bill(&prefixes(below.len()), 1) + converted)
    }

    /// Online: shares of the digits, lowest first. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn digits<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<Vec<AShare<R>>> {
        same("numbers to cut into digits", self.batch, x.len())?;
        same("bits of the numbers", self.bits as usize, x.bits() as usize)?;
        let words = Zeroizing::new(x.words().iter().map(|w| w.to_u64()).collect::<Vec<u64>>());
        let mut digits: Vec<AShare<R>> = Vec::with_capacity(self.cut.len());
        for (i, &w) in self.cut.widths().iter().enumerate() {
            let digit = self.cut.digit(&words, i, &(0..self.batch));
            digits.push(AShare::new(w, digit.iter().map(|&d| R::from_u64(d.into())).collect()));
        }
        let Some(carries) = self.carries else { return Ok(digits) };
        let converted: AShare<R> = carries.find(s, &words)?;
        for (digit, carry) in digits[1..].iter_mut().zip(converted.words().chunks(self.batch.max(1))) {
            *digit = &*digit + &AShare::new(digit.bits(), carry.to_vec());
        }
        Ok(digits)
    }
}

impl Carries {
    /// The carry out of each digit, digit by digit.
    fn find<R: Ring>(self, s: &mut Session, words: &[u64]) -> Result<AShare<R>> {
        // 2^w - 1 - d is the complement of a digit.
        let flip = match s.role() {
            Role::P0 => u64::MAX,
            Role::P1 => 0,
        };
        let mine = Zeroizing::new(words.iter().map(|w| w ^ flip).collect::<Vec<u64>>());
        let digits = self.thermometers.orders(s, &mine)?;
        // Whether the lowest digit is equal nobody asks.
        let (mut inputs, equal): (Vec<Bits>, Vec<_>) =
            digits.into_iter().map(|digit| (digit.less, digit.equal)).unzip();
        inputs.extend(equal.into_iter().skip(1).flatten());
        let less = self.prefixes.eval(s, inputs)?;
        self.convert.convert(s, &Bits::concat(less.iter()))
    }
}

/// Whether a number is less up to each digit. In: whether each digit is less, and then whether each but the lowest is
/// equal.
fn prefixes(count: usize) -> Arc<Netlist> {
    static MADE: Made<usize> = Made::new();
    MADE.get(count, || {
        let mut b = Builder::new(&[1, 2]);
        let less = b.inputs(count);
        let equal = b.inputs(count - 1);
        let all = prefix_tree(&mut b, less, equal);
        b.finish(&all)
    })
}

/// Sklansky's prefix tree: what comes out of each digit. In: whether each digit makes a carry, and whether each but the
/// lowest passes one on; none does both. A message for each AND, of which [`Builder::new`] announces one and two at a time.
pub(super) fn prefix_tree(b: &mut Builder, mut makes: Vec<Wire>, passes: Vec<Wire>) -> Vec<Wire> {
    let count = makes.len();
    let mut passes = [&makes[..1], &passes].concat();
    for level in 0..count.next_power_of_two().trailing_zeros() {
        for i in (0..count).filter(|i| i >> level & 1 == 1) {
            // The end of the prefix below, which may begin at digit 0.
            let below = (i >> level << level) - 1;
            let ends = [makes[below], passes[below]];
            let products = b.and_each(passes[i], &ends[..if i >> (level + 1) == 0 { 1 } else { 2 }]);
            makes[i] = b.xor(&[makes[i], products[0]]);
            passes[i] = *products.last().expect("an AND");
        }
    }
    makes
}
