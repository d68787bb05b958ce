//! Files of other formats: written and read again, as other tools write them, and broken ones.

mod support;

use std::sync::Arc;

use logic::{Circuit, Draft, Form, Kind, Lit, Port, TruthTable};
use support::Chance;
use synth::{blif, bristol, equal::differs};

/// A form of gates by chance, and lookups if asked for.
fn by_chance(seed: u64, inputs: usize, outputs: usize, lookups: bool) -> Form {
    let mut chance = Chance(seed);
    let mut draft = Draft::new(inputs);
    let mut wires = draft.inputs();
    wires.push(Lit::FALSE);
    for _ in 0..chance.word() % 60 {
        let mut pick =
            || wires[(chance.word() % wires.len() as u64) as usize].negate_if(chance.word() & 1 == 1);
        let (a, b, c) = (pick(), pick(), pick());
        match chance.word() % 5 {
            0 if lookups => {
                let rows = (0..8).map(|_| chance.word() & 3).collect();
                let table = TruthTable::new(3, 2, rows).expect("a table");
                wires.extend(draft.lookup(&Arc::new(table), &[a, b, c]));
            }
            0 | 1 => wires.push(draft.xor(a, b)),
            _ => wires.push(draft.and(a, b)),
        }
    }
    let outputs = (0..outputs)
        .map(|_| wires[(chance.word() % wires.len() as u64) as usize].negate_if(chance.word() & 1 == 1))
        .collect();
    draft.finish("ands", outputs)
}

fn ports(names: &[(&str, u32)]) -> Vec<Port> {
    names.iter().map(|(name, bits)| Port::new(*name, Kind::Unsigned(*bits)).expect("a port")).collect()
}

#[test]
fn written_and_read() {
    for seed in 0..300 {
        let lookups = seed % 3 == 0;
        let form = by_chance(seed, 12, 9, lookups);
        let (inputs, outputs) = (ports(&[("a", 8), ("n1", 4)]), ports(&[("y", 9)]));
        let circuit = Circuit::new("chance", inputs, outputs, vec![form]).expect("a circuit");
        let form = &circuit.forms()[0];
        assert_eq!(Circuit::parse(&circuit.to_string()).expect("a circuit"), circuit);
        let text = blif::write(&circuit, form).expect("a file");
        let read = blif::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!((read.inputs(), read.outputs()), (circuit.inputs(), circuit.outputs()));
        assert_eq!(differs(form, &read.forms()[0], seed), None, "{text}");
        for format in [bristol::Format::Old, bristol::Format::New] {
            let text = bristol::write(&circuit, form, format);
            if form.lookups() > 0 {
                assert!(text.expect_err("lookups").to_string().contains("has lookups"));
                continue;
            }
            let text = text.expect("a file");
            let read = bristol::read(&text, "chance").unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read.inputs().iter().map(Port::bits).collect::<Vec<_>>(), [8, 4]);
            assert_eq!(differs(form, &read.forms()[0], seed), None, "{format:?}\n{text}");
            assert_eq!(form.ands(), read.forms()[0].ands());
        }
    }
}

#[test]
fn as_others_write_them() {
    // A full adder as SIS and abc write one, out of order, with both values of outputs.
    let text = "# made by hand\n.model adder\n.inputs a b \\\n  cin # the carry\n.outputs sum cout\n\
                .names x cin sum\n10 1\n01 1\n.names a b cin cout\n0-0 0\n00- 0\n-00 0\n\
                .names a b x\n11 0\n00 0\n.end\n";
    let circuit = blif::read(text).expect("a circuit");
    assert_eq!(circuit.name(), "adder");
    let form = &circuit.forms()[0];
    let out = form.eval(&[0b1010_1010, 0b1100_1100, 0b1111_0000]);
    assert_eq!((out[0] & 255, out[1] & 255), (0b1001_0110, 0b1110_1000));
    // Constants, and a table with no input.
    let text =
        ".model k\n.inputs a\n.outputs y[0] y[1] y[2]\n.names y[0]\n.names y[1]\n1\n.names a y[2]\n0 1\n.end";
    let circuit = blif::read(text).expect("a circuit");
    assert_eq!(circuit.outputs(), ports(&[("y", 3)]));
    assert_eq!(circuit.forms()[0].eval(&[0b01]).iter().map(|word| word & 3).collect::<Vec<_>>(), [0, 3, 2]);
    // The older format of Bristol, and the newer one with all gates.
    let old = "3 5\n1 1 1\n\n2 1 0 1 2 AND\n2 1 0 1 3 XOR\n2 1 2 3 4 XOR\n";
    let form = bristol::read(old, "or").expect("a circuit").forms()[0].clone();
    assert_eq!(form.eval(&[0b1010, 0b1100])[0] & 15, 0b1110);
    let new = "5 11\n2 2 2\n1 3\n\n4 2 0 1 2 3 4 5 MAND\n1 1 1 6 EQ\n1 1 4 7 INV\n1 1 7 8 EQW\n2 1 8 6 9 XOR\n\
               2 1 5 6 10 AND\n";
    let wrong = bristol::read(new, "all").expect_err("six gates");
    assert!(wrong.to_string().starts_with("line 10: "), "{wrong}");
    let form = bristol::read(&new.replacen('5', "6", 1), "all").expect("a circuit").forms()[0].clone();
    let out = form.eval(&[0b1010, 0b0110, 0b1100, 0b1111]);
    assert_eq!(out.iter().map(|word| word & 15).collect::<Vec<_>>(), [0b0111, 0b1000, 0b0110]);
}

