//! `hushtable demo`: the example, as two processes of this program that run `join`, `stats` and `score`.

pub mod example;
mod text;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::demo::example::{BANK, COLUMNS, Demo, Found, IDS, Report, Row, Side, TELECOM, THRESHOLD, common};
use hushtable::{math::Function, net::LinkShape};
use hushtable_columns::{
    ColumnFile, Dialect,
    failure::{Failure, Result},
    terminal,
};
use hushtable_jobs::{
    score::{options, weights},
    stage::Stage,
    two_processes,
};

/// Runs the subcommand.
pub fn run(args: &Demo) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Failure::local(format!("temporary folder: {e}")))?;
    let sides = sides(folder.path())?;
    let found = {
        let stage = Stage::start("joining two tables");
        let join = both(&sides, args.net, &|side| join(side))?;
        stage.next("computing means of the rows in common");
        let means = both(&sides, args.net, &|side| stats(side))?;
        stage.next("scoring the rows in common");
        let explained = explained(&sides[0], args.net)?;
        let score = both(&sides, args.net, &|side| score(side))?;
        let report = |text: &str| -> Result<Report> {
            serde_json::from_str(text).map_err(|e| Failure::new(format!("report of a process: {e}")))
        };
        let reports = [report(&join[1])?, report(&score[1])?];
        let [means, _] = means;
        Found { means, explained, rows: rows(&sides)?, reports }
    };
    let text = text::text(args, &found);
    terminal::print(&text)?;
    found.rows.iter().try_for_each(Row::check)?;
    check_means(&found)
}

/// Writes each side's folder: its data and its identity.
fn sides(folder: &Path) -> Result<[Side; 2]> {
    let [bank_id, telecom_id] = two_processes::identities(folder, ["bank", "telecom"])?;
    let side = |role: usize, name: &'static str, files: [&'static str; 2], identity| -> Result<Side> {
        let folder = folder.join(name);
        fs::create_dir(&folder).map_err(Failure::writing(&folder))?;
        let side = Side { role, name, files, folder, identity };
        for (path, text) in side.inputs().iter().zip(files) {
            fs::write(path, text).map_err(Failure::writing(path))?;
        }
        Ok(side)
    };
    Ok([side(0, "bank", BANK, bank_id)?, side(1, "telecom", TELECOM, telecom_id)?])
}

impl Side {
    /// The table and the weights.
    fn inputs(&self) -> [PathBuf; 2] {
        ["csv", "toml"].map(|extension| self.folder.join(self.name).with_extension(extension))
    }

    fn joined(&self) -> PathBuf {
        self.folder.join("joined.json")
    }

    fn output(&self) -> PathBuf {
        self.folder.join("decisions.csv")
    }

    /// Each id, in small letters, and its part of the score, in the clear; in the order of the file.
    fn parts(&self) -> Result<Vec<(String, f64)>> {
        let [features, weights] = self.inputs();
        let (text, dialect) = (self.files[0].as_bytes().to_vec().into(), Dialect::default());
        let file = ColumnFile::of(&features, text, &dialect)?;
        let weights = weights::read(&weights, &features, &file.header()?)?;
        let names: Vec<&str> = weights.features.iter().map(String::as_str).collect();
        let read = file.read(&names, Some(IDS[self.role]), Ok)?;
        let ids = read.ids.as_ref().expect("asked for").iter().enumerate();
        let part = |(i, id): (usize, &str)| {
            let row: Vec<f64> = read.values.iter().map(|column| column[i]).collect();
            Ok((id.to_lowercase(), weights.weights.part(&row)?))
        };
        ids.map(part).collect()
    }
}

