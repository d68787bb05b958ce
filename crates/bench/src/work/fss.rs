//! `fss`: function secret sharing, by object. A group of objects has a file: its plan, its bill, and how it runs.

mod keys;

use std::fmt;

use clap::{Args, ValueEnum};
use hushtable::{Role, bill::Bill, net::LinkShape};
use hushtable_cli::{count::fits, failure::Result};
use serde::{Deserialize, Serialize};

use crate::{benchmark::Benchmark, lanes::Lanes};

/// A batch of an object.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct FssWork {
    /// What is made and used
    #[arg(long, value_enum)]
    object: Object,
    /// Bits of the position, or of the numbers, 1 to 24
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=24))]
    bits: u32,
    /// Bits behind the point, where the object has any
    #[arg(long, value_name = "F")]
    #[serde(default)]
    fraction_bits: Option<u32>,
    /// Bits of a shared payload, of one bit by XOR, else additive; without it the payload is the bit 1
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=64))]
    #[serde(default)]
    payload_bits: Option<u32>,
    /// How positions are shared
    #[arg(long, value_enum, default_value = "xor")]
    index: Index,
    /// Number of them, 1 to 2^15
    #[arg(long, value_name = "B", default_value = "10000", value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    batch: u32,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Object {
    /// Keys of a point function, placed and evaluated everywhere
    Dpf,
    /// Keys of a comparison, placed and evaluated everywhere
    Dcf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Index {
    /// By XOR
    Xor,
    /// Additively
    Additive,
}

impl fmt::Display for FssWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (object, index) = (self.object.to_possible_value(), self.index.to_possible_value());
        let name = |value: Option<clap::builder::PossibleValue>| {
            value.expect("no variant is skipped").get_name().to_string()
        };
        write!(f, "{}, {} bits shared by {}", name(object), self.bits, name(index))?;
        if let Some(payload) = self.payload_bits {
            write!(f, ", payload of {payload} bits")?;
        }
        write!(f, ", batch {}", self.batch)
    }
}

impl Benchmark for FssWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        match self.object {
            Object::Dpf | Object::Dcf => "key",
        }
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        let bill = self.bill()?;
        let each = 16 * bill.all_cots() + bill.kept / 8 + 64;
        fits(2 * each * u64::from(self.batch), &format!("both parties' {} objects", self.batch))
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        self.bill().expect("checked before the processes started").times(items).cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        match self.object {
            Object::Dpf | Object::Dcf => keys::run(self, lanes),
        }
    }

    fn protocol(&self) -> Option<String> {
        self.object.to_possible_value().map(|object| object.get_name().to_string())
    }
}

impl FssWork {
    /// What one of them costs.
    fn bill(&self) -> Result<Bill> {
        match self.object {
            Object::Dpf | Object::Dcf => keys::bill(self),
        }
    }
}
