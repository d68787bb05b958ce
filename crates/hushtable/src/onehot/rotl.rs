//! ROTL: a shared one-hot vector from one share rotation by a punctured PRF.
//!
//! # Functionality
//! Both parties get `(s_p, B_p)` with `B_0 ^ B_1 = e_s`, `s = s_0 + s_1` in the index group, all
//! of it random.
//!
//! # Protocol
//! One party holds the vector (H), the other turns it (T). With n entries, `d = log2 n`, and leaf rows
//! `d_i = H(leaf_i ^ 1), H(leaf_i ^ 2), ...` cut to n bits:
//! 1. H expands a half-tree with n leaves from `d` correlated OTs whose choice bits are T's; T gets
//!    all leaves but number `alpha`, the complement of its choice bits, uniform and free;
//! 2. H computes `r = XOR_i d_i` and `a = XOR_i unshift_i(d_i)`; T the same sums `r'`, `a'` with
//!    whatever stands in place `alpha`: that row cancels in step 4;
//! 3. H draws `s_H`, sends the tree's `d - 1` blocks and `v = e_{s_H} ^ a`; keeps `B_H = r`;
//! 4. T sets `s_T = alpha`, `B_T = shift_alpha(v ^ a') ^ r'`.
//!
//! Rows are summed leaf by leaf: the n x n matrix of the papers is never stored. The first half of
//! a batch is held by P0, the second by P1, so that both directions of the link are used.
//!
//! # Cost
//! `128 (d - 1) + n` bits from the holder and `d` correlated OTs a lookup, 1 message; each party
//! hashes `n - 2 + n * ceil(n / 128)` blocks.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), Figures 6 to 9. Deviations: `a` sums *left* rotations (as
//! printed the punctured row does not cancel), the tree's first level is free, the xor group.

use prim::{block::Block, ct, ggm, hash::CcrHash, pack, rows};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::{Generator, Group, MAX_DENSE_BITS, OneHot, check_index_bits};
use crate::{
    bill::{Bill, Phase, Work},
    error::Result,
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    session::{Purpose, Session, by_role, pieces},
};

