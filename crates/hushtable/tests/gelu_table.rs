//! GELU and SiLU by one table, up to the ends of its range, in all kinds of shares: as exact as cards say.

use crate::support::{
    pairs::{both, pair},
    sweep::Random,
};

use hushtable::{
    AShare, Party, Result, Role,
    arith::{Fixed, Objective},
    math::{Gated, Gelu, GeluJob, Precision},
};

/// Every number of a range up to so many; of a larger one those at its ends, about 0 and so many between.
const MOST: i64 = 1 << 11;

fn numbers([lo, hi]: [i64; 2]) -> Vec<i64> {
    let stride = ((hi - lo) / MOST) | 1;
    let mut all: Vec<i64> = (lo..=hi).step_by(stride as usize).collect();
    for part in [lo..lo + 600, -300..300, hi - 600..hi + 1] {
        all.extend(part.filter(|x| stride > 1 && (lo..=hi).contains(x)));
    }
    all
}

/// Shares of numbers, in units, where both parties have the same seed: random ones, those of which one is 0, and those whose
/// low bits are all ones at P0, so that they carry whenever they can, or all zeros.
fn shares(role: Role, x: &[i64], bits: u32, cut: u32, kind: usize, random: &mut Random) -> AShare<u64> {
    let low = (1u64 << cut) - 1;
    let mut word = |x: i64| {
        let any = random.word();
        let first = match kind {
            0 | 1 => any,
            2 => 0,
            3 => x as u64,
            4 => any | low,
            _ => any & !low,
        };
        if role == Role::P0 { first } else { (x as u64).wrapping_sub(first) }
    };
    AShare::new(bits, x.iter().map(|&x| word(x)).collect::<Vec<_>>().iter().map(|w| w & ring(bits)).collect())
}

fn ring(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The largest error of numbers of the range, in units; and rounds.
fn worst(p: &mut Party, job: GeluJob, x: &[i64], seed: u64) -> Result<(f64, u32)> {
    let GeluJob { bits, scale, function, .. } = job;
    let unit = 2f64.powi(scale as i32);
    let [most, lines] = [job, GeluJob { objective: Objective::Total, range: None, ..job }]
        .map(|job| job.card().expect("a card").max_ulp.parse::<f64>().expect("a number"));
    assert!(most <= lines, "{job:?}: {most} units, but {lines} by lines");
    let (mut off, mut rounds) = (0f64, 0);
    for kind in 0..6 {
        let mut random = Random::new(seed + kind as u64);
        let words = shares(p.role(), x, bits, 1 + random.below(8) as u32, kind, &mut random);
        let material = Gelu::prepare(p, GeluJob { batch: x.len(), ..job })?;
        let (y, cost) = p.metered(|p| material.eval(p, &Fixed::new(words, scale)?))?;
        rounds = rounds.max(cost.rounds);
        for (x, y) in x.iter().zip(y.open(p)?) {
            let error = (y - function.of(*x as f64 / unit)).abs() * unit;
            assert!(error <= most, "{job:?}: {x}, shares {kind}: {error} units off");
            off = off.max(error);
        }
    }
    Ok((off, rounds))
}

#[test]
fn numbers_up_to_the_ends_of_a_range() {
    let (gelu, silu) = (Gated::Gelu, Gated::Silu);
    let (fine, network) = (Precision::Fine, Precision::Network);
    // Function, precision, width, digits, range in units; index bits and rounds.
    let kinds = [
        (gelu, network, 37, 12, [-32768, 32767], 14, 2),
        // All that 13 bits of an index hold, and one more; the same of 12.
        (gelu, network, 37, 12, [-32768, 32767 - 6], 14, 2),
        (gelu, network, 37, 12, [-32768, 32767 - 7], 13, 2),
        (silu, network, 37, 12, [-16000, -16000 + (1 << 15) - 8], 12, 1),
        (silu, network, 37, 12, [-16000, -16000 + (1 << 15) - 7], 13, 2),
        (gelu, fine, 37, 12, [-16384, 16382], 14, 2),
        (gelu, fine, 32, 12, [-9000, 5000], 13, 2),
        (silu, fine, 20, 11, [-4096, 4095], 13, 2),
        (gelu, fine, 16, 8, [-1024, 1023], 11, 1),
        (silu, network, 64, 20, [-3_000_000, -2_990_000], 4, 1),
        (silu, network, 64, 16, [100_000, 400_000], 12, 1),
        (gelu, network, 30, 11, [-5000, 9000], 12, 1),
        (gelu, fine, 16, 7, [0, 0], 4, 1),
    ];
    both(pair(31, None), |p| {
        for (i, (function, precision, bits, scale, range, index_bits, rounds)) in (0..).zip(kinds) {
            let (range, objective) = (Some(range), Objective::Rounds);
            let job = GeluJob { function, precision, range, objective, ..GeluJob::new(bits, scale) };
            let entries = format!("a table of {} entries", 1 << index_bits);
            assert!(job.method().starts_with(&entries), "{job:?}: {}", job.method());
            let (off, taken) = worst(p, job, &numbers(job.range.expect("a range")), i)?;
            let bill = GeluJob { batch: 1, ..job }.bill()?;
            assert_eq!([taken, bill.online.rounds], [rounds; 2], "{job:?}");
            println!("{job:?}: {off:.2} units off, of {}", job.card()?.max_ulp);
        }
        Ok(())
    });
}

/// What a table has more entries for lies on both sides of the range.
#[test]
fn numbers_a_bit_beyond_a_range_have_results() {
    both(pair(32, None), |p| {
        for precision in [Precision::Fine, Precision::Network] {
            let (range, objective) = (Some([-5000, 5000]), Objective::Rounds);
            let job = GeluJob { precision, range, objective, ..GeluJob::new(37, 12) };
            worst(p, job, &[-8180, -8179, -7000, -5001, 5001, 7000, 8179, 8180], 5)?;
        }
        Ok(())
    });
}

/// Ranges that no table serves are read off lines, and so are all where other things than rounds are to be least.
#[test]
fn large_ranges_and_other_objectives_take_lines() {
    let few = |range| GeluJob { range, objective: Objective::Rounds, ..GeluJob::new(37, 12) };
    let longest = Some([-65535, 65535]);
    assert_eq!(few(longest).method(), "a table of 65536 entries");
    for job in
        [few(None), few(Some([-65535, 65536])), GeluJob { objective: Objective::Online, ..few(longest) }]
    {
        assert_eq!(job.method(), "256 lines");
    }
    for range in [[5, 4], [-32769, 0], [0, 32768], [i64::MIN, 0], [0, i64::MAX]] {
        let job = GeluJob { magnitude: Some(3), ..few(Some(range)) };
        let refused = job.check().expect_err("a range beyond the magnitude").to_string();
        assert!(refused.contains("in -32768 to 32767, in order"), "{refused}");
    }
}
