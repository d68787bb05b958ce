//! Statistics of joined columns: what two parties learn of the rows that they have in common, without seeing which.
//!
//! # Functionality
//! In: the bit of each bin whether it matches, and columns that are 0 where it does not, as
//! [`Joined`](crate::join::Joined) has them. Out, as shares until they are opened: the count of [`Matches`]; counts and sums
//! by group ([`GroupShape`]), of which [`CutGroups`] makes the bits from numbers and [`Crossed`] those of two columns
//! together; the largest and the smallest number ([`Extreme`]); the number with a rank, digit by digit ([`OrderDigit`]); the
//! first of public cuts below which a share of the numbers lies ([`Quantile`]). [`Moments`] follow in the clear from opened
//! counts and sums, of products too.
//!
//! Each is an [operation](hushtable::operation::Operation), and a join is one item of it, but that of [`CutGroups`] and
//! [`Crossed`] is a bin. [`run`](hushtable::run) compares what the parties ask, least sizes and noise too, before any work: a difference
//! ends both with `Error::Handshake`.
//!
//! **What is opened is all that is told**: a mean and a variance tell count, sum and sum of squares. A group with few
//! members tells of them: nothing is opened of groups that are smaller than a public least size, so that a small one
//! looks like an empty one. That does not help where the same is known by another way: do not open a total beside groups,
//! nor a second query that differs in one person. Keep a list of what was asked. [`Laplace`] noise of both parties, added
//! before opening, bounds what any query tells. Of groups, counts and sums get it, or neither ([`GroupNoise`]). Under noise
//! the least size is compared with the noisy count: a small group may be opened, and a large one may not.
//!
//! Sums are mod `2^l` of the column's width. It is the caller's to leave room for what rows add up to; noise that might
//! leave this room is refused ([`GroupShape::check`]).
//!
//! # Protocol
//! That of each stands in its file.
//!
//! # Cost
//! Those of the conversions, selections and comparisons, see the bills.
//!
//! # Source
//! join-spec 4, Aggregates.

mod count;
mod crossed;
mod cuts;
mod extreme;
mod groups;
mod noise;
mod order;
mod quantile;
mod shape;

pub use count::{Matches, Moments};
pub use crossed::Crossed;
pub use cuts::CutGroups;
pub use extreme::{End, Extreme};
pub use groups::Group;
pub use noise::Laplace;
pub use order::OrderDigit;
pub use quantile::Quantile;
pub use shape::{GroupNoise, GroupShape, MAX_GROUPS, MAX_LEAST};
