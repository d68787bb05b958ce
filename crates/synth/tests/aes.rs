//! AES against FIPS 197.

mod support;

use logic::{Circuit, Form};
use support::{run, source};
use synth::{
    library::get,
    verilog::{Options, compile},
};

/// The bits of hexadecimal digits, the last one lowest.
fn bits(hex: &str) -> Vec<u64> {
    let digit = |letter: char| u64::from(letter.to_digit(16).expect("a digit"));
    hex.chars().rev().flat_map(|letter| (0..4).map(move |i| digit(letter) >> i & 1)).collect()
}

/// The first of the evaluations of a circuit, in hexadecimal: the same of all its forms.
fn first(circuit: &Circuit, inputs: &[&str]) -> String {
    let words: Vec<u64> = inputs.iter().flat_map(|hex| bits(hex)).collect();
    let digit = |four: &[u64]| four.iter().enumerate().fold(0, |all, (i, word)| all | (word & 1) << i);
    let hex =
        |form: &Form| form.eval(&words).chunks(4).rev().map(|four| format!("{:x}", digit(four))).collect();
    let all: Vec<String> = circuit.forms().iter().map(hex).collect();
    assert!(all.iter().all(|one| *one == all[0]), "{}: {all:?}", circuit.name());
    all[0].clone()
}

/// The S-box by its definition.
fn sbox(x: u8) -> u8 {
    let product = |mut a: u8, b: u8| {
        let mut sum = 0;
        for i in 0..8 {
            if b >> i & 1 == 1 {
                sum ^= a;
            }
            a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        }
        sum
    };
    let inverse = (0..=255).find(|y| product(x, *y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |all, i| all ^ inverse.rotate_left(i))
}

#[test]
fn boxes() {
    let circuit = get("aes_sbox").expect("a circuit");
    let counts: Vec<_> =
        circuit.forms().iter().map(|form| (form.name(), form.ands(), form.lookups(), form.depth())).collect();
    assert_eq!(counts, [("ands", 32, 0, 5), ("layers", 33, 0, 4), ("luts", 0, 1, 1)]);
    let mut tables = circuit.forms().to_vec();
    // A table of constants is made of gates, too.
    let table = compile(&[source("aes.v")], "aes_sbox_table", &Options::default()).expect("a circuit");
    assert_eq!((table.forms()[0].ands(), table.forms()[0].depth()), (246, 3));
    tables.push(table.forms()[0].clone());
    let rows: Vec<Vec<u64>> = (0..256).map(|x| vec![x]).collect();
    for form in &tables {
        for (x, result) in run(&circuit, form, &rows).iter().enumerate() {
            assert_eq!(result[0], u64::from(sbox(x as u8)), "{} of {x}", form.name());
        }
    }
}

#[test]
fn blocks() {
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let block = "00112233445566778899aabbccddeeff";
    for (bits, rounds, expanding, want) in [
        (128, 10, 40, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (192, 12, 32, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (256, 14, 52, "8ea2b7ca516745bfeafc49904b496089"),
    ] {
        let key = &key[..bits / 4];
        let [whole, expand, expanded] =
            ["", "_expand", "_expanded"].map(|part| get(&format!("aes{bits}{part}")).expect("a circuit"));
        assert_eq!(first(&whole, &[key, block]), want, "{bits} bits of key");
        let keys = first(&expand, &[key]);
        assert_eq!(first(&expanded, &[&keys, block]), want, "{bits} bits of key, expanded");
        let boxes = 16 * rounds;
        let layers = [rounds, expand.forms()[1].depth(), rounds];
        for ((circuit, lookups), layers) in
            [(&whole, boxes + expanding), (&expand, expanding), (&expanded, boxes)].into_iter().zip(layers)
        {
            let form = &circuit.forms()[1];
            let counts = (form.name(), form.ands(), form.lookups(), form.depth());
            assert_eq!(counts, ("luts", 0, lookups, layers), "{}", circuit.name());
            assert_eq!(
                (form.tables().len(), form.tables()[0].inputs(), form.tables()[0].outputs()),
                (1, 8, 8)
            );
        }
        let forms = [whole, expand, expanded].map(|circuit| circuit.forms()[0].clone());
        assert_eq!(
            forms.each_ref().map(Form::ands),
            [boxes + expanding, expanding, boxes].map(|boxes| 32 * boxes)
        );
        assert_eq!(forms[2].depth(), 5 * rounds);
    }
}

#[test]
fn blocks_of_lookups_and_of_few_layers() {
    let key = "000102030405060708090a0b0c0d0e0f";
    let block = "00112233445566778899aabbccddeeff";
    for (choice, lookups, ands, depth) in [("TABLE", true, 0, 10), ("SHALLOW", false, 6600, 40)] {
        let options = Options { lookups, ..Options::default() }.parameter(choice, 1);
        let circuit = compile(&[source("aes.v")], "aes", &options).expect("a circuit");
        assert_eq!(first(&circuit, &[key, block]), "69c4e0d86a7b0430d8cdb78070b4c55a");
        let form = &circuit.forms()[0];
        assert_eq!((form.ands(), form.depth()), (ands, depth));
        assert_eq!(form.lookups(), if lookups { 200 } else { 0 });
    }
}
