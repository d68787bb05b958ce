//! Statistics of joined columns: what two parties learn of the rows that they have in common, without seeing which.
//!
//! # Functionality
//! In: the bit of each bin whether it matches, and columns that are 0 where it does not, as
//! [`Joined`](crate::join::Joined) has them. Out, as shares until they are opened: the count of matches; sums; sums of
//! products, of which with count and sums [`Moments`] are computed, in the clear; counts and sums by group; the
//! largest and the smallest number, and the least of public cuts that a quantile does not reach ([`Extremes`],
//! [`Quantile`]).
//!
//! **What is opened is all that is told**: a mean and a variance tell count, sum and sum of squares. A group with few
//! members tells of them: [`Grouped::open`] opens nothing of groups that are smaller than a public least size, so that a
//! small one looks like an empty one. That does not help where the same is known by another way: do not open a total
//! beside groups, nor a second query that differs in one person. Keep a list of what was asked. [`Laplace`] noise of
//! both parties, added before opening, bounds what any query tells. Of groups, counts and sums get it, or neither
//! ([`GroupNoise`]). Under noise the least size is compared with the noisy count: a small group may be opened, and a
//! large one may not.
//!
//! Sums are mod `2^l` of the column's width. It is the caller's to leave room for what rows add up to; noise that might
//! leave this room is refused ([`GroupShape::chance`]).
//!
//! What the parties ask is compared before anything is opened: shapes, least sizes and noise. A difference ends both
//! with `Error::Handshake`.
//!
//! # Protocol
//! * *Count*: the bits become additive words of 32 bits, which are added up.
//! * *Sums*: of shares. *Sums of products*: an inner product.
//! * *Groups*: a column of bits for each group, which are exclusive; each bit counts, and selects the words to be summed.
//!   The count of each group is compared with the least size; those bits are opened, then what reaches it.
//!
//! # Cost
//! Those of the conversions, products, selections and comparisons, see the bills.
//!
//! # Source
//! join-spec 4, Aggregates.

mod asked;
mod count;
mod cuts;
mod groups;
mod noise;
mod operation;
mod order;
mod shape;

pub use asked::MAX_LEAST;
pub use count::{Count, Moments, ProductSum, sum};
pub use cuts::CutGroups;
pub use groups::{Group, Grouped, Groups};
pub use noise::Laplace;
pub use operation::{Extreme, Matches, QuantileOf};
pub use order::{End, Extremes, Quantile, QuantileMaterial};
pub use shape::{GroupNoise, GroupShape, MAX_GROUPS};
