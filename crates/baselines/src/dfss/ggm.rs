//! Keys over plain GGM trees, as Xing et al. make them: a baseline for `fss::Dpf` and `fss::Dcf` of the library.
//!
//! # Functionality
//! In: of each function additive shares mod `2^d` of a position alpha, and mod `2^k` of a payload. Out: a key for each
//! party, which gives additive shares of the payload at `x = alpha` ([`GgmFunction::Point`]) or at all `x < alpha`
//! ([`GgmFunction::Below`]), and of 0 elsewhere.
//!
//! # Protocol
//! A node has a label of 127 bits and a control bit. Each party grows a tree of its own, whose nodes off the path to
//! alpha are in the end the other party's too.
//! 1. Bits a of alpha: an AND each, from the lowest on (Algorithm 14).
//! 2. Level by level, each party sums the labels S and the control bits T of all children to the left, and to the
//!    right. The sum of labels on the side that the path leaves is selected by a, and opened, and `T_L ^ a ^ 1` and
//!    `T_R ^ a` are: a node with control bit 1 adds this to its children (Algorithm 2).
//! 3. For comparisons each side of a node has a value too, a hash of its label: sums `C_L`, `C_R`. Shares of
//!    `phi = C_lose,1 - C_lose,0` and `eta = a payload` are selected by a; `theta = C_keep,0 - C_keep,1` is local. The
//!    correction is `phi - V + eta` by the sign of the node on the path, selected and opened; then
//!    `V = theta + phi + eta`, from 0 on (Algorithm 4).
//! 4. Of the leaves the same once more: `payload - w_0 + w_1`, or `-V - w_0 + w_1`, by the sign of the leaf.
//!
//! # Cost
//! All offline, each way. Point: `257 d + 2 (d - 1) + 2 k + 1` bits and `2 d` correlated OTs, `3 d + 1` rounds. Below:
//! `d (4 k + 2)` bits and `2 d` correlated OTs more, `3 d` rounds more. About `3 * 2^d` hashes a party, and `5 * 2^d`.
//! [`GgmKeys::bill`].
//!
//! # Source
//! Xing et al., "Distributed Function Secret Sharing and Applications", Algorithms 2 to 4 and 14, as corrected in
//! fss-errata: a control bit is no part of its label (S1), values come from hashes of their own (S2), the signs of V
//! and of the leaves (A1, A2), the bits of alpha (A11), labels of level d (A12), V stays shared (B2). The sign takes no
//! AND (B1), and selections have the correlated OTs of [`Mux`].

use prim::{Wiped, block::Block, ct, hash::CcrHash, ring::low};

use hushtable::{
    bill::Bill,
    error::{Error, Result, same, within},
    fss::{MAX_KEYS, MAX_POSITION_BITS},
    gates::{Bits, Mux, Triples, and},
    inner::sign_bit,
    net::Role,
    party::Party,
    session::Purpose,
    share::{AShare, BShare, Kind, Share},
};

/// Most leaves of all trees that are grown at once, 16 bytes each.
const MAX_LEAVES: usize = 1 << 26;

/// Nodes hashed at once.
const CHUNK: usize = 1 << 10;

/// Where a function is its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GgmFunction {
    /// At the position.
    Point,
    /// Below it.
    Below,
}

/// This party's keys. They are evaluated at public points, as often as one likes.
pub struct GgmKeys {
    function: GgmFunction,
    role: Role,
    bits: u32,
    hashes: Hashes,
    roots: Wiped<Block>,
    /// Public, of each level: what nodes with control bit 1 add to their children, and of comparisons to the value.
    levels: Vec<Vec<[Block; 2]>>,
    values: Vec<Vec<u64>>,
    /// Public: what leaves with control bit 1 add to their values.
    leaves: Vec<u64>,
}

/// Of children to the left and right, of the values on these sides, and of leaves.
struct Hashes {
    children: [CcrHash; 2],
    values: [CcrHash; 2],
    leaf: CcrHash,
}

