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
//! A comparison, then 2 correlated OTs and `2 + 2 l` bits for a word of l bits that is selected, `l - 1`
//! bits for the absolute value: 1 round more. Clamping: twice. A vector of k numbers: `k - 1` maxima in
//! `ceil(log2 k)` levels, with an index of `ceil(log2 k)` bits beside the number.
//!
//! # Source
//! lut-spec 11.4 and 11.5; Rathee et al., "CrypTFlow2" (CCS 2020), section 5.

use prim::{
    ct,
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use super::{
    compare::{CompareJob, Comparison},
    product::share,
};
use crate::{
    error::{Error, Result, same},
    gates::{Bits, Products, multiply},
    net::Role,
    party::Party,
    share::{AShare, Additive},
};

/// Shares of `max(x, 0)`, for signed x. Spends the material, for near numbers.
///
/// # Errors
/// As [`Comparison::negative`].
pub fn relu<R: Ring>(p: &mut Party, material: Comparison, x: &AShare<R>) -> Result<AShare<R>> {
    let positive = material.negative(p, x)?.not(p.role());
    Ok(select(p, &positive, &[x])?.remove(0))
}

/// Shares of `|x|`, for signed x; that of `-2^(l-1)` is itself. Spends the material, for near numbers.
///
/// # Errors
/// As [`Comparison::negative`].
pub fn abs<R: Ring>(p: &mut Party, material: Comparison, x: &AShare<R>) -> Result<AShare<R>> {
    let negative = material.negative(p, x)?;
    // Twice the product is wanted: one mod 2^(l-1) will do.
    let half = x.low_bits::<R>(x.bits() - 1)?;
    let product = select(p, &negative, &[&half])?.remove(0);
    let words = x.words().iter().zip(product.words());
    let words = words.map(|(x, nx)| x.to_u64().wrapping_sub(nx.to_u64() << 1));
    Ok(share(x.bits(), &Zeroizing::new(words.collect::<Vec<_>>())))
}

/// Shares of x where it lies in `low..=high`, else of the nearer bound. The bounds are public, signed
/// or not as the material is. Spends the material, for twice as many comparisons as numbers; it must
/// be good for `x - low` and `x - high`.
///
/// # Errors
/// As [`Comparison::ge`].
pub fn clamp<R: Ring>(
    p: &mut Party,
    material: Comparison,
    x: &AShare<R>,
    low: R,
    high: R,
) -> Result<AShare<R>> {
    let n = x.len();
    let bounds = [low, high].map(|bound| constant(p.role(), x, bound));
    let mut both = bounds[0].clone();
    both.append(&bounds[1])?;
    let mut twice = x.clone();
    twice.append(x)?;
    let above = material.ge(p, &twice, &both)?;
    let selected = select(p, &above, &[&(&twice - &both)])?.remove(0);
    let words = selected.words();
    let (over_low, over_high) = words.split_at(n);
    let terms = bounds[0].words().iter().zip(over_low).zip(over_high);
    let out = terms.map(|((b, l), h)| b.to_u64().wrapping_add(l.to_u64()).wrapping_sub(h.to_u64()));
    Ok(share(x.bits(), &Zeroizing::new(out.collect::<Vec<_>>())))
}

/// Shares of the larger of x and y. Spends the material.
///
/// # Errors
/// As [`Comparison::ge`].
pub fn max<R: Ring>(p: &mut Party, material: Comparison, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
    let larger = material.ge(p, x, y)?;
    Ok(&select(p, &larger, &[&(x - y)])?.remove(0) + y)
}

/// One-time material for the maxima of a batch of vectors.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Maximum};
/// fn twice(p: &mut Party, m: Maximum, x: &AShare<u32>) -> Result<()> {
///     m.max(p, x)?;
///     m.max(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Maximum {
    batch: usize,
    len: usize,
    /// For each level of the tree.
    levels: Vec<Comparison>,
}

impl Maximum {
    /// Offline, for `batch` vectors of `len` numbers.
    ///
    /// # Errors
    /// [`Error::Param`] for vectors of no numbers and for widths that are not supported, and those of
    /// the channel.
    pub fn prepare(p: &mut Party, job: CompareJob, batch: usize, len: usize) -> Result<Self> {
        if len == 0 {
            let accepted = "1 and more".into();
            return Err(Error::Param { what: "numbers of a maximum", got: "0".into(), accepted });
        }
        let mut levels = Vec::new();
        let mut left = len;
        while left > 1 {
            levels.push(Comparison::prepare(p, job, batch * (left / 2))?);
            left = left.div_ceil(2);
        }
        Ok(Self { batch, len, levels })
    }

