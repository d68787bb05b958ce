//! Functions of rows, GELU, reciprocals and angles in random formats: refused, or as exact as their cards say.
//! `LONG=1` tries twenty times as many.

use crate::support::{
    fixed::{of_all_kinds, shared},
    pairs::{both, pair},
    sweep::{Random, is_long},
};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Fixed, Objective},
    math::{
        Affine, Function, Gated, Gelu, GeluJob, Method, Norm, NormJob, Options, Precision, Reciprocal,
        ReciprocalJob, SinCos, Softmax, SoftmaxJob,
    },
};

fn count() -> u64 {
    if is_long() { 600 } else { 30 }
}

const SEED: u64 = 2024;

/// Runs as many combinations as asked for, in one session, each with its own seed.
fn sweep(seed: u64, one: impl Fn(&mut Party, &mut Random) -> Result<bool> + Sync) {
    let run = |p: &mut Party| {
        p.stock_cots(1 << 18, 1 << 18)?;
        let mut done = 0;
        for i in 0..count() {
            println!("seed {}", seed + i);
            done += u64::from(one(p, &mut Random::new(seed + i))?);
        }
        assert!(done > count() / 5, "{done} of {} were done", count());
        Ok(())
    };
    both(pair(seed, None), run);
}

/// None, or a bound in the ring.
fn magnitude(random: &mut Random, bits: u32, scale: u32) -> Option<u32> {
    let any = random.below(u64::from((bits + 1).saturating_sub(3 + scale)).max(1)) as u32;
    random.of(&[None, Some(any)])
}

fn ulps(y: f64, want: f64, scale: u32) -> f64 {
    (y - want).abs() * 2f64.powi(scale as i32)
}

#[test]
fn gelus() {
    sweep(SEED, |p, random| {
        let (scale, bits) = (6 + random.below(21) as u32, 10 + random.below(55) as u32);
        let function = random.of(&[Gated::Gelu, Gated::Silu]);
        let precision = random.of(&[Precision::Fine, Precision::Network]);
        let magnitude = magnitude(random, bits, scale);
        let objective =
            random.of(&[Objective::Total, Objective::Bytes, Objective::Rounds, Objective::Rounds]);
        let usual = GeluJob::new(bits, scale);
        let job = GeluJob { batch: 400, function, precision, magnitude, objective, ..usual };
        let Ok(card) = job.card() else { return Ok(false) };
        println!("{}", job.method());
        let far = 2f64.powi(magnitude.map_or(bits as i32 - 3 - scale as i32, |m| m as i32));
        let unit = 2f64.powi(-(scale as i32));
        let bend = if function == Gated::Gelu { 4.25 } else { 12.0 };
        let mut x: Vec<f64> = (0..200).map(|_| random.number([-bend, bend], scale)).collect();
        x.extend((0..150).map(|_| random.number([-far + unit, far - unit], scale)));
        // Ends of pieces.
        x.extend(
            (0..job.batch - x.len()).map(|i| (i as f64 - 25.0) / 32.0 * 8.0 / 4.0 - (i % 3) as f64 * unit),
        );
        // And of the range.
        x[200..202].copy_from_slice(&[-far, far - unit]);
        x.iter_mut().for_each(|x| *x = x.clamp(-far, far - unit));
        let shares = of_all_kinds(p.role(), &x, bits, scale)?.swap_remove(random.below(4) as usize);
        let y = Gelu::prepare(p, job)?.eval(p, &shares)?.open(p)?;
        let most: f64 = card.max_ulp.parse().expect("a number");
        for (x, y) in x.iter().zip(&y) {
            let error = ulps(*y, function.of(*x), scale);
            assert!(error <= most, "{} of {x} is {y}, {error} units off\n{card}", function.name());
        }
        Ok(true)
    });
}

