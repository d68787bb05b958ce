//! Disks that are full, at each place where `serve`, `lookup` and `join` write: the cause is named, what appears is
//! complete, and a server goes on for everybody.
//!
//! A full disk is a limit of the process on the length of its files (`ulimit -f`), which any user may set.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    process::Stdio,
};

use crate::common::{Done, Listening, Site};

const PLAIN: &str = "--insecure-plain-tcp";
/// In units of 512 bytes.
const LIMITS: [u32; 10] = [0, 1, 2, 3, 4, 6, 8, 12, 16, 64];

fn site() -> Site {
    let site = Site::without_identities();
    site.write("t.csv", "k,v\n1,250\n2,-7\n5,8388607\n");
    for keys in [3, 300] {
        site.write(&format!("{keys}.csv"), &format!("k\n{}", "5\n".repeat(keys)));
    }
    fs::create_dir(site.path("kept")).unwrap();
    site
}

/// How one that cannot write everything must end: with that exit code, and the file that it was about.
#[track_caller]
fn full(done: &Done, files: &[&str]) -> String {
    assert_eq!(done.code, 6, "{done:?}");
    let line = done.stderr.lines().find(|line| line.starts_with("error: ")).expect("an error");
    let mut named = files.iter().filter(|name| line.contains(&format!(" {name}: ")));
    let named = named.next().unwrap_or_else(|| panic!("which file? {line}"));
    assert!(line.contains("File too large"), "{line}");
    (*named).to_owned()
}

/// Nothing but what was there, or is complete.
#[track_caller]
fn nothing_partial(site: &Site) {
    let partial: Vec<String> = site.names().into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(partial, [""; 0]);
}

/// Longer than 10 s: a process for each size of the disk.
#[test]
fn a_client_whose_disk_is_full() {
    let site = site();
    let how = format!("--table t.csv --key k --value v --shares kept --copies-per-hour 1000 {PLAIN}");
    let mut server = site.listen(&format!("serve {how}"));
    let files = ["c", "v.json", "there.json", "r.json", "o.csv"];
    let mut seen = BTreeSet::new();
    // Results that are longer than the record, and shorter.
    for (keys, results, outputs) in [
        (300, "--reveal shares --output v.json --present there.json", ["v.json", "there.json"]),
        (300, "--reveal me --output o.csv", ["o.csv", "o.csv"]),
        (3, "--reveal me --output o.csv", ["o.csv", "o.csv"]),
    ] {
        for blocks in LIMITS {
            let lookup =
                format!("lookup --keys {keys}.csv --column k {results} --copy c --record r.json {PLAIN}");
            let done = site
                .limited(&format!("-f {blocks}"), &format!("{lookup} --connect {}", server.address))
                .finish();
            let [first, second] = outputs.map(|name| site.has(name));
            assert_eq!(first, second, "both or none");
            match done.code {
                0 => assert!(first && site.has("r.json")),
                _ => {
                    let named = full(&done, &files);
                    assert_eq!(first, named == "r.json", "{named}");
                    seen.insert(named);
                }
            }
            nothing_partial(&site);
            for name in files {
                let _ = fs::remove_file(site.path(name));
            }
            // Nobody else notices.
            let other =
                format!("lookup --keys 3.csv --column k --reveal me --output o.csv --copy c2 {PLAIN}");
            site.run(&format!("{other} --connect {}", server.address)).ok();
            assert_eq!(site.read("o.csv"), "k,v,present\n5,8388607,1\n5,8388607,1\n5,8388607,1\n");
            fs::remove_file(site.path("o.csv")).unwrap();
        }
    }
    assert_eq!(
        seen,
        ["c", "o.csv", "r.json", "v.json"].map(String::from).into(),
        "each place has failed once"
    );
    // Standard output too.
    #[cfg(target_os = "linux")]
    {
        let json =
            format!("lookup --keys 3.csv --column k --reveal me --output o.csv --copy c --json {PLAIN}");
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = site.command(&format!("{json} --connect {}", server.address));
        let done = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.code() == Some(6) && said.contains("error: standard output: "), "{said}");
    }
    server.signal("TERM");
    let line = server.says("stopped after");
    assert!(!line.contains("cut off"), "{line}");
    server.finish().ok();
}

/// At the second of two files, where there is room for the first: the name of the keys is in the second.
#[test]
fn a_client_whose_disk_is_full_at_the_second_result() {
    let (site, key) = (site(), "k".repeat(190));
    site.write("w.csv", &format!("{key},v\n1,250\n2,-7\n5,8388607\n"));
    let server = site.listen(&format!("serve --table w.csv --key {key} --value v --shares kept {PLAIN}"));
    let lookup =
        "lookup --keys 3.csv --column k --reveal shares --output v.json --present there.json --copy c";
    let lookup = format!("{lookup} {PLAIN} --connect {}", server.address);
    site.run(&lookup).ok();
    ["v.json", "there.json"].into_iter().for_each(|name| fs::remove_file(site.path(name)).unwrap());
    assert_eq!(full(&site.limited("-f 1", &lookup).finish(), &["v.json", "there.json"]), "there.json");
    assert!(!site.has("v.json") && !site.has("there.json"));
    nothing_partial(&site);
}

