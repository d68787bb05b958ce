//! The largest and the smallest number of a joined column, and its quantiles.
//!
//! # Functionality
//! In: the bits of matches and a column of signed numbers of l bits, 0 where a bin does not match, each below `2^(l-2)`
//! in absolute value. Out: the largest of those that match, or the smallest; of public cuts in increasing order, the
//! first with at least a share `a / b` of the numbers below it.
//!
//! # Protocol
//! *Largest*: `x + (e - 1) 2^(l-2)` is the number, or less than all, and the maximum of all bins is taken. The smallest
//! is that of the negatives. *Quantile*: each bin is compared with each cut, those that do not match as if they were above;
//! the counts of the smaller ones, times b, are compared with a times the count of all. The count of all is compared with
//! the least size, and these bits are ANDed with the others. Only what comes out is opened.
//!
//! # Cost
//! *Largest*: a conversion of a bit a bin and a maximum of all bins. *Quantile*: k comparisons a bin, k + 1
//! conversions, and k comparisons; with a least size one more, and k ANDs.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    AShare, Error, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Objective, VectorMaximum},
    bill::Bill,
    error::same,
    gates::{B2a, Bits, Triples, and},
    session::Session,
    source::Source,
    terms::Value,
};
use prim::{Wiped, ring::low};

use super::{
    asked::{announced, check_least},
    count::sum,
};

/// One-time material for the largest number, or the smallest.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Extremes {
    bits: u32,
    bins: usize,
    matches: B2a,
    maximum: VectorMaximum,
}

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The smallest number.
    Least,
    /// The largest.
    Greatest,
}

fn near(bits: u32) -> Result<CompareJob> {
    if !(4..=64).contains(&bits) {
        let (what, got) = ("width of numbers in order", bits.to_string());
        return Err(Error::Param { what, got, accepted: "4 to 64".into() });
    }
    CompareJob::new(bits, CompareDomain::Near, Objective::Total)
}

/// What stands where nothing matches: `(1 - e) 2^(l-2)`.
fn outside(role: Role, bits: u32, matches: &AShare<u64>) -> impl Iterator<Item = u64> + '_ {
    let one = u64::from(role == Role::P0);
    matches.words().iter().map(move |e| one.wrapping_sub(*e) << (bits - 2))
}

impl Extremes {
    /// Offline, for a column of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 4 to 64 and for no bins, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, bins: usize) -> Result<Self> {
        let job = near(bits)?;
        let matches = B2a::prepare(p, bits, bins)?;
        Ok(Self { bits, bins, matches, maximum: VectorMaximum::prepare(p, job, 1, bins)? })
    }

    /// What it costs.
    ///
    /// # Errors
    /// [`Error::Param`] as [`prepare`](Self::prepare).
    pub fn bill(bits: u32, bins: usize) -> Result<Bill> {
        Ok(B2a::bill(bits).times(bins) + VectorMaximum::bill(&near(bits)?, bins, false)?)
    }

    /// Online: a share of the number at that end. If nothing matches, it is `2^(l-2)` for the smallest one and
    /// `-2^(l-2)` for the largest. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if bits or numbers are not those prepared for, and those of the channel.
    pub fn find(
        self,
        s: &mut Session,
        end: End,
        matched: &Bits,
        column: &AShare<u64>,
    ) -> Result<AShare<u64>> {
        same("numbers", self.bins, column.len())?;
        same("bits of the numbers", self.bits as usize, column.bits() as usize)?;
        let signed = |word: u64| if end == End::Greatest { word } else { word.wrapping_neg() };
        let matches = self.matches.convert::<u64>(s, matched)?;
        let moved = column.words().iter().zip(outside(s.role(), self.bits, &matches));
        let moved = AShare::<u64>::new(self.bits, moved.map(|(x, y)| signed(*x).wrapping_sub(y)).collect());
        let found = self.maximum.max(s, &moved)?;
        Ok(AShare::new(self.bits, found.words().iter().map(|&word| signed(word)).collect()))
    }
}

/// A quantile among public cuts. Public, the same at both parties.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantile {
    /// Width of the numbers.
    pub bits: u32,
    /// The cuts, in increasing order.
    pub cuts: Vec<i64>,
    /// `a / b`.
    pub share: (u32, u32),
    /// The least number of matches of which it is told, at most [`MAX_LEAST`](super::MAX_LEAST). With fewer there is
    /// none, as where no cut is reached. 0 and 1: of all. **A quantile of few numbers tells them**: of one, the cuts
    /// that it lies between. There is no noise on quantiles.
    pub least: u32,
}

/// One-time material for it.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct QuantileMaterial {
    of: Quantile,
    bins: usize,
    matches: B2a,
    below: Comparison,
    counts: [B2a; 2],
    reached: Comparison,
    /// Of a quantile with a least size.
    shown: Option<Triples>,
}

/// Bits of counts times `a` or `b`, with a sign.
const SCALED: u32 = 50;

impl Quantile {
    fn check(&self) -> Result<()> {
        // Not the least number itself: there stands, negated, what does not match.
        let limit = 1i64 << (self.bits.clamp(4, 64) - 2);
        let increase = self.cuts.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = self.cuts.iter().all(|cut| cut.unsigned_abs() < limit as u64);
        let (a, b) = self.share;
        if self.cuts.is_empty() || !increase || !inside || a == 0 || a > b || b > 1 << 16 {
            let (what, got) = ("quantile", format!("{a} of {b} among {} cuts", self.cuts.len()));
            let accepted =
                "increasing cuts below a quarter of the range, and a share of up to 1, of up to 2^16".into();
            return Err(Error::Param { what, got, accepted });
        }
        check_least(self.least)?;
        near(self.bits).map(drop)
    }

