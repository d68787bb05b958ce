//! Lookups in private tables: every design of the product, and what the plan chooses.

use crate::site::Site;

#[test]
fn every_design_is_verified() {
    let site = Site::new();
    for (design, rounds) in [("a", 27), ("splut", 2)] {
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

#[test]
fn steps_are_those_of_fable() {
    let site = Site::new();
    site.run("confidential --design a --rows 16 --key-bits 4 --batch 3 --steps").fails("--design fable");
}
