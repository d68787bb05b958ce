//! How the program speaks: quiet, in detail, as JSON; settings; what it says while it waits; help; shells.

use std::{fs, net::TcpListener};

use serde_json::Value;

use crate::common::{Done, Site};

fn site() -> Site {
    let site = Site::new();
    site.write_scores("a.csv", &crate::common::spread(40, -4.0, 3.9, 5));
    site
}

const JOB: &str = "apply sigmoid --reveal both --column score --input a.csv --force";

/// Each line of standard output.
#[track_caller]
fn json(done: Done) -> Vec<Value> {
    let done = done.ok();
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    let all: Vec<Value> = done.stdout.lines().map(line).collect();
    assert!(!all.is_empty(), "{done:?}");
    all
}

/// The commands, with their own.
fn commands(site: &Site) -> Vec<String> {
    let of = |path: &str| -> Vec<String> {
        let help = site.run(&format!("{path} -h")).ok().stdout;
        let list =
            help.split_once("Commands:\n").map(|(_, list)| list.split("\n\n").next().unwrap().to_owned());
        let name =
            |line: &str| Some(format!("{path} {}", line.strip_prefix("  ")?.split_whitespace().next()?));
        let own = |line: &&str| !line.starts_with("   ");
        list.iter()
            .flat_map(|list| list.lines().filter(own))
            .filter_map(name)
            .map(|name| name.trim().into())
            .collect()
    };
    let all: Vec<String> = of("").into_iter().filter(|name| name != "help").collect();
    let nested = all.iter().flat_map(|name| of(name)).filter(|name| !name.ends_with(" help"));
    let nested: Vec<String> = nested.collect();
    [all, nested].concat()
}

#[test]
fn quiet_prints_results_and_errors_alone() {
    let site = site();
    let [p0, p1] = site.both(
        &format!("{JOB} --output p0.csv --identity bank.id --quiet"),
        &format!("-q {JOB} --output p1.csv --identity telecom.id"),
    );
    // The port was chosen by the system, and nobody else can say which.
    let p0 = p0.ok();
    assert!(p0.stderr.starts_with("listening on 127.0.0.1:") && p0.stderr.lines().count() == 1, "{p0:?}");
    assert_eq!([p0.stdout, p1.stderr.clone(), p1.ok().stdout], ["", "", ""]);
    assert!(site.has("p0.csv") && site.has("p1.csv"));
    let gone = site
        .run(&format!("{JOB} -q --input gone.csv --output x.csv --identity bank.id --connect 127.0.0.1:9"));
    assert!(gone.code == 2 && gone.stderr.starts_with("error: "), "given twice: {gone:?}");
    let gone = site.run("apply sigmoid --reveal me --input gone.csv -q --output x.csv --identity bank.id --connect 127.0.0.1:9");
    gone.fails_with(3, "error: gone.csv: ");
    assert_eq!(gone.stderr.lines().count(), 1, "{gone:?}");
}

#[test]
fn more_is_said_where_it_is_asked_for() {
    let site = site();
    let [p0, p1] = site.both(
        &format!("{JOB} --output p0.csv --identity bank.id"),
        &format!("{JOB} --output p1.csv --identity telecom.id -v"),
    );
    let (p0, p1) = (p0.ok().stderr, p1.ok().stderr);
    let took = p0.lines().find(|line| line.starts_with("took ")).unwrap_or_else(|| panic!("{p0}"));
    assert!(took.contains("; P0 sent ") && !p0.contains("offline"), "{p0}");
    for wanted in ["set-up  ", "offline  ", "online  ", "\"sigmoid\" was computed by "] {
        assert!(p1.contains(wanted), "{wanted}: {p1}");
    }
    assert_eq!(site.run("info -q -v").code, 2, "both at once");
}

