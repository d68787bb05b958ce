//! Sides of intervals: every pair of shares and every span of small rings, the ends of what is promised in wide
//! ones, and the cost.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Objective, Sides, SidesJob},
    net::Cost,
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg, ring::low};

const OBJECTIVES: [Objective; 4] = [Objective::Total, Objective::Online, Objective::Bytes, Objective::Rounds];

fn signed(x: u64, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

fn mine(role: Role, bits: u32, shares: &[[u64; 2]]) -> AShare<u64> {
    AShare::new(bits, shares.iter().map(|s| s[role as usize]).collect())
}

fn bit(opened: &[u64], i: usize) -> bool {
    opened[i / 64] >> (i % 64) & 1 == 1
}

/// Both sides of every number of the promised range.
fn check_sides(p: &mut Party, bits: u32, span: u64, objective: Objective, shares: &[[u64; 2]]) -> Result<()> {
    let job = SidesJob::sides(bits, span, objective)?;
    let x = mine(p.role(), bits, shares);
    let [below, above] = Sides::prepare(p, job, shares.len())?.sides(p, &x)?.map(|b| b.open(p));
    let (below, above, least) = (below?, above?, (1i64 << (bits - 1)).wrapping_neg());
    for (i, [a, b]) in shares.iter().enumerate() {
        let x = signed(a.wrapping_add(*b), bits);
        if x >= least.wrapping_add(span as i64) {
            let want = (x < 0, x >= span as i64);
            assert_eq!((bit(&below, i), bit(&above, i)), want, "{x} of {span}, {bits} bits, {objective:?}");
        }
    }
    Ok(())
}

/// Whether every number is inside.
fn check_inside(
    p: &mut Party,
    bits: u32,
    span: u64,
    objective: Objective,
    shares: &[[u64; 2]],
) -> Result<()> {
    let job = SidesJob::inside(bits, span, objective)?;
    let x = mine(p.role(), bits, shares);
    let inside = Sides::prepare(p, job, shares.len())?.inside(p, &x)?.open(p)?;
    for (i, [a, b]) in shares.iter().enumerate() {
        let x = low(a.wrapping_add(*b), bits);
        assert_eq!(bit(&inside, i), x < span, "{x} of {span}, {bits} bits, {objective:?}");
    }
    Ok(())
}

#[test]
fn every_pair_of_shares_of_six_bits() {
    let shares: Vec<[u64; 2]> = (0..1 << 12).map(|i| [i >> 6, i & 63]).collect();
    both(pair(1, None), |p| {
        for objective in OBJECTIVES {
            (2..=32).try_for_each(|span| check_sides(p, 6, span, objective, &shares))?;
            (2..=32).try_for_each(|span| check_inside(p, 6, span, objective, &shares))?;
        }
        Ok(())
    });
}

#[test]
fn wide_rings() {
    for (bits, span) in [(64, 1 << 20), (64, 3), (64, 1 << 62), (64, (1 << 40) + 1), (45, 3), (33, 1 << 31)] {
        let mut masks = vec![0u64; 64];
        Prg::new(Block(u128::from(span) + 7)).words(bits, &mut masks);
        let (half, span_signed) = (1i64 << (bits - 1), span as i64);
        let least = half.wrapping_neg();
        let ends =
            [0, span_signed, span_signed / 2, least.wrapping_add(span_signed), half.wrapping_sub(1), least];
        let near = ends.into_iter().flat_map(|end| (-2..=2).map(move |by| end.wrapping_add(by) as u64));
        let shares: Vec<[u64; 2]> = near
            .flat_map(|x| masks.iter().map(move |m| [*m, low(x.wrapping_sub(*m), bits)]))
            .map(|[a, b]| [low(a, bits), b])
            .collect();
        both(pair(span, None), |p| {
            for objective in [Objective::Total, Objective::Bytes] {
                check_sides(p, bits, span, objective, &shares)?;
                check_inside(p, bits, span, objective, &shares)?;
            }
            Ok(())
        });
    }
}

/// Offline and online, the correlated OTs being in stock.
fn costs(p: &mut Party, bits: u32, job: SidesJob, both_sides: bool, batch: usize) -> Result<[Cost; 2]> {
    let (send, recv) = job.bill()?.times(batch).cots_of(p.role());
    p.stock_cots(send, recv)?;
    let (material, offline) = p.metered(|p| Sides::prepare(p, job, batch))?;
    let x = AShare::<u64>::new(bits, vec![3; batch]);
    let (_, online) = p.metered(|p| match both_sides {
        true => material.sides(p, &x).map(drop),
        false => material.inside(p, &x).map(drop),
    })?;
    Ok([offline, online])
}

/// Of two batches, so that framing falls out.
#[test]
fn the_cost_is_the_formulas() {
    let sides = |bits, span| SidesJob::sides(bits, span, Objective::Total).unwrap();
    let inside = |bits, span| SidesJob::inside(bits, span, Objective::Total).unwrap();
    let jobs = [(64, sides(64, 1 << 20)), (45, sides(45, 3)), (64, inside(64, 1000)), (9, inside(9, 256))];
    for ((bits, job), both_sides) in jobs.into_iter().zip([true, true, false, false]) {
        let run =
            |p: &mut Party| Ok([costs(p, bits, job, both_sides, 64)?, costs(p, bits, job, both_sides, 128)?]);
        let (p0, p1) = both(pair(5, None), run);
        let sent = |phase: usize| {
            let of = |at: &[[Cost; 2]; 2]| at[1][phase].sent - at[0][phase].sent;
            (of(&p0) + of(&p1)) * 8 / 64
        };
        let bill = job.bill().unwrap();
        assert_eq!((sent(0), sent(1)), (bill.offline.all_bits(), bill.online.all_bits()), "{job:?}");
        assert_eq!(p0[0][1].rounds.max(p1[0][1].rounds), bill.online.rounds, "{job:?}");
        let (send, recv) = bill.times(3).cots_of(Role::P0);
        assert_eq!((recv, send), bill.times(3).cots_of(Role::P1));
        assert_eq!((send + recv) as u64, 3 * bill.all_cots(), "{job:?}");
    }
}

#[test]
fn refused() {
    for (bits, span) in [(8, 129), (8, 1), (8, 0), (65, 4), (1, 2), (3, 5)] {
        assert!(
            matches!(SidesJob::sides(bits, span, Objective::Total), Err(Error::Param { .. })),
            "{bits} {span}"
        );
    }
    for (bits, span) in [(8, 129), (8, 1), (65, 4), (0, 2)] {
        assert!(
            matches!(SidesJob::inside(bits, span, Objective::Total), Err(Error::Param { .. })),
            "{bits} {span}"
        );
    }
    let (sides, inside) =
        (SidesJob::sides(8, 9, Objective::Total).unwrap(), SidesJob::inside(8, 9, Objective::Total).unwrap());
    both(pair(6, None), |p| {
        let x = |count| AShare::<u64>::new(8, vec![0; count]);
        assert!(matches!(Sides::prepare(p, sides, 3)?.sides(p, &x(4)), Err(Error::Shape { .. })));
        assert!(matches!(Sides::prepare(p, inside, 3)?.inside(p, &x(4)), Err(Error::Shape { .. })));
        assert!(matches!(Sides::prepare(p, sides, 3)?.inside(p, &x(3)), Err(Error::Param { .. })));
        assert!(matches!(Sides::prepare(p, inside, 3)?.sides(p, &x(3)), Err(Error::Param { .. })));
        let narrow = AShare::<u64>::new(7, vec![0; 3]);
        assert!(matches!(Sides::prepare(p, sides, 3)?.sides(p, &narrow), Err(Error::Shape { .. })));
        assert!(Sides::prepare(p, sides, 0)?.sides(p, &x(0))?[0].is_empty());
        Ok(())
    });
}

#[test]
fn what_is_told_ends_where_the_ring_does() {
    let reach = |bits, span| SidesJob::sides(bits, span, Objective::Total).unwrap().reach();
    assert_eq!(reach(6, 3), -29..=31);
    assert_eq!(reach(64, 1 << 63), 0..=i64::MAX);
    assert_eq!(SidesJob::inside(64, 5, Objective::Total).unwrap().reach(), i64::MIN..=i64::MAX);
}
