//! A private table that is served, and lookups in it: what comes out, and what is refused.

use crate::common::{Listening, Site};

pub const PLAIN: &str = "--insecure-plain-tcp";
/// Nobody listens there.
pub const NOWHERE: &str = "--insecure-plain-tcp --connect 127.0.0.1:9";

const PRICES: &str = "\
sku,price,tier,since,note
7,12.50,gold,2024-02-29,x
1000,-0.01,silver,1999-12-31,\"a, b\"
0,0,,2000-01-01,\"say \"\"hi\"\"\"
999,99999.99,bronze,2030-06-15,caf\u{e9}
";

/// Two parties, each with a name for the other.
pub fn serve(site: &Site, rest: &str) -> Listening {
    site.listen(&format!("serve {rest}"))
}

/// A lookup that succeeds; what it wrote.
#[track_caller]
pub fn look_up(site: &Site, server: &Listening, out: &str, rest: &str) -> String {
    site.run(&format!("lookup {rest} --output {out} --copy {out}.copy --connect {}", server.address)).ok();
    if out.ends_with(".csv") { site.read(out) } else { String::new() }
}

#[test]
fn values_at_whole_numbers() {
    let site = Site::new();
    site.write("prices.csv", PRICES);
    site.write("mine.csv", "id,article\na,1000\nb,8\nc,7\nd,7\ne,0\nf,99999999\ng,-3\nh,999\n");
    let mut server = serve(
        &site,
        "--table prices.csv --key sku --value price,tier,since,note --identity bank.id --batch 3",
    );
    let rest = "--keys mine.csv --column article --reveal me --identity telecom.id";
    let got = look_up(&site, &server, "out.csv", rest);
    let want = "\
article,price,tier,since,note,present
1000,-0.01,silver,1999-12-31,\"a, b\",1
8,,,,,0
7,12.50,gold,2024-02-29,x,1
7,12.50,gold,2024-02-29,x,1
0,0.00,,2000-01-01,\"say \"\"hi\"\"\",1
99999999,,,,,0
-3,,,,,0
999,99999.99,bronze,2030-06-15,caf\u{e9},1
";
    assert_eq!(got, want);
    let line = server.says("session ");
    assert!(line.contains(" telecom: sent the copy, 8 of 8 keys for it, done, "), "{line}");
    // Some of the columns; the copy is there.
    let again = site.run(&format!(
        "lookup {rest} --value note,price --output two.csv --copy out.csv.copy --json --connect {}",
        server.address
    ));
    let again = again.ok();
    assert!(again.stderr.contains("the copy was here"));
    let report: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((report["rows"].as_u64(), report["copy"].as_u64()), (Some(8), Some(0)));
    assert!(report["online"]["rounds"].as_u64() > Some(0), "{report}");
    assert!(site.read("two.csv").starts_with("article,note,price,present\n1000,\"a, b\",-0.01,1\n8,,,0\n"));
    let line = server.says("session ");
    assert!(line.contains(": had the copy, 8 of 8 keys for it, done, "), "{line}");
    for secret in ["1000", "silver", "99999", "caf"] {
        assert!(!line.contains(secret), "{line}");
    }
    // What it is, before anything is looked up.
    let describe = format!("lookup --describe --identity telecom.id --connect {}", server.address);
    let shown = site.run(&describe).ok().stdout;
    let told: serde_json::Value =
        serde_json::from_str(&site.run(&format!("{describe} --json")).ok().stdout).unwrap();
    assert_eq!(told["parts"]["The table \"prices\""]["value"].as_array().unwrap().len(), 4, "{told}");
    for line in [
        "The table \"prices\"",
        "\"sku\", whole numbers from 0 to 1023",
        "\"price\", numbers of 25 bits with 2 digits behind the point",
        "\"note\", text of up to 8 bytes",
        "3 keys in a batch, 100000 in a session",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    #[cfg(unix)]
    assert_eq!(crate::common::mode(&site.path("out.csv")), 0o600);
}

#[test]
fn values_at_text_and_at_dates() {
    let site = Site::without_identities();
    let rows: String = (0..300).map(|i| format!("A-{i:03},{},{}\n", i * i, 2 * i)).collect();
    site.write("text.csv", &format!("name,square,twice\n{rows}"));
    site.write("mine.csv", "name\nA-017\nA-300\n A-299 \nA-017\n");
    let short = format!(
        "serve --table text.csv --key name --value twice --hash-bits 64 {PLAIN} --listen 127.0.0.1:0"
    );
    let would_do = "hashes of 96 bits have that, or up to 27962 keys in a session, or up to 83 rows";
    site.run(&short).fails_with(2, would_do);
    let large = format!("explain {short} --lookups-at-most 1 --pad-to 8000000");
    let shown = site.run(&large).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in ["two keys of the table have the same with probability below 2^-19, and are refused", "2^-41"]
    {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    for rest in ["", "--hash-bits 64 --prf lowmc --pad-to 2000 --lookups-at-most 4000"] {
        let server =
            serve(&site, &format!("--table text.csv --key name --value square,twice {rest} {PLAIN}"));
        let got = look_up(
            &site,
            &server,
            "text.csv.csv",
            &format!("--keys mine.csv --column name --reveal me --force {PLAIN}"),
        );
        assert_eq!(
            got,
            "name,square,twice,present\nA-017,289,34,1\nA-300,,,0\nA-299,89401,598,1\nA-017,289,34,1\n"
        );
    }
    // Numbers as text, where zeros in front count.
    site.write("codes.csv", "code,n\n007,1\n7,2\n");
    site.write("codes.mine.csv", "code\n7\n007\n07\n");
    let server = serve(&site, &format!("--table codes.csv --key code --value n {PLAIN}"));
    let rest = format!("--keys codes.mine.csv --column code --reveal me {PLAIN}");
    assert_eq!(look_up(&site, &server, "codes.out.csv", &rest), "code,n,present\n7,2,1\n007,1,1\n07,,0\n");

    site.write("days.csv", "day;rate\n31.1.2024;1,5\n29.2.2024;-2,25\n");
    site.write("days.mine.csv", "when\n2024-02-29\n2024-03-01\n1999-01-01\n2024-01-31\n");
    for rest in ["", "--key-range 2024-01-01:2024-12-31"] {
        let how = "--key day:date --dates dmy --value rate:fixed8 --delimiter ; --decimal ,";
        let server = serve(&site, &format!("--table days.csv {how} {rest} {PLAIN}"));
        let rest = format!("--keys days.mine.csv --column when --reveal me --force {PLAIN}");
        let got = look_up(&site, &server, "days.out.csv", &rest);
        assert_eq!(
            got,
            "when,rate,present\n2024-02-29,-2.25,1\n2024-03-01,,0\n1999-01-01,,0\n2024-01-31,1.5,1\n"
        );
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_in_and_out() {
    let site = Site::without_identities();
    site.write("prices.csv", PRICES);
    site.write("mine.csv", "sku\n999\n7\n");
    let server = serve(&site, &format!("--table prices.csv --key sku --value price,tier,since,note {PLAIN}"));
    let rest = format!("--keys mine.csv --column sku --reveal me {PLAIN}");
    look_up(&site, &server, "out.parquet", &rest);
    drop(server);
    // The results are a table themselves, and keys.
    let server =
        serve(&site, &format!("--table out.parquet --key since --value price,tier,sku,present {PLAIN}"));
    let rest = format!("--keys out.parquet --column since --reveal me {PLAIN}");
    let got = look_up(&site, &server, "again.csv", &rest);
    let want = "since,price,tier,sku,present,present_\n\
                2030-06-15,99999.99,bronze,999,1,1\n2024-02-29,12.50,gold,7,1,1\n";
    assert_eq!(got, want);
}

/// The values that two files of shares have.
pub fn opened(site: &Site, mine: &str, theirs: &str) -> Vec<i64> {
    let [mine, theirs] =
        [mine, theirs].map(|name| serde_json::from_str::<serde_json::Value>(&site.read(name)).unwrap());
    for (key, differs) in [("session", false), ("of", false), ("bits", false), ("role", true)] {
        assert_eq!(mine[key] != theirs[key], differs, "{key}");
    }
    let bits = mine["bits"].as_u64().unwrap();
    let words = |file: &serde_json::Value| -> Vec<u64> {
        file["shares"].as_array().unwrap().iter().map(|share| share.as_u64().unwrap()).collect()
    };
    let sum = |(a, b): (u64, u64)| (a.wrapping_add(b) << (64 - bits)) as i64 >> (64 - bits);
    words(&mine).into_iter().zip(words(&theirs)).map(sum).collect()
}

#[test]
fn shares_that_nobody_opened() {
    let site = Site::new();
    site.write("stock.csv", "sku,stock,weight\n1,250,1.5\n2,-7,0.25\n5,8388607,-3\n");
    site.write("mine.csv", "sku\n5\n2\n3\n1\n2\n");
    std::fs::create_dir(site.path("kept")).unwrap();
    let how = "--key sku --value stock,weight:fixed16 --batch 2 --shares kept";
    let mut server = serve(&site, &format!("--table stock.csv {how} --identity bank.id"));
    let rest =
        "--keys mine.csv --column sku --reveal shares --present there.json --identity telecom.id --force";
    for (column, want) in
        [("stock", [8388607, -7, 0, 250, -7]), ("weight", [-3 << 16, 1 << 14, 0, 3 << 15, 1 << 14])]
    {
        look_up(&site, &server, &format!("{column}.json"), &format!("{rest} --value {column}"));
        let line = server.says("session ");
        assert!(line.contains("5 of 5 keys as shares, done"), "{line}");
        let mine: serde_json::Value = serde_json::from_str(&site.read(&format!("{column}.json"))).unwrap();
        let session = mine["session"].as_str().unwrap();
        assert_eq!(opened(&site, &format!("{column}.json"), &format!("kept/{session}-values.json")), want);
        assert_eq!(opened(&site, "there.json", &format!("kept/{session}-present.json")), [1, 1, 0, 1, 1]);
        #[cfg(unix)]
        assert_eq!(crate::common::mode(&site.path(&format!("kept/{session}-values.json"))), 0o600);
        if column == "stock" {
            // Other commands go on with them.
            let apply = "apply ge --constant 0 --no-ids --reveal me";
            let p0 = site.listen(
                &format!("{apply} --reveal peer --input kept/{session}-values.json --identity bank.id")
                    .replacen("--reveal me ", "", 1),
            );
            let done = format!(
                "{apply} --input stock.json --output ge.csv --identity telecom.id --connect {}",
                p0.address
            );
            site.run(&done).ok();
            p0.finish().ok();
            assert_eq!(site.read("ge.csv"), "ge\n1\n0\n1\n1\n0\n");
        }
    }
    let connect = &format!("--connect {}", server.address);
    let both = site.run(&format!("lookup {rest} --output a.json --copy a.copy {connect}"));
    both.fails_with(2, "--value one of stock, weight");
    site.write("far.csv", "sku\n1\n70000000\n");
    let far = rest.replace("mine.csv", "far.csv");
    let far = site.run(&format!("lookup {far} --value stock --output a.json --copy a.copy {connect}"));
    far.fails_with(
        3,
        "far.csv: line 3, column \"sku\": \"70000000\" cannot be in the table, whose keys are whole numbers",
    );
    drop(server);
    let server = serve(&site, "--table stock.csv --key sku --value stock --identity bank.id");
    let refused =
        site.run(&format!("lookup {rest} --output a.json --copy a.copy --connect {}", server.address));
    refused.fails_with(5, "keeps no shares");
    assert!(!site.has("a.json"));
}

#[test]
fn tables_that_cannot_be_served() {
    let site = Site::without_identities();
    let serve = |text: &str, rest: &str| {
        site.write("t.csv", text);
        site.run(&format!("serve --table t.csv {rest} --insecure-plain-tcp --listen 127.0.0.1:0"))
    };
    for (text, rest, want) in [
        (
            "k,v\n1,2\n5,3\n1,4\n5,1\n",
            "--key k --value v",
            "t.csv: 2 bad rows\n  line 4: the key \"1\" again, as in line 2\n  line 5: the key \"5\" again, as in line 3",
        ),
        ("k,v\na,2\n a ,3\n", "--key k --value v", "line 3: the key \"a\" again, as in line 2"),
        (
            "k,v\n07,2\n7,3\n",
            "--key k:int --value v",
            "line 3: the key \"7\" is the same as \"07\" in line 2",
        ),
        ("k,v\n", "--key k --value v", "no rows below the header: a table needs at least one"),
        (
            "k,v\n1,x\n2,\n3,4\n",
            "--key k --value v:int",
            "2 bad rows\n  line 2, column \"v\": \"x\" is not a number\n  line 3, column \"v\": \"\" is missing",
        ),
        (
            "k,v\n1,127\n2,128\n",
            "--key k --value v:int:8",
            "line 3, column \"v\": \"128\" is outside -128 to 127, what 8 bits hold",
        ),
        ("k,v\n1,1.255\n", "--key k --value v:decimal2", "has 3 digits behind the point; accepted: up to 2"),
        (
            "k,v\n1,abcd\n",
            "--key k --value v:text:3",
            "line 2, column \"v\": \"abcd\" has 4 bytes; accepted: up to 3",
        ),
        ("k,v\n1,2\nx,2\n", "--key k:int --value v", "line 3, column \"k\": \"x\" is not a number"),
        ("k,v\n1.5,2\n", "--key k:int --value v", "\"1.5\" is not a whole number"),
        (
            "k,v\n1,2\n129,2\n",
            "--key k:int --key-range 1:100 --value v",
            "\"129\" is outside the keys of this table, whole numbers from 1 to 128",
        ),
        ("k,v\n2024-02-30,2\n", "--key k:date --value v", "the month has no such day"),
        ("k,v\n,2\n", "--key k:text --value v", "is missing: every row needs a key"),
        ("k,v\n1,2\n", "--key k --value w", "no column \"w\"; its columns are: k, v"),
        ("k,v\n1,2\n", "--key k --value v,v", "the column \"v\" twice"),
        ("k,v\n1,2,3\n", "--key k --value v", "3 cells where the first line has 2"),
    ] {
        let done = serve(text, rest);
        done.fails(want);
        assert!(!done.stderr.contains("listening on"), "{done:?}");
    }
    let long = "x".repeat(40_000);
    serve(&format!("k,v\n1,{long}\n"), "--key k --value v").fails("column \"v\": values Text");
    serve("k,v\n1,2\n", "--key k:text --value v:text:300 --pad-to 2e7").fails_with(2, "rows of a table");
    serve("k,v\n1,2\n", "--key k --value v --batch 70000").fails_with(2, "batches of 70000");
    serve("k,v\n1,2\n", "--key k --value v --shares none").fails_with(3, "none: is no folder");
    std::fs::create_dir(site.path("d")).unwrap();
    serve("k,v\n1,2\n", "--key k --value v --shares d --key-shares ./d")
        .fails_with(2, "--shares and --key-shares are the same folder");
    serve("k,v\n1,2\n", "--key k --value v --key-file t.csv").fails_with(3, "t.csv: ");
    assert_eq!(site.read("t.csv"), "k,v\n1,2\n", "not replaced");
    for (text, want) in [
        ("x".repeat(64), "is no key of a table, and is not replaced"),
        ("hushtable-key-1\n".to_owned() + "short", "was cut short"),
        (String::new(), "is no key of a table"),
    ] {
        site.write("note.txt", &text);
        #[cfg(unix)]
        std::fs::set_permissions(site.path("note.txt"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        serve("k,v\n1,2\n", "--key k --value v --key-file note.txt").fails_with(3, want);
        assert_eq!(site.read("note.txt"), text, "not replaced");
    }
    // However long a file says to be, no more is read than a key has.
    std::fs::File::options().write(true).open(site.path("note.txt")).unwrap().set_len(1 << 40).unwrap();
    serve("k,v\n1,2\n", "--key k --value v --key-file note.txt").fails_with(3, "is no key of a table");
    serve("k,v\n1,2\n", "--key k --key-range 5:1 --value v").fails_with(2, "the first is the least");
}
