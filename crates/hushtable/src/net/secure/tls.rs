//! TLS 1.3 over TCP: both parties show a certificate, and each accepts only those it has pinned.

use super::identity::{Identity, Peer, Pin};
use super::pin::{Pins, refused_by_us};
use crate::error::{Error, Result};
use crate::net::guard::{FIRST_BYTE, Guard, Refusal, Secured};
use crate::net::options::Options;
use crate::net::role::Role;
use crate::net::tcp::Tcp;
use crate::net::transport::{Deadline, Transport, again};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls::sign::SingleCertAndKey;
use rustls::{AlertDescription, ClientConfig, ClientConnection, ServerConfig, ServerConnection, version};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Most plaintext encrypted at once, so that reader and writer take turns.
const BLOCK: usize = 64 << 10;

/// What both sides need to open connections.
struct Settings {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    identity: Identity,
    linger: Duration,
}

impl Settings {
    fn new(identity: &Identity, awaited: Vec<Pin>, linger: Duration) -> Result<Self> {
        let provider = Arc::new(CryptoProvider {
            cipher_suites: vec![
                ring::cipher_suite::TLS13_AES_128_GCM_SHA256,
                ring::cipher_suite::TLS13_AES_256_GCM_SHA384,
                ring::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
            ],
            ..ring::default_provider()
        });
        let pins = Arc::new(Pins::new(identity, awaited, &provider));
        let certificate = Arc::new(SingleCertAndKey::from(identity.certified_key()));
        let versions = &[&version::TLS13];
        let wrong = |e: rustls::Error| Error::Tls(e.to_string());
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(wrong)?
            .dangerous() // Not the certificate authorities of the web, but pinned certificates.
            .with_custom_certificate_verifier(Arc::clone(&pins) as _)
            .with_client_cert_resolver(Arc::clone(&certificate) as _);
        client.enable_sni = false;
        client.resumption = rustls::client::Resumption::disabled();
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .map_err(wrong)?
            .with_client_cert_verifier(pins)
            .with_cert_resolver(certificate);
        server.send_tls13_tickets = 0;
        server.ignore_client_order = true;
        let (client, server) = (Arc::new(client), Arc::new(server));
        Ok(Settings { client, server, identity: identity.clone(), linger })
    }

    fn session(&self, role: Role) -> io::Result<rustls::Connection> {
        match role {
            Role::P0 => {
                ServerConnection::new(Arc::clone(&self.server)).map(Into::into).map_err(io::Error::other)
            }
            Role::P1 => {
                let name = ServerName::try_from("hushtable").expect("a valid name");
                ClientConnection::new(Arc::clone(&self.client), name)
                    .map(Into::into)
                    .map_err(io::Error::other)
            }
        }
    }
}

impl Identity {
    /// TLS with the peer, or one of the guests, that these options name.
    pub(in crate::net) fn guard(&self, options: &Options) -> Result<Box<dyn Guard>> {
        let awaited = match &options.guests {
            Some(names) => self.guests(names)?,
            None => self.awaited(options.peer.as_deref())?.into_iter().collect(),
        };
        Ok(Box::new(Settings::new(self, awaited, options.timing.linger)?))
    }
}

impl Guard for Settings {
    fn secure(&self, role: Role, socket: Tcp, deadline: &Deadline) -> std::result::Result<Secured, Refusal> {
        let tls = Tls::handshake(role, self, socket, deadline)?;
        let Some(Peer { name, fingerprint }) = tls.peer() else {
            let error = Error::Tls("the peer showed no certificate that is trusted".into());
            return Err(Refusal { pin: true, error });
        };
        let link = tls.socket.link();
        Ok(Secured { transport: Arc::new(tls), peer_name: name, peer: Some(fingerprint), link })
    }
}

/// An established TLS connection.
struct Tls {
    socket: Tcp,
    session: Mutex<rustls::Connection>,
    /// Records made and not yet written. Never locked while `session` is, except in that order by
    /// the one thread that writes.
    out: Mutex<Pending>,
    /// Bytes read and not yet decrypted.
    incoming: Mutex<Pending>,
    identity: Identity,
}

