//! What arithmetic and functions send: the part of the golden transcripts of `wire` that is about numbers.

use std::ops::Range;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        CompareJob, Comparison, Domain, Extension, Factor, FaithfulTruncation, Fixed, Maximum, Method, Plan,
        Shape, abs, clamp, inner_products, matrix_product, max, multiply_numbers, multiply_rows, select,
        sign_extend_bounded, square, zero_extend_bounded,
    },
    gates::Bits,
    math::{
        self, Affine, Bounds, Evaluation, Function, Norm, NormJob, Options, Outside, Reciprocal,
        ReciprocalJob,
    },
};

pub type Protocol = fn(&mut Party) -> Result<()>;

/// Name and protocol.
pub const PROTOCOLS: &[(&str, Protocol)] = &[
    ("compare-near", |p| compared(p, Domain::Near)),
    ("compare-signed", |p| compared(p, Domain::Signed)),
    ("compare-unsigned", |p| compared(p, Domain::Unsigned)),
    ("abs", |p| near(p, 11).and_then(|m| abs(p, m, &word(20))).map(drop)),
    ("clamp", |p| near(p, 22).and_then(|m| clamp(p, m, &word(20), 7, 4000)).map(drop)),
    ("max", |p| near(p, 11).and_then(|m| max(p, m, &word(20), &word(20))).map(drop)),
    ("argmax", argmax),
    ("select", |p| select(p, &Bits::collect([1; 11]), &[&word(20), &word(3)]).map(drop)),
    ("truncate-faithful-reduce", truncated),
    ("extend-zero", |p| Extension::prepare(p, 20, PLAN, 11)?.zero::<u32, u64>(p, &word(20), 37).map(drop)),
    ("extend-sign", |p| Extension::prepare(p, 20, PLAN, 11)?.sign::<u32, u64>(p, &word(20), 37).map(drop)),
    ("extend-zero-bounded", |p| zero_extend_bounded::<u32, u64>(p, &word(20), 37).map(drop)),
    ("extend-sign-bounded", |p| sign_extend_bounded::<u32, u64>(p, &word(20), 37).map(drop)),
    ("square", |p| square(p, &word(20)).map(drop)),
    ("inner-products", |p| inner_products(p, &word(20), &word(20), 11).map(drop)),
    ("multiply-rows", rows),
    ("matrix-shared", |p| matrix(p, None)),
    ("matrix-known", |p| matrix(p, Some(Role::P1))),
    ("divide", divided),
    ("layer-norm-public", layer_norm),
    ("function-table", |p| table(p, 10, Outside::Wrap)),
    ("function-table-saturated", |p| table(p, 20, Outside::Saturate)),
    ("function-table-strict", |p| table(p, 20, Outside::Strict)),
    ("function-spline-1", |p| spline(p, 1, 37, Outside::Wrap, None)),
    ("function-spline-2", |p| spline(p, 2, 37, Outside::Wrap, None)),
    ("function-spline-3", |p| spline(p, 3, 37, Outside::Wrap, None)),
    ("function-spline-rounded", |p| spline(p, 2, 37, Outside::Wrap, Some(1.0))),
    ("function-spline-carry", |p| spline(p, 2, 15, Outside::Clamp, None)),
    ("function-spline-saturated", |p| spline(p, 2, 37, Outside::Saturate, None)),
    ("function-spline-tight", |p| evaluated(p, 37, TIGHT, -8.0..7.0, Outside::Wrap, None)),
    ("function-spline-strict", |p| spline(p, 2, 37, Outside::Strict, None)),
];

const PLAN: Plan = Plan { method: Method::Thermometer, digit: 4 };

/// 11 shares of 20 bits.
fn word(bits: u32) -> AShare<u32> {
    AShare::new(bits, vec![4444 & ((1 << bits) - 1); 11])
}

fn near(p: &mut Party, batch: usize) -> Result<Comparison> {
    Comparison::prepare(p, CompareJob { bits: 20, domain: Domain::Near, plan: PLAN }, batch)
}