    /// The first cut that is reached, by opened bits: they tell only where they begin to be 1, of enough matches.
    pub fn cut(&self, reached: &[i64]) -> Option<i64> {
        let at = reached.iter().position(|&bit| bit == 1)?;
        self.cuts.get(at).copied()
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("width of numbers", self.bits.to_string()),
            ("share", format!("{} of {}", self.share.0, self.share.1)),
            ("least size", self.least.to_string()),
            ("cuts", Value::text(&self.cuts[..])),
        ]
    }

    /// [`fields`](Self::fields), of so many bins.
    fn announced(&self, bins: usize) -> String {
        let bins = ("bins", bins.to_string());
        announced(&[bins].into_iter().chain(self.fields()).collect::<Vec<_>>())
    }

    /// Comparisons of counts.
    fn counted(&self) -> usize {
        self.cuts.len() + usize::from(self.least > 1)
    }

    /// What it costs.
    ///
    /// # Errors
    /// [`Error::Param`] as [`prepare`](Self::prepare).
    pub fn bill(&self, bins: usize) -> Result<Bill> {
        self.check()?;
        let cuts = self.cuts.len();
        let first = B2a::bill(self.bits).times(bins) + near(self.bits)?.bill()?.times(bins * cuts);
        let counted = B2a::bill(SCALED).times(bins) + B2a::bill(SCALED).times(bins * cuts);
        let bill = first + counted + near(SCALED)?.bill()?.times(self.counted());
        let shown = if self.least > 1 { Triples::bill(1).times(cuts) } else { Bill::FREE };
        Ok(bill + shown)
    }

    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`] unless cuts increase and are below `2^(l-2)` in absolute value, and `0 < a <= b <= 2^16`, and
    /// for a least size above [`MAX_LEAST`](super::MAX_LEAST); [`Error::Handshake`] if the peer's quantile is another;
    /// and those of the channel.
    pub fn prepare(&self, p: &mut dyn Source, bins: usize) -> Result<QuantileMaterial> {
        self.check()?;
        p.announce(&self.announced(bins))?;
        let items = bins * self.cuts.len();
        let matches = B2a::prepare(p, self.bits, bins)?;
        let below = Comparison::prepare(p, near(self.bits)?, items)?;
        let counts = [B2a::prepare(p, SCALED, bins)?, B2a::prepare(p, SCALED, items)?];
        let reached = Comparison::prepare(p, near(SCALED)?, self.counted())?;
        let shown = (self.least > 1).then(|| Triples::random(p, self.cuts.len())).transpose()?;
        Ok(QuantileMaterial { of: self.clone(), bins, matches, below, counts, reached, shown })
    }
}

impl QuantileMaterial {
    /// Online: shares of a bit for each cut, whether at least a share `a / b` of the numbers is below it: they increase. All
    /// are 0 if fewer than the least size match; 1 if nothing matches, and there is no least size. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if bits or numbers are not those prepared for; [`Error::Handshake`] if the peer's quantile is
    /// another; and those of the channel.
    pub fn reached(self, s: &mut Session, matched: &Bits, column: &AShare<u64>) -> Result<Bits> {
        let Self { of, bins, matches, below, counts: [all, each], reached, shown } = self;
        same("numbers", bins, column.len())?;
        same("bits of the numbers", of.bits as usize, column.bits() as usize)?;
        s.announce(&of.announced(bins))?;
        let first = s.role() == Role::P0;
        let matches = matches.convert::<u64>(s, matched)?;
        let moved = column.words().iter().zip(outside(s.role(), of.bits, &matches));
        let moved = Wiped::from(moved.map(|(x, y)| x.wrapping_add(y)).collect::<Vec<u64>>());
        let numbers = AShare::<u64>::new(of.bits, moved.repeat(of.cuts.len()));
        let public = |cut: &i64| if first { low(*cut as u64, of.bits) } else { 0 };
        let cuts = of.cuts.iter().flat_map(|cut| std::iter::repeat_n(public(cut), bins)).collect();
        let smaller = below.less(s, &numbers, &AShare::<u64>::new(of.bits, cuts))?;
        let smaller = each.convert::<u64>(s, &smaller)?;
        let all = sum(&all.convert::<u64>(s, matched)?).words()[0];
        let (a, b) = (u64::from(of.share.0), u64::from(of.share.1));
        let counted = smaller
            .words()
            .chunks(bins.max(1))
            .map(|bits| bits.iter().fold(0u64, |sum, w| sum.wrapping_add(*w)));
        // Room for one more, so that nothing grows.
        let [mut scaled, mut wanted] = [(); 2].map(|()| Vec::with_capacity(of.cuts.len() + 1));
        scaled.extend(counted.map(|count| count.wrapping_mul(b)));
        wanted.resize(of.cuts.len(), all.wrapping_mul(a));
        if shown.is_some() {
            scaled.push(all);
            wanted.push(if first { of.least.into() } else { 0 });
        }
        let (scaled, wanted) = (AShare::<u64>::new(SCALED, scaled), AShare::<u64>::new(SCALED, wanted));
        let mut bits = reached.ge(s, &scaled, &wanted)?;
        if let Some(triples) = shown {
            let enough = bits.split_off(of.cuts.len());
            let enough = Bits::concat(std::iter::repeat_n(&enough, of.cuts.len()));
            bits = and(s, triples, &bits, &enough)?;
        }
        Ok(bits)
    }
}
