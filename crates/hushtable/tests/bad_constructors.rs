//! Every public constructor, out of its range: an error that says so, never a panic, and nothing is sent.

use crate::support::pairs;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        self, Absolute, BoundedExtension, Clamp, CompareJob, ComparePlan, Comparison, Decomposition,
        Equality, Extension, FaithfulReduction, FaithfulTruncation, Fixed, FoldedProducts, KnownProducts,
        MatrixJob, MatrixProduct, MatrixShape, Maximum, Millionaires, Multiplication, Objective,
        ProductTriples, Relu, Sides, SidesJob, SmallProducts, Squares, Truncation, VectorMaximum,
    },
    gates::{B2a, DaBits, Mux, Triples},
    lut::{
        LookupJob, Protocol, Table,
        arithmetic::Arithmetic,
        flute::Flute,
        oplut::OpLut,
        ottt::Ottt,
        read::{Signed, polynomial},
        splut::SpLut,
    },
    math::{
        self, Affine, Bounds, Evaluation, Function, Gelu, GeluJob, Norm, NormJob, Options, Reciprocal,
        ReciprocalJob, Softmax, SoftmaxJob,
    },
    net::Cost,
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::{codes, one_of_n},
    permutation::{Arrays, permute, rotate},
    share::{Additive, Bitwise, Share, Sharing},
};
use pairs::{both, pair, share};
use prim::Shift;

type Call = fn(&mut Party) -> Result<()>;

const DIGITS: ComparePlan = ComparePlan { method: arith::DigitMethod::Thermometer, digit: 4 };
const WIDTHS: [u32; 6] = [0, 65, 66, 128, 1 << 31, u32::MAX];
const INDEX_BITS: [u32; 7] = [0, 21, 32, 63, 64, 65, u32::MAX];

/// Calls that each must be refused; then those that follow are.
#[track_caller]
fn all(calls: impl IntoIterator<Item = Result<()>>) -> Result<()> {
    for (i, outcome) in calls.into_iter().enumerate() {
        match outcome {
            Err(Error::Param { .. } | Error::Shape { .. }) => {}
            Err(other) => panic!("call {i}, another kind of error: {other:?}"),
            Ok(()) => panic!("call {i} is accepted"),
        }
    }
    Ok(())
}

fn generators<G: Group>(p: &mut Party) -> Result<()> {
    all(INDEX_BITS.into_iter().flat_map(|n| {
        [
            OneHot::<G>::rotl(p, n, 1).map(drop),
            OneHot::<G>::doubling(p, n, 1).map(drop),
            OneHot::<G>::tree(p, n, 1).map(drop),
            OneHot::<G>::staged(p, n, 1).map(drop),
            OneHot::<G>::balanced(p, n, 1).map(drop),
            OneHot::<G>::flute_plus(p, n, 1).map(drop),
            Arithmetic::<G, u32>::prepare(p, n, 9, 1).map(drop),
        ]
    }))
}

fn arrays(p: &mut Party) -> Result<()> {
    let lens = [0, 1, 1 << 21, usize::MAX].map(|len| Arrays { count: 1, len, bits: 8 });
    let widths = [0, 17, 64, u32::MAX].map(|bits| Arrays { count: 1, len: 4, bits });
    all(lens.into_iter().chain(widths).flat_map(|of| {
        [
            permute::permute::<Additive, u16>(p, of, &[0; 4]).map(drop),
            permute::hold::<Additive, u16>(p, of, &[0; 4]).map(drop),
            rotate::turn::<Additive, u16>(p, of, Shift::Cyclic, &[0]).map(drop),
            rotate::turn_random::<Additive, u16>(p, of, Shift::Cyclic).map(drop),
            rotate::hold::<Additive, u16>(p, of, Shift::Xor, &[0; 4]).map(drop),
            rotate::hold_random::<Additive, u16>(p, of, Shift::Xor, &[0; 4]).map(drop),
        ]
    }))
}

