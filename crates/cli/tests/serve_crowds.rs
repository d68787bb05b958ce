//! What keeps nobody out of a server: crowds that say nothing, pins that cannot be read, clients that ask for more and
//! more. And servers that do to clients what they can.
#![cfg(unix)]

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use apps::private_table::{Answer, Description, Found, Gets, Greeting, Request, find, request};
use hushtable::{
    Error,
    confidential::copy::Arriving,
    net::{Listener, Options, connect},
    session::Session,
};

use crate::common::{Listening, Site};

const PLAIN: &str = "--insecure-plain-tcp";

fn table(site: &Site) {
    let rows: String = (0..10).map(|i| format!("{},{i}\n", 3 * i)).collect();
    site.write("t.csv", &format!("k,v\n{rows}"));
    site.write("m.csv", "k\n27\n");
}

/// So many callers who say nothing, as long as these live.
fn crowd(address: &str, most: usize) -> Vec<TcpStream> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let files = getrlimit(Resource::Nofile).current.or(current).unwrap_or(u64::MAX);
    let count = most.min(usize::try_from(files / 4).unwrap_or(most));
    if count < most {
        eprintln!("{count} callers in place of {most}: this process may open {files} files (ulimit -Hn)");
    }
    (0..count).map(|_| TcpStream::connect(address).unwrap()).collect()
}

/// With 400 files there are 100 places for those who say nothing, and 25 for those who are heard.
#[test]
fn two_thousand_silent_callers_keep_no_client_out() {
    let site = Site::new();
    table(&site);
    let serve = "serve --table t.csv --key k --value v --identity bank.id";
    let mut server = site.listen_limited("-n 400", serve);
    let before = crowd(&server.address, 2000);
    let lookup =
        "lookup --keys m.csv --column k --reveal me --force --output o.csv --copy c --identity telecom.id";
    for _ in 0..2 {
        site.run(&format!("{lookup} --wait 100 --connect {}", server.address)).ok();
        assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
    }
    drop(before);
    server.says("session ");
    server.signal("TERM");
    server.finish().ok();
}

/// A job of two waits in the same way. What strangers cause in its log is bounded.
#[test]
fn two_thousand_silent_callers_keep_no_peer_out() {
    let site = Site::new();
    site.write_scores("a.csv", &[0.5, 1.0]);
    let asked = "apply sigmoid --reveal both --input a.csv --column score --quiet";
    let p0 = site.listen_limited("-n 400", &format!("{asked} --output p0.csv --identity bank.id"));
    let _crowd = crowd(&p0.address, 2000);
    let p1 = format!("{asked} --output p1.csv --identity telecom.id --wait 100 --connect {}", p0.address);
    site.run(&p1).ok();
    let done = p0.finish().ok();
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
    let lines = done.stderr.matches("was turned away").count();
    assert!((1..200).contains(&lines), "{lines} lines");
}

#[test]
fn two_hundred_silent_callers_keep_no_client_out_on_a_slow_link() {
    let site = Site::new();
    table(&site);
    let net = "--net 1000:400";
    let server = site
        .listen_limited("-n 400", &format!("serve --table t.csv --key k --value v --identity bank.id {net}"));
    let _crowd = crowd(&server.address, 200);
    let lookup =
        format!("lookup --describe --identity telecom.id --wait 100 {net} --connect {}", server.address);
    thread::scope(|scope| {
        // They go on coming.
        let more = scope.spawn(|| crowd(&server.address, 200));
        assert!(site.run(&lookup).ok().stdout.contains("The table \"t\""));
        drop(more.join());
    });
}

/// A pin that cannot be used, or a key of its own, does not keep a server from dropping the pins that are gone.
#[test]
fn bad_pins_keep_no_revoked_peer_in() {
    let site = Site::new();
    table(&site);
    let mut server = site.listen("serve --table t.csv --key k --value v --identity bank.id");
    let comes = |server: &Listening| {
        let rest = format!("--identity telecom.id --connect {} --wait 1", server.address);
        site.run(&format!("lookup --describe {rest}")).code == 0
    };
    let reload = |said: &[&str], server: &mut Listening| {
        server.signal("HUP");
        said.iter().for_each(|said| drop(server.says(said)));
        server.says("the table was read again");
    };
    assert!(comes(&server));
    let trusted = site.path("bank.id/trusted");
    fs::write(trusted.join("a.pem"), "no certificate").unwrap();
    fs::create_dir(trusted.join("b.pem")).unwrap();
    let left_out = "a pin is left out, nobody is trusted by it: ";
    reload(&[left_out, left_out, "telecom may come"], &mut server);
    assert!(comes(&server));
    site.run("identity untrust --identity bank.id telecom").ok();
    reload(&[left_out, left_out, "read again: nobody may come"], &mut server);
    assert!(!comes(&server));
    // Nor does a key that cannot be read.
    fs::remove_file(trusted.join("a.pem")).unwrap();
    fs::remove_dir(trusted.join("b.pem")).unwrap();
    site.trust("bank", "telecom");
    reload(&["telecom may come"], &mut server);
    fs::write(site.path("bank.id/key.pem"), "").unwrap();
    fs::remove_file(trusted.join("telecom.pem")).unwrap();
    reload(&["key and certificate stay as they are: ", "nobody may come"], &mut server);
    assert!(!comes(&server));
    // Without the folder nobody comes in, until it is there again.
    fs::rename(&trusted, site.path("elsewhere")).unwrap();
    server.signal("HUP");
    server.says("nobody may come, trying again: ");
    fs::rename(site.path("elsewhere"), &trusted).unwrap();
    server.says("nobody may come");
    server.says("the table was read again");
    server.signal("TERM");
    server.finish().ok();
}

