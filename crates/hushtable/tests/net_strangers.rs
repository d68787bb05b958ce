//! Strangers at the port of a waiting party: they are turned away, and the wait goes on.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Connection, Listener, Options, connect};
use net_support::*;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, ClientConfig, ClientConnection};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// So patient that only what is done side by side is done soon.
fn patient(options: Options) -> Options {
    let timing = options.timing.silence(Duration::from_secs(60));
    options.timing(timing).timeout(Duration::from_secs(60))
}

#[test]
fn nobody_keeps_the_peer_out() {
    let folders = Folders::friends();
    let stranger = folders.third("stranger");
    trust(&stranger, &folders.bank, None);
    let diary = Diary::default();
    let options = patient(secure(&folders.bank)).log(diary.log());
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    let (silent, half) = (loiter(addr, 40, b""), loiter(addr, 3, &[22, 3, 1, 2]));
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            // A port scan; a browser; another program; somebody with a certificate that is not pinned.
            drop(TcpStream::connect(addr).unwrap());
            say_and_wait(addr, b"GET / HTTP/1.1\r\nHost: bank\r\n\r\n");
            say_and_wait(addr, &greeting(WIRE_VERSION, 0, 1));
            assert!(tls_error(connect(&addr.to_string(), secure(&stranger))).contains("not accept"));
            connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap().id()
        });
        let session = soon(|| listener.accept().unwrap());
        let (id, name) = (session.id(), session.peer_name().to_owned());
        drop(session);
        assert_eq!((id, name.as_str()), (peer.join().unwrap(), "telecom"));
    });
    drop((silent, half));
    let lines = diary.lines();
    let count = |said: &str| lines.iter().filter(|line| line.contains(said)).count();
    // There is room for all of them.
    assert_eq!(count("made room"), 0, "{lines:#?}");
    assert_eq!((count("uses plain TCP"), count("is not in")), (1, 1), "{lines:#?}");
    assert!(lines.iter().all(|line| line.contains(" was turned away, the wait goes on: ")), "{lines:#?}");
    assert!(lines.iter().all(|line| line.bytes().all(|b| b == b' ' || b.is_ascii_graphic())), "{lines:#?}");
}

/// Callers that come while the peer is in the middle of its greeting do not make it go.
#[test]
fn a_flood_does_not_cut_off_who_is_being_heard() {
    let listener = Listener::bind("127.0.0.1:0", patient(plain())).unwrap();
    let addr = listener.local_addr();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| listener.accept().map(drop));
        let mut peer = TcpStream::connect(addr).unwrap();
        let hello = greeting(WIRE_VERSION, 0, 1);
        peer.write_all(&hello[..32]).unwrap();
        let flood = loiter(addr, 40, b"");
        // Less than the time that every caller has.
        peer.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let silence = peer.read(&mut [0]).map_err(|e| e.kind());
        assert!(matches!(silence, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{silence:?}");
        peer.write_all(&hello[32..]).unwrap();
        peer.set_read_timeout(None).unwrap();
        peer.read_exact(&mut [0; 64]).unwrap();
        drop((peer, flood));
        let _ = waiting.join().unwrap(); // it has lost its peer
    });
}

#[test]
fn nobody_keeps_a_lane_out() {
    let folders = Folders::friends();
    let stranger = folders.third("stranger");
    trust(&stranger, &folders.bank, None);
    let diary = Diary::default();
    let options = patient(secure(&folders.bank)).log(diary.log());
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    let run = |mut c: Connection, between: &dyn Fn()| {
        let mut lanes = Vec::new();
        for _ in 0..2 {
            between();
            lanes.extend(soon(|| c.fork(2)).unwrap());
        }
        for (i, lane) in lanes.iter_mut().enumerate() {
            assert_eq!(lane.channel().exchange(vec![i as u8], 1).unwrap(), [i as u8]);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let c = connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap();
            // They stand in the port's queue before the lanes do.
            let crowd = || {
                let silent = loiter(addr, 20, b"");
                let browser = loiter(addr, 1, b"GET / HTTP/1.1\r\n\r\n");
                let options = secure(&stranger);
                thread::spawn(move || connect(&addr.to_string(), options).map(drop));
                thread::spawn(move || drop((silent, browser, thread::park_timeout(Duration::from_secs(5)))));
            };
            run(c, &crowd);
        });
        run(listener.accept().unwrap(), &|| {});
    });
    let lines = diary.lines();
    assert!(!lines.iter().any(|line| line.contains("made room")), "{lines:#?}");
}

