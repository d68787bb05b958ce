//! The rules that keep the protocols safe, each as the attack that breaking it would enable. A
//! comment says which change of the code each test is there to catch. What the parties see is
//! tested as a distribution in `views.rs`.

use crate::support::bare;
use crate::support::pairs;
use crate::support::recorded::PURPOSES;
use crate::support::relay;

use std::collections::HashSet;

use bare::{Bare, against, by_hand};
use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::{Connection, LinkShape},
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::{
        one_of_n,
        products::Pads,
        strings::{PayloadReceiver, PayloadSender},
    },
    reference,
    session::{Purpose, Session},
    share::{Additive, Bitwise, Share},
};
use pairs::{both, id, pair, share};
use prim::{Shift, block::Block, ct, ggm, pack, rows};
use relay::{Fate, relayed};

const OWNERS: [Role; 2] = [Role::P0, Role::P1];

// ---- Hash keys ----

/// Catches a key that forgets its purpose, its owner, its counter, its lane or its session: two
/// uses of one key see hashes of related inputs (lut-rules, section 0).
#[test]
fn no_hash_key_repeats() {
    let draw = |s: &mut Session| -> Vec<u128> {
        let kinds = PURPOSES.iter().flat_map(|&purpose| OWNERS.map(|owner| (purpose, owner)));
        kinds.flat_map(|kind| [kind; 30]).map(|(purpose, owner)| s.key(purpose, owner).0).collect()
    };
    let all = |bare: &mut Bare| -> Result<Vec<u128>> {
        let mut found = draw(&mut bare.session);
        for lane in &mut bare.session.fork(3)? {
            found.extend(draw(lane));
        }
        found.extend(draw(&mut bare.session));
        Ok(found)
    };
    let (mut found, at_p1) = by_hand(40, all, all);
    assert_eq!(found, at_p1, "both parties draw the same keys");
    found.extend(by_hand(41, all, all).0);
    assert_eq!(found.len(), 2 * 5 * 30 * 2 * PURPOSES.len());
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len(), "a key repeats");
}

/// Catches one key for the pads of a whole batch: it may serve 2^20 correlated OTs (lut-rules,
/// bound and checklist 1). That every message of a rotation has keys of its own, the turner below
/// finds out.
#[test]
fn pads_of_a_large_batch_have_several_keys() {
    const MANY: usize = (1 << 20) + 1;
    /// Keys are numbered, so those of a fresh session with the same id tell how many were drawn.
    fn drawn(s: &mut Session) -> usize {
        let (mut fresh, _) = Session::pair_seeded(42, LinkShape::LOOPBACK);
        let next = s.key(Purpose::OtPad, Role::P0).0;
        (0..100).position(|_| fresh.key(Purpose::OtPad, Role::P0).0 == next).expect("a numbered key")
    }
    let send = |bare: &mut Bare| -> Result<usize> {
        let Bare { session, ot } = bare;
        let (cots, before) = (ot.take(session, MANY, 0)?.0, drawn(session));
        drop(PayloadSender::random(session, cots, &[1]));
        Ok(drawn(session) - before - 1)
    };
    let receive = |bare: &mut Bare| -> Result<usize> {
        let Bare { session, ot } = bare;
        let (cots, before) = (ot.take(session, 0, MANY)?.1, drawn(session));
        drop(PayloadReceiver::random(session, cots, &[1]));
        Ok(drawn(session) - before - 1)
    };
    assert_eq!(by_hand(42, send, receive), (2, 2));
}

// ---- Pads ----

