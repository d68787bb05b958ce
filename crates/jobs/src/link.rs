//! The connection to the peer, as asked for on the command line.

mod parting;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{extension::Extension, means::Means, record::Record, stage::Stage, throttle::Throttled};
use clap::Args;
use hushtable::{
    Role,
    net::{self, Connection, Farewell, Identity, LinkShape, Listener, Log, Options, Peer},
    ot::{Rates, Scheme, SessionWish, params},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory, terminal,
};

/// How the line begins that names the address listened on, on standard error.
pub const LISTENING: &str = "listening on ";

/// Where the peer is and how it is known.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Connection")]
pub struct Link {
    /// Wait for the peer on this address; port 0 takes a free one. This party is P0
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "connect")]
    listen: Option<String>,
    /// Connect to the peer, which listens there. This party is P1
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// This party's identity folder, made by `hushtable identity new`, for mutual TLS
    #[arg(long, value_name = "DIR")]
    identity: Option<PathBuf>,
    /// The peer of this job, by the name that `hushtable identity list` prints; nobody else is let in. Needed if
    /// this party trusts several
    #[arg(long, value_name = "NAME", conflicts_with = "insecure_plain_tcp")]
    peer: Option<String>,
    /// No TLS: anybody on the way can read and change everything; for tests on a network you own
    #[arg(long, conflicts_with = "identity")]
    insecure_plain_tcp: bool,
    /// Seconds to wait for the peer to appear, 1 to 86400
    #[arg(long, value_name = "S", default_value = "600", value_parser = clap::value_parser!(u32).range(1..=86400))]
    wait: u32,
    /// Seconds without progress before giving up, 1 to 3600; a peer that died is noticed within 10 s
    #[arg(long, value_name = "S", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms); the same at the peer
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = LinkShape::from_str)]
    net: LinkShape,
    /// What makes correlated OTs; what either party asks for is taken
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = Extension::parser())]
    ot: Extension,
    #[command(flatten)]
    means: Means,
    /// To tell the peer why this party ends.
    #[arg(skip)]
    farewell: Farewell,
    /// Whether there was a connection.
    #[arg(skip)]
    opened: Arc<AtomicBool>,
    /// Whether a signal ends this process.
    #[arg(skip)]
    stopped: Arc<AtomicBool>,
    /// The record of the job, which is also written if this party is stopped.
    #[arg(skip)]
    record: Arc<Mutex<Option<Record>>>,
}

impl Link {
    /// This party's role: the listening party is P0.
    pub fn role(&self) -> Role {
        if self.listen.is_some() { Role::P0 } else { Role::P1 }
    }

    /// The same for a peer of this name, unless another name was given.
    pub fn to_peer(&self, name: &str) -> Self {
        let peer = self.peer.clone().or_else(|| self.identity.as_ref().map(|_| name.to_owned()));
        Self { peer, ..self.clone() }
    }

    /// Refuses a job for `name` where another party is let in, and both are trusted: `--peer` can be a setting that was
    /// meant for other jobs. A party that is not pinned by the job's name may be under another one here.
    pub fn check_is_for(&self, name: &str) -> Result<()> {
        let (Some(peer), Some(folder)) = (&self.peer, &self.identity) else { return Ok(()) };
        let own = Identity::load(folder)?;
        let pin = |name: &str| own.expected(Some(name)).ok().flatten().map(|peer| peer.fingerprint);
        match pin(name).is_some_and(|of_job| pin(peer).is_some_and(|let_in| let_in != of_job)) {
            true => Err(Failure::new(format!(
                "the job is for {name}, and --peer lets in {peer}: this party trusts both"
            ))),
            false => Ok(()),
        }
    }

    /// What is known of the network to the peer: what is simulated, or what the user said, or what was `measured`, unless the
    /// peer is on this machine.
    pub fn known(&self, measured: Option<LinkShape>) -> Option<LinkShape> {
        let measured = measured.filter(|_| !self.is_near());
        self.net.simulated().or(self.means.link).or(measured)
    }

    /// What choices and predictions go by, where the user said it.
    pub fn means(&self) -> &Means {
        &self.means
    }

