//! All values of some bits, 64 side by side.

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
