//! How an evaluation is made: over which domain, and by what.

use std::sync::Arc;

use super::{
    Evaluation,
    angle::Angle,
    check::Check,
    choose,
    form::Form,
    guard::Instead,
    program::{Program, check_format, greatest, instead, numbers},
    range::Ends,
};
use crate::{
    bill::Bill,
    error::{Error, Result},
    math::{
        functions::{
            Accuracy, Bounds, Function, Method, Options, Outside, Tail,
            target::{Grid, Known, Target},
            usual::{known_domain, settled, usual_domain},
        },
        tables::MAX_TABLE_BITS,
    },
};

impl Evaluation {
    /// As [`new`](Self::new), but the error says what is wrong and not what would do: for programs that try several
    /// formats, or say it in words of their own by a [`Suggestion`](crate::math::Suggestion).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn attempt(function: Function, bits: u32, fraction: u32, options: &Options) -> Result<Self> {
        check_format(bits, fraction, options)?;
        let fraction_out = options.fraction_out.unwrap_or(fraction);
        let reduced = function.wave().is_some() && function.tails() == [Tail::End; 2];
        if !reduced || options.domain.is_some() || !matches!(options.outside, Outside::Usual | Outside::Wrap)
        {
            return Self::tabled(function, bits, fraction, options);
        }
        let whole = Angle::new(function, bits, fraction, fraction_out)
            .map(|angle| Self::whole(function, bits, fraction, angle));
        match options.method {
            Method::Angle => whole,
            Method::Auto => Self::cheaper(whole, || Self::tabled(function, bits, fraction, options), options),
            _ => Self::tabled(function, bits, fraction, options),
        }
    }

    /// A sine or cosine of numbers in radians, wherever they lie in half of the ring.
    fn whole(function: Function, bits: u32, fraction: u32, angle: Angle) -> Self {
        let grid = Grid::half(bits, fraction);
        let ends = Ends::none();
        let ([max_ulp, mean_ulp], bill) = (angle.error(), angle.bill());
        Self(Arc::new(Program {
            name: function.name().into(),
            named: Some(function),
            bits,
            grid,
            fraction_out: angle.fraction(),
            form: Form::Angle(angle),
            check: None,
            guard: None,
            instead: [Instead::Constant(0); 2],
            numbers: [None; 2],
            ends,
            accuracy: Accuracy { max_ulp, mean_ulp, step: 0 },
            jumps: [0.0; 2],
            bill,
        }))
    }

    /// Of an angle addition over half of the ring and of what has a domain: what is accurate enough and serves all
    /// numbers that there may be, then what is cheaper.
    fn cheaper(
        whole: Result<Self>,
        tabled: impl FnOnce() -> Result<Self>,
        options: &Options,
    ) -> Result<Self> {
        let limit = |whole: &Self| options.max_ulp.unwrap_or(choose::usual_limit(whole.0.grid.bits()));
        let whole = match whole {
            Ok(whole) if whole.0.accuracy.max_ulp <= limit(&whole) => whole,
            _ => return tabled(),
        };
        let Some(range) = options.range else { return Ok(whole) };
        let Ok(tabled) = tabled() else { return Ok(whole) };
        if !tabled.0.grid.bounds.contains(range) {
            return if whole.0.grid.bounds.contains(range) { Ok(whole) } else { Ok(tabled) };
        }
        let weight = |of: &Self| choose::weigh(&of.0.form, &of.0.bill, options.objective);
        Ok(if weight(&whole)? < weight(&tabled)? { whole } else { tabled })
    }

    /// A function over a domain.
    fn tabled(function: Function, bits: u32, fraction: u32, options: &Options) -> Result<Self> {
        let format = [bits, fraction, options.fraction_out.unwrap_or(fraction)];
        let (most, poles) = (greatest(bits, format[2]), function.has_poles());
        beside_poles(function, format, options)?;
        let stated = options.range.filter(|range| *range != Bounds::whole(bits, fraction));
        let usual = options.outside == Outside::Usual;
        let options = &alike(function, fraction, options);
        let evaluate = |x| if poles { function.eval(x).clamp(-most, most) } else { function.eval(x) };
        // Unless results are to be the function's value at an end, which nothing is near to.
        let held = match options.outside {
            Outside::Clamp => true,
            Outside::Saturate => function.tails().iter().any(|tail| matches!(tail, Tail::End | Tail::Period)),
            _ => false,
        };
        let everywhere = options.domain.is_none() && !held;
        let known = Known { values: &evaluate, name: Some(function), everywhere };
        let over = |domain: Bounds| {
            let tails = match everywhere {
                true => settled(function, domain, format[2], options.max_ulp.unwrap_or(1.0)),
                false => function.tails_over(domain),
            };
            let options = Options { domain: Some(domain), ..*options };
            let angle = match tails {
                [Tail::Period, _] => Angle::new(function, bits, fraction, format[2]).ok(),
                _ => None,
            };
            Self::make(function.name(), known, tails, [bits, fraction], &options, angle)
        };
        if let Some(domain) = options.domain {
            function.check_defined("domain", domain, fraction)?;
            return over(domain);
        }
        // Of numbers anywhere in the ring nothing was said.
        if let (Some(range), true) = (stated, usual) {
            function.check_defined("range", range, fraction)?;
        }
        let limit = options.max_ulp.unwrap_or(3.0);
        let gaps = match (function.far(), options.range) {
            (None, _) => [Some(limit.min(1.0)), Some(limit), None],
            (Some(_), None) => [None; 3],
            (Some(_), Some(_)) => [Some((options.max_ulp.unwrap_or(1.0) - 0.5).max(0.25)), None, None],
        };
        let [wide, less, own] = gaps.map(|gap| usual_domain(function, format, gap));
        let asked = options.range.map_or(wide, |range| known_domain(function, wide, range));
        // Where nothing is accurate enough over one, or the function not finite, the next may do.
        let mut made = over(asked);
        for (domain, before) in [(wide, asked), (less, wide), (own, less)] {
            made = if made.is_err() && domain != before { over(domain) } else { made };
        }
        let made = made.map_err(|error| own_domain(function, fraction, error));
        let Some(range) = options.range else { return made };
        // A table of all numbers of a narrow ring, which needs no comparison; or saturation does not reach as far.
        let small = (range.hi - range.lo) * 2f64.powi(fraction as i32) <= 2f64.powi(MAX_TABLE_BITS as i32);
        // One that refuses numbers where there is no value compares them anyway.
        let by_itself = |made: &Self| function.valued(fraction).is_some() && made.0.check.is_some();
        let short = |made: &Self| made.0.is_whole() || !made.0.reach().contains(range);
        let made = match made {
            Ok(made) if small && short(&made) && !by_itself(&made) => over(range).or(Ok(made)),
            made => made,
        }?;
        // Of these only the number itself is expected above: they have results, which the format does not reach.
        if options.outside == Outside::Usual && function.tails()[1] == Tail::Number && made.0.ends.refused[1]
        {
            let accepted = format!("numbers below {}, above which results do not fit", made.0.grid.bounds.hi);
            return Err(Error::Param { what: "range", got: range.to_string(), accepted });
        }
        Ok(made)
    }

    pub(super) fn make(
        name: &str,
        known: Known,
        tails: [Tail; 2],
        [bits, fraction]: [u32; 2],
        options: &Options,
        angle: Option<Angle>,
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
        let (refusing, checked) = refusing(known, ends, grid, bits, options)?;
        let valued = known.name.and_then(|function| function.valued(fraction)) == Some(checked.bounds);
        let check = Check::new(&checked, bits, refusing.refused, options.objective)?;
        let check = check.map(|check| check.rounded(valued));
        let options = &Options { outside: ends.outside, ..*options };
        let target = Target::new(known, grid, tails, [fraction_out, bits], ends.outside)?;
        let target = target.reaching(ends.replaced, options.range, bits);
        let (choice, mut accuracy) =
            choose::choose(&target, bits, options, angle.filter(|_| target.repeats))?;
        if target.everywhere() && (choice.guard.is_some() || matches!(choice.form, Form::Direct(_))) {
            accuracy.max_ulp = accuracy.max_ulp.max(target.beyond(bits)?);
            choose::accepted(&target, options, accuracy)?;
        }
        let instead = instead(&target, bits, choice.guard.is_some())?;
        let checked = check.map_or(Ok(Bill::FREE), |check| check.bill())?;
        let (name, bill, jumps) = (name.to_string(), choice.bill(bits)? + checked, target.jumps());
        let (form, guard) = (choice.form, choice.guard);
        let made = Program {
            name,
            named: target.named(),
            bits,
            grid,
            fraction_out,
            form,
            check,
            guard,
            instead,
            numbers: numbers(&target, &ends),
            ends: refusing,
            accuracy,
            jumps,
            bill,
        };
        Ok(Self(Arc::new(made)))
    }
}

