//! Circuits as other jobs are run: lanes, cost as JSON, stores, files as people have them, records.

use std::fs;

use crate::{
    circuits::circuit,
    common::{Done, Random, Site},
};
use hushtable::circuit::{Circuit, Draft, Kind, Port};
use serde_json::Value;

/// Numbers at both parties, and what comes out.
struct Rows {
    a: Vec<u8>,
    x: Vec<u8>,
    b: Vec<i8>,
}

impl Rows {
    fn new(rng: &mut Random, rows: usize) -> Self {
        let mut drawn = |end| (0..rows).map(|_| rng.below(end)).collect::<Vec<_>>();
        let (a, x, b) = (drawn(256), drawn(2), drawn(256));
        let bytes = |all: Vec<u64>| all.into_iter().map(|one| one as u8).collect::<Vec<_>>();
        Self { a: bytes(a), x: bytes(x), b: b.into_iter().map(|one| one as u8 as i8).collect() }
    }

    fn write(&self, site: &Site) {
        let rows: String = self.a.iter().zip(&self.x).map(|(a, x)| format!("{a},{x}\n")).collect();
        site.write("a.csv", &format!("a,x\n{rows}"));
        let rows: String = self.b.iter().map(|b| format!("{b}\n")).collect();
        site.write("b.csv", &format!("b\n{rows}"));
    }

    /// The lines of CSV that come out.
    fn want(&self) -> String {
        let row = |((a, x), b): ((&u8, &u8), &i8)| {
            let sum = a.wrapping_add(*b as u8) ^ if *x == 1 { 255 } else { 0 };
            format!("{sum},{}\n", u8::from(*a > *b as u8))
        };
        let rows: String = self.a.iter().zip(&self.x).zip(&self.b).map(row).collect();
        format!("sum,more\n{rows}")
    }
}

/// With identities and the circuit.
fn site() -> Site {
    let site = Site::new();
    site.write("adder.hut", &circuit(true).to_string());
    site
}

const P0: &str = "run adder.hut --inputs a.csv --reveal both --output a.out.csv --force --identity bank.id";
const P1: &str =
    "run adder.hut --inputs b.csv --reveal both --output b.out.csv --force --identity telecom.id";

fn prepare(site: &Site, more: &str) -> [Done; 2] {
    for name in ["bank", "telecom"] {
        if site.has(&format!("{name}.store")) {
            site.run(&format!("store rm {name}.store --identity {name}.id")).ok();
        }
    }
    let of = |name: &str| format!("prepare adder.hut {more} --store {name}.store --identity {name}.id");
    site.both(&of("bank"), &of("telecom"))
}

fn work(done: [Done; 2]) {
    done.into_iter().for_each(|done| drop(done.ok()));
}

/// The last line, the cost.
fn cost(done: &Done) -> Value {
    serde_json::from_str(done.stdout.lines().last().expect("a line")).expect("JSON")
}

/// Any engine, rows, lanes, and part of the rows in a store.
#[test]
fn lanes_and_stores_change_no_result() {
    let (site, mut rng) = (site(), Random::new());
    let engines = ["gmw", "gc", "splut", "lut", "lut:rotl", "lut:oplut", "lut:ottt", "gc-ahead", "auto"];
    for engine in engines {
        let (rows, lanes) = (1 + rng.below(60) as usize, 1 + rng.below(5));
        let kept = !["gc-ahead", "lut:oplut", "lut:ottt"].contains(&engine);
        let stored = if kept { 1 + rng.below(80) as usize } else { 0 };
        let numbers = Rows::new(&mut rng, rows);
        numbers.write(&site);
        let engine = if engine == "auto" { String::new() } else { format!("--engine {engine}") };
        let from = |name: &str| match stored {
            0 => String::new(),
            _ => format!("--store {name}.store"),
        };
        if stored > 0 {
            let known = "--known a=p0,b=p1,x=p0";
            work(prepare(&site, &format!("--items {stored} {known} {engine}")));
        }
        let what = format!("{rows} rows, {stored} stored, {lanes} lanes, {engine}");
        // The store says the engine.
        let engine = if stored > 0 { "" } else { &engine };
        let p0 = format!("{P0} {engine} {} --threads {lanes} --json", from("bank"));
        let p1 = format!("{P1} {engine} {} --json", from("telecom"));
        for (done, file) in site.both(&p0, &p1).map(Done::ok).iter().zip(["a.out.csv", "b.out.csv"]) {
            assert_eq!(site.read(file), numbers.want(), "{what}");
            let cost = cost(done);
            assert_eq!(cost["stored"], stored.min(rows), "{what}: {cost}");
            assert_eq!(cost["rows"], rows, "{what}: {cost}");
            assert_eq!(cost["threads"], lanes.min(rows as u64), "{what}: {cost}");
            let nothing = cost["offline"]["bytes"] == serde_json::json!([0, 0]);
            assert!(stored < rows || nothing, "{what}: {cost}");
            let form = circuit(true).forms().iter().find(|form| cost["form"] == form.name()).cloned();
            let form = form.expect("a form of the circuit");
            assert_eq!(
                serde_json::json!([form.ands(), form.lookups(), form.depth()]),
                serde_json::json!([cost["ands"], cost["lookups"], cost["layers"]]),
            );
            assert_eq!((&cost["kind"], &cost["circuit"]), (&"run".into(), &"adder".into()));
        }
    }
}

