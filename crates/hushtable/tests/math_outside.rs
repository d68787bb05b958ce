//! Numbers outside a domain: every number of small rings, in random splits, for all that may become of them; what
//! functions do unless told otherwise; and what the check of a strict domain costs.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::Fixed,
    math::{Bounds, Card, Evaluation, Function, Method, Options, Outside, Tail},
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg, ring::low};

const FUNCTIONS: [Function; 6] = [
    Function::Sigmoid,
    Function::Tanh,
    Function::Gelu,
    Function::Exp,
    Function::Reciprocal,
    Function::Identity,
];
const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Direct,
    Method::Spline { degree: 1, pieces: 8 },
    Method::Spline { degree: 2, pieces: 4 },
    Method::Spline { degree: 3, pieces: 4 },
];
/// How often each number is shared.
const SPLITS: usize = 3;

/// Shares of all numbers of a ring, several times, the masks drawn.
fn all_numbers(role: Role, bits: u32, seed: u64) -> AShare<u64> {
    let count = SPLITS << bits;
    let mut masks = vec![0; count];
    Prg::new(Block(seed.into())).words(bits, &mut masks);
    let word = |(i, &mask): (usize, &u64)| match role {
        Role::P0 => mask,
        Role::P1 => low((i as u64).wrapping_sub(mask), bits),
    };
    AShare::new(bits, masks.iter().enumerate().map(word).collect())
}

