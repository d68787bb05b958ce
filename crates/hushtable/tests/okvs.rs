//! Key-value stores and cuckoo tables: what was put in is read, what nobody decides is random, and failure is as rare
//! as the computed bound says.

use std::{collections::HashSet, env, fs, path::Path};

use crate::support::stats;

use hushtable::{
    Error, Role,
    cuckoo::{self, Placement},
    net::LinkShape,
    okvs::{Hashing, MAX_KEYS, Size, decode, encode},
    session::Session,
};
use prim::{block::Block, prg::Prg};

fn session(seed: u64) -> Session {
    Session::pair_seeded(seed, LinkShape::LOOPBACK).0
}

fn blocks(seed: u64, count: usize) -> Vec<Block> {
    let mut out = vec![Block::ZERO; count];
    Prg::new(Block(seed.into())).blocks(&mut out);
    out
}

fn words(seed: u64, count: usize) -> Vec<u64> {
    let mut out = vec![0; count];
    Prg::new(Block(seed.into())).words(64, &mut out);
    out
}

/// What tests of failure run, times this.
fn runs(default: usize) -> usize {
    env::var("OKVS_RUNS").map_or(default, |runs| default * runs.parse::<usize>().expect("a number"))
}

/// Every size to 300, some clusters, rows of several words; fewer keys than the table is for.
#[test]
fn what_was_put_in_is_read() {
    let mut s = session(1);
    let sizes = if runs(1) > 1 { (0..=300).collect() } else { vec![0, 1, 2, 3, 17, 100, 299, 300] };
    for (n, width) in sizes.into_iter().flat_map(|n| [(n, 1), (n, 2), (n, 5)]).chain([(70_000, 1), (4096, 0)])
    {
        let hashing = Hashing::new(&mut s, Role::P0);
        let (keys, rows) = (blocks(2, n), words(3, n * width));
        for size in [Size::of(n), Size::of(3 * n + 1)].map(|size| size.expect("few keys")) {
            let table = encode(&hashing, size, &keys, &rows, width, s.rng()).expect("distinct keys");
            assert_eq!(table.len(), size.columns() * width);
            let read = decode(&hashing, size, &table, width, &keys).expect("its size");
            assert_eq!(read[..], rows[..], "{n} keys, {width} words");
        }
    }
    let size = Size::of(70_000).expect("few keys");
    assert_eq!((size.clusters(), size.columns()), (2, 91_002));
}

/// Other keys read noise, and tables with the same input differ.
#[test]
fn other_keys_read_noise() {
    let mut s = session(2);
    let (size, n) = (Size::of(2000).expect("few keys"), 2000);
    let hashing = Hashing::new(&mut s, Role::P1);
    let (keys, others) = (blocks(4, n), blocks(5, n));
    let table = encode(&hashing, size, &keys, &vec![0; n], 1, s.rng()).expect("distinct keys");
    let read = decode(&hashing, size, &table, 1, &others).expect("its size");
    assert_eq!(read.iter().filter(|&&word| word == 0).count(), 0);
    let again = encode(&hashing, size, &keys, &vec![0; n], 1, s.rng()).expect("distinct keys");
    assert_ne!(table[..], again[..]);
}

/// With uniform rows the whole table is uniform, whichever keys there are: no column tells whether a key uses it.
/// Zeros where nothing decides would, with few keys or many.
#[test]
fn tables_are_uniform() {
    let mut s = session(3);
    for n in [0, 1, 60, 1500] {
        let mut counts = [0u64; 256];
        let size = Size::of(1500).expect("few keys");
        for run in 0..8 {
            let hashing = Hashing::new(&mut s, Role::P0);
            let rows = words(100 + run, n);
            let table = encode(&hashing, size, &blocks(run, n), &rows, 1, s.rng()).expect("distinct keys");
            assert_eq!(table.iter().collect::<HashSet<_>>().len(), table.len(), "{n} keys: words repeat");
            table.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
        }
        let z = stats::uniform(&counts);
        assert!(z < 5.0, "{n} keys: {z:.1} deviations");
    }
}

