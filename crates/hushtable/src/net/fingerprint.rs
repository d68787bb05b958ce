//! How a certificate is named.

use super::text::printable;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// SHA-256 of a certificate (its DER), shown as `openssl x509 -fingerprint -sha256` does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Fingerprint(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first eight hexadecimal digits, for names.
    pub(crate) fn short(&self) -> String {
        self.0[..4].iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    /// All 64 hexadecimal digits, in capitals or not, with colons between bytes or not: a part of a
    /// fingerprint is easy to imitate.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Param {
            what: "fingerprint",
            got: format!("{:?}", printable(text.as_bytes())),
            accepted: "all 64 hexadecimal digits, with colons between bytes or without".into(),
        };
        let pairs: Vec<&[u8]> = if text.contains(':') {
            text.split(':').map(str::as_bytes).collect()
        } else {
            text.as_bytes().chunks(2).collect()
        };
        let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let bytes = pairs.into_iter().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(wrong)?;
        bytes.try_into().map(Fingerprint).map_err(|_| wrong())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<String> = self.0.iter().map(|b| format!("{b:02X}")).collect();
        f.write_str(&bytes.join(":"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