/// With no file of results these are the first line, and the cost is the last.
#[test]
fn results_come_before_the_cost() {
    let site = site();
    site.write("a.csv", "a,x\n5,0\n");
    site.write("b.csv", "b\n7\n");
    let printed = |args: &str| format!("{} --json", args.replace(" --output a.out.csv --force", ""));
    let [p0, _] = site.both(&printed(P0), P1).map(Done::ok);
    assert_eq!(p0.stdout.lines().next(), Some("{\"sum\": [12], \"more\": [0]}"));
    assert_eq!(p0.stdout.lines().count(), 2);
    assert_eq!(cost(&p0)["role"], "P0");
}

#[test]
fn a_store_serves_what_it_was_made_for() {
    let site = site();
    Rows::new(&mut Random::new(), 20).write(&site);
    let known = "--known a=p0,b=p1,x=p0";
    for done in prepare(&site, &format!("--items 50 {known} --engine lut")).map(Done::ok) {
        let said =
            format!("for circuit adder, {}.., form luts, lookups by", &circuit(true).digest().to_hex()[..8]);
        assert!(done.stderr.contains(&said), "{done:?}");
    }
    let [p0, p1] = [(P0, "bank"), (P1, "telecom")].map(|(args, name)| format!("{args} --store {name}.store"));
    let dry = site.run(&format!("{p0} --listen 127.0.0.1:0 --dry-run")).ok().stdout;
    assert!(dry.contains("the material of 20 of 20 rows is in the store"), "{dry}");
    assert!(dry.contains("form luts, lookups by"), "{dry}");
    for left in [30, 10, 0] {
        for done in site.both(&p0, &p1).map(Done::ok) {
            assert!(done.stderr.contains(&format!("{left} are left")), "{done:?}");
        }
    }
    let alone = |args: &str, code: i32, fragment: &str| {
        site.run(&format!("{args} --listen 127.0.0.1:0 --wait 5")).fails_with(code, fragment);
    };
    alone(&format!("{p0} --no-offline"), 6, "0 items are left in the store, 20 are needed");
    alone(&format!("{p0} --engine gmw"), 6, "it holds material for circuit adder");
    site.write("adder.hut", &circuit(false).to_string());
    alone(&p0, 2, "which no way of evaluating adder takes");
    // One has a store, the other has not.
    site.write("adder.hut", &circuit(true).to_string());
    for done in site.both(&p0, P1) {
        done.fails_with(5, "store");
    }
}

#[test]
fn what_is_prepared_is_asked_for_in_full() {
    let site = site();
    let fails = |args: &str, fragment: &str| {
        let args = format!("prepare {args} --store s.store --identity bank.id --wait 5 --listen 127.0.0.1:0");
        site.run(&args).fails_with(2, fragment);
        assert!(!site.has("s.store"), "{args}");
    };
    fails("adder.hut --items 5", "--known a=WHO,b=WHO,x=WHO is missing");
    fails("adder.hut --items 5 --known a=p0,b=p1", "--known x=WHO is missing");
    fails("adder.hut --items 5 --known a=p0,b=p0,x=p0", "all known to P0");
    let ahead = format!("tables take {} bytes an evaluation", 32 * circuit(true).forms()[0].ands());
    fails("adder.hut --items 5 --known a=p0,b=p1,x=p0 --engine gc-ahead", &ahead);
    fails("adder.hut --items 5 --known a=p0,b=p1,x=p0 --bits 8", "cannot be combined with a circuit");
    fails("adder.hut --items 5 --known a=p0,b=p1,x=p0 --shared", "cannot be combined with a circuit");
    fails("sigmoid --items 5 --known a=p0", "--known is for circuits");
    fails("--lookups 5 --index-bits 4 --engine gmw", "--engine cannot be combined with --lookups");
    fails("addr --items 5", "FILE.hut|lib:NAME");
}

