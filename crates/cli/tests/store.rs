//! Material on disk, between two processes: `prepare`, `apply --store`, `store ls`, `verify` and `rm`.

use std::{env, fs, thread, time::Instant};

use crate::common::{Done, Site, results};
use serde_json::Value;

const ROWS: usize = 60;
const TABLE: usize = 16;

/// A site with a table of 16 values of 9 bits, and numbers to look up in it.
fn site() -> Site {
    let site = Site::new();
    let values: String = (0..TABLE).map(|i| format!("{}\n", value(i))).collect();
    site.write("tariff.csv", &values);
    for (name, factor) in [("a.csv", 3), ("b.csv", 5)] {
        let numbers: Vec<f64> = (0..ROWS).map(|i| (i * factor % (TABLE / 2)) as f64).collect();
        site.write_scores(name, &numbers);
    }
    site
}

fn value(i: usize) -> i64 {
    (i * i) as i64
}

/// Runs both sides of `prepare` for that table.
fn prepare(site: &Site, lookups: &str, more: &str) -> [Done; 2] {
    let asked = format!("prepare --lookups {lookups} --index-bits 4 --value-bits 9 {more}");
    site.both(
        &format!("{asked} --store bank.store --identity bank.id"),
        &format!("{asked} --store telecom.store --identity telecom.id"),
    )
}

/// The command lines of `apply` for that table.
fn apply(more: &str) -> [String; 2] {
    ["bank", "telecom"].map(|name| {
        let file = if name == "bank" { "a" } else { "b" };
        format!(
            "apply --table tariff.csv --reveal both --input {file}.csv --column score --output {file}.out.csv --force \
             --store {name}.store --identity {name}.id {more}"
        )
    })
}

fn run(site: &Site, more: &str) -> [Done; 2] {
    let [p0, p1] = apply(more);
    site.both(&p0, &p1)
}

#[track_caller]
fn check(site: &Site) {
    for file in ["a.out.csv", "b.out.csv"] {
        let (_, rows) = results(&site.read(file));
        let want = |i: usize| value(i * 3 % (TABLE / 2) + i * 5 % (TABLE / 2)) as f64;
        assert_eq!(rows.len(), ROWS);
        rows.iter().enumerate().for_each(|(i, (_, got))| assert_eq!(*got, want(i), "row {i}"));
    }
}

/// What `store ls --json` or `verify --json` says of the bank's store.
fn shown(site: &Site, action: &str) -> Value {
    let done = site.run(&format!("store {action} --identity bank.id bank.store --json")).ok();
    serde_json::from_str(done.stdout.trim_end()).unwrap()
}

/// A dry run looks at the store and spends nothing of it.
#[test]
fn a_dry_run_counts_what_is_in_the_store() {
    let site = site();
    prepare(&site, "45", "")
        .map(Done::ok)
        .iter()
        .for_each(|done| assert!(done.stderr.contains("45 lookups")));
    let [p0, _] = apply("--listen 127.0.0.1:0 --dry-run");
    let explained = site.run(&p0).ok().stdout;
    assert!(explained.contains("the material of 45 of 60 rows is in the store"), "{explained}");
    assert_eq!(shown(&site, "ls")["left"], 45);
    site.run(&format!("{p0} --no-offline")).fails("45 lookups are left");
}

#[test]
fn what_is_prepared_is_spent() {
    let site = site();
    for done in prepare(&site, "1.5e2", "").map(Done::ok) {
        assert!(
            done.stderr.contains("150 lookups, at most") && done.stderr.contains("for lookups by d:"),
            "{done:?}"
        );
    }
    let store = shown(&site, "ls");
    assert_eq!(
        (&store["planned"], &store["left"], &store["peer"]),
        (&150.into(), &150.into(), &"telecom".into())
    );
    for (threads, stored, left) in [(1, 60, 90), (3, 60, 30), (2, 30, 0), (1, 0, 0)] {
        for done in run(&site, &format!("--threads {threads} --json")).map(Done::ok) {
            let report: Value = serde_json::from_str(done.stdout.trim_end()).unwrap();
            assert_eq!(report["stored"], stored, "{done:?}");
            assert_eq!(report["offline"]["bytes"] == serde_json::json!([0, 0]), stored == 60, "{done:?}");
            let said = format!("{stored} of 60 lookups came from the store");
            assert!(
                done.stderr.contains(&said) && done.stderr.contains(&format!("{left} are left")),
                "{done:?}"
            );
            assert_eq!(done.stderr.contains("were made now"), stored < 60, "{done:?}");
        }
        check(&site);
        assert_eq!(
            (&shown(&site, "ls")["left"], &shown(&site, "verify")["missing"]),
            (&left.into(), &0.into())
        );
    }
}

