//! The trees of both protocols, many to a message: all leaves for the holder, all but one, at a
//! chosen or a random place, for the mover.
//!
//! A chosen place costs a bit a level: the mover sends the XOR of the place and the one that its
//! random choice bits would give, and where a bit of this is 1 both exchange the roles of the two
//! strings, `q` and `q ^ Delta`. Strings keep their form: lowest bits of `q` 0, of `t` the choice.

use std::ops::Range;

use prim::{
    block::Block,
    ggm,
    hash::CcrHash,
    pack::{pack, packed_len, unpack},
    ring::Ring,
};
use zeroize::Zeroizing;

use crate::{
    error::Result,
    net::Role,
    ot::{CotReceiver, CotSender, one_of_n},
    party::Party,
    session::{Purpose, Session, pieces},
};

/// Bytes of one message, about.
const PIECE: usize = 1 << 18;

/// What the messages of a batch of arrays consist of.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) arrays: usize,
    /// Trees of one array.
    pub(super) trees: usize,
    /// Levels of a tree.
    pub(super) depth: usize,
    /// Words sent with an array's trees, and their width.
    pub(super) words: usize,
    pub(super) bits: u32,
    /// Whether the mover chooses the places.
    pub(super) chosen: bool,
}

/// Hash keys of one message.
struct Keys {
    tree: CcrHash,
    entry: CcrHash,
}

/// The trees of one message at the holder.
pub(super) struct Expanding<'a> {
    keys: Keys,
    cots: &'a CotSender,
    depth: usize,
    next: Range<usize>,
    flips: std::vec::IntoIter<u32>,
    corrections: Vec<Block>,
}

/// The trees of one message at the mover.
pub(super) struct Puncturing<'a> {
    keys: Keys,
    cots: &'a CotReceiver,
    depth: usize,
    next: Range<usize>,
    flips: std::slice::Iter<'a, u32>,
    corrections: std::vec::IntoIter<Block>,
}

impl Layout {
    fn cots(&self) -> usize {
        self.arrays * self.trees * self.depth
    }

    /// The arrays of each message.
    fn pieces(self) -> impl Iterator<Item = Range<usize>> {
        let bits = self.trees * self.depth * 128 + self.words * self.bits as usize;
        let piece = (8 * PIECE / bits).max(1);
        pieces(self.arrays, piece)
    }

    fn trees(&self, arrays: &Range<usize>) -> Range<usize> {
        arrays.start * self.trees..arrays.end * self.trees
    }
}

