//! What is asked for.

use std::fmt;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// A batch of an object.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct FssWork {
    /// What is made and used
    #[arg(long, value_enum)]
    pub(super) object: Object,
    /// Bits of the position, or of the numbers, 1 to 24
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub(super) bits: u32,
    /// Bits behind the point of sin, cos, sincos, tan and fusion; bits that trunc cuts off [default: half of --bits]
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(1..=23))]
    #[serde(default)]
    pub(super) fraction_bits: Option<u32>,
    /// Bits of a key's shared payload, of one bit by XOR, else additive; without it the payload is the bit 1. Of the keys
    /// of ggm objects, of payload objects and of a table's entry [default: as --bits], of a spline's results [default: twice --bits]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=64))]
    #[serde(default)]
    pub(super) payload_bits: Option<u32>,
    /// How many intervals, or pieces of a spline, which cover all numbers
    #[arg(long, value_name = "K", default_value = "4", value_parser = clap::value_parser!(u32).range(1..=64))]
    #[serde(default = "four")]
    pub(super) intervals: u32,
    /// Bits of a digit; those of all digits together are --bits [default: half of them]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=23))]
    #[serde(default)]
    pub(super) digit_bits: Option<u32>,
    /// Results of eq, cmp and interval as additive numbers of as many bits as the numbers, not as bits by XOR; a baseline
    #[arg(long)]
    #[serde(default)]
    pub(super) additive: bool,
    /// How the positions of keys are shared; those of ggm and payload objects always additively
    #[arg(long, value_enum, default_value = "xor")]
    #[serde(default)]
    pub(super) index: Index,
    /// Number of them, 1 to 2^15
    #[arg(long, value_name = "B", default_value = "10000", value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    pub(super) batch: u32,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Object {
    /// Keys of a point function, placed and evaluated everywhere
    Dpf,
    /// Keys of a comparison, placed and evaluated everywhere
    Dcf,
    /// Keys of a point function by the paper's Algorithm 2, evaluated at one point; a baseline
    GgmDpf,
    /// Keys of a comparison by the paper's Algorithms 3 and 4, evaluated at one point; a baseline
    GgmDcf,
    /// Whether two numbers are equal by the paper's Algorithm 5; a baseline
    GgmEq,
    /// Whether two numbers are equal, in one opening
    Eq,
    /// Whether a number is less than another that is near, in one opening
    Cmp,
    /// Two numbers: a shared payload where they are equal, else 0, by the paper's Algorithm 5; a baseline
    EqPayload,
    /// The same where the first is less, up to 15 bits, by its Algorithm 6; a baseline
    CmpPayload,
    /// In which of --intervals a number lies
    Interval,
    /// Truncation by --fraction-bits; a baseline
    Trunc,
    /// Digits of --digit-bits; a baseline
    Digits,
    /// A lookup in a public table
    PublicTable,
    /// A lookup in a table that is shared
    SecretTable,
    /// Polynomials of degree 2 over --intervals pieces, in one opening; a baseline
    Spline,
    /// `sin(pi x)`
    Sin,
    /// `cos(pi x)`
    Cos,
    /// Both of these at once
    Sincos,
    /// `tan(pi x)`
    Tan,
    /// Whether two places are within 250 m, each party knowing its own
    Proximity,
    /// The same of places that are shared
    ProximityShared,
    /// Whether four scores reach a threshold
    Fusion,
}

fn four() -> u32 {
    4
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Index {
    /// By XOR
    #[default]
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
        write!(f, "{}, {} bits", name(object), self.bits)?;
        if self.is_key() {
            write!(f, " shared by {}", name(index))?;
        }
        if let Some(payload) = self.payload_bits {
            write!(
                f,
                ", {} of {payload} bits",
                if self.is_key() || self.is_ggm() || self.is_payload() { "payload" } else { "results" }
            )?;
        }
        match self.object {
            Object::Interval => write!(f, ", {} intervals", self.intervals)?,
            Object::Spline => write!(f, ", {} pieces", self.intervals)?,
            Object::Digits => write!(f, ", digits of {}", self.digit())?,
            Object::Trunc => write!(f, ", {} cut off", self.fraction_bits())?,
            Object::Sin | Object::Cos | Object::Sincos | Object::Tan | Object::Fusion => {
                write!(f, ", {} behind the point", self.fraction_bits())?;
            }
            _ => {}
        }
        let additive = if self.additive { ", additive" } else { "" };
        write!(f, "{additive}, batch {}", self.batch)
    }
}

impl FssWork {
    pub(super) fn is_key(&self) -> bool {
        matches!(self.object, Object::Dpf | Object::Dcf)
    }

    /// Whether it is made of the paper's own keys.
    pub(super) fn is_ggm(&self) -> bool {
        matches!(self.object, Object::GgmDpf | Object::GgmDcf | Object::GgmEq)
    }

    /// Whether its result carries a shared payload.
    pub(super) fn is_payload(&self) -> bool {
        matches!(self.object, Object::EqPayload | Object::CmpPayload)
    }

    pub(super) fn fraction_bits(&self) -> u32 {
        self.fraction_bits.unwrap_or(self.bits / 2)
    }

    pub(super) fn digit(&self) -> u32 {
        self.digit_bits.unwrap_or(self.bits / 2)
    }
}
