//! GELU and SiLU of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x with F bits behind the point, `-2^m <= x < 2^m` for `m = l-3-F` or less that is
//! known. Out: shares of `x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2`, or of `x / (1 + e^-x)`, with as many.
//!
//! # Protocol
//! The function is `a x - r`, where a is 0 or 1 and r is small, and 0 for numbers that are not near 0:
//! * [`straight`] reads r of numbers on both sides of 0;
//! * [`folded`] reads r of `|x|` from fewer lines, for fewer bytes in more rounds: with [`Precision::Fine`] alone, GELU
//!   where bytes are to be least, and SiLU, which bends farther out, always.
//!
//! Both work in the smallest ring that holds the numbers; the result is extended to the ring of l bits.
//!
//! Where few rounds are asked for and numbers are known to be small, [`tabled`] reads the function itself: in 1 or 2.
//!
//! # Cost, a number
//! That of the form, and an extension where a bound of the numbers is known. [`GeluJob::bill`] has the sum.
//!
//! # Source
//! functions-beyond 1. Before it lut-spec 11.4; Hou et al., "CipherGPT" (2023).

mod folded;
mod residual;
mod straight;
mod tabled;

use prim::ring::Ring;

use self::{
    folded::Folded,
    residual::{FormJob, Pieces},
    straight::Straight,
    tabled::{TableJob, Tabled},
};
use crate::{
    arith::{Fixed, Objective},
    bill::{Bill, Effort},
    error::{Error, Result, same, within},
    math::{
        functions::{TensorCard, rounded_up},
        linear::Widening,
    },
    session::Session,
    source::Source,
    terms::Terms,
};

/// Which function of a number x it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gated {
    /// [`gelu`].
    Gelu,
    /// [`silu`].
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
    /// Bits m before the point, where numbers are known to be `-2^m <= x < 2^m`. What is not is not noticed.
    pub magnitude: Option<u32>,
    /// The least and the greatest number, in units, where more is known than their magnitude: shorter tables serve them.
    pub range: Option<[i64; 2]>,
    /// What the comparisons are to have least of. For fewest bytes GELU takes other pieces, too, and more rounds; for
    /// fewest rounds a table, where one of `2^16` entries is accurate enough.
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
    form: Form,
}

/// How the function is found: by a x and r with what extends the difference, or itself.
enum Form {
    Straight(Box<Straight>, Widening),
    Folded(Box<Folded>, Widening),
    Tabled(Box<Tabled>),
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

