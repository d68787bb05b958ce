//! KK13: 1-of-N OT extension from codes, for small jobs. `N = 2^k`, `1 <= k <= 13`.
//!
//! # Functionality
//! The receiver gets uniform indices `r_j < N`; with `D_v` the sender's secret differences, linear
//! in `v` and `D_0 = 0`, the sender gets blocks `z_j`, the receiver `y_j = z_j ^ D_{r_j}`. The pads
//! of OT j are `H(z_j ^ D_v)` for all `v` (see [`one_of_n`](super::one_of_n)): the receiver knows
//! `H(y_j)`.
//!
//! # Protocol
//! With a code `gamma` of length `rho` and distance 128 in systematic form (see
//! [`codes`](super::codes)); `S`, `R` are the sender and the receiver:
//! 1. `rho` correlated OTs sent by R become random OTs of seeds: R has `k_i^0 = H(q_i)`,
//!    `k_i^1 = H(q_i ^ Delta)`, S the random choice bits `s_i` and `k_i^{s_i}`;
//! 2. R expands columns `t^i`, `t1^i` of m bits from the two seeds. The bits of its indices are
//!    `t^i ^ t1^i` for `i < k`. It sends `u^i = t^i ^ t1^i ^ c^i` for `i >= k`, row j of the `c^i`
//!    being the codeword of `r_j`;
//! 3. S: `q^i = G(k_i^{s_i})` for `i < k`, else `s_i u^i` more. Now row by row
//!    `q_j = t_j ^ (gamma(r_j) & s)`;
//! 4. both map rows to blocks by a public linear map L: `z_j = L(q_j)`, `y_j = L(t_j)`,
//!    `D_v = L(gamma(v) & s)`.
//!
//! An index of the receiver's choice costs k bits more, its difference to `r_j`: all `rho` columns.
//!
//! # Security
//! The pads unknown to R are `H(y_j ^ D_w)`, `w != 0`. `D_w` is linear in the bits of `s` below the
//! ones of `gamma(w)`, which are at least 128; L is such that their images have rank 126 or more
//! for every `w` (for k = 13: 125), 127 on average: tested by enumeration. So each `D_w` has
//! 126 bits of entropy, as many as a `Delta`, and so has each `D_w ^ D_w' = D_{w ^ w'}`. With H
//! = `AES(sigma(x)) ^ sigma(x)` and AES under a public key an ideal permutation, a pad is random to R
//! unless R queries AES at `y_j ^ D_w` or two of these inputs meet: over p queries and q pads at
//! most `(2 p q + q^2) / 2^126`. `y_j` needs no tweak, being uniform. This is the code-correlation
//! robustness that KK13 asks of its hash, of a family of linear differences instead of one, and it
//! is why a row of `rho` bits is not used as an AES key: related keys.
//!
//! # Cost
//! `(rho - k) m` bits from the receiver, 1 round; `rho` correlated OTs once, without a message.
//! Columns travel as whole bytes. N = 256: 247 bits an OT.
//!
//! # Source
//! Kolesnikov, Kumaresan (CRYPTO 2013) with the codes and the random choice of Dessouky et al.
//! (NDSS 2017), Protocol 1. Deviations: step 5 there prints `H(j, q_j ^ gamma(v))`, with which the
//! receiver cannot decrypt; it is `gamma(v) & s`. Rows are compressed by L before they are hashed.

use prim::{block::Block, prg::Prg, transpose::transpose128};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    codes::Code,
    rcot::{CotReceiver, CotSender},
};
use crate::{
    error::{Result, same},
    session::{Purpose, Session},
};

/// OTs per message.
const PIECE: usize = 1 << 12;

/// For each k from 1 on, the seed of its map L: the first for which the ranks are as promised.
const SEEDS: [u16; 13] = [0, 0, 0, 0, 1, 0, 3, 3, 9, 27, 3343, 1503, 0];

/// The sender's half of a batch of 1-of-N OTs.
#[derive(ZeroizeOnDrop)]
pub(super) struct Sent {
    /// `D_v` for all v.
    pub differences: Vec<Block>,
    /// `z_j`.
    pub rows: Vec<Block>,
}

