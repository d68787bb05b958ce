//! The rules that keep the protocols safe, each as the attack that breaking it would enable. A
//! comment says which change of the code each test is there to catch. What the parties see is
//! tested as a distribution in `views.rs`.

#[path = "support/pairs.rs"]
mod pairs;
#[path = "support/relay.rs"]
mod relay;

use std::collections::HashSet;

use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::{Connection, Shape},
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::{
        CotReceiver, CotSender, one_of_n,
        strings::{PayloadReceiver, PayloadSender},
    },
    reference, run_pair,
    session::{Purpose, Session},
    share::{Bitwise, Share},
};
use pairs::{both, id, pair, share};
use prim::{Shift, block::Block, ct, ggm, hash::CcrHash, pack, rows};
use relay::{Fate, relayed};

const PURPOSES: [Purpose; 7] = [
    Purpose::SubfieldTree,
    Purpose::NoiseTree,
    Purpose::Matrix,
    Purpose::OtPad,
    Purpose::KeyTree,
    Purpose::Pprf,
    Purpose::Row,
];
const OWNERS: [Role; 2] = [Role::P0, Role::P1];

// ---- Hash keys ----

/// The first `each` keys of every purpose and owner that a session hands out.
fn keys(s: &mut Session, each: usize) -> Vec<u128> {
    let kinds = PURPOSES.iter().flat_map(|&purpose| OWNERS.map(|owner| (purpose, owner)));
    kinds.flat_map(|kind| vec![kind; each]).map(|(purpose, owner)| s.key(purpose, owner).0).collect()
}

/// Catches a key that forgets its purpose, its owner, its counter, its lane or its session: two
/// uses of one key see hashes of related inputs (lut-rules, section 0).
#[test]
fn no_hash_key_repeats() {
    let all = |p: &mut Party| -> Result<Vec<u128>> {
        let mut found = keys(p, 30);
        for mut lane in p.fork(3)? {
            found.extend(keys(&mut lane, 30));
        }
        found.extend(keys(p, 30));
        Ok(found)
    };
    let (mut found, at_p1) = both(pair(40, None), all);
    assert_eq!(found, at_p1, "both parties draw the same keys");
    found.extend(both(pair(41, None), all).0);
    assert_eq!(found.len(), 2 * 5 * 30 * 14);
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len(), "a key repeats");
}

/// How many keys the party has drawn so far: keys are numbered, so those of a fresh session with
/// the same id tell. Draws one.
fn drawn(p: &mut Party, seed: u64, purpose: Purpose, owner: Role) -> usize {
    let (mut fresh, _) = Session::pair_seeded(seed, Shape::LOOPBACK);
    let next = p.key(purpose, owner).0;
    (0..10_000).position(|_| fresh.key(purpose, owner).0 == next).expect("a numbered key")
}

/// Catches one key for a whole batch: every message of a rotation has keys of its own, and no pads
/// of more than 2^20 correlated OTs come from one key (lut-rules, bound and checklist 1).
#[test]
fn keys_are_renewed_within_a_batch() {
    both(pair(42, None), |p| {
        let messages = |lookups: usize, piece: usize| lookups.div_ceil(piece);
        OneHot::<Xor>::rotl(p, 2, 2 * 1100 - 1).map(drop)?;
        SpLut::<Xor>::prepare(p, 16, 6).map(drop)?;
        for (owner, lookups) in [(Role::P0, 1100), (Role::P1, 1099)] {
            assert_eq!(drawn(p, 42, Purpose::Pprf, owner), messages(lookups, 512));
            assert_eq!(drawn(p, 42, Purpose::Row, owner), messages(lookups, 512));
        }
        let many = (1 << 20) + 1;
        let before = drawn(p, 42, Purpose::OtPad, Role::P0);
        match p.role() {
            Role::P0 => {
                let cots = p.cots(many, 0)?.0;
                drop(PayloadSender::new(p, cots, &[1])?);
            }
            Role::P1 => {
                let cots = p.cots(0, many)?.1;
                drop(PayloadReceiver::new(p, cots, &vec![0; many], &[1])?);
            }
        }
        assert!(drawn(p, 42, Purpose::OtPad, Role::P0) >= before + 3, "the draw above, and two keys");
        Ok(())
    });
}

