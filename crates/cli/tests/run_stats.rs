//! Jobs from files that join and ask statistics, approved by their hash: against the commands they stand for.

use std::{fs, path::PathBuf};

use crate::{
    common::{Done, Site},
    run_join::{approved, hash},
};

/// The example, and its files.
fn site() -> Site {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let site = Site::new();
    for name in ["bank.csv", "telecom.csv"] {
        site.write(name, &fs::read_to_string(examples.join("data/joining").join(name)).unwrap());
    }
    site.write("stats.toml", &fs::read_to_string(examples.join("jobs/stats.toml")).unwrap());
    site
}

#[test]
fn a_job_gives_what_its_commands_give() {
    let site = site();
    let p0 = approved(&site, "stats.toml", "bank", "--output job.csv --joined kept.json --record r.json");
    let p1 = approved(&site, "stats.toml", "telecom", "--output other.csv --joined kept1.json");
    let [p0, p1] = site.both(&p0, &p1).map(Done::ok);
    assert_eq!(site.read("job.csv"), site.read("other.csv"));
    assert_eq!(p0.stdout, p1.stdout);
    let rows = site.read("job.csv");
    assert!(rows.starts_with("step,group,statistic,value\noverview,north,count,"), "{rows}");
    // The same by commands, from what was kept.
    let ask = |asked: &str, output: &str| {
        let command = |file: &str, party: &str| {
            format!("stats {file} {asked} --output {party}.{output} --identity {party}.id")
        };
        let _ = site.both(&command("kept.json", "bank"), &command("kept1.json", "telecom")).map(Done::ok);
        site.read(&format!("bank.{output}"))
    };
    let overview = ask("--mean income_keur,late_bills --median income_keur --by region", "1.csv");
    let late = ask("--count --where late_bills>=2 --by region --by income_keur:30,60", "2.csv");
    let of = |step: &str, text: &str| {
        text.lines().skip(1).map(|line| format!("{step},{line}\n")).collect::<String>()
    };
    let wanted = format!("step,group,statistic,value\n{}{}", of("overview", &overview), of("late", &late));
    assert_eq!(rows, wanted);
    let record = site.read("r.json");
    assert!(
        record.contains(&hash(&site, "stats.toml")) && record.contains("\"outcome\": \"done\""),
        "{record}"
    );

    // A job that only joins.
    let job = site.read("stats.toml");
    site.write("only.toml", &job[..job.find("[[step]]\nname = \"overview\"").unwrap()]);
    let [p0, p1] = [("bank", "a.json"), ("telecom", "b.json")]
        .map(|(party, to)| approved(&site, "only.toml", party, &format!("--joined {to}")));
    let _ = site.both(&p0, &p1).map(Done::ok);
    let count = |file: &str, party: &str| format!("stats {file} --count --identity {party}.id");
    let [only, _] = site.both(&count("a.json", "bank"), &count("b.json", "telecom")).map(Done::ok);
    let [kept, _] = site.both(&count("kept.json", "bank"), &count("kept1.json", "telecom")).map(Done::ok);
    assert_eq!(only.stdout, kept.stdout);
}

