//! 1-of-n OT from codes and from products: right for every index, at the documented cost, no pad
//! twice.

use crate::support::bare;
use crate::support::pairs;
use crate::support::stats;

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use bare::{Bare, by_hand};
use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, Xor},
    ot::{one_of_n, products::Pads},
    run_pair,
    share::Share,
};
use pairs::{both, pair, share};
use prim::block::Block;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Products,
    Code,
}

/// OTs as sender and receiver.
fn make(bare: &mut Bare, source: Source, n: usize, counts: (usize, usize)) -> Result<OneOfN> {
    let Bare { session: s, ot } = bare;
    match source {
        Source::Products => {
            let (send, recv) = one_of_n::product_cots(n, counts);
            let cots = ot.take(s, send, recv)?;
            one_of_n::by_products(s, n, cots)
        }
        Source::Code => {
            let (send, recv) = one_of_n::code_cots(n, counts);
            let cots = ot.take(s, send, recv)?;
            one_of_n::by_code(s, n, cots, counts)
        }
    }
}

type OneOfN = (one_of_n::Sender, one_of_n::Receiver);

/// All pads of a sender.
fn all_pads(bare: &mut Bare, mut sender: one_of_n::Sender, n: usize, order: u32) -> Vec<Vec<Block>> {
    let (hash, mut room) = (sender.key(&mut bare.session), Pads::new(n));
    (0..sender.len()).map(|j| sender.pads(&hash, j, order, &mut room).to_vec()).collect()
}

/// `count` OTs from P0 and a few from P1, with choices of the receivers if `wanted`. What P0 made
/// and what P1 got, P0 being the sender in either.
fn run(
    seed: u64,
    source: Source,
    n: usize,
    count: usize,
    wanted: bool,
) -> (Vec<Vec<Block>>, Vec<(u32, Block)>) {
    let choose = |bare: &mut Bare, (out, inc): &mut OneOfN| -> Result<()> {
        let wanted_of = |inc: &one_of_n::Receiver| (0..inc.len() as u32).map(|j| j * 7 % n as u32).collect();
        if wanted {
            one_of_n::choose(&mut bare.session, out, inc, wanted_of(inc))?;
            assert_eq!(inc.choices(), &wanted_of(inc) as &Vec<u32>);
        }
        Ok(())
    };
    let send = |bare: &mut Bare| -> Result<Vec<Vec<Block>>> {
        let mut made = make(bare, source, n, (count, 3))?;
        choose(bare, &mut made)?;
        Ok(all_pads(bare, made.0, n, 0))
    };
    let receive = |bare: &mut Bare| -> Result<Vec<(u32, Block)>> {
        let mut made = make(bare, source, n, (3, count))?;
        choose(bare, &mut made)?;
        let hash = made.1.key(&mut bare.session);
        let pads = made.1.pads(&hash, 0..count);
        Ok(made.1.choices().iter().copied().zip(pads.iter().copied()).collect())
    };
    by_hand(seed, send, receive)
}

/// The receiver has the pad of its index; all pads are distinct, so no other.
#[test]
fn the_receiver_has_one_pad_and_knows_which() {
    for source in [Source::Products, Source::Code] {
        for n in (2..=17).chain([31, 32, 64, 100, 128, 256, 300, 512, 1024, 2048, 4096, 5000, 8192]) {
            for wanted in [false, true] {
                let count = if n <= 300 { 40 } else { 8 };
                let (pads, known) = run(n as u64, source, n, count, wanted);
                let distinct: HashSet<u128> = pads.iter().flatten().map(|pad| pad.0).collect();
                assert_eq!(distinct.len(), count * n, "{source:?}, n = {n}: a pad repeats");
                for (pads, (choice, pad)) in pads.iter().zip(&known) {
                    assert_eq!(pads.len(), n);
                    assert!(pads[*choice as usize] == *pad, "{source:?}, n = {n}");
                }
            }
        }
    }
}

