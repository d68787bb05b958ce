//! What a party sees of the generators of one-hot vectors, and of lookups on masked wires, has the same
//! distribution whatever the other party's share is: as `views`, for what comes before the online phase.

use crate::support::stats;
use crate::support::views::{BATCH, BOUND, Generator, Sent, assert_independent, cell, histograms, rows, run};

use hushtable::{
    Party, Role,
    lut::{Table, flute::Flute},
    onehot::{Cyclic, Group, OneHot, Xor},
    share::Share,
};
use prim::pack::unpack;

/// The view of the generator itself, with the viewer's row and both parts of the opened index. `steps`: frames
/// and columns of bits in them that the owner sends, one step after the other. Catches a pad that serves twice
/// (A15), and what is sent without one.
fn generator_views<G: Group>(
    seed: u64,
    (owner, secret): (Role, u32),
    generator: Generator<G>,
    steps: &[(usize, usize)],
) -> Vec<Vec<u64>> {
    let open = |p: &mut Party, x: &Share<G::Kind, u32>| generator(p, BATCH)?.open_index(p, x).map(drop);
    let outcome = run::<G, _>(seed, (owner, secret), open);
    let (theirs, mine) = (Sent::of(&outcome.sent, owner), Sent::of(&outcome.sent, owner.peer()));
    let (m, own) = (theirs.words(0, 2, BATCH), mine.words(0, 2, BATCH));
    let e = rows(seed, (owner, secret), generator);
    let (mut sent, mut at) = (Vec::new(), 0);
    for &(frames, columns) in steps {
        sent.extend(theirs.columns(at..at + frames, columns));
        at += frames;
    }
    assert_eq!(at + 1, theirs.0.len(), "frames of {owner:?}");
    let view = |i: usize| {
        let bits = sent.iter().fold(0, |bits, column| bits << 1 | column[i]);
        cell(&[(bits, 1 << sent.len()), (e[i] as u32, 16), (m[i], 4), (own[i], 4)])
    };
    histograms(&[(256 << sent.len(), (0..BATCH).map(view).collect())])
}

/// Longer than 10 s: messages are counted over many runs.
#[test]
fn generators_show_nothing_of_the_offset() {
    const PIECES: usize = BATCH >> 12;
    let (lift, bit, chosen, and) = ((PIECES, 1), (PIECES, 1), (PIECES, 2), (1, 2));
    for (i, owner) in [Role::P0, Role::P1].into_iter().enumerate() {
        // P0 alone sends something for the lift, in the doubling's first level.
        let lifted = |step| [&[lift][i..], &[step]].concat();
        let cyclic = |what: &str, seed: u64, generator: Generator<Cyclic>, step| {
            let views = |x| generator_views::<Cyclic>(seed, (owner, x), generator, &lifted(step));
            assert_independent(&format!("{what}, cyclic, of {owner:?}"), 4, views);
        };
        let xor = |what: &str, seed: u64, generator: Generator<Xor>, step| {
            let views = |x| generator_views::<Xor>(seed, (owner, x), generator, &[step]);
            assert_independent(&format!("{what}, xor, of {owner:?}"), 4, views);
        };
        cyclic("doubling", 64, |p, m| OneHot::doubling(p, 2, m), bit);
        xor("doubling", 65, |p, m| OneHot::doubling(p, 2, m), bit);
        cyclic("B", 80, |p, m| OneHot::balanced(p, 2, m), chosen);
        xor("B", 81, |p, m| OneHot::balanced(p, 2, m), bit);
        cyclic("FLUTE+", 82, |p, m| OneHot::flute_plus(p, 2, m), and);
        xor("FLUTE+", 83, |p, m| OneHot::flute_plus(p, 2, m), and);
    }
}

