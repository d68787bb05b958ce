//! Bit triples from random correlated OTs, without a message.
//!
//! # Functionality
//! Both parties get XOR shares of uniform bits `b`, `a_1, ..., a_k` and of the products `b a_j`:
//! a multiplication triple for k = 1, for larger k what ANDs with one common operand need.
//!
//! # Protocol
//! One correlated OT each way. As sender party p hashes its string `q` and `q ^ Delta`, and takes
//! from bit j of the hashes `r_0`, `r_1`: its share of `a_j` is `r_0 ^ r_1`, and `y = r_0` its share
//! of the product with the receiver's choice bit. As receiver it takes its own random choice as
//! share of `b`, and bit j of the hash of `t`, which is `r_c = y ^ c (r_0 ^ r_1)`, as share of the
//! product. So `b_{1-p} a_p` is shared for both p, and `b_p a_p` is local.
//!
//! # Cost
//! No message. 2 correlated OTs for k products, one each way; each party hashes 3 blocks.
//!
//! # Source
//! Asharov, Lindell, Schneider, Zohner, "More Efficient Oblivious Transfer" (CCS 2013), section
//! 5.1.3, from two random OTs.

use std::{fmt, mem::take};

use prim::block::Block;
use zeroize::ZeroizeOnDrop;

use super::Bits;
use crate::{
    error::{Error, Result, same},
    ot::{CotReceiver, CotSender},
    party::Party,
    session::Purpose,
};

/// Triples made from one draw of correlated OTs and under one key a direction.
const PIECE: usize = 1 << 19;
/// Strings hashed at a time.
const CHUNK: usize = 1 << 10;

/// One-time material for ANDs: shares of random bits and of their products.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, gates::{Bits, Triples, and}};
/// fn twice(p: &mut Party, t: Triples, x: &Bits, y: &Bits) -> Result<()> {
///     and(p, t, x, y)?;
///     and(p, t, y, x)?; // use of moved value: `t`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Triples {
    pub(super) b: Bits,
    pub(super) a: Vec<Bits>,
    pub(super) products: Vec<Bits>,
}

impl Triples {
    /// Offline, no message beyond the correlated OTs' own: `count` triples.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn random(p: &mut Party, count: usize) -> Result<Self> {
        Self::shared(p, count, 1)
    }

    /// Offline: for `count` operands, each of which is to be ANDed with `k` others, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another `k`, and those of the channel.
    pub fn shared(p: &mut Party, count: usize, k: usize) -> Result<Self> {
        if !(1..=64).contains(&k) {
            return Err(Error::Param {
                what: "ANDs of one operand",
                got: k.to_string(),
                accepted: "1 to 64".into(),
            });
        }
        let mut made = Growing::new(count, k);
        for from in (0..count).step_by(PIECE) {
            let piece = PIECE.min(count - from);
            let (out, inc) = p.cots(piece, piece)?;
            made.extend(p, &out, &inc);
        }
        Ok(made.finish(count))
    }

    /// Correlated OTs that `count` operands take: `(as sender, as receiver)`.
    pub fn cots(count: usize) -> (usize, usize) {
        (count, count)
    }

    /// Triples of one product each, from both parties' shares made elsewhere.
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths differ.
    pub(super) fn from_shares(a: Bits, b: Bits, product: Bits) -> Result<Self> {
        same("bits of a triple", a.len(), b.len())?;
        same("bits of a triple", a.len(), product.len())?;
        Ok(Self { b, a: vec![a], products: vec![product] })
    }

    /// For how many operands there is material.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// How many ANDs each operand is good for.
    pub fn products(&self) -> usize {
        self.products.len()
    }

    /// Cuts off the material for `m` operands, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "triples left", want: m, got: self.len() });
        };
        let cut = |bits: &mut Vec<Bits>| bits.iter_mut().map(|b| b.split_off(left)).collect();
        let (a, products) = (cut(&mut self.a), cut(&mut self.products));
        Ok(Self { b: self.b.split_off(left), a, products })
    }
}

/// Prints the shape only.
impl fmt::Debug for Triples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Triples({} x {})", self.len(), self.products())
    }
}

/// The words of triples being made; all pieces but the last are whole words.
#[derive(ZeroizeOnDrop)]
struct Growing {
    b: Vec<u64>,
    a: Vec<Vec<u64>>,
    products: Vec<Vec<u64>>,
    /// `H(q)`, `H(q ^ Delta)`, `H(t)`.
    hashed: [Vec<Block>; 3],
}

impl Growing {
    fn new(count: usize, k: usize) -> Self {
        let words = || Vec::with_capacity(count.div_ceil(64));
        let each = || (0..k).map(|_| words()).collect();
        Self { b: words(), a: each(), products: each(), hashed: [const { Vec::new() }; 3] }
    }

    fn extend(&mut self, p: &mut Party, out: &CotSender, inc: &CotReceiver) {
        let role = p.role();
        let (to_peer, from_peer) =
            (p.session().hash(Purpose::OtPad, role), p.session().hash(Purpose::OtPad, role.peer()));
        for (q, t) in out.strings().chunks(CHUNK).zip(inc.strings().chunks(CHUNK)) {
            let [h0, h1, ht] = &mut self.hashed;
            [&mut *h0, h1, ht].into_iter().for_each(|h| h.resize(q.len(), Block::ZERO));
            to_peer.xored(q, Block::ZERO, h0);
            to_peer.xored(q, out.delta(), h1);
            from_peer.xored(t, Block::ZERO, ht);
            self.collect(t);
        }
    }

    /// Picks the bits out of the hashes.
    fn collect(&mut self, t: &[Block]) {
        let [h0, h1, ht] = &self.hashed;
        let start = self.b.len();
        self.b.extend(t.chunks(64).map(|t| column(t, t, |t, _| t.0 as u64)));
        for (j, (a, products)) in self.a.iter_mut().zip(&mut self.products).enumerate() {
            let words = h0.chunks(64).zip(h1.chunks(64)).zip(ht.chunks(64)).zip(&self.b[start..]);
            for (((h0, h1), ht), b) in words {
                let mine = column(h0, h1, |x, y| ((x ^ y).0 >> j) as u64);
                let cross = column(h0, ht, |x, y| ((x ^ y).0 >> j) as u64);
                a.push(mine);
                products.push(mine & b ^ cross);
            }
        }
    }

    fn finish(mut self, count: usize) -> Triples {
        let bits = |words: &mut Vec<u64>| Bits::new(count, take(words));
        Triples {
            b: bits(&mut self.b),
            a: self.a.iter_mut().map(bits).collect(),
            products: self.products.iter_mut().map(bits).collect(),
        }
    }
}

/// The lowest bits of `bit(x_i, y_i)` for up to 64 pairs, as a word.
#[inline(always)]
fn column(x: &[Block], y: &[Block], bit: impl Fn(Block, Block) -> u64) -> u64 {
    x.iter().zip(y).zip(0..).fold(0, |word, ((&x, &y), i)| word | (bit(x, y) & 1) << i)
}
