//! Functions of a caller's own, smooth, bent and stepping, in random formats: each combination is refused before any
//! work, or every result is within its card.
//!
//! As `math_sweep`: results are those of the plaintext twin, at random numbers and at bends and steps, against values of
//! some 95 digits. `LONG=1` tries 20,000 combinations instead of 400.

use crate::support::{
    exact::Exact,
    sweep::{Random, SLACK, as_their_twins, is_long, places, right_or_refused, seed},
};

use std::f64::consts::FRAC_PI_2;

use hushtable::math::{Bounds, Card, Evaluation, Method, Options, Outside};

/// Digits of floating point that are left of the values that functions here give.
const DIGITS: i32 = 44;

/// A function. Every parameter is one of floating point, so that values are known to more digits.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// `height sin(speed (x - at))`
    Wave { height: f64, at: f64, speed: f64 },
    /// `height e^-((x - at) / width)^2`, which may be as narrow as a step of numbers.
    Hill { height: f64, at: f64, width: f64 },
    /// A cubic of `(x - at) / width`.
    Cubic { height: [f64; 3], at: f64, width: f64 },
    /// Two lines that meet in `at`.
    Corner { at: f64, slopes: [f64; 2] },
    /// A line between two values.
    Held { slope: f64, between: [f64; 2] },
    /// `height floor((x - at) / width)`
    Stairs { height: f64, at: f64, width: f64 },
    /// `height` at less than `width` from `at`, else 0.
    Peak { height: f64, at: f64, width: f64 },
}

impl Shape {
    /// For numbers in a domain, a step apart, and values that are mostly below `most`.
    fn random(random: &mut Random, domain: Bounds, step: f64, most: f64) -> Self {
        let size = domain.hi - domain.lo;
        let steps = (size / step).log2().ceil() as u64;
        let mut height = || {
            let size = most * 2f64.powi(-(random.below(20) as i32) - 1);
            random.number([-size, size], 60)
        };
        let [a, b, c] = [height(), height(), height()];
        let at = domain.lo + random.number([0.0, size / step], 2) * step;
        let width = step * 2f64.powi(random.below(steps + 1) as i32);
        let speed = random.number([-100.0, 100.0], 10) / size;
        match random.below(7) {
            0 => Self::Wave { height: a, at, speed },
            1 => Self::Hill { height: a, at, width },
            2 => Self::Cubic { height: [a, b, c], at, width: size },
            3 => Self::Corner { at, slopes: [a / size, b / size] },
            4 => Self::Held { slope: a / width, between: [b.min(c), b.max(c)] },
            5 => Self::Stairs { height: a * width / size, at, width },
            _ => Self::Peak { height: a, at, width },
        }
    }

    fn eval(self, x: f64) -> f64 {
        match self {
            Self::Wave { height, at, speed } => height * (speed * (x - at)).sin(),
            Self::Hill { height, at, width } => height * (-((x - at) / width).powi(2)).exp(),
            Self::Cubic { height: [a, b, c], at, width } => {
                let t = (x - at) / width;
                ((a * t + b) * t + c) * t
            }
            Self::Corner { at, slopes } => slopes[usize::from(x > at)] * (x - at),
            Self::Held { slope, between: [least, most] } => (slope * x).clamp(least, most),
            Self::Stairs { height, at, width } => height * ((x - at) / width).floor(),
            Self::Peak { height, at, width } if (x - at).abs() < width => height,
            Self::Peak { .. } => 0.0,
        }
    }

    /// The same. Differences of numbers, and quotients by powers of two, are exact in floating point.
    fn exact(self, x: f64) -> Exact {
        let of = |x: f64| Exact(x, 0.0);
        match self {
            Self::Wave { height, at, speed } => of(height) * (of(speed) * of(x - at)).sin_cos()[0],
            Self::Hill { height, at, width } => {
                let t = of(x - at) / of(width);
                of(height) * (-(t * t)).exp()
            }
            Self::Cubic { height: [a, b, c], at, width } => {
                let t = of(x - at) / of(width);
                ((of(a) * t + of(b)) * t + of(c)) * t
            }
            Self::Corner { at, slopes } => of(slopes[usize::from(x > at)]) * of(x - at),
            Self::Held { slope, between: [least, most] } => match of(slope) * of(x) {
                y if y.0 < least => of(least),
                y if y.0 > most => of(most),
                y => y,
            },
            Self::Stairs { height, at, width } => of(height) * of(((x - at) / width).floor()),
            Self::Peak { .. } => of(self.eval(x)),
        }
    }

    /// The largest of what its values are sums of, in the domain that it was made for.
    fn largest(self, domain: Bounds) -> f64 {
        let size = domain.hi - domain.lo;
        match self {
            Self::Wave { height, .. } | Self::Hill { height, .. } | Self::Peak { height, .. } => height.abs(),
            Self::Cubic { height, .. } => height.iter().map(|h| h.abs()).sum(),
            Self::Corner { slopes, .. } => slopes[0].abs().max(slopes[1].abs()) * size,
            Self::Held { between: [least, most], .. } => least.abs().max(most.abs()),
            Self::Stairs { height, width, .. } => height.abs() * (1.0 + size / width),
        }
    }

