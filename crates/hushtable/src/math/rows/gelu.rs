//! GELU and SiLU of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x with F bits behind the point, `|x| < 2^(l-3-F)` or of a smaller bound that is
//! known. Out: shares of `x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2`, or of `x / (1 + e^-x)`, with as many.
//!
//! # Protocol
//! The function is `a x - r`, where a is 0 or 1 and r is small, and 0 outside `-b .. b`, of `2^w` units of 1:
//! 1. Each party cuts its share of `x + b` into `u_p` of s bits and H_p above. Their sum H, with no carry asked for, is
//!    `floor((x + b) / 2^s)` or one less. Its low k bits are the index of a piece, its upper ones V: x is inside if
//!    `V = 0`, above if `V > 0`. A piece is `2^(s+1)` units wide. With its index it is known, too, whether a is 1: from
//!    the piece that begins at 0 on. So r is a function of the index and of `u_0 + u_1`, though a may be wrong for x
//!    next to 0, and a line for each piece is near it.
//! 2. [`Lines`] reads the line at `u_0 + u_1`, with few bits, and gives shares of the carry into V and of the index's top
//!    bit.
//! 3. [`Upper`] tells the sides of V, where numbers are in the smallest ring that holds them.
//! 4. r and the top bit are multiplied with whether x is inside; r is extended to that ring, x multiplied with a, and the
//!    result extended to the ring of l bits.
//!
//! # Cost, a number
//! A one-hot vector of `2^k` entries and lines with a sign and `u_p`'s bits; a conversion of the bits of V and their
//! order; two multiplexers, of r and one bit and of x; an extension, or two. [`GeluJob::bill`] has the sum.
//!
//! # Source
//! functions-beyond 1, forms A and D without carry. Before it lut-spec 11.4; Hou et al., "CipherGPT" (2023).

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{Fixed, Objective, Upper, UpperJob, truncate_reduce},
    bill::Bill,
    error::{Error, Result, same, within},
    gates::{Bits, Mux},
    lut::{
        Table,
        read::{Line, Lines, PolynomialShape},
    },
    math::{
        functions::{TensorCard, rounded_up},
        linear::{self, Widening},
    },
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// Which function of a number x it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gated {
    /// [`gelu`].
    Gelu,
    /// [`silu`], for networks; finer results are [`Function::Silu`](crate::math::Function::Silu)'s.
    Silu,
}

/// How accurate results are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// To 2 units in the last place of 12 bits behind the point; of others see the job's card.
    Fine,
    /// For networks: to `2^-8`, softmax to 1.2 times as much.
    Network,
}

/// What the numbers of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeluJob {
    /// How many there are.
    pub batch: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F, 7 to 24; 11 to 24 for networks.
    pub scale: u32,
    /// The function.
    pub function: Gated,
    /// How accurate results are.
    pub precision: Precision,
    /// Bits before the point, where numbers are known to be less than `2^m`, without their sign. What is not is not
    /// noticed.
    pub magnitude: Option<u32>,
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
    lines: Lines,
    sides: Upper,
    inside: Mux,
    rest: Widening,
    number: Mux,
    out: Widening,
}

/// GELU, by the formula with tanh that language models use.
pub fn gelu(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    0.5 * x * (1.0 + libm::tanh(inner))
}

/// SiLU, or swish.
pub fn silu(x: f64) -> f64 {
    x / (1.0 + libm::exp(-x))
}

impl Gated {
    /// The function itself.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Gelu => gelu(x),
            Self::Silu => silu(x),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gelu => "GELU",
            Self::Silu => "SiLU",
        }
    }
}

impl Precision {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Network => "for networks",
        }
    }
}

/// How r is evaluated. Public.
#[derive(Clone, Copy)]
struct Form {
    /// Bits before the point of the domain, w, and of an index, k.
    domain: u32,
    index: u32,
    /// Bits behind the point that r does not have.
    coarser: u32,
    /// Low bits of `u_p` that are not multiplied.
    dropped: u32,
    /// Guard bits of a product.
    guard: u32,
    /// Bits of r.
    rest: u32,
}

impl GeluJob {
    /// GELU of no numbers, of no known bound, with 2 units.
    pub fn new(bits: u32, scale: u32) -> Self {
        let (function, precision) = (Gated::Gelu, Precision::Fine);
        Self { batch: 0, bits, scale, function, precision, magnitude: None, objective: Objective::Total }
    }

