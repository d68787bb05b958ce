//! Pads of 1-of-n OT from d correlated OTs, `n <= 2^d`: products of lists of keys.
//!
//! # Functionality
//! The sender gets random pads `m_0, ..., m_{n-1}`, the receiver the pad at the index that its choice
//! bits are, most significant first.
//!
//! # Protocol
//! Each correlated OT gives the sender a list of two keys `H(q), H(q ^ Delta)`, of which the receiver
//! has `H(t)`. Two lists, `A` of the upper and `B` of the lower bits of an index, are joined to the
//! list of all `H'(A_i ^ B_j)`, under a key of their own; the receiver joins its own keys alike. Neighbouring lists
//! are joined,
//! of lengths as equal as possible, until one is left: the pads.
//!
//! # Security
//! No XOR of raw strings is ever hashed or used, in which `Delta` would cancel. A key other than the
//! receiver's is the hash of an input that is uniform to it; so `A_i ^ B_j` is uniform for every other
//! `(i, j)`, and so is the XOR of two such inputs. Inputs need no tweak, being random: by p calls of
//! AES and q keys, pads are told from random with probability `(2 p q + q^2) / 2^126` at most, H's
//! permutation being ideal.
//!
//! # Cost
//! No message. The sender hashes `2 d` blocks for the first lists and each longer one once: for
//! `n = 256`, 320 blocks. The receiver: `2 d - 1`, if d is a power of two.
//!
//! # Source
//! Naor and Pinkas, "Computationally Secure Oblivious Transfer" (J. Cryptology 2005), as products
//! instead of the tree of lut-spec 1.3, which hashes `2 (n - 1)` blocks.

use std::ops::Range;

use prim::{block::Block, hash::CcrHash};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::{
    net::Role,
    session::{Purpose, Session},
};

/// The hashes for up to about 2^20 pads: of strings, and of joined keys, which are no strings.
pub struct Keys {
    string: CcrHash,
    joined: CcrHash,
}

impl Keys {
    /// Fresh ones of the party whose Delta they protect; the peer draws them too.
    pub fn new(s: &mut Session, owner: Role) -> Self {
        Self { string: s.hash(Purpose::KeyProduct, owner), joined: s.hash(Purpose::JoinedKey, owner) }
    }
}

/// Room for the pads of one OT of `2^d` at most.
#[derive(ZeroizeOnDrop)]
pub struct Pads {
    keys: Vec<Block>,
    joined: Vec<Block>,
}

impl Pads {
    /// For n pads.
    pub fn new(n: usize) -> Self {
        let room = || vec![Block::ZERO; 1 << index_bits(n)];
        Self { keys: room(), joined: room() }
    }

    /// Room for n pads made otherwise.
    pub(super) fn first(&mut self, n: usize) -> &mut [Block] {
        &mut self.keys[..n]
    }

    /// The first n of the product of the pairs of `q`, each swapped where `flip` has a 1.
    pub(crate) fn join_all(
        &mut self,
        hash: &Keys,
        delta: Block,
        q: &[Block],
        flip: u32,
        n: usize,
    ) -> &[Block] {
        let d = q.len();
        let (mut lists, mut len) = (d.next_power_of_two(), 0);
        for part in parts(d, lists) {
            let count = 1 << part.len();
            if let Some(j) = part.into_iter().next() {
                let swap = flip >> (d - 1 - j) & 1 == 1; // flips are public
                let first = if swap { q[j] ^ delta } else { q[j] };
                self.keys[len..len + 2].copy_from_slice(&[first, first ^ delta]);
            } else {
                self.keys[len] = Block::ZERO; // no string: a known key, joined like the others
            }
            len += count;
        }
        hash.string.in_place(&mut self.keys[..len]);
        while lists > 1 {
            lists /= 2;
            let joined = self.join(d, lists);
            hash.joined.in_place(&mut self.joined[..if lists == 1 { n } else { joined }]);
            std::mem::swap(&mut self.keys, &mut self.joined);
        }
        &self.keys[..n]
    }

    /// Joins neighbours among twice as many lists; all of the new ones have this length.
    fn join(&mut self, d: usize, lists: usize) -> usize {
        let (mut from, mut to) = (0, 0);
        for (part, halves) in parts(d, lists).zip(parts(d, 2 * lists).step_by(2)) {
            let (upper, lower) = (1 << halves.len(), 1 << (part.len() - halves.len()));
            let (upper, lower) = self.keys[from..from + upper + lower].split_at(upper);
            let list = &mut self.joined[to..to + (1 << part.len())];
            for (row, &a) in list.chunks_exact_mut(lower.len()).zip(upper) {
                row.iter_mut().zip(lower).for_each(|(x, &b)| *x = a ^ b);
            }
            from += upper.len() + lower.len();
            to += list.len();
        }
        to
    }
}

/// The receiver's pads, from d strings an OT.
pub(crate) fn chosen(hash: &Keys, t: &[Block], d: usize) -> Zeroizing<Vec<Block>> {
    let (count, mut lists) = (t.len() / d, d.next_power_of_two());
    if count == 0 {
        return Zeroizing::new(Vec::new());
    }
    // One key of every list, list by list.
    let mut keys = Zeroizing::new(vec![Block::ZERO; lists * count]);
    for (keys, part) in keys.chunks_exact_mut(count).zip(parts(d, lists)) {
        for j in part {
            keys.iter_mut().zip(t.chunks_exact(d)).for_each(|(key, t)| *key = t[j]);
        }
    }
    hash.string.in_place(&mut keys);
    while lists > 1 {
        lists /= 2;
        let mut joined = Zeroizing::new(vec![Block::ZERO; lists * count]);
        let pairs = joined.chunks_exact_mut(count).zip(keys.chunks_exact(2 * count));
        for (joined, pair) in pairs {
            let (upper, lower) = pair.split_at(count);
            joined.iter_mut().zip(upper).zip(lower).for_each(|((x, &a), &b)| *x = a ^ b);
        }
        hash.joined.in_place(&mut joined);
        keys = joined;
    }
    keys
}

/// Cuts d strings into that many parts, a power of two of them, of lengths that differ by one at
/// most; half as many parts are pairs of these.
fn parts(d: usize, lists: usize) -> impl Iterator<Item = Range<usize>> {
    (0..lists).map(move |part| part * d / lists..(part + 1) * d / lists)
}

/// `d`: bits of an index below n.
pub fn index_bits(n: usize) -> usize {
    (usize::BITS - n.saturating_sub(1).leading_zeros()) as usize
}
