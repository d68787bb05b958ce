//! Pure functions on words and blocks: hashing, pseudo-random generation, GGM trees, bit
//! matrices, products over F_2^64, secret-independent selection and LPN encoding.
//!
//! Nothing here knows a network, a party or a protocol. Every function that touches a secret is
//! free of branches and memory addresses that depend on it. Unsafe code lives in [`simd`] only.

#![deny(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("blocks and rows are little-endian in memory and on the wire");

mod aes;
pub mod angle;
pub mod block;
pub mod cipher;
pub mod ct;
pub mod forest;
pub mod gf64;
pub mod ggm;
pub mod half_gates;
pub mod hash;
pub mod lookup;
pub mod lowmc;
pub mod lpn;
pub mod ntt;
pub mod pack;
pub mod planes;
pub mod prg;
pub mod products;
pub mod record;
pub mod ring;
pub mod rows;
#[allow(unsafe_code)]
pub mod simd;
pub mod subfield;
pub mod transpose;
pub mod wipe;
pub mod words;

pub use block::Block;
pub use cipher::Aes128;
pub use ct::Shift;
pub use hash::CcrHash;
pub use prg::Prg;
pub use ring::{Ring, low};
pub use simd::Kernel;
pub use wipe::{Wiped, wipe};
