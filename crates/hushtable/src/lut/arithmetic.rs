//! Lookup with additive output in a single online round: the one-hot vector itself is additive.
//!
//! # Functionality
//! In: public tables of `n = 2^d` entries of `l` bits, shares of `x` in the index group. Out: additive
//! shares of `T[x]` mod `2^l`.
//!
//! # Protocol
//! *Offline*: additive shares `y_0 + y_1 = e_s` mod `2^l`, with shares of s. A word of 8, 16, 32 or 64
//! bits holds l, and a block `k = 2^e` of them (all n if these are fewer).
//! 1. The low e bits of s and their vector by doubling (`onehot::doubling`); its entries
//!    but the first are turned into additive shares, the first is 1 minus these: `e_lo`.
//! 2. Over the high bits grows a half-tree (`tree::half_tree`). Of its leaves x,
//!    `C(x) = H''(x ^ 1)` under a key of their own, read as k words; `A_p` is the sum of party p's
//!    `C(x)`, `T_p` the number of its leaves with control bit 1.
//! 3. The words of `z_0 = e_lo,0 - A_0` and `z_1 = e_lo,1 + A_1` are multiplied by the sign
//!    `T_0 - T_1 = +-1` as in [`read::signed`](super::read::signed): `b_p = bit 1 of (T_0, -T_1)`,
//!    correlated OTs with the payload `u_p = (1 - 2 b_p) z_p`. Only the products `W` are opened.
//! 4. The words of leaf x are `C(x) + t W`, at P1 negated.
//!
//! *Online*: open `m = x - s`; `T[x]` is the sum of `y[j] T[j + m]`, locally. Step 4 is done here, where
//! `y` is read.
//!
//! # Cost, a lookup
//! Offline `256 (d - e) + 4 k l - 2 k + 2 + (k - 1) l + 2 (k - e - 1)` bits and
//! `2 (d - 1) + (k - 1) + 2` correlated OTs in `d + 2` rounds; the lift to the cyclic group adds
//! `d (d - 1) / 2` bits, a correlated OT and a round (no round for d = 1). For l = 1 the
//! `(k - 1) l` bits, their OTs and round fall away. Online `2 d` bits, 1 round.
//!
//! # Source
//! lut-beyond 2.5, with the count of bits of lut-rules. Words in the leaves: Boyle, Gilboa, Ishai
//! (CCS 2016), early termination.

pub(crate) mod many;
mod spec;
mod stored;

use prim::{
    block::Block,
    ct,
    forest::{self, LANES},
    hash::CcrHash,
    lookup::Shifted,
    ring::{Ring, low},
};
use zeroize::Zeroizing;

pub(super) use self::spec::Words;
#[cfg(test)]
pub(super) use self::spec::material;
use super::{Table, read::signed::sign_bit};
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result, same, within},
    gates::{B2a, Bits, Direction, Products, multiply},
    net::Role,
    onehot::{
        Group, MAX_INDEX_BITS, doubling,
        doubling::Doubling,
        rows::{LOOKUPS, Rows, Trees},
    },
    party::Party,
    session::{Purpose, Session},
    share::{AShare, Additive, Share},
    tree::half_tree::HalfTrees,
};

/// One-time material: additive shares of one-hot vectors. Not `Clone`; spent by a lookup.
///
/// As with [`OneHot`](crate::onehot::OneHot), nothing of it may be sent or used as a mask.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Arithmetic<G: Group, R: Ring> {
    d: u32,
    bits: u32,
    offset: Share<G::Kind, u32>,
    /// Of `2^d` words; P1's are the negated ones.
    rows: Rows<R>,
}

