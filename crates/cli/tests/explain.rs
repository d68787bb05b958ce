//! What is said of a job before anything is sent, and the record of it.

use crate::common::{Site, results};
use serde_json::Value;
use sha2::{Digest, Sha256};

const BANK: &str = "score --features bank.csv --weights bank.toml --identity bank.id";
const TELECOM: &str = "score --features telecom.csv --weights telecom.toml --identity telecom.id";

fn site() -> Site {
    let site = Site::new();
    for (name, column) in [("bank", "income"), ("telecom", "bills")] {
        site.write(&format!("{name}.toml"), &format!("[weights]\n{column} = 0.5\n"));
        let rows: String = (0..40).map(|i| format!("c{i},{}\n", i - 20)).collect();
        site.write(&format!("{name}.csv"), &format!("id,{column}\n{rows}"));
    }
    site
}

/// The text in one line, without the layout.
fn said(site: &Site, args: &str) -> String {
    let done = site.run(args).ok();
    for sign in ["listening", "connecting", "the peer is"] {
        assert!(!done.stderr.contains(sign), "{sign}: {done:?}");
    }
    assert!(done.stdout.lines().all(|line| line.chars().count() <= 120), "{done:?}");
    done.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn has(text: &str, fragments: &[&str]) {
    for fragment in fragments {
        assert!(text.contains(fragment), "{fragment:?} in {text}");
    }
}

#[test]
fn a_dry_run_says_who_learns_what() {
    let site = site();
    let listen = "--listen 127.0.0.1:0 --threshold 0.8 --reveal me";
    let text = said(&site, &format!("{BANK} --dry-run {listen} --verbose"));
    has(
        &text,
        &[
            "hushtable score, before anything is sent Bank and telecom score 40 rows together, each with its own features and \
             weights. Bank learns the result of each row, and telecom does not. Neither is shown the other's numbers,",
            "this party bank (P0), listens on 127.0.0.1:0",
            &format!("the peer telecom; nobody else is let in fingerprint {}", site.fingerprint("telecom")),
            "score for each of 40 rows, by comparison",
            "this party for each row whether the probability is at least 0.8: one bit. With its own part of the score: \
             whether the other's part is at least 1.3863 minus its own",
            "the peer nothing: it gets no result",
            "a hash of the column; if they differ, each party keeps the other's hash",
            "number of rows 40;",
            "bits 40; fraction bits 16",
            "this party sends about",
            "the peer sends about",
            "messages in turn",
            "chance of failure none: no step depends on luck",
            "time about",
            "over a network like 1000:1ms",
            "money about $",
            "at $0.09 for a GB that is sent and $0.04 for an hour of a core (--price)",
        ],
    );
    assert_eq!(text, said(&site, &format!("explain {BANK} {listen} --verbose")), "explain is the same");
    let short = said(&site, &format!("explain {BANK} {listen}"));
    for hidden in ["fingerprint", "both compare", "messages in turn"] {
        assert!(!short.contains(hidden) && text.contains(hidden), "{hidden}: {short}");
    }
    let peer =
        said(&site, &format!("{TELECOM} --dry-run --connect 127.0.0.1:9 --threshold 0.8 --reveal peer"));
    has(&peer, &["this party nothing: it gets no result", "the peer for each row whether the probability"]);
    let exact = said(&site, &format!("{BANK} --dry-run --listen 127.0.0.1:0 --reveal-exact --reveal both"));
    has(&exact, &["the other's part, which is ln(p / (1 - p)) minus its own"]);
    let bands = said(&site, &format!("{BANK} --dry-run --listen 127.0.0.1:0 --bands 0.2,0.5,0.8"));
    has(
        &bands,
        &["in which of 4 bands", "-1.3863, 0.0000, 1.3863, each minus its own part", "by 3 comparisons"],
    );
    has(
        &exact,
        &[
            "a result lies within",
            "of sigmoid(x); x is the sum of numbers that are rounded to multiples of 0.0000152587890625",
        ],
    );
    let shared = said(&site, &format!("{BANK} --dry-run --listen 127.0.0.1:0 --reveal none"));
    has(&shared, &["a score within 0.000016 of a threshold's may fall on either side"]);
    has(&shared, &["this party nothing: it keeps a share", "the peer nothing: it keeps a share"]);
    let plain = "--listen 127.0.0.1:0 --insecure-plain-tcp";
    let plain = said(&site, &format!("{} --dry-run {plain}", BANK.replace("--identity bank.id", "")));
    has(&plain, &["the peer anybody who gets there", "to the network everything that is sent"]);
}

#[test]
fn a_dry_run_of_apply() {
    let site = site();
    let apply = "apply --input bank.csv --identity bank.id --listen 127.0.0.1:0 --dry-run";
    let sigmoid = said(&site, &format!("{apply} sigmoid --reveal both --column income"));
    has(
        &sigmoid,
        &["sigmoid for each of 40 rows, by spline", "can compute the other party's", "Both learn the result"],
    );
    let ge = said(&site, &format!("{apply} ge --column income --reveal peer --no-ids"));
    has(
        &ge,
        &[
            "the peer for each row 1 if x >= y, else 0",
            "this party nothing",
            "no ids: rows are matched by position",
        ],
    );
    let looked_up = said(
        &site,
        &format!("{apply} sigmoid --reveal both --column income --outside wrap --domain=-64:64 --net lan"),
    );
    has(&looked_up, &["unless the peer asks for another protocol", "time about", "over the network lan"]);
    let asked = said(
        &site,
        &format!("{apply} sigmoid --reveal both --column income --protocol splut --domain=-64:64"),
    );
    has(&asked, &["for each of 40 rows, by splut result the column sigmoid"]);
    assert_eq!(said(&site, &format!("explain {}", apply.replace("--dry-run", "ge --column income"))), {
        said(&site, &format!("{apply} ge --column income"))
    });
}

/// The sentences of a dry run, and its facts.
fn facts(site: &Site, args: &str) -> ([String; 3], Value) {
    let done = site.run(&format!("{args} --json")).ok();
    let all: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    let plain: Vec<String> =
        all["plain"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    let text = said(site, args);
    for sentence in &plain {
        let one_line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&one_line), "{one_line}: {text}");
        assert!(sentence.ends_with('.') && sentence.starts_with(char::is_uppercase), "{sentence}");
    }
    (plain.try_into().expect("three sentences"), all)
}

