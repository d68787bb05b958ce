//! What is sent online by arithmetic and by functions is uniform, whatever the shares are: the rules of the
//! lookups, for comparison, truncation, products and functions.
//!
//! Every protocol runs twice in a session with the same numbers, whose shares are no masks at all: they are
//! constant. What hides them is the material alone. So the bytes sent are
//! * not uniform if a difference is opened without a mask, or with one that is narrower than the ring (lut-rules
//!   7, 8: A10),
//! * related to neighbours or to the other run's if one correlation serves two numbers, two digits, two columns or
//!   two calls (D3, A4, A15),
//! * related to the other party's if one serves both directions (lut-rules 0: keys are a direction's own).
//!
//! [`the_statistic_sees_mistakes`] makes each of these mistakes and finds it. A wrong sign of a carry or a
//! wrap is a wrong result: `arith_compare`, `arith_truncate` and `arith_functions` look at all numbers and
//! shares of small rings. That a correlation cannot be spent again is shown by doc tests that do not compile.

use crate::support::uniform::{BOUND, assert_uniform, worst};

use hushtable::{
    AShare, BShare, Party, Result, Role,
    arith::{
        Absolute, AdditiveToXor, BoundedExtension, Clamp, CompareDomain, CompareJob, ComparePlan, Comparison,
        Containment, ConvolutionShape, Decomposition, DigitMethod, Equality, Extension, FaithfulReduction,
        FaithfulTruncation, Fixed, Gram, GramJob, HammingEquality, LatticeJob, LatticeProduct,
        LatticeTriplesJob, Layer, LayerJob, LinearJob, LinearProduct, MatrixJob, MatrixProduct, MatrixShape,
        Millionaires, Multiplication, Objective, ProductTriples, Relu, SmallProducts, Squares, Truncation,
        VectorMaximum, XorToAdditive,
    },
    gates::{Bits, Mux},
    lut::SharedTables,
    math::{
        self, Affine, Bounds, Evaluation, Function, Gated, Gelu, GeluJob, Norm, NormJob, Options, Outside,
        Precision, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob,
    },
    onehot::Cyclic,
    share::Additive,
};
use prim::{block::Block, prg::Prg};

/// Items of a batch.
const BATCH: usize = 4096;

const LINES: math::Method = math::Method::Spline { degree: 1, pieces: 16 };
const PARABOLAS: math::Method = math::Method::Spline { degree: 2, pieces: 16 };
const CUBICS: math::Method = math::Method::Spline { degree: 3, pieces: 16 };

/// Prepares, has a barrier, and runs with shares that are all the number given.
type Protocol = fn(&mut Party, u64) -> Result<()>;

const THERMOMETER: ComparePlan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
const LOOKUP: ComparePlan = ComparePlan { method: DigitMethod::Lookup, digit: 2 };
const ONE_HOT: ComparePlan = ComparePlan { method: DigitMethod::OneHot { join: 3 }, digit: 5 };

fn word(bits: u32, count: usize, share: u64) -> AShare<u64> {
    AShare::new(bits, vec![prim::ring::low(share, bits); count])
}

fn fixed(bits: u32, scale: u32, count: usize, share: u64) -> Result<Fixed<u64>> {
    Fixed::new(word(bits, count, share), scale)
}

const fn near(plan: ComparePlan) -> CompareJob {
    CompareJob { bits: 20, domain: CompareDomain::Near, plan }
}

fn millionaires(p: &mut Party, plan: ComparePlan, x: u64) -> Result<()> {
    let material = Millionaires::prepare(p, 31, plan, BATCH)?;
    p.barrier()?;
    material.less(p, &[x; BATCH]).map(drop)
}

fn evaluated(p: &mut Party, x: u64, function: Function, [bits, scale]: [u32; 2], o: Options) -> Result<()> {
    let material = Evaluation::new(function, bits, scale, &o)?.prepare(p, BATCH)?;
    p.barrier()?;
    material.eval(p, &fixed(bits, scale, BATCH, x)?).map(drop)
}

