//! Matrices times themselves, transposed: right in all ways, at the cost of their bills, which is about half of that of two
//! factors.

use crate::support::{
    billed::check,
    pairs::{both, pair, share_words},
    shares::random,
    sweep::{Random, is_long},
};

use hushtable::{
    AShare, Error, Party, Result,
    arith::{Gram, GramJob, LatticeTriplesJob, MatrixJob, MatrixShape, Objective, ProductTriples},
    bill::Bill,
    operation::{Operation, Products, SymmetricProducts},
    ot::Setting,
};
use prim::ring::{Ring, low};

const OBJECTIVES: [Objective; 3] = [Objective::Total, Objective::Online, Objective::Bytes];

fn expected([items, rows, inner]: [usize; 3], bits: u32, x: &[u64]) -> Vec<u64> {
    let entry = |i: usize| {
        let (item, row, column) = (i / (rows * rows), i / rows % rows, i % rows);
        let x = |row: usize, k: usize| x[(item * rows + row) * inner + k];
        low((0..inner).fold(0u64, |sum, k| sum.wrapping_add(x(row, k).wrapping_mul(x(column, k)))), bits)
    };
    (0..items * rows * rows).map(entry).collect()
}

fn right<R: Ring>(p: &mut Party, job: &GramJob, shape: [usize; 3], bits: u32, x: &[u64]) -> Result<()> {
    let mine: AShare<u64> = share_words(p.role(), bits, x, 5);
    let mine = AShare::<R>::new(bits, mine.words().iter().map(|word| R::from_u64(*word)).collect());
    let out = Gram::prepare(p, job)?.multiply(p, &mine)?;
    let opened: Vec<u64> = p.open(&out)?.iter().map(|word| word.to_u64()).collect();
    assert!(opened == expected(shape, bits, x), "{job:?}");
    Ok(())
}

fn ways(shape: [usize; 3], bits: u32) -> Vec<GramJob> {
    let mut ways =
        vec![GramJob::by_ots(shape, bits).expect("a job"), GramJob::by_triples(shape, bits).expect("a job")];
    ways.extend(OBJECTIVES.iter().filter_map(|objective| GramJob::by_lattice(shape, bits, *objective).ok()));
    assert_eq!(ways.len(), if bits < 8 { 2 } else { 5 });
    ways
}

/// Every width, in shapes up to 5 x 7, numbers at both ends of the range and any.
#[test]
fn all_widths_by_all_ways() {
    both(pair(2811, None), |p| {
        let mut random_number = Random::new(2811);
        for bits in 1..=64 {
            let mut side = |end| 1 + random_number.below(end) as usize;
            let shape = [side(3), side(5), side(7)];
            let count = shape.iter().product();
            let numbers = match bits % 3 {
                0 => vec![1 << (bits - 1); count],
                1 => vec![low(u64::MAX, bits); count],
                _ => random(bits, count, u64::from(bits)),
            };
            for job in ways(shape, bits) {
                right::<u64>(p, &job, shape, bits, &numbers)?;
                if bits <= 32 {
                    right::<u32>(p, &job, shape, bits, &numbers)?;
                }
            }
        }
        Ok(())
    });
}

/// Of 1 to 90 rows and 1 to 200 columns: 24 of them, and with `LONG` 1000.
#[test]
fn random_shapes_by_all_ways() {
    both(pair(2812, None), |p| {
        let mut random_number = Random::new(2812);
        for seed in 0..if is_long() { 1000 } else { 24 } {
            let most = [[1, 200], [90, 6], [12, 60]][seed as usize % 3];
            let mut side = |end| 1 + random_number.below(end) as usize;
            let shape = [side(3), side(most[0]), side(most[1])];
            let bits = 8 + side(57) as u32 - 1;
            let numbers = random(bits, shape.iter().product(), seed);
            let ways = ways(shape, bits);
            right::<u64>(p, &ways[seed as usize / 3 % ways.len()], shape, bits, &numbers)?;
        }
        Ok(())
    });
}

