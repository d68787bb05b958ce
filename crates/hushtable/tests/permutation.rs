//! Shared permutation and shared rotation: right for every permutation and amount, in both kinds
//! of shares and both directions; the cost is the documented one; nothing shows that must not.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use hushtable::{
    Error, Party, Result, Role,
    net::{Connection, Cost, wire_len},
    permutation::{Arrays, permute, rotate},
    reference, run_pair,
    share::{Additive, Bitwise, Kind, Share},
};
use pairs::{id, pair};
use prim::{block::Block, prg::Prg, ring::Ring, rows::Shift};
use relay::{Fate, relayed};

/// Runs the holder at P0 and the mover at P1, or the other way round.
fn roles<A: Send, B: Send>(
    seed: u64,
    holder: Role,
    hold: impl FnOnce(&mut Party) -> Result<A> + Send,
    mover: impl FnOnce(&mut Party) -> Result<B> + Send,
) -> (A, B) {
    match holder {
        Role::P0 => run_pair(pair(seed, None), hold, mover).unwrap(),
        Role::P1 => {
            let (b, a) = run_pair(pair(seed, None), mover, hold).unwrap();
            (a, b)
        }
    }
}

/// The values that two shares make.
fn value<K: Kind, R: Ring>(a: &Share<K, R>, b: &Share<K, R>) -> Vec<u64> {
    assert_eq!((a.bits(), a.len()), (b.bits(), b.len()));
    let words = a.words().iter().zip(b.words()).map(|(a, b)| K::combine(a.to_u64(), b.to_u64()));
    Share::<K, u64>::new(a.bits(), words.collect()).words().to_vec()
}

fn entries<R: Ring>(of: Arrays, seed: u64) -> Vec<R> {
    let mut x = vec![R::default(); of.count * of.len];
    Prg::new(Block(seed.into())).words(of.bits, &mut x);
    x
}

/// All permutations of `0..n`.
fn all_permutations(n: u32) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let smaller = all_permutations(n - 1);
    let insert = |at: usize, pi: &Vec<u32>| {
        let mut longer = pi.clone();
        longer.insert(at, n - 1);
        longer
    };
    (0..n as usize).flat_map(|at| smaller.iter().map(move |pi| insert(at, pi))).collect()
}

fn shuffled(n: u32, rng: &mut Prg) -> Vec<u32> {
    let mut pi: Vec<u32> = (0..n).collect();
    (1..n as usize).rev().for_each(|i| pi.swap(i, (rng.u64() % (i as u64 + 1)) as usize));
    pi
}

fn permuted<K: Kind, R: Ring>(holder: Role, bits: u32, permutations: &[Vec<u32>]) {
    let of = Arrays { count: permutations.len(), len: permutations[0].len(), bits };
    let (x, pi) = (entries::<R>(of, 4), permutations.concat());
    let (r, y) =
        roles(20, holder, |p| permute::hold::<K, R>(p, of, &x), |p| permute::permute::<K, R>(p, of, &pi));
    let want = x.chunks(of.len).zip(permutations).flat_map(|(x, pi)| reference::permute(x, pi));
    assert_eq!(value(&r, &y), want.map(Ring::to_u64).collect::<Vec<_>>(), "{of:?}");
}

#[test]
fn every_permutation_of_up_to_six() {
    for n in 2..=6 {
        let all = all_permutations(n);
        assert_eq!(all.len(), (1..=n as usize).product::<usize>());
        permuted::<Additive, u8>(Role::P0, 8, &all);
        permuted::<Bitwise, u16>(Role::P1, 1, &all);
        permuted::<Additive, u64>(Role::P1, 64, &all);
        permuted::<Bitwise, u32>(Role::P0, 13, &all);
    }
}

#[test]
fn random_permutations_of_more() {
    let mut rng = Prg::new(Block(5));
    for n in [7, 8, 9, 16, 31, 100, 257] {
        let some: Vec<Vec<u32>> = (0..9).map(|_| shuffled(n, &mut rng)).collect();
        permuted::<Additive, u64>(Role::P0, 37, &some);
        permuted::<Bitwise, u8>(Role::P1, 7, &some);
    }
    permuted::<Additive, u32>(Role::P1, 32, &[shuffled(1025, &mut rng)]);
}

