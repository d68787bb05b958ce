//! The largest number of a vector, and its place.
//!
//! # Functionality
//! In: additive shares mod `2^l` of vectors of k numbers, signed or not as the material is. Out: shares of the largest
//! number of each, and of its index, the lowest if several are as large.
//!
//! # Protocol
//! A tree of maxima, in which the index goes along. The words that a bit selects ride in one correlated OT each way.
//!
//! # Cost
//! `k - 1` [maxima](super::Maximum) in `ceil(log2 k)` levels, with an index of `ceil(log2 k)` bits beside the number.
//!
//! # Source
//! lut-spec 11.5; Rathee et al., "CrypTFlow2" (CCS 2020), section 5.

use prim::ring::Ring;

use super::{compare::CompareJob, select::Choosing};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for the maxima of a batch of vectors.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::VectorMaximum};
/// fn twice(p: &mut Party, m: VectorMaximum, x: &AShare<u32>) -> Result<()> {
///     m.max(p, x)?;
///     m.max(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct VectorMaximum {
    batch: usize,
    len: usize,
    indexed: bool,
    /// For each level of the tree.
    levels: Vec<Choosing>,
}

impl VectorMaximum {
    /// Offline, for `batch` vectors of `len` numbers.
    ///
    /// # Errors
    /// [`Error::Param`] for vectors of no numbers and for widths that are not supported, and those of
    /// the channel.
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize, len: usize) -> Result<Self> {
        Self::with(p, job, batch, len, false)
    }

    /// Offline, for `batch` vectors of `len` numbers whose maxima's indices are wanted too.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn with_index(p: &mut dyn Source, job: CompareJob, batch: usize, len: usize) -> Result<Self> {
        Self::with(p, job, batch, len, true)
    }

    fn with(p: &mut dyn Source, job: CompareJob, batch: usize, len: usize, indexed: bool) -> Result<Self> {
        if len == 0 {
            let accepted = "1 and more".into();
            return Err(Error::Param { what: "numbers of a maximum", got: "0".into(), accepted });
        }
        let widths = widths(job.bits, len, indexed);
        let levels = levels(len).map(|pairs| Choosing::prepare(p, job, batch * pairs, &widths));
        Ok(Self { batch, len, indexed, levels: levels.collect::<Result<_>>()? })
    }

    /// What a vector costs, without or with its index.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(job: &CompareJob, len: usize, indexed: bool) -> Result<Bill> {
        let pair = Choosing::bill(job, &widths(job.bits, len, indexed))?;
        Ok(levels(len).fold(Bill::FREE, |bill, pairs| bill + pair.times(pairs)))
    }

    /// Online: the largest number of each vector; the vectors stand one behind the other. Spends the
    /// material.
    ///
    /// # Errors
    /// As [`Comparison::ge`](crate::arith::Comparison::ge), and [`Error::Param`] for material with indices.
    pub fn max<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        self.check(false)?;
        let (max, _) = self.run(s, x, None)?;
        Ok(max)
    }

    /// Online: the largest number of each vector and its index, of `ceil(log2 len)` bits, at least 1.
    /// Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`](crate::arith::Comparison::ge), and [`Error::Param`] if `R` has too few bits for the
    /// index and for material without.
    pub fn argmax<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<(AShare<R>, AShare<R>)> {
        self.check(true)?;
        let bits = index_bits(self.len);
        if bits > R::WIDTH {
            let accepted = format!("at most {}", R::WIDTH);
            return Err(Error::Param { what: "bits of an index", got: bits.to_string(), accepted });
        }
        // Public at first: P0's share.
        let (role, len) = (s.role(), self.len);
        let word = |i: usize| R::from_u64(role.share_of((i % len) as u64));
        let index = AShare::new(bits, (0..x.len()).map(word).collect());
        let (max, index) = self.run(s, x, Some(index))?;
        Ok((max, index.expect("it went along")))
    }

    fn check(&self, indexed: bool) -> Result<()> {
        if self.indexed == indexed {
            return Ok(());
        }
        let of = |indexed| if indexed { "with indices" } else { "without indices" };
        let (what, got) = ("material of a maximum", of(self.indexed).into());
        Err(Error::Param { what, got, accepted: of(indexed).into() })
    }

    fn run<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        mut index: Option<AShare<R>>,
    ) -> Result<(AShare<R>, Option<AShare<R>>)> {
        same("numbers of all vectors", self.batch * self.len, x.len())?;
        let (mut x, mut len) = (x.clone(), self.len);
        for material in self.levels {
            let (first, second) = (pick(&x, len, Half::First), pick(&x, len, Half::Second));
            let larger = material.compare.ge(s, &first, &second)?;
            let columns = [Some(&x), index.as_ref()].into_iter().flatten();
            let pairs = columns.map(|c| (pick(c, len, Half::First), pick(c, len, Half::Second)));
            let pairs: Vec<_> = pairs.collect();
            let differences: Vec<_> = pairs.iter().map(|(a, b)| a - b).collect();
            let selected = material.mux.select_all(s, &larger, &differences.iter().collect::<Vec<_>>())?;
            let merged = pairs.iter().zip(&selected).map(|((_, second), chosen)| second + chosen);
            let merged: Vec<_> = merged.collect();
            index = index.map(|index| join(&merged[1], &index, len));
            x = join(&merged[0], &x, len);
            len = len.div_ceil(2);
        }
        Ok((x, index))
    }
}

/// Pairs in a vector, level by level.
fn levels(len: usize) -> impl Iterator<Item = usize> {
    let left = std::iter::successors(Some(len), |&left| Some(left.div_ceil(2)));
    left.take_while(|&left| left > 1).map(|left| left / 2)
}

/// Widths of what is selected.
fn widths(bits: u32, len: usize, indexed: bool) -> Vec<u32> {
    [Some(bits), indexed.then(|| index_bits(len))].into_iter().flatten().collect()
}

fn index_bits(len: usize) -> u32 {
    len.next_power_of_two().trailing_zeros().max(1)
}

/// Which of each pair of neighbours.
#[derive(Clone, Copy)]
enum Half {
    First,
    Second,
}

/// The first or second of each pair of neighbours in vectors of `len`.
fn pick<R: Ring>(x: &AShare<R>, len: usize, half: Half) -> AShare<R> {
    let from = |v: &[R]| v.chunks_exact(2).map(|pair| pair[half as usize]).collect::<Vec<_>>();
    AShare::new(x.bits(), x.words().chunks_exact(len).flat_map(from).collect())
}

/// What the pairs of each vector became, and behind it the vector's last number if it had no pair.
fn join<R: Ring>(merged: &AShare<R>, x: &AShare<R>, len: usize) -> AShare<R> {
    let mut words = Vec::with_capacity(x.len().div_ceil(2));
    for (i, v) in x.words().chunks_exact(len).enumerate() {
        words.extend_from_slice(&merged.words()[i * (len / 2)..][..len / 2]);
        words.extend_from_slice(v.chunks_exact(2).remainder());
    }
    AShare::new(x.bits(), words)
}
