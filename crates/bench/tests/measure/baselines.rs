//! Baselines: measured if they were built, else refused before any work.

use crate::site::Site;

#[cfg(not(feature = "baselines"))]
#[test]
fn baselines_that_were_not_built_are_refused() {
    let site = Site::new();
    for asked in [
        "confidential --design fable --rows 16 --key-bits 4",
        "confidential --design scan --rows 16 --key-bits 4",
        "cmp --method rotl --digit 4",
        "triples --source nmt",
        "circuit --file lib:equal32 --engine nmt",
        "fss --object ggm-dpf",
        "fss --object cmp-payload --bits 8",
        "fss --object trunc",
        "fss --object digits",
        "fss --object spline",
        "fss --object cmp --additive",
        "paper fable-table4 --table-rows 16 --batch 1",
        "paper ndss-table3",
        "paper ndss-figure3 --rows s-box",
    ] {
        let done = site.run(asked);
        done.fails("built without baselines; build with --features baselines");
        assert_eq!(done.stdout, "", "{asked}");
    }
}

#[cfg(feature = "baselines")]
mod built {
    use serde_json::Value;

    use super::Site;

    #[test]
    fn scans_are_verified() {
        let report = Site::new().report(
            "confidential --design scan --rows 40 --key-bits 6 --value-bits 9 --batch 5 --prf lowmc --net 1000:1ms",
        );
        assert_eq!([&report["kind"], &report["design"]], ["confidential", "scan"]);
        assert!((1..=5 * 53).contains(&report["online"]["rounds"].as_u64().unwrap()), "{report}");
        assert!(report.get("processors").is_none(), "a thread each");
    }

    #[test]
    fn triples_from_codes() {
        let report = Site::new().report("triples --source nmt --count 3000 --threads 2");
        assert_eq!([&report["source"], &report["count"]], [&Value::from("nmt"), &Value::from(3000)]);
        let bits = report["bits_per_item"]["online"].as_f64().unwrap();
        assert!((4.0..4.5).contains(&bits), "2 bits each way, and a frame a lane: {bits}");
    }

    /// 133 bits an AND, and in each direction the choices of a code's OTs.
    #[test]
    fn circuits_with_triples_from_codes() {
        let site = Site::new();
        let report = site.report("circuit --file lib:equal32 --engine nmt --batch 4096");
        assert_eq!([&report["engine"], &report["ands"]], [&Value::from("nmt"), &Value::from(31)]);
        assert_eq!(report["cots"], serde_json::json!([240, 240]));
        let [offline, online] =
            ["offline", "online"].map(|phase| report["bits_per_item"][phase].as_f64().unwrap());
        assert!((133.0 * 31.0..134.0 * 31.0).contains(&offline), "{offline}");
        assert!((4.0 * 31.0..4.1 * 31.0).contains(&online), "{online}");
    }

    /// Of one S-box by each protocol of the paper: rounds, and bits where they do not depend on how triples are made.
    #[test]
    fn circuits_stand_beside_the_papers() {
        let done = Site::new().run("paper ndss-figure3 --rows s-box --batch 256 --format json").ok();
        let table: Value = serde_json::from_str(&done.stdout).unwrap();
        let cells = table["cells"].as_array().unwrap();
        let of = |column: &str, name: &str| {
            let cell = cells.iter().find(|cell| cell["column"] == column).unwrap();
            cell[name].as_f64().unwrap_or_else(|| panic!("{cell}"))
        };
        let rounds = ["MT rounds", "OP-LUT rounds", "SP-LUT rounds"];
        assert_eq!(rounds.map(|column| of(column, "paper")), [4.0, 3.0, 1.0]);
        assert_eq!([of("MT rounds", "ours"), of("SP-LUT rounds", "ours")], [4.0, 2.0]);
        assert!(of("OP-LUT rounds", "ours") <= 3.0);
        assert!((0.55..0.6).contains(&of("N-MT data", "ours")), "{table}");
        assert!((0.25..0.3).contains(&of("SP-LUT data", "ours")), "{table}");
        assert!((1.0..1.2).contains(&of("Yao data", "ours")), "{table}");
        assert_eq!(of("N-MT data", "corrected"), 0.58225);
    }

    /// A job of the paper's own size has a ratio, of the corrected figure where there is one.
    #[test]
    fn whole_jobs_have_ratios() {
        let site = Site::new();
        let done = site.run("paper ndss-table3 --out tables --format json").ok();
        let table: Value = serde_json::from_str(&done.stdout).unwrap();
        let mut compared = 0;
        for cell in table["cells"].as_array().unwrap() {
            let [paper, right, ours] = ["paper", "corrected", "ours"].map(|name| cell[name].as_f64());
            let (Some(paper), Some(ours)) = (right.or(paper), ours) else { continue };
            let want = paper / ours;
            compared += 1;
            // Decimals on the way lose the last bit.
            assert!(
                (cell["ratio"].as_f64().unwrap() / want - 1.0).abs() < 1e-9 && cell["cut"].is_null(),
                "{cell}"
            );
        }
        assert!(compared > 3, "{table}");
        assert!(table["cpu"].is_string() && table["version"].is_string());
        let text = site.read("tables/ndss-table3.txt");
        assert!(text.contains("ours of N-MT: triples from codes as the paper's"), "{text}");
        assert!(!text.contains("the paper's protocol here") && !text.contains("cut: "), "{text}");
    }

