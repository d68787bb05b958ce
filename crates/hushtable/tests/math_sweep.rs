//! Functions in random formats: each combination is refused before any work, or every result is within its card.
//!
//! Results are those of the plaintext twin over all shares, at random numbers and where functions bend, at the ends of
//! pieces, of domains and of ranges, against values of some 95 digits; of a few combinations the protocol is run, and its
//! results are the twin's. `LONG=1` tries 50,000 combinations instead of 2,000.

use crate::support::{
    exact::ulps,
    sweep::{Random, SLACK, as_their_twins, is_long, places, right_or_refused, seed},
};

use hushtable::math::{Bounds, Card, Evaluation, Function, Method, Options, Outside, Tail};

/// Where functions bend, and far out.
const BENDS: [f64; 14] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 100.0];

/// A range of numbers with so many bits, and so many behind the point.
type Drawn = fn(&mut Random, u32, u32) -> Option<Bounds>;

/// One combination.
#[derive(Clone, Copy, Debug)]
struct Asked {
    function: Function,
    bits: u32,
    fraction: u32,
    options: Options,
}

impl Asked {
    fn random(random: &mut Random) -> Self {
        let function = random.of(&Function::ALL);
        let bits = 8 + random.below(57) as u32;
        let fraction = random.below(u64::from(bits.min(41))) as u32;
        let ranges: [Drawn; 5] =
            [|_, _, _| None, |_, bits, fraction| Some(whole(bits, fraction)), around, between, positive];
        let range = random.of(&ranges)(random, bits, fraction);
        let method = match random.below(8) {
            0 => Method::Direct,
            1 => Method::Spline { degree: 1 + random.below(3) as u32, pieces: 2 << random.below(9) },
            _ => Method::Auto,
        };
        let fraction_out = (random.below(4) == 0).then(|| random.below(u64::from(bits.min(41))) as u32);
        let domain = (random.below(8) == 0).then(|| between(random, bits, fraction)).flatten();
        let outside = if random.below(6) == 0 {
            random.of(&[Outside::Strict, Outside::Clamp, Outside::Saturate])
        } else {
            Outside::Usual
        };
        let max_ulp = (random.below(8) == 0).then(|| random.of(&[0.5, 0.75, 1.0, 2.0, 8.0]));
        let options = Options::default()
            .range(range)
            .method(method)
            .fraction_out(fraction_out)
            .domain(domain)
            .outside(outside)
            .max_ulp(max_ulp);
        Self { function, bits, fraction, options }
    }
}

fn step(fraction: u32) -> f64 {
    2f64.powi(-(fraction as i32))
}

/// All numbers of a ring.
fn whole(bits: u32, fraction: u32) -> Bounds {
    let half = 2f64.powi(bits as i32 - 1) * step(fraction);
    Bounds { lo: -half, hi: half }
}

/// A power of two either way.
fn around(random: &mut Random, bits: u32, fraction: u32) -> Option<Bounds> {
    let end = 2f64.powi(random.below(u64::from(bits)) as i32) * step(fraction);
    Some(Bounds { lo: -end, hi: end })
}

/// Between any two numbers.
fn between(random: &mut Random, bits: u32, fraction: u32) -> Option<Bounds> {
    let mut number = || {
        let size = random.bits(bits.min(50)) as f64;
        if random.below(2) == 0 { size } else { -size }
    };
    let (a, b) = (number(), number());
    (a != b).then(|| Bounds { lo: a.min(b) * step(fraction), hi: a.max(b) * step(fraction) })
}

/// Positive numbers.
fn positive(random: &mut Random, bits: u32, fraction: u32) -> Option<Bounds> {
    let Bounds { lo, hi } = between(random, bits, fraction)?;
    let (lo, hi) = (lo.abs().min(hi.abs()), lo.abs().max(hi.abs()));
    (lo < hi).then_some(Bounds { lo, hi })
}

/// Numbers at which to look: integers that the card promises something for.
fn looked_at(asked: &Asked, card: &Card, random: &mut Random) -> Vec<i64> {
    let within = match asked.options.range {
        Some(range) => Bounds { lo: range.lo.max(card.reach.lo), hi: range.hi.min(card.reach.hi) },
        None => card.reach,
    };
    places(card, within, &[BENDS, BENDS.map(|x| -x)].concat(), random)
}

