//! What rows of secret bits select of a table, four entries at a time.
//!
//! Four bits of a row choose one of 16 subsets of four entries. A byte of the 16 sums fits a vector, whose bytes
//! an instruction permutes by secret places in constant time: so 16 rows read four entries at once, without a mask.
//! The public sums are laid out before, which pays for many rows.

use bytemuck::{Pod, Zeroable};

use crate::ct::row_words;
use crate::simd::{ByteIsa, MAX_BLOCKS, Op};
use crate::{Block, Kernel, Ring, Wiped};

/// Entries that bits of a row of 32 bytes, the longest vector, select.
const UNIT: usize = 256;

/// Entries of which the sums stay in the cache: a row has 256 places of four at most, whose bytes 16 bits hold.
const CHUNK: usize = 4 * UNIT;

/// Most bytes of sums, of which there are four for a byte of an entry.
const MOST_BYTES: usize = 1 << 26;

/// Rows that are read at once, and as many as a vector permutes in each block.
const ROWS: usize = 32;
const LANES: usize = 16;

/// The longest vector.
#[repr(C, align(32))]
#[derive(Clone, Copy, Zeroable, Pod)]
struct Vector([Block; 2]);

/// One byte of the entries of a column.
struct Plane {
    column: usize,
    /// Its place in the entry, from the lowest byte on.
    byte: u32,
}

/// Public columns of as many entries, `ADD`: for sums of entries, else for XORs.
pub(super) struct Subsets<const ADD: bool> {
    entries: usize,
    columns: usize,
    planes: Vec<Plane>,
    /// A byte of all sums of four entries, in each block. A chunk of entries after the other; of each a plane after
    /// the other; of each a unit after the other; of each the bytes of a row's block one after the other, the low
    /// half before the high one.
    sums: Vec<Vector>,
}

impl<const ADD: bool> Subsets<ADD> {
    /// Of columns and the bits of their entries; none where masks serve as well.
    pub fn new<R: Ring>(columns: &[(u32, &[R])]) -> Option<Self> {
        let entries = columns.first()?.1.len();
        let bytes = |(column, (bits, _)): (usize, &(u32, _))| {
            (0..bits.div_ceil(8)).map(move |byte| Plane { column, byte })
        };
        let planes: Vec<Plane> = columns.iter().enumerate().flat_map(bytes).collect();
        if layout_bytes(entries, columns.iter().map(|(bits, _)| *bits)) == 0 {
            return None;
        }
        let mut sums = vec![Vector::zeroed(); planes.len() * entries / 8];
        let chunk = entries.min(CHUNK);
        for (sums, from) in sums.chunks_exact_mut(planes.len() * chunk / 8).zip((0..).step_by(chunk)) {
            for (at, plane) in planes.iter().enumerate() {
                let column = &columns[plane.column].1[from..from + chunk];
                let sums = &mut sums[at * chunk / 8..][..chunk / 8];
                for (i, four) in column.as_chunks::<4>().0.iter().enumerate() {
                    // place i is half `i % 2` of byte `i / 2`, which is in the block of its half of the unit
                    let (unit, byte) = (i / 64, i / 2 % 32);
                    let vector = &mut sums[(unit * 16 + byte % 16) * 2 + i % 2];
                    vector.0[byte / 16] = subsets::<R, ADD>(four, plane.byte);
                }
            }
        }
        Some(Self { entries, columns: columns.len(), planes, sums })
    }

    /// For each column, `out[b]` = sum or XOR of the entries j for which bit j of row b is 1. Bits above those of the
    /// entries mean nothing. False, and nothing done, if this processor or the rows' place in memory does not allow.
    ///
    /// # Panics
    /// Unless there is an `out` for each column, of as many words as there are rows of as many bits as entries.
    pub fn read<R: Ring>(&self, kernel: Kernel, rows: &[u64], out: &mut [&mut [R]]) -> bool {
        let words = row_words(self.entries);
        let count = rows.len() / words;
        assert!(rows.len() == count * words && out.len() == self.columns, "rows and columns");
        assert!(out.iter().all(|out| out.len() == count), "rows");
        let Ok(blocks) = bytemuck::try_cast_slice(rows) else { return false };
        let mut sums = Wiped::zeros(count * self.columns);
        let room = Wiped::from(vec![Vector::zeroed(); self.entries.min(CHUNK) / 4]);
        let read = Read { table: self, rows: blocks, count, room, sums: &mut sums };
        if kernel.engine().run_bytes(read).is_err() {
            return false;
        }
        for (out, sums) in out.iter_mut().zip(sums.chunks_exact(count.max(1))) {
            out.iter_mut().zip(sums).for_each(|(out, &sum)| *out = R::from_u64(sum));
        }
        true
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
    table: &'a Subsets<ADD>,
    rows: &'a [Block],
    count: usize,
    /// Four bits of each row in a byte, for a chunk: place after place as in the table, of each the rows of one
    /// vector after those of the other.
    room: Wiped<Vector>,
    /// Of all rows for a column after the other.
    sums: &'a mut [u64],
}

impl<S: ByteIsa, const ADD: bool> Op<S> for Read<'_, ADD> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        let table = self.table;
        let (row, chunk) = (table.entries / 128, table.entries.min(CHUNK));
        for (sums, from) in
            table.sums.chunks_exact(table.planes.len() * chunk / 8).zip((0..).step_by(chunk / 128))
        {
            for (rows, b) in self.rows.chunks(ROWS * row).zip((0..).step_by(ROWS)) {
                spread(isa, rows, row, from, &mut self.room);
                for (plane, sums) in table.planes.iter().zip(sums.chunks_exact(chunk / 8)) {
                    let to = plane.column * self.count + b;
                    let len = ROWS.min(self.count - b);
                    select::<S, ADD>(isa, sums, &self.room, 8 * plane.byte, &mut self.sums[to..to + len]);
                }
            }
        }
    }
}

