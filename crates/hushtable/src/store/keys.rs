//! The keys of a store.

use zeroize::Zeroizing;

use crate::net::Identity;

/// All from the key of its identity.
pub(super) struct Keys(Zeroizing<[u8; 32]>);

impl Keys {
    pub(super) fn new(identity: &Identity, id: &[u8; 32]) -> Self {
        Self(identity.disk_key(id))
    }

    pub(super) fn journal(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store journal")
    }

    pub(super) fn mark(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store mark")
    }

    pub(super) fn pieces(&self) -> Zeroizing<[u8; 32]> {
        self.key("hushtable 2026-11 store pieces")
    }

    /// The header's bytes with a tag behind them.
    pub(super) fn sign(&self, mut header: Vec<u8>) -> Vec<u8> {
        let key = self.key("hushtable 2026-11 store header");
        let tag = blake3::keyed_hash(&key, &header);
        header.extend(tag.as_bytes());
        header
    }

    fn key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key(context, &*self.0))
    }
}
