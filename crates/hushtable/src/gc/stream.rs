//! A program run at one party, message by message: tables made, or taken.

use std::ops::Range;

use prim::{
    Wiped,
    block::Block,
    half_gates::{And, BATCH, Places},
    hash::CcrHash,
};
use zeroize::Zeroizing;

use super::{
    job::Job,
    program::{COPIES, Program},
};
use crate::{
    gates::Bits,
    net::Role,
    session::{Purpose, Session},
};

/// Tables of a message.
const TABLES: usize = 1 << 12;
/// The same where there are few in all: both parties soon have something to do, and a message of 30 KiB leaves without
/// waking up a thread.
const FEW: usize = 960;
const _: () = assert!(32 * FEW + 1024 < crate::net::DIRECT);
/// Messages under one key: the garbler hashes four blocks for a table, less than 2^20 in all, the evaluator two.
const UNDER_KEY: usize = 63;

/// How the tables for some items are cut into messages: the ANDs of up to 16 items side by side, then those of the next
/// ones.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    ands: usize,
    items: usize,
}

impl Cut {
    /// Of the items that a party garbles.
    pub(super) fn of(job: &Job, garbler: Role) -> Self {
        Self::new(&job.program, job.part(garbler).len())
    }

    /// Of a program for some items.
    pub(super) fn new(program: &Program, items: usize) -> Self {
        Self { ands: program.ands(), items }
    }

    fn copies(&self) -> usize {
        self.items.clamp(1, COPIES)
    }

    /// ANDs of a program in a message.
    fn step(&self) -> usize {
        let few = self.ands.saturating_mul(self.items) < 4 * TABLES;
        (if few { FEW } else { TABLES }) / self.copies()
    }

    fn all(&self) -> usize {
        self.ands * self.items.div_ceil(COPIES)
    }

    /// How many messages there are.
    fn count(&self) -> usize {
        self.all().div_ceil(self.step())
    }

    /// The ANDs of a message, counted through all groups of items.
    fn ands(&self, message: usize) -> Range<usize> {
        let from = message * self.step();
        from..self.all().min(from + self.step())
    }

    /// Blocks of a message.
    fn blocks(&self, message: usize) -> usize {
        let (at, full) = (self.ands(message), self.items / COPIES * self.ands);
        let wide = at.end.min(full) - at.start.min(full);
        2 * (wide * COPIES + (at.len() - wide) * (self.items % COPIES))
    }

    /// Of each message.
    pub(super) fn messages(self) -> impl Iterator<Item = usize> + Clone {
        (0..self.count()).map(move |message| self.blocks(message))
    }
}

/// The labels of inputs: the garbler's are those of zero.
pub(super) struct Labels<'a> {
    /// So many for each row.
    pub(super) strings: &'a [Block],
    /// Of each input its row; without one all labels are zero.
    pub(super) rows: Vec<Option<usize>>,
    /// Where the garbler adds its Delta.
    pub(super) flips: Vec<Bits>,
}

impl Labels<'_> {
    /// Those of some of the `items`.
    fn put(&self, input: usize, items: usize, at: Range<usize>, delta: Block, to: &mut [Block]) {
        match self.rows[input] {
            Some(row) => to.copy_from_slice(&self.strings[row * items..][at.clone()]),
            None => to.fill(Block::ZERO),
        }
        if let Some(flips) = self.flips.get(input) {
            to.iter_mut().zip(at).for_each(|(to, item)| *to ^= delta & mask(flips, item));
        }
    }
}

/// All ones where a bit is set.
pub(super) fn mask(bits: &Bits, item: usize) -> Block {
    Block::mask(bits.words()[item / 64] >> (item % 64) & 1 == 1)
}

/// One party's labels while they go through a program.
pub(super) struct Stream<'a> {
    program: &'a Program,
    cut: Cut,
    keys: Vec<CcrHash>,
    labels: Labels<'a>,
    /// The garbler's; zero at the evaluator.
    delta: Zeroizing<Block>,
    places: Places,
    outputs: Zeroizing<Vec<Vec<u64>>>,
    /// Labels of the outputs in their place, row by row, where another program takes them.
    kept: Option<Wiped<Block>>,
    message: usize,
    /// The next AND's number under the key.
    number: u64,
    /// The group's first item, whether its inputs are there, and the next layer, AND and XOR.
    from: usize,
    begun: bool,
    layer: usize,
    and: usize,
    xor: usize,
}