fn turned<K: Kind, R: Ring>(holder: Role, shift: Shift, bits: u32, len: usize, by: &[u32]) {
    let of = Arrays { count: by.len(), len, bits };
    let x = entries::<R>(of, 6);
    let want = |by: &[u32]| -> Vec<u64> {
        x.chunks(len).zip(by).flat_map(|(x, &by)| reference::shift(shift, x, by)).map(Ring::to_u64).collect()
    };
    let (r, y) = roles(
        21,
        holder,
        |p| rotate::hold::<K, R>(p, of, shift, &x),
        |p| rotate::turn::<K, R>(p, of, shift, by),
    );
    assert_eq!(value(&r, &y), want(by), "{of:?} {shift:?}");
    let (r, (by, y)) = roles(
        22,
        holder,
        |p| rotate::hold_random::<K, R>(p, of, shift, &x),
        |p| rotate::turn_random::<K, R>(p, of, shift),
    );
    assert_eq!(value(&r, &y), want(&by), "{of:?} {shift:?} by random amounts");
    assert!(by.iter().all(|&s| (s as usize) < len));
    assert!(len < 4 || by.iter().any(|s| s != &by[0]), "all amounts are {}", by[0]);
}

#[test]
fn every_amount_of_up_to_sixteen() {
    for len in 2..=16usize {
        let by: Vec<u32> = (0..3 * len as u32).map(|i| i % len as u32).collect();
        turned::<Additive, u16>(Role::P0, Shift::Cyclic, 16, len, &by);
        turned::<Bitwise, u64>(Role::P1, Shift::Cyclic, 1, len, &by);
        turned::<Additive, u64>(Role::P1, Shift::Cyclic, 64, len, &by);
        if len.is_power_of_two() {
            turned::<Additive, u8>(Role::P1, Shift::Xor, 8, len, &by);
            turned::<Bitwise, u32>(Role::P0, Shift::Xor, 31, len, &by);
        }
    }
}

#[test]
fn some_amounts_of_longer_arrays() {
    for len in [17usize, 100, 128, 1000] {
        let by: Vec<u32> = (0..20).map(|i| i * 77 % len as u32).collect();
        turned::<Additive, u32>(Role::P0, Shift::Cyclic, 27, len, &by);
    }
    turned::<Bitwise, u8>(Role::P1, Shift::Xor, 5, 256, &[0, 1, 128, 255, 77, 77]);
}

/// What the holder and the mover pay, with their correlated OTs in stock.
fn cost<A: Send, B: Send>(
    cots: usize,
    hold: impl FnOnce(&mut Party) -> Result<A> + Send,
    mover: impl FnOnce(&mut Party) -> Result<B> + Send,
) -> Cost {
    let (a, b) = roles(
        23,
        Role::P0,
        |p| {
            p.stock_cots(cots, 0)?;
            p.metered(hold)
        },
        |p| {
            p.stock_cots(0, cots)?;
            p.metered(mover)
        },
    );
    assert_eq!((a.1.sent, a.1.received), (b.1.received, b.1.sent));
    Cost { rounds: a.1.rounds.max(b.1.rounds), ..a.1 }
}

/// Wire bytes of `count` arrays of `bits` bits, `piece` arrays to a message.
fn in_pieces(count: usize, piece: usize, bits: usize) -> u64 {
    let sizes = (0..count).step_by(piece).map(|from| piece.min(count - from));
    sizes.map(|arrays| wire_len((arrays * bits).div_ceil(8))).sum()
}

fn depth(len: usize) -> usize {
    len.next_power_of_two().ilog2() as usize
}

/// `n d` bits from the mover, `128 n (d - 1) + n l` bits and as many as `n d` correlated OTs.
#[test]
fn a_permutation_costs_what_its_page_says() {
    for (count, len, bits) in [(1, 2, 1), (7, 6, 13), (1000, 16, 64), (3, 1000, 8), (0, 5, 5)] {
        let of = Arrays { count, len, bits };
        let (x, pi) = (entries::<u64>(of, 1), (0..len as u32).collect::<Vec<_>>().repeat(count));
        let d = depth(len);
        let piece = ((8 << 18) / (len * d * 128 + len * bits as usize)).max(1);
        let cost = cost(
            count * len * d,
            |p| permute::hold::<Additive, u64>(p, of, &x),
            |p| permute::permute::<Additive, u64>(p, of, &pi),
        );
        let sent = in_pieces(count, piece, 128 * len * (d - 1) + len * bits as usize);
        let rounds = if count == 0 { 0 } else { 2 };
        assert_eq!(cost, Cost { sent, received: in_pieces(count, piece, len * d), rounds }, "{of:?}");
    }
}

