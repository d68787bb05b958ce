//! Finding each other: P0 listens, P1 connects.

use super::connection::{Connection, Kin};
use super::establish::{Aim, Setup};
use super::options::Options;
use super::reception::Reception;
use super::role::Role;
use super::tcp::Tcp;
use super::transport::Deadline;
use crate::error::{Error, Result};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// P0's open port.
pub struct Listener {
    door: Arc<Door>,
    addr: SocketAddr,
}

/// A port, kept open for the lanes of a session.
struct Door {
    listener: TcpListener,
    setup: Arc<Setup>,
}

impl Listener {
    /// Opens a port, `addr` being `HOST:PORT` (port 0: any free one). Call [`accept`](Self::accept)
    /// soon: a peer that is not greeted within 8 s gives up.
    ///
    /// # Errors
    /// [`Error::Io`] if the address is unknown or in use; [`Error::Identity`] if nobody is trusted, or the
    /// peer is not, or several are and none is named.
    pub fn bind(addr: &str, options: Options) -> Result<Self> {
        let setup = Arc::new(Setup::new(options)?);
        if let Some(identity) = setup.options.identity.as_ref().filter(|identity| identity.peers().is_empty())
        {
            return Err(Error::Identity(format!(
                "nobody could connect, because {} is empty: pin the peer with `hushtable identity trust`",
                identity.trusted_path().display()
            )));
        }
        let open = || {
            let listener = TcpListener::bind(addr)?;
            listener.set_nonblocking(true)?;
            let addr = listener.local_addr()?;
            Ok((listener, addr))
        };
        let (listener, addr) = open().map_err(Error::io(format!("listening on {addr}")))?;
        Ok(Listener { door: Arc::new(Door { listener, setup }), addr })
    }

    /// The address with the port in use.
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// The same port with other options, as when other peers are trusted by now.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind).
    pub fn renewed(&self, options: Options) -> Result<Self> {
        let setup = Arc::new(Setup::new(options)?);
        let listener = self.door.listener.try_clone().map_err(Error::io("a port that is open"))?;
        Ok(Listener { door: Arc::new(Door { listener, setup }), addr: self.addr })
    }

    /// For a party that serves many: waits for one peer after another, those that [`Options::guests`] lets in. Sessions
    /// with them have no lanes.
    pub fn visitors(&self) -> Visitors<'_> {
        Visitors { reception: Reception::new(&self.door.listener, &self.door.setup), door: &self.door }
    }

    /// Waits for the peer and opens a session as P0. Answers probes meanwhile; whoever else comes is turned
    /// away with a line in [`Options::log`].
    ///
    /// # Errors
    /// [`Error::Timeout`] if the peer does not come within [`Options::wait`]; [`Error::Handshake`] if it has
    /// another wire version or role.
    pub fn accept(self) -> Result<Connection> {
        let Door { listener, setup } = &*self.door;
        let deadline = Deadline::after(setup.options.wait);
        let (secured, id) = Reception::new(listener, setup).admit(Aim::Session, &deadline, || Ok(()))?;
        setup.connection(Role::P0, secured, id, Some(self.door.clone()))
    }
}

/// Those who come to a party that serves many, one after another. Who is being heard stays so between two calls.
pub struct Visitors<'a> {
    door: &'a Arc<Door>,
    reception: Reception<'a>,
}

impl Visitors<'_> {
    /// Waits up to `wait` for the next one and opens a session as P0; `None` if nobody comes. A visitor with another
    /// wire version or role is turned away with a line in [`Options::log`], as strangers are.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no connection, as when too many files are open: later it may.
    pub fn next(&mut self, wait: Duration) -> Result<Option<Connection>> {
        let deadline = Deadline::after(wait);
        let (secured, id) = match self.reception.admit(Aim::Visit, &deadline, || Ok(())) {
            Err(Error::Timeout { .. }) => return Ok(None),
            admitted => admitted?,
        };
        // No way to lanes: it would keep the port open for as long as the session lasts.
        self.door.setup.connection(Role::P0, secured, id, None).map(Some)
    }
}

impl Kin for Door {
    fn lane(
        self: Arc<Self>,
        parent: &[u8; 32],
        lane: u16,
        alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Connection> {
        let deadline = Deadline::after(self.setup.options.timeout);
        let mut reception = Reception::new(&self.listener, &self.setup);
        let (secured, id) = reception.admit(Aim::Lane { parent, lane }, &deadline, alive)?;
        self.setup.connection(Role::P0, secured, id, Some(self.clone()))
    }
}

/// P1's way to the peer, kept for the lanes of a session.
struct Route {
    addr: SocketAddr,
    setup: Setup,
}

/// Connects to a listening peer, `addr` being `HOST:PORT`, and opens a session as P1. As long as
/// the connection is refused it tries again, until [`Options::wait`] is over.
///
/// # Errors
/// [`Error::Io`] if the address is unknown or unreachable; [`Error::Tls`], [`Error::Handshake`] or
/// [`Error::Peer`] if whoever listens is not the right peer.
pub fn connect(addr: &str, options: Options) -> Result<Connection> {
    let setup = Setup::new(options)?;
    let deadline = Deadline::after(setup.options.wait);
    let socket = reach(addr, &resolve(addr)?, &deadline)?;
    let route = Arc::new(Route { addr: socket.addr(), setup });
    let (secured, id) = route.setup.call(socket, Aim::Session)?;
    route.setup.connection(Role::P1, secured, id, Some(route.clone()))
}

impl Kin for Route {
    fn lane(
        self: Arc<Self>,
        parent: &[u8; 32],
        lane: u16,
        _alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Connection> {
        let (socket, trip) =
            attempt(&self.addr).map_err(Error::io(format!("connecting to {}", self.addr)))?;
        let (secured, id) = self.setup.call(Tcp::after(socket, trip)?, Aim::Lane { parent, lane })?;
        self.setup.connection(Role::P1, secured, id, Some(self.clone()))
    }
}

/// The addresses behind a name.
pub(super) fn resolve(addr: &str) -> Result<Vec<SocketAddr>> {
    let found: Vec<_> = addr.to_socket_addrs().map_err(Error::io(format!("looking up {addr}")))?.collect();
    if found.is_empty() {
        return Err(Error::io(format!("looking up {addr}"))(ErrorKind::NotFound.into()));
    }
    Ok(found)
}

/// A connection to one of the addresses; tries again while all refuse.
pub(super) fn reach(name: &str, addrs: &[SocketAddr], deadline: &Deadline) -> Result<Tcp> {
    let mut pause = Duration::from_millis(5);
    loop {
        let mut failure = None;
        for addr in addrs {
            match attempt(addr) {
                Ok((socket, trip)) => return Tcp::after(socket, trip),
                // Of several failures a refusal is the one that may pass.
                Err(e) if e.kind() == ErrorKind::ConnectionRefused => failure = Some(e),
                Err(e) => failure = failure.or(Some(e)),
            }
        }
        let failure = failure.unwrap_or_else(|| ErrorKind::NotFound.into());
        if failure.kind() != ErrorKind::ConnectionRefused || deadline.left().is_zero() {
            return Err(Error::io(format!("connecting to {name}"))(failure));
        }
        thread::sleep(pause.min(deadline.left()));
        pause = (pause * 3 / 2).min(Duration::from_millis(250));
    }
}

/// A socket and how long connecting took.
fn attempt(addr: &SocketAddr) -> std::io::Result<(TcpStream, Duration)> {
    let start = Instant::now();
    let socket = TcpStream::connect_timeout(addr, Duration::from_secs(8))?;
    Ok((socket, start.elapsed()))
}
