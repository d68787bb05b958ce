//! The library: whole numbers against Rust's, SHA-256, and what is embedded against what the sources give.

mod support;

use std::{collections::BTreeSet, path::Path};

use logic::{Circuit, Gate, Kind};
use support::{Chance, run, source};
use synth::{
    equal::differs,
    library::{ENTRIES, build, get, names},
    verilog::{Options, compile},
};

fn mask(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}

fn signed(word: u64, bits: usize) -> i128 {
    i128::from((word << (64 - bits)) as i64 >> (64 - bits))
}

/// What a circuit of whole numbers gives: nothing where it is left open.
fn plain(name: &str, bits: usize, row: &[u64]) -> Option<Vec<u64>> {
    let (a, b) = (row[0], row.get(1).copied().unwrap_or(0));
    let number = |word: u64| if name.contains("_i") { signed(word, bits) } else { word.into() };
    let (x, z) = (number(a), number(b));
    let one = match name.trim_end_matches(char::is_numeric).trim_end_matches(['_', 'u', 'i']) {
        "add" => a.wrapping_add(b),
        "subtract" => a.wrapping_sub(b),
        "multiply" => a.wrapping_mul(b),
        "divide" if b == 0 => return None,
        "divide" => return Some(vec![(x / z) as u64 & mask(bits), (x % z) as u64 & mask(bits)]),
        "less" => (x < z).into(),
        "minimum" => x.min(z) as u64,
        "maximum" => x.max(z) as u64,
        "exchange" => return Some(vec![x.min(z) as u64 & mask(bits), x.max(z) as u64 & mask(bits)]),
        "equal" => (a == b).into(),
        "choice" => [row[2], row[1]][(a & 1) as usize],
        "ones" => a.count_ones().into(),
        "shift_left" => a << b,
        "shift_right" => (x >> b) as u64,
        other => panic!("no model of {other}"),
    };
    Some(vec![one & mask(bits)])
}

fn check(circuit: &Circuit, name: &str, bits: usize, rows: &[Vec<u64>]) {
    for form in circuit.forms() {
        for (row, result) in rows.iter().zip(run(circuit, form, rows)) {
            if let Some(want) = plain(name, bits, row) {
                assert_eq!(result, want, "{name} ({}) of {row:x?}", form.name());
            }
        }
    }
}