#[test]
fn results_are_json_everywhere() {
    let site = site();
    let [p0, _] = site.both(
        &format!("{JOB} --output p0.csv --identity bank.id --record job.json --sign --json"),
        &format!("{JOB} --output p1.csv --identity telecom.id --record other.json --sign"),
    );
    assert_eq!(json(p0)[0]["kind"], "apply");
    let record = &json(site.run("record verify --identity bank.id job.json --json"))[0];
    assert!(record["signed"].as_array().unwrap().len() > 5 && record["party"] == "P0", "{record}");
    let info = &json(site.run("info --json"))[0];
    assert!(info["wire_version"].is_u64() && info["settings"].as_array().unwrap().is_empty(), "{info}");
    let cards = json(site.run("functions --json"));
    assert!(cards.len() > 20 && cards.iter().all(|card| card["max_ulp"].is_f64()), "{cards:?}");
    assert_eq!(json(site.run("functions tanh --json"))[0]["function"], "tanh");
    let own = &json(site.run("--json identity show --identity bank.id"))[0];
    assert_eq!((&own["name"], own["fingerprint"].as_str().unwrap().len()), (&"bank".into(), 95));
    assert_eq!(json(site.run("identity list --identity bank.id --json"))[0]["name"], "telecom");
    assert_eq!(json(site.run("identity new --name x --out x.id --json"))[0]["certificate"], "x.id/cert.pem");
    let gone = site.run("doctor --identity bank.id --connect 127.0.0.1:9 --json");
    let steps: Vec<Value> = gone.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&steps[0]["ok"], &steps.last().unwrap()["ok"], gone.code), (&true.into(), &false.into(), 4));
    let plan = json(site.run("plan --json"));
    assert!(plan.iter().all(|line| line["protocol"].is_string()), "{plan:?}");
    let circuit = &json(site.run("compile lib:f32_add -o add.hut --json -q"))[0];
    assert!(circuit["forms"][0]["ands"].as_u64().unwrap() > 100 && circuit["proven"] == false, "{circuit}");
}

#[test]
fn settings_come_from_arguments_then_the_environment_then_a_file() {
    let site = site();
    let listed = |args: &str, variables: &[(&str, &str)]| {
        let mut command = site.command(&format!("identity show {args}"));
        command.envs(variables.iter().copied());
        let done = command.output().unwrap();
        String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned()
    };
    let is = |text: &str, name: &str| text.starts_with(&format!("name         {name}\n"));
    assert!(listed("", &[]).contains("--identity"), "nothing says who this is");
    assert!(is(&listed("", &[("HUSHTABLE_IDENTITY", "bank.id")]), "bank"));
    site.write("hushtable.toml", "peer = \"telecom\"\nidentity = \"telecom.id\"\n");
    assert!(is(&listed("", &[]), "telecom"));
    assert!(is(&listed("", &[("HUSHTABLE_IDENTITY", "bank.id")]), "bank"));
    assert!(is(&listed("--identity telecom.id", &[("HUSHTABLE_IDENTITY", "bank.id")]), "telecom"));
    fs::create_dir(site.path("else")).unwrap();
    site.write("else/own.toml", "identity = \"../bank.id\"\n");
    assert!(is(&listed("", &[("HUSHTABLE_CONFIG", "else/own.toml")]), "bank"), "relative to the file");
    let info = site.run("info").ok().stdout;
    assert!(info.contains("--identity telecom.id  (hushtable.toml, line 2)"), "{info}");

    // A job with everything that stays the same in files; what contradicts an argument is left out.
    let p0 = site.listen(&format!("{JOB} --output p0.csv --identity bank.id"));
    site.write("hushtable.toml", &format!("identity = \"telecom.id\"\nconnect = \"{}\"\n", p0.address));
    site.run(&format!("{JOB} --output p1.csv")).ok();
    p0.finish().ok();
    let plain =
        site.run(&format!("{JOB} --output p2.csv --insecure-plain-tcp --listen 127.0.0.1:0 --wait 1"));
    plain.fails_with(4, "no connection from the peer for 1 s");

    for (text, code, wanted) in [
        ("net = \"lan\"\npassword = \"x\"", 3, "hushtable.toml: line 2: \"password\" is not known here"),
        ("net = [", 3, "hushtable.toml: line 1: "),
        (
            "identity = \"bank.id\"\nconnect = \"h:1\"\nnet = \"x\"",
            2,
            "--net is set by hushtable.toml, line 3",
        ),
    ] {
        site.write("hushtable.toml", text);
        let done = site.run(&format!("{JOB} --output p3.csv"));
        assert!(done.code == code && done.stderr.contains(wanted), "{text}: {done:?}");
    }
    assert_eq!(site.run("demo --help").code, 0, "what has no settings reads none");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        site.write("hushtable.toml", "identity = \"bank.id\"");
        fs::set_permissions(site.path("hushtable.toml"), fs::Permissions::from_mode(0o666)).unwrap();
        site.run("identity show").fails_with(3, "somebody else can write this file");
    }
}

