//! Clients and servers that do to each other what they can.
#![cfg(unix)]

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use apps::private_table::{Answer, Description, Greeting, Key, KeyKind, Places, Request, Value, ValueKind};
use hushtable::{
    Error,
    confidential::copy::CopyJob,
    net::{Listener, Options},
    session::Session,
    terms,
};

use crate::{
    common::Site,
    serve_crowds::{LOOKUP, PLAIN, SERVE, found, table},
};

/// What both announce before a copy is sent.
fn announced(job: &CopyJob) -> String {
    let CopyJob { owner, cipher, row_bits, .. } = job;
    let keys = terms::Value::text(job.keys);
    format!(
        "copy; owner {owner}; encrypted with {cipher}; keys {keys}; bits of a row {row_bits} from message 0"
    )
}

/// A client that comes in and then says a byte now and then holds its own part of the places, and those for a time.
#[test]
fn clients_that_drip_leave_room_for_others() {
    let site = Site::without_identities();
    table(&site);
    let limits = "--sessions 4 --sessions-per-peer 2 --timeout 1";
    let server = site.listen(&format!("{SERVE} {limits} {PLAIN}"));
    let drip = |address: String| {
        let mut hello = [0; 64];
        hello[..8].copy_from_slice(b"hushtabl");
        hello[8..10].copy_from_slice(&hushtable::net::WIRE_VERSION.to_le_bytes());
        hello[11] = 1;
        let mut socket = TcpStream::connect(address).unwrap();
        let _ = socket.write_all(&hello);
        // A message of 79 bytes, one after the other.
        let _ = socket.write_all(&[79, 0, 0, 0, 1, 0, 0, 0]);
        // Twice a second, so that all of it would take 40 s, and no pause is as long as --timeout.
        socket.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let (start, mut buf) = (Instant::now(), [0; 4096]);
        while start.elapsed() < Duration::from_secs(20) {
            let over = match socket.read(&mut buf) {
                Ok(0) => true,
                Ok(_) => false,
                Err(e) => !matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
            };
            if over || socket.write_all(&[0]).is_err() {
                return true;
            }
        }
        false
    };
    thread::scope(|scope| {
        let dripping: Vec<_> = (0..6).map(|_| scope.spawn(|| drip(server.address.clone()))).collect();
        site.run(&format!("{LOOKUP} --wait 600 {PLAIN} --connect {}", server.address)).ok();
        assert!(dripping.into_iter().all(|dripping| dripping.join().unwrap()), "each comes to its end");
    });
}

