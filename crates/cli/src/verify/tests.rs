use super::*;

#[test]
fn to_whom_by_what_both_signed() {
    let of = |command: &str, all: &[(&str, &str)]| {
        let all: Vec<_> = all.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        revealed(command, &all)
    };
    assert_eq!(of("apply", &[("function", "ge"), ("reveal", "both")]), Some("both".into()));
    let steps =
        [("step 1, a: b: reveal", "none"), ("step 2, reveal: function", "ge"), ("step 2, c: reveal", "both")];
    assert_eq!(of("run", &steps), Some("none, both".into()));
    assert_eq!(of("join", &[("what is revealed", "none"), ("reveal", "both")]), Some("none".into()));
    assert_eq!(of("score", &[("reveal", "P0 and P1")]), None);
    assert_eq!(of("lookup", &[("table", "t")]), None);
}

#[test]
fn dates_that_can_be_compared() {
    assert!(is_date(&date(0)) && is_date(&date(1 << 32)));
    for text in ["", "2026", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00Z ", "x026-01-01T00:00:00Z"] {
        assert!(!is_date(text), "{text}");
    }
    for text in
        ["2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z"]
    {
        assert!(!is_date(text), "{text}");
    }
}

#[test]
fn a_phase_that_is_there_has_figures() {
    assert_eq!(only_known(b"{\"rows\": 3}"), Ok(()));
    for text in ["{\"setup\": null}", "{\"setup\": null, \"offline\": null, \"online\": null}"] {
        let refused = only_known(text.as_bytes()).unwrap_err();
        assert!(refused.starts_with("some of the phases"), "{refused}");
    }
}
