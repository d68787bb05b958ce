//! What clients of a server may have, and that whoever cuts their connections uses up little of it.
#![cfg(unix)]

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use apps::private_table::{Answer, Gets, KeyLookup, Request, request};
use hushtable::{
    Party,
    confidential::copy::Arriving,
    net::HangUp,
    operation::Operation,
    run::{self, Watch},
    session::Session,
};

use crate::{
    common::{Listening, Site},
    proxy::{Fault, Proxy},
    serve_crowds::{LOOKUP, PLAIN, SERVE, found, table},
};

/// With a copy of 8 MB.
const WIDE: &str =
    "serve --table t.csv --key k --key-range 0:131071 --value v:text:64 --pad-to 2e5 --prf lowmc";

/// Asks for so many lookups, with the copy or without: the session, the answer, and the copy if it comes.
fn asked(address: &str, lookups: u64, copy: bool) -> (Session, hushtable::Result<Answer>, Arriving) {
    let (mut s, description) = found(address);
    let messages = if copy { 0 } else { description.job().messages() as u32 };
    let digest = description.digest;
    let asked = Request { digest, messages, lookups, gets: Gets::Client, keys: None };
    let mut arriving = Arriving::new(description.job(), digest).unwrap();
    let answer = request(&mut s, asked, copy.then_some(&mut arriving), |_| Ok(()));
    (s, answer, arriving)
}

/// The same, then goes, once no session under way holds what is left.
fn ask(address: &str, lookups: u64, copy: bool) -> hushtable::Result<Answer> {
    let start = Instant::now();
    loop {
        match asked(address, lookups, copy).1 {
            Ok(Answer::Busy) if start.elapsed() < Duration::from_secs(60) => {}
            answer => return answer,
        }
    }
}

#[test]
fn copies_are_counted_by_the_hour() {
    let site = Site::without_identities();
    table(&site);
    let server = site.listen(&format!("{WIDE} --copies-per-hour 1 --sessions 40 {PLAIN}"));
    // Of less than 64 MiB each counts as a part.
    let copy = found(&server.address).1.job().copy_bits() / 8;
    let most = 1000 / (1000 * copy).div_ceil(64 << 20);
    assert_eq!(most, 7);
    // Ask, fetch, leave, repeat.
    for _ in 0..most {
        assert_eq!(ask(&server.address, 3, true).unwrap(), Answer::Yes);
    }
    for _ in 0..3 {
        let answer = ask(&server.address, 3, true).unwrap();
        assert!(matches!(answer, Answer::Later(3000..=3600)), "{answer:?}");
    }
    // Who has the copy is served on.
    assert_eq!(ask(&server.address, 3, false).unwrap(), Answer::Yes);
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
    // Of a copy the system holds 3 MB perhaps, and the proxy lets through nearly nothing. In an hour there are 15.
    let server = site.listen(&format!("{WIDE} --copies-per-hour 2 {PLAIN}"));
    let proxy = Proxy::new(&server.address, 12_000, Fault::Cut);
    let cut = site.run(&format!("{LOOKUP} {PLAIN} --connect {}", proxy.address));
    cut.fails_with(4, "the peer closed the connection");
    assert_eq!(cut.stderr.matches("the connection broke").count(), 5, "{cut:?}");
    for _ in 0..12 {
        assert!(ask(&proxy.address, 1, true).is_err());
    }
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
    assert_eq!(site.read("o.csv"), "k,v,present\n27,9,1\n");
    drop(server);
    // A small copy has left as a whole before anything is cut.
    let server = site.listen(&format!("{SERVE} --copies-per-hour 1 {PLAIN}"));
    for _ in 0..60 {
        assert_eq!(ask(&server.address, 1, true).unwrap(), Answer::Yes);
    }
    fs::remove_file(site.path("c")).unwrap();
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
    drop(server);
    let mut server = site.listen(&format!("{SERVE} --lookups-per-hour 6 --batch 2 {PLAIN}"));
    for batches in 0..2 {
        goes_after(&server.address, Gets::Client, batches);
        server.says("failed: ");
    }
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
    // Those of the batch that had begun are gone, and the one of this lookup.
    assert!(matches!(ask(&server.address, 4, false), Ok(Answer::Later(3000..=3600))));
    assert_eq!(ask(&server.address, 3, false).unwrap(), Answer::Yes);
}

