//! The items of a batch: those of each message, and those in which each party leads.

use std::ops::Range;

use crate::net::Role;

/// So many items in pieces of `piece`; the last one has what is left.
pub fn pieces(count: usize, piece: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    (0..count).step_by(piece).map(move |from| from..count.min(from + piece))
}

/// The items in which the party `role` leads, and those in which its peer does. P0 leads in the first half of a batch,
/// P1 in the second, so that both directions of the link are used.
pub fn halves(role: Role, batch: usize) -> (usize, usize) {
    by_role(role, batch.div_ceil(2), batch / 2)
}

/// Of what belongs to P0 and to P1, that of the party `role` and that of its peer; and the other way round.
pub fn by_role<T>(role: Role, p0: T, p1: T) -> (T, T) {
    match role {
        Role::P0 => (p0, p1),
        Role::P1 => (p1, p0),
    }
}
