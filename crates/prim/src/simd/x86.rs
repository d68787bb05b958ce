//! x86-64: AES-NI, and VAES on 256- and 512-bit vectors.

mod aes_ni;
mod vaes256;
mod vaes512;

pub(crate) use aes_ni::AesNi;
pub(crate) use vaes256::Vaes256;
pub(crate) use vaes512::Vaes512;
