//! The library of circuits: arithmetic on whole numbers and on 32-bit floating point, AES and SHA-256. They are compiled
//! from the Verilog of `circuits/`, and embedded as they are written in `circuits/built`.

mod entries;

use std::path::{Path, PathBuf};

pub use entries::{ENTRIES, Entry, Source};
use logic::{Circuit, Draft, Form, Kind, Port};

use crate::{
    error::{Error, Result},
    optimise::{ands, layers},
    verilog::{Options, compile},
};

/// The sources.
const FILES: [&str; 6] = ["aes.v", "arithmetic.v", "float32.v", "float32_more.v", "multiply.v", "sha256.v"];

/// The names of all circuits.
pub fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|entry| entry.name)
}

/// A circuit by its name, from what is embedded.
///
/// # Errors
/// [`Error::Asked`] for a name that no circuit has.
pub fn get(name: &str) -> Result<Circuit> {
    match ENTRIES.iter().find(|entry| entry.name == name) {
        Some(entry) if entry.ands.is_none() => with_gates(&Circuit::parse(entry.text)?),
        Some(entry) => Ok(Circuit::parse(entry.text)?),
        None => Err(Error::Asked(format!("no circuit {name:?} in the library"))),
    }
}

/// A circuit of lookups of the S-box, with a form of few ANDs besides: the gates of the S-box in their place.
fn with_gates(circuit: &Circuit) -> Result<Circuit> {
    let (sbox, lookups) = (get("aes_sbox")?, &circuit.forms()[0]);
    let mut draft = Draft::new(lookups.inputs());
    let inputs = draft.inputs();
    let outputs = draft.insert_with(lookups, &inputs, |draft, _, at| draft.insert(&sbox.forms()[0], at));
    let forms = vec![draft.finish("ands", outputs), lookups.clone()];
    Ok(Circuit::new(circuit.name(), circuit.inputs().to_vec(), circuit.outputs().to_vec(), forms)?)
}

/// A circuit of the library as it is kept, compiled from the sources in a folder.
///
/// # Errors
/// As [`compile`].
pub fn build(folder: &Path, entry: &Entry) -> Result<Circuit> {
    let files: Vec<PathBuf> = FILES.iter().map(|name| folder.join(name)).collect();
    let module = |(top, parameters): Source, lookups: bool| {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        let options = Options { name: Some(entry.name.into()), parameters, lookups, ..Options::default() };
        compile(&files, top, &options)
    };
    let form = |source: Option<Source>, lookups: bool, as_kept: fn(&Form) -> Form| {
        let circuit = source.map(|source| module(source, lookups)).transpose()?;
        Ok::<_, Error>(circuit.map(|circuit| (as_kept(&circuit.forms()[0]), circuit)))
    };
    let made = [
        form(entry.ands, false, ands)?,
        form(entry.layers, false, layers)?,
        form(entry.luts, true, Form::clone)?,
    ];
    let (forms, circuits): (Vec<Form>, Vec<Circuit>) = made.into_iter().flatten().unzip();
    let ports = |ports: &[Port]| {
        ports.iter().map(|port| port.retyped(kind(entry.name, port))).collect::<logic::Result<_>>()
    };
    let (inputs, outputs) = (ports(circuits[0].inputs())?, ports(circuits[0].outputs())?);
    Ok(Circuit::new(entry.name, inputs, outputs, forms)?)
}

/// What a port of a circuit means, by its name and that of the circuit.
fn kind(circuit: &str, port: &Port) -> Kind {
    let bits = port.bits() as u32;
    let from = circuit.split_once("_of_").map(|(_, from)| from);
    match (circuit, port.name()) {
        _ if circuit.starts_with("aes") || circuit.starts_with("sha") => Kind::Bits(bits),
        ("i32_of_f32", "y") => Kind::Signed(bits),
        _ if bits == 32 && port.name() == "a" && from.is_some() => match from {
            Some("i32") => Kind::Signed(bits),
            Some("u32") => Kind::Unsigned(bits),
            _ => Kind::Float32,
        },
        _ if bits == 32 && circuit.starts_with("f32") => Kind::Float32,
        (_, "by" | "choose") => Kind::Unsigned(bits),
        _ if circuit.contains("_i") && bits > 1 => Kind::Signed(bits),
        _ => Kind::Unsigned(bits),
    }
}
