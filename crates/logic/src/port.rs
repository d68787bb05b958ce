//! Ports: named groups of a circuit's wires, and what their bits mean.

use std::{fmt, str::FromStr};

use crate::error::{Error, Result};

/// What the bits of a port mean, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// So many bits of no number: written in hexadecimal, the lowest bit last.
    Bits(u32),
    /// A number from 0 to `2^n - 1`.
    Unsigned(u32),
    /// A number in two's complement.
    Signed(u32),
    /// An IEEE 754 number of 32 bits.
    Float32,
    /// An IEEE 754 number of 64 bits.
    Float64,
}

impl Kind {
    /// How many wires it takes.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits(bits) | Self::Unsigned(bits) | Self::Signed(bits) => bits,
            Self::Float32 => 32,
            Self::Float64 => 64,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, "b{bits}"),
            Self::Unsigned(bits) => write!(f, "u{bits}"),
            Self::Signed(bits) => write!(f, "i{bits}"),
            Self::Float32 => f.write_str("f32"),
            Self::Float64 => f.write_str("f64"),
        }
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let kind = match name.split_at_checked(1) {
            _ if name == "f32" => Some(Self::Float32),
            _ if name == "f64" => Some(Self::Float64),
            Some((letter @ ("b" | "u" | "i"), bits)) => {
                bits.parse().ok().filter(|bits| (1..=Port::MAX_BITS).contains(bits)).map(
                    |bits| match letter {
                        "b" => Self::Bits(bits),
                        "u" => Self::Unsigned(bits),
                        _ => Self::Signed(bits),
                    },
                )
            }
            _ => None,
        };
        let accepted = "b, u or i with 1 to 1048576 bits (b128, u8, i32), f32, f64";
        kind.ok_or_else(|| Error::Circuit(format!("type {name:?} of a port; accepted: {accepted}")))
    }
}

/// A named group of wires.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    name: String,
    kind: Kind,
}

impl Port {
    /// Most bits of a port.
    pub const MAX_BITS: u32 = 1 << 20;

    /// A port of this name: 1 to 256 letters, digits and signs without a blank.
    ///
    /// # Errors
    /// [`Error::Circuit`] for another name, and for no bits or more than 2^20.
    pub fn new(name: impl Into<String>, kind: Kind) -> Result<Self> {
        let name = name.into();
        if !is_name(&name) {
            return Error::of(format!(
                "name {name:?} of a port; accepted: 1 to 256 printable letters without blanks"
            ));
        }
        if !(1..=Self::MAX_BITS).contains(&kind.bits()) {
            return Error::of(format!(
                "{} bits of port {name}; accepted: 1 to {}",
                kind.bits(),
                Self::MAX_BITS
            ));
        }
        Ok(Self { name, kind })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its bits mean.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The same bits, meant otherwise.
    ///
    /// # Errors
    /// [`Error::Circuit`] for another number of bits.
    pub fn retyped(&self, kind: Kind) -> Result<Self> {
        if kind.bits() != self.kind.bits() {
            return Error::of(format!(
                "port {} has {} bits; {kind} has {}",
                self.name,
                self.kind.bits(),
                kind.bits()
            ));
        }
        Ok(Self { name: self.name.clone(), kind })
    }

    /// How many wires it has.
    pub fn bits(&self) -> usize {
        self.kind.bits() as usize
    }
}

/// Whether it can name a port or a circuit.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=256).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
}
