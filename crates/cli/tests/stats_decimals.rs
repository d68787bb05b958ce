//! The decimals that `stats` shows, against exact results.

use crate::{
    common::{Done, Site},
    stats::{BANK, TELECOM, mean, results},
};

/// Whatever the columns: a result differs from the exact one by less than a unit of its last decimal.
#[test]
fn every_decimal_is_sure() {
    let mut state = 7u64;
    let mut cents = move |most: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % (100 * most)) as f64 / 100.0
    };
    for (first, second, limits) in
        [(3200, 40, ["", ""]), (90, 90, [":100", ":100"]), (100_000, 3, ["", ":10"])]
    {
        let site = Site::new();
        // The second follows the first a little.
        let rows: Vec<(f64, f64)> = (0..200)
            .map(|_| (cents(first), cents(second)))
            .map(|(x, y)| (x, (y * 50.0 + 25.0 * x * second as f64 / first as f64).round() / 100.0))
            .collect();
        let file = |name: &str, of: fn(&(f64, f64)) -> f64| {
            let lines = rows.iter().enumerate().map(|(i, row)| format!("k{i},{}\n", of(row)));
            format!("id,{name}\n") + &lines.collect::<String>()
        };
        site.write("bank.csv", &file("x", |row| row.0));
        site.write("telecom.csv", &file("y", |row| row.1));
        let asked = |name: &str, limit: &str, party: usize| {
            format!(
                "join --input {name}.csv --id id --columns {}{limit} --output p{party}.json",
                ["x", "y"][party]
            )
        };
        let [p0, p1] = [asked("bank", limits[0], 0), asked("telecom", limits[1], 1)];
        let _ = site.both(&format!("{p0} {BANK}"), &format!("{p1} {TELECOM}")).map(Done::ok);
        let got = results(&site, "--sum x,y --mean x,y --variance x,y --covariance x,y");
        let of = |f: fn(&(f64, f64)) -> f64| rows.iter().map(f);
        let means = [mean(of(|row| row.0)), mean(of(|row| row.1))];
        let product = |f: fn(&(f64, f64)) -> (f64, f64), [a, b]: [f64; 2]| {
            mean(rows.iter().map(f).map(|(x, y)| (x - a) * (y - b)))
        };
        for (statistic, exact) in [
            ("sum of x", of(|row| row.0).sum()),
            ("sum of y", of(|row| row.1).sum()),
            ("mean of x", means[0]),
            ("mean of y", means[1]),
            ("variance of x", product(|row| (row.0, row.0), [means[0]; 2])),
            ("variance of y", product(|row| (row.1, row.1), [means[1]; 2])),
            ("covariance of x and y", product(|row| *row, means)),
        ] {
            let shown = got[&("all".to_owned(), statistic.to_owned())].expect("enough rows");
            let decimals = shown.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let unit = 0.1f64.powi(decimals as i32);
            assert!(
                (shown - exact).abs() < unit,
                "{statistic} of numbers below {first}, {second}: {shown}, not {exact}"
            );
        }
    }
}