#[test]
fn a_peer_that_goes_before_its_lanes_ends_the_wait_for_them() {
    let error = against_raw(
        patient(plain()),
        |mut c| soon(|| c.fork(1)).err(),
        |mut socket, _| {
            let fields = [&[5, 0], &b"lanes"[..], &[1, 0], b"1"].concat();
            socket.write_all(&frame(fields.len() as u32, 1, &fields)).unwrap();
        },
    );
    assert!(matches!(error, Some(Error::Closed)), "{error:?}");
    // A peer that cannot open them says so, though its session is not dropped yet.
    let listener = Listener::bind("127.0.0.1:0", patient(plain())).unwrap();
    let inner = listener.local_addr();
    let outer = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = outer.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(move || {
            // One connection passes, the way is closed to others.
            let (p1, p0) = (outer.accept().unwrap().0, TcpStream::connect(inner).unwrap());
            drop(outer);
            let (mut from, mut to) = (p0.try_clone().unwrap(), p1.try_clone().unwrap());
            thread::spawn(move || copy(&mut from, &mut to));
            copy(&mut { p1 }, &mut { p0 });
        });
        let (done, until_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            let mut c = connect(&addr, patient(plain())).unwrap();
            assert!(matches!(c.fork(1), Err(Error::Io { .. })));
            let _ = until_done.recv();
        });
        let error = soon(|| listener.accept().unwrap().fork(1)).err();
        drop(done);
        assert!(matches!(error, Some(Error::Closed)), "{error:?}");
    });
}

/// Copies one direction to its end; what passed.
fn copy(from: &mut TcpStream, to: &mut TcpStream) -> Vec<u8> {
    let (mut passed, mut buf) = (Vec::new(), [0; 4096]);
    while let Ok(n @ 1..) = from.read(&mut buf) {
        passed.extend(&buf[..n]);
        if to.write_all(&buf[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    passed
}

#[test]
fn a_caller_without_a_certificate_is_refused_by_tls_itself() {
    let folders = Folders::friends();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_no_client_auth();
    config.enable_sni = false;
    let lines = turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| {
        let session = ClientConnection::new(Arc::new(config), ServerName::try_from("x").unwrap()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, TcpStream::connect(addr).unwrap());
        let _ = stream.write_all(&greeting(WIRE_VERSION, 0, 1));
        let refusal = stream.read(&mut [0; 64]).unwrap_err();
        let alert = refusal.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>());
        let wanted = rustls::Error::AlertReceived(AlertDescription::CertificateRequired);
        assert_eq!(alert, Some(&wanted), "{refusal}");
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_caller_with_an_older_tls_is_refused() {
    let folders = Folders::friends();
    // ECDHE-ECDSA with AES-128-GCM, X25519, ECDSA on P-256: all this party has, but the version.
    let rest = [
        [0, 10, 0, 4, 0, 2, 0, 29].as_slice(), // groups
        &[0, 11, 0, 2, 1, 0],                  // point formats
        &[0, 13, 0, 4, 0, 2, 4, 3],            // signatures
    ]
    .concat();
    let offers = [vec![], vec![0, 43, 0, 3, 2, 3, 3]]; // versions: none named, 1.2
    for versions in offers {
        let extensions = [rest.clone(), versions].concat();
        let body = [
            [3, 3].as_slice(),
            &[9; 32],
            &[0, 0, 2, 0xC0, 0x2B, 1, 0, 0, extensions.len() as u8],
            &extensions,
        ]
        .concat();
        let message = [&[1, 0, 0, body.len() as u8], &body[..]].concat();
        let record = [&[22, 3, 1, 0, message.len() as u8], &message[..]].concat();
        let lines = turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| {
            // A fatal alert: protocol version.
            assert_eq!(say_and_wait(addr, &record), [21, 3, 3, 0, 2, 2, 70]);
        });
        assert!(lines.len() == 1 && lines[0].contains("TLS 1.3"), "{lines:?}");
    }
}

/// What P1 sends in a session, and the session's id.
fn recorded(p0: Options, p1: Options) -> (Vec<u8>, [u8; 32]) {
    let listener = Listener::bind("127.0.0.1:0", p0).unwrap();
    let inner = listener.local_addr();
    let outer = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = outer.local_addr().unwrap().to_string();
    let run = |mut c: Connection| {
        c.channel().exchange(vec![1; 100], 100).unwrap();
        c.id()
    };
    thread::scope(|scope| {
        let recorder = scope.spawn(move || {
            let (mut p1, mut p0) = (outer.accept().unwrap().0, TcpStream::connect(inner).unwrap());
            let (mut from, mut to) = (p0.try_clone().unwrap(), p1.try_clone().unwrap());
            thread::spawn(move || copy(&mut from, &mut to));
            copy(&mut p1, &mut p0)
        });
        let other = scope.spawn(move || run(connect(&addr, p1).unwrap()));
        let id = run(listener.accept().unwrap());
        assert_eq!(other.join().unwrap(), id);
        (recorder.join().unwrap(), id)
    })
}

#[test]
fn a_replayed_session_is_refused() {
    let folders = Folders::friends();
    let (bytes, _) = recorded(secure(&folders.bank), secure(&folders.telecom));
    assert!(bytes.len() > 500, "a handshake, a greeting and a message: {}", bytes.len());
    for _ in 0..2 {
        let lines = turned_away(secure(&folders.bank), secure(&folders.telecom), |addr| {
            say_and_wait(addr, &bytes);
        });
        assert_eq!(lines.len(), 1, "{lines:?}");
    }

    // Plain TCP authenticates nobody, but what is replayed is another session, with other keys.
    let (bytes, id) = recorded(plain(), plain());
    let listener = Listener::bind("127.0.0.1:0", plain()).unwrap();
    let addr = listener.local_addr();
    thread::scope(|scope| {
        scope.spawn(|| say_and_wait(addr, &bytes));
        let again = listener.accept().unwrap().id();
        assert_ne!(again, id);
    });
}
