//! Result files: who may read them, and what they never replace.

use std::fs;

use crate::common::Site;

/// Nobody ever listens there: what is refused is refused before.
const REST: &str = "--identity bank.id --connect 127.0.0.1:9 --wait 1";

#[test]
fn results_are_for_their_owner_unless_asked() {
    let site = Site::new();
    site.write_scores("a.csv", &[0.5, 1.0]);
    let shown = "apply sigmoid --reveal both --input a.csv --column score";
    let done = site.both(
        &format!("{shown} --output p0.csv --identity bank.id"),
        &format!("{shown} --output p1.csv --output-mode 640 --identity telecom.id"),
    );
    done.into_iter().for_each(|done| drop(done.ok()));
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
    #[cfg(unix)]
    {
        assert_eq!(crate::common::mode(&site.path("p0.csv")), 0o600);
        assert_eq!(crate::common::mode(&site.path("p1.csv")) & !0o640, 0, "at most what was asked for");
    }
    let asked = format!("{shown} --output out.csv {REST}");
    for mode in ["9", "1777", "755", "400", "rw"] {
        site.run(&format!("{asked} --output-mode {mode}")).fails("such as 640");
    }
    site.run(&format!("{asked} --output-mode 640").replace("--reveal both", "--reveal none"))
        .fails("shares are for their owner only");
}

#[test]
fn no_input_is_replaced_by_force() {
    let site = Site::new();
    for name in ["a.csv", "other.csv"] {
        site.write_scores(name, &[0.5, 1.0]);
    }
    site.write("table.csv", &"1\n".repeat(16));
    site.write("weights.toml", "[weights]\nscore = 1.0\n");
    for (name, to) in [("other.csv", "link.csv"), ("bank.id/key.pem", "key.csv")] {
        fs::hard_link(site.path(name), site.path(to)).unwrap();
    }
    let compare = "apply ge --input a.csv --column score --other other.csv --against score";
    let look_up = "apply --table table.csv --reveal both --input a.csv --column score";
    let score = "score --features a.csv --weights weights.toml";
    for (asked, output) in [
        (compare, "a.csv"),
        (compare, "other.csv"),
        (compare, "./other.csv"),
        (compare, "link.csv"),
        (look_up, "table.csv"),
        (look_up, "bank.id/key.pem"),
        (look_up, "bank.id/trusted/../cert.pem"),
        (look_up, "key.csv"),
        (score, "weights.toml"),
        (score, "a.csv"),
    ] {
        let before = fs::read(site.path(output)).unwrap();
        let done = site.run(&format!("{asked} --output {output} --force {REST}"));
        assert!(done.code == 2 && done.stderr.contains(" input"), "{asked} to {output}: {done:?}");
        assert_eq!(fs::read(site.path(output)).unwrap(), before, "{asked} to {output}");
    }
}

/// CSV under the name of another format would surprise.
#[test]
fn results_are_not_written_under_the_names_of_other_formats() {
    let site = Site::new();
    site.write_scores("a.csv", &[0.5, 1.0]);
    site.write("weights.toml", "[weights]\nscore = 1.0\n");
    for asked in [
        "apply sigmoid --reveal both --input a.csv --column score",
        "score --features a.csv --weights weights.toml",
        "score --join id --features a.csv --weights weights.toml",
        "join --reveal ids --input a.csv --id id",
        "stats none.json --count",
        "lookup --keys a.csv --column id --reveal me --copy c",
    ] {
        for output in ["z.json", "z.csv.gz", "z.TSV"] {
            site.run(&format!("{asked} --output {output} {REST}"))
                .fails_with(2, "is not supported; accepted: .csv, .parquet, .arrow or .feather");
            assert!(!site.has(output), "{asked}");
        }
    }
}
