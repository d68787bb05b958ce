//! What making and placing keys shows: every message is uniform whatever positions and payloads are, and what a party
//! has in the end, joined with what it was sent, does not depend on the other party's shares.
//!
//! The parties' shares are constant, so that keys alone mask them. The bytes sent are not uniform, or related to
//! neighbours, to the other run's or the other party's, if
//! * a correction is opened without the pads of the nodes on the path, or a sign with it,
//! * the vector of the low bits is corrected under a choice that serves twice,
//! * a position is opened without that of the key, or under one that serves another function too.

use crate::support::{
    stats,
    uniform::{assert_uniform, seen},
    views::{BATCH, BOUND, Sent, assert_independent, cell, histograms, run},
};

use std::sync::Mutex;

use hushtable::{
    AShare, Party, Result, Role,
    fss::{Dcf, Dpf, End, Point, Unplaced},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};

/// Keys of a batch.
const KEYS: usize = 512;

fn words<K: Kind>(bits: u32, share: u64) -> Share<K, u64> {
    Share::new(bits, vec![share; KEYS])
}

fn place<G: Group>(d: u32, share: u64) -> Share<G::Kind, u32> {
    Share::new(d, vec![share as u32; KEYS])
}

type Protocol = fn(&mut Party, u64) -> Result<()>;

fn points<G: Group, K: Kind>(p: &mut Party, d: u32, bits: u32, count: usize, x: u64) -> Result<()> {
    p.barrier()?;
    Dpf::<G, K>::new(p, &place::<G>(d, x), &vec![words(bits, x); count]).map(drop)
}

fn comparisons<G: Group, K: Kind>(p: &mut Party, d: u32, bits: u32, count: usize, x: u64) -> Result<()> {
    p.barrier()?;
    Dcf::<G, K>::new(p, &place::<G>(d, x), &vec![words(bits, x); count]).map(drop)
}

const PROTOCOLS: &[(&str, Protocol)] = &[
    ("the bit 1, dense", |p, x| {
        p.barrier()?;
        Dpf::<Cyclic, Bitwise>::prepare_bit(p, 8, KEYS)?.at(p, &place::<Cyclic>(8, x)).map(drop)
    }),
    ("the bit 1, by trees", |p, x| {
        p.barrier()?;
        Dpf::<Xor, Bitwise>::prepare_bit(p, 10, KEYS)?.at(p, &place::<Xor>(10, x)).map(drop)
    }),
    ("points, a shared bit", |p, x| points::<Xor, Bitwise>(p, 9, 1, 1, x)),
    ("points, strings", |p, x| points::<Cyclic, Bitwise>(p, 6, 13, 2, x)),
    ("points, short words", |p, x| points::<Cyclic, Additive>(p, 6, 8, 1, x)),
    ("points, long words", |p, x| points::<Xor, Additive>(p, 4, 64, 3, x)),
    ("comparisons, strings", |p, x| comparisons::<Xor, Bitwise>(p, 8, 5, 1, x)),
    ("comparisons, words", |p, x| comparisons::<Cyclic, Additive>(p, 7, 16, 1, x)),
    ("comparisons, powers", |p, x| comparisons::<Xor, Additive>(p, 4, 40, 3, x)),
];

#[test]
fn every_message_of_keys_is_uniform() {
    for (i, (name, protocol)) in PROTOCOLS.iter().enumerate() {
        assert_uniform(name, 4000 + 10 * i as u64, 1 << 17, protocol);
    }
}

/// The mistakes that show in what is opened of positions, made by hand.
#[test]
fn mistakes_are_seen() {
    let bare = |p: &mut Party, x: u64| -> Result<()> {
        p.barrier()?;
        p.open(&AShare::<u32>::new(16, vec![x as u32; 2 * KEYS])).map(drop)
    };
    let kept: [Mutex<Vec<u8>>; 2] = Default::default();
    let twice = |p: &mut Party, x: u64| -> Result<()> {
        let mut kept = kept[p.role() as usize].lock().expect("no panic");
        if kept.is_empty() {
            *kept = Dpf::<Cyclic, Bitwise>::prepare_bit(p, 16, 2 * KEYS)?.encode().to_vec();
        }
        let keys = Unplaced::<Point, Cyclic, Bitwise>::decode(&kept)?;
        p.barrier()?;
        keys.at(p, &Share::new(16, vec![x as u32; 2 * KEYS])).map(drop)
    };
    let one_for_all = |p: &mut Party, x: u64| -> Result<()> {
        let bytes = Dpf::<Xor, Bitwise>::prepare_bit(p, 16, 8)?.encode();
        p.barrier()?;
        for _ in 0..KEYS / 4 {
            let keys = Unplaced::<Point, Xor, Bitwise>::decode(&bytes)?;
            keys.at(p, &Share::new(16, vec![x as u32; 8]))?;
        }
        Ok(())
    };
    assert!(seen(4500, 1 << 17, bare), "a position opened as it is");
    assert!(seen(4510, 1 << 17, twice), "keys that are placed twice");
    assert!(seen(4520, 1 << 17, one_for_all), "one key for many functions");
}