/// The holder's side: `array` expands the trees of an array, given its number, and writes the words
/// to send with them. 2 rounds if the places are chosen, else 1.
pub(super) fn hold<R: Ring>(
    p: &mut Party,
    layout: Layout,
    mut array: impl FnMut(&mut Expanding<'_>, usize, &mut [R]),
) -> Result<()> {
    let (cots, _) = p.cots(layout.cots(), 0)?;
    let s = p.session();
    for at in layout.pieces() {
        let next = layout.trees(&at);
        let mut flips = vec![0u32; next.len()];
        if layout.chosen {
            let bits = layout.depth as u32;
            unpack(&s.recv(packed_len(flips.len(), bits))?, bits, &mut flips);
        }
        let message = layout.expanded(s, &cots, &at, flips, &mut array);
        s.send(message)?;
    }
    Ok(())
}

/// The mover's side: `array` gets what [`hold`]'s wrote. `places` are those of all trees if they
/// are chosen.
pub(super) fn puncture<R: Ring>(
    p: &mut Party,
    layout: Layout,
    places: &[u32],
    mut array: impl FnMut(&mut Puncturing<'_>, usize, &mut [R]),
) -> Result<()> {
    let (_, cots) = p.cots(0, layout.cots())?;
    let flips: Vec<u32> = match layout.chosen {
        true => cots.strings().chunks_exact(layout.depth).zip(places).map(|(t, at)| random(t) ^ at).collect(),
        false => vec![0; layout.arrays * layout.trees],
    };
    let mut sending = layout.pieces().filter(|_| layout.chosen);
    let mut receiving = layout.pieces();
    p.session().duplex(
        &mut (),
        |_, ()| {
            let piece = sending.next().map(|at| {
                let mut message = Vec::new();
                // Public: the place is masked by random choice bits, which serve only this tree.
                pack(&flips[layout.trees(&at)], layout.depth as u32, &mut message);
                message
            });
            Ok(piece)
        },
        |s, ()| {
            let Some(at) = receiving.next() else { return Ok(false) };
            layout.punctured(s, &cots, &at, &flips[layout.trees(&at)], &mut array)?;
            Ok(true)
        },
    )
}

/// Both parties hold and move at once, the places being random: 1 round. `begin` gets this party's places before
/// anything is sent; the others are those of [`hold`] and [`puncture`].
pub(super) fn cross<R: Ring, S>(
    p: &mut Party,
    layout: Layout,
    state: &mut S,
    begin: impl FnOnce(&mut S, &[u32]) -> Result<()>,
    mut held: impl FnMut(&mut S, &mut Expanding<'_>, usize, &mut [R]),
    mut moved: impl FnMut(&mut S, &mut Puncturing<'_>, usize, &mut [R]),
) -> Result<()> {
    let (out, inc) = p.cots(layout.cots(), layout.cots())?;
    let places = inc.strings().chunks_exact(layout.depth).map(random);
    begin(state, &Zeroizing::new(places.collect::<Vec<u32>>()))?;
    let zeros = |at: &Range<usize>| vec![0; layout.trees(at).len()];
    let (mut to_send, mut to_receive) = (layout.pieces(), layout.pieces());
    p.session().duplex(
        state,
        |s, state| {
            let Some(at) = to_send.next() else { return Ok(None) };
            let mut array =
                |trees: &mut Expanding<'_>, i: usize, words: &mut [R]| held(state, trees, i, words);
            Ok(Some(layout.expanded(s, &out, &at, zeros(&at), &mut array)))
        },
        |s, state| {
            let Some(at) = to_receive.next() else { return Ok(false) };
            let mut array =
                |trees: &mut Puncturing<'_>, i: usize, words: &mut [R]| moved(state, trees, i, words);
            layout.punctured(s, &inc, &at, &zeros(&at), &mut array)?;
            Ok(true)
        },
    )
}

impl Layout {
    /// The holder's message for some arrays.
    fn expanded<R: Ring>(
        &self,
        s: &mut Session,
        cots: &CotSender,
        at: &Range<usize>,
        flips: Vec<u32>,
        array: &mut impl FnMut(&mut Expanding<'_>, usize, &mut [R]),
    ) -> Vec<u8> {
        let next = self.trees(at);
        let (keys, corrections) = (Keys::new(s, s.role()), Vec::with_capacity(next.len() * self.depth));
        let (depth, flips) = (self.depth, flips.into_iter());
        let mut trees = Expanding { keys, cots, depth, next, flips, corrections };
        let mut words = vec![R::default(); at.len() * self.words];
        for (i, words) in at.clone().zip(words.chunks_exact_mut(self.words)) {
            array(&mut trees, i, words);
        }
        let mut message = bytemuck::cast_slice(&trees.corrections).to_vec();
        pack(&words, self.bits, &mut message);
        message
    }

    /// The mover's work on the holder's message for some arrays, which comes now.
    fn punctured<R: Ring>(
        &self,
        s: &mut Session,
        cots: &CotReceiver,
        at: &Range<usize>,
        flips: &[u32],
        array: &mut impl FnMut(&mut Puncturing<'_>, usize, &mut [R]),
    ) -> Result<()> {
        let next = self.trees(at);
        let mut corrections = vec![Block::ZERO; next.len() * (self.depth - 1)];
        let mut words = vec![R::default(); at.len() * self.words];
        let message = s.recv(16 * corrections.len() + packed_len(words.len(), self.bits))?;
        let (blocks, rest) = message.split_at(16 * corrections.len());
        bytemuck::cast_slice_mut(&mut corrections).copy_from_slice(blocks);
        unpack(rest, self.bits, &mut words);
        let (keys, corrections) = (Keys::new(s, s.role().peer()), corrections.into_iter());
        let (depth, flips) = (self.depth, flips.iter());
        let mut trees = Puncturing { keys, cots, depth, next, flips, corrections };
        for (i, words) in at.clone().zip(words.chunks_exact_mut(self.words)) {
            array(&mut trees, i, words);
        }
        Ok(())
    }
}

impl Expanding<'_> {
    /// All leaves of the next tree.
    pub(super) fn leaves(&mut self, leaves: &mut [Block]) {
        let (tree, flip) = (self.next.next().expect("a tree"), self.flips.next().expect("its correction"));
        let swap = self.cots.delta() ^ Block::ONE; // exchanges q and q ^ Delta, but for the lowest bit
        let q = &self.cots.strings()[tree * self.depth..][..self.depth];
        let q = q.iter().zip(bits(flip, self.depth)).map(|(&q, flip)| q ^ (swap & Block::mask(flip)));
        let q = Zeroizing::new(q.collect::<Vec<Block>>());
        let from = self.corrections.len();
        self.corrections.resize(from + self.depth - 1, Block::ZERO);
        ggm::expand(&self.keys.tree, self.cots.delta(), &q, leaves, &mut self.corrections[from..]);
    }

    /// The hash of leaves.
    pub(super) fn entry_hash(&self) -> &CcrHash {
        &self.keys.entry
    }
}

impl Puncturing<'_> {
    /// The leaves of the next tree; in the place returned stands zero.
    pub(super) fn leaves(&mut self, leaves: &mut [Block]) -> u32 {
        let (tree, flip) = (self.next.next().expect("a tree"), *self.flips.next().expect("its correction"));
        let t = &self.cots.strings()[tree * self.depth..][..self.depth];
        let t = t.iter().zip(bits(flip, self.depth)).map(|(&t, flip)| t ^ Block(flip.into()));
        let t = Zeroizing::new(t.collect::<Vec<Block>>());
        let corrections: Vec<Block> = self.corrections.by_ref().take(self.depth - 1).collect();
        ggm::puncture(&self.keys.tree, &t, &corrections, leaves)
    }

    /// The hash of leaves.
    pub(super) fn entry_hash(&self) -> &CcrHash {
        &self.keys.entry
    }
}

impl Keys {
    fn new(s: &mut Session, holder: Role) -> Self {
        Self { tree: s.hash(Purpose::Pprf, holder), entry: s.hash(Purpose::Entry, holder) }
    }
}

/// The place that random choice bits give: their complement.
fn random(t: &[Block]) -> u32 {
    one_of_n::chosen_index(t) ^ ((1 << t.len()) - 1)
}

/// The bits of a place, in the order of the levels. `flip` is sent: public.
fn bits(flip: u32, depth: usize) -> impl Iterator<Item = bool> {
    (0..depth).rev().map(move |level| flip >> level & 1 == 1)
}
