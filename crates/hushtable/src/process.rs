//! The process that something belongs to.
//!
//! After `fork` parent and child have the same sockets, the same random numbers to come and the same
//! cursor of a store. Used in both, a nonce, a mask or a correlation would serve twice. What holds such
//! state remembers who made it and refuses to work in a child.

use std::{
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::error::{Error, Result};

/// Forks on the way to this process, as far as it was told: a child may have its parent's number, after
/// the parent's end or in a namespace of its own.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Which process this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    id: u32,
    generation: u64,
}

/// To be called in the child after a fork, by programs whose runtime can tell. The process id, which is
/// looked at without being told, covers all but a child with its parent's number.
pub fn forked() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

impl Process {
    /// The one that runs this.
    pub(crate) fn current() -> Self {
        Self { id: process::id(), generation: GENERATION.load(Ordering::Relaxed) }
    }

    /// Whether this runs in that process still.
    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }

    /// [`Error::Forked`] in a child of that process. `what` belongs to it.
    pub(crate) fn check(self, what: &'static str) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        Err(Error::Forked { what, owner: self.id, here: process::id() })
    }

    /// As what a child inherits looks to it: of another process, or of this number before a fork.
    #[cfg(test)]
    pub(crate) fn inherited() -> [Self; 2] {
        let Self { id, generation } = Self::current();
        [Self { id: id ^ 1, generation }, Self { id, generation: generation.wrapping_sub(1) }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inherited_is_refused() {
        Process::current().check("a store").unwrap();
        for other in Process::inherited() {
            let said = other.check("a store").unwrap_err().to_string();
            assert!(said.starts_with("a store of process ") && said.contains("fork"), "{said}");
        }
    }
}