/// AES in lanes, with a part of the blocks in a store.
#[test]
fn aes_spends_what_was_prepared() {
    let site = Site::new();
    let data: Vec<u8> = (0..16 * 9).map(|i| i as u8).collect();
    fs::write(site.path("data.bin"), &data).unwrap();
    site.write("key.hex", "2b7e151628aed2a6abf7158809cf4f3c");
    let counter = "--nonce f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    let p0 = format!("aes --input data.bin --output out.bin --force {counter} --identity bank.id");
    let p1 = "aes --key-hex key.hex --identity telecom.id --json";
    work(site.both(&p0, p1));
    let want = fs::read(site.path("out.bin")).unwrap();
    for engine in ["lut", "gc", "splut"] {
        let of = |name: &str| {
            format!(
                "prepare lib:aes128_expanded --known keys=p1,block=p0 --items 12 --engine {engine} --store {name}.{engine} \
                 --identity {name}.id"
            )
        };
        work(site.both(&of("bank"), &of("telecom")));
        for (lanes, stored) in [(2, 9), (1, 3)] {
            let p0 = format!("{p0} --store bank.{engine} --threads {lanes}");
            let [bank, telecom] = site.both(&p0, &format!("{p1} --store telecom.{engine}")).map(Done::ok);
            assert_eq!(fs::read(site.path("out.bin")).unwrap(), want, "{engine}");
            let cost = cost(&telecom);
            assert_eq!((&cost["stored"], &cost["engine"]), (&stored.into(), &engine.into()), "{cost}");
            assert!(bank.stderr.contains(&format!("{stored} of 9 items came from the store")), "{bank:?}");
        }
    }
    // The other party has the key: its OTs would go the other way.
    let swapped = "aes --key-hex key.hex --identity bank.id --store bank.gc";
    let input = "aes --input data.bin --output x.bin --identity telecom.id --store telecom.gc";
    for done in site.both(swapped, input) {
        done.fails_with(5, "no way of evaluating aes128_expanded takes");
    }
    assert!(!site.has("x.bin"));
}

/// Files as spreadsheets write them.
#[test]
fn files_are_read_as_those_of_other_jobs() {
    let site = site();
    let rows = Rows { a: vec![5, 200, 255, 0], x: vec![0, 1, 0, 1], b: vec![7, -56, 1, 0] };
    rows.write(&site);
    let runs = |text: &[u8], more: &str| {
        fs::write(site.path("a.csv"), text).unwrap();
        work(site.both(&format!("{P0} {more}"), P1));
        assert_eq!(site.read("a.out.csv"), rows.want(), "{more}");
    };
    runs(b"\xef\xbb\xbfx,a\r\n0,5\r\n1,200\r\n0,255\r\n1,0\r\n", "");
    for more in ["--delimiter ;", ""] {
        runs(b"a;x\n5;0\n\n200;1\n\"255\";0\n 0 ; 1 \n", more);
    }
    runs(b"a,x\n0x05,0\n200,1\n255,0\n0x00,1\n", "");
    let fails = |text: &str, fragments: &[&str]| {
        site.write("a.csv", text);
        let done = site.run(&format!("{P0} --listen 127.0.0.1:0 --wait 5"));
        fragments.iter().for_each(|fragment| done.fails_with(3, fragment));
    };
    fails(
        "a;x,y\n5;0,1\n",
        &[
            "a.csv: its first lines can be separated by ',' into 2 columns, or by ';' into 2 columns: --delimiter says",
        ],
    );
    // Of an empty line, and a cell of two, the numbers of lines are those of an editor.
    fails(
        "a,x\n1,0\n\n\"2\n\",1\n3,1\n4,0\n700,2\n5,1\n-1,0\n",
        &[
            "a.csv: 3 bad values",
            "line 8, port a: \"700\" is not a number from 0 to 255",
            "line 8, port x: \"2\" is not ",
            "line 10, port a: \"-1\" is not",
        ],
    );
    fails("a,x\n1,0\n2\n", &["a.csv: line 3: "]);
    fails("a,x\n1,0\n,1\n", &["a.csv: line 3, port a: \"\" is not a number from 0 to 255"]);
    fails("id,a,x\nq,1,0\n", &["\"id\" is no input port of adder; it has a, b, x"]);
    let many: String = (300..350).map(|value| format!("{value},0\n")).collect();
    fails(&format!("a,x\n{many}"), &["50 bad values", "line 21, port a", "and 30 more like these"]);
}