/// The receiver's half.
#[derive(ZeroizeOnDrop)]
pub(super) struct Received {
    /// `r_j`.
    pub choices: Vec<u32>,
    /// `y_j`.
    pub rows: Vec<Block>,
}

impl Sent {
    /// Cuts off the OTs from `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        Self { differences: self.differences.clone(), rows: self.rows.split_off(at) }
    }
}

/// Correlated OTs, as sender and as receiver, for the seeds of `send` OTs as sender and `recv` as
/// receiver with pads of a code's words.
pub(super) fn cots(code: &Code, send: usize, recv: usize) -> (usize, usize) {
    let rho = code.len();
    (if recv > 0 { rho } else { 0 }, if send > 0 { rho } else { 0 })
}

/// The next `send` OTs as sender and `recv` as receiver; the peer the other way round.
pub(super) fn extend(
    s: &mut Session,
    code: Code,
    (cots_out, cots_in): (CotSender, CotReceiver),
    (send, recv): (usize, usize),
) -> Result<(Sent, Received)> {
    let (out, inc) = cots(&code, send, recv);
    same("correlated OTs to send for seeds", out, cots_out.len())?;
    same("correlated OTs to receive for seeds", inc, cots_in.len())?;
    let map = Map::new(code);
    let mut run = (Sender::new(s, &map, &cots_in, send), Receiver::new(s, &map, &cots_out, recv));
    s.duplex(&mut run, |_, (_, inc)| Ok(inc.produce()), |s, (out, _)| out.consume(s))?;
    let (out, inc) = run;
    Ok((out.sent, inc.received))
}

/// A code and the linear map L from its `rho` bits to a block.
struct Map {
    code: Code,
    /// L of the unit vectors from the 128th on; those before are mapped to the bits of a block.
    images: Vec<Block>,
}

impl Map {
    fn new(code: Code) -> Self {
        let mut images = vec![Block::ZERO; code.len() - 128];
        Prg::new(Block(SEEDS[code.index_bits() as usize - 1].into())).blocks(&mut images);
        Self { code, images }
    }

    /// L of every unit vector.
    fn units(&self) -> impl Iterator<Item = Block> {
        (0..128).map(|bit| Block(1 << bit)).chain(self.images.iter().copied())
    }

    /// `D_v` for all v, from `D` of the unit vectors: `s` masks the positions of a codeword.
    fn differences(&self, s: &[Block]) -> Vec<Block> {
        let mut all = vec![Block::ZERO; 1 << self.code.index_bits()];
        for row in 0..self.code.index_bits() {
            let ones = self.code.columns().iter().zip(self.units()).zip(s);
            let ones = ones.filter(|((column, _), _)| **column >> row & 1 == 1); // the code is public
            let unit = ones.fold(Block::ZERO, |sum, ((_, image), &s)| sum ^ (image & s));
            let (known, next) = all.split_at_mut(1 << row);
            next.iter_mut().zip(known).for_each(|(next, &mut known)| *next = known ^ unit);
        }
        all
    }

    /// Step 4 for all rows: from `rho` columns of `rows.len()` bits, a multiple of 128.
    fn rows(&self, columns: &mut [Block], rows: &mut [Block]) {
        let words = rows.len() / 128;
        let (sums, rest) = columns.split_at_mut(128 * words);
        for (column, image) in rest.chunks_exact(words).zip(&self.images) {
            for (bit, sum) in (0..128).zip(sums.chunks_exact_mut(words)) {
                if image.bit(bit) {
                    add(sum, column); // the map is public
                }
            }
        }
        transpose128(sums, rows);
    }
}

/// S under way.
struct Sender<'a> {
    map: &'a Map,
    /// All ones where `s_i` is 1.
    s: Zeroizing<Vec<Block>>,
    streams: Vec<Prg>,
    sent: Sent,
    count: usize,
}

/// R under way.
struct Receiver<'a> {
    map: &'a Map,
    streams: Vec<[Prg; 2]>,
    received: Received,
    count: usize,
}

