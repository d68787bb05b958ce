//! Two parties find each other: here, or over a network.

use std::{
    path::PathBuf,
    str::FromStr,
    sync::Mutex,
    time::{Duration, Instant},
};

use hushtable::{
    Error,
    net::{self, Connection, Fingerprint, Identity, LinkShape, Log, Options},
    ot::{SessionWish, params},
};
use pyo3::prelude::*;

use crate::{error::raise, interrupt::interruptible, party::Party, plan::objective};

/// Both parties in this process, on a link that simulates `net`.
#[pyfunction]
pub fn pair(py: Python<'_>, net: &str, optimise: Option<&str>) -> PyResult<(Party, Party)> {
    let start = Instant::now();
    let shape = LinkShape::from_str(net).map_err(|e| raise(py, &e))?;
    let wish = wish(optimise);
    let set_up = move || {
        let (_, c1) = Connection::pair();
        let (c0, c1) = Connection::pair_with(c1.id(), shape);
        let p1 = std::thread::spawn(move || hushtable::Party::new(c1, wish));
        let p0 = hushtable::Party::new(c0, wish);
        Ok((p0?, p1.join().expect("the thread of P1")?))
    };
    let (p0, p1) = interruptible(py, || (), set_up)?;
    Ok((Party::new(p0, start), Party::new(p1, start)))
}

/// An open port, until the peer has come.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Listener {
    inner: Mutex<Option<net::Listener>>,
    address: String,
    wish: SessionWish,
}

#[pymethods]
impl Listener {
    #[new]
    fn new(py: Python<'_>, address: &str, how: How) -> PyResult<Self> {
        let wish = wish(how.optimise.as_deref());
        let bound = how.options().and_then(|options| net::Listener::bind(address, options));
        let inner = bound.map_err(|e| raise(py, &e))?;
        Ok(Self { address: inner.local_addr().to_string(), inner: Mutex::new(Some(inner)), wish })
    }

    /// The address with the port in use.
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the peer; this party is P0.
    fn accept(&self, py: Python<'_>) -> PyResult<Party> {
        let taken = self.inner.lock().expect("no panic while the lock is held").take();
        let listener = taken.ok_or_else(|| raise(py, &Error::Closed))?;
        let wish = self.wish;
        let (p, start) = interruptible(
            py,
            || (),
            move || {
                let connection = listener.accept()?;
                let start = Instant::now();
                Ok((hushtable::Party::new(connection, wish)?, start))
            },
        )?;
        Ok(Party::new(p, start))
    }
}

/// Connects to a listening peer; this party is P1.
#[pyfunction]
pub fn connect(py: Python<'_>, address: String, how: How) -> PyResult<Party> {
    let start = Instant::now();
    let wish = wish(how.optimise.as_deref());
    let options = how.options().map_err(|e| raise(py, &e))?;
    let p = interruptible(py, || (), move || hushtable::Party::new(net::connect(&address, options)?, wish))?;
    Ok(Party::new(p, start))
}

/// Makes an identity folder; its fingerprint and the certificate to give to peers.
#[pyfunction]
pub fn identity_new(py: Python<'_>, folder: PathBuf, name: &str) -> PyResult<(String, PathBuf)> {
    let made = Identity::create(&folder, name).map_err(|e| raise(py, &e))?;
    Ok((made.fingerprint().to_string(), made.certificate_path()))
}

/// Pins a peer's certificate with this fingerprint; the peer's name.
#[pyfunction]
pub fn identity_trust(
    py: Python<'_>,
    folder: PathBuf,
    certificate: PathBuf,
    fingerprint: &str,
    name: Option<&str>,
) -> PyResult<String> {
    let pinned = Fingerprint::from_str(fingerprint)
        .and_then(|confirmed| Identity::trust(&folder, &certificate, confirmed, name));
    pinned.map(|peer| peer.name).map_err(|e| raise(py, &e))
}

/// The peers that an identity trusts: name and fingerprint of each.
#[pyfunction]
pub fn identity_peers(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, String)>> {
    let identity = Identity::load(&folder).map_err(|e| raise(py, &e))?;
    Ok(identity.peers().into_iter().map(|peer| (peer.name, peer.fingerprint.to_string())).collect())
}

/// Ends the trust in a peer; its fingerprint.
#[pyfunction]
pub fn identity_untrust(py: Python<'_>, folder: PathBuf, name: &str) -> PyResult<String> {
    Identity::untrust(&folder, name).map(|peer| peer.fingerprint.to_string()).map_err(|e| raise(py, &e))
}

/// A new key and certificate for an identity; its fingerprint.
#[pyfunction]
pub fn identity_rotate(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    Identity::rotate(&folder).map(|i| i.fingerprint().to_string()).map_err(|e| raise(py, &e))
}

/// The fingerprint of the identity in a folder.
#[pyfunction]
pub fn identity_fingerprint(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    Identity::load(&folder).map(|i| i.fingerprint().to_string()).map_err(|e| raise(py, &e))
}

/// How to connect: the options of `listen` and `connect`; without an identity plain TCP.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
    identity: Option<PathBuf>,
    peer: Option<String>,
    wait: f64,
    timeout: f64,
    idle: f64,
    net: String,
    optimise: Option<String>,
}

/// What this party wishes of its session.
fn wish(optimise: Option<&str>) -> SessionWish {
    SessionWish::default().objective(optimise.map(objective))
}

impl How {
    fn options(self) -> Result<Options, Error> {
        let options = match &self.identity {
            Some(folder) => Options::secure(Identity::load(folder)?),
            None => Options::plain(),
        };
        Ok(options
            .peer(self.peer)
            .parameters(vec![("LPN parameter sets".to_owned(), params::digest_text())])
            .shape(LinkShape::from_str(&self.net)?)
            .wait(seconds("wait", self.wait)?)
            .timeout(seconds("timeout", self.timeout)?)
            .idle(seconds("idle", self.idle)?)
            .log(Log::new(warn)))
    }
}

/// Hands a line to Python's logging, which by default prints it on standard error.
fn warn(line: &str) {
    Python::attach(|py| {
        // A program that broke logging loses the line, and nothing else.
        let _ = py
            .import("logging")
            .and_then(|logging| logging.call_method1("getLogger", ("hushtable",)))
            .and_then(|logger| logger.call_method1("warning", ("%s", line)));
    });
}

fn seconds(what: &'static str, value: f64) -> Result<Duration, Error> {
    if (0.001..=86400.0).contains(&value) {
        return Ok(Duration::from_secs_f64(value));
    }
    Err(Error::Param { what, got: format!("{value} s"), accepted: "0.001 to 86400 s".into() })
}
