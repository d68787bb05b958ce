//! The library's fuzz targets as plain tests.

#[path = "../../../fuzz/driver.rs"]
mod driver;
#[path = "../../../fuzz/targets/mod.rs"]
mod targets;

use targets::TARGETS;

fn fuzz(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target of this name");
    driver::fuzz(name, target.run, (target.seeds)(), target.most, TARGETS.len());
}

#[test]
fn base_ot() {
    fuzz("base_ot");
}

#[test]
fn copy() {
    fuzz("copy");
}

#[test]
fn frames() {
    fuzz("frames");
}

#[test]
fn greeting() {
    fuzz("greeting");
}

#[test]
fn identity() {
    fuzz("identity");
}

#[test]
fn keys() {
    fuzz("keys");
}

#[test]
fn lattice() {
    fuzz("lattice");
}

#[test]
fn network() {
    fuzz("network");
}

#[test]
fn offer() {
    fuzz("offer");
}

#[test]
fn parameters() {
    fuzz("parameters");
}

#[test]
fn store() {
    fuzz("store");
}

#[test]
fn ticket() {
    fuzz("ticket");
}

#[test]
fn unpack() {
    fuzz("unpack");
}

#[test]
fn every_target_is_run_here_and_by_the_fuzzer() {
    driver::each_is_run(include_str!("fuzz_corpus.rs"), TARGETS.iter().map(|target| target.name));
}
