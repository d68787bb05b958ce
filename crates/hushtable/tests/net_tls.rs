//! Sessions over TLS: who gets in, and what everybody else is told.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Connection, Identity, Listener, Role, connect, wire_len};
use net_support::*;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[test]
fn a_session_over_tls() {
    let folders = Folders::friends();
    let run = |mut c: Connection| {
        let seed = c.role() as u64;
        for n in [0, 1, 16_384, 16_385, 100_000, 20 * MIB] {
            assert!(c.channel().exchange(pattern(n, seed), n).unwrap() == pattern(n, seed ^ 1), "{n} bytes");
        }
        let mut lanes = c.fork(3).unwrap();
        for (i, lane) in lanes.iter_mut().enumerate() {
            assert_eq!(lane.channel().exchange(vec![i as u8], 1).unwrap(), [i as u8]);
            assert_eq!(lane.peer_name(), c.peer_name());
        }
        let ids: Vec<_> = lanes.iter().map(Connection::id).chain([c.id()]).collect();
        (c.peer_name().to_string(), ids, c.channel().take_cost())
    };
    let (a, b) = session(secure(&folders.bank), secure(&folders.telecom), run, run);
    assert_eq!((a.0.as_str(), b.0.as_str()), ("telecom", "bank"));
    assert_eq!((a.1, a.2), (b.1, b.2));
    // Seven rounds of messages; what TLS adds does not count.
    assert_eq!(a.2.rounds, 7);
    let messages = [0, 1, 16_384, 16_385, 100_000, 20 * MIB, 2 + 5 + 2 + 1];
    assert_eq!(a.2.sent, messages.iter().map(|&n| wire_len(n)).sum::<u64>());
}

#[test]
fn both_may_send_much_first() {
    let folders = Folders::friends();
    let run = |mut c: Connection| {
        let seed = c.role() as u64;
        (0..12).for_each(|i| c.channel().send(pattern(4 * MIB, seed + i)).unwrap());
        (0..12).for_each(|i| assert!(c.channel().recv(4 * MIB).unwrap() == pattern(4 * MIB, (seed ^ 1) + i)));
    };
    session(secure(&folders.bank), secure(&folders.telecom), run, run);
}

#[test]
fn a_peer_that_is_not_pinned_is_told_so_on_both_sides() {
    let fingerprint = |dir: &Path| Identity::load(dir).unwrap().fingerprint().to_string();

    // The bank does not know the telecom company.
    let folders = Folders::strangers();
    let retailer = folders.third("retailer");
    trust(&folders.bank, &retailer, None);
    trust(&retailer, &folders.bank, None);
    folders.telecom_trusts_bank();
    let telecom = secure(&folders.telecom);
    let lines = turned_away(secure(&folders.bank), secure(&retailer), |addr| {
        not_accepted(
            &tls_error(soon(|| connect(&addr.to_string(), telecom))),
            &fingerprint(&folders.telecom),
        );
    });
    not_pinned(&lines[0], &fingerprint(&folders.telecom), &folders.bank);

    // The telecom company does not know the bank.
    let folders = Folders::strangers();
    folders.bank_trusts_telecom();
    let before = secure(&folders.telecom);
    folders.telecom_trusts_bank();
    let lines = turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| {
        let text = tls_error(soon(|| connect(&addr.to_string(), before)));
        not_pinned(&text, &fingerprint(&folders.bank), &folders.telecom);
    });
    not_accepted(&lines[0], &fingerprint(&folders.bank));
}

fn not_pinned(text: &str, fingerprint: &str, dir: &Path) {
    assert!(text.contains(fingerprint) && text.contains("identity trust"), "{text}");
    assert!(text.contains(dir.join("trusted").to_str().unwrap()), "{text}");
}

fn not_accepted(text: &str, fingerprint: &str) {
    assert!(text.contains("does not accept our certificate") && text.contains(fingerprint), "{text}");
}

#[test]
fn plain_and_tls_do_not_mix() {
    let folders = Folders::friends();
    let lines = turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| {
        let text = tls_error(soon(|| connect(&addr.to_string(), plain())));
        assert_eq!(text, "the peer insists on TLS, this party uses plain TCP");
    });
    assert!(lines[0].contains("the peer uses plain TCP, this party TLS"), "{lines:?}");
    let lines = turned_away(plain(), plain(), |addr| {
        let text = tls_error(soon(|| connect(&addr.to_string(), secure(&folders.telecom))));
        assert!(text.contains("this party uses TLS, the peer plain TCP"), "{text}");
    });
    assert!(lines[0].contains("the peer uses TLS, this party plain TCP"), "{lines:?}");
}

