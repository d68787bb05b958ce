//! AES-128 as a block cipher.

use zeroize::Zeroize;

use crate::{Block, Kernel, aes::Aes};

/// AES-128 under a secret key, which is wiped when dropped. Byte i of FIPS-197 is byte i of a block in memory.
pub struct Aes128(Aes);

impl Aes128 {
    /// Under a key, on the fastest kernel of this processor.
    pub fn new(key: Block) -> Self {
        Self::with_kernel(key, Kernel::active())
    }

    /// On a given kernel.
    ///
    /// # Panics
    /// If this processor does not support the kernel.
    pub fn with_kernel(key: Block, kernel: Kernel) -> Self {
        Self(Aes::new(kernel.engine(), key))
    }

    /// The eleven round keys, secret.
    pub fn round_keys(&self) -> &[Block; 11] {
        &self.0.keys
    }

    /// Replaces every block by its ciphertext.
    pub fn encrypt(&self, blocks: &mut [Block]) {
        self.0.encrypt(blocks);
    }
}

impl Drop for Aes128 {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
