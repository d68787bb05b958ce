//! Parts of protocols of which the crate of baselines is made. They are no interface, and may change with every version.

pub use crate::{
    codec::{Reader, Writer},
    gates::products::{Direction, Products, multiply},
    lut::{
        arithmetic::many::{Job as AdditiveLookup, lookup as look_up_together},
        read::signed::sign_bit,
    },
    operation::evaluate::by_layers,
    session::parts::{by_role, halves, pieces},
};
