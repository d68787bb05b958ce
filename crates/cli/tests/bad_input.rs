//! Input that one party alone can see is wrong: an error before anything is connected, nothing written over.

use crate::common::{Site, sealed, to_both};

/// Nobody ever listens there: these commands must fail before they connect.
const REST: &str = "--insecure-plain-tcp --connect 127.0.0.1:9";

fn site() -> Site {
    let site = Site::without_identities();
    site.write("a.csv", "id,score\nx,1\ny,2\nz,3\n");
    site.write("there.csv", "precious\n");
    site
}

/// Asserts an error with `fragment` in the message, and that no file changed.
#[track_caller]
fn refuse(site: &Site, args: &str, fragment: &str) {
    let files = || -> Vec<_> {
        let plain = |name: &String| site.path(name).is_file();
        site.names()
            .into_iter()
            .filter(plain)
            .map(|name| (std::fs::read(site.path(&name)).unwrap(), name))
            .collect()
    };
    let before = files();
    let done = site.run(args);
    assert!(done.is_reported(), "{args}: {done:?}");
    assert!(done.stderr.contains(fragment), "{args}: wanted {fragment:?} in {}", done.stderr);
    assert!(done.stdout.is_empty(), "{args}: {done:?}");
    assert_eq!(files(), before, "{args}");
}

/// They may be meant, so nothing is refused; but rows of equal ids could be swapped, and nobody would know.
#[test]
fn ids_that_occur_twice() {
    let site = site();
    site.write("in.csv", "id,score\nx,1\ny,2\nx,3\ny,1\n");
    let args = format!("--column score --input in.csv --output out.csv --dry-run {REST}");
    let done = site.run(&format!("apply sigmoid --reveal both --outside wrap {args}"));
    let warned = "in.csv: lines 2 and 4 have the same id; rows are matched by their order";
    assert!(done.stderr.contains(warned), "{done:?}");
}

#[test]
fn cells() {
    let site = site();
    for (text, fragment) in [
        ("id,score\nx,1\ny,two\n", "in.csv: line 3, column \"score\": \"two\" is not a number"),
        ("id,score\nx,NaN\n", "in.csv: line 2, column \"score\": \"NaN\" is not a number"),
        ("id,score\nx,inf\n", "\"inf\" is not a number"),
        ("id,score\nx,\n", "in.csv: line 2, column \"score\": \"\" is missing"),
        (
            "id,score\nx,1\n\ny,4\n",
            "line 4, column \"score\": \"4\" is outside -4 (included) to 4 (excluded)",
        ),
        ("id,score\nx,-4.1\n", "this party's half of the domain -8:8"),
        ("id,score\nx,1e999\n", "line 2, column \"score\": \"1e999\""),
        ("id,score\nx,1,2\n", "in.csv: line 2: 3 cells where the first line has 2"),
        ("id,score\n", "in.csv: no rows"),
        ("", "in.csv: no column \"score\""),
        ("id,other\nx,1\n", "in.csv: no column \"score\"; its columns are: id, other"),
        ("name,score\nx,1\n", "in.csv: no column \"id\""),
        ("id,score,score\nx,1,2\n", "column \"score\" occurs more than once"),
    ] {
        site.write("in.csv", text);
        refuse(
            &site,
            &format!(
                "apply sigmoid --reveal both --outside wrap --column score --input in.csv --output out.csv {REST}"
            ),
            fragment,
        );
    }
    site.write("in.csv", "id,score\nx,1\ny,2097152\n");
    refuse(
        &site,
        &format!("apply sigmoid --reveal both --column score --input in.csv --output out.csv {REST}"),
        "line 3, column \"score\": \"2097152\" is outside -2097152 (included) to 2097152 (excluded), the range that 32 bits",
    );
    // The number itself stands for results beyond the domain, and these have 8 bits more behind the point.
    site.write("in.csv", "id,score\nx,-16384\ny,16384\n");
    refuse(
        &site,
        &format!("apply gelu --reveal both --column score --input in.csv --output out.csv {REST}"),
        "\"16384\" is outside -2097152 (included) to 16384 (excluded), the range that 32 bits with 8 after the point leave each \
         party, with results as fine as asked for",
    );
    std::fs::write(site.path("in.csv"), b"id,score\nx,1\n\xff\xfe,1\n").unwrap();
    refuse(
        &site,
        &format!("apply sigmoid --reveal both --column score --input in.csv --output out.csv {REST}"),
        "in.csv: line 3: not UTF-8 text",
    );
}

