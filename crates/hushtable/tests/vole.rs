//! VOLE: right for all counts, uniform, with the Delta of the session's correlated OTs; what it costs; and messages
//! that fail. What its messages show is tested beside the code.

use crate::support::{billed, pairs, relay, stats};

use hushtable::{
    Error, Party, Result, Role,
    bill::Bill,
    net::{Connection, LinkShape},
    ot::{
        Limits, Rates, Scheme,
        vole::{self, PACKED, Receiver, Sender},
    },
};
use pairs::{id, pair};
use prim::{Prg, block::Block, gf64};
use relay::{Fate, relayed};

/// What becomes of a frame, if it is the one.
type Fault<'a> = Option<&'a (dyn Fn(&[u8]) -> Fate + Sync)>;

/// Both halves, P0 being the sender or P1.
fn made(seed: u64, sender: Role, counts: &[usize]) -> Vec<(Sender, Receiver)> {
    let send = |p: &mut Party| counts.iter().map(|&count| p.send_voles(count)).collect::<Result<Vec<_>>>();
    let receive =
        |p: &mut Party| counts.iter().map(|&count| p.receive_voles(count)).collect::<Result<Vec<_>>>();
    let pair = pair(seed, Some(Scheme::Ferret));
    let (sent, received) = match sender {
        Role::P0 => hushtable::run_pair(pair, send, receive).expect("an honest run"),
        Role::P1 => {
            let (received, sent) = hushtable::run_pair(pair, receive, send).expect("an honest run");
            (sent, received)
        }
    };
    sent.into_iter().zip(received).collect()
}

fn check(sent: &Sender, received: &Receiver, count: usize) {
    assert_eq!((sent.v.len(), received.a.len(), received.w.len()), (count, count, count));
    let mut w = sent.v.clone();
    gf64::scale_pair_add(&mut w, &received.a, *sent.delta);
    assert!(w == *received.w, "{count} VOLEs");
}

fn assert_uniform(bytes: &[u8], what: &str) {
    let mut counts = [0u64; 256];
    bytes.iter().for_each(|&b| counts[usize::from(b)] += 1);
    assert!(stats::uniform(&counts) < 6.0, "{what}: bytes are not uniform");
}

#[test]
fn small_counts_are_packed() {
    let counts = [0, 1, 2, 63, 64, 65, 1000, 0, PACKED - 1, PACKED];
    for (seed, sender) in [(900, Role::P0), (901, Role::P1)] {
        let all = made(seed, sender, &counts);
        for ((sent, received), count) in all.iter().zip(counts) {
            check(sent, received, count);
            assert!(*sent.delta == *all[0].0.delta, "one Delta");
        }
        let (sent, received) = &all[9];
        assert_uniform(bytemuck::cast_slice(&sent.v), "v");
        assert_uniform(bytemuck::cast_slice(&received.w), "w");
        assert_uniform(bytemuck::cast_slice(&received.a), "a");
    }
}

/// One more than is packed, the last of set S, the first of set M; each starts anew, from other correlated OTs.
#[test]
fn large_counts_are_extended() {
    let counts = [PACKED + 1, 124_928, 124_929];
    let all = made(902, Role::P0, &counts);
    let mut words = Vec::new();
    for ((sent, received), count) in all.iter().zip(counts) {
        check(sent, received, count);
        assert_uniform(bytemuck::cast_slice(&sent.v), "v");
        assert_uniform(bytemuck::cast_slice(&received.w), "w");
        assert_uniform(bytemuck::cast_slice(&received.a), "a");
        words.extend_from_slice(&received.a);
        words.extend_from_slice(bytemuck::cast_slice(&sent.v));
    }
    let len = words.len();
    words.sort_unstable();
    words.dedup();
    // Two of a million words of 64 bits are equal with probability 2^-24.
    assert_eq!(words.len(), len, "a word occurs twice");
}

#[test]
fn delta_is_that_of_the_correlated_ots() {
    let run = |p: &mut Party| -> Result<(Option<Block>, Block)> {
        let delta = match p.role() {
            Role::P0 => Some(*p.send_voles(3)?.delta),
            Role::P1 => p.receive_voles(3).map(|_| None)?,
        };
        Ok((delta, p.cots(1, 1)?.0.delta()))
    };
    let (at_p0, _) = pairs::both(pair(903, None), run);
    assert!(at_p0.0 == Some(at_p0.1));
}

