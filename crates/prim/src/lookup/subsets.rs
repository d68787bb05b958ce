//! What rows of secret bits select of a table, four entries at a time.
//!
//! Four bits of a row choose one of 16 subsets of four entries. A byte of the 16 sums fits a vector, whose bytes
//! an instruction permutes by secret places in constant time: so 16 rows read four entries at once, without a mask.
//! The public sums are laid out before, which pays for many rows.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::parts::{combine, part_of};
use crate::ct::row_words;
use crate::simd::{ByteIsa, Op};
use crate::{Block, Kernel, Ring, Wiped};

/// Entries that bits of a row of 32 bytes, the longest vector, select.
const UNIT: usize = 256;

/// Units after which sums are taken out: 256 bytes, of every other place of four, fit 16 bits.
const UNITS: usize = 8;

/// Fours of half a unit, which are in the same block of a row.
const PLACES: usize = UNIT / 8;

/// Most bytes of sums, of which there are four for a byte of an entry.
const MOST_BYTES: usize = 1 << 26;

/// Rows that a vector permutes in each block, and those that are read at once: an entry serves them all.
const LANES: usize = 16;
const ROWS: usize = 4 * LANES;

/// Rows that a unit serves after each other.
const MANY_ROWS: usize = 4 * ROWS;

/// The longest vector.
#[repr(C, align(32))]
#[derive(Clone, Copy, Zeroable, Pod)]
struct Vector([Block; 2]);

/// One byte of the entries of a column.
struct Plane {
    column: usize,
    /// Its place in the entry, from the lowest byte on.
    byte: u32,
    /// Whether it is the highest, whose sums may lose what is above it.
    last: bool,
}

/// Public columns of as many entries, `ADD`: for sums of entries, else for XORs.
pub(super) struct Subsets<const ADD: bool> {
    /// Entries of a part.
    entries: usize,
    columns: usize,
    planes: Vec<Plane>,
    /// A byte of all sums of four entries, in each block. A part after the other; of each a unit after the other; of
    /// each a plane after the other; of each the bytes of a row's block one after the other, the low half before the
    /// high one.
    sums: Vec<Vector>,
}

impl<const ADD: bool> Subsets<ADD> {
    /// Of columns and the bits of their entries, in so many parts; none where masks serve as well.
    pub fn new<R: Ring>(columns: &[(u32, &[R])], parts: usize) -> Option<Self> {
        let entries = columns.first()?.1.len() / parts;
        let bytes = |(column, (bits, _)): (usize, &(u32, _))| {
            let bytes = bits.div_ceil(8);
            (0..bytes).map(move |byte| Plane { column, byte, last: byte + 1 == bytes })
        };
        let planes: Vec<Plane> = columns.iter().enumerate().flat_map(bytes).collect();
        if layout_bytes(entries * parts, columns.iter().map(|(bits, _)| *bits)) == 0 || entries < UNIT {
            return None;
        }
        let mut sums = vec![Vector::zeroed(); planes.len() * entries * parts / 8];
        for (part, sums) in sums.chunks_exact_mut(planes.len() * entries / 8).enumerate() {
            let columns: Vec<_> = columns.iter().map(|(_, column)| part_of(column, parts, part)).collect();
            lay_out::<R, ADD>(&columns, &planes, sums);
        }
        Some(Self { entries, columns: columns.len(), planes, sums })
    }

    /// For each column, adds to `out[b]` the sum or XOR of the entries j of a part for which bit j of row b is 1. Bits
    /// above those of the entries mean nothing. False, and nothing done, if this processor or the rows' place in memory
    /// does not allow.
    ///
    /// # Panics
    /// Unless there is an `out` for each column, of as many words as there are rows of as many bits as entries.
    pub fn add<R: Ring>(&self, kernel: Kernel, part: usize, rows: &[u64], out: &mut [&mut [R]]) -> bool {
        let words = row_words(self.entries);
        let count = rows.len() / words;
        assert!(rows.len() == count * words && out.len() == self.columns, "rows and columns");
        assert!(out.iter().all(|out| out.len() == count), "rows");
        let Ok(blocks) = bytemuck::try_cast_slice(rows) else { return false };
        let len = self.planes.len() * self.entries / 8;
        let mut sums = Wiped::zeros(count * self.columns);
        let vectors = |count: usize| Wiped::from(vec![Vector::zeroed(); count]);
        let read = Read::<'_, ADD> {
            planes: &self.planes,
            table: &self.sums[part * len..][..len],
            rows: blocks,
            row: self.entries / 128,
            room: vectors(PLACES * ROWS / LANES),
            partial: vectors(2 * self.planes.len() * MANY_ROWS / LANES),
            sums: &mut sums,
        };
        if kernel.engine().run_bytes(read).is_err() {
            return false;
        }
        for (out, sums) in out.iter_mut().zip(sums.chunks_exact(count.max(1))) {
            combine::<R, ADD>(out, sums.iter().copied());
        }
        true
    }
}

