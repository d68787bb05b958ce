//! What arithmetic and functions send: the part of the golden transcripts of `wire` that is about numbers.

use std::ops::Range;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        Absolute, BoundedExtension, Clamp, CompareDomain, CompareJob, ComparePlan, Comparison, Containment,
        DigitMethod, Extension, FaithfulReduction, Fixed, KnownProducts, MatrixJob, MatrixProduct,
        MatrixShape, Maximum, Multiplication, Objective, Squares, VectorMaximum,
    },
    gates::{Bits, Mux},
    math::{
        self, Affine, Bounds, Evaluation, Function, Method, Norm, NormJob, Options, Outside, Reciprocal,
        ReciprocalJob, SinCos,
    },
};

pub type Protocol = fn(&mut Party) -> Result<()>;

/// Name and protocol.
pub const PROTOCOLS: &[(&str, Protocol)] = &[
    ("compare-near", |p| compared(p, CompareDomain::Near)),
    ("compare-signed", |p| compared(p, CompareDomain::Signed)),
    ("compare-unsigned", |p| compared(p, CompareDomain::Unsigned)),
    ("abs", |p| Absolute::prepare(p, NEAR, 11)?.abs(p, &word(20)).map(drop)),
    ("clamp", |p| Clamp::prepare(p, NEAR, 11)?.clamp(p, &word(20), 7, 4000).map(drop)),
    ("max", |p| Maximum::prepare(p, NEAR, 11)?.max(p, &word(20), &word(20)).map(drop)),
    ("argmax", argmax),
    ("select", select),
    ("truncate-faithful-reduce", truncated),
    ("extend-zero", |p| Extension::prepare(p, [20, 37], PLAN, 11)?.zero::<u32, u64>(p, &word(20)).map(drop)),
    ("extend-sign", |p| Extension::prepare(p, [20, 37], PLAN, 11)?.sign::<u32, u64>(p, &word(20)).map(drop)),
    ("extend-zero-bounded", |p| bounded(p)?.zero::<u32, u64>(p, &word(20)).map(drop)),
    ("extend-sign-bounded", |p| bounded(p)?.sign::<u32, u64>(p, &word(20)).map(drop)),
    ("intervals", |p| Containment::prepare(p, 11, 11)?.inside(p, &word(11), &[5..9, 0..1000]).map(drop)),
    ("sine-cosine-table", |p| sin_cos(p, Method::Direct, Objective::Total)),
    ("sine-cosine-one-round", |p| sin_cos(p, Method::Direct, Objective::Rounds)),
    ("sine-cosine-angle", |p| sin_cos(p, Method::Angle, Objective::Total)),
    ("square", |p| Squares::prepare(p, 20, 11)?.square(p, &word(20)).map(drop)),
    ("inner-products", inner_products),
    ("multiply-rows", rows),
    ("matrix-shared", |p| matrix(p, None)),
    ("matrix-known", |p| matrix(p, Some(Role::P1))),
    ("divide", divided),
    ("layer-norm-public", layer_norm),
    ("function-table", |p| table(p, 10, Outside::Wrap)),
    ("function-table-saturated", |p| table(p, 20, Outside::Saturate)),
    ("function-table-strict", |p| table(p, 20, Outside::Strict)),
    ("function-angle", |p| angle(p, Function::CosPi)),
    ("function-angle-radians", |p| angle(p, Function::Sin)),
    ("function-spline-1", |p| spline(p, 1, 37, Outside::Wrap, None)),
    ("function-spline-2", |p| spline(p, 2, 37, Outside::Wrap, None)),
    ("function-spline-3", |p| spline(p, 3, 37, Outside::Wrap, None)),
    ("function-spline-rounded", |p| spline(p, 2, 37, Outside::Wrap, Some(1.0))),
    ("function-spline-carry", |p| spline(p, 2, 15, Outside::Clamp, None)),
    ("function-spline-saturated", |p| spline(p, 2, 37, Outside::Saturate, None)),
    ("function-spline-tight", |p| evaluated(p, 37, TIGHT, -8.0..7.0, Outside::Wrap, None)),
    ("function-spline-strict", |p| spline(p, 2, 37, Outside::Strict, None)),
    ("function-table-whole", |p| anywhere(p, math::Method::Direct)),
    ("function-spline-whole", |p| anywhere(p, math::Method::Spline { degree: 2, pieces: 64 })),
];

const PLAN: ComparePlan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };

/// 11 shares of 20 bits.
fn word(bits: u32) -> AShare<u32> {
    AShare::new(bits, vec![4444 & ((1 << bits) - 1); 11])
}

const NEAR: CompareJob = CompareJob { bits: 20, domain: CompareDomain::Near, plan: PLAN };

fn sin_cos(p: &mut Party, method: Method, objective: Objective) -> Result<()> {
    let options = Options::default().method(method).objective(objective);
    let material = SinCos::new(Function::SinPi, 20, 6, &options)?.prepare(p, 11)?;
    material.eval(p, &Fixed::new(word(20), 6)?).map(drop)
}

fn select(p: &mut Party) -> Result<()> {
    Mux::prepare(p, 11, &[20, 3])?.select_all(p, &Bits::collect([1; 11]), &[&word(20), &word(3)]).map(drop)
}