/// The turner's view of a staged rotation of two stages: what it gets in each, its row, both parts of the
/// opened index.
fn staged_views<G: Group>(seed: u64, owner: Role, secret: u32) -> Vec<Vec<u64>> {
    let generator: Generator<G> = |p, m| OneHot::staged(p, 2, m);
    let open = |p: &mut Party, x: &Share<G::Kind, u32>| generator(p, BATCH)?.open_index(p, x).map(drop);
    let outcome = run::<G, _>(seed, (owner, secret), open);
    let (theirs, mine) = (Sent::of(&outcome.sent, owner), Sent::of(&outcome.sent, owner.peer()));
    let (m, own) = (theirs.words(0, 2, BATCH), mine.words(0, 2, BATCH));
    let e = rows(seed, (owner, secret), generator);
    // P0 holds in the first half, P1 in the second.
    const HALF: usize = BATCH / 2;
    let from = HALF * owner as usize;
    let (message, _) = theirs.0.split_at(theirs.0.len() - 1);
    let mut stages = vec![0u32; BATCH];
    unpack(&message.iter().flat_map(|frame| frame[8..].to_vec()).collect::<Vec<_>>(), 4, &mut stages);
    let opened = |i: usize| [(m[from + i], 4), (own[from + i], 4)];
    let both = |i: usize| cell(&[&opened(i)[..], &[(stages[2 * i], 16), (stages[2 * i + 1], 16)]].concat());
    let with_row = |i: usize, stage: usize| {
        cell(&[&opened(i)[..], &[(stages[2 * i + stage], 16), (e[from + i] as u32, 16)]].concat())
    };
    let views: [&dyn Fn(usize) -> usize; 3] = [&both, &|i| with_row(i, 0), &|i| with_row(i, 1)];
    let histogram = |view: &&dyn Fn(usize) -> usize| {
        let mut counts = vec![0u64; 4096];
        (0..HALF).for_each(|i| counts[view(i)] += 1);
        counts
    };
    views.iter().map(histogram).collect()
}

#[test]
fn staged_rotation_shows_nothing_of_the_offset() {
    for owner in [Role::P0, Role::P1] {
        assert_independent("ST, cyclic", 4, |x| staged_views::<Cyclic>(84, owner, x));
        assert_independent("ST, xor", 4, |x| staged_views::<Xor>(85, owner, x));
    }
}

/// The view of a lookup on masked wires of whoever does not own the secret: both parts of the opened wires, of
/// the opened operands of the AND that makes the table's material, and of the opened outputs; its own output.
fn flute_views(seed: u64, owner: Role, secret: u32) -> Vec<Vec<u64>> {
    let table = Table::<u8>::new(2, vec![1, 3, 0, 2]).expect("a table");
    let outcome = run::<Xor, _>(seed, (owner, secret), |p, x| {
        let y = Flute::prepare(p, 2, 2, BATCH)?.lookup_xor(p, &table, x)?;
        Ok(y.words().iter().map(|&y| u32::from(y)).collect::<Vec<_>>())
    });
    let outputs = [outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1")];
    let entry = u32::from(table.columns()[0][secret as usize]);
    assert!(outputs[0].iter().zip(&outputs[1]).all(|(a, b)| a ^ b == entry), "wrong outputs");
    let (theirs, mine) = (Sent::of(&outcome.sent, owner), Sent::of(&outcome.sent, owner.peer()));
    let (and, m, out) = (theirs.words(2, 1, 2 * BATCH), theirs.words(1, 2, BATCH), theirs.words(0, 2, BATCH));
    let (own_m, own_out) = (mine.words(1, 2, BATCH), mine.words(0, 2, BATCH));
    let y = &outputs[owner.peer() as usize];
    let received = |i: usize| cell(&[(m[i], 4), (out[i], 4), (and[i], 2), (and[BATCH + i], 2)]);
    let view = |i: usize| received(i) << 4 | cell(&[(own_m[i], 4), (own_out[i], 4)]);
    let online = |i: usize| cell(&[(m[i], 4), (out[i], 4), (own_m[i], 4), (own_out[i], 4), (y[i], 4)]);
    let all = |f: &dyn Fn(usize) -> usize| (0..BATCH).map(f).collect::<Vec<_>>();
    let received = histograms(&[(64, all(&received))]);
    for z in received.iter().map(|counts| stats::uniform(counts)) {
        assert!(z < BOUND, "what {:?} receives is not uniform ({z:.1} deviations)", owner.peer());
    }
    [received, histograms(&[(1024, all(&view)), (1024, all(&online))])].concat()
}

#[test]
fn a_lookup_on_masked_wires_shows_nothing_of_the_index() {
    for owner in [Role::P0, Role::P1] {
        assert_independent("FLUTE", 4, |x| flute_views(76 + owner as u64, owner, x));
    }
}
