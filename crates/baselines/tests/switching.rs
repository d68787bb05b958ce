//! Chains of SP-LUT lookups with switching roles, and tables merged into one.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use hushtable::{
    Error, Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::{Connection, Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
    reference,
    share::Share,
};
use hushtable_baselines::ndss::{Chain, Merged};
use pairs::{both, id, pair, share};
use relay::{Fate, relayed};

/// A table of `2^k` entries of `l` bits, another for every `number`.
fn table(number: usize, k: u32, l: u32) -> Table<u16> {
    let mix = |x: u64| (x + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * number as u64).rotate_right(29);
    Table::tabulate(k, l, mix).unwrap()
}

/// The tables of a chain with index bits `k`, whose entries have one bit more than the next index
/// has, and the last 11.
fn tables(k: &[u32]) -> Vec<Table<u16>> {
    let widths = k[1..].iter().map(|k| k + 1).chain([11]);
    k.iter().zip(widths).enumerate().map(|(i, (&k, l))| table(i, k, l)).collect()
}

fn plain(tables: &[Table<u16>], xs: &[u32]) -> Vec<u16> {
    let (last, first) = tables.split_last().unwrap();
    let at = first.iter().fold(xs.to_vec(), |xs, t| {
        reference::lookup(&t.columns()[0], &xs).into_iter().map(u32::from).collect()
    });
    reference::lookup(&last.columns()[0], &at)
}

const CHAINS: [&[u32]; 8] =
    [&[1], &[4], &[3, 3], &[1, 5], &[4, 2, 3], &[2, 2, 2, 2], &[3, 1, 4, 1, 5], &[2, 3, 2, 3, 2, 3, 2, 3]];

/// D odd, even and 1; every index, several splits of each, odd batches too.
#[test]
fn every_index_of_chains() {
    fn check<G: Group>(p: &mut Party, k: &[u32], batch: usize) -> Result<()> {
        let tables = tables(k);
        let xs: Vec<u32> = (0..batch as u32).map(|i| i % (1 << k[0])).collect();
        for bits in [k[0], 9] {
            // The high part of a wider index does not count.
            let wide: Vec<u32> = xs.iter().map(|x| x | 0x155 << k[0]).collect();
            let x: Share<G::Kind, u32> = share(p.role(), bits, &wide, batch as u64);
            let material = Chain::<G>::prepare(p, k, batch)?;
            assert_eq!((material.len(), material.is_empty()), (batch, batch == 0));
            let y = material.lookup(p, &tables.iter().collect::<Vec<_>>(), &x)?;
            assert_eq!(p.open(&y)?, plain(&tables, &xs), "{k:?} {batch} {}", G::NAME);
        }
        Ok(())
    }
    both(pair(30, None), |p| {
        CHAINS.iter().try_for_each(|k| {
            for batch in [0, 1, 2, 5 << k[0], (7 << k[0]) + 1] {
                check::<Cyclic>(p, k, batch)?;
                check::<Xor>(p, k, batch)?;
            }
            Ok(())
        })
    });
}

