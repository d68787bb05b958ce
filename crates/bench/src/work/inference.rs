//! `inference`: softmax and GELU of the shapes of GPT-2, and a whole transformer block.

use std::{
    fmt,
    io::Read,
    ops::Range,
    sync::{Arc, atomic::Ordering},
};

use apps::inference::{BlockJob, BlockShape, Norms, Weights, twin};
use clap::{Args, ValueEnum};
use hushtable::{
    Party, Role,
    arith::{Objective, fixed},
    math::{GeluJob, Precision, SoftmaxJob, TensorCard, gelu},
    net,
    operation::Operation,
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::progress::Progress;
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
    measured::Accuracy,
};

/// Numbers that a party keeps material for at once, unless told otherwise.
const NUMBERS: usize = 3 << 16;

/// Bytes of memory that a number takes at a party, about.
const BYTES_A_NUMBER: u64 = 2200;

/// Units in the last place by which a block may differ from its twin in the clear.
const BLOCK_UNITS: f64 = 48.0;

/// The same of one with the precision of networks.
const BLOCK_UNITS_OF_NETWORKS: f64 = 256.0;

/// The parts of a language model.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct InferenceWork {
    /// What is computed
    #[arg(long, value_enum)]
    shape: Shape,
    /// Rows, instead of those of the shape; not for blocks
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    rows: Option<u32>,
    /// Rows at once, instead of as many as memory is meant for; not for blocks
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    piece: Option<u32>,
    /// Vectors of a block, one for each token; of block 32, of bert-base and gpt2 128
    #[arg(long, visible_alias = "tokens", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    sequence: Option<u32>,
    /// Numbers of a vector of a block; for block alone
    #[arg(long, value_name = "W", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=4096))]
    width: u32,
    /// Heads of a block, which share the width; for block alone
    #[arg(long, value_name = "H", default_value = "4", value_parser = clap::value_parser!(u32).range(1..=64))]
    heads: u32,
    /// Blocks, one after the other, each with vectors of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=96))]
    layers: u32,
    /// Width of a number in the ring, 24 to 64
    #[arg(long, value_name = "L", default_value = "37", value_parser = clap::value_parser!(u32).range(24..=64))]
    bits: u32,
    /// Bits behind the point, 8 to 14
    #[arg(long, value_name = "F", default_value = "12", value_parser = clap::value_parser!(u32).range(8..=14))]
    fraction_bits: u32,
    /// Results to about 2^-8, as networks need them, instead of 2 units in the last place
    #[arg(long)]
    #[serde(default)]
    network: bool,
    /// Bits before the point, where numbers are known to be less than 2^M; not for block, which knows
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(4..=40))]
    #[serde(default)]
    before_point: Option<u32>,
    /// Comparisons that send least, instead of those that are fast
    #[arg(long)]
    #[serde(default)]
    least: bool,
    /// Most bytes of all messages; more are refused before anything starts
    #[arg(long, value_name = "BYTES", default_value = "4000000000")]
    max_bytes: u64,
    /// Most bytes of memory of a party; more are refused before anything starts
    #[arg(long, value_name = "BYTES", default_value = "2000000000")]
    max_memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shape {
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

impl Benchmark for InferenceWork {
    fn items(&self) -> usize {
        let rows = match self.shape {
            Shape::Gpt2Softmax => 12 * 256,
            Shape::Gpt2Gelu => 256,
            _ => return self.layers as usize,
        };
        self.rows.map_or(rows, |rows| rows as usize)
    }

    fn unit(&self) -> &'static str {
        if self.is_block() { "block" } else { "row" }
    }

    /// Prints what linear layers take.
    fn prepare(&mut self, _: &net::LinkShape, _: usize) -> Result<()> {
        let numbers = match self.shape {
            Shape::Gpt2Softmax => self.softmax(1).check().map(|()| self.piece() * 256)?,
            Shape::Gpt2Gelu => self.gelu(1).check().map(|()| self.piece() * 3072)?,
            _ => self.check_block()?,
        };
        let memory = numbers as u64 * BYTES_A_NUMBER + (64 << 20);
        if memory > self.max_memory {
            return Err(Failure::new(format!(
                "about {} MB of memory at each party, above --max-memory {} MB: take fewer rows at once (--piece)",
                memory / 1_000_000,
                self.max_memory / 1_000_000
            )));
        }
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let bill = match self.shape {
            Shape::Gpt2Softmax => self.softmax(items).bill(),
            Shape::Gpt2Gelu => self.gelu(items).bill(),
            _ => self.block().bill(Role::P1).map(|bill| bill.times(items)),
        };
        bill.expect("checked before the processes started").cots_of(role)
    }

    fn set_up(&self, p: &mut Party, _: usize) -> hushtable::Result<()> {
        if self.is_block() { self.block().set_up(p, Role::P1) } else { Ok(()) }
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let (role, block) = (lanes.role(), self.block_job(lanes.role()));
        let progress = Progress::start("rows", self.items(), role == Role::P0);
        let operation = |rows: Range<usize>| -> Result<Arc<dyn Operation>> {
            Ok(match self.shape {
                Shape::Gpt2Softmax => Arc::new(self.softmax(rows.len())),
                Shape::Gpt2Gelu => Arc::new(self.gelu(rows.len())),
                _ => Arc::new(block.clone()),
            })
        };
        let done = lanes.operate(
            self.piece(),
            operation,
            |role, rows| Ok(vec![self.shares(role, rows)?]),
            |rows| _ = progress.done().fetch_add(rows, Ordering::Relaxed),
        )?;
        drop(progress);
        done.verify_accuracy(
            || done.words(),
            |from| {
                let mut accuracy = Accuracy::default();
                // Lanes with fewer blocks than others end with none.
                for (rows, mine) in done.pieces().filter(|(rows, _)| !rows.is_empty()) {
                    check(self, rows, mine, from, &mut accuracy)?;
                }
                Ok(Some(accuracy))
            },
        )
    }
}