/// Several messages, an odd end, uniform choices.
#[test]
fn many() {
    for (source, n) in [(Source::Code, 8), (Source::Code, 5), (Source::Products, 8), (Source::Products, 5)] {
        let (pads, known) = run(77, source, n, 9001, false);
        let mut counts = vec![0; n];
        for (pads, (choice, pad)) in pads.iter().zip(&known) {
            assert!(pads[*choice as usize] == *pad);
            counts[*choice as usize] += 1;
        }
        assert!(stats::uniform(&counts) < 5.0, "{source:?}: choices {counts:?}");
        let distinct: HashSet<u128> = pads.iter().flatten().map(|pad| pad.0).collect();
        assert_eq!(distinct.len(), 9001 * n, "{source:?}: a pad repeats");
    }
}

/// `pads(order)[i] = pads(0)[i ^ order]`, for both sources: in sessions of the same seed.
#[test]
fn pads_in_another_order() {
    for source in [Source::Products, Source::Code] {
        let made = |order| {
            let send = |bare: &mut Bare| {
                let (sender, _) = make(bare, source, 32, (4, 0))?;
                Ok(all_pads(bare, sender, 32, order))
            };
            by_hand(5, send, |bare| make(bare, source, 32, (0, 4)).map(drop)).0
        };
        let plain = made(0);
        for order in [1, 2, 8, 16, 21, 31] {
            for (pads, plain) in made(order).iter().zip(&plain) {
                assert!((0..32).all(|i| pads[i] == plain[i ^ order as usize]), "{source:?}, {order}");
            }
        }
    }
}

/// An OT's pads are made once: what was spent neither makes pads nor is cut off.
#[test]
fn pads_are_made_once() {
    for source in [Source::Products, Source::Code] {
        let party = |bare: &mut Bare| -> Result<()> {
            let (mut out, mut inc) = make(bare, source, 32, (4, 4))?;
            let (mine, theirs) = (out.key(&mut bare.session), inc.key(&mut bare.session));
            let mut room = Pads::new(32);
            out.pads(&mine, 0, 0, &mut room);
            drop(inc.pads(&theirs, 0..2));
            let again = catch_unwind(AssertUnwindSafe(|| {
                out.pads(&mine, 0, 1, &mut room);
            }));
            assert!(again.is_err(), "{source:?}: pads twice");
            let again = catch_unwind(AssertUnwindSafe(|| drop(inc.pads(&theirs, 1..3))));
            assert!(again.is_err(), "{source:?}: a pad twice");
            assert!(out.take(4).is_err() && inc.take(3).is_err(), "{source:?}: spent OTs cut off");
            assert_eq!((out.take(3)?.len(), inc.take(2)?.len()), (3, 2));
            Ok(())
        };
        by_hand(6, party, party);
    }
}

/// `rho - k` bits an OT from the receiver with random choices, as lut-spec 9.1 lists them; for
/// indices of the receiver's choice, or n no power of two, k more.
#[test]
fn the_cost_is_the_documented_one() {
    const RANDOM_CHOICE: [usize; 13] = [127, 190, 221, 236, 243, 246, 247, 247, 247, 254, 257, 258, 258];
    for (k, bits) in (1..).zip(RANDOM_CHOICE) {
        for (n, corrected) in [(1 << k, false), (1 << k, true), ((1 << k) - 1, true)] {
            let counts = [9001, 16];
            let party = |bare: &mut Bare| -> Result<Cost> {
                let counts = match bare.session.role() {
                    Role::P0 => (counts[0], counts[1]),
                    Role::P1 => (counts[1], counts[0]),
                };
                let (send, recv) = one_of_n::code_cots(n, counts);
                bare.ot.stock_up(&mut bare.session, send, recv)?;
                bare.session.take_cost();
                let (mut out, mut inc) = make(bare, Source::Code, n, counts)?;
                if corrected && n.is_power_of_two() {
                    let wanted = vec![1; inc.len()];
                    one_of_n::choose(&mut bare.session, &mut out, &mut inc, wanted)?;
                }
                Ok(bare.session.take_cost())
            };
            if n < 2 || (n < 4 && !n.is_power_of_two()) {
                continue;
            }
            let (at_p0, at_p1) = by_hand(6, party, party);
            let columns = |rows: usize| wire_len(bits * rows.div_ceil(8));
            let flips = |rows: usize| if corrected { wire_len((k * rows).div_ceil(8)) } else { 0 };
            let from_p1 = 2 * columns(4096) + columns(9001 - 2 * 4096) + flips(9001);
            let from_p0 = columns(16) + flips(16);
            let rounds = 1 + u32::from(corrected);
            assert_eq!(at_p0, Cost { sent: from_p0, received: from_p1, rounds }, "n = {n}");
            assert_eq!(at_p1, Cost { sent: from_p1, received: from_p0, rounds }, "n = {n}");
        }
    }
}