// ---- Pads ----

/// `count` correlated OTs sent by P0, both halves.
fn cots(seed: u64, count: usize) -> (CotSender, CotReceiver) {
    let take = run_pair(pair(seed, None), |p| p.cots(count, 0), |p| p.cots(0, count));
    let ((sender, _), (_, receiver)) = take.expect("an honest run");
    (sender, receiver)
}

/// A10, A6: catches payloads of one correlated OT whose pads overlap, by a whole slice or by one
/// bit: the XOR or difference of two messages would be that of the payloads. With payloads zero
/// the message is the pads' own difference, and no two of its bit columns may be the same.
#[test]
fn payloads_have_disjoint_slices() {
    const COUNT: usize = 1024;
    let widths = [64, 64, 1, 63, 7, 64, 40, 8, 32, 32];
    let sent = |p: &mut Party| -> Result<Vec<u8>> {
        let cots = p.cots(COUNT, 0)?.0;
        let mut pads = PayloadSender::new(p, cots, &widths)?;
        // In two parts, as an offline and an online phase would: no slice is spent twice.
        let (mut first, _) = pads.send::<Bitwise>(&vec![vec![0; COUNT]; 3]);
        first.extend(pads.send::<Bitwise>(&vec![vec![0; COUNT]; 7]).0);
        Ok(first)
    };
    let received = |p: &mut Party| -> Result<()> {
        let cots = p.cots(0, COUNT)?.1;
        PayloadReceiver::new(p, cots, &[0; COUNT], &widths).map(drop)
    };
    let (message, ()) = run_pair(pair(43, None), sent, received).expect("an honest run");
    let (mut at, mut columns, mut count) = (0, HashSet::new(), 0);
    for width in widths {
        let mut words = vec![0u64; COUNT];
        let len = pack::packed_len(COUNT, width);
        pack::unpack(&message[at..at + len], width, &mut words);
        at += len;
        for bit in 0..width {
            let column: Vec<bool> = words.iter().map(|w| w >> bit & 1 == 1).collect();
            let complement: Vec<bool> = column.iter().map(|b| !b).collect();
            let ones = column.iter().filter(|&&b| b).count();
            assert!((COUNT / 3..COUNT * 2 / 3).contains(&ones), "bit {bit} of width {width} is no pad");
            assert!(!columns.contains(&complement), "bit {bit} of width {width} repeats");
            assert!(columns.insert(column), "bit {bit} of width {width} repeats");
            count += 1;
        }
    }
    assert_eq!((at, count), (message.len(), 375));
}

/// t13: catches pads made from XORs of the strings. XORs of an even number of strings lose Delta,
/// so the receiver would know the pad of the complementary index; sums of hashes level by level
/// would make the pads of a square of indices add up to zero.
#[test]
fn pads_of_one_of_n_are_independent() {
    const DEPTH: usize = 4;
    let (sender, receiver) = cots(44, 50 * DEPTH);
    let hash = CcrHash::new(Block(0x1234_5678));
    for (q, t) in sender.strings().chunks_exact(DEPTH).zip(receiver.strings().chunks_exact(DEPTH)) {
        let mut pads = vec![Block::ZERO; 1 << DEPTH];
        one_of_n::pads(&hash, sender.delta(), q, &mut pads);
        let own = one_of_n::chosen_index(t) as usize;
        assert!(one_of_n::chosen_pads(&hash, t, DEPTH)[0] == pads[own]);
        let distinct: HashSet<u128> = pads.iter().map(|pad| pad.0).collect();
        assert_eq!(distinct.len(), pads.len(), "two indices share a pad");
        let sum = t.iter().fold(Block::ZERO, |sum, &t| sum ^ t);
        for i in (0..1usize << DEPTH).filter(|&i| i != own) {
            // What walking path i on the sum of the strings would give.
            let tweaks = |level: usize| Block((level as u128) << 32 | (i >> (DEPTH - 1 - level)) as u128);
            let path = (0..DEPTH).fold(Block::ZERO, |sum, level| sum ^ tweaks(level));
            for guess in [sum, sum ^ path, sum ^ tweaks(DEPTH - 1)] {
                assert!(pads[i] != guess && pads[i] != hash.one(guess), "the receiver knows pad {i}");
            }
        }
        for (a, b) in (0..DEPTH).flat_map(|a| (0..a).map(move |b| (1 << a, 1 << b))) {
            for i in (0..1 << DEPTH).filter(|i| i & (a | b) == 0) {
                let square = pads[i] ^ pads[i | a] ^ pads[i | b] ^ pads[i | a | b];
                assert!(square != Block::ZERO, "pads of a square of indices add up to zero");
            }
        }
    }
}