    /// What numbers have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of(self.function.name())
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("precision", self.precision.name())
            .with("bits before the point", self.magnitude)
            .with("objective", self.objective)
    }

    /// `Ok(())` if there are such numbers.
    ///
    /// # Errors
    /// [`Error::Param`] that says what is supported.
    pub fn check(&self) -> Result<()> {
        if (self.function, self.precision) == (Gated::Silu, Precision::Fine) {
            let (what, got) = ("precision of SiLU", self.precision.name().into());
            let accepted = format!("{}; finer: Function::Silu", Precision::Network.name());
            return Err(Error::Param { what, got, accepted });
        }
        let least = if self.precision == Precision::Fine { 7 } else { 11 };
        within("bits behind the point of GELU", self.scale, least..=24)?;
        within("bits of a number of GELU", self.bits, self.scale + self.form().domain + 3..=64)?;
        let most = self.bits - 3 - self.scale;
        self.magnitude.map_or(Ok(()), |m| within("bits before the point of GELU", m, 0..=most))
    }

    /// What all numbers cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        let form = self.form();
        let lines = Lines::bill(form.index, form.shape(self.scale));
        let inside = self.sides()?.bill()? + Mux::bill(&[form.rest, 1]);
        let out = Widening::bill(self.rest())? + Mux::bill(&[self.ring()]) + Widening::bill(self.out())?;
        Ok((lines + inside + out).times(self.batch))
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn card(&self) -> Result<TensorCard> {
        let most = 2f64.powi(self.magnitude.map_or(self.bits as i32 - 3 - self.scale as i32, |m| m as i32));
        let scale = f64::from(self.scale);
        let max_ulp = match self.precision {
            Precision::Fine => 1.2 + 0.8 * libm::exp2(scale - 12.0),
            Precision::Network => libm::exp2(scale - 8.0),
        };
        Ok(TensorCard {
            function: match self.function {
                Gated::Gelu => "GELU of each number",
                Gated::Silu => "SiLU of each number",
            },
            shape: [self.batch, 1],
            ring: self.bits,
            scale: self.scale,
            max_ulp: rounded_up(max_ulp),
            outside: format!("numbers of {most} and more, or -{most} and less, are not allowed, not checked"),
            bill: self.bill()?,
        })
    }

    /// Pieces of the domain.
    pub fn pieces(&self) -> u32 {
        1 << self.form().index
    }

    fn form(&self) -> Form {
        let f = self.scale;
        let [domain, index, behind, multiplied, guard] = match (self.function, self.precision) {
            (Gated::Gelu, Precision::Fine) => [3, 8, f, f, 5],
            (Gated::Gelu, Precision::Network) => [3, 7, 10, 9, 2],
            (Gated::Silu, _) => [4, 7, 11, 10, 2],
        };
        let [coarser, dropped] = [behind, multiplied].map(|bits| f - bits);
        let rest = behind - u32::from(self.function == Gated::Gelu);
        Form { domain, index, coarser, dropped, guard, rest }
    }

    /// Width of the smallest ring that holds the numbers.
    fn ring(&self) -> u32 {
        let least = self.form().domain;
        self.magnitude.map_or(self.bits, |m| (self.scale + m.max(least) + 2).min(self.bits))
    }

    fn sides(&self) -> Result<UpperJob> {
        UpperJob::new(self.ring() - self.form().domain - self.scale, true, false, self.objective)
    }

    /// Widths of r, and of what it is extended to.
    fn rest(&self) -> [u32; 2] {
        let form = self.form();
        [form.rest, self.ring() - form.coarser]
    }

    /// Widths of the result, and of what it is extended to.
    fn out(&self) -> [u32; 2] {
        [self.ring(), self.bits]
    }

    /// The lines of r, and what is added to it so that it is not negative.
    fn table(&self) -> Result<(Table<u64>, u64)> {
        let form = self.form();
        let (low_bits, shape) = (form.low_bits(self.scale), form.shape(self.scale));
        let (unit, piece) = (libm::exp2(f64::from(form.behind(self.scale))), libm::exp2(f64::from(low_bits)));
        let (cut, guard) = (libm::exp2(f64::from(form.cut(self.scale))), libm::exp2(-f64::from(form.guard)));
        // What the drops lose on average: both last ones, those of the numbers' words, and both local ones.
        let lost = 1.0 - guard + (0.5 * f64::from(shape.bits) + 1.5) * guard;
        // What is lost of the numbers themselves.
        let dropped = libm::exp2(f64::from(form.dropped));
        let (mut d, mut k, mut least) = (Vec::new(), Vec::new(), 0f64);
        for i in 0..1i64 << form.index {
            let from = i - (1 << (form.index - 1));
            let number =
                |t: i64| (from as f64 + t as f64 / 64.0) * piece * libm::exp2(-f64::from(self.scale));
            let rest = |t: i64| {
                let x = number(t);
                (if from >= 0 { x } else { 0.0 } - self.function.of(x)) * unit
            };
            // Of the line through both ends.
            let slope = (rest(128) - rest(0)) / (2.0 * piece);
            let gap = |t: i64| rest(t) - slope * t as f64 / 64.0 * piece;
            // Halfway between the least and the greatest difference from it.
            let gaps = (0..=128).map(gap).fold((f64::MAX, f64::MIN), |(a, b), g| (a.min(g), b.max(g)));
            let offset = (gaps.0 + gaps.1) / 2.0 + slope * (dropped - 1.0) + lost;
            least = (0..=128).map(rest).fold(least, f64::min);
            d.push(low((offset * cut).round() as i64 as u64, shape.ring));
            k.push(low((slope * dropped * cut).round() as i64 as u64, shape.ring));
        }
        Ok((Table::vector(shape.ring, vec![d, k])?, (-least).ceil() as u64 + 3))
    }
}

