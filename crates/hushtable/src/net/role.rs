//! The two parties.

use std::fmt;

use crate::terms::Value;

/// Which of the two parties this is. Over a network `P0` listens and `P1` connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The party that listens.
    P0,
    /// The party that connects.
    P1,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
        })
    }
}

impl From<Role> for Value {
    fn from(role: Role) -> Self {
        Self::Text(role.to_string())
    }
}

impl Role {
    /// The other one.
    pub fn peer(self) -> Self {
        match self {
            Role::P0 => Role::P1,
            Role::P1 => Role::P0,
        }
    }

    /// This party's additive share of a public number.
    pub fn share_of(self, number: u64) -> u64 {
        if self == Role::P0 { number } else { 0 }
    }
}
