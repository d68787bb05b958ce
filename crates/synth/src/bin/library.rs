//! Compiles the library of circuits: `library FOLDER [NAME ...]` writes a file for each into the folder, which is
//! `circuits/built`; the sources lie one folder above. Needs yosys.

use std::path::Path;

use synth::library::{ENTRIES, build};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("library FOLDER [NAME ...]");
        std::process::exit(2);
    };
    let only: Vec<String> = arguments.collect();
    let folder = Path::new(&folder);
    for entry in ENTRIES.iter().filter(|entry| only.is_empty() || only.iter().any(|name| name == entry.name))
    {
        let sources = folder.parent().unwrap_or(Path::new("."));
        let written = build(sources, entry).map_err(|error| error.to_string()).and_then(|circuit| {
            for form in circuit.forms() {
                let (name, lookups) = (entry.name, form.lookups());
                let (form, ands, depth, xors) = (form.name(), form.ands(), form.depth(), form.xors());
                println!(
                    "{name:20} {form:6} {ands:6} ANDs {lookups:5} lookups {depth:5} layers {xors:7} XORs"
                );
            }
            let path = folder.join(format!("{}.hut", entry.name));
            std::fs::write(path, circuit.to_string()).map_err(|error| error.to_string())
        });
        if let Err(error) = written {
            eprintln!("{}: {error}", entry.name);
            std::process::exit(1);
        }
    }
}
