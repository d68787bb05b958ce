//! Lookups in private tables: every design, what the plan chooses, and the steps of FABLE.

use serde_json::Value;

use crate::site::Site;

#[test]
fn every_design_is_verified() {
    let site = Site::new();
    for (design, rounds) in [("a", 27), ("splut", 2), ("scan", 53)] {
        let report = site.report(&format!(
            "confidential --design {design} --rows 40 --key-bits 6 --value-bits 9 --batch 5 --prf lowmc --net 1000:1ms"
        ));
        assert_eq!([&report["kind"], &report["design"]], ["confidential", design]);
        let most = report["online"]["rounds"].as_u64().unwrap();
        assert!((1..=5 * rounds).contains(&most) && (design != "splut" || most == 2), "{design}: {most}");
        assert!(report.get("processors").is_none(), "a thread each");
    }
}

/// What `hushtable plan --table private` puts first is what `--design auto` runs.
#[test]
fn auto_runs_what_the_plan_chooses() {
    let site = Site::new();
    for (asked, design) in [
        ("--rows 64 --key-bits 6 --value-bits 64 --batch 10", "splut"),
        ("--rows 50 --key-bits 6 --value-bits 8 --batch 10", "splut"),
        ("--rows 4096 --key-bits 12 --value-bits 64 --batch 600 --net 50:1ms", "a"),
    ] {
        let report = site.report(&format!("confidential --design auto {asked}"));
        assert_eq!(report["design"], design, "{asked}");
    }
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
    site.run("confidential --design a --rows 16 --key-bits 4 --batch 3 --steps").fails("--design fable");
}
