//! Parsers of circuits, and of values for their ports.

use std::path::Path;

use hushtable::circuit::{Circuit, Draft, Form, Kind, Port};
use hushtable_columns::Dialect;
use prim::wipe::Wiped;
use synth::{blif, bristol};

use super::target::{Target, texts};
use crate::run::ports::{Given, Results};

pub const BLIF: Target = Target { name: "blif", run: blif_file, seeds: blif_seeds };
pub const BRISTOL: Target = Target { name: "bristol", run: bristol_file, seeds: bristol_seeds };
pub const CIRCUIT: Target = Target { name: "circuit", run: circuit_file, seeds: circuit_seeds };
pub const PORTS: Target = Target { name: "ports", run: values, seeds: value_seeds };

/// A file of the format as it is, and with the hash that it should have.
fn circuit_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parsed = Circuit::parse(text);
    let Some(end) = text.rfind("blake3 ") else {
        return assert!(parsed.is_err(), "no hash");
    };
    let above = &text[..end];
    let Ok(circuit) = Circuit::parse(&format!("{above}blake3 {}\n", blake3::hash(above.as_bytes()))) else {
        return;
    };
    assert_eq!(Circuit::parse(&circuit.to_string()).expect("what was written"), circuit);
    circuit.forms().iter().for_each(|form| evaluated(&circuit, form));
}

/// A circuit that was accepted has outputs for any inputs, and can be written.
fn evaluated(circuit: &Circuit, form: &Form) {
    let bits = |ports: &[Port]| ports.iter().map(Port::bits).sum::<usize>();
    assert_eq!((form.inputs(), form.outputs().len()), (bits(circuit.inputs()), bits(circuit.outputs())));
    let out = form.eval(&vec![0x9e37_79b9_7f4a_7c15; form.inputs()]);
    assert_eq!(out.len(), form.outputs().len());
}

fn circuit_seeds() -> Vec<Vec<u8>> {
    let forms = "hushtable circuit 1\nname two\ninput x u2\ninput y b1\noutput z i2\nform ands\n^ 1 !2\n& 3 !4\n= 5 !0\n\
                 form lookups\ntable 3 2 0 1 2 3 3 2 1 0\nt0 1 !2 3\n= 4 !5\nend\n";
    let whole = format!("{forms}blake3 {}\n", blake3::hash(forms.as_bytes()));
    texts(&[&whole, "hushtable circuit 1\nname x\nend\nblake3 00\n", "hushtable circuit 2\n"])
}

/// BLIF; what is read is written and read again.
fn blif_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(circuit) = blif::read(text) else { return };
    let form = &circuit.forms()[0];
    evaluated(&circuit, form);
    if let Ok(text) = blif::write(&circuit, form) {
        let again = blif::read(&text).expect("what was written");
        assert_eq!((again.inputs(), again.outputs()), (circuit.inputs(), circuit.outputs()));
    }
}

fn blif_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "# a full adder\n.model adder\n.inputs a b \\\n cin\n.outputs sum cout\n.names x cin sum\n10 1\n01 1\n\
         .names a b cin cout\n0-0 0\n00- 0\n-00 0\n.names a b x\n11 0\n00 0\n.end\n",
        ".model c\n.inputs x[0] x[1]\n.outputs y[0] y[1]\n.names y[0]\n1\n.names x[1] x[0] y[1]\n11 1\n.end\n",
        ".model m\n.inputs a\n.outputs q\n.latch a q re clk 0\n.end\n",
        ".model m\n.inputs a\n.outputs b\n.subckt n p=a q=b\n.end\n",
    ])
}

/// Bristol Fashion, new or old.
fn bristol_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(circuit) = bristol::read(text, "file") else { return };
    let form = &circuit.forms()[0];
    evaluated(&circuit, form);
    if let Ok(text) = bristol::write(&circuit, form, bristol::Format::New) {
        let again = bristol::read(&text, "file").expect("what was written");
        assert_eq!(again.forms()[0].ands(), form.ands());
    }
}

fn bristol_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "4 8\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 AND\n1 1 4 6 INV\n1 1 5 7 EQW\n",
        "3 6\n1 2 1\n\n2 1 0 1 3 XOR\n2 1 2 3 4 AND\n1 1 4 5 INV\n",
        "1 3\n1 1\n1 1\n\n1 1 1 2 EQ\n",
        "1 5\n2 1 2\n1 1\n\n4 2 0 1 2 2 3 4 MAND\n",
        "1 18446744073709551615\n1 4294967295\n1 1\n\n",
    ])
}

/// Values for ports, as JSON and as CSV.
fn values(data: &[u8]) {
    let kinds =
        [("a", Kind::Unsigned(8)), ("b", Kind::Signed(70)), ("c", Kind::Float32), ("d", Kind::Bits(128))];
    let port = |(name, kind): (&str, Kind)| Port::new(name, kind).expect("a port");
    let ports: Vec<Port> = kinds.into_iter().map(port).collect();
    let bits: usize = ports.iter().map(Port::bits).sum();
    let draft = Draft::new(bits);
    let inputs = draft.inputs();
    let form = draft.finish("ands", inputs);
    let circuit = Circuit::new("same", ports.clone(), ports, vec![form]).expect("a circuit");
    for name in ["file.json", "file.csv"] {
        let Ok(given) =
            Given::parse(Path::new(name), Wiped::from(data.to_vec()), &circuit, &Dialect::default())
        else {
            continue;
        };
        let rows = given.rows;
        let fits = |(words, port): (&Option<Wiped<u64>>, &Port)| {
            words.as_ref().is_none_or(|words| words.len() == rows * port.bits().div_ceil(64))
        };
        assert!(given.words.iter().zip(circuit.inputs()).all(fits), "as many words as rows");
        let columns = given.words.iter().map(|words| words.as_ref().map(|words| words.to_vec()));
        let Some(columns) = columns.collect::<Option<Vec<_>>>() else { continue };
        // What is written is read as the same, but for the bits of what is no number.
        let text = Results::new(&circuit, &columns, given.single).json();
        let again = Given::parse(
            Path::new("file.json"),
            Wiped::from(text.clone().into_bytes()),
            &circuit,
            &Dialect::default(),
        );
        let again = again.unwrap_or_else(|_| panic!("what was written: {text}"));
        for ((words, before), port) in again.words.iter().zip(&columns).zip(circuit.inputs()) {
            let words = words.as_ref().expect("what was written");
            assert!(port.kind() == Kind::Float32 || words[..] == before[..], "{text}");
        }
    }
}

fn value_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "{\"a\": 255, \"b\": -590295810358705651712, \"c\": -1.5e-3, \"d\": \"000102030405060708090a0b0c0d0e0f\"}",
        "{\"a\": [0, \"0x7f\"], \"b\": [1, 2], \"c\": [\"inf\", \"nan\"], \"d\": [\"0\", \"1\"]}",
        "a,b,c,d\n1,-2,3.25,000102030405060708090a0b0c0d0e0f\n0xff,0,-0,ffffffffffffffffffffffffffffffff\n",
        "{\"a\": 256}",
        "{\"a\": [1, 2], \"b\": [1]}",
        "{\"a\": [[1]]}",
    ])
}
