//! The kinds of benchmark: what they verify, refuse and print.

use hushtable::{
    lut::{LookupJob, Protocol},
    math::GeluJob,
    net::{Identity, LinkShape},
    plan::{self, Machine, Objective, Wanted},
    share::Sharing,
    store::Store,
};
use serde_json::Value;

use crate::site::{Site, keys, names};

#[test]
fn lut_verifies_every_kind_of_lookup() {
    let site = Site::new();
    for (protocol, index, output, rounds) in [
        ("rotl", "additive", "additive", 2),
        ("rotl", "xor", "additive", 2),
        ("rotl", "additive", "xor", 1),
        ("rotl", "xor", "xor", 1),
        ("splut", "additive", "additive", 2),
        ("splut", "xor", "additive", 2),
        ("splut", "additive", "xor", 2),
        ("splut", "xor", "xor", 2),
    ] {
        for bits in [1, 13, 64] {
            let report = site.report(&format!(
                    "lut --protocol {protocol} --index {index} --output {output} --index-bits 5 --value-bits {bits} \
                     --batch 1000 --threads 2 --net lan"
            ));
            assert_eq!(
                [&report["kind"], &report["protocol"], &report["index"], &report["output"]],
                ["lut", protocol, index, output]
            );
            let round = if bits == 1 { 1..=rounds } else { rounds..=rounds };
            assert!(round.contains(&report["online"]["rounds"].as_u64().unwrap()), "{report}");
        }
    }
}

#[test]
fn lut_keeps_its_contract() {
    let site = Site::new();
    let report = site.report("lut --protocol d --batch 4096 --index-bits 8 --value-bits 64 --tls --repeat 3");
    names(&report, &["batch", "index", "index_bits", "output", "protocol", "value_bits"]);
    assert_eq!(keys(&report["net"]), ["mbit_per_s", "name", "rtt_ms"]);
    // 8 bits of the index and 63 of the value, each way, and a header for each message.
    let online = report["bits_per_item"]["online"].as_f64().unwrap();
    assert!((142.0..142.2).contains(&online), "{online}");
    let rss = report["peak_rss_bytes"][0].as_u64().unwrap();
    assert!((1 << 20..300 << 20).contains(&rss), "{rss}");
}

#[test]
fn ot_keeps_its_contract() {
    let site = Site::new();
    for (scheme, count) in [
        ("ferret", 200_000),
        ("ferret", 10),
        ("ferret-large", 10),
        ("iknp", 5000),
        ("auto", 5000),
        ("softspoken-2", 5000),
        ("softspoken-4", 5000),
        ("softspoken-8", 5000),
    ] {
        for threads in [1, 2] {
            let report = site.report(&format!("ot --scheme {scheme} --count {count} --threads {threads}"));
            assert_eq!([&report["kind"], &report["scheme"]], ["ot", scheme]);
            assert_eq!([&report["count"], &report["threads"]], [count, threads]);
            names(&report, &["count", "of", "scheme"]);
        }
    }
    let report = site.report("ot --count 100 --scheme iknp --net 10:1ms");
    assert_eq!([&report["net"]["mbit_per_s"], &report["net"]["rtt_ms"]], [10.0, 1.0]);
    let report = site.report("triples --count 3000 --threads 2");
    assert_eq!([&report["source"], &report["count"]], [&Value::from("silent"), &Value::from(3000)]);
    let bits = report["bits_per_item"]["online"].as_f64().unwrap();
    assert!((4.0..4.5).contains(&bits), "2 bits each way, and a frame a lane: {bits}");
    let table = site.run("ot --count 100 --scheme softspoken").ok().stdout;
    assert!(table.contains("all 100 results verified"), "{table}");
}