fn signed(x: usize, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

/// Domains of a ring of numbers with `fraction` bits behind the point: of a few numbers, of about a third of
/// the ring and of all of it; powers of two or not.
fn domains(bits: u32, fraction: u32, function: Function) -> Vec<Bounds> {
    let of = |lo: i64, hi: i64| {
        let unit = 2f64.powi(fraction as i32);
        Bounds { lo: lo as f64 / unit, hi: hi as f64 / unit }
    };
    let eighth = 1i64 << (bits - 3);
    match function {
        Function::Reciprocal => vec![of(eighth / 4, eighth), of(eighth / 4, eighth / 4 + 3 * eighth)],
        _ => vec![
            of(-eighth / 2, eighth / 2),
            of(-eighth / 4, eighth - eighth / 8),
            of(-eighth, 2 * eighth - 3),
            of(-4 * eighth, 4 * eighth),
        ],
    }
}

/// Every evaluation that there is, and how many there are.
fn evaluations(bits: u32, fraction: u32, outside: Outside) -> Vec<(Function, Evaluation)> {
    let mut all = Vec::new();
    for function in FUNCTIONS {
        for domain in domains(bits, fraction, function) {
            for method in METHODS {
                let options = Options::default().domain(domain).method(method).outside(outside);
                // Too many values for the ring, or a domain that cannot be checked: refused, not wrong.
                if let Ok(evaluation) = Evaluation::new(function, bits, fraction, &options) {
                    all.push((function, evaluation));
                }
            }
        }
    }
    all
}

/// What may come of a number outside: between the value at the nearer end and what stands for the function
/// beyond, in units; only the latter further away than the domain's size rounded up.
fn allowed(function: Function, card: &Card, x: f64) -> [f64; 2] {
    let unit = 2f64.powi(card.scale as i32);
    let below = x < card.domain.lo;
    let end = if below { card.domain.lo } else { card.domain.hi - 1.0 / unit };
    let at_end = function.eval(end);
    let tail = match function.tails()[usize::from(!below)] {
        Tail::Limit(value) if card.outside == Outside::Saturate => value,
        Tail::Number if card.outside == Outside::Saturate => x,
        _ => at_end,
    };
    let scale = 2f64.powi(card.scale_out as i32);
    let spline = matches!(card.method, Method::Spline { .. });
    let width = ((card.domain.hi - card.domain.lo) * unit).log2().ceil().exp2() / unit;
    let near = spline && (x - end).abs() <= width;
    let (least, most) = if near { (at_end.min(tail), at_end.max(tail)) } else { (tail, tail) };
    let slack = if near { 3.0 } else { 1.5 };
    // A number for which there is no result is held; by a spline some units from the end of the ring.
    let half = 2f64.powi(card.ring as i32 - 1) - if spline { 4.0 } else { 1.0 };
    [(least * scale).min(half) - slack, (most * scale).max(-half) + slack]
}

fn check(function: Function, card: &Card, results: &[f64]) {
    let unit = 2f64.powi(card.scale as i32);
    let scale = 2f64.powi(card.scale_out as i32);
    let mut seen = [0; 2];
    for (i, y) in results.iter().enumerate() {
        let (x, y) = (signed(i % (1 << card.ring), card.ring) as f64 / unit, y * scale);
        if (card.domain.lo..card.domain.hi).contains(&x) {
            let error = (y - function.eval(x) * scale).abs();
            assert!(error <= card.max_ulp() + 1e-9, "{function}({x}) is wrong by {error} units\n{card}");
            seen[0] += 1;
        } else if card.outside != Outside::Wrap && (card.reach.lo..card.reach.hi).contains(&x) {
            let [least, most] = allowed(function, card, x);
            assert!((least..=most).contains(&y), "{function}({x}): {y}, not {least} to {most}\n{card}");
            seen[1] += 1;
        }
    }
    assert!(seen[0] > 0);
}

/// Saturate, Clamp and Wrap; with Wrap only that numbers outside do no harm to others.
fn every_number(bits: u32, fraction: u32, least: usize) {
    let run = |p: &mut Party| {
        p.stock_cots(1 << 20, 1 << 20)?;
        let mut count = 0;
        for outside in [Outside::Saturate, Outside::Clamp, Outside::Wrap] {
            for (i, (function, evaluation)) in evaluations(bits, fraction, outside).into_iter().enumerate() {
                let x = Fixed::new(all_numbers(p.role(), bits, i as u64 + 1), fraction)?;
                let y = evaluation.prepare(p, x.len())?.eval(p, &x)?.open(p)?;
                check(function, &evaluation.card(), &y);
                count += 1;
            }
        }
        Ok(count)
    };
    let (count, _) = both(pair(70 + u64::from(bits), None), run);
    assert!(count >= least, "{count} evaluations in {bits} bits");
}

#[test]
fn every_number_of_8_bits() {
    every_number(8, 4, 200);
}

/// Longer than 10 s: for every function, and each treatment of numbers outside.
#[test]
fn every_number_of_10_bits() {
    every_number(10, 5, 200);
}

/// The numbers at both ends of what a card promises, in every split; beyond, where the ring goes on, some go wrong.
#[test]
fn cards_promise_all_that_holds_and_no_more() {
    const BITS: u32 = 10;
    let cases = [
        (Function::Tanh, -2.0, 2.0, Outside::Saturate),
        (Function::Tanh, -3.0, 0.5, Outside::Saturate),
        (Function::Tanh, -2.0, 1.75, Outside::Clamp),
        (Function::Identity, 3.0, 6.5, Outside::Clamp),
        (Function::Identity, -9.0, -5.0, Outside::Clamp),
        (Function::Identity, 20.0, 24.0, Outside::Clamp),
    ];
    let run = |p: &mut Party| {
        p.stock_cots(1 << 20, 1 << 20)?;
        for (function, lo, hi, outside) in cases {
            for method in [Method::Direct, METHODS[2], METHODS[3]] {
                let domain = Some(Bounds { lo, hi });
                let options = Options::default().domain(domain).method(method).outside(outside);
                let evaluation = Evaluation::new(function, BITS, 4, &options)?;
                let card = evaluation.card();
                let [first, end] = [card.reach.lo, card.reach.hi].map(|end| (end * 16.0) as i64);
                let role = p.role();
                let mine =
                    |x: i64, i: u64| if role == Role::P0 { i } else { low((x as u64).wrapping_sub(i), BITS) };
                let mut all_right = |numbers: &[i64], splits: u64| -> Result<bool> {
                    let words =
                        numbers.iter().flat_map(|&x| (0..splits).map(move |i| mine(x, 997 * i % 1024)));
                    let x = Fixed::new(AShare::<u64>::new(BITS, words.collect()), 4)?;
                    let y = evaluation.prepare(p, x.len())?.eval(p, &x)?.open(p)?;
                    let right = |(i, y): (usize, &f64)| {
                        let [least, most] =
                            allowed(function, &card, numbers[i / splits as usize] as f64 / 16.0);
                        (least..=most).contains(&(y * 16.0))
                    };
                    Ok(y.iter().enumerate().all(right))
                };
                assert!(all_right(&[first, first + 1, end - 2, end - 1], 1 << BITS)?, "{card}");
                for beyond in [-512..first, end..512] {
                    let beyond: Vec<i64> = beyond.collect();
                    assert!(beyond.is_empty() || !all_right(&beyond, 16)?, "{beyond:?}\n{card}");
                }
                assert!(end - first < 1 << BITS && end - first > 1 << (BITS - 1), "{card}");
            }
        }
        Ok(())
    };
    both(pair(76, None), run);
}

/// Each number by itself: an error at both parties for those outside, a result for the others.
#[test]
fn strict_refuses_exactly_the_numbers_outside() {
    let of =
        |method, lo, hi| Options::default().domain(Bounds { lo, hi }).method(method).outside(Outside::Strict);
    let jobs = [
        (8, of(Method::Direct, -1.0, 1.5)),
        (8, of(Method::Spline { degree: 2, pieces: 4 }, -4.0, 3.0)),
        (9, of(Method::Spline { degree: 1, pieces: 4 }, 0.5, 1.5)),
        // More than half of the ring, and the rest of it is looked for.
        (8, of(Method::Direct, -6.0, 5.5)),
    ];
    let run = |p: &mut Party| {
        p.stock_cots(1 << 17, 1 << 17)?;
        for (bits, options) in jobs {
            let evaluation = Evaluation::new(Function::Tanh, bits, 4, &options)?;
            let card = evaluation.card();
            let all = all_numbers(p.role(), bits, 5);
            for (i, &word) in all.words().iter().enumerate().take(1 << bits) {
                let x = signed(i, bits) as f64 / 16.0;
                let share = Fixed::new(AShare::new(bits, vec![word]), 4)?;
                let inside = (card.domain.lo..card.domain.hi).contains(&x);
                match evaluation.prepare(p, 1)?.eval(p, &share) {
                    Ok(y) => {
                        let error = (y.open(p)?[0] - x.tanh()).abs() * 16.0;
                        assert!(
                            inside && error <= card.max_ulp() + 1e-9,
                            "tanh({x}), {error} units off\n{card}"
                        );
                    }
                    Err(Error::Param { what: "input", .. }) => assert!(!inside, "{x} is inside\n{card}"),
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(())
    };
    both(pair(73, None), run);
}

/// Bits and correlated OTs of a batch, and the rounds that grow with it.
#[test]
fn a_strict_batch_costs_what_its_card_says() {
    let options = Options::default().outside(Outside::Strict);
    let spline = Method::Spline { degree: 2, pieces: 32 };
    for (function, bits, method, outside) in [
        (Function::Tanh, 16, Method::Direct, Outside::Strict),
        (Function::Tanh, 64, spline, Outside::Strict),
        (Function::Sqrt, 32, Method::Auto, Outside::Usual),
        (Function::Exp, 32, Method::Auto, Outside::Usual),
    ] {
        let evaluation =
            Evaluation::new(function, bits, 10, &options.method(method).outside(outside)).unwrap();
        let card = evaluation.card();
        assert!(card.gathered && card.to_string().contains("ceil(log2 n) more"), "{card}");
        let mut bytes = Vec::new();
        for batch in [1usize, 2, 3, 64, 100, 128] {
            let run = |p: &mut Party| {
                let (send, recv) = evaluation.bill(batch).cots_of(p.role());
                assert_eq!((send + recv) as u64, card.of_batch(batch).all_cots(), "{batch} numbers");
                p.stock_cots(send, recv)?;
                let material = evaluation.prepare(p, batch)?;
                let x = Fixed::new(AShare::<u64>::new(bits, vec![512; batch]), 10)?; // 1.0
                let (_, cost) = p.metered(|p| material.eval(p, &x))?;
                Ok((cost.rounds, cost.sent + cost.received))
            };
            let ((rounds, sent), _) = both(pair(74, None), run);
            assert_eq!(rounds, card.of_batch(batch).online.rounds, "{batch} numbers\n{card}");
            bytes.push((batch, sent));
        }
        // All is in whole bytes, and the larger batch has one level more, a message each way.
        let [(64, small), _, (128, large)] = bytes[3..] else { panic!("three batches") };
        let online = |batch| card.of_batch(batch).online.all_bits();
        let bits = online(128) - online(64);
        assert_eq!(large - small, bits / 8 + 2 * (hushtable::net::wire_len(1) - 1), "{card}");
        let one = online(1) + card.bill.online.all_bits();
        assert_eq!(online(2), one, "what is opened is one bit of all");
    }
    let whole = options.domain(Bounds { lo: -8.0, hi: 8.0 });
    let card = Evaluation::new(Function::Tanh, 10, 6, &whole).unwrap().card();
    assert!(!card.gathered && card.of_batch(5).online.rounds == card.rounds(), "nothing is outside\n{card}");
}

/// Each number by itself, and unless told otherwise: what has no limit beyond an end is refused there, the others
/// are as good as the card says, and no result lies outside the range that is foretold.
#[test]
fn what_has_no_limit_is_refused() {
    const BITS: u32 = 10;
    let run = |p: &mut Party| {
        p.stock_cots(1 << 19, 1 << 19)?;
        for function in [Function::Sqrt, Function::Reciprocal, Function::Exp, Function::Gelu, Function::Tanh]
        {
            let evaluation = Evaluation::new(function, BITS, 4, &Options::default())?;
            let (card, all) = (evaluation.card(), all_numbers(p.role(), BITS, 5));
            let mut saturated = card.clone();
            saturated.outside = Outside::Saturate;
            let [least, greatest] = evaluation.range(card.reach);
            let beyond = function.tails().map(|tail| tail == Tail::End);
            for (i, &word) in all.words().iter().enumerate().take(1 << BITS).step_by(3) {
                let x = signed(i, BITS) as f64 / 16.0;
                if !(card.reach.lo..card.reach.hi).contains(&x) {
                    continue;
                }
                let refused = beyond[0] && x < card.domain.lo || beyond[1] && x >= card.domain.hi;
                let share = Fixed::new(AShare::new(BITS, vec![word]), 4)?;
                match evaluation.prepare(p, 1)?.eval(p, &share) {
                    Ok(y) => {
                        let y = y.open(p)?[0] * 16.0;
                        let [lo, hi] = match (card.domain.lo..card.domain.hi).contains(&x) {
                            true => [-1.0, 1.0].map(|sign| function.eval(x) * 16.0 + sign * card.max_ulp()),
                            false => allowed(function, &saturated, x),
                        };
                        assert!(
                            !refused && (lo - 1e-9..=hi + 1e-9).contains(&y),
                            "{function}({x}): {y}\n{card}"
                        );
                        assert!((least as f64..=greatest as f64).contains(&y), "{y}: {least} to {greatest}");
                    }
                    Err(Error::Param { what: "input", got, accepted }) => {
                        assert!(refused, "{function}({x}) is refused\n{card}");
                        let text = format!("{got} {accepted}");
                        assert!(text.contains("domain") && !text.contains("::"), "{text}");
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(())
    };
    both(pair(77, None), run);
}

/// Finer results than numbers: what the ring of results does not hold is held at its end, or out of reach.
#[test]
fn numbers_that_stand_for_results_of_a_finer_scale() {
    let run = |p: &mut Party| {
        for (function, bits, method) in [
            (Function::Gelu, 10, Method::Auto),
            (Function::Gelu, 10, Method::Direct),
            (Function::Identity, 12, Method::Auto),
            (Function::Softplus, 12, Method::Spline { degree: 2, pieces: 8 }),
            (Function::Silu, 16, Method::Spline { degree: 3, pieces: 16 }),
            (Function::Gelu, 24, Method::Auto),
        ] {
            let domain = Some(Bounds { lo: -4.0, hi: 4.0 });
            let options = Options::default().domain(domain).method(method).fraction_out(6);
            let evaluation = Evaluation::new(function, bits, 4, &options)?;
            let card = evaluation.card();
            if bits < 24 {
                let x = Fixed::new(all_numbers(p.role(), bits, 9), 4)?;
                let y = evaluation.prepare(p, x.len())?.eval(p, &x)?.open(p)?;
                check(function, &card, &y);
            }
            // Of a ring that no table covers, only numbers whose results it holds are in reach.
            let most = 2f64.powi(bits as i32 - 1 - 6);
            assert!(card.reach.hi <= 4.0 * most && (bits < 24 || card.reach.hi == most), "{card}");
        }
        Ok(())
    };
    both(pair(75, None), run);
}

/// The usual domain ends where the function is less than a unit from what it tends to.
#[test]
fn saturation_is_a_step_of_less_than_a_unit() {
    for fraction in [4, 8, 12, 16, 20] {
        for function in Function::ALL.into_iter().filter(|f| f.tails() != [Tail::End; 2]) {
            // Of more digits no spline of exp is accurate over a larger domain, or at all.
            if function == Function::Exp && fraction > 16 {
                continue;
            }
            // Nor of tangents, arcsines and arccosines: a table of 2^16 numbers is all there is.
            let steep = matches!(function, Function::Asin | Function::Acos);
            if (steep || function.has_poles()) && fraction > 12 {
                continue;
            }
            let evaluation = Evaluation::new(function, 64, fraction, &Options::default()).unwrap();
            let card = evaluation.card();
            // Arcsine and arccosine have an infinite slope at 1 and -1. From the last number, a unit u below 1, to what
            // they saturate to, they go by as much as anywhere over u, their modulus of continuity `arccos(1 - u)`.
            let unit = 2f64.powi(-(fraction as i32));
            let most = if steep { (1.0 - unit).acos() / unit + 1e-6 } else { 1.0 };
            assert!(card.jumps.iter().all(|&jump| jump < most), "{card}");
        }
    }
}