#[test]
fn files_and_arguments() {
    let site = site();
    let a = "--column score --input a.csv";
    for (args, fragment) in [
        ("sigmoid --column score --input none.csv --output out.csv", "none.csv: No such file"),
        ("sigmoid --column score --input . --output out.csv", ".: Is a directory"),
        ("sigmoid --input a.csv --output out.csv", "--column NAME"),
        (&format!("sigmoid {a}"), "--output FILE"),
        (&format!("sigmoid {a} --output there.csv"), "there.csv: is there already; --force"),
        (&format!("sigmoid {a} --output a.csv --force"), "a.csv: is the input file"),
        (&format!("sigmoid {a} --output none/out.csv"), "none/out.csv: cannot write in none"),
        (&format!("sigmoid {a} --output . --force"), "not a plain file"),
        (
            &format!("sigmoid {a} --output out.csv --outside wrap --fraction-bits 13"),
            "--fraction-bits 0 to 12",
        ),
        (&format!("sigmoid {a} --output out.csv --fraction-bits 33"), "33 is not in 0..=32"),
        (&format!("sigmoid {a} --output out.csv --outside wrap --domain -5:5"), "work with --domain -8:8"),
        (&format!("ln {a} --output out.csv --domain 0:8"), "which has no value at 0 and below"),
        (&format!("sigmoid {a} --output out.csv --domain 0:0.3"), "multiples of 2^-8"),
        (&format!("sigmoid {a} --output out.csv --method spline:4:16"), "degree of a spline: 4"),
        (&format!("sigmoid {a} --output out.csv --method spline:2:17"), "pieces of a spline: 17"),
        (
            &format!("sigmoid {a} --output out.csv --method spline"),
            "expected auto, table, angle, or spline:DEGREE:PIECES",
        ),
        (&format!("sigmoid {a} --output out.csv --bits 7"), "7 is not in 8..=64"),
        (&format!("sigmoid {a} --output out.csv --domain 3:3"), "less than the second"),
        (
            &format!("sigmoid {a} --output out.csv --bits 16 --output-fraction-bits 8 --domain -500:500"),
            "--bits 18",
        ),
        (&format!("sigmoid {a} --output out.csv --bits 16"), "(bits behind the point: 16)"),
        (&format!("reciprocal {a} --output out.csv --domain -1:1"), "which has no value at 0 "),
        (
            &format!("reciprocal {a} --output out.csv --domain -3.1328125:4000 --fraction-bits 16"),
            "which has no value at 0 ",
        ),
        (&format!("sqrt {a} --output out.csv --domain -1:4"), "which has no value below 0 "),
        (
            &format!("exp {a} --output out.csv --bits 16 --output-fraction-bits 8 --domain -8:8"),
            "accepted: --bits 21",
        ),
        (
            &format!("sigmoid {a} --output out.csv --method spline:2:4096 --domain -8:8"),
            "at most half of its 4096 numbers",
        ),
        (&format!("sigmoid {a} --output out.csv --method spline:0:16"), "degree of a spline: 0"),
        (
            &format!("sigmoid {a} --output out.csv --bits 64 --fraction-bits 32 --method spline:3:4"),
            "bits of the spline's accumulator: ",
        ),
        (
            &format!("sigmoid {a} --output out.csv --fraction-bits 16 --bits 64 --method table"),
            "accepted: at most 2^16 numbers",
        ),
        (
            &format!("sigmoid {a} --output out.csv --store none.store --method spline:2:64"),
            "--store needs --identity",
        ),
        (&format!("sigmoid {a} --output out.csv --outside wrap --strict"), "cannot be used with"),
        (
            &format!("sigmoid {a} --output out.csv --protocol rotl --strict"),
            "--strict cannot be combined with a lookup",
        ),
        (&format!("sigmoid {a} --output out.csv --domain 8:-8"), "less than the second"),
        (&format!("sigmoid {a} --output out.csv --domain eight"), "expected lo:hi"),
        (
            &format!("exp {a} --output out.csv --outside wrap --domain 0:64 --fraction-bits 0"),
            "do not fit 53 bits with 16 output",
        ),
        (&format!("cosine {a} --output out.csv"), "possible values: sigmoid"),
        (&format!("sigmoid --table t.csv {a} --output out.csv"), "cannot be used with"),
        (&format!("{a} --output out.csv"), "required"),
        (&format!("sigmoid {a} --output out.csv --threads 0"), "0 is not in 1..=64"),
        (&format!("sigmoid {a} --output out.csv --net 1000"), "RATE:RTT"),
    ] {
        refuse(&site, &to_both(&format!("apply {args} {REST}")), fragment);
    }
    let fine = format!("apply sigmoid --reveal both {a} --output out.csv");
    refuse(&site, &fine, "--listen");
    refuse(&site, &format!("{fine} --connect 127.0.0.1:9"), "--identity");
    refuse(
        &site,
        &format!("{fine} --connect 127.0.0.1:9 --listen 127.0.0.1:0 --insecure-plain-tcp"),
        "cannot be used",
    );
    refuse(&site, &format!("{fine} --connect 127.0.0.1:9 --identity none.id"), "none.id");
    refuse(&site, &format!("{fine} --insecure-plain-tcp --wait 1 --connect 127.0.0.1"), "127.0.0.1");
    refuse(
        &site,
        &format!("{fine} --insecure-plain-tcp --wait 1 --connect no.such.host.invalid:7000"),
        "no.such.host",
    );
}

