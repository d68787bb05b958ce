//! Parquet and Arrow files at the program: two parties with files of different formats, bad rows, records, and a
//! program that was built without a format.
#![cfg_attr(not(feature = "parquet"), allow(dead_code, unused_imports, reason = "for Parquet"))]

use crate::common::{Done, Site, results, sigmoid};

/// Nobody ever listens there: these commands must fail before they connect.
const NOWHERE: &str = "--insecure-plain-tcp --connect 127.0.0.1:9";
const PLAIN: &str = "--insecure-plain-tcp";

/// A folder with files that pyarrow wrote.
fn site(names: &[&str]) -> Site {
    let site = Site::without_identities();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../columns/tests/data/formats");
    for name in names {
        std::fs::copy(folder.join(name), site.path(name)).unwrap();
    }
    site
}

#[track_caller]
fn fine(both: [Done; 2]) {
    both.into_iter().for_each(|done| drop(done.ok()));
}

/// As in crates/columns/tests/data/formats/make.py.
#[cfg(feature = "parquet")]
fn scores() -> Vec<f64> {
    (0..300).map(|i| 100_000.0 + 7.000_122_070_312_5 * f64::from(i)).collect()
}

/// One party has Parquet, the other CSV; results in Parquet are the numbers that are in CSV.
#[cfg(feature = "parquet")]
#[test]
fn formats_meet() {
    let site = site(&["numbers.parquet"]);
    let (bank, sums) = (scores(), crate::common::spread(300, -6.0, 6.0, 7));
    let telecom: Vec<f64> = bank.iter().zip(&sums).map(|(bank, sum)| sum - bank).collect();
    site.write_scores("telecom.csv", &telecom);
    let apply = "apply sigmoid --reveal both --column score";
    let [p0, p1] = site.both(
        &format!("{apply} --input numbers.parquet --output out.parquet {PLAIN}"),
        &format!("{apply} --input telecom.csv --output out.csv {PLAIN}"),
    );
    let p0 = p0.ok();
    assert!(p0.stderr.contains("numbers.parquet, column score: 290 of 300 numbers are rounded"), "{p0:?}");
    p1.ok();
    let (header, got) = results(&site.read("out.csv"));
    assert_eq!((header.as_str(), got.len()), ("id,sigmoid", 300));
    for (i, ((id, value), sum)) in got.iter().zip(&sums).enumerate() {
        assert_eq!(*id, format!("c{i}"));
        assert!((value - sigmoid(*sum)).abs() < 2f64.powi(-7), "{id}: {value} for {sum}");
    }
    #[cfg(unix)]
    assert_eq!(crate::common::mode(&site.path("out.parquet")), 0o600);
    fine(site.both(
        &format!("apply eq --column sigmoid --input out.parquet --output eq.csv {PLAIN}"),
        &format!("apply eq --against sigmoid --input out.csv --output other.csv {PLAIN}"),
    ));
    assert!(results(&site.read("eq.csv")).1.iter().all(|(_, equal)| *equal == 1.0));
    // Over an output of whatever format nothing is written.
    let done = site.run(&format!("{apply} --input numbers.parquet --output out.parquet {NOWHERE}"));
    done.fails_with(2, "out.parquet: is there already");
}

#[cfg(feature = "parquet")]
#[test]
fn nulls_are_left_out_at_both() {
    let site = site(&["plain.parquet"]);
    let apply = format!("apply sigmoid --reveal both {PLAIN}");
    let bank = "--input plain.parquet --column hole";
    let done = site.run(&format!(
        "apply sigmoid --reveal both {bank} --bad-rows bad.parquet --output out0.csv {NOWHERE}"
    ));
    done.fails_with(3, "plain.parquet: 3 bad rows\n  row 2, column \"hole\": null is missing");
    assert!(done.stderr.contains("wrote the ids of 3 rows to bad.parquet"), "{done:?}");
    site.write("telecom.csv", "id,score\nc0,1\nc1,2\nc2,-3\nc3,x\nc4,-5\nc5,6\n");
    fine(site.both(
        &format!("{apply} {bank} --leave-out bad.parquet --output out0.csv"),
        &format!("{apply} --input telecom.csv --column score --leave-out bad.parquet --output out1.csv"),
    ));
    let (_, got) = results(&site.read("out0.csv"));
    assert_eq!(got.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["c0", "c2", "c4"]);
    for ((id, value), sum) in got.iter().zip([2.0, 0.0, 0.0]) {
        assert!((value - sigmoid(sum)).abs() < 2f64.powi(-7), "{id}: {value} for {sum}");
    }
}

