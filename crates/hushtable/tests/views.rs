//! What a party sees has the same distribution whatever the other party's share is, and nothing
//! masked repeats between sessions.
//!
//! A view is taken apart into all the values it consists of, for tables of 3 or 4 entries, and the
//! frequencies of their *joint* values are compared between secrets: a relation between any of
//! them that depends on the secret shows, however it is hidden from each value by itself.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;
use crate::support::views::{BATCH, BOUND, Generator, Sent, assert_independent, cell, histograms, rows, run};

use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::Connection,
    onehot::{Cyclic, Group, OneHot, Xor},
};
use pairs::{id, pair, share};
use relay::{Fate, relayed};

/// The view of a lookup with additive output of whoever does not own the secret: its own offset and row, the
/// opened index, the owner's sign correction and masked payload, its own output.
///
/// Catches sign bits sent unmasked or under a choice bit that served the offset too (A7: the joint
/// view counts candidates), `z` opened (A5), an index masked twice by one offset, or by none.
fn lookup_views<G: Group>(seed: u64, owner: Role, secret: u32, generator: Generator<G>) -> Vec<Vec<u64>> {
    let table = Table::<u8>::new(2, vec![1, 3, 0, 2]).expect("a table");
    let outcome = run::<G, _>(seed, (owner, secret), |p, x| {
        let y = generator(p, BATCH)?.signed(p, &[2])?.lookup(p, &table, x)?;
        Ok(y.words().iter().map(|&y| u32::from(y)).collect::<Vec<_>>())
    });
    let outputs = [outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1")];
    let entry = u32::from(table.columns()[0][secret as usize]);
    let right = outputs[0].iter().zip(&outputs[1]).all(|(a, b)| (a + b) % 4 == entry);
    assert!(right, "wrong outputs: not the protocol's view");
    let (theirs, mine) = (Sent::of(&outcome.sent, owner), Sent::of(&outcome.sent, owner.peer()));
    let (d, m, pay) = (theirs.words(2, 1, BATCH), theirs.words(1, 2, BATCH), theirs.words(0, 1, BATCH));
    let (own, y) = (mine.words(1, 2, BATCH), &outputs[owner.peer() as usize]);
    let e = rows(seed, (owner, secret), generator);
    let row = |i: usize| (e[i] as u32, 16);
    let offline = |i: usize| cell(&[(m[i], 4), (own[i], 4), row(i), (d[i], 2)]);
    let online = |i: usize| cell(&[(m[i], 4), row(i), (d[i], 2), (pay[i], 2), (y[i], 4)]);
    let all = |f: &dyn Fn(usize) -> usize| (0..BATCH).map(f).collect::<Vec<_>>();
    histograms(&[(512, all(&offline)), (1024, all(&online))])
}

/// Both parties' views, in both groups. A generator whose part of the offset is not drawn shows here: the
/// opened index then tells the owner's share.
fn assert_lookups_independent(what: &str, seed: u64, cyclic: Generator<Cyclic>, xor: Generator<Xor>) {
    for owner in [Role::P0, Role::P1] {
        let seed = seed + 100 * owner as u64;
        let name = |group: &str| format!("{what}, {group}, {:?} looks", owner.peer());
        assert_independent(&name("cyclic"), 4, |x| lookup_views(seed, owner, x, cyclic));
        assert_independent(&name("xor"), 4, |x| lookup_views(seed + 1, owner, x, xor));
    }
}

#[test]
fn a_lookup_by_rotl_shows_nothing_of_the_index() {
    assert_lookups_independent("ROTL", 60, |p, m| OneHot::rotl(p, 2, m), |p, m| OneHot::rotl(p, 2, m));
}

#[test]
fn a_lookup_by_doubling_shows_nothing_of_the_index() {
    let doubling = |p: &mut Party, m| OneHot::doubling(p, 2, m);
    assert_lookups_independent("doubling", 62, doubling, |p, m| OneHot::doubling(p, 2, m));
}

/// Longer than 10 s: messages are counted over many runs.
#[test]
fn a_lookup_by_staged_rotation_shows_nothing_of_the_index() {
    assert_lookups_independent("ST", 70, |p, m| OneHot::staged(p, 2, m), |p, m| OneHot::staged(p, 2, m));
}

#[test]
fn a_lookup_by_balanced_products_shows_nothing_of_the_index() {
    assert_lookups_independent("B", 72, |p, m| OneHot::balanced(p, 2, m), |p, m| OneHot::balanced(p, 2, m));
}

#[test]
fn a_lookup_by_flute_plus_shows_nothing_of_the_index() {
    let flute_plus = |p: &mut Party, m| OneHot::flute_plus(p, 2, m);
    assert_lookups_independent("FLUTE+", 74, flute_plus, |p, m| OneHot::flute_plus(p, 2, m));
}

/// P1's view of SP-LUT on three entries: as receiver in the first half the masked entries, its own
/// message and output; as sender in the second half the corrections of the choice and `u`.
#[test]
fn splut_shows_nothing_of_the_index() {
    let table = Table::<u8>::new(2, vec![1, 3, 2]).expect("a table");
    assert_independent("SP-LUT", 3, |secret| {
        let outcome = run::<Cyclic, _>(66, (Role::P0, secret), |p, x| {
            let y = SpLut::<Cyclic>::prepare(p, 3, BATCH)?.lookup_mod(p, &table, x.words())?;
            Ok(y.words().iter().map(|&y| usize::from(y)).collect::<Vec<_>>())
        });
        let (y0, y) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
        let entry = usize::from(table.columns()[0][secret as usize]);
        assert!(y0.iter().zip(&y).all(|(a, b)| (a + b) % 4 == entry), "wrong outputs");
        let (p0, p1) = (Sent::of(&outcome.sent, Role::P0), Sent::of(&outcome.sent, Role::P1));
        const HALF: usize = BATCH / 2;
        let (v, own_u) = (p0.words(0, 2, 2 * HALF), p1.words(1, 2, HALF));
        let (flips, u) = (p0.words(2, 2, HALF), p0.words(1, 2, HALF));
        assert!(u.iter().chain(&own_u).all(|&u| u < 3), "reduced before it is sent");
        let receiver = |i: usize| {
            let entries = v[2 * i] as usize * 4 + v[2 * i + 1] as usize;
            (entries * 3 + own_u[i] as usize) * 4 + y[i]
        };
        let sender = |i: usize| (flips[i] as usize * 3 + u[i] as usize) * 4 + y[HALF + i];
        let view: Vec<usize> = (0..HALF).map(receiver).chain((0..HALF).map(sender)).collect();
        histograms(&[(192, view)])
    });
}

/// S8: with other randomness every message is another, at the same session id and inputs, and
/// about half of its bits.
#[test]
fn every_masked_message_differs_between_runs() {
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::new(connection, None)?;
        let table = Table::<u16>::tabulate(6, 16, |x| x)?;
        let x = share(p.role(), 6, &[9; 300], 1);
        let bits = share(p.role(), 6, &[9; 300], 1);
        let y = OneHot::<Cyclic>::rotl(&mut p, 6, 300)?.signed(&mut p, &[16])?.lookup(&mut p, &table, &x)?;
        p.open(&y)?;
        OneHot::<Xor>::doubling(&mut p, 6, 300)?.lookup_xor(&mut p, &table, &bits)?;
        SpLut::<Cyclic>::prepare(&mut p, 64, 300)?.lookup(&mut p, &table, &x)?;
        p.prepare_ot(40_000, 40_000)?;
        p.cots(40_000, 40_000).map(drop)
    };
    let transcript = || {
        let outcome = relayed(id(67), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        outcome.sent
    };
    for (first, second) in transcript().iter().zip(transcript()) {
        assert_eq!(first.len(), second.len());
        // The first message compares parameters, the second begins with what is offered of OT extensions.
        for (i, (a, b)) in first.iter().zip(&second).enumerate().skip(1) {
            let public = 8 + if i == 1 { 65 } else { 0 };
            let bits = 8 * (a.len() - public);
            if i == 1 && bits == 0 {
                continue; // P0 offers and sends no point
            }
            let differ: u32 = a[public..].iter().zip(&b[public..]).map(|(a, b)| (a ^ b).count_ones()).sum();
            let half = f64::from(differ) / bits as f64;
            assert!(bits >= 128 && (0.2..0.8).contains(&half), "message {i}, of {bits} bits: {half} differ");
        }
    }
}

/// S8: shares of the same input, and each party's share of the same output, are uniform.
#[test]
fn shares_of_fixed_values_are_uniform() {
    let table = Table::<u8>::tabulate(5, 8, |x| (x + 1).wrapping_mul(0x9e37_79b9) >> 16).expect("a table");
    const COUNT: usize = 1 << 13;
    let outputs = |p: &mut Party| -> Result<Vec<Vec<u8>>> {
        let (x, bits) = (share(p.role(), 5, &[11; COUNT], 2), share(p.role(), 5, &[11; COUNT], 2));
        let rotl = OneHot::<Cyclic>::rotl(p, 5, COUNT)?.lookup_xor(p, &table, &x)?;
        let signed = OneHot::<Xor>::rotl(p, 5, COUNT)?.signed(p, &[8])?.lookup(p, &table, &bits)?;
        let splut = SpLut::<Cyclic>::prepare(p, 32, COUNT)?.lookup(p, &table, &x)?;
        let splut_xor = SpLut::<Xor>::prepare(p, 32, COUNT)?.lookup_xor(p, &table, &bits)?;
        let mut shares = vec![rotl.words().to_vec(), signed.words().to_vec()];
        shares.extend([splut.words().to_vec(), splut_xor.words().to_vec()]);
        Ok(shares)
    };
    let (p0, p1) = pairs::both(pair(68, None), outputs);
    for (who, shares) in [("P0", p0), ("P1", p1)] {
        for (i, share) in shares.iter().enumerate() {
            let mut counts = [0u64; 256];
            share.iter().for_each(|&y| counts[usize::from(y)] += 1);
            let z = stats::uniform(&counts);
            assert!(z < BOUND, "{who}'s shares of output {i} are not uniform: {z:.1} deviations");
        }
    }
}
