//! Material of a lane that is there before its run.

use std::collections::VecDeque;

use crate::{operation::Material, store::Reserved};

/// Where a lane's material comes from: first what was made ahead, then what was reserved on disk; what both lack is
/// made now.
#[derive(Default)]
pub struct Ready {
    /// Made ahead, in order.
    pub made: VecDeque<Box<dyn Material>>,
    /// From a store.
    pub reserved: Option<Reserved>,
}

impl Ready {
    /// How many items it serves.
    pub(super) fn items(&self) -> usize {
        let made: usize = self.made.iter().map(|material| material.items()).sum();
        made + self.reserved.as_ref().map_or(0, Reserved::len)
    }

    /// As the parties compare it: how many items, and which pieces of material in which order.
    pub(super) fn said(&self) -> String {
        let mut said = format!("{} ready", self.items());
        let mut numbers = self.made.iter().map(|material| material.number()).peekable();
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if(|&next| next == last + 1) {
                last = next;
            }
            said += &format!(", material {first} to {last}");
        }
        said
    }
}
