//! CSV files as people have them, at both commands that read columns; bad rows, and leaving them out at both parties.

use crate::common::{Done, Site, results, sigmoid};

const PLAIN: &str = "--insecure-plain-tcp";
/// Nobody ever listens there: these commands must fail before they connect.
const NOWHERE: &str = "--insecure-plain-tcp --connect 127.0.0.1:9";

const BANK: [f64; 3] = [1.5, -2.25, 0.5];
const TELECOM: [f64; 3] = [-0.5, 1.25, 3.0];

fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[track_caller]
fn sums(site: &Site, ids: &[&str], sums: &[f64]) {
    let want: Vec<_> = ids.iter().zip(sums).map(|(id, x)| ((*id).to_owned(), sigmoid(*x))).collect();
    for file in ["out0.csv", "out1.csv"] {
        // However each is written, by its own party's file.
        let text = site.read(file);
        let sign = text.chars().find(|c| [',', ';', '\t'].contains(c)).expect("two columns");
        let text = match sign {
            ';' => text.replace(',', ".").replace(';', ",").replace("\"b,c\"", "b;c"),
            _ => text.replace(sign, ","),
        };
        let (header, got) = results(&text);
        let names = ["id,sigmoid", "kunde,sigmoid"];
        assert!(names.contains(&header.as_str()) && got.len() == want.len(), "{file}: {header}");
        for ((id, value), (want_id, x)) in got.iter().zip(&want) {
            assert_eq!(id, want_id);
            assert!((value - x).abs() < 2f64.powi(-7), "{file}: {value} for {x}");
        }
    }
}

fn apply(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    let common = format!("apply sigmoid --reveal both --column score {PLAIN}");
    site.both(&format!("{common} --output out0.csv {p0}"), &format!("{common} --output out1.csv {p1}"))
}

#[track_caller]
fn fine(both: [Done; 2]) {
    both.into_iter().for_each(|done| drop(done.ok()));
}

/// Parties whose files are written in different ways get what standard files give.
#[test]
fn dialects_meet() {
    let site = Site::without_identities();
    let bank = "id;score\r\nM\u{fc}ller;1,5\r\n\r\n\"b;c\";-2,25\r\nd;,5\r\n";
    let telecom = "score\tid\n-0.5\tM\u{fc}ller\n1.25\tb;c\n3\td\n";
    std::fs::write(site.path("bank.csv"), utf16(bank)).unwrap();
    let latin: Vec<u8> = telecom.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    std::fs::write(site.path("telecom.csv"), latin).unwrap();
    fine(apply(
        &site,
        "--input bank.csv --delimiter ; --decimal ,",
        "--input telecom.csv --delimiter tab --encoding latin-1",
    ));
    let want: Vec<f64> = BANK.iter().zip(TELECOM).map(|(a, b)| a + b).collect();
    sums(&site, &["M\u{fc}ller", "b;c", "d"], &want);
}

#[test]
fn features_in_the_same_ways() {
    let site = Site::without_identities();
    std::fs::write(site.path("bank.csv"), utf16("id;income;age\na;1,5;30\nb;-2,5;40\n")).unwrap();
    site.write("telecom.csv", "id,calls\na,1\nb,2\n");
    site.write("bank.toml", "[weights]\nincome = 1\nage = 0.1\n");
    site.write("telecom.toml", "[weights]\ncalls = -1\n");
    let p0 = "--features bank.csv --weights bank.toml --delimiter ; --decimal ,";
    let p1 = "--features telecom.csv --weights telecom.toml";
    let score = format!("score --threshold 0.5 {PLAIN}");
    fine(site.both(&format!("{score} --output out0.csv {p0}"), &format!("{score} --output out1.csv {p1}")));
    assert_eq!(site.read("out0.csv"), "id;at_least_0.5\na;1\nb;0\n");
    assert_eq!(site.read("out1.csv"), "id,at_least_0.5\na,1\nb,0\n");
    site.write("bank.csv", "id;income;age\na;1.5;30\nb;;40\nc;1;NA\n");
    let done = site.run(&format!("score --na NA --bad-rows bad.csv {p0} --output out2.csv {NOWHERE}"));
    done.fails_with(3, "bank.csv: 3 bad rows\n  line 2, column \"income\": \"1.5\" is not a number");
    assert!(done.stderr.contains("line 4, column \"age\": \"NA\" is missing"), "{done:?}");
    assert_eq!(site.read("bad.csv"), "id\na\nb\nc\n");
    // Of good cells a part of a score can come that is too large.
    site.write("bank.csv", "id;income;age\na;1e9;30\nb;1;40\nc;-1e9;0\n");
    let done = site.run(&format!("score --bad-rows large.csv {p0} --output out2.csv {NOWHERE}"));
    done.fails_with(
        3,
        "bank.csv: 2 bad rows\n  line 2: this party's part of the score, 1000000003, is outside",
    );
    assert!(
        done.stderr.contains("line 4: this party's part of the score, -1000000000, is outside"),
        "{done:?}"
    );
    assert_eq!(site.read("large.csv"), "id\na\nc\n");
}

