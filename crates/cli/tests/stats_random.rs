//! Random questions about random tables with missing cells, against plaintext.

use std::collections::BTreeMap;

use crate::{
    common::{Done, Site},
    stats::{BANK, TELECOM, results},
};

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u64) as usize]
    }

    fn some<'t>(&mut self, from: &[&'t str]) -> Vec<&'t str> {
        from.iter().filter(|_| self.below(3) == 0).copied().collect()
    }
}

const NUMBERS: [&str; 3] = ["income", "age", "bills"];
const REGIONS: [&str; 3] = ["north", "south", "east"];
const PLANS: [&str; 2] = ["flat", "metered"];

/// A row in common; nothing for what is missing.
struct Row {
    numbers: [Option<f64>; 3],
    region: Option<usize>,
    plan: Option<usize>,
}

impl Row {
    fn number(&self, name: &str) -> Option<f64> {
        self.numbers[NUMBERS.iter().position(|number| *number == name).unwrap()]
    }

    /// The group by a column.
    fn group(&self, by: &str) -> Option<String> {
        match by {
            "region" => self.region.map(|at| REGIONS[at].to_owned()),
            "plan" => self.plan.map(|at| PLANS[at].to_owned()),
            _ => self.number("age").map(|age| {
                let name = if age < 30.0 {
                    "below 30"
                } else if age < 50.0 {
                    "30 to 50"
                } else {
                    "from 50"
                };
                name.to_owned()
            }),
        }
    }

    /// Whether a condition holds.
    fn fulfils(&self, condition: &str) -> bool {
        let (name, value) = condition.split_once(['<', '>', '=', '!']).unwrap();
        let sign = &condition[name.len()..condition.len() - value.trim_start_matches(['=', '<', '>']).len()];
        let value = value.trim_start_matches('=');
        if ["region", "plan"].contains(&name) {
            let Some(label) = self.group(name) else { return false };
            return value.split('/').any(|wanted| wanted == label) == (sign == "=");
        }
        let (Some(x), value) = (self.number(name), value.parse::<f64>().unwrap()) else { return false };
        match sign {
            ">=" => x >= value,
            ">" => x > value,
            "<=" => x <= value,
            "<" => x < value,
            "=" => x == value,
            _ => x != value,
        }
    }
}

/// Tables of both parties, joined; and the rows in common. Ages may be missing if `often` says so, as may regions.
fn tables(site: &Site, rng: &mut Random, often: u64) -> Vec<Row> {
    let (mut p0, mut p1) = ("id,income,age,region\n".to_owned(), "id,bills,plan\n".to_owned());
    let mut rows = Vec::new();
    for id in 0..260 {
        let missing = |rng: &mut Random| often > 0 && rng.below(often) == 0;
        let income = Some(rng.below(9_000) as f64 / 100.0 - 20.0);
        let age = (!missing(rng)).then(|| (18 + rng.below(60)) as f64);
        let region = (!missing(rng)).then(|| rng.below(3) as usize);
        let bills = (!missing(rng)).then(|| rng.below(7) as f64);
        let plan = rng.below(2) as usize;
        let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
        let (here, there) = (rng.below(5) > 0, rng.below(5) > 0);
        if here {
            let region = region.map_or(" ", |at| REGIONS[at]);
            p0 += &format!("k{id},{},{},{region}\n", number(income), number(age));
        }
        if there {
            p1 += &format!("k{id},{},{}\n", number(bills).replace("3", "3.0"), PLANS[plan]);
        }
        if here && there {
            rows.push(Row { numbers: [income, age, bills], region, plan: Some(plan) });
        }
    }
    site.write("bank.csv", &p0);
    site.write("telecom.csv", &p1);
    let [first, second] = if often > 0 { ["--missing age,region", "--missing bills"] } else { ["", ""] };
    let owner = rng.pick(&["", "--rows p0", "--rows p1"]);
    let _ = site
        .both(
            &format!("join --input bank.csv --id id --columns income:100,age:127,region:north/south/east {first} {owner} --output p0.json {BANK}"),
            &format!("join --input telecom.csv --id id --columns bills:10,plan:flat/metered {second} {owner} --output p1.json {TELECOM}"),
        )
        .map(Done::ok);
    rows
}

type Results = BTreeMap<(String, String), Option<f64>>;

