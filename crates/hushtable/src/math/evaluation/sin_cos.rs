//! The sine and the cosine of a number at one opened position.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of the sine and of the cosine of x, of `pi x` or of
//! `2 pi x`, with the accuracy that each has by itself.
//!
//! # Protocol
//! By a table of a period: one one-hot vector reads the entries of both. By angle addition: both are linear in the
//! shares of the cosine and the sine of one mask.
//!
//! # Cost, a number
//! Of a table: that of one function, and the bits of the second one's sign; in one round that of one function. Of angle
//! addition: that of one function.
//!
//! # Source
//! fss-beyond B7 i and iii; fss-spec 14.

use std::sync::Arc;

use prim::ring::Ring;

use super::{
    angle::{self, Angle},
    choose,
    direct::Direct,
    form::Form,
    program::check_format,
};
use crate::{
    arith::Fixed,
    bill::Bill,
    error::{Error, Result, same},
    math::{
        functions::{
            Accuracy, Bounds, Card, Function, Method, Options, Outside, Tail, rounded_up,
            target::{Grid, Known, Target},
        },
        tables::{self, MAX_TABLE_BITS},
    },
    session::Session,
    source::Source,
};

/// A sine with its cosine at a given ring and scale. Public, cheap to clone.
#[derive(Clone)]
pub struct SinCos(Arc<Program>);

struct Program {
    sine: Function,
    bits: u32,
    grid: Grid,
    fraction_out: u32,
    /// A table of each, or what gives both.
    forms: Vec<Form>,
    accuracy: Accuracy,
    bill: Bill,
}

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::PreparedSinCos};
/// fn twice(p: &mut Party, m: PreparedSinCos, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PreparedSinCos {
    of: SinCos,
    batch: usize,
    material: Material,
}

enum Material {
    Direct(Box<tables::Material>),
    Angle(Box<angle::Material>),
}

impl SinCos {
    /// Of `sin` (numbers in radians), `sinpi` (in half turns) or `sin2pi` (in turns), in a ring of `bits` bits of numbers
    /// with `fraction` bits behind the point. Of the options count the method, the objective, the largest error and
    /// the bits behind the point of the results.
    ///
    /// Turns and half turns may lie anywhere in the ring; radians in half of it, as for
    /// [`Evaluation`](super::Evaluation).
    ///
    /// # Errors
    /// [`Error::Param`] for another function, options with a domain, a range or what becomes of numbers outside, a
    /// method or a format that is not supported, or an accuracy that no method reaches.
    pub fn new(sine: Function, bits: u32, fraction: u32, options: &Options) -> Result<Self> {
        check_format(bits, fraction, options)?;
        let refuse =
            |what, got: String, accepted: &str| Error::Param { what, got, accepted: accepted.to_string() };
        let Some((false, units)) = sine.wave() else {
            return Err(refuse("sine and cosine of", sine.name().into(), "sin, sinpi, sin2pi"));
        };
        let own = Options { domain: None, range: None, outside: Outside::Usual, ..*options };
        if own != *options {
            let (what, got) = ("options of a sine and cosine", "some of a domain".into());
            return Err(refuse(what, got, "none of a domain, a range or what is outside"));
        }
        let fraction_out = options.fraction_out.unwrap_or(fraction);
        let format = [bits, fraction, fraction_out];
        let table = || match units {
            Some(_) => tables(sine, format, options),
            None => Err(refuse("method", Method::Direct.to_string(), "angle addition for radians")),
        };
        let angle = || angles(sine, format);
        let made = match options.method {
            Method::Direct => table()?,
            Method::Angle => angle()?,
            Method::Auto => cheaper([table(), angle()], options)?,
            Method::Spline { .. } => {
                return Err(refuse("method", options.method.to_string(), "table, angle addition, auto"));
            }
        };
        match options.max_ulp {
            Some(limit) if made.accuracy.max_ulp > limit => {
                let least = format!("{} and more", rounded_up(made.accuracy.max_ulp));
                Err(refuse("largest error in ulp", limit.to_string(), &least))
            }
            _ => Ok(Self(Arc::new(made))),
        }
    }

