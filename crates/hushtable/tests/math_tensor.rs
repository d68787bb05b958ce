//! Softmax, GELU, reciprocals and layer norm: accuracy against floating point, and what is refused.

use crate::support::{
    fixed::{of_all_kinds, shared},
    pairs,
};

use hushtable::{
    Party, Result, Role,
    arith::Objective,
    math::{
        Affine, Gated, Gelu, GeluJob, Norm, NormJob, Precision, Reciprocal, ReciprocalJob, Softmax,
        SoftmaxJob,
    },
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg};

/// Numbers of the interval that are integers in units of `2^-scale`.
fn random(seed: u64, count: usize, [lo, hi]: [f64; 2], scale: u32) -> Vec<f64> {
    let mut prg = Prg::new(Block(seed.into()));
    let unit = 2f64.powi(scale as i32);
    let mut number = || lo + (hi - lo) * (prg.u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count).map(|_| (number() * unit).round() / unit).collect()
}

fn worst(got: &[f64], want: &[f64]) -> (f64, usize) {
    let errors = got.iter().zip(want).map(|(g, w)| (g - w).abs()).enumerate();
    errors.fold((0.0, 0), |worst, (i, e)| if e > worst.0 { (e, i) } else { worst })
}

fn reciprocals(bits: u32, scale: u32, bounds: [f64; 2], scale_out: u32) {
    both(pair(5, None), |p| {
        // Every octave alike, and the ends.
        let logs = random(7, 3000, [bounds[0].log2(), bounds[1].log2()], 40);
        let unit = 2f64.powi(scale as i32);
        let mut x: Vec<f64> = logs.iter().map(|l| (l.exp2() * unit).round() / unit).collect();
        let least = (bounds[0] * unit).ceil();
        x.extend((0..300).map(|i| (least + f64::from(i)) / unit).filter(|&x| x <= bounds[1]));
        x.push(bounds[1]);
        let job = ReciprocalJob { bits, scale, scale_out, bounds, dividend: bounds[0] };
        let shares = shared(p.role(), &x, bits, scale, 3)?;
        let y = Reciprocal::prepare(p, job, x.len())?.eval(p, &shares)?;
        assert_eq!((y.bits(), y.scale()), (bits, scale_out));
        for (y, x) in y.open(p)?.iter().zip(&x) {
            let (error, unit) = ((y - 1.0 / x).abs(), 2f64.powi(-(scale_out as i32)));
            assert!(error <= 1e-5 / x + 1.5 * unit, "1 / {x}: {y}, wrong by {} units", error / unit);
        }
        let dividends = random(9, x.len(), [-bounds[0], bounds[0]], scale);
        let a = shared(p.role(), &dividends, bits, scale, 4)?;
        let q = Reciprocal::prepare(p, job, x.len())?.divide(p, &a, &shares)?.open(p)?;
        for ((q, a), x) in q.iter().zip(&dividends).zip(&x) {
            let unit = 2f64.powi(-(scale as i32));
            let most = 1e-5 * (a / x).abs() + 1.5 * a.abs() * 2f64.powi(-(scale_out as i32)) + unit;
            assert!((q - a / x).abs() <= most, "{a} / {x}: {q}");
        }
        Ok(())
    });
}

/// Longer than 10 s: many numbers by four formats.
#[test]
fn reciprocals_and_quotients() {
    reciprocals(37, 12, [1.0, 256.0], 16);
    reciprocals(40, 22, [0.5, 128.0], 20);
    reciprocals(32, 12, [0.25, 1000.0], 14);
    reciprocals(64, 16, [0.001, 50.0], 24);
}

fn softmax(x: &[f64]) -> Vec<f64> {
    let max = x.iter().copied().fold(f64::MIN, f64::max);
    let exps: Vec<f64> = x.iter().map(|x| (x - max).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|e| e / sum).collect()
}

