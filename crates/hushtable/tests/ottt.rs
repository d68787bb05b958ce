//! OTTT: right at every index, with the number of ANDs and the cost of its page.

use crate::support::onehot;
use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use hushtable::{
    Error, Party, Result,
    lut::{
        Protocol, Table,
        ottt::{Ottt, ands},
    },
    net::{Connection, Cost, wire_len},
    onehot::{Cyclic, Group, Xor},
    reference,
    share::{Share, Sharing},
};
use pairs::{both, id, pair, share};
use relay::{Fate, relayed};

fn table(n: u32, l: u32) -> Table<u32> {
    Table::tabulate(n, l, |x| (x + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)).unwrap()
}

fn right<G: Group>(p: &mut Party, table: &Table<u32>, xs: &[u32]) -> Result<()> {
    let n = table.index_bits();
    for (seed, bits) in [(1, n), (2, n), (3, 17)] {
        // The high part of a wider index does not count.
        let wide: Vec<u32> = xs.iter().map(|x| x | 0x1_2345 << n).collect();
        let x: Share<G::Kind, u32> = share(p.role(), bits, &wide, seed);
        let material = Ottt::<G, u32>::prepare(p, table, xs.len())?;
        assert_eq!((material.len(), material.is_empty()), (xs.len(), xs.is_empty()));
        let y = material.lookup_xor(p, &x)?;
        assert_eq!(y.bits(), table.bits());
        assert_eq!(p.open(&y)?, reference::lookup(&table.columns()[0], xs), "2^{n}, {}", G::NAME);
    }
    Ok(())
}

#[test]
fn every_index_of_small_tables() {
    both(pair(60, None), |p| {
        for (n, l) in (1..=6).flat_map(|n| [(n, 1), (n, 3), (n, 8)]).chain([(3, 32)]) {
            let xs: Vec<u32> = (0..1 << n).chain([0]).collect();
            right::<Cyclic>(p, &table(n, l), &xs)?;
            right::<Xor>(p, &table(n, l), &xs)?;
        }
        right::<Xor>(p, &Table::new(1, vec![0; 8])?, &[1, 7])?;
        right::<Xor>(p, &Table::new(2, vec![3; 8])?, &[])
    });
}

#[test]
fn some_indices_of_larger_tables() {
    both(pair(61, None), |p| {
        right::<Xor>(p, &table(8, 8), &[0, 255, 77])?;
        right::<Cyclic>(p, &table(8, 8), &[128, 1])?;
        right::<Cyclic>(p, &table(7, 1), &(0..128).step_by(5).collect::<Vec<_>>())?;
        right::<Xor>(p, &table(10, 2), &[1023])
    });
}

/// All functions of two bits, and of three with every high bit chosen or not.
#[test]
fn every_table_of_few_entries() {
    both(pair(62, None), |p| {
        for n in [1, 2, 3] {
            let all: Vec<Table<u32>> =
                (0..1u64 << (1 << n)).map(|f| Table::tabulate(n, 1, |x| f >> x)).collect::<Result<_>>()?;
            for table in &all {
                let xs: Vec<u32> = (0..1 << n).collect();
                let x: Share<_, u32> = share(p.role(), n, &xs, 4);
                let y = Ottt::<Xor, u32>::prepare(p, table, xs.len())?.lookup_xor(p, &x)?;
                assert_eq!(p.open(&y)?, table.columns()[0]);
            }
        }
        Ok(())
    });
}

/// `(2^h - h - 1) + (2^(d-h) - (d-h) - 1) + l (2^h - 1)` for the best h, and `d - 1` for the sum.
#[test]
fn the_ands_are_those_of_the_formula() {
    let products = |bits: u32| (1usize << bits) - bits as usize - 1;
    for (d, l) in (1..=12).flat_map(|d| [(d, 1), (d, 2), (d, 8), (d, 64)]) {
        let best = (0..d).map(|h| products(h) + products(d - h) + l as usize * ((1 << h) - 1)).min();
        assert_eq!(Some(ands::<Xor>(d, l)), best);
        assert_eq!(ands::<Cyclic>(d, l), ands::<Xor>(d, l) + d as usize - 1);
    }
    // The page's examples, and where the papers' (d - 1) l is enough.
    assert_eq!([(2, 1), (4, 1), (8, 1), (8, 8)].map(|(d, l)| ands::<Xor>(d, l)), [1, 5, 37, 82]);
    assert_eq!([(2, 1), (3, 1), (3, 2)].map(|(d, l)| ands::<Xor>(d, l)), [1, 2, 3]);
}

