//! The netlist that yosys writes as JSON.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor},
};

/// All of a file.
#[derive(Deserialize)]
pub struct Netlist {
    pub modules: Ordered<Module>,
}

/// A module, flat.
#[derive(Deserialize)]
pub struct Module {
    pub ports: Ordered<PortBits>,
    pub cells: Ordered<Cell>,
    pub netnames: Ordered<Net>,
}

/// A port.
#[derive(Deserialize)]
pub struct PortBits {
    pub direction: String,
    #[serde(default)]
    pub signed: u8,
    pub bits: Vec<Bit>,
}

/// A cell: what it is and what it is connected to.
#[derive(Deserialize)]
pub struct Cell {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
    #[serde(default)]
    pub attributes: BTreeMap<String, Value>,
    pub connections: BTreeMap<String, Vec<Bit>>,
}

/// A name for some bits.
#[derive(Deserialize)]
pub struct Net {
    pub bits: Vec<Bit>,
    #[serde(default)]
    pub hide_name: u8,
    #[serde(default)]
    pub attributes: BTreeMap<String, Value>,
}

/// A bit: a wire's number, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    Wire(usize),
    Constant(bool),
    /// `x` or `z`: no value.
    Unknown,
}

/// A parameter's or attribute's value.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    Number(u64),
}

impl Value {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Wire(usize),
            Constant(String),
        }
        Ok(match Raw::deserialize(from)? {
            Raw::Wire(wire) => Self::Wire(wire),
            Raw::Constant(text) if text == "0" => Self::Constant(false),
            Raw::Constant(text) if text == "1" => Self::Constant(true),
            Raw::Constant(_) => Self::Unknown,
        })
    }
}

impl Cell {
    /// A parameter that is a number: 0 where there is none.
    pub fn number(&self, name: &str) -> usize {
        match self.parameters.get(name) {
            Some(Value::Number(number)) => *number as usize,
            Some(Value::Text(text)) => usize::from_str_radix(text, 2).unwrap_or(0),
            None => 0,
        }
    }

    /// A parameter's bits as they are written, the highest first.
    pub fn digits(&self, name: &str) -> &str {
        self.parameters.get(name).and_then(Value::text).unwrap_or("")
    }

    /// What a port is connected to.
    pub fn port(&self, name: &str) -> &[Bit] {
        self.connections.get(name).map_or(&[], Vec::as_slice)
    }

    /// File and line.
    pub fn at(&self) -> Option<String> {
        self.attributes.get("src").and_then(Value::text).map(place)
    }
}

impl Net {
    /// File and line.
    pub fn at(&self) -> Option<String> {
        self.attributes.get("src").and_then(Value::text).map(place)
    }
}

/// `file:line` of what yosys calls a source: places as `file:line.column-line.column`, the outermost last.
fn place(src: &str) -> String {
    let first = src.split('|').next_back().unwrap_or(src);
    match first.rsplit_once(':') {
        Some((file, lines)) => {
            let line: String = lines.chars().take_while(char::is_ascii_digit).collect();
            format!("{file}:{line}")
        }
        None => first.to_string(),
    }
}

/// The entries of an object in the order of the file, which is that of the ports.
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Vec<(String, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        Ok(Self(from.deserialize_map(Entries(PhantomData))?))
    }
}
