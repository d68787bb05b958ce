//! Thresholds of functions, decided on what the functions are of: where f rises, `f(x) >= C` is `x >= T`, for the first
//! number T that reaches C. No result is rounded then, and the function need not be evaluated.

use std::fmt;

use hushtable::{
    math::{Bounds, Card, Function, Outside, Tail},
    operation::Relation,
};
use hushtable_columns::{Format, Rounding, numbers::Operand};

/// A function through which a threshold can be seen: it rises or falls everywhere, and refuses no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Through {
    function: Function,
    /// Numbers outside are taken for the nearer end.
    held: Bounds,
    /// The largest number there can be, with any sign.
    limit: f64,
}

/// Most bits after the point of numbers that are compared with a threshold.
const FRACTION_BITS: u32 = 32;
/// Width of such numbers.
const BITS: u32 = 64;

impl Through {
    /// A function as it is evaluated, if thresholds can be seen through it; `wide`: of all numbers that it takes, else of
    /// those that leave room for all digits.
    pub fn of(function: Function, card: &Card, wide: bool) -> Option<Self> {
        let reach = card.reach.lo.abs().max(card.reach.hi.abs());
        let limit = if wide { reach } else { reach.min(2f64.powi((BITS - 2 - FRACTION_BITS) as i32)) };
        let clamps = card.outside == Outside::Clamp;
        let last = card.domain.hi - 2f64.powi(-(card.scale as i32));
        let end = |i: usize, end: f64, far: f64| match function.tails()[i] {
            Tail::Limit(_) | Tail::Number if !clamps => far,
            _ => end,
        };
        let held = Bounds { lo: end(0, card.domain.lo, f64::NEG_INFINITY), hi: end(1, last, f64::INFINITY) };
        let refuses = card.refused != [false; 2] || card.repeats;
        (!refuses && monotone(function, held)).then_some(Self { function, held, limit })
    }

    /// A function that is looked up over its domain.
    pub fn looked_up(function: Function, domain: Bounds) -> Option<Self> {
        let limit = domain.lo.abs().max(domain.hi.abs());
        monotone(function, domain).then_some(Self { function, held: domain, limit })
    }

    /// How numbers are held that are compared with a threshold, so that they keep their digits.
    pub fn format(&self) -> Format {
        let room = BITS as i32 - 2 - self.limit.log2().ceil() as i32;
        Format { bits: BITS, fraction_bits: room.clamp(0, FRACTION_BITS as i32) as u32 }
    }

    /// How numbers that are read are rounded before such a comparison of the result.
    pub fn rounding(&self, relation: Relation) -> Rounding {
        let rounding = Rounding::before(relation);
        if falls(self.function) { rounding.other_way() } else { rounding }
    }

    /// The function's value, never a limit that it does not reach.
    fn value(&self, x: f64) -> f64 {
        let value = self.function.eval(x.clamp(self.held.lo, self.held.hi));
        match self.function {
            Function::Sigmoid | Function::Tanh | Function::Erf if value >= 1.0 => 1f64.next_down(),
            Function::Tanh | Function::Erf if value <= -1.0 => (-1f64).next_up(),
            Function::Sigmoid | Function::Exp | Function::Softplus if value <= 0.0 => f64::MIN_POSITIVE,
            _ => value,
        }
    }