fn compared(p: &mut Party, domain: Domain) -> Result<()> {
    let material = Comparison::prepare(p, CompareJob { bits: 20, domain, plan: PLAN }, 11)?;
    material.ge(p, &word(20), &word(20)).map(drop)
}

/// 2 vectors of 5 numbers.
fn argmax(p: &mut Party) -> Result<()> {
    let job = CompareJob { bits: 20, domain: Domain::Near, plan: PLAN };
    Maximum::prepare(p, job, 2, 5)?.argmax(p, &AShare::<u32>::new(20, vec![4444; 10])).map(drop)
}

fn truncated(p: &mut Party) -> Result<()> {
    FaithfulTruncation::prepare(p, 7, PLAN, 11)?.truncate_reduce(p, &word(20)).map(drop)
}

/// 4 rows of 3 numbers of P0's, a number of P1's each.
fn rows(p: &mut Party) -> Result<()> {
    match p.role() {
        Role::P0 => multiply_rows::<u32>(p, 20, &[4444; 12], 3).map(drop),
        Role::P1 => multiply_numbers::<u32>(p, 20, &[4444; 4], 3).map(drop),
    }
}

/// 2 products of 2 x 3 and 3 x 4 numbers.
fn matrix(p: &mut Party, known_to: Option<Role>) -> Result<()> {
    let shape = Shape { batch: 2, rows: 2, inner: 3, columns: 4 };
    let (a, b) = (vec![4444u32; shape.left()], vec![4444; shape.right()]);
    let (a, b) = (AShare::new(20, a), AShare::new(20, b));
    matrix_product(p, shape, Factor::shared(&a), Factor { share: &b, known_to }).map(drop)
}

fn divided(p: &mut Party) -> Result<()> {
    let job = ReciprocalJob { bits: 37, scale: 12, scale_out: 14, bounds: [1.0, 9.0], dividend: 2.0 };
    let x = Fixed::new(AShare::<u64>::new(37, vec![4444; 6]), 12)?;
    Reciprocal::prepare(p, job, 6)?.divide(p, &x, &x).map(drop)
}

fn layer_norm(p: &mut Party) -> Result<()> {
    let (largest, variance) = (8.0, [0.25, 4.0]);
    let job = NormJob { rows: 2, len: 3, bits: 37, scale: 12, largest, variance, epsilon: 0.25, gain: 2.0 };
    let x = Fixed::new(AShare::<u64>::new(37, vec![4444; 6]), 12)?;
    Norm::prepare(p, job)?.eval(p, &x, &Affine::public(vec![1.5; 3], vec![0.5; 3])).map(drop)
}

/// Of pieces that are not all of a power of two.
const TIGHT: math::Method = math::Method::Spline { degree: 2, pieces: 64 };

fn table(p: &mut Party, bits: u32, outside: Outside) -> Result<()> {
    evaluated(p, bits, math::Method::Direct, -8.0..8.0, outside, None)
}

fn spline(p: &mut Party, degree: u32, bits: u32, outside: Outside, max_ulp: Option<f64>) -> Result<()> {
    evaluated(p, bits, math::Method::Spline { degree, pieces: 64 }, -8.0..8.0, outside, max_ulp)
}

/// 6 numbers with 6 bits behind the point for a table, and 10 for a spline.
fn evaluated(
    p: &mut Party,
    bits: u32,
    method: math::Method,
    domain: Range<f64>,
    outside: Outside,
    max_ulp: Option<f64>,
) -> Result<()> {
    let scale = if method == math::Method::Direct { 6 } else { 10 };
    let domain = Some(Bounds { lo: domain.start, hi: domain.end });
    let options = Options { domain, method, outside, max_ulp, ..Options::default() };
    let x = Fixed::new(AShare::<u64>::new(bits, vec![111; 6]), scale)?;
    let done = Evaluation::new(Function::Sigmoid, bits, scale, &options)?.prepare(p, 6)?.eval(p, &x);
    match done {
        // 222 is inside.
        Err(Error::Param { what: "number", .. }) => panic!("a number outside"),
        other => other.map(drop),
    }
}