/// A12: catches rows taken from the leaves unhashed. The turner knows every leaf but one, and that
/// one is `Delta ^ the XOR of the others`: in the XOR of two lookups' messages Delta would cancel
/// and the two one-hot vectors of the holder show. P1 plays the turner by hand.
#[test]
fn leaves_mask_only_through_the_hash() {
    const DEPTH: usize = 7;
    const LOOKUPS: usize = 64;
    let holder = |p: &mut Party| OneHot::<Cyclic>::rotl(p, DEPTH as u32, 2 * LOOKUPS).map(drop);
    let turner = |p: &mut Party| -> Result<Vec<(u128, u128)>> {
        let (_, cots) = p.cots(LOOKUPS * DEPTH, LOOKUPS * DEPTH)?;
        let (tree, row) = (p.hash(Purpose::Pprf, Role::P0), p.hash(Purpose::Row, Role::P0));
        let (tree_len, row_len) = (16 * (DEPTH - 1), 16);
        p.send(vec![0; LOOKUPS * (tree_len + row_len)])?; // as holder of the other half: nothing useful
        let message = p.recv(LOOKUPS * (tree_len + row_len))?;
        let (trees, masked) = message.split_at(LOOKUPS * tree_len);
        let mut leaves = vec![Block::ZERO; 1 << DEPTH];
        let lookup = |j: usize| {
            let mut corrections = [Block::ZERO; DEPTH - 1];
            bytemuck::cast_slice_mut(&mut corrections).copy_from_slice(&trees[j * tree_len..][..tree_len]);
            let alpha =
                ggm::puncture(&tree, &cots.strings()[j * DEPTH..][..DEPTH], &corrections, &mut leaves);
            let (mut r, mut a, mut v) = ([0; 2], [0; 2], [0u64; 2]);
            rows::sum_rows(&row, Shift::Cyclic, &leaves, &mut r, &mut a);
            pack::unpack(&masked[j * row_len..][..row_len], 64, &mut v);
            // What is left is the one-hot vector under the one row that the turner does not know.
            let mut rest = [v[0] ^ a[0], v[1] ^ a[1]];
            ct::rotate_row(&mut rest, 1 << DEPTH, alpha);
            let known = leaves.iter().fold(Block::ZERO, |sum, &leaf| sum ^ leaf);
            (u128::from(rest[0]) | u128::from(rest[1]) << 64, known.0)
        };
        Ok((0..LOOKUPS).map(lookup).collect())
    };
    let ((), seen) = run_pair(pair(45, None), holder, turner).expect("an honest run");
    for (i, &(rest, known)) in seen.iter().enumerate() {
        for &(other_rest, other_known) in &seen[..i] {
            let (plain, attack) = (rest ^ other_rest, rest ^ other_rest ^ known ^ other_known);
            assert!(plain.count_ones() > 24 && attack.count_ones() > 24, "two lookups are related");
        }
    }
}

// ---- Indices ----

/// Everything both parties send when the index shares are `x`, in `bits` bits.
fn transcript<G: Group>(bits: u32, x: &[u32], splut: bool) -> [Vec<Vec<u8>>; 2] {
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::seeded(connection, 46, None)?;
        let table = Table::<u16>::tabulate(4, 9, |x| x * 31)?;
        let x = Share::<G::Kind, u32>::new(bits, x.to_vec());
        if splut {
            return SpLut::<G>::prepare(&mut p, 16, x.len())?.lookup(&mut p, &table, &x).map(drop);
        }
        OneHot::<G>::rotl(&mut p, 4, x.len())?.signed(&mut p, &[9])?.lookup(&mut p, &table, &x).map(drop)
    };
    let outcome = relayed(id(46), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    outcome.sent
}

