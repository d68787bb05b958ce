//! What benchmarks of private tables have in common.

use apps::held_table::Table;
use clap::ValueEnum;
use hushtable::{
    Error, Party,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Owner},
        prf::Cipher,
    },
};
use serde::{Deserialize, Serialize};

/// The pseudo-random function. Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// AES-128
    Aes,
    /// LowMC with 42 S-boxes and 13 rounds
    Lowmc,
}

impl Function {
    pub fn cipher(self) -> Cipher {
        match self {
            Self::Aes => Cipher::Aes128,
            Self::Lowmc => Cipher::LowMc,
        }
    }
}

/// What is done once: the owner encrypts its table and sends the copy.
pub fn transferred(
    p: &mut Party,
    job: CopyJob,
    encrypt: impl FnOnce() -> Result<Owner, Error>,
) -> Result<Table, Error> {
    if p.role() != job.owner {
        return EncryptedCopy::receive(p, job).map(Table::from);
    }
    let owner = encrypt()?;
    owner.send(p)?;
    Ok(owner.into())
}
