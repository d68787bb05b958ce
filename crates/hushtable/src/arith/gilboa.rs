//! Products of factors that the two parties know: a number of one party's with a row of the other's.
//!
//! # Functionality
//! For each item one party has a number `y`, the other a row `x_1, ..., x_k`; both get additive
//! shares of `y x_1, ..., y x_k` mod `2^l`. In one direction or both; `y` is chosen, or random, and has
//! b bits: l, or fewer.
//!
//! # Protocol
//! Bit j of y is the bit of a correlated OT of random choice `c` and pads `X_0`, `X_1`, whose
//! payload is the row mod `2^(l-j)`. Offline the correlated OTs are drawn; online, both at once:
//! 1. the party with y sends `d = y_j ^ c`, unless y is random: then its bits are the choices;
//! 2. the other sends `m = x + X_0 - X_1`, and both have shares of `c x`: `-X_0` and `X_c + c m`.
//!
//! Those of `y_j x` are these, or `x` minus the one and minus the other, by the public `d`; shares
//! of the product are their sums over j, bit j counting `2^j`. *Cut*, where only the product's bits from f on are wanted,
//! mod `2^(l-f)`: the payload is `2^j x` mod `2^l` without its low f bits. Pads are hashed where they are used: those of long
//! rows would take much more memory than the correlated OTs.
//!
//! # Cost, an item
//! b correlated OTs; online b bits for a chosen y, and k times the sum of `l - max(j, f)` over the bits j, or without a cut
//! `k b (2 l - b + 1) / 2` bits: 1 round.
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
    bill::{Bill, Phase},
    codec::{Reader, Writer},
    error::{Result, same},
    net::Role,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    session::{Session, pieces},
    share::Additive,
    source::{Atom, Source},
    terms::Terms,
};

/// Words of payload in a message, about.
const PIECE: usize = 1 << 13;

/// One-time material: the correlated OTs of the numbers' bits.
pub(super) struct Gilboa {
    /// Items of which this party has the row, and of which it has the number.
    rows: usize,
    numbers: usize,
    /// Bits of a number.
    number_bits: u32,
    out: CotSender,
    inc: CotReceiver,
}

/// Bits of a number, and what this party has of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct GilboaForm {
    number_bits: u32,
    rows: bool,
    numbers: bool,
}

impl GilboaForm {
    /// Of so many items those with rows, and those with numbers.
    fn of(&self, count: usize) -> (usize, usize) {
        (if self.rows { count } else { 0 }, if self.numbers { count } else { 0 })
    }
}

/// The strings themselves: they are hashed where they are spent.
impl Atom for Gilboa {
    type Form = GilboaForm;

    fn terms(form: &GilboaForm) -> Terms {
        Terms::of("OTs of numbers' bits")
            .with("bits", form.number_bits)
            .with("rows", form.rows)
            .with("numbers", form.numbers)
    }

    fn encode(&self, to: &mut Writer) {
        self.out.encode(to);
        self.inc.encode(to);
    }

    fn decode(from: &mut Reader<'_>, _role: Role, form: &GilboaForm, count: usize) -> Result<Self> {
        let ((rows, numbers), number_bits) = (form.of(count), form.number_bits);
        let strings = |items: usize| items.saturating_mul(number_bits as usize);
        let out = CotSender::decode(from, strings(rows))?;
        Ok(Self { rows, numbers, number_bits, out, inc: CotReceiver::decode(from, strings(numbers))? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let form =
            GilboaForm { number_bits: self.number_bits, rows: self.rows > 0, numbers: self.numbers > 0 };
        let (rows, numbers) = form.of(count);
        let (out, inc) = (
            self.out.take(self.number_bits as usize * rows)?,
            self.inc.take(self.number_bits as usize * numbers)?,
        );
        (self.rows, self.numbers) = (self.rows - rows, self.numbers - numbers);
        Ok(Self { rows, numbers, number_bits: self.number_bits, out, inc })
    }
}

/// What is multiplied at one party. If it has both rows and numbers, there are as many of each.
pub(super) struct Factors<'a> {
    /// Width of the ring.
    pub(super) bits: u32,
    /// Low bits of a product that are cut off.
    pub(super) cut: u32,
    /// Words in a row.
    pub(super) row: usize,
    /// Of this party's rows the word `(item, column)`.
    pub(super) word: &'a dyn Fn(usize, usize) -> u64,
    /// This party's numbers; nothing where those of both parties are random.
    pub(super) numbers: Option<&'a [u64]>,
}

impl Gilboa {
    /// Offline: for `rows` items of which this party has the row and `numbers` of which it has the number, of
    /// `number_bits` bits.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, number_bits: u32, rows: usize, numbers: usize) -> Result<Self> {
        assert!(numbers == 0 || rows == 0 || numbers == rows, "as many products each way");
        let form = GilboaForm { number_bits, rows: rows > 0, numbers: numbers > 0 };
        p.atom(form, rows.max(numbers), |p| {
            let (out, inc) = p.cots(number_bits as usize * rows, number_bits as usize * numbers)?;
            Ok(Self { rows, numbers, number_bits, out, inc })
        })
    }

    /// What an item costs whose number, of b bits, is P1's and whose row, of k words of l bits, is P0's.
    pub(super) fn bill(l: u32, b: u32, k: usize) -> Bill {
        Self::cut_bill(l, b, 0, k)
    }

    /// The same where the low `cut` bits of the products are cut off.
    pub(super) fn cut_bill(l: u32, b: u32, cut: u32, k: usize) -> Bill {
        let payload = k as u64 * (0..b).map(|j| u64::from(l - j.max(cut))).sum::<u64>();
        let b = u64::from(b);
        let online = Phase { bits: [payload, b], rounds: 1 };
        Bill { cots: [b, 0], online, kept: 128 * b, ..Bill::FREE }
    }