/// Rows of d numbers: random ones of several widths, and those that are hard.
fn rows(d: usize, scale: u32, bits: u32) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = (0..40)
        .map(|i| {
            let width = [0.01, 0.3, 1.0, 3.0, 8.0, 16.0, 30.0, 60.0][i % 8];
            random(i as u64 + 1, d, [-width, width], scale)
        })
        .collect();
    let one_large = |gap: f64| (0..d).map(|i| if i == d / 3 { 2.0 } else { 2.0 - gap }).collect::<Vec<f64>>();
    rows.extend(
        [0.5, 4.0, 8.0, 10.4375, 12.0, 15.9375, 16.0, 16.5, 23.0, 24.0, 27.0, 28.0, 40.0].map(one_large),
    );
    let unit = 2f64.powi(-(scale as i32));
    rows.extend([0.0, 1.0, -1.0, unit, -unit, 500.0, -500.0].map(|x| vec![x; d]));
    let far = 2f64.powi((bits - 4 - scale).min(40) as i32);
    rows.push((0..d).map(|i| if i == 0 { 0.0 } else { -far }).collect());
    rows.push((0..d).map(|i| i as f64 * unit).collect());
    rows.push((0..d).map(|i| -(i as f64)).collect());
    rows
}

/// No more than its card says, with shares of all kinds.
fn softmaxes(p: &mut Party, job: SoftmaxJob) -> Result<()> {
    let SoftmaxJob { len: d, bits, scale, magnitude, .. } = job;
    let far = 2f64.powi(magnitude.unwrap_or(bits - 3 - scale).min(40) as i32) / 2.0;
    let mut rows = rows(d, scale, bits);
    rows.retain(|row| row.iter().all(|x| x.abs() < 2.0 * far));
    // As far apart as is allowed.
    let end = 2.0 * far - 2f64.powi(-(scale as i32));
    for far in [far, -far, end, -end, end - 0.1, 0.1 - end] {
        rows.extend(vec![(0..d).map(|i| if i % 5 == 0 { far } else { -far }).collect::<Vec<f64>>(); 6]);
    }
    let job = SoftmaxJob { rows: rows.len(), ..job };
    let (x, most) = (rows.concat(), job.card()?.max_ulp.parse::<f64>().expect("a number"));
    let mut largest = 0f64;
    for (kind, shares) in of_all_kinds(p.role(), &x, bits, scale)?.into_iter().enumerate() {
        let y = Softmax::prepare(p, job)?.eval(p, &shares)?;
        assert_eq!((y.bits(), y.scale(), y.len()), (bits, scale, rows.len() * d));
        let got = y.open(p)?;
        let want: Vec<f64> = rows.iter().flat_map(|row| softmax(row)).collect();
        let (error, at) = worst(&got, &want);
        let ulps = error * 2f64.powi(scale as i32);
        assert!(
            ulps <= most,
            "{job:?}, shares {kind}, row {}: {ulps} units, {} and not {}",
            at / d,
            got[at],
            want[at]
        );
        largest = largest.max(ulps);
    }
    println!("{job:?}: {largest:.2} units of {most}; {:.1} bytes", job.bill()?.bytes() / x.len() as f64);
    Ok(())
}

#[test]
fn softmax_of_random_and_hard_rows() {
    let network = |job| SoftmaxJob { precision: Precision::Network, ..job };
    let within = |m, job| SoftmaxJob { magnitude: Some(m), ..job };
    let least = |job| SoftmaxJob { objective: Objective::Bytes, ..job };
    let usual = SoftmaxJob::new(256, 37, 12);
    let jobs = [
        usual,
        least(usual),
        least(within(8, usual)),
        SoftmaxJob::new(128, 37, 12),
        SoftmaxJob::new(100, 64, 12),
        SoftmaxJob::new(1, 32, 12),
        SoftmaxJob::new(2, 32, 12),
        SoftmaxJob::new(3, 24, 8),
        SoftmaxJob::new(64, 48, 14),
        network(usual),
        least(network(usual)),
        least(network(within(8, usual))),
        network(within(6, SoftmaxJob::new(16, 30, 10))),
        network(SoftmaxJob::new(2, 37, 14)),
    ];
    both(pair(6, None), |p| jobs.map(|job| softmaxes(p, job)).into_iter().collect::<Result<Vec<_>>>());
}