impl GgmKeys {
    /// Offline: a key for each position, of 1 to 24 bits, and payload.
    ///
    /// # Errors
    /// [`Error::Param`] for positions that are wider, and if all trees have more than `2^26` leaves; [`Error::Shape`]
    /// unless there are as many payloads; and those of the channel.
    pub fn new(
        p: &mut Party,
        function: GgmFunction,
        position: &AShare<u32>,
        payload: &AShare<u64>,
    ) -> Result<Self> {
        let (d, count) = (position.bits(), position.len());
        within("bits of a key's position", d, 1..=MAX_POSITION_BITS)?;
        let most = MAX_KEYS.min(MAX_LEAVES >> d);
        if !(1..=most).contains(&count) {
            let (what, got) = ("keys made at once", count.to_string());
            return Err(Error::Param {
                what,
                got,
                accepted: format!("1 to {most} with positions of {d} bits"),
            });
        }
        same("payloads", count, payload.len())?;
        let mut hash = || p.hash(Purpose::Ggm, Role::P0);
        let hashes = Hashes { children: [hash(), hash()], values: [hash(), hash()], leaf: hash() };
        let role = p.role();
        let mut roots = Wiped::<Block>::zeros(count);
        p.rng().blocks(&mut roots);
        roots.iter_mut().for_each(|root| *root = root.with_lsb(role == Role::P1));
        let (bits, levels) = (payload.bits(), Vec::new());
        let mut keys =
            Self { function, role, bits, hashes, roots, levels, values: Vec::new(), leaves: Vec::new() };
        let alpha = decomposed(p, position)?;
        keys.grow(p, &alpha, payload)?;
        Ok(keys)
    }

