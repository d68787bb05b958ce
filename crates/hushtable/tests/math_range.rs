//! What is known of the numbers of a function: domains, checks and refusals follow.

use hushtable::math::{Bounds, Evaluation, Function, Options, Outside};

/// What numbers of a known range cannot be is not looked for; if they can be nothing else, they are refused at once.
#[test]
fn a_known_range_is_used() {
    let of = |function, lo, hi| {
        let options = Options { range: Some(Bounds { lo, hi }), ..Options::default() };
        Evaluation::new(function, 32, 12, &options)
    };
    let usual = |function| Evaluation::new(function, 32, 12, &Options::default()).unwrap().card();
    for (function, lo, hi) in
        [(Function::Sqrt, 1.0, 9.0), (Function::Ln, 1.0, 151.0), (Function::Sigmoid, -2.0, 3.0)]
    {
        let card = of(function, lo, hi).unwrap().card();
        assert_eq!((card.outside, card.gathered, card.domain), (Outside::Wrap, false, Bounds { lo, hi }));
        assert!(
            usual(function).outside != Outside::Wrap
                && card.bill.online.rounds < usual(function).bill.online.rounds
        );
    }
    // Beyond the end that has a limit only: nothing is refused.
    let exp = of(Function::Exp, -100.0, 2.0).unwrap().card();
    assert_eq!((exp.outside, exp.gathered, exp.domain.hi), (Outside::Saturate, false, 2.0));
    // Not finite over the range: the usual domain, and the rest is refused.
    let ln = of(Function::Ln, -3.0, 9.0).unwrap().card();
    assert_eq!(
        (ln.outside, ln.refused, ln.domain),
        (Outside::Strict, [true, false], usual(Function::Ln).domain)
    );
    let error = of(Function::Ln, -9.0, -1.0).err().expect("refused").to_string();
    assert!(error.contains("-9:-1") && error.contains("0.25:16.25"), "{error}");
    let asked = Options { domain: Some(Bounds { lo: 0.0, hi: 4.0 }), ..Options::default() };
    let asked = Options { range: Some(Bounds { lo: 4.0, hi: 9.0 }), ..asked };
    assert!(Evaluation::new(Function::Sqrt, 32, 12, &asked).is_err(), "there is no number inside");
    assert!(of(Function::Tanh, 20.0, 30.0).is_ok(), "it has a limit");
    // All of a narrow ring, which saturation does not reach.
    let options = Options { range: Some(Bounds { lo: -128.0, hi: 128.0 }), ..Options::default() };
    let all = Evaluation::new(Function::Sigmoid, 16, 8, &options).unwrap().card();
    assert_eq!((all.outside, all.reach), (Outside::Wrap, Bounds { lo: -128.0, hi: 128.0 }));
    // What is refused is said by the side.
    assert_eq!(usual(Function::Exp).treatment(), "saturate below, strict above");
    assert_eq!(usual(Function::Sqrt).treatment(), "strict");
}
