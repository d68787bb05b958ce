//! The client's part of the retrieval: where its keys may lie, as ciphertexts.
//!
//! Place c of a bucket is the pair `a > d` with `c = a (a - 1) / 2 + d`: a code word of weight two. Slot j of ciphertext e
//! of a query is 1 if e is one of the two for the place that is asked for in bucket j.

use fhe::bfv::{Ciphertext, Encoding, Plaintext};
use fhe_traits::{FheDecoder, FheDecrypter, FheEncoder, FheEncrypter};
use prim::{Block, Wiped, prg::Prg};
use zeroize::Zeroizing;

use super::{
    hashes::Hashes,
    job::{COPIES, Sizes},
    ring::{ClientKeys, Random, Ring, fits},
};
use hushtable::{cuckoo::Placement, error::Result};

/// Where the client looks.
pub(super) struct Targets {
    /// The bucket of each id.
    pub buckets: Wiped<u32>,
    /// For each copy the place that is asked for in each bucket.
    places: Wiped<u32>,
}

impl Targets {
    /// A bucket of its own for each id. In those that are left the first place is asked for.
    ///
    /// # Errors
    /// [`Error::Chance`](hushtable::Error::Chance) if there are none, with a probability below `2^-40`.
    pub fn new(sizes: &Sizes, hashes: &Hashes, ids: &[Block]) -> Result<Self> {
        let candidates = hashes.buckets(sizes.slots, ids);
        let wanted = hashes.places(sizes.columns, ids);
        let placement = Placement::new(sizes.slots, &candidates)?;
        let mut buckets = Wiped::zeros(ids.len());
        let mut places = Wiped::zeros(COPIES * sizes.slots);
        for (bucket, item) in placement.items().enumerate() {
            let Some(item) = item else { continue };
            buckets[item] = bucket as u32;
            (0..COPIES).for_each(|copy| places[copy * sizes.slots + bucket] = wanted[item][copy]);
        }
        Ok(Self { buckets, places })
    }

    /// The query's ciphertext with this number, for a copy.
    pub fn ciphertext(
        &self,
        (ring, keys): (&Ring, &ClientKeys),
        copy: usize,
        number: usize,
        rng: &mut Prg,
    ) -> Ciphertext {
        let slots = ring.par.degree();
        let places = &self.places[copy * slots..][..slots];
        let chosen = |&place: &u32| {
            let [a, d] = code_word(place as usize);
            u64::from(a == number || d == number)
        };
        let values = Zeroizing::new(places.iter().map(chosen).collect::<Vec<u64>>());
        let plain = fits(Plaintext::try_encode(&values[..], Encoding::simd(), &ring.par));
        fits(keys.secret.try_encrypt(&plain, &mut Random(rng)))
    }
}

/// The pair of a place.
pub(super) fn code_word(place: usize) -> [usize; 2] {
    let mut a = (8 * place + 1).isqrt().div_ceil(2);
    while a * (a - 1) / 2 > place {
        a -= 1;
    }
    while a * (a + 1) / 2 <= place {
        a += 1;
    }
    [a, place - a * (a - 1) / 2]
}

/// The slots of a response.
pub(super) fn decrypted(keys: &ClientKeys, response: &Ciphertext, level: usize) -> Zeroizing<Vec<u64>> {
    let plain = fits(keys.secret.try_decrypt(response));
    Zeroizing::new(fits(Vec::<u64>::try_decode(&plain, Encoding::simd_at_level(level))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_pairs() {
        let mut pairs = (1..60).flat_map(|a| (0..a).map(move |d| [a, d]));
        (0..1700).for_each(|place| assert_eq!(Some(code_word(place)), pairs.next()));
    }
}