/// A client that makes a server write what it has no room for ends its own session.
#[test]
fn a_server_whose_disk_is_full() {
    let site = site();
    let how = format!("serve --table t.csv --key k --value v --shares kept {PLAIN}");
    let mut server = site.listen_limited("-f 4", &how);
    let look = |keys: usize, results: &str, server: &Listening| {
        let lookup = format!("lookup --keys {keys}.csv --column k --force {results} --copy c {PLAIN}");
        site.run(&format!("{lookup} --connect {}", server.address))
    };
    let kept = || fs::read_dir(site.path("kept")).unwrap().count();
    for round in 0..3 {
        // One that is under way meanwhile.
        let under_way = crate::serve_many::half_way(&server.address);
        let refused = look(300, "--reveal shares --output v.json --present there.json", &server);
        refused.fails_with(4, "the peer ended: its disk, its memory or a store failed");
        assert!(!site.has("v.json") && !site.has("there.json"));
        let line = server.says("failed: ");
        assert!(
            line.contains("shares could not be kept: kept/") && line.contains("File too large"),
            "{line}"
        );
        assert_eq!(kept(), 2 * round, "nothing of it is left");
        // Others, and later ones, are served, also with shares for which there is room.
        look(3, "--reveal me --output o.csv", &server).ok();
        look(300, "--reveal me --output o.csv", &server).ok();
        look(3, "--reveal shares --output v.json", &server).ok();
        assert_eq!(kept(), 2 * (round + 1));
        fs::remove_file(site.path("v.json")).unwrap();
        drop(under_way);
        #[cfg(unix)]
        server.signal("HUP");
        server.says("the table was read again");
    }
    drop(server);
    let key = site.limited("-f 0", &format!("{how} --key-file t.key --listen 127.0.0.1:0")).finish();
    assert_eq!(full(&key, &["t.key"]), "t.key");
    assert!(!site.has("t.key"));
    nothing_partial(&site);
}

/// The log on a full disk ends nobody.
#[cfg(target_os = "linux")]
#[test]
fn a_server_whose_log_is_full() {
    let site = site();
    // It cannot say where it listens.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let serve = format!("serve --table t.csv --key k --value v --sessions 1 {PLAIN} --listen {address}");
    let mut server = site.command(&serve).stderr(full).spawn().unwrap();
    for _ in 0..4 {
        let _ = fs::remove_file(site.path("o.csv"));
        let lookup = "lookup --keys 3.csv --column k --reveal me --output o.csv --copy c --wait 600";
        site.run(&format!("{lookup} {PLAIN} --connect {address}")).ok();
        // Whoever fails leaves its place all the same.
        drop(crate::serve_many::half_way(&address.to_string()));
    }
    assert!(server.try_wait().unwrap().is_none(), "it serves on");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_join_whose_disk_is_full() {
    let site = Site::new();
    for count in [3, 300] {
        let rows: String = (0..count).map(|i| format!("k{i},{i},{}\n", "x".repeat(20))).collect();
        site.write(&format!("{count}.csv"), &format!("id,n,note\n{rows}"));
    }
    let mut seen = BTreeSet::new();
    // Results that are longer than the record, and shorter.
    for (rows, asked, name) in
        [(300, "--reveal ids", "o.csv"), (300, "--columns n:1000", "o.json"), (3, "--reveal ids", "o.csv")]
    {
        for blocks in [0, 1, 4, 1000] {
            let join = format!("join --input {rows}.csv --id id {asked} --force");
            let p0 = format!("{join} --output {name} --record r.json --identity bank.id");
            let first = site.listen_limited(&format!("-f {blocks}"), &p0);
            // It has its own results, whatever becomes of the peer's.
            site.run(&format!("{join} --output p-{name} --identity telecom.id --connect {}", first.address))
                .ok();
            let done = first.finish();
            match done.code {
                0 => assert!(site.has(name) && site.has("r.json"), "{done:?}"),
                _ => {
                    let named = full(&done, &["r.json", name]);
                    assert_eq!(site.has(name), named == "r.json", "{done:?}");
                    seen.insert(named);
                }
            }
            nothing_partial(&site);
            for name in [name, "r.json"] {
                let _ = fs::remove_file(site.path(name));
            }
        }
    }
    assert_eq!(seen, ["o.csv", "o.json", "r.json"].map(String::from).into(), "each place has failed once");
}
