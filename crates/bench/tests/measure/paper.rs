//! `paper`: the papers' tables beside our measurements.

use serde_json::Value;

use crate::site::Site;

#[test]
fn lists_the_tables() {
    let listed = Site::new().run("paper --list").ok();
    for name in ["rotl-table5", "rotl-draft-figure14", "ndss-table4"] {
        assert!(listed.stdout.contains(name), "{name}: {}", listed.stdout);
    }
    // What is left out says why.
    for left in [
        "NDSS 2017, Table II: times of AES",
        "ndss-table6, rows N-MT PSI 256",
        "2P-DUORAM+ in Figures 5 to 7: not in this library",
    ] {
        assert!(listed.stdout.contains(left), "{left}: {}", listed.stdout);
    }
}

#[test]
fn compares_cell_by_cell() {
    let site = Site::new();
    let done = site
        .run("paper rotl-table5 --rows rotl,n=16,l=8 --batch 300 --csv out.csv --plot out.svg --format json --date 2026-01-02 --commit abc")
        .ok();
    assert!(done.stderr.contains("run 1 of "), "{}", done.stderr);
    let table: Value = serde_json::from_str(&done.stdout).unwrap();
    let cells = table["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 9);
    let number = |cell: &Value, name: &str| cell[name].as_f64().unwrap_or(f64::NAN);
    for cell in cells {
        // Fewer lookups than the paper's: another job, of which no ratio is shown.
        assert!(number(cell, "ours") > 0.0 && cell["batch"] == 300, "{cell}");
        assert_eq!(cell["cut"], "batch 100000 -> 300", "{cell}");
        assert!(cell["ratio"].is_null() && cell["auto_ratio"].is_null(), "{cell}");
        assert_eq!(cell["what"], "the paper's protocol here");
        // Bits as the papers count them; times with what the link gets.
        assert_eq!(cell["ot"], if cell["unit"] == "bit" { "ferret" } else { "auto" }, "{cell}");
        assert_eq!(
            [&cell["runs"], &cell["date"], &cell["commit"]],
            [&Value::from(1), &"2026-01-02".into(), &"abc".into()]
        );
        let run: Value = serde_json::from_str(cell["run"].as_str().unwrap()).unwrap();
        assert_eq!(
            [&run["kind"], &run["protocol"], &run["batch"]],
            [&"lut".into(), &"rotl".into(), &Value::from(300)]
        );
        let prepares = cell["column"].as_str().unwrap().ends_with("prep.");
        assert_eq!([&cell["auto"], &cell["auto_protocol"]].map(Value::is_null), [prepares; 2], "{cell}");
    }
    assert_eq!([&cells[0], &cells[1]].map(|c| number(c, "paper")), [572.4, 42.0]);
    assert_eq!(number(&cells[0], "corrected"), 573.6);
    assert_eq!(cells[0]["erratum"], "T2");
    // Openings of 4 and choices of 7 bits each way, and four frame headers for 300 lookups.
    let online = number(&cells[1], "ours");
    assert!((22.0..24.0).contains(&online), "{online}");
    let csv = site.read("out.csv");
    assert_eq!(csv.lines().count(), 10);
    assert!(csv.starts_with("table,column,unit,row,key,paper,corrected,erratum,net,batch,ours,"), "{csv}");
    assert!(csv.lines().next().unwrap().ends_with(",run,auto_run,ot,runs,cpu,date,commit"), "{csv}");
    let svg = site.read("out.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("WAN online (us)"));
}

/// A bound on lookups leaves the table as large as the column says; a bound on its rows is said beside each figure.
#[test]
fn tables_are_cut_only_when_asked() {
    let site = Site::new();
    let done = site.run("paper fable-section6.4 --rows fable,embeddings --batch 3 --table-rows 300").ok();
    let rows: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("FABLE embeddings")).collect();
    assert_eq!(rows.len(), 3, "{}", done.stdout);
    for row in rows {
        assert!(row.ends_with("cut: batch 32 -> 3, rows 519820 -> 300"), "{row}");
    }
    assert!(done.stdout.contains("none where our job was cut"), "{}", done.stdout);
    assert!(done.stdout.contains("ours: lookups in an encrypted copy"), "{}", done.stdout);
}

/// Functions: the row's own spline, and beside it the method that is chosen.
#[test]
fn compares_functions() {
    let done = Site::new().run("paper rotl-table9 --rows tanh --batch 200 --format json").ok();
    let table: Value = serde_json::from_str(&done.stdout).unwrap();
    let of = |row: &str| {
        let cells = table["cells"].as_array().unwrap().iter().filter(|cell| cell["row"] == row);
        cells.cloned().collect::<Vec<_>>()
    };
    assert_eq!([of("ROTL").len(), of("GROTTO").len(), of("SP-LUT").len()], [9, 9, 9]);
    let cells = of("ROTL");
    for cell in &cells {
        assert!(cell["ours"].as_f64().unwrap() > 0.0 && cell["batch"] == 200, "{cell}");
        let prepares = cell["column"].as_str().unwrap().ends_with("prep.");
        assert_eq!(cell["auto_protocol"].is_null(), prepares, "{cell}");
    }
    assert!(cells[0]["auto_protocol"].as_str().unwrap().starts_with("spline of degree "), "{}", cells[0]);
    assert_eq!(
        [&cells[2]["paper"], &cells[2]["corrected"]].map(|v| v.as_f64()),
        [Some(1624.0), Some(9219.0)]
    );
    assert!(of("SP-LUT").iter().all(|cell| cell["ours"].is_null()));
}

#[test]
fn refuses_what_it_cannot_do() {
    let site = Site::new();
    site.write("there.csv", "old");
    let refused = [
        ("paper rotl-table1", "no table \"rotl-table1\"; there are rotl-table2"),
        ("paper rotl-table5 --rows n=5", "no row of rotl-table5"),
        ("paper rotl-table5 --plot out.png", "plots are SVG"),
        ("paper rotl-table5 --csv there.csv", "--force replaces it"),
        ("paper rotl-table5 rotl-table6 --csv out.csv", "--out DIR takes several"),
    ];
    for (command, says) in refused {
        site.run(command).fails(says);
    }
    assert_eq!(site.read("there.csv"), "old");
}