    /// What this party brings to a session: memory for its batches, and the OT extension that it wishes, which is the
    /// one asked for, or what suits these rates over the link that is known, or `measured`.
    pub fn wish(&self, rates: Rates, measured: Option<LinkShape>) -> SessionWish {
        let wish = self.means.wish(SessionWish::default());
        // As many lanes as there are cores; more come of a wish that is said.
        let lanes = thread::available_parallelism().map_or(1, usize::from);
        let memory = memory::for_a_batch(wish.memory, lanes);
        wish.scheme(self.ot.scheme()).link(self.known(measured)).rates(rates).memory(memory)
    }

    /// The OT extension asked for, if any.
    pub fn asked(&self) -> Option<Scheme> {
        self.ot.scheme()
    }

    /// Longest wait for the peer to appear.
    pub fn wait(&self) -> Duration {
        Duration::from_secs(self.wait.into())
    }

    /// The identity folder.
    pub fn identity(&self) -> Option<&Path> {
        self.identity.as_deref()
    }

    /// Whether the peer is on this machine, as far as the address tells.
    pub fn is_near(&self) -> bool {
        let address = self.listen.as_deref().or(self.connect.as_deref()).unwrap_or_default();
        ["127.", "localhost:", "[::1]:"].iter().any(|near| address.starts_with(near))
    }

    /// Connects to the peer, says who it is, and since when the session has been coming about: at P0 since the peer
    /// was there, because the wait for it is not part of the work.
    pub fn open(&self) -> Result<(Connection, Instant)> {
        let options = self.options()?;
        if let Some(address) = &self.listen {
            let listener = listen(address, options)?;
            let place = listener.local_addr().to_string();
            say_listening(address, &place);
            let waiting = Stage::start(format!("waiting for {} on {place}", self.awaited()));
            let connection = listener.accept()?;
            drop(waiting);
            self.opened.store(true, Ordering::Relaxed);
            eprintln!("{}", who(&connection));
            return Ok((connection, Instant::now()));
        }
        let address = self.connect.as_deref().expect("checked");
        eprintln!("connecting to {address}");
        let start = Instant::now();
        let waiting = Stage::start(format!("waiting for {} at {address}", self.awaited()));
        let connection = net::connect(address, options)?;
        drop(waiting);
        self.opened.store(true, Ordering::Relaxed);
        eprintln!("{}", who(&connection));
        Ok((connection, start))
    }

    /// Where this party waits or whom it calls.
    pub fn place(&self) -> String {
        match (&self.listen, &self.connect) {
            (Some(address), _) => format!("listens on {address}"),
            (None, address) => format!("connects to {}", address.as_deref().unwrap_or_default()),
        }
    }

    /// This party and the only peer that is let in; `None` without TLS.
    pub fn ends(&self) -> Result<Option<[Peer; 2]>> {
        let Some(folder) = &self.identity else { return Ok(None) };
        let identity = Identity::load(folder)?;
        let own = Peer { name: identity.name().to_owned(), fingerprint: identity.fingerprint() };
        let nobody = || {
            let what = "trusts nobody yet; `hushtable identity trust` pins the peer's certificate";
            Failure::input(format!("{}: {what}", folder.display()))
        };
        Ok(Some([own, identity.expected(self.peer.as_deref())?.ok_or_else(nobody)?]))
    }

    /// Which party is called `name` here: this one or the peer.
    pub fn whose(&self, name: &str) -> Result<Role> {
        let Some(identity) = self.identity.as_deref().map(Identity::load).transpose()? else {
            return Err(Failure::new(format!("{name:?}: with plain TCP nobody has a name; say me or peer")));
        };
        let peer = self.named(&identity);
        let name = &net::composed_name(name);
        match (identity.name() == name, peer.as_ref() == Some(name)) {
            (true, false) => Ok(self.role()),
            (false, true) => Ok(self.role().peer()),
            (true, true) => {
                Err(Failure::new(format!("{name:?} is the name of both parties; say me or peer")))
            }
            (false, false) => Err(Failure::new(format!(
                "{name:?} is neither this party, {:?}, nor the peer{}",
                identity.name(),
                peer.map(|peer| format!(", {peer:?}")).unwrap_or_default()
            ))),
        }
    }

