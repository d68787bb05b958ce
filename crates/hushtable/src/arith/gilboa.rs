//! Products of factors that the two parties know: a number of one party's with a row of the other's.
//!
//! # Functionality
//! For each item one party has a number `y`, the other a row `x_1, ..., x_k`; both get additive
//! shares of `y x_1, ..., y x_k` mod `2^l`. In one direction or both; `y` is chosen, or random, and has
//! b bits: l, or fewer.
//!
//! # Protocol
//! Bit j of y is the bit of a correlated OT of random choice `c` and pads `X_0`, `X_1`, whose
//! payload is the row mod `2^(l-j)`. Both at once:
//! 1. the party with y sends `d = y_j ^ c`, unless y is random: then its bits are the choices;
//! 2. the other sends `m = x + X_0 - X_1`, and both have shares of `c x`: `-X_0` and `X_c + c m`.
//!
//! Those of `y_j x` are these, or `x` minus the one and minus the other, by the public `d`; shares
//! of the product are their sums over j, bit j counting `2^j`.
//!
//! # Cost, an item
//! b correlated OTs, b bits for a chosen y, and `k b (2 l - b + 1) / 2` bits: 1 round.
//!
//! # Source
//! Gilboa, "Two Party RSA Key Generation" (CRYPTO 1999), section 4.1; with correlated OT and
//! shrinking payloads Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-A5.

use std::{collections::VecDeque, ops::Range};

use prim::{
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::Zeroizing;

use crate::{
    error::Result,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    session::Session,
    share::Additive,
};

/// Words of payload in a message, about.
const PIECE: usize = 1 << 13;

/// The numbers of the party that has them.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'a> {
    /// Given.
    Chosen(&'a [u64]),
    /// As many random ones.
    Random(usize),
}

/// What is multiplied at one party. If it has both rows and numbers, there are as many of each.
pub(super) struct Factors<'a> {
    /// Width of the ring.
    pub(super) bits: u32,
    /// Bits of a number, at most as many.
    pub(super) number_bits: u32,
    /// Words in a row.
    pub(super) row: usize,
    /// Rows of this party's, and the word `(item, column)`.
    pub(super) rows: usize,
    pub(super) word: &'a dyn Fn(usize, usize) -> u64,
    /// Numbers of this party's; the peer's are of the same sort.
    pub(super) numbers: Numbers<'a>,
}

/// Products in 1 round: calls `add(item, column, share)` with shares that sum to those of the
/// products, and returns this party's numbers if they are random.
///
/// # Errors
/// Those of the channel.
pub(super) fn multiply(
    p: &mut Party,
    factors: &Factors,
    add: &mut dyn FnMut(usize, usize, u64),
) -> Result<Zeroizing<Vec<u64>>> {
    let (b, numbers) = (factors.number_bits as usize, factors.numbers());
    assert!(numbers == 0 || factors.rows == 0 || numbers == factors.rows, "as many products each way");
    let (out, inc) = p.cots(b * factors.rows, b * numbers)?;
    let flips = factors.flips(&inc);
    let random = factors.random(&inc);
    let blocks: Vec<Block> = factors.blocks().collect();
    let columns = Zeroizing::new(Vec::new());
    let (sent, corrections) = (VecDeque::new(), VecDeque::new());
    let mut state = Run { factors, out, inc, flips, columns, sent, corrections, add };
    let (mut mine, mut theirs) = (blocks.iter(), blocks.iter());
    p.session().duplex(
        &mut state,
        |s, run| {
            let mut messages = mine.by_ref().map(|block| run.send(s, block));
            // Where this party has nothing to say it sends nothing.
            messages.find(|message| message.as_ref().map_or(true, |m| !m.is_empty())).transpose()
        },
        |s, run| match theirs.next() {
            Some(block) => run.receive(s, block).map(|()| true),
            None => Ok(false),
        },
    )?;
    Ok(random)
}

/// One bit of the numbers of some items: what a message is about.
#[derive(Clone)]
struct Block {
    items: Range<usize>,
    bit: u32,
    /// Its correlated OTs, which `take` hands out from the back.
    ots: Range<usize>,
}

impl Factors<'_> {
    fn numbers(&self) -> usize {
        match self.numbers {
            Numbers::Chosen(y) => y.len(),
            Numbers::Random(count) => count,
        }
    }

    fn chosen(&self) -> bool {
        matches!(self.numbers, Numbers::Chosen(_))
    }

    fn blocks(&self) -> impl Iterator<Item = Block> + use<> {
        let (items, b) = (self.rows.max(self.numbers()), self.number_bits);
        let piece = (PIECE / self.row.max(1)).max(1);
        let pieces = (0..items).step_by(piece).map(move |from| from..items.min(from + piece));
        let blocks = pieces.flat_map(move |items| (0..b).map(move |bit| (items.clone(), bit)));
        blocks.scan(items * b as usize, |left, (items, bit)| {
            let ots = *left - items.len()..*left;
            *left = ots.start;
            Some(Block { items, bit, ots })
        })
    }

    /// Step 1: `d` for each correlated OT in which this party chooses.
    fn flips(&self, inc: &CotReceiver) -> Vec<u8> {
        let Numbers::Chosen(y) = self.numbers else { return Vec::new() };
        let mut flips = vec![0; inc.len()];
        for block in self.blocks().filter(|_| !y.is_empty()) {
            let bits = y[block.items].iter().map(|y| (y >> block.bit & 1) as u8);
            let choices = inc.strings()[block.ots.clone()].iter().map(|t| u8::from(t.lsb()));
            flips[block.ots].iter_mut().zip(bits.zip(choices)).for_each(|(d, (b, c))| *d = b ^ c);
        }
        flips
    }

    /// The numbers that random choices make.
    fn random(&self, inc: &CotReceiver) -> Zeroizing<Vec<u64>> {
        let Numbers::Random(count) = self.numbers else { return Zeroizing::default() };
        let mut y = Zeroizing::new(vec![0; count]);
        for block in self.blocks().filter(|_| count > 0) {
            let choices = inc.strings()[block.ots].iter().map(|t| u64::from(t.lsb()));
            y[block.items].iter_mut().zip(choices).for_each(|(y, c)| *y |= c << block.bit);
        }
        y
    }

    fn widths(&self, block: &Block) -> Vec<u32> {
        vec![self.bits - block.bit; self.row]
    }
}