/// Lookups per message: few enough that a message stays below about 1 MiB for every d.
fn piece(d: u32) -> usize {
    1 << (17 - d).min(9)
}

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 16`. Work grows with
    /// `4^d` bits a lookup: meant for `d <= 10`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn rotl(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_DENSE_BITS)?;
        let (send, recv) = Rotation::bill::<G>(d, batch).cots_of(p.role());
        let (as_holder, as_turner) = p.cots(send, recv)?;
        let words = ct::row_words(1 << d);
        let (hold, turn) = (send / d as usize, recv / d as usize);
        let mut held = Half { offset: vec![0; hold], rows: vec![0; hold * words] };
        p.session().rng().words(d, &mut held.offset);
        let turned = Half { offset: vec![0; turn], rows: vec![0; turn * words] };
        let mut halves = (held, turned);
        let (mut mine, mut theirs) =
            (pieces(halves.0.offset.len(), piece(d)), pieces(halves.1.offset.len(), piece(d)));
        p.session().duplex(
            &mut halves,
            |s, (held, _)| Ok(mine.next().map(|at| held.hold::<G>(s, d, &as_holder, at))),
            |s, (_, turned)| match theirs.next() {
                Some(at) => turned.turn::<G>(s, d, &as_turner, at).map(|()| true),
                None => Ok(false),
            },
        )?;
        let (first, second) = by_role(p.role(), &halves.0, &halves.1);
        Self::new(d, [&*first.offset, &second.offset].concat(), [&*first.rows, &second.rows].concat())
    }
}

/// The lookups in which this party holds, or turns.
#[derive(ZeroizeOnDrop)]
struct Half {
    offset: Vec<u32>,
    rows: Vec<u64>,
}

/// One message's keys and sizes.
struct Piece {
    tree: CcrHash,
    row: CcrHash,
    depth: usize,
    words: usize,
}

impl Half {
    /// Steps 1 to 3 at the holder: the message.
    fn hold<G: Group>(
        &mut self,
        s: &mut Session,
        d: u32,
        c: &CotSender,
        at: std::ops::Range<usize>,
    ) -> Vec<u8> {
        let keys = Piece::new(s, d, s.role());
        let (depth, words) = (keys.depth, keys.words);
        let mut leaves = Zeroizing::new(vec![Block::ZERO; 1 << d]);
        let mut corrections = vec![Block::ZERO; at.len() * (depth - 1)];
        let mut masked = vec![0u64; at.len() * words];
        let mut one = Zeroizing::new(vec![0u64; words]);
        for (i, j) in at.enumerate() {
            let tree = &mut corrections[i * (depth - 1)..][..depth - 1];
            ggm::expand(&keys.tree, c.delta(), &c.strings()[j * depth..][..depth], &mut leaves, tree);
            let a = &mut masked[i * words..][..words];
            rows::sum_rows(&keys.row, G::SHIFT, &leaves, &mut self.rows[j * words..][..words], a);
            ct::one_hot_row(1 << d, self.offset[j], &mut one);
            a.iter_mut().zip(one.iter()).for_each(|(a, e)| *a ^= e);
        }
        let mut message = bytemuck::cast_slice(&corrections).to_vec();
        pack::pack(&masked, (1 << d).min(64), &mut message);
        message
    }

    /// Steps 1, 2 and 4 at the turner.
    fn turn<G: Group>(
        &mut self,
        s: &mut Session,
        d: u32,
        c: &CotReceiver,
        at: std::ops::Range<usize>,
    ) -> Result<()> {
        let keys = Piece::new(s, d, s.role().peer());
        let (depth, words) = (keys.depth, keys.words);
        let mut leaves = Zeroizing::new(vec![Block::ZERO; 1 << d]);
        let mut corrections = vec![Block::ZERO; at.len() * (depth - 1)];
        let mut v = vec![0u64; at.len() * words];
        let bits = (1 << d).min(64);
        let message = s.recv(16 * corrections.len() + pack::packed_len(v.len(), bits))?;
        let (blocks, rest) = message.split_at(16 * corrections.len());
        bytemuck::cast_slice_mut(&mut corrections).copy_from_slice(blocks);
        pack::unpack(rest, bits, &mut v);
        let mut a = Zeroizing::new(vec![0u64; words]);
        for (i, j) in at.enumerate() {
            let tree = &corrections[i * (depth - 1)..][..depth - 1];
            let alpha = ggm::puncture(&keys.tree, &c.strings()[j * depth..][..depth], tree, &mut leaves);
            let r = &mut self.rows[j * words..][..words];
            rows::sum_rows(&keys.row, G::SHIFT, &leaves, r, &mut a);
            a.iter_mut().zip(&v[i * words..]).for_each(|(a, v)| *a ^= v);
            match G::SHIFT {
                rows::Shift::Cyclic => ct::rotate_row(&mut a, 1 << d, alpha),
                rows::Shift::Xor => ct::xor_row(&mut a, 1 << d, alpha),
            }
            r.iter_mut().zip(a.iter()).for_each(|(r, a)| *r ^= a);
            self.offset[j] = alpha;
        }
        Ok(())
    }
}

impl Piece {
    /// Fresh keys for the next message of the direction in which `holder` sends.
    fn new(s: &mut Session, d: u32, holder: Role) -> Self {
        let tree = s.hash(Purpose::Pprf, holder);
        let row = s.hash(Purpose::Row, holder);
        Self { tree, row, depth: d as usize, words: ct::row_words(1 << d) }
    }
}

/// [`OneHot::rotl`].
pub(crate) struct Rotation;

impl Generator for Rotation {
    const NAME: &'static str = "rotl";
    const ABOUT: &'static str = "one-hot vectors by rotation";
    const NUMBER: u8 = 3;
    const MAX_BITS: u32 = MAX_DENSE_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::rotl(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        let (d, entries) = (u64::from(d), 1 << d);
        let offline = Phase { bits: [128 * (d - 1) + entries, 0], rounds: 1 };
        Bill { cots: [d, 0], offline, kept: entries + 32, ..Bill::FREE }.alternating(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        let n = 1usize << d;
        Work::nodes(n - 2 + n * n.div_ceil(128)) + Work::levels(d) + Work::index() + Work::row(n)
    }
}
