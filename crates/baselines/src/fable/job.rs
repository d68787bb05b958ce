//! What a table and a batch are, in public, and all sizes that follow.

use super::rounds::Rounds;
use hushtable::{
    chance::Chance,
    confidential::prf::{Cipher, PrfJob},
    error::{Error, Result, within},
    net::Role,
};

/// Slots of a ciphertext, and buckets.
const SLOTS: usize = 1 << 13;
/// Copies of an item, and retrievals.
pub(super) const COPIES: usize = 3;
/// Bits of an id.
pub(super) const ID_BITS: u32 = 64;
/// Statistical security.
const LAMBDA: i32 = 40;
/// Moduli of ciphertexts, and bits of each at most.
const LIMBS: usize = 3;
const MAX_LIMB_BITS: u32 = 62;
/// Largest coefficient of secrets and errors: twice their variance.
const SMALL: f64 = 20.0;
/// Most bits of a key: with its tag it fits a word.
pub const MAX_KEY_BITS: u32 = 62;
/// Most bits of a value: with its tag and whether it was found it makes a word.
pub const MAX_VALUE_BITS: u32 = 61;

/// A table of one party, and how it is looked up. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FableJob {
    /// Who has the table: the server.
    pub owner: Role,
    /// What makes ids of keys.
    pub cipher: Cipher,
    /// Bits of a key, 1 to [`MAX_KEY_BITS`].
    pub key_bits: u32,
    /// Bits of a value, 1 to [`MAX_VALUE_BITS`].
    pub value_bits: u32,
    /// Keys that the table has, or more.
    pub entries: usize,
    /// How the circuits are evaluated.
    pub rounds: Rounds,
    slots: usize,
}

/// What follows from a job and the number of lookups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Slots of a ciphertext, and buckets.
    pub slots: usize,
    /// Bits of a key that may also be a placeholder.
    pub tagged_bits: u32,
    /// No bucket has more items, but with probability `2^-40`.
    pub load: usize,
    /// Places of a bucket.
    pub columns: usize,
    /// Ciphertexts of a query for one copy: length of the code.
    pub code: usize,
    /// Bits of the plaintext modulus.
    pub plain_bits: u32,
    /// Pieces of an item, each of a bit less.
    pub chunks: usize,
    /// Bits of each of the three ciphertext moduli.
    pub limb_bits: u32,
    /// Bits of the noise that hides a response's own.
    pub flood_bits: u32,
}

impl FableJob {
    /// A table with up to `entries` keys.
    pub fn new(owner: Role, cipher: Cipher, key_bits: u32, value_bits: u32, entries: usize) -> Self {
        Self { owner, cipher, key_bits, value_bits, entries, rounds: Rounds::MANY, slots: SLOTS }
    }

    /// The same with circuits that are evaluated so; by layers unless it is said.
    #[must_use]
    pub fn with_rounds(self, rounds: Rounds) -> Self {
        Self { rounds, ..self }
    }