impl<'a> Sender<'a> {
    /// Step 1.
    fn new(s: &mut Session, map: &'a Map, cots: &CotReceiver, count: usize) -> Self {
        let hash = s.hash(Purpose::OtPad, s.role().peer());
        let streams = cots.strings().iter().map(|&t| Prg::new(hash.one(t))).collect();
        let bits = Zeroizing::new(cots.strings().iter().map(|t| Block::mask(t.lsb())).collect::<Vec<_>>());
        let sent = Sent { differences: map.differences(&bits), rows: Vec::with_capacity(count) };
        Self { map, s: bits, streams, sent, count }
    }

    /// Step 3 for the next message.
    fn consume(&mut self, s: &mut Session) -> Result<bool> {
        let Some((rows, words)) = next(self.count - self.sent.rows.len()) else { return Ok(false) };
        let (code, bytes) = (&self.map.code, rows.div_ceil(8));
        let choice_columns = code.index_bits() as usize;
        let message = s.recv((code.len() - choice_columns) * bytes)?;
        let mut columns = Zeroizing::new(vec![Block::ZERO; code.len() * words]);
        for (stream, column) in self.streams.iter_mut().zip(columns.chunks_exact_mut(words)) {
            stream.blocks(column);
        }
        let mut padded = vec![Block::ZERO; words];
        let corrected = columns.chunks_exact_mut(words).zip(self.s.iter()).skip(choice_columns);
        for ((column, &s), u) in corrected.zip(message.chunks_exact(bytes)) {
            bytemuck::cast_slice_mut(&mut padded)[..bytes].copy_from_slice(u);
            column.iter_mut().zip(&padded).for_each(|(q, &u)| *q ^= u & s);
        }
        let mut all = Zeroizing::new(vec![Block::ZERO; 128 * words]);
        self.map.rows(&mut columns, &mut all);
        self.sent.rows.extend_from_slice(&all[..rows]);
        Ok(true)
    }
}

impl<'a> Receiver<'a> {
    /// Step 1.
    fn new(s: &mut Session, map: &'a Map, cots: &CotSender, count: usize) -> Self {
        let hash = s.hash(Purpose::OtPad, s.role());
        let pair = |&q: &Block| [q, q ^ cots.delta()].map(|x| Prg::new(hash.one(x)));
        let streams = cots.strings().iter().map(pair).collect();
        let received = Received { choices: Vec::with_capacity(count), rows: Vec::with_capacity(count) };
        Self { map, streams, received, count }
    }

    /// Step 2 for the next message.
    fn produce(&mut self) -> Option<Vec<u8>> {
        let (rows, words) = next(self.count - self.received.rows.len())?;
        let (code, bytes) = (&self.map.code, rows.div_ceil(8));
        let mut columns = Zeroizing::new(vec![Block::ZERO; code.len() * words]);
        // The bits of the indices, then zeros up to the 128 columns that a transposition takes.
        let mut choices = Zeroizing::new(vec![Block::ZERO; 128 * words]);
        let mut message = Vec::with_capacity((code.len() - code.index_bits() as usize) * bytes);
        let mut u = vec![Block::ZERO; words];
        let streams = self.streams.iter_mut().zip(code.columns());
        for (i, ((pair, &sum), t)) in streams.zip(columns.chunks_exact_mut(words)).enumerate() {
            pair[0].blocks(t);
            pair[1].blocks(&mut u);
            add(&mut u, t);
            if i < code.index_bits() as usize {
                choices[i * words..][..words].copy_from_slice(&u);
                continue;
            }
            // The code is public.
            let of_word = (0..code.index_bits() as usize).filter(|bit| sum >> bit & 1 == 1);
            of_word.for_each(|bit| add(&mut u, &choices[bit * words..][..words]));
            message.extend_from_slice(&bytemuck::cast_slice(&u)[..bytes]);
        }
        let mut all = Zeroizing::new(vec![Block::ZERO; 128 * words]);
        transpose128(&choices, &mut all);
        self.received.choices.extend(all[..rows].iter().map(|row| row.0 as u32));
        self.map.rows(&mut columns, &mut all);
        self.received.rows.extend_from_slice(&all[..rows]);
        u.zeroize();
        Some(message)
    }
}

