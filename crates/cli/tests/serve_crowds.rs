//! What keeps nobody out of a server: crowds that say nothing, pins and keys that cannot be read.
#![cfg(unix)]

#[path = "../../hushtable/tests/net_support/crowd.rs"]
#[allow(dead_code)] // What comes from the peer's own address.
mod crowd;

use std::{fs, net::TcpStream, process::Command, thread, time::Duration};

use apps::private_table::{Description, Found, find};
use hushtable::{
    Error,
    net::{Identity, Options, connect},
    session::Session,
};

use crate::common::{Listening, Site};
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
        site.run(&format!("{LOOKUP} --identity telecom.id --wait 600 --connect {}", server.address)).ok();
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
    let asked = "apply sigmoid --reveal both --input a.csv --column score";
    let p0 = site.listen_limited("-n 400", &format!("{asked} --output p0.csv --identity bank.id"));
    let _crowd = crowd(&p0.address, 2000);
    let p1 = format!("{asked} --output p1.csv --identity telecom.id --wait 600 --connect {}", p0.address);
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
        format!("lookup --describe --identity telecom.id --wait 600 {net} --connect {}", server.address);
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
    let options = options.timeout(long).idle(long);
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
    // It was tried each second.
    let said = server.finish().ok().stderr;
    assert_eq!(said.matches("nobody may come, trying again: ").count(), 1, "{said}");
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
    // From a pipe nothing may ever come.
    for (name, more) in [("t.key", "k,v\n27,8\n"), ("t.csv", "k,v\n27,9\n")] {
        let (path, aside) = (site.path(name), site.path("aside"));
        site.write("t.csv", more);
        fs::rename(&path, &aside).unwrap();
        let made = Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap();
        assert!(made.success());
        server.signal("HUP");
        let line = server.says("the table ");
        assert!(line.contains(&format!("stays as it was: {name}: is no plain file")), "{line}");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
        server.signal("HUP");
        server.says("a new version");
    }
}

/// A session in which the table was described.
pub fn found(address: &str) -> (Session, Description) {
    let mut s = Session::new(connect(address, Options::plain()).unwrap()).unwrap();
    let Ok(Found::Open(description)) = find(&mut s) else { panic!("a table") };
    (s, *description)
}
