//! What tests share: circuits of sources, numbers through a form, and numbers by chance.

#![allow(dead_code)]

use std::path::PathBuf;

use logic::{Circuit, Form};
use synth::verilog::{Options, compile};

/// A file of the library's sources.
pub fn source(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../circuits").join(name)
}

/// The circuit of a text.
pub fn of_text(text: &str, top: &str) -> synth::Result<Circuit> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("design.v");
    std::fs::write(&file, text).expect("a file");
    compile(&[file], top, &Options::default())
}

/// Numbers through a form of a circuit whose ports have 64 bits at most: a row for each evaluation, a number for each
/// port.
pub fn run(circuit: &Circuit, form: &Form, rows: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut results = Vec::with_capacity(rows.len());
    for batch in rows.chunks(64) {
        let mut words = Vec::with_capacity(form.inputs());
        for (p, port) in circuit.inputs().iter().enumerate() {
            for bit in 0..port.bits() {
                let word = batch.iter().enumerate().map(|(i, row)| (row[p] >> bit & 1) << i);
                words.push(word.fold(0, |all, one| all | one));
            }
        }
        let out = form.eval(&words);
        for i in 0..batch.len() {
            let mut at = 0;
            let mut number = |bits: usize| {
                let word = (0..bits).fold(0, |all, bit| all | (out[at + bit] >> i & 1) << bit);
                at += bits;
                word
            };
            results.push(circuit.outputs().iter().map(|port| number(port.bits())).collect());
        }
    }
    results
}

/// Numbers that look as if by chance (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    /// The next one.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
