//! The blocks of one party and what becomes of them, and the key of the other.

use std::{
    fmt, fs,
    io::{self, Write},
    ops::Range,
    path::Path,
    str::FromStr,
};

use apps::aes::{self, BLOCK, KeySize};
use clap::ValueEnum;
use hushtable::Party;
use hushtable_columns::{
    failure::{Failure, Result},
    read_at_most,
};
use prim::wipe::{Wiped, wipe};

use crate::hex::{hex, unhex};

/// Most bytes of the data: they are held in memory.
const MOST: u64 = 1 << 30;

/// Most blocks.
pub const MOST_BLOCKS: usize = MOST as usize / BLOCK;

/// Most bytes of a file with a key, as hexadecimal digits with ends of lines.
const MOST_OF_KEY: u64 = 256;

/// What is done with blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Counter mode: data of any length are XORed with the encryptions of counters
    Ctr,
    /// Each block of 16 bytes by itself: equal blocks stay equal
    Ecb,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ctr => "ctr",
            Self::Ecb => "ecb",
        }
    }
}

/// The first counter block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Nonce([u8; BLOCK]);

impl FromStr for Nonce {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bytes = unhex(text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| "accepted: 32 hexadecimal digits".into())
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(..)")
    }
}

/// Where the counters begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// At a block that is drawn, and stands before the result.
    Drawn,
    /// Here.
    From(Nonce),
    /// At the first block of the file.
    Ahead,
}

/// What one party encrypts.
pub struct Data {
    bytes: Wiped<u8>,
    /// Of counter mode.
    first: Option<Nonce>,
    /// Whether it is still to be drawn, and then stands before the result.
    drawn: bool,
}

impl Data {
    /// Of a file. `counters`: of counter mode.
    pub fn read(path: &Path, counters: Option<Counters>) -> Result<Self> {
        let (least, what) = match counters {
            None => (BLOCK, "a multiple of 16 bytes from 16"),
            Some(Counters::Ahead) => (BLOCK + 1, "17 bytes, of which 16 are the first counter block,"),
            Some(_) => (1, "1 byte"),
        };
        let refused = |len: u64| {
            let accepted = format!("accepted: {what} to {MOST} bytes (1 GiB)");
            Failure::input(format!("{}: {len} bytes; {accepted}", path.display()))
        };
        let size = fs::metadata(path).map_err(Failure::file(path))?.len();
        if size > MOST {
            return Err(refused(size));
        }
        let mut bytes = read_at_most(path, MOST as usize)?;
        let len = bytes.len();
        let whole = counters.is_some() || len.is_multiple_of(BLOCK);
        if len < least || len as u64 > MOST || !whole {
            return Err(refused(len as u64));
        }
        let first = match counters {
            Some(Counters::From(nonce)) => Some(nonce),
            Some(Counters::Ahead) => {
                let rest = bytes.split_off(BLOCK);
                let ahead = std::mem::replace(&mut bytes, rest);
                Some(Nonce(ahead[..].try_into().expect("a block")))
            }
            Some(Counters::Drawn) | None => None,
        };
        Ok(Self { bytes, first, drawn: counters == Some(Counters::Drawn) })
    }

    /// Draws the first counter block, if it is to be drawn.
    pub fn draw(&mut self, p: &mut Party) {
        if self.drawn {
            let mut first = [0; BLOCK];
            p.rng().bytes(&mut first);
            self.first = Some(Nonce(first));
        }
    }

    /// How many blocks are encrypted.
    pub fn blocks(&self) -> usize {
        self.bytes.len().div_ceil(BLOCK)
    }

    /// Bytes of the result.
    pub fn size(&self) -> u64 {
        (self.bytes.len() + if self.drawn { BLOCK } else { 0 }) as u64
    }

    /// The words of these blocks.
    pub fn words(&self, at: Range<usize>) -> Wiped<u64> {
        match self.first {
            Some(Nonce(first)) => aes::counters(first, at),
            None => aes::words(&self.bytes[BLOCK * at.start..BLOCK * at.end]),
        }
    }

    /// Puts the encryptions of these blocks in the place of the data, or XORs them with it.
    pub fn take(&mut self, at: Range<usize>, encrypted: &[i64]) {
        let counted = self.first.is_some();
        for (data, mut block) in self.bytes[BLOCK * at.start..].chunks_mut(BLOCK).zip(aes::bytes(encrypted)) {
            match counted {
                true => data.iter_mut().zip(block).for_each(|(data, byte)| *data ^= byte),
                false => data.copy_from_slice(&block),
            }
            wipe(&mut block);
        }
    }