impl InferenceWork {
    /// Numbers that matter to memory, for a block within the bounds; and how its bytes grow.
    fn check_block(&self) -> Result<usize> {
        let shape = self.block();
        shape.check()?;
        let bytes = |width: usize| -> Result<u64> {
            let bill = BlockShape { width, hidden: 4 * width, ..shape }.linear_bill(Role::P1)?;
            Ok((bill.offline.all_bits() + bill.online.all_bits()) / 8)
        };
        for width in [1, 2, 4, 8].map(|times| times * shape.width) {
            eprintln!("linear layers at width {width}: {:.1} MB", bytes(width)? as f64 / 1e6);
        }
        if bytes(shape.width)? > self.max_bytes {
            return Err(Failure::new(format!(
                "the linear layers of width {} take {} MB, above --max-bytes {} MB",
                shape.width,
                bytes(shape.width)? / 1_000_000,
                self.max_bytes / 1_000_000
            )));
        }
        // Two words of a weight, while it is multiplied.
        let weights = 12 * shape.width * shape.width * 16 / BYTES_A_NUMBER as usize;
        Ok((shape.heads * shape.sequence * shape.sequence).max(shape.sequence * shape.hidden) + weights)
    }

    fn piece(&self) -> usize {
        if self.is_block() {
            return 1;
        }
        let columns = if self.shape == Shape::Gpt2Gelu { 3072 } else { 256 };
        self.piece.map_or(NUMBERS / columns, |piece| piece as usize).min(self.items())
    }

    /// How accurate results are, what is known of numbers, and what comparisons have least of.
    fn form(&self) -> (Precision, Option<u32>, Objective) {
        let precision = if self.network { Precision::Network } else { Precision::Fine };
        let objective = if self.least { Objective::Bytes } else { Objective::Total };
        (precision, self.before_point, objective)
    }

    fn softmax(&self, rows: usize) -> SoftmaxJob {
        let usual = SoftmaxJob::new(256, self.bits, self.fraction_bits);
        let (precision, magnitude, objective) = self.form();
        SoftmaxJob { rows, precision, magnitude, objective, ..usual }
    }

    fn gelu(&self, rows: usize) -> GeluJob {
        let usual = GeluJob::new(self.bits, self.fraction_bits);
        let (precision, magnitude, objective) = self.form();
        GeluJob { batch: rows * 3072, precision, magnitude, objective, ..usual }
    }

