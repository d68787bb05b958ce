//! Keys that are looked up in a private table: those that cannot be, and those that nobody knows.

use std::thread;

use apps::private_table::{Answer, Cell, Field, Scale, Served, rows_at};
use hushtable::{
    net::{Listener, Options, connect},
    session::Session,
};

use crate::{
    common::Site,
    serve::{NOWHERE, PLAIN, look_up, opened, serve},
};

#[test]
fn keys_that_cannot_be_looked_up() {
    let site = Site::without_identities();
    let keys = |text: &str, rest: &str| {
        site.write("m.csv", text);
        site.run(&format!("lookup --keys m.csv --column k --reveal me --output o.csv --copy c {rest}"))
    };
    for (text, want) in [
        ("k\n", "m.csv: no rows below the header: there is nothing to look up"),
        ("k,l\n1,2\n,3\n", "m.csv: line 3, column \"k\": \"\" is missing"),
        ("l\n1\n", "no column \"k\"; its columns are: l"),
    ] {
        keys(text, NOWHERE).fails_with(3, want);
    }
    keys("k\n1\n", "--insecure-plain-tcp --listen 127.0.0.1:0").fails_with(2, "hushtable serve");
    keys("k\n1\n", &format!("{NOWHERE} --present p.json")).fails_with(2, "needs --reveal shares");
    for (more, want) in [
        ("--reveal shares --present ox --output ox", "--present and --output are the same file"),
        ("--reveal shares --output ox --present px --record px", "--record and --present are the same file"),
        ("--reveal me --output cx --copy cx", "--copy and --output are the same file"),
        ("--reveal me --output ox --record cx --copy cx", "--copy and --record are the same file"),
    ] {
        site.run(&format!("lookup --keys m.csv --column k {NOWHERE} --force {more}")).fails_with(2, want);
    }
    let explained = keys("k\n1\n1\n", &format!("{NOWHERE} --dry-run")).ok().stdout;
    assert!(explained.contains("how many keys there are (2)") && !site.has("c"), "{explained}");

    site.write("t.csv", "k,v\n1,2\n");
    let server = serve(&site, &format!("--table t.csv --key k --value v --lookups-at-most 3 {PLAIN}"));
    let connect = format!("{PLAIN} --connect {}", server.address);
    let wrong = keys("k\n1\nSECRET\n", &format!("{connect} --record r.json"));
    wrong.fails_with(
        3,
        "line 3, column \"k\": \"SECRET\" is not a number; keys of the table are whole numbers from 0 to 1",
    );
    let record = site.read("r.json");
    assert!(record.contains("1 bad row, in line 3") && !record.contains("SECRET"), "{record}");
    keys("k\n1\n1\n1\n1\n", &connect).fails_with(5, "4 keys; the peer accepts up to 3 in a session");
    keys("k\n1\n", &format!("{connect} --value w")).fails_with(5, "the table \"t\" has the columns v");
    assert!(!site.has("o.csv"));
    keys("k\n1\n1\n1\n", &connect).ok();
    // One that serves a job, not a table.
    site.write_scores("a.csv", &[0.5]);
    let job = site
        .listen(&format!("apply sigmoid --reveal both --column score --input a.csv --output z.csv {PLAIN}"));
    let lost = keys("k\n1\n", &format!("{PLAIN} --force --connect {}", job.address));
    assert!(lost.is_reported(), "{lost:?}");
}

