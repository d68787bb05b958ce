//! Finding each other: P0 listens, P1 connects.

use super::connection::{Connection, Kin};
use super::establish::{Aim, Setup, Unanswered};
use super::options::Options;
use super::reception::{Reception, lengthen};
use super::role::Role;
use super::secure::Identity;
use super::tcp::Tcp;
use super::transport::Deadline;
use crate::error::{Error, Result};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Callers that wait in the system's queue, as far as it allows.
const QUEUE: i32 = 4096;

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
    /// soon: until then the peer waits, as long as it may.
    ///
    /// # Errors
    /// [`Error::Io`] if the address is unknown or in use; [`Error::Identity`] if nobody is trusted, or the
    /// peer is not, or several are and none is named.
    pub fn bind(addr: &str, options: Options) -> Result<Self> {
        let setup = Arc::new(Setup::new(options)?);
        setup.options.identity.as_ref().map_or(Ok(()), Identity::check_awaits_somebody)?;
        let open = || {
            let listener = TcpListener::bind(addr)?;
            listener.set_nonblocking(true)?;
            lengthen(&listener, QUEUE);
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
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no more sockets.
    pub fn visitors(&self) -> Result<Visitors<'_>> {
        let reception = Reception::new(&self.door.listener, &self.door.setup)?;
        Ok(Visitors { reception, door: &self.door })
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
        let (secured, id) = Reception::new(listener, setup)?.admit(Aim::Session, &deadline, || Ok(()))?;
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
        let setup = &self.door.setup;
        // What this session says at its end must not end the others.
        let farewell = setup.options.farewell.of_one();
        setup.connection_with(&farewell, Role::P0, secured, id, None).map(Some)
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
        let mut reception = Reception::new(&self.listener, &self.setup)?;
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
/// the connection is refused, not answered, or ended before the peer has greeted, it tries again, until [`Options::wait`] is over: a
/// peer with too many callers lets some go.
///
/// # Errors
/// [`Error::Io`] if the address is unknown or unreachable; [`Error::Tls`], [`Error::Handshake`] or
/// [`Error::Peer`] if whoever listens is not the right peer.
pub fn connect(addr: &str, options: Options) -> Result<Connection> {
    let setup = Setup::new(options)?;
    let deadline = Deadline::after(setup.options.wait);
    let addrs = resolve(addr)?;
    let mut again = Again::new(&setup);
    loop {
        // Of a peer that answered once, its answer says more than that nobody is there now.
        let socket = reach(addr, &addrs, &deadline).map_err(|gone| again.last.take().unwrap_or(gone))?;
        let peer = socket.addr();
        match setup.call(socket, Aim::Session) {
            Ok((secured, id)) => {
                let route = Arc::new(Route { addr: peer, setup });
                return route.setup.connection(Role::P1, secured, id, Some(route.clone()));
            }
            Err(failure) => again.after(failure, &deadline)?,
        }
    }
}

/// The pauses of a party that calls again, and a line about it.
struct Again<'a> {
    setup: &'a Setup,
    pause: Duration,
    /// Why the last try failed.
    last: Option<Error>,
}

/// The first pause and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(2)];

impl<'a> Again<'a> {
    fn new(setup: &'a Setup) -> Self {
        Again { setup, pause: PAUSES[0], last: None }
    }

    /// Waits for another try after this failure; the error if there is none.
    fn after(&mut self, Unanswered { error, crowded }: Unanswered, deadline: &Deadline) -> Result<()> {
        if !crowded || deadline.left().is_zero() {
            return Err(error);
        }
        if self.pause == PAUSES[0] {
            self.setup
                .options
                .log
                .line(&format!("the peer is there and does not answer, trying again: {error}"));
        }
        self.last = Some(error);
        thread::sleep(self.pause.min(deadline.left()));
        self.pause = (self.pause * 2).min(PAUSES[1]);
        Ok(())
    }
}

impl Kin for Route {
    fn lane(
        self: Arc<Self>,
        parent: &[u8; 32],
        lane: u16,
        alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Connection> {
        let (deadline, mut again) = (Deadline::after(self.setup.options.timeout), Again::new(&self.setup));
        loop {
            let called = match attempt(&self.addr) {
                Ok((socket, trip)) => self.setup.call(Tcp::after(socket, trip)?, Aim::Lane { parent, lane }),
                // Where the port is closed there is nobody to wait for.
                Err(gone) => Err(Unanswered {
                    crowded: gone.kind() != ErrorKind::ConnectionRefused,
                    error: Error::io(format!("connecting to {}", self.addr))(gone),
                }),
            };
            match called {
                Ok((secured, id)) => return self.setup.connection(Role::P1, secured, id, Some(self.clone())),
                Err(failure) => again.after(failure, &deadline)?,
            }
            alive()?;
        }
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

/// A connection to one of the addresses; tries again while all refuse, or do not answer.
pub(super) fn reach(name: &str, addrs: &[SocketAddr], deadline: &Deadline) -> Result<Tcp> {
    let mut pause = Duration::from_millis(5);
    loop {
        let mut failure = None;
        for addr in addrs {
            match attempt(addr) {
                Ok((socket, trip)) => return Tcp::after(socket, trip),
                // Of several failures one that may pass.
                Err(e) if passes(&e) => failure = Some(e),
                Err(e) => failure = failure.or(Some(e)),
            }
        }
        let failure = failure.unwrap_or_else(|| ErrorKind::NotFound.into());
        if !passes(&failure) || deadline.left().is_zero() {
            return Err(Error::io(format!("connecting to {name}"))(failure));
        }
        thread::sleep(pause.min(deadline.left()));
        pause = (pause * 3 / 2).min(Duration::from_millis(250));
    }
}

/// Whether nobody is there yet, or too many are.
fn passes(failure: &std::io::Error) -> bool {
    use ErrorKind as Kind;
    matches!(failure.kind(), Kind::ConnectionRefused | Kind::ConnectionReset | Kind::TimedOut)
}

/// A socket and how long connecting took.
fn attempt(addr: &SocketAddr) -> std::io::Result<(TcpStream, Duration)> {
    let start = Instant::now();
    let socket = TcpStream::connect_timeout(addr, Duration::from_secs(8))?;
    Ok((socket, start.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::reception::TICK;

    /// While callers come there is no look at the session, which would hold each lane up.
    #[test]
    fn a_lane_waits_for_nothing_else() {
        let listener = Listener::bind("127.0.0.1:0", Options::plain()).unwrap();
        let setup = Setup::new(Options::plain()).unwrap();
        let (route, parent) = (Arc::new(Route { addr: listener.local_addr(), setup }), [7; 32]);
        for lane in 0..20 {
            let route = Arc::clone(&route);
            let caller = thread::spawn(move || route.lane(&parent, lane, &mut || Ok(())));
            let (start, mut looks) = (Instant::now(), 0);
            let met = Arc::clone(&listener.door).lane(&parent, lane, &mut || {
                looks += 1;
                Ok(())
            });
            let most = start.elapsed().div_duration_f64(TICK);
            assert!(f64::from(looks) <= most, "lane {lane}: {looks} looks in {most:.1} ticks");
            assert_eq!(met.unwrap().id(), caller.join().unwrap().unwrap().id());
        }
    }
}
