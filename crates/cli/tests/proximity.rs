//! `proximity` between two processes: on the sphere, in a plane, all pairs, from a store; and everything that can be
//! wrong with places.

use std::{fs, path::Path};

use crate::common::{Done, Site, results};
use serde_json::Value;

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";

#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("proximity {p0} {BANK}"), &format!("proximity {p1} {TELECOM}")).map(Done::ok)
}

fn values(site: &Site, name: &str) -> Vec<f64> {
    results(&site.read(name)).1.into_iter().map(|(_, value)| value).collect()
}

/// A site with two tracks in degrees, and what is near.
fn example() -> (Site, Vec<f64>) {
    let site = Site::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/proximity");
    for name in ["tug.csv", "ferry.csv"] {
        site.write(name, &fs::read_to_string(data.join(name)).unwrap());
    }
    let near = fs::read_to_string(data.join("near.txt")).unwrap();
    (site, near.lines().map(|bit| bit.parse().unwrap()).collect())
}

#[test]
fn the_example_is_what_plaintext_says() {
    let (site, near) = example();
    let [p0, p1] = both(
        &site,
        "--mine tug.csv --within 250m --reveal me --output near.csv --json --record tug.json",
        "--mine ferry.csv --within 250m --reveal peer --record ferry.json",
    );
    let (header, rows) = results(&site.read("near.csv"));
    assert_eq!((header.as_str(), rows[61].0.as_str()), ("id,within_250m", "09:01"));
    assert_eq!(rows.into_iter().map(|(_, bit)| bit).collect::<Vec<_>>(), near);
    assert!(p1.stderr.contains("the results go to the peer"), "{p1:?}");
    let report: Value = serde_json::from_str(p0.stdout.trim_end()).unwrap();
    assert_eq!((&report["kind"], &report["value_bits"]), (&"proximity".into(), &1.into()));
    let record: Value = serde_json::from_str(&site.read("ferry.json")).unwrap();
    assert_eq!((&record["command"], &record["outcome"]), (&"proximity".into(), &"done".into()));
    assert!(record["explained"].as_str().unwrap().contains("less than 0.22 m by proof"), "{record}");
}

