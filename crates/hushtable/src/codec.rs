//! Bytes of what is kept on disk: numbers little-endian, words without padding between them.
//!
//! Lists carry no length: a decoder knows how many words there must be, and the reader makes sure
//! that they are there before it allocates.

use prim::{
    block::Block,
    pack::{pack, packed_len, unpack},
    ring::Ring,
};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Bytes under way to the disk; wiped when dropped.
pub struct Writer(Zeroizing<Vec<u8>>);

/// Bytes that came from the disk.
pub struct Reader<'a>(&'a [u8]);

impl Writer {
    /// `capacity` bytes are expected; more are moved, and what they leave is wiped.
    pub fn new(capacity: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(capacity)))
    }

    /// Room for so many bytes more: a vector that grows by itself leaves unwiped copies behind.
    fn room(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if needed > self.0.capacity() {
            let mut larger = Zeroizing::new(Vec::with_capacity(needed.max(2 * self.0.len())));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.room(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Eight bytes, the lowest first.
    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// A text of at most 255 bytes.
    pub fn text(&mut self, text: &str) {
        self.bytes(&[u8::try_from(text.len()).expect("a short text")]);
        self.bytes(text.as_bytes());
    }

    /// Blocks, 16 bytes each.
    pub fn blocks(&mut self, blocks: &[Block]) {
        self.bytes(bytemuck::cast_slice(blocks));
    }

    /// The low `bits` bits of each word, 0 to `R::WIDTH`.
    pub fn words<R: Ring>(&mut self, words: &[R], bits: u32) {
        if bits > 0 {
            self.room(packed_len(words.len(), bits));
            pack(words, bits, &mut self.0);
        }
    }

    /// The first `count` bits of words of 64.
    pub fn bits(&mut self, words: &[u64], count: usize) {
        self.bytes(&bytemuck::cast_slice(words)[..count.div_ceil(8)]);
    }

    /// What was written.
    pub fn finish(self) -> Zeroizing<Vec<u8>> {
        self.0
    }
}

impl<'a> Reader<'a> {
    /// Of all that is to be read.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(|| malformed("ends early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// The next bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.bytes(N)?.try_into().expect("as many bytes"))
    }

    /// What [`Writer::number`] wrote.
    pub fn number(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A text of printable ASCII.
    pub fn text(&mut self) -> Result<String> {
        let [len] = self.array()?;
        let text = self.bytes(len.into())?;
        if !text.iter().all(|&b| b == b' ' || b.is_ascii_graphic()) {
            return Err(malformed("has an unreadable name"));
        }
        Ok(text.iter().map(|&b| char::from(b)).collect())
    }

    /// What [`Writer::blocks`] wrote.
    pub fn blocks(&mut self, count: usize) -> Result<Vec<Block>> {
        let bytes = self.bytes(count.checked_mul(16).ok_or_else(|| malformed("ends early"))?)?;
        let mut blocks = vec![Block::ZERO; count];
        bytemuck::cast_slice_mut(&mut blocks).copy_from_slice(bytes);
        Ok(blocks)
    }

    /// `count` words of `bits` bits, 0 to `R::WIDTH`. No bits: as many zeros, which the caller
    /// bounds.
    pub fn words<R: Ring>(&mut self, count: usize, bits: u32) -> Result<Vec<R>> {
        let packed = count.checked_mul(bits as usize).ok_or_else(|| malformed("ends early"))?.div_ceil(8);
        let bytes = self.bytes(packed)?;
        let mut words = vec![R::default(); count];
        if bits > 0 {
            unpack(bytes, bits, &mut words);
        }
        Ok(words)
    }

    /// So many bits, in words of 64. Those of the last byte beyond them are cut off.
    pub fn bits(&mut self, count: usize) -> Result<Vec<u64>> {
        let bytes = self.bytes(count.div_ceil(8))?;
        let mut words = vec![0u64; count.div_ceil(64)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        if let (Some(last), 1..) = (words.last_mut(), count % 64) {
            *last &= u64::MAX >> (64 - count % 64);
        }
        Ok(words)
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// Asserts that nothing is left.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed("has bytes left over")) }
    }
}

/// What a decoder says of bytes it cannot make sense of; callers put the file's name before it.
pub(crate) fn malformed(what: &str) -> Error {
    Error::Store(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut w = Writer::new(0);
        w.number(7);
        w.text("rotl");
        w.words(&[1u32, 2, 5], 3);
        w.words(&[9u64, 9], 0);
        w.blocks(&[Block(3)]);
        let bytes = w.finish();
        assert_eq!(bytes.len(), 8 + 5 + 2 + 16);
        let read = |bytes: &[u8]| -> Result<()> {
            let mut r = Reader::new(bytes);
            assert_eq!((r.number()?, r.text()?.as_str()), (7, "rotl"));
            assert_eq!((r.words::<u32>(3, 3)?, r.words::<u64>(2, 0)?), (vec![1, 2, 5], vec![0, 0]));
            assert_eq!(r.blocks(1)?, [Block(3)]);
            r.finish()
        };
        read(&bytes).unwrap();
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes");
        }
        assert!(read(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn sizes_beyond_the_bytes_are_not_allocated() {
        assert!(Reader::new(&[0; 9]).words::<u64>(usize::MAX, 64).is_err());
        assert!(Reader::new(&[0; 9]).words::<u64>(usize::MAX / 8, 8).is_err());
        assert!(Reader::new(&[0; 9]).blocks(usize::MAX / 8).is_err());
        assert!(Reader::new(&[3, b'a', 7, b'c']).text().is_err());
    }
}