impl<G: Group, R: Ring> Arithmetic<G, R> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries of `bits` bits, `1 <= d <= 20`,
    /// `1 <= bits <= R::WIDTH`: `d + 2` rounds (`d + 3` in the cyclic group). The material has
    /// `2^d` words a lookup, so a large batch is cut by the caller.
    ///
    /// # Errors
    /// [`Error::Param`] for another `d` or width, and those of the channel.
    pub fn prepare(p: &mut Party, d: u32, bits: u32, batch: usize) -> Result<Self> {
        within("index bits", d, 1..=MAX_INDEX_BITS)?;
        within("width of an arithmetic one-hot vector", bits, 1..=R::WIDTH)?;
        let e = low_bits(R::WIDTH, d);
        let (send, recv) = generator_cots::<G>(p.role(), d, e, batch);
        let (mut out, mut inc) = p.cots(send, recv)?;
        let (mut index, lower) = Doubling::run::<G>(p, d, e, batch, &mut out, &mut inc)?;
        let trees = HalfTrees::grow::<G>(p, &mut index, e, &mut out, &mut inc)?;
        let e_low = additive::<R>(p, &lower, e, bits)?;
        let key = |_| p.session().hash(Purpose::TreeWord, Role::P0);
        let keys: Vec<CcrHash> = (0..batch.div_ceil(LOOKUPS)).map(key).collect();
        let words = vec![Block::ZERO; trees.groups() * LANES];
        let mut trees = Trees {
            weights: Zeroizing::default(), // additive rows have no use for them
            trees,
            keys,
            words,
            width: 1 << d,
            write: forest::write_add::<R>,
        };
        corrections(p, &mut trees, &e_low, bits)?;
        let offset = Share::new(d, std::mem::take(&mut index.offset));
        Ok(Self { d, bits, offset, rows: Rows::grown(trees, batch) })
    }

    /// Bytes in memory.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        4 * self.offset.words().len() + self.rows.held()
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Cuts off the material for `m` lookups, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "lookups left", want: m, got: self.len() });
        };
        let rows = self.rows.split_off(left, 1 << self.d);
        Ok(Self { d: self.d, bits: self.bits, offset: self.offset.split_off(left), rows })
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        to.words(self.offset.words(), self.d);
        self.rows.visit(1 << self.d, |_, rows| to.words(rows, self.bits));
    }

    /// For `count` lookups.
    pub(crate) fn decode(from: &mut Reader<'_>, d: u32, bits: u32, count: usize) -> Result<Self> {
        within("index bits", d, 1..=MAX_INDEX_BITS)?;
        within("width of an arithmetic one-hot vector", bits, 1..=R::WIDTH)?;
        let offset = Share::new(d, from.words(count, d)?);
        let rows = Rows::Stored(from.words(count << d, bits)?.into());
        Ok(Self { d, bits, offset, rows })
    }

    /// Online, 1 round: additive shares of `T[x]`, for a table of one column. Spends this material.
    /// The low bits of a wider index count.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the
    /// channel.
    pub fn lookup(self, s: &mut Session, table: &Table<R>, x: &Share<G::Kind, u32>) -> Result<AShare<R>> {
        same("columns of the table", 1, table.columns().len())?;
        Ok(self.lookup_all(s, &[table], x)?.remove(0))
    }

    /// Online, 1 round: additive shares of every column of several tables at the same index, in order.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup).
    pub fn lookup_all(
        self,
        s: &mut Session,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<AShare<R>>> {
        let masked = self.mask(tables, x)?;
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let m = s.open(&masked)?;
        Ok(self.read(s.role(), tables, &m))
    }

    /// `x - s`, to be opened, of indices into these tables.
    fn mask(&self, tables: &[&Table<R>], x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        for table in tables {
            table.check_index(self.d)?;
            same("width prepared for additive output", self.bits as usize, table.bits() as usize)?;
        }
        same("indices", self.len(), x.len())?;
        Ok(x.low_bits::<u32>(self.d)?.minus(&self.offset))
    }

    /// Shares of the columns where `m` was opened. Spends the material.
    fn read(self, role: Role, tables: &[&Table<R>], m: &[u32]) -> Vec<AShare<R>> {
        let columns: Vec<&Vec<R>> = tables.iter().flat_map(|t| t.columns()).collect();
        let mut out = vec![vec![R::default(); m.len()]; columns.len()];
        let shifted: Vec<Shifted<R>> = columns.iter().map(|column| Shifted::new(G::SHIFT, column)).collect();
        self.rows.spend(1 << self.d, |at, rows| {
            for (column, out) in shifted.iter().zip(&mut out) {
                column.dot(rows, &m[at.clone()], &mut out[at.clone()]);
            }
        });
        let share = |mut column: Vec<R>| {
            column.iter_mut().for_each(|y| *y = R::from_u64(signed(role, y.to_u64())));
            Share::new(self.bits, column)
        };
        out.into_iter().map(share).collect()
    }
}

