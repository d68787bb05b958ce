//! Records that both parties signed, and those that are not.

use std::thread;

use crate::common::{Done, Site};
use hushtable::net::{Identity, Listener, Options, connect};
use hushtable_jobs::{
    hex::{hex, unhex},
    record::claim::Claim,
};
use serde_json::{Value, json};

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
        ["command", "apply"],
        ["job file", "none"],
        ["reveal", "both"],
    ] {
        assert!(statement.contains(&said.to_vec().into()), "{said:?} in {statement:?}");
    }
    // No hash by which readers could test guesses of ids.
    assert!(statement.iter().all(|said| !said[0].as_str().unwrap().starts_with("ids")), "{statement:?}");

    let verify = "record verify bank.json";
    let said = site.run(&format!("{verify} {CERTIFICATES}")).ok().stdout;
    assert!(said.starts_with("both signatures are right; both signed:\n"), "{said}");
    let of_bank = format!("fingerprint {}; its certificate calls itself \"bank\"", site.fingerprint("bank"));
    let read = format!("bank.csv, {} bytes, SHA-256", site.read("bank.csv").len());
    for fragment in [&of_bank, "number of rows", "ge", "P0 alone says", "done, exit code 0", &read] {
        assert!(said.contains(fragment), "{fragment}: {said}");
    }
    for of in ["--identity bank.id", "--identity telecom.id"] {
        let said = site.run(&format!("{verify} {of}")).ok().stdout;
        assert!(said.contains(&format!("bank (fingerprint {})", site.fingerprint("bank"))), "{said}");
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
        ("\"hushtable_record\": 2", "\"hushtable_record\": 9", "format version 9"),
        ("\"hushtable_record\": 2", "\"hushtable_record\": 1", "format version 1"),
        ("\"exit_code\": 0", "\"exit_code\": 4", "what P0 alone says was altered"),
        ("\"outcome\": \"done\"", "\"outcome\": \"failed\"", "what P0 alone says was altered"),
        ("\"rows\": 3", "\"rows\": 4", "what P0 alone says was altered"),
        ("\"file\": \"bank.csv\"", "\"file\": \"bank2.csv\"", "what P0 alone says was altered"),
        ("before anything is sent", "before anything is seen", "what P0 alone says was altered"),
        ("\"own_signature\"", "\"other_signature\"", "does not end with this party's own signature"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        site.write("forged.json", &text.replacen(from, to, 1));
        site.run(&format!("record verify forged.json {CERTIFICATES}")).fails_with(3, want);
    }
    // Any byte of it.
    let seed = 7u64;
    for i in 0..12 {
        let at = (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % text.trim_end().len();
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1 + (i as u8 % 15);
        std::fs::write(site.path("forged.json"), &bytes).unwrap();
        let done = site.run(&format!("record verify forged.json {CERTIFICATES}"));
        assert_ne!(done.code, 0, "byte {at} of seed {seed}: {done:?}");
    }
}

/// Who has a key of its own can sign anything later, but not make it what the peer signed with it at the job.
#[test]
fn nobody_signs_another_job_later() {
    let site = signed();
    let text = site.read("bank.json");
    let bank = Identity::load(&site.path("bank.id")).unwrap();
    let resigned = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        let (open, _) = text.rsplit_once(",\n  \"own_signature\"").unwrap();
        let altered = format!("{}\n}}", open.replacen(from, to, 1));
        let signature = bank.sign_record(altered.as_bytes()).unwrap();
        let digits: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        site.write(
            "forged.json",
            &altered.replace("\n}", &format!(",\n  \"own_signature\": \"{digits}\"\n}}")),
        );
        site.run(&format!("record verify forged.json {CERTIFICATES}"))
    };
    resigned("\"outcome\": \"done\"", "\"outcome\": \"done\"").ok();
    // The outcome follows the signatures of both; all else was committed to.
    resigned("\"ended\": \"2", "\"ended\": \"3").ok();
    let free = "{\"seconds\": 0.0, \"bytes\": [0, 0], \"rounds\": 0}";
    let long =
        format!("\"outcome\": \"failed\",\n  \"exit_code\": 4,\n  \"error\": \"{}\"", "x".repeat(1001));
    // What is said of it goes together, and nothing stands there that nobody looks at.
    for (from, to, want) in [
        ("\"ended\": \"2", "\"ended\": \"1", "was signed in between"),
        ("\"ended\": \"2", "\"ended\": \" 2", "was signed in between"),
        ("\"exit_code\": 0", "\"exit_code\": 4", "outcome \"done\", exit code 4, no error"),
        ("\"exit_code\": 0", "\"exit_code\": 0,\n  \"error\": \"x\"", "exit code 0, an error"),
        ("\"outcome\": \"done\"", "\"outcome\": \"failed\"", "outcome \"failed\", exit code 0"),
        ("\"outcome\": \"done\"", "\"outcome\": \"paid\"", "outcome \"paid\""),
        ("\"salt\": \"", "\"unsigned\": \"P0 pays\",\n  \"salt\": \"", "and why there are none"),
        ("\"rows\": 3", "\"rows\": 3,\n  \"result\": \"P0 agreed to pay\"", "the field \"result\""),
        ("\"bytes\": ", "\"paid\": 1,\n  \"bytes\": ", "unknown field `paid`"),
        ("\"setup\": {", "\"setup\": {\n  \"paid\": 1,", "unknown field `paid`"),
        ("\"setup\": {", &format!("\"setup\": {free},\n  \"setup\": {{"), "duplicate field `setup`"),
        ("\"rounds\": ", "\"rounds\": 0,\n  \"rounds\": ", "duplicate field `rounds`"),
        ("\"setup\": ", "\"job_file\": ", "some of the phases"),
        ("\"outcome\": \"done\",\n  \"exit_code\": 0", &long, "the error has more than 1000 characters"),
    ] {
        resigned(from, to).fails_with(3, want);
    }
    let failed = format!(
        "\"outcome\": \"failed\",\n  \"exit_code\": 4,\n  \"error\": \"x{}both signed:\"",
        " ".repeat(120)
    );
    let said = resigned("\"outcome\": \"done\",\n  \"exit_code\": 0", &failed).ok().stdout;
    assert!(said.contains("failed, exit code 4: x both signed:"), "{said}");
    for (from, to) in [
        ("\"rows\": 3", "\"rows\": 4"),
        ("\"file\": \"bank.csv\"", "\"file\": \"other.csv\""),
        ("\"command\": \"apply\"", "\"command\": \"score\""),
        ("before anything is sent", "before anything is seen"),
        ("\"began\": \"2", "\"began\": \"3"),
        ("\"salt\": \"", "\"salt\": \"00"),
    ] {
        let done = resigned(from, to);
        assert!(done.code == 3, "{from}: {done:?}");
        assert!(
            done.stderr.contains("contradicts what both signed") || done.stderr.contains("the salt"),
            "{done:?}"
        );
    }
    // The peer's own record is not this party's.
    resigned("\"role\": \"P0\"", "\"role\": \"P1\"").fails_with(3, "is not signed by P1");
}