/// The viewer's values at all four points, of each the lowest bit, and both parts of what was opened of the position,
/// `secret` being the owner's share of the position or of the payload.
fn key_views<G: Group, K: Kind>(
    seed: u64,
    bits: u32,
    (owner, secret): (Role, u32),
    of_payload: bool,
) -> Vec<Vec<u64>> {
    let outcome = run::<G, _>(seed, (owner, secret), |p, x| {
        let mine = if p.role() == owner { secret } else { 0 };
        let (position, payload) = if of_payload { (1, mine) } else { (mine, 1) };
        let position = Share::<G::Kind, u32>::new(2, vec![position; x.len()]);
        let payload = [Share::<K, u64>::new(bits, vec![payload.into(); x.len()])];
        p.barrier()?;
        let keys = Dcf::<G, K>::new(p, &position, &payload)?;
        let values = (0..4).map(|x| Ok(keys.eval(End::At, &vec![x; BATCH])?.remove(0)));
        let values = values.collect::<Result<Vec<_>>>()?;
        let of = |i: usize| values.iter().fold(0, |all, v| all << 1 | (v.words()[i] & 1) as u32);
        Ok((0..BATCH).map(of).collect::<Vec<_>>())
    });
    let (theirs, mine) = (Sent::of(&outcome.sent, owner), Sent::of(&outcome.sent, owner.peer()));
    let (m, own) = (theirs.words(0, 2, BATCH), mine.words(0, 2, BATCH));
    let values = if owner == Role::P0 { outcome.p1 } else { outcome.p0 }.expect("no panic");
    let view = |i: usize| cell(&[(m[i], 4), (own[i], 4), (values[i], 16)]);
    let views = histograms(&[(256, (0..BATCH).map(view).collect())]);
    let message: Vec<u64> = views.iter().map(|counts| counts.iter().sum()).collect();
    assert!(message.iter().all(|&count| count == BATCH as u64 / 2), "all keys");
    views
}

/// Longer than 10 s: keys are counted over many runs.
#[test]
fn keys_tell_a_party_nothing_of_the_others_shares() {
    for owner in [Role::P0, Role::P1] {
        for of_payload in [false, true] {
            let what = |kind: &str| format!("{kind} of {owner:?}, of the payload: {of_payload}");
            assert_independent(&what("words, cyclic"), 4, |x| {
                key_views::<Cyclic, Additive>(4600, 64, (owner, x), of_payload)
            });
            assert_independent(&what("words, xor"), 4, |x| {
                key_views::<Xor, Additive>(4601, 64, (owner, x), of_payload)
            });
            assert_independent(&what("strings"), 4, |x| {
                key_views::<Xor, Bitwise>(4602, 40, (owner, x), of_payload)
            });
        }
    }
}

/// The public corrections of payloads are uniform, whatever the payload is: their bytes, and those of neighbours.
#[test]
fn corrections_are_uniform() {
    for (payload, seed) in [(0, 4700), (1, 4701), (u64::MAX, 4702)] {
        let run = |p: &mut Party| -> Result<Vec<u8>> {
            let keys = Dpf::<Xor, Additive>::prepare(
                p,
                3,
                &[words(64, if p.role() == Role::P0 { payload } else { 0 })],
            )?;
            Ok(keys.encode().to_vec())
        };
        let (bytes, _) = crate::support::pairs::both(crate::support::pairs::pair(seed, None), run);
        // The leaves' words stand last.
        let words = &bytes[bytes.len() - 16 * KEYS..];
        let related: Vec<u8> = words.iter().zip(&words[16..]).map(|(a, b)| a ^ b).collect();
        for (what, bytes) in [("words", words), ("neighbours", &related)] {
            let mut counts = [0u64; 256];
            bytes.iter().for_each(|&b| counts[usize::from(b)] += 1);
            let z = stats::uniform(&counts);
            assert!(z < BOUND, "{what} of corrections of {payload}: {z:.1} deviations");
        }
    }
}
