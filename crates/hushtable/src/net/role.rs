//! The two parties.

/// Which of the two parties this is. Over a network `P0` listens and `P1` connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The party that listens.
    P0,
    /// The party that connects.
    P1,
}

impl Role {
    /// The other one.
    pub fn peer(self) -> Self {
        match self {
            Role::P0 => Role::P1,
            Role::P1 => Role::P0,
        }
    }
}