/// What a party committed to at the job may have been a lie from the start.
#[test]
fn to_whom_results_go_is_what_both_signed() {
    let site = signed();
    let [bank, telecom] = ["bank.id", "telecom.id"].map(|name| Identity::load(&site.path(name)).unwrap());
    for (to, fails) in [("both", None), ("P1", Some("reveal is \"P1\", and \"both\" there"))] {
        let mut record = record(&site, "bank.json");
        record.as_object_mut().unwrap().remove("own_signature");
        record["reveal"] = to.into();
        let listener = Listener::bind("127.0.0.1:0", Options::secure(bank.clone())).unwrap();
        let address = listener.local_addr().to_string();
        let statement = serde_json::from_value::<Vec<_>>(record["signed"]["statement"].clone()).unwrap();
        let fields = &statement[7..];
        let signed = thread::scope(|scope| {
            scope.spawn(|| {
                let mut p1 = connect(&address, Options::secure(telecom.clone())).unwrap();
                p1.countersign(&telecom, fields, [0; 32]).unwrap()
            });
            let mut p0 = listener.accept().unwrap();
            record["session"] = hex(&p0.id()).into();
            let claim = serde_json::from_value::<Claim>(record.clone()).unwrap();
            let salt = unhex(record["salt"].as_str().unwrap()).unwrap().try_into().unwrap();
            p0.countersign(&bank, fields, claim.digest(&salt)).unwrap()
        });
        record["signed"] = json!({
            "statement": signed.fields,
            "signatures": signed.signatures.map(|signature| hex(&signature)),
        });
        let text = serde_json::to_string_pretty(&record).unwrap();
        let own = hex(&bank.sign_record(text.as_bytes()).unwrap());
        let (open, _) = text.rsplit_once("\n}").unwrap();
        site.write("lie.json", &format!("{open},\n  \"own_signature\": \"{own}\"\n}}"));
        let done = site.run(&format!("record verify lie.json {CERTIFICATES}"));
        let Some(why) = fails else {
            done.ok();
            continue;
        };
        done.fails_with(3, why);
    }
}

