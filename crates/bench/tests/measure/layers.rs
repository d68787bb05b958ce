//! A module names only modules below it. Reads the sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lowest first: each may name those before it.
const ORDER: [&str; 12] = [
    "measured",
    "inputs",
    "lanes",
    "benchmark",
    "baseline",
    "stock",
    "work",
    "run",
    "report",
    "lattice",
    "paper",
    "args",
];

#[test]
fn a_module_names_only_modules_below_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (rank, module) in ORDER.iter().enumerate() {
        let file = src.join(module).with_extension("rs");
        for file in [file].into_iter().chain(files(&src.join(module))) {
            let text = fs::read_to_string(&file).unwrap();
            for name in named(&text) {
                let place = ORDER.iter().position(|known| *known == name);
                let place = place.unwrap_or_else(|| panic!("{name} is missing from the order in this test"));
                assert!(place <= rank, "{} names {name}, which is above it", file.display());
            }
        }
    }
}

/// The files of a folder and of those in it, if there is one.
fn files(folder: &Path) -> Vec<PathBuf> {
    let parts = fs::read_dir(folder).into_iter().flatten().map(|part| part.unwrap().path());
    parts.flat_map(|part| if part.is_dir() { files(&part) } else { vec![part] }).collect()
}

#[test]
fn this_test_sees_names() {
    let text = "use crate::{\n    a::{b, c},\n    d, e::f,\n};\nuse super::g;\nfn h() -> crate::i::J {}";
    assert_eq!(named(text), ["a", "d", "e", "i"]);
}

/// The first names after `crate::`.
fn named(text: &str) -> Vec<&str> {
    let word = |text: &'_ str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut names = Vec::new();
    for rest in text.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.push(&rest[..word(rest)]);
            continue;
        };
        let (mut depth, mut expected) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => expected = true,
                c if expected && c.is_alphabetic() => {
                    names.push(&group[at..at + word(&group[at..])]);
                    expected = false;
                }
                _ => {}
            }
        }
    }
    names
}
