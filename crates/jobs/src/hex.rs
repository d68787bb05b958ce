//! Bytes in hexadecimal digits.

use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal digits, as `sha256sum` prints it.
pub fn sha256(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

/// Two digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of such digits, if they are.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| if let [high, low] = *pair { Some(digit(high)? << 4 | digit(low)?) } else { None })
        .collect()
}
