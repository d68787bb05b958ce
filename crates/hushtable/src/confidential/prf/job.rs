//! What is evaluated, and which parts of it are public.

use std::fmt;

use prim::{Block, lowmc::BOXES};

use crate::{
    circuit::{Builder, Span, Wire},
    error::{Error, Result, within},
    gates::Bits,
    net::Role,
};

/// Most bits of an input.
pub const MAX_INPUT_BITS: u32 = 96;

/// Most inputs at which a key's owner shows values, masked, as a power of two: the rows of a table, each of up to 128
/// times.
const SHOWN_INPUTS: u32 = 24 + 7;

/// Most bits of a value: 64 KiB and a bit.
pub const MAX_OUTPUT_BITS: u32 = (1 << 19) + 1;

/// Most blocks of a batch.
const MAX_BLOCKS: usize = 1 << 20;

/// Blocks that are shown under a key at most, as a power of two.
const KEY_BLOCKS: u32 = SHOWN_INPUTS + (MAX_OUTPUT_BITS.div_ceil(128)).next_power_of_two().ilog2();

// The rows of a table with a place for each key.
const _: () = assert!(crate::fss::MAX_POSITION_BITS + 7 <= SHOWN_INPUTS);

// The data that LowMC's rounds are chosen for; and where permutations could be told from functions, with 2^-40.
const _: () = assert!(KEY_BLOCKS <= 64 && 2 * KEY_BLOCKS + 40 <= 129);

/// The block cipher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cipher {
    /// AES-128. Bits of x stand in bytes 0, 5, 10, 15; 4, 9, 14, 3; 8, 13, 2, 7: of each column after ShiftRows. The
    /// number of the block stands in bytes 1 and 6, of the fourth.
    #[default]
    Aes128,
    /// LowMC with blocks and keys of 128 bits, 42 S-boxes a round and 13 rounds: faster and less studied. x stands in
    /// bits 0 to 95, the number of the block in the 16 behind them.
    LowMc,
}

impl Cipher {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Aes128, Self::LowMc];

    /// Rounds, layers of ANDs of each, and bits of an S-box.
    pub(super) fn sizes(self) -> [usize; 3] {
        match self {
            Self::Aes128 => [10, 4, 8],
            Self::LowMc => [prim::lowmc::ROUNDS, 1, 3],
        }
    }

    /// What is encrypted.
    pub fn input(self, x: u128, block: usize) -> Block {
        let block = block as u128;
        Block(match self {
            Self::Aes128 => {
                let number = (block & 0xff) << 8 | (block >> 8) << 48;
                (0..12).fold(number, |sum, i| sum | (x >> (8 * i) & 0xff) << (8 * aes_source(i % 4, i / 4)))
            }
            Self::LowMc => x | block << MAX_INPUT_BITS,
        })
    }
}

/// The byte of AES that ShiftRows puts into this row and column.
pub(super) fn aes_source(row: usize, column: usize) -> usize {
    row + 4 * ((column + row) % 4)
}

/// `aes-128` or `lowmc-128-42-13`.
impl fmt::Display for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aes128 => "aes-128",
            Self::LowMc => "lowmc-128-42-13",
        })
    }
}

/// What goes into the circuit: the bits of the S-boxes that an input reaches, its own and zeros, which are shared, and
/// those that are known: the 128 bits of the blocks, and the keys.
pub(super) type Inputs = (Vec<Wire>, Vec<Wire>, Wire);

/// The function, and who has its key. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrfJob {
    /// The cipher.
    pub cipher: Cipher,
    /// Who has the key.
    pub owner: Role,
    /// Bits of an input, 1 to [`MAX_INPUT_BITS`].
    pub input_bits: u32,
    /// Bits of a value, 1 to [`MAX_OUTPUT_BITS`].
    pub output_bits: u32,
}

