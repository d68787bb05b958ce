//! `confidential`: lookups of shared keys in a private table of the listening party.

mod copy;
#[cfg(feature = "baselines")]
mod fable;
#[cfg(feature = "baselines")]
mod scan;
mod splut;
mod thin;

use std::fmt;

use clap::{Args, ValueEnum};
use hushtable::{
    Role,
    bill::Objective,
    confidential::{
        planner::{self, Asked, Room},
        prf::Cipher,
    },
    net::LinkShape,
    plan::Machine,
};
use hushtable_cli::{
    count::{count, fits},
    failure::{Failure, Result},
};
use serde::{Deserialize, Serialize};

#[cfg(not(feature = "baselines"))]
use crate::baseline::{absent as fable, absent as scan};
use crate::{benchmark::Benchmark, inputs, lanes::Lanes};

/// Lookups in a private table; with several threads a part of the batch in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct ConfidentialWork {
    /// How they are done
    #[arg(long, value_enum, default_value = "a")]
    design: Design,
    /// Rows of the table
    #[arg(long, value_name = "N", default_value = "2^20", value_parser = count)]
    rows: usize,
    /// Bits of a key; there is a row for every `2^BITS / N`th, or if there may be more keys for the first ones
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=96))]
    key_bits: u32,
    /// Bits of a row
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1 << 19))]
    value_bits: u32,
    /// Lookups
    #[arg(long, value_name = "N", default_value = "4096", value_parser = count)]
    batch: usize,
    /// The pseudo-random function
    #[arg(long, value_enum, default_value = "aes")]
    prf: Prf,
    /// No key is looked up twice, and both parties know that: for design b
    #[arg(long)]
    #[serde(default)]
    distinct: bool,
    /// Whether the copy has a place for every key: by default up to 2^24 keys
    #[arg(long, value_enum, default_value = "auto")]
    places: Places,
    /// Also the steps of the online phase: for design fable
    #[arg(long)]
    #[serde(default)]
    steps: bool,
}

/// Reads that scan: they share nothing, so more say no more, and the paper has as many.
const SCANS: usize = 128;

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Design {
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
enum Prf {
    /// AES-128
    Aes,
    /// LowMC with 42 S-boxes and 13 rounds
    Lowmc,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Places {
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
        let batch = self.items();
        let design = match self.design {
            Design::Auto => "the design that suits".into(),
            Design::A => format!("an encrypted copy, {}", self.cipher()),
            Design::B => format!("ids, {}", self.cipher()),
            Design::Splut => "SP-LUT".into(),
            Design::Fable => format!("FABLE, {}", self.cipher()),
            Design::Scan => format!("a scan each as FLORAM reads, {}", self.cipher()),
        };
        write!(
            f,
            "{batch} lookups in {rows} private rows of {value_bits} bits at keys of {key_bits}, {design}"
        )
    }
}

impl Benchmark for ConfidentialWork {
    fn items(&self) -> usize {
        match self.design {
            Design::Scan => self.batch.min(SCANS),
            Design::Auto | Design::A | Design::B | Design::Splut | Design::Fable => self.batch,
        }
    }

    fn unit(&self) -> &'static str {
        "lookup"
    }

    fn prepare(&mut self, link: &LinkShape, _: usize) -> Result<()> {
        if self.key_bits < 64 && self.rows as u64 > 1 << self.key_bits {
            let Self { rows, key_bits, .. } = self;
            return Err(Failure::local(format!(
                "--rows {rows}: there are 2^{key_bits} keys of --key-bits {key_bits}"
            )));
        }
        if self.distinct && self.batch > self.rows / 2 {
            let (most, Self { rows, batch, .. }) = (self.rows / 2, self);
            return Err(Failure::local(format!(
                "--batch {batch} --distinct: accepted with --rows {rows}: 1 to {most}"
            )));
        }
        if self.design == Design::Auto {
            self.choose(link)?;
        }
        if self.steps && self.design != Design::Fable {
            return Err(Failure::local("--steps: accepted with --design fable, whose steps they are"));
        }
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => fits(copy::memory(self)?, "tables of both parties"),
            Design::B => fits(thin::memory(self)?, "tables of both parties"),
            Design::Splut => fits(splut::memory(self)?, "tables and messages of both parties"),
            Design::Fable => fits(fable::memory(self)?, "tables and ciphertexts of both parties"),
            Design::Scan => fits(scan::memory(self)?, "memories of both parties"),
        }
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => copy::cots(self, role, items),
            Design::B => thin::cots(self, role, items),
            Design::Splut => splut::cots(self, role, items),
            Design::Fable => fable::cots(self, role, items),
            Design::Scan => scan::cots(self, role, items),
        }
    }

    fn protocol(&self) -> Option<String> {
        let name = match self.design {
            Design::Auto => return None,
            Design::A => "copy",
            Design::B => "ids",
            Design::Splut => "sp-lut",
            Design::Fable => "fable",
            Design::Scan => "floram-read",
        };
        Some(name.into())
    }

    fn is_baseline(&self) -> bool {
        matches!(self.design, Design::Fable | Design::Scan)
    }

    fn every_processor(&self) -> bool {
        self.design == Design::Fable
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => copy::run(self, lanes),
            Design::B => thin::run(self, lanes),
            Design::Splut => splut::run(self, lanes),
            Design::Fable => fable::run(self, lanes),
            Design::Scan => scan::run(self, lanes),
        }
    }
}

