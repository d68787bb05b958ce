//! Lookups in a private table that is sent whole: rows, bills, what is sent and seen, and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, id, pair, share, wide},
    relay::{Fate, relayed},
    stats,
    uniform::{BOUND, assert_uniform},
    views::{Sent, cell},
};

use hushtable::{
    BShare, Error, Party, Result, Role,
    confidential::{
        copy::{Keys, Rows},
        splut::{MAX_KEY_BITS, SpLutJob, SpLutLookups, SpLutTable},
    },
    net::Connection,
    share::Bitwise,
};
use prim::{block::Block, low, prg::Prg};

/// A row of so many words, and whether it is present.
type Row = (Vec<u64>, Option<u64>);

/// The rows that both parties' results are shares of.
fn rows_of(a: &Rows, b: &Rows) -> Vec<Row> {
    let bit = |rows: &Rows, i: usize| rows.present.as_ref().map(|bits| bits.words()[i / 64] >> (i % 64) & 1);
    let row = |i: usize| {
        let word = |(a, b): (&BShare<u64>, &BShare<u64>)| a.words()[i] ^ b.words()[i];
        let words = a.words.iter().zip(&b.words).map(word).collect();
        (words, bit(a, i).zip(bit(b, i)).map(|(a, b)| a ^ b))
    };
    (0..a.words[0].len()).map(row).collect()
}

/// What the table has at a key.
fn expect(job: &SpLutJob, keys: &[u128], rows: &[u64], x: u32) -> Row {
    let len = job.row_bits.div_ceil(64) as usize;
    let at = keys.iter().position(|&key| key == u128::from(x));
    let row = at.map_or(vec![0; len], |at| rows[at * len..][..len].to_vec());
    (row, job.keys.absent().then_some(u64::from(at.is_some())))
}

/// A batch at both parties.
fn looked_up(seed: u64, job: SpLutJob, keys: &[u128], rows: &[u64], x: &[u32]) -> Vec<Row> {
    let (a, b) = both(pair(seed, None), |p| {
        let table = (p.role() == job.owner).then(|| SpLutTable::new(job, keys, rows)).transpose()?;
        let shares = wide(share::<Bitwise>(p.role(), job.keys.bits(), x, seed));
        SpLutLookups::prepare(p, job, x.len())?.eval(p, table.as_ref(), &shares)
    });
    rows_of(&a, &b)
}

/// All tables with keys of two bits, all pairs of keys: the same twice, absent, or both.
#[test]
fn every_small_table_and_batch() {
    for (owner, subset) in [Role::P0, Role::P1].into_iter().flat_map(|owner| (1..16).map(move |s| (owner, s)))
    {
        let all = subset == 15;
        let keys = if all { Keys::All { bits: 2 } } else { Keys::Dense { bits: 2 } };
        let job = SpLutJob { owner, keys, row_bits: 3 };
        let keys: Vec<u128> = (0..4).filter(|key| subset >> key & 1 == 1).collect();
        let rows: Vec<u64> = keys.iter().map(|&key| (5 * key as u64 + 3) & 7).collect();
        let x: Vec<u32> = (0..16).flat_map(|i| [i / 4, i % 4]).collect();
        let want: Vec<Row> = x.iter().map(|&x| expect(&job, &keys, &rows, x)).collect();
        assert_eq!(looked_up(1700 + subset, job, &keys, &rows, &x), want, "{owner:?}, keys {keys:?}");
    }
}