    /// Writes the result, behind the first counter block if that was drawn.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        if let Some(Nonce(first)) = self.first.filter(|_| self.drawn) {
            to.write_all(&first)?;
        }
        to.write_all(&self.bytes)
    }

    /// The first counter block in hexadecimal digits, if it was drawn.
    pub fn nonce(&self) -> Option<String> {
        self.first.filter(|_| self.drawn).map(|nonce| hex(&nonce.0))
    }
}

/// The round keys of a key, and its size.
pub struct Key {
    pub size: KeySize,
    pub words: Wiped<u64>,
}

impl Key {
    /// Of a file of bytes, or of hexadecimal digits.
    pub fn read(path: &Path, digits: bool) -> Result<Self> {
        let accepted = match digits {
            true => "32, 48 or 64 hexadecimal digits, alone in their file",
            false => "16, 24 or 32 bytes; --key-hex takes hexadecimal digits",
        };
        let refused =
            |what: String| Failure::input(format!("{}: {what}; accepted: {accepted}", path.display()));
        let size = fs::metadata(path).map_err(Failure::file(path))?.len();
        if size > MOST_OF_KEY {
            return Err(refused(format!("{size} bytes")));
        }
        let bytes = read_at_most(path, MOST_OF_KEY as usize)?;
        let key = match (digits, of_digits(bytes.trim_ascii())) {
            (true, key) => key.ok_or_else(|| refused("is no such key".into()))?,
            (false, None) => bytes,
            (false, Some(_)) => {
                return Err(refused(format!("{} bytes, all of them hexadecimal digits", bytes.len())));
            }
        };
        let size = KeySize::of_bits(8 * key.len());
        let size = size.map_err(|_| refused(format!("a key of {} bytes", key.len())))?;
        Ok(Self { size, words: aes::expand(&key)? })
    }
}

/// The bytes of hexadecimal digits; nothing unless there are some, and no others. No branch depends on one of them.
fn of_digits(text: &[u8]) -> Option<Wiped<u8>> {
    let mut bytes = Wiped::zeros(text.len() / 2);
    let mut fine = !text.is_empty() && text.len().is_multiple_of(2);
    for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
        for digit in pair {
            // Letters of both cases have bit 6, and their place in the alphabet below.
            let value = (digit & 15) + 9 * (digit >> 6 & 1);
            let written = value + b'0' + (b'a' - b'9' - 1) * u8::from(value > 9);
            fine &= (written == digit | 0x20) & (*digit >= b'0') & (value < 16);
            *byte = *byte << 4 | value & 15;
        }
    }
    fine.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Piece by piece, as slices come, with a part of a block at the end.
    #[test]
    fn blocks_go_where_they_come_from() {
        let text: Vec<u8> = (0..45).collect();
        for (first, len) in [(Some(Nonce([0xff; BLOCK])), 45), (None, 32)] {
            let mut data = Data { bytes: text[..len].to_vec().into(), first, drawn: false };
            let number = |i: usize| match first {
                Some(_) => (i as u128).wrapping_sub(1),
                None => u128::from_be_bytes(text[BLOCK * i..][..BLOCK].try_into().expect("a block")),
            };
            for at in [0..1, 1..len.div_ceil(BLOCK)] {
                let words: Vec<i64> = data.words(at.clone()).iter().map(|word| *word as i64).collect();
                let found: Vec<u128> = aes::bytes(&words).map(u128::from_be_bytes).collect();
                assert_eq!(found, at.clone().map(number).collect::<Vec<_>>(), "blocks {at:?}");
                // In the place of its encryption the number of each block, from 1.
                let numbers: Vec<i64> = at.clone().flat_map(|i| [i as i64 + 1, 0]).collect();
                data.take(at, &numbers);
            }
            let byte = |i: usize| if i % BLOCK == BLOCK - 1 { (i / BLOCK + 1) as u8 } else { 0 };
            let before = |i: usize| if first.is_some() { text[i] } else { 0 };
            assert_eq!(data.bytes[..], (0..len).map(|i| byte(i) ^ before(i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn digits_are_those_of_hexadecimal_numbers() {
        for first in 0..=255u8 {
            for second in [b'0', b'9', b'a', b'F', b'g', first] {
                let value = |digit| char::from(digit).to_digit(16).map(|value| value as u8);
                let want = value(first).zip(value(second)).map(|(high, low)| high << 4 | low);
                let found = of_digits(&[first, second]).map(|bytes| bytes[0]);
                assert_eq!(found, want, "{first:#x} {second:#x}");
            }
        }
        assert!(of_digits(b"").is_none() && of_digits(b"abc").is_none());
    }
}
