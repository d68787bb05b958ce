//! AES of blocks under a key that another party has, or that both share.
//!
//! # Functionality
//! One party has a key of 128, 192 or 256 bits, the other blocks of 16 bytes; or they share both by XOR. AES of each block
//! under the key goes to whom the caller says. Who has the key learns how many blocks there are; who has the blocks, how
//! many bits the key has, and AES of the blocks that it chose, as anybody does who may ask for it.
//!
//! Whoever has the key and sees a result has the block: results are for the party with the blocks. In counter mode the
//! blocks are [counters], which are no secret by themselves; but whoever has the key and knows them has the whole stream
//! of keys, without the peer. So they too are known to the party that encrypts alone.
//!
//! # Protocol
//! Who has the key [expands](expand) it by itself, so that 160, 192 or 224 S-boxes are left for a block: lookups of 8 to 8
//! bits in 10, 12 or 14 layers, or 32 ANDs each in 5 times as many. [`Evaluate`] does either, or garbles. A shared key is
//! expanded once for all blocks, by another circuit.
//!
//! # Cost
//! That of [`Evaluate`] for the [`circuit`].
//!
//! # Source
//! FIPS 197; NIST SP 800-38A (2001), 6.1 (ECB) and 6.5 (CTR).

use std::{ops::Range, sync::Arc};

use hushtable::{
    Error, Party, Result,
    arith::Objective,
    circuit::Circuit,
    operation::{Evaluate, Operation, Words, choose},
    run::{self, Done, Job, Ready, Reveal, Unwatched, Watch},
};
use prim::wipe::Wiped;
use synth::library;

/// Bytes of a block.
pub const BLOCK: usize = 16;

/// Words of a block.
const WORDS: usize = BLOCK / 8;

/// Most blocks of a slice: the words of the round keys stand beside each of them, 176 to 240 bytes.
pub const SLICE: usize = 1 << 16;

/// How long a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeySize {
    /// 128 bits, 10 rounds.
    Bits128,
    /// 192 bits, 12 rounds.
    Bits192,
    /// 256 bits, 14 rounds.
    Bits256,
}

impl KeySize {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// Of a key of so many bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless these are 128, 192 or 256.
    pub fn of_bits(bits: usize) -> Result<Self> {
        Self::ALL.into_iter().find(|size| size.bits() == bits).ok_or_else(|| Error::Param {
            what: "bits of an AES key",
            got: bits.to_string(),
            accepted: "128, 192, 256".into(),
        })
    }

    /// Bits of the key.
    pub fn bits(self) -> usize {
        match self {
            Self::Bits128 => 128,
            Self::Bits192 => 192,
            Self::Bits256 => 256,
        }
    }

    /// Words of the round keys: 22, 26 or 30.
    pub fn words(self) -> usize {
        WORDS * (self.bits() / 32 + 7)
    }
}

/// Blocks under round keys: ports `keys` and `block`, each of 64-bit words, the lowest first, as [`expand`] and [`words`]
/// give them, and `y`.
pub fn circuit(size: KeySize) -> Arc<Circuit> {
    of_library(size, "expanded")
}

fn of_library(size: KeySize, part: &str) -> Arc<Circuit> {
    let circuit = library::get(&format!("aes{}_{part}", size.bits()));
    Arc::new(circuit.expect("a circuit of the library"))
}

/// The words of the round keys of a key of 16, 24 or 32 bytes. No branch and no address depends on it.
///
/// # Errors
/// [`Error::Param`] for a key of another length.
pub fn expand(key: &[u8]) -> Result<Wiped<u64>> {
    let size = KeySize::of_bits(8 * key.len())?;
    // The form of gates: every wire is computed, one after the other.
    let circuit = of_library(size, "expand");
    let form = &circuit.forms()[0];
    let mut bits = Wiped::zeros(size.bits());
    for (bits, byte) in bits.chunks_mut(8).zip(key.iter().rev()) {
        bits.iter_mut().enumerate().for_each(|(i, bit)| *bit = u64::from(byte >> i & 1));
    }
    let keys = Wiped::from(form.eval_in(&bits, &mut Wiped::zeros(form.wires())));
    let mut words = Wiped::zeros(size.words());
    for (word, bits) in words.iter_mut().zip(keys.chunks(64)) {
        *word = bits.iter().enumerate().fold(0, |word, (i, bit)| word | (bit & 1) << i);
    }
    Ok(words)
}

/// The words of whole blocks.
///
/// # Panics
/// Unless the bytes are whole blocks.
pub fn words(blocks: &[u8]) -> Wiped<u64> {
    let (blocks, rest) = blocks.as_chunks::<BLOCK>();
    assert!(rest.is_empty(), "whole blocks");
    of_numbers(blocks.iter().map(|block| u128::from_be_bytes(*block)))
}