#[test]
fn tables() {
    let site = site();
    for (text, fragment) in [
        ("1\n2\n3\n", "t.csv: 3 values; the number of values must be a power of two"),
        ("1\n", "t.csv: 1 values"),
        ("1\nx\n", "t.csv: line 2: value \"x\" is not a number"),
        ("0,1\n0,2\n", "t.csv: line 2: index 0 occurs again, first in line 1"),
        ("0,1\n5,2\n", "t.csv: line 2: index 5 is outside 0 to 1"),
        ("1\n2\n1e300\n4\n", "do not fit 53 bits"),
    ] {
        site.write("t.csv", text);
        refuse(
            &site,
            &format!(
                "apply --table t.csv --reveal both --column score --input a.csv --output out.csv {REST}"
            ),
            fragment,
        );
    }
    site.write("t.csv", "1\n2\n3\n4\n");
    refuse(
        &site,
        &format!(
            "apply --table t.csv --reveal both --column score --input a.csv --domain -8:8 --output out.csv {REST}"
        ),
        "t.csv: 4 values, but domain -8:8 with 0 fraction bits has 16 points",
    );
    refuse(
        &site,
        &format!("apply --table t.csv --reveal both --column score --input a.csv --output out.csv {REST}"),
        "line 3, column \"score\": \"2\" is outside 0 (included) to 2 (excluded)",
    );
}

#[test]
fn share_files() {
    let site = site();
    let file = r#"{"hushtable_shares":2,"of":"exp","sharing":"additive","session":"00","role":"P0","count":2,"bits":20,"fraction_bits":8,"range":[0,763],"ids":null,"shares":[5,1048575],"checksum":""}"#;
    for (from, to, args, fragment) in [
        ("", "", "tanh --outside wrap --domain -2:2", "domain -2:2 does not hold; give"),
        ("", "", "tanh --strict --bits 32", "shares with --bits 20"),
        ("[0,763]", "[-524288,763]", "tanh", "tanh in 20 bits takes -20"),
        ("763", "7630", "sigmoid --outside wrap", "shares of values from 0 to 29.8046875"),
        ("", "", "sigmoid --fraction-bits 4", "shares with --fraction-bits 8; leave it out"),
        ("", "", "sigmoid --column score", "a share file has no columns"),
        ("\"count\":2", "\"count\":3", "sigmoid", "count is 3"),
        ("1048575", "1048576", "sigmoid", "share 1 has more than 20 bits"),
        ("\"hushtable_shares\":2", "\"hushtable_shares\":9", "sigmoid", "format version 9"),
        ("additive", "xor", "sigmoid", "sharing \"xor\"; this program reads \"additive\""),
        ("\"fraction_bits\":8", "\"fraction_bits\":20", "sigmoid --outside wrap", "at most 16"),
        ("", "", "ge", "--constant C or --other FILE says"),
        ("", "", "ge --constant 1 --bits 32", "shares with --bits 20"),
        ("", "", "max --constant 1e9", "--constant 1000000000 is outside -512 (included) to 512 (excluded)"),
        ("", "", "ge --other a.csv --against score", "a.csv: 3 rows; s.json has 2"),
        ("", "", "ge --other t.json", "t.json: shares of 16 bits with 8 after the point; 20 bits"),
    ] {
        site.write("s.json", &sealed(&file.replace(from, if from.is_empty() { "" } else { to })));
        let narrow = file.replace("1048575", "5").replace("\"bits\":20", "\"bits\":16");
        site.write("t.json", &sealed(&narrow));
        refuse(&site, &to_both(&format!("apply {args} --input s.json --output out.csv {REST}")), fragment);
    }
    let whole = sealed(file);
    for (from, to, fragment) in [
        ("}", "", "not a usable share file"),
        ("[5,", "[6,", "its checksum is wrong: the file is damaged or was changed"),
        ("\"exp\"", "\"tanh\"", "its checksum is wrong"),
    ] {
        site.write("s.json", &whole.replace(from, to));
        refuse(
            &site,
            &format!("apply sigmoid --reveal both --input s.json --output out.csv {REST}"),
            fragment,
        );
    }
}

