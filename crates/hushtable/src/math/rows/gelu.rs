//! GELU of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x with F bits behind the point, `|x| < 2^(l-3-F)`. Out: shares of
//! `x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2` with as many. It is x from 4 on and 0 below
//! `-4 + 1/32`; between these there are 255 pieces.
//!
//! # Protocol
//! 1. Two comparisons at once: `b_1 = 1{x >= -4 + 1/32}`, `b_2 = 1{x >= 4}`.
//! 2. Of `x + 4` mod 8 each party cuts its share into 8 upper bits and `u_p`; the sum i of the upper ones
//!    is the piece or the one below it. One lookup at i reads `d_i` and `k_i` of the line `d_i + k_i u` that
//!    fits both pieces. Piece 0 is not used, so that no i is negative.
//! 3. `k_i (u_0 + u_1)` by products with small numbers that the parties know. The line is cut to F bits
//!    behind the point in a ring of `F + 5` bits.
//! 4. The line times `b_1 ^ b_2`, extended to the ring of l bits, and x times `b_2`.
//!
//! # Cost, a number
//! 2 comparisons of l bits; a one-hot vector of 256 entries, its reading with two outputs of
//! `w = 2F + 3` bits; `2b + b (2w - b + 1)` bits and `2b` correlated OTs of `b = F - 5`; two
//! multiplexers, of `F + 5` and l bits, and a bounded extension between these. [`GeluJob::bill`] has
//! the sum.
//!
//! # Source
//! lut-spec 11.4; Hou et al., "CipherGPT" (2023).

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{CompareDomain, CompareJob, Comparison, Fixed, Objective, SmallProducts},
    bill::Bill,
    error::{Error, Result, same},
    gates::{Bits, Mux},
    lut::{
        Table,
        read::{Signed, Vectors},
    },
    math::{
        functions::{TensorCard, rounded_up},
        linear::{self, Widening},
    },
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// Bits of an index.
const INDEX: u32 = 8;

/// What the numbers of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeluJob {
    /// How many there are.
    pub batch: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F, 7 to 24.
    pub scale: u32,
    /// What the comparisons are to have least of.
    pub objective: Objective,
}

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Gelu};
/// fn twice(p: &mut Party, m: Gelu, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Gelu {
    job: GeluJob,
    compare: Comparison,
    table: Table<u64>,
    material: Signed<Cyclic>,
    rise: SmallProducts,
    line: Mux,
    widening: Widening,
    number: Mux,
}

/// The function itself, by the formula with tanh that language models use.
pub fn gelu(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    0.5 * x * (1.0 + libm::tanh(inner))
}

impl GeluJob {
    /// What numbers have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of("GELU")
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("objective", self.objective)
    }

    /// `Ok(())` if there are such numbers.
    ///
    /// # Errors
    /// [`Error::Param`] that says what is supported.
    pub fn check(&self) -> Result<()> {
        let refuse = |what, got: u32, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
        if !(7..=24).contains(&self.scale) {
            return refuse("bits behind the point of GELU", self.scale, "7 to 24".into());
        }
        if self.bits < self.scale + 6 || self.bits > 64 {
            return refuse("bits of a number of GELU", self.bits, format!("{} to 64", self.scale + 6));
        }
        Ok(())
    }

    /// What all numbers cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let both = self.compare()?.bill()?.times(2);
        let line = OneHot::<Cyclic>::doubling_bill(INDEX) + Signed::<Cyclic>::bill(INDEX, &[self.line(); 2])?;
        let line = line + SmallProducts::bill(self.line(), self.below())?;
        let chosen = Mux::bill(&[self.narrow()]) + Widening::bill([self.narrow(), self.bits])?;
        Ok((both + line + chosen + Mux::bill(&[self.bits])).times(self.batch))
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn card(&self) -> Result<TensorCard> {
        let most = 2f64.powi(self.bits as i32 - 3 - self.scale as i32);
        let max_ulp = 1.2 + 0.8 * libm::exp2(f64::from(self.scale) - 12.0);
        Ok(TensorCard {
            function: "GELU of each number",
            shape: [self.batch, 1],
            ring: self.bits,
            scale: self.scale,
            max_ulp: rounded_up(max_ulp),
            outside: format!("numbers of {most} and more, or -{most} and less, are not allowed, not checked"),
            bill: self.bill()?,
        })
    }

    fn compare(&self) -> Result<CompareJob> {
        CompareJob::new(self.bits, CompareDomain::Near, self.objective)
    }

    /// Bits of a party's part below the index.
    fn below(&self) -> u32 {
        self.scale + 3 - INDEX
    }

    /// Width of a line that was cut.
    fn narrow(&self) -> u32 {
        self.scale + 5
    }

    /// Width of a line.
    fn line(&self) -> u32 {
        2 * self.scale + 3
    }

    /// `d_i` and `k_i`, with `2F - 2` and `F - 2` bits behind the point.
    fn table(&self) -> Result<Table<u64>> {
        let (piece, width) = (8.0 / 256.0, self.line());
        let unit = 2f64.powi(self.scale as i32 - 2);
        let (mut d, mut k) = (Vec::new(), Vec::new());
        for i in 0..1u32 << INDEX {
            let from = f64::from(i) * piece - 4.0;
            let slope = ((gelu(from + 2.0 * piece) - gelu(from)) / (2.0 * piece) * unit).round() / unit;
            // Halfway between the least and the greatest difference from the line.
            let gap =
                |j: u32| gelu(from + f64::from(j) * piece / 128.0) - slope * f64::from(j) * piece / 128.0;
            let gaps = (0..=256).map(gap).fold((f64::MAX, f64::MIN), |(a, b), g| (a.min(g), b.max(g)));
            let offset = (gaps.0 + gaps.1) / 2.0 * unit * 2f64.powi(self.scale as i32);
            d.push(low(offset.round() as i64 as u64, width));
            k.push(low((slope * unit) as i64 as u64, width));
        }
        Table::vector(width, vec![d, k])
    }
}

