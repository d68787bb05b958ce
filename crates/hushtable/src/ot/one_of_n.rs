//! 1-of-n OT of random pads from `log2 n` correlated OTs, by a tree of keys.
//!
//! # Functionality
//! The sender gets random pads `m_0, ..., m_{n-1}`, `n = 2^d`; the receiver a random `s` and `m_s`.
//!
//! # Protocol
//! Level j uses correlated OT number j, most significant bit of the pad's index first. From the
//! root `S = 0`, child `2i + b` of node `i` is `H(S_i ^ q_j ^ b * Delta ^ tweak(j, 2i + b))`; the
//! receiver walks its own path with `t_j = q_j ^ b_j * Delta`. The leaves are the pads. Hashing at
//! every level is what makes the pads independent: XORs of the raw strings would cancel `Delta`.
//!
//! # Cost
//! No message. The sender hashes `2 (n - 1)` blocks, the receiver `d`.
//!
//! # Source
//! Naor and Pinkas, "Computationally Secure Oblivious Transfer" (J. Cryptology 2005), with one hash
//! per node; lut-spec 1.3.

use prim::{block::Block, hash::CcrHash};

/// The sender's pads of one OT, from its `d` strings: `pads.len() = 2^d`.
pub fn pads(hash: &CcrHash, delta: Block, q: &[Block], pads: &mut [Block]) {
    assert_eq!(pads.len(), 1 << q.len(), "a correlated OT for each level");
    pads[0] = Block::ZERO;
    for (level, &q) in q.iter().enumerate() {
        // From the last node to the first: a node's children lie at or behind it.
        for i in (0..1 << level).rev() {
            let left = pads[i] ^ q ^ tweak(level, 2 * i as u32);
            pads[2 * i] = left;
            pads[2 * i + 1] = left ^ delta ^ Block::ONE;
        }
        hash.in_place(&mut pads[..2 << level]);
    }
}

/// The receiver's pads, one per OT, from `depth` strings each.
pub fn chosen_pads(hash: &CcrHash, t: &[Block], depth: usize) -> Vec<Block> {
    let count = t.len() / depth;
    let mut pads = vec![Block::ZERO; count];
    let mut index = vec![0u32; count];
    for level in 0..depth {
        for ((pad, index), t) in pads.iter_mut().zip(&mut index).zip(t.chunks_exact(depth)) {
            *index = *index << 1 | u32::from(t[level].lsb());
            *pad = *pad ^ t[level] ^ tweak(level, *index);
        }
        hash.in_place(&mut pads);
    }
    pads
}

/// The receiver's random index: its choice bits, most significant first.
pub fn chosen_index(t: &[Block]) -> u32 {
    t.iter().fold(0, |index, t| index << 1 | u32::from(t.lsb()))
}

/// Distinct for every node of a tree. Bit 0 is the child's own bit, the level lies above the index.
fn tweak(level: usize, index: u32) -> Block {
    Block((level as u128) << 32 | u128::from(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::prg::Prg;

    #[test]
    fn the_receiver_has_one_pad_and_knows_which() {
        let mut rng = Prg::new(Block(5));
        let hash = CcrHash::new(Block(6));
        for depth in 1..=9 {
            let delta = rng.block().with_lsb(true);
            let q: Vec<Block> = (0..depth).map(|_| rng.block().with_lsb(false)).collect();
            let t: Vec<Block> = q.iter().map(|&q| q ^ (delta & Block::mask(rng.u64() & 1 == 1))).collect();
            let mut all = vec![Block::ZERO; 1 << depth];
            pads(&hash, delta, &q, &mut all);
            let known = chosen_pads(&hash, &t, depth)[0];
            let hits: Vec<usize> = (0..all.len()).filter(|&i| all[i] == known).collect();
            assert_eq!(hits, [chosen_index(&t) as usize]);
        }
    }
}