/// S5, t11: catches a wide index share that is masked before it is reduced: its high part would
/// show in the opened value, whose mask is below n. High bits must not reach the wire at all.
#[test]
fn a_wide_index_is_reduced_before_it_is_masked() {
    fn check<G: Group>() {
        let low: Vec<u32> = (0..16).chain([3, 3, 3]).collect();
        let wide = |high: u32| -> Vec<u32> { low.iter().map(|x| x | high << 4).collect() };
        for splut in [false, true] {
            let narrow = transcript::<G>(4, &low, splut);
            for (bits, high) in [(5, 1), (13, 0x1ff), (32, 0x0abc_def1), (32, 0)] {
                let same = transcript::<G>(bits, &wide(high), splut) == narrow;
                assert!(same, "{}: the high part {high:#x} of {bits} bits is on the wire", G::NAME);
            }
        }
    }
    check::<Cyclic>();
    check::<Xor>();
}

// ---- The sign ----

/// E2 and lut-spec 5: the sign comes from the ones of both shares mod 4, at P1 negated. Catches a
/// wrong sign for any of the four cases, and `MUX(2z, b) - z` of the paper, which negates all.
#[test]
fn outputs_are_right_for_all_parities_of_both_shares() {
    fn check<G: Group>(n: u32, seed: u64) {
        const BATCH: usize = 400;
        let xs: Vec<u32> = (0..BATCH as u32).map(|i| i % (1 << n)).collect();
        let units = (0..1usize << n).map(|j| reference::one_hot(1 << n, j as u32)).collect::<Vec<_>>();
        let units =
            Table::vector(1, units.iter().map(|c| c.iter().map(|&b| u8::from(b)).collect()).collect());
        let units = units.expect("a table");
        // The same material twice, because the seed is the same: once to look at its shares, which
        // shifting by the opened index permutes, and once to look up.
        let rows = |p: &mut Party| -> Result<Vec<Vec<bool>>> {
            let x: Share<G::Kind, u32> = share(p.role(), n, &xs, seed);
            let columns = OneHot::<G>::rotl(p, n, BATCH)?.open_index(p, &x)?.read_xor(&units)?;
            Ok((0..BATCH).map(|i| columns.iter().map(|c| c.words()[i] == 1).collect()).collect())
        };
        let (rows_0, rows_1) = both(pair(seed, None), rows);
        let table = Table::<u32>::tabulate(n, 32, |x| (x + 1) * 0x9e37_79b9).expect("a table");
        let (got, _) = both(pair(seed, None), |p| {
            let x: Share<G::Kind, u32> = share(p.role(), n, &xs, seed);
            let y = OneHot::<G>::rotl(p, n, BATCH)?.signed(p, &[32])?.lookup(p, &table, &x)?;
            p.open(&y)
        });
        let mut cases = HashSet::new();
        for (i, (row_0, row_1)) in rows_0.iter().zip(&rows_1).enumerate() {
            let sum: Vec<bool> = row_0.iter().zip(row_1).map(|(a, b)| a ^ b).collect();
            assert_eq!(sum, reference::one_hot(1 << n, xs[i]));
            let ones = row_0.iter().filter(|&&b| b).count() % 4;
            assert_eq!(
                got[i],
                reference::lookup(&table.columns()[0], &xs[i..=i])[0],
                "P0 has {ones} ones mod 4"
            );
            cases.insert((ones, reference::sign(row_0, row_1)));
        }
        let possible = if n == 1 { 4 } else { 8 };
        assert_eq!(
            cases.len(),
            possible,
            "every count mod 4 with both signs, among {BATCH} lookups: {cases:?}"
        );
    }
    check::<Cyclic>(1, 47);
    check::<Xor>(2, 48);
    check::<Cyclic>(5, 49);
}

/// What is secret is not printed.
#[test]
fn debug_shows_shapes_only() {
    let secret = Share::<Bitwise, u32>::new(20, vec![0xabcde; 4]);
    assert_eq!(format!("{secret:?}"), "Share(4 x 20 bits)");
    let printed = both(pair(50, None), |p| Ok(format!("{:?}", OneHot::<Xor>::rotl(p, 3, 5)?)));
    assert_eq!(printed.0, "OneHot<xor>(5 x 8 entries)");
}
