//! How two parties come to one lookup protocol.
//!
//! # Protocol
//! 1. Both send the number of the protocol that they ask for, or 0 if they leave the choice open, and whether they
//!    know the link. A protocol that either asks for is taken; two that differ end both parties with the same error.
//! 2. If both leave it open: unless P0 knows the link, two crossing messages measure it. Both send the number of
//!    what they would take, and P0's is taken.
//!
//! Nothing here is secret: job, batch and link are public.

use std::time::Instant;

use super::{Machine, Objective, Wanted, choose};
use crate::{
    error::{Error, Result},
    lut::{LookupJob, Protocol},
    net::LinkShape,
    session::{Session, by_role},
};

/// What a party brings to the choice.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Wish {
    /// The protocol asked for; `None` leaves the choice open.
    pub protocol: Option<Protocol>,
    /// What to minimise.
    pub objective: Objective,
    /// How fast the machines are.
    pub machine: Machine,
    /// The link, if it is known.
    pub link: Option<LinkShape>,
}

impl Default for Wish {
    /// The best in all, by machines as those of the reference, over a link to be measured.
    fn default() -> Self {
        Self { protocol: None, objective: Objective::Total, machine: Machine::REFERENCE, link: None }
    }
}

impl Wish {
    /// For this protocol.
    #[must_use]
    pub fn protocol(self, protocol: impl Into<Option<Protocol>>) -> Self {
        Self { protocol: protocol.into(), ..self }
    }

    /// With this made small.
    #[must_use]
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    /// With machines so fast.
    #[must_use]
    pub fn machine(self, machine: Machine) -> Self {
        Self { machine, ..self }
    }

    /// Over this link.
    #[must_use]
    pub fn link(self, link: impl Into<Option<LinkShape>>) -> Self {
        Self { link: link.into(), ..self }
    }
}

/// Instead of a protocol's number: the choice is open.
const OPEN: u8 = 0;

/// The protocol for `batch` lookups with this peer. 1 round, or 2 if both leave the choice open and P0 knows the
/// link, or 4.
///
/// # Errors
/// [`Error::Handshake`], at both parties, if they ask for different protocols; at one party if the peer asks for
/// one that this release does not know. [`Error::Param`] if the protocol does not serve the job, and those of the
/// channel.
pub fn settle(s: &mut Session, wish: &Wish, job: &LookupJob, batch: usize) -> Result<Protocol> {
    let taken = agreed(s, wish, job, batch).inspect_err(|_| s.end())?;
    taken.check(job).map(|()| taken)
}

fn agreed(s: &mut Session, wish: &Wish, job: &LookupJob, batch: usize) -> Result<Protocol> {
    let mine = [wish.protocol.map_or(OPEN, Protocol::number), u8::from(wish.link.is_none())];
    let theirs = s.exchange(mine.to_vec(), mine.len())?;
    let asked = if theirs[0] == OPEN { None } else { Some(protocol(theirs[0])?) };
    match (wish.protocol, asked) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            let (ours, theirs) = (ours.to_string(), theirs.to_string());
            Err(Error::Handshake { field: "protocol".into(), ours, theirs })
        }
        (Some(protocol), _) | (None, Some(protocol)) => Ok(protocol),
        (None, None) => {
            let (unknown, _) = by_role(s.role(), mine[1], theirs[1]); // to P0
            let measured = if unknown == 0 { LinkShape::USUAL } else { measure(s)? };
            let link = wish.link.unwrap_or(measured);
            let wanted = Wanted::new(wish.objective, link, wish.machine);
            let mine = choose(Protocol::ways(job, batch)?, &wanted).expect("a way of lookups");
            let theirs = protocol(s.exchange(vec![mine.number()], 1)?[0])?;
            Ok(by_role(s.role(), mine, theirs).0)
        }
    }
}

/// The link as crossing messages of a byte find it: two in a row take a round trip, whoever is ahead.
fn measure(s: &mut Session) -> Result<LinkShape> {
    let start = Instant::now();
    s.barrier()?;
    s.barrier()?;
    Ok(LinkShape::of_trip(start.elapsed()))
}

/// The protocol of a number from the peer.
fn protocol(number: u8) -> Result<Protocol> {
    Protocol::of_number(number).ok_or_else(|| Error::Handshake {
        field: "protocol".into(),
        ours: "those of this release".into(),
        theirs: format!("number {number}, which this release does not know"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Sharing;

    const JOB: LookupJob =
        LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 8, value_bits: 16 };

    fn wish(protocol: Option<Protocol>, objective: Objective, link: Option<LinkShape>) -> Wish {
        Wish { protocol, objective, machine: Machine::REFERENCE, link }
    }

    /// What both parties come to.
    fn settled(wishes: [Wish; 2]) -> [Result<Protocol>; 2] {
        let (mut s0, mut s1) = Session::pair_seeded(5, LinkShape::LOOPBACK);
        std::thread::scope(|scope| {
            let p1 = scope.spawn(|| settle(&mut s1, &wishes[1], &JOB, 100));
            [settle(&mut s0, &wishes[0], &JOB, 100), p1.join().expect("no panic")]
        })
    }

    #[test]
    fn what_either_asks_for_is_taken() {
        let open = wish(None, Objective::Total, None);
        for protocol in Protocol::ALL.into_iter().filter(|p| p.check(&JOB).is_ok()) {
            let asked = wish(Some(protocol), Objective::Bytes, None);
            for wishes in [[open, asked], [asked, open], [asked, asked]] {
                assert_eq!(settled(wishes).map(|taken| taken.expect("a protocol")), [protocol; 2]);
            }
        }
    }

    #[test]
    fn an_open_choice_is_that_of_p0() {
        let (bytes, total) =
            (wish(None, Objective::Bytes, Some(LinkShape::WAN)), wish(None, Objective::Total, None));
        for wishes in [[bytes, total], [total, bytes]] {
            let [p0, p1] = settled(wishes).map(|taken| taken.expect("a protocol"));
            assert_eq!(p0, p1);
        }
        let wanted = Wanted::new(Objective::Bytes, LinkShape::WAN, Machine::REFERENCE);
        let best = choose(Protocol::ways(&JOB, 100).expect("ways"), &wanted).expect("a protocol");
        assert_eq!(settled([bytes, total]).map(Result::unwrap), [best; 2]);
    }

    #[test]
    fn two_that_differ_end_both() {
        let asked = |protocol| wish(Some(protocol), Objective::Total, None);
        for outcome in settled([asked(Protocol::Rotl), asked(Protocol::SpLut)]) {
            let error = outcome.expect_err("refused");
            assert!(matches!(&error, Error::Handshake { field, .. } if field == "protocol"), "{error}");
        }
    }

    #[test]
    fn a_disagreement_ends_the_session() {
        let (mut s0, mut s1) = Session::pair_seeded(5, LinkShape::LOOPBACK);
        let ask = |s: &mut Session, protocol| {
            assert!(settle(s, &wish(Some(protocol), Objective::Total, None), &JOB, 100).is_err());
            assert!(matches!(s.exchange(vec![0], 1), Err(Error::Closed)));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| ask(&mut s1, Protocol::Rotl));
            ask(&mut s0, Protocol::SpLut);
        });
    }

    #[test]
    fn unknown_numbers_are_refused() {
        for number in [OPEN, 200, 255] {
            assert!(matches!(protocol(number), Err(Error::Handshake { .. })), "{number}");
        }
        for known in Protocol::ALL {
            assert_eq!(protocol(known.number()).unwrap(), known);
        }
    }
}