fn splut<G: Group>(p: &mut Party, k: u32, bits: u32) -> Result<()> {
    let table = Table::<u16>::tabulate(k, bits, |x| (x + 3).wrapping_mul(0x9e37))?;
    let xs: Vec<u32> = (0..(2 << k) + 1).map(|i| i % (1 << k)).collect();
    let want: Vec<u16> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let x: Share<G::Kind, u32> = share(p.role(), k, &xs, 3);
    let material = SpLut::<G>::prepare_kk13(p, 1 << k, xs.len())?;
    let y = material.lookup(p, &table, &x)?;
    assert_eq!(p.open(&y)?, want, "additive, k = {k}, {}", G::NAME);
    let material = SpLut::<G>::prepare_kk13(p, 1 << k, xs.len())?;
    let y = material.lookup_xor(p, &table, &x)?;
    assert_eq!(p.open(&y)?, want, "xor, k = {k}, {}", G::NAME);
    Ok(())
}

/// Every index of small tables, both groups and outputs, and lengths that are no power of two.
#[test]
fn lookups_from_codes() {
    both(pair(8, None), |p| {
        for k in 1..=7 {
            splut::<Cyclic>(p, k, 16)?;
            splut::<Xor>(p, k, 3)?;
        }
        for n in 2..20usize {
            let table = Table::<u16>::new(11, (0..n as u16).map(|x| x * 97 + 5).collect())?;
            let xs: Vec<u32> = (0..2 * n as u32).map(|i| i % n as u32).collect();
            let mask = |i: usize| (i * i % n) as u32;
            let mine: Vec<u32> = match p.role() {
                Role::P0 => (0..xs.len()).map(mask).collect(),
                Role::P1 => xs.iter().enumerate().map(|(i, x)| (x + n as u32 - mask(i)) % n as u32).collect(),
            };
            let y = SpLut::<Cyclic>::prepare_kk13(p, n, xs.len())?.lookup_mod(p, &table, &mine)?;
            let want: Vec<u16> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
            assert_eq!(p.open(&y)?, want, "n = {n}");
        }
        Ok(())
    });
}

/// As blocks: every pad of the sender is another, the receiver's is the one at its index.
#[test]
fn random_ots_as_blocks() {
    let count = |n: usize| 3 + (1 << 20) / n; // two keys
    let run = |p: &mut Party| {
        let made = [2, 5, 1 << 13].map(|n| {
            let counts = match p.role() {
                _ if n < 100 => (7, 7),
                Role::P0 => (count(n), 7),
                Role::P1 => (7, count(n)),
            };
            let ots = p.random_ots(n, counts)?;
            let mut sent: Vec<Vec<Block>> = Vec::new();
            let received = ots.spend(|pads| sent.push(pads.to_vec()));
            let received = received.choices.iter().copied().zip(received.pads.iter().copied());
            Ok((sent, received.collect::<Vec<_>>()))
        });
        made.into_iter().collect::<Result<Vec<_>>>()
    };
    let (p0, p1) = run_pair(Party::pair_seeded(95).unwrap(), run, run).unwrap();
    for (mine, theirs) in [(&p0, &p1), (&p1, &p0)] {
        for ((sent, _), (_, received)) in mine.iter().zip(theirs) {
            assert_eq!(sent.len(), received.len());
            let all: HashSet<u128> = sent.iter().flatten().map(|pad| pad.0).collect();
            assert_eq!(all.len(), sent.len() * sent[0].len(), "a pad repeats");
            for (pads, (choice, pad)) in sent.iter().zip(received) {
                assert!(pads[*choice as usize] == *pad, "1 of {}", pads.len());
            }
        }
    }
}