/// Where the lines are farthest off: each number many times, with shares of its own.
#[test]
fn gelus_next_to_0() {
    both(pair(SEED, None), |p| {
        let x: Vec<f64> = (0..20 * 2048).map(|i| f64::from(i % 2048 - 1024) / 4096.0).collect();
        for (function, seed) in
            [Gated::Silu, Gated::Gelu].into_iter().flat_map(|f| (0..count() / 15).map(move |s| (f, s)))
        {
            let (magnitude, objective) = (Some(5), Objective::Bytes);
            let job = GeluJob { batch: x.len(), function, magnitude, objective, ..GeluJob::new(37, 12) };
            let most: f64 = job.card()?.max_ulp.parse().expect("a number");
            let shares = shared(p.role(), &x, 37, 12, seed)?;
            let y = Gelu::prepare(p, job)?.eval(p, &shares)?.open(p)?;
            let worst = x.iter().zip(&y).map(|(x, y)| ulps(*y, function.of(*x), 12)).fold(0.0, f64::max);
            println!("{}: {worst:.3} units off; {} rounds", function.name(), job.bill()?.online.rounds);
            assert!(worst <= most, "{}: {worst} units off", function.name());
        }
        Ok(())
    });
}

#[test]
fn softmaxes() {
    sweep(SEED + 1, |p, random| {
        let (scale, bits) = (7 + random.below(9) as u32, 14 + random.below(51) as u32);
        let (rows, len) = (4, 1 + random.bits(9) as usize);
        let precision = random.of(&[Precision::Fine, Precision::Network]);
        let magnitude = magnitude(random, bits, scale);
        let objective = random.of(&[Objective::Total, Objective::Bytes]);
        let usual = SoftmaxJob::new(len, bits, scale);
        let job = SoftmaxJob { rows, precision, magnitude, objective, ..usual };
        let Ok(card) = job.card() else { return Ok(false) };
        let end =
            2f64.powi(magnitude.map_or(bits as i32 - 3 - scale as i32, |m| m as i32)).min(2f64.powi(20));
        let far = end.min(60.0);
        let unit = 2f64.powi(-(scale as i32));
        let width = random.number([unit, far - unit], scale);
        let mut x: Vec<f64> = (0..rows * len).map(|_| random.number([-width, width], scale)).collect();
        // A row from end to end, and one at the lower end.
        x[..len].iter_mut().for_each(|x| *x = random.of(&[-end, end - unit, *x]));
        x[len..2 * len].fill(-end);
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let y = Softmax::prepare(p, job)?.eval(p, &shares)?.open(p)?;
        let most: f64 = card.max_ulp.parse().expect("a number");
        for (x, y) in x.chunks(len).zip(y.chunks(len)) {
            let max = x.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = x.iter().map(|x| (x - max).exp()).sum();
            for (x, y) in x.iter().zip(y) {
                let error = ulps(*y, (x - max).exp() / sum, scale);
                assert!(error <= most, "{y}, {error} units off\n{card}");
            }
        }
        Ok(true)
    });
}

#[test]
fn layer_norms() {
    sweep(SEED + 2, |p, random| {
        let (scale, bits) = (6 + random.below(11) as u32, 20 + random.below(45) as u32);
        let (rows, len) = (4, 2 + random.bits(8) as usize);
        let (largest, gain) = (2f64.powi(random.below(6) as i32), 2f64.powi(random.below(4) as i32 - 1));
        let variance = [2f64.powi(-(random.below(6) as i32)), largest * largest];
        let epsilon = variance[0] / 4.0;
        let job = NormJob {
            rows,
            len,
            bits,
            scale,
            largest,
            variance,
            epsilon,
            gain,
            gains_known_to: None,
            objective: Objective::Total,
        };
        if job.bill().is_err() {
            return Ok(false);
        }
        let gains: Vec<f64> = (0..len).map(|_| random.number([-gain, gain], scale)).collect();
        let offsets: Vec<f64> = (0..len).map(|_| random.number([-gain, gain], scale)).collect();
        let x: Vec<f64> = (0..rows * len).map(|_| random.number([-largest, largest], scale)).collect();
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let y: Fixed<u64> =
            Norm::prepare(p, job, &Affine::public(gains.clone(), offsets.clone()))?.eval(p, &shares)?;
        let unit = 2f64.powi(-(scale as i32));
        for (x, y) in x.chunks(len).zip(y.open(p)?.chunks(len)) {
            let mean = x.iter().sum::<f64>() / len as f64;
            let spread = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / len as f64 + epsilon;
            if !(variance[0]..=variance[1]).contains(&spread) {
                continue;
            }
            let root = spread.sqrt();
            for (((x, y), g), b) in x.iter().zip(y).zip(&gains).zip(&offsets) {
                let scaled = g * (x - mean) / root;
                let most = 1.0 + g.abs() / 4.0 + g.abs() / (4.0 * root);
                let most = most + (2e-5 + (unit / root).powi(2)) * scaled.abs() / unit;
                let error = ulps(*y, scaled + b, scale);
                assert!(error <= most, "{y}, not {}: {error} units off, {most} allowed, {job:?}", scaled + b);
            }
        }
        Ok(true)
    });
}

