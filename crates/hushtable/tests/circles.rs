//! A file uses only files below it, in every crate: no two use each other, also not by way of others.
//!
//! What a file only hands on (`pub use`) it does not use. Methods and traits' items are not followed: they need no
//! path.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{CRATES, items, sources_of, without_comments};

#[test]
fn files_go_in_no_circle() {
    for (folder, _) in CRATES {
        let found = circles(&sources_of(folder));
        assert!(found.is_empty(), "files of {folder} that use each other:\n{}", found.join("\n"));
    }
}

#[test]
fn this_test_sees_circles() {
    let with = |b: &str| {
        let sources = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; mod c; pub use b::{B, X as Y}; pub use c::C; pub struct Top;"),
            ("a/b.rs", b),
            ("a/c.rs", "use super::{\n    B as Other,\n}; pub struct C; // super::b"),
        ];
        circles(&sources.map(|(file, text)| (file.to_string(), text.to_string())).into())
    };
    let circle = ["a/b.rs, a/c.rs"];
    assert_eq!(with("pub struct B;"), [""; 0], "b uses nothing");
    assert_eq!(with("pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::C; }"), [""; 0], "a test may");
    assert_eq!(with("pub use super::c::C; pub struct B;"), [""; 0], "what is handed on is not used");
    assert_eq!(with("use super::c::C; pub struct B(C);"), circle, "by its file");
    assert_eq!(with("use crate::a::C; pub struct B(C);"), circle, "by another name");
    assert_eq!(with("pub struct B(super::C);"), circle, "without `use`");
    assert_eq!(with("pub use super::c::C; pub struct B(C);"), circle, "handed on and used");
    assert_eq!(with("pub use super::c::C; const B: &str = \"C\";"), [""; 0], "a string is no name");
    assert_eq!(with("use super::Top; pub struct B;"), [""; 0], "a folder's head that uses none of its files");
}

/// The files of each circle.
fn circles(sources: &BTreeMap<String, String>) -> Vec<String> {
    let files: BTreeMap<_, _> = sources.iter().filter(|(name, _)| !name.ends_with("tests.rs")).collect();
    let files: Files = files.into_iter().map(|(name, text)| (module(name), File::read(name, text))).collect();
    let direct: BTreeMap<_, _> = files.keys().map(|m| (m, used(&files, m))).collect();
    let reached: BTreeMap<_, _> = direct.keys().map(|m| (*m, reached(&direct, m))).collect();
    let mut found = BTreeSet::new();
    for (m, below) in &reached {
        if below.contains(*m) {
            let same: Vec<_> = below.iter().filter(|other| reached[other].contains(*m)).collect();
            found.insert(same.iter().map(|m| files[*m].name.as_str()).collect::<Vec<_>>().join(", "));
        }
    }
    found.into_iter().collect()
}

type Module = Vec<String>;
type Files = BTreeMap<Module, File>;

struct File {
    name: String,
    /// Paths of `use`, each with the name that it gets and whether it is handed on.
    uses: Vec<(Vec<String>, String, bool)>,
    /// Without these, comments and tests.
    body: String,
}

impl File {
    fn read(name: &str, text: &str) -> Self {
        let code = without_comments(text);
        let code = code.split("#[cfg(test)]\nmod tests {").next().expect("a first part");
        let (mut uses, mut body) = (Vec::new(), String::new());
        for statement in code.split_inclusive(';') {
            let at = statement.rfind("\nuse ").or(statement.rfind(" use ")).or(statement.find("use "));
            match at.filter(|_| statement.trim_end_matches(';').lines().any(is_use)) {
                Some(at) => {
                    let (before, tree) = statement.split_at(at);
                    let handed_on = before.lines().last().is_some_and(|line| line.trim().starts_with("pub"));
                    let tree = tree.trim_start().trim_start_matches("use ").trim_end_matches(';');
                    uses.extend(expanded(&[], tree).into_iter().map(|(path, name)| (path, name, handed_on)));
                    body.push_str(before);
                }
                None => body.push_str(statement),
            }
        }
        Self { name: name.into(), uses, body }
    }
}

fn is_use(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
}

/// `lut/splut/run.rs` is `["lut", "splut", "run"]`.
fn module(file: &str) -> Module {
    file.trim_end_matches(".rs").split('/').filter(|part| *part != "lib").map(String::from).collect()
}

/// The paths of a tree of `use`, and the names that they get.
fn expanded(before: &[String], tree: &str) -> Vec<(Vec<String>, String)> {
    let (head, group) = match tree.split_once('{') {
        Some((head, group)) => (head, Some(group)),
        None => (tree, None),
    };
    let (path, alias) = head.split_once(" as ").map_or((head, None), |(path, alias)| (path, Some(alias)));
    let parts = path.split("::").map(str::trim).filter(|part| !part.is_empty());
    let mut path: Vec<String> = before.iter().cloned().chain(parts.map(String::from)).collect();
    if let Some(group) = group {
        return items(group).iter().flat_map(|item| expanded(&path, item)).collect();
    }
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), |alias| alias.trim().into());
    vec![(path, name)]
}

/// The files of its folder that a file uses.
fn used(files: &Files, module: &Module) -> BTreeSet<Module> {
    let file = &files[module];
    let in_body = words(&file.body);
    let written = |name: &str| in_body.iter().any(|path| path[0] == name);
    let uses = file.uses.iter().filter(|(_, name, handed_on)| !handed_on || written(name));
    let uses = uses.map(|(path, ..)| path.clone());
    // A single word in the body is something of its own, or named by a `use`.
    let paths = uses.chain(in_body.iter().filter(|path| path.len() > 1).cloned());
    let found = paths.filter_map(|path| home(files, module, &path, 0));
    found.filter(|m| m != module).collect()
}

/// The file that defines what a path in `module` names.
fn home(files: &Files, module: &Module, path: &[String], depth: usize) -> Option<Module> {
    assert!(depth < 20, "{path:?} in {module:?} leads to itself");
    let Some((first, rest)) = path.split_first() else { return Some(module.clone()) };
    let child: Module = module.iter().chain([first]).cloned().collect();
    match first.as_str() {
        "crate" => home(files, &Module::new(), rest, depth),
        "self" => home(files, module, rest, depth),
        "super" => home(files, &module[..module.len().saturating_sub(1)].to_vec(), rest, depth),
        _ if files.contains_key(&child) => home(files, &child, rest, depth),
        name => match files.get(module)?.uses.iter().find(|(_, known, _)| known == name) {
            Some((to, ..)) if to[0] != name || to.len() > 1 => {
                home(files, module, &[to.as_slice(), rest].concat(), depth + 1)
            }
            // Of another crate, a type parameter, or an item of this file.
            _ => Some(module.clone()),
        },
    }
}

/// All names in code with what is written before them: `a::b::C` is one.
fn words(code: &str) -> Vec<Vec<String>> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let code = code.replace("\\\"", "").replace("'\"'", "");
    let code = code.split('"').step_by(2); // not in strings
    let words = code
        .flat_map(|code| code.split(|c| !part(c)))
        .map(|word| word.split("::").map(|p| p.trim_matches(':').into()));
    let words = words.map(|word| word.filter(|part: &String| !part.is_empty()).collect::<Vec<_>>());
    words.filter(|word| !word.is_empty()).collect()
}

/// All that `from` uses, also by way of others.
fn reached(direct: &BTreeMap<&Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(direct[module].iter().filter(|next| found.insert((*next).clone())));
    }
    found
}
