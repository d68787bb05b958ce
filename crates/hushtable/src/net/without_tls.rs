//! What stands in place of `secure` without the feature `tls`: an identity that nobody has.

use super::fingerprint::Fingerprint;
use super::guard::{Guard, Seal};
use super::options::Options;
use crate::error::Result;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Who a party is, and whom it trusts. **Built without the feature `tls`: there is none.**
#[derive(Clone, Debug)]
pub enum Identity {}

impl Identity {
    /// The fingerprint of this identity's certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        match *self {}
    }

    /// The name in this identity's certificate.
    pub fn name(&self) -> &str {
        match *self {}
    }

    pub(crate) fn spent_path(&self) -> PathBuf {
        match *self {}
    }

    pub(crate) fn disk_key(&self, _id: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        match *self {}
    }

    /// As with TLS.
    #[must_use]
    pub fn tag(&self, _bytes: &[u8]) -> [u8; 32] {
        match *self {}
    }

    pub(crate) fn seal(&self, _key: &[u8; 32]) -> Box<dyn Seal> {
        match *self {}
    }

    pub(super) fn guard(&self, _options: &Options) -> Result<Box<dyn Guard>> {
        match *self {}
    }

    pub(super) fn check_awaits_somebody(&self) -> Result<()> {
        match *self {}
    }
}