/// Bytes on their way between the session and the socket: `bytes[start..end]` on the way in, all
/// from `start` on the way out.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Tls {
    /// Runs the handshake, with the certificates checked on both sides.
    fn handshake(
        role: Role,
        settings: &Settings,
        socket: Tcp,
        deadline: &Deadline,
    ) -> std::result::Result<Tls, Refusal> {
        let identity = settings.identity.clone();
        match shake(role, settings, &socket, deadline) {
            Ok(session) => {
                let (session, [out, incoming]) = (Mutex::new(session), Default::default());
                Ok(Tls { socket, session, out, incoming, identity })
            }
            Err(e) => {
                // The peer must still receive the alert that says why.
                socket.close(settings.linger);
                Err(refusal(e, deadline, &identity))
            }
        }
    }

    /// Who the peer is; `None` if it showed no certificate that is pinned.
    fn peer(&self) -> Option<Peer> {
        let session = self.session.lock().expect("no panic while the lock is held");
        let certificate = session.peer_certificates()?.first()?;
        self.identity.pin_of(certificate).map(Pin::peer)
    }

    /// Writes records to the socket until none is left. `wait` is for all of them: a peer that takes a byte now and then
    /// does not begin it anew.
    fn push(&self, out: &mut Pending, wait: Duration) -> io::Result<()> {
        let mut wait = Wait::of(wait);
        while out.start < out.bytes.len() {
            out.start += self.socket.write(&out.bytes[out.start..], &[], wait.left()?)?;
        }
        out.bytes.clear();
        out.start = 0;
        Ok(())
    }

    /// Decrypts what has been read, as far as `buf` has room.
    fn decrypt(&self, incoming: &mut Pending, buf: &mut [u8]) -> io::Result<usize> {
        let mut session = self.session.lock().expect("no panic while the lock is held");
        let mut n = 0;
        loop {
            match session.reader().read(&mut buf[n..]) {
                Ok(k) => n += k,
                Err(e) if again(&e) => {}
                Err(e) => return Err(e),
            }
            let mut left = &incoming.bytes[incoming.start..incoming.end];
            if n == buf.len() || left.is_empty() {
                return Ok(n);
            }
            let before = left.len();
            session.read_tls(&mut left)?;
            incoming.start += before - left.len();
            session.process_new_packets().map_err(|e| invalid(explain(&e, &self.identity)))?;
        }
    }
}

impl Transport for Tls {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize> {
        let mut out = self.out.lock().expect("no panic while the lock is held");
        self.push(&mut out, wait)?;
        let a = &a[..a.len().min(BLOCK)];
        let b = &b[..b.len().min(BLOCK - a.len())];
        let n = {
            let mut session = self.session.lock().expect("no panic while the lock is held");
            let n = session.writer().write_vectored(&[IoSlice::new(a), IoSlice::new(b)])?;
            while session.wants_write() {
                session.write_tls(&mut out.bytes)?;
            }
            n
        };
        match self.push(&mut out, wait) {
            Err(e) if !again(&e) => Err(e),
            _ => Ok(n), // What the socket did not take is left to `flush`.
        }
    }

    fn flush(&self, wait: Duration) -> io::Result<()> {
        self.push(&mut self.out.lock().expect("no panic while the lock is held"), wait)
    }

    /// `wait` is for plaintext: the bytes of a record that is not complete, which anybody on the way can make up, are
    /// none and do not begin it anew.
    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize> {
        let mut incoming = self.incoming.lock().expect("no panic while the lock is held");
        let mut wait = Wait::of(wait);
        loop {
            let n = self.decrypt(&mut incoming, buf)?;
            if n > 0 {
                return Ok(n);
            }
            // Nothing is left of the bytes read before.
            (incoming.start, incoming.end) = (0, 0);
            incoming.bytes.resize(BLOCK, 0);
            incoming.end = self.socket.read(&mut incoming.bytes, wait.left()?)?;
            if incoming.end == 0 {
                return Ok(0);
            }
        }
    }