#[test]
fn what_it_would_show_is_said_before() {
    let (site, _) = example();
    let asked = "--mine tug.csv --within 250m --reveal me --listen 127.0.0.1:0 --verbose";
    let explained = site.run(&format!("explain proximity {asked} {BANK}")).ok().stdout;
    let dry = site.run(&format!("proximity {asked} --dry-run {BANK}")).ok().stdout;
    assert_eq!(explained, dry);
    let text = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [
        "hushtable proximity, before anything is sent",
        "proximity for each of 600 rows, by chord of own places",
        "question distance of at most 250 m, on a sphere",
        "error less than 0.22 m by proof; the earth is not quite a sphere",
        "this party for each row whether both objects are within 250 m of each other: one bit.",
        "the peer nothing: it gets no result",
        "input places; input places; input places; function proximity; metres 250;",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    let pairs = site.run(&format!("explain proximity {asked} --all-pairs 7 {BANK}")).ok().stdout;
    assert!(pairs.contains("proximity for each of 4200 rows"), "{pairs}");
    let pairs = pairs.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [
        "for each pair of rows whether both objects are within 250 m",
        "each of the peer's 7 objects is compared with all 600 places here, and each of the 600 here with all 7 of",
        "more closely than one circle does",
        "no ids: each row is compared with each of the peer's",
        "pairs 600 rows of P0 and 7 of P1; number of rows 4200;",
    ] {
        assert!(pairs.contains(fragment), "{fragment}: {pairs}");
    }
    let plane =
        site.run(&format!("explain proximity {asked} --plane --east longitude --north latitude {BANK}"));
    let plane = plane.ok().stdout;
    assert!(plane.contains("in a plane") && plane.contains("less than 0.18 m by proof"), "{plane}");
}

/// Distances of 3, 4 and 5 parts, at the distance itself and a quarter of a metre beside it.
#[test]
fn metres_in_a_plane() {
    let site = Site::new();
    let (mut a, mut b, mut want) = ("id,east,north\n".to_owned(), "north,east,id\n".to_owned(), Vec::new());
    for (i, (east, north)) in [(0.0, 0.0), (-1e7, 1e7), (3_500_000.125, 5_400_000.5)].into_iter().enumerate()
    {
        for (j, off) in [-0.25, 0.0, 0.25].into_iter().enumerate() {
            let (x, y) = (east + 300.0 * if east < 0.0 { 1.0 } else { -1.0 }, north - 400.0 - off);
            a += &format!("p{i}{j},{east},{north}\n");
            b += &format!("{y},{x},p{i}{j}\n");
            want.push(if off <= 0.0 { 1.0 } else { 0.0 });
        }
    }
    site.write("a.csv", &a);
    site.write("b.csv", &b);
    let asked = "--plane --within 0.5km --force";
    both(
        &site,
        &format!("{asked} --mine a.csv --output p0.csv"),
        &format!("{asked} --mine b.csv --output p1.csv"),
    );
    assert_eq!((values(&site, "p0.csv"), values(&site, "p1.csv")), (want.clone(), want));
    assert!(site.read("p1.csv").starts_with("id,within_0.5km\np00,"));
    // The largest distance there is.
    site.write("a.csv", "id,east,north\na,-1e7,0\nb,-1e7,-1e7\n");
    site.write("b.csv", "id,east,north\na,1e7,0\nb,1e7,1e7\n");
    let asked = "--plane --within 20000km --force";
    both(
        &site,
        &format!("{asked} --mine a.csv --output p0.csv"),
        &format!("{asked} --mine b.csv --output p1.csv"),
    );
    assert_eq!(values(&site, "p0.csv"), [1.0, 0.0]);
}

/// Every place of one with every one of the other; a party's ids stay with it.
#[test]
fn all_pairs_of_two_lists() {
    let site = Site::new();
    let places = |ids: &[&str], norths: &[f64]| -> String {
        let rows = ids.iter().zip(norths).map(|(id, north)| format!("{id},0,{north}\n"));
        format!("id,east,north\n{}", rows.collect::<String>())
    };
    let (ours, theirs) = ([0.0, 100.0, 5000.0], [40.0, 4990.0]);
    site.write("a.csv", &places(&["x", "y", "z"], &ours));
    site.write("b.csv", &places(&["u", "v"], &theirs));
    let asked = "--plane --within 60m";
    both(
        &site,
        &format!("{asked} --all-pairs 2 --mine a.csv --output p0.csv --threads 2"),
        &format!("{asked} --all-pairs 3 --mine b.csv --output p1.csv"),
    );
    assert_eq!(site.read("p0.csv"), "id,peer_row,within_60m\nx,1,1\nx,2,0\ny,1,1\ny,2,0\nz,1,0\nz,2,1\n");
    assert_eq!(site.read("p1.csv"), "id,peer_row,within_60m\nu,1,1\nv,1,0\nu,2,1\nv,2,0\nu,3,0\nv,3,1\n");
    // Who says another number of rows, or none, ends both.
    for (p0, p1, fragment) in
        [("--all-pairs 2", "--all-pairs 4", "disagree on pairs"), ("--all-pairs 2", "", "disagree on pairs")]
    {
        let done = site.both(
            &format!("proximity {asked} {p0} --mine a.csv --output q0.csv {BANK}"),
            &format!("proximity {asked} {p1} --mine b.csv --output q1.csv {TELECOM}"),
        );
        done.iter().for_each(|done| done.fails_with(5, fragment));
    }
    // As many pairs, of other lists: 3 x 2 and 2 x 3.
    let done = site.both(
        &format!("proximity {asked} --all-pairs 2 --mine a.csv --output q0.csv {BANK}"),
        &format!("proximity {asked} --all-pairs 2 --mine a.csv --output q1.csv {TELECOM}"),
    );
    done.iter().for_each(|done| done.fails_with(5, "3 rows of P0 and 2 of P1"));
    // As many rows, of which one party's are pairs.
    site.write("one.csv", &places(&["x"], &[0.0]));
    site.write("five.csv", &places(&["q", "r", "s", "t", "u"], &[0.0; 5]));
    let done = site.both(
        &format!("proximity {asked} --all-pairs 5 --mine one.csv --output q0.csv {BANK}"),
        &format!("proximity {asked} --mine five.csv --output q1.csv {TELECOM}"),
    );
    for done in &done {
        done.fails_with(5, "disagree on pairs");
        assert!(!done.stderr.contains("ids"), "{done:?}");
    }
    assert!(!site.has("q0.csv") && !site.has("q1.csv"));
}

/// Results that stay shared go on.
#[test]
fn shared_results_go_on() {
    let (site, near) = example();
    let asked = "--within 250m --reveal none";
    both(
        &site,
        &format!("{asked} --mine tug.csv --output p0.json"),
        &format!("{asked} --mine ferry.csv --output p1.json"),
    );
    let ge = "apply ge --constant 1";
    let _ = site
        .both(
            &format!("{ge} --input p0.json --output p0.csv {BANK}"),
            &format!("{ge} --input p1.json --output p1.csv {TELECOM}"),
        )
        .map(Done::ok);
    assert_eq!(values(&site, "p1.csv"), near);
}

/// One store serves every distance; on the sphere and in a plane are two shapes.
#[test]
fn prepared_ahead() {
    let (site, near) = example();
    let _ = site
        .both(
            &format!("prepare proximity --items 700 --store bank.store {BANK}"),
            &format!("prepare proximity --items 700 --store telecom.store {TELECOM}"),
        )
        .map(Done::ok);
    let asked = "--within 250m --no-offline --reveal p0";
    both(
        &site,
        &format!("{asked} --mine tug.csv --store bank.store --output p0.csv"),
        &format!("{asked} --mine ferry.csv --store telecom.store"),
    );
    assert_eq!(values(&site, "p0.csv"), near);
    let wrong =
        format!("proximity --mine tug.csv --plane --north latitude --east longitude --within 250m {BANK}");
    site.run(&format!("{wrong} --store bank.store --output x.csv --connect 127.0.0.1:9"))
        .fails_with(6, "store");
    site.run(&format!("prepare ge --plane --items 5 --store s {BANK} --connect 127.0.0.1:9"))
        .fails_with(2, "--plane is for proximity");
    for option in ["--plane", "--shared"] {
        let lookups = "prepare --lookups 5 --index-bits 4 --store s --connect 127.0.0.1:9";
        site.run(&format!("{lookups} {option} {BANK}")).fails_with(2, "cannot be combined with --lookups");
    }
}

/// Wrong before anything is connected: a message with file, line, column and range, and no output.
#[test]
fn wrong_places() {
    let site = Site::new();
    let run =
        |asked: &str| site.run(&format!("proximity {asked} --output out.csv --connect 127.0.0.1:9 {BANK}"));
    for (text, fragment) in [
        (
            "id,latitude,longitude\na,1,2\nb,90.5,2\n",
            "line 3, column \"latitude\": \"90.5\" is outside -90 to 90 degrees",
        ),
        (
            "id,latitude,longitude\na,1,-180.1\n",
            "line 2, column \"longitude\": \"-180.1\" is outside -180 to 180 degrees",
        ),
        ("id,latitude,longitude\na,1,\n", "line 2, column \"longitude\": \"\" is missing"),
        ("id,latitude,longitude\na,north,1\n", "line 2, column \"latitude\": \"north\" is not a number"),
        ("id,lat,longitude\na,1,2\n", "no column \"latitude\"; its columns are: id, lat, longitude"),
        ("id,latitude,longitude\n", "no rows"),
    ] {
        site.write("a.csv", text);
        run("--mine a.csv --within 250m").fails_with(3, fragment);
    }
    site.write("a.csv", "id,lat,lon,east,north\na,1,2,10000000.5,0\n");
    run("--mine a.csv --within 9m --plane")
        .fails_with(3, "line 2, column \"east\": \"10000000.5\" is outside -10000000 to 10000000 metres");
    run("--mine gone.csv --within 9m").fails_with(3, "gone.csv");
    let columns = "--mine a.csv --latitude lat --longitude lon";
    for (asked, fragment) in [
        (format!("{columns} --within 250"), "a distance has a unit: 250m or 2.5km"),
        (format!("{columns} --within 0.5m"), "distance: 0.5 is not supported; accepted: 1 to"),
        (format!("{columns} --within 20100km"), "accepted: 1 to 20015114 metres"),
        (format!("{columns} --within 9m --east x"), "--east needs --plane"),
        (format!("{columns} --within 9m --plane"), "--latitude is for degrees"),
        (
            format!("{columns} --within 9m --all-pairs 2 --reveal none"),
            "--all-pairs cannot be combined with --reveal none",
        ),
        (format!("{columns} --within 9m --all-pairs 1048577"), "1048577 pairs; accepted: at most 1048576"),
        (format!("{columns} --within 9m --all-pairs 2 --find-difference"), "--find-difference needs ids"),
    ] {
        let done = run(&asked);
        assert!(done.code == 2 && done.stderr.contains(fragment), "{fragment}: {done:?}");
    }
    assert!(!site.has("out.csv"));
}

#[test]
fn what_differs_ends_both() {
    let (site, _) = example();
    let fails = |p0: &str, p1: &str, fragment: &str| {
        let done = site.both(
            &format!("proximity --mine tug.csv --output p0.csv {p0} {BANK}"),
            &format!("proximity --mine ferry.csv --output p1.csv {p1} {TELECOM}"),
        );
        done.iter().for_each(|done| done.fails_with(5, fragment));
        assert!(!site.has("p0.csv") && !site.has("p1.csv"));
    };
    fails("--within 250m", "--within 251m", "metres");
    fails("--within 250m", "--within 250m --plane --east longitude --north latitude", "inputs");
    fails("--within 250m --reveal p0", "--within 250m", "reveal");
    let text = site.read("ferry.csv").replace("08:30,", "08:3x,");
    site.write("ferry.csv", &text);
    fails("--within 250m", "--within 250m", "ids");
}
