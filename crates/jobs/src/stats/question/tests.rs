use crate::join::{
    agree::Offer,
    column::{Column, Held},
    condition::Wanted,
    file::{Owned, Shared},
};
use apps::statistics::{GroupNoise, Laplace};
use prim::{Block, Prg};

use super::*;

/// A file with three columns of numbers, two of P0 and one of P1, and groups; some may be missing.
fn file(missing: &[&str]) -> JoinedFile {
    let offer = |columns: &[(&str, u32)]| {
        let columns = columns.iter().map(|(text, fraction_bits)| {
            let column = Column::parse(text, *fraction_bits).unwrap();
            Column { optional: missing.contains(&&*column.name), ..column }
        });
        Offer { rows: 30, columns: columns.collect() }
    };
    let tables =
        [offer(&[("income:1000", 4), ("age:120", 0)]), offer(&[("bills:77.3", 8), ("region:n/s/w/e", 0)])];
    let parts = tables.iter().flat_map(|offer| &offer.columns).flat_map(Column::parts);
    let shares = parts.map(|held| Shared::of(&[0; 40][..if held == Held::Words { 40 } else { 1 }])).collect();
    let table = Table::new(Role::P0, 40, Shared::of(&[0]), shares);
    let owned = Owned { ids: ["a"].iter().collect(), rows: Shared::of(&[0; 40]) };
    JoinedFile::new([7; 32], Role::P0, tables, vec![table], Some(owned))
}

/// Shows questions of all kinds, with their noise and the epsilon that was asked for, to `see`.
fn each_question(see: impl Fn(&Question, f64, &str)) {
    let (seed, mut asked_of_all) = (0xe95, 0);
    let mut rng = Prg::new(Block(seed));
    let files = [file(&[]), file(&["age"]), file(&["age", "bills"])];
    for run in 0..400 {
        let file = &files[run % 3];
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
        let question = Question::of(&asked, file).unwrap_or_else(|e| panic!("{says}: {e}"));
        asked_of_all += question.parts.iter().flat_map(real).count();
        see(&question, asked.noise.unwrap(), &says);
    }
    assert!(asked_of_all > 400, "{asked_of_all} sums");
}

/// What is added up, with its noise; but for zeros.
fn real(part: &Part) -> impl Iterator<Item = (&Series, &Laplace)> {
    part.series.iter().zip(&noise(part).sums).filter(|(series, _)| **series != Series::Nothing)
}

fn noise(part: &Part) -> &GroupNoise {
    part.noise.as_ref().expect("it was asked for")
}

/// Epsilon is that of the count and all sums together.
#[test]
fn epsilon_is_of_all_together() {
    each_question(|question, eps, says| {
        let of = |part| {
            let sums = real(part).map(|(_, noise)| noise.epsilon());
            let all: Vec<f64> = [noise(part).counts.epsilon()].into_iter().chain(sums).collect();
            assert!(all.iter().all(|epsilon| *epsilon > 0.0));
            all.iter().sum::<f64>()
        };
        let all: f64 = question.parts.iter().map(of).sum();
        assert!((all / eps - 1.0).abs() < 1e-12, "{says}: {all} for {eps}, {:?}", question.parts);
    });
}

