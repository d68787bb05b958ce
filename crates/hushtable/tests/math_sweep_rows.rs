//! Functions of rows, GELU, reciprocals and angles in random formats: refused, or as exact as their cards say.
//! `LONG=1` tries twenty times as many.

use crate::support::{
    fixed::shared,
    pairs::{both, pair},
};

use hushtable::{
    Error, Party, Result,
    arith::{Fixed, Objective},
    math::{Affine, Gelu, GeluJob, Norm, NormJob, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob, gelu},
};
use prim::{block::Block, prg::Prg};

struct Random(Prg);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Prg::new(Block(seed.into())))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.u64() % end
    }

    /// A number of fewer bits, each number of them as likely.
    fn bits(&mut self, most: u32) -> u64 {
        let bits = self.below(most.into());
        self.below(1 << bits)
    }

    /// Between both, in whole steps.
    fn number(&mut self, [lo, hi]: [f64; 2], scale: u32) -> f64 {
        let unit = 2f64.powi(scale as i32);
        let part = (self.0.u64() >> 11) as f64 / (1u64 << 53) as f64;
        ((lo + (hi - lo) * part) * unit).round().clamp((lo * unit).ceil(), (hi * unit).floor()) / unit
    }
}

fn count() -> u64 {
    if std::env::var_os("LONG").is_some() { 600 } else { 30 }
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

fn ulps(y: f64, want: f64, scale: u32) -> f64 {
    (y - want).abs() * 2f64.powi(scale as i32)
}

#[test]
fn gelus() {
    sweep(SEED, |p, random| {
        let (scale, bits) = (6 + random.below(21) as u32, 10 + random.below(55) as u32);
        let job = GeluJob { batch: 400, bits, scale, objective: Objective::Total };
        let Ok(card) = job.card() else { return Ok(false) };
        let far = 2f64.powi(bits as i32 - 3 - scale as i32);
        let unit = 2f64.powi(-(scale as i32));
        let mut x: Vec<f64> = (0..200).map(|_| random.number([-4.25, 4.25], scale)).collect();
        x.extend((0..150).map(|_| random.number([-far + unit, far - unit], scale)));
        // Ends of pieces.
        x.extend(
            (0..job.batch - x.len()).map(|i| (i as f64 - 25.0) / 32.0 * 8.0 / 4.0 - (i % 3) as f64 * unit),
        );
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let y = Gelu::prepare(p, job)?.eval(p, &shares)?.open(p)?;
        let most: f64 = card.max_ulp.parse().expect("a number");
        for (x, y) in x.iter().zip(&y) {
            let error = ulps(*y, gelu(*x), scale);
            assert!(error <= most, "gelu({x}) is {y}, {error} units off\n{card}");
        }
        Ok(true)
    });
}

#[test]
fn softmaxes() {
    sweep(SEED + 1, |p, random| {
        let (scale, bits) = (7 + random.below(9) as u32, 14 + random.below(51) as u32);
        let (rows, len) = (4, 1 + random.bits(9) as usize);
        let job = SoftmaxJob { rows, len, bits, scale, objective: Objective::Total };
        let Ok(card) = job.card() else { return Ok(false) };
        let far = 2f64.powi(bits as i32 - 3 - scale as i32).min(60.0);
        let unit = 2f64.powi(-(scale as i32));
        let width = random.number([unit, far - unit], scale);
        let x: Vec<f64> = (0..rows * len).map(|_| random.number([-width, width], scale)).collect();
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
        let job = NormJob { rows, len, bits, scale, largest, variance, epsilon, gain, gains_known_to: None };
        if job.bill().is_err() {
            return Ok(false);
        }
        let gains: Vec<f64> = (0..len).map(|_| random.number([-gain, gain], scale)).collect();
        let offsets: Vec<f64> = (0..len).map(|_| random.number([-gain, gain], scale)).collect();
        let x: Vec<f64> = (0..rows * len).map(|_| random.number([-largest, largest], scale)).collect();
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let y: Fixed<u64> =
            Norm::prepare(p, job)?.eval(p, &shares, &Affine::public(gains.clone(), offsets.clone()))?;
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
        let (scale, bits) = (random.below(25) as u32, 16 + random.below(49) as u32);
        let scale_out = random.below(25) as u32;
        let low = 2f64.powi(random.below(8) as i32 - 4);
        let bounds = [low, low * 2f64.powi(1 + random.below(14) as i32)];
        let job = ReciprocalJob { bits, scale, scale_out, bounds, dividend: 0.0 };
        if job.bill().is_err() {
            return Ok(false);
        }
        let mut x = vec![bounds[0], bounds[1]];
        x.extend((0..200).map(|_| {
            let log = random.number([bounds[0].log2(), bounds[1].log2()], 40);
            random.number([log.exp2(), bounds[1].min(1.01 * log.exp2() + 2f64.powi(-(scale as i32)))], scale)
        }));
        x.retain(|x| (bounds[0]..=bounds[1]).contains(x) && (x * 2f64.powi(scale as i32)).fract() == 0.0);
        let shares = shared(p.role(), &x, bits, scale, 5)?;
        let material = match Reciprocal::prepare(p, job, x.len()) {
            Err(Error::Param { .. }) => return Ok(false),
            material => material?,
        };
        let y = material.eval(p, &shares)?.open(p)?;
        for (x, y) in x.iter().zip(&y) {
            let (error, most) = (ulps(*y, 1.0 / x, scale_out), 1.5 + 1e-5 / x * 2f64.powi(scale_out as i32));
            assert!(error <= most, "1 / {x} is {y}, {error} units off, {most} allowed, {job:?}");
        }
        Ok(true)
    });
}
