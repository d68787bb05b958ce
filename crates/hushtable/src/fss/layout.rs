//! How payloads lie in blocks: words in lanes, the entries of a leaf side by side.

use prim::{block::Block, ring::low};

use crate::{
    error::{Error, Result, within},
    share::{Kind, Sharing},
};

/// Most bits of a position.
pub const MAX_POSITION_BITS: u32 = 24;

/// Most words of a payload.
pub const MAX_WORDS: u32 = 16;

/// Most keys that are made at once: their nodes share a hash key.
pub const MAX_KEYS: usize = 1 << 15;

/// What a batch of keys is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyShape {
    /// Bits of the position, 1 to 24.
    pub position: u32,
    /// Bits of each word of the payload, 1 to 64.
    pub bits: u32,
    /// Words of the payload, 1 to 16.
    pub words: u32,
}

impl KeyShape {
    /// `Ok(())` if there are keys of this shape.
    pub(super) fn check(&self) -> Result<()> {
        within("bits of a key's position", self.position, 1..=MAX_POSITION_BITS)?;
        within("bits of a key's payload", self.bits, 1..=64)?;
        within("words of a key's payload", self.words, 1..=MAX_WORDS)
    }
}

/// `Ok(())` if so many keys are made at once.
pub(super) fn check_count(keys: usize) -> Result<()> {
    match (1..=MAX_KEYS).contains(&keys) {
        true => Ok(()),
        false => {
            let accepted = format!("1 to {MAX_KEYS}");
            Err(Error::Param { what: "keys made at once", got: keys.to_string(), accepted })
        }
    }
}

/// The payloads of a node: `2^low` entries of `words` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub sharing: Sharing,
    pub bits: u32,
    pub words: u32,
    /// Bits from one word to the next, a power of two.
    pub lane: u32,
    pub low: u32,
    pub blocks: usize,
}

/// Bits of a block that are corrected as one number.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub block: usize,
    pub shift: u32,
    pub bits: u32,
}

impl Layout {
    /// As many entries as a block holds, `2^most` at most.
    pub(super) fn new<K: Kind>(bits: u32, words: u32, most: u32) -> Self {
        let lane = bits.next_power_of_two().max(if K::SHARING == Sharing::Additive { 8 } else { 1 });
        let low = (128 / (words * lane)).checked_ilog2().map_or(0, |low| low.min(most));
        let blocks = (words * lane).div_ceil(128) as usize;
        Self { sharing: K::SHARING, bits, words, lane, low, blocks }
    }

    /// What is corrected: word by word, or 64 bits at once where XOR shared words fill them.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let used = self.words << self.low;
        let whole =
            self.sharing == Sharing::Xor && self.lane == self.bits && (used * self.lane).is_multiple_of(64);
        let (lane, bits) = if whole { (64, 64) } else { (self.lane, self.bits) };
        let count = used * self.lane / lane;
        let cell = |i: u32| Cell { block: (i * lane / 128) as usize, shift: i * lane % 128, bits };
        (0..count).map(cell).collect()
    }

    /// Whether a row of nodes is a row of values, in whole bytes.
    pub(super) fn is_packed(&self) -> bool {
        self.words == 1 && self.lane >= 8 && self.lane << self.low == 128
    }

    /// Bits of all cells.
    pub(super) fn cell_bits(&self) -> u64 {
        self.cells().iter().map(|cell| u64::from(cell.bits)).sum()
    }

    /// Where a word of an entry lies.
    pub(super) fn place(&self, entry: u32, word: u32) -> Cell {
        let lane = entry * self.words + word;
        Cell { block: (lane * self.lane / 128) as usize, shift: lane * self.lane % 128, bits: self.bits }
    }

    /// The sum of two blocks, lane by lane.
    pub(super) fn add(&self, a: Block, b: Block) -> Block {
        if self.sharing == Sharing::Xor {
            return a ^ b;
        }
        let top = self.ones() << (self.lane - 1);
        Block((a.0 & !top).wrapping_add(b.0 & !top) ^ (a.0 ^ b.0) & top)
    }

    /// What adds up with a block to zero.
    pub(super) fn negated(&self, a: Block) -> Block {
        match self.sharing {
            Sharing::Xor => a,
            Sharing::Additive => self.add(Block(!a.0), Block(self.ones())),
        }
    }

    /// The lowest bit of each lane.
    fn ones(&self) -> u128 {
        (0..128 / self.lane).fold(0, |ones, i| ones | 1 << (i * self.lane))
    }
}

impl Cell {
    pub(super) fn get(&self, blocks: &[Block]) -> u64 {
        low((blocks[self.block].0 >> self.shift) as u64, self.bits)
    }

    /// Puts a number where there are zeros.
    pub(super) fn put(&self, blocks: &mut [Block], value: u64) {
        blocks[self.block].0 |= u128::from(low(value, self.bits)) << self.shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::{Additive, Bitwise};

    #[test]
    fn payloads_fill_blocks() {
        let of = |l: Layout| (l.lane, l.low, l.blocks, l.cells().len());
        assert_eq!(of(Layout::new::<Bitwise>(1, 1, 24)), (1, 7, 1, 2));
        assert_eq!(of(Layout::new::<Bitwise>(1, 1, 3)), (1, 3, 1, 8));
        assert_eq!(of(Layout::new::<Bitwise>(3, 1, 24)), (4, 5, 1, 32));
        assert_eq!(of(Layout::new::<Additive>(1, 1, 24)), (8, 4, 1, 16));
        assert_eq!(of(Layout::new::<Additive>(64, 1, 24)), (64, 1, 1, 2));
        assert_eq!(of(Layout::new::<Additive>(33, 3, 24)), (64, 0, 2, 3));
        assert_eq!(of(Layout::new::<Additive>(9, 3, 24)), (16, 1, 1, 6));
    }

    #[test]
    fn lanes_add_up() {
        for bits in [1, 8, 13, 32, 63, 64] {
            let layout = Layout::new::<Additive>(bits, 1, 24);
            let (a, b) = (Block(u128::MAX / 3 - 12345), Block(u128::MAX / 7 * 5));
            let (sum, none) = (layout.add(a, b), layout.add(a, layout.negated(a)));
            for cell in layout.cells() {
                let value = |x: Block| cell.get(&[x]);
                assert_eq!(value(sum), low(value(a).wrapping_add(value(b)), bits), "{bits}");
                assert_eq!(value(none), 0);
            }
        }
    }
}
