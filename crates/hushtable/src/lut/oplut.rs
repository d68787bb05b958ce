//! OP-LUT: a shared table turned by a shared secret amount, for lookups that only open the index.
//!
//! # Functionality
//! In: a public table of n entries of `l` bits, fixed in advance, shares of `x`. Out: shares of
//! `T[x]`, additive or XOR alike.
//!
//! # Protocol
//! One party sends (S), the other receives (R).
//! 1. Offline: 1-of-n OT of n words: S gets pads `m_0, ..., m_{n-1}`, R a uniform `s < n` and `m_s`.
//! 2. S draws `r` and has `T^0[k] = T[k + r] - m_0[k]`. It sends `M_c[k] = T[k + r + c] - T^0[k] - m_c[k]`
//!    for every `c > 0`; `M_0` is zero. R has `T^1 = M_s + m_s`: now `T^0[k] + T^1[k] = T[k + r + s]`.
//! 3. Online: both open `k = x - r - s` and output `T^p[k]`.
//!
//! In the xor group all sums of indices are XORs. The first half of a batch is sent by P0, the
//! second by P1.
//!
//! # Cost, a lookup
//! Offline `n (n - 1) l` bits, 1 round, and a 1-of-n OT: `d = ceil(log2 n)` correlated OTs, or from a
//! code `rho - d` bits and 1 round; and `d` bits and a round if n is no power of two. Online `2 d`
//! bits, 1 round. Kept: n words.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-C: `n^2 l` bits.
//! Deviations: `M_0` is not sent, because the pad defines S's table; additive indices and outputs.

mod spec;

use std::{marker::PhantomData, ops::Range};

use prim::{
    block::Block,
    ct,
    hash::CcrHash,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
    rows::Shift,
    words,
};
use zeroize::Zeroizing;

use super::{
    Table,
    splut::{check_entries, exchange, minus},
};
use crate::{
    error::{Error, Result, same},
    net::Role,
    onehot::{Cyclic, Group},
    ot::{one_of_n, products::Pads},
    party::Party,
    session::{Purpose, Session, by_role, halves, pieces},
    share::{Kind, Share},
};

pub(super) use spec::TurnedTable;

/// Most bits sent for one lookup: a message of 1 MiB.
const MAX_BITS: usize = 1 << 23;
/// Bits of one message, about.
const PIECE: usize = 1 << 21;

/// One-time material for a batch of lookups in one table.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::oplut::OpLut, onehot::Cyclic, share::Additive};
/// fn twice(p: &mut Party, m: OpLut<Cyclic, Additive, u8>, x: &AShare<u32>) -> Result<()> {
///     m.lookup(p, x)?;
///     m.lookup(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OpLut<G: Group, K: Kind, R: Ring> {
    entries: usize,
    bits: u32,
    /// This party's part of the amount by which each table is turned, below n.
    offsets: Zeroizing<Vec<u32>>,
    /// Shares of the turned tables, n words a lookup.
    tables: Zeroizing<Vec<R>>,
    kinds: PhantomData<(G, K)>,
}

impl<G: Group, K: Kind, R: Ring> OpLut<G, K, R> {
    /// Offline phase for `batch` lookups in `table`, of one column, from correlated OTs.
    ///
    /// # Errors
    /// [`Error::Param`] if `n (n - 1) l` is above 2^23 bits, or in the xor group n is no power of two;
    /// [`Error::Shape`] for several columns, and those of the channel.
    pub fn prepare(p: &mut Party, table: &Table<R>, batch: usize) -> Result<Self> {
        check::<G, R>(table)?;
        let (send, recv) = Self::cots(p.role(), table.len(), batch);
        let cots = p.cots(send, recv)?;
        let ots = one_of_n::by_products(p.session(), table.len(), cots)?;
        Self::turn(p, table, ots)
    }