/// Rows of the next message, and blocks of a column of them.
fn next(left: usize) -> Option<(usize, usize)> {
    let rows = left.min(PIECE);
    (rows > 0).then_some((rows, rows.div_ceil(128)))
}

fn add(sum: &mut [Block], column: &[Block]) {
    sum.iter_mut().zip(column).for_each(|(sum, &x)| *sum ^= x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        net::LinkShape,
        ot::{Ot, codes::MAX_INDEX_BITS},
    };

    fn code(k: u32) -> Code {
        Code::new(k).expect("a code")
    }

    /// Dimension of the span of the images of the ones of a codeword.
    fn rank(map: &Map, v: u32) -> usize {
        let mut basis = [0u128; 128];
        let ones = map.code.word(v).zip(map.units()).filter(|(bit, _)| *bit);
        for (_, Block(mut image)) in ones {
            while image != 0 {
                let lead = 127 - image.leading_zeros() as usize;
                if basis[lead] == 0 {
                    basis[lead] = image;
                    break;
                }
                image ^= basis[lead];
            }
        }
        basis.iter().filter(|&&b| b != 0).count()
    }

    /// The entropy of every difference, and the average of its loss, as the page states.
    #[test]
    fn the_compressed_codewords_keep_their_entropy() {
        for k in 1..=MAX_INDEX_BITS {
            let map = Map::new(code(k));
            let ranks: Vec<usize> = (1..1 << k).map(|v| rank(&map, v)).collect();
            let least = if k == 13 { 125 } else { 126 };
            assert!(ranks.iter().all(|&r| r >= least), "k = {k}: {:?}", ranks.iter().min());
            let lost = ranks.iter().map(|r| (1 << (128 - r)) as f64).sum::<f64>() / ranks.len() as f64;
            assert!(lost < 2.3, "k = {k}: guessing is {lost} times as good as at 128 bits");
        }
        assert!(rank(&Map { images: vec![Block::ONE; 127], ..Map::new(code(8)) }, 1) < 126, "can fail");
    }

    /// `z_j = y_j ^ D_{r_j}`, D linear. The mistake E8 of the source, a codeword that `s` does not
    /// mask, would make D public: it must differ from L of the codewords and between sessions.
    #[test]
    fn rows_differ_by_the_masked_codeword_of_the_choice() {
        for k in [1, 2, 4, 8, 9, 12] {
            let run = |(mut s, recv): (Session, usize)| {
                let mut ot = Ot::new(&mut s, None).unwrap();
                let (out, inc) = cots(&code(k), 700 - recv, recv);
                let cots = ot.take(&mut s, out, inc).unwrap();
                extend(&mut s, code(k), cots, (700 - recv, recv)).unwrap()
            };
            let (s0, s1) = Session::pair_seeded(k.into(), LinkShape::LOOPBACK);
            let (at_p0, at_p1) = std::thread::scope(|scope| {
                let p1 = scope.spawn(|| run((s1, 400)));
                (run((s0, 300)), p1.join().unwrap())
            });
            let map = Map::new(code(k));
            let mut all = Vec::new();
            for (sent, received) in [(at_p0.0, at_p1.1), (at_p1.0, at_p0.1)] {
                let d = &sent.differences;
                assert!((0..d.len()).all(|v| d[v] == d[v & 5] ^ d[v & !5]), "linear");
                let unmasked = |v: u32| {
                    let ones = map.code.word(v).zip(map.units()).filter(|(bit, _)| *bit);
                    ones.fold(Block::ZERO, |sum, (_, image)| sum ^ image)
                };
                assert!((1..d.len()).all(|v| d[v] != unmasked(v as u32) && d[v] != Block::ZERO));
                for ((&z, &y), &r) in sent.rows.iter().zip(&received.rows).zip(&received.choices) {
                    assert!(z == y ^ d[r as usize], "k = {k}");
                    all.push(y.0);
                }
                all.extend(d[1..].iter().map(|d| d.0));
            }
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!((all.len(), count), (count, 700 + 2 * ((1 << k) - 1)), "nothing repeats");
        }
    }
}
