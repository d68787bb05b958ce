//! Keys and ciphertexts as bytes: those of the crate `fhe`, of a length that both parties know, checked before the
//! crate computes with them.
//!
//! Its messages are fields of Protocol Buffers. A polynomial has the coefficients modulo each prime, packed; the crate
//! asks that they be reduced and does not look.

use fhe::bfv::{Ciphertext, PublicKey, RelinearizationKey};
use fhe_traits::{DeserializeParametrized, Serialize};

use super::{
    job::Sizes,
    ring::{Ring, ServerKeys, is_fresh},
};
use hushtable::error::{Error, Result, same};

/// Bytes of a ciphertext of a query, whose second polynomial is a seed.
pub(super) fn query_len(sizes: &Sizes) -> usize {
    field(polynomial(sizes, 3, true)) + field(32)
}

/// Bytes of a ciphertext of a response, modulo the last prime.
pub(super) fn response_len(sizes: &Sizes) -> usize {
    2 * field(polynomial(sizes, 1, true)) + 2
}

/// Bytes of the public key.
pub(super) fn public_len(sizes: &Sizes) -> usize {
    field(field(polynomial(sizes, 3, false)) + field(32))
}

/// Bytes of the key that relinearises.
pub(super) fn relin_len(sizes: &Sizes) -> usize {
    field(3 * field(polynomial(sizes, 3, true)) + field(32))
}

/// A field of so many bytes: tag, length, contents. Tags have one byte.
fn field(len: usize) -> usize {
    1 + varint(len) + len
}

fn varint(value: usize) -> usize {
    (usize::BITS - value.leading_zeros()).div_ceil(7).max(1) as usize
}

/// Representation, degree, coefficients, and a mark for public ones.
fn polynomial(sizes: &Sizes, limbs: usize, public: bool) -> usize {
    let coefficients = limbs * sizes.limb_bits as usize * sizes.slots / 8;
    2 + 1 + varint(sizes.slots) + field(coefficients) + 2 * usize::from(public)
}

/// Bytes of something the crate writes.
pub(super) fn written(what: &'static str, len: usize, value: &impl Serialize) -> Result<Vec<u8>> {
    let bytes = value.to_bytes();
    same(what, len, bytes.len())?;
    Ok(bytes)
}

/// Keys from the peer.
pub(super) fn read_keys(ring: &Ring, public: &[u8], relin: &[u8]) -> Result<ServerKeys> {
    let refused = || Error::Peer("keys of a homomorphic encryption that are none".into());
    let key = |bytes| inner(bytes).filter(|bytes| reduced(ring, bytes, 3));
    key(public).and(key(relin)).ok_or_else(refused)?;
    let public = PublicKey::from_bytes(public, &ring.par).map_err(|_| refused())?;
    let relin = RelinearizationKey::from_bytes(relin, &ring.par).map_err(|_| refused())?;
    Ok(ServerKeys { public, relin })
}

/// A ciphertext from the peer, at this level.
pub(super) fn read(ring: &Ring, bytes: &[u8], level: usize) -> Result<Ciphertext> {
    let refused = || Error::Peer("a ciphertext that is none".into());
    if !reduced(ring, bytes, 3 - level) {
        return Err(refused());
    }
    let ct = Ciphertext::from_bytes(bytes, &ring.par).map_err(|_| refused())?;
    if is_fresh(ring, &ct, level) { Ok(ct) } else { Err(refused()) }
}

/// The contents of the one field there is.
fn inner(mut bytes: &[u8]) -> Option<&[u8]> {
    let (_, contents) = next(&mut bytes)?;
    if bytes.is_empty() { contents } else { None }
}

/// Whether all polynomials, which are the first fields, have coefficients below their moduli.
fn reduced(ring: &Ring, mut bytes: &[u8], limbs: usize) -> bool {
    let mut polynomials = 0;
    while !bytes.is_empty() {
        match next(&mut bytes) {
            Some((1, Some(polynomial))) if coefficients_reduced(ring, polynomial, limbs) => polynomials += 1,
            Some((2.., _)) => {}
            _ => return false,
        }
    }
    polynomials > 0
}

fn coefficients_reduced(ring: &Ring, mut polynomial: &[u8], limbs: usize) -> bool {
    let mut seen = false;
    while !polynomial.is_empty() {
        match next(&mut polynomial) {
            Some((3, Some(mut bytes))) => {
                let moduli = ring.par.context_at_level(0).expect("the first level").moduli_operators();
                for modulus in &moduli[..limbs] {
                    let len = modulus.serialization_length(ring.par.degree());
                    let Some((now, rest)) = bytes.split_at_checked(len) else { return false };
                    bytes = rest;
                    if modulus.deserialize_vec(now).iter().any(|&c| c >= **modulus) {
                        return false;
                    }
                }
                seen = bytes.is_empty() && !seen;
            }
            Some((1.., _)) => {}
            _ => return false,
        }
    }
    seen
}

/// The next field: its number, and its contents where they are bytes.
fn next<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Option<&'a [u8]>)> {
    let tag = number(bytes)?;
    match tag & 7 {
        0 => number(bytes).map(|_| (tag >> 3, None)),
        2 => {
            let len = usize::try_from(number(bytes)?).ok()?;
            let (contents, rest) = bytes.split_at_checked(len)?;
            *bytes = rest;
            Some((tag >> 3, Some(contents)))
        }
        _ => None,
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
