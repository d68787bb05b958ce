//! Bits, words and comparisons of which one party draws a part: results at random points, what is sent, and what it
//! costs.

use std::sync::Mutex;

use crate::support::billed::check;
use crate::support::pairs::{both, id, pair};
use crate::support::relay::{Fate, relayed};
use hushtable::{
    Error, Party, Result, Role,
    arith::DrawnEquality,
    gates::{Bits, DrawnBits, DrawnMux},
    net::Connection,
    share::{Additive, Bitwise, Kind, Share},
};
use prim::{block::Block, prg::Prg, ring::low};

const ROLES: [Role; 2] = [Role::P0, Role::P1];

fn random(len: usize, seed: u64) -> Vec<u64> {
    let mut words = vec![0; len];
    Prg::new(Block(seed.into())).words(64, &mut words);
    words
}

fn bits(len: usize, seed: u64) -> Bits {
    Bits::collect(random(len, seed))
}

#[test]
fn drawn_bits_times_the_others() {
    for (drawer, len, seed) in
        ROLES.into_iter().flat_map(|d| [0, 1, 63, 64, 1000].map(|len| (d, len, 100 + len)))
    {
        let x = bits(len, 5);
        let (at_p0, at_p1) = both(pair(seed as u64, None), |p| {
            let material = DrawnBits::prepare(p, drawer, len)?;
            assert_eq!((material.len(), material.is_empty()), (len, len == 0));
            let drawn = material.drawn().cloned();
            assert_eq!(drawn.is_some(), p.role() == drawer);
            let x = (p.role() != drawer).then_some(&x);
            Ok((material.multiply(p, x)?, drawn))
        });
        let a = at_p0.1.or(at_p1.1).expect("the drawer's");
        let products = at_p0.0.iter().zip(at_p1.0.iter()).map(|(a, b)| a ^ b);
        assert!(products.eq(a.iter().zip(x.iter()).map(|(a, x)| a & x)), "{len} bits of {drawer}");
    }
}

/// Widths that are drawn, and that are not.
const WIDTHS: [[&[u32]; 2]; 5] =
    [[&[64], &[]], [&[13, 1, 40], &[20]], [&[], &[64, 3]], [&[7], &[7]], [&[], &[]]];

fn selected<K: Kind>(owner: Role, widths: [&[u32]; 2], seed: u64) {
    const LEN: usize = 203;
    let all = widths.concat();
    let columns: Vec<Vec<u64>> = (0..all.len() as u64).map(|i| random(LEN, 50 + i)).collect();
    let shares = [bits(LEN, 7), bits(LEN, 8)];
    let (at_p0, at_p1) = both(pair(seed, None), |p| {
        let material = DrawnMux::prepare(p, owner, LEN, widths)?;
        let drawn = material.drawn::<K>().to_vec();
        let owned: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
        let owned = if p.role() == owner { &owned[..] } else { &[] };
        let share = &shares[p.role() as usize];
        Ok((material.select::<K>(p, share, owned)?, drawn))
    });
    let [of_owner, drawn] = if owner == Role::P0 { [at_p0.1, at_p1.1] } else { [at_p1.1, at_p0.1] };
    assert!(of_owner.is_empty(), "the owner draws nothing");
    assert_eq!((drawn.len(), at_p0.0.len()), (widths[0].len(), all.len()));
    let b: Vec<u64> = shares[0].iter().zip(shares[1].iter()).map(|(a, b)| a ^ b).collect();
    for (i, ((x, y), &width)) in at_p0.0.iter().zip(&at_p1.0).zip(&all).enumerate() {
        let opened = x.words().iter().zip(y.words()).map(|(x, y)| low(K::combine(*x, *y), width));
        let mask = |at: usize| drawn.get(i).map_or(0, |column| column[at]);
        let wanted = (0..LEN).map(|at| low(K::combine(columns[i][at], mask(at)), width) * b[at]);
        assert!(opened.eq(wanted), "column {i} of {widths:?}, words of {owner:?}");
    }
}