/// A cluster without columns of its own for all keys: Gauss solves the rest, and free unknowns of it are random too.
#[test]
fn what_does_not_peel_is_solved() {
    let mut s = session(4);
    for (n, third) in [(40, 24), (300, 118), (400, 160)] {
        let (keys, rows, size) = (blocks(6, n), words(7, 2 * n), Size::reduced(third));
        let hashing = Hashing::new(&mut s, Role::P0);
        let table = encode(&hashing, size, &keys, &rows, 2, s.rng()).expect("enough columns");
        assert_eq!(decode(&hashing, size, &table, 2, &keys).expect("its size")[..], rows[..]);
        let again = encode(&hashing, size, &keys, &rows, 2, s.rng()).expect("enough columns");
        let kept = table.chunks(2).zip(again.chunks(2)).filter(|(a, b)| a == b).count();
        // A column that is the same both times is decided by the rows: no more of them than there are rows.
        assert!(kept < n && table.iter().all(|&word| word != 0), "{kept} of {} stay", size.columns());
    }
}

/// A key that occurs twice makes rows dependent; the error says so, and nothing is tried again.
#[test]
fn what_cannot_be_is_an_error() {
    let mut s = session(5);
    let hashing = Hashing::new(&mut s, Role::P0);
    let mut keys = blocks(8, 50);
    keys[49] = keys[0];
    let size = Size::of(50).expect("few keys");
    let drawn = |s: &mut Session| encode(&hashing, size, &keys, &words(9, 50), 1, s.rng());
    let error = drawn(&mut s).err().expect("dependent rows");
    assert!(matches!(error, Error::Chance(_)) && error.to_string().contains("do not try again"), "{error}");
    assert!(matches!(encode(&hashing, size, &keys, &[1], 1, s.rng()), Err(Error::Shape { .. })));
    assert!(matches!(decode(&hashing, size, &[1, 2], 1, &keys), Err(Error::Shape { .. })));
    assert!(matches!(Size::of(MAX_KEYS + 1), Err(Error::Param { .. })));
    assert!(matches!(cuckoo::bins((1 << 24) + 1), Err(Error::Param { .. })));
    let four = [[0, 3, 6]; 4];
    assert!(matches!(Placement::new(9, &four), Err(Error::Chance(_))));
    assert!(Placement::new(9, &four[..3]).is_ok());
}

/// Every item has one of its three bins, one in each third, and no two the same.
#[test]
fn items_have_bins_of_their_own() {
    let mut s = session(6);
    for n in [0, 1, 2, 5, 300, 1897, 30_000] {
        let (items, bins) = (blocks(10, n), cuckoo::bins(n).expect("few items"));
        let places = cuckoo::Hashing::new(&mut s, Role::P0).bins(bins, &items);
        let thirds = |p: &[u32; 3]| (0..3).all(|i| p[i] as usize / (bins / 3) == i);
        assert!(places.iter().all(thirds));
        let placed = Placement::new(bins, &places).expect("a placement");
        assert_eq!(placed.bins(), bins);
        let found: Vec<_> =
            (0u32..).zip(placed.items()).filter_map(|(bin, item)| Some((bin, item?))).collect();
        assert!(found.iter().all(|&(bin, item)| places[item].contains(&bin)));
        assert_eq!(found.iter().map(|found| found.1).collect::<HashSet<_>>().len(), n);
    }
}

/// The load at which random walks give up: ways are found as long as there are any.
#[test]
fn placement_finds_what_there_is() {
    let mut s = session(7);
    let lost = (0..runs(60)).filter(|&run| {
        let places = cuckoo::Hashing::new(&mut s, Role::P0).bins(381, &blocks(run as u64, 300));
        Placement::new(381, &places).is_err()
    });
    assert_eq!(lost.count(), 0);
}

fn table() -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/okvs_bounds.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the table")).expect("JSON")
}