/// No more than its card says, of all numbers of the bend, of the ends of the range, and with shares of all kinds.
fn gelus(p: &mut Party, job: GeluJob) -> Result<f64> {
    let GeluJob { bits, scale, .. } = job;
    let unit = 2f64.powi(-(scale as i32));
    let bend: f64 = if job.function == Gated::Gelu { 4.5 } else { 17.0 };
    let far = 2f64.powi(job.magnitude.unwrap_or(bits - 3 - scale) as i32);
    let steps = (bend.min(far) / unit) as i64;
    // Every number of the bend up to 12 bits behind the point of GELU in the usual ring; of others every seventh.
    let all = job == GeluJob::new(37, 12) || scale < 12;
    let stride = (1usize << scale.saturating_sub(12)) * if all { 1 } else { 7 };
    let mut x: Vec<f64> = (1 - steps..steps).step_by(stride).map(|i| i as f64 * unit).collect();
    x.extend([-8.0, -4.0, 4.0, 8.0].iter().flat_map(|b| (-3..=3).map(move |i| b + f64::from(i) * unit)));
    x.extend(random(17, 200, [unit - far, far - unit], scale));
    x.extend([far - unit, unit - far, far / 2.0, -far / 2.0, 12.0, -12.0, 100.5]);
    x.retain(|x| x.abs() < far);
    let job = GeluJob { batch: x.len(), ..job };
    let most = job.card()?.max_ulp.parse::<f64>().expect("a number");
    let mut largest = 0f64;
    for (kind, shares) in of_all_kinds(p.role(), &x, bits, scale)?.into_iter().enumerate() {
        let got = Gelu::prepare(p, job)?.eval(p, &shares)?.open(p)?;
        let want: Vec<f64> = x.iter().map(|&x| job.function.of(x)).collect();
        let (error, at) = worst(&got, &want);
        let ulps = error / unit;
        assert!(ulps <= most, "{job:?} of {}, shares {kind}: {ulps} units, {}", x[at], got[at]);
        largest = largest.max(ulps);
    }
    println!("{job:?}: {largest:.2} units of {most}; {:.1} bytes", job.bill()?.bytes() / job.batch as f64);
    Ok(largest)
}

#[test]
fn gelu_of_every_number_of_its_bend() {
    let network = |job| GeluJob { precision: Precision::Network, ..job };
    let silu = |job| GeluJob { function: Gated::Silu, ..job };
    let within = |m, job| GeluJob { magnitude: Some(m), ..job };
    let least = |job| GeluJob { objective: Objective::Bytes, ..job };
    let rounds = |job| GeluJob { objective: Objective::Rounds, ..job };
    let usual = GeluJob::new(37, 12);
    let jobs = [
        usual,
        least(usual),
        GeluJob::new(64, 12),
        GeluJob::new(20, 8),
        GeluJob::new(37, 16),
        within(6, usual),
        within(1, usual),
        within(20, least(usual)),
        network(usual),
        network(within(6, least(usual))),
        network(GeluJob::new(64, 18)),
        silu(network(usual)),
        silu(network(within(6, least(usual)))),
        silu(network(GeluJob::new(18, 11))),
        silu(network(within(1, GeluJob::new(40, 20)))),
        least(GeluJob::new(64, 22)),
        silu(least(usual)),
        silu(usual),
        silu(within(6, least(usual))),
        silu(within(1, least(usual))),
        silu(GeluJob::new(20, 12)),
        silu(least(GeluJob::new(15, 7))),
        silu(least(within(20, GeluJob::new(64, 16)))),
        silu(GeluJob::new(64, 24)),
        rounds(usual),
        rounds(within(3, usual)),
        silu(rounds(network(within(5, usual)))),
    ];
    both(pair(7, None), |p| jobs.map(|job| gelus(p, job)).into_iter().collect::<Result<Vec<_>>>());
}