fn lookups(p: &mut Party) -> Result<()> {
    let long = Table::<u8>::tabulate(13, 8, |x| x)?;
    let odd = Table::<u8>::new(8, vec![1; 12])?;
    all([
        OpLut::<Cyclic, Additive, u8>::prepare(p, &long, 1).map(drop),
        OpLut::<Xor, Bitwise, u8>::prepare(p, &odd, 1).map(drop),
        OpLut::<Xor, Bitwise, u8>::prepare_kk13(p, &odd, 1).map(drop),
        Ottt::<Xor, u8>::prepare(p, &long, 1).map(drop),
        Ottt::<Xor, u8>::prepare(p, &odd, 1).map(drop),
        SpLut::<Cyclic>::prepare_kk13(p, (1 << 13) + 1, 1).map(drop),
        SpLut::<Cyclic>::prepare(p, 0, 1).map(drop),
    ])?;
    all(INDEX_BITS.map(|n| Flute::prepare(p, n, 8, 1).map(drop)))?;
    all(INDEX_BITS.map(|n| long.clone().pad(n, 0).map(drop)).into_iter().skip(1))?;
    all(WIDTHS.map(|bits| Flute::prepare(p, 3, bits, 1).map(drop)))?;
    all(WIDTHS.map(|bits| Arithmetic::<Xor, u64>::prepare(p, 3, bits, 1).map(drop)))?;
    all(WIDTHS.map(|bits| OneHot::<Xor>::rotl(p, 3, 1)?.signed(p, &[bits]).map(drop)))?;
    all(WIDTHS.map(|bits| Signed::<Xor>::bill(3, &[8, bits]).map(drop)))
}

/// Those whose outcome is a count of correlated OTs, or nothing for what is not served.
fn counts() {
    let sizes = [0, 1, 3, (1 << 13) + 1, 1 << 14, (1 << 20) + 1, usize::MAX];
    for n in sizes {
        one_of_n::product_cots(n, (3, 3));
        let refused = !(2..=1 << 13).contains(&n);
        assert!(!refused || one_of_n::code_cots(n, (3, 3)) == (0, 0), "{n}");
    }
    for n in INDEX_BITS.into_iter().chain([14, 17]) {
        assert_eq!(one_of_n::code_columns(n), 0, "{n}");
        for protocol in Protocol::ALL {
            for (index, output) in [(Sharing::Additive, Sharing::Additive), (Sharing::Xor, Sharing::Xor)] {
                for value_bits in [0, 8, 65] {
                    let job = LookupJob { index, output, index_bits: n, value_bits };
                    let refused = protocol.check(&job).is_err();
                    assert_eq!(protocol.bill(&job, 3).is_err(), refused, "{protocol} at {n} bits");
                }
            }
        }
    }
}

fn ots(p: &mut Party) -> Result<()> {
    counts();
    all([0, 14, 15, u32::MAX].map(|k| codes::Code::new(k).map(drop)))?;
    all([0, 1, (1 << 13) + 1, 1 << 14, usize::MAX].map(|n| p.random_ots(n, (3, 3)).map(drop)))
}

fn gates(p: &mut Party) -> Result<()> {
    all([0, 65, usize::MAX].map(|k| Triples::shared(p, 3, k).map(drop)))?;
    all([0, 17, u32::MAX].map(|bits| DaBits::<u16>::random(p, bits, 3).map(drop)))?;
    all([0, 65, u32::MAX].map(|width| B2a::prepare(p, width, 3).map(drop)))?;
    all([0, 65, u32::MAX].map(|width| Mux::prepare(p, 3, &[width]).map(drop)))
}