impl PrfJob {
    /// `Ok(())` if there is such a function.
    pub(crate) fn check(&self) -> Result<()> {
        within("bits of the function's input", self.input_bits, 1..=MAX_INPUT_BITS)?;
        within("bits of the function's value", self.output_bits, 1..=MAX_OUTPUT_BITS)
    }

    /// `Ok(())` if so many inputs fit a batch.
    pub(in crate::confidential) fn check_count(&self, count: usize) -> Result<()> {
        self.check()?;
        match count <= self.most() {
            true => Ok(()),
            false => Err(Error::Param {
                what: "inputs of the function at once",
                got: count.to_string(),
                accepted: format!("up to {}", self.most()),
            }),
        }
    }

    /// Most inputs of a batch.
    pub fn most(&self) -> usize {
        MAX_BLOCKS / self.blocks().max(1)
    }

    /// Blocks of a value.
    pub fn blocks(&self) -> usize {
        self.output_bits.div_ceil(128) as usize
    }

    /// Bits of the value that are in a block.
    pub(super) fn bits_of(&self, block: usize) -> usize {
        (self.output_bits as usize - 128 * block).min(128)
    }

    /// Blocks of which the byte with this number is needed: all, or all but the last.
    pub(super) fn blocks_with(&self, byte: usize) -> usize {
        let all = self.blocks();
        all - usize::from(self.bits_of(all - 1) <= 8 * byte)
    }

    /// Wires with bits of the value, of all blocks: those of whole S-boxes of AES.
    pub(super) fn made(&self) -> usize {
        match self.cipher {
            Cipher::Aes128 => self.bits_of(0).next_multiple_of(8),
            Cipher::LowMc => self.bits_of(0),
        }
    }

    /// S-boxes on shared bits for an input.
    pub fn boxes(&self) -> usize {
        let (d, all) = (self.input_bits as usize, self.blocks());
        match self.cipher {
            Cipher::Aes128 => {
                let last = (0..16).map(|byte| self.blocks_with(byte)).sum::<usize>();
                let before: usize = (0..4).map(|column| 4 * self.blocks_with(4 * column)).sum();
                d.div_ceil(8) + 4 * d.div_ceil(32) + 6 * 16 * all + before + last
            }
            Cipher::LowMc => d.div_ceil(3) + (prim::lowmc::ROUNDS - 1) * BOXES * all,
        }
    }

    /// The triples for an input, as [`Netlist::triples`](crate::circuit::Netlist::triples).
    pub(super) fn triples(&self) -> [[usize; 2]; 2] {
        let [one, two] = match self.cipher {
            Cipher::Aes128 => [10, 12],
            Cipher::LowMc => [1, 1],
        };
        let boxes = self.boxes();
        [[1, one * boxes], [2, two * boxes]]
    }

    /// Messages that depend on one another.
    pub(super) fn depth(&self) -> u32 {
        let [rounds, layers, _] = self.cipher.sizes();
        (rounds * layers) as u32
    }

    /// Bits that the owner alone puts into the circuit: the 128 of a block without an input, of all blocks, and the keys of
    /// all rounds.
    pub(super) fn known_bits(&self) -> [usize; 2] {
        [128 * self.blocks(), 128 * (self.cipher.sizes()[0] + 1)]
    }

    /// The first of them: bit by bit, that of each block.
    pub(super) fn numbers(&self) -> Bits {
        let bit = |i: usize, block| (self.cipher.input(0, block).0 >> i & 1) as u64;
        Bits::collect((0..128).flat_map(|i| (0..self.blocks()).map(move |block| bit(i, block))))
    }

    /// The next inputs of a circuit.
    pub(super) fn circuit_inputs(&self, b: &mut Builder) -> Inputs {
        let shared = b.inputs((self.input_bits as usize).next_multiple_of(self.cipher.sizes()[2]));
        let [numbers, keys] = self.known_bits().map(|bits| b.input(Span::All(bits), Some(self.owner)));
        (shared, b.parts(numbers, 0, &[self.blocks(); 128]), keys)
    }
}
