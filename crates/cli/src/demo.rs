//! `hushtable demo`: the example, as two processes of this program that run `apply`.

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
use hushtable::{math::Function, net::Shape};
use serde::Deserialize;

use crate::{
    cost::Phases,
    failure::{Failure, Result},
    identity, pair,
    progress::Progress,
};

const EXAMPLES: &str = "\
Examples:
  hushtable demo
  hushtable demo --net wan";

const BANK: &str = include_str!("../../../examples/data/scoring/bank.csv");
const TELECOM: &str = include_str!("../../../examples/data/scoring/telecom.csv");

/// Rows of each listing.
const SHOWN: usize = 5;

/// Half a step for each of the two scores, which are rounded to 2^-8, where the sigmoid is steepest (1/4),
/// and half a step of the result, which is rounded to 2^-16.
const BOUND: f64 = 2.0 * (0.5 / 256.0) * 0.25 + 0.5 / 65536.0;

/// Run the scoring example: both parties on this machine, two processes, mutual TLS
///
/// A bank and a telecom company each hold a part of the score of the same 1000 customers. Both get
/// sigmoid(score at the bank + score at the telecom company) and neither sees the other's part. Every result is
/// compared with plaintext; too large a difference ends with exit code 1.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Demo {
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms)
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = Shape::from_str)]
    net: Shape,
}

/// What is read of the report of `apply --json`.
#[derive(Deserialize)]
struct Report {
    protocol: String,
    index_bits: u32,
    #[serde(flatten)]
    phases: Phases,
}

/// One party of the example.
struct Side {
    name: &'static str,
    data: &'static str,
    folder: PathBuf,
    identity: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: &Demo) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Failure::new(format!("temporary folder: {e}")))?;
    let sides = sides(folder.path())?;
    let reports = {
        let _progress = Progress::start("demo", 1, false);
        let [bank, telecom] = [0, 1].map(|i| apply(&sides[i], args.net));
        let mut bank = bank?;
        bank.args(["--listen", "127.0.0.1:0"]);
        let mut telecom = telecom?;
        let connect = |address: &str| {
            telecom.args(["--connect", address]);
            telecom
        };
        pair::run(bank, connect, false)?
    };
    let report: Report =
        serde_json::from_str(&reports[1]).map_err(|e| Failure::new(format!("report of a process: {e}")))?;
    let rows = rows(&sides)?;
    let worst = rows.iter().max_by(|a, b| a.error().total_cmp(&b.error())).expect("the example has rows");
    let text = text(args, &rows, worst, &report);
    io::stdout().write_all(text.as_bytes()).map_err(|e| Failure::new(format!("standard output: {e}")))?;
    worst.within_bound()
}

/// Writes each side's folder: its data and its identity.
fn sides(folder: &Path) -> Result<[Side; 2]> {
    let [bank_id, telecom_id] = identity::pair(folder, ["bank", "telecom"])?;
    let side = |name: &'static str, data, identity| {
        let folder = folder.join(name);
        fs::create_dir(&folder).map_err(Failure::file(&folder))?;
        let side = Side { name, data, folder, identity };
        fs::write(side.input(), data).map_err(Failure::file(&side.input())).map(|()| side)
    };
    Ok([side("bank", BANK, bank_id)?, side("telecom", TELECOM, telecom_id)?])
}

impl Side {
    fn input(&self) -> PathBuf {
        self.folder.join(self.name).with_extension("csv")
    }

    fn output(&self) -> PathBuf {
        self.folder.join("out.csv")
    }
}

fn apply(side: &Side, net: Shape) -> Result<Command> {
    let mut command = pair::program()?;
    command.args(["apply", "sigmoid", "--column", "score", "--json", "--quiet", "--net", &net.to_string()]);
    command.arg("--input").arg(side.input());
    command.arg("--output").arg(side.output());
    command.arg("--identity").arg(&side.identity);
    Ok(command)
}

