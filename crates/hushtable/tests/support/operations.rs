//! Operations whose material is stored, with numbers and results.
#![allow(dead_code)] // not every program of tests uses it

use std::sync::Arc;

use hushtable::{
    Role,
    arith::{CompareDomain, CompareJob, LayerJob, LinearJob, MatrixShape, Objective},
    circuit::{self, Circuit, Draft, TruthTable},
    lut::{LookupJob, Protocol},
    math::{
        Affine, Bounds, Evaluation, Function, GeluJob, Method, NormJob, Options, Outside, Precision,
        SoftmaxJob, gelu,
    },
    operation::{
        Bands, Compare, Elsewhere, Engine, Evaluate, KnownMap, LayerNorm, Linear, Lookup, Multiply,
        Operation, Port, Products, Rectify, Relation, Select, SymmetricProducts, ToXor, Truncate,
    },
    share::Sharing,
};
use prim::{block::Block, prg::Prg, ring::low};

/// An operation, the numbers that it gets, and what it should give.
pub struct Case {
    pub operation: Box<dyn Operation>,
    /// Widths of the operands, and whether they are shared by XOR.
    pub widths: Vec<(u32, bool)>,
    pub operands: Vec<Vec<i64>>,
    pub want: Vec<i64>,
    /// Units in the last place by which results may differ.
    pub within: i64,
}

/// How many items there are of each.
pub const ITEMS: usize = 40;

/// Of one operand: what `f` gives of each of some numbers of `bits` bits.
pub fn unary(operation: impl Operation + 'static, bits: u32, x: Vec<i64>, f: impl Fn(i64) -> i64) -> Case {
    let want = x.iter().map(|&x| f(x)).collect();
    Case { operation: Box::new(operation), widths: vec![(bits, false)], operands: vec![x], want, within: 0 }
}

fn binary(
    operation: impl Operation + 'static,
    widths: [(u32, bool); 2],
    x: Vec<i64>,
    y: Vec<i64>,
    f: impl Fn(i64, i64) -> i64,
) -> Case {
    let want = x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect();
    Case { operation: Box::new(operation), widths: widths.to_vec(), operands: vec![x, y], want, within: 0 }
}

/// A layer with offsets, of which 4 bits are cut off: small ones by OTs, others by a lattice.
fn linear([rows, inner, columns]: [usize; 3]) -> Case {
    let shape = MatrixShape { batch: 1, rows, inner, columns };
    let map = LinearJob { shape: shape.into(), bits: 30, number_bits: 12, owner: Role::P1 };
    let job = LayerJob::new(map, 4).unwrap();
    assert_eq!(job.by_lattice(), rows > 2);
    let (b, offsets) = (many(61, 12, shape.right()), many(62, 10, columns));
    let x = many(60, 8, ITEMS * rows * inner);
    let result = |i: usize| {
        let (row, column) = (i / columns, i % columns);
        (0..inner).map(|k| x[row * inner + k] * b[k * columns + column]).sum::<i64>() + offsets[column]
    };
    let want = (0..ITEMS * rows * columns).map(|i| result(i) >> 4).collect();
    let words = offsets.iter().map(|c| *c as u64).collect::<Vec<_>>();
    let known = KnownMap { numbers: b.clone().into(), offsets: words.into() };
    let operation = Linear::new(job, Some(Arc::new(known))).unwrap();
    Case { operation: Box::new(operation), widths: vec![(30, false)], operands: vec![x], want, within: 1 }
}

/// Signed numbers of `bits` bits, one an item.
pub fn numbers(seed: u128, bits: u32) -> Vec<i64> {
    many(seed, bits, ITEMS)
}

/// So many of them.
fn many(seed: u128, bits: u32, count: usize) -> Vec<i64> {
    let mut words = vec![0u64; count];
    Prg::new(Block(seed)).words(bits, &mut words);
    words.iter().map(|w| (w << (64 - bits)) as i64 >> (64 - bits)).collect()
}

