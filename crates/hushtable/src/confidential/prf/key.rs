//! A key, and the function's values where its owner computes them alone.

use prim::{
    Aes128, Block, Wiped,
    lowmc::{BITS, LowMc, RoundKeys},
    prg::Prg,
    transpose::transpose64,
};
use zeroize::Zeroizing;

use super::job::{Cipher, MAX_INPUT_BITS, PrfJob};
use crate::{
    error::{Error, Result, same},
    gates::Bits,
};

/// What the S-boxes of AES add to all bytes of a block, also after MixColumns.
const ADDED: u128 = u128::from_ne_bytes([0x63; 16]);

/// A key of the function, secret. Nothing else may use it.
pub struct Key {
    schedule: Schedule,
}

/// Each in one place of its own, so that no later move leaves a copy behind. Both in one place would move with as many bytes as
/// the larger has: with the smaller, whatever was on the stack.
enum Schedule {
    Aes128(Box<Aes128>),
    LowMc(RoundKeys),
}

impl Key {
    /// A fresh one.
    pub fn random(cipher: Cipher, rng: &mut Prg) -> Self {
        Self::of(cipher, rng.block())
    }

    /// The one with these bits.
    pub fn of(cipher: Cipher, block: Block) -> Self {
        let schedule = match cipher {
            Cipher::Aes128 => Schedule::Aes128(Aes128::new(block).into()),
            Cipher::LowMc => Schedule::LowMc(LowMc::standard().round_keys(block)),
        };
        Self { schedule }
    }

    /// The cipher that it is for.
    pub fn cipher(&self) -> Cipher {
        match self.schedule {
            Schedule::Aes128(_) => Cipher::Aes128,
            Schedule::LowMc(_) => Cipher::LowMc,
        }
    }

    /// The bits of the keys of all rounds, those of a round behind those of the one before. Those of AES with what the
    /// S-boxes before them add.
    pub(super) fn round_keys(&self) -> Bits {
        let key = |round: usize| match &self.schedule {
            Schedule::Aes128(cipher) => cipher.round_keys()[round].0 ^ if round > 0 { ADDED } else { 0 },
            Schedule::LowMc(keys) => keys.of(round).0,
        };
        let rounds = self.cipher().sizes()[0];
        let mut words = Vec::with_capacity(2 * (rounds + 1));
        (0..=rounds).map(key).for_each(|key| words.extend([key as u64, (key >> 64) as u64]));
        Bits::new(64 * words.len(), words)
    }

    /// Adds the values at these inputs to planes, one for each bit of a value: 64 inputs a word, whose number is a
    /// multiple of 64.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for sizes that are not supported and inputs that are too large, and
    /// [`Error::Shape`](crate::Error::Shape) for another number of planes.
    pub fn add_values(&self, job: &PrfJob, inputs: &[u128], planes: &mut [u64]) -> Result<()> {
        job.check()?;
        // Too large, they would have the values of others.
        if inputs.iter().fold(0, |all, x| all | x) >> MAX_INPUT_BITS > 0 {
            let (what, got) = ("inputs of the function", "a larger one".into());
            return Err(Error::Param { what, got, accepted: format!("less than 2^{MAX_INPUT_BITS}") });
        }
        let width = inputs.len() / 64;
        same("inputs of the function", 64 * width, inputs.len())?;
        same("words of the function's values", job.output_bits as usize * width, planes.len())?;
        for block in 0..job.blocks() {
            let planes = &mut planes[128 * block * width..][..job.bits_of(block) * width];
            match &self.schedule {
                Schedule::Aes128(cipher) => aes_values(cipher, block, inputs, planes),
                Schedule::LowMc(keys) => lowmc_values(keys, block, inputs, planes),
            }
        }
        Ok(())
    }
}

/// 64 blocks at a time, whose bytes are put in the order before the last ShiftRows.
fn aes_values(cipher: &Aes128, block: usize, inputs: &[u128], planes: &mut [u64]) {
    let width = inputs.len() / 64;
    let mut blocks = Zeroizing::new([Block::ZERO; 64]);
    let mut squares = Zeroizing::new([[0u64; 64]; 2]);
    for (word, inputs) in inputs.chunks_exact(64).enumerate() {
        for (&x, input) in inputs.iter().zip(blocks.iter_mut()) {
            *input = Cipher::Aes128.input(x, block);
        }
        cipher.encrypt(&mut *blocks);
        for (i, value) in blocks.iter().enumerate() {
            let value = unshifted(value.0);
            (squares[0][i], squares[1][i]) = (value as u64, (value >> 64) as u64);
        }
        transpose64(&mut *squares);
        let bits = squares.as_flattened();
        planes.chunks_exact_mut(width).zip(bits).for_each(|(plane, bits)| plane[word] ^= bits);
    }
}

/// A block before ShiftRows.
fn unshifted(x: u128) -> u128 {
    (0..16).fold(0, |out, i| {
        let from = i % 4 + 4 * ((i / 4 + 4 - i % 4) % 4);
        out | (x >> (8 * from) & 0xff) << (8 * i)
    })
}

/// As many blocks at a time as vectors hold.
fn lowmc_values(keys: &RoundKeys, block: usize, inputs: &[u128], planes: &mut [u64]) {
    const WIDTH: usize = 16;
    let width = inputs.len() / 64;
    for from in (0..width).step_by(WIDTH) {
        let now = WIDTH.min(width - from);
        let mut state = Wiped::zeros(BITS * now);
        for word in 0..now {
            let mut squares = Zeroizing::new([[0u64; 64]; 2]);
            for (i, &x) in inputs[64 * (from + word)..][..64].iter().enumerate() {
                let input = Cipher::LowMc.input(x, block).0;
                (squares[0][i], squares[1][i]) = (input as u64, (input >> 64) as u64);
            }
            transpose64(&mut *squares);
            squares.as_flattened().iter().enumerate().for_each(|(i, bits)| state[i * now + word] = *bits);
        }
        LowMc::standard().encrypt(keys, &mut state, now);
        for (plane, values) in planes.chunks_exact_mut(width).zip(state.chunks_exact(now)) {
            plane[from..][..now].iter_mut().zip(values).for_each(|(plane, value)| *plane ^= value);
        }
    }
}