#[test]
fn too_little_is_said_before_anything_starts() {
    let site = site();
    prepare(&site, "100", "--json").into_iter().for_each(|done| drop(done.ok()));
    run(&site, "--no-offline").into_iter().for_each(|done| drop(done.ok()));
    check(&site);
    let [p0, _] = apply("--no-offline");
    site.run(&format!("{p0} --listen 127.0.0.1:0")).fails("40 lookups are left in the store, 60 are needed");
    // At this party there is enough, at the peer there is not: known after the handshake.
    let site = self::site();
    prepare(&site, "100", "").into_iter().for_each(|done| drop(done.ok()));
    let [p0, p1] = apply("");
    let first = site.listen(&p0);
    let mut second =
        site.start(&format!("{} --connect {}", p1.replace("--reveal both", "--reveal p0"), first.address));
    second.child.wait().unwrap();
    first.finish();
    assert_eq!(shown(&site, "ls")["left"], 100, "a disagreement costs nothing");
    run(&site, "").into_iter().for_each(|done| drop(done.ok()));
}

#[test]
fn a_store_of_other_parameters_is_refused() {
    let site = site();
    prepare(&site, "100", "").into_iter().for_each(|done| drop(done.ok()));
    let asked = "apply sigmoid --reveal both --domain -16:16 --input a.csv --column score --output x.csv --identity bank.id --listen 127.0.0.1:0";
    let done = site.run(&format!("{asked} --store bank.store"));
    done.fails(
        "it holds material for lookups by d: additive indices of 4 bits, additive outputs of 9 bits (shape ",
    );
    done.fails("), not for lookups by d: additive indices of 13 bits");
    site.run(&format!("{asked} --store telecom.store")).fails("not of bank");
    site.run(&format!("{asked} --store nowhere")).fails("nowhere: no store");
    let plain = asked.replace("--identity bank.id", "--insecure-plain-tcp");
    site.run(&format!("{plain} --store bank.store")).fails("--store needs --identity");
    let asked = "prepare --lookups 1 --index-bits 4 --store x --insecure-plain-tcp --listen 127.0.0.1:0";
    site.run(asked).fails("--store needs --identity");
    // The peer brings none.
    let [p0, p1] = apply("");
    let done = site.both(&p0, &p1.replace("--store telecom.store", ""));
    let id = shown(&site, "ls")["id"].as_str().unwrap().to_owned();
    for done in done {
        done.fails("disagree on store");
        assert!(done.stderr.contains(&id) && done.stderr.contains("none"), "{done:?}");
    }
    // The other party listens.
    let [p0, p1] = apply("");
    for (done, said) in site.both(&p1, &p0).iter().zip(["connected when", "listened when"]) {
        assert!(done.is_reported() && done.stderr.contains(said), "{done:?}");
    }
}

#[test]
fn what_cannot_be_prepared_is_refused() {
    let site = site();
    let asked = "prepare --store s --identity bank.id --listen 127.0.0.1:0";
    for (args, said) in [
        ("--lookups 0 --index-bits 4", "not a whole number"),
        ("--lookups 1.5 --index-bits 4", "not a whole number"),
        ("--lookups 1e6 --index-bits 21", "not in 1..=20"),
        ("--lookups 1e6 --index-bits 4 --value-bits 65", "not in 1..=64"),
        ("--lookups 9e11 --index-bits 12", "are free on that disk"),
        ("--lookups 1e6 --index-bits 20 --protocol d", "index bits: 20 with d is not supported"),
        ("--lookups 1e6", "--lookups needs --index-bits"),
        ("--lookups 1e6 --index-bits 4 --bits 32", "--bits cannot be combined with --lookups"),
        ("ge --items 5 --domain 0:1", "--domain is for functions"),
        ("sigmoid", "--items"),
        ("sigmoid --items 5 --lookups 5", "cannot be used with"),
        ("--items 5", "FUNCTION"),
        ("sigmoid --items 5 --bands 0.5", "are for score"),
        ("sigmoid --items 5 --protocol d", "--lookups N --index-bits K"),
    ] {
        let done = site.run(&format!("{asked} {args}"));
        assert!(done.is_reported() && done.stderr.contains(said), "{args}: {done:?}");
    }
    prepare(&site, "10", "").into_iter().for_each(|done| drop(done.ok()));
    for done in prepare(&site, "10", "") {
        assert!(done.is_reported(), "{done:?}");
        assert!(
            done.stderr.contains("exists already; nothing is overwritten") || done.stderr.contains("closed")
        );
    }
    let other = site.both(
        "prepare --lookups 10 --index-bits 4 --store x --identity bank.id",
        "prepare --lookups 11 --index-bits 4 --store y --identity telecom.id",
    );
    other.iter().for_each(|done| done.fails("disagree on number of stored items"));
    assert!(!site.has("x") && !site.has("y"));
}