/// Rows whose deviation runs over the bounds, around several means.
fn norm_rows(job: &NormJob) -> Vec<f64> {
    let [low, high] = [job.variance[0].sqrt() * 1.05, job.variance[1].sqrt() * 0.95];
    let deviations = [low, 0.3, 1.0, 2.5, high].map(|s: f64| s.clamp(low, high));
    let row = |i: usize| {
        let mut row = random(i as u64 + 40, job.len, [-1.0, 1.0], 40);
        let mean = row.iter().sum::<f64>() / job.len as f64;
        let deviation = (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / job.len as f64).sqrt();
        let centre = [0.0, job.largest * 0.6, -7.5, -job.largest * 0.6][i % 4];
        let unit = 2f64.powi(job.scale as i32);
        row.iter_mut().for_each(|x| {
            let number = centre + (*x - mean) / deviation * deviations[i % 5];
            *x = (number * unit).round() / unit;
        });
        row
    };
    (0..job.rows).flat_map(row).collect()
}

fn norms(p: &mut Party, job: NormJob, private: Option<Role>) -> Result<f64> {
    let job = NormJob { gains_known_to: private, ..job };
    let x = norm_rows(&job);
    let gains = random(70, job.len, [-job.gain, job.gain], job.scale);
    let offsets = random(71, job.len, [-job.gain, job.gain], job.scale);
    let affine = match private {
        None => Affine::public(gains.clone(), offsets.clone()),
        Some(role) if role == p.role() => Affine::own(role, gains.clone(), offsets.clone()),
        Some(_) => Affine::of_peer(p.role(), job.len),
    };
    let shares = shared(p.role(), &x, job.bits, job.scale, 21)?;
    let y = Norm::prepare(p, job, &affine)?.eval(p, &shares)?;
    assert_eq!((y.bits(), y.scale()), (job.bits, job.scale));
    let mut most = 0f64;
    for (y, x) in y.open(p)?.chunks(job.len).zip(x.chunks(job.len)) {
        let mean = x.iter().sum::<f64>() / job.len as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / job.len as f64;
        let root = (variance + job.epsilon).sqrt();
        for (((y, x), g), b) in y.iter().zip(x).zip(&gains).zip(&offsets) {
            let scaled = g * (x - mean) / root;
            let unit = 2f64.powi(-(job.scale as i32));
            let share = 2e-5 + (unit / root).powi(2);
            let error = (y - scaled - b).abs() - share * scaled.abs();
            let ulps = error * 2f64.powi(job.scale as i32);
            most = most.max(ulps / (1.0 + g.abs() / 4.0 + g.abs() / (4.0 * root)));
            assert!(most <= 1.0, "{ulps} units, deviation {root}, gain {g}: {y}, not {}", scaled + b);
        }
    }
    Ok(most)
}

#[test]
fn layer_norms_with_public_and_private_gains() {
    let (parts, _) = both(pair(8, None), |p| {
        let job = NormJob {
            rows: 20,
            len: 64,
            bits: 37,
            scale: 12,
            largest: 64.0,
            variance: [0.0025, 40.0],
            epsilon: 1e-5,
            gain: 4.0,
            gains_known_to: None,
            objective: Objective::Total,
        };
        let odd = NormJob { rows: 10, len: 77, bits: 64, ..job };
        Ok([
            norms(p, job, None)?,
            norms(p, job, Some(Role::P0))?,
            norms(p, odd, Some(Role::P1))?,
            // By lattices, whole blocks and others.
            norms(p, NormJob { rows: 128, len: 128, ..job }, Some(Role::P1))?,
            norms(p, NormJob { rows: 77, len: 201, bits: 40, ..job }, Some(Role::P0))?,
            // A mean far from 0, of many numbers.
            norms(p, NormJob { rows: 4, len: 768, ..job }, None)?,
            // A deviation of few units.
            norms(p, NormJob { variance: [2e-5, 0.5], epsilon: 0.0, largest: 16.0, ..job }, None)?,
            norms(p, NormJob { scale: 10, bits: 32, variance: [0.01, 100.0], ..job }, None)?,
        ])
    });
    println!("{parts:?}");
}

