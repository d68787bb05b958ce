//! Piecewise polynomials of a shared number, in one opening.
//!
//! # Functionality
//! In: additive shares mod `2^d` of x, and public cuts `0 < q_1 < ... < q_(u-1) < 2^d`, which make u pieces, each with
//! a polynomial of degree g with public integer coefficients. Out: additive shares mod `2^k`, `k >= d`, of the
//! polynomial of x's piece at x, a number from 0 to `2^d - 1`. Nothing is rounded: [`truncate_reduce`] takes off what
//! is too fine.
//! * [`powers`](Piecewise::powers): shares of `1{x in piece i} x^j` for all i and j, of which all else is linear;
//! * [`SecretPiecewise`]: the coefficients are shared too.
//!
//! # Protocol
//! *Offline*: both draw bits of a position rho, which are shares of its bits; conversions make rho additive mod `2^k`,
//! products its powers. The keys of comparisons at rho have the payload `(1, rho, ..., rho^g)`.
//!
//! *Online*: `m = x - rho` mod `2^d` is opened. A piece is one or two intervals of rho, in each of which x is `m + rho`
//! or `m + rho - 2^d`. The sum of the payload over an interval is the difference of the keys' values at two public
//! points, and powers of x are combinations of those of rho with public factors, by the binomial theorem.
//!
//! *Secret coefficients*: then the inner product of the u (g + 1) numbers with the coefficients.
//!
//! # Cost
//! Offline d conversions to k bits, a square (g > 1) and a product (g > 2) mod `2^k`, and [`Dcf`] with `g + 1` words of k
//! bits and its opening. Online `2 d` bits, 1 round; for secret coefficients u (g + 1) products mod `2^k` and 1 round
//! more. Local: `(u + 1) d` hashes or more.
//!
//! # Source
//! fss-beyond B6, with the position's powers in both forms as in fss-spec 3c; fss-spec 13 for secret coefficients.
//!
//! [`truncate_reduce`]: hushtable::arith::truncate_reduce

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::words::share;
use hushtable::{
    arith::{Multiplication, Squares},
    bill::Bill,
    error::{Error, Result, same},
    fss::{Below, Dcf, End, KeyShape, Placed},
    gates::{B2a, Bits},
    inner::{Reader, Writer},
    net::Role,
    onehot::Xor,
    party::Party,
    session::Session,
    share::{AShare, Additive, BShare},
    source::{Atom, Source},
};

/// Largest degree.
const MAX_DEGREE: u32 = 3;

/// `C(j, i)`.
const BINOMIAL: [[u64; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];

/// The format of numbers and results. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecewiseJob {
    /// Bits of a number: d, 1 to 24.
    pub bits: u32,
    /// Bits of a result: k, d to 64.
    pub ring: u32,
    /// Degree of the polynomials: g, 0 to 3.
    pub degree: u32,
}

impl PiecewiseJob {
    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths or a degree that are not supported.
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let lift = B2a::bill(self.ring).times(self.bits as usize);
        let square = if self.degree > 1 { Squares::bill(self.ring)? } else { Bill::FREE };
        let cube = if self.degree > 2 { Multiplication::bill(self.ring) } else { Bill::FREE };
        let keys = Dcf::<Xor, Additive>::bill(self.shape())?;
        let made = (lift + square + cube + keys).all_offline();
        let kept = keys.kept + u64::from(self.bits);
        Ok((made + Bill::opening(self.bits.into())).keeping(kept))
    }

    fn check(&self) -> Result<()> {
        let Self { bits, ring, degree } = *self;
        if degree > MAX_DEGREE {
            let (what, got) = ("degree of a polynomial", degree.to_string());
            return Err(Error::Param { what, got, accepted: format!("0 to {MAX_DEGREE}") });
        }
        if ring < bits {
            let (what, got) = ("bits of a result", ring.to_string());
            return Err(Error::Param { what, got, accepted: format!("{bits} to 64") });
        }
        Dcf::<Xor, Additive>::bill(self.shape()).map(drop)
    }

    fn shape(&self) -> KeyShape {
        KeyShape { position: self.bits, bits: self.ring, words: self.words() as u32 }
    }

    /// Powers of a number.
    fn words(&self) -> usize {
        self.degree as usize + 1
    }

    /// The ends of the pieces.
    fn ends(&self, cuts: &[u64]) -> Result<Vec<u64>> {
        let n = 1u64 << self.bits;
        let ends = [&[0], cuts, &[n]].concat();
        match ends.windows(2).find(|pair| pair[0] >= pair[1]) {
            None => Ok(ends),
            Some(pair) => {
                let got = format!("{} after {}", pair[1], pair[0]);
                let accepted = format!("ascending ones, 1 to {}", n - 1);
                Err(Error::Param { what: "cut between pieces", got, accepted })
            }
        }
    }
}

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::Piecewise;
/// fn twice(p: &mut Party, m: Piecewise, x: &AShare<u16>) -> Result<()> {
///     m.powers(p, x, &[3, 9])?;
///     m.powers(p, x, &[3, 9])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Piecewise {
    job: PiecewiseJob,
    /// Shares of rho mod `2^d`.
    mask: AShare<u32>,
    keys: Placed<Below, Xor, Additive>,
}

