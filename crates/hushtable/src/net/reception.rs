//! Reception: P0 hears its callers side by side, until one is whom it waits for.
//!
//! Whoever scans ports, speaks something else, says nothing or is not the awaited peer is turned away with
//! a line in the log, and the wait goes on. A caller's TLS handshake and greeting are heard in a thread of
//! its own, within a deadline; the answer to the greeting is given here, so that the next connection is
//! judged only after what this one became is settled.

use super::agree;
use super::establish::{Aim, Secured, Setup, greeting, same_lane};
use super::hello::{Hello, Intent, MAGIC, lane_id, session_id};
use super::role::Role;
use super::tcp::Tcp;
use super::tls::{FIRST_BYTE, Tls};
use super::transport::{Deadline, Transport};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Callers heard at the same time. One more makes the oldest go, if it came before `GRACE`: who says nothing
/// cannot keep the peer out, however many they are.
const CALLERS: usize = 16;
/// A peer's handshake and greeting take three round trips.
const GRACE: Duration = Duration::from_secs(1);
/// Probes answered at the same time.
const PROBES: usize = 16;
/// Standard sockets have no accept with a deadline, so this looks again after a pause that grows.
const PAUSES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(10)];

/// A caller whose greeting is here.
struct Caller {
    secured: Secured,
    hello: Hello,
}

/// What the threads report, by the caller's number.
enum Report {
    Heard(Box<Caller>),
    Failed(Error),
    Probed,
}

/// A caller that is being heard.
struct Guest {
    number: u64,
    address: SocketAddr,
    /// To end what is going on with it.
    socket: TcpStream,
    since: Instant,
}

/// One wait for a peer, or several for one after another.
pub(super) struct Reception<'a> {
    listener: &'a TcpListener,
    setup: &'a Arc<Setup>,
    /// The oldest first.
    guests: VecDeque<Guest>,
    probes: usize,
    callers: u64,
    tell: Sender<(u64, Report)>,
    reports: Receiver<(u64, Report)>,
}

impl<'a> Reception<'a> {
    /// Nobody is inside. `listener` does not block.
    pub(super) fn new(listener: &'a TcpListener, setup: &'a Arc<Setup>) -> Self {
        let (tell, reports) = channel();
        Reception { listener, setup, guests: VecDeque::new(), probes: 0, callers: 0, tell, reports }
    }

    /// Waits for whom `aim` says. `alive` says now and then whether there is anything to wait for.
    pub(super) fn admit(
        &mut self,
        aim: Aim<'_>,
        deadline: &Deadline,
        mut alive: impl FnMut() -> Result<()>,
    ) -> Result<(Secured, [u8; 32])> {
        let mut pause = PAUSES[0];
        loop {
            let came = if self.has_room() { self.next()? } else { None };
            let wait = if let Some((socket, address)) = came {
                self.hear(socket, address);
                Duration::ZERO
            } else {
                pause = (pause * 5 / 4).min(PAUSES[1]);
                pause.min(deadline.left())
            };
            if let Ok((number, report)) = self.reports.recv_timeout(wait) {
                pause = PAUSES[0];
                if let Some(admitted) = self.judge(number, report, aim)? {
                    return Ok(admitted);
                }
            }
            alive()?;
            deadline.check("connection")?;
        }
    }

    /// Whether another caller can be heard now; if not, it waits in the system's queue. Whoever came within `GRACE` is
    /// not sent away, so that a flood of callers cannot cut off the peer in the middle of its greeting.
    fn has_room(&self) -> bool {
        let waited = |oldest: &Guest| oldest.since.elapsed() >= GRACE;
        self.guests.len() < CALLERS || self.guests.front().is_some_and(waited)
    }

    /// A connection, if there is one.
    fn next(&self) -> Result<Option<(TcpStream, SocketAddr)>> {
        match self.listener.accept() {
            Ok(came) => Ok(Some(came)),
            // The last three: the connection was gone before we took it.
            Err(e)
                if matches!(
                    e.kind(),
                    ErrorKind::WouldBlock
                        | ErrorKind::ConnectionAborted
                        | ErrorKind::ConnectionReset
                        | ErrorKind::Interrupted
                ) =>
            {
                Ok(None)
            }
            Err(e) => Err(Error::io("accepting a connection")(e)),
        }
    }

    /// Hears a caller in a thread of its own.
    fn hear(&mut self, socket: TcpStream, address: SocketAddr) {
        if self.guests.len() == CALLERS
            && let Some(oldest) = self.guests.pop_front()
        {
            let _ = oldest.socket.shutdown(Shutdown::Both);
            self.turned_away(oldest.address, "it made room for later callers");
        }
        let number = self.callers;
        self.callers += 1;
        if let Err(e) = self.start(number, socket, address) {
            self.turned_away(address, &e.to_string());
        }
    }

    fn start(&mut self, number: u64, socket: TcpStream, address: SocketAddr) -> io::Result<()> {
        let (handle, setup, tell) = (socket.try_clone()?, Arc::clone(self.setup), self.tell.clone());
        thread::Builder::new().name("hushtable-caller".into()).spawn(move || {
            let report = match hear(&setup, socket) {
                Ok(caller) => Report::Heard(Box::new(caller)),
                Err(error) => Report::Failed(error),
            };
            // Nobody reads it once the awaited peer is there.
            let _ = tell.send((number, report));
        })?;
        self.guests.push_back(Guest { number, address, socket: handle, since: Instant::now() });
        Ok(())
    }