    /// How much it rises or falls a unit, at most.
    fn slope(self) -> f64 {
        match self {
            Self::Gelu => 1.13,
            Self::Silu => 1.1,
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

impl GeluJob {
    /// GELU of no numbers, of no known bound, with 2 units.
    pub fn new(bits: u32, scale: u32) -> Self {
        let (function, precision) = (Gated::Gelu, Precision::Fine);
        let (magnitude, range) = (None, None);
        Self { batch: 0, bits, scale, function, precision, magnitude, range, objective: Objective::Total }
    }

    /// What numbers have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        let terms = Terms::of(self.function.name())
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("precision", self.precision.name())
            .with("bits before the point", self.magnitude)
            .with("objective", self.objective);
        match self.table() {
            None => terms,
            Some(table) => table.terms(terms),
        }
    }

    /// `Ok(())` if there are such numbers.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) that says what is supported.
    pub fn check(&self) -> Result<()> {
        let least = if self.precision == Precision::Fine { 7 } else { 11 };
        within("bits behind the point of GELU", self.scale, least..=24)?;
        within("bits of a number of GELU", self.bits, self.scale + self.pieces_of().domain + 3..=64)?;
        let most = self.bits - 3 - self.scale;
        self.magnitude.map_or(Ok(()), |m| within("bits before the point of GELU", m, 0..=most))?;
        let [least, greatest] = self.ends();
        match self.range {
            Some([lo, hi]) if lo > hi || lo < least || hi > greatest => {
                let (what, got) = ("range of the numbers of GELU", format!("{lo} to {hi}"));
                Err(Error::Param { what, got, accepted: format!("in {least} to {greatest}, in order") })
            }
            _ => Ok(()),
        }
    }

    /// What all numbers cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self) -> Result<Bill> {
        self.check()?;
        if let Some(table) = self.table() {
            return Ok(table.reading.bill(1)?.times(self.batch));
        }
        let job = self.form();
        let form = if self.is_folded() { Folded::bill(&job)? } else { Straight::bill(&job)? };
        Ok((form + Widening::bill(self.out())?).times(self.batch))
    }

    /// What a table of all numbers takes, with its local work; `None` where lines are read.
    pub(crate) fn counted(&self) -> Result<Option<Effort>> {
        self.check()?;
        self.table().map(|table| table.reading.effort(self.batch)).transpose()
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn card(&self) -> Result<TensorCard> {
        self.check()?;
        let unit = libm::exp2(-f64::from(self.scale));
        let outside = match self.table().and(self.range) {
            None => {
                let most = 2f64.powi(self.magnitude.unwrap_or(self.bits - 3 - self.scale) as i32);
                format!("numbers of {most} and more, or below -{most}, are not allowed, not checked")
            }
            Some(range) => {
                let [lo, hi] = range.map(|end| end as f64 * unit);
                format!("numbers above {hi}, or below {lo}, are not allowed, not checked")
            }
        };
        Ok(TensorCard {
            function: match self.function {
                Gated::Gelu => "GELU of each number",
                Gated::Silu => "SiLU of each number",
            },
            shape: [self.batch, 1],
            ring: self.bits,
            scale: self.scale,
            max_ulp: rounded_up(self.table().map_or(self.most_off(), |table| table.most_off())),
            outside,
            bill: self.bill()?,
        })
    }

    /// How it is done, in a few words.
    pub fn method(&self) -> String {
        match self.table() {
            None => format!("{} lines", 1u32 << self.pieces_of().index),
            Some(TableJob { reading, .. }) => {
                let how = if reading.one_round { ", in one round" } else { "" };
                format!("a table of {} entries{how}", 1u32 << reading.index_bits)
            }
        }
    }

    /// Units that results may be off, whatever the form.
    fn most_off(&self) -> f64 {
        let twelfth = libm::exp2(f64::from(self.scale) - 12.0);
        match (self.precision, self.function) {
            (Precision::Fine, Gated::Gelu) => 1.2 + 0.8 * twelfth,
            // Near 0, and at the end of the domain.
            (Precision::Fine, Gated::Silu) => f64::max(1.08 + 0.92 * twelfth, 0.9 + 1.1 * twelfth),
            (Precision::Network, _) => 16.0 * twelfth,
        }
    }

    /// The least and the greatest number by the magnitude, in units.
    fn ends(&self) -> [i64; 2] {
        let end = 1i64 << (self.scale + self.magnitude.unwrap_or(self.bits - 3 - self.scale));
        [-end, end - 1]
    }

    /// The table, where few rounds are asked for and one serves.
    fn table(&self) -> Option<TableJob> {
        if self.objective != Objective::Rounds || self.check().is_err() {
            return None;
        }
        let range = self.range.unwrap_or(self.ends());
        TableJob::suiting([self.bits, self.scale], self.function.slope(), range, self.most_off())
    }

    fn is_folded(&self) -> bool {
        let suits = self.function == Gated::Silu || self.objective.by_counts() == Objective::Bytes;
        suits && self.precision == Precision::Fine
    }

    /// How r is read.
    fn pieces_of(&self) -> Pieces {
        let (f, is_folded) = (self.scale, self.is_folded());
        let [domain, index, behind, multiplied, guard] = match (self.function, self.precision) {
            (Gated::Gelu, Precision::Fine) if is_folded => [2, 6, f, f, 6],
            (Gated::Gelu, Precision::Fine) => [3, 8, f, f, 5],
            (Gated::Gelu, Precision::Network) => [3, 7, 10, 9, 2],
            // Of three times the number: r is a unit at 10.6, and its lines are near it from 128 pieces.
            (Gated::Silu, Precision::Fine) => [5, 7, f, f, 6],
            (Gated::Silu, Precision::Network) => [4, 7, 11, 10, 2],
        };
        let [coarser, dropped] = [behind, multiplied].map(|bits| f - bits);
        let (times, carry) = match (self.function, is_folded) {
            (_, false) => (1, 0),
            // For the card, where its first term is small beside the other one.
            (Gated::Gelu, true) => (1, if f <= 12 { 6 } else { 10 }),
            (Gated::Silu, true) => (3, 7),
        };
        let carry = carry.min((domain + f).saturating_sub(index));
        let rest = behind - u32::from(self.function == Gated::Gelu && !is_folded);
        Pieces { scale: f, times, domain, index, carry, coarser, dropped, guard, rest }
    }

    fn form(&self) -> FormJob {
        // Comparisons that save a round take more bytes, and inside a machine as long.
        let objective = match self.objective {
            Objective::Online => Objective::Total,
            other => other,
        };
        FormJob { pieces: self.pieces_of(), bits: self.bits, ring: self.ring(), objective }
    }

    /// Width of the smallest ring that holds the numbers.
    fn ring(&self) -> u32 {
        let least = self.pieces_of().domain;
        self.magnitude.map_or(self.bits, |m| (self.scale + m.max(least) + 2).min(self.bits))
    }

    /// Widths of the result, and of what it is extended to.
    fn out(&self) -> [u32; 2] {
        [self.ring(), self.bits]
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
        let form = match (job.table(), job.is_folded()) {
            (Some(table), _) => Form::Tabled(Box::new(Tabled::prepare(p, table, job.batch)?)),
            (None, false) => {
                let form = Straight::prepare(p, job.form(), job.batch)?;
                Form::Straight(Box::new(form), Widening::prepare(p, job.out(), job.batch)?)
            }
            (None, true) => {
                let form = Folded::prepare(p, job.form(), job.batch)?;
                Form::Folded(Box::new(form), Widening::prepare(p, job.out(), job.batch)?)
            }
        };
        Ok(Self { job, form })
    }

    /// Online: shares of the function. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers, width and scale are those prepared for, and those of the
    /// channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let Self { job, form } = self;
        same("numbers of GELU", job.batch, x.len())?;
        same("bits of the numbers of GELU", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of GELU", job.scale as usize, x.scale() as usize)?;
        let x = x.share().low_bits::<u64>(job.bits)?;
        let function = |x| job.function.of(x);
        let (y, out) = match form {
            Form::Straight(form, out) => (form.eval(s, &x, function)?, out),
            Form::Folded(form, out) => (form.eval(s, &x, function)?, out),
            Form::Tabled(form) => return Fixed::new(form.eval(s, &x, function)?, job.scale),
        };
        Fixed::new(out.sign::<u64, R>(s, &y)?, job.scale)
    }
}