impl Form {
    /// Bits of `u_p`, s.
    fn low_bits(&self, scale: u32) -> u32 {
        self.domain + scale - self.index
    }

    /// Bits behind the point of r.
    fn behind(&self, scale: u32) -> u32 {
        scale - self.coarser
    }

    /// Bits of a line below those of r.
    fn cut(&self, scale: u32) -> u32 {
        self.low_bits(scale) - self.dropped + 4
    }

    fn shape(&self, scale: u32) -> PolynomialShape {
        let (bits, cut) = (self.low_bits(scale) - self.dropped, self.cut(scale));
        PolynomialShape { degree: 1, bits, ring: self.rest + cut, cut: cut - self.guard }
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
        let (form, batch) = (job.form(), job.batch);
        let lines = Lines::prepare(p, form.index, form.shape(job.scale), batch)?;
        let sides = Upper::prepare(p, job.sides()?, batch)?;
        let inside = Mux::prepare(p, batch, &[form.rest, 1])?;
        let rest = Widening::prepare(p, job.rest(), batch)?;
        let number = Mux::prepare(p, batch, &[job.ring()])?;
        let out = Widening::prepare(p, job.out(), batch)?;
        Ok(Self { job, lines, sides, inside, rest, number, out })
    }

    /// Online: shares of the function. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, width and scale are those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let Self { job, lines, sides, inside, rest, number, out } = self;
        same("numbers of GELU", job.batch, x.len())?;
        same("bits of the numbers of GELU", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of GELU", job.scale as usize, x.scale() as usize)?;
        let (form, role) = (job.form(), s.role());
        let x = x.share().low_bits::<u64>(job.ring())?;
        let (table, more) = job.table()?;
        let moved = linear::plus(role, &x, 1 << (form.domain + job.scale - 1));
        let low_bits = form.low_bits(job.scale);
        let index = linear::map(&moved, form.index + 1, |x| x >> low_bits);
        let mine = Zeroizing::new(
            moved.words().iter().map(|&x| low(x, low_bits) >> form.dropped).collect::<Vec<_>>(),
        );
        let found = lines.eval(s, &table, Line::Sum, &index, &mine)?;
        // H's bit k is that of the upper bits' sum and of the carry.
        let upper = || moved.words().iter().map(|x| x >> (low_bits + form.index));
        let carry = &found.carry ^ &Bits::collect(upper());
        let [under, above] = sides.sides(s, upper(), &carry)?;
        let within = (&under ^ &above).not(role);
        let half: AShare<u64> = AShare::new(1, found.half.iter().collect());
        let line = truncate_reduce(&found.lines, form.guard)?;
        let selected = inside.select_all(s, &within, &[&line, &half])?;
        let positive = &above ^ &Bits::collect(selected[1].words().iter().copied());
        let r: AShare<u64> = rest.zero(s, &linear::plus(role, &selected[0], more))?;
        let r = linear::plus(role, &r, more.wrapping_neg());
        let r = linear::map(&r, job.ring(), |r| r << form.coarser);
        let y = &number.select(s, &positive, &x)? - &r;
        Fixed::new(out.sign::<u64, R>(s, &y)?, job.scale)
    }
}