    /// Where it bends or steps, in a domain.
    fn bends(self, domain: Bounds, random: &mut Random) -> Vec<f64> {
        match self {
            Self::Wave { at, speed, .. } => {
                (-70..70).map(|i| at + f64::from(i) * FRAC_PI_2 / speed).collect()
            }
            Self::Hill { at, width, .. } => {
                [-2.0, -1.0, -0.7, -0.1, 0.0, 0.1, 0.7, 1.0, 2.0].map(|t| at + t * width).to_vec()
            }
            Self::Cubic { at, width, .. } => [-0.5, -0.25, 0.0, 0.25, 0.5].map(|t| at + t * width).to_vec(),
            Self::Corner { at, .. } => vec![at],
            Self::Held { slope, between } => between.map(|y| y / slope).to_vec(),
            Self::Stairs { at, width, .. } => {
                let last = (domain.hi - domain.lo) / width;
                (0..40).map(|_| at + random.number([-last.ceil(), last.ceil()], 0) * width).collect()
            }
            Self::Peak { at, width, .. } => vec![at - width, at, at + width],
        }
    }
}

/// One combination.
#[derive(Clone, Copy, Debug)]
struct Asked {
    shape: Shape,
    bits: u32,
    fraction: u32,
    options: Options,
}

impl Asked {
    fn random(random: &mut Random) -> Self {
        let bits = 8 + random.below(57) as u32;
        let fraction = random.below(u64::from(bits.min(41))) as u32;
        let step = 2f64.powi(-(fraction as i32));
        // Mostly few numbers: each is looked at.
        let largest = match random.below(40) {
            0 => 28,
            1..4 => 21,
            _ => 15,
        };
        let count = (2 + random.bits(largest)) as f64;
        let half = 2f64.powi(bits.min(50) as i32 - 1);
        let lo = random.number([-half, (half - count).max(-half)], 0);
        let lo = if random.below(2) == 0 { (-count / 2.0).floor().max(-half) } else { lo };
        let domain = Bounds { lo: lo * step, hi: (lo + count) * step };
        let method = match random.below(6) {
            0 => Method::Direct,
            1 | 2 => Method::Spline { degree: 1 + random.below(3) as u32, pieces: 2 << random.below(11) },
            _ => Method::Auto,
        };
        let outside = random.of(&[Outside::Usual, Outside::Clamp, Outside::Saturate, Outside::Wrap]);
        let wide = random.bits(bits.min(40)) as f64;
        let range = Bounds { lo: (lo - wide).max(-half) * step, hi: (lo + count + wide).min(half) * step };
        let options = Options::default()
            .domain(domain)
            .range((random.below(3) == 0).then_some(range))
            .method(method)
            .outside(outside)
            .fraction_out((random.below(3) == 0).then(|| random.below(u64::from(bits.min(41))) as u32))
            .max_ulp((random.below(6) == 0).then(|| random.of(&[0.5, 1.0, 2.0, 8.0])));
        let scale = options.fraction_out.unwrap_or(fraction);
        let most = 2f64.powi(bits as i32 - 1 - scale as i32);
        Self { shape: Shape::random(random, domain, step, most), bits, fraction, options }
    }

    fn make(&self) -> hushtable::Result<Evaluation> {
        Evaluation::of("any", |x| self.shape.eval(x), self.bits, self.fraction, &self.options)
    }

    fn looked_at(&self, card: &Card, random: &mut Random) -> Vec<i64> {
        let within = match self.options.range {
            Some(range) => Bounds { lo: range.lo.max(card.reach.lo), hi: range.hi.min(card.reach.hi) },
            None => card.reach,
        };
        places(card, within, &self.shape.bends(card.domain, random), random)
    }
}

/// Looks at one combination; what it was refused for, if it was.
fn look(random: &mut Random) -> Option<String> {
    let asked = Asked::random(random);
    let evaluation = match asked.make() {
        Ok(evaluation) => evaluation,
        Err(error) => return Some(error.to_string()),
    };
    let (card, step) = (evaluation.card(), 2f64.powi(-(asked.fraction as i32)));
    let (first, last) = (card.domain.lo, card.domain.hi - step);
    let known = card.max_ulp().is_finite();
    assert_eq!(known, (card.domain.hi - card.domain.lo) / step <= 2f64.powi(24), "{asked:?}\n{card}");
    assert!(
        known || asked.options.max_ulp.is_none() && asked.options.method != Method::Auto,
        "{asked:?}\n{card}"
    );
    let unit = 2f64.powi(card.scale_out as i32);
    let slack = SLACK + asked.shape.largest(card.domain) * unit * 2f64.powi(-DIGITS);
    let limits = evaluation.range(card.reach);
    for x in asked.looked_at(&card, random) {
        let number = x as f64 * step;
        let inside = (first..=last).contains(&number);
        let Some(found) = evaluation.outcomes(x) else {
            assert!(!inside, "{number} is refused: {asked:?}\n{card}");
            continue;
        };
        let fit = limits[0] <= found[0] && found[1] <= limits[1];
        assert!(fit, "{found:?} at {number} is not in {limits:?}: {asked:?}\n{card}");
        // Beside the domain results come near the value at its end.
        let most = if inside { card.max_ulp() } else { card.max_ulp().max(4.0) };
        let want = asked.shape.exact(number.clamp(first, last)).scaled(card.scale_out as i32);
        for y in found {
            let error = (Exact::of(y, 0) - want).0.abs();
            assert!(error <= most + slack, "{y} at {number}, {error} units off: {asked:?}\n{card}");
        }
    }
    None
}