/// A10, A6: catches payloads of one correlated OT whose pads overlap, by a whole slice or by one
/// bit: the XOR or difference of two messages would be that of the payloads. With payloads zero
/// the message is the pads' own difference, and no two of its bit columns may be the same.
#[test]
fn payloads_have_disjoint_slices() {
    const COUNT: usize = 1024;
    let widths = [64, 64, 1, 63, 7, 64, 40, 8, 32, 32];
    let send = |bare: &mut Bare| -> Result<Vec<u8>> {
        let cots = bare.ot.take(&mut bare.session, COUNT, 0)?.0;
        let mut pads = PayloadSender::new(&mut bare.session, cots, &widths)?;
        // In two parts, as an offline and an online phase would: no slice is spent twice.
        let (mut first, _) = pads.send::<Bitwise>(&vec![vec![0; COUNT]; 3]);
        first.extend(pads.send::<Bitwise>(&vec![vec![0; COUNT]; 7]).0);
        Ok(first)
    };
    let receive = |bare: &mut Bare| -> Result<()> {
        let cots = bare.ot.take(&mut bare.session, 0, COUNT)?.1;
        PayloadReceiver::new(&mut bare.session, cots, &[0; COUNT], &widths).map(drop)
    };
    let (message, ()) = by_hand(43, send, receive);
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
    const COUNT: usize = 50;
    let send = |bare: &mut Bare| -> Result<Vec<Vec<Block>>> {
        let Bare { session: s, ot } = bare;
        let cots = ot.take(s, COUNT * DEPTH, 0)?;
        let (mut sender, _) = one_of_n::by_products(s, 1 << DEPTH, cots)?;
        let (keys, mut room) = (sender.key(s), Pads::new(1 << DEPTH));
        Ok((0..COUNT).map(|j| sender.pads(&keys, j, 0, &mut room).to_vec()).collect())
    };
    let receive = |bare: &mut Bare| -> Result<(Vec<Block>, one_of_n::Receiver, one_of_n::Keys)> {
        let Bare { session: s, ot } = bare;
        let cots = ot.take(s, 0, COUNT * DEPTH)?;
        let strings = cots.1.strings().to_vec();
        let (_, receiver) = one_of_n::by_products(s, 1 << DEPTH, cots)?;
        let keys = receiver.key(s);
        Ok((strings, receiver, keys))
    };
    let (all, (strings, mut receiver, keys)) = by_hand(44, send, receive);
    let known = receiver.pads(&keys, 0..COUNT);
    // The first keys of a session of the same id.
    let (mut s, _) = Session::pair_seeded(44, LinkShape::LOOPBACK);
    let hashes = [Purpose::KeyProduct, Purpose::JoinedKey].map(|purpose| s.hash(purpose, Role::P0));
    for (j, (pads, t)) in all.iter().zip(strings.chunks_exact(DEPTH)).enumerate() {
        let own = receiver.choices()[j] as usize;
        assert!(known[j] == pads[own]);
        let distinct: HashSet<u128> = pads.iter().map(|pad| pad.0).collect();
        assert_eq!(distinct.len(), pads.len(), "two indices share a pad");
        let keys = t.iter().fold(Block::ZERO, |sum, &t| sum ^ hashes[0].one(t));
        let joined = |i: usize| hashes[1].one(hashes[0].one(t[i]) ^ hashes[0].one(t[i + 1]));
        assert!(pads[own] == hashes[1].one(joined(0) ^ joined(2)), "these are the hashes");
        let sum = t.iter().fold(Block::ZERO, |sum, &t| sum ^ t);
        for i in (0..1usize << DEPTH).filter(|&i| i != own) {
            // What sums of the strings, or of their hashes, would give.
            for guess in [sum, keys, t[0] ^ t[1], t[2] ^ t[3]] {
                let hashed = hashes.iter().any(|hash| pads[i] == hash.one(guess));
                assert!(pads[i] != guess && !hashed, "the receiver knows pad {i}");
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

/// One lookup as the turner sees it: what the message leaves of the holder's vector, turned, under
/// the one row it does not know; the XOR of the leaves it knows; its offset and its share.
struct Turned {
    rest: u128,
    known: u128,
    alpha: u32,
    share: u128,
}

const DEPTH: usize = 7;

/// ROTL's turner by hand, from the protocol's description: `batch / 2` lookups held by P0.
fn turn(bare: &mut Bare, batch: usize) -> Result<Vec<Turned>> {
    let Bare { session: s, ot } = bare;
    let (_, cots) = ot.take(s, batch / 2 * DEPTH, batch / 2 * DEPTH)?;
    let mut out = Vec::new();
    for strings in cots.strings().chunks(512 * DEPTH) {
        let count = strings.len() / DEPTH;
        let (tree, row) = (s.hash(Purpose::Pprf, Role::P0), s.hash(Purpose::Row, Role::P0));
        // As holder of the other half: a message of the right length.
        let message = s.exchange(vec![0; count * 16 * DEPTH], count * 16 * DEPTH)?;
        let (trees, masked) = message.split_at(count * 16 * (DEPTH - 1));
        for j in 0..count {
            let mut corrections = [Block::ZERO; DEPTH - 1];
            let tree_message = &trees[j * 16 * (DEPTH - 1)..][..16 * (DEPTH - 1)];
            bytemuck::cast_slice_mut(&mut corrections).copy_from_slice(tree_message);
            let mut leaves = vec![Block::ZERO; 1 << DEPTH];
            let alpha = ggm::puncture(&tree, &strings[j * DEPTH..][..DEPTH], &corrections, &mut leaves);
            let (mut r, mut a, mut v) = ([0; 2], [0; 2], [0u64; 2]);
            rows::sum_rows(&row, Shift::Cyclic, &leaves, &mut r, &mut a);
            pack::unpack(&masked[16 * j..][..16], 64, &mut v);
            let mut rest = [v[0] ^ a[0], v[1] ^ a[1]];
            ct::rotate_row(&mut rest, 1 << DEPTH, alpha);
            let whole = |words: [u64; 2]| u128::from(words[0]) | u128::from(words[1]) << 64;
            let known = leaves.iter().fold(0, |sum, leaf| sum ^ leaf.0);
            out.push(Turned { rest: whole(rest), known, alpha, share: whole(rest) ^ whole(r) });
        }
    }
    Ok(out)
}

/// A12: catches rows taken from the leaves unhashed. The turner knows every leaf but one, and that
/// one is `Delta ^ the XOR of the others`: in the XOR of two lookups' messages Delta would cancel
/// and the two one-hot vectors of the holder show.
#[test]
fn leaves_mask_only_through_the_hash() {
    let hold = |p: &mut Party| OneHot::<Cyclic>::rotl(p, DEPTH as u32, 128).map(drop);
    let ((), seen) = against(45, hold, |bare| turn(bare, 128));
    for (i, a) in seen.iter().enumerate() {
        for b in &seen[..i] {
            let (plain, attack) = (a.rest ^ b.rest, a.rest ^ b.rest ^ a.known ^ b.known);
            assert!(plain.count_ones() > 24 && attack.count_ones() > 24, "two lookups are related");
        }
    }
}

/// The turner by hand reads right entries, in the second message too: so every message of a
/// rotation has new keys for its trees and rows, and the online phase is what its page says.
#[test]
fn every_message_of_a_rotation_has_its_own_keys() {
    const BATCH: usize = 2 * 600;
    let table =
        Table::<u16>::tabulate(DEPTH as u32, 16, |x| x.wrapping_mul(0x9e37) ^ x << 7).expect("a table");
    let xs: Vec<u32> = (0..BATCH as u32).map(|i| i % 128).collect();
    let hold = |p: &mut Party| -> Result<Vec<u16>> {
        let material = OneHot::<Cyclic>::rotl(p, DEPTH as u32, BATCH)?;
        Ok(material.lookup_xor(p, &table, &share(Role::P0, DEPTH as u32, &xs, 51))?.words().to_vec())
    };
    let read = |bare: &mut Bare| -> Result<Vec<u16>> {
        let turned = turn(bare, BATCH)?;
        let mine = share::<Additive>(Role::P1, DEPTH as u32, &xs, 51);
        let offset = |i: usize| turned.get(i).map_or(0, |t| t.alpha);
        let masked: Vec<u32> =
            mine.words().iter().enumerate().map(|(i, x)| x.wrapping_sub(offset(i))).collect();
        let mut message = Vec::new();
        pack::pack(&masked, DEPTH as u32, &mut message);
        let (len, mut theirs) = (message.len(), vec![0u32; BATCH]);
        pack::unpack(&bare.session.exchange(message, len)?, DEPTH as u32, &mut theirs);
        let entry = |(i, t): (usize, &Turned)| {
            let bits: Vec<bool> = (0..128).map(|j| t.share >> j & 1 == 1).collect();
            let at = reference::shift(Shift::Cyclic, &bits, theirs[i].wrapping_add(masked[i]) % 128);
            table.columns()[0].iter().zip(at).fold(0, |y, (entry, bit)| y ^ if bit { *entry } else { 0 })
        };
        Ok(turned.iter().enumerate().map(entry).collect())
    };
    let (y0, y1) = against(52, hold, read);
    let got: Vec<u16> = y1.iter().zip(&y0).map(|(a, b)| a ^ b).collect();
    assert_eq!(got, reference::lookup(&table.columns()[0], &xs[..BATCH / 2]));
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
