//! What is asked for, and what is looked up.

use std::{collections::HashSet, fmt};

use clap::{Args, ValueEnum};
use hushtable::confidential::prf::Cipher;
use hushtable_jobs::count::count;
use serde::{Deserialize, Serialize};

use crate::inputs;

/// Lookups in a private table; with several threads a part of the batch in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct ConfidentialWork {
    /// How they are done
    #[arg(long, value_enum, default_value = "a")]
    pub(super) design: Design,
    /// Rows of the table
    #[arg(long, value_name = "N", default_value = "2^20", value_parser = count)]
    pub(super) rows: usize,
    /// Bits of a key; there is a row for every `2^BITS / N`th, or if there may be more keys for the first ones
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=96))]
    pub(super) key_bits: u32,
    /// Bits of a row
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1 << 19))]
    pub(super) value_bits: u32,
    /// Lookups
    #[arg(long, value_name = "N", default_value = "4096", value_parser = count)]
    pub(super) batch: usize,
    /// The pseudo-random function
    #[arg(long, value_enum, default_value = "aes")]
    pub(super) prf: Prf,
    /// No key is looked up twice, and both parties know that: for design b
    #[arg(long)]
    #[serde(default)]
    pub(super) distinct: bool,
    /// Whether the copy has a place for every key: by default up to 2^24 keys
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) places: Places,
    /// In how many rounds: for design fable, many if it is not said, and b, as suits the link if it is not
    #[arg(long, value_enum)]
    #[serde(default)]
    pub(super) rounds: Option<Rounds>,
    /// Which of all paces of design b.
    #[arg(skip)]
    #[serde(default)]
    pub(super) pace: usize,
    /// The parts of design fable that are garbled.
    #[arg(skip)]
    #[serde(default)]
    pub(super) garbled: Vec<String>,
    /// Also the steps of the online phase: for design fable
    #[arg(long)]
    #[serde(default)]
    pub(super) steps: bool,
}

/// Reads that scan: they share nothing, so more say no more, and the paper has as many.
const SCANS: usize = 128;

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Design {
    /// A, B or SP-LUT, whichever the planner predicts to take the least time for one batch over the network
    Auto,
    /// An encrypted copy that both parties scan
    A,
    /// A store for each batch, read by ids: nothing stays at the party without the table
    B,
    /// SP-LUT: all rows, masked, for each lookup
    Splut,
    /// FABLE: retrieval under homomorphic encryption, which computes on all processors; a baseline
    Fable,
    /// FLORAM's reads of single words, at most 128: each scans the memory; a baseline
    Scan,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rounds {
    /// By layers of ANDs: a round for each, and few bytes
    Many,
    /// Garbled, two rounds for each part, and 32 bytes an AND; design b by lookups, and with more comparisons
    Few,
    /// Each part as the planner predicts it to take the least time over the network
    Auto,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Prf {
    /// AES-128
    Aes,
    /// LowMC with 42 S-boxes and 13 rounds
    Lowmc,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Places {
    /// One for every key up to 24 bits, else three cells
    Auto,
    /// One for every key, each of which has a row
    All,
    /// One for every key
    Dense,
    /// Three cells for each row
    Sparse,
}

impl fmt::Display for ConfidentialWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, key_bits, value_bits, .. } = self;
        let batch = self.lookups();
        let design = match self.design {
            Design::Auto => "the design that suits".into(),
            Design::A => format!("an encrypted copy, {}", self.cipher()),
            Design::B => format!("ids, {}", self.cipher()),
            Design::Splut => "SP-LUT".into(),
            Design::Fable if self.garbled.is_empty() => format!("FABLE, {}", self.cipher()),
            Design::Fable => format!("FABLE, {}, {} garbled", self.cipher(), self.garbled.join(", ")),
            Design::Scan => format!("a scan each as FLORAM reads, {}", self.cipher()),
        };
        write!(
            f,
            "{batch} lookups in {rows} private rows of {value_bits} bits at keys of {key_bits}, {design}"
        )
    }
}

impl ConfidentialWork {
    /// How many lookups there are.
    pub(super) fn lookups(&self) -> usize {
        match self.design {
            Design::Scan => self.batch.min(SCANS),
            Design::Auto | Design::A | Design::B | Design::Splut | Design::Fable => self.batch,
        }
    }

    pub(super) fn cipher(&self) -> Cipher {
        match self.prf {
            Prf::Aes => Cipher::Aes128,
            Prf::Lowmc => Cipher::LowMc,
        }
    }

    /// The keys of the table, spread over all there could be.
    pub(super) fn keys(&self) -> Vec<u128> {
        let step = (1u128 << self.key_bits) / self.rows as u128;
        (0..self.rows as u128).map(|row| row * step).collect()
    }

    /// Words of a row.
    pub(super) fn row_words(&self) -> usize {
        self.value_bits.div_ceil(64) as usize
    }

    /// All rows, lowest word first.
    pub(super) fn table(&self) -> Vec<u64> {
        let len = self.row_words();
        let mut rows: Vec<u64> = inputs::words("rows", 0, 0).take(self.rows * len).collect();
        let last = rows.iter_mut().skip(len - 1).step_by(len);
        let spare = self.value_bits % 64;
        last.for_each(|word| *word = if spare > 0 { prim::low(*word, spare) } else { *word });
        rows
    }

    /// What is looked up in a lane: three of four keys are present, some of them twice.
    pub(super) fn looked_up(&self, lane: usize, items: usize) -> Vec<Key> {
        let step = (1u128 << self.key_bits) / self.rows as u128;
        let key = |(i, word): (usize, u64)| {
            let row = word as usize % self.rows;
            let absent = i % 4 == 3 && step > 1;
            Key { key: row as u128 * step + u128::from(absent), row: (!absent).then_some(row) }
        };
        let mut keys: Vec<Key> = Vec::with_capacity(items);
        let mut seen = HashSet::new();
        for next in inputs::words("keys", 0, lane as u64).enumerate().map(key) {
            if keys.len() == items {
                break;
            }
            if !self.distinct || seen.insert(next.key) {
                keys.push(next);
            }
        }
        keys
    }
}

/// A key that is looked up, and the row that there is.
pub(super) struct Key {
    pub(super) key: u128,
    pub(super) row: Option<usize>,
}
