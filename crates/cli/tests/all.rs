//! All tests of the program in one: they share what is compiled for them.

mod common;
#[path = "common/proxy.rs"]
mod proxy;
#[cfg(unix)]
#[path = "common/shell.rs"]
mod shell;

mod aes;
mod apply;
mod apply_joined;
mod bad_input;
mod choosing;
mod circuit_runs;
mod circuits;
mod commands;
mod compare;
mod connection;
mod csv_formats;
mod cuts;
mod decisions;
mod disagree;
#[cfg(unix)]
mod documents;
mod endings;
mod explain;
mod formats;
mod full_disks;
mod functions;
mod fuzz_corpus;
#[cfg(unix)]
mod help;
mod join;
mod join_bad;
mod join_forms;
mod joined_options;
mod manners;
mod outputs;
mod people_files;
mod proximity;
mod record;
mod run;
mod run_join;
mod run_stats;
mod score;
mod score_common;
mod serve;
mod serve_crowds;
mod serve_forms;
mod serve_hostile;
mod serve_keys;
mod serve_many;
mod serve_quotas;
mod service;
mod shut;
mod stats;
mod stats_decimals;
mod stats_random;
mod store;

/// A file that is not listed above, or in the manifest, would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).expect("tests") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(module) =
            name.strip_suffix(".rs").filter(|module| !["all", "allocation", "wiping"].contains(module))
        {
            assert!(include_str!("all.rs").contains(&format!("\nmod {module};\n")), "{name} is not listed");
        }
    }
}
