//! AES against FIPS 197.

mod support;

use logic::{Circuit, Kind};
use support::{run, source};
use synth::verilog::{Options, compile};

fn circuit(top: &str, options: &Options) -> Circuit {
    compile(&[source("aes.v")], top, options).unwrap_or_else(|error| panic!("{top}: {error}"))
}

/// The bits of hexadecimal digits, the last one lowest.
fn bits(hex: &str) -> Vec<u64> {
    let digit = |letter: char| u64::from(letter.to_digit(16).expect("a digit"));
    hex.chars().rev().flat_map(|letter| (0..4).map(move |i| digit(letter) >> i & 1)).collect()
}

/// The first of the evaluations of a form, in hexadecimal.
fn first(circuit: &Circuit, inputs: &[&str]) -> String {
    let words: Vec<u64> = inputs.iter().flat_map(|hex| bits(hex)).collect();
    let out = circuit.forms()[0].eval(&words);
    let digit = |four: &[u64]| four.iter().enumerate().fold(0, |all, (i, word)| all | (word & 1) << i);
    out.chunks(4).rev().map(|four| format!("{:x}", digit(four))).collect()
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
    for (top, shallow, lookups, ands, depth) in [
        ("aes_sbox_gates", 0, false, 32, 5),
        ("aes_sbox_gates", 1, false, 33, 4),
        ("aes_sbox_table", 0, false, 247, 3),
        ("aes_sbox_table", 0, true, 0, 1),
    ] {
        let mut options = Options { lookups, ..Options::default() };
        if top == "aes_sbox_gates" {
            options = options.parameter("SHALLOW", shallow);
        }
        let circuit = circuit(top, &options);
        let form = &circuit.forms()[0];
        assert_eq!((form.ands(), form.depth()), (ands, depth), "{top}");
        let rows: Vec<Vec<u64>> = (0..256).map(|x| vec![x]).collect();
        for (x, result) in run(&circuit, form, &rows).iter().enumerate() {
            assert_eq!(result[0], u64::from(sbox(x as u8)), "{top} of {x}");
        }
    }
}

#[test]
fn blocks() {
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let block = "00112233445566778899aabbccddeeff";
    let known = [
        (4, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (6, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (8, "8ea2b7ca516745bfeafc49904b496089"),
    ];
    for (words, want) in known {
        for (shallow, table) in [(0, 0), (1, 0), (0, 1)] {
            let mut options =
                Options { lookups: table == 1, ..Options::default() }.kind("block", Kind::Bits(128));
            for (name, value) in [("N", words), ("SHALLOW", shallow), ("TABLE", table)] {
                options = options.parameter(name, value);
            }
            let whole = circuit("aes", &options);
            let key = &key[..8 * words as usize];
            assert_eq!(first(&whole, &[key, block]), want, "{words} words of key");
            let expand = Options { kinds: Vec::new(), ..options.clone() };
            let keys = first(&circuit("aes_expand", &expand), &[key]);
            let rounds = circuit("aes_rounds", &options);
            assert_eq!(first(&rounds, &[&keys, block]), want, "{words} words of key, expanded");
            let boxes = 16 * (words as usize + 6);
            let (ands, lookups, depth) = match (shallow, table) {
                (_, 1) => (0, boxes, 1),
                (1, _) => (33 * boxes, 0, 4),
                _ => (32 * boxes, 0, 5),
            };
            let form = &rounds.forms()[0];
            assert_eq!((form.ands(), form.lookups()), (ands, lookups));
            assert_eq!(form.depth(), depth * (words as usize + 6));
        }
    }
}