fn silu(p: &mut Party, x: u64, precision: Precision) -> Result<()> {
    let (function, magnitude, objective) = (Gated::Silu, Some(6), Objective::Bytes);
    let job = GeluJob { batch: 512, function, precision, magnitude, objective, ..GeluJob::new(37, 12) };
    let material = Gelu::prepare(p, job)?;
    p.barrier()?;
    material.eval(p, &fixed(37, 12, 512, x)?).map(drop)
}

fn gelu_by_table(p: &mut Party, x: u64, precision: Precision) -> Result<()> {
    let (magnitude, objective) = (Some(1), Objective::Rounds);
    let job = GeluJob { batch: 1024, precision, magnitude, objective, ..GeluJob::new(37, 12) };
    assert_eq!(job.bill()?.online.rounds, if precision == Precision::Network { 1 } else { 2 });
    let material = Gelu::prepare(p, job)?;
    p.barrier()?;
    material.eval(p, &fixed(37, 12, 1024, x)?).map(drop)
}

fn over(lo: f64, hi: f64, method: math::Method, outside: Outside) -> Options {
    Options::default().domain(Bounds { lo, hi }).method(method).outside(outside)
}

const PROTOCOLS: &[(&str, Protocol)] = &[
    ("millionaires by thermometers", |p, x| millionaires(p, THERMOMETER, x)),
    ("millionaires by lookups", |p, x| millionaires(p, LOOKUP, x)),
    ("millionaires by one-hot vectors", |p, x| millionaires(p, ONE_HOT, x)),
    ("equality by Hamming distance", |p, x| {
        let material = HammingEquality::prepare(p, 20, BATCH)?;
        p.barrier()?;
        material.eq(p, &word(20, BATCH, x), &word(20, BATCH, x)).map(drop)
    }),
    ("shared tables", |p, x| {
        let table = word(9, 16, 3);
        let material = SharedTables::<Cyclic, Additive, u64>::prepare(p, 4, &table, BATCH)?;
        p.barrier()?;
        material.lookup(p, &word(4, BATCH, x)).map(drop)
    }),
    ("comparison of near numbers", |p, x| {
        let material = Comparison::prepare(p, near(THERMOMETER), BATCH)?;
        p.barrier()?;
        material.ge(p, &word(20, BATCH, x), &word(20, BATCH, 3)).map(drop)
    }),
    ("comparison of all numbers", |p, x| {
        let job = CompareJob { bits: 13, domain: CompareDomain::Signed, plan: LOOKUP };
        let material = Comparison::prepare(p, job, BATCH)?;
        p.barrier()?;
        material.ge(p, &word(13, BATCH, x), &word(13, BATCH, 3)).map(drop)
    }),
    ("numbers by XOR as additive ones", |p, x| {
        let material = XorToAdditive::prepare(p, [9, 20], BATCH)?;
        p.barrier()?;
        material.signed(p, &BShare::new(9, vec![x; BATCH])).map(drop)
    }),
    ("additive numbers by XOR", |p, x| {
        let material = AdditiveToXor::prepare(p, 20, BATCH)?;
        p.barrier()?;
        material.bits(p, &word(20, BATCH, x)).map(drop)
    }),
    ("equality", |p, x| {
        let material = Equality::prepare(p, 20, 4, BATCH)?;
        p.barrier()?;
        material.eq(p, &word(20, BATCH, x), &word(20, BATCH, x)).map(drop)
    }),
    ("digits", |p, x| {
        let material = Decomposition::prepare(p, 20, 3, BATCH)?;
        p.barrier()?;
        material.digits(p, &word(20, BATCH, x)).map(drop)
    }),
    ("truncation", |p, x| {
        let material = Truncation::prepare(p, 20, 7, BATCH)?;
        p.barrier()?;
        material.truncate(p, &word(20, BATCH, x)).map(drop)
    }),
    ("faithful truncation", |p, x| {
        let material = FaithfulTruncation::prepare(p, 20, 7, THERMOMETER, BATCH)?;
        p.barrier()?;
        material.truncate(p, &word(20, BATCH, x)).map(drop)
    }),
    ("faithful truncation into a smaller ring", |p, x| {
        let material = FaithfulReduction::prepare(p, 20, 7, LOOKUP, BATCH)?;
        p.barrier()?;
        material.reduce(p, &word(20, BATCH, x)).map(drop)
    }),
    ("extension", |p, x| {
        let material = Extension::prepare(p, [12, 29], THERMOMETER, BATCH)?;
        p.barrier()?;
        material.sign::<u64, u64>(p, &word(12, BATCH, x)).map(drop)
    }),
    ("bounded extensions", |p, x| {
        let signed = BoundedExtension::prepare(p, [12, 29], BATCH)?;
        let unsigned = BoundedExtension::prepare(p, [12, 29], BATCH)?;
        p.barrier()?;
        signed.sign::<u64, u64>(p, &word(12, BATCH, x))?;
        unsigned.zero::<u64, u64>(p, &word(12, BATCH, x)).map(drop)
    }),
    ("intervals", |p, x| {
        let material = Containment::prepare(p, 8, BATCH)?;
        p.barrier()?;
        material.inside(p, &word(8, BATCH, x), &[3..9, 9..100]).map(drop)
    }),
    ("products", |p, x| {
        let material = Multiplication::prepare(p, 16, 512)?;
        p.barrier()?;
        material.multiply(p, &word(16, 512, x), &word(16, 512, x)).map(drop)
    }),
    ("squares", |p, x| {
        let material = Squares::prepare(p, 16, 512)?;
        p.barrier()?;
        material.square(p, &word(16, 512, x)).map(drop)
    }),
    ("inner products", |p, x| {
        let material = Multiplication::prepare(p, 16, 512)?;
        p.barrier()?;
        material.inner_products(p, &word(16, 512, x), &word(16, 512, x), 8).map(drop)
    }),
    ("products by triples", |p, x| {
        let shape = MatrixShape { batch: 128, rows: 2, inner: 3, columns: 1 };
        let triples = ProductTriples::random(p, 16, shape)?;
        p.barrier()?;
        triples.multiply(p, &word(16, shape.left(), x), &word(16, shape.right(), x)).map(drop)
    }),
    ("matrix product", |p, x| {
        let shape = MatrixShape { batch: 16, rows: 4, inner: 3, columns: 2 };
        let (a, b) = (word(16, shape.left(), x), word(16, shape.right(), x));
        let material = MatrixProduct::prepare(p, MatrixJob::shared(shape, 16))?;
        p.barrier()?;
        material.multiply(p, &a, &b).map(drop)
    }),
    ("product with a known matrix", |p, x| {
        let shape = MatrixShape { batch: 1, rows: 8, inner: 12, columns: 12 };
        let numbers: &[i64] = if p.role() == Role::P0 { &[-4; 144] } else { &[] };
        let job = LinearJob { shape: shape.into(), bits: 20, number_bits: 3, owner: Role::P0 };
        let material = LinearProduct::prepare(p, job)?;
        p.barrier()?;
        material.multiply(p, &word(20, 96, x), numbers).map(drop)
    }),
    ("product with a known matrix, by a lattice", |p, x| {
        let shape = MatrixShape { batch: 1, rows: 16, inner: 64, columns: 2 };
        let numbers: &[i64] = if p.role() == Role::P0 { &[-4; 128] } else { &[] };
        let job =
            LatticeJob::new(LinearJob { shape: shape.into(), bits: 20, number_bits: 3, owner: Role::P0 })?;
        let material = LatticeProduct::prepare(p, &job, numbers)?;
        p.barrier()?;
        material.multiply(p, &word(20, 1024, x)).map(drop)
    }),
    ("linear layer, a convolution by a lattice", |p, x| {
        let shape = ConvolutionShape {
            images: 2,
            image: [8, 8],
            channels: 8,
            filters: 16,
            window: [3, 3],
            stride: [1, 1],
            padding: [[1, 1], [1, 1]],
            groups: 1,
        };
        let map = LinearJob { shape: shape.into(), bits: 24, number_bits: 3, owner: Role::P0 };
        let job = LayerJob::new(map, 5)?;
        assert!(job.by_lattice());
        let numbers = vec![-4; if p.role() == Role::P0 { shape.right() } else { 0 }];
        let material = Layer::prepare(p, &job, 1, &numbers)?;
        p.barrier()?;
        material.apply(p, &word(24, shape.left(), x), &[]).map(drop)
    }),
    ("matrix triples by a lattice", |p, x| {
        let shape = MatrixShape { batch: 4, rows: 8, inner: 16, columns: 2 };
        let triples = ProductTriples::by_lattice(p, &LatticeTriplesJob::new(16, shape, Objective::Total)?)?;
        p.barrier()?;
        triples.multiply(p, &word(16, shape.left(), x), &word(16, shape.right(), x)).map(drop)
    }),
    ("symmetric product", |p, x| {
        let gram = Gram::prepare(p, &GramJob::by_ots([8, 4, 16], 16)?)?;
        p.barrier()?;
        gram.multiply(p, &word(16, 512, x)).map(drop)
    }),
    ("symmetric product by a lattice", |p, x| {
        let gram = Gram::prepare(p, &GramJob::by_lattice([8, 4, 16], 16, Objective::Total)?)?;
        p.barrier()?;
        gram.multiply(p, &word(16, 512, x)).map(drop)
    }),
    ("times a sum", |p, x| {
        let material = SmallProducts::prepare(p, 3, BATCH)?;
        p.barrier()?;
        material.times_sum(p, &word(20, BATCH, x), &[x & 7; BATCH]).map(drop)
    }),
    ("times both", |p, x| {
        let material = SmallProducts::prepare(p, 3, BATCH)?;
        p.barrier()?;
        material.times_both(p, &word(20, BATCH, x), &[x & 7; BATCH], 8, 2).map(drop)
    }),
    ("selection", |p, x| {
        let bits = Bits::collect([x & 1; BATCH]);
        let material = Mux::prepare(p, BATCH, &[20, 7])?;
        p.barrier()?;
        material.select_all(p, &bits, &[&word(20, BATCH, x), &word(7, BATCH, x)]).map(drop)
    }),
    ("relu, absolute value and clamping", |p, x| {
        let relu = Relu::prepare(p, near(THERMOMETER), BATCH)?;
        let narrow = CompareJob { bits: 9, domain: CompareDomain::Near, plan: LOOKUP };
        let within = Relu::within(p, narrow, 20, BATCH)?;
        let absolute = Absolute::prepare(p, near(THERMOMETER), BATCH)?;
        let clamp = Clamp::prepare(p, near(LOOKUP), BATCH)?;
        let x = word(20, BATCH, x);
        p.barrier()?;
        relu.relu(p, &x)?;
        within.relu(p, &x)?;
        absolute.abs(p, &x)?;
        clamp.clamp(p, &x, 5, 9).map(drop)
    }),
    ("maximum and its place", |p, x| {
        let material = VectorMaximum::with_index(p, near(THERMOMETER), BATCH / 4, 4)?;
        p.barrier()?;
        material.argmax(p, &word(20, BATCH, x)).map(drop)
    }),
    ("function by a table", |p, x| {
        evaluated(p, x, Function::Tanh, [10, 6], over(-8.0, 8.0, math::Method::Direct, Outside::Wrap))
    }),
    ("function by a table, guarded", |p, x| {
        evaluated(p, x, Function::Tanh, [20, 6], over(-4.0, 4.0, math::Method::Direct, Outside::Saturate))
    }),
    ("sine by angle addition", |p, x| {
        let options = Options::default().method(math::Method::Angle);
        evaluated(p, x, Function::SinPi, [24, 12], options)
    }),
    ("cosine of radians", |p, x| {
        let options = Options::default().method(math::Method::Angle);
        evaluated(p, x, Function::Cos, [24, 12], options)
    }),
    ("function by lines", |p, x| {
        evaluated(p, x, Function::Sigmoid, [37, 10], over(-8.0, 8.0, LINES, Outside::Wrap))
    }),
    ("function by parabolas, guarded", |p, x| {
        evaluated(p, x, Function::Sigmoid, [37, 10], over(-8.0, 8.0, PARABOLAS, Outside::Saturate))
    }),
    ("function by cubics, with carry", |p, x| {
        evaluated(p, x, Function::Sigmoid, [16, 11], over(-8.0, 8.0, CUBICS, Outside::Clamp))
    }),
    ("reciprocal", |p, x| {
        let job = ReciprocalJob { bits: 37, scale: 12, scale_out: 12, bounds: [1.0, 9.0], dividend: 0.0 };
        let material = Reciprocal::prepare(p, job, 64)?;
        p.barrier()?;
        material.eval(p, &fixed(37, 12, 64, x)?).map(drop)
    }),
    ("GELU", |p, x| {
        let job = GeluJob { batch: 512, ..GeluJob::new(37, 12) };
        let material = Gelu::prepare(p, job)?;
        p.barrier()?;
        material.eval(p, &fixed(37, 12, 512, x)?).map(drop)
    }),
    ("GELU by a table", |p, x| gelu_by_table(p, x, Precision::Fine)),
    ("GELU by a table in one round", |p, x| gelu_by_table(p, x, Precision::Network)),
    ("SiLU, in a smaller ring", |p, x| silu(p, x, Precision::Fine)),
    ("SiLU for networks, in a smaller ring", |p, x| silu(p, x, Precision::Network)),
    ("softmax for networks, in a smaller ring", |p, x| {
        let (precision, magnitude, objective) = (Precision::Network, Some(6), Objective::Bytes);
        let job = SoftmaxJob { rows: 16, precision, magnitude, objective, ..SoftmaxJob::new(16, 37, 12) };
        let material = Softmax::prepare(p, job)?;
        p.barrier()?;
        material.eval(p, &fixed(37, 12, 256, x)?).map(drop)
    }),
    ("softmax", |p, x| {
        let job = SoftmaxJob { rows: 16, ..SoftmaxJob::new(8, 37, 12) };
        let material = Softmax::prepare(p, job)?;
        p.barrier()?;
        material.eval(p, &fixed(37, 12, 128, x)?).map(drop)
    }),
    ("layer norm with private gains", |p, x| {
        let job = NormJob {
            rows: 16,
            len: 8,
            bits: 37,
            scale: 12,
            largest: 8.0,
            variance: [0.25, 4.0],
            epsilon: 0.25,
            gain: 2.0,
            gains_known_to: Some(Role::P1),
            objective: Objective::Total,
        };
        let gains = match p.role() {
            Role::P0 => Affine::of_peer(Role::P0, 8),
            Role::P1 => Affine::own(Role::P1, vec![1.5; 8], vec![0.5; 8]),
        };
        let material = Norm::prepare(p, job, &gains)?;
        p.barrier()?;
        material.eval(p, &fixed(37, 12, 128, x)?).map(drop)
    }),
];

