//! Scores of two parties against the plaintext model.

use std::sync::Arc;

use hushtable::{
    AShare, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Comparison, Fixed, Objective},
    math::Function,
    operation::Operation,
    run::{self, Reveal},
    run_pair,
};
use hushtable_apps::scoring::{
    Question, Scoring, Weights,
    model::{Model, OwnWeights, Part, Weighted, weight},
};

/// Parts of both parties: the given sums, split by a fixed sequence.
fn split(sums: &[i64]) -> [Vec<u64>; 2] {
    let mine = |i: usize| ((i as i64 * 7919) % 4001 - 2000) << 4;
    let first = (0..sums.len()).map(|i| mine(i) as u64).collect();
    let second = sums.iter().enumerate().map(|(i, sum)| (sum - mine(i)) as u64).collect();
    [first, second]
}

/// Both parties' answers, opened, as signed numbers.
fn run(scoring: &Scoring, sums: &[i64]) -> Vec<i64> {
    let parts = split(sums);
    let party = |p: &mut Party| -> Result<Vec<i64>> {
        let mine = &parts[p.role() as usize];
        let material = scoring.prepare(p, mine.len())?;
        let columns = material.eval(p, &[mine])?;
        let mut opened = Reveal::Both.open(p, &scoring.signature().gives, columns)?;
        Ok(opened.remove(0).values().expect("both get them"))
    };
    let (first, second) = run_pair(Party::pair_seeded(7).unwrap(), party, party).unwrap();
    assert_eq!(first, second);
    first
}

#[test]
fn probabilities_are_as_accurate_as_the_card_says() {
    for (bits, fraction) in [(32, 8), (40, 16)] {
        let scoring = Scoring::new(bits, fraction, Question::Probability).unwrap();
        let one = f64::from(1u32 << fraction);
        let inside = (-1600..1600).map(|i| i * (1 << fraction) / 100 + i % 7);
        let beyond = [-1000, -17, 17, 1000].map(|x| x << fraction);
        let sums: Vec<i64> = inside.chain(beyond).collect();
        let most = scoring.card().unwrap().max_ulp();
        for (sum, got) in sums.iter().zip(run(&scoring, &sums)) {
            let want = Function::Sigmoid.eval(*sum as f64 / one) * one;
            // Beyond the domain, 16, the limit stands for values that round to it.
            let slack = if sum.abs() >= 16 << fraction { 0.5 } else { 0.0 };
            assert!((got as f64 - want).abs() <= most + slack, "{bits} bits: {sum} gives {got}, not {want}");
        }
    }
}

/// Scores at the threshold's own, beside it, and at the ends of what parts reach.
#[test]
fn thresholds_are_exact() {
    for t in [0.001, 0.5, 0.8, 0.9999] {
        let scoring = Scoring::new(32, 16, Question::AtLeast(t)).unwrap();
        let logit = (Function::Ln.eval(t / (1.0 - t)) * 65536.0) as i64;
        let near = (-40..40).map(|i| logit + i);
        let sums: Vec<i64> = near.chain([-(1 << 30) + (1 << 17), (1 << 30) - (1 << 17)]).collect();
        for (sum, got) in sums.iter().zip(run(&scoring, &sums)) {
            let want = Function::Sigmoid.eval(*sum as f64 / 65536.0) >= t;
            assert_eq!(got == 1, want, "score {sum}, threshold {t}");
        }
    }
}

/// At every threshold's own score and beside it, for every number of thresholds; also as additive shares.
#[test]
fn bands_are_exact() {
    for count in 1..=15 {
        let thresholds: Vec<f64> = (1..=count).map(|i| f64::from(i) / f64::from(count + 1)).collect();
        let logit = |t: &f64| (Function::Ln.eval(t / (1.0 - t)) * 4096.0).ceil() as i64;
        let near = thresholds.iter().flat_map(|t| (-2..=2).map(move |i| logit(t) + i));
        let sums: Vec<i64> = near.chain([-(1 << 30) + (1 << 17), (1 << 30) - (1 << 17)]).collect();
        let scoring = || Scoring::new(32, 12, Question::Bands(thresholds.clone())).unwrap();
        assert_eq!(scoring().result().range, Some([0, count.into()]));
        for scoring in [scoring(), scoring().additive(16)] {
            for (sum, got) in sums.iter().zip(run(&scoring, &sums)) {
                let p = Function::Sigmoid.eval(*sum as f64 / 4096.0);
                let want = thresholds.iter().filter(|t| p >= **t).count() as i64;
                assert_eq!(got, want, "score {sum}, {count} thresholds, {:?}", scoring.result());
            }
        }
    }
}

