//! Reception: P0 hears its callers side by side, until one is whom it waits for.
//!
//! Whoever scans ports, speaks something else, says nothing or is not the awaited peer is turned away with
//! a line in the log, and the wait goes on. Callers wait in a lobby, without a thread, until they have said something.
//! A caller's TLS handshake and greeting are heard in a thread of
//! its own, within a deadline; the answer to the greeting is given here, so that the next connection is
//! judged only after what this one became is settled.

mod guests;
mod lobby;
mod readiness;

use super::agree;
use super::establish::{Aim, Setup, greeting, same_lane};
use super::fingerprint::Fingerprint;
use super::guard::{FIRST_BYTE, Secured};
use super::hello::{Hello, Intent, MAGIC, lane_id, session_id};
use super::role::Role;
use super::tcp::Tcp;
use super::transport::{Deadline, Transport};
use crate::error::{Error, Result};
use guests::{Guest, Guests};
use lobby::{Caller, Lobby};
use readiness::{Bell, Rope};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

pub(super) use readiness::lengthen;

/// Callers who wait without a word at the same time, if the system gives as many sockets: a quarter of what it gives.
/// One more makes the oldest go.
const LOBBY: usize = 4096;
/// What a caller says first comes right behind its connection. It may be lost once.
const SILENT: Duration = Duration::from_millis(500);
/// Callers heard at the same time, if the system gives as many sockets. One more makes the oldest go whose certificate
/// was not seen yet, if it came before `GRACE`. Of one peer an eighth may be heard: one more makes its oldest go.
const HEARD: usize = 128;
/// From a caller's first word to its certificate it takes one round trip. Those of a simulated link are added.
const GRACE: Duration = Duration::from_secs(2);
/// Round trips of a simulated link that each grace has besides.
const TRIPS: u32 = 4;
/// Probes answered at the same time.
const PROBES: usize = 16;
/// Callers taken in before those are looked at who are here.
const AT_ONCE: usize = 64;
/// How often there is a look at what nobody tells: whether the wait is over, and whether there is anything to wait for,
/// which takes some milliseconds of waiting itself.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// A caller whose greeting is here.
struct Greeted {
    secured: Secured,
    hello: Hello,
}

/// What the threads report, by the caller's number.
enum Report {
    Heard(Box<Greeted>),
    Failed(Error),
    Probed,
}

/// One wait for a peer, or several for one after another.
pub(super) struct Reception<'a> {
    listener: &'a TcpListener,
    setup: &'a Arc<Setup>,
    lobby: Lobby,
    guests: Guests,
    probes: usize,
    callers: u64,
    tell: Sender<(u64, Report)>,
    reports: Receiver<(u64, Report)>,
    bell: Bell,
}

impl<'a> Reception<'a> {
    /// Nobody is inside. `listener` does not block.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no more sockets.
    pub(super) fn new(listener: &'a TcpListener, setup: &'a Arc<Setup>) -> Result<Self> {
        let (tell, reports) = channel();
        let (files, trips) = (readiness::files(), setup.options.shape.rtt * TRIPS);
        Ok(Reception {
            listener,
            setup,
            lobby: Lobby::new(LOBBY.min(files / 4), SILENT + trips),
            guests: Guests::new(HEARD.min(files / 16), GRACE + trips),
            probes: 0,
            callers: 0,
            tell,
            reports,
            bell: Bell::new().map_err(Error::io("waiting for callers"))?,
        })
    }

    /// Waits for whom `aim` says. `alive` says now and then whether there is anything to wait for.
    pub(super) fn admit(
        &mut self,
        aim: Aim<'_>,
        deadline: &Deadline,
        mut alive: impl FnMut() -> Result<()>,
    ) -> Result<(Secured, [u8; 32])> {
        let mut looked = Instant::now();
        loop {
            self.take_in()?;
            while let Some(gone) = self.guests.too_many_of_one() {
                self.turned_away(gone.address, "this peer has come too often and not greeted");
            }
            self.hear_those_who_spoke();
            self.let_go();
            if let Ok((number, report)) = self.reports.try_recv() {
                if let Some(admitted) = self.judge(number, report, aim)? {
                    return Ok(admitted);
                }
                continue;
            }
            if looked.elapsed() >= TICK {
                alive()?;
                looked = Instant::now();
            }
            deadline.check("connection")?;
            let port = self.lobby.has_room().then_some(self.listener);
            for gone in self.lobby.wait(port, &self.bell, TICK.min(deadline.left())) {
                self.turned_away(gone.address, &Error::Closed.to_string());
            }
        }
    }

    /// Lets those in who stand at the port.
    fn take_in(&mut self) -> Result<()> {
        for _ in 0..AT_ONCE {
            if !self.lobby.has_room() {
                break;
            }
            let Some((socket, address)) = self.next()? else { break };
            let Some(caller) = Caller::new(socket, address) else { continue };
            if let Some(gone) = self.lobby.enter(caller) {
                self.turned_away(gone.address, "it made room for later callers");
            }
        }
        Ok(())
    }

    /// Lets those go who have said nothing for too long, or could not be heard for as long.
    fn let_go(&mut self) {
        let limit = self.setup.time();
        for gone in self.lobby.expired(limit) {
            let why = match gone.spoken {
                true => "it could not be heard in time, since there were too many callers".to_owned(),
                false => Error::Timeout { what: "greeting", seconds: limit.as_secs() }.to_string(),
            };
            self.turned_away(gone.address, &why);
        }
    }