#[test]
fn broken_files() {
    for (text, line) in [
        (".model a\n.inputs a\n.outputs q\n.latch a q re c 2\n.end\n", 4),
        (".model a\n.inputs a\n.outputs q\n.names a q\n2 1\n", 5),
        (".model a\n.inputs a\n.outputs q\n.names a q\n11 1\n", 5),
        (".model a\n.inputs a\n.outputs q\n.names a q\n1 1\n0 0\n", 6),
        (".model a\n.inputs a\n.outputs q\n.names b q\n1 1\n", 4),
        (".model a\n.inputs a\n.outputs q\n.names q q\n1 1\n", 4),
        (".model a\n.inputs a\n.outputs q\n.names a q\n.names a q\n", 5),
        (".model a\n.inputs a\n.outputs q\n.names q a\n", 4),
        (".model a\n1 1\n", 2),
        (".model a\n.subckt b x=y\n", 2),
        (".model a\n.end\n.model b\n", 3),
    ] {
        let error = blif::read(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("line {line}: ")), "{error} of {text:?}");
    }
    for (text, line) in [
        ("", 1),
        ("1\n", 1),
        ("1 3\n1 1\n1 1\n", 4),
        ("1 3\n1 1 1\n2 1 0 1 2 OR\n", 3),
        ("1 3\n1 1 1\n2 1 0 2 2 AND\n", 3),
        ("1 3\n1 1 1\n2 1 0 9 2 AND\n", 3),
        ("1 3\n1 1 1\n2 1 0 1 1 AND\n", 3),
        ("1 3\n1 1 1\n1 1 0 2 AND\n", 3),
        ("1 3\n1 1 1\n2 1 0 x 2 AND\n", 3),
        ("2 3\n1 1 1\n2 1 0 1 2 AND\n", 4),
        ("0 9999999999\n1 1 1\n", 1),
        ("0 3\n99999999999999999999 1 1\n", 2),
        ("0 3\n2 999999999 999999999\n1 1\n", 2),
        ("1 3\n1 1 1\n18446744073709551615 9223372036854775808 0 MAND\n", 3),
    ] {
        let error = bristol::read(text, "a").expect_err(text).to_string();
        assert!(error.starts_with(&format!("line {line}: ")), "{error} of {text:?}");
    }
}

#[test]
fn no_text_is_too_much() {
    let blif_text = ".model adder\n.inputs a b c[0] c[1]\n.outputs s\n.names a b x\n1- 1\n-1 1\n.names x c[0] s\n11 0\n.end\n";
    let bristol_text = "3 5\n1 1 1\n\n2 1 0 1 2 AND\n1 1 0 3 INV\n2 1 2 3 4 XOR\n";
    let mut chance = Chance(9);
    for text in [blif_text, bristol_text] {
        for _ in 0..20_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + chance.word() % 3 {
                let at = (chance.word() % bytes.len() as u64) as usize;
                let byte = b"0123456789 -.\\\n[]abxAINDEQW#"[(chance.word() % 28) as usize];
                match chance.word() % 3 {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            let text = String::from_utf8(bytes).expect("letters");
            let _ = blif::read(&text);
            let _ = bristol::read(&text, "a");
        }
    }
}