/// Longer than 10 s: thousands of items of every protocol, four times, so that a small bias is seen.
#[test]
fn what_is_sent_online_is_uniform() {
    for (i, (name, protocol)) in PROTOCOLS.iter().enumerate() {
        assert_uniform(name, 200 + 10 * i as u64, 1 << 19, protocol);
    }
}

/// Each mistake that the test above is for, made by hand.
#[test]
fn the_statistic_sees_mistakes() {
    let random = |seed: u64| {
        let mut bytes = vec![0u64; 1 << 13];
        Prg::new(Block(seed.into())).words(8, &mut bytes);
        bytes.iter().map(|&b| b as u8).collect::<Vec<u8>>()
    };
    let good: [Vec<u8>; 4] = std::array::from_fn(|i| random(i as u64 + 1));
    let seen = |with: [&Vec<u8>; 4]| worst([[with[0], with[1]], [with[2], with[3]]]).0;
    let [a, b, c, d] = &good;
    assert!(seen([a, b, c, d]) < BOUND);
    let map = |f: &dyn Fn(usize) -> u8| (0..a.len()).map(f).collect::<Vec<u8>>();
    let mistakes = [
        ("no mask", map(&|_| 77)),
        ("a mask of 7 bits", map(&|i| (a[i] & 127).wrapping_add(77))),
        ("one mask for two neighbours", map(&|i| a[i & !1].wrapping_add(77))),
        ("one mask for both halves", map(&|i| a[i % (a.len() / 2)].wrapping_add(5))),
        ("one mask for two numbers that differ", map(&|i| a[i & !1] ^ (i as u8 & 1))),
        ("the mask of the first run", map(&|i| b[i] ^ 3)),
        ("the mask of the other party", map(&|i| c[i].wrapping_sub(1))),
    ];
    for (what, mistake) in &mistakes {
        let z = seen([mistake, b, c, d]);
        assert!(z > 2.0 * BOUND, "{what}: {z:.1} deviations are not seen");
    }
}