#[test]
fn bills() {
    let limits = Limits::new(None, &LinkShape::LOOPBACK, &Rates::REFERENCE);
    for (sender, count) in [
        (Role::P0, 0),
        (Role::P0, 1),
        (Role::P1, PACKED),
        (Role::P0, PACKED + 1),
        (Role::P1, 124_928),
        (Role::P0, 130_000),
    ] {
        let bill = vole::bill(sender, count, &limits).expect("a bill");
        let make = |p: &mut Party| match p.role() == sender {
            true => p.send_voles(count).map(drop),
            false => p.receive_voles(count).map(drop),
        };
        billed::check(&format!("{count} VOLEs of {sender:?}"), bill, make, |_, ()| Ok(()));
    }
    // What the model says, tools/models/join/vole.py: packed ones, and no more than full extensions.
    let at = |count| vole::bill(Role::P0, count, &limits).expect("a bill");
    assert_eq!(at(400), Bill { kept: 400 * 192, ..Bill::of_cots([25_600, 0]) });
    let million = at(1 << 20);
    assert_eq!(
        (million.cots, million.offline.bits, million.offline.rounds),
        ([1_129_456, 0], [8 * 294_656, 0], 1)
    );
    assert!(vole::bill(Role::P0, vole::MAX + 1, &limits).is_err());
}

/// Too many are refused before anything is sent.
#[test]
fn too_many_are_refused() {
    let run = |p: &mut Party| {
        let error = match p.role() {
            Role::P0 => p.send_voles(vole::MAX + 1).map(drop),
            Role::P1 => p.receive_voles(vole::MAX + 1).map(drop),
        };
        assert!(matches!(error, Err(Error::Param { what: "VOLEs", .. })));
        p.barrier()
    };
    pairs::both(pair(904, None), run);
}

/// Messages of an extension that are cut, of another length, or garbage: an error or wrong values, never a panic.
#[test]
fn messages_of_an_extension_that_fail() {
    let run = |fault: Fault, at: usize| {
        let party = |connection: Connection| -> Result<()> {
            let mut p = Party::seeded(connection, 905, Some(Scheme::Ferret))?;
            match p.role() {
                Role::P0 => p.send_voles(PACKED + 9000).map(drop)?,
                Role::P1 => p.receive_voles(PACKED + 9000).map(drop)?,
            }
            p.barrier()
        };
        relayed(id(905), party, party, |from, i, frame| match fault {
            Some(fault) if from == Role::P0 && i == at => fault(frame),
            _ => Fate::Pass,
        })
    };
    let honest = run(None, 0);
    let frames = &honest.sent[0];
    // 206 trees of 7 blocks, 64 in a message, and the barrier.
    let lengths: Vec<usize> = frames.iter().rev().skip(1).take(4).map(|frame| frame.len() - 8).collect();
    assert_eq!(lengths, [14, 64, 64, 64].map(|trees| 16 * 7 * trees));
    for at in [frames.len() - 5, frames.len() - 2] {
        let cut = run(Some(&|_| Fate::Cut), at);
        assert!(matches!((cut.p0, cut.p1), (Some(Err(Error::Closed)), Some(Err(Error::Closed)))));
        let short = run(
            Some(&|frame| {
                let mut wrong = ((frame.len() - 9) as u32).to_le_bytes().to_vec();
                wrong.extend_from_slice(&frame[4..frame.len() - 1]);
                Fate::Instead(wrong)
            }),
            at,
        );
        assert!(matches!(short.p1, Some(Err(Error::Peer(_)))) && short.p0.is_some());
        let garbage = run(
            Some(&|frame| {
                let mut garbage = frame.to_vec();
                Prg::new(Block(7)).bytes(&mut garbage[8..]);
                Fate::Instead(garbage)
            }),
            at,
        );
        assert!(matches!((garbage.p0, garbage.p1), (Some(Ok(())), Some(Ok(())))));
    }
}
