//! Where a function is evaluated, and what it tends to there, where nobody says it.

use super::{Bounds, Function, Tail};

/// Where numbers of a known range are best evaluated: in all of it if that is within the usual domain; else beyond an
/// end where the function tends to nothing, there the range's end.
pub(in crate::math) fn known_domain(function: Function, usual: Bounds, range: Bounds) -> Bounds {
    if usual.contains(range) {
        return range;
    }
    let end = |tail, known, usual| if tail == Tail::End { known } else { usual };
    let [below, above] = function.tails();
    Bounds { lo: end(below, range.lo, usual.lo), hi: end(above, range.hi, usual.hi) }
}

/// What a function over a domain of nobody's choice tends to: nothing above, where it is not within so many units in the
/// last place of the number itself; and what it comes slowly near to, where it is within so many.
pub(in crate::math) fn settled(function: Function, domain: Bounds, fraction: u32, limit: f64) -> [Tail; 2] {
    let [below, above] = function.tails_over(domain);
    let (farthest, most) = function.farthest();
    let off = if domain.hi < farthest { most } else { (function.eval(domain.hi) - domain.hi).abs() };
    let unit = 2f64.powi(fraction as i32);
    if let Some([least, most]) = function.far() {
        // What stands for it is rounded.
        let far = |end: f64, value: f64| match (function.eval(end) - value).abs() * unit + 0.5 <= limit {
            true => Tail::Limit(value),
            false => Tail::End,
        };
        return [far(domain.lo, least), far(domain.hi, most)];
    }
    let unsettled = above == Tail::Number && off * unit > limit;
    [below, if unsettled { Tail::End } else { above }]
}

/// The function's own domain, or what suits a ring: an end that lies outside is moved in, and while the value at
/// the upper end does not fit, so is that. `moved_out`: an end at which it is so many units or
/// more from what it tends to there is moved out before.
pub(in crate::math) fn usual_domain(
    function: Function,
    [bits, fraction, fraction_out]: [u32; 3],
    moved_out: Option<f64>,
) -> Bounds {
    if function.tails() == [Tail::Period; 2] {
        return function.domain();
    }
    let Bounds { mut lo, mut hi } = function.domain();
    let most = |fraction: u32| 2f64.powi(bits as i32 - 1 - fraction as i32);
    let unit = 2f64.powi(-(fraction_out as i32));
    let tails = function.far().map_or(function.tails(), |far| far.map(Tail::Limit));
    for (end, tail) in [&mut lo, &mut hi].into_iter().zip(tails) {
        let Some(most) = moved_out else { continue };
        let gap = |x: f64| match tail {
            Tail::Limit(value) => (function.eval(x) - value).abs(),
            Tail::Number => (function.eval(x) - x).abs(),
            Tail::End | Tail::Period => 0.0,
        };
        while gap(*end) >= most * unit {
            *end *= 2.0;
        }
    }
    let too_large = |hi: f64| function.eval(hi) >= most(fraction_out) + unit / 4.0;
    // Nearly all that fits, where the number itself stands for the function above.
    let step = 2f64.powi(-(fraction as i32)).max(most(fraction_out) / 128.0);
    if function.tails()[1] == Tail::Number && too_large(hi) {
        hi = (most(fraction_out).min(hi) / step).floor() * step;
    }
    while hi > 0.0 && too_large(hi) {
        hi = match function.tails()[1] {
            Tail::Number => hi - step,
            _ if hi > 1.0 => hi / 2.0,
            _ => 0.0,
        };
    }
    lo = lo.max(-most(fraction));
    while hi > most(fraction) {
        hi = if lo > 0.0 { lo + (hi - lo) / 2.0 } else { hi / 2.0 };
    }
    Bounds { lo, hi }
}
