//! Jobs from files whose rows are joined first, and whose steps compare places.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::common::{Done, Site, results, sigmoid};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub fn hash(site: &Site, name: &str) -> String {
    Sha256::digest(site.read(name)).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A party's command for a job that it approved.
pub fn approved(site: &Site, job: &str, party: &str, more: &str) -> String {
    let digits = &hash(site, job)[..32];
    format!("run {job} --input {party}.csv --identity {party}.id --approve {digits} {more}")
}

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The example of a join, and each party's score by id.
fn joining() -> (Site, [BTreeMap<String, f64>; 2]) {
    let site = Site::new();
    for name in ["bank.csv", "telecom.csv", "bank.toml", "telecom.toml"] {
        site.write(name, &fs::read_to_string(examples().join("data/joining").join(name)).unwrap());
    }
    site.write("join.toml", &fs::read_to_string(examples().join("jobs/join.toml")).unwrap());
    let scores = [("bank", "customer"), ("telecom", "subscriber")].map(|(party, id)| {
        let model = site.read(&format!("{party}.toml"));
        let weights: BTreeMap<&str, f64> = model
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, weight)| (name, weight.parse().unwrap()))
            .collect();
        let text = site.read(&format!("{party}.csv"));
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let row = |line: &str| {
            let (mut name, mut score) = (String::new(), weights["intercept"]);
            for (column, cell) in header.iter().zip(line.split(',')) {
                if *column == id {
                    name = cell.trim().to_lowercase();
                } else if let Some(weight) = weights.get(column) {
                    score += weight * cell.parse::<f64>().unwrap();
                }
            }
            (name, score)
        };
        text.lines().skip(1).map(row).collect()
    });
    (site, scores)
}