/// The keys of the tables for the items that a party garbles. Both parties ask in the same order.
pub(super) fn keys(s: &mut Session, job: &Job, garbler: Role) -> Vec<CcrHash> {
    fresh(s, Cut::of(job, garbler), garbler)
}

fn fresh(s: &mut Session, cut: Cut, garbler: Role) -> Vec<CcrHash> {
    (0..cut.count().div_ceil(UNDER_KEY)).map(|_| s.hash(Purpose::Garbling, garbler)).collect()
}

/// Keys for programs one after the other, of which small ones share one.
#[derive(Default)]
pub(super) struct Keys {
    /// With the number of the next AND under it.
    last: Option<(CcrHash, u64)>,
}

impl Keys {
    /// Those of the next program, and the number of its first AND. Both parties ask in the same order.
    pub(super) fn next(&mut self, s: &mut Session, cut: Cut, garbler: Role) -> (Vec<CcrHash>, u64) {
        let tables = cut.messages().sum::<usize>() as u64 / 2;
        let fits = |first: u64| cut.count() <= UNDER_KEY && first + tables <= (UNDER_KEY * TABLES) as u64;
        let (keys, first) = match self.last.take_if(|last| fits(last.1)) {
            Some((key, first)) => (vec![key], first),
            None => (fresh(s, cut, garbler), 0),
        };
        self.last = keys.first().filter(|_| fits(first)).map(|key| (key.clone(), first + tables));
        (keys, first)
    }
}

impl<'a> Stream<'a> {
    /// For the items that a party garbles. `delta` is its own, or zero at its peer.
    pub(super) fn new(
        job: &'a Job,
        garbler: Role,
        keys: Vec<CcrHash>,
        labels: Labels<'a>,
        delta: Block,
    ) -> Self {
        Self::of((&job.program, Cut::of(job, garbler)), (keys, 0), labels, delta)
    }

