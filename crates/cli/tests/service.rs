//! The files in `examples/service` start the program as they say.

use std::{fs, path::PathBuf, process::Command};

use crate::common::Site;

fn example(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/service");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// What follows a word at the beginning of a line.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let mut values = text.lines().filter_map(|line| line.strip_prefix(key));
    let value = values.next().unwrap_or_else(|| panic!("no {key}"));
    assert_eq!(values.next(), None, "one {key}");
    value
}

/// With the files that they name the program listens; the address is one of this test.
fn starts(args: &[&str]) {
    let at = args.iter().position(|arg| *arg == "--listen").expect("a party that listens");
    assert_eq!(args[at + 1], "0.0.0.0:7000");
    let args = [&args[..at], &args[at + 2..]].concat().join(" ");
    let site = Site::new();
    let done = site.run(&format!("{args} --listen 127.0.0.1:0"));
    done.fails_with(3, "in.csv");
    site.write_scores("in.csv", &[0.5]);
    site.listen(&args);
}

#[test]
fn the_unit_starts_a_party_that_listens() {
    let unit = example("hushtable.service");
    let words: Vec<&str> = value(&unit, "ExecStart=").split_whitespace().collect();
    assert_eq!(words[0], "/usr/local/bin/hushtable");
    starts(&words[1..]);
}

#[test]
fn the_container_starts_a_party_that_listens() {
    let file = example("Containerfile");
    assert_eq!(value(&file, "ENTRYPOINT "), "[\"hushtable\"]");
    let words: Vec<String> = serde_json::from_str(value(&file, "CMD ")).unwrap();
    starts(&words.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Both files start the same job, with options that the program's help has.
#[test]
fn both_start_the_same_job() {
    let (unit, file) = (example("hushtable.service"), example("Containerfile"));
    let unit: Vec<&str> = value(&unit, "ExecStart=").split_whitespace().collect();
    let container: Vec<String> = serde_json::from_str(value(&file, "CMD ")).unwrap();
    assert_eq!(unit[1..], container);
    let help = Site::without_identities().run(&format!("{} --help", unit[1])).ok().stdout;
    let known: Vec<&str> = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).collect();
    for option in container.iter().filter(|word| word.starts_with("--")) {
        assert!(known.contains(&option.as_str()), "{option} is no option of {}", unit[1]);
    }
}

/// What the container copies is a workspace, complete enough to build the package from; and no more than that.
#[cfg(unix)]
#[test]
fn the_container_copies_a_workspace() {
    let (file, folder) = (example("Containerfile"), tempfile::tempdir().unwrap());
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let copied =
        file.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--from"));
    for line in copied {
        let (from, to) = line.rsplit_once(' ').unwrap();
        assert!(!from.split(' ').any(|from| from == "."), "the whole folder, identities included");
        let to = folder.path().join(to.trim_start_matches("./"));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        for from in from.split(' ') {
            let copied = Command::new("cp").arg("-R").arg(root.join(from)).arg(&to).status().unwrap();
            assert!(copied.success(), "{line}");
        }
    }
    let package =
        file.lines().find_map(|line| line.strip_prefix("RUN cargo build --release --locked -p ")).unwrap();
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--depth", "0", "-p", package])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    // What the sources read while they are compiled.
    assert!(folder.path().join("examples/data/scoring/bank.csv").is_file());
}

/// Where systemd is.
#[test]
fn systemd_understands_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("hushtable.service");
    let program = env!("CARGO_BIN_EXE_hushtable");
    fs::write(&unit, example("hushtable.service").replace("/usr/local/bin/hushtable", program)).unwrap();
    let Ok(said) = Command::new("systemd-analyze").arg("verify").arg(&unit).output() else { return };
    let text = String::from_utf8_lossy(&said.stderr);
    let ours: Vec<_> = text.lines().filter(|line| line.contains("hushtable.service")).collect();
    assert!(ours.is_empty(), "{text}");
}