/// Any condition, also with numbers between those of rows.
fn condition(rng: &mut Random) -> String {
    let labels: &[&str] = match rng.below(4) {
        0 => &REGIONS,
        1 => &PLANS,
        _ => {
            let name = *rng.pick(&NUMBERS);
            let sign = *rng.pick(&[">=", ">", "<=", "<", "=", "!="]);
            let value = match name {
                // Only multiples of 2^-16 can be equal.
                "income" if sign.contains(['<', '>']) => rng.below(9_000) as f64 / 100.0 - 20.0,
                "income" => rng.below(90) as f64 - 20.0,
                "age" => 17.5 + rng.below(124) as f64 / 2.0,
                _ => rng.below(8) as f64,
            };
            return format!("{name}{sign}{value}");
        }
    };
    let name = if labels.len() == REGIONS.len() { "region" } else { "plan" };
    let mut wanted = rng.some(labels);
    if wanted.is_empty() {
        wanted.push(labels[rng.below(labels.len() as u64) as usize]);
    }
    format!("{name}{}{}", rng.pick(&["=", "!="]), wanted.join("/"))
}

/// As NumPy's default has it.
fn quantile(mut of: Vec<f64>, q: f64) -> f64 {
    of.sort_by(f64::total_cmp);
    let at = (of.len() - 1) as f64 * q;
    let (low, rest) = (of[at as usize], at.fract());
    if rest > 0.0 { low + (of[at as usize + 1] - low) * rest } else { low }
}

/// What a question gives of a group of rows.
struct Expected<'a> {
    group: &'a str,
    rows: Vec<&'a Row>,
    /// Whether all columns of numbers but incomes may have missing cells.
    may_miss: bool,
    least: usize,
    all: &'a mut Results,
}

impl Expected<'_> {
    fn set(&mut self, statistic: String, rows: usize, value: impl FnOnce() -> f64) {
        // Of none there are no results, but a count and sums where small groups are shown.
        let adds = ["count", "sum"].iter().any(|word| statistic.starts_with(word));
        let shown = rows >= self.least && (rows > 0 || self.least == 0 && adds);
        self.all.insert((self.group.to_owned(), statistic), shown.then(value));
    }

    /// Of the rows where these columns are there.
    fn statistic(&mut self, statistic: String, columns: &[&str], value: impl FnOnce(&[Vec<f64>]) -> f64) {
        let rows = self.rows.iter().filter_map(|row| columns.iter().map(|name| row.number(name)).collect());
        let rows: Vec<Vec<f64>> = rows.collect();
        let optional = NUMBERS[1..].iter().filter(|name| self.may_miss && columns.contains(name));
        let optional: Vec<&str> = optional.copied().collect();
        if !optional.is_empty() {
            self.set(format!("count of {}", optional.join(" and ")), rows.len(), || rows.len() as f64);
        }
        self.set(statistic, rows.len(), || value(&rows));
    }
}