#[test]
fn something_else_than_tls_is_no_peer() {
    let folders = Folders::friends();
    // A peer that says nothing, or hangs up, is called again for as long as the party waits: once here.
    let hasty = || secure(&folders.telecom).wait(Duration::ZERO);
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[22, 3, 1, 255, 255, 1, 2, 3], &[0x80; 100], &[22; 600]] {
        let lines =
            turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| say_and_wait(addr, bytes));
        assert_eq!(lines.len(), 1, "{bytes:?}: {lines:?}");
        let outcome = soon(|| connect_to_raw(hasty(), 10, bytes));
        assert!(matches!(outcome.err(), Some(Error::Tls(_) | Error::Timeout { .. })), "{bytes:?}");
    }
    let outcome = soon(|| connect_to_raw(hasty(), 10, b""));
    assert!(matches!(outcome.err(), Some(Error::Timeout { what: "TLS handshake", .. })));
}

/// Any party of TLS 1.3 with some key and certificate, that accepts whatever the other side shows.
fn impostor(key: &str, certificate: &str) -> Arc<CertifiedKey> {
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    Arc::new(CertifiedKey::new(vec![certificate], ring::sign::any_supported_type(&key).unwrap()))
}

/// What the listening `dir` says of an impostor that connects, in the place of an error.
fn admit(dir: &Path, own: Arc<CertifiedKey>) -> Option<Error> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_client_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(own)));
    config.enable_sni = false;
    let diary = Diary::default();
    let options = secure(dir).log(diary.log()).wait(Duration::from_secs(1));
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    let outcome = thread::scope(|scope| {
        scope.spawn(move || {
            let name = ServerName::try_from("x").unwrap();
            let session = ClientConnection::new(Arc::new(config), name).unwrap();
            let mut stream = rustls::StreamOwned::new(session, TcpStream::connect(addr).unwrap());
            let _ = stream.write_all(&greeting(WIRE_VERSION, 0, 1));
            let _ = stream.read(&mut [0; 64]);
        });
        soon(|| listener.accept()).map(|c| c.peer_name().to_owned())
    });
    assert!(matches!(&outcome, Err(Error::Timeout { what: "connection", .. })), "{outcome:?}");
    diary.lines().pop().map(Error::Tls)
}

/// What the connecting `dir` makes of an impostor that listens.
fn visit(dir: &Path, own: Arc<CertifiedKey>) -> Option<Error> {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(own)));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(move || {
            let session = ServerConnection::new(Arc::new(config)).unwrap();
            let mut stream = rustls::StreamOwned::new(session, listener.accept().unwrap().0);
            let _ = stream.read_exact(&mut [0; 64]);
            let _ = stream.write_all(&greeting(WIRE_VERSION, 0, 0));
            let _ = stream.read(&mut [0; 64]);
        });
        soon(|| connect(&addr, secure(dir))).err()
    })
}

#[test]
fn an_expired_peer_is_refused_even_if_pinned() {
    for (from, to, problem) in [(2001, 2002, "expired on"), (2500, 2501, "is not valid before")] {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
        let certificate = params.self_signed(&key).unwrap().pem();
        let folders = Folders::strangers();
        // `trust` would refuse it; it expired since.
        fs::write(folders.bank.join("trusted/old.pem"), &certificate).unwrap();
        for meet in [admit, visit] {
            let error = meet(&folders.bank, impostor(&key.serialize_pem(), &certificate));
            assert!(matches!(&error, Some(Error::Tls(text)) if text.contains(problem)), "{error:?}");
        }
    }
}

#[test]
fn a_pinned_certificate_without_its_key_does_not_help() {
    let folders = Folders::friends();
    let stolen = fs::read_to_string(folders.telecom.join("cert.pem")).unwrap();
    let own_key = KeyPair::generate().unwrap().serialize_pem();
    for meet in [admit, visit] {
        let error = meet(&folders.bank, impostor(&own_key, &stolen));
        assert!(matches!(&error, Some(Error::Tls(_))), "{error:?}");
    }
}

