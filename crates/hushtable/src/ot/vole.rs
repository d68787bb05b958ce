//! VOLE over F_2^64: random vectors that are correlated by Delta, as correlated OTs are, with words in place of bits.
//!
//! # Functionality
//! With `V = (F_2^64)^2`, whose elements are blocks, and the sender's `Delta` of the session's correlated OTs: the
//! sender gets uniform `v_i` in V, the receiver uniform `a_i` in F_2^64 and `w_i = v_i + a_i Delta`.
//!
//! # Protocol
//! 1. *Packing*: 64 correlated OTs `t_j = q_j + b_j Delta` make one, without a message: `v = sum x^j q_j`,
//!    `w = sum x^j t_j`, `a = sum b_j x^j`. Up to [`PACKED`] are all made so.
//! 2. *Extension* beyond that, by LPN with the sets of [`params`](super::params): `k + t` VOLEs, the seeds, and
//!    `t * depth` correlated OTs make `t * 2^depth`. For each tree, a single-point VOLE: by a half-tree, as in
//!    Ferret, the sender expands `depth` strings to leaves and the receiver gets all but number
//!    `alpha`; both hash them, `v_i = H'(leaf_i ^ i)`. Of a seed `(y; beta, z = y + beta Delta)` the sender sends
//!    `D = y + sum v_i`; the receiver sets `w_alpha = D + z + sum of the other v_i` and `a_alpha = beta`, the other
//!    `a_i` being 0. Then row i of the matrix, of 10 entries, times the first `k` seeds is added to each of them.
//! 3. *Chain*: packed ones start set S, which serves up to 124 928; two extensions of S start M; one of M starts L, from
//!    2^23 on where the session would make as many OTs by L. The last trees of an extension are the seeds of the next.
//!
//! # Security
//! The matrix has random coefficients (join-spec 1): over one of zeros and ones, as Ferret has it,
//! a word would be 64 instances of LPN over F_2 with the same noise positions, which are found by elimination. Leaves
//! are hashed before they are added up: unhashed, they add up to Delta. The noise is never chosen, and no seed serves
//! twice.
//!
//! # Cost
//! [`bill`]: 64 correlated OTs for each packed one, `depth` and `16 depth` bytes from the sender for each tree, 1 round.
//! For 2^20: 1.13 million correlated OTs and 0.29 MB; from then on 0.16 bytes each. Work: about 9.5 AES calls each,
//! and 20 products of words at the sender, 30 at the receiver.
//!
//! # Source
//! Boyle et al., "Compressing Vector OLE" (CCS 2018), by LPN as in Ferret, with half-trees; join-spec, section 1.

mod chain;
mod extension;
mod halves;
mod packing;

use prim::Wiped;
use zeroize::Zeroizing;

use self::{chain::Chain, extension::Keys};
pub use self::{
    chain::{MAX, PACKED},
    halves::{Receiver, Sender},
};
use super::{choice::Limits, source::Ot};
use crate::{
    bill::{Bill, Phase},
    error::Result,
    net::Role,
    session::Session,
};

/// What `count` VOLEs cost in which the party `sender` knows Delta, in a session of these limits.
///
/// # Errors
/// [`Error::Param`](crate::Error::Param) for more than [`MAX`].
pub fn bill(sender: Role, count: usize, limits: &Limits) -> Result<Bill> {
    let chain = Chain::of(count, limits)?;
    let mut bill = Bill { kept: 192 * count as u64, ..Bill::FREE };
    bill.cots[sender as usize] = (64 * chain.packed + chain.tree_cots()) as u64;
    if chain.tree_cots() > 0 {
        let mut bits = [0; 2];
        bits[sender as usize] = 128 * chain.tree_cots() as u64;
        bill.offline = Phase { bits, rounds: 1 };
    }
    Ok(bill)
}