/// Per column, per item: shares of `c x` and of `x - c x`.
type Pairs = Zeroizing<Vec<Vec<[u64; 2]>>>;

/// The products under way.
struct Run<'a> {
    factors: &'a Factors<'a>,
    out: CotSender,
    inc: CotReceiver,
    flips: Vec<u8>,
    /// This party's rows in the piece that is being sent, in columns.
    columns: Zeroizing<Vec<Vec<u64>>>,
    /// Blocks sent whose corrections have not come, and corrections that came before their block
    /// was sent.
    sent: VecDeque<(Block, Pairs)>,
    corrections: VecDeque<Vec<u8>>,
    add: &'a mut dyn FnMut(usize, usize, u64),
}

impl Run<'_> {
    /// This party's message for a block.
    fn send(&mut self, s: &mut Session, block: &Block) -> Result<Vec<u8>> {
        let mut message = Vec::new();
        if !self.flips.is_empty() {
            // Public: the random choices mask the bits and serve only here.
            pack(&self.flips[block.ots.clone()], 1, &mut message);
        }
        if self.factors.rows == 0 {
            return Ok(message);
        }
        if block.bit == 0 {
            let column = |k| block.items.clone().map(|i| (self.factors.word)(i, k)).collect();
            self.columns = Zeroizing::new((0..self.factors.row).map(column).collect());
        }
        let ots = self.out.take(block.items.len())?;
        let mut pads = PayloadSender::random(s, ots, &self.factors.widths(block));
        let (payload, shares) = pads.send::<Additive>(&self.columns);
        message.extend(payload);
        let shares = Zeroizing::new(shares);
        let both = |(shares, column): (&Vec<u64>, &Vec<u64>)| {
            shares.iter().zip(column).map(|(&g, x)| [g, x.wrapping_sub(g)]).collect()
        };
        let both = Zeroizing::new(shares.iter().zip(self.columns.iter()).map(both).collect());
        self.sent.push_back((block.clone(), both));
        if !self.factors.chosen() {
            self.corrections.push_back(vec![0; block.items.len()]);
        }
        self.settle();
        Ok(message)
    }

    /// The peer's.
    fn receive(&mut self, s: &mut Session, block: &Block) -> Result<()> {
        let (n, factors) = (block.items.len(), self.factors);
        let flips = if factors.rows > 0 && factors.chosen() { packed_len(n, 1) } else { 0 };
        let mut pads = None;
        if factors.numbers() > 0 {
            pads = Some(PayloadReceiver::random(s, self.inc.take(n)?, &factors.widths(block)));
        }
        let payload = pads.as_ref().map_or(0, |pads| pads.message_len(factors.row));
        if flips + payload == 0 {
            return Ok(());
        }
        let message = s.recv(flips + payload)?;
        if flips > 0 {
            let mut corrections = vec![0u8; n];
            unpack(&message[..flips], 1, &mut corrections);
            self.corrections.push_back(corrections);
            self.settle();
        }
        let Some(pads) = &mut pads else { return Ok(()) };
        let shares = Zeroizing::new(pads.receive::<Additive>(factors.row, &message[flips..]));
        for (k, column) in shares.iter().enumerate() {
            for (i, &h) in column.iter().enumerate() {
                // All ones to negate; `d` is public.
                let sign = self.flips.get(block.ots.start + i).map_or(0, |&d| u64::from(d).wrapping_neg());
                self.add(block, i, k, (h ^ sign).wrapping_sub(sign));
            }
        }
        Ok(())
    }

    /// This party's shares as sender, of the blocks that are sent and corrected.
    fn settle(&mut self) {
        while !self.sent.is_empty() && !self.corrections.is_empty() {
            let (Some((block, shares)), Some(flips)) = (self.sent.pop_front(), self.corrections.pop_front())
            else {
                return;
            };
            for (k, column) in shares.iter().enumerate() {
                for (i, (pair, &d)) in column.iter().zip(&flips).enumerate() {
                    self.add(&block, i, k, pair[usize::from(d)]); // `d` came over the wire: public
                }
            }
        }
    }

    fn add(&mut self, block: &Block, i: usize, k: usize, share: u64) {
        let share = low(share, self.factors.bits - block.bit) << block.bit;
        (self.add)(block.items.start + i, k, share);
    }
}
