//! Step 1: the rows of keys.

use prim::{Block, CcrHash, Wiped};

use super::size::Size;
use crate::{
    net::Role,
    session::{Purpose, Session},
};

/// Keys that are hashed at a time.
pub(super) const BATCH: usize = 256;

/// The two hash functions of a store. Public.
#[derive(Clone)]
pub struct Hashing {
    places: CcrHash,
    coefficients: CcrHash,
}

/// Of up to [`BATCH`] keys.
pub(super) struct Rows {
    /// Columns of the whole table.
    pub places: Wiped<[u32; 3]>,
    /// Of the second and the third column; that of the first is 1.
    pub coefficients: Wiped<[u64; 2]>,
    hashed: Wiped<Block>,
}

impl Hashing {
    /// For a store that the party `owner` makes: both parties ask in the same order.
    pub fn new(s: &mut Session, owner: Role) -> Self {
        Self { places: s.hash(Purpose::StorePlace, owner), coefficients: s.hash(Purpose::StoreFactor, owner) }
    }
}

impl Rows {
    pub(super) fn new() -> Self {
        let (places, coefficients) = (Wiped::zeros(BATCH), Wiped::zeros(BATCH));
        Self { places, coefficients, hashed: Wiped::zeros(BATCH) }
    }

    /// Those of these keys, at most [`BATCH`], in the first places.
    pub(super) fn hash(&mut self, with: &Hashing, size: Size, keys: &[Block]) {
        let hashed = &mut self.hashed[..keys.len()];
        with.places.xored(keys, Block::ZERO, hashed);
        let (clusters, third) = (size.clusters() as u64, size.cluster() as u64 / 3);
        for (places, x) in self.places.iter_mut().zip(&*hashed) {
            let scaled = |i: u32, n: u64| (u64::from((x.0 >> (32 * i)) as u32) * n) >> 32;
            let first = 3 * third * scaled(3, clusters);
            *places = [0, 1, 2].map(|i| (first + u64::from(i) * third + scaled(i, third)) as u32);
        }
        with.coefficients.xored(keys, Block::ZERO, hashed);
        for (factors, x) in self.coefficients.iter_mut().zip(&*hashed) {
            *factors = [x.0 as u64 | 1, (x.0 >> 64) as u64 | 1];
        }
    }
}
