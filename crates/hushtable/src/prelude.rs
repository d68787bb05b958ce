//! What most programs name: `use hushtable::prelude::*`.

pub use crate::{
    AShare, BShare, Error, Party, Result, Role,
    bill::Objective,
    math::{Bounds, Evaluation, Function, Outside},
    net::{Identity, Listener, Options, connect},
    operation::{Bands, Compare, Intervals, Lookup, Multiply, Operation, Relation},
    run::{Job, Outcome, Reveal},
    run_pair,
};
