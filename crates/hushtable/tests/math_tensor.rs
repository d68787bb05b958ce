//! Softmax, GELU, reciprocals and layer norm: accuracy against floating point, and what is refused.

use crate::support::{fixed::shared, pairs};

use hushtable::{
    AShare, Party, Result, Role,
    arith::{LinearJob, LinearProduct, MatrixShape, Objective},
    math::{Affine, Gelu, GeluJob, Norm, NormJob, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob, gelu},
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
    // As far apart as is allowed.
    let far = 2f64.powi((bits - 4 - scale).min(40) as i32);
    rows.push((0..d).map(|i| if i % 5 == 0 { far } else { -far }).collect());
    rows.push((0..d).map(|i| if i == 0 { 0.0 } else { -far }).collect());
    rows.push((0..d).map(|i| i as f64 * unit).collect());
    rows.push((0..d).map(|i| -(i as f64)).collect());
    rows
}

fn softmaxes(p: &mut Party, d: usize, bits: u32, scale: u32) -> Result<f64> {
    let rows = rows(d, scale, bits);
    let job = SoftmaxJob { rows: rows.len(), len: d, bits, scale, objective: Objective::Total };
    let x = shared(p.role(), &rows.concat(), bits, scale, d as u64)?;
    let y = Softmax::prepare(p, job)?.eval(p, &x)?;
    assert_eq!((y.bits(), y.scale(), y.len()), (bits, scale, rows.len() * d));
    let got = y.open(p)?;
    let want: Vec<f64> = rows.iter().flat_map(|row| softmax(row)).collect();
    let (error, at) = worst(&got, &want);
    let ulps = error * 2f64.powi(scale as i32);
    assert!(ulps <= 2.0, "d = {d}, row {}: {ulps} units, {} and not {}", at / d, got[at], want[at]);
    Ok(ulps)
}

#[test]
fn softmax_of_random_and_hard_rows() {
    let (ulps, _) = both(pair(6, None), |p| {
        Ok([
            softmaxes(p, 256, 37, 12)?,
            softmaxes(p, 128, 37, 12)?,
            softmaxes(p, 100, 64, 12)?,
            softmaxes(p, 1, 32, 12)?,
            softmaxes(p, 3, 24, 8)?,
            softmaxes(p, 64, 48, 14)?,
        ])
    });
    println!("{ulps:?}");
}

/// No more than its card says.
fn gelus(p: &mut Party, bits: u32, scale: u32) -> Result<f64> {
    let unit = 2f64.powi(-(scale as i32));
    let steps = (4.5 / unit) as i64;
    // Every number of [-4.5, 4.5) up to 12 bits behind the point.
    let stride = 1usize << scale.saturating_sub(12);
    let mut x: Vec<f64> = (-steps..steps).step_by(stride).map(|i| i as f64 * unit).collect();
    let far = 2f64.powi((bits - 4 - scale) as i32);
    x.extend([-4.0, 4.0].iter().flat_map(|b| (-3..=3).map(move |i| b + f64::from(i) * unit)));
    x.extend([far, -far, far - unit, 8.0, -8.0, 12.0, -12.0, 100.5 % far]);
    let job = GeluJob { batch: x.len(), bits, scale, objective: Objective::Total };
    let shares = shared(p.role(), &x, bits, scale, 11)?;
    let got = Gelu::prepare(p, job)?.eval(p, &shares)?.open(p)?;
    let want: Vec<f64> = x.iter().map(|&x| gelu(x)).collect();
    let (error, at) = worst(&got, &want);
    let (ulps, most) = (error / unit, job.card()?.max_ulp.parse::<f64>().expect("a number"));
    assert!(ulps <= most, "gelu({}) with {scale} bits: {ulps} units, {}", x[at], got[at]);
    Ok(ulps)
}

#[test]
fn gelu_of_every_number_of_its_bend() {
    let (ulps, _) = both(pair(7, None), |p| {
        Ok([gelus(p, 37, 12)?, gelus(p, 64, 12)?, gelus(p, 20, 8)?, gelus(p, 37, 16)?])
    });
    println!("{ulps:?}");
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
    let y = Norm::prepare(p, job)?.eval(p, &shares, &affine)?;
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
        };
        let odd = NormJob { rows: 10, len: 77, bits: 64, ..job };
        Ok([
            norms(p, job, None)?,
            norms(p, job, Some(Role::P0))?,
            norms(p, odd, Some(Role::P1))?,
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
    };
    let says = |job: NormJob| job.ring().expect_err("it does not fit").to_string();
    assert!(says(norm).contains("at least 21"), "{}", says(norm));
    let wide = NormJob { bits: 37, ..norm };
    assert!(wide.ring().is_ok());
    for epsilon in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(says(NormJob { epsilon, ..wide }).contains("epsilon"));
    }
}

/// Parties that prepare different things end with an error that names them, also without another round.
#[test]
fn parties_agree_on_what_they_prepare() {
    let (p0, p1) = pair(12, None);
    let job = |scale| SoftmaxJob { rows: 1, len: 3, bits: 37, scale, objective: Objective::Total };
    let run = |p: &mut Party, scale| Softmax::prepare(p, job(scale)).map(drop);
    let error = hushtable::run_pair((p0, p1), |p| run(p, 12), |p| run(p, 11)).expect_err("they differ");
    assert!(error.to_string().contains("softmax"), "{error}");
}

#[test]
fn shapes_that_do_not_match_are_named() {
    let job = SoftmaxJob { rows: 2, len: 4, bits: 37, scale: 12, objective: Objective::Total };
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
    };
    let text = wide.ring().expect_err("too wide").to_string();
    assert!(text.contains("64 bits") && text.contains("at least 102"), "{text}");
    assert!(job.card().expect("a job").to_string().contains("at most 2 ulp"));
}

#[test]
fn products_with_a_known_matrix_of_small_numbers() {
    for (batch, rows, inner, columns, bits) in [(1, 3, 4, 5, 6), (2, 5, 3, 1, 1), (3, 1, 2, 4, 9)] {
        let shape = MatrixShape { batch, rows, inner, columns };
        both(pair(11, None), |p| {
            p.stock_cots(1 << 12, 1 << 12)?;
            let top = 1i64 << (bits - 1);
            let b: Vec<i64> = (0..shape.right() as i64).map(|i| (i * 37 + 5) % (2 * top) - top).collect();
            let a: Vec<f64> = (0..shape.left() as i64).map(|i| ((i * 7919) % 1001 - 500) as f64).collect();
            let a = shared(p.role(), &a, 23, 0, 5)?;
            for owner in [Role::P0, Role::P1] {
                let numbers: &[i64] = if owner == p.role() { &b } else { &[] };
                let job = LinearJob { shape: shape.into(), bits: 23, number_bits: bits, owner };
                let (product, cost) =
                    p.metered(|p| LinearProduct::prepare(p, job)?.multiply(p, a.share(), numbers))?;
                let plain: Vec<u64> = p.open(a.share())?;
                let plain = AShare::new(23, if p.role() == Role::P0 { plain } else { vec![0; a.len()] });
                let words: Vec<u64> = b.iter().map(|&b| b as u64).collect();
                let want = hushtable::arith::shared_times_public(shape, &plain, &words)?;
                assert_eq!(p.open(&product)?, p.open(&want)?, "{shape:?}, {owner:?}");
                assert_eq!(cost.rounds, 1);
            }
            Ok(())
        });
    }
}
