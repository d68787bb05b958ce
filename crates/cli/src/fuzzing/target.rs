//! What a target is.

/// A parser under test.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Inputs to start from, good ones among them.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Texts as inputs.
pub fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|text| text.as_bytes().to_vec()).collect()
}
