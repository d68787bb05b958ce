//! A public function at a given format, and its two phases.

mod check;
mod choose;
mod direct;
mod form;
mod guard;
mod range;

use std::sync::Arc;

use prim::ring::Ring;

use check::Check;
use form::Form;
use guard::{Guard, Instead};
use range::Ends;

use super::{
    functions::{
        Accuracy, Bounds, Card, Function, Method, Options, Outside, Tail,
        target::{Edge, Grid, Target, check_fraction, known_domain, usual_domain},
    },
    splines::spline,
};
use crate::{
    arith::Fixed,
    bill::Bill,
    error::{Error, Result, same},
    lut::read::Signed,
    onehot::Cyclic,
    session::Session,
    source::Source,
};

/// A public function at a given ring and scale: its tables and what is known of them. Cheap to clone.
///
/// Numbers may lie anywhere where the table covers the ring, and else where the [card](Self::card) says: in about
/// half of the ring around the domain at least, in nearly all of it for a small domain near 0.
#[derive(Clone)]
pub struct Evaluation(Arc<Program>);

/// What both parties know.
struct Program {
    name: String,
    bits: u32,
    grid: Grid,
    fraction_out: u32,
    form: Form,
    check: Option<Check>,
    guard: Option<Guard>,
    instead: [Instead; 2],
    ends: Ends,
    accuracy: Accuracy,
    jumps: [f64; 2],
    bill: Bill,
}

impl Evaluation {
    /// A function by name, in a ring of `bits` bits, 8 to 64, of numbers with `fraction` bits behind the
    /// point.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain that is empty or not representable, a number at which the function is
    /// not finite or its value does not fit the ring, a degree or a number of pieces that is not
    /// supported, an accumulator that needs more than 64 bits, or an accuracy that no method reaches.
    pub fn new(function: Function, bits: u32, fraction: u32, options: &Options) -> Result<Self> {
        check_format(bits, fraction, options)?;
        let evaluate = |x| function.eval(x);
        let over = |domain| {
            let options = Options { domain: Some(domain), ..*options };
            Self::make(function.name(), &evaluate, function.tails(), bits, fraction, &options)
        };
        if let Some(domain) = options.domain {
            return over(domain);
        }
        let format = [bits, fraction, options.fraction_out.unwrap_or(fraction)];
        let [wide, own] = [true, false].map(|moved_out| usual_domain(function, format, moved_out));
        let known = options.range.map_or(wide, |range| known_domain(function, wide, range));
        // Where nothing is accurate enough over one, or the function not finite, the next may do.
        let mut made = over(known);
        for (domain, before) in [(wide, known), (own, wide)] {
            made = if made.is_err() && domain != before { over(domain) } else { made };
        }
        match (made, options.range) {
            // Saturation does not reach as far: perhaps a table of all does.
            (Ok(made), Some(range)) if !made.0.reach().contains(range) => over(range).or(Ok(made)),
            (made, _) => made,
        }
    }