/// Prints the shape only.
impl<G: Group, R: Ring> std::fmt::Debug for Arithmetic<G, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (len, n, bits) = (self.len(), 1u64 << self.d, self.bits);
        write!(f, "Arithmetic<{}>({len} x {n} entries of {bits} bits)", G::NAME)
    }
}

/// `e = log2 k` for words of `width` bits.
pub(crate) fn low_bits(width: u32, d: u32) -> u32 {
    (128 / width).ilog2().min(d)
}

/// Correlated OTs of steps 1 and 2, without the conversions.
fn generator_cots<G: Group>(role: Role, d: u32, e: u32, batch: usize) -> (usize, usize) {
    let (send, recv) = doubling::cots::<G>(role, d, e, batch);
    let levels = (d - e) as usize * batch;
    (send + levels, recv + levels)
}

/// `v` at P0, `-v` at P1.
fn signed(role: Role, v: u64) -> u64 {
    let negated = (role as u64).wrapping_neg();
    (v ^ negated).wrapping_sub(negated)
}

/// Step 1: columns of additive shares of the entries of short vectors, one word each.
fn additive<R: Ring>(p: &mut Party, rows: &[u64], e: u32, bits: u32) -> Result<Zeroizing<Vec<Vec<u64>>>> {
    let (k, batch) = (1 << e, rows.len());
    let entries = Bits::collect((1..k).flat_map(|j| rows.iter().map(move |row| row >> j & 1)));
    let shares: AShare<R> = B2a::prepare(p, bits, entries.len())?.convert(p, &entries)?;
    // Shares of 1 are 1 and 0.
    let mut first = vec![1 - p.role() as u64; batch];
    let mut columns = Zeroizing::new(vec![Vec::new()]);
    for column in shares.words().chunks(batch.max(1)) {
        first.iter_mut().zip(column).for_each(|(first, entry)| *first = first.wrapping_sub(entry.to_u64()));
        columns.push(column.iter().map(|entry| entry.to_u64()).collect());
    }
    columns[0] = first;
    Ok(columns)
}

/// Step 3: `W` of each tree, as the words of a block.
fn corrections<R: Ring>(p: &mut Party, trees: &mut Trees<R>, e_low: &[Vec<u64>], bits: u32) -> Result<()> {
    let (k, batch, role) = (e_low.len(), e_low[0].len(), p.role());
    let mut u = Zeroizing::new(e_low.to_vec());
    let mut signs = Zeroizing::new(vec![0u64; batch]);
    let mut room = trees.trees.room();
    for group in 0..trees.trees.groups() {
        trees.trees.leaves(group, &mut room);
        let mut sums = Zeroizing::new([Block::ZERO; LANES]);
        forest::add_leaves::<R>(trees.key(group), &room, &mut sums);
        let ones = forest::count_control(&room);
        for (i, (sum, ones)) in (group * LANES..batch).zip(sums.iter().zip(ones)) {
            signs[i] = sign_bit(role, (ones & 3) as u8).into();
            let sign = ct::bit_mask(signs[i]);
            for (u, word) in u.iter_mut().zip((0..128).step_by(R::WIDTH as usize)) {
                let z = u[i].wrapping_sub(signed(role, (sum.0 >> word) as u64));
                u[i] = low((z ^ sign).wrapping_sub(sign), bits);
            }
        }
    }
    let products = Products::prepare(p, Direction::Both, batch, &vec![bits - 1; k])?;
    let products = multiply::<Additive>(p, vec![products.chosen(signs.iter().copied(), &u)])?.remove(0);
    let word = |(u, product): (&u64, &u64)| R::from_u64(u.wrapping_sub(product << 1));
    let shares = u.iter().zip(products.iter()).flat_map(|(u, product)| u.iter().zip(product).map(word));
    let shares = AShare::new(bits, shares.collect());
    // Public: each word of the sum is masked by that word of C(x) of the leaf on the path, which the
    // other party does not know.
    let opened = p.open(&shares)?;
    let words = &mut trees.words;
    for (column, shift) in opened.chunks(batch.max(1)).zip((0..128).step_by(R::WIDTH as usize)) {
        words.iter_mut().zip(column).for_each(|(word, w)| word.0 |= u128::from(w.to_u64()) << shift);
    }
    Ok(())
}
