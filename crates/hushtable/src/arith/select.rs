//! Functions that choose by comparison: ReLU, absolute value, clamping, maximum and its place.
//!
//! # Functionality
//! In: additive shares mod `2^l` of signed numbers (of unsigned ones for a maximum with material for
//! them). Out: shares of `max(x, 0)`, `|x|`, `min(max(x, low), high)`, or of the largest number of a
//! vector and of its index, the lowest if several are as large.
//!
//! # Protocol
//! A comparison gives shares of a bit, a multiplexer multiplies it with words:
//! * `relu(x) = 1{x >= 0} x`, `|x| = x - 2 * 1{x < 0} x`;
//! * `clamp(x) = low + 1{x >= low} (x - low) - 1{x >= high} (x - high)`, both at once;
//! * `max(x, y) = y + 1{x >= y} (x - y)`; of a vector by a tree, in which the index goes along.
//!
//! The words that a bit selects ride in one correlated OT each way.
//!
//! # Cost
//! A comparison, then 2 correlated OTs and `2 + 2 l` bits online for a word of l bits that is selected, of `l - 1`
//! bits for the absolute value: 1 round more. Clamping: twice. A vector of k numbers: `k - 1` maxima in
//! `ceil(log2 k)` levels, with an index of `ceil(log2 k)` bits beside the number.
//!
//! # Source
//! lut-spec 11.4 and 11.5; Rathee et al., "CrypTFlow2" (CCS 2020), section 5.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    compare::{CompareJob, Comparison},
    product::share,
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::Mux,
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
};

/// One-time material for the ReLU of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Relu};
/// fn twice(p: &mut Party, m: Relu, x: &AShare<u32>) -> Result<()> {
///     m.relu(p, x)?;
///     m.relu(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Relu(Choosing);

impl Relu {
    /// Offline, for `batch` numbers, by a comparison of near ones.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, batch, &[job.bits])?))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Choosing::bill(job, &[job.bits])
    }

    /// Online: shares of `max(x, 0)`, for signed x. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::negative`].
    pub fn relu<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let positive = self.0.compare.negative(s, x)?.not(s.role());
        self.0.mux.select(s, &positive, x)
    }
}

/// One-time material for the absolute values of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Absolute};
/// fn twice(p: &mut Party, m: Absolute, x: &AShare<u32>) -> Result<()> {
///     m.abs(p, x)?;
///     m.abs(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Absolute(Choosing);

impl Absolute {
    /// Offline, for `batch` numbers, by a comparison of near ones.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, batch, &[job.bits.saturating_sub(1)])?))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Choosing::bill(job, &[job.bits.saturating_sub(1)])
    }

    /// Online: shares of `|x|`, for signed x; that of `-2^(l-1)` is itself. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::negative`].
    pub fn abs<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let negative = self.0.compare.negative(s, x)?;
        // Twice the product is wanted: one mod 2^(l-1) will do.
        let half = x.low_bits::<R>(x.bits() - 1)?;
        let product = self.0.mux.select(s, &negative, &half)?;
        let words = x.words().iter().zip(product.words());
        let words = words.map(|(x, nx)| x.to_u64().wrapping_sub(nx.to_u64() << 1));
        Ok(share(x.bits(), &Zeroizing::new(words.collect::<Vec<_>>())))
    }
}

/// One-time material for limiting a batch of numbers to an interval.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Clamp};
/// fn twice(p: &mut Party, m: Clamp, x: &AShare<u32>) -> Result<()> {
///     m.clamp(p, x, 1, 2)?;
///     m.clamp(p, x, 1, 2)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Clamp(Choosing);