/// `4 n` bits for each AND offline, with nothing else; online `2 d` bits in 1 round.
#[test]
fn the_cost_is_the_documented_one() {
    const PIECE: usize = 1 << 20; // bits of each operand in a message
    fn check<G: Group>(p: &mut Party, d: u32, l: u32, batch: usize) -> Result<()> {
        let what = format!("2^{d} entries of {l} bits, {batch}, {}", G::NAME);
        let (table, lanes) = (table(d, l), batch << d);
        let job = onehot::job::<G>(Sharing::Xor, d, l);
        let (send, recv) = Protocol::Ottt.bill(&job, batch)?.cots_of(p.role());
        assert_eq!((send, recv), (ands::<G>(d, l) * lanes, ands::<G>(d, l) * lanes));
        p.stock_cots(send, recv)?;
        let (material, offline) = p.metered(|p| Ottt::<G, u32>::prepare(p, &table, batch))?;
        // How the ANDs lie in rounds: of the sum one after the other; products by their degree.
        let h = (0..d).min_by_key(|&h| {
            (1usize << h) - h as usize + (1usize << (d - h)) - (d - h) as usize + l as usize * ((1 << h) - 1)
        });
        let h = h.expect("an index bit");
        let mut rounds = vec![1; ands::<G>(d, l) - ands::<Xor>(d, l)];
        let mut parts = [d - h, h].map(|bits| vec![1u32; bits as usize]);
        while parts.iter().any(|part| part.len() > 1) {
            let pairs = parts.iter().flat_map(|part| part.chunks_exact(2));
            rounds.push(pairs.map(|pair| ((1 << pair[0]) - 1) * ((1 << pair[1]) - 1)).sum());
            parts = parts.map(|part| part.chunks(2).map(|pair| pair.iter().sum()).collect());
        }
        if h > 0 {
            rounds.push(l as usize * ((1 << h) - 1));
        }
        assert_eq!(rounds.iter().sum::<usize>(), ands::<G>(d, l), "{what}");
        let message = |bits: usize| wire_len(2 * bits.div_ceil(8));
        let sent = |&ands: &usize| -> u64 {
            let bits = ands * lanes;
            (0..bits).step_by(PIECE).map(|from| message(PIECE.min(bits - from))).sum()
        };
        let sent = rounds.iter().map(sent).sum();
        assert_eq!(offline, Cost { sent, received: sent, rounds: rounds.len() as u32 }, "{what}");

        let x: Share<G::Kind, u32> = share(p.role(), d, &vec![1; batch], 9);
        let (_, online) = p.metered(|p| material.lookup_xor(p, &x))?;
        let sent = wire_len((batch * d as usize).div_ceil(8));
        assert_eq!(online, Cost { sent, received: sent, rounds: 1 }, "{what}");
        Ok(())
    }
    both(pair(63, None), |p| {
        for (d, l, batch) in [(1, 8, 9), (2, 1, 100), (4, 4, 1), (5, 1, 33), (8, 8, 3), (7, 2, 200)] {
            check::<Xor>(p, d, l, batch)?;
            check::<Cyclic>(p, d, l, batch)?;
        }
        Ok(())
    });
}

/// Catches an index that is opened without its offset, or under one that is not fresh: with one
/// index throughout, what each party sends online is uniform, and so are differences of neighbours.
#[test]
fn what_is_opened_is_uniform() {
    const BATCH: usize = 4000;
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::seeded(connection, 64, None)?;
        // The same share at both parties for all lookups: the mask alone must make it uniform.
        let x = Share::new(4, vec![5; BATCH]);
        let table = Table::<u8>::tabulate(4, 2, |x| x)?;
        Ottt::<Xor, u8>::prepare(&mut p, &table, BATCH)?.lookup_xor(&mut p, &x).map(drop)
    };
    let outcome = relayed(id(64), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    let [a, b] = outcome.sent.map(|sent| sent.last().expect("messages")[8..].to_vec());
    assert_eq!((a.len(), b.len()), (BATCH / 2, BATCH / 2));
    let neighbours = |m: &[u8]| m.iter().zip(&m[1..]).map(|(a, b)| a ^ b).collect::<Vec<_>>();
    let both: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
    for bytes in [&a, &b, &neighbours(&a), &neighbours(&b), &both] {
        let mut counts = [0; 16];
        bytes.iter().flat_map(|b| [b & 15, b >> 4]).for_each(|x| counts[x as usize] += 1);
        let far = stats::uniform(&counts);
        assert!(far < 6.0, "{far} standard deviations from uniform");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    both(pair(65, None), |p| {
        let refuse = |p: &mut Party, table: &Table<u8>| {
            let (refused, cost) = p.metered(|p| Ok(Ottt::<Xor, u8>::prepare(p, table, 2).err()))?;
            assert_eq!(cost, Cost::default());
            match refused.expect("accepted") {
                e @ (Error::Param { .. } | Error::Shape { .. }) => Ok(e.to_string()),
                other => panic!("another kind of error: {other:?}"),
            }
        };
        let accepted = "is not supported; accepted: powers of two from 2 to 2^12 (Table::pad)";
        for entries in [3, 12, 1 << 13] {
            let got = refuse(p, &Table::new(3, vec![1; entries])?)?;
            assert_eq!(got, format!("entries of the table: {entries} {accepted}"));
        }
        let two = refuse(p, &Table::vector(3, vec![vec![1; 8]; 2])?)?;
        assert_eq!(two, "columns of the table: expected 1, got 2");
        let table = Table::<u8>::tabulate(3, 8, |x| x)?;
        for (bits, len, want) in [
            (3, 3, "indices: expected 2, got 3"),
            (2, 2, "width of the low bits: 3 is not supported; accepted: 1 to 2"),
        ] {
            let x = Share::new(bits, vec![1; len]);
            let refused = Ottt::<Xor, u8>::prepare(p, &table, 2)?.lookup_xor(p, &x);
            assert_eq!(refused.expect_err("accepted").to_string(), want);
        }
        Ok(())
    });
}