/// A function of numbers with 6 bits behind the point, in 24 bits, over -2 to 2.
fn function(method: Method, outside: Outside) -> Case {
    let domain = Bounds { lo: -2.0, hi: 2.0 };
    let options = Options::default().domain(domain).method(method).outside(outside);
    let operation = Evaluation::new(Function::Sigmoid, 24, 6, &options).unwrap();
    let limit = if outside == Outside::Strict { 128 } else { 1000 };
    let x: Vec<i64> = numbers(1, 24).iter().map(|x| x.rem_euclid(2 * limit) - limit).collect();
    // Beside the domain a spline may go on a little.
    let more = if method == Method::Direct { 0 } else { 3 };
    let within = operation.card().max_ulp().ceil() as i64 + more;
    let value = move |x: i64| {
        let inside = (x as f64 / 64.0).clamp(-2.0, 127.0 / 64.0);
        let limit = if x < -128 { 0.0 } else { 1.0 };
        let outside = outside == Outside::Saturate && !(-128..128).contains(&x);
        (64.0 * if outside { limit } else { 1.0 / (1.0 + (-inside).exp()) }).round() as i64
    };
    Case { within, ..unary(operation, 24, x, value) }
}

/// Comparisons of numbers of 13 bits.
pub fn comparison(
    relation: Relation,
    objective: Objective,
    domain: CompareDomain,
    additive: Option<u32>,
) -> Case {
    let job = CompareJob::new(13, domain, objective).unwrap();
    let operation = Compare::of(relation, job);
    let operation = additive.map_or(operation, |bits| operation.additive(bits));
    let far = if domain == CompareDomain::Near { 11 } else { 13 };
    let (x, mut y) = (numbers(2, far), numbers(3, far));
    y[..5].copy_from_slice(&x[..5]);
    binary(operation, [(13, false); 2], x, y, move |x, y| match relation {
        Relation::Ge => (x >= y).into(),
        Relation::Lt => (x < y).into(),
        Relation::Eq => (x == y).into(),
        Relation::Ne => (x != y).into(),
        Relation::Max => x.max(y),
        _ => x.min(y),
    })
}

/// Numbers with 12 bits behind the point.
const UNIT: f64 = 4096.0;

/// A function of rows of `len` numbers of 37 bits, below `2^(bits - 13)`, that may be off by so much.
fn rows(
    operation: impl Operation + 'static,
    [len, bits]: [u32; 2],
    within: i64,
    f: impl Fn(&[f64]) -> Vec<f64>,
) -> Case {
    let len = len as usize;
    let x = many(13, bits, len * ITEMS);
    let real: Vec<f64> = x.iter().map(|&x| x as f64 / UNIT).collect();
    let want = real.chunks(len).flat_map(f).map(|y| (UNIT * y).round() as i64).collect();
    Case { operation: Box::new(operation), widths: vec![(37, false)], operands: vec![x], want, within }
}

fn softmax(len: u32, precision: Precision) -> Case {
    let job = SoftmaxJob { precision, ..SoftmaxJob::new(len as usize, 37, 12) };
    let within = if precision == Precision::Fine { 2 } else { 20 };
    rows(job, [len, 16], within, |row| {
        let all: Vec<f64> = row.iter().map(|x| x.exp()).collect();
        all.iter().map(|e| e / all.iter().sum::<f64>()).collect()
    })
}

/// Of rows of 4 numbers, with gains that `known_to` tells.
pub fn norm(known_to: Option<Role>) -> LayerNorm {
    let job = NormJob {
        rows: 0,
        len: 4,
        bits: 37,
        scale: 12,
        largest: 64.0,
        variance: [0.0025, 40.0],
        epsilon: 1e-5,
        gain: 4.0,
        gains_known_to: known_to,
        objective: Objective::Total,
    };
    let (gains, offsets) = (vec![1.0, -0.5, 2.0, 1.5], vec![0.0, 1.0, -3.0, 0.25]);
    let affine = known_to.map_or(Affine::public(gains, offsets), |role| Affine::of_peer(role.peer(), 4));
    LayerNorm { job, affine }
}

fn layer_norm() -> Case {
    // 1 + 2 / 4 + 2 / (4 s), with deviations of 0.06 and more.
    rows(norm(None), [4, 15], 9, |row| {
        let mean = row.iter().sum::<f64>() / 4.0;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
        let columns = row.iter().zip([1.0, -0.5, 2.0, 1.5]).zip([0.0, 1.0, -3.0, 0.25]);
        columns.map(|((x, g), o)| g * (x - mean) / (variance + 1e-5).sqrt() + o).collect()
    })
}

