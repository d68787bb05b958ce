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
//! No message. 2 correlated OTs for k products, one each way; each party hashes 3 blocks. The OTs of all
//! products are drawn in one round, and hashed as they are made.
//!
//! # Source
//! Asharov, Lindell, Schneider, Zohner, "More Efficient Oblivious Transfer" (CCS 2013), section
//! 5.1.3, from two random OTs.

use std::{fmt, mem::take};

use prim::{Wiped, block::Block, hash::CcrHash};
use zeroize::ZeroizeOnDrop;

use super::Bits;
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    party::Party,
    session::Purpose,
    source::Source,
};

/// Triples made under one key a direction.
const UNDER_KEY: usize = 1 << 19;
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
    pub fn random(p: &mut dyn Source, count: usize) -> Result<Self> {
        Self::shared(p, count, 1)
    }

    /// Offline: for `count` operands, each of which is to be ANDed with `k` others, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another `k`, and those of the channel.
    pub fn shared(p: &mut dyn Source, count: usize, k: usize) -> Result<Self> {
        if !(1..=64).contains(&k) {
            return Err(Error::Param {
                what: "ANDs of one operand",
                got: k.to_string(),
                accepted: "1 to 64".into(),
            });
        }
        p.atom(k, count, |p| Self::make(p, count, k))
    }

    /// [`shared`](Self::shared), with the peer.
    fn make(p: &mut Party, count: usize, k: usize) -> Result<Self> {
        let mut made = Growing::new(p, count, k);
        p.stream_cots((count, count), &mut made, Growing::send, Growing::receive)?;
        Ok(made.finish(count))
    }

    /// What an operand costs, with its `k` ANDs.
    pub fn bill(k: usize) -> Bill {
        let k = k as u64;
        Bill::opening(k + 1) + Bill::of_cots([1, 1]).keeping(2 * k + 1)
    }

    /// Triples of one product each, from both parties' shares made elsewhere.
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths differ.
    pub fn from_shares(a: Bits, b: Bits, product: Bits) -> Result<Self> {
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

/// Triples being made: each party's bits as sender, and as receiver, in words.
pub(super) struct Growing {
    /// Keys of the hashes of this party's strings as sender, and as receiver.
    to_peer: Vec<CcrHash>,
    from_peer: Vec<CcrHash>,
    /// Correlated OTs taken as sender and as receiver.
    sent: usize,
    received: usize,
    bits: Halves,
    hashed: [Wiped<Block>; 2],
}

#[derive(ZeroizeOnDrop)]
struct Halves {
    a: Vec<Vec<u64>>,
    /// As sender, `r_0`.
    y: Vec<Vec<u64>>,
    b: Vec<u64>,
    /// As receiver, `r_c`.
    cross: Vec<Vec<u64>>,
}

impl Growing {
    pub(super) fn new(p: &mut Party, count: usize, k: usize) -> Self {
        let role = p.role();
        let mut keys = |owner| {
            let key = |_| p.session().hash(Purpose::OtPad, owner);
            (0..count.div_ceil(UNDER_KEY)).map(key).collect()
        };
        let (to_peer, from_peer) = (keys(role), keys(role.peer()));
        let words = || Vec::with_capacity(count.div_ceil(64));
        let each = || (0..k).map(|_| words()).collect();
        let bits = Halves { a: each(), y: each(), b: words(), cross: each() };
        let hashed = [Wiped::zeros(CHUNK), Wiped::zeros(CHUNK)];
        Self { to_peer, from_peer, sent: 0, received: 0, bits, hashed }
    }

    /// Takes strings as sender.
    pub(super) fn send(&mut self, delta: Block, mut q: &[Block]) {
        while !q.is_empty() {
            let (now, rest) = q.split_at(chunk(self.sent, q.len()));
            let hash = &self.to_peer[self.sent / UNDER_KEY];
            let [h0, h1] = self.hashed.each_mut().map(|h| &mut h[..now.len()]);
            hash.xored(now, Block::ZERO, h0);
            hash.xored(now, delta, h1);
            for (j, (a, y)) in self.bits.a.iter_mut().zip(&mut self.bits.y).enumerate() {
                for (h0, h1) in h0.chunks(64).zip(h1.chunks(64)) {
                    a.push(column(h0, h1, |x, y| ((x ^ y).0 >> j) as u64));
                    y.push(column(h0, h0, |x, _| (x.0 >> j) as u64));
                }
            }
            (q, self.sent) = (rest, self.sent + now.len());
        }
    }

    /// Takes strings as receiver.
    pub(super) fn receive(&mut self, mut t: &[Block]) {
        while !t.is_empty() {
            let (now, rest) = t.split_at(chunk(self.received, t.len()));
            let h = &mut self.hashed[0][..now.len()];
            self.from_peer[self.received / UNDER_KEY].xored(now, Block::ZERO, h);
            self.bits.b.extend(now.chunks(64).map(|t| column(t, t, |t, _| t.0 as u64)));
            for (j, cross) in self.bits.cross.iter_mut().enumerate() {
                cross.extend(h.chunks(64).map(|h| column(h, h, |x, _| (x.0 >> j) as u64)));
            }
            (t, self.received) = (rest, self.received + now.len());
        }
    }

    /// What there is of one direction: at its sender the `r_0 ^ r_1` and the `r_0`, at its receiver the choices and the
    /// `r_c`.
    pub(super) fn one_way(mut self, count: usize, sends: bool) -> [Bits; 2] {
        let Halves { a, y, b, cross } = &mut self.bits;
        let both = if sends { [&mut a[0], &mut y[0]] } else { [b, &mut cross[0]] };
        both.map(|words| Bits::new(count, take(words)))
    }

    fn finish(mut self, count: usize) -> Triples {
        let Halves { a, y, b, cross } = &mut self.bits;
        for (cross, (a, y)) in cross.iter_mut().zip(a.iter().zip(y)) {
            let both = a.iter().zip(&*b).zip(y);
            cross.iter_mut().zip(both).for_each(|(cross, ((a, b), y))| *cross ^= a & b ^ *y);
        }
        let bits = |words: &mut Vec<u64>| Bits::new(count, take(words));
        Triples {
            b: bits(b),
            a: a.iter_mut().map(bits).collect(),
            products: cross.iter_mut().map(bits).collect(),
        }
    }
}

/// How many of `left` strings are hashed at once, under one key, after `done`.
fn chunk(done: usize, left: usize) -> usize {
    left.min(CHUNK).min(UNDER_KEY - done % UNDER_KEY)
}

/// The lowest bits of `bit(x_i, y_i)` for up to 64 pairs, as a word.
#[inline(always)]
fn column(x: &[Block], y: &[Block], bit: impl Fn(Block, Block) -> u64) -> u64 {
    x.iter().zip(y).zip(0..).fold(0, |word, ((&x, &y), i)| word | (bit(x, y) & 1) << i)
}
