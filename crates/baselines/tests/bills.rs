//! Gates of one opening cost what is billed, to the bit.

use crate::support::billed::{check, check_parts};

use hushtable::AShare;
use hushtable_baselines::dfss::{OneRoundExtension, OneRoundReduction, OneRoundTruncation};

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

#[test]
fn gates_of_one_opening() {
    let words = |bits| AShare::<u64>::new(bits, vec![1; N]);
    for (bits, f) in [(16, 9), (9, 1), (4, 3)] {
        check(
            &format!("{bits} bits less {f} in one round"),
            OneRoundReduction::<u8>::bill(bits, f).expect("a bill").times(N),
            |p| OneRoundReduction::<u8>::prepare(p, bits, f, N),
            |s, m| m.reduce(s, &words(bits)).map(drop),
        );
    }
    for widths in [[5, 6], [9, 17]] {
        check(
            &format!("extension of {widths:?} bits in one round"),
            OneRoundExtension::<u8>::bill(widths).expect("a bill").times(N),
            |p| OneRoundExtension::<u8>::prepare(p, widths, N),
            |s, m| m.sign::<u64, u64>(s, &words(widths[0])).map(drop),
        );
    }
    for (bits, f) in [(16, 9), (12, 1)] {
        let x = AShare::<u16>::new(bits, vec![1; N]);
        check_parts(
            &format!("truncation of {bits} bits by {f} in one round"),
            OneRoundTruncation::<u16>::bill(bits, f).expect("a bill").times(N),
            0,
            |p| OneRoundTruncation::<u16>::prepare(p, bits, f, N),
            |s, m| m.truncate(s, &x).map(drop),
        );
    }
}