    /// At the secure ring: all seven steps, which send what the online phase sends.
    #[test]
    fn fable_shows_its_steps() {
        let site = Site::new();
        let asked =
            "confidential --design fable --rows 16 --key-bits 4 --value-bits 8 --batch 3 --prf lowmc --steps";
        let report = site.report(asked);
        let steps = report["steps"].as_array().unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["deduplication", "oprf", "query", "answer", "extract", "decode", "expansion"]);
        let bytes = |of: &Value| [0, 1].map(|party| of["bytes"][party].as_u64().unwrap());
        let sum = steps.iter().map(bytes).fold([0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        assert_eq!(sum, bytes(&report["online"]));
        assert!(bytes(&steps[2])[1] > 1 << 20 && bytes(&steps[4]) == [0, 0], "{report}");
        // It computes on all processors, whatever --threads says.
        assert!(report["processors"].as_u64().unwrap() >= 1);
    }

    /// The same rounds whatever the batch; over a wide network each part as it suits.
    #[test]
    fn fable_in_few_rounds() {
        let site = Site::new();
        let asked = "confidential --design fable --rows 16 --key-bits 4 --value-bits 8 --prf lowmc --batch";
        let report = site.report(&format!("{asked} 5 --rounds few"));
        assert_eq!(report["rounds"], "few");
        let parts = serde_json::json!(["deduplication", "decoding", "expansion", "ids"]);
        assert_eq!(report["garbled"], parts);
        assert_eq!(report["online"]["rounds"], 10, "{report}");
        let report = site.report(&format!("{asked} 3 --rounds auto --net 1000:40ms"));
        assert_eq!(report["garbled"], parts, "{report}");
        site.run("confidential --design a --rows 16 --key-bits 4 --rounds few")
            .fails("--rounds: accepted with");
    }

    /// The paper's digits send online what its formula, corrected, says.
    #[test]
    fn comparison_by_rotated_tables() {
        let site = Site::new();
        for (bits, formula) in [(32, 124.0), (64, 264.0), (4, 10.0)] {
            let report =
                site.report(&format!("cmp --method rotl --digit 4 --bits {bits} --batch 4096 --threads 2"));
            let online = report["bits_per_item"]["online"].as_f64().unwrap();
            assert!((formula..formula + 1.0).contains(&online), "{bits} bits: {online}");
        }
        for options in ["--domain signed", "--bits 1"] {
            site.run(&format!("cmp --method rotl --digit 4 {options} --batch 10"))
                .fails("takes --domain near");
        }
    }

    /// Each object of function secret sharing that is a baseline, in the rounds online that its page says.
    #[test]
    fn fss_verifies_every_object() {
        let site = Site::new();
        for (object, options, rounds) in [
            ("ggm-dpf", "--bits 8 --payload-bits 16", 0),
            ("ggm-dcf", "--bits 7", 0),
            ("ggm-eq", "--bits 9", 1),
            ("eq-payload", "--bits 16 --payload-bits 20", 1),
            ("cmp-payload", "--bits 8", 2),
            ("trunc", "--bits 16 --fraction-bits 9", 1),
            ("digits", "--bits 18", 1),
            ("digits", "--bits 16 --digit-bits 4", 1),
            ("digits", "--bits 24 --digit-bits 4", 5),
            ("spline", "--bits 12 --intervals 16", 1),
            ("spline", "--bits 9 --intervals 5 --payload-bits 34", 1),
            ("eq", "--bits 9 --additive", 1),
            ("cmp", "--bits 8 --additive", 1),
            ("interval", "--bits 10 --intervals 5 --additive", 1),
        ] {
            let report = site.report(&format!("fss --object {object} {options} --batch 60 --net 1000:1ms"));
            assert_eq!([&report["kind"], &report["object"]], ["fss", object]);
            assert_eq!(report["batch"], 60);
            let online = report["online"]["rounds"].as_u64().unwrap();
            assert_eq!(online, rounds, "{object} {options}");
        }
        for (options, says) in [
            ("--object digits --bits 16 --digit-bits 5", "--digit-bits 5 do not divide --bits 16"),
            ("--object cmp-payload --bits 16", "bits of numbers to compare"),
            ("--object trunc --bits 20 --fraction-bits 16", "bits to cut off in one round"),
        ] {
            let done = site.run(&format!("fss {options} --batch 10"));
            assert!((2..=6).contains(&done.code) && done.stderr.contains(says), "{options}: {done:?}");
        }
    }
}