#[test]
fn random_questions_are_answered_as_in_plaintext() {
    let mut rng = Random(28);
    for (round, often) in [7, 0, 3].into_iter().enumerate() {
        let site = Site::new();
        let rows = tables(&site, &mut rng, often);
        for question in 0..6 {
            let mut asked = "--count".to_owned();
            let means = rng.some(&NUMBERS);
            let sums = rng.some(&NUMBERS);
            let medians = rng.some(&NUMBERS);
            let ends = rng.some(&NUMBERS);
            let pair = (rng.below(2) == 0).then(|| [*rng.pick(&NUMBERS), *rng.pick(&NUMBERS)]);
            let share = [(1, 4), (9, 10), (1, 1), (1, 3)][rng.below(4) as usize];
            let by: Vec<&str> = match rng.below(4) {
                0 => vec![],
                1 => vec!["region"],
                2 => vec!["plan", "age:30,50"],
                _ => vec!["age:30,50", "region"],
            };
            let conditions: Vec<String> = (0..rng.below(3)).map(|_| condition(&mut rng)).collect();
            let least = *rng.pick(&[0, 1, 3]);
            means.iter().for_each(|name| asked += &format!(" --mean {name}"));
            sums.iter().for_each(|name| asked += &format!(" --sum {name} --variance {name}"));
            medians.iter().for_each(|name| {
                asked += &format!(" --median {name} --quantile {name}:{}/{}", share.0, share.1)
            });
            ends.iter().for_each(|name| asked += &format!(" --min {name} --max {name}"));
            pair.iter().for_each(|[a, b]| asked += &format!(" --covariance {a},{b}"));
            by.iter().for_each(|by| asked += &format!(" --by {by}"));
            conditions.iter().for_each(|condition| asked += &format!(" --where {condition}"));
            asked += &format!(" --least {least}");
            let says = format!("round {round}, question {question}: {asked}");
            let got = results(&site, &asked);

            let mut wanted = Results::new();
            let names = |by: &str| -> Vec<String> {
                let names: &[&str] = match by {
                    "region" => &REGIONS,
                    "plan" => &PLANS,
                    _ => &["below 30", "30 to 50", "from 50"],
                };
                names.iter().map(|name| (*name).to_owned()).collect()
            };
            let groups: Vec<Vec<String>> = match &by[..] {
                [] => vec![vec![]],
                [by] => names(by).into_iter().map(|name| vec![name]).collect(),
                [a, b, ..] => names(a)
                    .into_iter()
                    .flat_map(|a| names(b).into_iter().map(move |b| vec![a.clone(), b]))
                    .collect(),
            };
            for group in groups {
                let is_member = |row: &&Row| {
                    by.iter().zip(&group).all(|(by, name)| row.group(by).as_ref() == Some(name))
                        && conditions.iter().all(|condition| row.fulfils(condition))
                };
                let members: Vec<&Row> = rows.iter().filter(is_member).collect();
                let name = if group.is_empty() { "all".to_owned() } else { group.join(", ") };
                let may_miss = often > 0;
                let mut of = Expected { group: &name, rows: members, may_miss, least, all: &mut wanted };
                let count = of.rows.len() as f64;
                of.set("count".into(), of.rows.len(), || count);
                let mean = |rows: &[Vec<f64>], i: usize| {
                    rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64
                };
                let first = |rows: &[Vec<f64>]| rows.iter().map(|row| row[0]).collect::<Vec<f64>>();
                for &name in &means {
                    of.statistic(format!("mean of {name}"), &[name], |rows| mean(rows, 0));
                }
                for &name in &medians {
                    of.statistic(format!("median of {name}"), &[name], |rows| quantile(first(rows), 0.5));
                    let (a, b) = share;
                    let q = a as f64 / b as f64;
                    of.statistic(format!("quantile {a}/{b} of {name}"), &[name], |rows| {
                        quantile(first(rows), q)
                    });
                }
                for &name in &ends {
                    let end = |f: fn(f64, f64) -> f64| {
                        move |rows: &[Vec<f64>]| rows.iter().map(|row| row[0]).reduce(f).unwrap()
                    };
                    of.statistic(format!("smallest of {name}"), &[name], end(f64::min));
                    of.statistic(format!("largest of {name}"), &[name], end(f64::max));
                }
                let covariance = |rows: &[Vec<f64>]| {
                    let (x, y) = (mean(rows, 0), mean(rows, 1));
                    rows.iter().map(|row| (row[0] - x) * (row[1] - y)).sum::<f64>() / rows.len() as f64
                };
                for &name in &sums {
                    of.statistic(format!("sum of {name}"), &[name], |rows| first(rows).iter().sum());
                    of.statistic(format!("variance of {name}"), &[name, name], covariance);
                }
                if let Some([a, b]) = pair {
                    of.statistic(format!("covariance of {a} and {b}"), &[a, b], covariance);
                }
            }
            for (key, value) in &wanted {
                let shown = got.get(key).unwrap_or_else(|| panic!("{says}: no {key:?} in {got:?}"));
                // Numbers are multiples of 2^-16, which sums add up; products round more.
                let by = match key.1.split(' ').next() {
                    Some("covariance" | "variance") => 0.1,
                    Some("sum") => 5e-3,
                    _ => 2e-4,
                };
                let near = match (shown, value) {
                    (Some(shown), Some(value)) => (shown - value).abs() <= by,
                    (shown, value) => shown == value,
                };
                assert!(near, "{says}: {key:?} is {shown:?}, not {value:?}");
            }
            let more: Vec<_> = got.keys().filter(|key| !wanted.contains_key(*key)).collect();
            assert!(more.is_empty(), "{says}: {more:?}");
        }
    }
}
