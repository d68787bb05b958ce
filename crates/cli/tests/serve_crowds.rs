//! What keeps nobody out of a server: crowds that say nothing, pins that cannot be read, clients that ask for more and
//! more.
#![cfg(unix)]

#[path = "../../hushtable/tests/net_support/crowd.rs"]
#[allow(dead_code)] // What comes from the peer's own address.
mod crowd;

use std::{fs, net::TcpStream, thread, time::Duration};

use apps::private_table::{
    Answer, Description, Found, Gets, Keys, Query, Request, Took, find, look_up, prepare_ot, request,
};
use hushtable::{
    Error, Party,
    confidential::copy::{Arriving, Held},
    net::{Identity, Options, connect},
    session::Session,
};

use crate::{
    common::{Listening, Site},
    proxy::{Fault, Proxy},
};
use crowd::{loiter_elsewhere, sockets};

pub const PLAIN: &str = "--insecure-plain-tcp";
pub const SERVE: &str = "serve --table t.csv --key k --value v";
pub const LOOKUP: &str = "lookup --keys m.csv --column k --reveal me --force --output o.csv --copy c";

pub fn table(site: &Site) {
    let rows: String = (0..10).map(|i| format!("{},{i}\n", 3 * i)).collect();
    site.write("t.csv", &format!("k,v\n{rows}"));
    site.write("m.csv", "k\n27\n");
}

/// So many callers who say nothing, as long as these live.
fn crowd(address: &str, most: usize) -> Vec<TcpStream> {
    loiter_elsewhere(address.parse().unwrap(), sockets(most), b"")
}

/// With 400 files there are 100 places for those who say nothing, and 25 for those who are heard.
#[test]
fn two_thousand_silent_callers_keep_no_client_out() {
    let site = Site::new();
    table(&site);
    let mut server = site.listen_limited("-n 400", &format!("{SERVE} --identity bank.id"));
    let before = crowd(&server.address, 2000);
    for _ in 0..2 {
        site.run(&format!("{LOOKUP} --identity telecom.id --wait 100 --connect {}", server.address)).ok();
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

/// Whatever listens has places for as many callers as the system lets it have files.
#[cfg(target_os = "linux")]
#[test]
fn whoever_listens_opens_as_many_files_as_may_be() {
    let site = Site::without_identities();
    table(&site);
    site.write_scores("a.csv", &[0.5]);
    for command in [SERVE, "apply sigmoid --reveal both --input a.csv --column score --output o.csv"] {
        let here = site.listen_limited("-Sn 64", &format!("{command} {PLAIN}"));
        let limits = here.about("limits");
        let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        let [soft, hard, ..] = files.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{files}") };
        assert_eq!(soft, hard, "{command}");
    }
}

/// A server that has no file for another connection says so now and then, not each time that it tries.
#[cfg(target_os = "linux")]
#[test]
fn no_connection_is_said_now_and_then() {
    let site = Site::without_identities();
    table(&site);
    let mut server = site.listen(&format!("{SERVE} {PLAIN}"));
    drop(found(&server.address));
    server.says("left after the description");
    server.limit_files(3);
    let mut alone = 0;
    while !server.says("no connection: ").contains("such lines") {
        alone += 1;
        assert!(alone < 60);
    }
}

#[test]
fn two_hundred_silent_callers_keep_no_client_out_on_a_slow_link() {
    let site = Site::new();
    table(&site);
    let net = "--net 1000:400";
    let server = site.listen_limited("-n 400", &format!("{SERVE} --identity bank.id {net}"));
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
    let mut server = site.listen(&format!("{SERVE} --identity bank.id"));
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
    // `explain` says the same, and refuses a slip as a start does.
    let asked = format!("{SERVE} --identity bank.id --listen 127.0.0.1:0");
    let explained = site.run(&format!("explain {asked}")).ok().stdout;
    let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        explained.contains("clients telecom; nobody else is let in left out a pin by which"),
        "{explained}"
    );
    assert_eq!(explained.matches("left out a pin by which nobody is trusted: ").count(), 2, "{explained}");
    for asked in [format!("explain {asked} --peer telecon"), format!("{asked} --peer telecon")] {
        site.run(&asked).fails_with(3, "telecon");
    }
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

/// While nobody may come in because it is not known who may, sessions under way end in their time all the same.
#[test]
fn a_session_ends_in_its_time_while_pins_cannot_be_read() {
    let site = Site::new();
    table(&site);
    let mut server = site.listen(&format!("{SERVE} --identity bank.id --longest 4 --timeout 600"));
    let long = Duration::from_secs(60);
    let options = Options::secure(Identity::load(&site.path("telecom.id")).unwrap());
    let options = Options { timeout: long, idle: long, ..options };
    let mut s = Session::new(connect(&server.address, options).unwrap()).unwrap();
    assert!(matches!(find(&mut s), Ok(Found::Open(_))));
    fs::rename(site.path("bank.id/trusted"), site.path("elsewhere")).unwrap();
    server.signal("HUP");
    server.says("nobody may come, trying again: ");
    // It lives, and says nothing more.
    let error = s.recv(1).unwrap_err();
    assert!(matches!(error, Error::Closed), "{error}");
    fs::rename(site.path("elsewhere"), site.path("bank.id/trusted")).unwrap();
    server.says("telecom may come");
    server.signal("TERM");
    server.finish().ok();
}

/// What is in the place of the key and is none is not replaced, at a reload no more than at a start.
#[test]
fn a_foreign_file_is_no_key() {
    let site = Site::without_identities();
    table(&site);
    let serve = format!("{SERVE} --key-file t.key {PLAIN}");
    let mut server = site.listen(&serve);
    let key = fs::read(site.path("t.key")).unwrap();
    let accounts = "my only copy of the accounts\n";
    fs::write(site.path("t.key"), accounts).unwrap();
    site.write("t.csv", "k,v\n27,5\n");
    server.signal("HUP");
    let line = server.says("the table ");
    assert!(line.contains("stays as it was: t.key: is no key of a table, and is not replaced"), "{line}");
    assert_eq!(site.read("t.key"), accounts);
    let other = site.run(&format!("{serve} --listen 127.0.0.1:0"));
    other.fails_with(3, "t.key: is no key of a table, and is not replaced");
    // Without it, or with the old one, there is a new one.
    for key in [None, Some(key)] {
        let path = site.path("t.key");
        key.iter().for_each(|key| fs::write(&path, key).unwrap());
        key.is_none().then(|| fs::remove_file(&path).unwrap());
        site.write("t.csv", &format!("k,v\n27,{}\n", if key.is_none() { 6 } else { 7 }));
        server.signal("HUP");
        server.says("a new version");
        assert_ne!(Some(fs::read(&path).unwrap()), key);
    }
}

/// A session in which the table was described.
pub fn found(address: &str) -> (Session, Description) {
    let mut s = Session::new(connect(address, Options::plain()).unwrap()).unwrap();
    let Ok(Found::Open(description)) = find(&mut s) else { panic!("a table") };
    (s, *description)
}

/// Asks for lookups; the answer. With the copy if it comes.
fn ask(address: &str, gets: Gets, messages: Option<u32>) -> Answer {
    let (mut s, description) = found(address);
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
    let server = site.listen(&format!("{SERVE} --copies-per-hour 3 --sessions 40 {PLAIN}"));
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
    let refused = site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address));
    refused.fails_with(
        5,
        "or one more copy of the table, are more than the peer lets this party look up and fetch now",
    );
}