/// `128 (d - 1) + n l` bits and `d` correlated OTs; `d` bits back for a chosen amount, or a length
/// that is no power of two.
#[test]
fn a_rotation_costs_what_its_page_says() {
    for (count, len, bits) in [(1, 2, 1), (7, 6, 13), (3000, 16, 64), (3, 1024, 8), (0, 5, 5)] {
        let of = Arrays { count, len, bits };
        let (x, by) = (entries::<u64>(of, 1), vec![1; count]);
        let d = depth(len);
        let piece = ((8 << 18) / (d * 128 + len * bits as usize)).max(1);
        let sent = in_pieces(count, piece, 128 * (d - 1) + len * bits as usize);
        let back = in_pieces(count, piece, d);
        let chosen = Cost { sent, received: back, rounds: if count == 0 { 0 } else { 2 } };
        let got = cost(
            count * d,
            |p| rotate::hold::<Additive, u64>(p, of, Shift::Cyclic, &x),
            |p| rotate::turn::<Additive, u64>(p, of, Shift::Cyclic, &by),
        );
        assert_eq!(got, chosen, "{of:?}");
        let got = cost(
            count * d,
            |p| rotate::hold_random::<Bitwise, u64>(p, of, Shift::Cyclic, &x),
            |p| rotate::turn_random::<Bitwise, u64>(p, of, Shift::Cyclic),
        );
        let free = if len.is_power_of_two() { Cost { received: 0, rounds: 1, ..chosen } } else { chosen };
        assert_eq!(got, free, "{of:?}, random amounts");
    }
}