impl Clamp {
    /// Offline, for `batch` numbers; the comparison must be good for `x - low` and `x - high`.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, 2 * batch, &[job.bits])?))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Ok(Choosing::bill(job, &[job.bits])?.times(2))
    }

    /// Online: shares of x where it lies in `low..=high`, else of the nearer bound. The bounds are public, signed
    /// or not as the comparison is. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`].
    pub fn clamp<R: Ring>(self, s: &mut Session, x: &AShare<R>, low: R, high: R) -> Result<AShare<R>> {
        let n = x.len();
        let bounds = [low, high].map(|bound| constant(s.role(), x, bound));
        let mut both = bounds[0].clone();
        both.append(&bounds[1])?;
        let mut twice = x.clone();
        twice.append(x)?;
        let above = self.0.compare.ge(s, &twice, &both)?;
        let selected = self.0.mux.select(s, &above, &(&twice - &both))?;
        let (over_low, over_high) = selected.words().split_at(n);
        let terms = bounds[0].words().iter().zip(over_low).zip(over_high);
        let out = terms.map(|((b, l), h)| b.to_u64().wrapping_add(l.to_u64()).wrapping_sub(h.to_u64()));
        Ok(share(x.bits(), &Zeroizing::new(out.collect::<Vec<_>>())))
    }
}

/// One-time material for the larger ones of pairs of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Maximum};
/// fn twice(p: &mut Party, m: Maximum, x: &AShare<u32>) -> Result<()> {
///     m.max(p, x, x)?;
///     m.max(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Maximum(Choosing);

impl Maximum {
    /// Offline, for `batch` pairs.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, batch, &[job.bits])?))
    }

    /// What a pair costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Choosing::bill(job, &[job.bits])
    }

    /// Online: shares of the larger of x and y. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`].
    pub fn max<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
        let larger = self.0.compare.ge(s, x, y)?;
        Ok(&self.0.mux.select(s, &larger, &(x - y))? + y)
    }
}

/// A comparison, and the selection by its bit.
struct Choosing {
    compare: Comparison,
    mux: Mux,
}

impl Choosing {
    fn prepare(p: &mut Party, job: CompareJob, batch: usize, widths: &[u32]) -> Result<Self> {
        let compare = Comparison::prepare(p, job, batch)?;
        Ok(Self { compare, mux: Mux::prepare(p, batch, widths)? })
    }

    fn bill(job: &CompareJob, widths: &[u32]) -> Result<Bill> {
        Ok(job.bill()? + Mux::bill(widths))
    }
}

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
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize, len: usize) -> Result<Self> {
        Self::with(p, job, batch, len, false)
    }

    /// Offline, for `batch` vectors of `len` numbers whose maxima's indices are wanted too.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn with_index(p: &mut Party, job: CompareJob, batch: usize, len: usize) -> Result<Self> {
        Self::with(p, job, batch, len, true)
    }

    fn with(p: &mut Party, job: CompareJob, batch: usize, len: usize, indexed: bool) -> Result<Self> {
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
    /// As [`Comparison::ge`], and [`Error::Param`] for material with indices.
    pub fn max<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        self.check(false)?;
        let (max, _) = self.run(s, x, None)?;
        Ok(max)
    }

    /// Online: the largest number of each vector and its index, of `ceil(log2 len)` bits, at least 1.
    /// Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`], and [`Error::Param`] if `R` has too few bits for the index and for material without.
    pub fn argmax<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<(AShare<R>, AShare<R>)> {
        self.check(true)?;
        let bits = index_bits(self.len);
        if bits > R::WIDTH {
            let accepted = format!("at most {}", R::WIDTH);
            return Err(Error::Param { what: "bits of an index", got: bits.to_string(), accepted });
        }
        // Public at first: P0's share.
        let (role, len) = (s.role(), self.len);
        let word = |i: usize| R::from_u64(public(role, (i % len) as u64));
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

/// Shares of one public number for each of x.
fn constant<R: Ring>(role: Role, x: &AShare<R>, value: R) -> AShare<R> {
    AShare::new(x.bits(), vec![R::from_u64(public(role, value.to_u64())); x.len()])
}

/// This party's share of a public number.
fn public(role: Role, value: u64) -> u64 {
    match role {
        Role::P0 => value,
        Role::P1 => 0,
    }
}
