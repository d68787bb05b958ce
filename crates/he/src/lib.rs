//! RLWE in the shape that products of two parties need.
//!
//! The *encryptor* has a key, and encrypts polynomials with coefficients mod `2^l`. Its peer, the *evaluator*, multiplies
//! them by polynomials that it knows, adds them up, and answers with a response that tells the encryptor the sum less a
//! mask, and nothing else. So both have shares of the product. In polynomials mod `X^8192 + 1` a coefficient of a product
//! is an inner product.
//!
//! # Scheme
//! Ciphertexts `(b, a)` with `b = -a s + e + (q / 2^l) m`, all mod q: a product of primes of 30 bits. The secret s is
//! uniform in -1, 0, 1, errors are centred binomial of 42 coins, `a` comes from a seed. Both parts are kept as transforms.
//!
//! # Security
//! Semi-honest, 128 bits by RLWE of dimension 8192 with a modulus of at most 214 bits ([`Params`]). A response has a fresh
//! encryption of zero and noise of 40 bits more than it can have gathered: [`respond`] has the proof. It is decrypted
//! without a check: nothing that the peer sends shows by an error.
//!
//! # Source
//! docs/spec/lattice-spec.md, 1 to 4, with parameters of Bossuat et al., "Security Guidelines for Implementing Homomorphic
//! Encryption" (2024).

mod ciphertext;
mod encode;
mod error;
mod keys;
mod multiplier;
mod packing;
mod params;
mod poly;
pub mod respond;
mod sample;
mod shape;
mod tiles;

pub use ciphertext::{Ciphertext, Seeded};
pub use error::{Error, Result};
pub use keys::Encryptor;
pub use multiplier::Multiplier;
pub use packing::{Packer, PackingKey, SeededKey};
pub use params::{Params, Product};
pub use poly::{Plain, Poly, Ring};
pub use respond::{Evaluator, Mask, Response};
pub use shape::{Shape, Window};
pub use tiles::{Counts, Tiling};
