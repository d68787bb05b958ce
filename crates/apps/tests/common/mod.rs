//! Sets for intersections and joins, and both parties at work on them.
#![allow(dead_code)] // not every test uses all of it

use std::env;

use hushtable::{Party, Role, net::Connection};
use hushtable_apps::ids::{Rules, Set};

use crate::relay::{Fate, Outcome, relayed};

/// Sets of P0 and of P1, as numbers.
pub type Case = [Vec<u32>; 2];

/// Equal, disjoint, contained and overlapping sets of some sizes; of all sizes to 300 with `ALL_SIZES`.
pub fn cases() -> Vec<Case> {
    let sizes: Vec<(usize, usize)> = if env::var_os("ALL_SIZES").is_some() {
        (0..=300).map(|n| (n, (n * 97 + 13) % 301)).chain((0..=300).map(|n| ((n * 53) % 301, n))).collect()
    } else {
        vec![(0, 0), (0, 3), (1, 0), (1, 1), (2, 3), (60, 17), (300, 299)]
    };
    let mut out = Vec::new();
    for (n, m) in sizes {
        for common in [0, n.min(m) / 2, n.min(m)] {
            // In no order that has to do with what is common.
            let mixed = |i: usize, of: usize| (i * 7919 + 11) % of.max(1);
            let first = (0..n).map(|i| mixed(i, 300_007) as u32).collect::<Vec<_>>();
            let second = (0..m).map(|i| mixed(if i < common { i } else { 100_000 + i }, 300_007) as u32);
            let mut second: Vec<u32> = second.collect();
            second.reverse();
            out.push([first, second]);
        }
    }
    out
}

/// A party's set.
pub fn set(numbers: &[u32]) -> Set {
    let rows = numbers.iter().map(|n| [format!("Person {n}")]);
    Set::new(Rules::default().lower_case(true), rows).expect("each once")
}

/// A session id for a seed.
pub fn id(seed: u64) -> [u8; 32] {
    let mut id = [0; 32];
    id[..8].copy_from_slice(&seed.to_le_bytes());
    id
}

/// Runs both parties with a relay between them.
pub fn run<T: Send>(
    seed: u64,
    party: impl Fn(&mut Party) -> hushtable::Result<T> + Sync,
    fate: impl Fn(Role, usize, &[u8]) -> Fate + Sync,
) -> Outcome<hushtable::Result<T>, hushtable::Result<T>> {
    let party = |connection: Connection| party(&mut Party::seeded(connection, seed, None)?);
    relayed(id(seed), party, party, fate)
}

/// A stream that ends, garbage and wrong lengths at each message after set-up: an error, or wrong values, at once, and
/// never a panic.
pub fn faults(job: impl Fn(&mut Party) -> hushtable::Result<()> + Sync) {
    let set_up = run(90, |p| p.barrier(), |_, _, _| Fate::Pass).sent.map(|sent| sent.len() - 1);
    let honest = run(90, &job, |_, _, _| Fate::Pass);
    assert!(matches!((&honest.p0, &honest.p1), (Some(Ok(())), Some(Ok(())))), "{:?}", (honest.p0, honest.p1));
    for (role, sent) in [Role::P0, Role::P1].into_iter().zip(&honest.sent) {
        for k in set_up[role as usize]..sent.len() {
            for kind in 0..4 {
                let ends = run(90, &job, |r, i, frame| {
                    let mut frame = frame.to_vec();
                    match kind {
                        _ if (r, i) != (role, k) => return Fate::Pass,
                        0 => return Fate::Cut,
                        1 => frame[8..].fill(0xff),
                        2 => frame[8..].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(13) ^ 0x5a),
                        _ => {
                            let len = (frame.len() - 7) as u32;
                            frame[..4].copy_from_slice(&len.to_le_bytes());
                            frame.push(7);
                        }
                    }
                    Fate::Instead(frame)
                });
                let what = format!("fault {kind} at message {k} of {role:?}");
                let receiver = if role == Role::P0 { &ends.p1 } else { &ends.p0 };
                let receiver = receiver.as_ref().unwrap_or_else(|| panic!("{what}: a panic"));
                assert!(ends.p0.is_some() && ends.p1.is_some(), "{what}: a panic");
                assert!(receiver.is_err() || kind == 1 || kind == 2, "{what}: nobody noticed");
            }
        }
    }
}
