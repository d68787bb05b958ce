//! The examples run, and end with what they assert.

#[path = "../examples/lookup.rs"]
mod lookup;
#[path = "../examples/own_stream.rs"]
mod own_stream;
#[path = "../examples/prepared.rs"]
mod prepared;
#[cfg(feature = "tls")]
#[path = "../examples/service.rs"]
mod service;

#[test]
fn a_table_of_words_is_looked_up() {
    lookup::main().unwrap();
}

#[cfg(feature = "tls")]
#[test]
fn a_service_runs_over_tls() {
    service::main().unwrap();
}

#[test]
fn what_was_made_ahead_is_spent() {
    prepared::main().unwrap();
}

#[test]
fn a_runtime_brings_its_own_stream() {
    own_stream::main().unwrap();
}