    /// What is known of both: the larger error of the two, and what both cost together.
    pub fn card(&self) -> Card {
        let Program { sine, bits, grid, fraction_out, forms, accuracy, bill } = &*self.0;
        let half = 2f64.powi(*bits as i32 - 1 - grid.fraction as i32);
        let repeats = sine.tails() == [Tail::Period; 2];
        let reach = if repeats { Bounds { lo: -half, hi: half } } else { grid.bounds };
        Card {
            function: format!("{sine} and {}", cosine(*sine)),
            named: None,
            domain: grid.bounds,
            ring: *bits,
            scale: grid.fraction,
            scale_out: *fraction_out,
            method: forms[0].method(),
            entries: forms[0].entries(),
            accuracy: *accuracy,
            jumps: [0.0; 2],
            bill: *bill,
            gathered: false,
            outside: Outside::Wrap,
            refused: [false; 2],
            repeats,
            reach,
        }
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

    /// What both parties compare.
    pub fn digest(&self) -> crate::terms::Digest {
        let Program { bits, grid, fraction_out, forms, .. } = &*self.0;
        let head = vec![u64::from(*bits), (*fraction_out).into()];
        let parts = [head, grid.words()].into_iter().chain(forms.iter().map(Form::words));
        let mut hash = blake3::Hasher::new();
        for part in parts {
            // With its length, so that no two lists of parts are the same bytes.
            for word in [&[part.len() as u64], &part[..]].concat() {
                hash.update(&word.to_le_bytes());
            }
        }
        hash.finalize()
    }

    /// What a number costs.
    pub fn bill(&self) -> Bill {
        self.0.bill
    }

    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// [`Error::Handshake`] if the peer prepares another one, and those of the channel.
    pub fn prepare(&self, p: &mut dyn Source, batch: usize) -> Result<PreparedSinCos> {
        p.announce(&format!("sine and cosine {}", self.digest().to_hex()))?;
        let material = match &self.0.forms[0] {
            Form::Direct(direct) => Material::Direct(Box::new(direct.prepare(p, 2, batch)?)),
            Form::Angle(angle) => Material::Angle(Box::new(angle.prepare(p, batch)?)),
            Form::Spline(_) => unreachable!("there are no such splines"),
        };
        Ok(PreparedSinCos { of: self.clone(), batch, material })
    }
}

impl PreparedSinCos {
    /// Number of values it serves.
    pub fn len(&self) -> usize {
        self.batch
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// Online: shares of the sines and of the cosines, at the scale of the results. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, width or scale are not those prepared for, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<[Fixed<R>; 2]> {
        let Program { bits, grid, fraction_out, forms, .. } = &*self.of.0;
        same("numbers of the function", self.batch, x.len())?;
        same("bits of the numbers", *bits as usize, x.bits() as usize)?;
        same("scale of the numbers", grid.fraction as usize, x.scale() as usize)?;
        let mut both = match (&forms[..], self.material) {
            ([Form::Direct(sine), Form::Direct(cosine)], Material::Direct(material)) => {
                Direct::eval(&[sine, cosine], s, *material, x)?
            }
            ([Form::Angle(angle)], Material::Angle(material)) => angle.both(s, *material, x)?,
            _ => unreachable!("material is made for its form"),
        };
        let cosine = Fixed::new(both.remove(1), *fraction_out)?;
        Ok([Fixed::new(both.remove(0), *fraction_out)?, cosine])
    }
}

/// The cosine of a sine.
fn cosine(sine: Function) -> Function {
    match sine {
        Function::SinPi => Function::CosPi,
        Function::Sin2Pi => Function::Cos2Pi,
        _ => Function::Cos,
    }
}

/// By tables of a period.
fn tables(sine: Function, [bits, fraction, fraction_out]: [u32; 3], options: &Options) -> Result<Program> {
    let grid = Grid::new(sine.domain(), bits, fraction)?;
    let (mut forms, mut accuracy) = (Vec::new(), Accuracy { max_ulp: 0.0, mean_ulp: 0.0, step: 1 });
    for function in [sine, cosine(sine)] {
        let evaluate = |x| function.eval(x);
        let format = [fraction_out, bits];
        let known = Known { values: &evaluate, name: Some(function), everywhere: false };
        let target = Target::new(known, grid, [Tail::Period; 2], format, Outside::Wrap)?;
        let form = Form::Direct(Direct::new(&target, bits, options.objective)?);
        let own = form.accuracy(&target, target.inside_places());
        accuracy.max_ulp = accuracy.max_ulp.max(own.max_ulp);
        accuracy.mean_ulp = accuracy.mean_ulp.max(own.mean_ulp);
        forms.push(form);
    }
    let bill = match &forms[0] {
        Form::Direct(direct) => direct.bill(2)?,
        _ => unreachable!("these are tables"),
    };
    Ok(Program { sine, bits, grid, fraction_out, forms, accuracy, bill })
}

/// By angle addition.
fn angles(sine: Function, [bits, fraction, fraction_out]: [u32; 3]) -> Result<Program> {
    let angle = Angle::new(sine, bits, fraction, fraction_out)?;
    let grid = match angle.repeats() {
        true => Grid::new(sine.domain(), bits, fraction)?,
        false => Grid::half(bits, fraction),
    };
    let ([max_ulp, mean_ulp], bill) = (angle.error(), angle.bill());
    let accuracy = Accuracy { max_ulp, mean_ulp, step: 0 };
    Ok(Program { sine, bits, grid, fraction_out, forms: vec![Form::Angle(angle)], accuracy, bill })
}

/// Of what there is and is accurate enough, as for [`Evaluation`](super::Evaluation).
fn cheaper(made: [Result<Program>; 2], options: &Options) -> Result<Program> {
    let (mut best, mut refused) = (None, None);
    for program in made {
        let program = match program {
            Ok(program) => program,
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        // What a table would hold is to be as exact as one.
        let small = program.grid.bits() <= MAX_TABLE_BITS && program.sine.tails() == [Tail::Period; 2];
        if program.accuracy.max_ulp > options.max_ulp.unwrap_or(if small { 1.0 } else { 3.0 }) {
            continue;
        }
        let weight = choose::weigh(&program.forms[0], &program.bill, options.objective)?;
        if best.as_ref().is_none_or(|(least, _)| weight < *least) {
            best = Some((weight, program));
        }
    }
    match (best, refused) {
        (Some((_, program)), _) => Ok(program),
        (None, Some(error)) => Err(error),
        (None, None) => {
            let got = options.max_ulp.map_or("none".into(), |limit| limit.to_string());
            Err(Error::Param { what: "largest error in ulp", got, accepted: "more".into() })
        }
    }
}
