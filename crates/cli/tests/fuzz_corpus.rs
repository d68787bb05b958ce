//! The parsers of users' files as plain fuzz tests.

#[path = "../../../fuzz/driver.rs"]
mod driver;

use hushtable_cli::fuzzing::TARGETS;

fn fuzz(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target of this name");
    driver::fuzz(name, target.run, (target.seeds)(), usize::MAX, TARGETS.len());
}

#[test]
fn blif() {
    fuzz("blif");
}

#[test]
fn bristol() {
    fuzz("bristol");
}

#[test]
fn circuit() {
    fuzz("circuit");
}

#[test]
fn columns() {
    fuzz("columns");
}

#[test]
fn description() {
    fuzz("description");
}

#[test]
fn formats() {
    fuzz("formats");
}

#[test]
fn job_file() {
    fuzz("job_file");
}

#[test]
fn joined() {
    fuzz("joined");
}

#[test]
fn ports() {
    fuzz("ports");
}

#[test]
fn record() {
    fuzz("record");
}

#[test]
fn share_file() {
    fuzz("share_file");
}

#[test]
fn table_file() {
    fuzz("table_file");
}

#[test]
fn weights() {
    fuzz("weights");
}

#[test]
fn every_target_is_run_here_and_by_the_fuzzer() {
    driver::each_is_run(include_str!("fuzz_corpus.rs"), TARGETS.iter().map(|target| target.name));
}
