//! One target for each decoder of bytes that the peer, the disk or the user gave. A target must
//! return for any input; where it can tell what the answer should be, it asserts it.
//!
//! The same functions run under `cargo fuzz` and, without it, as tests over their seeds, the files
//! under `fuzz/corpus` and mutations of both (`crates/hushtable/tests/fuzz_corpus.rs`).
#![allow(dead_code)] // a fuzzer brings its own inputs, the tests choose for themselves

mod base_ot;
mod copy;
mod frames;
mod greeting;
mod identity;
mod keys;
mod lattice;
mod network;
mod offer;
mod parameters;
mod store;
mod ticket;
mod unpack;

/// A decoder under test.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Inputs to start from, good ones among them.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Most inputs worth a run without coverage feedback: what costs a file or a socket each is
    /// bounded by that, not by time.
    pub most: usize,
}

/// All of them.
pub const TARGETS: [Target; 13] = [
    Target { name: "base_ot", run: base_ot::run, seeds: base_ot::seeds, most: usize::MAX },
    Target { name: "copy", run: copy::run, seeds: copy::seeds, most: 20_000 },
    Target { name: "frames", run: frames::run, seeds: frames::seeds, most: usize::MAX },
    Target { name: "greeting", run: greeting::run, seeds: greeting::seeds, most: 2000 },
    Target { name: "identity", run: identity::run, seeds: identity::seeds, most: 20_000 },
    Target { name: "keys", run: keys::run, seeds: keys::seeds, most: 20_000 },
    Target { name: "lattice", run: lattice::run, seeds: lattice::seeds, most: usize::MAX },
    Target { name: "network", run: network::run, seeds: network::seeds, most: usize::MAX },
    Target { name: "offer", run: offer::run, seeds: offer::seeds, most: usize::MAX },
    Target { name: "parameters", run: parameters::run, seeds: parameters::seeds, most: usize::MAX },
    Target { name: "store", run: store::run, seeds: store::seeds, most: usize::MAX },
    Target { name: "ticket", run: ticket::run, seeds: ticket::seeds, most: usize::MAX },
    Target { name: "unpack", run: unpack::run, seeds: unpack::seeds, most: usize::MAX },
];

/// Runs one target: what a fuzzer calls.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    (target.run)(data);
}

/// A message as it travels: a header with its length and the sender's clock, then its bytes.
fn frame(payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(payload);
    bytes
}