impl Gelu {
    /// Offline, for the numbers of the job.
    ///
    /// # Errors
    /// As [`GeluJob::check`], and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: GeluJob) -> Result<Self> {
        job.check()?;
        p.announce(&job.terms().with("batch", job.batch).to_string())?;
        let compare = Comparison::prepare(p, job.compare()?, 2 * job.batch)?;
        let material = Signed::prepare(p, Vectors::Doubling, INDEX, &[job.line(); 2], job.batch)?;
        let rise = SmallProducts::prepare(p, job.below(), job.batch)?;
        let line = Mux::prepare(p, job.batch, &[job.narrow()])?;
        let widening = Widening::prepare(p, [job.narrow(), job.bits], job.batch)?;
        let number = Mux::prepare(p, job.batch, &[job.bits])?;
        Ok(Self { job, compare, table: job.table()?, material, rise, line, widening, number })
    }

    /// Online: shares of the function. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, width and scale are those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let Self { job, compare, table, material, rise, line, widening, number } = self;
        same("numbers of GELU", job.batch, x.len())?;
        same("bits of the numbers of GELU", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of GELU", job.scale as usize, x.scale() as usize)?;
        let x = x.share().low_bits::<u64>(job.bits)?;
        let [inside, above] = job.regions(s, compare, &x)?;
        let at = job.line_at(s, &table, material, rise, &x)?;
        let at = line.select(s, &inside, &at)?;
        let at: AShare<u64> = widening.sign(s, &at)?;
        let out = &at + &number.select(s, &above, &x)?;
        Fixed::new(out.low_bits(job.bits)?, job.scale)
    }
}

impl GeluJob {
    /// Step 1: whether x is between both bounds, and whether above them.
    fn regions(&self, s: &mut Session, compare: Comparison, x: &AShare<u64>) -> Result<[Bits; 2]> {
        let (four, role) = (4u64 << self.scale, s.role());
        let mut both = linear::plus(role, x, four - (1 << self.below()));
        both.append(&linear::plus(role, x, four.wrapping_neg()))?;
        let mut low = compare.negative(s, &both)?.not(role);
        let above = low.split_off(self.batch);
        Ok([&low ^ &above, above])
    }

    /// Steps 2 and 3: the line at x, F bits behind the point, in a ring of `F + 5` bits.
    fn line_at(
        &self,
        s: &mut Session,
        table: &Table<u64>,
        material: Signed<Cyclic>,
        rise: SmallProducts,
        x: &AShare<u64>,
    ) -> Result<AShare<u64>> {
        let (b, role) = (self.below(), s.role());
        let moved = linear::plus(role, x, 4 << self.scale);
        let index: AShare<u32> = linear::map(&moved, INDEX, |x| x >> b);
        let columns = material.lookup_all(s, &[table], &index)?;
        let mine = Zeroizing::new(moved.words().iter().map(|&x| low(x, b)).collect::<Vec<_>>());
        let rise = rise.times_sum(s, &columns[1], &mine)?;
        linear::cut(role, &(&columns[0] + &rise), self.scale - 2)
    }
}
