//! Tickets: lanes of a session that another process opens, perhaps on another machine.
//!
//! Both parties make tickets at the same point of a session. Each sends its own, by a way that nobody else reads, to
//! where a lane shall work; there both open theirs on a connection of their own. No base OTs are made again.
//!
//! A ticket is for one lane. All that a lane draws comes from its ticket *and* from the id of its connection, which is
//! fresh. If a ticket's bytes are opened twice, the second time finds a peer that holds another ticket or none, and
//! both
//! get [`Error::Handshake`]. If the peer opens its own twice as well, the two lanes have nothing in common but the
//! Deltas, as any two lanes.
//!
//! That is why a ticket has seeds of SoftSpoken and none of a running Ferret, as lanes of a fork get: those cannot be
//! made anew for each connection, and two instances of LPN with one secret and one noise show both.

use std::fmt;

use zeroize::{Zeroize, Zeroizing};

use super::{Party, kept::Kept};
use crate::{
    bill::{Objective, Prices},
    codec::{Reader, Writer, malformed},
    error::{Error, Result},
    net::{Connection, Fingerprint, LinkShape, Role},
    ot::{Limits, Ot, Setting, lane::LaneSeeds, params},
    process::Process,
    session::Session,
};

/// How a ticket's bytes begin; the last one is the version of what follows.
const MAGIC: [u8; 8] = *b"hushtkt\x05";
/// Bytes before the seeds.
const HEAD: usize = 160;

/// One lane of a session, not opened yet. Whoever has it can be this party in that lane: keep it as a key.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, net::Connection, party::Ticket};
/// fn twice(ticket: Ticket, c: Connection, d: Connection) -> Result<(Party, Party)> {
///     Ok((ticket.open(c)?, ticket.open(d)?)) // use of moved value: `ticket`
/// }
/// ```
pub struct Ticket {
    role: Role,
    lane: u16,
    /// Of the lane, from its session's. Both parties have it.
    id: [u8; 32],
    /// With whom, where the session had TLS.
    peer: Option<Fingerprint>,
    // Apart, so that whoever moves this leaves no copy of a secret behind.
    seeds: Box<LaneSeeds>,
    process: Process,
}

impl Party {
    /// Tickets for so many lanes, to be opened here or by other processes of this party: in the same order at both
    /// parties, 1 round.
    ///
    /// # Errors
    /// If the peer does not make as many.
    pub fn tickets(&mut self, lanes: usize) -> Result<Vec<Ticket>> {
        let connection = self.session.connection();
        let numbers = connection.number_lanes("tickets", lanes)?;
        let (role, peer) = (connection.role(), connection.peer_fingerprint());
        let ids: Vec<_> = numbers.map(|lane| (lane, connection.lane_id(lane))).collect();
        let process = Process::current();
        let ticket = |(lane, id)| Ticket { role, lane, id, peer, seeds: self.ot.lane().into(), process };
        Ok(ids.into_iter().map(ticket).collect())
    }
}

impl Ticket {
    /// The lane's number in its session; the peer's ticket for the same lane has it too.
    pub fn lane(&self) -> u16 {
        self.lane
    }

    /// For which of the parties it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The party of the lane, on a fresh connection to the peer, which opens its ticket for the same lane: 1 round.
    /// If the session had TLS, so must the connection, with the same peer.
    ///
    /// # Errors
    /// [`Error::Handshake`] at both parties if these are not the two tickets of a lane; [`Error::Param`] and
    /// [`Error::Identity`] if the connection is of another role or to another peer; [`Error::Forked`] in a fork of
    /// the ticket's process; those of the channel.
    pub fn open(mut self, mut connection: Connection) -> Result<Party> {
        self.process.check("a ticket")?;
        self.check(&connection)?;
        let shown = self.derive(b"shown", &connection);
        let shown: String = shown[..8].iter().map(|b| format!("{b:02x}")).collect();
        connection.agree(&[
            ("ticket", format!("lane {}, {shown}", self.lane)),
            ("LPN parameter sets", params::digest_text()),
            ("OT extension", self.seeds.limits().to_string()),
            ("link, memory and what is to be least", self.seeds.setting().named()),
        ])?;
        let id = self.derive(b"session", &connection);
        connection.rename(id);
        self.seeds.bind(&id);
        let (session, ot) = (Session::new(connection)?, Ot::of_lane(&self.seeds));
        Ok(Party { session, ot, kept: Kept::default(), materials: 0, stores: 0 })
    }

