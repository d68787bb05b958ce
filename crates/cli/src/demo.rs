//! `hushtable demo`: the example, as two processes of this program that run `score`.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

use apps::scoring::{Question, Scoring};
use clap::Args;
use hushtable::{math::Function, net::Shape};
use serde::Deserialize;

use crate::{
    cost::Phases,
    csv_file::{CsvFile, Dialect},
    failure::{Failure, Result},
    identity, pair,
    progress::Progress,
    score::{self, weights},
};

const EXAMPLES: &str = "\
Examples:
  hushtable demo
  hushtable demo --net wan";

/// The parties' features and weights.
const BANK: [&str; 2] = [
    include_str!("../../../examples/data/scoring/bank.csv"),
    include_str!("../../../examples/data/scoring/bank.toml"),
];
const TELECOM: [&str; 2] = [
    include_str!("../../../examples/data/scoring/telecom.csv"),
    include_str!("../../../examples/data/scoring/telecom.toml"),
];

/// Rows of each listing.
const SHOWN: usize = 5;

/// What the bank asks in the end.
const THRESHOLD: f64 = 0.8;

/// Run the scoring example: both parties on this machine, two processes, mutual TLS
///
/// A bank and a telecom company know different things about the same 1000 customers, and have a common model of who
/// repays: each has the weights of its own columns. Both get the probability of every customer. Then the bank alone
/// gets whether the probability is at least 0.8, and nobody anything else. Neither sees the other's columns, weights
/// or scores. Every result is compared with plaintext; a difference above the proven bound ends with exit code 1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Demo {
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = Shape::from_str)]
    net: Shape,
}

/// What is read of the report of `score --json`.
#[derive(Deserialize)]
struct Report {
    protocol: String,
    #[serde(flatten)]
    phases: Phases,
}

/// One party of the example.
struct Side {
    name: &'static str,
    files: [&'static str; 2],
    folder: PathBuf,
    identity: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: &Demo) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Failure::local(format!("temporary folder: {e}")))?;
    let sides = sides(folder.path())?;
    let threshold = THRESHOLD.to_string();
    let (probabilities, thresholds) = {
        let _progress = Progress::start("demo", 2, false);
        let probabilities = both(&sides, args.net, "probability", &[])?;
        let asked = ["--threshold", &threshold, "--reveal", "p0"];
        (probabilities, both(&sides, args.net, "threshold", &asked)?)
    };
    let (rows, bound) = (rows(&sides)?, bound()?);
    let worst = rows.iter().max_by(|a, b| a.error().total_cmp(&b.error())).expect("the example has rows");
    let text = text(args, &rows, worst, bound, [&probabilities, &thresholds]);
    io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
    rows.iter().try_for_each(|row| row.check(bound))
}

/// Writes each side's folder: its data and its identity.
fn sides(folder: &Path) -> Result<[Side; 2]> {
    let [bank_id, telecom_id] = identity::pair(folder, ["bank", "telecom"])?;
    let side = |name: &'static str, files: [&'static str; 2], identity| -> Result<Side> {
        let folder = folder.join(name);
        fs::create_dir(&folder).map_err(Failure::writing(&folder))?;
        let side = Side { name, files, folder, identity };
        for (path, text) in side.inputs().iter().zip(files) {
            fs::write(path, text).map_err(Failure::writing(path))?;
        }
        Ok(side)
    };
    Ok([side("bank", BANK, bank_id)?, side("telecom", TELECOM, telecom_id)?])
}

impl Side {
    /// The features and the weights.
    fn inputs(&self) -> [PathBuf; 2] {
        ["csv", "toml"].map(|extension| self.folder.join(self.name).with_extension(extension))
    }

    fn output(&self, what: &str) -> PathBuf {
        self.folder.join(what).with_extension("csv")
    }