/// Cells that may be missing, by name in the file.
#[test]
fn missing_cells_in_a_job() {
    let site = Site::new();
    site.write("bank.csv", "id,x\na,1\nb,\nc,4\nd,9\n");
    site.write("telecom.csv", "id,y\nc,5\nb,7\na,8\n");
    let job = "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n\
               [[step]]\nname = \"j\"\noperation = \"join\"\nreveal = \"none\"\n\
               columns = { bank = \"x:10\", telecom = [\"y:10\"] }\nmissing = { bank = \"x\" }\n\
               [[step]]\nname = \"s\"\noperation = \"stats\"\nmean = [\"x\", \"y\"]\nleast = 1\nreveal = \"both\"\n";
    site.write("job.toml", job);
    let p0 = approved(&site, "job.toml", "bank", "--output p0.csv");
    let _ = site.both(&p0, &approved(&site, "job.toml", "telecom", "")).map(Done::ok);
    let wanted = "step,group,statistic,value\ns,all,count,3\ns,all,mean of y,6.6667\ns,all,count of x,2\ns,all,mean of x,2.5\n";
    assert_eq!(site.read("p0.csv"), wanted);
    // What numbers of different rows tell together is said before.
    let says = |more: &str| {
        site.write("job.toml", &job.replace("least = 1\n", more));
        let run = "run job.toml --input bank.csv --dry-run --identity bank.id --listen 127.0.0.1:0";
        site.run(run).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (one, both) = (says(""), says("covariance = [\"x,y\"]\n"));
    assert!(one.contains("how many rows lack x is told too") && !one.contains("added up over"), "{one}");
    assert!(both.contains("y: added up over all rows, and over those where other cells are there"), "{both}");
    assert!(!says("noise = 0.5\n").contains("how many rows lack"));
    site.write("job.toml", &job.replace("missing = { bank = \"x\" }\n", ""));
    let run = approved(&site, "job.toml", "bank", "--output p2.csv");
    site.run(&format!("{run} --listen 127.0.0.1:0")).fails_with(3, "is missing");
}

#[test]
fn what_such_a_job_cannot_say() {
    let site = site();
    let job = site.read("stats.toml");
    for (from, to, want) in [
        ("reveal = \"both\"", "reveal = \"bank\"", "reveal: stats has \"both\""),
        ("reveal = \"none\"", "reveal = \"both\"", "reveal: join has \"none\""),
        (
            "[[step]]\nname = \"customers\"",
            "[[step]]\nname = \"s\"\noperation = \"stats\"\ncount = true\nreveal = \"both\"\n[[step]]\nname = \"customers\"",
            "comes first",
        ),
        ("hushtable-job = 1", "hushtable-job = 1\njoin = true", "join = true is for"),
        ("ids = {", "#", "no column"),
        ("income_keur:1000", "income_keur:x", "after the colon comes a limit"),
        ("mean = [\"income_keur\"", "mean = [\"gone\"", "step \"overview\": no column \"gone\""),
        ("where = \"late_bills>=2\"", "where = \"late_bills\"", "step \"late\": --where"),
        ("median = \"income_keur\"", "average = \"income_keur\"", "\"average\" is not known here"),
        ("by = \"region\"", "by = 3", "no column \"3\""),
        ("normalise = \"lower\"", "rows = \"shop\"", "rows: \"shop\" is not one of: bank, telecom, both"),
        ("[parties]", "[options]\nthreads = 2\n[parties]", "options are for steps"),
        (
            "reveal = \"none\"",
            "reveal = \"none\"\nmissing = { bank = [\"bills\"] }",
            "no such column in --columns of bank",
        ),
    ] {
        assert!(job.contains(from), "{from}");
        site.write("other.toml", &job.replacen(from, to, 1));
        let run = approved(&site, "other.toml", "bank", "--output out.csv");
        site.run(&format!("{run} --listen 127.0.0.1:0")).fails(want);
    }
    site.write("only.toml", &job[..job.find("[[step]]\nname = \"overview\"").unwrap()]);
    for (more, want) in [("", "--joined FILE says where"), ("--output x.csv", "--output is for results")] {
        let run = approved(&site, "only.toml", "bank", more);
        site.run(&format!("{run} --listen 127.0.0.1:0")).fails_with(2, want);
    }
    // Another file at the peer, or a command.
    site.write("other.toml", &format!("{job}# a comment\n"));
    let p0 = approved(&site, "stats.toml", "bank", "--output out.csv");
    let p1 = approved(&site, "other.toml", "telecom", "");
    site.both(&p0, &p1).iter().for_each(|done| done.fails_with(5, "disagree on job file"));
    let p1 = "join --input telecom.csv --id subscriber --normalise lower --columns late_bills:100 --output x.json \
              --identity telecom.id";
    site.both(&p0, p1).iter().for_each(|done| done.fails_with(5, "disagree on command"));
    assert!(!site.has("out.csv") && !site.has("x.json"));
    let dry = site
        .run("run stats.toml --input bank.csv --dry-run --identity bank.id --listen 127.0.0.1:0")
        .ok()
        .stdout;
    let words = dry.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [
        "compute statistics of the rows in common: overview, late.",
        "nobody learns which",
        "step overview",
        "each group of rows that is large enough",
        "median",
        "count, where late_bills>=2",
    ] {
        assert!(words.contains(fragment), "{fragment}: {dry}");
    }
    let said: serde_json::Value =
        serde_json::from_str(&site.run("run --check stats.toml --json").ok().stdout).unwrap();
    assert_eq!((&said["hash"], &said["connects"]), (&hash(&site, "stats.toml").into(), &"telecom".into()));
    assert!(said["steps"].as_array().unwrap().len() == 3 && said["rows"][0].is_string(), "{said}");
}

/// What is computed row by row needs all cells.
#[test]
fn rows_with_missing_cells_are_for_statistics_alone() {
    let site = Site::new();
    site.write("bank.csv", "id,x\na,1\nb,\n");
    site.write("telecom.csv", "id,y\na,8\n");
    site.write("w.toml", "intercept = 1\nx = 2\n");
    let join = |party: &str, columns: &str, to: &str| {
        format!("join --input {party}.csv --id id --columns {columns} --output {to} --identity {party}.id")
    };
    let done = site.both(&join("bank", "x:10 --missing x", "p0.json"), &join("telecom", "y:10", "p1.json"));
    let _ = done.map(Done::ok);
    for asked in [
        "apply ge --joined p0.json --column x --constant 3 --reveal me --output o.csv",
        "apply ge --joined p0.json --column y --against x --reveal me --output o.csv",
        "score --joined p0.json --weights w.toml --reveal me --output o.csv",
    ] {
        let command = format!("{asked} --identity bank.id --connect 127.0.0.1:9");
        site.run(&command).fails_with(2, "which only `stats` leaves out; to go on with a number");
    }
    site.run(&format!("{} --connect 127.0.0.1:9", join("bank", "x:10 --missing z", "q.json")))
        .fails_with(2, "--missing \"z\": no such column");
    site.run(
        "join --input bank.csv --id id --missing x --reveal count --identity bank.id --connect 127.0.0.1:9",
    )
    .fails_with(2, "is for a hidden join");
}
