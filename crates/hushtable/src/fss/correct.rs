//! The corrections of payloads: what both parties add where a node's control bit is 1, so that the payload is what
//! remains on the path.
//!
//! Off the path nodes are equal and cancel. On it P0's control bit less P1's is `eps = T_0 - T_1 = +-1`, `T_p` the
//! number of all nodes with control bit 1 at party p; so with `w_p` the sums of the pads and payload `v`, the
//! correction is `eps (v - w_0 + w_1)`. Neither T nor eps is ever opened: bit 1 of `(T_0, -T_1)` is a shared bit g
//! with `eps = (-1)^g`, and `eps u = u - 2 g u` is a selection. Modulo 2 and for XOR there is no sign.

use prim::{Wiped, block::Block};
use zeroize::Zeroizing;

use super::layout::{Cell, Layout};
use crate::{
    bill::{Bill, Phase},
    error::Result,
    gates::{Bits, Mux},
    lut::read::signed::sign_bit,
    net::Role,
    party::Party,
    share::{Kind, Share, Sharing},
};

/// Payloads to be corrected, of one level or of several.
pub(super) struct Correction {
    pub layout: Layout,
    /// This party's shares of what shall remain, in blocks.
    pub values: Wiped<Block>,
    /// Its sums of pads.
    pub sums: Wiped<Block>,
    /// Its numbers of control bits.
    pub counts: Wiped<u32>,
}

impl Correction {
    /// Of no level yet, with room for so many nodes.
    pub(super) fn empty(layout: Layout, room: usize) -> Self {
        let blocks = || Wiped::from(Vec::with_capacity(room * layout.blocks));
        Self { layout, values: blocks(), sums: blocks(), counts: Wiped::from(Vec::with_capacity(room)) }
    }

    fn signed(&self) -> bool {
        signed(&self.layout)
    }

    /// This party's shares of `v - w_0 + w_1`, a batch for each cell.
    fn columns<K: Kind>(&self, role: Role) -> Vec<Share<K, u64>> {
        let layout = &self.layout;
        let part = |(&v, &w): (&Block, &Block)| match role {
            Role::P0 => layout.add(v, layout.negated(w)),
            Role::P1 => layout.add(v, w),
        };
        let u = Zeroizing::new(self.values.iter().zip(self.sums.iter()).map(part).collect::<Vec<_>>());
        let column =
            |cell: Cell| Share::new(cell.bits, u.chunks_exact(layout.blocks).map(|u| cell.get(u)).collect());
        layout.cells().into_iter().map(column).collect()
    }

    /// `u` times the sign.
    fn sign<K: Kind>(&self, p: &mut Party, columns: Vec<Share<K, u64>>) -> Result<Vec<Share<K, u64>>> {
        let bits = self.layout.bits;
        let bit = |&count: &u32| u64::from(sign_bit(p.role(), (count & 3) as u8));
        let g = Bits::collect(self.counts.iter().map(bit));
        let low = columns.iter().map(|u| u.low_bits::<u64>(bits - 1)).collect::<Result<Vec<_>>>()?;
        let mux = Mux::prepare(p, g.len(), &vec![bits - 1; columns.len()])?;
        let products = mux.select_all(p, &g, &low.iter().collect::<Vec<_>>())?;
        let minus_twice = |(u, gu): (&Share<K, u64>, &Share<K, u64>)| {
            let words = u.words().iter().zip(gu.words());
            Share::new(bits, words.map(|(&u, &gu)| u.wrapping_sub(gu << 1)).collect())
        };
        Ok(columns.iter().zip(&products).map(minus_twice).collect())
    }
}

/// The corrections, in blocks.
pub(super) fn corrections<K: Kind>(p: &mut Party, of: [Correction; 2]) -> Result<[Vec<Block>; 2]> {
    let mut all = Vec::new();
    let mut counts = [0; 2];
    for (of, count) in of.iter().zip(&mut counts) {
        if of.counts.is_empty() {
            continue;
        }
        let columns = of.columns::<K>(p.role());
        *count = columns.len();
        all.extend(if of.signed() { of.sign(p, columns)? } else { columns });
    }
    // Public: each word is masked by the pad of the node on the path, which at each party is a hash of what the
    // other does not know, and serves here alone.
    let (opened, _) = p.session().open_beside(&all, Vec::new(), 0)?;
    let (leaf, nodes) = opened.split_at(counts[0]);
    let blocks = |of: &Correction, columns: &[Vec<u64>]| {
        let mut blocks = vec![Block::ZERO; of.sums.len()];
        for (cell, column) in of.layout.cells().into_iter().zip(columns) {
            let words = blocks.chunks_exact_mut(of.layout.blocks).zip(column);
            words.for_each(|(blocks, &value)| cell.put(blocks, value));
        }
        blocks
    };
    Ok([blocks(&of[0], leaf), blocks(&of[1], nodes)])
}

/// What it costs to correct a leaf, and so many nodes.
pub(super) fn bill(leaf: &Layout, node: &Layout, nodes: u64) -> Bill {
    let mut bill = Bill::FREE;
    for (layout, count) in [(leaf, 1), (node, nodes)] {
        if signed(layout) {
            let widths = vec![layout.bits - 1; layout.cells().len()];
            bill = bill + Mux::bill(&widths).all_offline().times(count as usize);
        }
    }
    let opened = leaf.cell_bits() + nodes * node.cell_bits();
    bill + Bill { offline: Phase { bits: [opened; 2], rounds: 1 }, ..Bill::FREE }
}

fn signed(layout: &Layout) -> bool {
    layout.sharing == Sharing::Additive && layout.bits > 1
}
