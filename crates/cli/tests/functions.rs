//! Functions of numbers of any size between two processes, and their cards.

use crate::common::{Done, Site, results, rounded, sigmoid, spread, to_both};

const ROWS: usize = 50;
const P0: &str = "--identity bank.id";
const P1: &str = "--identity telecom.id";

/// Runs `apply` on both sides, to their success, with `a.csv` and `b.csv` to `p0.csv` and `p1.csv`.
#[track_caller]
fn both(site: &Site, asked: &str) -> [Done; 2] {
    let side = |input: &str, output: &str, identity: &str| {
        to_both(&format!("apply {asked} --force --column score --input {input} --output {output} {identity}"))
    };
    site.both(&side("a.csv", "p0.csv", P0), &side("b.csv", "p1.csv", P1)).map(Done::ok)
}

/// A site with numbers in `lo..hi` at both parties, and their sums.
fn site(lo: f64, hi: f64, fraction: i32) -> (Site, Vec<f64>) {
    let site = Site::new();
    let (a, b) = (spread(ROWS, lo, hi, 1), spread(ROWS, lo, hi, 2));
    site.write_scores("a.csv", &a);
    site.write_scores("b.csv", &b);
    let sums = a.iter().zip(&b).map(|(a, b)| rounded(*a, fraction) + rounded(*b, fraction));
    (site, sums.collect())
}

/// Asserts results within `ulp` units of 2^-output, the same at both parties.
#[track_caller]
fn near(site: &Site, sums: &[f64], f: impl Fn(f64) -> f64, output: i32, ulp: f64) {
    let (_, rows) = results(&site.read("p0.csv"));
    assert_eq!(rows.len(), sums.len());
    for (x, (id, got)) in sums.iter().zip(rows) {
        // What is written is the shortest decimal that is read as the number.
        let number = (got * 2f64.powi(output)).round();
        let off = (number - f(*x) * 2f64.powi(output)).abs();
        assert!(off <= ulp, "{id}: {got} for {x}, not {}: {off} ulp", f(*x));
    }
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
}

type Plain = fn(f64) -> f64;

#[test]
fn every_function_within_its_domain_and_beyond() {
    let (site, sums) = site(0.125, 8.0, 8);
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let silu = |x: f64| x * sigmoid(x);
    let functions: [(&str, Plain); 9] = [
        ("ln", f64::ln),
        ("log10", f64::log10),
        ("sqrt", f64::sqrt),
        ("rsqrt", |x| 1.0 / x.sqrt()),
        ("reciprocal", f64::recip),
        ("identity", |x| x),
        ("softplus", softplus),
        ("silu", silu),
        ("sigmoid", sigmoid),
    ];
    for (name, f) in functions {
        both(&site, name);
        near(&site, &sums, f, 16, 1.01);
    }
}

#[test]
fn what_is_beyond_the_domain() {
    let (site, sums) = site(-30.0, 30.0, 8);
    assert!(sums.iter().any(|x| *x > 20.0) && sums.iter().any(|x| *x < -20.0));
    both(&site, "tanh");
    near(&site, &sums, f64::tanh, 16, 1.01);
    both(&site, "exp --outside clamp --domain -4:2 --threads 2");
    near(&site, &sums, |x| x.clamp(-4.0, 2.0 - 1.0 / 256.0).exp(), 16, 1.01);
    both(&site, "identity --domain -4:4");
    near(&site, &sums, |x| x, 16, 0.0);
    // Both parties end with the same error, and without results.
    for asked in ["tanh --strict", "sqrt", "ln", "exp"] {
        let strict = |input: &str, output: &str, identity: &str| {
            to_both(&format!("apply {asked} --column score --input {input} --output {output} {identity}"))
        };
        let done = site.both(&strict("a.csv", "s0.csv", P0), &strict("b.csv", "s1.csv", P1));
        done.iter()
            .for_each(|done| done.fails("at least one number, known only as shares, is outside the domain"));
        assert!(!site.has("s0.csv") && !site.has("s1.csv"));
    }
}

#[test]
fn methods_and_rings() {
    let (site, sums) = site(-6.0, 6.0, 16);
    both(&site, "sigmoid --fraction-bits 16 --bits 64 --method spline:2:256 --strict --domain -16:16");
    near(&site, &sums, sigmoid, 16, 4.0);
    let (site, sums) = self::site(-6.0, 6.0, 8);
    both(&site, "sigmoid --method table --bits 24 --domain -16:16");
    near(&site, &sums, sigmoid, 16, 0.51);
    both(&site, "sigmoid --optimise bytes --output-fraction-bits 12");
    near(&site, &sums, sigmoid, 12, 2.5);
}