/// Whoever cuts connections on the way uses up of copies what has left the server, and of keys those of batches that have
/// begun.
#[test]
fn what_is_cut_off_is_given_back() {
    let site = Site::without_identities();
    table(&site);
    // A copy of 8 MB. Of that the system holds 3 perhaps, and the proxy lets through nearly nothing.
    let wide = "--key k --key-range 0:131071 --value v:text:64 --pad-to 2e5 --prf lowmc --copies-per-hour 5";
    let server = site.listen(&format!("serve --table t.csv {wide} {PLAIN}"));
    let proxy = Proxy::new(&server.address, 12_000, Fault::Cut);
    let cut = site.run(&format!("{LOOKUP} {PLAIN} --connect {}", proxy.address));
    cut.fails_with(4, "the peer closed the connection");
    assert_eq!(cut.stderr.matches("the connection broke").count(), 5, "{cut:?}");
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
    assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
    drop(server);
    let mut server = site.listen(&format!("{SERVE} --lookups-per-hour 6 --batch 2 {PLAIN}"));
    for batches in 0..2 {
        goes_after(&server.address, batches);
        server.says("failed: ");
    }
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
}

/// Asks for 6 keys, looks up so many batches of 2, and goes.
fn goes_after(address: &str, batches: usize) {
    let (mut s, description) = found(address);
    let (digest, gets) = (description.digest, Gets::Client);
    let mut arriving = Arriving::new(description.job(), digest).unwrap();
    let asked = Request { digest, messages: 0, lookups: 6, gets, keys: None };
    assert_eq!(request(&mut s, asked, Some(&mut arriving), |_| Ok(())).unwrap(), Answer::Yes);
    let (copy, mut p) = (arriving.finish().unwrap(), Party::start(s, None).unwrap());
    if batches > 0 {
        prepare_ot(&mut p, &description, (gets, None), 6).unwrap();
    }
    for _ in 0..batches {
        let query = Query { held: Held::Copy(&copy), gets, keys: Keys::Own(&[0, 3]) };
        look_up(&mut p, &mut Took::default(), &description, &query, || {}).unwrap();
    }
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
    let how = format!("{SERVE} --shares kept {PLAIN}");
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
        assert!(line.contains("kept shares of this peer: "), "{line}");
        assert_eq!(kept(), 2 * most);
        // What is not asked for as shares needs no room.
        site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
        // Who takes some away makes room.
        fs::remove_dir_all(site.path("kept")).unwrap();
        fs::create_dir(site.path("kept")).unwrap();
        look(&server).ok();
        drop(server);
        // Over a restart they count for all.
        let mut server = site.listen(&format!("{how} --kept-sessions 1"));
        look(&server).fails_with(5, full);
        server.says("kept shares of all peers: 1 of 1 sessions");
        drop(server);
        fs::remove_dir_all(site.path("kept")).unwrap();
        fs::create_dir(site.path("kept")).unwrap();
    }
    let server = site.listen(&format!("{how} --kept-bytes 2000 --kept-bytes-per-peer 100"));
    look(&server).fails_with(5, full);
    assert_eq!(kept(), 0);
}
