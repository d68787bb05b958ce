//! Circuits: what they verify, refuse and print.

use hushtable::{
    net::LinkShape,
    operation::{Evaluate, Operation},
    plan::{self, Machine, Objective, Wanted},
};
use serde_json::{Value, json};

use crate::site::{Site, names};

#[test]
fn circuit_keeps_its_contract() {
    let site = Site::new();
    let report = site.report("circuit --file lib:less_u32 --form ands --engine gmw --batch 100 --threads 2");
    names(
        &report,
        &["ands", "batch", "cots", "engine", "file", "form", "known", "layers", "luts", "optimise", "piece"],
    );
    let of = |name: &str| report[name].clone();
    assert_eq!([of("kind"), of("engine"), of("form")], ["circuit", "gmw", "ands"].map(Value::from));
    assert_eq!(["ands", "luts", "layers"].map(of), [32, 0, 32].map(Value::from));
    assert_eq!([of("known"), of("piece")], [json!(["p0", "p1"]), 100.into()]);
    assert_eq!(report["online"]["rounds"], 32);
    // An OT each way for each operand that is opened.
    let cots = report["cots"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap());
    assert!(cots.clone().all(|count| (100..=3200).contains(&count)), "{report}");
}

/// Each engine on circuits with ports of all kinds of widths, in the rounds that it takes.
#[test]
fn every_engine_is_verified() {
    let site = Site::new();
    for (options, engine, rounds) in [
        ("--file lib:aes_sbox --engine gmw", "gmw", 4),
        ("--file lib:aes_sbox --engine lut", "lut", 1),
        ("--file lib:aes_sbox --engine lut:oplut", "lut:oplut", 1),
        ("--file lib:aes_sbox --engine splut", "splut", 2),
        ("--file lib:aes_sbox --engine splut --form layers", "splut", 5),
        ("--file lib:aes_sbox --engine gc --known shared", "gc", 2),
        ("--file lib:multiply64_wide --engine gc", "gc", 2),
        ("--file lib:multiply64_wide --engine gc-ahead --known shared,p0", "gc-ahead", 2),
        ("--file lib:choice32 --engine gmw --known p1,p0,shared", "gmw", 1),
        ("--file lib:less_i32 --engine lut --max-inputs 4 --optimise rounds --form layers", "lut", 4),
    ] {
        let report = site.report(&format!("circuit {options} --batch 70 --net 1000:1ms"));
        assert_eq!(report["engine"], engine, "{options}");
        let online = report["online"]["rounds"].as_u64().unwrap();
        assert!(online <= rounds, "{options}: {online} rounds");
    }
    let ports = site.report("circuit --file lib:choice32 --engine gmw --batch 5")["known"].clone();
    assert_eq!(ports, json!(["p0", "p1", "p1"]));
    assert_eq!(site.report("circuit --file lib:f32_sqrt --engine gc --batch 3")["known"], json!(["shared"]));
    let text = site.run("circuit --file lib:equal32 --engine gc --batch 3").ok().stdout;
    assert!(text.starts_with("lib:equal32, gc, form ands: 31 ANDs, 0 lookups, "), "{text}");
    assert!(
        text.contains("ports known to p0, p1, batch 3") && text.contains("all 3 results verified"),
        "{text}"
    );
}

#[test]
fn auto_takes_what_the_plan_chooses() {
    let site = Site::new();
    let circuit = hushtable_jobs::circuit::load("lib:add32".as_ref()).unwrap();
    let known = [hushtable::Role::P0, hushtable::Role::P1].map(Some);
    for (optimise, objective) in [("bytes", Objective::Bytes), ("rounds", Objective::Rounds)] {
        let wanted = Wanted::new(objective, LinkShape::WAN, Machine::REFERENCE);
        let under = wanted.machine.setting(wanted.link);
        let all = Evaluate::new(&circuit, &known, objective).and_then(|one| one.all()).unwrap();
        let all: Vec<_> =
            all.into_iter().map(|way| (way.clone(), way.effort(500, &under).unwrap())).collect();
        let best = plan::choose(all, &wanted).unwrap();
        let asked = format!("circuit --file lib:add32 --batch 500 --net wan --optimise {optimise}");
        let report = site.report(&asked);
        assert_eq!(report["form"], best.way().0.name(), "{optimise}");
        let engine = report["engine"].as_str().unwrap();
        assert_eq!(engine, hushtable_jobs::circuit::Wish::of(&best).name(), "{optimise}");
    }
}

#[test]
fn circuits_that_cannot_be_measured_are_refused() {
    let site = Site::new();
    for args in
        ["--engine none", "--engine lut:splut", "--batch 0", "--max-inputs 13", "--known p2,p0", "--net 5"]
    {
        let done = site.run(&format!("circuit --file lib:add32 {args}"));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args}: {done:?}");
    }
    site.run("circuit --file lib:none").fails("no circuit \"none\" in the library");
    site.run("circuit --file none.hut").fails("none.hut");
    site.run("circuit --file lib:add32 --engine lut").fails("no form with lookups");
    site.run("circuit --file lib:add32 --form luts").fails("--form luts: accepted: ands, layers");
    site.run("circuit --file lib:add32 --known p0").fails("--known says who knows 1 ports; add32 has 2");
    site.run("circuit --file lib:add32 --known p1,p1").fails("all known to P1");
    site.write("cut.hut", "hushtable circuit 1\nname cut\n");
    site.run("circuit --file cut.hut").fails("cut.hut");
}