/// Asks for 6 keys, looks up so many batches of 2, and goes.
fn goes_after(address: &str, gets: Gets, batches: usize) {
    let (mut s, description) = found(address);
    let digest = description.digest;
    let mut arriving = Arriving::new(description.job(), digest).unwrap();
    let asked = Request { digest, messages: 0, lookups: 6, gets, keys: None };
    assert_eq!(request(&mut s, asked, Some(&mut arriving), |_| Ok(())).unwrap(), Answer::Yes);
    let (copy, mut p) = (arriving.finish().unwrap(), Party::start(s, None).unwrap());
    assert_eq!(description.job().key_words(), 1);
    let lookup = KeyLookup::new(description, copy.into(), gets, None).unwrap();
    if batches == 0 {
        return;
    }
    assert_eq!(lookup.most(), 2);
    run::set_up(&lookup, &mut p, 6).unwrap();
    let goes = Goes { left: batches.into(), hang_up: p.connection().channel().hang_up() };
    // As its last batch is done, and before it has its rows.
    let _ = lookup.look_up(&mut p, 6, Some(&[0, 3, 0, 3, 0, 3]), &goes);
}

/// Hangs up when so many batches are done.
struct Goes {
    left: AtomicUsize,
    hang_up: HangUp,
}

impl Watch for Goes {
    fn done(&self, _: usize) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.hang_up.now();
        }
    }
}

/// What sessions under way hold may be given back: a client waits for it, and is not sent away for an hour.
#[test]
fn what_is_only_held_is_waited_for() {
    let site = Site::without_identities();
    table(&site);
    let mut server = site.listen(&format!("{SERVE} --lookups-per-hour 3 {PLAIN}"));
    let address = server.address.clone();
    let (before, answer, _) = asked(&address, 3, true);
    assert_eq!(answer.unwrap(), Answer::Yes);
    assert_eq!(asked(&address, 3, false).1.unwrap(), Answer::Busy);
    server.says("what is left is held for sessions under way, 3 keys, turned down");
    let lookup = format!("{LOOKUP} {PLAIN} --wait 100 --connect {address}");
    thread::scope(|scope| {
        let client = scope.spawn(|| site.run(&lookup).ok());
        server.says("what is left is held for sessions under way, 1 key, turned down");
        drop(before);
        let said = client.join().unwrap().stderr;
        assert!(said.contains("holds what is left for sessions under way: waiting"), "{said}");
    });
    assert!(matches!(ask(&address, 3, false), Ok(Answer::Later(3000..=3600))), "one is spent");
}

/// Of what is refused for its keys no copy is counted, and the reverse.
#[test]
fn what_is_refused_is_not_counted() {
    let site = Site::without_identities();
    table(&site);
    let asks = |server: &Listening, lookups: u64, copy: bool| {
        let answer = ask(&server.address, lookups, copy).unwrap();
        assert!(matches!(answer, Answer::Yes | Answer::Later(_)), "{answer:?}");
        answer == Answer::Yes
    };
    let server = site.listen(&format!("{WIDE} --copies-per-hour 1 --lookups-per-hour 5 {PLAIN}"));
    // A key and one of seven copies are spent.
    site.run(&format!("{LOOKUP} {PLAIN} --connect {}", server.address)).ok();
    assert!(!asks(&server, 5, true), "more keys than are left");
    let copies = (0..9).take_while(|_| asks(&server, 1, true)).count();
    assert_eq!(copies, 6, "all the others are still there");
    assert!(!asks(&server, 4, true), "one copy more than are left");
    assert!(asks(&server, 4, false), "those keys are still there");
}

/// Who looks all keys up and is gone before the end has no results: nothing of them is kept, and nothing counts.
#[test]
fn of_what_breaks_at_the_end_no_shares_are_kept() {
    let site = Site::without_identities();
    table(&site);
    fs::create_dir(site.path("kept")).unwrap();
    let mut server = site.listen(&format!("{SERVE} --shares kept --kept-sessions 2 --batch 2 {PLAIN}"));
    for _ in 0..3 {
        goes_after(&server.address, Gets::Shared(0), 3);
        server.says("6 of 6 keys as shares, failed: ");
    }
    assert_eq!(fs::read_dir(site.path("kept")).unwrap().count(), 0);
    let lookup = "lookup --keys m.csv --column k --reveal shares --output v.json --copy c";
    site.run(&format!("{lookup} {PLAIN} --connect {}", server.address)).ok();
    assert_eq!(fs::read_dir(site.path("kept")).unwrap().count(), 2);
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
