//! A server and its clients: copies that are kept, cut short and altered, connections that break, many clients of which
//! some misbehave, another version of the table, the end.

use std::{
    fs,
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use crate::common::{Done, Listening, Running, Site};
use crate::proxy::{Fault, Proxy};
use apps::private_table::{Answer, Found, Gets, Request, find, request};
use hushtable::{
    confidential::copy::Arriving,
    net::{Options, connect},
    session::Session,
};

const PLAIN: &str = "--insecure-plain-tcp";
const MIB: usize = 1 << 20;

fn table(site: &Site, name: &str, rows: i64, times: i64) {
    let rows: String = (0..rows).map(|i| format!("{},{}\n", 3 * i, times * i)).collect();
    site.write(name, &format!("k,v\n{rows}"));
}

fn lookup(out: &str, copy: &str, address: &str, rest: &str) -> String {
    format!(
        "lookup --keys m.csv --column k --reveal me --force --output {out} --copy {copy} {PLAIN} --connect {address} {rest}"
    )
}

/// A table whose copy has 5 messages: a text of 512 bits at each of 2^16 keys.
fn large(site: &Site) -> Listening {
    table(site, "t.csv", 100, 7);
    site.write("m.csv", "k\n297\n1\n0\n");
    site.listen(&format!(
        "serve --table t.csv --key k --key-range 0:65535 --pad-to 1e5 --value v:text:64 --prf lowmc {PLAIN}"
    ))
}

const LARGE: &str = "k,v,present\n297,693,1\n1,,0\n0,0,1\n";

#[test]
fn copies_that_are_kept() {
    let site = Site::without_identities();
    let mut server = large(&site);
    let look = |said: &str, sent: &str, server: &mut Listening| {
        let done = site.run(&lookup("o.csv", "c", &server.address, "")).ok();
        assert!(done.stderr.contains(said), "{said:?} in {done:?}");
        assert_eq!(site.read("o.csv"), LARGE);
        let line = server.says("session ");
        assert!(line.contains(sent), "{sent:?} in {line}");
    };
    look("4.20 MB of the copy came, and are kept", "sent the copy", &mut server);
    let whole = fs::read(site.path("c")).unwrap();
    look("the copy was here", "had the copy", &mut server);
    // Cut short: whole messages that are here are not sent again.
    for (len, sent) in [
        (whole.len() - 1, "sent 1 of 5 parts"),
        (56 + 2 * MIB + 77, "sent 3 of 5 parts"),
        (56, "sent the copy"),
    ] {
        fs::write(site.path("c"), &whole[..len]).unwrap();
        look(
            if len > 56 { "is cut short: the rest is fetched" } else { "of the copy came" },
            sent,
            &mut server,
        );
        assert_eq!(fs::read(site.path("c")).unwrap(), whole);
    }
    // Altered: seen at once if it is whole, else when the rest has come.
    let mut altered = whole.clone();
    altered[MIB] ^= 1;
    fs::write(site.path("c"), &altered).unwrap();
    look("c: is damaged: it is fetched anew", "sent the copy", &mut server);
    fs::write(site.path("c"), &altered[..56 + 3 * MIB]).unwrap();
    look(
        "the copy does not match its digest, and is fetched anew: once more",
        "sent 2 of 5 parts",
        &mut server,
    );
    assert!(server.says("session ").contains("sent the copy"));
    assert_eq!(fs::read(site.path("c")).unwrap(), whole);
    // Of another table, and of another version.
    table(&site, "other.csv", 5, 1);
    let other = site.listen(&format!("serve --table other.csv --key k --value v {PLAIN}"));
    site.run(&lookup("x.csv", "c2", &other.address, "")).ok();
    fs::copy(site.path("c2"), site.path("c")).unwrap();
    look("c: is of another version or table: it is replaced", "sent the copy", &mut server);
    drop(server);
    let mut server = large(&site);
    look("c: is of another version or table: it is replaced", "sent the copy", &mut server);
    // What is no copy stays.
    site.write("c", "my only copy of the accounts\n");
    let refused = site.run(&lookup("o.csv", "c", &server.address, ""));
    refused.fails_with(3, "c: is no copy of a table, and is not replaced by one");
    assert_eq!(site.read("c"), "my only copy of the accounts\n");
}

#[test]
fn a_connection_that_breaks() {
    let site = Site::without_identities();
    let mut server = large(&site);
    // Each connection brings a message and a half; the last one the two that are lacking then, which is less.
    let proxy = Proxy::new(&server.address, 3 * MIB / 2, Fault::Cut);
    let done = site.run(&lookup("o.csv", "c", &proxy.address, "")).ok();
    let broke = "the connection broke, and the copy goes on where it was";
    // On a busy machine one may bring less than a message.
    assert!((3..=6).contains(&done.stderr.matches(broke).count()), "{done:?}");
    assert_eq!(site.read("o.csv"), LARGE);
    assert!(server.says("sent 2 of 5 parts").contains("done"));
    // One that brings nothing ends soon.
    let proxy = Proxy::new(&server.address, MIB / 2, Fault::Cut);
    fs::remove_file(site.path("c")).unwrap();
    fs::remove_file(site.path("o.csv")).unwrap();
    let done = site.run(&lookup("o.csv", "c", &proxy.address, ""));
    done.fails_with(4, "the peer closed the connection");
    assert!(!site.has("o.csv"));
    // A client that is killed while the copy comes: the next one goes on.
    let proxy = Proxy::new(&server.address, 5 * MIB / 2, Fault::Stall);
    let killed = site.start(&lookup("o.csv", "c", &proxy.address, ""));
    proxy.reached();
    let full = || fs::metadata(site.path("c")).is_ok_and(|file| file.len() >= (56 + 2 * MIB) as u64);
    let start = Instant::now();
    while !full() {
        assert!(start.elapsed() < Duration::from_secs(60), "two messages have come");
        thread::yield_now();
    }
    drop(killed);
    let done = site.run(&lookup("o.csv", "c", &server.address, "")).ok();
    assert!(done.stderr.contains("c: is cut short: the rest is fetched"), "{done:?}");
    assert_eq!(site.read("o.csv"), LARGE);
}

/// One that asks for lookups as a client does; it has the copy then, and the server waits for it.
pub fn half_way(address: &str) -> Session {
    let mut s = Session::new(connect(address, Options::plain()).unwrap()).unwrap();
    loop {
        match find(&mut s).unwrap() {
            Found::Open(description) => {
                let (job, digest) = (description.job(), description.digest);
                let asked = Request { digest, messages: 0, lookups: 100, gets: Gets::Client, keys: None };
                let mut arriving = Arriving::new(job, digest).unwrap();
                let answer = request(&mut s, asked, Some(&mut arriving), |_| Ok(())).unwrap();
                assert_eq!(answer, Answer::Yes);
                return s;
            }
            Found::Busy | Found::Ending => {
                s = Session::new(connect(address, Options::plain()).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn fifty_clients_of_which_some_misbehave() {
    let site = Site::without_identities();
    table(&site, "t.csv", 1000, 11);
    let keys: String = (0..40).map(|i| format!("{}\n", 71 * i)).collect();
    site.write("m.csv", &format!("k\n{keys}"));
    let limits = "--sessions 6 --sessions-per-peer 6 --batch 64 --timeout 5 --copies-per-hour 100";
    let mut server = site.listen(&format!("serve --table t.csv --key k --value v {limits} {PLAIN}"));
    // The memory of six at once.
    let all = |from: usize, to: usize| -> Vec<Running> {
        (from..to)
            .map(|i| {
                site.start(&lookup(&format!("o{i}.csv"), &format!("c{i}"), &server.address, "--timeout 120"))
            })
            .collect()
    };
    let finished = |clients: Vec<Running>| clients.into_iter().map(Running::finish).collect::<Vec<Done>>();
    finished(all(0, 6)).into_iter().for_each(|done| drop(done.ok()));
    #[cfg(target_os = "linux")]
    let before = server.most_memory();
    let address = server.address.clone();
    // Bytes of no kind; a request of no kind; one that stops half way and one that sends garbage there.
    TcpStream::connect(&address).unwrap().write_all(&[0xa5; 5000]).unwrap();
    let stopped = half_way(&address);
    let mut garbage = half_way(&address);
    let clients = all(6, 53);
    for _ in 0..50 {
        let _ = garbage.send(vec![0x5a; 4096]);
    }
    // One is killed in the middle.
    let proxy = Proxy::new(&address, 3000, Fault::Stall);
    let killed = site.start(&lookup("k.csv", "ck", &proxy.address, ""));
    proxy.reached();
    drop(killed);
    let want = site.read("o0.csv");
    assert!(want.starts_with("k,v,present\n0,0,1\n71,,0\n142,,0\n213,781,1\n"), "{want}");
    for (i, done) in finished(clients).into_iter().enumerate() {
        done.ok();
        assert_eq!(site.read(&format!("o{}.csv", i + 6)), want);
    }
    drop((stopped, garbage));
    #[cfg(target_os = "linux")]
    {
        let after = server.most_memory();
        assert!(after < before + before / 2 + (32 << 10), "{before} KiB for 6 clients, {after} KiB for 50");
    }
    #[cfg(unix)]
    {
        server.signal("TERM");
        let line = server.says("stopped after");
        assert!(!line.contains("cut off"), "{line}");
        let done = server.finish().ok();
        assert!(done.stderr.contains("failed: malformed message from the peer"), "{done:?}");
        assert_eq!(done.stderr.matches("done, ").count(), 53, "{done:?}");
    }
}

/// A client that says nothing holds its place only for so long, however often its process says that it lives.
#[test]
fn who_stops_holds_nothing_for_long() {
    let site = Site::without_identities();
    table(&site, "t.csv", 10, 1);
    site.write("m.csv", "k\n3\n");
    for limits in ["--timeout 1", "--timeout 600 --longest 2"] {
        let server =
            site.listen(&format!("serve --table t.csv --key k --value v --sessions 1 {limits} {PLAIN}"));
        let stopped = half_way(&server.address);
        let start = Instant::now();
        let done = site.run(&lookup("o.csv", "c", &server.address, "")).ok();
        assert!(done.stderr.contains("serves as many as it can: waiting"), "{done:?}");
        assert!(start.elapsed() < Duration::from_secs(200), "{:?}", start.elapsed());
        drop(stopped);
    }
    let server = site.listen(&format!("serve --table t.csv --key k --value v --sessions 1 {PLAIN}"));
    let _stopped = half_way(&server.address);
    let done = site.run(&lookup("o.csv", "c", &server.address, "--wait 1"));
    done.fails_with(4, "the peer serves as many as it can: come again later");
}

#[test]
fn one_peer_leaves_room_for_the_others() {
    let site = Site::without_identities();
    table(&site, "t.csv", 10, 1);
    site.write("m.csv", "k\n3\n");
    for (limits, most) in [("", 2), ("--sessions-per-peer 1", 1)] {
        let limits = format!("--sessions 4 {limits} {PLAIN}");
        let server = site.listen(&format!("serve --table t.csv --key k --value v {limits}"));
        let _here: Vec<Session> = (1..most).map(|_| half_way(&server.address)).collect();
        site.run(&lookup("o.csv", "c", &server.address, "")).ok();
        let _last = half_way(&server.address);
        site.run(&lookup("o.csv", "c", &server.address, "--wait 1")).fails_with(4, "as many as it can");
    }
}

#[test]
fn a_peer_has_so_many_keys_in_an_hour() {
    let site = Site::without_identities();
    table(&site, "t.csv", 10, 1);
    site.write("m.csv", "k\n3\n6\n");
    let serve = |most| format!("serve --table t.csv --key k --value v --lookups-per-hour {most} {PLAIN}");
    let server = site.listen(&serve(5));
    for _ in 0..2 {
        site.run(&lookup("o.csv", "c", &server.address, "")).ok();
    }
    let done = site.run(&lookup("o.csv", "c", &server.address, ""));
    done.fails_with(5, "2 keys are more than the peer lets this party look up now; in 35");
    // Who is gone before a row is served has used nothing up.
    let mut server = site.listen(&serve(100));
    drop(half_way(&server.address));
    server.says("failed: ");
    site.run(&lookup("o.csv", "c", &server.address, "")).ok();
    // What would never be granted is not promised for later.
    site.write("m.csv", &format!("k\n{}", "1\n".repeat(101)));
    let done = site.run(&lookup("o.csv", "c", &server.address, ""));
    done.fails_with(5, "101 keys; the peer accepts up to 100 in a session");
}

#[cfg(unix)]
#[test]
fn who_is_trusted_no_longer_stays_out() {
    let site = Site::new();
    site.run("identity new --name shop --out shop.id").ok();
    [["bank", "shop"], ["shop", "bank"]].into_iter().for_each(|[own, peer]| site.trust(own, peer));
    table(&site, "t.csv", 10, 1);
    site.write("m.csv", "k\n27\n");
    let mut server =
        site.listen("serve --table t.csv --key k --value v --identity bank.id --peer telecom --peer shop");
    let comes = |who: &str, server: &Listening| {
        let rest = format!("--copy {who}.copy --identity {who}.id --connect {} --wait 1", server.address);
        let how = "--keys m.csv --column k --reveal me --force";
        site.run(&format!("lookup {how} --output {who}.csv {rest}")).code == 0
    };
    assert!(comes("telecom", &server) && comes("shop", &server));
    for (gone, here) in [("telecom", "shop"), ("shop", "nobody")] {
        site.run(&format!("identity untrust --identity bank.id {gone}")).ok();
        server.signal("HUP");
        server.says(&format!("{gone} may not come: it is trusted no longer"));
        server.says(&format!("the trusted peers were read again: {here} may come"));
        // The table comes after that.
        server.says("the table was read again: it has not changed");
        assert!(!comes("telecom", &server));
        assert_eq!(comes("shop", &server), here == "shop");
    }
    site.trust("bank", "telecom");
    server.signal("HUP");
    server.says("the trusted peers were read again: telecom may come");
    assert!(comes("telecom", &server) && !comes("shop", &server));
}

#[cfg(unix)]
#[test]
fn a_signal_during_a_reload_is_another_one() {
    let site = Site::new();
    table(&site, "t.csv", 100, 1);
    site.write("m.csv", "k\n297\n");
    let wide = "--key k --key-range 0:65535 --value v:text:64";
    let mut server = site.listen(&format!("serve --table t.csv {wide} --identity bank.id --pad-to 1e5"));
    for times in [2, 3] {
        table(&site, "t.csv", 100, times);
        server.signal("HUP");
        server.says("the trusted peers were read again: telecom may come");
    }
    let start = Instant::now();
    loop {
        let rest = format!("--force --output o.csv --identity telecom.id --connect {}", server.address);
        site.run(&format!("lookup --keys m.csv --column k --reveal me --copy c {rest}")).ok();
        match site.read("o.csv").as_str() {
            "k,v,present\n297,297,1\n" => break,
            other => assert!(start.elapsed() < Duration::from_secs(60), "{other}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn another_version_and_the_end() {
    let site = Site::without_identities();
    table(&site, "t.csv", 10, 1);
    site.write("m.csv", "k\n27\n");
    let how = "--key k --value v:int:16 --key-file t.key --grace 60";
    let start = || site.listen(&format!("serve --table t.csv {how} {PLAIN}"));
    let look = |server: &Listening, want: &str| {
        let done = site.run(&lookup("o.csv", "c", &server.address, "")).ok();
        assert_eq!(site.read("o.csv"), format!("k,v,present\n27,{want},1\n"));
        done.stderr.contains("the copy was here")
    };
    let mut server = start();
    assert!(!look(&server, "9") && look(&server, "9"));
    server.signal("HUP");
    server.says("it has not changed");
    assert!(look(&server, "9"), "the same version");
    // A session under way goes on with the old version.
    let under_way = half_way(&server.address);
    table(&site, "t.csv", 10, 2);
    server.signal("HUP");
    server.says("a new version");
    assert!(!look(&server, "18") && look(&server, "18"));
    // Where rows are bad, and not what stands there.
    for (text, want) in [
        ("k,v\n7177,2\n7177,3\n", "t.csv: 1 bad row, in line 3; `hushtable explain serve` shows them"),
        ("k,v\n7177,2\n1,2\n7177,3\n1,2\n", "2 bad rows, the first in line 4; "),
        ("k,v\n7177,\n", "1 bad row, in line 2, column \"v\"; "),
    ] {
        site.write("t.csv", text);
        server.signal("HUP");
        let line = server.says("the table stays as it was");
        assert!(line.contains(want) && !line.contains("7177"), "{line}");
    }
    fs::remove_file(site.path("t.csv")).unwrap();
    server.signal("HUP");
    server.says("the table stays as it was: t.csv: No such file");
    assert!(look(&server, "18"));
    // Who is there may finish; nobody else comes in.
    server.signal("TERM");
    server.says("stopping: 60 s for sessions under way: 1");
    let refused = site.run(&lookup("o.csv", "c", &server.address, "--wait 1"));
    assert!(refused.is_reported(), "{refused:?}");
    drop(under_way);
    server.says("stopped after");
    server.finish().ok();
    // With the key and the same table, copies stay good over a restart; with another table there is another key.
    table(&site, "t.csv", 10, 2);
    let key = fs::read(site.path("t.key")).unwrap();
    assert_eq!(crate::common::mode(&site.path("t.key")), 0o600);
    let server = start();
    assert!(look(&server, "18"), "the copy is good still");
    assert_eq!(fs::read(site.path("t.key")).unwrap(), key);
    drop(server);
    table(&site, "t.csv", 10, 3);
    let server = start();
    assert!(!look(&server, "27"));
    assert_ne!(fs::read(site.path("t.key")).unwrap(), key);
    drop(server);
    // Whoever does not come to an end is cut off, and told.
    let mut server = site.listen(&format!("serve --table t.csv --key k --value v --grace 0 {PLAIN}"));
    let under_way = half_way(&server.address);
    server.signal("INT");
    let line = server.says("stopped after");
    assert!(line.contains("1 session, 1 cut off"), "{line}");
    server.finish().ok();
    drop(under_way);
}
