//! What parties compare of a function: the same for equal ones, another for any that differ in what they compute or
//! send.

use std::collections::HashMap;

use hushtable::{
    arith::Objective,
    math::{Bounds, Evaluation, Function, Method, Options, Outside},
};

fn over(lo: f64, hi: f64) -> Options {
    Options::default().domain(Bounds { lo, hi })
}

fn spline(degree: u32, pieces: u32, outside: Outside) -> Options {
    over(-8.0, 8.0).method(Method::Spline { degree, pieces }).outside(outside)
}

fn table(outside: Outside) -> Options {
    over(-8.0, 8.0).method(Method::Direct).outside(outside)
}

/// Formats and options that differ in one thing or few.
fn all() -> Vec<(Function, [u32; 2], Options)> {
    let sigmoid = |options| (Function::Sigmoid, [37, 8], options);
    let base = spline(2, 64, Outside::Wrap);
    let ways = [Outside::Wrap, Outside::Clamp, Outside::Saturate, Outside::Strict];
    let mut all = vec![
        sigmoid(base),
        (Function::Tanh, [37, 8], base),
        (Function::Sigmoid, [36, 8], base),
        (Function::Sigmoid, [37, 9], base),
        sigmoid(base.fraction_out(9)),
        sigmoid(base.max_ulp(1.0)),
        sigmoid(spline(1, 64, Outside::Wrap)),
        sigmoid(spline(3, 64, Outside::Wrap)),
        sigmoid(spline(2, 128, Outside::Wrap)),
        sigmoid(base.domain(over(-8.0, 7.0).domain)),
        sigmoid(base.domain(over(-7.0, 8.0).domain)),
        sigmoid(table(Outside::Wrap).domain(over(-4.0, 4.0).domain)),
        // The same entries, but an end of the domain by which numbers are refused or replaced.
        sigmoid(table(Outside::Strict).domain(over(-8.0, 7.5).domain)),
        sigmoid(table(Outside::Strict).objective(Objective::Rounds)),
        sigmoid(table(Outside::Saturate).objective(Objective::Rounds)),
    ];
    all.extend(ways.map(|outside| sigmoid(table(outside))));
    all.extend(ways.into_iter().skip(1).map(|outside| sigmoid(spline(2, 64, outside))));
    all
}

fn digest((function, [bits, fraction], options): &(Function, [u32; 2], Options)) -> String {
    let made = Evaluation::new(*function, *bits, *fraction, options).expect("a function");
    made.digest().to_hex().to_string()
}

#[test]
fn functions_have_one_digest_each() {
    let mut seen = HashMap::new();
    for asked in all() {
        let (found, text) = (digest(&asked), format!("{asked:?}"));
        assert_eq!(found, digest(&asked), "{text}, made again");
        if let Some(other) = seen.insert(found, text.clone()) {
            panic!("one digest of {text} and of {other}");
        }
    }
}

/// A function of the caller's has no name that counts: the digest is that of its values.
#[test]
fn a_digest_is_of_values() {
    let of = |name, f: fn(f64) -> f64| {
        let options = over(-4.0, 4.0).method(Method::Direct);
        let made = Evaluation::of(name, f, 16, 4, &options).expect("a function");
        made.digest()
    };
    assert_eq!(of("one", |x| x / 2.0), of("other", |x| 0.5 * x));
    assert_ne!(of("one", |x| x / 2.0), of("one", |x| if x == 3.0 { 1.4375 } else { x / 2.0 }));
}
