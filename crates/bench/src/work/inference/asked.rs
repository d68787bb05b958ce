//! What is asked for: the command line, and what follows from it.

use std::{fmt, ops::Range};

use apps::inference::{BlockShape, Norms};
use clap::{Args, ValueEnum};
use hushtable::{
    Role,
    arith::{Objective, fixed},
    math::{GeluJob, Precision, SoftmaxJob},
};
use hushtable_columns::failure::Result;
use serde::{Deserialize, Serialize};

use crate::{benchmark::Benchmark, inputs};

/// Numbers of vectors are drawn from so wide a range around 0: a deviation of 1.
pub(super) const SPREAD: f64 = 3.6;

/// The parts of a language model.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct InferenceWork {
    /// What is computed
    #[arg(long, value_enum)]
    pub(super) shape: Shape,
    /// Rows, instead of those of the shape; not for blocks
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(super) rows: Option<u32>,
    /// Rows at once, instead of as many as memory is meant for; not for blocks
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(super) piece: Option<u32>,
    /// Vectors of a block, one for each token; of block 32, of bert-base and gpt2 128
    #[arg(long, visible_alias = "tokens", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) sequence: Option<u32>,
    /// Numbers of a vector of a block; for block alone
    #[arg(long, value_name = "W", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(super) width: u32,
    /// Heads of a block, which share the width; for block alone
    #[arg(long, value_name = "H", default_value = "4", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) heads: u32,
    /// Blocks, one behind the other, each with weights of its own: it takes what the one before gives. Each of --threads
    /// lanes makes one at a time, and the first lane evaluates them one after the other; with --generate they are all made
    /// before
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=96))]
    pub(super) layers: u32,
    /// Vectors that come one by one after the first ones, each through all blocks, with shares of the keys and values of
    /// those before; they are drawn, as the embedding of a word would be: what is computed does not give them. For gpt2 and
    /// block
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    #[serde(default)]
    pub(super) generate: Option<u32>,
    /// Width of a number in the ring, 24 to 64
    #[arg(long, value_name = "L", default_value = "37", value_parser = clap::value_parser!(u32).range(24..=64))]
    pub(super) bits: u32,
    /// Bits behind the point, 8 to 14
    #[arg(long, value_name = "F", default_value = "12", value_parser = clap::value_parser!(u32).range(8..=14))]
    pub(super) fraction_bits: u32,
    /// Results to about 2^-8, as networks need them, instead of 2 units in the last place
    #[arg(long)]
    #[serde(default)]
    pub(super) network: bool,
    /// Bits before the point, where numbers are known to be less than 2^M; not for block, which knows
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(4..=40))]
    #[serde(default)]
    pub(super) before_point: Option<u32>,
    /// Comparisons, tiles and a form of GELU that send least, instead of those that are fast
    #[arg(long)]
    #[serde(default)]
    pub(super) least: bool,
    /// Most bytes of all messages; more are refused before anything starts
    #[arg(long, value_name = "BYTES", default_value = "4000000000")]
    pub(super) max_bytes: u64,
    /// Most bytes of memory of a lane, about; more are refused before anything starts
    #[arg(long, value_name = "BYTES", default_value = "2000000000")]
    pub(super) max_memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// Softmax of 12 x 256 rows of 256
    Gpt2Softmax,
    /// GELU of 256 rows of 3072
    Gpt2Gelu,
    /// Attention, layer norms, and two layers with GELU
    Block,
    /// Blocks of BERT-base: vectors of 768, 12 heads, norms behind the sums; random weights
    BertBase,
    /// Blocks of GPT-2: the same, norms first, and a vector sees those before it
    #[value(name = "gpt2")]
    #[serde(rename = "gpt2")]
    Gpt2,
}

