//! All integration tests in one program: they share most of what is compiled for them.

#[path = "../../hushtable/tests/support/billed.rs"]
mod billed;
mod common;
#[path = "../../hushtable/tests/support/pairs.rs"]
mod pairs;
#[path = "../../hushtable/tests/support/relay.rs"]
mod relay;
#[path = "common/shares.rs"]
mod shares;
#[path = "../../hushtable/tests/support/stats.rs"]
mod stats;

mod aes;
mod bills;
mod chance;
mod circuit_psi;
mod embedding;
mod fusion;
mod in_memory;
mod inference;
mod join;
mod join_query;
mod noise;
mod operations;
mod order;
mod private_table;
mod proximity;
mod psi;
mod scoring;
mod statistics;
mod statistics_told;
mod views;
mod wire;

/// A file that is not listed above, or in the manifest, would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).expect("tests") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(module) = name.strip_suffix(".rs").filter(|module| !["all"].contains(module)) {
            assert!(include_str!("all.rs").contains(&format!("\nmod {module};\n")), "{name} is not listed");
        }
    }
}