/// Products of matrices, in rings of 20 bits.
fn products([rows, inner, columns]: [usize; 3], objective: Objective) -> Case {
    let shape = MatrixShape { batch: 0, rows, inner, columns };
    let (a, b) = (many(14, 9, rows * inner * ITEMS), many(15, 7, inner * columns * ITEMS));
    let entry = |i: usize| {
        let (product, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
        let a = &a[(product * rows + row) * inner..][..inner];
        (0..inner).map(|k| a[k] * b[(product * inner + k) * columns + column]).sum()
    };
    let want = (0..rows * columns * ITEMS).map(entry).collect();
    let operation = Box::new(Products { shape, bits: 20, objective });
    Case { operation, widths: vec![(20, false); 2], operands: vec![a, b], want, within: 0 }
}

/// Matrices times themselves, transposed, in rings of 20 bits.
fn symmetric([rows, inner]: [usize; 2], objective: Objective) -> Case {
    let x = many(18, 8, rows * inner * ITEMS);
    let entry = |i: usize| {
        let (item, row, column) = (i / (rows * rows), i / rows % rows, i % rows);
        (0..inner).map(|k| x[(item * rows + row) * inner + k] * x[(item * rows + column) * inner + k]).sum()
    };
    let want = (0..rows * rows * ITEMS).map(entry).collect();
    let operation = Box::new(SymmetricProducts { rows, inner, bits: 20, objective });
    Case { operation, widths: vec![(20, false)], operands: vec![x], want, within: 0 }
}

/// The bits that two numbers of 11 bits have in common, by ANDs or by lookups of two bits of each.
fn in_common(lookups: bool, engine: Engine) -> Case {
    const BITS: u32 = 11;
    let port = |name| circuit::Port::new(name, circuit::Kind::Signed(BITS)).unwrap();
    let table = TruthTable::tabulate(4, 2, |row| row & row >> 2).unwrap();
    let mut d = Draft::new(2 * BITS as usize);
    let wires = d.inputs();
    let (x, y) = wires.split_at(BITS as usize);
    let mut out = Vec::new();
    for (x, y) in x.chunks(2).zip(y.chunks(2)) {
        match (lookups, x, y) {
            (true, [x0, x1], [y0, y1]) => {
                out.extend(d.lookup(&Arc::new(table.clone()), &[*x0, *x1, *y0, *y1]))
            }
            _ => x.iter().zip(y).for_each(|(x, y)| out.push(d.and(*x, *y))),
        }
    }
    let forms = vec![d.finish("drawn", out)];
    let circuit = Circuit::new("common", vec![port("x"), port("y")], vec![port("both")], forms).unwrap();
    let evaluate = Evaluate::by(&Arc::new(circuit), &[None; 2], 0, engine).unwrap();
    binary(evaluate, [(BITS, true); 2], numbers(14, BITS), numbers(15, BITS), |x, y| x & y)
}

/// Everything that is stored.
pub fn cases() -> Vec<Case> {
    use Objective::{Bytes, Online, Rounds, Total};
    let spline = |degree, pieces| Method::Spline { degree, pieces };
    let bands = |additive: bool| {
        let bands = Bands::new(20, vec![-50, 7, 7, 300], Total).unwrap();
        let bands = if additive { bands.additive(16) } else { bands };
        let reached = |x: i64| [-50, 7, 7, 300].iter().filter(|&&cut| x >= cut).count() as i64;
        unary(bands, 20, numbers(4, 10), reached)
    };
    let gelu_job = GeluJob { objective: Bytes, ..GeluJob::new(32, 12) };
    let gelus = unary(gelu_job, 32, numbers(5, 16), |x| (UNIT * gelu(x as f64 / UNIT)).round() as i64);
    let product = |objective| {
        let multiply = Multiply { bits: 17, objective };
        binary(multiply, [(17, false); 2], numbers(6, 9), numbers(7, 7), |x, y| x * y)
    };
    let job = LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 5, value_bits: 9 };
    let lookups = [Protocol::SpLut, Protocol::Tree]
        .map(|protocol| unary(Lookup::blank(protocol, job).unwrap(), 5, numbers(8, 5), |_| 0));
    let mut all = vec![
        function(Method::Direct, Outside::Saturate),
        function(Method::Direct, Outside::Strict),
        function(spline(1, 16), Outside::Clamp),
        function(spline(2, 8), Outside::Strict),
        function(spline(3, 4), Outside::Clamp),
        comparison(Relation::Ge, Total, CompareDomain::Near, None),
        comparison(Relation::Lt, Online, CompareDomain::Signed, Some(16)),
        comparison(Relation::Ge, Bytes, CompareDomain::Signed, None),
        comparison(Relation::Lt, Rounds, CompareDomain::Near, None),
        comparison(Relation::Eq, Total, CompareDomain::Near, Some(8)),
        comparison(Relation::Eq, Rounds, CompareDomain::Near, None),
        comparison(Relation::Ne, Bytes, CompareDomain::Signed, None),
        comparison(Relation::Max, Total, CompareDomain::Signed, None),
        comparison(Relation::Min, Online, CompareDomain::Near, None),
        bands(false),
        bands(true),
        product(Total),
        product(Online),
        unary(Truncate { bits: 30, cut: 7 }, 30, numbers(9, 28), |x| x >> 7),
        unary(ToXor { bits: 13, fraction: 4 }, 13, numbers(16, 13), |x| x),
        unary(ToXor { bits: 64, fraction: 0 }, 64, numbers(17, 64), |x| x),
        binary(
            Select { bits: 11 },
            [(1, true), (11, false)],
            numbers(10, 1).iter().map(|b| b & 1).collect(),
            numbers(11, 11),
            |b, x| b * x,
        ),
        unary(Rectify { bits: 11, within: 11, objective: Total }, 11, numbers(14, 11), |x| x.max(0)),
        unary(Rectify { bits: 37, within: 19, objective: Bytes }, 37, numbers(15, 19), |x| x.max(0)),
        binary(
            Elsewhere::new(Port::additive("number", 11), Some(-5)).unwrap(),
            [(1, true), (11, false)],
            numbers(12, 1).iter().map(|b| b & 1).collect(),
            numbers(13, 10),
            |b, x| if b == 1 { x } else { -5 },
        ),
        Case { within: 3, ..gelus },
        linear([2, 5, 3]),
        linear([8, 64, 64]),
        softmax(5, Precision::Fine),
        softmax(1, Precision::Fine),
        softmax(9, Precision::Network),
        layer_norm(),
        in_common(false, Engine::Layers(None)),
        in_common(true, Engine::Layers(None)),
        in_common(false, Engine::Garbled { ahead: false }),
        in_common(false, Engine::Switching),
        in_common(true, Engine::Switching),
        products([3, 2, 2], Total),
        products([2, 3, 4], Total),
        products([2, 3, 4], Online),
        products([64, 48, 40], Total),
        symmetric([1, 1], Total),
        symmetric([3, 4], Total),
        symmetric([3, 4], Online),
        symmetric([40, 64], Total),
    ];
    all.extend(lookups);
    all
}