impl ConfidentialWork {
    /// The design, and where the rows stand, of the least predicted time with this function.
    fn choose(&mut self, link: &LinkShape) -> Result<()> {
        let asked = Asked {
            owner: Role::P0,
            rows: self.rows as u64,
            key_bits: self.key_bits,
            row_bits: self.value_bits,
            batch: self.batch,
            batches: 1,
            distinct: self.distinct,
        };
        let room = Room { disk: u64::MAX, memory: u64::MAX };
        let all = planner::candidates(&asked, &room, link, &Machine::REFERENCE, Objective::Total)?;
        let chosen = all.iter().find_map(|candidate| match candidate.design {
            planner::Design::Copy(cipher, form) if cipher == self.cipher() => Some((Design::A, form)),
            planner::Design::Thin(cipher, form) if cipher == self.cipher() => Some((Design::B, form)),
            planner::Design::SpLut => Some((Design::Splut, planner::Form::Dense)),
            // Of the other function.
            planner::Design::Copy(..) | planner::Design::Thin(..) => None,
        });
        let (design, form) = chosen.ok_or_else(|| Failure::local("no design serves such a table"))?;
        let full = self.key_bits < 64 && self.rows as u64 == 1 << self.key_bits;
        let places = match form {
            planner::Form::Sparse => Places::Sparse,
            planner::Form::Dense if full => Places::All,
            planner::Form::Dense => Places::Dense,
        };
        (self.design, self.places) = (design, places);
        Ok(())
    }

    fn cipher(&self) -> Cipher {
        match self.prf {
            Prf::Aes => Cipher::Aes128,
            Prf::Lowmc => Cipher::LowMc,
        }
    }

    /// The keys of the table, spread over all there could be.
    fn keys(&self) -> Vec<u128> {
        let step = (1u128 << self.key_bits) / self.rows as u128;
        (0..self.rows as u128).map(|row| row * step).collect()
    }

    /// Words of a row.
    fn row_words(&self) -> usize {
        self.value_bits.div_ceil(64) as usize
    }

    /// All rows, lowest word first.
    fn table(&self) -> Vec<u64> {
        let len = self.row_words();
        let mut rows: Vec<u64> = inputs::words("rows", 0, 0).take(self.rows * len).collect();
        let last = rows.iter_mut().skip(len - 1).step_by(len);
        let spare = self.value_bits % 64;
        last.for_each(|word| *word = if spare > 0 { prim::low(*word, spare) } else { *word });
        rows
    }

    /// What is looked up in a lane: three of four keys are present, some of them twice.
    fn looked_up(&self, lane: usize, items: usize) -> Vec<Key> {
        let step = (1u128 << self.key_bits) / self.rows as u128;
        let key = |(i, word): (usize, u64)| {
            let row = word as usize % self.rows;
            let absent = i % 4 == 3 && step > 1;
            Key { key: row as u128 * step + u128::from(absent), row: (!absent).then_some(row) }
        };
        let mut keys: Vec<Key> = Vec::with_capacity(items);
        let mut seen = std::collections::HashSet::new();
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
struct Key {
    key: u128,
    row: Option<usize>,
}