    /// Any public function; saturation is clamping. The options must name the domain.
    ///
    /// Both parties must give the same function: [`digest`](Self::digest) tells whether they did.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(
        name: &str,
        f: impl Fn(f64) -> f64,
        bits: u32,
        fraction: u32,
        options: &Options,
    ) -> Result<Self> {
        Self::make(name, &f, [Tail::End; 2], bits, fraction, options)
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

    fn make(
        name: &str,
        f: &dyn Fn(f64) -> f64,
        tails: [Tail; 2],
        bits: u32,
        fraction: u32,
        options: &Options,
    ) -> Result<Self> {
        check_format(bits, fraction, options)?;
        let Some(domain) = options.domain else {
            let (what, got) = ("domain", "none".into());
            return Err(Error::Param {
                what,
                got,
                accepted: "the bounds of a domain, in the options".into(),
            });
        };
        let fraction_out = options.fraction_out.unwrap_or(fraction);
        let grid = Grid::new(domain, bits, fraction)?;
        let ends = Ends::new(&grid, tails, options)?;
        let options = &Options { outside: ends.outside, ..*options };
        let check = Check::new(&grid, bits, ends.refused, options.objective)?;
        let target = Target::new(f, grid, tails, [fraction_out, bits], ends.outside)?;
        let (choice, accuracy) = choose::choose(&target, bits, options)?;
        let instead = instead(&target, bits, choice.guard.is_some())?;
        let checked = check.map_or(Ok(Bill::FREE), |check| check.bill())?;
        let (name, bill, jumps) = (name.to_string(), choice.bill(bits)? + checked, target.jumps());
        let (form, guard) = (choice.form, choice.guard);
        let made = Program {
            name,
            bits,
            grid,
            fraction_out,
            form,
            check,
            guard,
            instead,
            ends,
            accuracy,
            jumps,
            bill,
        };
        Ok(Self(Arc::new(made)))
    }

    /// What is known of it.
    pub fn card(&self) -> Card {
        let program = &self.0;
        Card {
            function: program.name.clone(),
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
            outside: program.ends.outside,
            refused: program.ends.refused,
            reach: program.reach(),
        }
    }

    /// The least and the greatest result, times `2^scale_out`, for numbers in `range`, which lies in the
    /// [card's reach](Card::reach).
    pub fn range(&self, range: Bounds) -> [i64; 2] {
        let Program { form, grid, fraction_out, bits, .. } = &*self.0;
        self.0.ends.results(form, grid, range, [*fraction_out, *bits])
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
    pub fn digest(&self) -> blake3::Hash {
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
    pub fn prepare(&self, p: &mut impl Source, batch: usize) -> Result<Prepared> {
        p.announce(&format!("function {}", self.digest().to_hex()))?;
        let check = self.0.check.map(|check| check.prepare(p, batch)).transpose()?;
        let guard = self.0.guard.map(|guard| guard.prepare(p, self.0.bits, batch)).transpose()?;
        let material = match &self.0.form {
            Form::Direct(direct) => Material::Direct(Box::new(direct.prepare(p, batch)?)),
            Form::Spline(spline) => Material::Spline(Box::new(spline.prepare(p, batch)?)),
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
    Direct(Box<Signed<Cyclic>>),
    Spline(Box<spline::Material>),
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
            (Form::Direct(direct), Material::Direct(material)) => direct.eval(s, *material, x)?,
            (Form::Spline(spline), Material::Spline(material)) => spline.eval(s, *material, x)?,
            _ => unreachable!("material is made for its form"),
        };
        let y = Fixed::new(y, program.fraction_out)?;
        match found {
            Some(found) => guard::replace(s, found, program.instead, x, &y),
            None => Ok(y),
        }
    }
}

/// `Ok(())` for a ring that is served, and bits behind the point that it has.
fn check_format(bits: u32, fraction: u32, options: &Options) -> Result<()> {
    if !(8..=64).contains(&bits) {
        let (what, got) = ("width of the ring", bits.to_string());
        return Err(Error::Param { what, got, accepted: "8 to 64".into() });
    }
    check_fraction(bits, fraction)?;
    check_fraction(bits, options.fraction_out.unwrap_or(fraction))
}

impl Program {
    /// Where numbers are treated as the options say.
    fn reach(&self) -> Bounds {
        if self.ends.outside == Outside::Wrap {
            return self.grid.bounds;
        }
        let half = 1i128 << (self.bits - 1);
        let [lo, hi] = self.guard.map_or([-half, half], |guard| guard.reach());
        // What is refused need not be told apart.
        let lo = if self.ends.refused[0] { -half } else { lo };
        let hi = if self.ends.refused[1] { half } else { hi };
        let [held_lo, held_hi] = self.instead.map(|instead| match instead {
            // The number itself must fit the results.
            Instead::Number(more) => half >> more,
            Instead::Constant(_) => half,
        });
        let (lo, hi) = (lo.max(-held_lo), hi.min(held_hi));
        // Numbers of fewer digits are to lie inside.
        let (mut first, mut end) = (lo as f64, hi as f64);
        if (first as i128) < lo {
            first = first.next_up();
        }
        if end as i128 > hi {
            end = end.next_down();
        }
        let unit = 2f64.powi(self.grid.fraction as i32);
        Bounds { lo: first / unit, hi: end / unit }
    }
}

/// What stands for results outside, where `replaced`.
fn instead(target: &Target, bits: u32, replaced: bool) -> Result<[Instead; 2]> {
    if !replaced {
        return Ok([Instead::Constant(0); 2]);
    }
    let ends = [-1, target.grid.count as i64];
    let of = |i: usize| match target.edges[i] {
        Edge::Constant(_) => Ok(Instead::Constant(target.rounded(ends[i], bits)?)),
        Edge::Number => match target.fraction.checked_sub(target.grid.fraction) {
            Some(more) => Ok(Instead::Number(more)),
            None => {
                let (what, got) = ("bits behind the point of the results", target.fraction.to_string());
                let accepted = format!("at least {}, as the numbers have, to saturate", target.grid.fraction);
                Err(Error::Param { what, got, accepted })
            }
        },
    };
    Ok([of(0)?, of(1)?])
}