impl Piecewise {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// [`Error::Param`] for a job that is not supported or more than `2^15` numbers, and those of the channel.
    pub fn prepare(p: &mut impl Source, job: PiecewiseJob, batch: usize) -> Result<Self> {
        job.check()?;
        p.atom(job, batch, |p| Self::make(p, job, batch))
    }

    /// How many numbers it serves.
    pub fn len(&self) -> usize {
        self.mask.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.mask.is_empty()
    }

    fn make(p: &mut Party, job: PiecewiseJob, batch: usize) -> Result<Self> {
        let PiecewiseJob { bits, ring, degree } = job;
        let mut own = Zeroizing::new(vec![0u32; batch]);
        p.rng().words(bits, &mut own);
        let position = BShare::new(bits, own.to_vec());
        let planes = Bits::collect((0..bits).flat_map(|j| own.iter().map(move |w| u64::from(w >> j & 1))));
        let converted: AShare<u64> = B2a::prepare(p, ring, planes.len())?.convert(p, &planes)?;
        let mut sums = Zeroizing::new(vec![0u64; batch]);
        for (j, plane) in converted.words().chunks(batch.max(1)).enumerate() {
            sums.iter_mut().zip(plane).for_each(|(sum, bit)| *sum = sum.wrapping_add(bit << j));
        }
        let rho: AShare<u64> = share(ring, &sums);
        let mut payload = vec![AShare::new(ring, vec![1 - p.role() as u64; batch])];
        if degree > 0 {
            payload.push(rho.clone());
        }
        if degree > 1 {
            payload.push(Squares::prepare(p, ring, batch)?.square(p, &rho)?);
        }
        if degree > 2 {
            payload.push(Multiplication::prepare(p, ring, batch)?.multiply(p, &payload[2], &rho)?);
        }
        let keys = Dcf::<Xor, Additive>::new(p, &position, &payload)?;
        Ok(Self { job, mask: rho.low_bits(bits)?, keys })
    }

    /// Online, 1 round: shares of the polynomials' values, of each piece its coefficients from the constant one on, as
    /// residues mod `2^k`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Param`] for cuts that do not ascend; [`Error::Shape`] unless there are as many coefficients as the pieces
    /// have, or if numbers or widths are not those prepared for; and those of the channel.
    pub fn eval<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        cuts: &[u64],
        coefficients: &[Vec<u64>],
    ) -> Result<AShare<u64>> {
        let (ring, words) = (self.job.ring, self.job.words());
        same("pieces", cuts.len() + 1, coefficients.len())?;
        coefficients.iter().try_for_each(|piece| same("coefficients of a piece", words, piece.len()))?;
        let mut sums = Zeroizing::new(vec![0u64; x.len()]);
        for (power, a) in self.powers(s, x, cuts)?.iter().zip(coefficients.iter().flatten()) {
            let both = sums.iter_mut().zip(power.words());
            both.for_each(|(sum, z)| *sum = sum.wrapping_add(z.wrapping_mul(*a)));
        }
        Ok(share(ring, &sums))
    }

    /// Online, 1 round: shares of `1{x in piece} x^j`, piece by piece, of each from `j = 0` to the degree. Spends the
    /// material.
    ///
    /// # Errors
    /// As [`eval`](Self::eval).
    pub fn powers<R: Ring>(self, s: &mut Session, x: &AShare<R>, cuts: &[u64]) -> Result<Vec<AShare<u64>>> {
        let Self { job, mask, keys } = self;
        same("numbers of the polynomials", mask.len(), x.len())?;
        same("bits of the numbers", job.bits as usize, x.bits() as usize)?;
        let ends = job.ends(cuts)?;
        // Public: rho is uniform, known to nobody, and masks these numbers alone.
        let m = s.open(&x.low_bits::<u32>(job.bits)?.minus(&mask))?;
        let n = 1u64 << job.bits;
        // Sums of the payload over rho >= t, for t = 0 and where pieces begin.
        let all = keys.eval(End::At, &vec![0; m.len()])?;
        let starts = &ends[..ends.len() - 1];
        let from = starts.iter().map(|&q| {
            let points: Vec<u32> =
                m.iter().map(|&m| low(q.wrapping_sub(m.into()), job.bits) as u32).collect();
            keys.eval(End::At, &points)
        });
        let from = from.collect::<Result<Vec<_>>>()?;
        let above = |end: usize, key: usize, j: usize| from[end][j].words()[key];
        let (count, words) = (starts.len(), job.words());
        let mut columns = Zeroizing::new(vec![vec![0u64; m.len()]; count * words]);
        for (key, &m) in m.iter().enumerate() {
            let m = u64::from(m);
            for (i, piece) in ends.windows(2).enumerate() {
                let next = (i + 1) % count;
                let mut add = |shift: u64, sum: &dyn Fn(usize) -> u64| {
                    for j in 0..words {
                        let power = shifted(j, shift, sum);
                        let column = &mut columns[i * words + j][key];
                        *column = column.wrapping_add(power);
                    }
                };
                // x = m + rho: all else was public.
                if piece[1] > m {
                    let first = |j: usize| if piece[0] <= m { all[j].words()[key] } else { above(i, key, j) };
                    let end = |j: usize| if piece[1] == n && m == 0 { 0 } else { above(next, key, j) };
                    add(m, &|j| first(j).wrapping_sub(end(j)));
                }
                // x = m + rho - 2^d.
                if piece[0] < m {
                    let end = |j: usize| if piece[1] >= m { 0 } else { above(next, key, j) };
                    add(m.wrapping_sub(n), &|j| above(i, key, j).wrapping_sub(end(j)));
                }
            }
        }
        Ok(columns.iter().map(|column| share(job.ring, column)).collect())
    }
}

