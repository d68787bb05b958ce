//! A session with the peer: role, session id, channel, and siblings for parallel lanes.

use super::agree;
use super::channel::Channel;
use super::difference;
use super::farewell::Farewell;
use super::fingerprint::Fingerprint;
use super::hello::lane_id;
use super::memory::Memory;
use super::patience::{Patience, SLOWEST, Timing};
use super::raw::RawPeer;
use super::role::Role;
use super::shape::LinkShape;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One party's end of a session. Dropping it hangs up, so the peer's next wait ends too.
pub struct Connection {
    channel: Channel,
    role: Role,
    id: [u8; 32],
    peer_name: String,
    peer: Option<Fingerprint>,
    /// Neither a probe nor a session with a party that serves many has one.
    kin: Option<Arc<dyn Kin>>,
    in_process: bool,
    link: Option<LinkShape>,
    /// Lanes forked so far: a lane's number, and so its id, is never used again.
    lanes: u16,
}

/// In one process a silent peer is slow, not behind a broken network: the wait in a message, and for one.
const WAITS: [Duration; 2] = [Duration::from_secs(120), Duration::from_secs(3600)];

/// Where siblings come from.
pub(super) trait Kin: Send + Sync {
    /// This party's end of the lane of that number, while the session is `alive`.
    fn lane(
        self: Arc<Self>,
        parent: &[u8; 32],
        lane: u16,
        alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Connection>;
}

/// The way to lanes inside this process.
struct Siblings {
    role: Role,
    shape: LinkShape,
    waiting: Arc<Waiting>,
}

/// The ends of lanes that the peer has not picked up yet, by lane number.
type Waiting = Mutex<HashMap<u16, Connection>>;

impl Connection {
    pub(super) fn new(
        channel: Channel,
        role: Role,
        id: [u8; 32],
        (peer_name, peer): (String, Option<Fingerprint>),
        kin: Option<Arc<dyn Kin>>,
        link: Option<LinkShape>,
    ) -> Self {
        Connection { channel, role, id, peer_name, peer, kin, in_process: false, link, lanes: 0 }
    }

    /// Two parties in this process, with a fresh session id.
    pub fn pair() -> (Connection, Connection) {
        let mut id = [0; 32];
        getrandom::fill(&mut id).expect("the operating system has randomness");
        Self::pair_with(id, LinkShape::LOOPBACK)
    }

    /// Two parties in this process, with a given session id: for tests that repeat. Such a session
    /// exists only in one process, so no real peer ever sees a repeated id.
    pub fn pair_with(id: [u8; 32], shape: LinkShape) -> (Connection, Connection) {
        let (a, b) = Memory::pair();
        let waiting = Arc::default();
        let end = |end, role| {
            let siblings = Siblings { role, shape, waiting: Arc::clone(&waiting) };
            Self::in_memory(end, id, siblings)
        };
        (end(a, Role::P0), end(b, Role::P1))
    }

    /// One party in this process, its peer as raw bytes: for tests of what goes over the wire and
    /// of hostile peers. Has no lanes.
    #[doc(hidden)]
    pub fn with_raw_peer(role: Role, id: [u8; 32]) -> (Connection, RawPeer) {
        let (mine, theirs) = Memory::pair();
        let siblings = Siblings { role, shape: LinkShape::LOOPBACK, waiting: Arc::default() };
        (Self::in_memory(mine, id, siblings), RawPeer::new(theirs))
    }

    fn in_memory(end: Memory, id: [u8; 32], siblings: Siblings) -> Self {
        let [timeout, idle] = WAITS;
        // A peer in this process is not gone without hanging up, however slow the machine is.
        let timing = Timing::default().silence(timeout);
        let patience = Patience { timeout, idle, slowest: SLOWEST, timing };
        let farewell = Farewell::default();
        let channel = Channel::new(Arc::new(end), siblings.shape, patience, &farewell);
        let channel = channel.expect("a thread can be started");
        let (role, peer) = (siblings.role, ("this process".into(), None));
        let link = siblings.shape.simulated();
        let connection = Connection::new(channel, role, id, peer, Some(Arc::new(siblings)), link);
        Connection { in_process: true, ..connection }
    }

    /// Whether the peer is in this process too.
    pub(crate) fn is_in_process(&self) -> bool {
        self.in_process
    }

    /// Which party this is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The session id: fresh, the same on both sides, public. It enters every hash.
    pub fn id(&self) -> [u8; 32] {
        self.id
    }

    /// The messages of the session.
    pub fn channel(&mut self) -> &mut Channel {
        &mut self.channel
    }

    /// Who the peer is: the name under which it is trusted, or without TLS its address.
    pub fn peer_name(&self) -> &str {
        &self.peer_name
    }

