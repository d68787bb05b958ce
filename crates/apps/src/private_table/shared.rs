//! Keys and results that are shared: their widths, and how they become bits and numbers.

use hushtable::{
    AShare, BShare, Error, Result, Role, arith::Decomposition, gates::Bits, operation::Words,
    session::Session,
};
use prim::{Wiped, ring::low};

use super::{Description, KeyKind, Scale, ValueKind};

/// Bits of shares of whether keys are present.
pub const PRESENT_BITS: u32 = 16;

/// Bits of the shares of numbers of so many bits: room for a sum or two, and what files of shares have.
pub fn shared_bits(kind: ValueKind) -> u32 {
    (kind.bits() + 2).clamp(16, 64)
}

/// Digits behind the binary point of shares of a column.
pub(super) fn fraction_bits(kind: ValueKind) -> u32 {
    match kind {
        ValueKind::Number { scale: Scale::Binary(fraction), .. } => fraction,
        _ => 0,
    }
}

/// Whether keys that are shares of so many bits can be looked up, with values from the first of these to the second.
///
/// # Errors
/// Why not.
pub fn shared_keys_fit(kind: KeyKind, bits: u32, range: [i64; 2]) -> std::result::Result<(), String> {
    let (least, key_bits) = match kind {
        KeyKind::Text { .. } => return Err("keys of the table are text, of which there are no shares".into()),
        KeyKind::Whole { least, bits } | KeyKind::Date { least, bits } => (least, bits),
    };
    let most = i128::from(least) + (1i128 << key_bits) - 1;
    if range[0] < least || i128::from(range[1]) > most {
        let [first, last] = range;
        return Err(format!(
            "shares of values from {first} to {last}; keys of the table are {}",
            kind.words()
        ));
    }
    match key_bits <= bits || (least, key_bits) == (i64::MIN, 64) {
        true => Ok(()),
        false => Err(format!("shares of {bits} bits; keys of the table have {key_bits}")),
    }
}

/// Shared numbers as the bits of keys.
pub(super) fn key_bits(
    s: &mut Session,
    description: &Description,
    (shares, bits): (&[u64], u32),
    digits: Decomposition,
) -> Result<Vec<BShare<u64>>> {
    let (KeyKind::Whole { least, bits: key_bits } | KeyKind::Date { least, bits: key_bits }) =
        description.key.kind
    else {
        return Err(Error::Peer("shares of keys that are text".into()));
    };
    // All of 64 bits: what is lacking is the sign, and the top bit is turned, as the least number is key 0.
    let extended = key_bits > bits || (least, key_bits) == (i64::MIN, 64);
    let offset = if s.role() == Role::P0 && !extended { least as u64 } else { 0 };
    let shares = Wiped::from(shares.iter().map(|share| share.wrapping_sub(offset)).collect::<Vec<u64>>());
    let x = AShare::<u64>::new(bits, shares.into_vec());
    let found: Vec<Bits> =
        digits.digits(s, &x)?.iter().map(|digit| Bits::collect(digit.words().iter().copied())).collect();
    let mut key: Vec<Bits> =
        (0..key_bits as usize).map(|i| found[i.min(found.len() - 1)].range(0..x.len())).collect();
    if extended {
        let top = key.pop().expect("64 bits").not(s.role());
        key.push(top);
    }
    key.chunks(64).map(Bits::to_share).collect()
}

/// Numbers of additive bits, those of one place behind those of another; the last place is the sign's.
pub(super) fn composed(bits: &AShare<u64>, kind: ValueKind, count: usize) -> Words {
    let mut sums = Words::new(vec![0; count]);
    for (i, place) in bits.words().chunks_exact(count).enumerate() {
        let weight = 1u64 << i;
        let weight = if i as u32 == kind.bits() - 1 { weight.wrapping_neg() } else { weight };
        sums.iter_mut().zip(place).for_each(|(sum, &bit)| *sum = sum.wrapping_add(bit.wrapping_mul(weight)));
    }
    sums.iter_mut().for_each(|sum| *sum = low(*sum, shared_bits(kind)));
    sums
}