#[test]
fn words_of_which_one_party_draws_a_part_are_selected() {
    for (i, (owner, widths)) in ROLES.into_iter().flat_map(|o| WIDTHS.map(|widths| (o, widths))).enumerate() {
        selected::<Additive>(owner, widths, 200 + i as u64);
        selected::<Bitwise>(owner, widths, 300 + i as u64);
    }
}

/// Equal words, words that differ in one bit, and others.
#[test]
fn words_are_compared_with_drawn_ones() {
    for (drawer, width) in ROLES.into_iter().flat_map(|d| [2u32, 4, 6, 34, 62, 64].map(|width| (d, width))) {
        let batch = 3 * width as usize + 1;
        let (sender, receiver) = std::sync::mpsc::channel();
        let ends = (Mutex::new(sender), Mutex::new(receiver));
        let near = |i: usize, t: u64| match i % 3 {
            0 => t,
            1 => t ^ 1 << (i / 3 % width as usize),
            _ => low(t.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i as u64, width),
        };
        let (at_p0, at_p1) = both(pair(400 + u64::from(width), None), |p| {
            let material = DrawnEquality::prepare(p, drawer, width, batch)?;
            let Some(drawn) = material.drawn() else {
                let drawn: Vec<u64> = ends.1.lock().expect("no panic").recv().expect("words");
                let x: Vec<u64> = drawn.iter().enumerate().map(|(i, &t)| near(i, t)).collect();
                let equal: Vec<bool> = x.iter().zip(&drawn).map(|(x, t)| x == t).collect();
                return Ok((material.eq(p, Some(&x))?, equal));
            };
            assert!(drawn.iter().all(|&t| low(t, width) == t));
            ends.0.lock().expect("no panic").send(drawn.to_vec()).expect("a receiver");
            Ok((material.eq(p, None)?, vec![]))
        });
        let wanted = [at_p0.1, at_p1.1].concat();
        let found = at_p0.0.iter().zip(at_p1.0.iter()).map(|(a, b)| a ^ b == 1);
        assert!(found.eq(wanted), "{width} bits, {drawer} draws");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    both(pair(500, None), |p| {
        for width in [0, 1, 3, 63, 65, 66] {
            assert!(matches!(DrawnEquality::prepare(p, Role::P0, width, 1), Err(Error::Param { .. })));
            assert!(matches!(DrawnEquality::bill(Role::P0, width), Err(Error::Param { .. })));
        }
        for widths in [[&[0][..], &[]], [&[], &[65]]] {
            assert!(matches!(DrawnMux::prepare(p, Role::P0, 1, widths), Err(Error::Param { .. })));
        }
        let draws = p.role() == Role::P0;
        // Too few, and words of who has none.
        for len in [2, 3].into_iter().filter(|&len| draws || len == 2) {
            let (x, words) = (bits(len, 1), random(len, 1));
            let refused = DrawnBits::prepare(p, Role::P0, 3)?.multiply(p, Some(&x)).err();
            assert!(matches!(refused, Some(Error::Shape { .. })), "{refused:?}");
            let refused = DrawnEquality::prepare(p, Role::P0, 8, 3)?.eq(p, Some(&words)).err();
            assert!(matches!(refused, Some(Error::Shape { .. })), "{refused:?}");
            let mux = DrawnMux::prepare(p, Role::P1, 3, [&[8], &[]])?;
            let refused = mux.select::<Additive>(p, &bits(3, 1), &[&words]).err();
            assert!(matches!(refused, Some(Error::Shape { .. })), "{refused:?}");
        }
        Ok(())
    });
}

/// With zeros as inputs what is sent is the masks: uniform, and related neither to each other nor to what is drawn.
#[test]
fn what_is_sent_hides_inputs_and_tells_nothing_of_what_is_drawn() {
    const LEN: usize = 4096;
    for drawer in ROLES {
        let drawn = Mutex::new(Vec::<Vec<u8>>::new());
        let run = |connection: Connection| -> Result<()> {
            let p = &mut Party::seeded(connection, 9, None)?;
            p.stock_cots(4 * LEN, 4 * LEN)?;
            let (zero, draws) = (Bits::collect(vec![0; LEN]), p.role() == drawer);
            let bits = DrawnBits::prepare(p, drawer, LEN)?;
            let mux = DrawnMux::prepare(p, drawer.peer(), LEN, [&[8], &[3]])?;
            if draws {
                let words = mux.drawn::<Bitwise>();
                let columns = Bits::from_share(&Share::<Bitwise, u64>::new(8, words[0].clone()));
                let all = columns.iter().chain(bits.drawn());
                let bytes = all.map(|bits| bytemuck::cast_slice(bits.words()).to_vec());
                drawn.lock().expect("no panic").extend(bytes);
            }
            bits.multiply(p, (!draws).then_some(&zero))?;
            let zeros = vec![0; LEN];
            let words: &[&[u64]] = if draws { &[] } else { &[&zeros, &zeros] };
            mux.select::<Bitwise>(p, &zero, words).map(drop)
        };
        let outcome = relayed(id(9), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        let last = |role: Role, count: usize| {
            let frames = &outcome.sent[role as usize];
            frames[frames.len() - count..].iter().map(|frame| frame[8..].to_vec()).collect::<Vec<_>>()
        };
        let (of_drawer, of_other) = (last(drawer, 1), last(drawer.peer(), 3));
        let lengths =
            |frames: &[Vec<u8>]| frames.iter().map(|frame| 8 * frame.len() / LEN).collect::<Vec<_>>();
        // A bit; the bits that are multiplied, then 8 and 3 bits of words, and a correction.
        assert_eq!((lengths(&of_drawer), lengths(&of_other)), (vec![1], vec![1, 11, 1]));
        let drawn = drawn.into_inner().expect("no panic");
        assert_eq!(drawn.len(), 9);
        let sent = of_drawer.iter().chain(&of_other).flat_map(|frame| columns(frame, LEN));
        let all: Vec<Vec<u8>> = sent.chain(drawn).collect();
        let uniform = |ones: u32| (LEN as u32 / 2).abs_diff(ones) < 5 * 32;
        for (i, a) in all.iter().enumerate() {
            assert!(uniform(a.iter().map(|a| a.count_ones()).sum()), "column {i} is no mask");
            for (j, b) in all[..i].iter().enumerate() {
                let different = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert!(uniform(different), "columns {j} and {i} are related, {drawer} draws");
            }
        }
    }
}

/// The vectors of bits of a message of whole pieces, whatever is packed in them.
fn columns(message: &[u8], len: usize) -> Vec<Vec<u8>> {
    message.chunks_exact(len / 8).map(<[u8]>::to_vec).collect()
}

#[test]
fn bills() {
    const N: usize = 64;
    let words = vec![1; N];
    for drawer in ROLES {
        check(
            &format!("bits that {drawer} draws"),
            DrawnBits::bill(drawer).times(N),
            |p| DrawnBits::prepare(p, drawer, N),
            |s, m| m.multiply(s, (s.role() != drawer).then_some(&bits(N, 1))).map(drop),
        );
        for widths in WIDTHS.into_iter().filter(|widths| *widths != [&[0u32; 0][..]; 2]) {
            check(
                &format!("selection of {widths:?} bits, some that {drawer} draws"),
                DrawnMux::bill(drawer.peer(), widths).times(N),
                |p| DrawnMux::prepare(p, drawer.peer(), N, widths),
                |s, m| {
                    let count = if s.role() == drawer { 0 } else { widths.concat().len() };
                    m.select::<Additive>(s, &bits(N, 2), &vec![&words[..]; count]).map(drop)
                },
            );
        }
        for width in [2, 10, 64] {
            check(
                &format!("comparison of {width} bits that {drawer} draws"),
                DrawnEquality::bill(drawer, width).expect("a width").times(N),
                |p| DrawnEquality::prepare(p, drawer, width, N),
                |s, m| m.eq(s, (s.role() != drawer).then_some(&words)).map(drop),
            );
        }
    }
}
