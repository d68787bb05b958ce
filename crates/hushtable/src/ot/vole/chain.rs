//! Which extensions make how many VOLEs, and from what.

use crate::{
    error::{Error, Result},
    ot::{
        choice::Limits,
        params::{LpnSet, SETS},
    },
};

/// Up to so many VOLEs are packed: the seeds of set S.
pub const PACKED: usize = SETS[0].k() + SETS[0].t;
/// Most VOLEs of a call.
pub const MAX: usize = 1 << 28;
/// Up to so many set L is not worth its start.
const NO_LARGE_SET: usize = 1 << 23;

/// How a batch is made.
pub(super) struct Chain {
    /// VOLEs of 64 correlated OTs each: the seeds of the first level, or the batch.
    pub packed: usize,
    /// Each makes the seeds of the next one, the last one the batch.
    pub levels: Vec<Level>,
}

/// Extensions of one set.
pub(super) struct Level {
    pub set: &'static LpnSet,
    /// VOLEs that are used of what it makes.
    pub outputs: usize,
    /// Trees of each extension.
    trees: Vec<usize>,
}

/// One extension, or as much of it as is needed.
#[derive(Clone, Copy)]
pub(super) struct Extension {
    pub set: &'static LpnSet,
    /// Trees that are made.
    pub trees: usize,
    /// The first so many of them are for use; the others are the seeds of the next extension.
    pub for_use: usize,
}

impl Chain {
    /// # Errors
    /// [`Error::Param`] for more than [`MAX`].
    pub(super) fn of(count: usize, limits: &Limits) -> Result<Self> {
        if count > MAX {
            let (got, accepted) = (count.to_string(), format!("0 to {MAX}"));
            return Err(Error::Param { what: "VOLEs", got, accepted });
        }
        let large = count > NO_LARGE_SET && limits.level(count) == Some(2);
        let top = if count <= SETS[0].n() { 0 } else { 1 + usize::from(large) };
        Ok(Self::up_to(count, top))
    }

    /// By the sets up to this one, as far as they are needed.
    pub(super) fn up_to(count: usize, top: usize) -> Self {
        let (mut packed, mut levels) = (count, Vec::new());
        for &set in SETS[..=top].iter().rev() {
            if packed > PACKED {
                let level = Level::of(set, packed);
                packed = level.seeds();
                levels.insert(0, level);
            }
        }
        Self { packed, levels }
    }

    /// Correlated OTs of all trees.
    pub(super) fn tree_cots(&self) -> usize {
        self.levels.iter().flat_map(Level::extensions).map(|extension| extension.cots()).sum()
    }
}

impl Level {
    fn of(set: &'static LpnSet, outputs: usize) -> Self {
        let (mut left, mut trees) = (outputs, Vec::new());
        while left > set.n() {
            trees.push(set.t);
            left -= for_use(set) << set.depth;
        }
        trees.push(left.div_ceil(1 << set.depth));
        Self { set, outputs, trees }
    }

    /// VOLEs that it starts from.
    fn seeds(&self) -> usize {
        self.set.k() + self.trees[0]
    }

    /// VOLEs for use that it makes, in whole trees.
    pub(super) fn room(&self) -> usize {
        self.extensions().map(|extension| extension.for_use << self.set.depth).sum()
    }

    pub(super) fn extensions(&self) -> impl Iterator<Item = Extension> {
        let (set, last) = (self.set, self.trees.len() - 1);
        self.trees.iter().enumerate().map(move |(i, &trees)| {
            let for_use = if i == last { trees } else { for_use(set) };
            Extension { set, trees, for_use }
        })
    }
}

impl Extension {
    /// Correlated OTs of its trees.
    pub(super) fn cots(&self) -> usize {
        self.trees * self.set.depth as usize
    }

    /// VOLEs that are kept for the next extension, in whole trees.
    pub(super) fn kept(&self) -> usize {
        (self.trees - self.for_use) << self.set.depth
    }
}

/// Trees of a full extension that are not kept as seeds.
fn for_use(set: &LpnSet) -> usize {
    set.t - (set.k() + set.t).div_ceil(1 << set.depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        net::LinkShape,
        ot::{Rates, Scheme},
    };

    fn limits(scheme: Scheme) -> Limits {
        Limits::new(Some(scheme), &LinkShape::LOOPBACK, &Rates::REFERENCE)
    }

    fn shape(chain: &Chain) -> (usize, Vec<(&'static str, Vec<usize>)>) {
        (chain.packed, chain.levels.iter().map(|l| (l.set.name, l.trees.clone())).collect())
    }

    #[test]
    fn chains() {
        let limits = limits(Scheme::Ferret);
        let of = |count| shape(&Chain::of(count, &limits).unwrap());
        assert_eq!(PACKED, 17_360);
        assert_eq!(of(0), (0, vec![]));
        assert_eq!(of(PACKED), (PACKED, vec![]));
        assert_eq!(of(PACKED + 1), (16_384 + 136, vec![("S", vec![136])]));
        assert_eq!(of(124_928), (PACKED, vec![("S", vec![976])]));
        assert_eq!(of(124_929), (PACKED, vec![("S", vec![976, 185]), ("M", vec![123])]));
        assert_eq!(of(1 << 20), (PACKED, vec![("S", vec![976, 192]), ("M", vec![1024])]));
        assert_eq!(of(2_564_097), (PACKED, vec![("S", vec![976, 204]), ("M", vec![2504, 132])]));
        assert_eq!(of(1 << 24).1[1], ("M", vec![2504, 2504, 2504, 2504, 2504, 2504, 2146]));
        assert!(Chain::of(MAX + 1, &limits).is_err());
        let large = self::limits(Scheme::FerretLarge);
        let of = |count| shape(&Chain::of(count, &large).unwrap());
        assert_eq!(of(1 << 23).1[1].0, "M");
        assert_eq!(of(1 << 24).1[2], ("L", vec![2584, 1641]));
    }

    /// Every level has its seeds from the one before, and every extension from its predecessor.
    #[test]
    fn seeds_suffice() {
        for top in 0..SETS.len() {
            for count in [0, 1, 17_360, 17_361, 200_000, 3_000_000, 30_000_000] {
                let chain = Chain::up_to(count, top);
                let mut have = chain.packed;
                for level in &chain.levels {
                    for extension in level.extensions() {
                        let needed = level.set.k() + extension.trees;
                        assert!(have >= needed && extension.trees <= level.set.t, "{count} {top}");
                        assert!(extension.for_use <= extension.trees);
                        have = extension.kept();
                    }
                    assert!(
                        level.room() >= level.outputs && level.room() - level.outputs < 1 << level.set.depth
                    );
                    have = level.outputs;
                }
                assert_eq!(have, count);
            }
        }
    }
}