    /// The same with ciphertexts of so many slots, a power of two: **no security**, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn insecure_slots(self, slots: usize) -> Self {
        Self { slots, ..self }
    }

    /// All sizes, for `count` lookups.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn sizes(&self, count: usize) -> Result<Sizes> {
        let most = (self.slots * 4 / 5).min(self.slots.saturating_sub(200));
        if !(1..=most).contains(&count) {
            let (what, got) = ("lookups at once", count.to_string());
            return Err(Error::Param { what, got, accepted: format!("1 to {most}") });
        }
        within("bits of a key", self.key_bits, 1..=MAX_KEY_BITS)?;
        within("bits of a value", self.value_bits, 1..=MAX_VALUE_BITS)?;
        if self.entries > 1 << self.key_bits {
            let (what, got) = ("rows of a table", self.entries.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {}", 1u64 << self.key_bits) });
        }
        let tagged_bits = self.key_bits.max(usize::BITS - (count - 1).leading_zeros()) + 1;
        let load = self.load(count);
        let columns = (8 * load).div_ceil(5).max(8);
        let code = (2..).find(|m| m * (m - 1) / 2 >= columns).expect("a code that is long enough");
        let item = (tagged_bits + self.value_bits) as usize;
        let shape = |plain_bits: u32| {
            let chunks = item.div_ceil(plain_bits as usize - 1);
            let (flood_bits, limb_bits) = moduli(self.slots, code, plain_bits, chunks);
            Sizes {
                slots: self.slots,
                tagged_bits,
                load,
                columns,
                code,
                plain_bits,
                chunks,
                limb_bits,
                flood_bits,
            }
        };
        let least = (2 * self.slots).ilog2() + 4;
        let fitting = (least..=32).map(shape).filter(|sizes| sizes.limb_bits <= MAX_LIMB_BITS);
        fitting.min_by_key(|sizes| (sizes.chunks, sizes.limb_bits)).ok_or_else(|| Error::Param {
            what: "rows of a table",
            got: self.entries.to_string(),
            accepted: "as many as the noise of the ciphertexts allows".into(),
        })
    }

    /// What chance can spoil in a batch of `count` lookups. **More than `2^-40`**: the parameters are the published ones,
    /// each for `2^-40` or less. Sets of items that have a place too few are counted up to eight; larger ones are rarer.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn chance(&self, count: usize) -> Result<Chance> {
        let sizes = self.sizes(count)?;
        let (columns, per) = (sizes.columns as f64, COPIES as f64 / self.slots as f64);
        let choose =
            |n: f64, k: u32| (0..k).map(|i| (n - f64::from(i)).max(0.0) / f64::from(i + 1)).product::<f64>();
        // So many of a bucket's items that all have their three places among one less.
        let crowded = |k: u32| {
            let items = choose((self.entries + count - 1) as f64, k) * per.powi(k as i32);
            items * choose(columns, k - 1) * (choose(f64::from(k - 1), 3) / choose(columns, 3)).powi(k as i32)
        };
        let given_up = self.slots as f64 * (4..=8).map(crowded).sum::<f64>();
        Ok(Chance::of("keys that are given up", given_up, 0)
            + Chance::of("buckets that are too full", 1.0, -LAMBDA)
            + Chance::of("ids without a bucket", 1.0, -LAMBDA)
            + Chance::of("noise that shows", 1.0, -LAMBDA)
            + Chance::of("keys of one id", (count as f64).powi(2) / 2.0, -(ID_BITS as i32)))
    }

    /// The function that makes ids.
    pub(super) fn prf(&self, sizes: &Sizes) -> PrfJob {
        let (cipher, owner) = (self.cipher, self.owner);
        PrfJob { cipher, owner, input_bits: sizes.tagged_bits, output_bits: ID_BITS }
    }

    /// The least U with a probability of at most `2^-40` that one of the buckets has more than U of the keys, of which
    /// each is in three: the tail of the binomial distribution, added up from its end.
    fn load(&self, count: usize) -> usize {
        let (items, slots) = ((self.entries + count - 1) as f64, self.slots as f64);
        let p = COPIES as f64 / slots;
        let mean = items * p;
        let end = (mean + 20.0 * mean.sqrt() + 100.0).min(items) as usize;
        let odds = libm::log(p / (1.0 - p));
        let mut logs = vec![items * libm::log1p(-p)];
        for k in 1..=end {
            let ratio = (items - k as f64 + 1.0) / k as f64;
            logs.push(logs[k - 1] + libm::log(ratio) + odds);
        }
        let (mut tail, bound) = (0.0, libm::exp2(-f64::from(LAMBDA)) / slots);
        for (k, log) in logs.iter().enumerate().rev() {
            tail += libm::exp(*log);
            if tail > bound {
                return k;
            }
        }
        0
    }
}

impl Sizes {
    /// Bits of a plaintext that carry data.
    pub fn chunk_bits(&self) -> u32 {
        self.plain_bits - 1
    }

    /// Ciphertexts of all responses.
    pub fn responses(&self) -> usize {
        COPIES * self.chunks
    }