/// Asks for lookups; the answer. With the copy if it comes.
fn ask(address: &str, gets: Gets, messages: Option<u32>) -> Answer {
    let mut s = Session::new(connect(address, Options::plain()).unwrap()).unwrap();
    let Ok(Found::Open(description)) = find(&mut s) else { panic!("a table") };
    let messages = messages.unwrap_or(description.job().messages() as u32);
    let asked = Request { digest: description.digest, messages, lookups: 3, gets, keys: None };
    let mut arriving = Arriving::new(description.job(), description.digest).unwrap();
    let arriving = (messages == 0).then_some(&mut arriving);
    request(&mut s, asked, arriving, |_| Ok(())).unwrap()
}

#[test]
fn copies_are_counted_by_the_hour() {
    let site = Site::without_identities();
    table(&site);
    let server = site
        .listen(&format!("serve --table t.csv --key k --value v --copies-per-hour 3 --sessions 40 {PLAIN}"));
    // Ask, fetch, leave, repeat.
    for _ in 0..3 {
        assert_eq!(ask(&server.address, Gets::Client, Some(0)), Answer::Yes);
    }
    for _ in 0..3 {
        let answer = ask(&server.address, Gets::Client, Some(0));
        assert!(matches!(answer, Answer::Later(3000..=3600)), "{answer:?}");
    }
    // Who has the copy is served on.
    assert_eq!(ask(&server.address, Gets::Client, None), Answer::Yes);
    let lookup = "lookup --keys m.csv --column k --reveal me --output o.csv --copy c";
    let refused = site.run(&format!("{lookup} {PLAIN} --connect {}", server.address));
    refused.fails_with(
        5,
        "or one more copy of the table, are more than the peer lets this party look up and fetch now",
    );
}

/// Of what is refused for its keys no copy is counted, and the reverse.
#[test]
fn what_is_refused_is_not_counted() {
    let site = Site::without_identities();
    table(&site);
    let asks = |server: &Listening, lookups: u64, copy: bool| {
        let mut s = Session::new(connect(&server.address, Options::plain()).unwrap()).unwrap();
        let Ok(Found::Open(description)) = find(&mut s) else { panic!("a table") };
        let messages = if copy { 0 } else { description.job().messages() as u32 };
        let (digest, gets) = (description.digest, Gets::Client);
        let mut arriving = Arriving::new(description.job(), digest).unwrap();
        let asked = Request { digest, messages, lookups, gets, keys: None };
        let answer = request(&mut s, asked, copy.then_some(&mut arriving), |_| Ok(())).unwrap();
        assert!(matches!(answer, Answer::Yes | Answer::Later(_)), "{answer:?}");
        answer == Answer::Yes
    };
    let serve = "serve --table t.csv --key k --value v --copies-per-hour 2 --lookups-per-hour 5";
    let server = site.listen(&format!("{serve} {PLAIN}"));
    // A key and a copy are spent.
    let lookup = "lookup --keys m.csv --column k --reveal me --output o.csv --copy c";
    site.run(&format!("{lookup} {PLAIN} --connect {}", server.address)).ok();
    assert!(!asks(&server, 5, true), "more keys than are left");
    assert!(asks(&server, 1, true), "the copy is still there");
    assert!(!asks(&server, 3, true), "one copy more than are left");
    assert!(asks(&server, 3, false), "those keys are still there");
}

