//! Ciphertexts, as they are sent and as they are multiplied.

use prim::{
    ntt::DEGREE,
    pack::{pack, packed_len, unpack},
};

use crate::{
    error::{Error, Result},
    params::Params,
    poly::{Poly, Ring},
    sample::public,
};

/// Bits of a residue on the wire.
pub(crate) const RESIDUE: u32 = 30;

/// A ciphertext as it is sent: its second part follows from the key's seed and its number.
pub struct Seeded {
    /// Its number.
    pub number: u64,
    first: Poly,
}

/// A ciphertext, as transforms.
pub struct Ciphertext {
    pub(crate) first: Poly,
    pub(crate) second: Poly,
}

impl Seeded {
    pub(crate) fn new(number: u64, first: Poly) -> Self {
        Self { number, first }
    }

    /// Bytes of one.
    pub fn len(params: Params) -> usize {
        packed_len(DEGREE, RESIDUE) * params.limbs()
    }

    /// As it is sent, without its number.
    pub fn encode(&self, to: &mut Vec<u8>) {
        self.first.limbs().for_each(|limb| pack(limb, RESIDUE, to));
    }

    /// The ciphertext of this number, as the peer sent it.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length, and for a number that is no residue.
    pub fn decode(ring: &Ring, seed: &[u8; 32], number: u64, bytes: &[u8]) -> Result<Ciphertext> {
        if bytes.len() != Self::len(ring.params()) {
            return Err(Error::Malformed("a ciphertext of another length"));
        }
        let mut pieces = bytes.chunks_exact(packed_len(DEGREE, RESIDUE));
        let mut fine = true;
        let first = ring.residues(|ntt, limb| {
            unpack(pieces.next().expect("bytes of each prime"), RESIDUE, limb);
            fine &= limb.iter().all(|x| *x < ntt.modulus());
        });
        if !fine {
            return Err(Error::Malformed("a number that is not below its prime"));
        }
        Ok(Ciphertext { first, second: public(ring.ntts(), seed, number) })
    }
}

impl Ciphertext {
    pub(crate) fn zeros(ring: &Ring) -> Self {
        let zeros = || Poly::zeros(ring.params().limbs());
        Self { first: zeros(), second: zeros() }
    }
}
