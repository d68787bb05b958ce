//! A key, and the function's values where its owner computes them alone.

use prim::{
    Aes128, Block, Wiped,
    lowmc::{BITS, LowMc, RoundKeys},
    prg::Prg,
    transpose::transpose64,
};
use zeroize::{Zeroize, Zeroizing};

use super::job::{Cipher, MAX_INPUT_BITS, PrfJob};
use crate::error::{Error, Result, same};

/// A key of the function, secret. Nothing else may use it.
pub struct Key {
    block: Block,
    schedule: Schedule,
}

enum Schedule {
    Aes128(Aes128),
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
            Cipher::Aes128 => Schedule::Aes128(Aes128::new(block)),
            Cipher::LowMc => Schedule::LowMc(LowMc::standard().round_keys(block)),
        };
        Self { block, schedule }
    }

    /// The cipher that it is for.
    pub fn cipher(&self) -> Cipher {
        match self.schedule {
            Schedule::Aes128(_) => Cipher::Aes128,
            Schedule::LowMc(_) => Cipher::LowMc,
        }
    }

    /// Its bits, secret.
    pub(crate) fn block(&self) -> Block {
        self.block
    }

    pub(super) fn aes(&self) -> &Aes128 {
        match &self.schedule {
            Schedule::Aes128(cipher) => cipher,
            Schedule::LowMc(_) => unreachable!("the cipher was compared"),
        }
    }

    pub(super) fn lowmc(&self) -> &RoundKeys {
        match &self.schedule {
            Schedule::LowMc(keys) => keys,
            Schedule::Aes128(_) => unreachable!("the cipher was compared"),
        }
    }

    /// Adds the values at the inputs from `first` on to planes of `width` words each, one for each bit of a value: 64
    /// inputs a word.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for sizes that are not supported, and [`Error::Shape`](crate::Error::Shape)
    /// for another number of planes.
    pub fn add_values(&self, job: &PrfJob, first: u32, width: usize, planes: &mut [u64]) -> Result<()> {
        job.check()?;
        let end = u64::from(first) + 64 * width as u64;
        // Beyond, the values would be those of inputs before.
        if end > 1 << MAX_INPUT_BITS {
            let (what, got) = ("inputs of the function", format!("up to {end}"));
            return Err(Error::Param { what, got, accepted: format!("less than 2^{MAX_INPUT_BITS}") });
        }
        same("words of the function's values", job.output_bits as usize * width, planes.len())?;
        for block in 0..job.blocks() {
            let planes = &mut planes[128 * block * width..][..job.bits_of(block) * width];
            match &self.schedule {
                Schedule::Aes128(cipher) => aes_values(cipher, block, first, width, planes),
                Schedule::LowMc(keys) => lowmc_values(keys, block, first, width, planes),
            }
        }
        Ok(())
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.block.zeroize();
    }
}

/// 64 blocks at a time, whose bytes are put in the order before the last ShiftRows.
fn aes_values(cipher: &Aes128, block: usize, first: u32, width: usize, planes: &mut [u64]) {
    let mut blocks = Zeroizing::new([Block::ZERO; 64]);
    let mut squares = Zeroizing::new([[0u64; 64]; 2]);
    for word in 0..width {
        for (x, input) in (first + 64 * word as u32..).zip(blocks.iter_mut()) {
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
fn lowmc_values(keys: &RoundKeys, block: usize, first: u32, width: usize, planes: &mut [u64]) {
    const WIDTH: usize = 8;
    for from in (0..width).step_by(WIDTH) {
        let now = WIDTH.min(width - from);
        let mut state = Wiped::zeros(BITS * now);
        for word in 0..now {
            let input = |i: u32| Cipher::LowMc.input(first + 64 * (from + word) as u32 + i, block);
            let mut squares = [[0u64; 64]; 2];
            for i in 0..64 {
                let input = input(i).0;
                (squares[0][i as usize], squares[1][i as usize]) = (input as u64, (input >> 64) as u64);
            }
            transpose64(&mut squares);
            squares.as_flattened().iter().enumerate().for_each(|(i, bits)| state[i * now + word] = *bits);
        }
        LowMc::standard().encrypt(keys, &mut state, now);
        for (plane, values) in planes.chunks_exact_mut(width).zip(state.chunks_exact(now)) {
            plane[from..][..now].iter_mut().zip(values).for_each(|(plane, value)| *plane ^= value);
        }
    }
}