/// The bits of the single lookups, `d + (n - 1) l` each; `D + 1` rounds.
#[test]
fn switching_saves_rounds_and_no_bits() {
    let bytes = |count: usize, bits: usize| (count * bits).div_ceil(8);
    // In messages of about 2^18 bytes.
    let masked = |count: usize, k: u32, l: u32| -> u64 {
        let (n, l) = (1usize << k, l as usize);
        let piece = ((8 << 18) / (n * l)).max(1);
        let sizes = (0..count).step_by(piece).map(|from| piece.min(count - from));
        sizes.map(|count| wire_len(bytes(count, (n - 1) * l))).sum()
    };
    both(pair(31, None), |p| {
        for (k, batch) in CHAINS.into_iter().flat_map(|k| [(k, 1), (k, 7), (k, 3000)]) {
            let what = format!("{k:?}, {batch}, {:?}", p.role());
            let tables = tables(k);
            let x = share(p.role(), k[0], &vec![0; batch], 5);
            let (send, recv) = Chain::<Xor>::cots(p.role(), k, batch);
            p.stock_cots(send, recv)?;
            let (material, offline) = p.metered(|p| Chain::<Xor>::prepare(p, k, batch))?;
            assert_eq!(offline, Cost::default(), "{what}");
            let (_, cost) = p.metered(|p| material.lookup(p, &tables.iter().collect::<Vec<_>>(), &x))?;

            let halves = [batch.div_ceil(2), batch / 2];
            let mut sent = [0, 0];
            for (i, (table, &k)) in tables.iter().zip(k).enumerate() {
                for party in 0..2 {
                    sent[party] += masked(halves[(i + party) % 2], k, table.bits());
                    let asks = halves[(i + party + 1) % 2];
                    // An empty message is sent at the start only.
                    sent[party] += if i == 0 || asks > 0 { wire_len(bytes(asks, k as usize)) } else { 0 };
                }
            }
            let (mine, peer) = (p.role() as usize, 1 - p.role() as usize);
            let rounds = k.len() as u32 + 1;
            assert_eq!(cost, Cost { sent: sent[mine], received: sent[peer], rounds }, "{what}");
        }
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    both(pair(32, None), |p| {
        let text = |outcome: Result<Share<_, u16>>| match outcome.expect_err("accepted") {
            e @ (Error::Param { .. } | Error::Shape { .. }) => e.to_string(),
            other => panic!("another kind of error: {other:?}"),
        };
        for (k, got) in [(&[][..], "no layer"), (&[3, 0], "0"), (&[21, 3], "21")] {
            let refused = Chain::<Xor>::prepare(p, k, 3).err().expect("accepted");
            let want = format!("index bits of a layer: {got} is not supported; accepted: 1 to 20");
            assert_eq!(refused.to_string(), want);
        }
        let (a, b, narrow) = (table(1, 3, 4), table(2, 4, 7), table(3, 3, 3));
        let pair = Table::vector(4, vec![vec![0u16; 8]; 2])?;
        let x = share(p.role(), 3, &[1; 6], 1);
        let short = share(p.role(), 3, &[1; 5], 1);
        let slim = share(p.role(), 2, &[1; 6], 1);
        let cases: [(&[&Table<u16>], _, &str); 6] = [
            (&[&a], &x, "tables of the chain: expected 2, got 1"),
            (&[&a, &b], &short, "indices: expected 6, got 5"),
            (&[&a, &b], &slim, "width of the low bits: 3 is not supported; accepted: 1 to 2"),
            (&[&pair, &b], &x, "columns of the table: expected 1, got 2"),
            (
                &[&narrow, &b],
                &x,
                "width of entries that index the next table: 3 is not supported; accepted: 4 and more",
            ),
            (
                &[&b, &b],
                &x,
                "entries of the table (2^index bits: pad a shorter one with Table::pad): expected 8, got 16",
            ),
        ];
        for (tables, x, want) in cases {
            let material = Chain::<Xor>::prepare(p, &[3, 4], 6)?;
            let (refused, cost) = p.metered(|p| Ok(text(material.lookup(p, tables, x))))?;
            assert_eq!((refused.as_str(), cost), (want, Cost::default()));
        }
        Ok(())
    });
}

/// Catches an output share that asks the next layer without its mask `s`, or a mask that serves two
/// layers: with one index throughout, all that a party sends but the masked entries is uniform, and
/// so is what two layers' questions make together.
#[test]
fn questions_are_uniform_at_every_layer() {
    const BATCH: usize = 4000;
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::seeded(connection, 33, None)?;
        let constant = Table::<u16>::new(4, vec![9; 16])?;
        let x = share(p.role(), 4, &[3; BATCH], 2);
        let material = Chain::<Xor>::prepare(&mut p, &[4, 4, 4], BATCH)?;
        material.lookup(&mut p, &[&constant; 3], &x).map(drop)
    };
    let outcome = relayed(id(33), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    let question = BATCH / 2 * 4 / 8;
    for sent in outcome.sent {
        let asked: Vec<&[u8]> = sent.iter().map(|f| &f[8..]).filter(|m| m.len() == question).collect();
        let asked = &asked[asked.len() - 3..];
        for (i, a) in asked.iter().enumerate() {
            uniform("a question", a);
            for b in &asked[..i] {
                uniform("two questions", &a.iter().zip(*b).map(|(a, b)| a ^ b).collect::<Vec<_>>());
            }
        }
    }
}

/// Nibbles, since there are few.
fn uniform(what: &str, bytes: &[u8]) {
    let mut counts = [0; 16];
    bytes.iter().flat_map(|b| [b & 15, b >> 4]).for_each(|x| counts[x as usize] += 1);
    let far = stats::uniform(&counts);
    assert!(far < 6.0, "{what}: {far} standard deviations from uniform");
}

/// What one layer gives is what SP-LUT gives.
#[test]
fn a_chain_of_one_is_a_lookup() {
    let run = |chain: bool| {
        let party = move |c: Connection| -> Result<()> {
            let mut p = Party::seeded(c, 34, None)?;
            let t = table(1, 4, 9);
            let x = share(p.role(), 4, &[3, 9, 15], 2);
            match chain {
                true => Chain::<Xor>::prepare(&mut p, &[4], 3)?.lookup(&mut p, &[&t], &x).map(drop),
                false => SpLut::<Xor>::prepare(&mut p, 16, 3)?.lookup_xor(&mut p, &t, &x).map(drop),
            }
        };
        relayed(id(34), party, party, |_, _, _| Fate::Pass).sent
    };
    assert!(run(true) == run(false), "the same messages");
    assert_eq!(Chain::<Xor>::cots(Role::P0, &[4], 3), SpLut::<Xor>::cots(Role::P0, 16, 3));
}

/// Three and four inputs, of which two are common: one table of five.
#[test]
fn tables_with_common_inputs_are_merged() {
    let a = Table::<u8>::tabulate(3, 1, |x| 0x96 >> x).unwrap();
    let b = Table::<u8>::vector(3, vec![(0..16).map(|x| x % 7).collect(), vec![5; 16]]).unwrap();
    // The second has its bits in another order.
    let places: [&[u32]; 2] = [&[0, 1, 2], &[4, 1, 3, 2]];
    let merged = Merged::new(5, &[(&a, places[0]), (&b, places[1])]).unwrap();
    assert_eq!((merged.table().len(), merged.table().bits()), (32, 1 + 3 + 3));
    let xs: Vec<u32> = (0..32).chain([9; 5]).collect();
    let own = |places: &[u32]| -> Vec<u32> {
        let bit = |x: u32, (i, &place): (usize, &u32)| (x >> place & 1) << i;
        xs.iter().map(|&x| places.iter().enumerate().map(|p| bit(x, p)).sum()).collect()
    };
    let want: Vec<Vec<u8>> = [(&a, 0, 0), (&b, 0, 1), (&b, 1, 1)]
        .map(|(t, column, part)| reference::lookup(&t.columns()[column], &own(places[part])))
        .to_vec();
    let bytes = |count: usize, bits: usize| (count * bits).div_ceil(8);
    both(pair(35, None), |p| {
        let x: Share<_, u32> = share(p.role(), 5, &xs, 6);
        let material = SpLut::<Xor>::prepare(p, 32, xs.len())?;
        let (y, cost) = p.metered(|p| material.lookup_xor(p, merged.table(), &x))?;
        let opened = merged.split::<u8>(&y)?.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "SP-LUT");
        // One OT for all outputs: d + (n - 1) (l_1 + l_2 + ...) bits.
        let halves = [xs.len().div_ceil(2), xs.len() / 2];
        let (sends, asks) = (halves[p.role() as usize], halves[1 - p.role() as usize]);
        assert_eq!(cost.sent, wire_len(bytes(asks, 5)) + wire_len(bytes(sends, 31 * 7)));
        assert_eq!(cost.rounds, 2);

        let material = OneHot::<Xor>::doubling(p, 5, xs.len())?;
        let y = material.lookup_xor(p, merged.table(), &x)?;
        let opened = merged.split::<u8>(&y)?.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "from a one-hot vector");
        Ok(())
    });
}