    /// Id and part of each row's score, in the clear.
    fn parts(&self) -> Result<Vec<(String, f64)>> {
        let [features, weights] = self.inputs();
        let (text, dialect) = (self.files[0].as_bytes().to_vec(), Dialect::default());
        let names = CsvFile::of(&features, text, &dialect)?.header()?;
        let weights = weights::read(&weights, &features, &names)?;
        let columns =
            weights.features.iter().map(|name| column(self.files[0], name)).collect::<Result<Vec<_>>>()?;
        let ids = column(self.files[0], "score")?.into_iter().map(|(id, _)| id);
        let part = |(i, id): (usize, String)| {
            let row: Vec<f64> = columns.iter().map(|column| column[i].1).collect();
            Ok((id, weights.weights.part(&row)?))
        };
        ids.enumerate().map(part).collect()
    }
}

/// Runs both parties; the report of one.
fn both(sides: &[Side; 2], net: Shape, what: &str, asked: &[&str]) -> Result<Report> {
    let [bank, telecom] = sides.each_ref().map(|side| command(side, net, what, asked));
    let (mut bank, mut telecom) = (bank?, telecom?);
    bank.args(["--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        telecom.args(["--connect", address]);
        telecom
    };
    let reports = pair::run(bank, connect, false)?;
    serde_json::from_str(&reports[1]).map_err(|e| Failure::new(format!("report of a process: {e}")))
}

fn command(side: &Side, net: Shape, what: &str, asked: &[&str]) -> Result<Command> {
    let [features, weights] = side.inputs();
    let mut command = pair::program()?;
    command.args(["score", "--json", "--quiet", "--net", &net.to_string()]).args(asked);
    command.arg("--features").arg(features).arg("--weights").arg(weights);
    command.arg("--output").arg(side.output(what)).arg("--identity").arg(&side.identity);
    Ok(command)
}

/// The error that rounding allows: half a step for each party's part, where the sigmoid is steepest (1/4), and what
/// the card says of the sigmoid.
fn bound() -> Result<f64> {
    let scoring = Scoring::new(score::BITS, score::FRACTION_BITS, Question::Probability)?;
    let ulp = 2f64.powi(-(score::FRACTION_BITS as i32));
    let sigmoid = scoring.card().map_or(0.0, |card| card.max_ulp());
    Ok((2.0 * 0.5 * 0.25 + sigmoid) * ulp)
}

/// One customer.
struct Row {
    id: String,
    parts: [f64; 2],
    probability: f64,
    at_least: f64,
}

impl Row {
    fn plain(&self) -> f64 {
        Function::Sigmoid.eval(self.parts[0] + self.parts[1])
    }

    fn error(&self) -> f64 {
        (self.probability - self.plain()).abs()
    }

    /// Both results against plaintext. Parts are rounded, so the bit is free where the probability is that near.
    fn check(&self, bound: f64) -> Result<()> {
        let (id, error) = (&self.id, self.error());
        // An error that is no number is not within the bound either.
        let within = error <= bound;
        if !within {
            return Err(Failure::Check(format!("customer {id}: error {error:.3e} is above {bound:.3e}")));
        }
        let (above, free) = (self.plain() >= THRESHOLD, (self.plain() - THRESHOLD).abs() <= bound);
        if free || self.at_least == f64::from(u8::from(above)) {
            return Ok(());
        }
        Err(Failure::Check(format!("customer {id}: {} and not {}", self.at_least, u8::from(above))))
    }
}

/// Both inputs beside the results; the probabilities must be the same at both parties.
fn rows(sides: &[Side; 2]) -> Result<Vec<Row>> {
    let read =
        |side: &Side, what| fs::read_to_string(side.output(what)).map_err(Failure::file(&side.output(what)));
    let results = read(&sides[0], "probability")?;
    if results != read(&sides[1], "probability")? {
        return Err(Failure::Check("the parties got different results".into()));
    }
    if sides[1].output("threshold").exists() {
        return Err(Failure::Check("the telecom company got what is the bank's".into()));
    }
    let by_id = |text: &str, name: &str| -> Result<HashMap<String, f64>> {
        Ok(column(text, name)?.into_iter().collect())
    };
    let probabilities = by_id(&results, "probability")?;
    let bits = by_id(&read(&sides[0], "threshold")?, &format!("at_least_{THRESHOLD}"))?;
    let missing = || Failure::Check("a customer has no result".into());
    let [bank, telecom] = sides.each_ref().map(Side::parts);
    bank?
        .into_iter()
        .zip(telecom?)
        .map(|((id, bank), (_, telecom))| {
            let result = |of: &HashMap<String, f64>| of.get(&id).copied().ok_or_else(missing);
            Ok(Row {
                parts: [bank, telecom],
                probability: result(&probabilities)?,
                at_least: result(&bits)?,
                id: id.clone(),
            })
        })
        .collect()
}

/// Id and number of each row.
fn column(text: &str, name: &str) -> Result<Vec<(String, f64)>> {
    let bad = |e: &dyn std::fmt::Display| Failure::Check(format!("column {name}: {e}"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize::<HashMap<String, String>>();
    rows.map(|row| {
        let row = row.map_err(|e| bad(&e))?;
        let cell = |name: &str| row.get(name).ok_or_else(|| bad(&"missing"));
        Ok((cell("id")?.clone(), cell(name)?.parse().map_err(|e| bad(&e))?))
    })
    .collect()
}

fn text(args: &Demo, rows: &[Row], worst: &Row, bound: f64, reports: [&Report; 2]) -> String {
    let mut out = format!(
        "A bank and a telecom company know different things about the same {} customers. Each has the weights of its own\n\
         columns in a common model of who repays; neither sees the other's columns, weights or scores.\n\
         Two processes on this machine, mutual TLS 1.3 over TCP on 127.0.0.1, network: {}.\n\n",
        rows.len(),
        args.net
    );
    for (who, [data, weights]) in
        [("The bank (P0, listens)", BANK), ("The telecom company (P1, connects)", TELECOM)]
    {
        write!(out, "{who} holds:\n{}", listing(data)).expect("text grows");
        let weights = weights.lines().filter(|line| line.contains('=')).collect::<Vec<_>>().join(", ");
        writeln!(out, "  and the weights {weights}\n").expect("text grows");
    }
    let title = ("both get", "in plaintext", format!("the bank gets: at least {THRESHOLD}"));
    writeln!(out, "  {:10}{:>12}{:>14}   {}", "id", title.0, title.1, title.2).expect("text grows");
    for row in &rows[..SHOWN.min(rows.len())] {
        let (plain, bit) = (row.plain(), row.at_least);
        writeln!(out, "  {:10}{:>12.6}{plain:>14.6}   {bit}", row.id, row.probability).expect("text grows");
    }
    write!(
        out,
        "  ...\nlargest difference of all {}: {:.6}, customer {}; it cannot exceed {bound:.6}\n",
        rows.len(),
        worst.error(),
        worst.id
    )
    .expect("text grows");
    for (what, report) in ["probabilities", "comparisons with the threshold"].into_iter().zip(reports) {
        write!(out, "\nCost of the {what} ({})\n{}", report.protocol, report.phases.table())
            .expect("text grows");
    }
    out
}

/// The first rows of a file in columns.
fn listing(data: &str) -> String {
    let mut out = String::new();
    for line in data.lines().take(SHOWN + 1) {
        out += "  ";
        for cell in line.split(',') {
            write!(out, "{cell:<21}").expect("text grows");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out + "  ...\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_and_is_tight() {
        let bound = bound().unwrap();
        let row = |probability| Row { id: "x".into(), parts: [-0.25, 0.25], probability, at_least: 0.0 };
        row(0.5).check(bound).unwrap();
        row(0.5 + bound * 0.999).check(bound).unwrap();
        for wrong in [0.5 + bound * 1.001, 0.5 - bound * 1.001, f64::NAN, f64::INFINITY] {
            assert!(matches!(row(wrong).check(bound), Err(Failure::Check(_))), "{wrong}");
        }
        assert!(bound < 4.0 / 65536.0, "{bound}");
    }

    #[test]
    fn a_wrong_bit_is_seen() {
        let row = |score: f64, at_least| {
            let probability = Function::Sigmoid.eval(score);
            Row { id: "x".into(), parts: [score, 0.0], probability, at_least }
        };
        let bound = bound().unwrap();
        for (score, right) in [(-1.0, 0.0), (1.38, 0.0), (1.39, 1.0), (5.0, 1.0)] {
            row(score, right).check(bound).unwrap();
            assert!(matches!(row(score, 1.0 - right).check(bound), Err(Failure::Check(_))), "{score}");
        }
    }
}
