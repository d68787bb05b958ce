//! The bills of gates, lookups and arithmetic are what they cost, to the bit: what each party
//! sends in each phase, rounds, and correlated OTs, none of which is drawn online.

use crate::support::billed::{check, check_parts};

use hushtable::{
    AShare, Party, Result, Role,
    arith::{
        Absolute, BoundedExtension, Clamp, CompareDomain, CompareJob, ComparePlan, Comparison, Decomposition,
        DigitMethod, Equality, Extension, FaithfulReduction, FaithfulTruncation, HammingEquality,
        KnownProducts, LinearJob, LinearProduct, MatrixJob, MatrixProduct, MatrixShape, Maximum,
        Millionaires, Multiplication, Objective, ProductTriples, Relu, Sides, SidesJob, SmallProducts,
        Squares, Truncation, VectorMaximum,
    },
    bill::Bill,
    gates::{B2a, Bits, DaBits, KnownMux, Mux, Triples, and_shared},
    lut::{LookupJob, Protocol, SharedTables, Table},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use prim::ring::Ring;

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

const OBJECTIVES: [Objective; 4] = [Objective::Total, Objective::Online, Objective::Bytes, Objective::Rounds];

fn bits(count: usize) -> Bits {
    Bits::collect((0..count as u64).map(|i| i & 1))
}

fn words(bits: u32, count: usize) -> AShare<u64> {
    AShare::new(bits, vec![1; count])
}

fn plans() -> impl Iterator<Item = ComparePlan> {
    let methods = [DigitMethod::Thermometer, DigitMethod::Lookup].into_iter();
    let short = methods.flat_map(|method| (1..=6).map(move |digit| ComparePlan { method, digit }));
    let onehot = [(2, 1), (3, 4), (4, 5), (5, 7), (2, 9)];
    short.chain(onehot.map(|(join, digit)| ComparePlan { method: DigitMethod::OneHot { join }, digit }))
}

#[test]
fn gates() {
    for widths in [&[1][..], &[9], &[64], &[20, 3, 1]] {
        check(
            &format!("selection of words of {widths:?} bits"),
            Mux::bill(widths).times(N),
            |p| Mux::prepare(p, N, widths),
            |s, m| {
                let columns: Vec<_> = widths.iter().map(|&w| words(w, N)).collect();
                m.select_all(s, &bits(N), &columns.iter().collect::<Vec<_>>()).map(drop)
            },
        );
    }
    for owner in [Role::P0, Role::P1] {
        check(
            &format!("selection of words of {owner:?}"),
            KnownMux::bill(owner, &[20, 3]).times(N),
            |p| KnownMux::prepare(p, owner, N, &[20, 3]),
            |s, m| {
                let column = vec![1; N];
                let columns = if s.role() == owner { vec![&column[..]; 2] } else { vec![] };
                m.select(s, &bits(N), &columns).map(drop)
            },
        );
    }
    for l in [1, 2, 13, 64] {
        check(
            &format!("conversion to {l} bits"),
            B2a::bill(l).times(N),
            |p| B2a::prepare(p, l, N),
            |s, m| m.convert::<u64>(s, &bits(N)).map(drop),
        );
        check(
            &format!("conversion to {l} bits by random ones"),
            DaBits::<u64>::bill(l).times(N),
            |p| DaBits::<u64>::random(p, l, N),
            |s, m| m.convert(s, &bits(N)).map(drop),
        );
    }
    for k in [1, 2, 64] {
        check(
            &format!("{k} ANDs of an operand"),
            Triples::bill(k).times(N),
            |p| Triples::shared(p, N, k),
            |s, m| and_shared(s, m, &bits(N), &vec![&bits(N); k]).map(drop),
        );
    }
}

/// Longer than 10 s: every protocol with every kind of sharing.
#[test]
fn lookup_protocols() {
    /// Words no wider than the entries need: what a job is billed for.
    fn of<G: Group, K: Kind, R: Ring>(entries: &[(u32, u32)]) {
        for &(d, l) in entries {
            let job = LookupJob { index: G::Kind::SHARING, output: K::SHARING, index_bits: d, value_bits: l };
            let table = Table::<R>::tabulate(d, l, |x| x & 1).expect("a table");
            for protocol in Protocol::ALL.into_iter().filter(|protocol| protocol.check(&job).is_ok()) {
                check(
                    &format!("{protocol}, {job:?}"),
                    protocol.bill(&job, N).expect("a bill"),
                    |p| protocol.prepare::<G, K, R>(p, &table, N),
                    |s, m| m.lookup(s, &table, &Share::new(d, vec![1; N])).map(drop),
                );
            }
        }
    }
    fn all<G: Group, K: Kind>() {
        of::<G, K, u8>(&[(1, 1), (8, 8)]);
        of::<G, K, u16>(&[(2, 9), (5, 13)]);
        of::<G, K, u64>(&[(3, 64)]);
    }
    all::<Cyclic, Additive>();
    all::<Cyclic, Bitwise>();
    all::<Xor, Additive>();
    all::<Xor, Bitwise>();
}

#[test]
fn shared_tables() {
    fn of<G: Group, K: Kind, R: Ring>(entries: &[(u32, u32)]) {
        for &(d, l) in entries {
            let table = Share::<K, R>::new(l, vec![R::from_u64(1); 1 << d]);
            check(
                &format!("shared tables of 2^{d} entries of {l} bits"),
                SharedTables::<G, K, R>::bill(d, l).expect("a bill").times(N),
                |p| SharedTables::<G, K, R>::prepare(p, d, &table, N),
                |s, m| m.lookup(s, &Share::<_, u32>::new(d, vec![1; N])).map(drop),
            );
        }
    }
    of::<Cyclic, Additive, u16>(&[(1, 1), (4, 13), (8, 16)]);
    of::<Xor, Bitwise, u64>(&[(2, 64), (5, 1)]);
    let bytes = SharedTables::<Cyclic, Additive, u16>::bill(8, 16).expect("a bill").bytes();
    assert!((1248.0..1300.0).contains(&bytes), "8 to 16 bits: {bytes} bytes");
}

#[test]
fn comparisons() {
    for plan in plans() {
        for width in [1, 2, 8, 31, 64] {
            check(
                &format!("{width} bits by {plan:?}"),
                plan.bill(width).expect("a plan").times(N),
                |p| Millionaires::prepare(p, width, plan, N),
                |s, m| m.less(s, &[1; N]).map(drop),
            );
        }
        for domain in [CompareDomain::Near, CompareDomain::Signed, CompareDomain::Unsigned] {
            let job = CompareJob { bits: 20, domain, plan };
            check(
                &format!("{job:?}"),
                job.bill().expect("a job").times(N),
                |p| Comparison::prepare(p, job, N),
                |s, m| m.ge(s, &words(20, N), &words(20, N)).map(drop),
            );
        }
    }
}

#[test]
fn equality_and_digits() {
    for (width, digit) in [(1, 1), (20, 1), (20, 4), (64, 6)] {
        check(
            &format!("equality of {width} bits in digits of {digit}"),
            Equality::bill(width, digit).expect("digits").times(N),
            |p| Equality::prepare(p, width, digit, N),
            |s, m| m.eq(s, &words(width, N), &words(width, N)).map(drop),
        );
    }
    for width in [1, 2, 3, 20, 31, 32, 64] {
        check_parts(
            &format!("equality of {width} bits by Hamming distance"),
            HammingEquality::bill(width).expect("a width").times(N),
            0,
            |p| HammingEquality::prepare(p, width, N),
            |s, m| m.eq(s, &words(width, N), &words(width, N)).map(drop),
        );
    }
    for (width, digit) in [(1, 4), (4, 4), (5, 4), (20, 3), (64, 1), (31, 6)] {
        check(
            &format!("{width} bits cut into digits of {digit}"),
            Decomposition::bill(width, digit).expect("digits").times(N),
            |p| Decomposition::prepare(p, width, digit, N),
            |s, m| m.digits(s, &words(width, N)).map(drop),
        );
    }
}

#[test]
fn sides_of_intervals() {
    let spans = [(64, 1 << 20), (45, 3), (20, 1000), (20, 1 << 19), (9, 200), (6, 2)];
    for ((width, span), objective) in spans.into_iter().flat_map(|job| OBJECTIVES.map(|o| (job, o))) {
        let sides = SidesJob::sides(width, span, objective).expect("a job");
        check_parts(
            &format!("sides of {span} in {width} bits, {objective:?}"),
            sides.bill().expect("a bill").times(N),
            0,
            |p| Sides::prepare(p, sides, N),
            |s, m| m.sides(s, &words(width, N)).map(drop),
        );
        let inside = SidesJob::inside(width, span, objective).expect("a job");
        check_parts(
            &format!("inside {span} in {width} bits, {objective:?}"),
            inside.bill().expect("a bill").times(N),
            0,
            |p| Sides::prepare(p, inside, N),
            |s, m| m.inside(s, &words(width, N)).map(drop),
        );
    }
}

#[test]
fn choices_by_comparison() {
    let x = words(20, N);
    let of = |bill: Result<Bill>| bill.expect("a bill").times(N);
    for plan in plans() {
        let job = CompareJob { bits: 20, domain: CompareDomain::Near, plan };
        let name = |what: &str| format!("{what}, {job:?}");
        let relu = |p: &mut Party| Relu::prepare(p, job, N);
        check(&name("relu"), of(Relu::bill(&job)), relu, |s, m| m.relu(s, &x).map(drop));
        let absolute = |p: &mut Party| Absolute::prepare(p, job, N);
        check(&name("absolute"), of(Absolute::bill(&job)), absolute, |s, m| m.abs(s, &x).map(drop));
        for job in [job, CompareJob { domain: CompareDomain::Signed, ..job }] {
            let name = |what: &str| format!("{what}, {job:?}");
            let clamp = |p: &mut Party| Clamp::prepare(p, job, N);
            check(&name("clamp"), of(Clamp::bill(&job)), clamp, |s, m| m.clamp(s, &x, 0, 5).map(drop));
            let max = |p: &mut Party| Maximum::prepare(p, job, N);
            check(&name("maximum"), of(Maximum::bill(&job)), max, |s, m| m.max(s, &x, &x).map(drop));
        }
    }
    let job = CompareJob::new(20, CompareDomain::Near, Objective::Total).expect("a job");
    for len in [1, 2, 5, 8] {
        let x = words(20, N * len);
        let of = |indexed| VectorMaximum::bill(&job, len, indexed).expect("a bill").times(N);
        check(
            &format!("maximum of {len}"),
            of(false),
            |p| VectorMaximum::prepare(p, job, N, len),
            |s, m| m.max(s, &x).map(drop),
        );
        check(
            &format!("maximum of {len} and its place"),
            of(true),
            |p| VectorMaximum::with_index(p, job, N, len),
            |s, m| m.argmax(s, &x).map(drop),
        );
    }
}

#[test]
fn products() {
    for l in [1, 2, 20, 64] {
        let (name, x) = (|what: &str| format!("{what} of {l} bits"), words(l, N));
        check(
            &name("products"),
            Multiplication::bill(l).times(N),
            |p| Multiplication::prepare(p, l, N),
            |s, m| m.multiply(s, &x, &x).map(drop),
        );
        check(
            &name("squares"),
            Squares::bill(l).expect("a bill").times(N),
            |p| Squares::prepare(p, l, N),
            |s, m| m.square(s, &x).map(drop),
        );
        for (rows_at, row) in [(Role::P0, 1), (Role::P1, 3)] {
            check(
                &name(&format!("rows of {row} at {rows_at:?}")),
                KnownProducts::bill(l, rows_at, row).times(N),
                |p| KnownProducts::prepare(p, l, rows_at, N, row),
                |s, m| match s.role() == rows_at {
                    true => m.with_rows(s, &vec![1u64; N * row]).map(drop),
                    false => m.with_numbers(s, &[1u64; N]).map(drop),
                },
            );
        }
    }
}

const SHAPES: [MatrixShape; 3] = [
    MatrixShape { batch: 8, rows: 3, inner: 4, columns: 2 },
    MatrixShape { batch: 8, rows: 2, inner: 3, columns: 5 },
    MatrixShape { batch: 1, rows: 4, inner: 8, columns: 8 },
];

#[test]
fn products_of_matrices() {
    let known = [None, Some(Role::P0), Some(Role::P1)];
    for (shape, bits) in SHAPES.into_iter().flat_map(|shape| [(shape, 13), (shape, 64)]) {
        let (a, b) = (words(bits, shape.left()), words(bits, shape.right()));
        for known_to in known.into_iter().flat_map(|left| known.map(|right| [left, right])) {
            if known_to[0].is_some() && known_to[0] == known_to[1] {
                continue;
            }
            let job = MatrixJob { shape, bits, known_to };
            check(
                &format!("{job:?}"),
                job.bill(),
                |p| MatrixProduct::prepare(p, job),
                |s, m| m.multiply(s, &a, &b).map(drop),
            );
        }
        check(
            &format!("triples, {shape:?}, {bits} bits"),
            ProductTriples::<u64>::bill(bits, shape),
            |p| ProductTriples::<u64>::random(p, bits, shape),
            |s, m| m.multiply(s, &a, &b).map(drop),
        );
    }
}

#[test]
fn products_with_small_numbers() {
    for (shape, owner) in SHAPES.into_iter().flat_map(|shape| [(shape, Role::P0), (shape, Role::P1)]) {
        for (bits, number_bits) in [(20, 1), (37, 15), (64, 63)] {
            let job = LinearJob { shape: shape.into(), bits, number_bits, owner };
            check(
                &format!("{job:?}"),
                job.bill().expect("a bill"),
                |p| LinearProduct::prepare(p, job),
                |s, m| {
                    let numbers = if s.role() == owner { shape.right() } else { 0 };
                    m.multiply(s, &words(bits, shape.left()), &vec![0; numbers]).map(drop)
                },
            );
        }
    }
    for (l, b) in [(20, 3), (37, 37), (64, 1)] {
        let prepare = |p: &mut Party| SmallProducts::prepare(p, b, N);
        let (sum, both) = (format!("sum, {l} and {b} bits"), format!("both, {l} and {b} bits"));
        let bill = SmallProducts::bill(l, b).expect("a bill").times(N);
        check(&sum, bill, prepare, |s, m| m.times_sum(s, &words(l, N), &[1; N]).map(drop));
        if b <= l - 4 {
            let bill = SmallProducts::bill(l - 4, b).expect("a bill").times(N);
            check(&both, bill, prepare, |s, m| m.times_both(s, &words(l, N), &[1; N], 2, 4).map(drop));
        }
    }
}

#[test]
fn truncations() {
    for (l, f) in [(8, 1), (8, 6), (20, 7), (64, 62)] {
        let (name, x) = (|what: &str| format!("{what} of {l} bits by {f}"), words(l, N));
        check(
            &name("truncation"),
            Truncation::bill(f).times(N),
            |p| Truncation::prepare(p, l, f, N),
            |s, m| m.truncate(s, &x).map(drop),
        );
        for plan in plans() {
            check(
                &name(&format!("faithful truncation by {plan:?}")),
                FaithfulTruncation::bill(l, f, plan).expect("a bill").times(N),
                |p| FaithfulTruncation::prepare(p, l, f, plan, N),
                |s, m| m.truncate(s, &x).map(drop),
            );
            check(
                &name(&format!("faithful reduction by {plan:?}")),
                FaithfulReduction::bill(l, f, plan).expect("a bill").times(N),
                |p| FaithfulReduction::prepare(p, l, f, plan, N),
                |s, m| m.reduce(s, &x).map(drop),
            );
        }
    }
}

#[test]
fn extensions() {
    for [l, k] in [[2, 3], [12, 29], [20, 64], [63, 64]] {
        let (name, x) = (|what: &str| format!("{what} of {l} to {k} bits"), words(l, N));
        check(
            &name("bounded extension"),
            BoundedExtension::bill([l, k]).expect("a bill").times(N),
            |p| BoundedExtension::prepare(p, [l, k], N),
            |s, m| m.zero::<u64, u64>(s, &x).map(drop),
        );
        check(
            &name("bounded signed extension"),
            BoundedExtension::bill([l, k]).expect("a bill").times(N),
            |p| BoundedExtension::prepare(p, [l, k], N),
            |s, m| m.sign::<u64, u64>(s, &x).map(drop),
        );
        for plan in plans() {
            check(
                &name(&format!("extension by {plan:?}")),
                Extension::bill([l, k], plan).expect("a bill").times(N),
                |p| Extension::prepare(p, [l, k], plan, N),
                |s, m| m.sign::<u64, u64>(s, &x).map(drop),
            );
        }
    }
}