fn bounded(p: &mut Party) -> Result<BoundedExtension> {
    BoundedExtension::prepare(p, [20, 37], 11)
}

fn inner_products(p: &mut Party) -> Result<()> {
    Multiplication::prepare(p, 20, 11)?.inner_products(p, &word(20), &word(20), 11).map(drop)
}

fn compared(p: &mut Party, domain: CompareDomain) -> Result<()> {
    let material = Comparison::prepare(p, CompareJob { bits: 20, domain, plan: PLAN }, 11)?;
    material.ge(p, &word(20), &word(20)).map(drop)
}

/// 2 vectors of 5 numbers.
fn argmax(p: &mut Party) -> Result<()> {
    VectorMaximum::with_index(p, NEAR, 2, 5)?.argmax(p, &AShare::<u32>::new(20, vec![4444; 10])).map(drop)
}

fn truncated(p: &mut Party) -> Result<()> {
    FaithfulReduction::prepare(p, 20, 7, PLAN, 11)?.reduce(p, &word(20)).map(drop)
}

/// 4 rows of 3 numbers of P0's, a number of P1's each.
fn rows(p: &mut Party) -> Result<()> {
    let material = KnownProducts::prepare(p, 20, Role::P0, 4, 3)?;
    match p.role() {
        Role::P0 => material.with_rows::<u32>(p, &[4444; 12]).map(drop),
        Role::P1 => material.with_numbers::<u32>(p, &[4444; 4]).map(drop),
    }
}

/// 2 products of 2 x 3 and 3 x 4 numbers.
fn matrix(p: &mut Party, known_to: Option<Role>) -> Result<()> {
    let shape = MatrixShape { batch: 2, rows: 2, inner: 3, columns: 4 };
    let (a, b) = (vec![4444u32; shape.left()], vec![4444; shape.right()]);
    let (a, b) = (AShare::new(20, a), AShare::new(20, b));
    MatrixProduct::prepare(p, MatrixJob { shape, bits: 20, known_to: [None, known_to] })?
        .multiply(p, &a, &b)
        .map(drop)
}

fn divided(p: &mut Party) -> Result<()> {
    let job = ReciprocalJob { bits: 37, scale: 12, scale_out: 14, bounds: [1.0, 9.0], dividend: 2.0 };
    let x = Fixed::new(AShare::<u64>::new(37, vec![4444; 6]), 12)?;
    Reciprocal::prepare(p, job, 6)?.divide(p, &x, &x).map(drop)
}

/// 2 rows of 3 numbers.
pub fn norm(gains_known_to: Option<Role>) -> NormJob {
    let (largest, variance) = (8.0, [0.25, 4.0]);
    let [rows, len] = [2, 3];
    NormJob {
        rows,
        len,
        bits: 37,
        scale: 12,
        largest,
        variance,
        epsilon: 0.25,
        gain: 2.0,
        gains_known_to,
        objective: Objective::Total,
    }
}

fn layer_norm(p: &mut Party) -> Result<()> {
    let x = Fixed::new(AShare::<u64>::new(37, vec![4444; 6]), 12)?;
    Norm::prepare(p, norm(None), &Affine::public(vec![1.5; 3], vec![0.5; 3]))?.eval(p, &x).map(drop)
}

/// Of pieces that are not all of a power of two.
const TIGHT: math::Method = math::Method::Spline { degree: 2, pieces: 64 };

fn table(p: &mut Party, bits: u32, outside: Outside) -> Result<()> {
    evaluated(p, bits, math::Method::Direct, -8.0..8.0, outside, None)
}

fn angle(p: &mut Party, function: Function) -> Result<()> {
    let options = Options::default().method(math::Method::Angle);
    let x = Fixed::new(AShare::<u64>::new(24, vec![111; 6]), 10)?;
    Evaluation::new(function, 24, 10, &options)?.prepare(p, 6)?.eval(p, &x).map(drop)
}

fn spline(p: &mut Party, degree: u32, bits: u32, outside: Outside, max_ulp: Option<f64>) -> Result<()> {
    evaluated(p, bits, math::Method::Spline { degree, pieces: 64 }, -8.0..8.0, outside, max_ulp)
}

/// Of numbers that may lie anywhere in a ring of 37 bits.
fn anywhere(p: &mut Party, method: math::Method) -> Result<()> {
    let end = 2f64.powi(36 - 6);
    let (domain, range) = (Some(Bounds { lo: -8.0, hi: 8.0 }), Some(Bounds { lo: -end, hi: end }));
    let options = Options::default().domain(domain).range(range).method(method);
    let x = Fixed::new(AShare::<u64>::new(37, vec![111; 6]), 6)?;
    Evaluation::new(Function::Sigmoid, 37, 6, &options)?.prepare(p, 6)?.eval(p, &x).map(drop)
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
    let options = Options::default().domain(domain).method(method).outside(outside).max_ulp(max_ulp);
    let x = Fixed::new(AShare::<u64>::new(bits, vec![111; 6]), scale)?;
    let done = Evaluation::new(Function::Sigmoid, bits, scale, &options)?.prepare(p, 6)?.eval(p, &x);
    match done {
        // 222 is inside.
        Err(Error::Param { what: "input", .. }) => panic!("a number outside"),
        other => other.map(drop),
    }
}