/// Longer than 5 s: the first line comes then.
#[test]
fn who_waits_says_for_whom_and_where() {
    let site = site();
    let mut p0 = site.listen(&format!("{JOB} --output p0.csv --identity bank.id"));
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut p1 = site.start(&format!("{JOB} --output p1.csv --identity telecom.id --connect {free}"));
    let mut quiet =
        site.start(&format!("{JOB} -q --output p2.csv --identity telecom.id --connect {free} --wait 7"));
    let address = p0.address.clone();
    assert_eq!(p0.says("waiting"), format!("waiting for telecom on {address}, 5 s\n"));
    assert_eq!(p1.says("waiting"), format!("waiting for bank at {free}, 5 s\n"));
    p0.kill();
    p1.child.kill().unwrap();
    let quiet = {
        let _ = quiet.child.try_wait();
        quiet.finish()
    };
    assert!(quiet.code == 4 && quiet.stderr.lines().count() == 1, "{quiet:?}");
}

#[test]
fn what_is_missing_is_named() {
    let site = site();
    let done = site.run(&format!("{JOB} --output x.csv --identity bank.id"));
    done.fails_with(2, "--listen");
    done.fails_with(2, "--connect");
    site.run(&format!("{JOB} --output x.csv --listen 127.0.0.1:0")).fails_with(2, "--identity");
    let doctor = |to: &str| site.run(&format!("doctor --identity bank.id --connect {to}"));
    doctor("127.0.0.1").fails_with(2, "the port is missing, as in 127.0.0.1:7000");
    doctor("[::1]").fails_with(2, "the port is missing");
    doctor("bank.example:port").fails_with(2, "a port is a number");
    site.run("lookup --describe --listen 127.0.0.1:0 --identity bank.id").fails_with(2, "--connect");
    site.run("calibrate --identity bank.id").fails_with(2, "--listen");
}

#[test]
fn help_is_one_screen_or_two_and_the_rest_is_behind_it() {
    let site = Site::without_identities();
    let all = commands(&site);
    assert!(
        all.len() > 40 && all.contains(&"explain join".into()) && all.contains(&"store ls".into()),
        "{all:?}"
    );
    for command in all.iter().map(String::as_str).chain([""]) {
        let [short, long] = ["-h", "--help"].map(|how| site.run(&format!("{command} {how}")).ok().stdout);
        let full = site.run(&format!("help {command}")).ok().stdout;
        for (text, most) in [(&short, 50), (&long, 100)] {
            assert!(text.lines().count() <= most, "{command}: {} lines\n{text}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{command}:\n{text}");
        }
        // Whatever the shorter ones show stands in the longest, and each option in all.
        let options = |text: &str| -> Vec<String> {
            let words = text.split([' ', '\n', ',']).filter(|word| word.starts_with("--") && word.len() > 3);
            let end = |word: &str| word.trim_end_matches(['.', ';', ':', ')', '`', '\'']).to_owned();
            words
                .map(end)
                .filter(|word| word[2..].chars().all(|c| c.is_ascii_lowercase() || c == '-'))
                .collect()
        };
        let listed = full.lines().filter_map(|line| {
            let line = line.strip_prefix("  ")?;
            let (_, long) = line
                .split_once("--")
                .filter(|(before, _)| before.len() <= 4 && before.trim_end_matches(", ").trim().len() <= 2)?;
            Some(format!("--{}", long.split([' ', '.', '\n']).next()?))
        });
        if !command.is_empty() {
            for option in listed.filter(|option| {
                !option.contains("help")
                    && option[2..].chars().all(|c| c.is_ascii_lowercase() || c == '-')
                    && full.contains(&format!("{option} "))
            }) {
                assert!(options(&long).contains(&option), "{command}: {option}\n{long}");
            }
        }
    }
    let text = site.run("help settings").ok().stdout;
    assert!(text.lines().count() <= 100 && text.lines().all(|line| line.chars().count() <= 100), "{text}");
    site.run("help nothing").fails_with(2, "\"nothing\" is neither a command nor a topic");
}