    /// The comparison, `Ge` or `Lt`, and the number times `2^fraction_bits`, that say of numbers in `range` what a
    /// comparison of the result with `constant` says; nothing for one that is no order.
    fn decide(
        &self,
        relation: Relation,
        constant: f64,
        format: Format,
        range: [i64; 2],
    ) -> Option<(Relation, i64)> {
        let strict = match relation {
            Relation::Ge | Relation::Lt => false,
            Relation::Gt | Relation::Le => true,
            _ => return None,
        };
        let (falls, scale) = (falls(self.function), 2f64.powi(format.fraction_bits as i32));
        // Of the first numbers no, then yes.
        let beyond = |at: i128| {
            let value = self.value(at as f64 / scale);
            let reached = if strict { value > constant } else { value >= constant };
            reached != falls
        };
        let [mut first, last] = range.map(i128::from);
        let mut end = last + 1;
        while first < end {
            let middle = (first + end) >> 1;
            if beyond(middle) {
                end = middle;
            } else {
                first = middle + 1;
            }
        }
        let rises = matches!(relation, Relation::Ge | Relation::Gt) != falls;
        // Where none is beyond, none is below the least.
        let (rises, first) = if first > last { (!rises, range[0]) } else { (rises, first as i64) };
        Some((if rises { Relation::Ge } else { Relation::Lt }, first))
    }
}

/// A threshold of a function as one of what the function is of.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// `Ge` or `Lt`.
    pub relation: Relation,
    /// Times `2^fraction_bits`.
    pub at: i64,
    format: Format,
    /// What is asked.
    asked: String,
}

impl Threshold {
    /// For numbers in `range`, times `2^fraction_bits`.
    pub fn of(
        through: &Through,
        relation: Relation,
        constant: f64,
        format: Format,
        range: [i64; 2],
    ) -> Option<Self> {
        let (held, at) = through.decide(relation, constant, format, range)?;
        let asked = format!("{}(x) {} {constant}", through.function, sign(relation));
        Some(Self { relation: held, at, format, asked })
    }

    /// What is said of its exactness for such an x.
    pub fn exactness(&self, x: &Operand, shared: bool) -> String {
        let at = self.at as f64 * self.format.rounding();
        let near = match x.error {
            Some(error) if shared => format!("x is exact to {0}, so x within {0} of it", about(error)),
            None => "it is not known how exact x is: x near it".to_owned(),
            Some(error) => format!(
                "numbers are rounded to multiples of {}: where they have more digits, x within {} of it",
                self.format.rounding(),
                about(error)
            ),
        };
        format!(
            "{} is decided on x itself, as x {} {at}; no result of {} is rounded for it. {near} may fall on either side",
            self.asked,
            sign(self.relation),
            self.asked.split('(').next().unwrap_or_default()
        )
    }
}

/// In the same words at both parties.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at as f64 * self.format.rounding();
        write!(f, "the constant {at}, since {} where x {} it", self.asked, sign(self.relation))
    }
}

/// What rounding does to a comparison of x with y, or with a constant; nothing for what is no decision.
pub fn margin(
    relation: Relation,
    x: &Operand,
    y: &Operand,
    constant: Option<f64>,
    format: Format,
    shared: bool,
) -> Option<String> {
    if relation.selects() {
        return None;
    }
    let Some(error) = x.error.zip(y.error).map(|(x, y)| x + y) else {
        return Some(
            "it is not known how exact the shares are: numbers that are nearly equal may fall on either side"
                .into(),
        );
    };
    if error == 0.0 {
        return Some("exact: no number is rounded".into());
    }
    let near = match constant {
        Some(constant) => format!("x within {} of {constant}", about(error)),
        None => format!("x and y that differ by {} or less", about(error)),
    };
    let equal = match Rounding::before(relation) {
        Rounding::Nearest => ", sums that are equal as they are written too",
        _ => ", but for equal ones, which count as equal",
    };
    Some(match shared {
        true => format!("{near} may fall on either side, since the numbers are no more exact than that"),
        false => format!(
            "numbers with more digits are rounded to multiples of {}: then {near} may fall on either side{equal}",
            format.rounding()
        ),
    })
}

/// An error in words, with two digits.
pub fn about(error: f64) -> String {
    rounded_up(error).to_string()
}

/// An error with two digits, never smaller than it is.
pub fn rounded_up(error: f64) -> f64 {
    if error <= 0.0 {
        return 0.0;
    }
    let exponent = error.log10().floor() as i32 - 1;
    let digits = (error / 10f64.powi(exponent)).ceil();
    format!("{digits}e{exponent}").parse().unwrap_or(error)
}