    /// Online: the largest number of each vector; the vectors stand one behind the other. Spends the
    /// material.
    ///
    /// # Errors
    /// As [`Comparison::ge`].
    pub fn max<R: Ring>(self, p: &mut Party, x: &AShare<R>) -> Result<AShare<R>> {
        let (max, _) = self.run(p, x, None)?;
        Ok(max)
    }

    /// Online: the largest number of each vector and its index, of `ceil(log2 len)` bits, at least 1.
    /// Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`], and [`Error::Param`] if `R` has too few bits for the index.
    pub fn argmax<R: Ring>(self, p: &mut Party, x: &AShare<R>) -> Result<(AShare<R>, AShare<R>)> {
        let bits = self.len.next_power_of_two().trailing_zeros().max(1);
        if bits > R::WIDTH {
            let accepted = format!("at most {}", R::WIDTH);
            return Err(Error::Param { what: "bits of an index", got: bits.to_string(), accepted });
        }
        // Public at first: P0's share.
        let (role, len) = (p.role(), self.len);
        let word = |i: usize| R::from_u64(public(role, (i % len) as u64));
        let index = AShare::new(bits, (0..x.len()).map(word).collect());
        let (max, index) = self.run(p, x, Some(index))?;
        Ok((max, index.expect("it went along")))
    }

    fn run<R: Ring>(
        self,
        p: &mut Party,
        x: &AShare<R>,
        mut index: Option<AShare<R>>,
    ) -> Result<(AShare<R>, Option<AShare<R>>)> {
        same("numbers of all vectors", self.batch * self.len, x.len())?;
        let (mut x, mut len) = (x.clone(), self.len);
        for material in self.levels {
            let (first, second) = (pick(&x, len, Half::First), pick(&x, len, Half::Second));
            let larger = material.ge(p, &first, &second)?;
            let columns = [Some(&x), index.as_ref()].into_iter().flatten();
            let pairs = columns.map(|c| (pick(c, len, Half::First), pick(c, len, Half::Second)));
            let pairs: Vec<_> = pairs.collect();
            let differences: Vec<_> = pairs.iter().map(|(a, b)| a - b).collect();
            let selected = select(p, &larger, &differences.iter().collect::<Vec<_>>())?;
            let merged = pairs.iter().zip(&selected).map(|((_, second), chosen)| second + chosen);
            let merged: Vec<_> = merged.collect();
            index = index.map(|index| join(&merged[1], &index, len));
            x = join(&merged[0], &x, len);
            len = len.div_ceil(2);
        }
        Ok((x, index))
    }
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

/// Shares of `b x` for each batch x, `b` being one bit for each item: 1 round. Takes a correlated OT each
/// way for each bit.
///
/// # Errors
/// [`Error::Shape`] unless there are as many bits as items, and those of the channel.
pub fn select<R: Ring>(p: &mut Party, b: &Bits, columns: &[&AShare<R>]) -> Result<Vec<AShare<R>>> {
    let (out, inc) = p.cots(b.len(), b.len())?;
    let mut local = Zeroizing::new(Vec::with_capacity(columns.len()));
    let mut values = Zeroizing::new(Vec::with_capacity(columns.len()));
    for column in columns {
        same("bits that select", column.len(), b.len())?;
        let words = || column.words().iter().map(|x| x.to_u64());
        local.push(b.iter().zip(words()).map(|(b, x)| ct::bit_mask(b) & x).collect::<Vec<u64>>());
        // b x = b_0 x_0 + b_1 x_1 + b_1 x_0 (1 - 2 b_0) + b_0 x_1 (1 - 2 b_1).
        let mine = local.last().into_iter().flatten();
        values.push(words().zip(mine).map(|(x, bx)| x.wrapping_sub(bx << 1)).collect::<Vec<u64>>());
    }
    let widths: Vec<u32> = columns.iter().map(|column| column.bits()).collect();
    let cross = multiply::<Additive>(p, vec![Products::chosen(out, inc, b.iter(), &widths, &values)])?;
    let sums = local.iter().zip(cross[0].iter()).zip(widths).map(|((local, cross), bits)| {
        let words = local.iter().zip(cross).map(|(a, b)| low(a.wrapping_add(*b), bits));
        share(bits, &Zeroizing::new(words.collect::<Vec<_>>()))
    });
    Ok(sums.collect())
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
