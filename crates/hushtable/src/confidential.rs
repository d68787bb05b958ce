//! Tables that one party must not show, looked up at shared keys.
//!
//! The *owner* has the table, both parties have shares of the keys, both get shares of the rows. [`prf`] has a
//! pseudo-random function on shared inputs, [`mod@copy`] lookups in a copy that the owner has encrypted with it, [`thin`]
//! lookups of which the other party keeps nothing. [`order`] sorts shuffled items by opened comparisons, [`spread`] copies
//! within runs. [`splut`] sends a small table whole for each lookup. [`planner`] chooses.

mod cells;
pub mod copy;
pub mod order;
pub mod planner;
pub mod prf;
mod runs;
pub mod splut;
pub mod spread;
pub mod thin;
