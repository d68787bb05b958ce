//! Products by lattices and the lattice's pieces: what is printed and refused.

use serde_json::Value;

use crate::site::{Site, keys, names};

#[test]
fn pieces_keep_their_contract() {
    let site = Site::new();
    let done = site.run("he --bits 20 --limbs 3 --repeat 1 --format json").ok();
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let expected = ["bits", "cpu", "kind", "limbs", "runs", "threads", "us", "verified", "version"];
    assert_eq!(keys(&report), expected);
    assert_eq!(
        [&report["kind"], &report["bits"], &report["limbs"]],
        [&Value::from("he"), &20.into(), &3.into()]
    );
    let times = [
        "encrypt",
        "open",
        "plain",
        "plain_short",
        "product",
        "product_in_sum",
        "product_with_plain",
        "respond",
        "switch",
        "transform",
        "transform_back",
    ];
    assert_eq!(keys(&report["us"]), times);
    assert!(times.iter().all(|name| report["us"][name].as_f64().unwrap() > 0.0));
    let table = site.run("he --bits 64 --limbs 7 --repeat 1").ok().stdout;
    assert!(
        table.starts_with("64 bits, 7 primes of 30 bits, 1 thread\n") && table.contains("verified"),
        "{table}"
    );
    // Without room for flooding.
    let refused = site.run("he --bits 64 --limbs 3");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("primes of a modulus: 3 is not supported"), "{}", refused.stderr);
}

/// Asserts the names, with keys that serve a session where a lattice has some.
#[track_caller]
fn names_with_keys(report: &Value, own: &[&str], method: &str) {
    let once: &[&str] = if method == "he" { &["once"] } else { &[] };
    names(report, &[own, once].concat());
}

#[test]
fn matmul_keeps_its_contract() {
    let site = Site::new();
    for (owner, method) in ["one", "both", "shared"]
        .into_iter()
        .flat_map(|owner| ["he", "ot", "auto"].map(|method| (owner, method)))
    {
        let report = site.report(&format!(
            "matmul --shape 3,20,7 --bits 20 --number-bits 9 --batch 2 --owner {owner} --method {method}"
        ));
        let own = ["batch", "bits", "method", "number_bits", "owner", "shape"];
        names_with_keys(&report, &own, method);
        assert_eq!([&report["kind"], &report["owner"], &report["method"]], ["matmul", owner, method]);
        assert_eq!([&report["bits"], &report["number_bits"], &report["batch"]], [20, 9, 2]);
        assert_eq!(report["shape"], serde_json::json!([3, 20, 7]));
    }
    site.run("matmul --shape 3,20").fails("three numbers, such as 128,768,3072");
}

#[test]
fn conv_keeps_its_contract() {
    let site = Site::new();
    for method in ["he", "ot", "auto"] {
        let report = site.report(&format!(
            "conv --shape 6,5,4,2 --window 3 --stride 2 --groups 2 --images 2 --bits 20 --number-bits 9 --method {method}"
        ));
        let own = ["bits", "groups", "images", "method", "number_bits", "shape", "stride", "window"];
        names_with_keys(&report, &own, method);
        assert_eq!([&report["kind"], &report["method"]], ["conv", method]);
        let numbers =
            ["bits", "groups", "images", "number_bits", "stride", "window"].map(|name| &report[name]);
        assert_eq!(numbers, [20, 2, 2, 9, 2, 3]);
        assert_eq!(report["shape"], serde_json::json!([6, 5, 4, 2]));
    }
    site.run("conv --shape 6,5,4").fails("four numbers, such as 56,56,64,64");
}
