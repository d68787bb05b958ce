//! The bills of functions of fixed-point numbers are what they cost, to the bit: as `bills`.

use crate::support::billed::check_parts;

use hushtable::{
    AShare, Role,
    arith::{AngleJob, Fixed, Objective},
    math::{
        Affine, Bounds, Evaluation, Function, Gated, Gelu, GeluJob, Method, Norm, NormJob, Options, Outside,
        Precision, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob,
    },
};

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

const OBJECTIVES: [Objective; 4] = [Objective::Total, Objective::Online, Objective::Bytes, Objective::Rounds];

/// Shares of numbers near 1.
fn ones(bits: u32, scale: u32, count: usize) -> Fixed<u64> {
    Fixed::new(AShare::new(bits, vec![1 << (scale - 1); count]), scale).expect("a scale")
}

/// Bits that fill the last levels of the check of N numbers, of 4, 2 and 1 ANDs, two bits each, and the one bit that
/// is opened.
const STRICT: u64 = 2 * (4 + 6 + 7) + 7;

fn evaluated(function: Function, bits: u32, scale: u32, options: Options) {
    let evaluation = Evaluation::new(function, bits, scale, &options).expect("an evaluation");
    let card = evaluation.card();
    let filled = if card.gathered { STRICT } else { 0 };
    check_parts(
        &card.to_string(),
        evaluation.bill(N),
        filled,
        |p| evaluation.prepare(p, N),
        |s, m| m.eval(s, &ones(bits, scale, N)).map(drop),
    );
}

const OUTSIDE: [Outside; 4] = [Outside::Saturate, Outside::Clamp, Outside::Wrap, Outside::Strict];

fn over(lo: f64, hi: f64, method: Method, outside: Outside) -> Options {
    Options::default().domain(Bounds { lo, hi }).method(method).outside(outside)
}

#[test]
fn functions_by_tables() {
    for outside in OUTSIDE {
        // All of the ring, more than the domain and the domain alone.
        evaluated(Function::Tanh, 10, 6, over(-8.0, 8.0, Method::Direct, outside));
        evaluated(Function::Tanh, 12, 6, over(-8.0, 8.0, Method::Direct, outside));
        evaluated(Function::Tanh, 37, 6, over(-8.0, 7.0, Method::Direct, outside));
        evaluated(Function::Softplus, 64, 6, over(-4.0, 4.0, Method::Direct, outside));
    }
}

#[test]
fn functions_by_angle_addition() {
    let angle = Options::default().method(Method::Angle);
    for function in [Function::Sin, Function::Cos, Function::SinPi, Function::Cos2Pi] {
        evaluated(function, 16, 9, angle);
        evaluated(function, 32, 30, angle.fraction_out(24));
        evaluated(function, 64, 12, angle.fraction_out(40));
    }
    // What its page says: sine and cosine of 32 bits.
    let bill = AngleJob::new(32, 32, 30).expect("a job").bill();
    assert_eq!((bill.all_cots(), bill.online.all_bits(), bill.online.rounds), (72, 64, 1));
    assert!(bill.bytes() < 1100.0, "{}", bill.bytes());
}

#[test]
fn functions_by_splines() {
    for (outside, degree) in OUTSIDE.into_iter().flat_map(|outside| (1..=3).map(move |d| (outside, d))) {
        let spline = |pieces| Method::Spline { degree, pieces };
        evaluated(Function::Sigmoid, 37, 10, over(-8.0, 8.0, spline(16), outside));
        // With carry, of pieces that are not all of a power of two, and of a result that is not extended.
        evaluated(Function::Sigmoid, 15, 11, over(-8.0, 8.0, spline(16), outside));
        evaluated(Function::Sigmoid, 37, 10, over(-8.0, 7.0, spline(64), outside));
        evaluated(Function::Identity, 20, 10, over(-8.0, 8.0, spline(16), outside));
        // Rounded.
        let rounded = over(-8.0, 8.0, spline(64), outside).max_ulp(1.0);
        if degree > 1 {
            evaluated(Function::Sigmoid, 37, 10, rounded);
        }
    }
}

/// Numbers that may lie anywhere in the ring: what is inside and the sign are found one after the other.
#[test]
fn functions_of_numbers_anywhere() {
    for (function, bits, scale) in [
        (Function::Sigmoid, 37, 10),
        (Function::Tanh, 40, 6),
        (Function::Gelu, 64, 8),
        (Function::Asin, 24, 4),
        (Function::Exp, 40, 8),
    ] {
        for objective in OBJECTIVES {
            let half = 2f64.powi(bits as i32 - 1 - scale as i32);
            let range = Some(Bounds { lo: -half, hi: half });
            evaluated(function, bits, scale, Options::default().range(range).objective(objective));
        }
    }
}

