//! Whether two forms compute the same.

use logic::Form;

/// Inputs up to which all their values are tried.
const EXHAUSTIVE: usize = 20;
/// Words of 64 evaluations each that are tried beyond.
const WORDS: usize = 64;

/// Inputs for which two forms give different outputs, found by trying: all where there are at most 20 bits of them, else
/// 4096 by chance that `seed` decides. `None` proves nothing beyond 20 bits.
///
/// # Panics
/// If they have different numbers of inputs or outputs.
pub fn differs(a: &Form, b: &Form, seed: u64) -> Option<Vec<bool>> {
    assert_eq!((a.inputs(), a.outputs().len()), (b.inputs(), b.outputs().len()), "ports of two forms");
    let inputs = a.inputs();
    let rounds = if inputs <= EXHAUSTIVE { 1 << inputs.saturating_sub(6) } else { WORDS };
    let mut chance = seed;
    for round in 0..rounds {
        let word = |i: usize| {
            if inputs <= EXHAUSTIVE { counted(round, i) } else { random(&mut chance) }
        };
        let words: Vec<u64> = (0..inputs).map(word).collect();
        let wrong = a.eval(&words).iter().zip(b.eval(&words)).fold(0, |all, (a, b)| all | (a ^ b));
        if wrong != 0 {
            let item = wrong.trailing_zeros();
            return Some(words.iter().map(|word| word >> item & 1 == 1).collect());
        }
    }
    None
}

/// Bit i of the numbers from `64 * round` on.
fn counted(round: usize, i: usize) -> u64 {
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
        _ => (round as u64 >> (i - 6) & 1).wrapping_neg(),
    }
}

/// The next of numbers that look as if by chance (splitmix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