/// tanh whose results stay shared, then exp of them, by splines and tables as they come.
#[test]
fn shares_go_on() {
    let (site, sums) = site(-3.0, 3.0, 12);
    let step = |what: &str, input: &str, output: &str, identity: &str| {
        to_both(&format!("apply {what} --input {input} --output {output} {identity}"))
    };
    let keep = "tanh --fraction-bits 12 --reveal none --column score";
    let _ = site.both(&step(keep, "a.csv", "a.json", P0), &step(keep, "b.csv", "b.json", P1)).map(Done::ok);
    let show = "exp --output-fraction-bits 12";
    let _ = site.both(&step(show, "a.json", "p0.csv", P0), &step(show, "b.json", "p1.csv", P1)).map(Done::ok);
    // An error of 1 unit of tanh grows by at most e, and exp adds its own.
    near(&site, &sums, |x| x.tanh().exp(), 12, 2.8 + 1.01);
}

#[test]
fn parties_that_ask_for_different_things() {
    let (site, _) = site(-1.0, 1.0, 8);
    for (p0, p1, fragment) in [
        ("sigmoid", "tanh", "function"),
        ("sigmoid", "sigmoid --bits 40", "bits"),
        ("sigmoid", "sigmoid --outside clamp", "outside the domain"),
        ("sigmoid", "sigmoid --method table", "method"),
        ("sigmoid", "sigmoid --domain -4:4", "domain"),
        ("sigmoid", "sigmoid --fraction-bits 10", "fraction bits"),
        ("sigmoid", "sigmoid --output-fraction-bits 12", "output fraction bits"),
    ] {
        let side = |asked: &str, input: &str, output: &str, identity: &str| {
            to_both(&format!("apply {asked} --column score --input {input} --output {output} {identity}"))
        };
        let done = site.both(&side(p0, "a.csv", "p0.csv", P0), &side(p1, "b.csv", "p1.csv", P1));
        done.iter().for_each(|done| done.fails(&format!("disagree on {fragment}")));
    }
}

#[test]
fn cards() {
    let site = Site::without_identities();
    let all = site.run("functions").ok().stdout;
    let outside = |name: &str| match name {
        "ln" | "log10" | "sqrt" | "rsqrt" | "reciprocal" => "  strict",
        "exp" => "  saturate/strict",
        _ => "  saturate",
    };
    let names =
        ["sigmoid", "tanh", "exp", "ln", "log10", "sqrt", "rsqrt", "reciprocal", "gelu", "silu", "softplus"];
    for name in names {
        let line = all.lines().find(|line| line.starts_with(&format!("{name} "))).expect(name);
        assert!(line.contains("32 bits") && line.ends_with(outside(name)), "{line}");
    }
    let help = site.run("help apply").ok().stdout;
    // Help wraps long lines.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("How the numbers are read") && help.contains("hushtable functions NAME"));
    let card = site
        .run("functions exp --domain -4:4 --method table --strict --bits 16 --output-fraction-bits 8")
        .ok()
        .stdout;
    for fragment in ["exp", "-4:4", "16 bits", "table, 2048 entries", "0.50 ulp", "bytes a number", "refused"]
    {
        assert!(card.contains(fragment), "{fragment}: {card}");
    }
    site.run("functions ln --domain 0:8").fails("which has no value at 0 and below");
    site.run("functions asin --domain -2:2").fails("accepted: numbers from -1 to 1");
    for (name, what) in [
        ("ln", "no value  at 0 and below: refused"),
        ("ln --outside clamp", "no value  at 0 and below: the value at the nearer end of the domain"),
        ("acos", "no value  below -1 and above 1: refused"),
        ("acos --outside saturate", "no value  below -1 and above 1: the value at the nearer of both"),
        ("tanpi", "no value  at its poles: the greatest or the least number of the ring"),
    ] {
        let card = site.run(&format!("functions {name}")).ok().stdout;
        assert!(card.contains(what), "{card}");
    }
    let help = site.run("help functions").ok().stdout;
    for what in ["of numbers above 0", "in radians, of numbers from -1 to 1", "at a pole what the ring holds"]
    {
        assert!(words(&help).contains(what), "{help}");
    }
}