#[test]
fn stores_are_shown_verified_and_removed() {
    let site = site();
    prepare(&site, "100", "").into_iter().for_each(|done| drop(done.ok()));
    let listed = site.run("store ls --identity bank.id .");
    let text = listed.stdout.clone();
    listed.fails("telecom.store: a store of the identity");
    for part in [
        "100 of 100 lookups left",
        "lookups by d: additive indices of 4 bits",
        "with telecom; this party listens",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(site.run("store verify --identity bank.id bank.store").ok().stdout.contains("there and sound"));
    let piece = site.path("bank.store/000000.piece");
    let mut bytes = fs::read(&piece).unwrap();
    bytes[100] ^= 1;
    fs::write(&piece, bytes).unwrap();
    site.run("store verify --identity bank.id bank.store").fails("000000.piece: damaged");
    site.run("store ls --identity bank.id bank.id").fails("no store, and none in it");
    site.run("store ls --identity telecom.id bank.store").fails("not of telecom");
    let gone = site.run("store rm --identity bank.id bank.store").ok().stdout;
    assert!(gone.contains("removed, 4 files") && gone.contains("not overwritten"), "{gone}");
    assert!(!site.has("bank.store"));
    let gone = site.run("store rm telecom.store --json").ok().stdout;
    assert_eq!(serde_json::from_str::<Value>(gone.trim_end()).unwrap()["files"], 3);
    site.run("store rm telecom.store").fails("telecom.store");
    site.run("store rm bank.id").fails("bank.id: no store");
}

#[test]
fn an_old_store_copied_back_is_refused() {
    let site = site();
    prepare(&site, "200", "").into_iter().for_each(|done| drop(done.ok()));
    let copy = |from: &str, to: &str| {
        fs::create_dir(site.path(to)).unwrap();
        for entry in fs::read_dir(site.path(from)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), site.path(to).join(entry.file_name())).unwrap();
        }
    };
    copy("bank.store", "backup");
    run(&site, "").into_iter().for_each(|done| drop(done.ok()));
    fs::remove_dir_all(site.path("bank.store")).unwrap();
    copy("backup", "bank.store");
    let [p0, _] = apply("");
    let done = site.run(&format!("{p0} --listen 127.0.0.1:0"));
    done.fails("restored from a backup or copied");
    assert!(done.stderr.contains("hushtable store rm"), "{done:?}");
    let gone = site.run("store rm --identity bank.id bank.store").ok().stdout;
    assert!(gone.contains("the mark in the identity's folder stays"), "{gone}");
}

/// Kills one of the two processes, or both, at a random moment, `CRASH_RUNS` times.
#[test]
fn killed_processes_leave_stores_that_can_be_used() {
    let runs: u64 = env::var("CRASH_RUNS").map_or(24, |runs| runs.parse().expect("a number"));
    let site = site();
    let planned = runs * 60 + 300;
    prepare(&site, &planned.to_string(), "").into_iter().for_each(|done| drop(done.ok()));
    let [p0, p1] = apply("--threads 2 --wait 2");
    let whole = run(&site, "--threads 2").map(|done| done.ok().time)[1];
    let (mut seed, start) = (1u64, Instant::now());
    for run in 0..runs {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut first = site.listen(&p0);
        let mut second = site.start(&format!("{p1} --connect {}", first.address));
        thread::sleep(whole.mul_f64((seed >> 33) as f64 / f64::from(1u32 << 31) * 1.2));
        if run % 3 != 1 {
            first.kill();
        }
        if run % 3 != 0 {
            second.child.kill().unwrap();
        }
        first.finish();
        second.finish();
        assert_eq!(shown(&site, "verify")["missing"], 0, "run {run}");
    }
    let before = shown(&site, "ls")["left"].as_u64().unwrap();
    assert!(before < planned - 60, "some runs came as far as spending");
    for done in run(&site, "--no-offline").map(Done::ok) {
        assert!(done.stderr.contains("60 of 60 lookups came from the store"), "{done:?}");
    }
    check(&site);
    println!(
        r#"{{"kind":"crash","what":"apply","kills":{runs},"lookups":{},"seconds":{:.1}}}"#,
        planned - before,
        start.elapsed().as_secs_f64()
    );
}

/// Runs both sides of `prepare` and then of `work`, with numbers of both parties; what each of them said.
fn prepared(site: &Site, what: &str, work: &str) -> [Done; 2] {
    let make = |name| format!("prepare {what} --store {name}.store --identity {name}.id");
    site.both(&make("bank"), &make("telecom")).into_iter().for_each(|done| drop(done.ok()));
    spend(site, work, "")
}

fn spend(site: &Site, work: &str, more: &str) -> [Done; 2] {
    let [p0, p1] = spending(work, more);
    site.both(&p0, &p1)
}

