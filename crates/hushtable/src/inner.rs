//! Parts of protocols of which the crate of baselines is made. They are no interface, and may change with every version.

pub use crate::{
    circuit::network::Network,
    codec::{Reader, Writer},
    forms::network::{By, Evaluated, Evaluation},
    gates::products::{Direction, Products, multiply},
    lut::{
        arithmetic::many::{Job as AdditiveLookup, lookup as look_up_together},
        read::signed::sign_bit,
    },
    operation::evaluate::by_layers,
    permutation::drawn::{bill as drawn_bill, draw, hold as hold_for_draw},
    session::parts::{by_role, halves, pieces},
};