#[test]
fn functions_of_a_callers_own_are_right_or_refused() {
    right_or_refused(if is_long() { 20_000 } else { 400 }, look);
}

#[test]
fn the_protocol_gives_what_its_twin_does_for_any_function() {
    let (count, seed) = (if is_long() { 200 } else { 12 }, seed());
    let mut made = Vec::new();
    for i in 0.. {
        let mut random = Random::new(seed.wrapping_add(2 << 32).wrapping_add(i));
        let asked = Asked::random(&mut random);
        let Ok(evaluation) = asked.make() else { continue };
        let mut x = asked.looked_at(&evaluation.card(), &mut random);
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

/// Of a wide domain, in which looking at every so many numbers meets the bend rarely.
#[test]
fn one_number_among_many_is_not_missed() {
    let (at, step) = (5.0 + 2f64.powi(-16) * 1234.0, 2f64.powi(-16));
    let peak = |x: f64| if x == at { 0.5 } else { 0.0 };
    let make = |half: f64, options: &Options| {
        let domain = Some(Bounds { lo: -half, hi: half });
        Evaluation::of("peak", peak, 64, 16, &(*options).domain(domain).outside(Outside::Wrap))
    };
    let spline = Options::default().method(Method::Spline { degree: 1, pieces: 64 });
    let usual = Options::default();
    // 2^20 numbers.
    assert!(make(8.0, &usual).is_err());
    let card = make(8.0, &spline).unwrap().card();
    assert!(card.max_ulp() >= 0.5 / step - 1.0 && card.accuracy.step == 1, "{card}");
    // 2^26: no error is stated that was not found.
    for refused in [usual, spline.max_ulp(8.0)] {
        let text = make(512.0, &refused).err().expect("too many numbers").to_string();
        assert!(text.contains("at most 16777216, each of which is looked at"), "{text}");
    }
    let card = make(512.0, &spline).unwrap().card();
    assert!(card.max_ulp().is_infinite() && card.to_string().contains("error     not known"), "{card}");
    // Nor is a number without a value.
    let hole = |x: f64| if x == at { f64::NAN } else { 0.0 };
    let domain = Some(Bounds { lo: -8.0, hi: 8.0 });
    let text =
        Evaluation::of("hole", hole, 64, 16, &spline.domain(domain)).err().expect("a hole").to_string();
    assert!(text.contains(&format!("NaN at {at}")), "{text}");
}

/// By the short ways, too: a table, and a spline.
#[test]
fn tables_and_splines_by_few_words() {
    let (seed, count, mut done) = (seed(), if is_long() { 2_000 } else { 60 }, 0);
    for i in 0..count {
        let mut random = Random::new(seed.wrapping_add(3 << 32).wrapping_add(i));
        let (bits, fraction) = (1 + random.below(12) as u32, random.below(20) as u32);
        let step = 2f64.powi(-(fraction as i32));
        let lo = random.number([-1000.0, 1000.0], 0) * step;
        let table = Bounds { lo, hi: lo + 2f64.powi(bits as i32) * step };
        let lo = random.number([-1000.0, 1000.0], 0);
        let spline = Bounds { lo, hi: lo + 2f64.powi(random.below(4) as i32) };
        let shapes = [(table, step), (spline, 2f64.powi(-16))]
            .map(|(d, step)| Shape::random(&mut random, d, step, 64.0));
        let [of_table, of_spline] = shapes;
        let (degree, pieces) = (1 + random.below(3) as u32, 2 << random.below(8));
        let made = [
            Evaluation::tabulate(|x| of_table.eval(x), table, bits),
            Evaluation::spline(|x| of_spline.eval(x), spline, degree, pieces),
        ];
        for (shape, evaluation) in shapes.into_iter().zip(made) {
            let Ok(evaluation) = evaluation else { continue };
            done += 1;
            let (card, step) = (evaluation.card(), 2f64.powi(-(evaluation.scale() as i32)));
            let slack = SLACK + shape.largest(card.domain) * 2f64.powi(card.scale_out as i32 - DIGITS);
            for x in places(&card, card.domain, &shape.bends(card.domain, &mut random), &mut random) {
                let want = shape.exact(x as f64 * step).scaled(card.scale_out as i32);
                for y in evaluation.outcomes(x).expect("inside") {
                    let error = (Exact::of(y, 0) - want).0.abs();
                    assert!(
                        error <= card.max_ulp() + slack,
                        "{y} at {x}, {error} units off: {shape:?}\n{card}"
                    );
                }
            }
        }
    }
    assert!(done > count * 3 / 2, "{done} of {} were done", 2 * count);
}
