//! Values of inputs, 64 evaluations side by side: all of some bits, or by chance.

/// Bit i of the 64 numbers from `64 * word` on.
pub(crate) fn counted(i: usize, word: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    match i {
        0..6 => LOW[i],
        _ => (word as u64 >> (i - 6) & 1).wrapping_neg(),
    }
}

/// The next of numbers that look as if by chance (splitmix64).
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