#[test]
fn shells_and_manuals_know_every_command() {
    let site = Site::without_identities();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = site.run(&format!("completions {shell}")).ok().stdout;
        for word in ["calibrate", "insecure-plain-tcp", "fraction-bits", "verbose"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        if shell == "bash" {
            site.write("completions.bash", &text);
            let mut bash = std::process::Command::new("bash");
            let done = bash.arg("-n").arg(site.path("completions.bash")).status();
            assert!(done.is_ok_and(|status| status.success()), "bash reads it");
        }
    }
    site.run("completions tcsh").fails_with(2, "tcsh");
    site.run("man --out pages").ok();
    for command in commands(&site) {
        let name = format!("hushtable-{}.1", command.replace(' ', "-"));
        let page = site.read(&format!("pages/{name}"));
        assert!(
            page.starts_with(".ie") && page.contains(".SH SYNOPSIS") && page.contains("quiet"),
            "{name}: {page}"
        );
    }
    assert!(site.read("pages/hushtable-apply.1").contains("How the numbers are read"));
    assert!(site.run("man").ok().stdout.contains(".SH SUBCOMMANDS"));
}

#[test]
fn what_the_peers_data_or_size_cause_is_5() {
    let site = site();
    let apply = |more: &str, party: &str| {
        format!("apply ge --reveal both {more} --output {party}.out.csv --identity {party}.id")
    };
    // Nobody has numbers for y.
    for done in site.both(
        &apply("--column score --input a.csv", "bank"),
        &apply("--column score --input a.csv", "telecom"),
    ) {
        done.fails_with(5, "neither party has numbers for y");
    }
    site.write_scores("b.csv", &[1.0, 2.0]);
    for done in site.both(
        &apply("--column score --input a.csv", "bank"),
        &apply("--against score --input b.csv", "telecom"),
    ) {
        done.fails_with(5, "the parties disagree on number of rows");
    }
    // A sum that leaves the domain.
    site.write("edge.csv", "id,score\nc0,1.9\nc1,0.5\n");
    let strict = |party: &str| {
        format!(
            "apply ln --strict --domain 0.5:3 --reveal both --column score --input edge.csv --output {party}.csv --identity {party}.id"
        )
    };
    for done in site.both(&strict("bank"), &strict("telecom")) {
        done.fails_with(5, "outside the domain");
    }
    let join = |party: &str, input: &str, more: &str| {
        format!("join --input {input} --id id --reveal count --identity {party}.id {more}")
    };
    let [p0, p1] = site.both(&join("bank", "b.csv", "--peer-at-most 3"), &join("telecom", "a.csv", ""));
    p0.fails_with(5, "--peer-at-most is 3");
    p1.fails_with(5, "the peer ended: it does not accept the size or the data of this job");
    let help = site.run("--help").ok().stdout;
    assert!(help.contains("5 the parties disagree, or the peer's data or size are refused"), "{help}");
}