#[test]
fn a_model_of_two_parties_gives_what_it_gives_as_a_whole() {
    let whole = Weights { intercept: 0.5, values: vec![1.5, -2.0, 0.25] };
    let sides = [
        Weights { intercept: 0.75, values: vec![1.5] },
        Weights { intercept: -0.25, values: vec![-2.0, 0.25] },
    ];
    let rows = [[0.5, 0.25, 3.0], [-1.0, 1.0, 0.0], [2.0, -2.0, 8.0]];
    let scoring = Scoring::new(40, 16, Question::Probability).unwrap();
    let party = |p: &mut Party| {
        let part = |row: &[f64; 3]| match p.role() {
            Role::P0 => sides[0].part(&row[..1]),
            Role::P1 => sides[1].part(&row[1..]),
        };
        let parts = rows.iter().map(|row| Ok(scoring.encode(part(row)?).unwrap()));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let held = scoring.result();
        let y = scoring.prepare(p, rows.len())?.eval(p, &[&parts])?.remove(0);
        Fixed::new(AShare::<u64>::new(held.bits, y.to_vec()), held.fraction)?.open(p)
    };
    let (got, _) = run_pair(Party::pair_seeded(8).unwrap(), party, party).unwrap();
    for (row, got) in rows.iter().zip(got) {
        let want = Function::Sigmoid.eval(whole.part(row).unwrap());
        assert!((got - want).abs() < 4.0 / 65536.0, "{row:?}: {got}, not {want}");
    }
}

/// A threshold costs one comparison of near numbers online, and no sigmoid.
#[test]
fn bytes_and_rounds_of_a_threshold_are_those_of_a_comparison() {
    let rows = 640;
    let scoring = Scoring::new(32, 16, Question::AtLeast(0.7)).unwrap();
    let of_threshold = |p: &mut Party| {
        let material = scoring.prepare(p, rows)?;
        Ok(p.metered(|p| material.eval(p, &[&vec![1; rows]]))?.1)
    };
    let of_comparison = |p: &mut Party| {
        let job = CompareJob::new(32, CompareDomain::Near, Objective::Total)?;
        let x = AShare::<u64>::new(32, vec![1; rows]);
        let material = Comparison::prepare(p, job, rows)?;
        Ok(p.metered(|p| material.ge(p, &x, &x))?.1)
    };
    let (first, _) = run_pair(Party::pair_seeded(9).unwrap(), of_threshold, of_threshold).unwrap();
    let (second, _) = run_pair(Party::pair_seeded(9).unwrap(), of_comparison, of_comparison).unwrap();
    assert_eq!(first, second);
}

/// P0 has one feature with 4 bits behind the point, P1 two with none; a row that does not count has features 0.
#[test]
fn shared_features_have_scores() {
    let part = |features, fraction| Part { features, fraction };
    let model = Model::new(32, 8, [part(1, 4), part(2, 0)]).unwrap();
    assert!(
        Model::new(32, 30, [part(1, 4), part(2, 0)]).is_err() && Model::new(45, 8, [part(1, 4); 2]).is_err()
    );
    const ROWS: usize = 50;
    let bit = |i: usize| u64::from(!i.is_multiple_of(3));
    let feature = |i: usize, j: usize| if bit(i) == 1 { ((i * 7 + j * 31) % 101) as i64 - 50 } else { 0 };
    let weights = [vec![-1.25], vec![0.5, 3.0]];
    let intercepts: [i64; 2] = [700, -300];
    let share =
        |role: Role, x: i64, mask: u64| if role == Role::P0 { mask } else { (x as u64).wrapping_sub(mask) };
    let party = |p: &mut Party| -> Result<Vec<i64>> {
        let role = p.role();
        let all = |f: &dyn Fn(usize) -> Vec<u64>| (0..ROWS).flat_map(f).collect::<Vec<u64>>();
        let bits = all(&|i| vec![if role == Role::P0 { 1 } else { bit(i) ^ 1 }]);
        let own = weights[role as usize].iter().map(|w| weight(*w).unwrap()).collect::<Vec<i64>>();
        let mine = Arc::new(OwnWeights::new(intercepts[role as usize] as u64, own.into()));
        let scores = Weighted { model: model.clone(), mine };
        let f0 = all(&|i| vec![share(role, feature(i, 0), 12345)]);
        let f1 = all(&|i| (1..3).map(|j| share(role, feature(i, j), 99 << 40)).collect());
        let job = run::Job::new(&scores).on(&bits).on(&f0).on(&f1);
        let mut lanes = p.fork(2)?;
        Ok(job.reveal(Reveal::Both).run_in(&mut lanes)?.values().expect("both get them"))
    };
    let (got, other) = run_pair(Party::pair_seeded(8).unwrap(), party, party).unwrap();
    assert_eq!(got, other);
    for (i, got) in got.into_iter().enumerate() {
        let p0 = -1.25 * feature(i, 0) as f64 / 16.0;
        let p1 = 0.5 * feature(i, 1) as f64 + 3.0 * feature(i, 2) as f64;
        let exact = bit(i) as f64 * 400.0 + 256.0 * (p0 + p1);
        assert!((-4.0..=0.0).contains(&(got as f64 - exact)), "row {i}: {got}, not {exact}");
    }
}
