use hushtable_jobs::join::{
    agree::Offer,
    column::Column,
    file::{Owned, Shared},
};
use prim::{Block, Prg};

use super::*;

/// A file with three columns of numbers, two of P0 and one of P1.
fn file() -> JoinedFile {
    let offer = |columns: &[(&str, u32)]| Offer {
        rows: 30,
        columns: columns
            .iter()
            .map(|(text, fraction_bits)| Column::parse(text, *fraction_bits).unwrap())
            .collect(),
    };
    let tables = [offer(&[("income:1000", 4), ("age:120", 0)]), offer(&[("bills:77.3", 8)])];
    let shares = (0..3).map(|_| Shared::of(&[0; 40])).collect();
    let table = Table::new(Role::P0, 40, Shared::of(&[0]), shares);
    let owned = Owned { ids: ["a"].iter().collect(), rows: Shared::of(&[0; 40]), style: None };
    JoinedFile::new([7; 32], Role::P0, tables, vec![table], Some(owned))
}

/// Shows questions of all kinds, with their noise and the epsilon that was asked for, to `see`.
fn each_question(see: impl Fn(&Question, &GroupNoise, f64, &str)) {
    let (seed, mut asked_of_all) = (0xe95, 0);
    let mut rng = Prg::new(Block(seed));
    let file = file();
    for run in 0..400 {
        let says = format!("run {run} of seed {seed}");
        let mut pick = |most: u32| -> Vec<String> {
            let mut all: Vec<String> = ["income", "age", "bills"].map(str::to_owned).into();
            all.retain(|_| rng.below(4) < most);
            all
        };
        let asked = Asked {
            count: true,
            sum: pick(2),
            mean: pick(1),
            variance: pick(1),
            covariance: pick(1).windows(2).map(|pair| pair.join(",")).collect(),
            noise: Some(0.25 + f64::from(rng.below(1000)) / 100.0),
            ..Asked::default()
        };
        let question = Question::of(&asked, &file).unwrap_or_else(|e| panic!("{says}: {e}"));
        let noise = question.shape(40).unwrap().noise.expect("it was asked for");
        asked_of_all += real(&question, &noise).count();
        see(&question, &noise, asked.noise.unwrap(), &says);
    }
    assert!(asked_of_all > 400, "{asked_of_all} sums");
}

/// What is added up, with its noise; but for zeros.
fn real<'a>(
    question: &'a Question,
    noise: &'a GroupNoise,
) -> impl Iterator<Item = (&'a Series, &'a Laplace)> {
    question.series.iter().zip(&noise.sums).filter(|(series, _)| **series != Series::Nothing)
}

/// Epsilon is that of the count and all sums together.
#[test]
fn epsilon_is_of_all_together() {
    each_question(|question, noise, eps, says| {
        let sums: f64 = real(question, noise).map(|(_, noise)| noise.epsilon()).sum();
        let all = noise.counts.epsilon() + sums;
        assert!((all / eps - 1.0).abs() < 1e-12, "{says}: {all} for {eps}, {:?}", question.series);
        assert!(
            noise.counts.epsilon() > 0.0 && real(question, noise).all(|(_, noise)| noise.epsilon() > 0.0)
        );
    });
}

/// Each sum's noise is for the largest number that a row can add to it.
#[test]
fn noise_is_for_the_largest_value() {
    each_question(|question, noise, _, says| {
        assert!(noise.counts.sensitivity() >= 1.0);
        for (series, noise) in real(question, noise) {
            // As the words of a row are made: rounded to the column's unit, then to the multiple that is added up.
            let word = |of: &Number, cut: u32| {
                let word = (of.limit * 2f64.powi(of.fraction_bits as i32)).round();
                (word / 2f64.powi(cut as i32)).round()
            };
            let largest = match series {
                Series::Nothing => unreachable!("left out"),
                Series::Numbers { of, cut } => word(of, *cut),
                Series::Products { of: [a, b], cuts } => word(a, cuts[0]) * word(b, cuts[1]),
            };
            assert!(largest > 1.0, "{says}: a question that says something, {series:?}");
            assert!(noise.sensitivity() >= largest, "{says}: {series:?}, {noise:?}");
        }
    });
}

#[test]
fn shares_are_exact_or_refused() {
    for (text, want) in [
        ("0.5", (1, 2)),
        (" 0.123456 ", (1929, 15625)),
        ("1", (1, 1)),
        ("1.000", (1, 1)),
        ("1/3", (1, 3)),
        (".25", (1, 4)),
        ("0.99999", (0, 0)),
    ] {
        let got = share(text).unwrap();
        match want {
            (0, 0) => assert!(got.unwrap_err().contains("99999/100000; accepted: fractions"), "{text}"),
            _ => assert_eq!(got, Ok(want), "{text}"),
        }
    }
    for text in ["0", "1.5", "-0.5", "x", "", ".", "3/2", "1/0", "1e-1", "nan", "0.0"] {
        assert!(share(text).is_none(), "{text}");
    }
}