/// The format may be named; record and dry run are those of any file.
#[cfg(feature = "parquet")]
#[test]
fn features_in_parquet() {
    use sha2::{Digest, Sha256};
    let site = site(&["plain.parquet"]);
    std::fs::rename(site.path("plain.parquet"), site.path("export")).unwrap();
    site.write("bank.toml", "[weights]\nbyte = 0.01\nwords = 1\n");
    site.write("telecom.toml", "[weights]\nx = 1\n");
    site.write("telecom.csv", "id,x\nc0,0\nc1,-3\nc2,0\nc3,0\nc4,-3.5\nc5,0\n");
    let bank = "score --threshold 0.5 --features export --weights bank.toml";
    let done = site.run(&format!("{bank} --output out.csv {NOWHERE}"));
    done.fails_with(3, "export: not text; --format parquet reads what begins like this");
    let bank = format!("{bank} --format parquet");
    let telecom = "score --threshold 0.5 --features telecom.csv --weights telecom.toml";
    let dry = site.run(&format!("explain {bank} {PLAIN} --listen 127.0.0.1:0 --verbose")).ok().stdout;
    assert!(dry.contains("number of rows 6;"), "{dry}");
    fine(site.both(
        &format!("{bank} --output out0.csv --record bank.json {PLAIN}"),
        &format!("{telecom} --output out1.csv {PLAIN}"),
    ));
    let bits: Vec<f64> = results(&site.read("out1.csv")).1.into_iter().map(|(_, bit)| bit).collect();
    assert_eq!(bits, [0.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let record: serde_json::Value = serde_json::from_str(&site.read("bank.json")).unwrap();
    let bytes = std::fs::read(site.path("export")).unwrap();
    let hash: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(
        (&record["inputs"][0]["sha256"], &record["inputs"][0]["bytes"]),
        (&hash.into(), &bytes.len().into())
    );
    assert_eq!(record["explained"], dry);
}

#[cfg(feature = "arrow")]
#[test]
fn arrow_in_and_out() {
    let site = site(&["plain.feather"]);
    site.write("telecom.csv", "number,score\n100,1\n101,1\n102,1\n103,1\n104,1\n105,1\n");
    let apply = format!("apply sigmoid --reveal both --id number {PLAIN}");
    fine(site.both(
        &format!("{apply} --input plain.feather --column text --output out.arrow"),
        &format!("{apply} --input telecom.csv --column score --output out.csv"),
    ));
    fine(site.both(
        &format!("apply eq --id number --column sigmoid --input out.arrow --output eq.csv {PLAIN}"),
        &format!("apply eq --id number --against sigmoid --input out.csv --output other.csv {PLAIN}"),
    ));
    let (_, got) = results(&site.read("eq.csv"));
    assert_eq!(got, (100..106).map(|id| (id.to_string(), 1.0)).collect::<Vec<_>>());
}

/// Before anything is connected, also for results.
#[cfg(not(feature = "arrow"))]
#[test]
fn a_program_without_arrow_says_so() {
    let site = site(&["plain.feather"]);
    site.write_scores("a.csv", &[0.5]);
    let said = "built without the feature arrow: build it with `cargo build --release --features arrow`";
    for args in ["--input plain.feather --output out.csv", "--input a.csv --output out.arrow"] {
        site.run(&format!("apply sigmoid --reveal both --column score {args} {NOWHERE}")).fails_with(2, said);
    }
}