    fn is_block(&self) -> bool {
        !matches!(self.shape, Shape::Gpt2Softmax | Shape::Gpt2Gelu)
    }

    fn block(&self) -> BlockShape {
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

    /// With weights at P1.
    fn block_job(&self, role: Role) -> BlockJob {
        let shape = self.block();
        let weights = (role == Role::P1 && self.is_block()).then(|| Weights::random(&shape, 1));
        BlockJob { shape, owner: Role::P1, weights: weights.map(Arc::new) }
    }

    /// The numbers of some rows.
    fn numbers(&self, rows: Range<usize>) -> Vec<f64> {
        let (columns, spread) = match self.shape {
            Shape::Gpt2Softmax => (256, 16.0),
            Shape::Gpt2Gelu => (3072, 10.0),
            _ => (self.block().sequence * self.block().width, 3.6),
        };
        let unit = f64::from(1u32 << self.fraction_bits);
        let row = |row: usize| {
            let mut words = drawn("numbers", row);
            let mut word = [0; 4];
            std::iter::repeat_with(move || {
                words.fill(&mut word);
                let uniform = f64::from(u32::from_le_bytes(word)) / 2f64.powi(32) - 0.5;
                (uniform * spread * unit).round() / unit
            })
            .take(columns)
        };
        rows.flat_map(row).collect()
    }

    /// The shares of some rows at the party `role`.
    fn shares(&self, role: Role, rows: Range<usize>) -> Result<Vec<u64>> {
        let mut masks = drawn("masks", rows.start);
        let numbers: Vec<u64> = fixed::encode(&self.numbers(rows), self.bits, self.fraction_bits)?;
        let mine = numbers.into_iter().map(|number| match (role, inputs::word(&mut masks)) {
            (Role::P0, mask) => mask,
            (Role::P1, mask) => number.wrapping_sub(mask),
        });
        Ok(mine.collect())
    }

    /// What the rows are to become: in floating point; and the greatest error allowed, in units in the
    /// last place, from what is beside it.
    fn expected(&self, x: &[f64]) -> Result<(Vec<f64>, Option<Vec<f64>>, f64)> {
        let most = |TensorCard { function, max_ulp, .. }| -> Result<f64> {
            max_ulp.parse().map_err(|e| Failure::new(format!("error of {function}, {max_ulp}: {e}")))
        };
        Ok(match self.shape {
            Shape::Gpt2Softmax => (twin::softmax(x, 256), None, most(self.softmax(1).card()?)?),
            Shape::Gpt2Gelu => (x.iter().map(|&x| gelu(x)).collect(), None, most(self.gelu(1).card()?)?),
            _ => {
                let (shape, weights) = (self.block(), Weights::random(&self.block(), 1));
                let most = if self.network { BLOCK_UNITS_OF_NETWORKS } else { BLOCK_UNITS };
                (twin::float(&shape, x, &weights), Some(twin::fixed(&shape, x, &weights)), most)
            }
        })
    }
}

/// Checks the results of some rows, which begin with what `from` gives of P0's shares.
fn check(
    work: &InferenceWork,
    rows: Range<usize>,
    mine: &[u64],
    from: &mut dyn Read,
    accuracy: &mut Accuracy,
) -> Result<()> {
    let mut sums = Vec::with_capacity(mine.len());
    for word in mine {
        sums.push(word.wrapping_add(lanes::word(from)?));
    }
    let got = fixed::decode(&sums, work.bits, work.fraction_bits);
    let (float, twin, most) = work.expected(&work.numbers(rows.clone()))?;
    let unit = f64::from(1u32 << work.fraction_bits);
    for (i, y) in got.iter().enumerate() {
        let from_twin = (y - twin.as_ref().unwrap_or(&float)[i]).abs() * unit;
        if from_twin > most {
            let text = format!("number {i} from row {} on is wrong by {from_twin:.1} units", rows.start);
            return Err(Failure::Check(text));
        }
        accuracy.add((y - float[i]).abs() * unit);
    }
    Ok(())
}

fn drawn(what: &str, row: usize) -> blake3::OutputReader {
    blake3::Hasher::new().update(what.as_bytes()).update(&(row as u64).to_le_bytes()).finalize_xof()
}