/// Each sum's noise is for the largest number that a row can add to it.
#[test]
fn noise_is_for_the_largest_value() {
    each_question(|question, _, says| {
        assert!(question.parts.iter().all(|part| noise(part).counts.sensitivity() >= 1.0));
        for (series, noise) in question.parts.iter().flat_map(real) {
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

/// Each statistic is of the rows where its columns are there, and those of the same columns are of the same.
#[test]
fn statistics_go_by_what_is_there() {
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let asked = Asked {
        mean: texts(&["income", "age", "bills"]),
        covariance: texts(&["age,bills", "age,income"]),
        median: texts(&["age", "income"]),
        ..Asked::default()
    };
    let present = |missing: &[&str]| {
        let question = Question::of(&asked, &file(missing)).unwrap();
        let names =
            |part: &Part| part.present.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>().join(" ");
        let counts = |part: &Part| (names(part), part.statistics.len(), part.orders.len());
        question.parts.iter().map(counts).collect::<Vec<_>>()
    };
    let of = |names: &str, sums, orders| (names.to_owned(), sums, orders);
    assert_eq!(present(&[]), [of("", 5, 2)]);
    assert_eq!(present(&["age"]), [of("", 2, 1), of("age", 3, 1)]);
    assert_eq!(
        present(&["age", "bills"]),
        [of("", 1, 1), of("age", 2, 1), of("bills", 1, 0), of("age bills", 1, 0)]
    );
}

/// Sums over rows that differ by those that lack a cell are named.
#[test]
fn sums_that_tell_the_rows_between_them() {
    let of = |mean: &[&str], covariance: &[&str], missing: &[&str]| {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        let asked = Asked { mean: texts(mean), covariance: texts(covariance), ..Asked::default() };
        let question = Question::of(&asked, &file(missing)).unwrap();
        question.added_up_twice().join(" ")
    };
    assert_eq!(of(&["income"], &["age,income"], &[]), "");
    assert_eq!(of(&["income"], &["age,income"], &["age"]), "income");
    assert_eq!(of(&["p0.income"], &["age,income"], &["age"]), "p0.income");
    assert_eq!(of(&["income"], &["age,income"], &["income"]), "");
    assert_eq!(of(&["age"], &["age,bills"], &["age", "bills"]), "age");
    assert_eq!(of(&[], &["age,income", "bills,income"], &["age", "bills"]), "income");
    assert_eq!(of(&["age", "income"], &[], &["age"]), "");
}

/// Groups by so many columns that their number does not fit a word.
#[test]
fn more_groups_than_can_be_counted() {
    let columns: Vec<Column> = (0..64).map(|i| Column::parse(&format!("c{i}:yes/no"), 0).unwrap()).collect();
    let shares = (0..128).map(|_| Shared::of(&[0])).collect();
    let tables = [columns, vec![]].map(|columns| Offer { rows: 30, columns });
    let table = Table::new(Role::P1, 40, Shared::of(&[0]), shares);
    let file = JoinedFile::new([7; 32], Role::P0, tables, vec![table], None);
    for many in [7, 63, 64] {
        let by = (0..many).map(|i| format!("c{i}")).collect();
        let asked = Asked { count: true, by, ..Asked::default() };
        let error = Question::of(&asked, &file).err().expect("too many").to_string();
        assert!(error.contains("accepted: at most 64 together"), "{many}: {error}");
    }
}

#[test]
fn groups_and_conditions() {
    let file = file(&["age"]);
    let of = |by: &[&str], conditions: &[&str]| {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        let asked = Asked { count: true, by: texts(by), condition: texts(conditions), ..Asked::default() };
        Question::of(&asked, &file).map_err(|e| e.to_string())
    };
    let groups = of(&["age:20,30", "region"], &[]).unwrap().groups();
    assert_eq!((groups.len(), &*groups[0], &*groups[5]), (12, "below 20, n", "20 to 30, s"));
    let what = |text| of(&[], &[text]).unwrap().conditions.remove(0).what;
    let pieces = |text| match what(text) {
        Wanted::Pieces { of, cuts, pieces } => (of.name, cuts, pieces),
        Wanted::Groups { .. } => panic!("{text}"),
    };
    for (text, cuts, wanted) in [
        ("age>=30", vec![30], 0b10),
        ("age > 30", vec![31], 0b10),
        ("age<30", vec![30], 0b01),
        ("age<=30", vec![31], 0b01),
        ("age = 30", vec![30, 31], 0b010),
        ("p0.age!=-30", vec![-30, -29], 0b101),
        ("age>=29.5", vec![30], 0b10),
        ("age>29.5", vec![30], 0b10),
    ] {
        assert_eq!(pieces(text).1, cuts, "{text}");
        assert_eq!(pieces(text).2, wanted, "{text}");
    }
    let groups = |text| match what(text) {
        Wanted::Groups { groups, .. } => groups,
        Wanted::Pieces { .. } => panic!("{text}"),
    };
    assert_eq!([groups("region=n/w"), groups("region != s"), groups("region=e|n")], [0b0101, 0b1101, 0b1001]);
    for (by, conditions, want) in [
        (&["region", "region"][..], &[][..], "twice"),
        (&["age:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "region"], &[], "17 times 4 groups are 68"),
        (&[], &["age"], "accepted: COLUMN and"),
        (&[], &["age=x"], "accepted: COLUMN and"),
        (&[], &["age>200"], "from -120 to 120"),
        (&[], &["age=nan"], "from -120 to 120"),
        (&[], &["age=2.5"], "has whole numbers"),
        (&[], &["region>n"], "= and != compare"),
        (&[], &["region=x"], "no label \"x\"; region has n, s, w, e"),
        (&[], &["size=3"], "no column"),
    ] {
        let error = of(by, conditions).err().unwrap_or_default();
        assert!(error.contains(want), "{by:?} {conditions:?}: {error}");
    }
}