/// The sum of `(rho + shift)^j`, from those of the powers of rho.
fn shifted(j: usize, shift: u64, sum: &dyn Fn(usize) -> u64) -> u64 {
    let term =
        |i: usize| BINOMIAL[j][i].wrapping_mul(shift.wrapping_pow((j - i) as u32)).wrapping_mul(sum(i));
    (0..=j).map(term).fold(0, u64::wrapping_add)
}

/// By the format.
impl Atom for Piecewise {
    type Form = PiecewiseJob;
    const NAME: &'static str = "keys of piecewise polynomials";

    fn encode(&self, to: &mut Writer) {
        to.words(self.mask.words(), self.job.bits);
        self.keys.write(to);
    }

    fn decode(from: &mut Reader<'_>, role: Role, job: &PiecewiseJob, count: usize) -> Result<Self> {
        let mask = AShare::new(job.bits, from.words(count, job.bits)?);
        Ok(Self { job: *job, mask, keys: Placed::read(from, role, job.shape(), count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(count) else {
            return Err(Error::Shape { what: "numbers left", want: count, got: self.len() });
        };
        Ok(Self { job: self.job, mask: self.mask.split_off(left), keys: self.keys.take(count)? })
    }
}

/// One-time material for a batch of numbers, each with polynomials of its own, whose coefficients are shared.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::SecretPiecewise;
/// fn twice(p: &mut Party, m: SecretPiecewise, x: &AShare<u16>, a: &[AShare<u64>]) -> Result<()> {
///     m.eval(p, x, &[3, 9], a)?;
///     m.eval(p, x, &[3, 9], a)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SecretPiecewise {
    pieces: usize,
    numbers: Piecewise,
    products: Multiplication,
}

impl SecretPiecewise {
    /// Offline, for `batch` numbers and so many pieces.
    ///
    /// # Errors
    /// As [`Piecewise::prepare`], and [`Error::Param`] for no piece or more than there are numbers.
    pub fn prepare(p: &mut impl Source, job: PiecewiseJob, pieces: usize, batch: usize) -> Result<Self> {
        let columns = Self::columns(&job, pieces)?;
        let numbers = Piecewise::prepare(p, job, batch)?;
        Ok(Self { pieces, numbers, products: Multiplication::prepare(p, job.ring, columns * batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] as [`prepare`](Self::prepare).
    pub fn bill(job: &PiecewiseJob, pieces: usize) -> Result<Bill> {
        let columns = Self::columns(job, pieces)?;
        Ok(job.bill()? + Multiplication::bill(job.ring).times(columns))
    }

    /// Online, 2 rounds: as [`Piecewise::eval`], with shares mod `2^k` of a batch of each coefficient. Spends the
    /// material.
    ///
    /// # Errors
    /// As there.
    pub fn eval<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        cuts: &[u64],
        coefficients: &[AShare<u64>],
    ) -> Result<AShare<u64>> {
        let (ring, words, batch) = (self.numbers.job.ring, self.numbers.job.words(), x.len());
        same("pieces", self.pieces, cuts.len() + 1)?;
        same("coefficients", self.pieces * words, coefficients.len())?;
        for column in coefficients {
            same("bits of the coefficients", ring as usize, column.bits() as usize)?;
            same("coefficients of a piece", batch, column.len())?;
        }
        let powers = self.numbers.powers(s, x, cuts)?;
        // Number by number.
        let turned = |columns: &[AShare<u64>]| {
            let mut words = Vec::with_capacity(batch * columns.len()); // growing leaves copies
            (0..batch).for_each(|i| words.extend(columns.iter().map(|column| column.words()[i])));
            AShare::<u64>::new(ring, words)
        };
        let (powers, coefficients) = (turned(&powers), turned(coefficients));
        self.products.inner_products(s, &powers, &coefficients, self.pieces * words)
    }

    fn columns(job: &PiecewiseJob, pieces: usize) -> Result<usize> {
        job.check()?;
        let most = 1usize << job.bits;
        match (1..=most).contains(&pieces) {
            true => Ok(pieces * job.words()),
            false => {
                let (what, got) = ("pieces of a polynomial", pieces.to_string());
                Err(Error::Param { what, got, accepted: format!("1 to {most}") })
            }
        }
    }
}