#[test]
fn bounds_that_do_not_fit_the_ring_are_refused() {
    let job = ReciprocalJob { bits: 16, scale: 12, scale_out: 12, bounds: [1.0, 1.9], dividend: 0.0 };
    let says = |job: ReciprocalJob| job.ring().expect_err("it does not fit").to_string();
    assert!(job.ring().is_ok());
    for (wrong, needed) in [
        // 5.0 takes 15 bits, and the extension two more.
        (ReciprocalJob { bounds: [1.0, 5.0], ..job }, "17 bits"),
        // 1 / 0.05 does not fit 4 bits before the point.
        (ReciprocalJob { bounds: [0.05, 1.9], ..job }, "18 bits"),
        (ReciprocalJob { dividend: 15.9, ..job }, "18 bits"),
    ] {
        assert!(says(wrong).contains(needed), "{}", says(wrong));
    }
    let far = ReciprocalJob {
        bits: 64,
        scale: 0,
        scale_out: 0,
        bounds: [2f64.powi(30), 2f64.powi(45)],
        dividend: 0.0,
    };
    assert!(says(far).contains("at most 64"), "{}", says(far));
    let norm = NormJob {
        rows: 1,
        len: 64,
        bits: 20,
        scale: 12,
        largest: 64.0,
        variance: [0.5, 4.0],
        epsilon: 0.5,
        gain: 1.0,
        gains_known_to: None,
        objective: Objective::Total,
    };
    let says = |job: NormJob| job.ring().expect_err("it does not fit").to_string();
    assert!(says(norm).contains("at least 21"), "{}", says(norm));
    let wide = NormJob { bits: 37, ..norm };
    // Less than the square of a unit: the error of the mean alone is more.
    let coarse = NormJob { scale: 3, len: 250, variance: [2.5e-4, 3.77e-3], epsilon: 2.5e-4, ..wide };
    assert!(says(coarse).contains("at least the square of a unit"), "{}", says(coarse));
    assert!(wide.ring().is_ok());
    for epsilon in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(says(NormJob { epsilon, ..wide }).contains("epsilon"));
    }
}

/// Parties that prepare different things end with an error that names them, also without another round.
#[test]
fn parties_agree_on_what_they_prepare() {
    let (p0, p1) = pair(12, None);
    let job = |scale| SoftmaxJob { rows: 1, ..SoftmaxJob::new(3, 37, scale) };
    let run = |p: &mut Party, scale| Softmax::prepare(p, job(scale)).map(drop);
    let error = hushtable::run_pair((p0, p1), |p| run(p, 12), |p| run(p, 11)).expect_err("they differ");
    assert!(error.to_string().contains("softmax"), "{error}");
}

#[test]
fn shapes_that_do_not_match_are_named() {
    let job = SoftmaxJob { rows: 2, ..SoftmaxJob::new(4, 37, 12) };
    both(pair(10, None), |p| {
        let says = |p: &mut Party, count: usize, bits: u32, scale: u32| -> Result<String> {
            let x = shared(p.role(), &vec![0.0; count], bits, scale, 1)?;
            Ok(Softmax::prepare(p, job)?.eval(p, &x).expect_err("it does not match").to_string())
        };
        for (count, bits, scale, both) in
            [(7, 37, 12, ["8", "7"]), (8, 38, 12, ["37", "38"]), (8, 37, 11, ["12", "11"])]
        {
            let text = says(p, count, bits, scale)?;
            assert!(both.iter().all(|number| text.contains(number)), "{text}");
        }
        Ok(())
    });
    let narrow = SoftmaxJob { bits: 19, ..job }.check().expect_err("too narrow").to_string();
    assert!(narrow.contains("20 to 64"), "{narrow}");
    let wide = NormJob {
        rows: 1,
        len: 1 << 14,
        bits: 64,
        scale: 20,
        largest: 1e6,
        variance: [1.0, 1000.0],
        epsilon: 0.0,
        gain: 1.0,
        gains_known_to: None,
        objective: Objective::Total,
    };
    let text = wide.ring().expect_err("too wide").to_string();
    assert!(text.contains("64 bits") && text.contains("at least 101"), "{text}");
    assert!(job.card().expect("a job").to_string().contains("at most 2 ulp"));
}