impl fmt::Display for InferenceWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bits, fraction_bits, .. } = self;
        match self.shape {
            Shape::Gpt2Softmax => write!(f, "softmax of {} rows of 256 numbers", self.items())?,
            Shape::Gpt2Gelu => write!(f, "GELU of {} rows of 3072 numbers", self.items())?,
            _ => {
                let BlockShape { sequence, width, heads, .. } = self.block();
                write!(
                    f,
                    "{} of a transformer, {sequence} vectors of {width}, {heads} heads",
                    match self.layers {
                        1 => "block".into(),
                        layers => format!("{layers} blocks"),
                    }
                )?;
                if let Some(further) = self.generate {
                    write!(f, ", then {further} one by one")?;
                }
            }
        }
        write!(f, ", {bits} bits with {fraction_bits} behind the point")?;
        if let Some(before) = self.before_point {
            write!(f, " and at most {before} before it")?;
        }
        write!(
            f,
            "{}{}",
            if self.network { ", to 2^-8" } else { "" },
            if self.least { ", least bytes" } else { "" }
        )
    }
}

impl InferenceWork {
    /// How accurate results are, what is known of numbers, and what comparisons have least of.
    pub(super) fn form(&self) -> (Precision, Option<u32>, Objective) {
        let precision = if self.network { Precision::Network } else { Precision::Fine };
        let objective = if self.least { Objective::Bytes } else { Objective::Total };
        (precision, self.before_point, objective)
    }

    pub(super) fn softmax(&self, rows: usize) -> SoftmaxJob {
        let usual = SoftmaxJob::new(256, self.bits, self.fraction_bits);
        let (precision, magnitude, objective) = self.form();
        SoftmaxJob { rows, precision, magnitude, objective, ..usual }
    }

    pub(super) fn gelu(&self, rows: usize) -> GeluJob {
        let usual = GeluJob::new(self.bits, self.fraction_bits);
        let (precision, magnitude, objective) = self.form();
        GeluJob { batch: rows * 3072, precision, magnitude, objective, ..usual }
    }

    pub(super) fn is_block(&self) -> bool {
        !matches!(self.shape, Shape::Gpt2Softmax | Shape::Gpt2Gelu)
    }

    pub(super) fn block(&self) -> BlockShape {
        let shape = |least, width, heads| {
            BlockShape::new(self.sequence.unwrap_or(least) as usize, width as usize, heads as usize)
        };
        let shape = match self.shape {
            Shape::BertBase => BlockShape { causal: false, norms: Norms::Last, ..shape(128, 768, 12) },
            Shape::Gpt2 => shape(128, 768, 12),
            _ => shape(32, self.width, self.heads),
        };
        let (precision, _, objective) = self.form();
        BlockShape { bits: self.bits, scale: self.fraction_bits, precision, objective, ..shape }
    }

    /// The numbers of some rows.
    pub(super) fn numbers(&self, rows: Range<usize>) -> Vec<f64> {
        let (columns, spread) = if self.shape == Shape::Gpt2Gelu { (3072, 10.0) } else { (256, 16.0) };
        rows.flat_map(|row| self.drawn_numbers(row, columns, spread)).collect()
    }

    /// So many numbers of a row, from a range around 0.
    pub(super) fn drawn_numbers(&self, row: usize, count: usize, spread: f64) -> Vec<f64> {
        let unit = f64::from(1u32 << self.fraction_bits);
        let mut words = drawn("numbers", row);
        let mut word = [0; 4];
        let number = || {
            words.fill(&mut word);
            let uniform = f64::from(u32::from_le_bytes(word)) / 2f64.powi(32) - 0.5;
            (uniform * spread * unit).round() / unit
        };
        std::iter::repeat_with(number).take(count).collect()
    }

    /// The shares of numbers at the party `role`, with the masks of a row.
    pub(super) fn shared(&self, role: Role, row: usize, numbers: &[f64]) -> Result<Vec<u64>> {
        let mut masks = drawn("masks", row);
        let numbers: Vec<u64> = fixed::encode(numbers, self.bits, self.fraction_bits)?;
        let mine = numbers.into_iter().map(|number| match (role, inputs::word(&mut masks)) {
            (Role::P0, mask) => mask,
            (Role::P1, mask) => number.wrapping_sub(mask),
        });
        Ok(mine.collect())
    }
}

fn drawn(what: &str, row: usize) -> blake3::OutputReader {
    blake3::Hasher::new().update(what.as_bytes()).update(&(row as u64).to_le_bytes()).finalize_xof()
}