/// What a result may be off, in units in the last place; `None` where nothing is promised.
fn allowed(asked: &Asked, card: &Card, x: i64) -> Option<f64> {
    let number = x as f64 * step(asked.fraction);
    let [below, above] = [number < card.domain.lo, number >= card.domain.hi];
    let held = match asked.options.outside {
        Outside::Clamp => true,
        Outside::Saturate => {
            asked.function.tails().iter().any(|tail| matches!(tail, Tail::End | Tail::Period))
        }
        _ => false,
    };
    let everywhere = asked.options.domain.is_none() && !held;
    if !below && !above || card.repeats || everywhere {
        return Some(card.max_ulp());
    }
    // What stands for the function beyond a domain that was asked for is a step away from it, and then constant: it says
    // something where the function is nearly that.
    let settled = match asked.function.tails()[usize::from(above)] {
        Tail::Limit(_) | Tail::Number => {
            // These are farther from it somewhere beyond an end near 0.
            let dips = matches!(asked.function, Function::Gelu | Function::Silu);
            !dips && matches!(card.outside, Outside::Saturate | Outside::Usual)
        }
        _ => false,
    };
    settled.then(|| card.max_ulp().max(4.0) + card.jumps[usize::from(above)])
}

/// Looks at one combination; what it was refused for, if it was.
fn look(asked: &Asked, random: &mut Random) -> Option<String> {
    let Asked { function, bits, fraction, options } = *asked;
    // What would do instead takes long to find.
    let explained = random.below(8) == 0;
    let make = if explained { Evaluation::new } else { Evaluation::attempt };
    let evaluation = match make(function, bits, fraction, &options) {
        Ok(evaluation) => evaluation,
        Err(error) => return Some(error.to_string()),
    };
    let card = evaluation.card();
    let format = [bits, fraction, evaluation.scale_out()];
    let limits = evaluation.range(card.reach);
    for x in looked_at(asked, &card, random) {
        let number = x as f64 * step(fraction);
        let Some(found) = evaluation.outcomes(x) else {
            let inside = (card.domain.lo..card.domain.hi).contains(&number);
            assert!(!inside, "{number} is refused: {asked:?}\n{card}");
            continue;
        };
        if card.method != Method::Angle {
            let fit = limits[0] <= found[0] && found[1] <= limits[1];
            assert!(fit, "{found:?} at {number} is not in {limits:?}: {asked:?}\n{card}");
        }
        let Some(most) = allowed(asked, &card, x) else { continue };
        for y in found {
            // Bounds of an angle addition are no results.
            let slack = if card.method == Method::Angle { most + 2.0 } else { SLACK };
            let error = ulps(function, x, y, format);
            assert!(
                error <= most + slack,
                "{function}({number}) is {y}, {error} units off: {asked:?}\n{card}"
            );
        }
    }
    None
}

/// A combination takes some milliseconds to plan: 1,000 take longer than 10 s on a small machine.
#[test]
fn random_formats_are_right_or_refused() {
    right_or_refused(if is_long() { 50_000 } else { 1_000 }, |random| look(&Asked::random(random), random));
}

/// What the protocol gives is what the twin says that it may.
#[test]
fn the_protocol_gives_what_its_twin_does() {
    let (count, seed) = (if is_long() { 400 } else { 24 }, seed());
    let mut made = Vec::new();
    for i in 0.. {
        let mut random = Random::new(seed.wrapping_add(1 << 32).wrapping_add(i));
        let asked = Asked::random(&mut random);
        let Ok(evaluation) = Evaluation::attempt(asked.function, asked.bits, asked.fraction, &asked.options)
        else {
            continue;
        };
        let mut x = looked_at(&asked, &evaluation.card(), &mut random);
        x.retain(|&x| evaluation.outcomes(x).is_some());
        x.truncate(150);
        if !x.is_empty() {
            made.push((format!("{asked:?}, seed {seed}"), evaluation, x));
        }
        if made.len() == count {
            break;
        }
    }
    as_their_twins(&made);
}
