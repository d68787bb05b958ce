//! Secret shuffle: shared columns in an order that neither party knows, and back.
//!
//! # Functionality
//! In: XOR shares of n items of one or more words. Out: fresh shares of them in an order that is uniform and that neither
//! party knows; later, for other words of each item in that order, fresh shares in the first one.
//!
//! # Protocol
//! Each party moves the items by a permutation of its own, P0 first; back, P1 first. A permutation is a network of
//! switches, `network.rs`, which one party, the mover, knows.
//! 1. *Offline*, a switch of places a and b: the other party, the holder, has masks `r_a`, `r_b`, the mover `X_a`, `X_b`, and
//!    `s`, which says whether they are exchanged. By a correlated OT both get shares of `s (r_a ^ r_b)`, k and `k'`. The
//!    holder adds k to both masks; the mover exchanges if `s`, and adds `k'` to both. That the two outputs have one k
//!    keeps the sum of the two masks, which is all that the next payloads need. So `X ^ r`, in the end, is what the
//!    masks at the beginning were, moved. In the other direction the layers run backwards, by the same OTs.
//! 2. *Online*: the holder sends its shares under the masks of the beginning, and keeps those of the end as its new
//!    ones. The mover adds its own, moves them, and adds X.
//!
//! # Cost
//! With `2^k >= n` places there are `s = 2^(k-1) (2 k - 1)` switches. Offline s correlated OTs each way, s bits and
//! s payloads as wide as an item, there and back, from each party, 2 rounds. Online n items from each party there, and
//! n back, 2 rounds each. Each party finds its switches by sorting: about `4^-1 n k^2` comparisons a sort, `k^2 / 2`
//! sorts.
//!
//! # Source
//! confidential-beyond 2; Chase, Ghosh, Poburinnaya, "Secret-Shared Shuffle" (Asiacrypt 2020) for the translation of
//! shares, there by punctured functions: `128 n (k - 1)` bits, less for items of 64 bytes and more.
//!
//! # Security
//! Every k serves one switch and one payload, so that the mover's words are uniform. A party sees no more than its
//! own permutation and the items under fresh masks.

use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
};

use super::network::{self, Network, pairs, shape, switches};
use crate::{
    bill::{Bill, Phase},
    error::{Error, Result, same},
    net::Role,
    ot::strings::{PayloadReceiver, PayloadSender},
    party::Party,
    session::Session,
    share::{BShare, Bitwise},
};

/// Most items.
pub const MAX_ITEMS: usize = network::MAX_LEN;

/// Columns of words, one for each place.
pub(super) type Columns = Vec<Wiped<u64>>;

/// One-time material for a shuffle.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, permutation::shuffle::Shuffle, session::Session};
/// fn twice(s: &mut Session, m: Shuffle, x: &[BShare<u64>]) -> Result<()> {
///     m.shuffle(s, x)?;
///     m.shuffle(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Shuffle {
    there: Direction,
    back: Unshuffle,
}

/// One-time material for the way back.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, permutation::shuffle::Unshuffle, session::Session};
/// fn twice(s: &mut Session, m: Unshuffle, x: &[BShare<u64>]) -> Result<()> {
///     m.unshuffle(s, x)?;
///     m.unshuffle(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Unshuffle {
    items: usize,
    network: Network,
    direction: Direction,
}

/// What both permutations need in one direction.
struct Direction {
    widths: Vec<u32>,
    /// As holder: the masks at the beginning, and at the end.
    masks: [Columns; 2],
    /// As mover: X.
    moved: Columns,
}

