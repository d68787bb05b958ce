//! Half gates: labels of garbled bits in places, for some items side by side, and gates from place to place.
//!
//! Of a garbled bit `v` the evaluator has the label `w ^ v * delta`, and the garbler the label `w` of zero. `delta` is the
//! garbler's secret, with bit 0 set: bit 0 of the evaluator's label is `v` masked by bit 0 of `w`. An AND takes two blocks
//! of the garbler's, the table: one of each half gate. Zahur, Rosulek, Evans, "Two Halves Make a Whole" (EUROCRYPT 2015),
//! Figure 2.
//!
//! A label is hashed as `H(label ^ tweak)`, and no two half gates under one key have the same tweak: that of a left half
//! is the AND's number with bit 64 set, that of a right half with bit 65.

use std::slice::from_ref;

use crate::aes::Cipher;
use crate::simd::{Engine, Isa, Kernel, MAX_BLOCKS, Op};
use crate::{Block, CcrHash, Wiped, record};

const LEFT: Block = Block(1 << 64);
const RIGHT: Block = Block(1 << 65);

/// ANDs at a time, at most, those of all items counted.
pub const BATCH: usize = 64;

/// The AND of two places, or of their complements, and the place of the result.
pub struct And {
    /// What it reads.
    pub of: [u32; 2],
    /// Whether it reads the complement.
    pub not: [bool; 2],
    /// What it writes: a place that it or a gate before it reads, or a free one.
    pub to: u32,
}

/// The XOR of two places, and the place of the result.
pub struct Xor {
    /// What it reads.
    pub of: [u32; 2],
    /// What it writes.
    pub to: u32,
}

/// A label for each item in each place.
pub struct Places {
    labels: Wiped<Block>,
    copies: usize,
    /// What ANDs read, and make, where an item's place is no whole vector.
    gathered: Wiped<Block>,
    engine: Engine,
}

impl Places {
    /// So many places, with room for so many items.
    ///
    /// # Panics
    /// For more items than [`BATCH`].
    pub fn new(places: usize, copies: usize) -> Self {
        Self::with_kernel(places, copies, Kernel::active())
    }

    fn with_kernel(places: usize, copies: usize, kernel: Kernel) -> Self {
        assert!(copies <= BATCH, "items");
        let (labels, gathered) = (Wiped::zeros(places * copies), Wiped::zeros(2 * BATCH));
        Self { labels, copies, gathered, engine: kernel.engine() }
    }

    /// From now on for so many items, no more than before. All labels are to be written again, but those of place 0, which
    /// are zero if they were never written.
    ///
    /// # Panics
    /// For none, and for more than before.
    pub fn begin(&mut self, copies: usize) {
        assert!((1..=self.copies).contains(&copies), "items");
        self.copies = copies;
    }

    /// The labels in a place.
    pub fn at(&self, place: usize) -> &[Block] {
        &self.labels[place * self.copies..][..self.copies]
    }

    /// The same, to be written.
    pub fn at_mut(&mut self, place: usize) -> &mut [Block] {
        &mut self.labels[place * self.copies..][..self.copies]
    }

    /// XORs, one after the other.
    pub fn xor(&mut self, gates: &[Xor]) {
        let engine = self.engine;
        // Without vectors blocks are XORed one by one.
        if let Err(Xors { places, gates }) = engine.run_products(Xors { places: self, gates }) {
            gates.iter().for_each(|gate| places.add_up(gate, 0));
        }
    }

    /// Garbles ANDs, one after the other, those of the items under the numbers `first`, `first + 1`, ..: from the labels of
    /// zero to those of the results. All left halves stand before all right ones in `tables`.
    ///
    /// # Panics
    /// For more ANDs than a [`BATCH`], and unless there are two blocks in `tables` for each.
    pub fn garble(&mut self, hash: &CcrHash, delta: Block, first: u64, gates: &[And], tables: &mut [Block]) {
        self.check(gates, tables);
        self.note(hash, first, &[Block::ZERO, delta], delta, gates);
        let (left, right) = tables.split_at_mut(tables.len() / 2);
        self.engine.run(Garble { hash, delta, first, places: self, gates, left, right });
    }