/// What an operation is, for messages.
pub fn named(operation: &dyn Operation) -> String {
    format!("{}, {}", operation.name(), operation.shape().map_or_else(|e| e.to_string(), |s| s.to_string()))
}

impl Case {
    /// A party's words of the items `at` of each operand.
    pub fn words(&self, role: Role, at: std::ops::Range<usize>) -> Vec<Vec<u64>> {
        let operand = |(i, ((bits, xor), values)): (usize, (&(u32, bool), &Vec<i64>))| {
            let mut masks = vec![0u64; values.len()];
            Prg::new(Block(12)).words(*bits, &mut masks);
            let other = |(x, mask): (&i64, &u64)| match xor {
                true => low(*x as u64 ^ mask, *bits),
                false => low((*x as u64).wrapping_sub(*mask), *bits),
            };
            let theirs: Vec<u64> = values.iter().zip(&masks).map(other).collect();
            let mine = if role == Role::P0 { masks } else { theirs };
            let each = self.operation.signature().takes[i].words;
            mine[each * at.start..each * at.end].to_vec()
        };
        self.widths.iter().zip(&self.operands).enumerate().map(operand).collect()
    }

    /// That these are the results.
    #[track_caller]
    pub fn check(&self, got: &[i64]) {
        assert_eq!(got.len(), self.want.len(), "{}", named(&*self.operation));
        for (i, (got, want)) in got.iter().zip(&self.want).enumerate() {
            let item = i / self.operation.result().words;
            let takes = |j: usize| self.operation.signature().takes[j].words;
            let x: Vec<&[i64]> =
                self.operands.iter().enumerate().map(|(j, x)| &x[takes(j) * item..][..takes(j)]).collect();
            assert!(
                (got - want).abs() <= self.within,
                "{}: {x:?} gave {got}, not {want}",
                named(&*self.operation)
            );
        }
    }
}