fn digits(p: &mut Party) -> Result<()> {
    for digit in [0, 7, u32::MAX] {
        let plan = ComparePlan { digit, ..DIGITS };
        let job = CompareJob { bits: 20, domain: arith::CompareDomain::Near, plan };
        all([
            Millionaires::prepare(p, 20, plan, 1).map(drop),
            Comparison::prepare(p, job, 1).map(drop),
            Maximum::prepare(p, job, 1).map(drop),
            VectorMaximum::prepare(p, job, 1, 4).map(drop),
            Relu::prepare(p, job, 1).map(drop),
            Relu::within(p, job, 30, 1).map(drop),
            Absolute::prepare(p, job, 1).map(drop),
            Clamp::prepare(p, job, 1).map(drop),
            Equality::prepare(p, 20, digit, 1).map(drop),
            Decomposition::prepare(p, 20, digit, 1).map(drop),
            Extension::prepare(p, [20, 30], plan, 1).map(drop),
            Extension::bill([20, 30], plan).map(drop),
            FaithfulTruncation::prepare(p, 20, 7, plan, 1).map(drop),
            FaithfulReduction::prepare(p, 20, 7, plan, 1).map(drop),
            plan.bill(20).map(drop),
        ])?;
    }
    Ok(())
}

fn comparisons(p: &mut Party) -> Result<()> {
    for bits in WIDTHS {
        all([
            Millionaires::prepare(p, bits, DIGITS, 1).map(drop),
            DIGITS.bill(bits).map(drop),
            Equality::prepare(p, bits, 4, 1).map(drop),
            Equality::bill(bits, 4).map(drop),
            Decomposition::prepare(p, bits, 4, 1).map(drop),
            Extension::prepare(p, [bits, 64], DIGITS, 1).map(drop),
            Extension::prepare(p, [8, bits], DIGITS, 1).map(drop),
            FaithfulTruncation::prepare(p, 64, bits, DIGITS, 1).map(drop),
            FaithfulTruncation::prepare(p, bits, 1, DIGITS, 1).map(drop),
            FaithfulReduction::prepare(p, 64, bits, DIGITS, 1).map(drop),
            FaithfulReduction::prepare(p, bits, 1, DIGITS, 1).map(drop),
            ComparePlan::best(bits, Objective::Total).map(drop),
            SidesJob::sides(bits, 4, Objective::Total).map(drop),
            SidesJob::inside(bits, 4, Objective::Bytes).map(drop),
        ])?;
        for domain in
            [arith::CompareDomain::Near, arith::CompareDomain::Signed, arith::CompareDomain::Unsigned]
        {
            let job = CompareJob { bits, domain, plan: DIGITS };
            all([
                CompareJob::new(bits, domain, Objective::Rounds).map(drop),
                job.bill().map(drop),
                Comparison::prepare(p, job, 1).map(drop),
                Relu::prepare(p, job, 1).map(drop),
                Absolute::prepare(p, job, 1).map(drop),
                Clamp::prepare(p, job, 1).map(drop),
                Maximum::prepare(p, job, 1).map(drop),
                VectorMaximum::prepare(p, job, 1, 4).map(drop),
            ])?;
        }
    }
    Ok(())
}

fn maximum_and_sides(p: &mut Party) -> Result<()> {
    let job = CompareJob::new(20, arith::CompareDomain::Near, Objective::Total)?;
    all([VectorMaximum::prepare(p, job, 1, 0).map(drop)])?;
    all([0, 1, (1 << 19) + 1, u64::MAX].map(|span| {
        let job = SidesJob::sides(20, span, Objective::Total)?;
        Sides::prepare(p, job, 1).map(drop)
    }))
}