impl Shuffle {
    /// Offline, 2 rounds: for 1 to [`MAX_ITEMS`] items of words of these widths, 1 to 64 each, there and back.
    ///
    /// # Errors
    /// [`Error::Param`] for other numbers, and those of the channel.
    pub fn prepare(p: &mut Party, items: usize, there: &[u32], back: &[u32]) -> Result<Self> {
        check(items, &[there, back])?;
        let network = Network::random(p.rng(), items);
        let (count, layers) = (switches(items), shape(items).1);
        let (out, inc) = p.cots(count, count)?;
        let widths = [there, back].concat();
        let mut receiver = PayloadReceiver::new(p, inc, &chosen(&network), &widths)?;
        let mut sender = PayloadSender::new(p, out, &widths)?;
        let each = shape(items).0 / 2;
        let mut senders: Vec<PayloadSender> = (0..layers).map(|_| sender.take(each)).collect();
        let mut receivers: Vec<PayloadReceiver> = (0..layers).map(|_| receiver.take(each)).collect();
        let (begin_there, begin_back) = (random(p, items, there), random(p, items, back));
        let (end_there, mut message) = hold(&begin_there, items, &mut senders, 0..layers);
        let (end_back, more) = hold(&begin_back, items, &mut senders, (0..layers).rev());
        message.extend(more);
        let len = layers * widths.iter().map(|&w| packed_len(each, w)).sum::<usize>();
        let theirs = p.exchange(message, len)?;
        let (first, second) =
            theirs.split_at(layers * there.iter().map(|&w| packed_len(each, w)).sum::<usize>());
        let moved_there = follow(&network, items, there, &mut receivers, 0..layers, first);
        let moved_back = follow(&network, items, back, &mut receivers, (0..layers).rev(), second);
        let of = |widths: &[u32], masks, moved| Direction { widths: widths.to_vec(), masks, moved };
        let direction = of(back, [begin_back, end_back], moved_back);
        Ok(Self {
            there: of(there, [begin_there, end_there], moved_there),
            back: Unshuffle { items, network, direction },
        })
    }

    /// What it costs, there and back. A message of a layer is filled up to whole bytes, which is not counted.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn bill(items: usize, there: &[u32], back: &[u32]) -> Result<Bill> {
        check(items, &[there, back])?;
        let (count, width) = (switches(items) as u64, |widths: &[u32]| u64::from(widths.iter().sum::<u32>()));
        let each = count * (1 + width(there) + width(back));
        let sent = items as u64 * (width(there) + width(back));
        Ok(Bill {
            cots: [count; 2],
            offline: Phase { bits: [each; 2], rounds: 2 },
            online: Phase { bits: [sent; 2], rounds: 4 },
            kept: 3 * shape(items).0 as u64 * (width(there) + width(back)) + count,
        })
    }

    /// Online, 2 rounds: shares of the items in the secret order, column by column, and what leads back. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless columns are those prepared for, and those of the channel.
    pub fn shuffle(self, s: &mut Session, x: &[BShare<u64>]) -> Result<(Vec<BShare<u64>>, Unshuffle)> {
        let (Self { there, back }, order) = (self, [Role::P0, Role::P1]);
        let layers = 0..back.network.layers();
        let moved = there.run(s, back.items, x, order, |words| {
            layers.clone().for_each(|layer| back.network.exchange(layer, words));
        })?;
        Ok((moved, back))
    }
}

impl Unshuffle {
    /// Online, 2 rounds: shares of items in the first order. Spends the material.
    ///
    /// # Errors
    /// As [`Shuffle::shuffle`].
    pub fn unshuffle(self, s: &mut Session, x: &[BShare<u64>]) -> Result<Vec<BShare<u64>>> {
        let layers = 0..self.network.layers();
        self.direction.run(s, self.items, x, [Role::P1, Role::P0], |words| {
            layers.clone().rev().for_each(|layer| self.network.exchange(layer, words));
        })
    }
}

impl Direction {
    /// Step 2 with each party as the mover, in this order.
    fn run(
        &self,
        s: &mut Session,
        items: usize,
        x: &[BShare<u64>],
        movers: [Role; 2],
        network: impl Fn(&mut [u64]),
    ) -> Result<Vec<BShare<u64>>> {
        same("columns to shuffle", self.widths.len(), x.len())?;
        for (x, &width) in x.iter().zip(&self.widths) {
            same("items to shuffle", items, x.len())?;
            same("bits of a column to shuffle", width as usize, x.bits() as usize)?;
        }
        let mut columns: Columns = x.iter().map(|x| Wiped::from(x.words().to_vec())).collect();
        for mover in movers {
            if s.role() == mover {
                let message = s.recv(self.widths.iter().map(|&w| packed_len(items, w)).sum())?;
                self.receive(&mut columns, items, &message, &network);
            } else {
                let [begin, end] = &self.masks;
                let mut message = Vec::new();
                for ((column, mask), &width) in columns.iter_mut().zip(begin).zip(&self.widths) {
                    // Under masks that serve only here.
                    column.iter_mut().zip(mask.iter()).for_each(|(x, r)| *x ^= r);
                    pack(column, width, &mut message);
                }
                s.send(message)?;
                for (column, mask) in columns.iter_mut().zip(end) {
                    column.copy_from_slice(&mask[..items]);
                }
            }
        }
        let share = |(column, &width): (Wiped<u64>, &u32)| BShare::new(width, column.into_vec());
        Ok(columns.into_iter().zip(&self.widths).map(share).collect())
    }