    /// A program for some items, which keeps the labels of its outputs.
    pub(super) fn keeping(
        (program, items): (&'a Program, usize),
        keys: (Vec<CcrHash>, u64),
        labels: Labels<'a>,
        delta: Block,
    ) -> Self {
        let mut stream = Self::of((program, Cut::new(program, items)), keys, labels, delta);
        stream.outputs.clear();
        stream.kept = Some(Wiped::zeros(program.outputs() * items));
        stream
    }

    fn of(
        (program, cut): (&'a Program, Cut),
        (keys, number): (Vec<CcrHash>, u64),
        labels: Labels<'a>,
        delta: Block,
    ) -> Self {
        let words = || vec![0; cut.items.div_ceil(64)];
        let outputs = Zeroizing::new((0..program.outputs()).map(|_| words()).collect());
        Self {
            program,
            cut,
            keys,
            labels,
            delta: Zeroizing::new(delta),
            places: Places::new(program.places, cut.items.min(COPIES)),
            outputs,
            kept: None,
            message: 0,
            number,
            from: 0,
            begun: false,
            layer: 0,
            and: 0,
            xor: 0,
        }
    }

    /// As garbler: the next message of tables. Nothing after the last one.
    pub(super) fn garble(&mut self) -> Option<Vec<u8>> {
        let mut message = Vec::with_capacity(16 * self.expects()?);
        let delta = self.delta.clone();
        let mut tables = [Block::ZERO; 2 * BATCH];
        self.next(|hash, first, places, gates, blocks| {
            let tables = &mut tables[..blocks];
            places.garble(hash, *delta, first, gates, tables);
            message.extend_from_slice(bytemuck::cast_slice(tables));
        });
        Some(message)
    }

    /// Blocks of the next message; nothing after the last one.
    pub(super) fn expects(&self) -> Option<usize> {
        (self.message < self.cut.count()).then(|| self.cut.blocks(self.message))
    }

    /// As evaluator: takes the next message.
    pub(super) fn evaluate(&mut self, mut tables: &[Block]) {
        self.next(|hash, first, places, gates, blocks| {
            let (now, later) = tables.split_at(blocks);
            places.evaluate(hash, first, gates, now);
            tables = later;
        });
    }

    /// Shares of the outputs, when all tables are made or taken.
    pub(super) fn finish(mut self) -> Vec<Bits> {
        self.complete();
        let items = self.cut.items;
        std::mem::take(&mut *self.outputs).into_iter().map(|words| Bits::new(items, words)).collect()
    }

    /// The labels that are kept, then.
    pub(super) fn kept(mut self) -> Wiped<Block> {
        self.complete();
        self.kept.take().expect("labels that are kept")
    }

    fn complete(&mut self) {
        assert!(self.expects().is_none(), "tables are missing");
        self.run(0, None, |_, _, _, _, _| ()); // a program without ANDs has not begun
    }

    /// The ANDs of the next message.
    fn next(&mut self, and: impl FnMut(&CcrHash, u64, &mut Places, &[And], usize)) {
        let key = self.message / UNDER_KEY;
        if self.message > 0 && self.message.is_multiple_of(UNDER_KEY) {
            self.number = 0;
        }
        let count = self.cut.ands(self.message).len();
        self.message += 1;
        self.run(count, Some(key), and);
    }

    /// So many ANDs, under a key, and all that waits for no more of them. `and` gets the number of the first one of some,
    /// and how many blocks their tables have.
    fn run(
        &mut self,
        mut count: usize,
        key: Option<usize>,
        mut and: impl FnMut(&CcrHash, u64, &mut Places, &[And], usize),
    ) {
        let program = self.program;
        while self.from < self.cut.items {
            let copies = (self.cut.items - self.from).min(COPIES);
            if !self.begun {
                self.begin(copies);
            }
            while let Some(layer) = program.layers.get(self.layer) {
                while self.and < layer.ands {
                    let Some(key) = key.filter(|_| count > 0) else { return };
                    let now = count.min(BATCH / copies).min(layer.ands - self.and);
                    let gates = &program.ands[self.and..][..now];
                    and(&self.keys[key], self.number, &mut self.places, gates, 2 * now * copies);
                    self.number += (now * copies) as u64;
                    (self.and, count) = (self.and + now, count - now);
                }
                self.places.xor(&program.xors[self.xor..layer.xors]);
                (self.layer, self.xor) = (self.layer + 1, layer.xors);
            }
            self.end(copies);
        }
    }

    /// Labels of the inputs of the next items.
    fn begin(&mut self, copies: usize) {
        self.places.begin(copies);
        for input in 0..self.program.inputs() {
            let (at, to) = (self.from..self.from + copies, self.places.at_mut(1 + input));
            self.labels.put(input, self.cut.items, at, *self.delta, to);
        }
        self.begun = true;
    }

    /// Shares of their outputs: the lowest bits of labels, and at the garbler the complement of a complement.
    fn end(&mut self, copies: usize) {
        let (word, shift) = (self.from / 64, self.from % 64);
        if let Some(kept) = &mut self.kept {
            for (row, out) in kept.chunks_exact_mut(self.cut.items).zip(&self.program.outputs) {
                let not = Block::mask(out.negated()) & *self.delta;
                let labels = self.places.at(out.wire() as usize);
                row[self.from..][..copies].iter_mut().zip(labels).for_each(|(to, label)| *to = *label ^ not);
            }
        }
        for (out, words) in self.program.outputs.iter().zip(&mut *self.outputs) {
            let not = u128::from(out.negated()) & self.delta.0;
            let bit = |(label, i): (&Block, usize)| (((label.0 ^ not) & 1) as u64) << i;
            let labels = self.places.at(out.wire() as usize);
            words[word] |= labels.iter().zip(shift..).map(bit).fold(0, |word, bit| word | bit);
        }
        self.from += copies;
        (self.begun, self.layer, self.and, self.xor) = (false, 0, 0, 0);
    }
}
