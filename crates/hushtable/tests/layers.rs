//! A module names only modules below it. Reads the sources, so that the order is what the code
//! does and not what a diagram says.

use std::{collections::BTreeMap, fs, path::Path};

/// Lowest first: each may name those before it.
const ORDER: &[&str] = &[
    "reference",
    "error",
    "terms",
    "process",
    "cores",
    "codec",
    "share",
    "net",
    "bill",
    "chance",
    "session",
    "okvs",
    "cuckoo",
    "ot",
    "party",
    "oprf",
    "source",
    "permutation",
    "gates",
    "circuit",
    "gc",
    "tree",
    "onehot",
    "lut",
    "forms",
    "fss",
    "plan",
    "arith",
    "confidential",
    "math",
    "operation",
    "store",
    "run",
    "prelude",
    "inner",
];

/// The crates, lowest first, and those of them that each may name.
pub(crate) const CRATES: [(&str, &[&str]); 12] = [
    ("crates/prim", &[]),
    ("crates/logic", &[]),
    ("crates/he", &["prim"]),
    ("crates/synth", &["logic"]),
    ("crates/hushtable", &["prim", "logic", "he"]),
    ("crates/apps", &["prim", "synth", "hushtable"]),
    ("crates/baselines", &["prim", "hushtable", "apps"]),
    ("crates/columns", &["prim", "hushtable", "apps"]),
    ("crates/jobs", &["prim", "synth", "hushtable", "apps", "columns"]),
    ("crates/cli", &["prim", "synth", "hushtable", "apps", "columns", "jobs"]),
    ("crates/bench", &["prim", "he", "hushtable", "apps", "baselines", "columns", "jobs"]),
    ("python", &["prim", "synth", "hushtable", "apps", "columns", "jobs"]),
];

/// What the root re-exports, by the module it comes from.
const RE_EXPORTS: [(&str, &str); 8] = [
    ("Error", "error"),
    ("Result", "error"),
    ("Role", "net"),
    ("AShare", "share"),
    ("BShare", "share"),
    ("Share", "share"),
    ("Party", "party"),
    ("run_pair", "party"),
];

#[test]
fn a_module_names_only_modules_below_it() {
    let sources = sources_of("crates/hushtable");
    let mut wrong = Vec::new();
    for (file, text) in &sources {
        let module = file.split(['/', '.']).next().expect("a first part");
        if module == "lib" {
            continue;
        }
        let rank = |name: &str| ORDER.iter().position(|m| *m == name);
        let mine = rank(module).unwrap_or_else(|| panic!("{module} is missing from the order in this test"));
        for name in named(text) {
            let named = RE_EXPORTS.iter().find(|r| r.0 == name).map_or(name.as_str(), |r| r.1);
            match rank(named) {
                Some(theirs) if theirs <= mine => {}
                Some(_) => wrong.push(format!("{file} names {named}, which is above it")),
                None => wrong.push(format!("{file} names crate::{name}, which this test does not know")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for module in ORDER {
        assert!(sources.keys().any(|f| f.split(['/', '.']).next() == Some(module)), "{module} is gone");
    }
}

#[test]
fn a_crate_names_only_crates_below_it() {
    let package = |folder: &str| match folder.trim_start_matches("crates/") {
        name @ ("hushtable" | "apps" | "prim" | "logic" | "synth") => name.to_owned(),
        name => format!("hushtable-{name}"),
    };
    let all: Vec<String> = CRATES.iter().map(|(folder, _)| package(folder)).collect();
    for (folder, may) in CRATES {
        let manifest = fs::read_to_string(workspace().join(folder).join("Cargo.toml")).expect("a manifest");
        let parts = manifest.split("\n[").filter(|part| part.starts_with("dependencies]"));
        let names = parts.flat_map(str::lines).filter_map(|line| line.split([' ', '.', '=']).next());
        let may: Vec<String> = may.iter().map(|name| package(name)).collect();
        let ours = |name: &&str| name.starts_with("hushtable") || all.iter().any(|known| known == name);
        for name in names.filter(ours) {
            assert!(
                all.iter().any(|known| known == name),
                "{folder} names {name}, which this test does not know"
            );
            assert!(may.iter().any(|other| other == name), "{folder} names {name}, which is not below it");
        }
    }
}

#[test]
fn this_test_sees_names() {
    let text = "
        use crate::{\n    error::{Result, lut}, // crate::fake\n    ot::{self, rcot}, net,\n};
        //! [`Nobody`](crate::comment::X)
        /// crate::also_a_comment
        fn f() -> crate::share::AShare<u8> { crate::session::X /* crate::party */ }
        pub(crate) fn g() {}
    ";
    assert_eq!(named(text), ["error", "ot", "net", "share", "session"]);
}

/// The folder of the workspace.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace")
}

/// Every source file of the crate in a folder, by its path below `src`.
pub(crate) fn sources_of(folder: &str) -> BTreeMap<String, String> {
    let src = workspace().join(folder).join("src");
    let (mut found, mut folders) = (BTreeMap::new(), vec![src.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources are here") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(&src).expect("below src").to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).expect("readable"));
            }
        }
    }
    found
}

/// The first names after `crate::`, comments aside.
fn named(text: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut names = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        match rest.trim_start().strip_prefix('{') {
            Some(group) => names.extend(items(group).into_iter().map(identifier)),
            None => names.push(identifier(rest)),
        }
    }
    names
}

/// The items of a `{..}` group, of which `text` is what follows the brace.
pub(crate) fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        if c == '}' && start == at + 1 {
            break;
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

fn identifier(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

pub(crate) fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut block = false;
    for line in text.lines() {
        let mut rest = line;
        loop {
            if block {
                let Some(end) = rest.find("*/") else { break };
                (rest, block) = (&rest[end + 2..], false);
            }
            match (rest.find("//"), rest.find("/*")) {
                (Some(l), b) if b.is_none_or(|b| l < b) => {
                    code.push_str(&rest[..l]);
                    break;
                }
                (_, Some(b)) => {
                    code.push_str(&rest[..b]);
                    (rest, block) = (&rest[b + 2..], true);
                }
                _ => {
                    code.push_str(rest);
                    break;
                }
            }
        }
        code.push('\n');
    }
    code
}
