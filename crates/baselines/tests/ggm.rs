//! Keys over plain GGM trees, the baseline: every position at every point, bills, what is sent and seen, refusals.

use crate::support::{
    billed::check,
    pairs::{both, pair, share, words},
    uniform::assert_uniform,
    views::{BATCH, Sent, assert_independent, cell, histograms, run},
};

use hushtable::{AShare, Error, Party, Result, Role, onehot::Cyclic};
use hushtable_baselines::dfss::{GgmFunction, GgmKeys};
use prim::ring::low;

const FUNCTIONS: [GgmFunction; 2] = [GgmFunction::Point, GgmFunction::Below];

fn payload(alpha: u32, bits: u32) -> u64 {
    low((u64::from(alpha) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, bits)
}

/// Asserts the values at these points of keys at these positions, shared by `seed`.
fn compare(function: GgmFunction, d: u32, bits: u32, positions: &[u32], points: &[u32], seed: u64) {
    let run = |p: &mut Party| -> Result<Vec<Vec<u64>>> {
        let beta = words(p.role(), bits, positions.iter().map(|&alpha| payload(alpha, bits)).collect());
        let keys = GgmKeys::new(p, function, &share(p.role(), d, positions, seed), &beta)?;
        points.iter().map(|&x| p.open(&keys.eval(&vec![x; positions.len()])?)).collect()
    };
    let (found, _) = both(pair(seed, None), run);
    for (&x, found) in points.iter().zip(&found) {
        for (&alpha, &found) in positions.iter().zip(found) {
            let holds = if function == GgmFunction::Point { x == alpha } else { x < alpha };
            let want = if holds { payload(alpha, bits) } else { 0 };
            assert_eq!(found, want, "{function:?}, {d} bits, payload of {bits}, seed {seed}: {x}, {alpha}");
        }
    }
}

#[test]
fn every_position_at_every_point() {
    for function in FUNCTIONS {
        for (d, bits) in [(1, 1), (2, 2), (3, 64), (4, 16), (5, 1), (6, 33)] {
            let all: Vec<u32> = (0..1 << d).collect();
            (0..4).for_each(|seed| compare(function, d, bits, &all, &all, 0x66a0 + seed));
        }
        // Trees of several chunks.
        let ends = [0, 1, 0x555, 0x7ff, 0x800, 0xffe, 0xfff];
        compare(
            function,
            12,
            20,
            &ends,
            &[0, 1, 2, 0x554, 0x555, 0x7fe, 0x7ff, 0x800, 0x801, 0xffe, 0xfff],
            0x66b0,
        );
    }
}

#[test]
fn bills_are_met() {
    const N: usize = 64;
    for function in FUNCTIONS {
        for (d, bits) in [(1, 1), (4, 9), (9, 64)] {
            check(
                &format!("{function:?}, {d} bits, payload of {bits}"),
                GgmKeys::bill(function, d, bits).expect("a bill").times(N),
                |p| GgmKeys::new(p, function, &AShare::new(d, vec![1; N]), &AShare::new(bits, vec![1; N])),
                |_, keys| keys.eval(&[1; N]).map(drop), // sends nothing
            );
        }
    }
}

/// Whatever the shares of positions and payloads are.
#[test]
fn what_is_sent_is_uniform() {
    const N: usize = 512;
    for (i, function) in FUNCTIONS.into_iter().enumerate() {
        assert_uniform(&format!("{function:?}"), 0x66c0 + 10 * i as u64, 1 << 15, |p, x| {
            p.barrier()?;
            let (position, payload) = (AShare::new(6, vec![x as u32; N]), AShare::new(24, vec![x; N]));
            GgmKeys::new(p, function, &position, &payload).map(drop)
        });
    }
}

/// The viewer's values at all four points, of each the lowest bit, and both parts of a bit of the last level's label and
/// of its two control bits, `secret` being the owner's share of the position or of the payload.
fn view(function: GgmFunction, (owner, secret): (Role, u32), of_payload: bool) -> Vec<Vec<u64>> {
    let outcome = run::<Cyclic, _>(0x66d0, (owner, secret), |p, x| {
        let mine = if p.role() == owner { secret } else { 0 };
        let (position, payload) = if of_payload { (1, mine) } else { (mine, 1) };
        p.stock_cots(1 << 18, 1 << 18)?;
        p.barrier()?;
        let position = AShare::new(2, vec![position; x.len()]);
        let keys = GgmKeys::new(p, function, &position, &AShare::new(64, vec![payload.into(); x.len()]))?;
        let values = (0..4).map(|x| keys.eval(&vec![x; BATCH])).collect::<Result<Vec<_>>>()?;
        let of = |i: usize| values.iter().fold(0, |all, v| all << 1 | (v.words()[i] & 1) as u32);
        Ok((0..BATCH).map(of).collect::<Vec<_>>())
    });
    // Each selection goes in 8 frames; behind the labels' opening one of the leaves, and its opening, and of comparisons
    // two more and one.
    let back = if function == GgmFunction::Point { 10 } else { 27 };
    let opened = |role: Role| {
        let frames = Sent::of(&outcome.sent, role).0;
        let frame = &frames[frames.len() - back][8..];
        assert_eq!(frame.len(), BATCH * 129 / 8, "the last level's labels and control bits");
        let (low, tau) = (&frame[8 * BATCH..], &frame[16 * BATCH..]);
        let bits = |i: usize| u32::from(low[8 * i] & 3) << 1 | u32::from(tau[i / 8] >> (i % 8) & 1);
        (0..BATCH).map(bits).collect::<Vec<_>>()
    };
    let (theirs, own) = (opened(owner), opened(owner.peer()));
    let values = if owner == Role::P0 { &outcome.p1 } else { &outcome.p0 };
    let values = values.as_ref().expect("no panic");
    histograms(&[(1024, (0..BATCH).map(|i| cell(&[(theirs[i], 8), (own[i], 8), (values[i], 16)])).collect())])
}

#[test]
fn keys_tell_a_party_nothing_of_the_others_shares() {
    for function in FUNCTIONS {
        for owner in [Role::P0, Role::P1] {
            for of_payload in [false, true] {
                let what = format!("{function:?} of {owner:?}, of the payload: {of_payload}");
                assert_independent(&what, 4, |secret| view(function, (owner, secret), of_payload));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (d, bits) in [(0, 8), (25, 8), (8, 0), (8, 65)] {
        assert!(
            matches!(GgmKeys::bill(GgmFunction::Point, d, bits), Err(Error::Param { .. })),
            "{d}, {bits}"
        );
    }
    both(pair(0x66e0, None), |p| {
        let mut keys = |(d, count), payloads| {
            let payload = AShare::new(8, vec![1; payloads]);
            GgmKeys::new(p, GgmFunction::Point, &AShare::new(d, vec![1; count]), &payload)
        };
        for (d, count) in [(25, 1), (24, 5), (8, 0), (8, (1 << 15) + 1)] {
            assert!(matches!(keys((d, count), count), Err(Error::Param { .. })), "{count} of {d} bits");
        }
        assert!(matches!(keys((4, 3), 2), Err(Error::Shape { .. })));
        let three = keys((4, 3), 3)?;
        assert!(matches!(three.eval(&[1; 2]), Err(Error::Shape { .. })));
        assert!(matches!(three.eval(&[1, 16, 1]), Err(Error::Param { .. })));
        Ok(())
    });
}