fn numbers(p: &mut Party) -> Result<()> {
    let x = AShare::<u32>::new(20, vec![1; 4]);
    let rows = MatrixShape { batch: 1, rows: 2, inner: 2, columns: 1 };
    all([0, 33, 64, u32::MAX].map(|bits| ProductTriples::<u32>::random(p, bits, rows).map(drop)))?;
    for bits in WIDTHS {
        all([
            KnownProducts::prepare(p, bits, Role::P0, 2, 2).map(drop),
            Multiplication::prepare(p, bits, 2).map(drop),
            Squares::prepare(p, bits, 2).map(drop),
            SmallProducts::prepare(p, bits, 2).map(drop),
            Squares::bill(bits).map(drop),
            SmallProducts::bill(64, bits).map(drop),
            SmallProducts::bill(bits, 1).map(drop),
            FoldedProducts::prepare(p, &[8, bits], 2).map(drop),
            FoldedProducts::bill(&[8, bits]).map(drop),
            MatrixProduct::prepare(p, MatrixJob::shared(rows, bits)).map(drop),
        ])?;
    }
    all([20, 21, 64, u32::MAX].map(|scale| Fixed::new(x.clone(), scale).map(drop)))?;
    all([0, 20, 33, u32::MAX].map(|f| Truncation::prepare(p, 20, f, 1).map(drop)))?;
    all([20, 33, u32::MAX].map(|f| arith::truncate_reduce(&x, f).map(drop)))?;
    all([20, 33, u32::MAX].map(|f| arith::insecure_truncate_local(Role::P0, &x, f).map(drop)))?;
    for widths in [[20, 20], [20, 0], [20, 65], [20, u32::MAX], [0, 20], [64, 64], [u32::MAX, 20]] {
        all([BoundedExtension::prepare(p, widths, 1).map(drop), BoundedExtension::bill(widths).map(drop)])?;
    }
    all([SmallProducts::bill(20, 21).map(drop)])?;
    let mut material = || Multiplication::prepare(p, 20, 4);
    let made = [material()?, material()?, material()?, material()?];
    let [first, second, third, last] = made;
    all([(first, 0), (second, 3), (third, usize::MAX)]
        .map(|(material, len)| material.inner_products(p, &x, &x, len).map(drop)))?;
    all([last.multiply(p, &x, &AShare::<u32>::new(20, vec![1; 3])).map(drop)])
}

fn functions(p: &mut Party) -> Result<()> {
    let options = Options::default();
    for bits in WIDTHS {
        let (norm, norms) = ([0.25, 4.0], (2, 3));
        all([
            Evaluation::new(Function::Sigmoid, bits, 8, &options).map(drop),
            Softmax::prepare(p, SoftmaxJob { rows: 2, ..SoftmaxJob::new(3, bits, 12) }).map(drop),
            Gelu::prepare(p, GeluJob { batch: 6, ..GeluJob::new(bits, 12) }).map(drop),
            Reciprocal::prepare(p, reciprocal(bits, 12), 3).map(drop),
            Norm::prepare(p, layer(norms, bits, 12, norm), &plain(3)).map(drop),
        ])?;
    }
    Ok(())
}

fn scales(p: &mut Party) -> Result<()> {
    let options = Options::default();
    for scale in [37, 64, 200, u32::MAX] {
        all([
            Evaluation::new(Function::Sigmoid, 37, scale, &options).map(drop),
            Softmax::prepare(p, SoftmaxJob { rows: 2, ..SoftmaxJob::new(3, 37, scale) }).map(drop),
            Gelu::prepare(p, GeluJob { batch: 6, ..GeluJob::new(37, scale) }).map(drop),
            Gelu::prepare(p, GeluJob { magnitude: Some(scale), ..GeluJob::new(37, 12) }).map(drop),
            Softmax::prepare(p, SoftmaxJob { magnitude: Some(scale), ..SoftmaxJob::new(3, 37, 12) })
                .map(drop),
            Reciprocal::prepare(p, reciprocal(37, scale), 3).map(drop),
            Norm::prepare(p, layer((2, 3), 37, scale, [0.25, 4.0]), &plain(3)).map(drop),
        ])?;
    }
    Ok(())
}

fn bounds(p: &mut Party) -> Result<()> {
    let wrong = [[f64::NAN, 1.0], [1.0, 1.0], [2.0, 1.0], [-1.0, 1.0], [0.0, f64::INFINITY]];
    // A single number may have a reciprocal.
    for bounds in wrong.into_iter().filter(|bounds| bounds[0] != bounds[1]) {
        all([
            Reciprocal::prepare(p, ReciprocalJob { bounds, ..reciprocal(37, 12) }, 3).map(drop),
            Norm::prepare(p, layer((2, 3), 37, 12, bounds), &plain(3)).map(drop),
        ])?;
    }
    for bounds in &wrong[..3] {
        let domain = Some(Bounds { lo: bounds[0], hi: bounds[1] });
        let options = Options::default().domain(domain);
        all([
            Evaluation::new(Function::Sigmoid, 37, 8, &options).map(drop),
            math::Domain::new(Bounds { lo: bounds[0], hi: bounds[1] }, 8).map(drop),
        ])?;
    }
    Ok(())
}