/// Each party lists its bad rows, both leave out both lists, and the rest is right. What only one leaves out ends both.
#[test]
fn bad_rows_are_left_out_at_both() {
    let site = Site::without_identities();
    site.write("bank.csv", "kunde,score\na,1.5\nb,NA\nc,-2.25\n\"d,e\",1e30\nf,0.5\n");
    let bank = "--id kunde --na NA --input bank.csv";
    let bad = format!(
        "apply sigmoid --reveal both --column score {bank} --bad-rows bad.csv --output out0.csv {NOWHERE}"
    );
    let done = site.run(&bad);
    done.fails_with(3, "bank.csv: 2 bad rows\n  line 3, column \"score\": \"NA\" is missing");
    assert!(done.stderr.contains("line 5, column \"score\": \"1e30\" is outside -2097152"), "{done:?}");
    assert!(done.stderr.contains("--leave-out bad.csv at both parties the job goes on without them, since rows are matched by position"), "{done:?}");
    assert_eq!(site.read("bad.csv"), "id\nb\n\"d,e\"\n");
    #[cfg(unix)]
    assert_eq!(crate::common::mode(&site.path("bad.csv")), 0o600);
    // Nothing is written over.
    site.run(&bad).fails_with(3, "their ids are not written: bad.csv: is there already");
    assert_eq!(site.read("bad.csv"), "id\nb\n\"d,e\"\n");

    site.write("telecom.csv", "id,score\na,-0.5\nb,7\nc,x\n\"d,e\",1\nf,3\n");
    let telecom = "--input telecom.csv";
    let done = site.run(&format!(
        "apply sigmoid --reveal both --column score {telecom} --bad-rows worse.csv --output out1.csv {NOWHERE}"
    ));
    done.fails_with(3, "telecom.csv: line 4, column \"score\": \"x\" is not a number");
    let lists = "--leave-out bad.csv --leave-out worse.csv";
    fine(apply(&site, &format!("{bank} {lists}"), &format!("{telecom} {lists}")));
    sums(&site, &["a", "f"], &[BANK[0] + TELECOM[0], BANK[2] + TELECOM[2]]);

    // As many rows at both, but others.
    site.write("more.csv", "id\nb\nf\n");
    site.write("telecom.csv", "id,score\na,-0.5\nb,7\nc,2\n\"d,e\",1\nf,3\n");
    site.write("bank.csv", "id,score\na,1\nb,2\nc,3\n\"d,e\",4\nf,5\n");
    let refused = apply(
        &site,
        "--force --input bank.csv --leave-out bad.csv",
        "--force --input telecom.csv --leave-out more.csv",
    );
    refused.iter().for_each(|done| done.fails_with(5, "ids"));
}