#[test]
fn functions_by_what_suits_an_objective() {
    for objective in OBJECTIVES {
        for (function, bits, scale) in
            [(Function::Sigmoid, 37, 12), (Function::Gelu, 24, 8), (Function::Rsqrt, 64, 16)]
        {
            evaluated(function, bits, scale, Options::default().objective(objective));
        }
    }
}

#[test]
fn softmaxes() {
    for (objective, len) in OBJECTIVES.into_iter().flat_map(|o| [(o, 1), (o, 13)]) {
        let kinds = [(37, 12, Precision::Fine, None), (64, 8, Precision::Fine, Some(7))];
        let more = [(22, 14, Precision::Fine, None), (37, 12, Precision::Network, Some(6))];
        for (bits, scale, precision, magnitude) in kinds.into_iter().chain(more) {
            let usual = SoftmaxJob::new(len, bits, scale);
            let job = SoftmaxJob { rows: 8, precision, magnitude, objective, ..usual };
            check_parts(
                &format!("{job:?}"),
                job.bill().expect("a bill"),
                0,
                |p| Softmax::prepare(p, job),
                |s, m| m.eval(s, &ones(bits, scale, 8 * len)).map(drop),
            );
        }
    }
}

#[test]
fn gelus() {
    let kinds = [
        (37, 12, Gated::Gelu, Precision::Fine, None),
        (17, 11, Gated::Gelu, Precision::Fine, None),
        (37, 12, Gated::Gelu, Precision::Network, Some(6)),
        (40, 11, Gated::Silu, Precision::Network, Some(2)),
        (64, 20, Gated::Silu, Precision::Network, None),
        (37, 15, Gated::Gelu, Precision::Fine, Some(3)),
        (37, 12, Gated::Silu, Precision::Fine, None),
        (37, 12, Gated::Silu, Precision::Fine, Some(6)),
        (15, 7, Gated::Silu, Precision::Fine, Some(1)),
        (64, 24, Gated::Silu, Precision::Fine, Some(37)),
    ];
    for (objective, kind) in OBJECTIVES.into_iter().flat_map(|o| kinds.map(|kind| (o, kind))) {
        let (bits, scale, function, precision, magnitude) = kind;
        let usual = GeluJob::new(bits, scale);
        let job = GeluJob { batch: N, function, precision, magnitude, objective, ..usual };
        check_parts(
            &format!("{job:?}"),
            job.bill().expect("a bill"),
            0,
            |p| Gelu::prepare(p, job),
            |s, m| m.eval(s, &ones(bits, scale, N)).map(drop),
        );
    }
}

#[test]
fn reciprocals_and_quotients() {
    for (bits, bounds) in [(37, [1.0, 9.0]), (64, [0.25, 1000.0])] {
        let job = ReciprocalJob { bits, scale: 12, scale_out: 14, bounds, dividend: 0.0 };
        check_parts(
            &format!("{job:?}"),
            job.bill().expect("a bill").times(N),
            0,
            |p| Reciprocal::prepare(p, job, N),
            |s, m| m.eval(s, &ones(bits, 12, N)).map(drop),
        );
        let job = ReciprocalJob { dividend: 2.0, ..job };
        check_parts(
            &format!("quotient, {job:?}"),
            job.bill().expect("a bill").times(N),
            0,
            |p| Reciprocal::prepare(p, job, N),
            |s, m| m.divide(s, &ones(bits, 12, N), &ones(bits, 12, N)).map(drop),
        );
    }
}

/// With the roots in them.
#[test]
fn layer_norms() {
    // Whole bytes of rows and of columns.
    for gains_known_to in [None, Some(Role::P0), Some(Role::P1)] {
        // The last by lattices where a party knows the gains.
        for (rows, len, bits) in [(8, 8, 37), (8, 16, 64), (16, 24, 37), (128, 128, 37)] {
            let job = NormJob {
                rows,
                len,
                bits,
                scale: 12,
                largest: 8.0,
                variance: [0.125, 4.0],
                epsilon: 0.001,
                gain: 2.0,
                gains_known_to,
                objective: Objective::Total,
            };
            check_parts(
                &format!("{job:?}"),
                job.bill().expect("a bill"),
                0,
                |p| {
                    let gains = || vec![1.0; len];
                    let affine = match gains_known_to {
                        None => Affine::public(gains(), gains()),
                        Some(role) if role == p.role() => Affine::own(role, gains(), gains()),
                        Some(_) => Affine::of_peer(p.role(), len),
                    };
                    Norm::prepare(p, job, &affine)
                },
                |s, m| m.eval(s, &ones(bits, 12, rows * len)).map(drop),
            );
        }
    }
}