    /// The fingerprint of the peer's certificate; `None` without TLS.
    pub fn peer_fingerprint(&self) -> Option<Fingerprint> {
        self.peer
    }

    /// Compares parameters with the peer: at most 64 of (name of at most 64 bytes, value of at
    /// most 256 bytes), 16 KiB together. One round.
    ///
    /// # Errors
    /// [`Error::Handshake`] on both sides, naming the first field in which the lists differ. The
    /// session is over then.
    pub fn agree(&mut self, fields: &[(&str, String)]) -> Result<()> {
        agree::agree(&mut self.channel, fields, Vec::new()).inspect_err(|_| self.channel.fail())
    }

    /// [`agree`](Self::agree), and beside it a message `mine` of this party and one of `theirs` bytes of the peer's,
    /// which is read when the parameters are known to be the same. One round.
    pub(crate) fn agree_beside(
        &mut self,
        fields: &[(&str, String)],
        mine: Vec<u8>,
        theirs: usize,
    ) -> Result<Vec<u8>> {
        agree::agree(&mut self.channel, fields, mine).inspect_err(|_| self.channel.fail())?;
        self.channel.recv(theirs)
    }

    /// The link to the peer, as far as it is known without being measured for the purpose: a simulated one, one inside
    /// this machine, and at the party that connected what its round trip tells.
    pub fn link(&self) -> Option<LinkShape> {
        self.link
    }

    /// The first row in which `names` differ from the peer's, which must ask for it at the same point; `None` if they
    /// are the same. 2 rounds, and about as many more as the number of rows has bits. The peer can test guesses of the
    /// name in that row.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn first_difference(&mut self, names: &[&str]) -> Result<Option<usize>> {
        difference::first(&mut self.channel, &self.id, names)
    }

    /// Every later call is an error.
    pub(crate) fn end(&mut self) {
        self.channel.fail();
    }

    /// `lanes` more sessions with the same peer, in the same order on both sides: for work in
    /// parallel. Both parties call it at the same point; its agreement on `lanes` is one round.
    ///
    /// # Errors
    /// [`Error::Handshake`] if the parties ask for different numbers; what connecting may return.
    /// This session is over then as well: the parties may not have the same lanes.
    pub fn fork(&mut self, lanes: usize) -> Result<Vec<Connection>> {
        // Before anything is sent: both ends are of one kind.
        let kin = Arc::clone(self.kin.as_ref().ok_or_else(|| Error::Param {
            what: "lanes of a session",
            got: "some".into(),
            accepted: "none with a party that serves many".into(),
        })?);
        let numbers = self.number_lanes("lanes", lanes)?;
        let mut lane = |lane| Arc::clone(&kin).lane(&self.id, lane, &mut || self.channel.watch());
        let lanes: Result<Vec<_>> = numbers.map(&mut lane).collect();
        lanes.inspect_err(|_| {
            // The peer may still wait for a lane: it ends with this session.
            self.channel.hang_up().now();
            self.channel.fail();
        })
    }

    /// Numbers of so many lanes, none of which was given before. Both parties call it at the same point, for
    /// lanes that are opened now or elsewhere, as `what` says; 1 round.
    pub(crate) fn number_lanes(&mut self, what: &str, lanes: usize) -> Result<Range<u16>> {
        let last = usize::from(self.lanes) + lanes;
        let last = u16::try_from(last).map_err(|_| Error::Param {
            what: "lanes of one session",
            got: last.to_string(),
            accepted: format!("at most {}", u16::MAX),
        })?;
        self.agree(&[(what, lanes.to_string())])?;
        Ok(std::mem::replace(&mut self.lanes, last)..last)
    }

    /// The id of the lane of that number.
    pub(crate) fn lane_id(&self, lane: u16) -> [u8; 32] {
        lane_id(&self.id, lane)
    }

    /// Gives the session another id, which both parties derive from this one: its keys, and its lanes' ids, are
    /// other ones.
    pub(crate) fn rename(&mut self, id: [u8; 32]) {
        self.id = id;
    }
}

impl Kin for Siblings {
    /// Whoever comes first makes both ends.
    fn lane(
        self: Arc<Self>,
        parent: &[u8; 32],
        lane: u16,
        _alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Connection> {
        let mut waiting = self.waiting.lock().expect("no panic while the lock is held");
        Ok(waiting.remove(&lane).unwrap_or_else(|| {
            let (p0, p1) = Connection::pair_with(lane_id(parent, lane), self.shape);
            let (mine, theirs) = if self.role == Role::P0 { (p0, p1) } else { (p1, p0) };
            waiting.insert(lane, theirs);
            mine
        }))
    }
}