/// Writes the sums of a part of each column.
fn lay_out<R: Ring, const ADD: bool>(columns: &[Cow<'_, [R]>], planes: &[Plane], sums: &mut [Vector]) {
    for (sums, from) in sums.chunks_exact_mut(planes.len() * PLACES).zip((0..).step_by(UNIT)) {
        for (plane, sums) in planes.iter().zip(sums.chunks_exact_mut(PLACES)) {
            let column = &columns[plane.column][from..from + UNIT];
            for (i, four) in column.as_chunks::<4>().0.iter().enumerate() {
                // place i is half `i % 2` of byte `i / 2`, which is in the block of its half of the unit
                sums[i % PLACES].0[i / PLACES] = subsets::<R, ADD>(four, plane.byte);
            }
        }
    }
}

/// Bytes that columns of entries of so many bits take laid out; 0 where masks serve as well.
pub(super) fn layout_bytes(entries: usize, bits: impl Iterator<Item = u32>) -> usize {
    let planes = bits.map(|bits| bits.div_ceil(8) as usize).sum::<usize>();
    let bytes = 4 * entries * planes;
    if entries < UNIT || planes < 2 || bytes > MOST_BYTES { 0 } else { bytes }
}

/// A byte of the sums of all subsets of four entries.
fn subsets<R: Ring, const ADD: bool>(four: &[R; 4], byte: u32) -> Block {
    let mut sums = [0u64; 16];
    for set in 1..16usize {
        let last = four[set.ilog2() as usize].to_u64();
        let others = sums[set & !(1 << set.ilog2())];
        sums[set] = if ADD { others.wrapping_add(last) } else { others ^ last };
    }
    bytemuck::cast(sums.map(|sum| (sum >> (8 * byte)) as u8))
}

struct Read<'a, const ADD: bool> {
    planes: &'a [Plane],
    /// Of the part.
    table: &'a [Vector],
    rows: &'a [Block],
    /// Blocks of a row.
    row: usize,
    /// Four bits of each row in a byte, for a unit: place after place as in the table, of each the rows of one
    /// vector after those of the other.
    room: Wiped<Vector>,
    /// Of `ROWS` rows after others, of a plane after the other, what they select: see [`select`].
    partial: Wiped<Vector>,
    /// Of all rows for a column after the other.
    sums: &'a mut [u64],
}

impl<S: ByteIsa, const ADD: bool> Op<S> for Read<'_, ADD> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        let units = self.table.len() / (self.planes.len() * PLACES);
        for (rows, first) in self.rows.chunks(MANY_ROWS * self.row).zip((0..).step_by(MANY_ROWS)) {
            let count = rows.len() / self.row;
            for unit in 0..units {
                for (b, rows) in rows.chunks(ROWS * self.row).enumerate() {
                    // those of a group of trees are half as many
                    match rows.len() / self.row > ROWS / 2 {
                        true => self.unit::<S, { ROWS / LANES }>(isa, rows, unit, b),
                        false => self.unit::<S, { ROWS / LANES / 2 }>(isa, rows, unit, b),
                    }
                }
                if unit % UNITS == UNITS - 1 || unit == units - 1 {
                    self.take_out(first..first + count);
                }
            }
        }
    }
}

impl<const ADD: bool> Read<'_, ADD> {
    /// Of the `V * LANES` rows that are number `b`, what they select of a unit.
    #[inline(always)]
    fn unit<S: ByteIsa, const V: usize>(&mut self, isa: S, rows: &[Block], unit: usize, b: usize) {
        let (planes, each) = (self.planes.len(), 2 * ROWS / LANES);
        let room = &mut self.room[..PLACES * V];
        spread::<S, V>(isa, rows, self.row, 2 * unit, room);
        let table = self.table[unit * planes * PLACES..][..planes * PLACES].chunks_exact(PLACES);
        let partial = self.partial[b * planes * each..][..planes * each].chunks_exact_mut(each);
        for ((plane, table), partial) in self.planes.iter().zip(table).zip(partial) {
            match plane.last {
                true => select::<S, V, ADD, false>(isa, table, room, partial),
                false => select::<S, V, ADD, ADD>(isa, table, room, partial),
            }
        }
    }

    /// Adds what was selected to the sums of these rows.
    fn take_out(&mut self, rows: Range<usize>) {
        let (vectors, count) = (ROWS / LANES, self.rows.len() / self.row);
        let mut partial = self.partial.chunks_exact_mut(2 * vectors);
        for from in rows.clone().step_by(ROWS) {
            let to = rows.end.min(from + ROWS);
            for plane in self.planes {
                let partial = partial.next().expect("of each plane");
                let (all, upper) = partial.split_at(vectors);
                let out = &mut self.sums[plane.column * count..][from..to];
                for (out, (all, upper)) in out.chunks_mut(LANES).zip(all.iter().zip(upper)) {
                    let rows = match ADD && !plane.last {
                        true => wide_sums(all, upper),
                        false => {
                            bytes_of(all).map(|[a, b]| u32::from(if ADD { a.wrapping_add(b) } else { a ^ b }))
                        }
                    };
                    combine::<u64, ADD>(out, rows.map(|row| u64::from(row) << (8 * plane.byte)));
                }
                partial.fill(Vector::zeroed());
            }
        }
    }
}