#[test]
fn shares_that_are_kept_have_a_quota() {
    let site = Site::without_identities();
    table(&site);
    fs::create_dir(site.path("kept")).unwrap();
    let how = format!("serve --table t.csv --key k --value v --shares kept {PLAIN}");
    let look = |server: &Listening| {
        let lookup = "lookup --keys m.csv --column k --reveal shares --force --output v.json --copy c";
        site.run(&format!("{lookup} {PLAIN} --connect {}", server.address))
    };
    let kept = || fs::read_dir(site.path("kept")).unwrap().count();
    let full = "the peer has no room for more shares of results";
    for (limits, most) in [("--kept-sessions 4", 2), ("--kept-sessions 4 --kept-sessions-per-peer 3", 3)] {
        let mut server = site.listen(&format!("{how} {limits}"));
        for _ in 0..most {
            look(&server).ok();
        }
        look(&server).fails_with(5, full);
        let line = server.says("turned down");
        assert!(line.contains("the shares of this peer that are kept are those of "), "{line}");
        assert_eq!(kept(), 2 * most);
        // What is not asked for as shares needs no room.
        let open = "lookup --keys m.csv --column k --reveal me --force --output o.csv --copy c";
        site.run(&format!("{open} {PLAIN} --connect {}", server.address)).ok();
        // Who takes some away makes room.
        fs::remove_dir_all(site.path("kept")).unwrap();
        fs::create_dir(site.path("kept")).unwrap();
        look(&server).ok();
        drop(server);
        // Over a restart they count for all.
        let mut server = site.listen(&format!("{how} --kept-sessions 1"));
        look(&server).fails_with(5, full);
        server.says("the shares of all that are kept are those of 1 sessions");
        drop(server);
        fs::remove_dir_all(site.path("kept")).unwrap();
        fs::create_dir(site.path("kept")).unwrap();
    }
    let server = site.listen(&format!("{how} --kept-bytes 2000 --kept-bytes-per-peer 100"));
    look(&server).fails_with(5, full);
    assert_eq!(kept(), 0);
}

/// A client that comes in and then says a byte now and then holds its own part of the places, and those for a time.
#[test]
fn clients_that_drip_leave_room_for_others() {
    let site = Site::without_identities();
    table(&site);
    let limits = "--sessions 4 --sessions-per-peer 2 --timeout 1";
    let server = site.listen(&format!("serve --table t.csv --key k --value v {limits} {PLAIN}"));
    let drip = |address: String| {
        let mut hello = [0; 64];
        hello[..8].copy_from_slice(b"hushtabl");
        hello[8..10].copy_from_slice(&hushtable::net::WIRE_VERSION.to_le_bytes());
        hello[11] = 1;
        let mut socket = TcpStream::connect(address).unwrap();
        let _ = socket.write_all(&hello);
        // A message of 79 bytes, one after the other.
        let _ = socket.write_all(&[79, 0, 0, 0, 1, 0, 0, 0]);
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let (start, mut buf) = (Instant::now(), [0; 4096]);
        while start.elapsed() < Duration::from_secs(60) {
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
        let lookup = "lookup --keys m.csv --column k --reveal me --output o.csv --copy c --wait 100";
        site.run(&format!("{lookup} {PLAIN} --connect {}", server.address)).ok();
        assert!(dripping.into_iter().all(|dripping| dripping.join().unwrap()), "each comes to its end");
    });
}

/// Servers that lie, stall or drip: the client ends by itself, says why, and leaves nothing half done.
#[test]
fn servers_that_lie_do_clients_no_harm() {
    let site = Site::without_identities();
    table(&site);
    let honest = site.listen(&format!("serve --table t.csv --key k --value v {PLAIN}"));
    let mut s = Session::new(connect(&honest.address, Options::plain()).unwrap()).unwrap();
    let Ok(Found::Open(description)) = find(&mut s) else { panic!("a table") };
    let description = *description;
    drop(s);
    type Lie = fn(&Description, &mut Session) -> hushtable::Result<()>;
    let lies: [(&str, Lie, i32, &str); 6] = [
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
            "a copy that is not what its digest says",
            |description, s| {
                describe(description, s)?;
                s.recv(Request::LEN)?;
                s.send(Answer::Yes.to_bytes())?;
                s.announce(&format!("copy of {:?} from message 0", description.job()))?;
                s.send(vec![7; description.job().copy_bits() as usize / 8])?;
                s.recv(1).map(drop)
            },
            4,
            "the copy is not what its digest says",
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
        let lookup =
            "lookup --keys m.csv --column k --reveal me --output o.csv --copy c --wait 2 --timeout 1";
        let mut client = site.start(&format!("{lookup} {PLAIN} --connect {address}"));
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
        assert!(fs::metadata(site.path("c")).map_or(0, |file| file.len()) < 1 << 16, "{what}");
    }
    // None of it is taken for the copy.
    let lookup = "lookup --keys m.csv --column k --reveal me --output o.csv --copy c";
    site.run(&format!("{lookup} {PLAIN} --connect {}", honest.address)).ok();
    assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
}

/// What an honest server says first.
fn describe(description: &Description, s: &mut Session) -> Result<(), Error> {
    let bytes = description.to_bytes();
    s.send(Greeting::Open(bytes.len() as u32).to_bytes())?;
    s.send(bytes)
}