/// Who computes what with whom, who learns what, and what nobody learns, whatever is asked.
#[test]
fn three_plain_sentences() {
    let site = site();
    let to = "--listen 127.0.0.1:0 --identity bank.id";
    let of = |args: &str| facts(&site, &format!("explain {args} {to}"));
    let input = "--input bank.csv --column income";
    for (reveal, learned) in [
        ("both", "Both learn the result of each row."),
        ("me", "Bank learns the result of each row, and telecom does not."),
        ("peer", "Telecom learns the result of each row, and bank does not."),
        ("none", "Neither learns a result: each keeps a share of it,"),
    ] {
        let ([who, learns, rest], all) = of(&format!("apply sigmoid {input} --reveal {reveal}"));
        assert!(who.starts_with("Bank and telecom compute sigmoid together for each of 40 rows"), "{who}");
        assert!(learns.starts_with(learned), "{learns}");
        assert_eq!(rest.contains("who learns a result can tell"), reveal != "none", "{rest}");
        let facts = &all["facts"];
        assert!(
            facts["seconds"].as_f64().unwrap() > 0.01 && facts["dollars"].as_f64().unwrap() > 0.0,
            "{all}"
        );
        assert_eq!(
            (facts["rounds"].as_array().unwrap().len(), facts["sent_here"].as_array().unwrap().len()),
            (3, 3)
        );
        assert!(all["parts"]["Who"]["the peer"][0].as_str().unwrap().starts_with("telecom;"), "{all}");
    }
    for (reveal, words, learned) in [
        ("none", "Bank and telecom match the rows", "Neither learns which ids match"),
        ("ids", "Bank and telecom find out which ids", "Each learns which of its own ids the other has too."),
        ("count", "Bank and telecom count how many ids", "Both learn that number."),
    ] {
        let ([who, learns, rest], _) = of(&format!("join --input bank.csv --id id --reveal {reveal}"));
        assert!(who.starts_with(words) && who.contains("40 rows"), "{who}");
        assert!(learns.starts_with(learned) && rest.contains("network"), "{learns} {rest}");
    }
    let ([.., rest], _) = facts(
        &site,
        &format!("explain apply ge {input} --reveal me --no-ids --listen 127.0.0.1:0 --insecure-plain-tcp"),
    );
    assert!(rest.contains("anybody on the way can read and change what is sent"), "{rest}");
    site.write("key.hex", "000102030405060708090a0b0c0d0e0f\n");
    let ([who, learns, _], _) = of("aes --key-hex key.hex --mode ctr");
    assert!(who.starts_with("Telecom has its data encrypted by AES under a key that bank keeps."), "{who}");
    assert!(learns.starts_with("Telecom learns the encrypted data"), "{learns}");
    site.write("table.csv", "sku,price\n1,2\n2,3\n");
    let ([who, ..], _) = facts(
        &site,
        "explain serve --table table.csv --key sku --value price --listen 127.0.0.1:0 --identity bank.id",
    );
    assert!(who.starts_with("Bank lets telecom look keys up in its table"), "{who}");
}