/// Bytes, rounds and OTs are those of the bills, with keys where a lattice needs them. Of shapes whose messages fill bytes.
#[test]
fn bills_are_met() {
    for shape in [[8, 1, 1], [8, 1, 5], [2, 4, 5], [1, 40, 5], [12, 4, 10]] {
        for (bits, job) in [1, 8, 13, 40, 64]
            .into_iter()
            .flat_map(|bits| ways(shape, bits).into_iter().map(move |job| (bits, job)))
        {
            let (mut bill, keys) = (job.bill(), job.keys().bill());
            (0..2).for_each(|party| bill.offline.bits[party] += keys.offline.bits[party]);
            let words = AShare::<u64>::new(bits, vec![low(7, bits); shape.iter().product()]);
            check(
                &format!("{job:?}"),
                bill,
                |p| Gram::prepare(p, &job),
                |s, m| m.multiply(s, &words).map(drop),
            );
        }
    }
}

/// What bills say all parties send, an OT as a bit.
fn sent(bill: &Bill) -> f64 {
    (bill.offline.all_bits() + bill.online.all_bits() + bill.all_cots()) as f64
}

/// A symmetric product sends half of what two factors take, by OTs and by lattices, and opens half.
#[test]
fn half_is_sent() {
    for ([rows, inner], bits) in [([256, 256], 40), ([100, 1000], 40), ([30, 20], 37)] {
        let shape = MatrixShape { batch: 1, rows, inner, columns: rows };
        let job = |made: Result<GramJob>| made.expect("a job").bill();
        let alone = [1, rows, inner];
        let ots = MatrixJob::shared(shape, bits).bill();
        let triples = ProductTriples::<u64>::bill(bits, shape);
        let lattice = LatticeTriplesJob::new(bits, shape, Objective::Total).expect("a job").bill();
        for (one, two) in [
            (job(GramJob::by_ots(alone, bits)), ots),
            (job(GramJob::by_triples(alone, bits)), triples),
            (job(GramJob::by_lattice(alone, bits, Objective::Total)), lattice),
        ] {
            let part = sent(&one) / sent(&two);
            assert!((0.48..0.53).contains(&part), "{shape:?}: {part} of two factors");
            assert!(one.online.all_bits() <= two.online.all_bits() / 2 + 1);
        }
    }
}

/// An operation goes the way that its shape and its objective want, and by a lattice where products of two factors do, or
/// about there.
#[test]
fn the_way_follows_from_the_shape() {
    let method = |rows, inner, objective| SymmetricProducts { rows, inner, bits: 40, objective }.method();
    for objective in [Objective::Total, Objective::Online, Objective::Bytes] {
        for [rows, inner] in [[64, 64], [100, 1000], [256, 256]] {
            let shape = MatrixShape { batch: 1, rows, inner, columns: rows };
            let two = Products { shape, bits: 40, objective }.method();
            assert_eq!(
                (method(rows, inner, objective).as_str(), two.as_str()),
                ("triples by lattices", &*two)
            );
        }
    }
    assert_eq!(method(1, 1, Objective::Total), "correlated OTs");
    assert_eq!(method(6, 9, Objective::Online), "triples");
    // So many as go together by a lattice still do, however many they are.
    let one = SymmetricProducts { rows: 100, inner: 1000, bits: 40, objective: Objective::Total };
    let bill = |items| one.bill(items, &Setting::default()).expect("a bill");
    assert_eq!([1, 64].map(|items| bill(items).all_cots()), [0, 0]);
}

#[test]
fn what_does_not_fit_is_refused() {
    for bits in [0, 65, u32::MAX] {
        for made in [GramJob::by_ots([1; 3], bits), GramJob::by_lattice([1; 3], bits, Objective::Total)] {
            assert!(matches!(made, Err(Error::Param { .. })), "{bits} bits");
        }
    }
    for shape in [[1, 0, 2], [1, 2, 0]] {
        let made = GramJob::by_lattice(shape, 40, Objective::Total);
        assert!(matches!(made, Err(Error::Param { .. })), "{shape:?}");
    }
    assert!(matches!(GramJob::by_lattice([1; 3], 7, Objective::Total), Err(Error::Param { .. })));
    both(pair(2813, None), |p| {
        for job in ways([2, 3, 4], 20) {
            for (bits, count) in [(20, 23), (20, 0), (19, 24), (21, 24)] {
                let x = AShare::<u32>::new(bits, vec![1; count]);
                let made = Gram::prepare(p, &job)?;
                assert!(matches!(made.multiply(p, &x), Err(Error::Shape { .. })), "{bits} bits, {count}");
            }
        }
        Ok(())
    });
}