#[test]
fn a_job_over_rows_in_common() {
    let (site, [bank, telecom]) = joining();
    let p0 = approved(&site, "join.toml", "bank", "--weights bank.toml --output out.csv --record bank.json");
    let p1 = approved(&site, "join.toml", "telecom", "--weights telecom.toml");
    let [p0, p1] = site.both(&p0, &p1).map(Done::ok);
    let (header, rows) = results(&site.read("out.csv"));
    assert_eq!((header.as_str(), rows.len()), ("customer,repays", bank.len()));
    let mut seen = [0; 3];
    for (id, got) in rows {
        let key = id.to_lowercase();
        let plain = telecom.get(&key).map(|other| sigmoid(bank[&key] + other));
        if plain.is_none_or(|plain| (plain - 0.8).abs() > 1e-3) {
            assert_eq!(got, f64::from(u8::from(plain.is_some_and(|plain| plain >= 0.8))), "{id}");
            seen[plain.map_or(2, |plain| usize::from(plain >= 0.8))] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    // In lanes.
    site.write("two.toml", &site.read("join.toml").replace("[[step]]", "[options]\nthreads = 2\n[[step]]"));
    let two = approved(&site, "two.toml", "bank", "--weights bank.toml --output two.csv --json");
    let [two, _] =
        site.both(&two, &approved(&site, "two.toml", "telecom", "--weights telecom.toml")).map(Done::ok);
    assert!(two.stdout.starts_with("{\"kind\":\"run\"") && two.stdout.contains("\"threads\":2"), "{two:?}");
    assert_eq!(site.read("two.csv"), site.read("out.csv"));
    assert!(p1.stderr.contains("the results go to the peer"), "{p1:?}");
    for fragment in
        [hash(&site, "join.toml").as_str(), "those in common, by a hidden join: column customer of bank"]
    {
        assert!(p0.stderr.contains(fragment), "{fragment}: {p0:?}");
    }
    let limited =
        approved(&site, "join.toml", "bank", "--weights bank.toml --output no.csv --peer-at-most 9");
    let other = approved(&site, "join.toml", "telecom", "--weights telecom.toml");
    let [limited, other] = site.both(&limited, &other);
    limited.fails_with(5, "--peer-at-most is 9: nothing was computed");
    assert!(other.code != 0 && !site.has("no.csv"), "{other:?}");
    let record: Value = serde_json::from_str(&site.read("bank.json")).unwrap();
    assert_eq!((&record["command"], &record["outcome"]), (&"run".into(), &"done".into()));
    assert_eq!(record["job_file"], hash(&site, "join.toml"));
    assert_eq!(record["inputs"].as_array().unwrap().len(), 3, "{record}");
}

/// A job can ask both to tell how most of their ids look.
#[test]
fn a_job_in_which_ids_look_different() {
    let (site, _) = joining();
    let job = site.read("join.toml").replace("normalise = \"lower\"", "tell-form = true");
    site.write("join.toml", &job);
    let p0 = approved(&site, "join.toml", "bank", "--weights bank.toml --output out.csv");
    let p1 = approved(&site, "join.toml", "telecom", "--weights telecom.toml");
    site.write("telecom.csv", &site.read("telecom.csv").to_lowercase());
    let [p0, p1] = site.both(&p0, &p1);
    p0.fails_with(5, "how most ids look: here A999999, at the peer a999999; --normalise lower");
    p1.fails_with(5, "how most ids look: here a999999, at the peer A999999; --normalise lower");
    assert!(!site.has("out.csv"));
    site.write("join.toml", &job.replace("join = true\n", "").replace("default = 0\n", ""));
    let run = approved(&site, "join.toml", "bank", "--weights bank.toml --output out.csv");
    site.run(&format!("{run} --listen 127.0.0.1:0")).fails("tell-form needs join = true");
}

#[test]
fn what_does_not_go_with_a_join() {
    let (site, _) = joining();
    let job = site.read("join.toml");
    for (from, to, want) in [
        ("join = true", "join = 1", "line 6: join: true or false"),
        ("join = true\n", "", "default needs join = true"),
        ("operation = \"score\"", "operation = \"proximity\"", "is not known here"),
        (
            "[[step]]",
            "[options]\nfind-difference = true\n[[step]]",
            "find-difference cannot be combined with join",
        ),
        ("default = 0", "default = 2", "--default 2"),
        ("ids = {", "other = {", "is not known here"),
        ("reveal = \"bank\"", "reveal = \"none\"", "results are of a party's rows"),
        ("\"lower\"", "\"upper\"", "not one of: trim"),
    ] {
        assert!(job.contains(from), "{from}");
        site.write("other.toml", &job.replacen(from, to, 1));
        let run = approved(&site, "other.toml", "bank", "--weights bank.toml --output out.csv");
        site.run(&format!("{run} --listen 127.0.0.1:0")).fails(want);
    }
    // Who approved another file, or none, ends both.
    site.write("other.toml", &format!("{job}# a comment\n"));
    let p0 = approved(&site, "join.toml", "bank", "--weights bank.toml --output out.csv");
    let flags = "score --join subscriber --normalise trim,lower --threshold 0.8 --default 0 --reveal peer \
                 --features telecom.csv --weights telecom.toml --identity telecom.id";
    for p1 in [&approved(&site, "other.toml", "telecom", "--weights telecom.toml"), flags] {
        site.both(&p0, p1).iter().for_each(|done| done.fails_with(5, "disagree on job file"));
    }
    site.run("run join.toml --input bank.csv --weights bank.toml --output out.csv --identity bank.id --listen 127.0.0.1:0")
        .fails_with(2, "nobody approved");
    assert!(!site.has("out.csv"));
    let dry = site.run(
        "run join.toml --input bank.csv --weights bank.toml --dry-run --identity bank.id --listen 127.0.0.1:0",
    );
    let dry = dry.ok().stdout;
    assert!(
        dry.contains("results tell their owner which")
            && dry.contains("the rows in common, by a hidden join"),
        "{dry}"
    );
}

#[test]
fn a_step_compares_places() {
    let site = Site::new();
    site.write("bank.csv", "id,east,north\na,0,0\nb,0,0\n");
    site.write("telecom.csv", "id,east,north\na,30,40\nb,30,41\n");
    site.write(
        "job.toml",
        "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n\
         [[step]]\nname = \"near\"\noperation = \"proximity\"\nwithin = \"50m\"\nplane = true\nreveal = \"both\"\n\
         [[step]]\nname = \"nearer\"\noperation = \"proximity\"\nwithin = \"51m\"\nplane = true\nreveal = \"bank\"\n",
    );
    let _ = site
        .both(
            &approved(&site, "job.toml", "bank", "--output p0.csv"),
            &approved(&site, "job.toml", "telecom", "--output p1.csv"),
        )
        .map(Done::ok);
    assert_eq!(site.read("p0.csv"), "id,near,nearer\na,1,1\nb,0,1\n");
    assert_eq!(site.read("p1.csv"), "id,near\na,1\nb,0\n");
    let job = site.read("job.toml");
    for (from, to, want) in [
        ("within = \"50m\"", "within = \"50\"", "line 8: invalid value '50' for '--within"),
        ("within = \"50m\"\n", "", "--within"),
        ("plane = true\n", "x = { bank = \"u\" }\n", "proximity: each party's places are its own"),
    ] {
        site.write("other.toml", &job.replacen(from, to, 1));
        let run = approved(&site, "other.toml", "bank", "--output out.csv");
        site.run(&format!("{run} --listen 127.0.0.1:0")).fails(want);
    }
}
