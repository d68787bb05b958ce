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

use clap::Args;
use hushtable::{math::Function, net::LinkShape};
use serde::Deserialize;

use crate::{
    columns::{ColumnFile, Dialect},
    cost::Phases,
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

/// What the bank asks.
const THRESHOLD: f64 = 0.8;

/// Run the scoring example: both parties on this machine, two processes, mutual TLS
///
/// A bank and a telecom company know different things about the same 1000 customers, and have a common model of who
/// repays: each has the weights of its own columns. The bank alone gets one bit a customer, whether the probability is
/// at least 0.8, and nobody anything else: who got a probability and has its own part of the score would have the
/// other's. Every decision is compared with plaintext; a wrong one ends with exit code 1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Demo {
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = LinkShape::from_str)]
    net: LinkShape,
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
    let (explained, report) = {
        let _progress = Progress::start("demo", 1, false);
        (explained(&sides[0], args.net)?, both(&sides, args.net)?)
    };
    let rows = rows(&sides)?;
    let text = text(args, &rows, &explained, &report);
    io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
    rows.iter().try_for_each(Row::check)
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

    fn output(&self) -> PathBuf {
        self.folder.join("decisions.csv")
    }

    /// Id and part of each row's score, in the clear.
    fn parts(&self) -> Result<Vec<(String, f64)>> {
        let [features, weights] = self.inputs();
        let (text, dialect) = (self.files[0].as_bytes().to_vec().into(), Dialect::default());
        let names = ColumnFile::of(&features, text, &dialect)?.header()?;
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
fn both(sides: &[Side; 2], net: LinkShape) -> Result<Report> {
    let [bank, telecom] = sides.each_ref().map(|side| command(side, "score", net));
    let (mut bank, mut telecom) = (bank?, telecom?);
    bank.args(["--json", "--quiet", "--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        telecom.args(["--json", "--quiet", "--connect", address]);
        telecom
    };
    let reports = pair::run(bank, connect, false)?;
    serde_json::from_str(&reports[1]).map_err(|e| Failure::new(format!("report of a process: {e}")))
}

/// What the program says of the job before anything is sent: who learns what.
fn explained(side: &Side, net: LinkShape) -> Result<String> {
    let mut command = command(side, "explain score", net)?;
    let done = command.args(["--quiet", "--listen", "127.0.0.1:0"]).output();
    let done = done.map_err(|e| Failure::local(format!("cannot start a process: {e}")))?;
    let said = String::from_utf8_lossy(if done.status.success() { &done.stdout } else { &done.stderr });
    let learned = said.lines().skip_while(|line| !line.starts_with("Who learns"));
    let learned: Vec<&str> = learned.take_while(|line| !line.starts_with("What shows")).collect();
    match learned.is_empty() {
        true => Err(Failure::of_process(done.status.code().unwrap_or(2), said.trim_end())),
        false => Ok(learned.join("\n")),
    }
}

fn command(side: &Side, what: &str, net: LinkShape) -> Result<Command> {
    let [features, weights] = side.inputs();
    let mut command = pair::program()?;
    command.args(what.split(' ')).args(["--net", &net.to_string(), "--reveal", "p0"]);
    command.args(["--threshold", &THRESHOLD.to_string()]);
    command.arg("--features").arg(features).arg("--weights").arg(weights);
    command.arg("--output").arg(side.output()).arg("--identity").arg(&side.identity);
    Ok(command)
}

/// How far rounding of the parts can move a probability: half a step for each, where the sigmoid is steepest (1/4).
fn bound() -> f64 {
    2.0 * 0.5 * 0.25 * 2f64.powi(-(score::FRACTION_BITS as i32))
}

/// One customer.
struct Row {
    id: String,
    parts: [f64; 2],
    at_least: f64,
}

impl Row {
    fn plain(&self) -> f64 {
        Function::Sigmoid.eval(self.parts[0] + self.parts[1])
    }

    /// The result against plaintext. Parts are rounded, so the bit is free where the probability is that near.
    fn check(&self) -> Result<()> {
        let (above, free) = (self.plain() >= THRESHOLD, (self.plain() - THRESHOLD).abs() <= bound());
        if free || self.at_least == f64::from(u8::from(above)) {
            return Ok(());
        }
        Err(Failure::Check(format!("customer {}: {} and not {}", self.id, self.at_least, u8::from(above))))
    }
}

/// Both inputs beside the results, which the bank alone must have.
fn rows(sides: &[Side; 2]) -> Result<Vec<Row>> {
    let path = sides[0].output();
    let results = fs::read_to_string(&path).map_err(Failure::file(&path))?;
    if sides[1].output().exists() {
        return Err(Failure::Check("the telecom company got what is the bank's".into()));
    }
    let bits: HashMap<String, f64> =
        column(&results, &format!("at_least_{THRESHOLD}"))?.into_iter().collect();
    let missing = || Failure::Check("a customer has no result".into());
    let [bank, telecom] = sides.each_ref().map(Side::parts);
    let rows = bank?.into_iter().zip(telecom?).map(|((id, bank), (_, telecom))| {
        let at_least = bits.get(&id).copied().ok_or_else(missing)?;
        Ok(Row { parts: [bank, telecom], at_least, id })
    });
    rows.collect()
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

fn text(args: &Demo, rows: &[Row], explained: &str, report: &Report) -> String {
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
    writeln!(out, "What the bank was told before anything was sent (hushtable explain score)\n{explained}\n")
        .expect("text grows");
    let title = (format!("the bank gets: at least {THRESHOLD}"), "the telecom gets", "in plaintext");
    writeln!(out, "  {:10}{:>27}{:>19}{:>15}", "id", title.0, title.1, title.2).expect("text grows");
    for row in &rows[..SHOWN.min(rows.len())] {
        let (plain, bit) = (row.plain(), row.at_least);
        writeln!(out, "  {:10}{bit:>27}{:>19}{plain:>15.6}", row.id, "nothing").expect("text grows");
    }
    let right = rows.iter().filter(|row| row.check().is_ok()).count();
    write!(
        out,
        "  ...\n{right} of {} decisions are those of plaintext\n\nCost ({})\n{}",
        rows.len(),
        report.protocol,
        report.phases.table()
    )
    .expect("text grows");
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
    fn a_wrong_bit_is_seen() {
        let row = |score: f64, at_least| Row { id: "x".into(), parts: [score, 0.0], at_least };
        for (score, right) in [(-1.0, 0.0), (1.38, 0.0), (1.39, 1.0), (5.0, 1.0)] {
            row(score, right).check().unwrap();
            for wrong in [1.0 - right, f64::NAN, 2.0] {
                assert!(matches!(row(score, wrong).check(), Err(Failure::Check(_))), "{score}: {wrong}");
            }
        }
    }

    #[test]
    fn only_what_rounding_leaves_open_is_free() {
        let logit = Function::Ln.eval(THRESHOLD / (1.0 - THRESHOLD));
        let step = 2f64.powi(-(score::FRACTION_BITS as i32));
        let row = |off: f64, at_least| Row { id: "x".into(), parts: [logit + off * step, 0.0], at_least };
        row(0.9, 0.0).check().unwrap();
        row(-0.9, 1.0).check().unwrap();
        assert!(row(2.0, 0.0).check().is_err() && row(-2.0, 1.0).check().is_err());
    }
}
