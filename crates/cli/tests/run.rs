//! Jobs from files that both parties hold and approve.

use std::{fs, path::PathBuf};

use crate::common::{Done, Site, results, sigmoid};
use serde_json::Value;
use sha2::{Digest, Sha256};

const JOB: &str = "\
hushtable-job = 1
[parties]
listens = \"bank\"
connects = \"telecom\"
[[step]]
operation = \"ge\"
x = { bank = \"income\" }
y = { telecom = \"bills\" }
reveal = \"bank\"
";

/// Two parties with a column each, and one file.
fn site() -> Site {
    let site = Site::new();
    site.write("bank.csv", "id,income\na,5\nb,-2\nc,7\n");
    site.write("telecom.csv", "id,bills\na,5\nb,3\nc,6.5\n");
    site.write("job.toml", JOB);
    site
}

fn hash(site: &Site, name: &str) -> String {
    Sha256::digest(site.read(name)).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A party's command for a job that it approved.
fn approved(site: &Site, job: &str, party: &str, more: &str) -> String {
    let digits = &hash(site, job)[..32];
    format!("run {job} --input {party}.csv --identity {party}.id --approve {digits} {more}")
}

/// Runs a job at both parties.
fn both(site: &Site, job: &str, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&approved(site, job, "bank", p0), &approved(site, job, "telecom", p1))
}

#[test]
fn a_job_runs_as_it_is_written() {
    let site = site();
    let [p0, p1] = both(&site, "job.toml", "--output out.csv --record bank.json", "").map(Done::ok);
    assert_eq!(site.read("out.csv"), "id,ge\na,1\nb,0\nc,1\n");
    assert!(p1.stderr.contains("the results go to the peer"));
    for done in [p0, p1] {
        assert!(done.stderr.contains(&hash(&site, "job.toml")), "{done:?}");
        assert!(done.stderr.contains("hushtable run, before anything is sent"), "{done:?}");
    }
    let record: Value = serde_json::from_str(&site.read("bank.json")).unwrap();
    assert_eq!((&record["command"], &record["rows"]), (&"run".into(), &3.into()));
    assert_eq!(record["job_file"], hash(&site, "job.toml"));
    assert_eq!(record["inputs"].as_array().unwrap().len(), 2, "{record}");
}

#[test]
fn files_that_differ_end_both() {
    let site = site();
    site.write("other.toml", &format!("{JOB}# a comment\n"));
    let done = site.both(
        &approved(&site, "job.toml", "bank", "--output out.csv"),
        &approved(&site, "other.toml", "telecom", ""),
    );
    done.iter().for_each(|done| done.fails_with(5, "disagree on job file"));
    let flags = "apply ge --against bills --input telecom.csv --reveal peer --identity telecom.id";
    let done = site.both(&approved(&site, "job.toml", "bank", "--output out.csv"), flags);
    done.iter().for_each(|done| done.fails_with(5, "disagree on job file"));
    assert!(!site.has("out.csv"));
}

#[test]
fn nothing_runs_that_was_not_approved() {
    let site = site();
    let run = "run job.toml --input bank.csv --output out.csv --identity bank.id --listen 127.0.0.1:0";
    let hash = hash(&site, "job.toml");
    site.run(run).fails_with(2, &hash);
    let digits = "0123456789abcdef".repeat(2);
    let wrong = format!("{run} --approve {digits}");
    site.run(&wrong).fails_with(2, &format!("has the hash {hash}; what was approved begins with {digits}"));
    // All digits that are asked for count, and no fewer are taken: 128 bits, so that nobody makes two files alike.
    let last = if hash.as_bytes()[31] == b'0' { '1' } else { '0' };
    site.run(&format!("{run} --approve {}{last}", &hash[..31]))
        .fails_with(2, "what was approved begins with");
    for few in [15, 16, 31] {
        site.run(&format!("{run} --approve {}", &hash[..few])).fails_with(2, "32 to 64 hexadecimal digits");
    }
    for done in [site.run(run), site.run(&wrong)] {
        assert!(done.stderr.contains("Who learns what") && !done.stderr.contains("listening on"), "{done:?}");
    }
    let upper = hash.to_uppercase();
    let telecom = approved(&site, "job.toml", "telecom", "");
    let p0 = run.replace(" --listen 127.0.0.1:0", &format!(" --approve {upper}"));
    let _ = site.both(&p0, &telecom).map(Done::ok);
}

/// What a file says is shown as it is: nothing in it turns the direction of writing, hides, or begins a line.
#[test]
fn nothing_in_a_file_hides() {
    let site = site();
    let (about, column) = ("x \\u202Eseon\\u202C \\u200B", "in\\u2066come\\u2069");
    let text = format!("about = \"{about}\"\n{}", JOB.replace("\"income\"", &format!("\"{column}\"")));
    let text = text.replacen("hushtable-job = 1", "", 1);
    site.write("job.toml", &format!("hushtable-job = 1\n{text}"));
    let hash = hash(&site, "job.toml");
    let run = format!(
        "run job.toml --input bank.csv --identity bank.id --approve {hash} --listen 127.0.0.1:0 --dry-run"
    );
    site.write("bank.csv", "id,\u{202e}emocni,a\u{2066}b\na,5,1\n");
    for done in [site.run("run --check job.toml").ok(), site.run(&run)] {
        let shown = done.stdout + &done.stderr;
        assert!(shown.contains("\\u{202e}") || shown.contains("\\u{2066}"), "{shown}");
        let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
        assert!(!shown.contains(hidden), "{shown:?}");
    }
}

#[test]
fn a_file_is_shown_without_a_connection() {
    let site = site();
    let shown = site.run("run --check job.toml").ok().stdout;
    let wanted = [
        &format!("hash     {}", hash(&site, "job.toml")),
        "bank listens, telecom connects",
        "by ids: column id of bank, id of telecom",
        "ge: ge, x = income of bank, y = bills of telecom; bank alone gets it",
    ];
    wanted.iter().for_each(|wanted| assert!(shown.contains(*wanted), "{wanted}: {shown}"));
    let dry = "run job.toml --input bank.csv --dry-run --listen 127.0.0.1:0 --identity bank.id";
    let dry = site.run(dry).ok();
    assert!(
        dry.stdout.ends_with(&shown) && dry.stdout.contains("for each row 1 if x >= y, else 0"),
        "{dry:?}"
    );
    assert!(!dry.stderr.contains("listening on"), "{dry:?}");
}

/// What is changed in the file, to what, and the complaint.
const COMPLAINTS: [(&str, &str, &str); 21] = [
    ("hushtable-job = 1", "", "\"hushtable-job\" is missing"),
    ("hushtable-job = 1", "hushtable-job = 2", "line 1: version 2; this program reads version 1"),
    (
        "hushtable-job = 1",
        "hushtable-job = 1\nabuot = \"x\"",
        "line 2: \"abuot\" is not known here; a job file has: hushtable-job, about,",
    ),
    ("connects", "connect", "line 4: \"connect\" is not known here; parties has: listens, connects"),
    ("\"telecom\"\n", "\"bank\"\n", "both have the same name"),
    ("\"telecom\"\n", "\"none\"\n", "line 4: connects: no party can be called \"none\""),
    ("\"telecom\"\n", "\"Both\"\n", "line 4: connects: no party can be called \"Both\""),
    (
        "reveal = \"bank\"",
        "reveal = \"shop\"",
        "line 9: reveal: \"shop\" is not one of: bank, telecom, both, none",
    ),
    ("reveal = \"bank\"", "", "line 5: \"reveal\" is missing"),
    (
        "reveal",
        "bit = 32\nreveal",
        "line 9: \"bit\" is not known here; such a step has: name, operation, reveal, x, y, bits,",
    ),
    ("reveal", "bits = 99\nreveal", "line 9: invalid value '99' for '--bits <BITS>': 99 is not in 8..=64"),
    (
        "reveal",
        "outside = \"far\"\nreveal",
        "line 9: invalid value 'far' for '--outside <WHAT>' [possible values: saturate,",
    ),
    ("\"ge\"", "\"gte\"", "line 6: operation: \"gte\" is not one of: sigmoid,"),
    (
        "{ bank = \"income\" }",
        "{ shop = \"income\" }",
        "line 7: \"shop\" is not known here; x has: bank, telecom",
    ),
    ("{ bank = \"income\" }", "\"first\"", "line 7: x: \"first\" is not an earlier step: there is none"),
    ("{ bank = \"income\" }", "3", "line 7: x: a public number can be y only"),
    ("y = { telecom = \"bills\" }\n", "", "line 5: ge: y = ... says what x is compared with"),
    ("\"ge\"", "\"tanh\"", "line 8: tanh has no y"),
    ("[[step]]", "[options]\nthreads = 65\n[[step]]", "line 6: invalid value '65' for '--threads <N>'"),
    (
        "[[step]]",
        "[options]\nthread = 2\n[[step]]",
        "line 6: \"thread\" is not known here; options has: find-difference,",
    ),
    ("income", "wage", "bank.csv: no column \"wage\""),
];

#[test]
fn complaints_name_the_line_and_what_is_accepted() {
    let site = site();
    for (from, to, want) in COMPLAINTS {
        assert!(JOB.contains(from), "{from}");
        site.write("job.toml", &JOB.replacen(from, to, 1));
        let done = site.run(&approved(&site, "job.toml", "bank", "--output out.csv --connect 127.0.0.1:9"));
        let listens = site.run(&approved(&site, "job.toml", "bank", "--output out.csv --listen 127.0.0.1:0"));
        assert!(done.is_reported(), "{done:?}");
        listens.fails_with(3, want);
    }
}

#[test]
fn each_party_is_one_of_the_file() {
    let site = site();
    let run = approved(&site, "job.toml", "bank", "--output out.csv");
    site.run(&format!("{run} --connect 127.0.0.1:9"))
        .fails_with(2, "bank listens and telecom connects; this is bank");
    site.run("identity new --name shop --out shop.id").ok();
    let shop = run.replace("bank.id", "shop.id");
    site.run(&format!("{shop} --listen 127.0.0.1:0")).fails_with(2, "this is shop: --as NAME");
    site.run(&format!("{shop} --listen 127.0.0.1:0 --as bank")).fails_with(3, "telecom");
    // The peer of the job is the one that the file names, whoever else is trusted.
    site.trust("bank", "shop");
    let _ = site.both(&run, &approved(&site, "job.toml", "telecom", "")).map(Done::ok);
    // A setting that was meant for other jobs does not let in somebody else.
    let refused = "the job is for telecom, and --peer lets in shop: this party trusts both";
    site.run(&format!("{run} --listen 127.0.0.1:0 --peer shop --force --wait 1")).fails_with(2, refused);
    site.write("hushtable.toml", "peer = \"shop\"\n");
    let done = site.run(&format!("{run} --listen 127.0.0.1:0 --force --wait 1"));
    done.fails_with(2, refused);
    assert!(done.stderr.contains("hushtable.toml in this folder says --peer shop\n"), "{done:?}");
}

/// Runs the files in `examples/jobs` with the data beside them.
fn examples() -> Site {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let site = Site::new();
    for name in ["bank.csv", "telecom.csv", "bank.toml", "telecom.toml"] {
        site.write(name, &fs::read_to_string(folder.join("data/scoring").join(name)).unwrap());
    }
    let mut ran = Vec::new();
    for entry in fs::read_dir(folder.join("jobs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Those of joins have other files.
        if !name.ends_with(".toml") || ["join.toml", "stats.toml"].contains(&name.as_str()) {
            continue;
        }
        site.write("job.toml", &fs::read_to_string(&path).unwrap());
        let of = |party: &str| format!("--weights {party}.toml --output {name}.{party}.csv");
        let _ = both(&site, "job.toml", &of("bank"), &of("telecom")).map(Done::ok);
        ran.push(name);
    }
    ran.sort();
    assert_eq!(ran, ["apply.toml", "compare.toml", "decide.toml", "score.toml"]);
    site
}

#[test]
fn the_examples_run() {
    let site = examples();
    let column = |file: &str, name: &str| -> Vec<f64> {
        let text = site.read(file);
        let at = text.lines().next().unwrap().split(',').position(|column| column == name);
        let at = at.unwrap_or_else(|| panic!("no {name} in {file}"));
        text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let pairs =
        |bank: &str, telecom: &str| column("bank.csv", bank).into_iter().zip(column("telecom.csv", telecom));
    let probability = column("apply.toml.bank.csv", "probability");
    assert_eq!(probability, column("apply.toml.telecom.csv", "probability"));
    for ((a, b), got) in pairs("score", "score").zip(&probability) {
        assert!((got - sigmoid(a + b)).abs() < 1e-3, "{a} + {b}: {got}");
    }
    let later: Vec<f64> =
        pairs("late_instalments", "late_bills").map(|(a, b)| f64::from(u8::from(a >= b))).collect();
    assert_eq!(column("compare.toml.bank.csv", "later_here"), later);
    assert!(!site.has("compare.toml.telecom.csv") && !site.has("score.toml.telecom.csv"));
    let (surely, hardly) =
        (column("decide.toml.bank.csv", "surely"), column("decide.toml.telecom.csv", "hardly"));
    let mut right = 0;
    for ((probability, surely), hardly) in probability.iter().zip(surely).zip(hardly) {
        // Not where rounding decides.
        if [0.8, 0.3].iter().all(|t| (probability - t).abs() > 1e-2) {
            assert_eq!(
                (surely == 1.0, hardly == 1.0),
                (*probability > 0.8, *probability < 0.3),
                "{probability}"
            );
            right += 1;
        }
    }
    assert!(right > 800, "{right}");
    assert_eq!(column("score.toml.bank.csv", "repays").len(), 1000);
}

const STEPS: &str = "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n[options]\nthreads = 2\n\
    [[step]]\nname = \"most\"\noperation = \"max\"\nx = { bank = \"u\", telecom = \"u\" }\ny = { telecom = \"v\" }\n\
    reveal = \"telecom\"\n\
    [[step]]\nname = \"least\"\noperation = \"min\"\nx = \"most\"\ny = { bank = \"v\" }\nreveal = \"none\"\n\
    [[step]]\nname = \"same\"\noperation = \"eq\"\nx = \"most\"\ny = \"least\"\nreveal = \"both\"\n";

/// What goes on stays shared also if somebody gets it besides; a step takes results of two others; lanes.
#[test]
fn steps_go_on_with_results() {
    let site = site();
    let rows = 40;
    let number = |i: i32, k: i32| f64::from((i * k) % 17 - 8);
    let file = |ks: [i32; 2]| {
        let line = |i| format!("c{i},{},{}\n", number(i, ks[0]), number(i, ks[1]));
        format!("id,u,v\n{}", (0..rows).map(line).collect::<String>())
    };
    site.write("bank.csv", &file([3, 5]));
    site.write("telecom.csv", &file([7, 11]));
    site.write("steps.toml", STEPS);
    let [p0, p1] =
        both(&site, "steps.toml", "--output p0.csv --json", "--output p1.csv --json").map(Done::ok);
    for done in [&p0, &p1] {
        let reports: Vec<Value> =
            done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<_> = reports.iter().map(|report| report["function"].as_str().unwrap()).collect();
        assert_eq!(names, ["most", "least", "same"]);
        assert!(reports.iter().all(|report| report["threads"] == 2), "{done:?}");
        assert!(done.stderr.contains("x is the result most of step 1, which stays shared"), "{done:?}");
    }
    let mut expected = ["id,same\n".to_owned(), "id,most,same\n".to_owned()];
    for i in 0..rows {
        let most = (number(i, 3) + number(i, 7)).max(number(i, 11));
        let same = u8::from(most == most.min(number(i, 5)));
        expected[0] += &format!("c{i},{same}\n");
        expected[1] += &format!("c{i},{most},{same}\n");
    }
    assert_eq!([site.read("p0.csv"), site.read("p1.csv")], expected);
    assert_eq!(results(&site.read("p0.csv")).1.len(), rows as usize);
}

#[test]
fn steps_that_lead_nowhere_are_refused() {
    let site = site();
    for (from, to, want) in [
        ("\"same\"", "\"most\"", "two steps are called \"most\""),
        (
            "x = \"most\"\ny = \"least\"",
            "x = \"most\"\ny = 1",
            "nobody gets the result \"least\", and no step",
        ),
        ("x = \"most\"\ny = { bank", "x = \"same\"\ny = { bank", "x: \"same\" is not an earlier step: most"),
    ] {
        site.write("wrong.toml", &STEPS.replacen(from, to, 1));
        site.run("run --check wrong.toml").fails_with(3, want);
    }
}

/// Steps that use the same results say their format together; where they disagree nothing begins.
#[test]
fn later_steps_say_the_format_together() {
    let site = site();
    let job = |first: &str, second: &str| {
        format!(
            "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n\
             [[step]]\nname = \"s\"\noperation = \"sigmoid\"\nx = {{ bank = \"income\", telecom = \"bills\" }}\ndomain = \"-8:8\"\nreveal = \"none\"\n\
             [[step]]\nname = \"a\"\noperation = \"tanh\"\nx = \"s\"\nreveal = \"both\"\n{first}\n\
             [[step]]\nname = \"b\"\noperation = \"exp\"\nx = \"s\"\nreveal = \"both\"\n{second}\n"
        )
    };
    let explain = |first: &str, second: &str| {
        site.write("job.toml", &job(first, second));
        site.run(
            "explain run job.toml --input bank.csv --identity bank.id --output o.csv --listen 127.0.0.1:0",
        )
    };
    explain("bits = 48", "fraction-bits = 10").ok();
    explain("bits = 48\nfraction-bits = 10", "fraction-bits = 10").ok();
    explain("fraction-bits = 12", "fraction-bits = 10").fails_with(
        3,
        "job.toml: steps \"a\" and \"b\" want results of \"s\" with fraction-bits = 12 and 10; accepted: the same in both",
    );
}