    /// The ticket as bytes, to be sent by a way that nobody else reads.
    ///
    /// # Errors
    /// [`Error::Forked`] in a fork of the ticket's process.
    pub fn into_bytes(self) -> Result<Zeroizing<Vec<u8>>> {
        self.process.check("a ticket")?;
        let Setting { limits, link, memory, objective, prices } = self.seeds.setting();
        let [low, high] = self.lane.to_le_bytes();
        let Limits { k, direct, ends } = limits;
        let mut w = Writer::new(HEAD + self.seeds.encoded_len());
        w.bytes(&MAGIC);
        let least = Objective::number(objective);
        w.bytes(&[self.role as u8, self.peer.is_some().into(), k as u8, direct.into(), low, high, least, 0]);
        ends.iter().for_each(|end| w.bytes(&end.to_le_bytes()));
        w.bytes(&link.to_bytes());
        w.bytes(&memory.to_le_bytes());
        prices.iter().for_each(|prices| w.bytes(&prices.to_bytes()));
        w.bytes(&self.id);
        w.bytes(&self.peer.map_or([0; 32], |peer| *peer.bytes()));
        self.seeds.encode(&mut w);
        Ok(w.finish())
    }

    /// The ticket in these bytes.
    ///
    /// # Errors
    /// [`Error::Store`] for anything that [`into_bytes`](Self::into_bytes) does not write.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::decode(Reader::new(bytes)).map_err(|error| match error {
            Error::Store(why) => Error::Store(format!("a lane's ticket that {why}")),
            other => other,
        })
    }

    fn decode(mut r: Reader) -> Result<Self> {
        if r.array()? != MAGIC {
            return Err(malformed("is malformed, or of another version"));
        }
        let [role, has_peer @ 0..=1, k, direct @ 0..=1, low, high, least, 0] = r.array()? else {
            return Err(malformed("is damaged"));
        };
        let (lane, has_peer) = (u16::from_le_bytes([low, high]), has_peer == 1);
        let role = [Role::P0, Role::P1].into_iter().find(|&known| known as u8 == role);
        let role = role.ok_or_else(|| malformed("is damaged"))?;
        let ends = [r.array()?, r.array()?, r.array()?].map(u64::from_le_bytes);
        let limits = Limits { k: k.into(), direct: direct == 1, ends };
        let objective = Objective::of_number(least).ok_or_else(|| malformed("is damaged"))?;
        let link = LinkShape::from_bytes(r.array()?).ok_or_else(|| malformed("is damaged"))?;
        let memory = u64::from_le_bytes(r.array()?);
        let prices = [Prices::from_bytes(r.array()?), Prices::from_bytes(r.array()?)];
        let [Some(p0), Some(p1)] = prices else { return Err(malformed("is damaged")) };
        let (id, peer) = (r.array()?, r.array()?);
        if !has_peer && peer != [0; 32] {
            return Err(malformed("is damaged"));
        }
        let setting = Setting { limits, link, memory, objective, prices: [p0, p1] };
        let seeds = LaneSeeds::decode(&mut r, role, setting)?;
        r.finish()?;
        let peer = has_peer.then(|| Fingerprint::from_bytes(peer));
        Ok(Self { role, lane, id, peer, seeds: seeds.into(), process: Process::current() })
    }

    /// Whether the connection is one that the ticket is for.
    fn check(&self, connection: &Connection) -> Result<()> {
        if connection.role() != self.role {
            return Err(Error::Param {
                what: "role in a ticket's connection",
                got: format!("{:?}", connection.role()),
                accepted: format!("{:?}, as in the session of the ticket", self.role),
            });
        }
        let (wanted, found) = (self.peer, connection.peer_fingerprint());
        if wanted.is_some() && wanted != found {
            let shown = |peer: Option<Fingerprint>| peer.map_or("nobody".into(), |peer| peer.to_string());
            return Err(Error::Identity(format!(
                "this ticket is for a lane with {}, and the connection authenticates {}",
                shown(wanted),
                shown(found)
            )));
        }
        Ok(())
    }

    /// A value of this lane on this connection, the same at both parties.
    fn derive(&self, label: &[u8], connection: &Connection) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.id);
        hasher.update(&connection.id()).update(label);
        *hasher.finalize().as_bytes()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.id.zeroize();
    }
}

/// Says for which lane, and of its secrets nothing.
impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket(lane {} of {:?})", self.lane, self.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::party::run_pair;

    #[test]
    fn a_fork_neither_opens_nor_writes() {
        let (made, _) = run_pair(Party::pair_seeded(1).unwrap(), |p| p.tickets(4), |p| p.tickets(4)).unwrap();
        let inherited = Process::inherited();
        for (mut ticket, (at, process)) in
            made.into_iter().zip([0, 1].into_iter().flat_map(|i| inherited.map(|p| (i, p))))
        {
            ticket.process = process;
            // Who is not refused finds that the peer has gone.
            let (connection, _) = Connection::pair();
            let refused = if at == 0 { ticket.open(connection).err() } else { ticket.into_bytes().err() };
            assert!(matches!(refused, Some(Error::Forked { what: "a ticket", .. })), "{refused:?}");
        }
    }
}