/// The command lines of `work` with all of its material from the stores.
fn spending(work: &str, more: &str) -> [String; 2] {
    [("bank", "a"), ("telecom", "b")].map(|(name, file)| {
        let output = format!("--output {file}.out.csv --force --no-offline");
        format!("{work} {output} --store {name}.store --identity {name}.id {more}").replace("FILE", file)
    })
}

/// What is prepared for one function is spent by it, and then by another of the same shape.
#[test]
fn a_store_serves_functions_of_its_shape() {
    let site = site();
    let input = "--input FILE.csv --column score --output-fraction-bits 12 --bits 32";
    let tanh = format!("apply tanh --reveal both --domain 0:16 --method table --outside clamp {input}");
    let made = "sigmoid --domain -8:8 --method table --outside clamp --bits 32 --output-fraction-bits 12";
    for done in prepared(&site, &format!("{made} --items 200"), &tanh).map(Done::ok) {
        assert!(done.stderr.contains("60 of 60 items came from the store; 140 are left"), "{done:?}");
    }
    let sum = |i: usize| (i * 3 % (TABLE / 2) + i * 5 % (TABLE / 2)) as f64;
    let near = |f: &dyn Fn(f64) -> f64| {
        let (_, rows) = results(&site.read("a.out.csv"));
        assert_eq!(rows.len(), ROWS);
        let off = |(i, (_, got)): (usize, &(String, f64))| (got - f(sum(i))).abs();
        assert!(rows.iter().enumerate().map(off).all(|off| off < 1.0 / 4096.0));
    };
    near(&|x| x.tanh());
    // By default numbers are saturated, which takes the same; a spline does not.
    let sigmoid = format!("apply sigmoid --reveal both --domain -8:8 --method table {input}");
    spend(&site, &sigmoid, "--threads 2").into_iter().for_each(|done| drop(done.ok()));
    near(&|x| if x < 8.0 { 1.0 / (1.0 + (-x).exp()) } else { 1.0 });
    let spline = format!("apply sigmoid --reveal both --domain -8:8 --method spline:2:16 {input}");
    let done = site.run(&spending(&spline, "--listen 127.0.0.1:0")[0]);
    done.fails("it holds material for functions by table of 4096 entries, in 32 bits (shape ");
    assert!(done.stderr.contains("not for functions by spline"), "{done:?}");
    let listed = site.run("store ls --identity bank.id bank.store").ok().stdout;
    assert!(
        listed.contains("80 of 200 items left\n  functions by table of 4096 entries, in 32 bits"),
        "{listed}"
    );
    let shown = shown(&site, "verify");
    assert_eq!(
        (&shown["left"], &shown["missing"], &shown["protocol"]),
        (&80.into(), &0.into(), &Value::Null)
    );
    // A table is looked up, whatever the store holds.
    let [p0, _] = apply("--listen 127.0.0.1:0");
    site.run(&p0).fails("not for lookups by");
}

#[test]
fn comparisons_and_scores_come_from_stores() {
    let site = site();
    let least = "apply ge --column score --constant 7 --input FILE.csv";
    for done in prepared(&site, "lt --items 60", least).map(Done::ok) {
        assert!(done.stderr.contains("60 of 60 items came from the store; 0 are left"), "{done:?}");
    }
    let (_, rows) = results(&site.read("b.out.csv"));
    for (i, (_, got)) in rows.iter().enumerate() {
        let sum = i * 3 % (TABLE / 2) + i * 5 % (TABLE / 2);
        assert_eq!(*got, f64::from(sum >= 7), "row {i}");
    }
    site.run("store rm --identity bank.id bank.store").ok();
    site.run("store rm --identity telecom.id telecom.store").ok();
    site.write("a.toml", "intercept = -3.5\n[weights]\nscore = 0.5\n");
    site.write("b.toml", "[weights]\nscore = 0.5\n");
    let score = "score --features FILE.csv --weights FILE.toml";
    for done in
        prepared(&site, "score --threshold 0.1 --items 60", &format!("{score} --threshold 0.5")).map(Done::ok)
    {
        assert!(done.stderr.contains("60 of 60 items came from the store"), "{done:?}");
    }
    let (_, rows) = results(&site.read("a.out.csv"));
    for (i, (_, got)) in rows.iter().enumerate() {
        let sum = i * 3 % (TABLE / 2) + i * 5 % (TABLE / 2);
        assert_eq!(*got, f64::from(sum >= 7), "row {i}");
    }
    let bands = &spending(&format!("{score} --bands 0.2,0.5"), "--listen 127.0.0.1:0")[0];
    site.run(bands).fails("it holds material for comparisons with a cut, of numbers of 40 bits (shape ");
}