#[test]
fn inference_is_exact_to_few_units() {
    let site = Site::new();
    let gelu = GeluJob { batch: 1, ..GeluJob::new(37, 12) };
    let card: f64 = gelu.card().unwrap().max_ulp.parse().unwrap();
    for (args, most) in [
        ("--shape gpt2-softmax --rows 9 --piece 4", 2.0),
        ("--shape gpt2-softmax --rows 9 --network --before-point 4 --least", 19.2),
        ("--shape gpt2-gelu --rows 1", card),
        ("--shape gpt2-gelu --rows 1 --network --before-point 4 --least", 16.0),
        ("--shape block --sequence 6 --width 8 --heads 2", 200.0),
        ("--shape block --sequence 6 --width 8 --heads 2 --layers 3 --threads 2", 600.0),
    ] {
        let report = site.report(&format!("inference {args}"));
        let accuracy = &report["accuracy"];
        let max = accuracy["max_ulp"].as_f64().unwrap();
        assert!(
            0.0 < max && max <= most && accuracy["mean_ulp"].as_f64().unwrap() < max,
            "{args}: {accuracy}"
        );
    }
    for (args, layers) in [("--tokens 3 --generate 2 --layers 2", 2.0), ("--tokens 1 --generate 1", 1.0)] {
        let report = site.report(&format!("inference --shape block --width 8 --heads 2 {args}"));
        let max = report["accuracy"]["max_ulp"].as_f64().unwrap();
        assert!(0.0 < max && max <= 200.0 * layers, "{args}: {max}");
        let [prompt, tokens] = [&report["steps"][0], &report["steps"][1]];
        assert_eq!([&prompt["name"], &tokens["name"]], ["prompt", "tokens"]);
        for party in 0..2 {
            let bytes = |figures: &Value| figures["bytes"][party].as_u64().unwrap();
            assert_eq!(bytes(prompt) + bytes(tokens), bytes(&report["online"]), "{args}");
        }
    }
    site.run("inference --shape bert-base --generate 2").fails("accepted with --shape gpt2 and block");
    site.run("inference --shape gpt2 --generate 2 --layers 25").fails("1 to 24");
    site.run("inference --shape gpt2 --generate 2 --max-memory 100000000").fails("--max-memory");
    site.run("inference --shape gpt2 --generate 2 --max-bytes 1000000").fails("--max-bytes");
    site.run("inference --shape block --width 512 --max-bytes 1000000").fails("above --max-bytes 1 million");
    site.run("inference --shape gpt2-gelu --max-bytes 1000000").fails("above --max-bytes 1 million");
    site.run("inference --shape gpt2-gelu --piece 256 --max-memory 100000000").fails("--max-memory");
    site.run("inference --shape block --bits 30").fails("at least 34");
    site.run("inference --shape block --width 10 --heads 3").fails("heads of a block: 3");
}

#[test]
fn refuses_what_it_cannot_measure() {
    let site = Site::new();
    for args in [
        "lut --index-bits 21",
        "lut --value-bits 65",
        "lut --value-bits 0",
        "lut --batch 0",
        "lut --protocol none",
        "lut --net 5",
        "ot --count 0",
        "ot --scheme none",
        "triples --count 0",
        "triples --source nmt --t 5",
    ] {
        let done = site.run(args);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args}: {done:?}");
    }
}

#[test]
fn jobs_that_cannot_be_done_are_refused_at_once() {
    let site = Site::new();
    site.run("lut --protocol d --index-bits 16 --batch 268435456").fails("of memory");
    site.run("lut --protocol d --index-bits 17 --batch 1").fails("1 to 16");
    site.run("lut --protocol ar --output xor --batch 1").fails("xor with ar");
    site.run("lut --protocol flute --output xor --batch 1").fails("additive with flute");
    site.run("lut --protocol oplut --index-bits 11 --batch 1").fails("bits that OP-LUT sends");
    site.run("lut --protocol nothing").fails("auto");
    site.run("lut --batch 0").fails("whole number of 1 or more");
}