/// The name is the one under which this party pinned the certificate, not the one that its owner chose.
#[test]
fn a_peer_is_called_what_it_is_pinned_as() {
    let site = signed();
    site.run("identity new --name shop --out shop.id").ok();
    for (party, name) in [("telecom", "shady"), ("bank", "moneybags")] {
        let fingerprint = site.fingerprint(party);
        site.run(&format!(
            "identity trust {party}.id/cert.pem --name {name} --fingerprint {fingerprint} --identity shop.id"
        ))
        .ok();
    }
    let said =
        site.run("record verify bank.json --identity shop.id --certificate telecom.id/cert.pem").ok().stdout;
    for (party, name) in [("telecom", "shady"), ("bank", "moneybags")] {
        assert!(said.contains(&format!("{name} (fingerprint {})", site.fingerprint(party))), "{said}");
        assert!(!said.contains(&format!("{party} (")) && !said.contains(&format!("{party:?}")), "{said}");
    }
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

/// A lookup is signed if who serves the table signs, else the record says that it does not.
#[test]
fn a_lookup_is_signed() {
    let site = Site::new();
    site.write("t.csv", "k,v\n1,2\n3,4\n");
    site.write("m.csv", "k\n3\n2\n");
    let asked =
        "lookup --keys m.csv --column k --reveal me --force --output o.csv --copy c --record l.json --sign";
    let serve = "serve --table t.csv --key k --value v --identity bank.id";
    let verify = "record verify l.json --identity telecom.id";
    let look = |how: &str| {
        let server = site.listen(&format!("{serve} {how}"));
        site.run(&format!("{asked} --identity telecom.id --connect {}", server.address)).ok()
    };
    assert!(look("").stderr.contains("the record is not signed: the peer did not ask for it"));
    site.run(verify).fails_with(3, "not signed: the peer did not ask for it");
    assert!(!look("--sign").stderr.contains("not signed"));
    let said = site.run(verify).ok().stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let fingerprint = site.fingerprint("bank");
    for fragment in [
        &format!("P0 bank (fingerprint {fingerprint})"),
        "table t digest of its copy ",
        "keys the client's own results for the client number of rows 2",
    ] {
        assert!(said.contains(fragment), "{fragment}: {said}");
    }
    // Another version cannot be claimed.
    let text = site.read("l.json");
    let digest = said.split("digest of its copy ").nth(1).unwrap().split(' ').next().unwrap();
    site.write("l.json", &text.replace(digest, &digest.replace(|c: char| c.is_ascii_digit(), "a")));
    site.run(verify).fails_with(3, "it is not of this statement");
    site.run(&format!("{asked} --insecure-plain-tcp --connect 127.0.0.1:1"))
        .fails_with(2, "--sign needs --identity");
}