#[test]
fn what_cannot_be_left_out() {
    let site = Site::without_identities();
    site.write("a.csv", "id,score\nx,1\ny,2\nz,3\n");
    site.write("bad.csv", "id\ny\n");
    site.write("all.csv", "id\ny\nx\nz\n");
    site.write("other.csv", "id\ny\nw\nv\n");
    site.write("short.csv", "id,score\nx,1\ny\nz,\n");
    site.write("wrong.csv", "name\ny\n");
    for (args, code, fragment) in [
        ("--input a.csv --leave-out bad.csv --no-ids", 2, "--leave-out needs ids"),
        ("--input a.csv --bad-rows new.csv --no-ids", 2, "--bad-rows needs ids"),
        ("--input a.csv --leave-out all.csv", 3, "a.csv: no rows"),
        ("--input a.csv --leave-out other.csv", 3, "no row has the id \"v\" of --leave-out, one of 2"),
        ("--input a.csv --leave-out wrong.csv", 3, "wrong.csv: no column \"id\""),
        ("--input a.csv --leave-out none.csv", 3, "none.csv: No such file"),
        // What is not known to be the row `y` is not left out as such.
        ("--input short.csv --leave-out bad.csv", 3, "no row has the id \"y\""),
        ("--input short.csv --bad-rows new.csv", 3, "short.csv: 2 bad rows\n  line 3: 1 cell"),
        ("--input a.csv --delimiter ab", 2, "accepted: one of"),
        (
            "--input a.csv --delimiter ;",
            3,
            "no column \"score\"; its columns are: \"id,score\"; --delimiter ','",
        ),
        ("--input a.csv --decimal x", 2, "accepted: . or ,"),
        ("--input a.csv --encoding ebcdic", 2, "possible values: auto, windows-1252"),
        ("--input a.csv --na 2", 3, "line 3, column \"score\": \"2\" is missing"),
        ("--input a.csv --leave-out bad.csv --output bad.csv --force", 2, "bad.csv: is the input file"),
    ] {
        let output = if args.contains("--output") { "" } else { "--output out.csv" };
        let done = site.run(&format!("apply sigmoid --reveal both --column score {args} {output} {NOWHERE}"));
        done.fails_with(code, fragment);
    }
    assert_eq!(site.read("new.csv"), "id\nz\n");
    site.write("short.csv", "id,score\nx,1\ny\n");
    let done = site.run(&format!(
        "apply sigmoid --reveal both --column score --input short.csv --bad-rows no.csv --output out.csv {NOWHERE}"
    ));
    done.fails_with(3, "line 3: 1 cell where the first line has 2\n1 without id");
    assert!(!site.has("no.csv"));
    assert_eq!(site.read("bad.csv"), "id\ny\n");
    std::fs::write(site.path("latin.csv"), b"id,score\nM\xfcller,1\n").unwrap();
    let done = site.run(&format!(
        "apply sigmoid --reveal both --column score --input latin.csv --output out.csv {NOWHERE}"
    ));
    done.fails_with(3, "latin.csv: line 2: not UTF-8 text; --encoding windows-1252 reads");
    std::fs::write(site.path("half.csv"), b"\xff\xfei\0d\0,").unwrap();
    let done = site.run(&format!(
        "apply sigmoid --reveal both --column score --input half.csv --output out.csv {NOWHERE}"
    ));
    done.fails_with(3, "half.csv: line 1: not UTF-16 text");
}

/// A table has commas, in whatever encoding.
#[test]
fn tables_in_utf16() {
    let site = Site::without_identities();
    std::fs::write(site.path("t.csv"), utf16("index,value\n0,5\n1,6\n2,7\n3,8\n")).unwrap();
    site.write("a.csv", "id,score\nx,0\ny,1\n");
    let args = format!("apply --table t.csv --reveal both --column score --input a.csv {PLAIN}");
    fine(site.both(&format!("{args} --output out0.csv"), &format!("{args} --output out1.csv")));
    assert_eq!(site.read("out0.csv"), "id,t\nx,5\ny,7\n");
}

/// Both numbers of a comparison lose the same rows, from one file or two.
#[test]
fn comparisons_leave_out_in_both_operands() {
    let site = Site::without_identities();
    site.write("a.csv", "id,score,limit\nx,1,0\ny,NA,0\nz,3,\nw,5,9\n");
    site.write("b.csv", "id,score\nx,1\ny,2\nz,3\nw,4\n");
    site.write("bad.csv", "id\nz\ny\n");
    let common = format!("{PLAIN} --leave-out bad.csv");
    fine(site.both(
        &format!("apply ge --column score --against limit --input a.csv --output out0.csv {common}"),
        &format!("apply ge --column score --input b.csv --output out1.csv {common}"),
    ));
    assert_eq!(results(&site.read("out1.csv")).1, [("x".to_owned(), 1.0), ("w".to_owned(), 1.0)]);
}
