//! Circuits as text: what is written is read, and what is not so written is refused with its line.

use std::sync::Arc;

use logic::{Circuit, Draft, Error, Form, Kind, Lit, Port, TruthTable};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

fn form(seed: &[u8], inputs: usize, outputs: usize) -> Form {
    let mut d = Draft::new(inputs);
    let mut all = d.inputs();
    all.push(Lit::TRUE);
    let table = Arc::new(TruthTable::tabulate(2, 3, |row| row * 2 + 1).expect("a table"));
    for chunk in seed.chunks_exact(3) {
        let at = |byte: u8| all[byte as usize / 2 % all.len()].negate_if(byte % 2 == 1);
        let (a, b) = (at(chunk[1]), at(chunk[2]));
        match chunk[0] % 5 {
            0 | 1 => all.push(d.xor(a, b)),
            2 | 3 => all.push(d.and(a, b)),
            _ => all.extend(d.lookup(&table, &[a, b])),
        }
    }
    let outputs = (0..outputs).map(|i| all[all.len() - 1 - i % all.len()]).collect();
    d.finish("drawn", outputs)
}

fn circuit(seed: &[u8]) -> Circuit {
    let port = |name: &str, kind| Port::new(name, kind).expect("a port");
    let inputs = vec![port("x", Kind::Signed(5)), port("y[1]", Kind::Bits(3)), port("f", Kind::Float32)];
    let outputs = vec![port("out", Kind::Unsigned(20)), port("flag", Kind::Unsigned(1))];
    Circuit::new("drawn", inputs, outputs, vec![form(seed, 40, 21)]).expect("a circuit")
}

#[test]
fn what_is_written_is_read() {
    let config =
        Config { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Default::default() };
    proptest!(config, |(seed in prop::collection::vec(any::<u8>(), 0..400))| {
        let circuit = circuit(&seed);
        let text = circuit.to_string();
        let read = Circuit::parse(&text).expect("what was written");
        prop_assert_eq!(&read, &circuit);
        prop_assert_eq!(read.digest(), circuit.digest());
        prop_assert_eq!(read.to_string(), text);
    });
}

#[test]
fn a_changed_file_is_refused() {
    let text = circuit(&[7; 90]).to_string();
    let config =
        Config { cases: 600, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..Default::default() };
    let len = text.len();
    proptest!(config, |(at in 0..len, byte in any::<u8>())| {
        let mut changed = text.clone().into_bytes();
        changed[at] = byte & 0x7f;
        let changed = String::from_utf8(changed).expect("ASCII");
        prop_assert_eq!(Circuit::parse(&changed).is_ok(), changed == text);
        prop_assert!(Circuit::parse(&text[..at]).is_err());
    });
}

/// With a right hash, so that what is wrong is the line itself.
#[test]
fn wrong_lines_are_named() {
    let right = "hushtable circuit 1\nname n\ninput x u2\noutput y u1\nform f\ntable 2 1 0 1 1 0\n& 1 !2\n^ 1 2\nt0 1 2\n= 5\nend\n";
    let parse = |text: &str| Circuit::parse(&format!("{text}blake3 {}\n", blake3::hash(text.as_bytes())));
    assert!(parse(right).is_ok());
    let line = |n: usize, new: &str| {
        let mut lines: Vec<&str> = right.lines().collect();
        lines[n - 1] = new;
        match parse(&(lines.join("\n") + "\n")) {
            Err(Error::Line { line, what }) => assert_eq!(line, n, "{new}: {what}"),
            other => panic!("{new}: {other:?}"),
        }
    };
    line(1, "hushtable circuit 2");
    line(2, "nam n");
    line(3, "input x u0");
    line(3, "input x v2");
    line(3, "input x");
    line(4, "output y u9999999999");
    line(5, "form a b");
    line(6, "table 2 1 0 1 1");
    line(6, "table 2 1 0 1 1 2");
    line(6, "table 17 1 0");
    line(6, "table 2 65 0 0 0 0");
    line(6, "table 2 1 0 1 1 g");
    line(7, "& 1 3");
    line(7, "& 1");
    line(7, "& 1 2 2");
    line(7, "| 1 2");
    line(7, "& 1 !!2");
    line(7, "& 1 +2");
    line(8, "^ 1 !2");
    line(9, "t1 1 2");
    line(9, "t0 1");
    line(10, "= 6");
    line(11, "ends");
    // As a whole: too few outputs, no form, two ports of a name.
    for text in [right.replace("= 5", "= 5 5"), right.replace("output y", "input x u2\noutput y")] {
        assert!(matches!(parse(&text), Err(Error::Circuit(_) | Error::Line { .. })), "{text}");
    }
}