#[test]
fn auto_takes_what_the_plan_chooses() {
    let job =
        LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 8, value_bits: 64 };
    let (link, machine) = (LinkShape::USUAL, Machine::REFERENCE);
    let by = |optimise| {
        let wanted = Wanted::new(optimise, link, machine);
        plan::choose(Protocol::ways(&job, 100).unwrap(), &wanted).unwrap().name()
    };
    let (total, bytes) = (by(Objective::Total), by(Objective::Bytes));
    assert_ne!(total, bytes, "the objective matters");
    for (optimise, planned) in [("total", total), ("bytes", bytes)] {
        let asked = format!("lut --index-bits 8 --value-bits 64 --batch 100 --optimise {optimise}");
        assert_eq!(Site::new().report(&asked)["protocol"], planned);
    }
}

#[test]
fn stores_are_made_and_spent() {
    let site = Site::new();
    let asked = "lut --protocol d --index-bits 4 --value-bits 9 --batch 50 --threads 2 --store stores";
    let first = site.run(&format!("{asked} --repeat 2 --format json")).ok();
    assert!(first.stderr.contains("making 100 lookups in stores"), "{first:?}");
    let report: Value = serde_json::from_str(first.stdout.trim_end()).unwrap();
    assert_eq!((&report["verified"], &report["store"]), (&true.into(), &"stores".into()));
    assert_eq!(report["offline"]["bytes"], serde_json::json!([0, 0]));
    // All of it is spent.
    assert!(site.run(asked).ok().stderr.contains("making 50 lookups in stores"));
    let identity = Identity::load(&site.path("stores/bench-p0.id")).unwrap();
    let store = Store::open(&site.path("stores/d-additive4-additive9-p0.store"), &identity).unwrap();
    assert_eq!(store.left(), 0);
}

#[test]
fn help_shows_examples() {
    let site = Site::new();
    for command in [
        "",
        "lut",
        "circuit",
        "cmp",
        "trunc",
        "inference",
        "math",
        "ot",
        "triples",
        "matmul",
        "conv",
        "he",
        "vole",
        "okvs",
        "psi",
        "circuit-psi",
        "join",
        "paper",
    ] {
        let out = site.run(&format!("{command} --help")).ok().stdout;
        assert!(out.contains("Examples:\n"), "{command}: {out}");
        assert!(out.lines().all(|line| line.chars().count() <= 120), "{command}: {out}");
    }
    assert_eq!(site.run("").code, 2);
    assert!(site.run("--version").ok().stdout.starts_with("hushtable-bench "));
}

/// Each object of function secret sharing, in the rounds online that its page says.
#[test]
fn fss_verifies_every_object() {
    let site = Site::new();
    for (object, options, rounds) in [
        ("dpf", "--bits 8 --payload-bits 16 --index additive", 1),
        ("dcf", "--bits 8 --payload-bits 16", 1),
        ("eq", "--bits 16", 1),
        ("cmp", "--bits 8", 1),
        ("interval", "--bits 12 --intervals 7", 1),
        ("sincos", "--bits 16 --fraction-bits 9", 2),
        ("public-table", "--bits 8", 1),
        ("public-table", "--bits 18 --payload-bits 9", 2),
        ("secret-table", "--bits 5", 1),
        ("sin", "--bits 16 --fraction-bits 9", 2),
        ("cos", "--bits 18 --fraction-bits 9", 2),
        ("tan", "--bits 16 --fraction-bits 9", 2),
        ("proximity", "", 6),
        ("fusion", "--bits 16 --fraction-bits 8", 7),
    ] {
        let report = site.report(&format!("fss --object {object} {options} --batch 60 --net 1000:1ms"));
        assert_eq!([&report["kind"], &report["object"]], ["fss", object]);
        assert_eq!(report["batch"], 60);
        let online = report["online"]["rounds"].as_u64().unwrap();
        assert_eq!(online, rounds, "{object} {options}");
    }
    for (options, says) in [
        ("--object secret-table --bits 11", "index bits of a shared table: 11"),
        ("--object interval --bits 22", "width of a number in intervals: 22"),
    ] {
        let done = site.run(&format!("fss {options} --batch 10"));
        assert!((2..=6).contains(&done.code) && done.stderr.contains(says), "{options}: {done:?}");
    }
}