/// Results in a format with types are inputs of another circuit.
#[test]
fn outputs_are_written_and_read_with_types() {
    let site = site();
    let rows = Rows::new(&mut Random::new(), 9);
    rows.write(&site);
    let port = |name: &str, kind| Port::new(name, kind).expect("a port");
    let inputs =
        vec![port("sum", Kind::Unsigned(8)), port("more", Kind::Unsigned(1)), port("y", Kind::Signed(8))];
    let outputs = vec![port("out", Kind::Signed(8)), port("wide", Kind::Bits(65)), port("f", Kind::Float32)];
    let draft = Draft::new(17);
    let wires = draft.inputs();
    let constant = hushtable::circuit::Lit::FALSE;
    let out: Vec<_> = wires[9..].iter().chain(&wires[..8]).copied().collect();
    let out: Vec<_> = out.into_iter().chain([constant; 57]).chain([constant; 32]).collect();
    let next = Circuit::new("next", inputs, outputs, vec![draft.finish("ands", out)]).expect("a circuit");
    site.write("next.hut", &next.to_string());
    let extensions = if cfg!(feature = "arrow") { &["parquet", "arrow"][..] } else { &["parquet"] };
    for extension in extensions {
        let p0 = P0.replace("a.out.csv", &format!("a.{extension}"));
        work(site.both(&p0, P1));
        let y: String = rows.b.iter().map(|b| format!("{b}\n")).collect();
        site.write("y.csv", &format!("y\n{y}"));
        let p0 = format!(
            "run next.hut --inputs a.{extension} --reveal both --output n.{extension} --force --identity bank.id"
        );
        let p1 = "run next.hut --inputs y.csv --reveal both --output n.csv --force --identity telecom.id";
        work(site.both(&p0, p1));
        let want = rows.want();
        let sums = want.lines().skip(1).map(|line| line.split(',').next().unwrap().parse::<u8>().unwrap());
        let of = |(sum, b): (u8, &i8)| format!("{b},{:017x},0\n", sum);
        let want: String = sums.zip(&rows.b).map(of).collect();
        assert_eq!(site.read("n.csv"), format!("out,wide,f\n{want}"));
        assert!(fs::metadata(site.path(&format!("n.{extension}"))).unwrap().len() > 100);
    }
    for name in ["a.xlsx", "a.jsonl", "a.csv.gz"] {
        let p0 = format!("{} --listen 127.0.0.1:0 --wait 5", P0.replace("a.out.csv", name));
        site.run(&p0).fails_with(2, "accepted: .csv, .parquet, .arrow or .feather, or .json");
    }
}

#[test]
fn options_of_jobs_and_of_circuits_are_told_apart() {
    let site = site();
    Rows::new(&mut Random::new(), 2).write(&site);
    site.write("job.toml", "");
    let weights = "--weights w.toml";
    for option in
        ["--as bank", weights, "--peer-at-most 5", "--decimal ,", "--na x", "--leave-out x", "--bad-rows x"]
    {
        let name = option.split(' ').next().unwrap();
        let said = format!("{name} is for job files, and this is a circuit");
        site.run(&format!("{P0} {option} --listen 127.0.0.1:0")).fails_with(2, &said);
    }
    for option in
        ["--inputs a.csv", "--reveal me", "--threads 2", "--store s", "--engine gc", "--optimise rounds"]
    {
        let name = option.split(' ').next().unwrap();
        let said = format!("{name} is for circuits, FILE.hut or lib:NAME, and this is a job file");
        let job = format!("run job.toml {option} --identity bank.id --listen 127.0.0.1:0");
        site.run(&job).fails_with(2, &said);
    }
}

/// Both sign what was computed, and the record has the hashes of the files that were read.
#[test]
fn records_are_signed() {
    let site = site();
    Rows::new(&mut Random::new(), 3).write(&site);
    let [p0, p1] = [(P0, "a"), (P1, "b")].map(|(args, name)| format!("{args} --record {name}.json --sign"));
    work(site.both(&p0, &p1));
    let record: Value = serde_json::from_str(&site.read("a.json")).unwrap();
    assert_eq!(record["inputs"].as_array().map(Vec::len), Some(2), "{record}");
    assert_eq!(record["job"]["rows"].as_u64().or(record["rows"].as_u64()), Some(3), "{record}");
    let verified = site.run("record verify a.json --identity bank.id").ok().stdout;
    for said in ["both signatures are right", &circuit(true).digest().to_hex(), "a of P0, b of P1, x of P0"] {
        assert!(verified.contains(said), "{said}: {verified}");
    }
}
