//! The k-th smallest number of a group, exactly: one binary digit of it, of several groups and several k side by side.
//!
//! # Functionality
//! In, for each bin: shares of a bit for each *search*, whether the bin is still among its candidates, and of a binary
//! digit of the bin's number; for each search a share of its rank among the candidates, from 0. Out: for each search a
//! share of the digit of the number with that rank; the candidates that have this digit; and the rank among these.
//!
//! From the top digit of unsigned numbers to the lowest that gives the number of each rank. The candidates at the beginning
//! are the members of a group, which are more than the rank. Of a group with fewer the digits from where its candidates end
//! are 1, which says nothing.
//!
//! # Protocol
//! A candidate with the digit 1 is an AND. The candidates with the digit 0 are counted, and the count is compared with the
//! rank: the digit is 1 if no more of them are there than the rank says. Then they are no candidates any more, and the
//! rank falls by their number: the candidates are `a ^ u ^ v a`, where a are those of before, u those with the digit 1,
//! and v is the digit of the result.
//!
//! # Cost
//! A bin: ANDs of the digit with each search's bit, and for each search a conversion to words of `log2 n + 2` bits, and a
//! selection of n bits by v. A search: a comparison, and a selection.
//!
//! # Source
//! Radix selection, with the digit of the result shared; join-spec 4, Aggregates, asks for quantiles.

use hushtable::{
    AShare, BShare, Error, Result,
    arith::{CompareDomain, CompareJob, Comparison, Objective},
    bill::Bill,
    gates::{B2a, Bits, Mux, Triples, and_shared},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    session::Session,
    source::Origin,
};

use super::{
    MAX_GROUPS,
    count::sum,
    shape::{MAX_LEAST, check_least},
};

/// One digit of all searches. Takes words of the searches' candidates, the bins' digits, and ranks; gives the candidates
/// that are left, the ranks among them, and the digits found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderDigit {
    /// Bins of the join, at most [`MAX_LEAST`].
    pub bins: usize,
    /// At most [`MAX_GROUPS`].
    pub searches: usize,
}

impl OrderDigit {
    /// `Ok(())` if this can be asked.
    ///
    /// # Errors
    /// [`Error::Param`] for no bins or too many, and for no searches or too many.
    pub fn check(&self) -> Result<()> {
        let refused = |what, got: usize, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
        if !(1..=MAX_GROUPS).contains(&self.searches) {
            return refused("searches for numbers by rank", self.searches, format!("1 to {MAX_GROUPS}"));
        }
        if self.bins == 0 {
            return refused("bins of a search", 0, format!("1 to {MAX_LEAST}"));
        }
        check_least(u32::try_from(self.bins).unwrap_or(u32::MAX))
    }

    /// Bits of a rank and of a count, with a sign, so that their difference is near.
    pub fn rank_bits(&self) -> u32 {
        (usize::BITS - self.bins.leading_zeros() + 2).max(4)
    }

    fn compare(&self) -> Result<CompareJob> {
        CompareJob::new(self.rank_bits(), CompareDomain::Near, Objective::Total)
    }

    /// Words that hold the candidates of a search.
    fn words(&self) -> Vec<u32> {
        vec![64; self.bins.div_ceil(64)]
    }
}

impl Operation for OrderDigit {
    fn name(&self) -> String {
        "digit of a number by its rank".into()
    }

    fn method(&self) -> String {
        "radix selection".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bins", self.bins.to_string()), ("searches", self.searches.to_string())]
    }

    fn signature(&self) -> Signature {
        let candidates = Port::xor("candidates", self.searches as u32).of(self.bins);
        let rank = Port::additive("rank", self.rank_bits()).of(self.searches);
        let digit = Port::bit("digit");
        Signature {
            takes: vec![candidates, digit.of(self.bins), rank],
            gives: vec![candidates, rank, digit.of(self.searches)],
        }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.check()?;
        let (bins, searches) = (self.bins, self.searches);
        let ones = Triples::bill(searches).times(bins);
        let counts = B2a::bill(self.rank_bits()).times(bins * searches);
        let digits = self.compare()?.bill()?.times(searches);
        let left = Mux::bill(&self.words()).times(searches) + Mux::bill(&[self.rank_bits()]).times(searches);
        Ok((ones + counts + digits + left).times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        self.check()?;
        let (bins, searches) = (self.bins, self.searches);
        let prepared = Prepared {
            of: *self,
            ones: Triples::shared(from, bins, searches)?,
            counts: B2a::prepare(from, self.rank_bits(), bins * searches)?,
            digits: Comparison::prepare(from, self.compare()?, searches)?,
            left: Mux::prepare(from, searches, &self.words())?,
            ranks: Mux::prepare(from, searches, &[self.rank_bits()])?,
        };
        Ok(spend(1, move |s, given| prepared.step(s, given)))
    }

    fn tells(&self) -> String {
        "a binary digit of the number with this rank".into()
    }
}

/// One-time material for it.
struct Prepared {
    of: OrderDigit,
    ones: Triples,
    counts: B2a,
    digits: Comparison,
    left: Mux,
    ranks: Mux,
}

impl Prepared {
    fn step(self, s: &mut Session, given: &[&[u64]]) -> Result<Vec<Words>> {
        let Self { of: OrderDigit { bins, searches }, ones, counts, digits, left, ranks } = self;
        let [candidates, digit, rank] = operands(given)?;
        let candidates = Bits::from_share(&BShare::<u64>::new(searches as u32, candidates.to_vec()));
        let digit = Bits::collect(digit.iter().copied());
        let rank = AShare::<u64>::new(self.of.rank_bits(), rank.to_vec());
        let ones = and_shared(s, ones, &digit, &candidates.iter().collect::<Vec<_>>())?;
        let zeros: Vec<Bits> = candidates.iter().zip(&ones).map(|(all, ones)| all ^ ones).collect();
        let counts = counts.convert::<u64>(s, &Bits::concat(zeros.iter()))?;
        let counts = counts.words().chunks(bins).map(sum).collect();
        let counts = AShare::<u64>::new(rank.bits(), counts);
        let found = digits.ge(s, &rank, &counts)?;
        // Those of before where the digit is 1, by search.
        let words = |word: usize| {
            let words = candidates.iter().map(|bits| bits.words()[word]).collect();
            BShare::<u64>::new(64, words)
        };
        let words: Vec<BShare<u64>> = (0..bins.div_ceil(64)).map(words).collect();
        let before = left.select_all(s, &found, &words.iter().collect::<Vec<_>>())?;
        let fallen = ranks.select(s, &found, &counts)?;
        let rank = &rank - &fallen;
        let kept = zeros.iter().enumerate().map(|(i, zeros)| {
            let before = Bits::new(bins, before.iter().map(|word| word.words()[i]).collect());
            zeros ^ &before
        });
        let kept = Bits::to_share::<u64>(&kept.collect::<Vec<Bits>>())?;
        Ok(vec![Words::new(kept.into_wide()), Words::new(rank.into_wide()), Words::new(found.to_wide())])
    }
}