/// Merging on the same inputs never costs more; on overlapping ones it saves OTs and costs bits.
#[test]
fn what_merging_saves() {
    let online = |d: u32, l: u32| d + ((1 << d) - 1) * l;
    let eight: Vec<Table<u8>> = (0..8).map(|b| Table::tabulate(8, 1, |x| (x * 7) >> b).unwrap()).collect();
    let places: Vec<u32> = (0..8).collect();
    let parts: Vec<(&Table<u8>, &[u32])> = eight.iter().map(|t| (t, &places[..])).collect();
    let merged = Merged::new(8, &parts).unwrap();
    assert_eq!(merged.table().columns()[0], (0..256).map(|x| (x * 7) & 255).collect::<Vec<u64>>());
    assert_eq!((online(8, merged.table().bits()), 8 * online(8, 1)), (2048, 2104));
    let five = Table::<u8>::tabulate(3, 1, |x| x).and_then(|a| {
        let b = Table::<u8>::tabulate(4, 1, |x| x)?;
        Merged::new(5, &[(&a, &[0, 1, 2]), (&b, &[1, 2, 3, 4])])
    });
    let five = five.unwrap().table().clone();
    // In favour of merging comes what an OT takes, some 240 bits from short codes.
    assert_eq!((online(five.index_bits(), five.bits()), online(3, 1) + online(4, 1)), (67, 29));
}