    /// What becomes of a caller; the connection if it is the one that is awaited.
    fn judge(&mut self, number: u64, report: Report, aim: Aim<'_>) -> Result<Option<(Secured, [u8; 32])>> {
        if matches!(report, Report::Probed) {
            self.probes -= 1;
            return Ok(None);
        }
        // Who made room is reported already.
        let at = self.guests.iter().position(|guest| guest.number == number);
        let Some(Guest { address, .. }) = at.and_then(|at| self.guests.remove(at)) else { return Ok(None) };
        let verdict = match report {
            Report::Heard(caller) => self.answer(*caller, aim)?,
            Report::Failed(error) => Verdict::Stranger(error.to_string()),
            Report::Probed => Verdict::Probe,
        };
        match verdict {
            Verdict::Admitted(secured, id) => return Ok(Some((secured, id))),
            Verdict::Probe => {}
            Verdict::Stranger(why) => self.turned_away(address, &why),
        }
        Ok(None)
    }

    /// Answers a greeting. An error ends the wait: the awaited peer cannot work with this party.
    fn answer(&mut self, caller: Caller, aim: Aim<'_>) -> Result<Verdict> {
        let Caller { secured, hello: theirs } = caller;
        let (transport, deadline) = (Arc::clone(&secured.transport), self.setup.deadline());
        let stranger = |why: &str| Ok(Verdict::Stranger(why.into()));
        let mut mine = Hello::new(Role::P0, Intent::Session);
        if let Err(difference) = theirs.check(Role::P0) {
            if let Aim::Lane { .. } = aim {
                return Ok(Verdict::Stranger(difference.to_string()));
            }
            if let Aim::Visit = aim {
                let _ = mine.send(&*transport, &deadline);
                return Ok(Verdict::Stranger(difference.to_string()));
            }
            // It gets our greeting too, so that it can name the difference; what else its greeting says
            // is not looked at.
            let _ = mine.send(&*transport, &deadline);
            transport.close(self.setup.options.timing.linger);
            return Err(difference);
        }
        let id = match (aim, theirs.intent()) {
            (_, Some(Intent::Probe)) if self.probes == PROBES => return stranger("too many probes"),
            (_, Some(Intent::Probe)) => None,
            (Aim::Session | Aim::Visit, Some(Intent::Session)) => Some(session_id(&mine, &theirs)),
            (Aim::Lane { parent, lane }, Some(Intent::Lane)) => {
                if let Err(error) = same_lane(&theirs, parent, lane, Role::P1) {
                    return Ok(Verdict::Stranger(error.to_string()));
                }
                mine = greeting(Role::P0, aim);
                Some(lane_id(parent, lane))
            }
            (Aim::Lane { .. }, Some(Intent::Session)) => return stranger("this party is busy in a session"),
            _ => return stranger("it came for a session that is not open here"),
        };
        Ok(match (mine.send(&*transport, &deadline), id) {
            (Err(error), _) => Verdict::Stranger(error.to_string()),
            (Ok(()), Some(id)) => Verdict::Admitted(secured, id),
            (Ok(()), None) => {
                self.probe(secured);
                Verdict::Probe
            }
        })
    }

    /// Compares parameters with a probing peer. It reports the outcome; here nothing depends on it.
    fn probe(&mut self, secured: Secured) {
        let (setup, tell) = (Arc::clone(self.setup), self.tell.clone());
        let compare = move || {
            if let Ok(mut connection) = setup.connection(Role::P0, secured, [0; 32], None) {
                let _ = agree::agree(connection.channel(), &setup.options.fields(), Vec::new());
            }
            let _ = tell.send((0, Report::Probed));
        };
        if thread::Builder::new().name("hushtable-probe".into()).spawn(compare).is_ok() {
            self.probes += 1;
        }
    }

    fn turned_away(&self, address: SocketAddr, why: &str) {
        self.setup.options.log.line(&format!("{address} was turned away, the wait goes on: {why}"));
    }
}

impl Drop for Reception<'_> {
    /// Who is still being heard is not awaited any more.
    fn drop(&mut self) {
        for guest in &self.guests {
            let _ = guest.socket.shutdown(Shutdown::Both);
        }
    }
}

enum Verdict {
    Admitted(Secured, [u8; 32]),
    Probe,
    /// Not whom this party waits for, and why.
    Stranger(String),
}

/// What a caller says before it needs an answer: TLS, if this party uses it, and the greeting.
fn hear(setup: &Setup, socket: TcpStream) -> Result<Caller> {
    let deadline = setup.deadline();
    let socket = Tcp::new(socket)?;
    let first = socket.peek(deadline.left()).map_err(|e| deadline.fault(e, "greeting"))?;
    let secured = match (&setup.tls, first) {
        (_, None) => return Err(Error::Closed),
        (None, Some(FIRST_BYTE)) => {
            let error = "the peer uses TLS, this party plain TCP";
            return Err(wrong_kind(setup, socket, false, error, &deadline));
        }
        (Some(_), Some(first)) if first == MAGIC[0] => {
            let error = "the peer uses plain TCP, this party TLS";
            return Err(wrong_kind(setup, socket, true, error, &deadline));
        }
        (None, _) => Secured::plain(socket),
        (Some(settings), _) => {
            let tls = Tls::handshake(Role::P0, settings, socket, &deadline);
            Secured::new(tls.map_err(|refusal| refusal.error)?)?
        }
    };
    // Nothing has been said yet that a stranger would have to receive before the connection is dropped.
    let hello = Hello::recv(&*secured.transport, &deadline)?;
    Ok(Caller { secured, hello })
}

/// Tells a peer of the other kind of connection, in a plain greeting, that it is one.
fn wrong_kind(setup: &Setup, socket: Tcp, secure: bool, error: &str, deadline: &Deadline) -> Error {
    let hello = Hello { secure, ..Hello::new(Role::P0, Intent::Session) };
    // The peer may be gone already; our own error matters more.
    let _ = hello.send(&socket, deadline);
    socket.close(setup.options.timing.linger);
    Error::Tls(error.into())
}