    /// Offline phase from a code (KK13): for small jobs. 1 round more.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_kk13(p: &mut Party, table: &Table<R>, batch: usize) -> Result<Self> {
        check::<G, R>(table)?;
        let counts = halves(p.role(), batch);
        let (send, recv) = one_of_n::code_cots(table.len(), counts);
        let cots = p.cots(send, recv)?;
        let ots = one_of_n::by_code(p.session(), table.len(), cots, counts)?;
        Self::turn(p, table, ots)
    }

    /// Correlated OTs that [`prepare`](Self::prepare) takes at the party `role`: `(as sender, as receiver)`.
    pub fn cots(role: Role, entries: usize, batch: usize) -> (usize, usize) {
        one_of_n::product_cots(entries, halves(role, batch))
    }

    /// Correlated OTs that [`prepare_kk13`](Self::prepare_kk13) takes at the party `role`.
    pub fn kk13_cots(role: Role, entries: usize, batch: usize) -> (usize, usize) {
        one_of_n::code_cots(entries, halves(role, batch))
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Online, 1 round: shares of `T[x]`. The low bits of a wider index count. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many indices as lookups; [`Error::Param`] if the index is
    /// narrower than the table's or the length is no power of two.
    pub fn lookup(self, s: &mut Session, x: &Share<G::Kind, u32>) -> Result<Share<K, R>> {
        if !self.entries.is_power_of_two() {
            let accepted = "powers of two; for other lengths share the index modulo the length".into();
            let (what, got) = ("entries of the table", self.entries.to_string());
            return Err(Error::Param { what, got, accepted });
        }
        let masked = self.masked(x.low_bits::<u32>(one_of_n::index_bits(self.entries) as u32)?.words())?;
        self.open(s, masked)
    }

    /// Step 3: what this party sends, of reduced indices.
    fn masked(&self, x: &[u32]) -> Result<Vec<u32>> {
        same("indices", self.len(), x.len())?;
        let n = self.entries as u32;
        Ok(x.iter().zip(self.offsets.iter()).map(|(&x, &offset)| minus::<G>(x, offset, n)).collect())
    }

    /// Step 3.
    fn open(self, s: &mut Session, mine: Vec<u32>) -> Result<Share<K, R>> {
        // Public: the offset is uniform in the index group and serves no other lookup, since `self`
        // is spent.
        let theirs = exchange(s, &mine, mine.len(), one_of_n::index_bits(self.entries) as u32)?;
        let sum = |(&a, &b): (&u32, &u32)| match G::SHIFT {
            Shift::Cyclic => ((a as usize + b as usize) % self.entries) as u32,
            Shift::Xor => a ^ b,
        };
        let opened: Vec<u32> = mine.iter().zip(&theirs).map(sum).collect();
        Ok(self.entries_at(&opened))
    }

    /// The entries at the opened places.
    fn entries_at(&self, opened: &[u32]) -> Share<K, R> {
        let tables = self.tables.chunks_exact(self.entries);
        Share::new(self.bits, opened.iter().zip(tables).map(|(&at, table)| table[at as usize]).collect())
    }

    /// Step 2, with OTs of random choices.
    fn turn(
        p: &mut Party,
        table: &Table<R>,
        (mut out, mut inc): (one_of_n::Sender, one_of_n::Receiver),
    ) -> Result<Self> {
        let (n, sending, receiving) = (table.len(), out.len(), inc.len());
        let words = |lookups: usize| Zeroizing::new(Vec::with_capacity(lookups * n));
        let offsets = Zeroizing::new(Vec::with_capacity(sending));
        let mut run = Turning::<K, R> {
            table,
            offsets,
            sent: words(sending),
            received: words(receiving),
            kind: PhantomData,
        };
        let piece = (PIECE / bits_sent(table)).max(1);
        let (mut mine, mut theirs) = (pieces(sending, piece), pieces(receiving, piece));
        p.session().duplex(
            &mut run,
            |s, run| Ok(mine.next().map(|at| run.send::<G>(s, &mut out, at))),
            |s, run| match theirs.next() {
                Some(at) => run.receive(s, &mut inc, at).map(|()| true),
                None => Ok(false),
            },
        )?;
        let mut tables = words(sending + receiving);
        let mut offsets = Zeroizing::new(Vec::with_capacity(sending + receiving));
        let parts = [(&run.offsets[..], &run.sent[..]), (inc.choices(), &run.received[..])];
        let order = <[usize; 2]>::from(by_role(p.role(), 0, 1));
        for (own, shares) in order.map(|half| parts[half]) {
            offsets.extend_from_slice(own);
            tables.extend_from_slice(shares);
        }
        Ok(Self { entries: n, bits: table.bits(), offsets, tables, kinds: PhantomData })
    }
}

impl<K: Kind, R: Ring> OpLut<Cyclic, K, R> {
    /// Online, 1 round: shares of `T[x]` for a table of any length n; `x` are this party's words,
    /// below n, of indices shared additively **modulo n**. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many indices as lookups, and [`Error::Param`] if a word is
    /// not below n.
    pub fn lookup_mod(self, s: &mut Session, x: &[u32]) -> Result<Share<K, R>> {
        if x.iter().fold(false, |any, &x| any | (x as usize >= self.entries)) {
            let accepted = format!("shares modulo {}", self.entries);
            let got = "a word that is not reduced".into();
            return Err(Error::Param { what: "index share", got, accepted });
        }
        let masked = self.masked(x)?;
        self.open(s, masked)
    }
}

/// Step 2 under way: `r` and `T^0` where this party sends, `T^1` where it receives.
struct Turning<'a, K: Kind, R: Ring> {
    table: &'a Table<R>,
    offsets: Zeroizing<Vec<u32>>,
    sent: Zeroizing<Vec<R>>,
    received: Zeroizing<Vec<R>>,
    kind: PhantomData<K>,
}

