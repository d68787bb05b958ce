//! What pages of Parquet files say of themselves, looked at before anything is allocated for it: the crate allocates
//! what a header says.

use std::io::Read;

use parquet::{
    basic::{CompressionCodec, Encoding, Type as Physical},
    column::page::{Page, PageMetadata, PageReader},
    errors::{ParquetError, Result},
    file::metadata::ColumnChunkMetaData,
};
use prim::wipe::Wiped;

/// So many bytes a compression can make of one: Snappy 64 of 3, DEFLATE 258 of two bits, Zstandard 128 KiB of 4, LZ4 255
/// of one. Nothing for one that is not read.
pub fn most(codec: CompressionCodec) -> Option<u64> {
    match codec {
        CompressionCodec::UNCOMPRESSED => Some(1),
        CompressionCodec::SNAPPY => Some(22),
        CompressionCodec::GZIP => Some(1032),
        CompressionCodec::ZSTD => Some(1 << 15),
        CompressionCodec::LZ4_RAW => Some(255),
        _ => None,
    }
}

/// Most texts in a page that says how many there are in a place of its own. Writers make pages of some ten thousand.
const TEXTS: u64 = 1 << 22;

/// Bytes of a value of a dictionary in memory.
const VALUE: u64 = 32;

/// What a chunk of a column takes while it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    /// Bytes of its largest pages.
    pub bytes: u64,
    /// Bytes of the longest text that a page can make of less: texts with a common beginning.
    pub longest: u64,
}

/// Looks at all pages of a chunk in a file of these bytes. `None` if one is not where it should be, or says to hold more
/// than its bytes can become.
pub fn needs(file: &[u8], chunk: &ColumnChunkMetaData) -> Option<Needs> {
    let (start, length) = chunk.byte_range();
    let end = start.checked_add(length)?;
    let mut rest = file.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
    let codec = chunk.compression_codec();
    let most = most(codec)?;
    let least = match chunk.column_type() {
        Physical::INT64 | Physical::DOUBLE => 8,
        Physical::INT96 => 12,
        Physical::FIXED_LEN_BYTE_ARRAY => u64::try_from(chunk.column_descr().type_length()).ok()?.max(1),
        _ => 4,
    };
    let (mut needs, mut dictionary) = (Needs::default(), 0);
    while !rest.is_empty() {
        let header = Header::read(&mut rest)?;
        let [full, stored] = [header.full, header.stored].map(|size| u64::try_from(size).ok());
        let (full, stored) = (full?, stored?);
        let (page, behind) = rest.split_at_checked(usize::try_from(stored).ok()?)?;
        rest = behind;
        // The crate itself ends where the others say to end.
        let inflates = codec == CompressionCodec::GZIP && !inflates_to(page.get(header.levels()?..)?, full);
        if codec != CompressionCodec::UNCOMPRESSED && (full > most * stored || inflates) {
            return None;
        }
        if header.kind == DICTIONARY {
            let values = u64::try_from(header.values).ok()?;
            if values.checked_mul(least)? > full {
                return None;
            }
            dictionary = full + VALUE * values;
        }
        needs.bytes = needs.bytes.max(full);
        if header.encoding == Encoding::DELTA_BYTE_ARRAY as i64 {
            needs.longest = needs.longest.max(full);
        }
    }
    needs.bytes += dictionary;
    Some(needs)
}

/// Whether no more comes out of this than so many bytes. What is damaged ends before.
fn inflates_to(page: &[u8], bytes: u64) -> bool {
    let mut decoder = flate2::read::MultiGzDecoder::new(page).take(bytes + 1);
    let (mut piece, mut all) = (Wiped::<u8>::zeros(1 << 16), 0);
    while let Ok(count @ 1..) = decoder.read(&mut piece) {
        all += count as u64;
    }
    all <= bytes
}

/// The number of a dictionary's kind of page.
const DICTIONARY: i64 = 2;

/// The header of a page.
#[derive(Default)]
struct Header {
    kind: i64,
    /// Bytes when it is decompressed, and as it is stored.
    full: i64,
    stored: i64,
    values: i64,
    encoding: i64,
    /// Bytes of levels, which stand before what is compressed in pages of version 2.
    before: [i64; 2],
}

