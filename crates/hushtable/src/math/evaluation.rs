//! A public function at a given format, and its two phases.

mod angle;
mod check;
mod choose;
mod direct;
mod form;
mod guard;
mod making;
mod program;
mod range;
mod sin_cos;
mod suggestion;
mod twin;

use std::sync::Arc;

use prim::ring::Ring;

use check::Check;
use direct::Direct;
use form::Form;
use guard::Guard;
use program::Program;
pub use sin_cos::{PreparedSinCos, SinCos};
pub use suggestion::Suggestion;

use super::{
    functions::{Bounds, Card, Function, Method, Options, Outside, Tail, target::Known},
    splines::spline,
    tables,
};
use crate::{
    arith::Fixed,
    bill::Bill,
    error::{Error, Result, same},
    session::Session,
    source::Source,
};

/// A public function at a given ring and scale: its tables and what is known of them. Cheap to clone.
///
/// Numbers may lie anywhere where the table covers the ring, and else where the [card](Self::card) says: in about
/// half of the ring around the domain at least, in nearly all of it for a small domain near 0.
#[derive(Clone)]
pub struct Evaluation(Arc<Program>);

impl Evaluation {
    /// A function by name, in a ring of `bits` bits, 8 to 64, of numbers with `fraction` bits behind the
    /// point.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain that is empty or not representable, a number at which the function is
    /// not finite or its value does not fit the ring, a degree or a number of pieces that is not
    /// supported, an accumulator that needs more than 64 bits, or an accuracy that no method reaches.
    ///
    /// The error says in which range or format the function would do.
    pub fn new(function: Function, bits: u32, fraction: u32, options: &Options) -> Result<Self> {
        Self::attempt(function, bits, fraction, options)
            .map_err(|error| Self::explained(error, function, [bits, fraction], options))
    }

    /// Any public function; saturation is clamping. The options must name the domain.
    ///
    /// Both parties must give the same function: [`digest`](Self::digest) tells whether they did.
    ///
    /// Errors are those from the values that `f` gives. Nothing is known of it between numbers, so each number of the
    /// domain is looked at, up to `2^24`. Of a larger domain the error is not known, and the card says so: then the
    /// options must name a spline and no largest error.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Param`] for such a domain without such options.
    pub fn of(
        name: &str,
        f: impl Fn(f64) -> f64,
        bits: u32,
        fraction: u32,
        options: &Options,
    ) -> Result<Self> {
        let known = Known { values: &f, name: None, everywhere: false };
        Self::make(name, known, [Tail::End; 2], [bits, fraction], options, None)
    }