fn splines(p: &mut Party) -> Result<()> {
    all([0, 65, u32::MAX].map(|pieces| {
        let method = math::Method::Spline { degree: 2, pieces };
        Evaluation::new(Function::Sigmoid, 37, 8, &Options::default().method(method)).map(drop)
    }))?;
    let shape =
        |degree, bits, ring, cut| polynomial::PolynomialShape { degree, bits, ring, cut, carry: false };
    let wrong = [(0, 8, 20, 0), (9, 8, 20, 0), (2, 0, 20, 0), (2, 64, 64, 0), (2, 8, 65, 0), (1, 8, 20, 20)]
        .map(|(degree, bits, ring, cut)| shape(degree, bits, ring, cut));
    all(wrong.map(|shape| OneHot::<Cyclic>::rotl(p, 3, 1)?.polynomial(p, shape).map(drop)))
}

fn reciprocal(bits: u32, scale: u32) -> ReciprocalJob {
    ReciprocalJob { bits, scale, scale_out: scale, bounds: [1.0, 9.0], dividend: 0.0 }
}

fn plain(len: usize) -> Affine {
    Affine::public(vec![1.0; len], vec![0.0; len])
}

fn layer((rows, len): (usize, usize), bits: u32, scale: u32, variance: [f64; 2]) -> NormJob {
    NormJob {
        rows,
        len,
        bits,
        scale,
        largest: 8.0,
        variance,
        epsilon: 0.25,
        gain: 2.0,
        gains_known_to: None,
        objective: Objective::Total,
    }
}

const CALLS: [(&str, Call); 14] = [
    ("generators, cyclic", generators::<Cyclic>),
    ("generators, xor", generators::<Xor>),
    ("lookups", lookups),
    ("permutations", arrays),
    ("ots", ots),
    ("gates", gates),
    ("digits", digits),
    ("comparisons", comparisons),
    ("maximum and sides", maximum_and_sides),
    ("numbers", numbers),
    ("functions", functions),
    ("scales", scales),
    ("bounds", bounds),
    ("splines", splines),
];

/// What is refused sends nothing and leaves no trace: a lookup after it is right.
#[test]
fn every_constructor_refuses_what_it_does_not_serve() {
    let failed = CALLS.into_iter().zip(900..).filter(|&((name, call), seed)| {
        let run = || {
            both(pair(seed, None), |p| {
                p.stock_cots(1000, 1000)?; // what is made before it is refused takes from these
                call(p)?;
                let table = Table::<u16>::tabulate(4, 16, |x| 1000 + x)?;
                let x: Share<Additive, u32> = share(p.role(), 4, &[3, 9], seed);
                let y = OneHot::<Cyclic>::rotl(p, 4, 2)?.signed(p, &[16])?.lookup(p, &table, &x)?;
                p.open(&y)
            })
        };
        println!("{name}, seed {seed}");
        !catch_unwind(AssertUnwindSafe(run)).is_ok_and(|(opened, _)| opened == [1003, 1009])
    });
    let failed: Vec<_> = failed.map(|((name, _), seed)| (name, seed)).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Refusals cost nothing: neither party waits for the other.
#[test]
fn random_ots_out_of_range_send_nothing() {
    both(pair(909, None), |p| {
        let (refused, cost) = p.metered(|p| Ok([1, 1 << 14].map(|n| p.random_ots(n, (9, 9)).err())))?;
        for error in refused {
            let text = error.expect("refused").to_string();
            assert!(text.starts_with("pads of an OT: 1"), "{text}");
            assert!(text.ends_with("is not supported; accepted: 2 to 8192"), "{text}");
        }
        assert_eq!(cost, Cost { sent: 0, received: 0, rounds: 0 });
        Ok(())
    });
}