    /// Bits of the noise of a response before it is refreshed, at most. Proved for the worst case, not measured.
    pub fn noise_bits(&self) -> f64 {
        libm::log2(noise(self.slots, self.code, self.plain_bits, self.limb_bits))
    }
}

/// Bits of the flooding, and of each modulus, for a code of `code` ciphertexts.
fn moduli(slots: usize, code: usize, plain_bits: u32, chunks: usize) -> (u32, u32) {
    let coefficients = (slots * COPIES * chunks) as f64;
    let hidden = libm::log2(noise(slots, code, plain_bits, MAX_LIMB_BITS)) + f64::from(LAMBDA);
    let flood = libm::ceil(hidden + libm::log2(coefficients)) as u32;
    // The flooding, and an eighth of it for all else, must stay below q / 2t; primes lie just below powers of two.
    let modulus = f64::from(flood + plain_bits + 1) + 0.25;
    (flood, libm::ceil(modulus / LIMBS as f64) as u32)
}

/// The largest coefficient that a response's noise can have.
///
/// A fresh ciphertext has noise e up to 21 with the rounding of its plaintext, and its phase is `q m / t + e + q k` with
/// k up to `(20 n + 1) / 2 + 1`. A sum of `code` of them, each times a plaintext of coefficients below t, has
/// `code * n t` times the noise. The product of the two has `n t (k + 1)` times the sum of the noises of both, and there
/// are `code` products. They are rounded once, and relinearised once.
fn noise(slots: usize, code: usize, plain_bits: u32, limb_bits: u32) -> f64 {
    let (n, m, t) = (slots as f64, (code - 1) as f64, libm::exp2(f64::from(plain_bits)));
    let fresh = SMALL + 1.0;
    let wraps = (SMALL * n + 1.0) / 2.0 + 1.0;
    let rows = m * n * t * fresh;
    let products = m * (n * t * (wraps + 1.0) * (rows + fresh) + 1.0);
    let rounding = 1.0 + SMALL * n + SMALL * SMALL * n * n;
    let relinearised = LIMBS as f64 * n * SMALL * libm::exp2(f64::from(limb_bits));
    products + rounding + relinearised
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of confidential-spec 2, where placeholders are not counted.
    #[test]
    fn sizes_are_those_of_the_page() {
        for (bits, load, columns, code) in [(16, 74, 119, 16), (20, 556, 890, 43)] {
            let job = FableJob::new(Role::P0, Cipher::LowMc, bits, bits, 1 << bits);
            let sizes = job.sizes(1).expect("sizes");
            assert_eq!((sizes.load, sizes.columns, sizes.code), (load, columns, code), "2^{bits}");
        }
    }

    /// That of the published parameters, by confidential-errata E16: more than a job may have.
    #[test]
    fn chance_is_that_of_the_page() {
        for (bits, given_up) in [(16, 2f64.powf(-26.6)), (20, 2f64.powf(-37.3))] {
            let chance =
                FableJob::new(Role::P0, Cipher::LowMc, bits, bits, 1 << bits).chance(1).expect("sizes");
            let (what, part) = chance.parts()[0];
            assert!(what == "keys that are given up" && (0.8..1.2).contains(&(part / given_up)), "{chance}");
            chance.check().expect_err("more than 2^-40");
        }
    }

    /// Flooding is 56 bits above the bound and all of it fits below q / 2t.
    #[test]
    fn noise_fits_the_moduli() {
        for bits in [4, 10, 16, 20, 23, 24, 28] {
            let job = FableJob::new(Role::P0, Cipher::LowMc, bits, bits, 1 << bits);
            for count in [1, 64, 4096] {
                let sizes = job.sizes(count).expect("sizes");
                let flood = f64::from(sizes.flood_bits);
                let above = 40.0 + libm::log2((sizes.slots * sizes.responses()) as f64);
                assert!(above > 54.5 && flood >= sizes.noise_bits() + above, "{sizes:?}");
                let room = f64::from(3 * sizes.limb_bits - sizes.plain_bits - 1) - 0.01;
                assert!(flood + 0.1 < room, "{sizes:?}");
            }
        }
    }
}