/// The bits of a chunk, which starts at block `from` of each row of `row` blocks, in fours. Rows that there are not
/// have any.
#[inline(always)]
fn spread<S: ByteIsa>(isa: S, rows: &[Block], row: usize, from: usize, room: &mut [Vector]) {
    let zero = isa.splat(Block::ZERO);
    let low_half = isa.splat(Block(0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f));
    for (unit, room) in room.chunks_exact_mut(64).enumerate() {
        for (half, rows) in rows.chunks(LANES * row).enumerate() {
            for part in (0..2).step_by(S::BLOCKS) {
                let mut bytes = [zero; LANES];
                for (bytes, row) in bytes.iter_mut().zip(rows.chunks_exact(row)) {
                    *bytes = isa.load(&row[from + 2 * unit + part..][..S::BLOCKS]);
                }
                // four times: byte k of row r comes to byte r of vector k
                for _ in 0..4 {
                    let old = bytes;
                    for i in 0..LANES / 2 {
                        (bytes[2 * i], bytes[2 * i + 1]) = isa.zip_bytes(old[i], old[i + LANES / 2]);
                    }
                }
                for (k, &bytes) in bytes.iter().enumerate() {
                    isa.store(isa.and(bytes, low_half), &mut room[4 * k + half].0[part..][..S::BLOCKS]);
                    isa.store(isa.high_halves(bytes), &mut room[4 * k + 2 + half].0[part..][..S::BLOCKS]);
                }
            }
        }
    }
}

/// Adds what the rows select of a plane of a chunk, shifted.
#[inline(always)]
fn select<S: ByteIsa, const ADD: bool>(
    isa: S,
    sums: &[Vector],
    room: &[Vector],
    shift: u32,
    out: &mut [u64],
) {
    let zero = isa.splat(Block::ZERO);
    // ADD: sums of words of 16 bits, and of their upper bytes
    let (mut all, mut upper) = ([zero; 2], [zero; 2]);
    for (sums, places) in sums.iter().zip(room.as_chunks::<2>().0) {
        for part in (0..2).step_by(S::BLOCKS) {
            let sums = isa.load(&sums.0[part..][..S::BLOCKS]);
            for half in 0..2 {
                let chosen = isa.permute_bytes(sums, isa.load(&places[half].0[part..][..S::BLOCKS]));
                if ADD {
                    all[half] = isa.add::<u16>(all[half], chosen);
                    upper[half] = isa.add::<u16>(upper[half], isa.upper_bytes(chosen));
                } else {
                    all[half] = isa.xor(all[half], chosen);
                }
            }
        }
    }
    for (half, out) in out.chunks_mut(LANES).enumerate() {
        let (mut blocks, mut uppers) = ([Block::ZERO; MAX_BLOCKS], [Block::ZERO; MAX_BLOCKS]);
        isa.store(all[half], &mut blocks[..S::BLOCKS]);
        isa.store(upper[half], &mut uppers[..S::BLOCKS]);
        let mut rows = [0u64; LANES];
        for (block, upper) in blocks[..S::BLOCKS].iter().zip(&uppers) {
            if ADD {
                let (words, uppers): (&[u16; 8], &[u16; 8]) =
                    (bytemuck::cast_ref(block), bytemuck::cast_ref(upper));
                for (rows, (&word, &upper)) in rows.chunks_exact_mut(2).zip(words.iter().zip(uppers)) {
                    rows[0] += u64::from(word.wrapping_sub(upper << 8));
                    rows[1] += u64::from(upper);
                }
            } else {
                let bytes: &[u8; LANES] = bytemuck::cast_ref(block);
                for (row, &byte) in rows.iter_mut().zip(bytes) {
                    *row ^= u64::from(byte);
                }
            }
        }
        for (out, row) in out.iter_mut().zip(rows) {
            *out = if ADD { out.wrapping_add(row << shift) } else { *out ^ row << shift };
        }
    }
}
