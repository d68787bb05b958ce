//! The examples of every command's help run as they stand, and come out of it in one piece.

use std::{fs, sync::OnceLock};

use crate::{common::Site, shell::Stage};

/// Examples that are not run here, and why.
const NOT_RUN: [(&str, &str); 4] = [
    ("hushtable demo", "the test of the demo runs it, over a faster link"),
    ("hushtable calibrate", "measures for a minute; the tests of the choice run it once"),
    ("--calibration calibration.json", "needs what that measures"),
    ("--fingerprint 5F:02:...:9C", "a fingerprint that is left out"),
];

const PARTIES: [&str; 2] = ["bank", "telecom"];

/// The commands that the help lists.
fn commands(site: &Site) -> Vec<String> {
    let help = site.run("--help").ok().stdout;
    let list =
        help.split_once("Commands:\n").expect("a list").1.split("\n\n").next().expect("one").to_owned();
    let first = |line: &str| {
        let indented = line.starts_with("  ") && !line.starts_with("   ");
        line.split_whitespace().next().filter(|_| indented).map(str::to_owned)
    };
    list.lines().filter_map(first).filter(|name| name != "help").collect()
}

/// Groups of examples, each under a line that says what they are for.
fn examples(site: &Site, command: &str) -> Vec<Vec<String>> {
    let command = if command == "record" { "record verify" } else { command };
    let help = site.run(&format!("help {command}")).ok().stdout;
    let after =
        help.split_once("Examples:\n").unwrap_or_else(|| panic!("no examples in the help of {command:?}")).1;
    let mut groups = vec![vec![]];
    let mut lines = after.lines();
    while let Some(line) = lines.next() {
        let mut written = line.trim().to_owned();
        if !written.starts_with("hushtable ") {
            groups.push(vec![]);
            continue;
        }
        while let Some(before) = written.strip_suffix('\\') {
            let next = lines.next().unwrap_or_else(|| panic!("nothing after {written}"));
            written = format!("{before}{}", next.trim_start());
        }
        // What is broken in the middle would not be what is pasted.
        assert!(
            lines.clone().next().is_none_or(|next| !next.trim_start().starts_with("--")),
            "{command}: {written}"
        );
        groups.last_mut().expect("one").push(written);
    }
    groups.retain(|group| !group.is_empty());
    assert!(!groups.is_empty(), "{command}");
    groups
}

/// The same at the telecom company, where the help shows the bank's only.
fn mirrored(line: &str) -> String {
    let mut line = line
        .replace("bank", "telecom")
        .replace("--listen 0.0.0.0:7000", "--connect bank.example:7000")
        .replace("late_instalments", "late_bills")
        .replace("--id customer", "--id subscriber")
        .replace("income_keur:1000,region:north/south/east/west", "contract_months");
    if let Some(at) = line.find("--reveal me ") {
        line.replace_range(at..at + "--reveal me".len(), "--reveal peer");
        let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        let output = words.iter().position(|word| *word == "--output");
        let kept = words.iter().enumerate().filter(|(i, _)| output.is_none_or(|at| *i != at && *i != at + 1));
        line = kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
    }
    line
}

/// Both files of one hidden join.
fn joined() -> &'static [String; 2] {
    static MADE: OnceLock<[String; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut stage = Stage::with_identities(&PARTIES, &["examples/data/joining"]);
        let join = |columns: &str| {
            format!("hushtable join --normalise lower --output joined.json --columns {columns} ")
        };
        stage.run(
            "bank",
            &(join("income_keur,region:north/south/east/west")
                + "--input bank.csv --id customer --listen 0.0.0.0:7000 --identity bank.id"),
        );
        stage.run(
            "telecom",
            &(join("contract_months,late_bills:100")
                + "--input telecom.csv --id subscriber --connect bank.example:7000 --identity telecom.id"),
        );
        PARTIES.map(|party| stage.read(party, "joined.json"))
    })
}

const SIGMOID: &str = "hushtable apply sigmoid --reveal both --input bank.csv --column score --output first.csv \
                       --listen 0.0.0.0:7000 --identity bank.id";