/// Servers that lie, stall or drip: the client ends by itself, says why, and leaves nothing half done.
/// Longer than 10 s: some of them say nothing until that is too long.
#[test]
fn servers_that_lie_do_clients_no_harm() {
    let site = Site::without_identities();
    table(&site);
    let honest = site.listen(&format!("{SERVE} {PLAIN}"));
    let (_, description) = found(&honest.address);
    type Lie = fn(&Description, &mut Session) -> hushtable::Result<()>;
    let lies: [(&str, Lie, i32, &str); 8] = [
        (
            "a copy that fills the disk",
            |description, s| {
                let of = |i| Value { name: format!("v{i}"), kind: ValueKind::Text { bytes: 8 } };
                let huge = Description {
                    key: Key {
                        kind: KeyKind::Text { bits: 96 },
                        form: Some("trim,nfc".into()),
                        ..description.key.clone()
                    },
                    values: (0..8).map(of).collect(),
                    places: Places::Sparse { rows: 1 << 24 },
                    batch: 16,
                    ..description.clone()
                };
                huge.check().expect("a table that there may be");
                describe(&huge, s)?;
                assert!(s.recv(Request::LEN).is_err(), "nothing is asked for");
                Ok(())
            },
            5,
            "table has 1793.06 MB, and 1000.00 MB may be fetched: --copy-at-most 1793064960 allows it",
        ),
        (
            "another version, again and again",
            |description, s| {
                describe(description, s)?;
                s.recv(Request::LEN)?;
                s.send(Answer::OtherVersion.to_bytes())?;
                s.recv(1).map(drop)
            },
            4,
            "the table has changed meanwhile, 6 times",
        ),
        (
            "a copy that does not match its digest",
            |description, s| {
                describe(description, s)?;
                s.recv(Request::LEN)?;
                s.send(Answer::Yes.to_bytes())?;
                s.announce(&announced(&description.job()))?;
                s.send(vec![7; description.job().copy_bits() as usize / 8])?;
                s.recv(1).map(drop)
            },
            4,
            "the copy does not match its digest",
        ),
        (
            "a part of a copy, of another version each time",
            |description, s| {
                let values = vec![Value { name: "v".into(), kind: ValueKind::Text { bytes: 16 } }];
                let key = Key { kind: KeyKind::Whole { least: 0, bits: 17 }, ..description.key.clone() };
                let large = Description { key, values, digest: s.id(), ..description.clone() };
                large.check().expect("a table that there may be");
                describe(&large, s)?;
                s.recv(Request::LEN)?;
                s.send(Answer::Yes.to_bytes())?;
                s.announce(&announced(&large.job()))?;
                s.send(vec![7; 1 << 20])
            },
            4,
            "the peer closed the connection",
        ),
        (
            "no room, for ever",
            |_, s| s.send(Greeting::Busy.to_bytes()),
            4,
            "as many as it can: come again later",
        ),
        (
            "a description that is too long",
            |_, s| s.send(Greeting::Open(u32::MAX).to_bytes()),
            4,
            "a description of 4294967295 bytes",
        ),
        (
            "nothing behind the description",
            |description, s| {
                describe(description, s)?;
                s.recv(Request::LEN)?;
                s.recv(1).map(drop)
            },
            4,
            "error: ",
        ),
        (
            "garbage in place of lookups",
            |description, s| {
                describe(description, s)?;
                s.recv(Request::LEN)?;
                s.send(Answer::Yes.to_bytes())?;
                (0..100).try_for_each(|_| s.send(vec![0x5a; 4096]))?;
                s.recv(1).map(drop)
            },
            4,
            "error: ",
        ),
    ];
    for (what, lie, code, says) in lies {
        let listener = Listener::bind("127.0.0.1:0", Options::plain()).unwrap();
        let address = listener.local_addr();
        let _ = fs::remove_file(site.path("c"));
        let mut client = site.start(&format!("{LOOKUP} --wait 2 --timeout 1 {PLAIN} --connect {address}"));
        let mut visitors = listener.visitors().unwrap();
        thread::scope(|scope| {
            while client.child.try_wait().unwrap().is_none() {
                let Some(connection) = visitors.next(Duration::from_millis(20)).unwrap() else { continue };
                let description = &description;
                scope.spawn(move || Session::new(connection).and_then(|mut s| lie(description, &mut s)));
            }
        });
        let done = client.finish();
        assert_eq!(done.code, code, "{what}: {done:?}");
        done.fails(says);
        assert!(!site.has("o.csv"), "{what}");
        assert!(fs::metadata(site.path("c")).map_or(0, |file| file.len()) < 1 << 21, "{what}");
    }
    // None of it is taken for the copy.
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", honest.address)).ok();
    assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
}

/// What an honest server says first.
fn describe(description: &Description, s: &mut Session) -> Result<(), Error> {
    let bytes = description.to_bytes();
    s.send(Greeting::Open(bytes.len() as u32).to_bytes())?;
    s.send(bytes)
}

/// What a client fetches has a bound of its own, and nothing comes of what is more.
#[test]
fn a_copy_that_is_too_large_is_refused_before_it_is_sent() {
    let site = Site::without_identities();
    table(&site);
    let mut server = site.listen(&format!("{SERVE} {PLAIN}"));
    let lookup = |most: &str| site.run(&format!("{LOOKUP} {most} {PLAIN} --connect {}", server.address));
    let (_, description) = found(&server.address);
    let bytes = description.job().copy_bits() / 8;
    let allows = format!("--copy-at-most {bytes} allows it");
    lookup(&format!("--copy-at-most {}", bytes - 1)).fails_with(5, &allows);
    assert!(!site.has("c") && !site.has("o.csv"));
    lookup(&format!("--copy-at-most {bytes}")).ok();
    assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
    server.says("sent the copy, 1 of 1 keys for it, done");
}

/// A client that comes again and again fills no disk with lines; how many are left out is said, and the last of them.
#[test]
fn a_client_causes_so_many_lines() {
    let site = Site::without_identities();
    table(&site);
    let mut server = site.listen(&format!("{SERVE} --sessions 100 {PLAIN}"));
    let start = Instant::now();
    for _ in 0..60 {
        drop(found(&server.address));
    }
    let line = server.says("such lines are left out; then: session ");
    assert!(line.contains("left after the description"), "{line}");
    server.signal("TERM");
    let done = server.finish().ok();
    let lines = done.stderr.matches("left after the description").count() as u64;
    assert!((20..22 + start.elapsed().as_secs()).contains(&lines), "{lines} lines");
}
