//! Records that both parties signed, and those that are not.

use crate::common::{Done, Site};
use serde_json::Value;

const BANK: &str = "apply ge --input bank.csv --column income --identity bank.id --output out.csv --force";
const TELECOM: &str =
    "apply ge --input telecom.csv --against bills --identity telecom.id --output peer.csv --force";

fn site() -> Site {
    let site = Site::new();
    site.write("bank.csv", "id,income\na,5\nb,-2\nc,7\n");
    site.write("telecom.csv", "id,bills\na,5\nb,3\nc,6.5\n");
    site
}

fn record(site: &Site, name: &str) -> Value {
    serde_json::from_str(&site.read(name)).unwrap()
}

/// After a job with two records that are signed.
fn signed() -> Site {
    let site = site();
    let done = site.both(
        &format!("{BANK} --record bank.json --sign --threads 2"),
        &format!("{TELECOM} --record telecom.json --sign"),
    );
    let _ = done.map(Done::ok);
    site
}

const CERTIFICATES: &str = "--certificate telecom.id/cert.pem --certificate bank.id/cert.pem";

#[test]
fn both_sign_the_same() {
    let site = signed();
    let [bank, telecom] = ["bank.json", "telecom.json"].map(|name| record(&site, name));
    assert_eq!((bank["outcome"].clone(), &bank["unsigned"]), ("done".into(), &Value::Null));
    assert_eq!(bank["signed"], telecom["signed"]);
    let statement = bank["signed"]["statement"].as_array().unwrap();
    for said in [
        ["P0", &site.fingerprint("bank")],
        ["P1", &site.fingerprint("telecom")],
        ["session", bank["session"].as_str().unwrap()],
        ["number of rows", "3"],
        ["function", "ge"],
        ["job file", "none"],
        ["reveal", "both"],
    ] {
        assert!(statement.contains(&said.to_vec().into()), "{said:?} in {statement:?}");
    }
    // No hash by which readers could test guesses of ids.
    assert!(statement.iter().all(|said| !said[0].as_str().unwrap().starts_with("ids")), "{statement:?}");

    let verify = "record verify bank.json";
    let said = site.run(&format!("{verify} {CERTIFICATES}")).ok().stdout;
    assert!(said.starts_with("both signatures are right; what was signed:\n"), "{said}");
    for fragment in [format!("bank ({})", site.fingerprint("bank")), "number of rows".into(), "ge".into()] {
        assert!(said.contains(&fragment), "{fragment}: {said}");
    }
    for of in ["--identity bank.id", "--identity telecom.id"] {
        assert_eq!(site.run(&format!("{verify} {of}")).ok().stdout, said);
    }
    site.run(&format!("{verify} --certificate bank.id/cert.pem"))
        .fails_with(3, "the signature of P1: no certificate");
    site.run("identity new --name shop --out shop.id").ok();
    site.run(&format!("{verify} --identity shop.id")).fails_with(3, "the signature of P0: no certificate");
}

#[test]
fn what_was_changed_is_not_signed() {
    let site = signed();
    let (text, record) = (site.read("bank.json"), record(&site, "bank.json"));
    let first = record["signed"]["signatures"][0].as_str().unwrap();
    let wrong = if first.ends_with('0') { "1" } else { "0" };
    let forged = format!("{}{wrong}", &first[..first.len() - 1]);
    for (from, to, want) in [
        (
            "\"number of rows\",\n        \"3\"",
            "\"number of rows\",\n        \"4\"",
            "it is not of this statement",
        ),
        (first, &forged, "the signature of P0: it is not of this statement"),
        (first, "zz", "a signature is no hex"),
        (first, "", "the signature of P0: it is not"),
        ("\"hushtable_record\": 1", "\"hushtable_record\": 9", "format version 9"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        site.write("forged.json", &text.replacen(from, to, 1));
        site.run(&format!("record verify forged.json {CERTIFICATES}")).fails_with(3, want);
    }
    // What is not signed may change.
    site.write("forged.json", &text.replacen("\"exit_code\": 0", "\"exit_code\": 4", 1));
    site.run(&format!("record verify forged.json {CERTIFICATES}")).ok();
}

#[test]
fn one_party_alone_signs_nothing() {
    let site = site();
    let done =
        site.both(&format!("{BANK} --record bank.json --sign"), &format!("{TELECOM} --record telecom.json"));
    let [bank, telecom] = done.map(Done::ok);
    assert!(bank.stderr.contains("the record is not signed: the peer did not ask for it"), "{bank:?}");
    assert!(!telecom.stderr.contains("signed"), "{telecom:?}");
    assert_eq!(record(&site, "bank.json")["unsigned"], "the peer did not ask for it");
    site.run("record verify bank.json --identity bank.id")
        .fails_with(3, "not signed: the peer did not ask for it");
    site.run("record verify telecom.json --identity bank.id")
        .fails_with(3, "not signed: --sign was not asked for");
    site.run("record verify bank.csv --identity bank.id").fails_with(3, "bank.csv: no record");
    site.run(&format!("{BANK} --sign --listen 127.0.0.1:0")).fails("--record <FILE>");
    let plain = BANK.replace("--identity bank.id", "--insecure-plain-tcp");
    site.run(&format!("{plain} --record plain.json --sign --listen 127.0.0.1:0"))
        .fails_with(2, "--sign needs --identity");
}

/// A job file's steps are all in what is signed, under their names.
#[test]
fn steps_are_signed() {
    let site = site();
    let step = "[[step]]\noperation = \"ge\"\nx = { bank = \"income\" }\ny = { telecom = \"bills\" }\nreveal = \"both\"\n";
    let parties = "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n";
    site.write("job.toml", &format!("{parties}{step}{}", step.replace("ge", "eq")));
    let shown = site.run("run --check job.toml").ok().stdout;
    let hash = shown.lines().next().unwrap().trim_start_matches("hash").trim().to_owned();
    let run = |party: &str| {
        format!(
            "run job.toml --input {party}.csv --identity {party}.id --approve {hash} --output {party}.out --record \
             {party}.json --sign"
        )
    };
    let _ = site.both(&run("bank"), &run("telecom")).map(Done::ok);
    let said = site.run("record verify bank.json --identity telecom.id").ok().stdout;
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [&format!("job file {hash}"), "step 1, ge: function ge", "step 2, eq: function eq"] {
        assert!(said.contains(fragment), "{fragment}: {said}");
    }
}