impl Header {
    /// The one at the beginning of `bytes`, which are then those behind it. The crate reads a field by its number, whatever
    /// its kind: another kind than the format has is refused, and so is what stands twice.
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (mut header, mut from) = (Self { encoding: -1, ..Self::default() }, Compact(bytes));
        let (mut seen, mut inner) = ([false; 9], None);
        from.fields(&mut |from, id, kind| {
            let seen = seen.get_mut(usize::try_from(id).ok()?);
            if seen.is_some_and(|seen| std::mem::replace(seen, true)) {
                return None;
            }
            match (id, kind) {
                (1, I32) => header.kind = from.whole()?,
                (2, I32) => header.full = from.whole()?,
                (3, I32) => header.stored = from.whole()?,
                (4, I32) => drop(from.whole()?),
                (5..=8, STRUCT) if inner.is_none() => {
                    inner = Some(id);
                    header.inner(from, id)?;
                }
                (1..=8, _) => return None,
                _ => from.skip(kind, 0)?,
            }
            Some(())
        })?;
        *bytes = from.0;
        let fits = inner == [5, 6, 7, 8].get(usize::try_from(header.kind).ok()?).copied();
        (fits && seen[1..4].iter().all(|&seen| seen)).then_some(header)
    }

    /// How many bytes stand before what is compressed.
    fn levels(&self) -> Option<usize> {
        let [repeated, defined] = self.before.map(|bytes| usize::try_from(bytes).ok());
        repeated?.checked_add(defined?)
    }

    /// What it says of pages of one kind.
    fn inner(&mut self, from: &mut Compact<'_>, which: i64) -> Option<()> {
        // How many numbers it begins with, and which one is the encoding.
        let (numbers, encoding) = match which {
            5 => (4, 2),
            6 => (0, 0),
            7 => (2, 2),
            _ => (6, 4),
        };
        from.fields(&mut |from, id, kind| {
            match kind {
                I32 if (1..=numbers).contains(&id) => {
                    let number = from.whole()?;
                    if id == 1 {
                        self.values = number;
                    } else if id == encoding {
                        self.encoding = number;
                    } else if which == 8 && id > encoding {
                        self.before[(id - encoding - 1) as usize] = number;
                    }
                }
                _ if (1..=numbers).contains(&id) => return None,
                _ => from.skip(kind, 0)?,
            }
            Some(())
        })
    }
}

const I32: u8 = 5;
const STRUCT: u8 = 12;

/// How deep structures may lie in each other.
const DEPTH: u32 = 8;

/// Thrift's compact protocol.
struct Compact<'a>(&'a [u8]);

/// Looks at a field: its number and its kind.
type Field<'f, 'a> = dyn FnMut(&mut Compact<'a>, i64, u8) -> Option<()> + 'f;

impl<'a> Compact<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A whole number of 32 bits.
    fn whole(&mut self) -> Option<i64> {
        let number = self.varint()?;
        let number = (number >> 1) as i64 ^ -((number & 1) as i64);
        i32::try_from(number).ok().map(i64::from)
    }

    fn fields(&mut self, see: &mut Field<'_, 'a>) -> Option<()> {
        let mut id = 0i64;
        loop {
            let byte = self.byte()?;
            match (byte >> 4, byte & 15) {
                (_, 0) => return Some(()),
                (0, _) => id = self.whole()?,
                (more, _) => id += i64::from(more),
            }
            // Sixteen bits are a number's; none is 0.
            if !(1..=i64::from(i16::MAX)).contains(&id) {
                return None;
            }
            see(self, id, byte & 15)?;
        }
    }

    /// Goes on behind a field of a kind; pages have no lists.
    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.0 = self.0.get(8..)?,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.0 = self.0.get(length..)?;
            }
            STRUCT if depth < DEPTH => {
                self.fields(&mut |from, _, kind| from.skip(kind, depth + 1))?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Pages, none of which says to have more texts than there can be.
pub struct Bounded {
    pages: Box<dyn PageReader>,
    /// Whether values can be missing: levels stand before them.
    levels: bool,
}

impl Bounded {
    pub fn of(pages: Box<dyn PageReader>, levels: bool) -> Self {
        Self { pages, levels }
    }

    fn checked(&self, page: Page) -> Result<Page> {
        match texts(&page, self.levels) {
            Some(()) => Ok(page),
            None => Err(ParquetError::General("a page claims to hold more than its bytes can encode".into())),
        }
    }
}

impl Iterator for Bounded {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Bounded {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

/// Nothing if a page has lists of lengths that say to be longer than [`TEXTS`], or are none.
fn texts(page: &Page, levels: bool) -> Option<()> {
    let lists = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Some(()),
    };
    let buffer: &[u8] = page.buffer();
    let behind = match page {
        Page::DataPage { def_level_encoding: Encoding::RLE, .. } if levels => {
            let (length, _) = buffer.split_first_chunk()?;
            4 + u32::from_le_bytes(*length) as usize
        }
        // Bits, one for each value.
        Page::DataPage { num_values, .. } if levels => num_values.div_ceil(8) as usize,
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            (*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize)?
        }
        _ => 0,
    };
    let mut rest = Compact(buffer.get(behind..)?);
    for list in 0..lists {
        lengths(&mut rest, list + 1 < lists)?;
    }
    Some(())
}

/// Numbers packed as differences, which the crate decodes to the same end: nothing if there are too many. Goes `on` to
/// what stands behind them.
fn lengths(from: &mut Compact<'_>, on: bool) -> Option<()> {
    let (block, parts, count, _) = (from.varint()?, from.varint()?, from.varint()?, from.varint()?);
    if count > TEXTS
        || parts == 0
        || block == 0
        || !block.is_multiple_of(parts)
        || !(block / parts).is_multiple_of(32)
    {
        return None;
    }
    let (part, mut left) = (block / parts, count.saturating_sub(1));
    while on && left > 0 {
        from.varint()?;
        let (widths, rest) = from.0.split_at_checked(usize::try_from(parts).ok()?)?;
        from.0 = rest;
        for &width in widths {
            if left == 0 {
                break;
            }
            let bytes = part.checked_mul(width.into())? / 8;
            from.0 = from.0.get(usize::try_from(bytes).ok()?..)?;
            left = left.saturating_sub(part);
        }
    }
    Some(())
}

#[cfg(test)]
#[path = "parquet_pages/tests.rs"]
mod tests;