/// The next `count` VOLEs at the party that knows Delta; the peer [receives](receive) as many.
///
/// # Errors
/// [`Error::Param`](crate::Error::Param) for more than [`MAX`]; those of the channel.
pub(crate) fn send(s: &mut Session, ot: &mut Ot, count: usize) -> Result<Sender> {
    let chain = Chain::of(count, &ot.setting().limits)?;
    send_by(s, ot, &chain)
}

fn send_by(s: &mut Session, ot: &mut Ot, chain: &Chain) -> Result<Sender> {
    let mut seeds = packing::send(s, ot, chain.packed)?;
    let mut cots = ot.take(s, chain.tree_cots(), 0)?.0;
    let delta = Zeroizing::new(cots.delta());
    for level in &chain.levels {
        let mut out = Wiped::default();
        out.reserve(level.room());
        for extension in level.extensions() {
            let keys = Keys::new(s, s.role(), level.set);
            let mut next = Wiped::default();
            next.reserve(extension.kept());
            let cots = cots.take(extension.cots())?;
            extension::send(s, &keys, &extension, &cots, &seeds, (&mut out, &mut next))?;
            seeds = next;
        }
        out.truncate(level.outputs);
        seeds = out;
    }
    Ok(Sender { delta, v: seeds })
}

/// The next `count` VOLEs at the other party; the peer [sends](send) as many.
///
/// # Errors
/// As [`send`].
pub(crate) fn receive(s: &mut Session, ot: &mut Ot, count: usize) -> Result<Receiver> {
    let chain = Chain::of(count, &ot.setting().limits)?;
    receive_by(s, ot, &chain)
}

fn receive_by(s: &mut Session, ot: &mut Ot, chain: &Chain) -> Result<Receiver> {
    let mut seeds = packing::receive(s, ot, chain.packed)?;
    let mut cots = ot.take(s, 0, chain.tree_cots())?.1;
    for level in &chain.levels {
        let mut out = Receiver::with_room(level.room());
        for extension in level.extensions() {
            let keys = Keys::new(s, s.role().peer(), level.set);
            let mut next = Receiver::with_room(extension.kept());
            let cots = cots.take(extension.cots())?;
            extension::receive(s, &keys, &extension, &cots, &seeds, (&mut out, &mut next))?;
            seeds = next;
        }
        out.a.truncate(level.outputs);
        out.w.truncate(level.outputs);
        seeds = out;
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use prim::gf64;

    use super::*;
    use crate::{net::LinkShape, ot::Scheme};

    /// Extensions of a set one after the other, and every set from the one before.
    #[test]
    fn chains_of_extensions() {
        for (seed, count, top) in [(1, 260_000, 0), (2, 5000, 0), (3, 40_000, 1), (4, 20_000, 2)] {
            let chain = Chain::up_to(count, top);
            let (s0, s1) = Session::pair_seeded(seed, LinkShape::LOOPBACK);
            let (sent, received) = std::thread::scope(|scope| {
                let chain = &chain;
                let p1 = scope.spawn(move || {
                    let (mut s, mut ot) = started(s1);
                    receive_by(&mut s, &mut ot, chain).unwrap()
                });
                let (mut s, mut ot) = started(s0);
                (send_by(&mut s, &mut ot, chain).unwrap(), p1.join().unwrap())
            });
            assert_eq!((sent.v.len(), received.a.len(), received.w.len()), (count, count, count));
            let mut w = sent.v.clone();
            gf64::scale_pair_add(&mut w, &received.a, *sent.delta);
            assert!(w == *received.w, "{count} {top}");
            for words in [&received.a[..], bytemuck::cast_slice(&sent.v), bytemuck::cast_slice(&received.w)] {
                let mut words = words.to_vec();
                words.sort_unstable();
                assert!(
                    words.windows(2).all(|pair| pair[0] != pair[1]),
                    "{count} {top}: a word occurs twice"
                );
            }
        }
    }

    fn started(mut s: Session) -> (Session, Ot) {
        let ot = Ot::new(&mut s, Some(Scheme::Ferret)).unwrap();
        (s, ot)
    }
}