/// Copies one direction; after `intact` bytes it flips a bit, or cuts the connection.
fn relay(mut from: TcpStream, mut to: TcpStream, intact: usize, flip: bool) {
    let (mut buf, mut done) = ([0; 4096], 0);
    while let Ok(n @ 1..) = from.read(&mut buf) {
        let hit = (done..done + n).contains(&intact);
        if hit && flip {
            buf[intact - done] ^= 1;
        } else if hit {
            let _ = to.write_all(&buf[..intact - done]);
            break;
        }
        done += n;
        if to.write_all(&buf[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

#[test]
fn a_stream_altered_or_cut_anywhere_ends_on_both_sides() {
    let folders = Folders::friends();
    // Somewhere in the handshake, the greeting, and the messages.
    for intact in [3, 100, 900, 1500, 2500, 20_000] {
        for flip in [true, false] {
            // A stream altered in the handshake could be anybody's: the bank goes on waiting.
            let options = secure(&folders.bank).wait(Duration::from_secs(1));
            let listener = Listener::bind("127.0.0.1:0", options).unwrap();
            let inner = listener.local_addr();
            let outer = TcpListener::bind("127.0.0.1:0").unwrap();
            let addr = outer.local_addr().unwrap().to_string();
            let run = |c: hushtable::Result<Connection>| -> hushtable::Result<()> {
                let mut c = c?;
                (0..10).try_for_each(|_| c.channel().exchange(vec![5; 4096], 4096).map(drop))
            };
            let (a, b) = thread::scope(|scope| {
                scope.spawn(move || {
                    let p1 = outer.accept().unwrap().0;
                    let p0 = TcpStream::connect(inner).unwrap();
                    let (p1_again, p0_again) = (p1.try_clone().unwrap(), p0.try_clone().unwrap());
                    thread::spawn(move || relay(p0_again, p1_again, usize::MAX, false));
                    relay(p1, p0, intact, flip);
                });
                let options = secure(&folders.telecom).wait(Duration::ZERO);
                let p1 = scope.spawn(move || run(connect(&addr, options)));
                (soon(|| run(listener.accept())), soon(|| p1.join().unwrap()))
            });
            let ended = |e: &Error| matches!(e, Error::Tls(_) | Error::Closed | Error::Timeout { .. });
            let fine = matches!((&a, &b), (Err(a), Err(b)) if ended(a) && ended(b));
            assert!(fine, "after {intact} bytes, flip {flip}: {a:?}; {b:?}");
        }
    }
}

#[test]
fn a_mute_peer_times_out() {
    let folders = Folders::friends();
    let patient = secure(&folders.telecom).timing(Default::default());
    let (error, _) = session(
        secure(&folders.bank),
        patient, // whose heartbeats are too rare for the bank
        |mut p0| soon(|| p0.channel().recv(1).unwrap_err()),
        |mut p1| assert!(p1.channel().recv(1).is_err()),
    );
    assert!(matches!(&error, Error::Timeout { what: "sign of life", .. }), "{error}");
}

/// The first bytes of a record, one now and then: to TLS, and so to the party, no byte has come.
fn drip(mut socket: &TcpStream) {
    for byte in [23, 3, 3, 0x40, 0].into_iter().chain([0; 500]) {
        if socket.write_all(&[byte]).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_record_that_drips_is_no_sign_of_life() {
    let folders = Folders::friends();
    // So patient that the bytes come well within each look at the clock.
    let (limit, long) = (Duration::from_secs(4), Duration::from_secs(60));
    let options = secure(&folders.bank);
    let timing = options.timing.silence(limit);
    let options = options.timing(timing).timeout(long).idle(long);
    let listener = Listener::bind("127.0.0.1:0", options.clone()).unwrap();
    let (addr, telecom) = (listener.local_addr(), &folders.telecom);
    let error = thread::scope(|scope| {
        scope.spawn(move || {
            let mut peer = mute(telecom, addr);
            peer.write_all(&greeting(WIRE_VERSION, 0, 1)).unwrap();
            peer.read_exact(&mut [0; 64]).unwrap();
            drip(&peer.sock);
        });
        let mut c = listener.accept().unwrap();
        // Dropping it ends the dripping.
        soon(move || c.channel().recv(1).unwrap_err())
    });
    assert!(matches!(&error, Error::Timeout { what: "sign of life", .. }), "{error}");
    // The same in place of a greeting.
    let lines = turned_away(options, secure(telecom), |addr| drip(&mute(telecom, addr).sock));
    assert!(lines.len() == 1 && lines[0].contains("no greeting"), "{lines:?}");
}

#[test]
fn a_dropped_peer_is_closed_and_its_last_message_arrives() {
    let folders = Folders::friends();
    session(
        secure(&folders.bank),
        secure(&folders.telecom),
        |mut p0| {
            assert_eq!(p0.role(), Role::P0);
            p0.channel().recv(1).unwrap();
            p0.channel().send(pattern(8 * MIB, 2)).unwrap();
        },
        |mut p1| {
            p1.channel().send(vec![1]).unwrap();
            thread::sleep(Duration::from_millis(200));
            assert!(p1.channel().recv(8 * MIB).unwrap() == pattern(8 * MIB, 2));
            assert!(matches!(p1.channel().recv(1), Err(Error::Closed)));
        },
    );
}
