//! From a TCP connection to a session: TLS if asked for, greetings, the session id.

use super::channel::Channel;
use super::connection::{Connection, Kin};
use super::hello::{Hello, Intent, MAGIC, lane_id, lane_token, session_id};
use super::identity::Fingerprint;
use super::tcp::Tcp;
use super::tls::{self, FIRST_BYTE, Tls};
use super::transport::{Deadline, Transport};
use super::{Options, Role};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::thread;

/// What every connection of this party has in common.
pub(super) struct Setup {
    pub(super) options: Options,
    pub(super) tls: Option<tls::Settings>,
}

/// What a connection is to become.
#[derive(Clone, Copy)]
pub(super) enum Aim<'a> {
    Session,
    Lane { parent: &'a [u8; 32], lane: u16 },
}

/// What a connecting party wanted.
pub(super) enum Arrival {
    /// What this party waited for.
    Wanted(Secured, [u8; 32]),
    /// A look at this party.
    Probe(Secured),
    /// Nothing: it hung up, was silent, or wanted another session.
    Nobody,
}

/// A connection whose peer is authenticated, unless it is plain TCP.
pub(super) struct Secured {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) peer_name: String,
    /// Of its certificate, with TLS.
    pub(super) peer: Option<Fingerprint>,
}

impl Setup {
    pub(super) fn new(options: Options) -> Result<Self> {
        let tls = options
            .identity
            .as_ref()
            .map(|identity| tls::Settings::new(identity, options.timing.linger))
            .transpose()?;
        Ok(Setup { options, tls })
    }

    /// The deadline for a connection to become a session: as for a peer that falls silent.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(self.options.timing.silence + self.options.shape.rtt * 4)
    }

    /// A session's connection over an established transport.
    pub(super) fn connection(
        &self,
        role: Role,
        secured: Secured,
        id: [u8; 32],
        kin: Kin,
    ) -> Result<Connection> {
        let Options { shape, timeout, timing, .. } = self.options;
        let channel = Channel::new(secured.transport, shape, timeout, timing)?;
        Ok(Connection::new(channel, role, id, (secured.peer_name, secured.peer), kin))
    }

    /// The connecting party's side. Shaped links take their round trips here too.
    pub(super) fn call(&self, socket: Tcp, aim: Aim<'_>) -> Result<(Secured, [u8; 32])> {
        let deadline = self.deadline();
        let secured = self.secure(socket, &deadline).map_err(|refusal| refusal.error)?;
        let outcome = self.greet(&*secured.transport, aim, &deadline);
        self.settle(&secured, outcome).map(|id| (secured, id))
    }

    /// TLS, if this party uses it, on the connecting side.
    pub(super) fn secure(
        &self,
        socket: Tcp,
        deadline: &Deadline,
    ) -> std::result::Result<Secured, tls::Refusal> {
        thread::sleep(self.options.shape.rtt);
        let address = socket.addr().to_string();
        let Some(settings) = &self.tls else {
            return Ok(Secured { transport: Arc::new(socket), peer_name: address, peer: None });
        };
        thread::sleep(self.options.shape.rtt);
        Tls::handshake(Role::P1, settings, socket, deadline).map(Secured::new)
    }

    fn greet(&self, transport: &dyn Transport, aim: Aim<'_>, deadline: &Deadline) -> Result<[u8; 32]> {
        let mine = greeting(Role::P1, aim);
        let theirs = self.trade(transport, &mine, deadline)?;
        match aim {
            Aim::Session => Ok(session_id(&theirs, &mine)),
            Aim::Lane { parent, lane } => {
                same_lane(&theirs, parent, lane, Role::P0)?;
                Ok(lane_id(parent, lane))
            }
        }
    }

    /// Sends P1's greeting and checks P0's.
    pub(super) fn trade(
        &self,
        transport: &dyn Transport,
        mine: &Hello,
        deadline: &Deadline,
    ) -> Result<Hello> {
        thread::sleep(self.options.shape.rtt);
        mine.send(transport, deadline)?;
        let theirs = Hello::recv(transport, deadline)?;
        theirs.check(Role::P1)?;
        Ok(theirs)
    }

    /// The listening party's side.
    pub(super) fn answer(&self, socket: Tcp, aim: Aim<'_>) -> Result<Arrival> {
        let deadline = self.deadline();
        let address = socket.addr();
        // A connection that says nothing is a port scan or a health check: not worth an end.
        let Ok(Some(first)) = socket.peek(deadline.left()) else { return Ok(Arrival::Nobody) };
        let secured = match (&self.tls, first) {
            (None, FIRST_BYTE) => {
                let error = "the peer uses TLS, this party plain TCP";
                return self.turn_away(socket, false, error, &deadline);
            }
            (Some(_), first) if first == MAGIC[0] => {
                let error = "the peer uses plain TCP, this party TLS";
                return self.turn_away(socket, true, error, &deadline);
            }
            (None, _) => Secured { transport: Arc::new(socket), peer_name: address.to_string(), peer: None },
            (Some(settings), _) => {
                let tls = Tls::handshake(Role::P0, settings, socket, &deadline);
                Secured::new(tls.map_err(|refusal| refusal.error)?)
            }
        };
        let outcome = host(&*secured.transport, aim, &deadline);
        Ok(match self.settle(&secured, outcome)? {
            Guest::Wanted(id) => Arrival::Wanted(secured, id),
            Guest::Probe => Arrival::Probe(secured),
            Guest::Stranger => Arrival::Nobody,
        })
    }

    /// Tells a peer of the other kind of connection, in a plain greeting, that it is one.
    fn turn_away(&self, socket: Tcp, secure: bool, error: &str, deadline: &Deadline) -> Result<Arrival> {
        let hello = Hello { secure, ..Hello::new(Role::P0, Intent::Session) };
        // The peer may be gone already; our own error matters more.
        let _ = hello.send(&socket, deadline);
        socket.close(self.options.timing.linger);
        Err(Error::Tls(error.into()))
    }

    /// After a failure, hangs up so that the peer still receives what was said.
    fn settle<T>(&self, secured: &Secured, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            secured.transport.close(self.options.timing.linger);
        }
        outcome
    }
}

