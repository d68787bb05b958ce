//! Pieces of the lattice: what is printed and refused.

use serde_json::Value;

use crate::{site::Site, work::keys};

#[test]
fn pieces_keep_their_contract() {
    let site = Site::new();
    let done = site.run("he --bits 20 --limbs 3 --repeat 1 --format json").ok();
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let names = ["bits", "cpu", "kind", "limbs", "runs", "threads", "us", "verified", "version"];
    assert_eq!(keys(&report), names);
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
