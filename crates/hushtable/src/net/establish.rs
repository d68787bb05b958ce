//! From a TCP connection to a session: TLS if asked for, greetings, the session id.

use super::channel::Channel;
use super::connection::{Connection, Kin};
use super::farewell::Farewell;
use super::guard::{Guard, Refusal, Secured};
use super::hello::{Hello, Intent, lane_id, lane_token, session_id};
use super::options::Options;
use super::role::Role;
use super::tcp::Tcp;
use super::transport::{Deadline, Transport};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What every connection of this party has in common.
pub(super) struct Setup {
    pub(super) options: Options,
    /// `None`: plain TCP.
    pub(super) guard: Option<Box<dyn Guard>>,
}

/// What a connection is to become.
#[derive(Clone, Copy)]
pub(super) enum Aim<'a> {
    Session,
    /// A session with one of many; there will be others.
    Visit,
    Lane {
        parent: &'a [u8; 32],
        lane: u16,
    },
}

/// Why a call came to nothing.
pub(super) struct Unanswered {
    pub(super) error: Error,
    /// The peer hung up without a refusal, or did not say enough in time: perhaps it had too many callers, and the next
    /// call gets through. What it said when this party had given up does not count.
    pub(super) crowded: bool,
}

impl Setup {
    pub(super) fn new(options: Options) -> Result<Self> {
        let guard = match (&options.identity, &options.peer) {
            (Some(identity), _) => Some(identity.guard(&options)?),
            (None, None) => None,
            (None, Some(name)) => {
                return Err(Error::Param {
                    what: "peer",
                    got: format!("{name:?}"),
                    accepted: "none with plain TCP, which authenticates nobody".into(),
                });
            }
        };
        Ok(Setup { options, guard })
    }

    /// The deadline for a connection to become a session: as for a peer that falls silent.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(self.time())
    }

    /// The same as a time.
    pub(super) fn time(&self) -> Duration {
        self.options.timing.silence + self.options.shape.rtt * 4
    }

    /// A session's connection over an established transport.
    pub(super) fn connection(
        &self,
        role: Role,
        secured: Secured,
        id: [u8; 32],
        kin: Option<Arc<dyn Kin>>,
    ) -> Result<Connection> {
        self.connection_with(&self.options.farewell, role, secured, id, kin)
    }

    /// The same with a farewell of its own.
    pub(super) fn connection_with(
        &self,
        farewell: &Farewell,
        role: Role,
        secured: Secured,
        id: [u8; 32],
        kin: Option<Arc<dyn Kin>>,
    ) -> Result<Connection> {
        let shape = &self.options.shape;
        let channel = Channel::new(secured.transport, *shape, self.options.patience(), farewell)?;
        let link = shape.simulated().or(secured.link);
        Ok(Connection::new(channel, role, id, (secured.peer_name, secured.peer), kin, link))
    }

    /// The connecting party's side. Shaped links take their round trips here too.
    pub(super) fn call(
        &self,
        socket: Tcp,
        aim: Aim<'_>,
    ) -> std::result::Result<(Secured, [u8; 32]), Unanswered> {
        let deadline = self.deadline();
        let attempt = || {
            let secured = self.secure(socket, &deadline).map_err(|refusal| refusal.error)?;
            let outcome = self.greet(&*secured.transport, aim, &deadline);
            self.settle(&secured, outcome).map(|id| (secured, id))
        };
        attempt().map_err(|error| {
            // A party that refuses says so: with TLS by an alert, without it by its greeting.
            let crowded = matches!(error, Error::Closed | Error::Timeout { .. });
            Unanswered { error, crowded }
        })
    }

    /// TLS, if this party uses it, on the connecting side.
    pub(super) fn secure(&self, socket: Tcp, deadline: &Deadline) -> std::result::Result<Secured, Refusal> {
        thread::sleep(self.options.shape.rtt);
        let Some(guard) = &self.guard else { return Ok(Secured::plain(socket)) };
        thread::sleep(self.options.shape.rtt);
        guard.secure(Role::P1, socket, deadline)
    }

    fn greet(&self, transport: &dyn Transport, aim: Aim<'_>, deadline: &Deadline) -> Result<[u8; 32]> {
        let mine = greeting(Role::P1, aim);
        let theirs = self.trade(transport, &mine, deadline)?;
        match aim {
            Aim::Session | Aim::Visit => Ok(session_id(&theirs, &mine)),
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

    /// After a failure, hangs up so that the peer still receives what was said.
    pub(super) fn settle<T>(&self, secured: &Secured, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            secured.transport.close(self.options.timing.linger);
        }
        outcome
    }
}

/// The greeting of party `role`.
pub(super) fn greeting(role: Role, aim: Aim<'_>) -> Hello {
    match aim {
        Aim::Session | Aim::Visit => Hello::new(role, Intent::Session),
        Aim::Lane { parent, lane } => {
            Hello { lane, token: lane_token(parent, lane, role), ..Hello::new(role, Intent::Lane) }
        }
    }
}

/// Checks that the greeting of party `role` belongs to a lane.
pub(super) fn same_lane(hello: &Hello, parent: &[u8; 32], lane: u16, role: Role) -> Result<()> {
    let right = hello.intent == Intent::Lane as u8
        && hello.lane == lane
        && hello.token == lane_token(parent, lane, role);
    if right { Ok(()) } else { Err(Error::Peer("a connection that is no lane of this session".into())) }
}