/// Runs both parties; what each wrote.
fn both(
    sides: &[Side; 2],
    net: LinkShape,
    command: &dyn Fn(&Side) -> Result<Command>,
) -> Result<[String; 2]> {
    let [bank, telecom] = sides.each_ref().map(|side| {
        let mut command = command(side)?;
        command.args(["--quiet", "--net", &net.to_string()]).arg("--identity").arg(&side.identity);
        Ok::<_, Failure>(command)
    });
    let (mut bank, mut telecom) = (bank?, telecom?);
    bank.args(["--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        telecom.args(["--connect", address]);
        telecom
    };
    two_processes::run(bank, connect, false)
}

/// What the program says of the scores before anything is sent: who learns what.
fn explained(side: &Side, net: LinkShape) -> Result<String> {
    let mut command = two_processes::program()?;
    command.args(["explain", "score", "--quiet", "--net", &net.to_string()]);
    scored(&mut command, side);
    let done = command.arg("--identity").arg(&side.identity).args(["--listen", "127.0.0.1:0"]).output();
    let done = done.map_err(|e| Failure::local(format!("cannot start a process: {e}")))?;
    let said = String::from_utf8_lossy(if done.status.success() { &done.stdout } else { &done.stderr });
    let learned = said.lines().skip_while(|line| !line.starts_with("Who learns"));
    let learned: Vec<&str> = learned.take_while(|line| !line.starts_with("What shows")).collect();
    match learned.is_empty() {
        true => Err(Failure::of_process(done.status.code().unwrap_or(2), said.trim_end())),
        false => Ok(learned.join("\n")),
    }
}

fn join(side: &Side) -> Result<Command> {
    let mut command = two_processes::program()?;
    command.args(["join", "--json", "--rows", "p0", "--normalise", "trim,lower"]);
    command.args(["--id", IDS[side.role], "--columns", COLUMNS[side.role]]);
    command.arg("--input").arg(&side.inputs()[0]).arg("--output").arg(side.joined());
    Ok(command)
}

fn stats(side: &Side) -> Result<Command> {
    let mut command = two_processes::program()?;
    command.arg("stats").arg(side.joined()).args(["--mean", "late_bills", "--by", "region"]);
    Ok(command)
}

fn score(side: &Side) -> Result<Command> {
    let mut command = two_processes::program()?;
    command.args(["score", "--json"]);
    scored(&mut command, side);
    Ok(command)
}

/// What is asked of the scores.
fn scored(command: &mut Command, side: &Side) {
    command.args(["--reveal", "p0", "--default", "0", "--threshold", &THRESHOLD.to_string()]);
    command.arg("--joined").arg(side.joined()).arg("--weights").arg(&side.inputs()[1]);
    command.arg("--output").arg(side.output());
}

/// How far rounding of features, weights and parts can move a probability, where the sigmoid is steepest (1/4).
fn bound() -> f64 {
    8.0 * 0.25 * 2f64.powi(-(options::FRACTION_BITS as i32))
}

impl Row {
    /// The probability, if there is one.
    fn plain(&self) -> Option<f64> {
        self.parts.map(|[bank, telecom]| Function::Sigmoid.eval(bank + telecom))
    }

    /// The result against plaintext. Parts are rounded, so the bit is free where the probability is that near.
    fn check(&self) -> Result<()> {
        let plain = self.plain();
        let above = plain.is_some_and(|plain| plain >= THRESHOLD);
        let free = plain.is_some_and(|plain| (plain - THRESHOLD).abs() <= bound());
        if free && [0.0, 1.0].contains(&self.at_least) || self.at_least == f64::from(u8::from(above)) {
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
    let bits = column(&results, IDS[0], &format!("at_least_{THRESHOLD}"))?;
    let telecom: HashMap<String, f64> = sides[1].parts()?.into_iter().collect();
    let bank = sides[0].parts()?;
    if bits.len() != bank.len() {
        return Err(Failure::Check("a customer has no result".into()));
    }
    let row = |((id, at_least), (key, part)): ((String, f64), (String, f64))| match id.to_lowercase() == key {
        true => Ok(Row { parts: telecom.get(&key).map(|other| [part, *other]), at_least, id }),
        false => Err(Failure::Check(format!("the result of {id} stands where that of {key} should"))),
    };
    bits.into_iter().zip(bank).map(row).collect()
}

/// An error unless the groups that were shown have all common customers together.
fn check_means(found: &Found) -> Result<()> {
    let counts = found.means.lines().filter(|line| line.contains(" count "));
    let sum: f64 = counts.filter_map(|line| line.split_whitespace().last()?.parse::<f64>().ok()).sum();
    match sum == common(&found.rows) as f64 {
        true => Ok(()),
        false => Err(Failure::Check(format!(
            "the groups have {sum} customers, and {} are common",
            common(&found.rows)
        ))),
    }
}

/// Id and number of each row.
fn column(text: &str, id: &str, name: &str) -> Result<Vec<(String, f64)>> {
    let bad = |e: &dyn std::fmt::Display| Failure::Check(format!("column {name}: {e}"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize::<HashMap<String, String>>();
    rows.map(|row| {
        let row = row.map_err(|e| bad(&e))?;
        let cell = |name: &str| row.get(name).ok_or_else(|| bad(&"missing"));
        Ok((cell(id)?.clone(), cell(name)?.parse().map_err(|e| bad(&e))?))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_bit_is_seen() {
        let row = |score: f64, at_least| Row { id: "x".into(), parts: Some([score, 0.0]), at_least };
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
        let step = 2f64.powi(-(options::FRACTION_BITS as i32));
        let row =
            |off: f64, at_least| Row { id: "x".into(), parts: Some([logit + off * step, 0.0]), at_least };
        row(0.9, 0.0).check().unwrap();
        row(-0.9, 1.0).check().unwrap();
        assert!(row(20.0, 0.0).check().is_err() && row(-20.0, 1.0).check().is_err());
        // Who is not in common gets 0.
        let alone = |at_least| Row { id: "x".into(), parts: None, at_least };
        alone(0.0).check().unwrap();
        assert!(alone(1.0).check().is_err());
    }
}