    /// What a key costs, with positions of d bits and payloads of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for positions or payloads that are wider than there are.
    pub fn bill(function: GgmFunction, d: u32, bits: u32) -> Result<Bill> {
        within("bits of a key's position", d, 1..=MAX_POSITION_BITS)?;
        within("bits of a key's payload", bits, 1..=64)?;
        let chosen = |widths: &[u32], opened: u32| Mux::bill(widths) + Bill::opening(opened.into());
        let mut level = chosen(&[64, 63], 129);
        let mut kept = 129;
        if function == GgmFunction::Below {
            level = level + Mux::bill(&[bits; 2]) + chosen(&[bits], bits);
            kept += bits;
        }
        let carries = (1..d).fold(Bill::FREE, |bill, _| bill + Triples::bill(1));
        let all = (0..d).fold(carries, |bill, _| bill + level) + chosen(&[bits], bits);
        Ok(all.all_offline().keeping(u64::from(128 + d * kept + bits)))
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Shares of each function's value at a public point of its own. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a point for each key, and [`Error::Param`] if one lies outside.
    pub fn eval(&self, points: &[u32]) -> Result<AShare<u64>> {
        let d = self.levels.len();
        same("points", self.len(), points.len())?;
        let last = low(u64::MAX, d as u32) as u32;
        points.iter().try_for_each(|&x| within("point", x, 0..=last))?;
        let mut nodes = Wiped::<Block>::zeros(self.len());
        nodes.copy_from_slice(&self.roots);
        let mut sums = Wiped::<u64>::zeros(self.len());
        for (level, corrections) in self.levels.iter().enumerate() {
            // Public: points.
            let side = |key: usize| (points[key] >> (d - 1 - level) & 1) as usize;
            if let Some(values) = self.values.get(level) {
                self.add(&self.hashes.values, &nodes, side, values, &mut sums);
            }
            let mut children = Wiped::<Block>::zeros(nodes.len());
            for (of, hash) in self.hashes.children.iter().enumerate() {
                hashed(hash, &nodes, true, |key, child| {
                    if side(key) == of {
                        children[key] = child ^ Block::mask(nodes[key].lsb()) & corrections[key][of];
                    }
                });
            }
            nodes = children;
        }
        self.add(std::slice::from_ref(&self.hashes.leaf), &nodes, |_| 0, &self.leaves, &mut sums);
        let negative = self.role == Role::P1;
        let sums = sums.iter().map(|&sum| if negative { sum.wrapping_neg() } else { sum });
        Ok(AShare::new(self.bits, sums.collect()))
    }

    /// Adds the value of each key's node, on the side given.
    fn add(
        &self,
        hashes: &[CcrHash],
        nodes: &[Block],
        side: impl Fn(usize) -> usize,
        corrections: &[u64],
        sums: &mut [u64],
    ) {
        for (of, hash) in hashes.iter().enumerate() {
            hashed(hash, nodes, true, |key, value| {
                if side(key) == of {
                    let correction = ct::bit_mask(u64::from(nodes[key].lsb())) & corrections[key];
                    sums[key] = sums[key].wrapping_add(value.0 as u64).wrapping_add(correction);
                }
            });
        }
    }

    /// Steps 2 to 4.
    fn grow(&mut self, p: &mut Party, alpha: &[Bits], payload: &AShare<u64>) -> Result<()> {
        let (count, bits) = (self.len(), self.bits);
        let mut nodes = Wiped::<Block>::zeros(count);
        nodes.copy_from_slice(&self.roots);
        // 0, before any level.
        let mut v = AShare::new(bits, vec![0; count]);
        for a in alpha.iter().rev() {
            let each = nodes.len() / count;
            let mut children = Wiped::<Block>::zeros(2 * nodes.len());
            let mut sums = [(); 2].map(|()| Wiped::<Block>::zeros(count));
            for (side, (hash, sums)) in self.hashes.children.iter().zip(&mut sums).enumerate() {
                hashed(hash, &nodes, false, |i, child| {
                    children[2 * i + side] = child;
                    sums[i / each] ^= child;
                });
            }
            let corrections = corrections(p, a, &sums)?;
            if self.function == GgmFunction::Below {
                let [left, right] = &self.hashes.values;
                let sums = [self.sum(left, &nodes), self.sum(right, &nodes)];
                let (opened, next) =
                    value_corrections(p, a, sums, &v, payload, &signs(p.role(), &nodes, each))?;
                self.values.push(opened);
                v = next;
            }
            for (i, (pair, node)) in children.chunks_exact_mut(2).zip(nodes.iter()).enumerate() {
                let mask = Block::mask(node.lsb());
                pair.iter_mut().zip(corrections[i / each]).for_each(|(x, c)| *x ^= mask & c);
            }
            self.levels.push(corrections);
            nodes = children;
        }
        let target = match self.function {
            GgmFunction::Point => payload.clone(),
            GgmFunction::Below => &AShare::new(bits, vec![0; count]) - &v,
        };
        let sums = oriented(p.role(), &self.sum(&self.hashes.leaf, &nodes));
        self.leaves = signed(p, &(&target + &sums), &signs(p.role(), &nodes, nodes.len() / count))?;
        Ok(())
    }

    /// Of each key the sum of its nodes' values.
    fn sum(&self, hash: &CcrHash, nodes: &[Block]) -> AShare<u64> {
        let each = nodes.len() / self.len();
        let mut sums = vec![0u64; self.len()];
        hashed(hash, nodes, false, |i, value| sums[i / each] = sums[i / each].wrapping_add(value.0 as u64));
        AShare::new(self.bits, sums)
    }
}

/// Step 1: XOR shares of the bits of shared numbers, the lowest first.
fn decomposed(p: &mut Party, x: &AShare<u32>) -> Result<Vec<Bits>> {
    let own = Bits::from_share(&BShare::new(x.bits(), x.words().to_vec()));
    let mut carry = Bits::new(x.len(), vec![0; x.len().div_ceil(64)]);
    let mut bits: Vec<Bits> = Vec::with_capacity(own.len());
    for (i, own) in own.iter().enumerate() {
        bits.push(own ^ &carry);
        if i + 1 < x.bits() as usize {
            // A party's own bit with the carry, and the other's.
            let (first, second) = match p.role() {
                Role::P0 => (&bits[i], &carry),
                Role::P1 => (&carry, &bits[i]),
            };
            let triples = Triples::random(p, x.len())?;
            let both = and(p, triples, first, second)?;
            carry = &carry ^ &both;
        }
    }
    Ok(bits)
}

/// Step 2: what nodes with control bit 1 add to their children, from the sums of these.
fn corrections(p: &mut Party, a: &Bits, sums: &[Wiped<Block>; 2]) -> Result<Vec<[Block; 2]>> {
    let word = |bits: u32, of: &Wiped<Block>, from: u32| -> BShare<u64> {
        Share::new(bits, of.iter().map(|x| (x.0 >> from) as u64).collect())
    };
    let pairs = [(64, 64), (63, 1)].map(|(bits, from)| {
        let [left, right] = sums.each_ref().map(|of| word(bits, of, from));
        [right, left]
    });
    let label = select(p, a, &pairs)?;
    let control = |side: usize, a: Bits| &Bits::collect(sums[side].iter().map(|x| x.lsb().into())) ^ &a;
    let [tau0, tau1] = [control(0, a.not(p.role())), control(1, a.clone())];
    let words = label[1].words().iter().zip(tau0.iter()).map(|(label, tau)| label << 1 | tau);
    let low = BShare::new(64, words.collect());
    let tau1 = BShare::new(1, tau1.iter().collect());
    // Public: on the path, the side that is left has a label that is pseudo-random to the peer; and the control bits of
    // the children there mask a.
    let (opened, _) = p.open_beside(&[label[0].clone(), low, tau1], Vec::new(), 0)?;
    let correction = |i: usize| {
        let left = Block(u128::from(opened[0][i]) << 64 | u128::from(opened[1][i]));
        [left, left.with_lsb(opened[2][i] == 1)]
    };
    Ok((0..a.len()).map(correction).collect())
}

/// Step 3: what nodes with control bit 1 add to the value, opened; and V of the next level.
fn value_corrections(
    p: &mut Party,
    a: &Bits,
    sums: [AShare<u64>; 2],
    v: &AShare<u64>,
    payload: &AShare<u64>,
    negative: &Bits,
) -> Result<(Vec<u64>, AShare<u64>)> {
    let [left, right] = sums.map(|sum| oriented(p.role(), &sum));
    let none = AShare::new(payload.bits(), vec![0; a.len()]);
    // `C_L,0 + C_R,0 - C_L,1 - C_R,1`.
    let both = &(&none - &left) - &right;
    let mut chosen = select(p, a, &[[right, left], [none, payload.clone()]])?.into_iter();
    let (phi, eta) = (chosen.next().expect("two pairs"), chosen.next().expect("two pairs"));
    let sum = &phi + &eta;
    let opened = signed(p, &(&sum - v), negative)?;
    Ok((opened, &(&both + &phi) + &sum))
}

/// Shares of `w_1 - w_0`, of what each party has summed.
fn oriented(role: Role, w: &AShare<u64>) -> AShare<u64> {
    match role {
        Role::P0 => &AShare::new(w.bits(), vec![0; w.len()]) - w,
        Role::P1 => w.clone(),
    }
}

/// Opens numbers, those whose bit is 1 with the other sign.
fn signed(p: &mut Party, u: &AShare<u64>, negative: &Bits) -> Result<Vec<u64>> {
    let minus = &AShare::new(u.bits(), vec![0; u.len()]) - u;
    let chosen = select(p, negative, &[[u.clone(), minus]])?.remove(0);
    // Public: masked by the pad of the node on the path, which at each party is a hash of what the other does not know.
    p.open(&chosen)
}

/// Of each pair of columns the first where the bit is 0, the second where it is 1: 1 round.
fn select<K: Kind>(p: &mut Party, bit: &Bits, pairs: &[[Share<K, u64>; 2]]) -> Result<Vec<Share<K, u64>>> {
    let widths: Vec<u32> = pairs.iter().map(|[x, _]| x.bits()).collect();
    let mux = Mux::prepare(p, bit.len(), &widths)?;
    let differences: Vec<_> = pairs.iter().map(|[x, y]| x.minus(y)).collect();
    let chosen = mux.select_all(p, bit, &differences.iter().collect::<Vec<_>>())?;
    Ok(pairs.iter().zip(&chosen).map(|([x, _], difference)| x.minus(difference)).collect())
}

/// Whether the node on the path has control bit 1 at P1: shares, by how many nodes have it.
fn signs(role: Role, nodes: &[Block], each: usize) -> Bits {
    let ones = |nodes: &[Block]| nodes.iter().fold(0u8, |ones, x| ones.wrapping_add(x.lsb().into()));
    Bits::collect(nodes.chunks_exact(each).map(|nodes| sign_bit(role, ones(nodes) & 3).into()))
}

/// Calls `read` with the number and the hash of each node's label; `again` if they were hashed before.
fn hashed(hash: &CcrHash, nodes: &[Block], again: bool, mut read: impl FnMut(usize, Block)) {
    let [mut labels, mut found] = [(); 2].map(|()| Wiped::<Block>::zeros(CHUNK.min(nodes.len())));
    for (first, nodes) in (0..).step_by(CHUNK).zip(nodes.chunks(CHUNK)) {
        let (labels, found) = (&mut labels[..nodes.len()], &mut found[..nodes.len()]);
        labels.iter_mut().zip(nodes).for_each(|(label, node)| *label = node.with_lsb(false));
        match again {
            true => hash.xored_again(labels, Block::ZERO, found),
            false => hash.xored(labels, Block::ZERO, found),
        }
        (first..).zip(found.iter()).for_each(|(i, &x)| read(i, x));
    }
}
