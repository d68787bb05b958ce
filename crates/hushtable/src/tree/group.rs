//! The groups of indices.

use prim::rows::Shift;

use crate::share::{Additive, Bitwise, Kind};

/// The group in which an index is shared and shifted. A correlation of one group cannot serve an
/// index of the other: they are different types.
///
/// ```compile_fail,E0308
/// # use hushtable::{AShare, Party, Result, lut::Table, onehot::{OneHot, Xor}};
/// fn mixed(p: &mut Party, m: OneHot<Xor>, t: &Table<u8>, x: &AShare<u32>) -> Result<()> {
///     m.lookup_xor(p, t, x)?; // an additive index with material of the xor group
///     Ok(())
/// }
/// ```
pub trait Group: Copy + Send + Sync + 'static {
    /// How the index is shared.
    type Kind: Kind;
    /// How a row is shifted.
    const SHIFT: Shift;
    /// `cyclic` or `xor`, for messages.
    const NAME: &'static str;
}

/// Indices shared additively modulo the table's length; rows rotate.
#[derive(Clone, Copy)]
pub struct Cyclic;

/// Indices shared by XOR; rows permute by XOR of the index.
#[derive(Clone, Copy)]
pub struct Xor;

impl Group for Cyclic {
    type Kind = Additive;
    const SHIFT: Shift = Shift::Cyclic;
    const NAME: &'static str = "cyclic";
}

impl Group for Xor {
    type Kind = Bitwise;
    const SHIFT: Shift = Shift::Xor;
    const NAME: &'static str = "xor";
}