/// One customer.
struct Row {
    id: String,
    bank: f64,
    telecom: f64,
    result: f64,
}

impl Row {
    fn plain(&self) -> f64 {
        Function::Sigmoid.eval(self.bank + self.telecom)
    }

    fn error(&self) -> f64 {
        (self.result - self.plain()).abs()
    }

    fn within_bound(&self) -> Result<()> {
        // Written so that an error that is no number fails.
        if self.error() <= BOUND {
            return Ok(());
        }
        let (id, error) = (&self.id, self.error());
        Err(Failure::Check(format!("customer {id}: error {error:.3e} is above the bound {BOUND:.3e}")))
    }
}

/// Both inputs beside the result, which must be the same at both parties.
fn rows(sides: &[Side; 2]) -> Result<Vec<Row>> {
    let [bank, telecom] = sides;
    let outputs =
        [bank, telecom].map(|side| fs::read_to_string(side.output()).map_err(Failure::file(&side.output())));
    let [at_bank, at_telecom] = outputs;
    let results = at_bank?;
    if results != at_telecom? {
        return Err(Failure::Check("the parties got different results".into()));
    }
    let (own, other) = (column(bank.data, "score")?, column(telecom.data, "score")?);
    let result: HashMap<String, f64> = column(&results, "sigmoid")?.into_iter().collect();
    let missing = || Failure::Check("a customer has no result".into());
    own.into_iter()
        .zip(other)
        .map(|((id, bank), (_, telecom))| {
            let result = *result.get(&id).ok_or_else(missing)?;
            Ok(Row { id, bank, telecom, result })
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

fn text(args: &Demo, rows: &[Row], worst: &Row, report: &Report) -> String {
    let mut out = format!(
        "A bank and a telecom company each hold a part of the score of the same {} customers. Together they compute\n\
         sigmoid(score at the bank + score at the telecom company); neither sees the other's part.\n\
         Two processes on this machine, mutual TLS 1.3 over TCP on 127.0.0.1, network: {}.\n\n",
        rows.len(),
        args.net
    );
    for (who, data) in [("The bank (P0, listens)", BANK), ("The telecom company (P1, connects)", TELECOM)] {
        write!(out, "{who} holds:\n{}", listing(data)).expect("text grows");
    }
    out += "Both get:\n";
    writeln!(out, "  {:10}{:>12}{:>14}{:>12}", "id", "result", "in plaintext", "difference")
        .expect("text grows");
    for row in &rows[..SHOWN.min(rows.len())] {
        let (plain, difference) = (row.plain(), row.result - row.plain());
        writeln!(out, "  {:10}{:>12.6}{plain:>14.6}{difference:>12.6}", row.id, row.result)
            .expect("text grows");
    }
    write!(
        out,
        "  ...\nlargest difference of all {}: {:.6}, customer {}\nit cannot exceed {BOUND:.6}: scores are rounded to \
         2^-8, the result to 2^-16\n\nCost ({}, tables of 2^{} entries)\n{}",
        rows.len(),
        worst.error(),
        worst.id,
        report.protocol,
        report.index_bits,
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
    out + "  ...\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_and_is_tight() {
        let row = |result| Row { id: "x".into(), bank: -0.25, telecom: 0.25, result };
        row(0.5).within_bound().unwrap();
        row(0.5 + BOUND * 0.999).within_bound().unwrap();
        for wrong in [0.5 + BOUND * 1.001, 0.5 - BOUND * 1.001, f64::NAN, f64::INFINITY] {
            assert!(matches!(row(wrong).within_bound(), Err(Failure::Check(_))), "{wrong}");
        }
        // Both scores half a step off, where the sigmoid is steepest.
        let off = Function::Sigmoid.eval(2.0 * 0.5 / 256.0) - 0.5;
        assert!(off < BOUND && off + 1.0 / 65536.0 > BOUND);
    }
}
