//! FABLE: rows, bills, what is refused. Attacks on its retrieval are beside it, in `src`.

use std::collections::BTreeMap;

use crate::support::{
    billed::check_parts,
    pairs::{both, pair, share_words as share},
};

use hushtable::{
    BShare, Error, Party, Result, Role,
    bill::Objective,
    confidential::prf::Cipher,
    net::LinkShape,
    plan::{Machine, Wanted},
};
use hushtable_baselines::fable::{Fable, FableJob, FableTable, Rounds};
use prim::{block::Block, prg::Prg};

/// Circuits by layers, and garbled.
const BOTH: [Rounds; 2] = [Rounds::MANY, Rounds::FEW];

/// Looks up and opens: the value and whether the key is present, of each.
fn looked_up(p: &mut Party, job: FableJob, rows: &BTreeMap<u64, u64>, x: &[u64]) -> Result<Vec<(u64, bool)>> {
    let [keys, values] = [rows.keys().copied().collect::<Vec<_>>(), rows.values().copied().collect()];
    let table = FableTable::new(&job, &keys, &values)?;
    let table = (p.role() == job.owner).then_some(&table);
    let x = share(p.role(), job.key_bits, x, 7);
    let found = Fable::prepare(p, job, x.len(), table)?.eval(p, &x)?;
    let (values, present) = (p.open(&found.values)?, found.present.open(p)?);
    Ok(values
        .into_iter()
        .enumerate()
        .map(|(i, value)| (value, present[i / 64] >> (i % 64) & 1 == 1))
        .collect())
}

fn expected(rows: &BTreeMap<u64, u64>, x: &[u64]) -> Vec<(u64, bool)> {
    x.iter().map(|x| (rows.get(x).copied().unwrap_or(0), rows.contains_key(x))).collect()
}

/// All tables with keys of two bits; batches in which every one of two and of three keys stands once.
#[test]
fn every_small_table_and_batch() {
    let runs: u64 = std::env::var("FABLE_RUNS").map_or(1, |runs| runs.parse().expect("a number"));
    let pairs = (0..16u64).flat_map(|i| [i / 4, i % 4]).collect::<Vec<_>>();
    let triples = (0..64u64).flat_map(|i| [i / 16, i / 4 % 4, i % 4]).collect::<Vec<_>>();
    both(pair(1500, None), |p| {
        for subset in 0..16u64 {
            let keys = (0..4).filter(|key| subset >> key & 1 == 1);
            let rows: BTreeMap<u64, u64> = keys.map(|key| (key, (5 * key + 3 + subset) & 7)).collect();
            let job = FableJob::new(Role::P1, Cipher::LowMc, 2, 3, 4).insecure_slots(256);
            let job = job.with_rounds(BOTH[subset.count_ones() as usize % 2]);
            // Each alone is minutes of set-up: by default those of one table each, in turn.
            let batches: Vec<&[u64]> = pairs.chunks(2).chain(triples.chunks(3)).collect();
            let some = batches.iter().enumerate().filter(|(i, _)| runs > 1 || i % 16 == subset as usize);
            for (_, x) in some {
                assert_eq!(looked_up(p, job, &rows, x)?, expected(&rows, x), "rows {rows:?}, keys {x:?}");
            }
        }
        Ok(())
    });
}

/// Random ones of many sizes, with keys that are absent, alike, all of one, or in the table twice as far.
#[test]
fn tables_of_every_size() {
    let runs: u64 = std::env::var("FABLE_RUNS").map_or(1, |runs| runs.parse().expect("a number"));
    for (i, (key_bits, value_bits, entries, count)) in [
        (1, 1, 2, 1),
        (3, 61, 8, 7),
        (6, 5, 40, 33),
        (9, 20, 512, 56),
        (62, 30, 100, 16),
        (20, 17, 700, 40),
        (2, 4, 4, 30),
    ]
    .into_iter()
    .flat_map(|case| (0..runs).map(move |_| case))
    .enumerate()
    {
        let (owner, cipher) = ([Role::P0, Role::P1][i % 2], Cipher::ALL[i / 2 % 2]);
        let job = FableJob::new(owner, cipher, key_bits, value_bits, entries).insecure_slots(256);
        let mut rng = Prg::new(Block(1510 + i as u128));
        let mut rows = BTreeMap::new();
        let key = |rng: &mut Prg| prim::low(rng.u64(), key_bits);
        for _ in 0..entries {
            rows.insert(key(&mut rng), prim::low(rng.u64(), value_bits));
        }
        let known: Vec<u64> = rows.keys().copied().collect();
        let x: Vec<u64> = (0..count)
            .map(|j| match (i + j) % 4 {
                0 => key(&mut rng),
                1 => known[0],
                _ => known[rng.below(known.len() as u32) as usize],
            })
            .collect();
        // Larger ones, which take longer, in turn.
        let ways = if entries < 100 { &BOTH[..] } else { &BOTH[i % 2..][..1] };
        for job in ways.iter().map(|rounds| job.with_rounds(*rounds)) {
            let (found, _) = both(pair(1520 + i as u64, None), |p| looked_up(p, job, &rows, &x));
            assert_eq!(found, expected(&rows, &x), "{job:?}");
        }
    }
}