/// Options in which two words for the same are one: a function that is refused where it has no value is so by both.
fn alike(function: Function, fraction: u32, options: &Options) -> Options {
    match (function.valued(fraction), options.outside, options.domain) {
        (Some(_), Outside::Strict, None) => Options { outside: Outside::Usual, ..*options },
        _ => *options,
    }
}

/// The ends of a grid, and the grid beyond which numbers are refused: another one for a function that has no value there,
/// but something that it would saturate to.
fn refusing(known: Known, ends: Ends, grid: Grid, bits: u32, options: &Options) -> Result<(Ends, Grid)> {
    let by_itself = known.everywhere && options.outside == Outside::Usual;
    let valued = known.name.filter(|_| by_itself).and_then(|function| function.valued(grid.fraction));
    let Some(valued) = valued else { return Ok((ends, grid)) };
    let refusing = ends.refusing(valued, options.range.unwrap_or(Bounds::whole(bits, grid.fraction)));
    if refusing.refused == [false; 2] {
        return Ok((ends, grid));
    }
    Ok((refusing, Grid::new(valued, bits, grid.fraction)?))
}

/// What is said of a domain that nobody gave, whose ends have more bits behind the point than there are: of these.
fn own_domain(function: Function, fraction: u32, error: Error) -> Error {
    let own = function.domain();
    let steps = |end: f64, fraction: u32| end * 2f64.powi(fraction as i32);
    let need = (0..16).find(|&need| [own.lo, own.hi].iter().all(|&end| steps(end, need).fract() == 0.0));
    match (error, need) {
        (Error::Param { what: "domain", .. }, Some(need)) if need > fraction => {
            let got = format!("{fraction}, where the ends of the domain {own} of {function} have {need}");
            let accepted = format!("{need} or more, or a domain whose ends have {fraction}");
            Error::Param { what: "fraction bits", got, accepted }
        }
        (error, _) => error,
    }
}

/// An error for numbers near no pole whose results the ring does not hold.
fn beside_poles(function: Function, format: [u32; 3], options: &Options) -> Result<()> {
    let [bits, fraction, fraction_out] = format;
    let mut over = options.range.unwrap_or(Bounds::whole(bits, fraction));
    if let Some(domain) = options.domain {
        over = Bounds { lo: over.lo.max(domain.lo), hi: over.hi.min(domain.hi) };
    }
    let largest = function.largest_beside_poles(over, fraction);
    // By half a unit more it is rounded to what the ring holds.
    if largest <= greatest(bits, fraction_out) + 0.5 * 2f64.powi(-(fraction_out as i32)) {
        return Ok(());
    }
    let got = format!("up to {largest:.4} in size, in {bits} bits with {fraction_out} behind the point");
    let need = fraction_out + 1 + largest.log2().ceil() as u32;
    let accepted = match need {
        ..=64 => format!("a ring of {need} bits or more"),
        _ => format!("at most {} bits behind the point", fraction_out + 64 - need),
    };
    Err(Error::Param { what: "results", got, accepted })
}
