//! Words of 1 to 64 bits packed into bytes, lowest bit first, without padding between words.
//!
//! Word `i` takes bits `i * bits .. (i + 1) * bits` of the byte string, whose bit `k` is bit
//! `k % 8` of byte `k / 8`. The unused high bits of the last byte are zero when written and
//! ignored when read.

use crate::ring::{Ring, low};

/// Bytes that `count` words of `bits` bits take.
///
/// # Panics
/// If the number of bits overflows `usize`: check sizes that come from outside first.
pub fn packed_len(count: usize, bits: u32) -> usize {
    count.checked_mul(bits as usize).expect("packed size overflows").div_ceil(8)
}

/// Appends the low `bits` bits of every word to `out`. Bits above are ignored.
///
/// # Panics
/// Unless `bits` is in `1..=R::WIDTH`.
pub fn pack<R: Ring>(words: &[R], bits: u32, out: &mut Vec<u8>) {
    assert!((1..=R::WIDTH).contains(&bits), "width out of range");
    if bits == R::WIDTH {
        return out.extend_from_slice(bytemuck::cast_slice(words));
    }
    let start = out.len();
    out.resize(start + packed_len(words.len(), bits), 0);
    let (full, rest) = out[start..].as_chunks_mut::<8>();
    let mut full = full.iter_mut();
    let mut put = |x: u64| match full.next() {
        Some(chunk) => *chunk = x.to_le_bytes(),
        None => rest.copy_from_slice(&x.to_le_bytes()[..rest.len()]),
    };
    let (mut acc, mut have) = (0, 0);
    for word in words {
        let word = low(word.to_u64(), bits);
        acc |= word << have;
        have += bits;
        if have >= 64 {
            put(acc);
            have -= 64;
            acc = word >> (bits - have);
        }
    }
    put(acc);
}

/// Reads `out.len()` words of `bits` bits.
///
/// # Panics
/// Unless `bits` is in `1..=R::WIDTH` and `bytes.len() == packed_len(out.len(), bits)`.
pub fn unpack<R: Ring>(bytes: &[u8], bits: u32, out: &mut [R]) {
    assert!((1..=R::WIDTH).contains(&bits), "width out of range");
    assert_eq!(bytes.len(), packed_len(out.len(), bits), "packed length");
    if bits == R::WIDTH {
        return bytemuck::cast_slice_mut(out).copy_from_slice(bytes);
    }
    let (full, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut source = full.iter().chain([&last]).map(|chunk| u64::from_le_bytes(*chunk));
    let (mut acc, mut have) = (0, 0);
    for word in out {
        let bits_of_word = if have < bits {
            let next = source.next().unwrap_or(0);
            let joined = acc | next << have;
            acc = next >> (bits - have);
            have += 64;
            joined
        } else {
            let whole = acc;
            acc >>= bits;
            whole
        };
        have -= bits;
        *word = R::from_u64(low(bits_of_word, bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bit by bit, straight from the definition.
    fn plain(words: &[u64], bits: u32) -> Vec<u8> {
        let mut out = vec![0; packed_len(words.len(), bits)];
        for k in 0..words.len() * bits as usize {
            let (word, bit) = (k / bits as usize, k % bits as usize);
            out[k / 8] |= ((words[word] >> bit & 1) as u8) << (k % 8);
        }
        out
    }

    fn agrees<R: Ring>(words: &[u64], bits: u32) {
        let narrow: Vec<R> = words.iter().map(|&x| R::from_u64(x)).collect();
        let mut bytes = vec![0xab];
        pack(&narrow, bits, &mut bytes);
        assert_eq!(bytes[0], 0xab, "pack appends");
        assert_eq!(bytes[1..], plain(words, bits));
        if let Some(last) = bytes[1..].last_mut() {
            let used = (words.len() * bits as usize - 1) % 8 + 1;
            *last |= 0xff_u8.checked_shl(used as u32).unwrap_or(0); // padding is ignored
        }
        let mut back = vec![R::default(); words.len()];
        unpack(&bytes[1..], bits, &mut back);
        let expected: Vec<R> = words.iter().map(|&x| R::from_u64(low(x, bits))).collect();
        assert_eq!(back, expected);
    }

    proptest! {
        #[test]
        fn every_width(words in prop::collection::vec(any::<u64>(), 0..70), bits in 1u32..=64) {
            agrees::<u64>(&words, bits);
            if bits <= 32 { agrees::<u32>(&words, bits) }
            if bits <= 16 { agrees::<u16>(&words, bits) }
            if bits <= 8 { agrees::<u8>(&words, bits) }
        }
    }

    #[test]
    #[should_panic(expected = "packed length")]
    fn wrong_length() {
        unpack::<u8>(&[0; 3], 3, &mut [0; 9]);
    }

    #[test]
    #[should_panic(expected = "width out of range")]
    fn too_wide() {
        pack::<u8>(&[1], 9, &mut Vec::new());
    }
}