/// A name of several words does not pass for words of the sentence.
#[test]
fn a_name_stays_a_name() {
    let site = site();
    site.run("identity new --name alone --out alone.id").ok();
    let certificate = site.path("telecom.id/cert.pem");
    let trust = format!("identity trust --identity alone.id --fingerprint {}", site.fingerprint("telecom"));
    let mut trust = site.command(&trust);
    assert!(trust.arg(certificate).args(["--name", "Klinikum Süd"]).output().unwrap().status.success());
    let apply = "explain apply ge --input bank.csv --column income --listen 127.0.0.1:0 --identity alone.id --reveal me";
    let ([who, learns, _], _) = facts(&site, apply);
    assert!(who.starts_with("Alone and \"Klinikum Süd\" compute ge together"), "{who}");
    assert_eq!(learns, "Alone learns the result of each row, and \"Klinikum Süd\" does not.");
}

/// Dollars at the prices that are said; money is least only where that is asked for, and of two aims one is refused.
#[test]
fn prices_are_said() {
    let site = site();
    let apply = "explain apply ge --input bank.csv --column income --identity bank.id --listen 127.0.0.1:0 --reveal me";
    let dollars =
        |more: &str| facts(&site, &format!("{apply} {more}")).1["facts"]["dollars"].as_f64().unwrap();
    assert_eq!(dollars("--price GB=0,core-hour=0"), 0.0);
    let [one, ten] = ["1", "10"].map(|gigabyte| dollars(&format!("--price GB={gigabyte},core-hour=0")));
    assert!((ten / one - 10.0).abs() < 1e-9, "{one} {ten}");
    site.run(&format!("{apply} --price GB=x")).fails_with(2, "GB=0.09,core-hour=0.04");
    site.run(&format!("{apply} --price GB=1 --optimise bytes"))
        .fails_with(2, "cannot be combined with --optimise");
    site.run(&format!("{apply} --link 10:20 --verbose")).ok();
}

/// What would end the job before it is connected ends the dry run.
#[test]
fn a_dry_run_checks_the_job() {
    let site = site();
    let dry = "--listen 127.0.0.1:0 --dry-run";
    site.run(&format!("{} {dry}", BANK.replace("bank.csv", "gone.csv"))).fails_with(3, "gone.csv");
    site.run(&format!("{BANK} {dry} --output bank.csv --force")).fails_with(2, "is the input file");
    site.run(&format!("{BANK} {dry} --output gone/out.csv")).fails_with(6, "cannot write in gone");
    site.run(&format!("{BANK} {dry} --record record.json")).fails_with(2, "--record is for a job that runs");
    site.run(&format!("{BANK} {dry} --peer nobody")).fails_with(3, "nobody");
    site.run("identity new --name alone --out alone.id").ok();
    site.run(&format!("{} {dry}", BANK.replace("bank.id", "alone.id"))).fails_with(3, "trusts nobody yet");
    site.run(&format!("{BANK} {dry} --output out.csv")).ok();
    assert!(!site.has("out.csv") && !site.has("record.json"));
    assert!(site.names().iter().all(|name| !name.starts_with('.')), "{:?}", site.names());
}

fn record(site: &Site, name: &str) -> Value {
    #[cfg(unix)]
    assert_eq!(crate::common::mode(&site.path(name)), 0o600);
    serde_json::from_str(&site.read(name)).unwrap()
}