#[test]
fn tables_that_do_not_merge_are_refused() {
    let (a, odd) = (Table::<u8>::tabulate(3, 8, |x| x).unwrap(), Table::<u8>::new(1, vec![1; 6]).unwrap());
    let all: &[u32] = &[0, 1, 2];
    let text = |inputs, parts: &[(&Table<u8>, &[u32])]| {
        Merged::new(inputs, parts).expect_err("accepted").to_string()
    };
    let inputs = "inputs of a merged table";
    assert_eq!(text(0, &[(&a, all)]), format!("{inputs}: 0 is not supported; accepted: 1 to 20"));
    assert_eq!(text(21, &[(&a, all)]), format!("{inputs}: 21 is not supported; accepted: 1 to 20"));
    assert_eq!(text(3, &[(&a, &[0, 1])]), "places of a table's index bits: expected 3, got 2");
    assert_eq!(
        text(3, &[(&a, &[0, 1, 3])]),
        "place of an index bit: 3 is not supported; accepted: less than 3"
    );
    let output = "output bits of a merged table";
    assert_eq!(text(3, &[(&a, all); 9]), format!("{output}: 72 is not supported; accepted: 1 to 64"));
    assert_eq!(text(3, &[]), format!("{output}: 0 is not supported; accepted: 1 to 64"));
    let length = "entries of a table to merge: 6 is not supported; accepted: powers of two (Table::pad)";
    assert_eq!(text(3, &[(&odd, all)]), length);
    let merged = Merged::new(3, &[(&a, all)]).unwrap();
    let refused = merged.split::<u8>(&Share::new(9, vec![1]));
    assert_eq!(refused.expect_err("9 bits").to_string(), "bits of the merged outputs: expected 8, got 9");
    let wide = Table::<u16>::tabulate(3, 9, |x| x).unwrap();
    let refused = Merged::new(3, &[(&wide, all)]).unwrap().split::<u8>(&Share::new(9, vec![1]));
    let want = "width of an output: 9 is not supported; accepted: 1 to 8";
    assert_eq!(refused.expect_err("bytes").to_string(), want);
}

/// Every column by one OT: `d + (n - 1) (sum of widths)` bits, additive and XOR, both groups.
#[test]
fn splut_looks_up_whole_vectors() {
    fn check<G: Group>(p: &mut Party, columns: usize, l: u32) -> Result<()> {
        let column = |c: u64| {
            (0..16u64).map(|i| (i + 16 * c + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - l)).collect()
        };
        let table = Table::<u64>::vector(l, (0..columns as u64).map(column).collect())?;
        let xs: Vec<u32> = (0..49).map(|i| i % 16).collect();
        let want: Vec<Vec<u64>> = table.columns().iter().map(|c| reference::lookup(c, &xs)).collect();
        let x: Share<G::Kind, u32> = share(p.role(), 4, &xs, 8);
        let bytes = |count: usize, bits: usize| wire_len((count * bits).div_ceil(8));
        let (sends, asks) = if p.role() == Role::P0 { (25, 24) } else { (24, 25) };
        let sent = bytes(asks, 4) + bytes(sends, 15 * columns * l as usize);

        let material = SpLut::<G>::prepare(p, 16, xs.len())?;
        let (y, cost) = p.metered(|p| material.lookup_all(p, &table, &x))?;
        assert_eq!((cost.sent, cost.rounds), (sent, 2), "{columns} x {l}, {}", G::NAME);
        let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "additive, {columns} x {l}, {}", G::NAME);
        let y = SpLut::<G>::prepare(p, 16, xs.len())?.lookup_xor_all(p, &table, &x)?;
        let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "XOR, {columns} x {l}, {}", G::NAME);
        Ok(())
    }
    both(pair(36, None), |p| {
        for (columns, l) in [(1, 13), (2, 64), (3, 42), (128, 1), (5, 7)] {
            check::<Cyclic>(p, columns, l)?;
            check::<Xor>(p, columns, l)?;
        }
        let wide = Table::<u64>::vector(43, vec![vec![1; 16]; 3])?;
        let refused = SpLut::<Xor>::prepare(p, 16, 1)?.lookup_all(p, &wide, &Share::new(4, vec![1]));
        let want = "bits of all columns of the table: 129 is not supported; accepted: at most 128";
        assert_eq!(refused.expect_err("too wide").to_string(), want);
        Ok(())
    });
}
