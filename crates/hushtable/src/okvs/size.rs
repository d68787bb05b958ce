//! How many columns a store for n keys has.

use crate::{
    chance::Chance,
    error::{Error, Result},
};

/// Most keys of a store: so far the bound on failure is computed.
pub const MAX_KEYS: usize = 3 << 24;

/// Keys of a cluster, at least, where there are several.
const CLUSTER: usize = 1 << 15;

/// Clusters and columns of a store. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    clusters: usize,
    third: usize,
}

impl Size {
    /// For so many keys, or fewer.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_KEYS`].
    pub fn of(keys: usize) -> Result<Self> {
        if keys > MAX_KEYS {
            let (what, got) = ("keys of a key-value store", keys.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {MAX_KEYS}") });
        }
        let clusters = (keys / CLUSTER).max(1);
        let mean = keys.div_ceil(clusters).max(1);
        let factor = if clusters == 1 { 1.28 } else { 1.30 };
        // Where less would leave many keys to Gauss. The library's own logarithm: both parties have the same columns.
        let peels = 1.223 + 9.742_574_257_425_743 * libm::pow(mean as f64, -0.555);
        let columns = (mean as f64 * f64::max(factor, peels)).ceil() as usize;
        Ok(Self { clusters, third: columns.max(mean + 512).div_ceil(3) })
    }

    /// With a single cluster of three times so many columns, whatever the keys: for tests of failure.
    #[doc(hidden)]
    pub fn reduced(third: usize) -> Self {
        Self { clusters: 1, third }
    }

    /// That keys of a store for so many have no table: `2^-44` for the least favourable number, some hundred; `2^-47` from
    /// 2048 on, and `2^-57` of each cluster where there are several. By the computed bounds in
    /// `tests/data/okvs_bounds.json`.
    pub fn chance(keys: usize) -> Chance {
        let (each, log2) = match keys / CLUSTER {
            0 | 1 => (keys.min(1), if keys < 2048 { -44 } else { -47 }),
            clusters => (clusters, -57),
        };
        Chance::of("keys without a table", each as f64, log2)
    }

    /// Clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Columns of a cluster, a multiple of 3.
    pub fn cluster(&self) -> usize {
        3 * self.third
    }

    /// Columns in all.
    pub fn columns(&self) -> usize {
        self.clusters * self.cluster()
    }
}