    /// Of how many items this party has the number.
    pub(super) fn numbers(&self) -> usize {
        self.numbers
    }

    /// This party's random numbers, for products of such with rows of `row` words.
    pub(super) fn random_numbers(&self, row: usize) -> Zeroizing<Vec<u64>> {
        let mut y = Zeroizing::new(vec![0; self.numbers]);
        for block in self.blocks(row).filter(|_| self.numbers > 0) {
            let choices = self.inc.strings()[block.ots].iter().map(|t| u64::from(t.lsb()));
            y[block.items].iter_mut().zip(choices).for_each(|(y, c)| *y |= c << block.bit);
        }
        y
    }

    /// Products in 1 round: calls `add(item, column, share)` with shares that sum to those of the products.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many numbers as prepared for, and those of the
    /// channel.
    pub(super) fn multiply(
        self,
        s: &mut Session,
        factors: &Factors,
        add: &mut dyn FnMut(usize, usize, u64),
    ) -> Result<()> {
        if let Some(numbers) = factors.numbers {
            same("numbers to multiply", self.numbers, numbers.len())?;
        }
        let flips = self.flips(factors);
        let blocks: Vec<Block> = self.blocks(factors.row).collect();
        let columns = Zeroizing::new(Vec::new());
        let (sent, corrections) = (VecDeque::new(), VecDeque::new());
        let mut state = Run { factors, material: self, flips, columns, sent, corrections, add };
        let (mut mine, mut theirs) = (blocks.iter(), blocks.iter());
        s.duplex(
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
        )
    }

    /// What messages are about, for rows of `row` words.
    fn blocks(&self, row: usize) -> impl Iterator<Item = Block> + use<> {
        let (items, b) = (self.rows.max(self.numbers), self.number_bits);
        let piece = (PIECE / row.max(1)).max(1);
        let blocks = pieces(items, piece).flat_map(move |items| (0..b).map(move |bit| (items.clone(), bit)));
        blocks.scan(items * b as usize, |left, (items, bit)| {
            let ots = *left - items.len()..*left;
            *left = ots.start;
            Some(Block { items, bit, ots })
        })
    }

    /// Step 1: `d` for each correlated OT in which this party chooses.
    fn flips(&self, factors: &Factors) -> Vec<u8> {
        let Some(y) = factors.numbers else { return Vec::new() };
        let mut flips = vec![0; self.inc.len()];
        for block in self.blocks(factors.row).filter(|_| !y.is_empty()) {
            let bits = y[block.items].iter().map(|y| (y >> block.bit & 1) as u8);
            let choices = self.inc.strings()[block.ots.clone()].iter().map(|t| u8::from(t.lsb()));
            flips[block.ots].iter_mut().zip(bits.zip(choices)).for_each(|(d, (b, c))| *d = b ^ c);
        }
        flips
    }
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
    fn widths(&self, block: &Block) -> Vec<u32> {
        vec![self.width(block.bit); self.row]
    }

    /// Width of a payload.
    fn width(&self, bit: u32) -> u32 {
        self.bits - bit.max(self.cut)
    }
}

/// Per column, per item: shares of `c x` and of `x - c x`.
type Pairs = Zeroizing<Vec<Vec<[u64; 2]>>>;

/// The products under way.
struct Run<'a> {
    factors: &'a Factors<'a>,
    material: Gilboa,
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
        if self.material.rows == 0 {
            return Ok(message);
        }
        if block.bit == 0 {
            let column = |k| block.items.clone().map(|i| (self.factors.word)(i, k)).collect();
            self.columns = Zeroizing::new((0..self.factors.row).map(column).collect());
        }
        let ots = self.material.out.take(block.items.len())?;
        let mut pads = PayloadSender::random(s, ots, &self.factors.widths(block));
        let down = self.factors.cut.saturating_sub(block.bit);
        let cut = |x: &u64| low(*x, self.factors.bits) >> down;
        let shifted = match down {
            0 => None,
            _ => Some(Zeroizing::new(self.columns.iter().map(|x| x.iter().map(cut).collect()).collect())),
        };
        let columns: &Vec<Vec<u64>> = shifted.as_deref().unwrap_or(&self.columns);
        let (payload, shares) = pads.send::<Additive>(columns);
        message.extend(payload);
        let shares = Zeroizing::new(shares);
        let both = |(shares, column): (&Vec<u64>, &Vec<u64>)| {
            shares.iter().zip(column).map(|(&g, x)| [g, x.wrapping_sub(g)]).collect()
        };
        let both = Zeroizing::new(shares.iter().zip(columns).map(both).collect());
        self.sent.push_back((block.clone(), both));
        if self.factors.numbers.is_none() {
            self.corrections.push_back(vec![0; block.items.len()]);
        }
        self.settle();
        Ok(message)
    }

    /// The peer's.
    fn receive(&mut self, s: &mut Session, block: &Block) -> Result<()> {
        let (n, factors) = (block.items.len(), self.factors);
        let flips = if self.material.rows > 0 && factors.numbers.is_some() { packed_len(n, 1) } else { 0 };
        let mut pads = None;
        if self.material.numbers > 0 {
            pads = Some(PayloadReceiver::random(s, self.material.inc.take(n)?, &factors.widths(block)));
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
        let place = block.bit.saturating_sub(self.factors.cut);
        let share = low(share, self.factors.width(block.bit)) << place;
        (self.add)(block.items.start + i, k, share);
    }
}