/// All bits, rounds and correlated OTs, of the gates and of the encryption.
#[test]
fn bills_are_met() {
    // What fills messages up: those of one bit less than the batch, when repetitions are found and replaced.
    for (owner, cipher, key_bits, value_bits, count, filled, rounds) in [
        (Role::P0, Cipher::LowMc, 9, 16, 32, 26, Rounds::MANY),
        (Role::P1, Cipher::Aes128, 4, 8, 16, 11, Rounds::MANY),
        (Role::P0, Cipher::LowMc, 9, 16, 32, 0, Rounds::FEW),
        (Role::P1, Cipher::Aes128, 4, 8, 16, 0, Rounds::FEW),
    ] {
        let job = FableJob::new(owner, cipher, key_bits, value_bits, 1 << key_bits).insecure_slots(256);
        let job = job.with_rounds(rounds);
        let keys: Vec<u64> = (0..1 << key_bits).collect();
        let table = FableTable::new(&job, &keys, &vec![1; keys.len()]).expect("a table");
        let bill = Fable::bill(&job, count).expect("a bill");
        assert!(rounds == Rounds::MANY || bill.online.rounds == 10, "{} rounds", bill.online.rounds);
        check_parts(
            &format!("{job:?}"),
            bill,
            filled,
            |p| Fable::prepare(p, job, count, (p.role() == owner).then_some(&table)),
            |s, m| m.eval(s, &BShare::new(key_bits, vec![1; count])).map(drop),
        );
    }
}

/// With the ring that is secure, as a program runs it, of 2^13 slots; the others have 256, so that many fit a test. Most of
/// the seconds that this takes are the client's order of the 2^13 masks. LONG=1: a table of 2^12 rows and both ciphers.
#[test]
fn at_the_secure_ring() {
    let long = std::env::var_os("LONG").is_some();
    let ciphers = if long { &Cipher::ALL[..] } else { &[Cipher::LowMc] };
    for (i, &cipher) in ciphers.iter().enumerate() {
        let (bits, count) = if long { (12, 300) } else { (4, 5) };
        let job = FableJob::new([Role::P1, Role::P0][i], cipher, bits, 28, 1 << bits);
        let job = job.with_rounds(BOTH[i]);
        assert_eq!(job.sizes(count).expect("sizes").slots, 1 << 13, "the ring of the page");
        let mut rng = Prg::new(Block(1530));
        let rows: BTreeMap<u64, u64> =
            (0..1 << bits).filter(|key| key % 3 > 0).map(|key| (key, prim::low(rng.u64(), 28))).collect();
        // Absent ones and repetitions among them.
        let x: Vec<u64> = (0..count as u64).map(|j| (j / 2 * 5) % (1 << bits)).collect();
        let (found, _) = both(pair(1530 + i as u64, None), |p| looked_up(p, job, &rows, &x));
        assert_eq!(found, expected(&rows, &x), "{job:?}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = FableJob::new(Role::P0, Cipher::LowMc, 4, 8, 10);
    let refused =
        |keys: &[u64], values: &[u64]| FableTable::new(&job, keys, values).err().map(|e| e.to_string());
    let text = |text: &str| Some(text.to_string());
    assert_eq!(
        refused(&[3, 3], &[1, 2]),
        text("key of a table: 3, a second time is not supported; accepted: each key once")
    );
    assert_eq!(refused(&[16], &[1]), text("key of a table: 16 is not supported; accepted: 0 to 15"));
    assert_eq!(
        refused(&[1], &[256]),
        text("value of a table: a larger one is not supported; accepted: 8 bits")
    );
    assert_eq!(refused(&[1], &[]), text("values of a table: expected 1, got 0"));
    assert_eq!(
        refused(&(0..11).collect::<Vec<_>>(), &[0; 11]),
        text("rows of a table: 11 is not supported; accepted: up to 10")
    );
    for (job, count) in [
        (FableJob::new(Role::P0, Cipher::LowMc, 0, 8, 1), 1),
        (FableJob::new(Role::P0, Cipher::LowMc, 63, 8, 1), 1),
        (FableJob::new(Role::P0, Cipher::LowMc, 8, 62, 1), 1),
        (FableJob::new(Role::P0, Cipher::LowMc, 4, 8, 17), 1),
        (job, 0),
        (job, 6554),
    ] {
        assert!(matches!(job.sizes(count), Err(Error::Param { .. })), "{job:?}, {count}");
    }
    assert!(job.sizes(4096).is_ok());
}

/// Over a wide network few lookups are garbled, where rounds count, and many are not, where bytes do; the page's rounds.
#[test]
fn rounds_follow_the_link() {
    let job = FableJob::new(Role::P0, Cipher::LowMc, 16, 16, 1 << 16);
    let least = |link, count, objective| {
        let wanted = Wanted::new(objective, link, Machine::REFERENCE);
        Rounds::suiting(&job, count, &wanted).expect("sizes")
    };
    assert_eq!(least(LinkShape::WAN, 16, Objective::Total), Rounds::FEW);
    assert_eq!(least(LinkShape::WAN, 4096, Objective::Rounds), Rounds::FEW);
    assert_eq!(least(LinkShape::WAN, 4096, Objective::Bytes), Rounds::MANY);
    let total = least(LinkShape::WAN, 4096, Objective::Total).garbled();
    assert!(!total.contains(&"ids"), "of 200 MB in place of 13 rounds: {total:?}");
    let rounds = |rounds| Fable::bill(&job.with_rounds(rounds), 4096).expect("a bill").online.rounds;
    assert_eq!(BOTH.map(rounds), [585, 10]);
}