impl<K: Kind, R: Ring> Turning<'_, K, R> {
    fn send<G: Group>(&mut self, s: &mut Session, out: &mut one_of_n::Sender, at: Range<usize>) -> Vec<u8> {
        let (key, wide) = (out.key(s), s.hash(Purpose::WidePad, s.role()));
        let (column, n, bits) = (&self.table.columns()[0], self.table.len(), self.table.bits());
        let (mut room, mut pad) = (Pads::new(n), Wide::new(n));
        let (mut turned, mut spare) = (Zeroizing::new(column.clone()), Zeroizing::new(column.clone()));
        let mut masked: Vec<R> = Vec::with_capacity(at.len() * n * (n - 1));
        for j in at {
            let r = s.rng().below(n as u32);
            turned.copy_from_slice(column);
            match G::SHIFT {
                Shift::Cyclic => words::rotate_left(&mut turned, &mut spare, r),
                Shift::Xor => words::permute_xor(&mut turned, &mut spare, r),
            }
            let pads = out.pads(&key, j, 0, &mut room);
            let first = pad.expand(&wide, pads[0]);
            let own = turned.iter().zip(first).map(|(&t, &m)| strip::<K, R>(t, m));
            let start = self.sent.len();
            self.sent.extend(own.map(|own| reduced(own, bits)));
            for (c, &m) in pads.iter().enumerate().skip(1) {
                let own = &self.sent[start..];
                for (k, (&own, &m)) in own.iter().zip(pad.expand(&wide, m)).enumerate() {
                    let from = match G::SHIFT {
                        Shift::Cyclic => (k + c) % n,
                        Shift::Xor => k ^ c,
                    };
                    masked.push(strip::<K, R>(strip::<K, R>(turned[from], own), m));
                }
            }
            self.offsets.push(r);
        }
        let mut message = Vec::with_capacity(packed_len(masked.len(), bits));
        pack(&masked, bits, &mut message);
        message
    }

    fn receive(&mut self, s: &mut Session, inc: &mut one_of_n::Receiver, at: Range<usize>) -> Result<()> {
        let (n, bits) = (self.table.len(), self.table.bits());
        let keys = inc.key(s);
        let pads = inc.pads(&keys, at.clone());
        let wide = s.hash(Purpose::WidePad, s.role().peer());
        let mut pad = Wide::new(n);
        let mut sent = vec![R::default(); at.len() * n * (n - 1)];
        unpack(&s.recv(packed_len(sent.len(), bits))?, bits, &mut sent);
        let choices = &inc.choices()[at];
        for ((&m, &choice), sent) in pads.iter().zip(choices).zip(sent.chunks_exact(n * (n - 1))) {
            // Row `choice - 1`; none for 0, of which all zeros were not sent.
            let mut own = Zeroizing::new(vec![R::default(); n]);
            for (row, c) in sent.chunks_exact(n).zip(1..) {
                let mask = ct::eq_mask(c, choice);
                own.iter_mut().zip(row).for_each(|(x, y)| *x = R::from_u64(x.to_u64() | y.to_u64() & mask));
            }
            let shares = own.iter().zip(pad.expand::<R>(&wide, m));
            let shares = shares.map(|(x, m)| R::from_u64(K::combine(x.to_u64(), m.to_u64())));
            self.received.extend(shares.map(|x| reduced(x, bits)));
        }
        Ok(())
    }
}

/// Words from one pad: `H(m ^ 1), H(m ^ 2), ...`, as many as a table has.
struct Wide {
    blocks: Zeroizing<Vec<Block>>,
    n: usize,
}

impl Wide {
    fn new(n: usize) -> Self {
        Self { blocks: Zeroizing::new(vec![Block::ZERO; n.div_ceil(2)]), n } // words of up to 64 bits
    }

    fn expand<R: Ring>(&mut self, hash: &CcrHash, m: Block) -> &[R] {
        let blocks = &mut self.blocks[..(self.n * R::WIDTH as usize).div_ceil(128)];
        blocks.iter_mut().zip(1..).for_each(|(block, i)| *block = m ^ Block(i));
        hash.in_place(blocks);
        &bytemuck::cast_slice(blocks)[..self.n]
    }
}

fn strip<K: Kind, R: Ring>(a: R, b: R) -> R {
    R::from_u64(K::strip(a.to_u64(), b.to_u64()))
}

fn reduced<R: Ring>(x: R, bits: u32) -> R {
    R::from_u64(low(x.to_u64(), bits))
}

/// `n (n - 1) l`.
fn bits_sent<R: Ring>(table: &Table<R>) -> usize {
    table.len() * (table.len() - 1) * table.bits() as usize
}

/// `Ok(())` if the message of one lookup is small enough.
fn check_size(entries: usize, bits: u32) -> Result<()> {
    let sent = entries * (entries - 1) * bits as usize;
    if sent <= MAX_BITS {
        return Ok(());
    }
    let what = "bits that OP-LUT sends a lookup, n (n - 1) l";
    Err(Error::Param { what, got: sent.to_string(), accepted: "up to 2^23".into() })
}

fn check<G: Group, R: Ring>(table: &Table<R>) -> Result<()> {
    same("columns of the table", 1, table.columns().len())?;
    check_entries::<G>(table.len(), 1 << 20)?;
    check_size(table.len(), table.bits())
}
