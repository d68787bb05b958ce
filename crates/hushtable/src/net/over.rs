//! Sessions over a stream that the program brings.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::connection::Connection;
use super::establish::{Aim, Setup, greeting};
use super::guard::Secured;
use super::hello::{Hello, session_id};
use super::options::Options;
use super::role::Role;
use super::transport::{Deadline, Transport};
use crate::error::{Error, Result};

impl Connection {
    /// Opens a session as the party `role` over a stream to the peer: a tunnel, a Unix socket, streams of QUIC, what a
    /// runtime of tasks has. Waits up to [`Options::wait`] for the peer's greeting. Such a session has no lanes.
    ///
    /// **The stream must hide and authenticate what it carries, and end at the right peer**: here is no TLS of ours.
    /// `peer` names it to people.
    ///
    /// # Errors
    /// [`Error::Param`] for options with an identity, peer or guests, which are for connections of ours;
    /// [`Error::Handshake`] for a peer of another wire version or of the same role; [`Error::Peer`] for one that is no
    /// hushtable; [`Error::Timeout`]; and those of the stream.
    pub fn over(transport: Arc<dyn Transport>, role: Role, peer: &str, options: Options) -> Result<Self> {
        if options.identity.is_some() || options.peer.is_some() || options.guests.is_some() {
            let (what, got) = ("options of a stream of one's own", "an identity, a peer or guests".into());
            return Err(Error::Param { what, got, accepted: "neither: the stream knows its peer".into() });
        }
        let setup = Setup::new(options)?;
        let deadline = Deadline::after(setup.options.wait);
        let secured = Secured::over(Arc::new(Checked(transport)), peer);
        let met = meet(&setup, &*secured.transport, role, &deadline);
        let id = setup.settle(&secured, met)?;
        setup.connection(role, secured, id, None)
    }
}

/// A transport whose numbers are looked at: others would make a party count wrong, or wait for ever.
struct Checked(Arc<dyn Transport>);

impl Transport for Checked {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize> {
        match (self.0.write(a, b, wait)?, a.len() + b.len()) {
            (0, 1..) => Err(ErrorKind::WriteZero.into()),
            (took, len) => checked(took, len),
        }
    }

    fn flush(&self, wait: Duration) -> io::Result<()> {
        self.0.flush(wait)
    }

    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize> {
        checked(self.0.read(buf, wait)?, buf.len())
    }

    fn close(&self, linger: Duration) {
        self.0.close(linger);
    }
}

fn checked(count: usize, len: usize) -> io::Result<usize> {
    match count <= len {
        true => Ok(count),
        false => Err(io::Error::new(ErrorKind::InvalidData, "a transport says more bytes than there were")),
    }
}

/// Both greetings, which cross; the session's id.
fn meet(setup: &Setup, transport: &dyn Transport, role: Role, deadline: &Deadline) -> Result<[u8; 32]> {
    let mine = greeting(role, Aim::Session);
    thread::sleep(setup.options.shape.rtt);
    mine.send(transport, deadline)?;
    let theirs = Hello::recv(transport, deadline)?;
    theirs.check(role)?;
    if !theirs.is_session() {
        return Err(Error::Peer("a connection that is to be no session".into()));
    }
    Ok(match role {
        Role::P0 => session_id(&mine, &theirs),
        Role::P1 => session_id(&theirs, &mine),
    })
}
