//! All tests in one program. What they have in common with those of the library is in its folder.

#[path = "../../hushtable/tests/support"]
mod support {
    pub mod billed;
    pub mod forms;
    #[path = "../../../baselines/tests/jobs.rs"]
    pub mod jobs;
    pub mod pairs;
    pub mod recorded;
    pub mod relay;
    pub mod shares;
    pub mod stats;
    pub mod transcripts;
    pub mod uniform;
    pub mod views;
}

mod bills;
mod by_codes;
mod fable;
mod fable_views;
/// With the jobs of this folder.
#[path = "../../hushtable/tests/faults.rs"]
mod faults;
mod ggm;
mod hash_inputs;
mod key_gates;
mod nmt;
mod one_opening;
mod payload_gates;
mod scan;
mod views;
mod wire;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).expect("tests") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(module) = name.strip_suffix(".rs").filter(|module| !["all", "jobs"].contains(module)) {
            assert!(include_str!("all.rs").contains(&format!("\nmod {module};\n")), "{name} is not listed");
        }
    }
}
