//! Tables that one party must not show, looked up at shared keys.
//!
//! The *owner* has the table, both parties have shares of the keys. [`prf`] has a pseudo-random function on shared inputs.

pub mod prf;
