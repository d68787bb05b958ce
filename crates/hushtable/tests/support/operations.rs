//! Operations whose material is stored, with numbers and results.
#![allow(dead_code)] // not every program of tests uses it

use hushtable::{
    Role,
    arith::{CompareDomain, CompareJob, Objective},
    lut::{LookupJob, Protocol},
    math::{Bounds, Evaluation, Function, GeluJob, Method, Options, Outside, gelu},
    operation::{Bands, Compare, Multiply, Operation, Relation, Select, Truncate},
    share::Sharing,
};
use prim::{block::Block, prg::Prg, ring::low};

use super::stores::blank;

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

/// Signed numbers of `bits` bits.
pub fn numbers(seed: u128, bits: u32) -> Vec<i64> {
    let mut words = vec![0u64; ITEMS];
    Prg::new(Block(seed)).words(bits, &mut words);
    words.iter().map(|w| (w << (64 - bits)) as i64 >> (64 - bits)).collect()
}

/// A function of numbers with 6 bits behind the point, in 24 bits, over -2 to 2.
fn function(method: Method, outside: Outside) -> Case {
    let domain = Bounds { lo: -2.0, hi: 2.0 };
    let options = Options { domain: Some(domain), method, outside, ..Options::default() };
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
    let gelu_job = GeluJob { batch: 0, bits: 32, scale: 12, objective: Total };
    let unit = 4096.0;
    let gelus = unary(gelu_job, 32, numbers(5, 16), move |x| (unit * gelu(x as f64 / unit)).round() as i64);
    let product = |objective| {
        let multiply = Multiply { bits: 17, objective };
        binary(multiply, [(17, false); 2], numbers(6, 9), numbers(7, 7), |x, y| x * y)
    };
    let job = LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 5, value_bits: 9 };
    let lookups = [Protocol::SpLut, Protocol::Tree]
        .map(|protocol| unary(blank(protocol, job), 5, numbers(8, 5), |_| 0));
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
        binary(
            Select { bits: 11 },
            [(1, true), (11, false)],
            numbers(10, 1).iter().map(|b| b & 1).collect(),
            numbers(11, 11),
            |b, x| b * x,
        ),
        Case { within: 3, ..gelus },
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
        let operand = |((bits, xor), values): (&(u32, bool), &Vec<i64>)| {
            let mut masks = vec![0u64; ITEMS];
            Prg::new(Block(12)).words(*bits, &mut masks);
            let other = |(x, mask): (&i64, &u64)| match xor {
                true => low(*x as u64 ^ mask, *bits),
                false => low((*x as u64).wrapping_sub(*mask), *bits),
            };
            let theirs: Vec<u64> = values.iter().zip(&masks).map(other).collect();
            let mine = if role == Role::P0 { masks } else { theirs };
            mine[at.clone()].to_vec()
        };
        self.widths.iter().zip(&self.operands).map(operand).collect()
    }

    /// That these are the results.
    #[track_caller]
    pub fn check(&self, got: &[i64]) {
        assert_eq!(got.len(), self.want.len(), "{}", named(&*self.operation));
        for (i, (got, want)) in got.iter().zip(&self.want).enumerate() {
            let x: Vec<i64> = self.operands.iter().map(|x| x[i]).collect();
            assert!(
                (got - want).abs() <= self.within,
                "{}: {x:?} gave {got}, not {want}",
                named(&*self.operation)
            );
        }
    }
}