#[test]
fn reciprocals() {
    sweep(SEED + 3, |p, random| {
        let job = reciprocal(random);
        let job = ReciprocalJob { dividend: 0.0, ..job };
        if job.bill().is_err() {
            return Ok(false);
        }
        let ReciprocalJob { bits, scale, scale_out, bounds, .. } = job;
        let mut x = vec![bounds[0], bounds[1]];
        x.extend((0..200).map(|_| {
            let log = random.number([bounds[0].log2(), bounds[1].log2()], 40);
            random.number([log.exp2(), bounds[1].min(1.01 * log.exp2() + 2f64.powi(-(scale as i32)))], scale)
        }));
        x.retain(|x| (bounds[0]..=bounds[1]).contains(x) && (x * 2f64.powi(scale as i32)).fract() == 0.0);
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let y = Reciprocal::prepare(p, job, x.len())?.eval(p, &shares)?.open(p)?;
        for (x, y) in x.iter().zip(&y) {
            let (error, most) = (ulps(*y, 1.0 / x, scale_out), 1.5 + 1e-5 / x * 2f64.powi(scale_out as i32));
            assert!(error <= most, "1 / {x} is {y}, {error} units off, {most} allowed, {job:?}");
        }
        Ok(true)
    });
}

fn reciprocal(random: &mut Random) -> ReciprocalJob {
    let (scale, bits) = (random.below(25) as u32, 16 + random.below(49) as u32);
    let low = 2f64.powi(random.below(8) as i32 - 4);
    let bounds = [low, low * 2f64.powi(1 + random.below(14) as i32)];
    let dividend = if random.below(2) == 0 { 0.0 } else { 2f64.powi(random.below(20) as i32 - 10) };
    ReciprocalJob { bits, scale, scale_out: random.below(25) as u32, bounds, dividend }
}

/// Shares of ones, in units.
fn ones(bits: u32, scale: u32, count: usize) -> Result<Fixed<u64>> {
    Fixed::new(AShare::new(bits, vec![1; count]), scale)
}

