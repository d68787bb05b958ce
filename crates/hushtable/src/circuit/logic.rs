//! Circuits that several protocols have.

use super::{builder::Builder, netlist::Netlist};

/// The AND of so many bits, 1 or more: neighbours in pairs, all pairs of a layer in one message. `ceil(log2 bits)`
/// layers, an AND less than there are bits.
///
/// # Panics
/// For no bits.
pub fn conjunction(bits: usize) -> Netlist {
    assert!(bits > 0, "bits to join");
    let mut b = Builder::new(&[1]);
    let mut level = b.inputs(bits);
    while level.len() > 1 {
        let groups: Vec<_> = level.chunks_exact(2).map(|pair| (pair[0], &pair[1..])).collect();
        let mut joined = b.ands(&groups);
        joined.extend(level.chunks_exact(2).remainder());
        level = joined;
    }
    b.finish(&level).expect("wires of one span")
}