/// The sums of `LANES` rows.
#[inline(always)]
fn wide_sums(all: &Vector, upper: &Vector) -> [u32; LANES] {
    let (all, upper): (&[[u16; 8]; 2], &[[u16; 8]; 2]) = (bytemuck::cast_ref(all), bytemuck::cast_ref(upper));
    let mut rows = [0; LANES];
    for i in 0..LANES / 2 {
        let lower = |block: usize| u32::from(all[block][i].wrapping_sub(upper[block][i] << 8));
        rows[2 * i] = lower(0) + lower(1);
        rows[2 * i + 1] = u32::from(upper[0][i]) + u32::from(upper[1][i]);
    }
    rows
}

/// The bytes of `LANES` rows in each block.
#[inline(always)]
fn bytes_of(all: &Vector) -> [[u8; 2]; LANES] {
    let bytes: &[[u8; LANES]; 2] = bytemuck::cast_ref(all);
    std::array::from_fn(|i| [bytes[0][i], bytes[1][i]])
}

/// The bits of a unit, which starts at block `from` of each row of `row` blocks, in fours. Rows that there are not
/// have any.
#[inline(always)]
fn spread<S: ByteIsa, const V: usize>(isa: S, rows: &[Block], row: usize, from: usize, room: &mut [Vector]) {
    let zero = isa.splat(Block::ZERO);
    let low_half = isa.splat(Block(0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f));
    for (at, rows) in rows.chunks(LANES * row).enumerate() {
        for part in (0..2).step_by(S::BLOCKS) {
            let mut bytes = [zero; LANES];
            for (bytes, row) in bytes.iter_mut().zip(rows.chunks_exact(row)) {
                *bytes = isa.load(&row[from + part..][..S::BLOCKS]);
            }
            // four times: byte k of row r comes to byte r of vector k
            for _ in 0..4 {
                let old = bytes;
                for i in 0..LANES / 2 {
                    (bytes[2 * i], bytes[2 * i + 1]) = isa.zip_bytes(old[i], old[i + LANES / 2]);
                }
            }
            for (k, &bytes) in bytes.iter().enumerate() {
                isa.store(isa.and(bytes, low_half), &mut room[2 * k * V + at].0[part..][..S::BLOCKS]);
                isa.store(isa.high_halves(bytes), &mut room[(2 * k + 1) * V + at].0[part..][..S::BLOCKS]);
            }
        }
    }
}

/// Adds what the rows select of a plane of a unit. `WIDE`: sums of words of 16 bits, then of their upper bytes, so that
/// nothing is lost; else of bytes alone.
#[inline(always)]
fn select<S: ByteIsa, const V: usize, const ADD: bool, const WIDE: bool>(
    isa: S,
    table: &[Vector],
    room: &[Vector],
    partial: &mut [Vector],
) {
    let (all_of, upper_of) = partial.split_at_mut(ROWS / LANES);
    for part in (0..2).step_by(S::BLOCKS) {
        let (mut all, mut upper) = ([isa.splat(Block::ZERO); V], [isa.splat(Block::ZERO); V]);
        for v in 0..V {
            all[v] = isa.load(&all_of[v].0[part..][..S::BLOCKS]);
            upper[v] = isa.load(&upper_of[v].0[part..][..S::BLOCKS]);
        }
        for (sums, places) in table.iter().zip(room.as_chunks::<V>().0) {
            let sums = isa.load(&sums.0[part..][..S::BLOCKS]);
            for v in 0..V {
                let chosen = isa.permute_bytes(sums, isa.load(&places[v].0[part..][..S::BLOCKS]));
                if WIDE {
                    all[v] = isa.add::<u16>(all[v], chosen);
                    upper[v] = isa.add::<u16>(upper[v], isa.upper_bytes(chosen));
                } else if ADD {
                    all[v] = isa.add::<u8>(all[v], chosen);
                } else {
                    all[v] = isa.xor(all[v], chosen);
                }
            }
        }
        for v in 0..V {
            isa.store(all[v], &mut all_of[v].0[part..][..S::BLOCKS]);
            isa.store(upper[v], &mut upper_of[v].0[part..][..S::BLOCKS]);
        }
    }
}