/// The sizes are those of which the model computed the bound, and the chances that jobs add up are no less.
#[test]
fn sizes_are_those_of_the_bounds() {
    let table = table();
    let number = |entry: &serde_json::Value, name: &str| entry[name].as_u64().expect("a number") as usize;
    let stores = table["stores"].as_array().expect("a list");
    for entry in stores {
        let size = Size::of(number(entry, "keys")).expect("up to the limit");
        assert_eq!(size.clusters(), number(entry, "clusters"), "{entry}");
        assert_eq!(size.cluster(), number(entry, "columns"), "{entry}");
        let bound = 2f64.powf(entry["log2_failure"].as_f64().expect("a number"));
        assert!(bound <= Size::chance(number(entry, "keys")).sum(), "{entry}");
    }
    assert_eq!(number(stores.last().expect("stores"), "keys"), MAX_KEYS);
    let bins = table["bins"].as_array().expect("a list");
    for entry in bins {
        assert_eq!(
            cuckoo::bins(number(entry, "items")).expect("few items"),
            number(entry, "bins"),
            "{entry}"
        );
        let bound = 2f64.powf(entry["log2_failure"].as_f64().expect("a number"));
        assert!(bound <= cuckoo::chance(number(entry, "items")).sum(), "{entry}");
    }
    assert_eq!(number(bins.last().expect("bins"), "items"), cuckoo::MAX_ITEMS);
}

/// The share of all ways to hash n keys to 6 columns, 2 in each third, with some keys that have fewer columns than
/// they are.
fn crowded(n: u32) -> f64 {
    let columns: [u32; 8] =
        std::array::from_fn(|way| (0..3).fold(0, |set, i| set | 1 << (2 * i + (way >> i & 1))));
    let fails = |ways: &u32| {
        (1u32..1 << n).any(|keys| {
            let own = (0..n)
                .filter(|key| keys >> key & 1 == 1)
                .map(|key| columns[(ways >> (3 * key) & 7) as usize]);
            own.fold(0, |used, own| used | own).count_ones() < keys.count_ones()
        })
    };
    (0..1u32 << (3 * n)).filter(fails).count() as f64 / 8f64.powi(n as i32)
}

/// Where all ways can be counted, one in fifty and one in ten fail: as many do, neither more nor fewer.
#[test]
fn failure_is_as_often_as_counted() {
    let mut s = session(9);
    for (n, about) in [(5, 0.01..0.05), (6, 0.05..0.2)] {
        let (tries, share) = (runs(4000), crowded(n));
        assert!(about.contains(&share), "{share} of {n} keys");
        let (mut dependent, mut homeless) = (0, 0);
        for run in 0..tries {
            let keys = blocks(run as u64, n as usize);
            let with = Hashing::new(&mut s, Role::P0);
            let rows = vec![7; keys.len()];
            dependent += u32::from(encode(&with, Size::reduced(2), &keys, &rows, 1, s.rng()).is_err());
            let places = cuckoo::Hashing::new(&mut s, Role::P0).bins(6, &keys);
            homeless += u32::from(Placement::new(6, &places).is_err());
        }
        for (what, failed) in [("store", dependent), ("bins", homeless)] {
            let (rate, spread) = (f64::from(failed) / tries as f64, 4.0 * (share / tries as f64).sqrt());
            assert!((rate - share).abs() <= spread, "{what} of {n} keys: {rate}, not {share}");
        }
    }
}

/// With fewer columns or bins than keys ask for, failure is as often as the bound says or less.
#[test]
fn failure_is_within_the_bound() {
    let mut s = session(8);
    for entry in table()["reduced"].as_array().expect("a list") {
        let number = |name: &str| entry[name].as_u64().expect("a number") as usize;
        let (n, columns) = (number("keys"), number("columns"));
        let (tries, bound) = (runs(4000), 2f64.powf(entry["log2_failure"].as_f64().expect("a number")));
        let (mut dependent, mut homeless) = (0, 0);
        for run in 0..tries {
            let keys = blocks(run as u64, n);
            let with = Hashing::new(&mut s, Role::P0);
            let size = Size::reduced(columns / 3);
            dependent += u32::from(encode(&with, size, &keys, &vec![7; n], 1, s.rng()).is_err());
            let places = cuckoo::Hashing::new(&mut s, Role::P0).bins(columns, &keys);
            homeless += u32::from(Placement::new(columns, &places).is_err());
        }
        for (what, failed) in [("store", dependent), ("bins", homeless)] {
            let (rate, spread) = (f64::from(failed) / tries as f64, 4.0 * (bound / tries as f64).sqrt());
            assert!(rate <= 1.15 * bound + spread, "{what} of {n} keys, {columns}: {rate} above {bound}");
        }
    }
}