    /// Evaluates the same ANDs: from the labels that the evaluator has to those of the results.
    ///
    /// # Panics
    /// As [`garble`](Self::garble).
    pub fn evaluate(&mut self, hash: &CcrHash, first: u64, gates: &[And], tables: &[Block]) {
        self.check(gates, tables);
        self.note(hash, first, &[Block::ZERO], Block::ZERO, gates);
        let (left, right) = tables.split_at(tables.len() / 2);
        self.engine.run(Evaluate { hash, first, places: self, gates, left, right });
    }

    fn check(&self, gates: &[And], tables: &[Block]) {
        assert!(gates.len() * self.copies <= BATCH, "ANDs");
        assert_eq!(2 * gates.len() * self.copies, tables.len(), "tables");
    }

    /// Notes in the [`record`] what is hashed, as far as nothing of these gates is made yet.
    fn note(&self, hash: &CcrHash, first: u64, offsets: &[Block], delta: Block, gates: &[And]) {
        if cfg!(debug_assertions) {
            for (number, (gate, item)) in
                (first..).zip(gates.iter().flat_map(|gate| (0..self.copies).map(move |item| (gate, item))))
            {
                for ((place, not), half) in gate.of.iter().zip(gate.not).zip([LEFT, RIGHT]) {
                    let label = self.at(*place as usize)[item] ^ delta & Block::mask(not);
                    for &offset in offsets {
                        let tweak = offset ^ half ^ Block(number.into());
                        record::note(hash.key(), from_ref(&label), tweak, false);
                    }
                }
            }
        }
    }

    /// An XOR, for the items from one on.
    #[inline(always)]
    fn add_up(&mut self, gate: &Xor, from: usize) {
        let copies = self.copies;
        let ([a, b], to) = (gate.of.map(|place| place as usize * copies), gate.to as usize * copies);
        for at in from..copies {
            self.labels[to + at] = self.labels[a + at] ^ self.labels[b + at];
        }
    }

    /// What ANDs read, that of each gate together: first all left operands, from [`BATCH`] on all right ones.
    fn gather(&mut self, gates: &[And], delta: Block) -> usize {
        let Self { labels, copies, gathered, .. } = self;
        let (a, b) = gathered.split_at_mut(BATCH);
        for ((gate, a), b) in gates.iter().zip(a.chunks_exact_mut(*copies)).zip(b.chunks_exact_mut(*copies)) {
            for ((place, not), to) in gate.of.iter().zip(gate.not).zip([a, b]) {
                let more = delta & Block::mask(not);
                let from = &labels[*place as usize * *copies..][..*copies];
                to.iter_mut().zip(from).for_each(|(to, label)| *to = *label ^ more);
            }
        }
        gates.len() * *copies
    }

    /// What they have made.
    fn scatter(&mut self, gates: &[And]) {
        for (gate, made) in gates.iter().zip(self.gathered.chunks_exact(self.copies)) {
            self.labels[gate.to as usize * self.copies..][..self.copies].copy_from_slice(made);
        }
    }
}

struct Xors<'a> {
    places: &'a mut Places,
    gates: &'a [Xor],
}

impl<S: Isa> Op<S> for Xors<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let copies = self.places.copies;
        for gate in self.gates {
            let ([a, b], to) = (gate.of.map(|place| place as usize * copies), gate.to as usize * copies);
            let (labels, mut at) = (&mut self.places.labels, 0);
            while at + S::BLOCKS <= copies {
                let [a, b] = [a, b].map(|from| isa.load(&labels[from + at..][..S::BLOCKS]));
                isa.store(isa.xor(a, b), &mut labels[to + at..][..S::BLOCKS]);
                at += S::BLOCKS;
            }
            self.places.add_up(gate, at);
        }
    }
}

/// ANDs side by side: where their operands and results begin, what is added to the operands, and the first one's number.
struct Step {
    from: [usize; 2],
    to: usize,
    more: [Block; 2],
    number: u64,
}

impl Step {
    /// Of a gate, for the items from `at` on.
    #[inline(always)]
    fn of(gate: &And, copies: usize, at: usize, delta: Block, number: u64) -> Self {
        Self {
            from: gate.of.map(|place| place as usize * copies + at),
            to: gate.to as usize * copies + at,
            more: gate.not.map(|not| delta & Block::mask(not)),
            number,
        }
    }