    /// Any public function as one table: of numbers with as many bits behind the point as make the domain
    /// `2^bits` numbers, in a ring of 64 bits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn tabulate(f: impl Fn(f64) -> f64, domain: Bounds, bits: u32) -> Result<Self> {
        let width = domain.hi - domain.lo;
        let numbers = 2f64.powi(bits.min(64) as i32);
        let Some(fraction) = (0..=31u32).find(|&f| width * 2f64.powi(f as i32) == numbers) else {
            let got = format!("{domain} as 2^{bits} numbers");
            let accepted = "a width that is a power of two, with at most 31 bits behind the point".into();
            return Err(Error::Param { what: "domain", got, accepted });
        };
        let options = Options { domain: Some(domain), method: Method::Direct, ..Options::default() };
        Self::of("table", f, 64, fraction, &options)
    }

    /// Any public function by polynomials of degree 1 to 3 over pieces of equal length: of numbers with 16
    /// bits behind the point, in a ring of 64 bits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn spline(f: impl Fn(f64) -> f64, domain: Bounds, degree: u32, pieces: u32) -> Result<Self> {
        let method = Method::Spline { degree, pieces };
        Self::of("spline", f, 64, 16, &Options { domain: Some(domain), method, ..Options::default() })
    }

    /// What is known of it.
    pub fn card(&self) -> Card {
        let program = &self.0;
        Card {
            function: program.name.clone(),
            named: program.named,
            domain: program.grid.bounds,
            ring: program.bits,
            scale: program.grid.fraction,
            scale_out: program.fraction_out,
            method: program.form.method(),
            entries: program.form.entries(),
            accuracy: program.accuracy,
            jumps: program.jumps,
            bill: program.bill,
            gathered: program.check.is_some(),
            outside: match program.ends.refused {
                [true, true] => Outside::Strict,
                _ => program.ends.outside,
            },
            refused: program.ends.refused,
            repeats: program.ends.repeat(),
            reach: program.reach(),
        }
    }

    /// The least and the greatest result, times `2^scale_out`, for numbers in `range`, which lies in the
    /// [card's reach](Card::reach).
    pub fn range(&self, range: Bounds) -> [i64; 2] {
        let Program { form, grid, fraction_out, bits, guard, instead, .. } = &*self.0;
        let constants = instead.iter().filter(|_| guard.is_some()).filter_map(|instead| instead.constant());
        self.0.ends.results(form, grid, range, [*fraction_out, *bits], constants)
    }

    /// The least and the greatest result that the protocol may give for a number in the [card's reach](Card::reach), over
    /// all shares of it: integers at the scales of results and of numbers. `None` for a number that it refuses. For a
    /// sine or a cosine by angle addition, bounds of them.
    ///
    /// The plaintext twin: a spline's result depends on how the number is shared, by a unit or two.
    pub fn outcomes(&self, x: i64) -> Option<[i64; 2]> {
        self.0.outcomes(x).map(|found| [found.least, found.greatest])
    }

    /// Width of the ring.
    pub fn bits(&self) -> u32 {
        self.0.bits
    }

    /// Bits behind the point of the numbers.
    pub fn scale(&self) -> u32 {
        self.0.grid.fraction
    }

    /// Bits behind the point of the results.
    pub fn scale_out(&self) -> u32 {
        self.0.fraction_out
    }

    /// What both parties compare: format, tables and what becomes of numbers outside.
    pub fn digest(&self) -> crate::terms::Digest {
        let Program { bits, grid, fraction_out, form, check, guard, instead, ends, .. } = &*self.0;
        let parts = [
            vec![(*bits).into(), (*fraction_out).into(), ends.outside as u64],
            grid.words(),
            instead.iter().flat_map(|instead| instead.words()).collect(),
            guard.map_or(vec![], Guard::words),
            check.map_or(vec![], Check::words),
            form.words(),
        ];
        let mut hash = blake3::Hasher::new();
        for part in parts {
            // With its length, so that no two lists of parts are the same bytes.
            for word in [&[part.len() as u64], &part[..]].concat() {
                hash.update(&word.to_le_bytes());
            }
        }
        hash.finalize()
    }

    /// What a batch of numbers costs.
    pub fn bill(&self, batch: usize) -> Bill {
        self.card().of_batch(batch)
    }

    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// [`Error::Handshake`] if the peer prepares another evaluation, and those of the channel.
    pub fn prepare(&self, p: &mut dyn Source, batch: usize) -> Result<Prepared> {
        p.announce(&format!("function {}", self.digest().to_hex()))?;
        let check = self.0.check.map(|check| check.prepare(p, batch)).transpose()?;
        let guard = self.0.guard.map(|guard| guard.prepare(p, self.0.bits, batch)).transpose()?;
        let material = match &self.0.form {
            Form::Direct(direct) => Material::Direct(Box::new(direct.prepare(p, 1, batch)?)),
            Form::Spline(spline) => Material::Spline(Box::new(spline.prepare(p, batch)?)),
            Form::Angle(angle) => Material::Angle(Box::new(angle.prepare(p, batch)?)),
        };
        Ok(Prepared { program: self.0.clone(), batch, check, guard, material })
    }
}

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Prepared};
/// fn twice(p: &mut Party, m: Prepared, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Prepared {
    program: Arc<Program>,
    batch: usize,
    check: Option<check::Material>,
    guard: Option<guard::Material>,
    material: Material,
}

enum Material {
    Direct(Box<tables::Material>),
    Spline(Box<spline::Material>),
    Angle(Box<angle::Material>),
}

impl Prepared {
    /// Number of values it serves.
    pub fn len(&self) -> usize {
        self.batch
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// Online: shares of the function's values, at the scale of the results. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, width or scale are not those prepared for; [`Error::Param`] at both
    /// parties for numbers outside the domain, where they are refused; and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let program = &self.program;
        same("numbers of the function", self.batch, x.len())?;
        same("bits of the numbers", program.bits as usize, x.bits() as usize)?;
        same("scale of the numbers", program.grid.fraction as usize, x.scale() as usize)?;
        if let Some(check) = self.check {
            check.run(s, x)?;
        }
        let found = self.guard.map(|guard| guard.find(s, x)).transpose()?;
        let y = match (&program.form, self.material) {
            (Form::Direct(direct), Material::Direct(material)) => {
                Direct::eval(&[direct], s, *material, x)?.remove(0)
            }
            (Form::Spline(spline), Material::Spline(material)) => spline.eval(s, *material, x)?,
            (Form::Angle(angle), Material::Angle(material)) => angle.eval(s, *material, x)?,
            _ => unreachable!("material is made for its form"),
        };
        let y = Fixed::new(y, program.fraction_out)?;
        match found {
            Some(found) => guard::replace(s, found, program.instead, x, &y),
            None => Ok(y),
        }
    }
}