    /// A connection, if there is one.
    fn next(&mut self) -> Result<Option<(TcpStream, SocketAddr)>> {
        use ErrorKind as Kind;
        match self.listener.accept() {
            Ok(came) => Ok(Some(came)),
            // All but the first: the connection was gone before we took it.
            Err(e)
                if matches!(
                    e.kind(),
                    Kind::WouldBlock
                        | Kind::ConnectionAborted
                        | Kind::ConnectionReset
                        | Kind::Interrupted
                        | Kind::NetworkDown
                        | Kind::NetworkUnreachable
                        | Kind::HostUnreachable
                        | Kind::TimedOut
                ) =>
            {
                Ok(None)
            }
            // There are no more sockets, perhaps because of those who say nothing.
            Err(e) => {
                let shed = self.lobby.shed();
                if shed.is_empty() {
                    return Err(Error::io("accepting a connection")(e));
                }
                shed.iter().for_each(|gone| self.turned_away(gone.address, "there were no more sockets"));
                Ok(None)
            }
        }
    }

    /// Hears those who have said something, as many as may be.
    fn hear_those_who_spoke(&mut self) {
        loop {
            let Some(caller) = self.lobby.next(|address| self.guests.may_enter(address)) else {
                return;
            };
            if let Some(gone) = self.guests.make_room(&caller.address) {
                self.turned_away(gone.address, "it made room for later callers");
            }
            let (number, address) = (self.callers, caller.address);
            self.callers += 1;
            if let Err(e) = self.start(number, caller) {
                self.turned_away(address, &e.to_string());
            }
        }
    }

    /// Hears a caller in a thread of its own.
    fn start(&mut self, number: u64, Caller { socket, address, .. }: Caller) -> io::Result<()> {
        let (handle, setup, tell) = (socket.try_clone()?, Arc::clone(self.setup), self.tell.clone());
        let (rope, known) = (self.bell.rope()?, Arc::new(OnceLock::new()));
        let shown = Arc::clone(&known);
        thread::Builder::new().name("hushtable-caller".into()).spawn(move || {
            let report = match hear(&setup, socket, &shown) {
                Ok(greeted) => Report::Heard(Box::new(greeted)),
                Err(error) => Report::Failed(error),
            };
            say(&tell, &rope, number, report);
        })?;
        self.guests.enter(Guest::new(number, address, handle, known));
        Ok(())
    }

    /// What becomes of a caller; the connection if it is the one that is awaited.
    fn judge(&mut self, number: u64, report: Report, aim: Aim<'_>) -> Result<Option<(Secured, [u8; 32])>> {
        if matches!(report, Report::Probed) {
            self.probes -= 1;
            return Ok(None);
        }
        // Who made room is reported already.
        let Some(Guest { address, .. }) = self.guests.leave(number) else { return Ok(None) };
        let verdict = match report {
            Report::Heard(greeted) => self.answer(*greeted, aim)?,
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
    fn answer(&mut self, greeted: Greeted, aim: Aim<'_>) -> Result<Verdict> {
        let Greeted { secured, hello: theirs } = greeted;
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
        let Ok(rope) = self.bell.rope() else { return };
        let compare = move || {
            if let Ok(mut connection) = setup.connection(Role::P0, secured, [0; 32], None) {
                let _ = agree::agree(connection.channel(), &setup.options.fields(), Vec::new());
            }
            say(&tell, &rope, 0, Report::Probed);
        };
        if thread::Builder::new().name("hushtable-probe".into()).spawn(compare).is_ok() {
            self.probes += 1;
        }
    }

    fn turned_away(&self, address: SocketAddr, why: &str) {
        self.setup.options.log.line(&format!("{address} was turned away, the wait goes on: {why}"));
    }
}

/// Reports to the thread that waits.
fn say(tell: &Sender<(u64, Report)>, rope: &Rope, number: u64, report: Report) {
    // Nobody reads it once the awaited peer is there.
    let _ = tell.send((number, report));
    rope.pull();
}

enum Verdict {
    Admitted(Secured, [u8; 32]),
    Probe,
    /// Not whom this party waits for, and why.
    Stranger(String),
}

/// What a caller says before it needs an answer: TLS, if this party uses it, and the greeting.
/// `known` gets whose its certificate is.
fn hear(setup: &Setup, socket: TcpStream, known: &OnceLock<Fingerprint>) -> Result<Greeted> {
    let deadline = setup.deadline();
    let socket = Tcp::new(socket)?;
    let first = socket.peek(deadline.left()).map_err(|e| deadline.fault(e, "greeting"))?;
    let secured = match (&setup.guard, first) {
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
        (Some(guard), _) => {
            let secured = guard.secure(Role::P0, socket, &deadline).map_err(|refusal| refusal.error)?;
            if let Some(peer) = secured.peer {
                let _ = known.set(peer);
            }
            secured
        }
    };
    // Nothing has been said yet that a stranger would have to receive before the connection is dropped.
    let hello = Hello::recv(&*secured.transport, &deadline)?;
    Ok(Greeted { secured, hello })
}

/// Tells a peer of the other kind of connection, in a plain greeting, that it is one.
fn wrong_kind(setup: &Setup, socket: Tcp, secure: bool, error: &str, deadline: &Deadline) -> Error {
    let hello = Hello { secure, ..Hello::new(Role::P0, Intent::Session) };
    // The peer may be gone already; our own error matters more.
    let _ = hello.send(&socket, deadline);
    socket.close(setup.options.timing.linger);
    Error::Tls(error.into())
}