    /// Of operands that were gathered.
    #[inline(always)]
    fn gathered(at: usize, first: u64) -> Self {
        Self { from: [at, BATCH + at], to: at, more: [Block::ZERO; 2], number: first + at as u64 }
    }
}

/// Bit 0 of each block in all of its bits.
#[inline(always)]
fn spread_bit_0<S: Isa>(isa: S, x: S::V) -> S::V {
    isa.spread_bit_1(isa.add_halves(x, x))
}

struct Garble<'a> {
    hash: &'a CcrHash,
    delta: Block,
    first: u64,
    places: &'a mut Places,
    gates: &'a [And],
    left: &'a mut [Block],
    right: &'a mut [Block],
}

impl<S: Isa> Op<S> for Garble<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Garble { hash, delta, first, places, gates, left, right } = self;
        let (cipher, copies) = (Cipher::new(isa, &hash.aes.keys), places.copies);
        if copies.is_multiple_of(2 * S::BLOCKS) {
            for (gate, row) in gates.iter().zip((0..).step_by(copies)) {
                for at in (0..copies).step_by(2 * S::BLOCKS) {
                    let (step, all) =
                        (Step::of(gate, copies, at, delta, first + (row + at) as u64), row + at);
                    let tables = [&mut left[all..][..2 * S::BLOCKS], &mut right[all..][..2 * S::BLOCKS]];
                    garble::<S, 2, 8>(isa, &cipher, delta, &mut places.labels, &step, tables);
                }
            }
            return;
        }
        let (count, mut at) = (places.gather(gates, delta), 0);
        let blocks = &mut *places.gathered;
        while at + 2 * S::BLOCKS <= count {
            let tables = [&mut left[at..][..2 * S::BLOCKS], &mut right[at..][..2 * S::BLOCKS]];
            garble::<S, 2, 8>(isa, &cipher, delta, blocks, &Step::gathered(at, first), tables);
            at += 2 * S::BLOCKS;
        }
        while at < count {
            let (mut padded, now) = ([[Block::ZERO; MAX_BLOCKS]; 2], S::BLOCKS.min(count - at));
            let [l, r] = &mut padded;
            let tables = [&mut l[..S::BLOCKS], &mut r[..S::BLOCKS]];
            garble::<S, 1, 4>(isa, &cipher, delta, blocks, &Step::gathered(at, first), tables);
            left[at..][..now].copy_from_slice(&padded[0][..now]);
            right[at..][..now].copy_from_slice(&padded[1][..now]);
            at += now;
        }
        places.scatter(gates);
    }
}

/// `V` vectors of ANDs, whose hashes are `W` vectors.
#[inline(always)]
fn garble<S: Isa, const V: usize, const W: usize>(
    isa: S,
    cipher: &Cipher<S>,
    delta: Block,
    blocks: &mut [Block],
    step: &Step,
    [to_left, to_right]: [&mut [Block]; 2],
) {
    let (delta, left, right) = (isa.splat(delta), isa.splat(LEFT), isa.splat(RIGHT));
    let more = step.more.map(|more| isa.splat(more));
    let (mut a, mut b, mut xs) = ([delta; V], [delta; V], [delta; W]);
    for k in 0..V {
        let at = k * S::BLOCKS;
        a[k] = isa.xor(isa.load(&blocks[step.from[0] + at..][..S::BLOCKS]), more[0]);
        b[k] = isa.xor(isa.load(&blocks[step.from[1] + at..][..S::BLOCKS]), more[1]);
        let number = isa.counters(step.number + at as u64);
        xs[4 * k] = isa.xor(a[k], isa.xor(number, left));
        xs[4 * k + 1] = isa.xor(xs[4 * k], delta);
        xs[4 * k + 2] = isa.xor(b[k], isa.xor(number, right));
        xs[4 * k + 3] = isa.xor(xs[4 * k + 2], delta);
    }
    let hashes = cipher.hash(xs);
    for k in 0..V {
        let at = k * S::BLOCKS;
        let (a0, a1, b0, b1) = (hashes[4 * k], hashes[4 * k + 1], hashes[4 * k + 2], hashes[4 * k + 3]);
        let (bit_a, bit_b) = (spread_bit_0(isa, a[k]), spread_bit_0(isa, b[k]));
        let both = isa.xor(b0, b1); // the right half of the table is this ^ a
        let table = isa.xor(isa.xor(a0, a1), isa.and(bit_b, delta));
        isa.store(table, &mut to_left[at..][..S::BLOCKS]);
        isa.store(isa.xor(both, a[k]), &mut to_right[at..][..S::BLOCKS]);
        let of_left = isa.xor(a0, isa.and(bit_a, table));
        let of_right = isa.xor(b0, isa.and(bit_b, both));
        isa.store(isa.xor(of_left, of_right), &mut blocks[step.to + at..][..S::BLOCKS]);
    }
}