    /// The mover's part, from the holder's message.
    fn receive(
        &self,
        columns: &mut Columns,
        items: usize,
        mut message: &[u8],
        network: &impl Fn(&mut [u64]),
    ) {
        for ((column, x), &width) in columns.iter_mut().zip(&self.moved).zip(&self.widths) {
            let (mine, rest) = message.split_at(packed_len(items, width));
            message = rest;
            let mut words = Wiped::zeros(x.len());
            unpack(mine, width, &mut words[..items]);
            words.iter_mut().zip(column.iter()).for_each(|(word, share)| *word ^= share);
            network(&mut words);
            words.iter_mut().zip(x.iter()).for_each(|(word, x)| *word ^= x);
            column.copy_from_slice(&words[..items]);
        }
    }
}

/// The switches of all layers, of the last one first: pads are cut off from the end.
pub(super) fn chosen(network: &Network) -> Wiped<u8> {
    let mut chosen = Wiped::<u8>::default();
    (0..network.layers()).rev().for_each(|layer| chosen.extend_from_slice(network.layer(layer)));
    chosen
}

/// Masks of the beginning.
fn random(p: &mut Party, items: usize, widths: &[u32]) -> Columns {
    let mut column = |&width: &u32| {
        let mut words = Wiped::zeros(shape(items).0);
        p.rng().words(width, &mut words);
        words
    };
    widths.iter().map(&mut column).collect()
}

/// Step 1 at the holder, in these layers: the masks of the end, and the message.
pub(super) fn hold(
    begin: &Columns,
    items: usize,
    senders: &mut [PayloadSender],
    layers: impl Iterator<Item = usize>,
) -> (Columns, Vec<u8>) {
    let mut masks: Columns = begin.iter().map(|words| Wiped::from(words.to_vec())).collect();
    let mut message = Vec::new();
    for layer in layers {
        let sums = masks.iter().map(|r| pairs(items, layer).map(|[a, b]| r[a] ^ r[b]).collect::<Vec<u64>>());
        let sums = zeroize::Zeroizing::new(sums.collect::<Vec<_>>());
        let (sent, shares) = senders[layer].send::<Bitwise>(&sums);
        message.extend(sent);
        add(&mut masks, shares, items, layer);
    }
    (masks, message)
}

/// Step 1 at the mover.
pub(super) fn follow(
    network: &Network,
    items: usize,
    widths: &[u32],
    receivers: &mut [PayloadReceiver],
    layers: impl Iterator<Item = usize>,
    mut message: &[u8],
) -> Columns {
    let mut moved: Columns = widths.iter().map(|_| Wiped::zeros(shape(items).0)).collect();
    for layer in layers {
        let (mine, rest) = message.split_at(receivers[layer].message_len(widths.len()));
        message = rest;
        let shares = receivers[layer].receive::<Bitwise>(widths.len(), mine);
        moved.iter_mut().for_each(|words| network.exchange(layer, words));
        add(&mut moved, shares, items, layer);
    }
    moved
}

/// Adds a switch's share to both of its places.
fn add(columns: &mut Columns, shares: Vec<Vec<u64>>, items: usize, layer: usize) {
    let shares = zeroize::Zeroizing::new(shares);
    for (words, shares) in columns.iter_mut().zip(shares.iter()) {
        for ([a, b], share) in pairs(items, layer).zip(shares) {
            words[a] ^= share;
            words[b] ^= share;
        }
    }
}

fn check(items: usize, widths: &[&[u32]]) -> Result<()> {
    let refused = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
    if !(1..=MAX_ITEMS).contains(&items) {
        return refused("items of a shuffle", items.to_string(), format!("1 to {MAX_ITEMS}"));
    }
    match widths.iter().flat_map(|widths| widths.iter()).find(|width| !(1..=64).contains(*width)) {
        Some(width) => refused("width of a word to shuffle", width.to_string(), "1 to 64".into()),
        None => Ok(()),
    }
}