impl Secured {
    fn new(tls: Tls) -> Self {
        let (name, peer) = tls.peer().unzip();
        let peer_name = name.flatten().unwrap_or_else(|| "nameless".into());
        Secured { transport: Arc::new(tls), peer_name, peer }
    }
}

/// Who has come.
enum Guest {
    Wanted([u8; 32]),
    Probe,
    Stranger,
}

/// P0's side of the greetings.
fn host(transport: &dyn Transport, aim: Aim<'_>, deadline: &Deadline) -> Result<Guest> {
    let theirs = Hello::recv(transport, deadline)?;
    // A peer of another version gets our greeting too, so that it can name the difference; what
    // else its greeting says is not looked at.
    let fit = theirs.check(Role::P0);
    let mut mine = Hello::new(Role::P0, Intent::Session);
    let guest = match (aim, theirs.intent()) {
        _ if fit.is_err() => Guest::Stranger,
        (_, Some(Intent::Probe)) => Guest::Probe,
        (Aim::Session, Some(Intent::Session)) => Guest::Wanted(session_id(&mine, &theirs)),
        (Aim::Lane { parent, lane }, Some(Intent::Lane)) => {
            same_lane(&theirs, parent, lane, Role::P1)?;
            mine = greeting(Role::P0, aim);
            Guest::Wanted(lane_id(parent, lane))
        }
        // A second caller while this party is busy: not worth the session's end.
        (Aim::Lane { .. }, Some(Intent::Session)) => return Ok(Guest::Stranger),
        _ => return Err(Error::Peer("a connection to a session that is not open here".into())),
    };
    mine.send(transport, deadline)?;
    fit.map(|()| guest)
}

fn greeting(role: Role, aim: Aim<'_>) -> Hello {
    match aim {
        Aim::Session => Hello::new(role, Intent::Session),
        Aim::Lane { parent, lane } => {
            Hello { lane, token: lane_token(parent, lane, role), ..Hello::new(role, Intent::Lane) }
        }
    }
}

/// Checks that the greeting of party `role` belongs to a lane.
fn same_lane(hello: &Hello, parent: &[u8; 32], lane: u16, role: Role) -> Result<()> {
    let right = hello.intent == Intent::Lane as u8
        && hello.lane == lane
        && hello.token == lane_token(parent, lane, role);
    if right { Ok(()) } else { Err(Error::Peer("a connection that is no lane of this session".into())) }
}
