//! Comparison of shared numbers: every pair of shares of 4 bits, every pair of numbers of 8 bits,
//! boundary values at larger widths.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Objective},
    gates::Bits,
};
use pairs::{both, pair};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

const DOMAINS: [CompareDomain; 3] = [CompareDomain::Near, CompareDomain::Signed, CompareDomain::Unsigned];
const OBJECTIVES: [Objective; 4] = [Objective::Total, Objective::Online, Objective::Bytes, Objective::Rounds];

fn signed(x: u64, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

/// What the comparison says, where it says anything.
fn plain(domain: CompareDomain, bits: u32, x: u64, y: u64) -> Option<bool> {
    let (a, b) = (i128::from(signed(x, bits)), i128::from(signed(y, bits)));
    let half = 1i128 << (bits - 1);
    match domain {
        CompareDomain::Unsigned => Some(x >= y),
        CompareDomain::Signed => Some(a >= b),
        CompareDomain::Near => (-half..half).contains(&(a - b)).then_some(a >= b),
    }
}

fn bit(opened: &[u64], i: usize) -> bool {
    opened[i / 64] >> (i % 64) & 1 == 1
}

/// Compares numbers given by both parties' shares `[x_0, x_1, y_0, y_1]`.
fn check<R: Ring>(p: &mut Party, job: CompareJob, shares: &[[u64; 4]]) -> Result<()> {
    let bits = job.bits;
    let of = |i: usize| AShare::<R>::new(bits, shares.iter().map(|s| R::from_u64(s[i])).collect());
    let (x, y) = match p.role() {
        Role::P0 => (of(0), of(2)),
        Role::P1 => (of(1), of(3)),
    };
    let ge = Comparison::prepare(p, job, shares.len())?.ge(p, &x, &y)?.open(p)?;
    let less = Comparison::prepare(p, job, shares.len())?.less(p, &x, &y)?.open(p)?;
    for (i, s) in shares.iter().enumerate() {
        let (x, y) = (low(s[0].wrapping_add(s[1]), bits), low(s[2].wrapping_add(s[3]), bits));
        if let Some(want) = plain(job.domain, bits, x, y) {
            assert_eq!(bit(&ge, i), want, "{x} >= {y}, {job:?}");
            assert_eq!(bit(&less, i), !want, "{x} < {y}, {job:?}");
        }
    }
    Ok(())
}

#[test]
fn every_share_of_4_bits() {
    let shares: Vec<[u64; 4]> = (0..1u64 << 16).map(|i| [0, 4, 8, 12].map(|at| i >> at & 15)).collect();
    both(pair(1, None), |p| {
        for domain in DOMAINS {
            check::<u8>(p, CompareJob::new(4, domain, Objective::Total)?, &shares)?;
        }
        check::<u8>(p, CompareJob::new(2, CompareDomain::Near, Objective::Total)?, &shares[..0])
    });
}

/// Longer than 10 s: 2^16 pairs by each domain and objective.
#[test]
fn every_pair_of_numbers_of_8_bits() {
    let mut prg = Prg::new(Block(8));
    let mut masks = vec![0u64; 1 << 17];
    prg.words(8, &mut masks);
    let split = |i: u64, x: u64| {
        let mask = masks[i as usize];
        [mask, low(x.wrapping_sub(mask), 8)]
    };
    let pairs = (0..1u64 << 16).map(|i| [split(2 * i, i >> 8), split(2 * i + 1, i & 255)].concat());
    let shares: Vec<[u64; 4]> = pairs.map(|s| [s[0], s[1], s[2], s[3]]).collect();
    both(pair(2, None), |p| {
        for (domain, objective) in DOMAINS.iter().flat_map(|&d| OBJECTIVES.map(|o| (d, o))) {
            check::<u16>(p, CompareJob::new(8, domain, objective)?, &shares)?;
        }
        Ok(())
    });
}

#[test]
fn bounds_of_all_widths() {
    both(pair(3, None), |p| {
        for bits in [1, 2, 3, 7, 16, 31, 32, 33, 63, 64] {
            let (top, mut prg) = (low(u64::MAX, bits), Prg::new(Block(bits.into())));
            let numbers =
                [0, 1, top / 2 - u64::from(bits > 1), top / 2, top / 2 + 1, top - 1, top, prg.u64()];
            let mut shares = Vec::new();
            for (x, y) in numbers.iter().flat_map(|x| numbers.map(|y| (*x, y))) {
                for mask in [0, 1, top / 2, top / 2 + 1, top, x, y, prg.u64()] {
                    let other = prg.u64();
                    shares.push(
                        [mask, x.wrapping_sub(mask), other, y.wrapping_sub(other)].map(|s| low(s, bits)),
                    );
                    shares.push(
                        [other, x.wrapping_sub(other), mask, y.wrapping_sub(mask)].map(|s| low(s, bits)),
                    );
                }
            }
            for domain in DOMAINS.into_iter().filter(|&d| bits > 1 || d != CompareDomain::Near) {
                check::<u64>(p, CompareJob::new(bits, domain, Objective::Total)?, &shares)?;
            }
        }
        Ok(())
    });
}

/// The case that the printed protocol gets wrong: a share whose low bits are all 0.
#[test]
fn signs_of_every_pair_of_shares_of_8_bits() {
    both(pair(4, None), |p| {
        let mine = (0..1u64 << 16).map(|i| if p.role() == Role::P0 { i >> 8 } else { i & 255 } as u8);
        let x = AShare::<u8>::new(8, mine.collect());
        let job = CompareJob::new(8, CompareDomain::Near, Objective::Total)?;
        let negative = Comparison::prepare(p, job, x.len())?.negative(p, &x)?;
        let want = Bits::collect((0..1u64 << 16).map(|i| ((i >> 8) + i) >> 7 & 1));
        assert_eq!(negative.open(p)?, want.words());
        Ok(())
    });
}

#[test]
fn refused() {
    both(pair(5, None), |p| {
        for (bits, domain) in
            [(0, CompareDomain::Signed), (65, CompareDomain::Unsigned), (1, CompareDomain::Near)]
        {
            assert!(matches!(CompareJob::new(bits, domain, Objective::Total), Err(Error::Param { .. })));
        }
        let job = CompareJob::new(8, CompareDomain::Unsigned, Objective::Total)?;
        let (x, wide) = (AShare::<u16>::new(8, vec![0; 3]), AShare::<u16>::new(9, vec![0; 3]));
        assert!(matches!(Comparison::prepare(p, job, 3)?.ge(p, &x, &wide), Err(Error::Shape { .. })));
        assert!(matches!(Comparison::prepare(p, job, 2)?.ge(p, &x, &x), Err(Error::Shape { .. })));
        assert!(matches!(Comparison::prepare(p, job, 3)?.negative(p, &x), Err(Error::Param { .. })));
        Ok(())
    });
}
