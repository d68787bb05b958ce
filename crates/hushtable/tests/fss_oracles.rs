//! The paper's own keys, made by a dealer who plays both parties: a point function over a plain tree (Alg 2) and a
//! comparison whose values are corrected level by level (Alg 3 and 4), both as corrected in fss-spec 3 and 4. What the
//! library's keys give is what these give, at every position and point; and the form that was printed is wrong.

use crate::support::pairs::{self, words};

use hushtable::{
    Party, Result,
    fss::{Dcf, Dpf, End},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Kind, Share},
};
use pairs::{both, pair, share};
use prim::{CcrHash, block::Block, prg::Prg, ring::low};

/// How the chain of values goes on from a level (errata A1).
#[derive(Clone, Copy, PartialEq)]
enum Chain {
    /// `V = theta + phi + eta`.
    Corrected,
    /// `V = theta - phi + eta`.
    Printed,
}

/// One party's node: label and control bit.
type Node = (Block, bool);

/// Both parties' keys: roots, and what is public of each level and of the leaves.
struct Keys {
    d: u32,
    bits: u32,
    hashes: Vec<CcrHash>,
    roots: [Node; 2],
    labels: Vec<(Block, [bool; 2])>,
    /// The corrections of the values of comparisons, level by level.
    values: Vec<u64>,
    /// The leaves' correction for a point function, and for a comparison.
    leaves: [u64; 2],
}

impl Keys {
    /// Children to the left and right: the label without its lowest bit, and that bit.
    fn child(&self, label: Block, side: usize) -> Node {
        let x = self.hashes[side].one(label);
        (Block(x.0 & !1), x.lsb())
    }

    /// The value of a child, from its parent's label; `side` 2 is that of a leaf.
    fn convert(&self, label: Block, side: usize) -> u64 {
        low(self.hashes[2 + side].one(label).0 as u64, self.bits)
    }

    fn sum(&self, nodes: &[Node], side: usize) -> u64 {
        nodes.iter().fold(0, |sum, node| sum.wrapping_add(self.convert(node.0, side)))
    }

    fn corrected(&self, parent: Node, side: usize, level: usize) -> Node {
        let (label, control) = self.child(parent.0, side);
        let (sigma, tau) = self.labels[level];
        if parent.1 { (label ^ sigma, control ^ tau[side]) } else { (label, control) }
    }

    /// By all nodes of both trees, as two parties would.
    fn generate(d: u32, bits: u32, alpha: u32, beta: u64, chain: Chain, prg: &mut Prg) -> Self {
        let roots = [0, 1].map(|party| (Block(prg.block().0 & !1), party == 1));
        let hashes = (1..=5).map(|key| CcrHash::new(Block(key))).collect();
        let (labels, values, leaves) = (Vec::new(), Vec::new(), [0; 2]);
        let mut keys = Self { d, bits, hashes, roots, labels, values, leaves };
        let mut nodes = roots.map(|root| vec![root]);
        let mut v = 0u64;
        for level in 0..d as usize {
            let a = (alpha >> (d as usize - 1 - level) & 1) as usize;
            let of = |side: usize| {
                let all = nodes.iter().flatten().map(|node| keys.child(node.0, side));
                all.fold((Block::ZERO, false), |sum, x| (sum.0 ^ x.0, sum.1 ^ x.1))
            };
            let sums = [of(0), of(1)];
            let word = (sums[1 - a].0, [sums[0].1 ^ (a == 0), sums[1].1 ^ (a == 1)]);
            // Sums of values on the sides that are left and kept, and the sign of the node on the path.
            let difference = |side| keys.sum(&nodes[0], side).wrapping_sub(keys.sum(&nodes[1], side));
            let (phi, theta) = (difference(1 - a).wrapping_neg(), difference(a));
            let eta = if a == 1 { beta } else { 0 };
            keys.values.push(signed(&nodes, phi.wrapping_sub(v).wrapping_add(eta)));
            v = match chain {
                Chain::Corrected => theta.wrapping_add(phi).wrapping_add(eta),
                Chain::Printed => theta.wrapping_sub(phi).wrapping_add(eta),
            };
            keys.labels.push(word);
            for nodes in &mut nodes {
                let both = |&node: &Node| [0, 1].map(|side| keys.corrected(node, side, level));
                *nodes = nodes.iter().flat_map(both).collect();
            }
        }
        let [w0, w1] = nodes.each_ref().map(|nodes| keys.sum(nodes, 2));
        let last = w1.wrapping_sub(w0);
        keys.leaves = [signed(&nodes, beta.wrapping_add(last)), signed(&nodes, last.wrapping_sub(v))];
        keys
    }

