//! What stands in a record.

use std::collections::BTreeMap;

use hushtable_jobs::cost::Figures;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};

/// What stands in a record, but for its parts and this party's signature. Anything else would be taken for something
/// that was checked.
const FIELDS: [&str; 24] = [
    "hushtable_record",
    "version",
    "command",
    "began",
    "role",
    "this_party",
    "expected_peer",
    "peer",
    "session",
    "job_file",
    "rows",
    "column",
    "reveal",
    "parameters",
    "inputs",
    "output",
    "explained",
    "ended",
    "outcome",
    "exit_code",
    "error",
    "signed",
    "salt",
    "unsigned",
];
const PHASES: [&str; 3] = ["setup", "offline", "online"];

/// `Ok(())` if there is nothing else.
pub fn only_known(text: &[u8]) -> std::result::Result<(), String> {
    let fields = parsed::<BTreeMap<String, IgnoredAny>>(text)?;
    let (phases, others): (Vec<_>, Vec<_>) =
        fields.keys().map(String::as_str).partition(|field| PHASES.contains(field));
    if let Some(field) = others.iter().find(|field| !FIELDS.contains(field)) {
        return Err(format!("the field {field:?}, which records do not have"));
    }
    // Here a phase that stands there twice is an error.
    #[derive(Deserialize)]
    struct Phases {
        setup: Option<Figures>,
        offline: Option<Figures>,
        online: Option<Figures>,
    }
    let Phases { setup, offline, online } = parsed(text)?;
    match (phases.len(), [setup, offline, online].iter().flatten().count()) {
        (0, 0) | (3, 3) => Ok(()),
        _ => Err("some of the phases setup, offline and online, not all".into()),
    }
}

pub fn parsed<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, String> {
    serde_json::from_slice(text).map_err(|error| format!("no record: {error}"))
}