/// A program of one's own in one call, and more keys than OTs are made for at a time, by each extension.
#[test]
fn a_program_looks_keys_up_and_serves() {
    let site = Site::without_identities();
    let rows: String = (0..400).map(|i| format!("k{i},{}.5,x{i}\n", i - 200)).collect();
    site.write("t.csv", &format!("k,v,w\n{rows}"));
    let texts: Vec<String> = (0..600).map(|i| format!(" k{i}")).collect();
    let keys: Vec<Field> = texts.iter().map(|text| Field::Text(text)).collect();
    let cells = |i: i64| vec![Cell::Number(10 * (i - 200) + if i < 200 { -5 } else { 5 }, Scale::Decimal(1))];
    let numbers: Vec<String> = (0..400).map(|i| format!("{}.5", i - 200)).collect();
    let values: Vec<Field> = numbers.iter().map(|text| Field::Text(text)).collect();
    for ot in ["auto", "ferret"] {
        let server = serve(&site, &format!("--table t.csv --key k --value v --ot {ot} {PLAIN}"));
        let s = Session::new(connect(&server.address, Options::plain()).unwrap()).unwrap();
        for (i, found) in (0..).zip(rows_at(s, &keys).unwrap()) {
            assert_eq!(found, (i < 400).then(|| cells(i)), "{ot}: {i}");
        }
        // The other way round.
        let served = Served::of("t", ("k", &keys[..400]), &[("v", &values)], 1000).unwrap();
        let listener = Listener::bind("127.0.0.1:0", Options::plain()).unwrap();
        let address = listener.local_addr();
        let asked: String = (0..600).map(|i| format!("k{i}\n")).collect();
        site.write("m.csv", &format!("k\n{asked}"));
        let host = thread::spawn(move || served.host(Session::new(listener.accept()?)?, |_| Answer::Yes));
        let look = "lookup --keys m.csv --column k --reveal me --force --output o.csv";
        site.run(&format!("{look} --ot {ot} {PLAIN} --connect {address}")).ok();
        assert_eq!(host.join().unwrap().unwrap(), 600);
        let found = site.read("o.csv");
        let lines: Vec<&str> = found.lines().skip(1).collect();
        assert_eq!((lines.len(), lines[0], lines[399]), (600, "k0,-200.5,1", "k399,199.5,1"), "{ot}");
        assert!(lines[400..].iter().all(|line| line.ends_with(",0")), "{ot}: {}", lines[400]);
    }
}

/// Keys that an earlier step left as shares.
#[test]
fn keys_that_nobody_knows() {
    let site = Site::new();
    let rows: String = (0..200).map(|i| format!("{},{}\n", i - 50, 1000 - i)).collect();
    site.write("t.csv", &format!("k,v\n{rows}"));
    let (mine, theirs) = ([3.0, -7.0, 400.0, 149.0, -50.0], [4.0, 7.0, 0.0, 0.0, 0.0]);
    site.write_scores("mine.csv", &mine);
    site.write_scores("theirs.csv", &theirs);
    std::fs::create_dir(site.path("halves")).unwrap();
    let max = "apply max --reveal none --fraction-bits 0 --bits 16";
    // The larger of two sums: of what one party has and of what the other has.
    let p0 = site.listen(&format!(
        "{max} --input theirs.csv --column score --output halves/x.json --identity bank.id"
    ));
    let p1 = format!(
        "{max} --input mine.csv --against score --output mine.json --identity telecom.id --connect {}",
        p0.address
    );
    site.run(&p1).ok();
    p0.finish().ok();
    site.write("halves/other.txt", "no shares\n");
    // A place for each key that can be, and 64 bits of which most are the sign.
    for key in ["--key k --key-range -32768:32767", "--key k:int"] {
        std::fs::create_dir_all(site.path("kept")).unwrap();
        let how = format!("--table t.csv {key} --value v --batch 2 --shares kept --key-shares halves");
        let mut server = serve(&site, &format!("{how} --identity bank.id"));
        let rest = "--keys mine.json --identity telecom.id --force";
        let got = look_up(&site, &server, "out.csv", &format!("{rest} --reveal me"));
        let want = "id,v,present\nc0,946,1\nc1,943,1\nc2,,0\nc3,801,1\nc4,950,1\n";
        assert_eq!(got, want, "{key}");
        let line = server.says("session ");
        assert!(line.contains("5 of 5 shared keys for it, done"), "{line}");
        look_up(&site, &server, "v.json", &format!("{rest} --reveal shares"));
        server.says("session ");
        let file: serde_json::Value = serde_json::from_str(&site.read("v.json")).unwrap();
        let theirs = format!("kept/{}-values.json", file["session"].as_str().unwrap());
        assert_eq!(opened(&site, "v.json", &theirs), [946, 943, 0, 801, 950]);
        // The same half on both sides, and one that is not here.
        let connect = format!("--connect {}", server.address);
        for keys in ["halves/x.json", "v.json"] {
            let done = site.run(&format!(
                "lookup --keys {keys} --reveal me --output no.csv --copy c --identity telecom.id {connect}"
            ));
            done.fails_with(5, "no other half of these shares");
        }
        let column = site.run(&format!("lookup {rest} --column k --reveal me --output no.csv {connect}"));
        column.fails_with(2, "--column is for files of columns");
    }
}