#[test]
fn comparisons() {
    let site = site();
    site.write("b.csv", "id,score\nx,1\nother,2\nz,3\n");
    let a = "--input a.csv --output out.csv";
    for (args, fragment) in [
        (&format!("sigmoid --column score --constant 3 {a}"), "--constant needs a comparison"),
        (
            &format!("ge --column score --constant 3 --domain 0:8 {a}"),
            "--domain cannot be combined with a comparison",
        ),
        (&format!("ge --column score --constant 3 --against score {a}"), "cannot be used with"),
        (&format!("ge --column score --constant x {a}"), "not a number"),
        (&format!("ge --column score --constant 3 --bits 65 {a}"), "65 is not in 8..=64"),
        (
            &format!("ge --column score --bits 18 --constant 3 {a}"),
            "--fraction-bits 16 leaves no room in --bits 18",
        ),
        (
            &format!("ge --column score --bits 19 --constant 3 {a}"),
            "is outside -1 (included) to 1 (excluded), the range that 19",
        ),
        (&format!("ge --column none --constant 3 {a}"), "a.csv: no column \"none\""),
        (
            &format!("ge --column score --other b.csv --against score {a}"),
            "b.csv: row 2 has an id other than in a.csv",
        ),
        (&format!("ge --column score --other none.csv {a}"), "none.csv: No such file"),
    ] {
        refuse(&site, &to_both(&format!("apply {args} {REST}")), fragment);
    }
}

#[test]
fn identities() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\n");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/expired");
    std::fs::create_dir_all(site.path("old.id/trusted")).unwrap();
    for name in ["key.pem", "cert.pem"] {
        std::fs::copy(format!("{data}/{name}"), site.path("old.id").join(name)).unwrap();
    }
    let fine = "apply sigmoid --reveal both --column score --input a.csv --output out.csv --connect 127.0.0.1:9 --identity";
    refuse(&site, &format!("{fine} old.id"), "expired");
    let own = site.fingerprint("bank");
    refuse(
        &site,
        &format!("identity trust --identity bank.id bank.id/cert.pem --fingerprint {own}"),
        "itself",
    );
    refuse(&site, &format!("identity trust --identity bank.id a.csv --fingerprint {own}"), "a.csv");
    site.write("two.pem", &[site.read("bank.id/cert.pem"), site.read("telecom.id/cert.pem")].concat());
    let two =
        format!("identity trust --identity bank.id two.pem --fingerprint {}", site.fingerprint("telecom"));
    refuse(&site, &two, "besides one certificate");
    refuse(&site, "identity new --name x --out bank.id", "exists already");
    refuse(&site, "identity new --name b/nk --out new.id", "identity name");
    assert!(!site.has("new.id"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = site.path("bank.id/key.pem");
        assert_eq!(crate::common::mode(&key), 0o600);
        std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o644)).unwrap();
        refuse(&site, &format!("{fine} bank.id"), "chmod 600");
    }
}
