//! Packed words: reading and writing them again gives the same bytes, the unused bits cleared.

use prim::{
    pack::{pack, packed_len, unpack},
    ring::Ring,
};

/// The first byte is the width; the rest is what was packed.
pub fn run(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let bits = u32::from(first) % 64 + 1;
    let count = bytes.len() * 8 / bits as usize;
    let bytes = &bytes[..packed_len(count, bits)];
    let words = check::<u64>(bytes, bits, count);
    if bits <= 32 {
        assert_eq!(check::<u32>(bytes, bits, count), words);
    }
    if bits <= 16 {
        assert_eq!(check::<u16>(bytes, bits, count), words);
    }
    if bits <= 8 {
        assert_eq!(check::<u8>(bytes, bits, count), words);
    }
}

fn check<R: Ring>(bytes: &[u8], bits: u32, count: usize) -> Vec<u64> {
    let mut words = vec![R::default(); count];
    unpack(bytes, bits, &mut words);
    let mut again = Vec::new();
    pack(&words, bits, &mut again);
    let mut expected = bytes.to_vec();
    if let (Some(last), used @ 1..) = (expected.last_mut(), count * bits as usize % 8) {
        *last &= (1 << used) - 1;
    }
    assert_eq!(again, expected, "{count} words of {bits} bits");
    words.iter().map(|word| word.to_u64()).collect()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = (0..=255).collect();
    [0u8, 1, 6, 7, 8, 12, 15, 16, 31, 32, 40, 62, 63].map(|first| [&[first], &bytes[..]].concat()).to_vec()
}