    /// The name of the peer that is let in, if there can be only one.
    fn named(&self, identity: &Identity) -> Option<String> {
        // Without --peer there may be several.
        identity.expected(self.peer.as_deref()).ok().flatten().map(|peer| peer.name)
    }

    /// Who is waited for.
    fn awaited(&self) -> String {
        let identity = self.identity.as_deref().and_then(|folder| Identity::load(folder).ok());
        identity.and_then(|identity| self.named(&identity)).unwrap_or_else(|| "the peer".into())
    }

    /// Refuses a link that does not say where the peer is, and how it is known. Settings can say that too, which are
    /// found after the arguments' own rules are applied.
    pub fn check(&self) -> Result<()> {
        if self.listen.is_none() && self.connect.is_none() {
            return Err(Failure::new(
                "where is the peer? One party says --listen HOST:PORT, the other --connect HOST:PORT with that address",
            ));
        }
        if self.identity.is_none() && !self.insecure_plain_tcp {
            return Err(Failure::new(
                "who is this party? --identity DIR names its folder, which `hushtable identity new` makes; see \
                 `hushtable help settings`",
            ));
        }
        self.connect.as_deref().map_or(Ok(()), has_port)
    }

    fn options(&self) -> Result<Options> {
        self.check()?;
        let options = options(self.identity.as_deref(), self.peer.as_deref(), self.insecure_plain_tcp)?;
        let (wait, timeout) =
            (Duration::from_secs(self.wait.into()), Duration::from_secs(self.timeout.into()));
        let farewell = self.farewell.clone();
        Ok(options.shape(self.net).wait(wait).timeout(timeout).idle(timeout).farewell(farewell))
    }
}

/// Refuses an address to connect to that names no port.
pub fn has_port(address: &str) -> Result<()> {
    let port = address.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
    match port.map(|(_, port)| port.parse::<u16>()) {
        Some(Ok(1..)) => Ok(()),
        None => Err(Failure::new(format!("--connect {address}: the port is missing, as in {address}:7000"))),
        Some(_) => Err(Failure::new(format!("--connect {address}: a port is a number from 1 to 65535"))),
    }
}

/// Says where this party listens: always, where nobody else knows the port.
pub fn say_listening(asked: &str, place: &str) {
    let line = format!("{LISTENING}{place}\n");
    if asked.ends_with(":0") { terminal::complain(&line) } else { terminal::note(&line) }
}

/// Files that are enough, where the system has no limit.
#[cfg(unix)]
const MOST_FILES: u64 = 1 << 16;

/// Opens a port. How many callers can wait and be heard follows from how many files this process may have open, which
/// from now on are as many as it can get.
pub fn listen(address: &str, options: Options) -> hushtable::Result<Listener> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        // Where the system refuses, there are fewer places.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum.or(Some(MOST_FILES)), maximum });
    }
    Listener::bind(address, options)
}

/// Who is at the other end, in a line.
fn who(connection: &Connection) -> String {
    let name = connection.peer_name();
    match connection.peer_fingerprint() {
        Some(fingerprint) => format!("the peer is {name} (fingerprint {fingerprint})"),
        None => format!("the peer is at {name}, and could be anybody"),
    }
}

/// How to connect as this party to `peer`, with what `doctor` compares. Whom a listening party turns away is
/// said on standard error.
pub fn options(identity: Option<&Path>, peer: Option<&str>, insecure_plain_tcp: bool) -> Result<Options> {
    let identity = identity.filter(|_| !insecure_plain_tcp).map(Identity::load).transpose()?;
    Ok(options_of(identity).peer(peer.map(str::to_owned)))
}

/// The same with an identity that was read; without one by plain TCP.
pub fn options_of(identity: Option<Identity>) -> Options {
    let options = identity.map_or_else(
        || {
            eprintln!("warning: plain TCP: anybody on the way can read and change everything");
            Options::plain()
        },
        Options::secure,
    );
    let parameters = vec![("LPN parameter sets".to_owned(), params::digest_text())];
    let throttled = Throttled::default();
    let log = Log::new(move |line| throttled.take(line).into_iter().for_each(|line| eprintln!("{line}")));
    options.parameters(parameters).log(log)
}