/// The words of the counter blocks with these numbers, of which number 0 is `first`: each is a number of 128 bits, its
/// highest byte first, and 1 more than the one before it, modulo 2^128.
pub fn counters(first: [u8; BLOCK], at: Range<usize>) -> Wiped<u64> {
    let first = u128::from_be_bytes(first);
    of_numbers(at.map(|i| first.wrapping_add(i as u128)))
}

fn of_numbers(blocks: impl ExactSizeIterator<Item = u128>) -> Wiped<u64> {
    let mut words = Wiped::zeros(WORDS * blocks.len());
    for (words, block) in words.chunks_exact_mut(WORDS).zip(blocks) {
        words.copy_from_slice(&[block as u64, (block >> 64) as u64]);
    }
    words
}

/// The bytes of each block of these words: results as they are opened.
pub fn bytes(words: &[i64]) -> impl Iterator<Item = [u8; BLOCK]> + '_ {
    let block = |words: &[i64]| u128::from(words[0] as u64) | u128::from(words[1] as u64) << 64;
    words.chunks_exact(WORDS).map(move |words| block(words).to_be_bytes())
}

/// The blocks of each slice, one after the other.
pub fn slices(blocks: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    (0..blocks.div_ceil(SLICE)).map(move |i| i * SLICE..blocks.min((i + 1) * SLICE))
}

/// Encryption under one key, slice by slice.
pub struct Encryption<'a> {
    operation: &'a dyn Operation,
    /// The round keys for each block of a slice; none where the peer knows them.
    keys: Words,
}

impl<'a> Encryption<'a> {
    /// By an evaluation of the [`circuit`], with the words of the round keys, or this party's shares of them; empty where
    /// the peer knows them. A slice has `most` blocks or fewer.
    pub fn new(operation: &'a dyn Operation, keys: &[u64], most: usize) -> Self {
        Self { operation, keys: Words::new(keys.repeat(most.min(SLICE))) }
    }

    /// A slice of so many blocks, whose words are empty where the peer knows them; the parties bring the same `count`. Of each
    /// lane it is said what is `ready`.
    ///
    /// # Errors
    /// As [`run`](run::run).
    pub fn run(
        &self,
        lanes: &mut [Party],
        ready: Vec<Ready>,
        blocks: &[u64],
        count: usize,
        reveal: Reveal,
        watch: &dyn Watch,
    ) -> Result<Done> {
        let each = lanes.first().map_or(0, |p| self.operation.signature().takes[0].words_at(p.role()));
        let keys = self.keys.get(..each * count).ok_or(Error::Shape {
            what: "words of round keys",
            want: each * count,
            got: self.keys.len(),
        })?;
        run::run(self.operation, lanes, ready, &[keys, blocks], reveal, watch)
    }
}

/// This party's shares of AES of the blocks under the key, from its shares of both by XOR: words of 64 bits, the lowest
/// first, as [`words`] has them of a key too. The key is expanded once, in a run of its own.
///
/// # Errors
/// [`Error::Shape`] for a key of another size and for a part of a block; and those of the channel.
pub fn encrypt_shared(
    p: &mut Party,
    size: KeySize,
    key: &[u64],
    blocks: &[u64],
    objective: Objective,
) -> Result<Words> {
    let shape = |what, want, got| if want == got { Ok(()) } else { Err(Error::Shape { what, want, got }) };
    shape("words of a key", size.bits() / 64, key.len())?;
    shape("words of whole blocks", blocks.len() / WORDS * WORDS, blocks.len())?;
    let count = blocks.len() / WORDS;
    let expansion = Evaluate::new(&of_library(size, "expand"), &[None], objective)?;
    let keys = Job::new(&expansion).on(key).run(p)?.shares().unwrap_or_default();
    let usual = Evaluate::new(&circuit(size), &[None, None], objective)?;
    let chosen = choose(&usual, count, &p.setting())?;
    let operation = chosen.as_deref().unwrap_or(&usual);
    let encryption = Encryption::new(operation, &keys, count);
    let mut all = Words::new(Vec::with_capacity(blocks.len()));
    for at in slices(count) {
        let blocks = &blocks[WORDS * at.start..WORDS * at.end];
        let (lanes, ready) = (std::slice::from_mut(p), vec![Ready::default()]);
        let done = encryption.run(lanes, ready, blocks, at.len(), Reveal::Nobody, &Unwatched)?;
        all.extend_from_slice(&done.shares().unwrap_or_default());
    }
    Ok(all)
}