/// What the two parties send with fixed arrays and one fixed permutation or amount throughout.
fn messages(seed: u64, run: impl Fn(&mut Party) -> Result<()> + Send + Sync + Copy) -> [Vec<u8>; 2] {
    let all = |with: bool| {
        let party = move |c: Connection| {
            let mut p = Party::seeded(c, seed, None)?;
            if with { run(&mut p) } else { Ok(()) }
        };
        let outcome = relayed(id(seed), party, party, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        outcome.sent
    };
    let (set_up, sent) = (all(false), all(true));
    [0, 1].map(|i| {
        let own = &sent[i][set_up[i].len()..];
        own.iter().flat_map(|frame| frame[8..].to_vec()).collect()
    })
}

fn uniform_bytes(what: &str, bytes: &[u8]) {
    let mut counts = [0; 256];
    bytes.iter().for_each(|&b| counts[b as usize] += 1);
    let far = stats::uniform(&counts);
    assert!(far < 6.0, "{what}: {far} standard deviations from uniform");
}

/// Catches a place or an amount sent without its mask, or two under the same mask: with one
/// permutation throughout the mover's message must be uniform.
#[test]
fn what_the_mover_sends_is_uniform() {
    let of = Arrays { count: 500, len: 16, bits: 8 };
    let (x, pi, by) = ([0u8; 8000], (0..16).collect::<Vec<u32>>().repeat(500), [5; 500]);
    // The correlated OTs' own messages come first, from P1 too: what is measured is the end.
    let [_, from_p1] = messages(24, |p| match p.role() {
        Role::P0 => permute::hold::<Additive, u8>(p, of, &x).map(drop),
        Role::P1 => permute::permute::<Additive, u8>(p, of, &pi).map(drop),
    });
    uniform_bytes("places", &from_p1[from_p1.len() - 500 * 16 * 4 / 8..]);
    let [_, from_p1] = messages(25, |p| {
        (0..8).try_for_each(|_| match p.role() {
            Role::P0 => rotate::hold::<Additive, u8>(p, of, Shift::Xor, &x).map(drop),
            Role::P1 => rotate::turn::<Additive, u8>(p, of, Shift::Xor, &by).map(drop),
        })
    });
    uniform_bytes("amounts", &from_p1[from_p1.len() - 8 * 500 * 4 / 8..]);
}

/// Catches leaves that mask unhashed: all leaves of a tree sum to Delta, so the holder's sums over
/// full trees would be the same in all rows of all arrays. And sums with a leaf missing, which
/// would leave an entry of the holder's bare.
#[test]
fn the_holders_shares_and_messages_are_uniform() {
    let of = Arrays { count: 400, len: 16, bits: 8 };
    let (x, pi, by) = ([0u8; 6400], (0..16).collect::<Vec<u32>>().repeat(400), [5; 400]);
    fn shares<K: Kind>(of: Arrays, x: &[u8], pi: &[u32], by: &[u32]) {
        let hold = |p: &mut Party| {
            let r = permute::hold::<K, u8>(p, of, x)?;
            Ok((r, rotate::hold::<K, u8>(p, of, Shift::Cyclic, x)?))
        };
        let mover = |p: &mut Party| {
            let y = permute::permute::<K, u8>(p, of, pi)?;
            Ok((y, rotate::turn::<K, u8>(p, of, Shift::Cyclic, by)?))
        };
        let (mine, theirs) = roles(26, Role::P0, hold, mover);
        for (what, share) in
            [("r", &mine.0), ("r of a rotation", &mine.1), ("y", &theirs.0), ("y of a rotation", &theirs.1)]
        {
            uniform_bytes(what, share.words());
        }
        // Neighbours too, so that rows which are all the same are seen, and arrays alike.
        for distance in [1, 16] {
            let differences = |share: &Share<K, u8>| -> Vec<u8> {
                let pairs = share.words().iter().zip(&share.words()[distance..]);
                pairs.map(|(a, b)| K::strip((*a).into(), (*b).into()) as u8).collect()
            };
            uniform_bytes("differences of r", &differences(&mine.0));
            uniform_bytes("differences of r of a rotation", &differences(&mine.1));
        }
    }
    shares::<Additive>(of, &x, &pi, &by);
    shares::<Bitwise>(of, &x, &pi, &by);
    let [from_p0, _] = messages(27, |p| match p.role() {
        Role::P0 => rotate::hold_random::<Bitwise, u8>(p, of, Shift::Cyclic, &x).map(drop),
        Role::P1 => rotate::turn_random::<Bitwise, u8>(p, of, Shift::Cyclic).map(drop),
    });
    uniform_bytes("masked entries", &from_p0[from_p0.len() - 6400..]);
}

/// Every refusal names its reason, before anything is sent.
#[test]
fn what_does_not_fit_is_refused() {
    let refuse = |p: &mut Party| -> Result<()> {
        fn param<T>(outcome: Result<T>, want: &str) {
            match outcome.err().expect("accepted") {
                e @ (Error::Param { .. } | Error::Shape { .. }) => assert_eq!(e.to_string(), want),
                other => panic!("another kind of error: {other:?}"),
            }
        }
        let of = |count, len, bits| Arrays { count, len, bits };
        let hold = |p: &mut Party, of, x: &[u8]| permute::hold::<Additive, u8>(p, of, x);
        let width = "width of an array's entries";
        param(hold(p, of(1, 2, 0), &[0; 2]), &format!("{width}: 0 is not supported; accepted: 1 to 8"));
        param(hold(p, of(1, 2, 9), &[0; 2]), &format!("{width}: 9 is not supported; accepted: 1 to 8"));
        let length = "entries of an array";
        param(hold(p, of(1, 1, 8), &[0]), &format!("{length}: 1 is not supported; accepted: 2 to 4096"));
        param(
            hold(p, of(1, 4097, 8), &[0; 4097]),
            &format!("{length}: 4097 is not supported; accepted: 2 to 4096"),
        );
        param(hold(p, of(2, 3, 8), &[0; 5]), "entries of all arrays: expected 6, got 5");
        let wide = "entry of an array: a word with more bits is not supported; accepted: words of 3 bits";
        param(hold(p, of(1, 2, 3), &[7, 8]), wide);
        let none =
            "permutation: words that are no permutation is not supported; accepted: each of 0 to 2 once";
        for pi in [[0, 1, 1], [0, 1, 3], [u32::MAX, 1, 2]] {
            param(permute::permute::<Additive, u8>(p, of(1, 3, 8), &pi), none);
        }
        let all = "entries of all permutations: expected 6, got 3";
        param(permute::permute::<Additive, u8>(p, of(2, 3, 8), &[0, 1, 2]), all);
        let turn = |p: &mut Party, of, shift, by: &[u32]| rotate::turn::<Additive, u8>(p, of, shift, by);
        param(
            turn(p, of(2, 3, 8), Shift::Cyclic, &[2, 3]),
            "amount of a rotation: one that is too large is not supported; accepted: less than 3",
        );
        param(turn(p, of(2, 3, 8), Shift::Cyclic, &[2]), "amounts: expected 2, got 1");
        param(
            turn(p, of(1, 12, 8), Shift::Xor, &[2]),
            "entries of an array shifted by XOR or in both directions: 12 is not supported; accepted: powers of two",
        );
        param(
            rotate::hold_random::<Additive, u8>(p, of(1, 65537, 8), Shift::Cyclic, &[0; 65537]),
            &format!("{length}: 65537 is not supported; accepted: 2 to 65536"),
        );
        Ok(())
    };
    let cost = |p: &mut Party| p.metered(refuse).map(|(_, cost)| assert_eq!(cost, Cost::default()));
    run_pair(pair(28, None), cost, cost).unwrap();
}