/// What has been done before the examples of a group.
fn before(stage: &mut Stage, group: &[String]) {
    let has = |text: &str| group.iter().any(|line| line.contains(text));
    let pair = |stage: &mut Stage, line: &str| {
        stage.run("bank", line);
        stage.run("telecom", &mirrored(line));
    };
    if has("joined.json") && !has("hushtable join ") {
        for (party, file) in PARTIES.iter().zip(joined()) {
            fs::write(stage.path(party, "joined.json"), file).unwrap();
        }
    }
    if has("bank.store") && !has("prepare sigmoid") {
        let prepare = "hushtable prepare sigmoid --items 1e4 --store bank.store --listen 0.0.0.0:7000 --identity bank.id";
        pair(stage, prepare);
    }
    if has("hushtable record verify") {
        pair(stage, &format!("{SIGMOID} --record job.json --sign"));
    }
    if has("hushtable doctor") {
        stage.run("bank", SIGMOID);
    }
    if has("--key-shares keys") {
        fs::create_dir(stage.path("shop", "keys")).unwrap();
    } else if has("hushtable lookup ") && has("--connect") && !has("explain") {
        fs::create_dir(stage.path("shop", "kept")).unwrap();
        stage.run(
            "shop",
            "hushtable serve --table prices.csv --key sku --value price:decimal2:32,stock:int:32 \
             --shares kept --listen 0.0.0.0:7000 --identity shop.id",
        );
    }
}

/// Runs the examples of these commands.
fn play(commands: &[&str]) {
    let site = Site::without_identities();
    for command in commands {
        for group in examples(&site, command) {
            let (parties, data): ([&str; 2], &[&str]) = match *command {
                "join" => (PARTIES, &["examples/data/joining", "examples/data/phones"]),
                "proximity" => (["harbour", "line"], &["examples/data/proximity"]),
                "serve" | "lookup" => (["shop", "bank"], &["examples/data/prices"]),
                _ => (PARTIES, &["examples/data/scoring", "examples/jobs", "examples/data/circuits"]),
            };
            let mut stage = Stage::with_identities(&parties, data);
            stage.stranger(parties);
            before(&mut stage, &group);
            for line in group.iter().filter(|line| NOT_RUN.iter().all(|(part, _)| !line.contains(part))) {
                let own = parties.iter().find(|party| line.contains(&format!("--identity {party}.id")));
                // Who has no identity yet makes one.
                let party = if line.contains("hushtable identity ") {
                    "stranger"
                } else {
                    own.unwrap_or(&parties[0])
                };
                if let Some(first) = stage.is_waiting().filter(|_| !line.contains("--connect")) {
                    let other = mirrored(first);
                    stage.run("telecom", &other);
                }
                stage.run(party, line);
            }
            if let Some(first) = stage.is_waiting() {
                let other = mirrored(first);
                stage.run("telecom", &other);
            }
            stage.close();
        }
    }
}

const ROWS: [&str; 3] = ["apply", "score", "run"];
const TABLES: [&str; 6] = ["join", "stats", "proximity", "serve", "lookup", "explain"];
const REST: [&str; 15] = [
    "",
    "aes",
    "demo",
    "functions",
    "prepare",
    "store",
    "record",
    "identity",
    "doctor",
    "info",
    "plan",
    "compile",
    "calibrate",
    "completions",
    "man",
];

#[test]
fn examples_of_jobs_over_rows_run() {
    play(&ROWS);
}

#[test]
fn examples_of_tables_run() {
    play(&TABLES);
}

/// Longer than 10 s: there are many.
#[test]
fn all_other_examples_run() {
    play(&REST);
}

#[test]
fn every_command_is_among_them() {
    let mut played: Vec<&str> = [&ROWS[..], &TABLES, &REST[1..]].concat();
    played.sort_unstable();
    let mut all = commands(&Site::without_identities());
    all.sort_unstable();
    assert_eq!(played, all);
}
