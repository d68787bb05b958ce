//! Quantiles of the numbers that match, among public cuts.
//!
//! # Functionality
//! In, for each bin: shares of the bit whether it matches, and of a signed number of l bits, below `2^(l-2)` in absolute
//! value; where some that do not match are other than 0, as in groups, these and the cuts are below `2^(l-3)`. Out:
//! shares of a bit for each of k cuts, whether at least a share `a / b` of the numbers that match is below it: they
//! increase. All are 0 if fewer than the least size match; 1 if nothing matches, and there is no least size.
//!
//! # Protocol
//! Each bin is compared with each cut, those that do not match as if they were above; the counts of the smaller ones,
//! times b, are compared with a times the count of all. The count of all is compared with the least size, and these bits
//! are ANDed with the others.
//!
//! # Cost
//! A bin: k comparisons and k + 2 conversions. Besides k comparisons; with a least size one more, and k ANDs.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    AShare, Error, Result, Role,
    arith::Comparison,
    bill::Bill,
    error::same,
    gates::{B2a, Bits, Triples, and},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    session::Session,
    source::Origin,
    terms::Value,
};
use prim::ring::low;

use super::{
    count::sum,
    extreme::{near, outside},
    shape::check_least,
};

/// Bits of counts times `a` or `b`, with a sign.
const SCALED: u32 = 50;

/// Which of the cuts has at least a share of the numbers that match below it. Takes the bits of matches and the numbers;
/// gives a bit for each cut, of which the first 1 is at the [cut](Self::cut).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantile {
    /// Of the join.
    pub bins: usize,
    /// Width of the numbers, 4 to 64.
    pub bits: u32,
    /// The cuts, in increasing order, each below `2^(bits-2)` in absolute value.
    pub cuts: Vec<i64>,
    /// `a / b`, with `0 < a <= b <= 2^16`.
    pub share: (u32, u32),
    /// The least number of matches of which it is told, at most [`MAX_LEAST`](super::MAX_LEAST). With fewer there is
    /// none, as where no cut is reached. 0 and 1: of all. **A quantile of few numbers tells them**: of one, the cuts
    /// that it lies between. There is no noise on quantiles.
    pub least: u32,
}

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

    /// Comparisons of counts.
    fn counted(&self) -> usize {
        self.cuts.len() + usize::from(self.least > 1)
    }
}

impl Operation for Quantile {
    fn name(&self) -> String {
        "quantile".into()
    }

    fn method(&self) -> String {
        format!("comparisons with {} cuts", self.cuts.len())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("bins", self.bins.to_string()),
            ("width of numbers", self.bits.to_string()),
            ("share", format!("{} of {}", self.share.0, self.share.1)),
            ("least size", self.least.to_string()),
            ("cuts", Value::text(&self.cuts[..])),
        ]
    }

    fn signature(&self) -> Signature {
        let takes = [Port::bit("matches"), Port::additive("number", self.bits)];
        Signature::new(takes.map(|port| port.of(self.bins)), Port::bit("reached").of(self.cuts.len()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.check()?;
        let (bins, cuts) = (self.bins, self.cuts.len());
        let first = B2a::bill(self.bits).times(bins) + near(self.bits)?.bill()?.times(bins * cuts);
        let counted = B2a::bill(SCALED).times(bins) + B2a::bill(SCALED).times(bins * cuts);
        let bill = first + counted + near(SCALED)?.bill()?.times(self.counted());
        let shown = if self.least > 1 { Triples::bill(1).times(cuts) } else { Bill::FREE };
        Ok((bill + shown).times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        self.check()?;
        let all = self.bins * self.cuts.len();
        let matches = B2a::prepare(from, self.bits, self.bins)?;
        let below = Comparison::prepare(from, near(self.bits)?, all)?;
        let counts = [B2a::prepare(from, SCALED, self.bins)?, B2a::prepare(from, SCALED, all)?];
        let reached = Comparison::prepare(from, near(SCALED)?, self.counted())?;
        let shown = (self.least > 1).then(|| Triples::random(from, self.cuts.len())).transpose()?;
        let prepared = Prepared { of: self.clone(), matches, below, counts, reached, shown };
        Ok(spend(1, move |s, given| {
            let [matched, numbers] = operands(given)?;
            let reached = prepared.reached(s, &Bits::collect(matched.iter().copied()), numbers)?;
            Ok(vec![Words::new(reached.to_wide())])
        }))
    }

    fn tells(&self) -> String {
        let (a, b) = self.share;
        format!("between which cuts the number lies that {a} of {b} are below")
    }
}

/// One-time material for it.
struct Prepared {
    of: Quantile,
    matches: B2a,
    below: Comparison,
    counts: [B2a; 2],
    reached: Comparison,
    /// Of a quantile with a least size.
    shown: Option<Triples>,
}

impl Prepared {
    fn reached(self, s: &mut Session, matched: &Bits, numbers: &[u64]) -> Result<Bits> {
        let Self { of, matches, below, counts: [all, each], reached, shown } = self;
        same("numbers", of.bins, numbers.len())?;
        let first = s.role() == Role::P0;
        let matches = matches.convert::<u64>(s, matched)?;
        let moved = numbers.iter().zip(outside(s.role(), &matches));
        let moved = Words::new(moved.map(|(x, y)| x.wrapping_add(y)).collect());
        let numbers = AShare::<u64>::new(of.bits, moved.repeat(of.cuts.len()));
        let public = |cut: &i64| if first { low(*cut as u64, of.bits) } else { 0 };
        let cuts = of.cuts.iter().flat_map(|cut| std::iter::repeat_n(public(cut), of.bins)).collect();
        let smaller = below.less(s, &numbers, &AShare::<u64>::new(of.bits, cuts))?;
        let smaller = each.convert::<u64>(s, &smaller)?;
        let all = sum(all.convert::<u64>(s, matched)?.words());
        let (a, b) = (u64::from(of.share.0), u64::from(of.share.1));
        let counted = smaller.words().chunks(of.bins.max(1)).map(sum);
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