    /// A party's shares of the point function and of the comparison at x.
    fn eval(&self, party: usize, x: u32) -> [u64; 2] {
        let mut node = self.roots[party];
        let mut sum = 0u64;
        for level in 0..self.d as usize {
            let side = (x >> (self.d as usize - 1 - level) & 1) as usize;
            let correction = if node.1 { self.values[level] } else { 0 };
            sum = sum.wrapping_add(self.convert(node.0, side)).wrapping_add(correction);
            node = self.corrected(node, side, level);
        }
        let leaf =
            self.leaves.map(|word| self.convert(node.0, 2).wrapping_add(if node.1 { word } else { 0 }));
        let all = [leaf[0], sum.wrapping_add(leaf[1])];
        if party == 0 { all } else { all.map(u64::wrapping_neg) }
    }

    fn both(&self, x: u32) -> [u64; 2] {
        let [a, b] = [self.eval(0, x), self.eval(1, x)];
        [0, 1].map(|i| low(a[i].wrapping_add(b[i]), self.bits))
    }
}

/// `T_0 - T_1 = +-1` times a number, T being how many nodes of a party have control bit 1 (fss-spec 1): the sign by bit
/// 1 of each count, without the counts themselves.
fn signed(nodes: &[Vec<Node>; 2], x: u64) -> u64 {
    let count = |party: usize| nodes[party].iter().filter(|node| node.1).count() as u64;
    let negative = (count(0) ^ count(1).wrapping_neg()) >> 1 & 1 == 1;
    assert_eq!(negative, count(0) + 1 == count(1), "one apart");
    if negative { x.wrapping_neg() } else { x }
}

fn payload(alpha: u32, bits: u32) -> u64 {
    low((u64::from(alpha) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, bits)
}

#[test]
fn the_papers_keys_are_right_as_corrected() {
    let mut prg = Prg::new(Block(1));
    for d in 1..=6 {
        for bits in [1, 16, 64] {
            for alpha in 0..1 << d {
                let beta = payload(alpha, bits);
                let keys = Keys::generate(d, bits, alpha, beta, Chain::Corrected, &mut prg);
                for x in 0..1 << d {
                    let want = [x == alpha, x < alpha].map(|holds| if holds { beta } else { 0 });
                    assert_eq!(keys.both(x), want, "{d} bits, {x}, {alpha}");
                }
            }
        }
    }
}

/// Errata A1: with the printed sign there is no position at which the comparison is right everywhere.
#[test]
fn the_printed_chain_is_wrong_everywhere() {
    let mut prg = Prg::new(Block(2));
    for alpha in 0..16 {
        let keys = Keys::generate(4, 64, alpha, payload(alpha, 64), Chain::Printed, &mut prg);
        let right = |x: u32| keys.both(x)[1] == if x < alpha { payload(alpha, 64) } else { 0 };
        assert!(!(0..16).all(right), "{alpha}");
    }
}

/// What this library's keys give, against the dealer's.
fn compared<G: Group>(d: u32, bits: u32) {
    let n = 1u32 << d;
    let positions: Vec<u32> = (0..n).collect();
    let run = |p: &mut Party| -> Result<Vec<[Vec<u64>; 2]>> {
        let beta: Share<Additive, u64> =
            words(p.role(), bits, positions.iter().map(|&alpha| payload(alpha, bits)).collect());
        let beta = std::slice::from_ref(&beta);
        let place = |p: &Party, seed| share::<G::Kind>(p.role(), d, &positions, seed);
        let (first, second) = (place(p, 3), place(p, 4));
        let (point, below) =
            (Dpf::<G, Additive>::new(p, &first, beta)?, Dcf::<G, Additive>::new(p, &second, beta)?);
        let at = |x: u32| -> Result<[Vec<u64>; 2]> {
            let x = vec![x; n as usize];
            let found = [&point.eval(&x)?[0], &below.eval(End::Before, &x)?[0]];
            Ok(found.map(|share| share.words().to_vec()))
        };
        (0..n).map(at).collect()
    };
    let (a, b) = both(pair(0x0a1e + u64::from(d), None), run);
    let mut prg = Prg::new(Block(3));
    for alpha in 0..n {
        let keys = Keys::generate(d, bits, alpha, payload(alpha, bits), Chain::Corrected, &mut prg);
        for x in 0..n {
            let value = |i: usize| {
                let share = |all: &[[Vec<u64>; 2]]| all[x as usize][i][alpha as usize];
                low(Additive::combine(share(&a), share(&b)), bits)
            };
            assert_eq!([value(0), value(1)], keys.both(x), "{d} bits, {}: {x}, {alpha}", G::NAME);
        }
    }
}

#[test]
fn keys_without_a_dealer_give_what_the_dealers_give() {
    for d in 1..=5 {
        for bits in [1, 16, 64] {
            compared::<Xor>(d, bits);
            compared::<Cyclic>(d, bits);
        }
    }
}