#[test]
fn whole_numbers() {
    let mut chance = Chance(5);
    for name in
        names().filter(|name| !["f32", "aes", "sha", "i32_of"].iter().any(|other| name.starts_with(other)))
    {
        let circuit = get(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let bits = if name.contains("64") { 64 } else { 32 };
        let name = name.strip_suffix("_brent_kung").unwrap_or(name);
        let mut word = |port: usize| {
            let word = chance.word() >> (chance.word() % 64);
            let word = if chance.word().is_multiple_of(3) { !word } else { word };
            word & mask(circuit.inputs()[port].bits())
        };
        let mut rows: Vec<Vec<u64>> =
            (0..4000).map(|_| (0..circuit.inputs().len()).map(&mut word).collect()).collect();
        rows.iter_mut().step_by(7).filter(|row| row.len() == 2).for_each(|row| row[0] = row[1]);
        match name.strip_suffix("_wide") {
            // The product has two words.
            Some(_) => {
                for form in circuit.forms() {
                    for row in rows.iter().take(640) {
                        let inputs: Vec<u64> =
                            row.iter().flat_map(|word| (0..bits).map(move |i| word >> i & 1)).collect();
                        let out = form.eval(&inputs);
                        let product =
                            out.iter().enumerate().fold(0, |all, (i, bit)| all | u128::from(bit & 1) << i);
                        assert_eq!(product, u128::from(row[0]) * u128::from(row[1]), "{name} of {row:x?}");
                    }
                }
            }
            None => check(&circuit, name, bits, &rows),
        }
    }
}

#[test]
fn narrow_numbers() {
    let files = [source("arithmetic.v"), source("multiply.v")];
    for (top, parameter, model) in [
        ("add", 0, "add"),
        ("add_ladner_fischer", 0, "add"),
        ("add_brent_kung", 0, "add"),
        ("subtract", 0, "subtract"),
        ("multiply_low", 0, "multiply"),
        ("divide", 0, "divide_u"),
        ("divide", 1, "divide_i"),
        ("less", 0, "less_u"),
        ("less", 1, "less_i"),
        ("less_tree", 0, "less_u"),
        ("less_tree", 1, "less_i"),
        ("exchange", 0, "exchange_u"),
        ("exchange", 1, "exchange_i"),
        ("minimum", 0, "minimum_u"),
        ("minimum", 1, "minimum_i"),
        ("maximum", 0, "maximum_u"),
        ("maximum", 1, "maximum_i"),
        ("equal", 0, "equal"),
        ("ones", 0, "ones"),
    ] {
        for bits in [2, 4, 7, 8] {
            let mut options = Options::default().parameter("N", bits);
            if model.contains('_') {
                options = options.parameter("SIGNED", parameter);
            }
            let circuit = compile(&files, top, &options).unwrap_or_else(|error| panic!("{top}: {error}"));
            let rows: Vec<Vec<u64>> =
                (0..1u64 << (2 * bits)).map(|i| vec![i & mask(bits as usize), i >> bits]).collect();
            check(&circuit, model, bits as usize, &rows);
        }
    }
}

#[test]
fn sha256() {
    use sha2::digest::generic_array::GenericArray;
    let circuit = get("sha256_compress").expect("a circuit");
    assert!(circuit.inputs().iter().all(|port| matches!(port.kind(), Kind::Bits(_))));
    let form = &circuit.forms()[0];
    let mut chance = Chance(7);
    for _ in 0..20 {
        let mut state: [u32; 8] = std::array::from_fn(|_| chance.word() as u32);
        let block: [u8; 64] = std::array::from_fn(|_| chance.word() as u8);
        let bits = |words: &[u32]| -> Vec<u64> {
            words.iter().rev().flat_map(|word| (0..32).map(move |i| u64::from(word >> i & 1))).collect()
        };
        let words: Vec<u32> =
            block.chunks(4).map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]])).collect();
        let out = form.eval(&[bits(&state), bits(&words)].concat());
        sha2::compress256(&mut state, &[GenericArray::clone_from_slice(&block)]);
        assert_eq!(out.iter().map(|word| word & 1).collect::<Vec<_>>(), bits(&state));
    }
}

#[test]
fn names_are_files() {
    let names: BTreeSet<&str> = names().collect();
    assert_eq!(names.len(), ENTRIES.len());
    let built = source("built");
    let files = std::fs::read_dir(built).expect("a folder").map(|file| file.expect("a file").file_name());
    let files: BTreeSet<String> =
        files.filter_map(|name| Some(name.to_str()?.strip_suffix(".hut")?.into())).collect();
    assert_eq!(files, names.iter().map(|name| String::from(*name)).collect());
    for name in names {
        let circuit = get(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(circuit.name(), name);
        let first = &circuit.forms()[0];
        let same = |form: &logic::Form| differs(first, form, 3).is_none();
        assert!(circuit.forms().iter().all(same), "the forms of {name}");
        let lookups = |gate: &Gate| matches!(gate, Gate::Lookup { .. });
        assert!(!first.gates().iter().any(lookups), "{name}");
    }
    assert!(get("no such circuit").is_err());
}

// Takes over ten seconds: each circuit is compiled and optimised again. The larger ones take minutes, which the command
// `library` does for whoever changes them; what they compute is tested above.
#[test]
fn built_is_what_the_sources_give() {
    let folder = source("");
    for entry in ENTRIES.iter() {
        let kept = std::fs::read_to_string(source(&format!("built/{}.hut", entry.name))).expect("a file");
        if kept.lines().count() > 5000 {
            continue;
        }
        let now = build(Path::new(&folder), entry).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(
            now.to_string() == kept,
            "{} is not what its source gives: run the command `library`",
            entry.name
        );
    }
}