struct Evaluate<'a> {
    hash: &'a CcrHash,
    first: u64,
    places: &'a mut Places,
    gates: &'a [And],
    left: &'a [Block],
    right: &'a [Block],
}

impl<S: Isa> Op<S> for Evaluate<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Evaluate { hash, first, places, gates, left, right } = self;
        let (cipher, copies) = (Cipher::new(isa, &hash.aes.keys), places.copies);
        if copies.is_multiple_of(4 * S::BLOCKS) {
            for (gate, row) in gates.iter().zip((0..).step_by(copies)) {
                for at in (0..copies).step_by(4 * S::BLOCKS) {
                    let number = first + (row + at) as u64;
                    let (step, all) = (Step::of(gate, copies, at, Block::ZERO, number), row + at);
                    let tables = [&left[all..][..4 * S::BLOCKS], &right[all..][..4 * S::BLOCKS]];
                    evaluate::<S, 4, 8>(isa, &cipher, &mut places.labels, &step, tables);
                }
            }
            return;
        }
        let (count, mut at) = (places.gather(gates, Block::ZERO), 0);
        let blocks = &mut *places.gathered;
        while at + 4 * S::BLOCKS <= count {
            let tables = [&left[at..][..4 * S::BLOCKS], &right[at..][..4 * S::BLOCKS]];
            evaluate::<S, 4, 8>(isa, &cipher, blocks, &Step::gathered(at, first), tables);
            at += 4 * S::BLOCKS;
        }
        while at < count {
            let now = S::BLOCKS.min(count - at);
            let mut padded = [[Block::ZERO; MAX_BLOCKS]; 2];
            padded[0][..now].copy_from_slice(&left[at..][..now]);
            padded[1][..now].copy_from_slice(&right[at..][..now]);
            let tables = padded.each_ref().map(|tables| &tables[..S::BLOCKS]);
            evaluate::<S, 1, 2>(isa, &cipher, blocks, &Step::gathered(at, first), tables);
            at += now;
        }
        places.scatter(gates);
    }
}

/// `V` vectors of ANDs, whose hashes are `W` vectors.
#[inline(always)]
fn evaluate<S: Isa, const V: usize, const W: usize>(
    isa: S,
    cipher: &Cipher<S>,
    blocks: &mut [Block],
    step: &Step,
    [of_left, of_right]: [&[Block]; 2],
) {
    let (left, right) = (isa.splat(LEFT), isa.splat(RIGHT));
    let (mut a, mut b, mut xs) = ([left; V], [left; V], [left; W]);
    for k in 0..V {
        let at = k * S::BLOCKS;
        a[k] = isa.load(&blocks[step.from[0] + at..][..S::BLOCKS]);
        b[k] = isa.load(&blocks[step.from[1] + at..][..S::BLOCKS]);
        let number = isa.counters(step.number + at as u64);
        xs[2 * k] = isa.xor(a[k], isa.xor(number, left));
        xs[2 * k + 1] = isa.xor(b[k], isa.xor(number, right));
    }
    let hashes = cipher.hash(xs);
    for k in 0..V {
        let at = k * S::BLOCKS;
        let of_left = isa.and(spread_bit_0(isa, a[k]), isa.load(&of_left[at..][..S::BLOCKS]));
        let of_right = isa.xor(isa.load(&of_right[at..][..S::BLOCKS]), a[k]);
        let of_right = isa.and(spread_bit_0(isa, b[k]), of_right);
        let both = isa.xor(hashes[2 * k], hashes[2 * k + 1]);
        isa.store(isa.xor(both, isa.xor(of_left, of_right)), &mut blocks[step.to + at..][..S::BLOCKS]);
    }
}

#[cfg(test)]
mod tests;