/// Random forms, tables and batches against plaintext; the widths at which rows change their columns among them.
#[test]
fn random_tables() {
    let long = std::env::var_os("LONG").is_some();
    let seed: u64 = 0x5b1e;
    let mut rng = Prg::new(Block(seed.into()));
    let mut number = |below: u64| {
        let mut word = [0u64];
        rng.words(64, &mut word);
        word[0] % below
    };
    for round in 0..if long { 600 } else { 40 } {
        let bits = 1 + number(if round % 8 == 0 { 11 } else { 7 }) as u32;
        let absent = number(2) == 1;
        let most = if absent { 127 } else { 128 };
        let row_bits = match number(3) {
            0 => [1, 62, 63, 64, 65, 66, most - 1, most][number(8) as usize],
            _ => 1 + number(most.into()) as u32,
        };
        let keys = if absent { Keys::Dense { bits } } else { Keys::All { bits } };
        let owner = [Role::P0, Role::P1][number(2) as usize];
        let job = SpLutJob { owner, keys, row_bits };
        let mut keys: Vec<u128> = (0..1u128 << bits).filter(|_| !absent || number(3) > 0).collect();
        if keys.is_empty() {
            keys.push(number(1 << bits).into());
        }
        let row = |number: &mut dyn FnMut(u64) -> u64| -> Vec<u64> {
            let width = |word: u32| (row_bits - 64 * word).min(64);
            (0..row_bits.div_ceil(64)).map(|word| low(number(u64::MAX), width(word))).collect()
        };
        let rows: Vec<u64> = keys.iter().flat_map(|_| row(&mut number)).collect();
        let x: Vec<u32> = (0..1 + number(40)).map(|_| number(1 << bits) as u32).collect();
        let want: Vec<Row> = x.iter().map(|&x| expect(&job, &keys, &rows, x)).collect();
        assert_eq!(looked_up(1720, job, &keys, &rows, &x), want, "round {round} of seed {seed:#x}: {job:?}");
    }
}

#[test]
fn bills_are_met() {
    for (owner, keys, row_bits) in [
        (Role::P0, Keys::All { bits: 6 }, 8),
        (Role::P1, Keys::Dense { bits: 5 }, 63),
        (Role::P1, Keys::All { bits: 10 }, 128),
        (Role::P0, Keys::Dense { bits: 1 }, 64),
        (Role::P0, Keys::All { bits: 13 }, 13),
    ] {
        let job = SpLutJob { owner, keys, row_bits };
        const N: usize = 16;
        let all: Vec<u128> = (0..1 << keys.bits()).collect();
        let rows = vec![1; all.len() * row_bits.div_ceil(64) as usize];
        let table = SpLutTable::new(job, &all, &rows).expect("a table");
        check(
            &format!("{job:?}"),
            SpLutLookups::bill(&job, N).expect("a bill"),
            |p| SpLutLookups::prepare(p, job, N),
            |s, m| {
                let table = (s.role() == owner).then_some(&table);
                m.eval(s, table, &BShare::new(keys.bits(), vec![1; N])).map(drop)
            },
        );
    }
}

/// Whatever the shares are, and the table.
#[test]
fn what_lookups_send_is_uniform() {
    let job = SpLutJob { owner: Role::P0, keys: Keys::All { bits: 6 }, row_bits: 20 };
    let all: Vec<u128> = (0..64).collect();
    assert_uniform("lookups in a table sent whole", 1730, 1 << 13, |p, x| {
        let table = SpLutTable::new(job, &all, &[low(x, 20); 64])?;
        let material = SpLutLookups::prepare(p, job, 256)?;
        p.barrier()?;
        let table = (p.role() == job.owner).then_some(&table);
        material.eval(p, table, &BShare::new(6, vec![low(x, 6); 256])).map(drop)
    });
}

/// The joint view of a party, over many lookups of the same key: what either sends, and its own share of the row. The
/// viewer's share of the key is 1, the peer's is the secret.
fn view(owner: Role, viewer: Role, secret: u32, rows: &[u64; 4]) -> Vec<u64> {
    const N: usize = 1 << 12;
    let job = SpLutJob { owner, keys: Keys::All { bits: 2 }, row_bits: 1 };
    let table = SpLutTable::new(job, &[0, 1, 2, 3], rows).expect("a table");
    let run = |connection: Connection| -> Result<Rows> {
        let p = &mut Party::seeded(connection, 1740, None)?;
        let material = SpLutLookups::prepare(p, job, N)?;
        p.barrier()?;
        let mine = if p.role() == viewer { 1 } else { u64::from(secret) };
        let table = (p.role() == owner).then_some(&table);
        material.eval(p, table, &BShare::new(2, vec![mine; N]))
    };
    let outcome = relayed(id(1740), run, run, |_, _, _| Fate::Pass);
    let found = [outcome.p0, outcome.p1].map(|rows| rows.expect("no panic").expect("an honest run"));
    let row = rows_of(&found[0], &found[1])[N - 1].0[0];
    assert_eq!(row, rows[(1 ^ secret) as usize], "not the protocol's view");
    let masked = Sent::of(&outcome.sent, owner.peer()).words(0, 2, N);
    let entries = Sent::of(&outcome.sent, owner).words(0, 1, 3 * N);
    let mine = &found[viewer as usize].words[0];
    let mut counts = vec![0; 4 * 8 * 2];
    for i in 0..N {
        let entries = entries[3 * i..][..3].iter().fold(0, |all, bit| all << 1 | bit);
        counts[cell(&[(masked[i], 4), (entries, 8), (mine.words()[i] as u32, 2)])] += 1;
    }
    counts
}

