//! Products by lattices: every small shape, all widths, ends of ranges, several in a session, and the cost.

use crate::support::{
    billed::{check, check_parts},
    pairs,
    shares::random,
    sweep::{Random, is_long},
};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        LatticeJob, LatticeProduct, LatticeTriplesJob, LinearJob, MatrixShape, Objective, ProductTriples,
    },
};
use pairs::{both, pair, share_words};
use prim::{Block, Prg, ring::low};

/// Numbers of the owner: random ones, or all the least or the greatest.
fn numbers(bits: u32, count: usize, seed: u64) -> Vec<i64> {
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    match seed % 4 {
        0 => vec![signed(1 << (bits - 1)); count],
        1 => vec![signed((1 << (bits - 1)) - 1); count],
        _ => random(bits, count, seed).into_iter().map(signed).collect(),
    }
}

fn product(shape: MatrixShape, bits: u32, a: &[u64], b: &[i64]) -> Vec<u64> {
    let MatrixShape { rows, inner, columns, .. } = shape;
    let entry = |i: usize| {
        let (batch, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
        let one = |k: usize| {
            let b = b[(batch * inner + k) * columns + column] as u64;
            a[(batch * rows + row) * inner + k].wrapping_mul(b)
        };
        low((0..inner).map(one).fold(0, u64::wrapping_add), bits)
    };
    (0..shape.out()).map(entry).collect()
}

/// Products of shares of `a` with numbers of the owner, opened.
fn multiply(p: &mut Party, job: LinearJob, a: &[u64], b: &[i64]) -> Result<Vec<u64>> {
    let numbers = if p.role() == job.owner { b } else { &[] };
    let material = LatticeProduct::prepare(p, &LatticeJob::new(job)?, numbers)?;
    let a = share_words(p.role(), job.bits, a, 5);
    let out = material.multiply(p, &a)?;
    p.open(&out)
}

fn right(p: &mut Party, shape: MatrixShape, job: LinearJob, seed: u64) -> Result<()> {
    let LinearJob { bits, number_bits, .. } = job;
    let a = match seed % 3 {
        0 => vec![low(u64::MAX, bits); shape.left()],
        1 => vec![1 << (bits - 1); shape.left()],
        _ => random(bits, shape.left(), seed),
    };
    let b = numbers(number_bits, shape.right(), seed);
    let found = multiply(p, job, &a, &b)?;
    assert!(found == product(shape, bits, &a, &b), "{job:?}, seed {seed}");
    Ok(())
}

#[test]
fn every_small_shape_is_right() {
    let shapes = (1..6).flat_map(|m| (1..6).flat_map(move |k| (1..6).map(move |n| [m, k, n])));
    let larger = [
        [1, 40, 3],
        [40, 1, 7],
        [13, 33, 40],
        [40, 40, 40],
        [1, 300, 70],
        [130, 9, 5],
        [300, 70, 80],
        [3000, 9, 40],
    ];
    let all: Vec<[usize; 3]> = shapes.chain(larger).collect();
    for owner in [Role::P0, Role::P1] {
        both(pair(2700, None), |p| {
            all.iter().zip(0..).try_for_each(|([rows, inner, columns], seed)| {
                let shape = MatrixShape { batch: 1, rows: *rows, inner: *inner, columns: *columns };
                right(p, shape, LinearJob { shape: shape.into(), bits: 37, number_bits: 15, owner }, seed)
            })
        });
    }
}

#[test]
fn every_width_is_right() {
    both(pair(2701, None), |p| {
        for (bits, number_bits) in
            (8..=64).flat_map(|bits| [1, 2, bits / 2, bits.min(63)].map(|of_numbers| (bits, of_numbers)))
        {
            let shape = MatrixShape { batch: 2, rows: 3, inner: 20, columns: 5 };
            let owner = [Role::P0, Role::P1][bits as usize % 2];
            right(
                p,
                shape,
                LinearJob { shape: shape.into(), bits, number_bits, owner },
                u64::from(bits + number_bits),
            )?;
        }
        Ok(())
    });
}

/// Products of shared factors are right, by triples of a lattice.
fn multiplied(p: &mut Party, job: &LatticeTriplesJob, a: &[u64], b: &[u64]) -> Result<()> {
    let (bits, shape) = (job.bits(), job.shape());
    let triples = ProductTriples::<u64>::by_lattice(p, job)?;
    let [x, y] = [(a, 5), (b, 6)].map(|(values, seed)| share_words(p.role(), bits, values, seed));
    let out = triples.multiply(p, &x, &y)?;
    let b: Vec<i64> = b.iter().map(|x| *x as i64).collect();
    assert!(p.open(&out)? == product(shape, bits, a, &b), "{shape:?}, {bits} bits");
    Ok(())
}

/// Of random shapes, also those of which the right matrix is encrypted, transposed.
#[test]
fn random_shapes_of_shared_factors_are_right() {
    both(pair(2717, None), |p| {
        let mut prg = Prg::new(Block(2717));
        for seed in 0..24 {
            let mut side = || 1 + prg.below([3, 40, 200][seed as usize % 3]) as usize;
            let shape = MatrixShape { batch: 1, rows: side(), inner: side(), columns: side() };
            let bits = 8 + prg.below(57);
            let objective = [Objective::Total, Objective::Bytes][seed as usize / 3 % 2];
            let (a, b) = (random(bits, shape.left(), seed), random(bits, shape.right(), seed + 90));
            multiplied(p, &LatticeTriplesJob::new(bits, shape, objective)?, &a, &b)?;
        }
        Ok(())
    });
}

/// Of 1 to 40 a side and any widths: one factor known to one party, and the other shared or the other party's, or both shared.
/// 36 of them, and with `LONG` 3000.
#[test]
fn random_products_are_right() {
    both(pair(2718, None), |p| {
        let mut random_number = Random::new(2718);
        for seed in 0..if is_long() { 3000 } else { 36 } {
            let mut below = |end| random_number.below(end);
            let mut side = || 1 + below(40) as usize;
            let shape = MatrixShape { batch: 1, rows: side(), inner: side(), columns: side() };
            let bits = 8 + below(57) as u32;
            let number_bits = 1 + below(u64::from(bits.min(63))) as u32;
            let owner = [Role::P0, Role::P1][below(2) as usize];
            let job = LinearJob { shape: shape.into(), bits, number_bits, owner };
            let a = random(bits, shape.left(), seed + 4);
            match seed % 3 {
                0 => right(p, shape, job, seed)?,
                1 => {
                    let b = numbers(number_bits, shape.right(), seed);
                    let known = if p.role() == owner { &b[..] } else { &[] };
                    let material = LatticeProduct::prepare(p, &LatticeJob::new(job)?, known)?;
                    let mine = if p.role() == owner { vec![0; a.len()] } else { a.clone() };
                    let out = material.multiply(p, &AShare::<u64>::new(bits, mine))?;
                    assert!(p.open(&out)? == product(shape, bits, &a, &b), "{job:?}, seed {seed}");
                }
                _ => {
                    let objective = [Objective::Total, Objective::Bytes][below(2) as usize];
                    let b = random(bits, shape.right(), seed + 90);
                    multiplied(p, &LatticeTriplesJob::new(bits, shape, objective)?, &a, &b)?;
                }
            }
        }
        Ok(())
    });
}

/// Whoever wants least bytes gets tiles that send less, and a right matrix that is smaller than the left one is encrypted.
#[test]
fn an_objective_chooses_the_tiles() {
    let bytes = |rows, inner, columns, objective| {
        let shape = MatrixShape { batch: 1, rows, inner, columns };
        let triples = LatticeTriplesJob::new(37, shape, objective).expect("a job").bill().bytes();
        let map = LinearJob { shape: shape.into(), bits: 37, number_bits: 15, owner: Role::P0 };
        let job = LatticeJob::of(map, objective).expect("a job");
        [triples, job.bill().bytes()]
    };
    let [fast, least] =
        [Objective::Total, Objective::Bytes].map(|objective| bytes(128, 768, 3072, objective)[1]);
    assert!(least < fast - fast / 10.0, "{least} of {fast}");
    let [[wide, _], [tall, _]] =
        [bytes(128, 128, 64, Objective::Total), bytes(64, 128, 128, Objective::Total)];
    assert_eq!(wide, tall, "transposed");
}

#[test]
fn bills_of_triples_are_met() {
    for [batch, rows, inner, columns] in [[2, 3, 5, 2], [1, 64, 64, 4], [1, 2, 70, 64]] {
        let shape = MatrixShape { batch, rows, inner, columns };
        let job = LatticeTriplesJob::new(32, shape, Objective::Total).expect("a job");
        let (mut bill, keys) = (job.bill(), job.keys().bill());
        (0..2).for_each(|party| bill.offline.bits[party] += keys.offline.bits[party]);
        bill.offline.rounds += keys.offline.rounds;
        let words = |count| AShare::<u64>::new(32, vec![7; count]);
        check_parts(
            &format!("triples of {shape:?}"),
            bill,
            0,
            |p| ProductTriples::<u64>::by_lattice(p, &job),
            |s, m| m.multiply(s, &words(shape.left()), &words(shape.right())).map(drop),
        );
    }
}

#[test]
fn bills_are_met() {
    for (owner, [rows, inner, columns]) in
        [(Role::P0, [3, 5, 2]), (Role::P1, [32, 64, 32]), (Role::P0, [1, 200, 100])]
    {
        let shape = MatrixShape { batch: 2, rows, inner, columns };
        let job = LatticeJob::new(LinearJob { shape: shape.into(), bits: 32, number_bits: 9, owner })
            .expect("a job");
        let mut bill = job.bill();
        let keys = job.keys().bill();
        (0..2).for_each(|party| bill.offline.bits[party] += keys.offline.bits[party]);
        check(
            &format!("{job:?}"),
            bill,
            |p| {
                let numbers = vec![-1; if p.role() == owner { shape.right() } else { 0 }];
                LatticeProduct::prepare(p, &job, &numbers)
            },
            |s, m| m.multiply(s, &AShare::<u64>::new(32, vec![7; shape.left()])).map(drop),
        );
    }
}

/// Of shared factors: by triples.
#[test]
fn shared_factors_are_multiplied() {
    both(pair(2704, None), |p| {
        for (seed, (bits, [batch, rows, inner, columns])) in (0u64..).zip([
            (8, [1, 1, 1, 1]),
            (16, [2, 3, 4, 5]),
            (37, [3, 16, 64, 16]),
            (64, [1, 7, 100, 9]),
            (48, [1, 2, 300, 70]),
            (37, [1, 70, 300, 2]),
            (37, [2, 128, 100, 30]),
        ]) {
            let shape = MatrixShape { batch, rows, inner, columns };
            let ends = |count| match seed % 2 {
                0 => vec![1 << (bits - 1); count],
                _ => random(bits, count, seed),
            };
            let (a, b) = (ends(shape.left()), random(bits, shape.right(), seed + 9));
            let objective = [Objective::Total, Objective::Bytes][seed as usize % 2];
            multiplied(p, &LatticeTriplesJob::new(bits, shape, objective)?, &a, &b)?;
        }
        Ok(())
    });
}

/// More than a channel holds while both parties send: one product, and many.
#[test]
fn large_products_do_not_wait_for_each_other() {
    both(pair(2705, None), |p| {
        for [batch, side] in [[2, 1536], [12, 512]] {
            let shape = MatrixShape { batch, rows: side, inner: 2, columns: side };
            let job = LatticeTriplesJob::new(64, shape, Objective::Total)?;
            let bill = job.bill();
            assert!(bill.offline.bits[0] / 8 > 17 << 20, "{} bits", bill.offline.bits[0]);
            let triples = ProductTriples::<u64>::by_lattice(p, &job)?;
            let a = share_words(p.role(), 64, &vec![3; shape.left()], 5);
            let b = share_words(p.role(), 64, &vec![7; shape.right()], 6);
            let out = triples.multiply(p, &a, &b)?;
            assert!(p.open(&out)?.iter().all(|x| *x == 42), "{shape:?}");
        }
        Ok(())
    });
}

/// Keys are made once for all products of the same parameters.
#[test]
fn keys_serve_a_session() {
    both(pair(2702, None), |p| {
        let shape = MatrixShape { batch: 1, rows: 32, inner: 64, columns: 64 };
        let job = LinearJob { shape: shape.into(), bits: 32, number_bits: 9, owner: Role::P0 };
        let keys = LatticeJob::new(job)?.keys().bill().offline.bits[1] / 8;
        assert!(keys > 500_000, "{keys} bytes of keys");
        let mut sent = || -> Result<u64> {
            p.take_cost();
            right(p, shape, job, 9)?;
            Ok(p.take_cost().sent)
        };
        let (first, second, third) = (sent()?, sent()?, sent()?);
        if p.role() == Role::P1 {
            assert_eq!(second, third);
            assert!(
                (keys..keys + 1000).contains(&(first - second)),
                "{first} and {second} bytes, keys of {keys}"
            );
        }
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let shape = MatrixShape { batch: 1, rows: 2, inner: 2, columns: 2 };
    let fine = LinearJob { shape: shape.into(), bits: 32, number_bits: 9, owner: Role::P0 };
    let none = |rows, inner, columns| LinearJob {
        shape: MatrixShape { batch: 1, rows, inner, columns }.into(),
        ..fine
    };
    for job in [
        LinearJob { bits: 7, number_bits: 3, ..fine },
        LinearJob { bits: 65, ..fine },
        LinearJob { number_bits: 0, ..fine },
        LinearJob { number_bits: 33, ..fine },
        none(0, 2, 2),
        none(2, 0, 2),
        none(2, 2, 0),
        LinearJob { bits: 64, number_bits: 63, ..none(2, 1 << 40, 2) },
    ] {
        assert!(matches!(LatticeJob::new(job), Err(Error::Param { .. })), "{job:?}");
    }
    let job = LatticeJob::new(fine).expect("a job");
    let refused = |numbers: &'static [i64]| {
        both(pair(2703, None), |p| {
            if p.role() == Role::P0 {
                let error = LatticeProduct::prepare(p, &job, numbers).err().expect("refused");
                assert!(matches!(error, Error::Param { .. } | Error::Shape { .. }), "{error}");
                assert!(!error.to_string().contains("300"), "{error}");
                assert!(numbers.len() == 3 || error.to_string().contains("the one at 2"), "{error}");
            }
            Ok(())
        });
    };
    refused(&[1; 3]);
    refused(&[1, 2, 300, 4]);
}
