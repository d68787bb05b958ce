//! Tables that one party must not show, looked up at shared keys.
//!
//! The *owner* has the table, both parties have shares of the keys, both get shares of the rows. [`prf`] has a
//! pseudo-random function on shared inputs, [`mod@copy`] lookups in a copy that the owner has encrypted with it.

mod cells;
pub mod copy;
pub mod prf;