    fn close(&self, linger: Duration) {
        self.socket.close(linger);
    }
}

/// The time for several calls of the socket together.
struct Wait {
    limit: Duration,
    /// When the first call began, if there was one.
    since: Option<Instant>,
}

impl Wait {
    fn of(limit: Duration) -> Self {
        Wait { limit, since: None }
    }

    /// What is left for the next call: all of it for the first, so that a socket's time limit, which is mostly the same,
    /// is not set again.
    fn left(&mut self) -> io::Result<Duration> {
        let Some(since) = self.since else {
            self.since = Some(Instant::now());
            return Ok(self.limit);
        };
        match self.limit.saturating_sub(since.elapsed()) {
            Duration::ZERO => Err(ErrorKind::WouldBlock.into()),
            left => Ok(left),
        }
    }
}

/// First byte of a TLS alert.
const ALERT: u8 = 21;

fn shake(
    role: Role,
    settings: &Settings,
    socket: &Tcp,
    deadline: &Deadline,
) -> io::Result<rustls::Connection> {
    let mut session = settings.session(role)?;
    let mut stream = Stream { socket, deadline };
    if role == Role::P1 {
        // A peer without TLS answers our first flight with a plain greeting.
        session.write_tls(&mut stream)?;
        if socket.peek(deadline.left())?.is_some_and(|byte| byte != FIRST_BYTE && byte != ALERT) {
            return Err(invalid("this party uses TLS, the peer plain TCP or something else".into()));
        }
    }
    while session.is_handshaking() {
        if let Err(e) = session.complete_io(&mut stream) {
            // What is left to write is the alert.
            while session.wants_write() && session.write_tls(&mut stream).is_ok_and(|n| n > 0) {}
            return Err(e);
        }
    }
    session.set_buffer_limit(None);
    Ok(session)
}

/// The socket during the handshake, with one deadline for all of it.
struct Stream<'a> {
    socket: &'a Tcp,
    deadline: &'a Deadline,
}

impl Stream<'_> {
    /// Who never stops talking has no more time than others.
    fn left(&self) -> io::Result<Duration> {
        match self.deadline.left() {
            Duration::ZERO => Err(ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.socket.read(buf, self.left()?)
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.socket.write(buf, &[], self.left()?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

fn refusal(e: io::Error, deadline: &Deadline, identity: &Identity) -> Refusal {
    let Some(cause) = e.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>()) else {
        return Refusal { pin: false, error: deadline.fault(e, "TLS handshake") };
    };
    let pin = matches!(cause, rustls::Error::InvalidCertificate(_)) || refused_by_peer(cause);
    Refusal { pin, error: Error::Tls(explain(cause, identity)) }
}

fn refused_by_peer(e: &rustls::Error) -> bool {
    use AlertDescription as A;
    matches!(
        e,
        rustls::Error::AlertReceived(
            A::BadCertificate
                | A::UnknownCA
                | A::CertificateUnknown
                | A::CertificateExpired
                | A::CertificateRevoked
                | A::UnsupportedCertificate
                | A::CertificateRequired
                | A::AccessDenied
        )
    )
}

/// What happened, in words for whoever runs this party.
fn explain(e: &rustls::Error, identity: &Identity) -> String {
    if refused_by_peer(e) {
        return format!(
            "the peer does not accept our certificate (fingerprint {}): it has expired, or the peer waits for \
             somebody else, or it must first run `hushtable identity trust` with our {}",
            identity.fingerprint(),
            identity.certificate_path().display(),
        );
    }
    match e {
        rustls::Error::InvalidCertificate(e) => refused_by_us(e),
        rustls::Error::InvalidMessage(_) => {
            "the peer does not speak TLS, or something altered its bytes".into()
        }
        rustls::Error::DecryptError => "something on the way altered the peer's bytes".into(),
        rustls::Error::PeerIncompatible(_)
        | rustls::Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            format!("the peer does not support TLS 1.3 as needed here ({e})")
        }
        other => other.to_string(),
    }
}
