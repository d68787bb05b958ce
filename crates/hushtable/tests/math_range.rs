//! What is known of the numbers of a function: domains, checks and refusals follow.

use hushtable::math::{Bounds, Evaluation, Function, Options, Outside, Suggestion};

/// What numbers of a known range cannot be is not looked for; if they can be nothing else, they are refused at once.
#[test]
fn a_known_range_is_used() {
    let of = |function, lo, hi| {
        let options = Options::default().range(Bounds { lo, hi });
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
    // Not finite over the range: the usual domain, and the rest is refused, as was said.
    let range = Some(Bounds { lo: -3.0, hi: 9.0 });
    let said = Options::default().range(range).outside(Outside::Strict);
    let ln = Evaluation::new(Function::Ln, 32, 12, &said).unwrap().card();
    assert_eq!(
        (ln.outside, ln.refused, ln.domain),
        (Outside::Strict, [true, false], usual(Function::Ln).domain)
    );
    let asked = Options::default().domain(Bounds { lo: 0.0, hi: 4.0 });
    let asked = asked.range(Bounds { lo: 4.0, hi: 9.0 });
    assert!(Evaluation::new(Function::Sqrt, 32, 12, &asked).is_err(), "there is no number inside");
    assert!(of(Function::Tanh, 20.0, 30.0).is_ok(), "it has a limit");
    // All of a narrow ring, which saturation does not reach.
    let options = Options::default().range(Bounds { lo: -128.0, hi: 128.0 });
    let all = Evaluation::new(Function::Sigmoid, 16, 8, &options).unwrap().card();
    assert_eq!((all.outside, all.reach), (Outside::Wrap, Bounds { lo: -128.0, hi: 128.0 }));
    // What is refused is said by the side.
    assert_eq!(usual(Function::Exp).treatment(), "saturate below, strict above");
    assert_eq!(usual(Function::Sqrt).treatment(), "strict");
}

/// Where a function has no value none is given in silence: a range that says that numbers may lie there is refused before
/// any work, with one that would do, unless it is said what becomes of them.
#[test]
fn a_range_without_values_is_refused() {
    let of = |function, (lo, hi): (f64, f64), outside| {
        let options = Options::default().range(Bounds { lo, hi }).outside(outside);
        Evaluation::new(function, 32, 12, &options)
    };
    let unit = 2f64.powi(-12);
    for (function, range, without, would_do, said) in [
        (Function::Ln, (-3.0, 9.0), "at 0 and below", "0.25 <= x < 4", "strict"),
        (Function::Log10, (0.0, 100.0), "at 0 and below", "0.25 <= x < 64", "strict"),
        (Function::Rsqrt, (-1.0, 100.0), "at 0 and below", "0.25 <= x < 64", "strict"),
        (Function::Sqrt, (-1.0, 100.0), "below 0", "0.25 <= x < 64", "strict"),
        (Function::Reciprocal, (-5.0, 5.0), "at 0", "0.25 <= x < 4", "strict"),
        (Function::Asin, (-2.0, 2.0), "below -1 and above 1", "-1 <= x < 1", "saturate"),
        (Function::Acos, (0.0, 2.0), "below -1 and above 1", "", "saturate"),
    ] {
        let text = of(function, range, Outside::Usual).err().expect("refused").to_string();
        assert!(text.contains(&format!("which has no value {without}")), "{text}");
        assert!(text.contains(would_do) && text.contains(&format!("{said}, said for numbers")), "{text}");
        for outside in [Outside::Strict, Outside::Clamp, Outside::Saturate] {
            assert!(of(function, range, outside).is_ok(), "{function}, {outside}");
        }
        // Nothing is known of numbers anywhere, and a domain is refused whatever is said.
        assert!(of(function, (-524_288.0, 524_288.0), Outside::Usual).is_ok(), "{function}");
        let domain = Some(Bounds { lo: range.0, hi: range.1 });
        let options = Options::default().domain(domain).outside(Outside::Clamp);
        let text = Evaluation::new(function, 32, 12, &options).err().expect("refused").to_string();
        assert!(text.contains(&format!("domain: {}:{} of {function}", range.0, range.1)), "{text}");
    }
    // What only roundings put there.
    for (function, lo, hi) in [
        (Function::Asin, -1.0 - unit, 1.0 + 3.0 * unit),
        (Function::Sqrt, -2.0 * unit, 9.0),
        (Function::Reciprocal, -9.0, -1.0),
    ] {
        assert!(of(function, (lo, hi), Outside::Usual).is_ok(), "{function}");
    }
    let error = of(Function::Ln, (-9.0, -1.0), Outside::Usual).err().expect("refused").to_string();
    assert!(error.contains("-9:-1") && error.contains("accepted: numbers above 0"), "{error}");
    let error = of(Function::Ln, (-9.0, -1.0), Outside::Strict).err().expect("refused").to_string();
    assert!(error.contains("-9:-1") && error.contains("0.25:16.25"), "{error}");
}

/// Cards say what comes out where there is no value, and it does.
#[test]
fn what_comes_out_without_a_value() {
    let whole = Some(Bounds { lo: -2048.0, hi: 2048.0 });
    let options = |outside| Options::default().outside(outside);
    let over = |lo, hi| Options::default().range(Bounds { lo, hi });
    let (held, refused) = ("at its poles: the greatest or the least number of the ring", "refused");
    let nearer = "below -1 and above 1: the value at the nearer of both";
    let (turn, most) = (std::f64::consts::FRAC_PI_2, 2048.0 - 2f64.powi(-8));
    let at_end = Function::Ln.eval(0.25);
    for (function, options, text, x, y) in [
        (Function::Asin, Options::default(), refused, 2.0, None),
        (Function::Asin, Options::default().range(whole), refused, -900.0, None),
        (Function::Acos, Options::default().range(whole), refused, 1.0, Some(0.0)),
        (Function::Asin, options(Outside::Saturate), nearer, 2.0, Some(turn)),
        (Function::Acos, options(Outside::Saturate), nearer, -2.0, Some(2.0 * turn)),
        (Function::Acos, options(Outside::Strict), refused, -2.0, None),
        (Function::Acos, options(Outside::Strict), refused, -1.0, Some(2.0 * turn)),
        (Function::Ln, Options::default(), "at 0 and below: refused", -2.0, None),
        (
            Function::Ln,
            options(Outside::Clamp),
            "at 0 and below: the value at the nearer end",
            -2.0,
            Some(at_end),
        ),
        (Function::Sqrt, over(1.0, 9.0), "below 0: not allowed, not checked", 4.0, Some(2.0)),
        (Function::Rsqrt, Options::default().range(whole), refused, 0.0, None),
        (
            Function::Reciprocal,
            options(Outside::Saturate),
            "at 0: the value at the nearer end",
            0.0,
            Some(4.0),
        ),
        (Function::TanPi, Options::default(), held, 0.5, Some(most)),
        (Function::Tan2Pi, Options::default(), held, -0.25, Some(most)),
        (Function::Tan, Options::default(), "at its poles: refused", 1.5, None),
    ] {
        let evaluation = Evaluation::new(function, 20, 8, &options).unwrap();
        let card = evaluation.card();
        let line = card.to_string().lines().last().unwrap_or_default().to_string();
        assert!(line.starts_with("no value  at ") || line.starts_with("no value  below "), "{card}");
        assert!(line.contains(text) && line.ends_with(&card.undefined().unwrap()), "{card}");
        let found = evaluation.outcomes((x * 256.0) as i64);
        assert_eq!(found.is_some(), y.is_some(), "{function}({x})\n{card}");
        for (found, y) in found.into_iter().flatten().zip(y) {
            let size = if y == most { (found as f64 / 256.0).abs() } else { found as f64 / 256.0 };
            assert!((size - y).abs() <= 3.1 / 256.0, "{function}({x}): {size}, not {y}\n{card}");
        }
    }
    // What only roundings put beyond 1 has the value there.
    for outside in [Outside::Usual, Outside::Strict] {
        for (fraction, most) in [(0, 1), (2, 4), (4, 17), (6, 68), (8, 260), (12, 4100)] {
            let made = Evaluation::new(Function::Asin, 20, fraction, &options(outside)).unwrap();
            for x in (most - 5..most + 5).flat_map(|x| [x, -x]) {
                assert_eq!(made.outcomes(x).is_some(), x.abs() <= most, "{x} of 2^-{fraction}");
            }
        }
    }
    let usual = Evaluation::new(Function::Sigmoid, 20, 8, &Options::default()).unwrap();
    assert!(!usual.card().to_string().contains("no value"));
}

/// Functions that are nearly the number itself above are refused where results do not fit, of all numbers that there may
/// be, with a format in which they do.
/// Longer than 10 s: a format in which they fit is one of many plans that are tried.
#[test]
fn results_that_do_not_fit_are_refused_before_any_work() {
    let whole = |bits: u32, fraction: u32| {
        let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
        Bounds { lo: -half, hi: half }
    };
    for [bits, fraction] in [[9, 8], [10, 8], [14, 11], [16, 12]] {
        let options = Options::default().range(whole(bits, fraction));
        let make = |bits, options| Evaluation::new(Function::Softplus, bits, fraction, &options);
        let text = make(bits, options).err().expect("refused").to_string();
        let found = Suggestion::find(Function::Softplus, [bits, fraction], &options);
        let more = found.bits.expect("a wider ring");
        assert!(text.contains(&format!("a ring of {more} bits")), "{text}");
        // What would do is right for every number that there may be.
        for (bits, range) in [(more, whole(more, fraction)), (bits, found.range.expect("a range"))] {
            let card = make(bits, options.range(range)).unwrap().card();
            assert!(card.refused == [false; 2] && card.reach.contains(range), "{card}");
        }
        // Nobody said where numbers lie: the card says where they may.
        let card = make(bits, Options::default()).unwrap().card();
        assert_eq!(card.refused, [false, true], "{card}");
        assert!(make(bits, options.outside(Outside::Strict)).is_ok(), "this was said");
    }
    // Finer results hold fewer numbers than there are.
    let options = Options::default().range(whole(8, 3)).fraction_out(6);
    let text = Evaluation::new(Function::Gelu, 8, 3, &options).err().expect("refused").to_string();
    assert!(text.contains("numbers in -2 <= x < 2"), "{text}");
}

/// The arc tangent comes near its limits slowly: of few digits it is right everywhere, of more it is refused beyond its
/// domain.
#[test]
fn the_arc_tangent_of_any_number() {
    let of = |bits: u32, fraction: u32| {
        let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
        let range = Some(Bounds { lo: -half, hi: half });
        Evaluation::new(Function::Atan, bits, fraction, &Options::default().range(range)).unwrap()
    };
    for (bits, fraction) in [(24, 2), (32, 4), (40, 6), (24, 8), (64, 9)] {
        let evaluation = of(bits, fraction);
        let card = evaluation.card();
        let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
        assert_eq!((card.outside, card.reach), (Outside::Saturate, Bounds { lo: -half, hi: half }), "{card}");
        assert!(card.max_ulp() <= 3.0, "{card}");
        let unit = 2f64.powi(fraction as i32);
        for power in 0..bits - 1 {
            for x in [-1i64 << power, (1 << power) - 1, 1 << power, 3 << power >> 1] {
                let want = (x as f64 / unit).atan() * unit;
                for y in evaluation.outcomes(x).expect("no number is refused") {
                    assert!(
                        (y as f64 - want).abs() <= card.max_ulp() + 1e-6,
                        "atan({x}): {y}, {want}\n{card}"
                    );
                }
            }
        }
    }
    assert_eq!(of(32, 16).card().refused, [true; 2]);
}

/// What is suggested for numbers anywhere in a ring is accepted for the same numbers, now stated, in another one. Each
/// function has every other format, in turns; with LONG all.
/// Longer than 10 s: a suggestion is one of many plans that are tried.
#[test]
fn suggestions_can_be_followed() {
    let (mut followed, long) = (0, std::env::var_os("LONG").is_some());
    for (i, function) in Function::ALL.into_iter().enumerate() {
        let formats = [[12, 4], [16, 12], [20, 16], [40, 20], [64, 32]].into_iter().enumerate();
        for (_, [bits, fraction]) in formats.filter(|(k, _)| long || (i + k) % 2 == 0) {
            let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
            let range = Some(Bounds { lo: -half, hi: half });
            let options = Options::default().range(range);
            if Evaluation::attempt(function, bits, fraction, &options).is_ok() {
                continue;
            }
            let found = Suggestion::find(function, [bits, fraction], &options);
            let ways = [
                found.bits.map(|bits| (bits, fraction, options)),
                found.fraction.map(|fraction| (bits, fraction, options)),
                found.range.map(|range| (bits, fraction, options.range(range))),
                found.outside.map(|outside| (bits, fraction, options.outside(outside))),
            ];
            for (bits, fraction, options) in ways.into_iter().flatten() {
                let made = Evaluation::attempt(function, bits, fraction, &options);
                assert!(made.is_ok(), "{function}, {bits} bits, {fraction} behind the point, {options:?}");
                followed += 1;
            }
        }
    }
    assert!(followed > 20, "{followed}");
}

#[test]
fn digits_that_the_ends_of_an_own_domain_lack_are_named() {
    for (function, fraction, need) in
        [(Function::Rsqrt, 1, 2), (Function::Tan2Pi, 1, 2), (Function::TanPi, 0, 1)]
    {
        for options in [Options::default(), Options::default().outside(Outside::Strict)] {
            let error =
                Evaluation::new(function, 32, fraction, &options).err().expect("a refusal").to_string();
            let named = format!("fraction bits: {fraction}, where the ends of the domain");
            assert!(
                error.contains(&named) && error.contains(&format!("of {function} have {need}")),
                "{error}"
            );
            assert!(Evaluation::new(function, 32, need, &options).is_ok(), "{function}");
        }
    }
    // One that was given is named itself.
    let domain = Some(Bounds { lo: 0.25, hi: 4.25 });
    let error =
        Evaluation::new(Function::Rsqrt, 32, 1, &Options::default().domain(domain)).err().expect("a refusal");
    assert!(error.to_string().contains("domain: 0.25:4.25 with 1 fraction bits"), "{error}");
}