/// As formulas have it.
pub fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Ge => ">=",
        Relation::Gt => ">",
        Relation::Le => "<=",
        Relation::Lt => "<",
        Relation::Eq => "=",
        Relation::Ne => "!=",
        Relation::Max | Relation::Min => ",",
    }
}

/// Whether a monotone function falls.
fn falls(function: Function) -> bool {
    matches!(function, Function::Acos | Function::Rsqrt | Function::Reciprocal)
}

/// Whether a function rises, or falls, over all of these numbers.
fn monotone(function: Function, over: Bounds) -> bool {
    match function {
        Function::Sigmoid
        | Function::Tanh
        | Function::Erf
        | Function::Exp
        | Function::Softplus
        | Function::Identity
        | Function::Atan
        | Function::Asin
        | Function::Acos => true,
        Function::Ln | Function::Log10 | Function::Rsqrt => over.lo > 0.0,
        Function::Sqrt => over.lo >= 0.0,
        Function::Reciprocal => over.lo > 0.0 || over.hi < 0.0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hasher, RandomState};

    use hushtable::math::{Evaluation, Options};

    use super::*;

    fn through(function: Function, options: &Options) -> Option<Through> {
        Through::of(function, &Evaluation::new(function, 64, 8, options).unwrap().card(), false)
    }

    #[test]
    fn some_functions_can_be_seen_through() {
        let usual = Options::default();
        for function in [Function::Sigmoid, Function::Tanh, Function::Softplus] {
            assert!(through(function, &usual).is_some(), "{function}");
        }
        for function in
            [Function::Gelu, Function::Silu, Function::Sin, Function::TanPi, Function::Ln, Function::Asin]
        {
            assert_eq!(through(function, &usual), None, "{function}");
        }
        let clamped = usual.outside(Outside::Clamp);
        for function in [Function::Ln, Function::Rsqrt, Function::Reciprocal, Function::Exp] {
            assert!(through(function, &clamped).is_some(), "{function}");
        }
    }

    /// The function of a number, held within the domain where that is asked for; it comes near its limits and no farther.
    fn exact(function: Function, card: &Card, x: f64) -> f64 {
        let last = card.domain.hi - 2f64.powi(-(card.scale as i32));
        let x = if card.outside == Outside::Clamp { x.clamp(card.domain.lo, last) } else { x };
        let value = function.eval(x);
        if function == Function::Erf { value.clamp((-1f64).next_up(), 1f64.next_down()) } else { value }
    }

    /// Functions x formats x thresholds at the numbers next to them: as the function says, by the numbers themselves.
    #[test]
    fn decisions_are_those_of_the_function() {
        let asked = std::env::var("SEED").ok().and_then(|text| text.parse().ok());
        let long = std::env::var_os("LONG").is_some();
        let seed = asked.unwrap_or_else(|| if long { RandomState::new().build_hasher().finish() } else { 7 });
        eprintln!("SEED={seed}");
        let mut state = seed;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % end
        };
        let all: Vec<(Through, Function, Card)> = Function::ALL
            .into_iter()
            .flat_map(|function| [Outside::Usual, Outside::Clamp].map(|outside| (function, outside)))
            .filter_map(|(function, outside)| {
                let options = Options::default().outside(outside);
                let card = Evaluation::new(function, 64, 8, &options).ok()?.card();
                Some((Through::of(function, &card, false)?, function, card))
            })
            .collect();
        assert!(all.len() > 15, "{}", all.len());
        let count = if long { 100_000 } else { 5000 };
        for _ in 0..count {
            let (through, function, card) = &all[below(all.len() as u64) as usize];
            let fraction_bits = below(u64::from(through.format().fraction_bits) + 1) as u32;
            let format = Format { bits: 64, fraction_bits };
            let scale = 2f64.powi(fraction_bits as i32);
            let near = ((below(1 << 20) as f64 / f64::from(1 << 19) - 1.0) * 9.0 * scale).round();
            let relation = [Relation::Ge, Relation::Gt, Relation::Le, Relation::Lt][below(4) as usize];
            // At a number, or a little beside its value.
            let nudge = [0.0, 1e-9, -1e-9][below(3) as usize];
            let threshold = exact(*function, card, near / scale) + nudge;
            let (held, first) =
                through.decide(relation, threshold, format, format.range()).expect("an order");
            for d in -3..=3 {
                let at = near as i64 + d;
                let value = exact(*function, card, at as f64 / scale);
                let want = match relation {
                    Relation::Ge => value >= threshold,
                    Relation::Gt => value > threshold,
                    Relation::Le => value <= threshold,
                    _ => value < threshold,
                };
                let got = if held == Relation::Ge { at >= first } else { at < first };
                // What differs in the last bits of floating point only is equal.
                let equal = (value - threshold).abs() <= 1e-14 * value.abs().max(1e-3);
                assert!(
                    equal && nudge == 0.0 && d != 0 || got == want,
                    "{function}({at} / {scale}) {} {threshold}: {held:?} {first}",
                    sign(relation)
                );
            }
        }
    }

    #[test]
    fn limits_are_not_reached() {
        let sigmoid = through(Function::Sigmoid, &Options::default()).unwrap();
        let format = sigmoid.format();
        let decide = |relation, value| sigmoid.decide(relation, value, format, format.range()).unwrap();
        assert_eq!(decide(Relation::Ge, 1.0), (Relation::Lt, format.range()[0]), "never");
        assert_eq!(decide(Relation::Lt, 1.0), (Relation::Ge, format.range()[0]), "always");
        assert_eq!(decide(Relation::Gt, 0.0), (Relation::Ge, format.range()[0]), "always");
        assert_eq!(decide(Relation::Lt, 0.5), (Relation::Lt, 0));
    }

    /// Shares can have any value of their width; a threshold lies wherever they do.
    #[test]
    fn thresholds_of_all_values_of_a_width() {
        let (rises, falls) = (Function::Identity, Function::Reciprocal);
        let through = |function, lo, hi| Through::looked_up(function, Bounds { lo, hi }).unwrap();
        let (rises, falls) = (through(rises, -1e19, 1e19), through(falls, 1.0, 1e19));
        // Whole numbers of 64 bits are none of floating point, but for the ends.
        for bits in [16, 48, 64] {
            let format = Format { bits, fraction_bits: 0 };
            let end = 1i64 << (bits - 2);
            let (range, top) = ([-end - end, end - 1 + end], 2.0 * end as f64);
            for relation in [Relation::Ge, Relation::Lt] {
                let other = if relation == Relation::Ge { Relation::Lt } else { Relation::Ge };
                for (value, wanted) in [
                    (1.5 * end as f64, (relation, end + end / 2)),
                    (-1.5 * end as f64, (relation, -end - end / 2)),
                    (-top, (relation, range[0])),
                    (1.5 * top, (other, range[0])),
                ] {
                    if bits < 64 || value.abs() >= top {
                        assert_eq!(rises.decide(relation, value, format, range), Some(wanted), "{value}");
                    }
                }
                if bits == 64 {
                    continue;
                }
                let below = falls.decide(relation, 1.0 / (1.5 * end as f64), format, range);
                assert_eq!(below, Some((other, end + end / 2 + 1)), "{bits} bits");
            }
        }
    }

    #[test]
    fn errors_are_said_with_two_digits() {
        for (error, text) in
            [(0.0, "0"), (0.00048828125, "0.00049"), (2f64.powi(-24), "0.00000006"), (0.1, "0.1")]
        {
            assert_eq!(about(error), text);
        }
    }
}