/// What has a bill is prepared and evaluated, whatever the parameters; what has none is refused before a byte is sent.
#[test]
fn what_has_a_bill_is_prepared() {
    let each = |p: &mut Party, random: &mut Random| -> Result<bool> {
        let (bits, scale) = (2 + random.below(63) as u32, random.below(30) as u32);
        let power = |random: &mut Random, most: u64| 2f64.powi(random.below(2 * most) as i32 - most as i32);
        let least = power(random, 12);
        let bounds = [least, least * 2f64.powi(random.below(18) as i32) * 1.5];
        let scale_out = random.below(30) as u32;
        let objective = random.of(&[Objective::Total, Objective::Rounds, Objective::Bytes]);
        let (rows, len) = (1 + random.below(3) as usize, 1 + random.bits(7) as usize);
        p.take_cost();
        let (billed, done) = match random.below(5) {
            0 => {
                let dividend = if random.below(2) == 0 { 0.0 } else { power(random, 12) };
                let job = ReciprocalJob { bits, scale, scale_out, bounds, dividend };
                let done = Reciprocal::prepare(p, job, 2).and_then(|material| {
                    let x = ones(bits, scale, 2)?;
                    if dividend > 0.0 { material.divide(p, &x, &x) } else { material.eval(p, &x) }
                });
                (job.bill(), done.map(drop))
            }
            1 => {
                let job = SoftmaxJob { rows, objective, ..SoftmaxJob::new(len, bits, scale) };
                let done = Softmax::prepare(p, job)
                    .and_then(|material| material.eval(p, &ones(bits, scale, rows * len)?));
                (job.bill(), done.map(drop))
            }
            2 => {
                let job = GeluJob { batch: 2, objective, ..GeluJob::new(bits, scale) };
                let done =
                    Gelu::prepare(p, job).and_then(|material| material.eval(p, &ones(bits, scale, 2)?));
                (job.bill(), done.map(drop))
            }
            3 => {
                let largest = power(random, 8);
                let variance = [bounds[0] / 64.0, bounds[1] / 64.0];
                let (epsilon, gain) = (variance[0] / 2.0, power(random, 4));
                let gains_known_to = random.of(&[None, Some(Role::P0), Some(Role::P1)]);
                let job = NormJob {
                    rows,
                    len,
                    bits,
                    scale,
                    largest,
                    variance,
                    epsilon,
                    gain,
                    gains_known_to,
                    objective: Objective::Total,
                };
                let own = || (vec![gain / 2.0; len], vec![0.0; len]);
                let affine = match gains_known_to {
                    None => Affine::public(own().0, own().1),
                    Some(role) if role == p.role() => Affine::own(role, own().0, own().1),
                    Some(role) => Affine::of_peer(role.peer(), len),
                };
                let done = Norm::prepare(p, job, &affine)
                    .and_then(|material| material.eval(p, &ones(bits, scale, rows * len)?));
                (job.bill(), done.map(drop))
            }
            _ => {
                let sine = random.of(&[Function::Sin, Function::SinPi, Function::Sin2Pi]);
                let method = random.of(&[Method::Auto, Method::Direct, Method::Angle]);
                let options = Options::default().method(method).objective(objective).fraction_out(scale_out);
                match SinCos::new(sine, bits, scale, &options) {
                    Ok(made) => {
                        let x = ones(bits, scale, 2)?;
                        let done = made.prepare(p, 2).and_then(|material| material.eval(p, &x));
                        (Ok(made.bill()), done.map(drop))
                    }
                    Err(error) => return refused(Err(error)),
                }
            }
        };
        match billed {
            Ok(_) => done.map(|()| true),
            Err(error) => {
                assert_eq!(p.take_cost().sent, 0, "refused after something was sent: {error}");
                assert!(matches!(done, Err(Error::Param { .. })), "{done:?}, and no bill: {error}");
                refused(Err(error))
            }
        }
    };
    let run = |p: &mut Party| {
        let (mut done, count) = (0, 20 * count());
        for i in 0..count {
            let one = each(p, &mut Random::new(SEED + 4 + i));
            done += u64::from(one.unwrap_or_else(|error| panic!("seed {}: {error}", SEED + 4 + i)));
        }
        assert!(done > count / 8, "{done} of {count} were done");
        Ok(())
    };
    both(pair(SEED + 4, None), run);
}

/// Not done, for what an error says to be accepted.
fn refused(found: Result<()>) -> Result<bool> {
    match found {
        Err(Error::Param { accepted, .. }) if !accepted.is_empty() => Ok(false),
        other => other.map(|()| true),
    }
}

/// Numbers of a unit or two, and formats that no share has: found out when it was prepared, or later.
#[test]
fn what_cannot_be_evaluated_has_no_bill() {
    let job = ReciprocalJob { bits: 20, scale: 4, scale_out: 4, bounds: [1024.0, 2048.0], dividend: 0.0 };
    let norm = NormJob {
        rows: 2,
        len: 4,
        bits: 37,
        scale: 8,
        largest: 8.0,
        variance: [0.25, 4.0],
        epsilon: 0.0,
        gain: 2.0,
        gains_known_to: None,
        objective: Objective::Total,
    };
    let fine = [job.bill(), norm.bill()];
    assert!(fine.iter().all(|bill| bill.is_ok()), "{fine:?}");
    let refused = [
        ReciprocalJob { bounds: [0.125, 1.0], ..job }.bill(),
        ReciprocalJob { scale_out: 24, ..job }.bill(),
        NormJob { scale: 2, variance: [2f64.powi(-6), 4.0], ..norm }.bill(),
    ];
    let accepted: Vec<usize> = (0..refused.len()).filter(|&i| refused[i].is_ok()).collect();
    assert!(accepted.is_empty(), "jobs {accepted:?} have a bill");
}
