//! Encryption of files on disk, by ChaCha20-Poly1305 with a random nonce that stands behind.

use super::Identity;
use super::files::SPENT;
use crate::error::{Error, Result};
use crate::net::guard::{SEAL, Seal};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use std::path::PathBuf;
use zeroize::Zeroizing;

impl Identity {
    /// The folder with how far each store of this identity is spent: the store of correlations writes there.
    pub(crate) fn spent_path(&self) -> PathBuf {
        self.0.dir.join(SPENT)
    }

    /// A key for the files named by `id`, the same whenever this identity is loaded.
    pub(crate) fn disk_key(&self, id: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*blake3::keyed_hash(&self.0.disk, id).as_bytes())
    }

    /// A tag of these bytes that nobody makes without the identity, and which says nothing of them.
    #[must_use]
    pub fn tag(&self, bytes: &[u8]) -> [u8; 32] {
        *self.disk_key(&blake3::derive_key("hushtable 2026-11 tag", bytes))
    }

    /// The cipher with a key that derives from such a one.
    pub(crate) fn seal(&self, key: &[u8; 32]) -> Box<dyn Seal> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key of 32 bytes");
        Box::new(Cipher(LessSafeKey::new(key)))
    }
}

struct Cipher(LessSafeKey);

impl Seal for Cipher {
    fn seal(&self, about: &[u8], bytes: &mut Zeroizing<Vec<u8>>) -> Result<()> {
        const { assert!(SEAL == 16 + NONCE_LEN) };
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|e| Error::Io {
            what: "system randomness".into(),
            source: std::io::Error::other(e.to_string()),
        })?;
        let unique = Nonce::assume_unique_for_key(nonce);
        self.0
            .seal_in_place_append_tag(unique, Aad::from(about), &mut **bytes)
            .expect("a file is far shorter than the cipher allows");
        bytes.extend(nonce);
        Ok(())
    }

    fn open<'a>(&self, about: &[u8], bytes: &'a mut [u8]) -> Option<&'a [u8]> {
        let (sealed, nonce) = bytes.split_last_chunk_mut::<NONCE_LEN>()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0.open_in_place(nonce, Aad::from(about), sealed).ok().map(|plain| &*plain)
    }
}