#[test]
fn a_record_says_what_happened() {
    let site = site();
    let asked = "--bands 0.2,0.8 --reveal p0";
    let done = site.both(
        &format!("{BANK} {asked} --output out.csv --record bank.json"),
        &format!("{TELECOM} {asked} --record telecom.json"),
    );
    let _ = done.map(crate::common::Done::ok);
    assert_eq!(results(&site.read("out.csv")).1.len(), 40);
    let records = [("bank", "telecom"), ("telecom", "bank")].map(|(own, peer)| {
        let record = record(&site, &format!("{own}.json"));
        assert_eq!(record["hushtable_record"], 2);
        assert_eq!(record["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!((&record["command"], &record["outcome"]), (&"score".into(), &"done".into()));
        assert_eq!((&record["exit_code"], &record["error"]), (&0.into(), &Value::Null));
        for (key, name) in [("this_party", own), ("expected_peer", peer), ("peer", peer)] {
            assert_eq!(record[key]["name"], name, "{key}");
            assert_eq!(record[key]["fingerprint"], site.fingerprint(name), "{key}");
        }
        let files = [format!("{own}.csv"), format!("{own}.toml")];
        for (input, file) in record["inputs"].as_array().unwrap().iter().zip(&files) {
            let hash: String = Sha256::digest(site.read(file)).iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!((&input["file"], &input["sha256"]), (&file.as_str().into(), &hash.into()));
            assert_eq!(input["bytes"], site.read(file).len());
        }
        assert_eq!(record["inputs"].as_array().unwrap().len(), 2);
        assert_eq!((&record["rows"], &record["column"]), (&40.into(), &"band".into()));
        let asked = ["what is asked", "how many of 0.2, 0.8 the probability reaches"];
        assert!(record["parameters"].as_array().unwrap().contains(&asked.to_vec().into()), "{record}");
        for time in ["began", "ended"] {
            let text = record[time].as_str().unwrap();
            assert!(text.len() == 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T', "{text}");
        }
        record
    });
    let [bank, telecom] = &records;
    assert_eq!((&bank["role"], &telecom["role"]), (&"P0".into(), &"P1".into()));
    assert!(bank["session"].as_str().unwrap().len() == 64 && bank["session"] == telecom["session"]);
    assert_eq!((&bank["output"], &telecom["output"]), (&"out.csv".into(), &Value::Null));
    assert_eq!(bank["online"]["bytes"], telecom["online"]["bytes"]);
    assert!(bank["online"]["rounds"].as_u64().unwrap() > 0);
    // The text is that of the dry run; port 0 stands for a free one.
    let dry = site.run(&format!("explain {BANK} {asked} --listen 127.0.0.1:0 --verbose")).ok().stdout;
    assert_eq!(bank["explained"], dry);
}

#[test]
fn a_record_of_a_job_that_failed() {
    let site = site();
    let done = site.both(
        &format!("{BANK} --output p0.csv --record p0.json"),
        &format!("{TELECOM} --threshold 0.7 --output p1.csv --record p1.json"),
    );
    done.iter().for_each(|done| done.fails_with(5, "what is asked"));
    for name in ["p0.json", "p1.json"] {
        let record = record(&site, name);
        assert_eq!((&record["outcome"], &record["exit_code"]), (&"failed".into(), &5.into()));
        assert!(record["error"].as_str().unwrap().contains("what is asked"), "{record}");
        assert!(record["peer"]["name"].is_string() && record["online"].is_null(), "{record}");
    }
    let nobody = "--connect 127.0.0.1:9 --wait 1 --output out.csv";
    site.run(&format!("{BANK} {nobody} --record alone.json")).fails_with(4, "127.0.0.1:9");
    let alone = record(&site, "alone.json");
    assert_eq!((&alone["exit_code"], &alone["peer"]), (&4.into(), &Value::Null));

    for (options, fragment) in [
        ("--record alone.json", "alone.json: is there already"),
        ("--record bank.csv --force", "bank.csv: is the input file"),
        ("--record out.csv", "--record and --output are the same file"),
    ] {
        site.run(&format!("{BANK} {nobody} {options}")).fails_with(2, fragment);
    }
    assert_eq!(record(&site, "alone.json"), alone);
}

#[test]
fn apply_keeps_a_record_too() {
    let site = site();
    let apply = |name: &str, column: &str| {
        format!(
            "apply sigmoid --reveal both --input {name}.csv --column {column} --identity {name}.id --output {name}.out --record \
             {name}.json"
        )
    };
    let _ = site.both(&apply("bank", "income"), &apply("telecom", "bills")).map(crate::common::Done::ok);
    let bank = record(&site, "bank.json");
    assert_eq!((&bank["command"], &bank["column"]), (&"apply".into(), &"sigmoid".into()));
    assert_eq!((&bank["outcome"], &bank["peer"]["name"]), (&"done".into(), &"telecom".into()));
    assert!(bank["explained"].as_str().unwrap().contains("hushtable apply, before anything is sent"));
}