/// The owner learns nothing of the key. The other party learns nothing of it, nor of the table.
#[test]
fn a_lookup_shows_nothing_of_key_and_table() {
    let table = [1, 0, 0, 1];
    for owner in [Role::P0, Role::P1] {
        for viewer in [Role::P0, Role::P1] {
            let base = view(owner, viewer, 0, &table);
            for secret in 1..4 {
                let z = stats::homogeneous(&base, &view(owner, viewer, secret, &table));
                assert!(z < BOUND, "{owner:?}'s table, {viewer:?} looks: {secret} is told from 0 ({z:.1})");
            }
        }
        let viewer = owner.peer();
        let base = view(owner, viewer, 2, &table);
        for other in [[0; 4], [1; 4], [0, 1, 1, 0], [0, 0, 0, 1]] {
            let z = stats::homogeneous(&base, &view(owner, viewer, 2, &other));
            assert!(z < BOUND, "{owner:?}'s table {other:?} is told from {table:?} ({z:.1})");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = SpLutJob { owner: Role::P0, keys: Keys::Dense { bits: 4 }, row_bits: 20 };
    for wrong in [
        SpLutJob { row_bits: 0, ..job },
        SpLutJob { row_bits: 128, ..job },
        SpLutJob { keys: Keys::All { bits: 4 }, row_bits: 129, ..job },
        SpLutJob { keys: Keys::All { bits: 0 }, ..job },
        SpLutJob { keys: Keys::All { bits: MAX_KEY_BITS + 1 }, row_bits: 1, ..job },
        SpLutJob { keys: Keys::All { bits: MAX_KEY_BITS }, row_bits: 65, ..job },
        SpLutJob { keys: Keys::Sparse { bits: 4, rows: 3, lookups: 1 }, ..job },
        SpLutJob { keys: Keys::Changing { bits: 4, updates: 3 }, ..job },
    ] {
        assert!(matches!(SpLutLookups::bill(&wrong, 1), Err(Error::Param { .. })), "{wrong:?}");
        assert!(matches!(SpLutTable::new(wrong, &[1], &[1, 1, 1]), Err(Error::Param { .. })), "{wrong:?}");
    }
    assert!(matches!(SpLutLookups::bill(&job, 0), Err(Error::Param { .. })));
    let all = SpLutJob { keys: Keys::All { bits: 4 }, ..job };
    for (job, keys, rows) in [
        (job, vec![16], vec![1]),
        (job, vec![1, 1], vec![1, 1]),
        (job, vec![1], vec![1 << 20]),
        (job, vec![], vec![]),
        (job, vec![1], vec![1, 2]),
        (all, vec![1], vec![1]),
    ] {
        assert!(SpLutTable::new(job, &keys, &rows).is_err(), "{job:?} {keys:?} {rows:?}");
    }
    let table = SpLutTable::new(job, &[5], &[7]).expect("a table");
    let wider = SpLutTable::new(SpLutJob { row_bits: 21, ..job }, &[5], &[7]).expect("a table");
    both(pair(1750, None), |p| {
        let at_owner = p.role() == job.owner;
        let eval = |p: &mut Party, table: Option<&SpLutTable>, x: BShare<u64>| {
            SpLutLookups::prepare(p, job, 2)?.eval(p, table, &x).map(drop)
        };
        let two = || BShare::new(4, vec![5u64; 2]);
        let right = at_owner.then_some(&table);
        assert!(matches!(eval(p, (!at_owner).then_some(&table), two()), Err(Error::Param { .. })));
        if at_owner {
            assert!(matches!(eval(p, Some(&wider), two()), Err(Error::Param { .. })));
        }
        assert!(matches!(eval(p, right, BShare::new(5, vec![0; 2])), Err(Error::Shape { .. })));
        assert!(matches!(eval(p, right, BShare::new(4, vec![0; 3])), Err(Error::Shape { .. })));
        Ok(())
    });
}
