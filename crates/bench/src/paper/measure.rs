//! Our figure beside each cell of a paper's table.

use std::collections::{BTreeSet, HashMap};

use hushtable::net::LinkShape;
use hushtable_columns::failure::Result;
use hushtable_jobs::{
    choice::Optimise,
    cost::{Figures, Phases},
    extension::Extension,
};
use serde::Serialize;

use super::table::{Bounds, Column, Measure, Row, Source, Table, Unit};
use crate::{
    baseline, measured,
    run::{self, Options},
    work::Work,
};

/// One cell with what we have for it. Field names are a contract with other programs.
#[derive(Serialize)]
pub struct Line<'a> {
    pub table: &'static str,
    pub column: &'a str,
    pub unit: &'static str,
    pub row: &'a str,
    pub key: &'a str,
    pub paper: Option<f64>,
    pub corrected: Option<f64>,
    pub erratum: &'a str,
    pub net: String,
    pub batch: Option<usize>,
    /// What ours takes: `what` says of what.
    pub ours: Option<f64>,
    /// The same with set-up, which a session pays once.
    pub ours_with_setup: Option<f64>,
    /// The paper's figure, corrected, over ours; none for a run that was cut.
    pub ratio: Option<f64>,
    /// What the protocol takes that the planner chooses for this cell, which it is, and the paper's
    /// figure over it.
    pub auto: Option<f64>,
    pub auto_with_setup: Option<f64>,
    pub auto_protocol: Option<String>,
    pub auto_ratio: Option<f64>,
    /// What ours is.
    pub what: &'a str,
    /// How ours is smaller than the paper's job: then there are no ratios.
    pub cut: Option<String>,
    /// The parameters of our run and of the chosen one, as JSON.
    pub run: Option<String>,
    pub auto_run: Option<String>,
    /// What made correlated OTs.
    pub ot: String,
    /// Runs of each kind, whose medians count, and where and when they were made of which commit.
    pub runs: u16,
    pub cpu: &'a str,
    pub date: &'a str,
    pub commit: &'a str,
}

/// Where all figures of a call come from.
pub struct Origin<'a> {
    pub runs: u16,
    pub cpu: &'a str,
    pub date: &'a str,
    pub commit: &'a str,
}

/// A cell before the runs: the sources of its figures.
pub struct Cell<'a> {
    row: &'a Row,
    column: &'a Column,
    index: usize,
    own: Option<Source>,
    auto: Option<Source>,
}

/// Costs of the runs so far, by what was run on which network with which OTs.
#[derive(Default)]
pub struct Measured(HashMap<String, Taken>);

/// What a run took, and its steps.
struct Taken {
    phases: Phases,
    steps: Vec<(String, Figures)>,
}

/// What is run, over which network, with which OTs.
type Asked<'a> = (&'a Work, LinkShape, Extension);

/// The cells of the rows that have all the `words`, column by column. Says on standard error what the
/// tables describe and this program does not have.
pub fn cells<'a>(table: &'a Table, words: &[String], most: Bounds) -> Result<Vec<Cell<'a>>> {
    let (mut cells, mut unknown) = (Vec::new(), BTreeSet::new());
    for (index, column) in table.columns.iter().enumerate() {
        for row in table.rows.iter().filter(|row| words.iter().all(|word| row.has(word))) {
            let own = table.source(row, column, most).unwrap_or_else(|e| {
                unknown.insert(e.to_string());
                None
            });
            let auto = match (&own, column.measure) {
                (Some(own), Some(measure)) if column.auto => {
                    // Bits are those with Ferret, which a slow link gets.
                    let known = column.net.simulated().unwrap_or(LinkShape::USUAL);
                    let link = if measure.counts_bits() { LinkShape::WAN } else { known };
                    own.planned(&link, measure.optimise())?
                }
                _ => None,
            };
            cells.push(Cell { row, column, index, own, auto });
        }
    }
    unknown.iter().for_each(|what| eprintln!("not measured: {what}"));
    Ok(cells)
}

impl Cell<'_> {
    /// What must be run for this cell.
    fn runs(&self) -> impl Iterator<Item = Asked<'_>> {
        let works = self.own.iter().chain(&self.auto).flat_map(|s| [Some(&s.work), s.over.as_ref()]);
        works.flatten().map(|work| (work, self.column.net, self.column.ot()))
    }
}

impl Measured {
    /// Runs what is still missing for the cells, two processes each, every result verified. One line of
    /// progress a run, on standard error.
    pub fn complete(&mut self, cells: &[Cell], options: &Options) -> Result<()> {
        let mut missing: Vec<(String, Asked)> = Vec::new();
        for asked in cells.iter().flat_map(Cell::runs) {
            let key = key(asked);
            if !self.0.contains_key(&key) && missing.iter().all(|(known, ..)| *known != key) {
                missing.push((key, asked));
            }
        }
        missing.iter().try_for_each(|(_, (work, ..))| baseline::built(&***work))?;
        let total = missing.len();
        for (i, (key, (work, net, ot))) in missing.into_iter().enumerate() {
            eprintln!("run {} of {total}: {work}, {net}, OTs {ot}", i + 1);
            let options = Options { net, ot, ..options.clone() };
            let work = match work.prepared(&net) {
                Ok(work) => work,
                Err(refused) => {
                    eprintln!("not measured: {refused}");
                    continue;
                }
            };
            let runs = run::runs(&work, &options)?;
            self.0.insert(key, Taken { phases: measured::medians(&runs), steps: measured::steps(&runs) });
        }
        Ok(())
    }

    /// A cell as printed. Everything it needs has been run.
    pub fn line<'a>(&self, table: &'a Table, cell: &Cell<'a>, origin: &Origin<'a>) -> Line<'a> {
        let (row, column) = (cell.row, cell.column);
        let paper = Some(row.cells[cell.index]).filter(|v| !v.is_nan());
        let corrected = row.correction(cell.index);
        let figures = |source: &Source| self.figure(source, cell);
        let ours = cell.own.as_ref().and_then(figures);
        let auto = cell.auto.as_ref().and_then(figures);
        let cut = cell.own.as_ref().and_then(|own| own.cut.clone());
        let ratio = |ours: f64| corrected.or(paper).filter(|_| cut.is_none()).map(|paper| paper / ours);
        let run = |source: &Option<Source>| {
            source.as_ref().map(|source| serde_json::to_string(&source.work).expect("plain data"))
        };
        Line {
            table: table.name,
            column: &column.name,
            unit: column.unit.name(),
            row: &row.name,
            key: &row.key,
            paper,
            corrected,
            erratum: if corrected.is_some() { &row.erratum } else { "" },
            net: column.net.to_string(),
            batch: cell.own.as_ref().map(|own| own.work.items()),
            ours: ours.map(|f| f.value),
            ours_with_setup: ours.and_then(|f| f.with_setup),
            ratio: ours.and_then(|f| ratio(f.value)),
            auto: auto.map(|f| f.value),
            auto_with_setup: auto.and_then(|f| f.with_setup),
            auto_protocol: cell.auto.as_ref().and_then(|auto| auto.work.protocol()),
            auto_ratio: auto.and_then(|f| ratio(f.value)),
            what: if ours.is_some() { table.ours(row) } else { "" },
            run: run(&cell.own),
            auto_run: run(&cell.auto),
            cut,
            ot: cell.own.as_ref().map_or(String::new(), |own| {
                own.work.scheme().map_or(column.ot(), Extension::Of).to_string()
            }),
            runs: origin.runs,
            cpu: origin.cpu,
            date: origin.date,
            commit: origin.commit,
        }
    }

    fn figure(&self, source: &Source, cell: &Cell) -> Option<Figure> {
        let (column, measure) = (cell.column, cell.column.measure?);
        let of = |work: &Work, with_setup| {
            let taken = self.0.get(&key((work, column.net, column.ot())))?;
            let phases = match &cell.row.step {
                None => taken.phases,
                Some(name) => Phases { online: taken.step(name)?, ..Phases::default() },
            };
            let all = measure.of(&phases, with_setup);
            let each = all / work.items() as f64;
            Some(match column.unit {
                Unit::Kilobytes => each / 8000.0,
                Unit::Rounds => all,
                _ => each,
            })
        };
        let value = of(&source.work, false)?;
        Some(match &source.over {
            Some(over) => Figure { value: of(over, false)? / value, with_setup: None },
            None => {
                let part = measure.is_part_of_set_up() && cell.row.step.is_none();
                Figure { value, with_setup: of(&source.work, true).filter(|_| part) }
            }
        })
    }
}

#[derive(Clone, Copy)]
struct Figure {
    value: f64,
    with_setup: Option<f64>,
}

fn key((work, net, ot): Asked) -> String {
    format!("{net} {ot} {}", serde_json::to_string(work).expect("plain data"))
}

impl Taken {
    fn step(&self, name: &str) -> Option<Figures> {
        self.steps.iter().find(|(known, _)| known == name).map(|(_, figures)| *figures)
    }
}

impl Measure {
    /// Of a whole run.
    fn of(self, phases: &Phases, with_setup: bool) -> f64 {
        let &Phases { setup, offline, online } = phases;
        let mut counted = match self {
            Self::OfflineBits | Self::OfflineUs => vec![offline],
            Self::OnlineBits | Self::OnlineUs | Self::OnlineRounds => vec![online],
            Self::TotalBits | Self::TotalUs => vec![offline, online],
            Self::SessionBits | Self::SessionUs => vec![setup, offline, online],
        };
        if with_setup {
            counted.push(setup);
        }
        let bits = || counted.iter().map(|f| (f.bytes[0] + f.bytes[1]) as f64 * 8.0).sum();
        match self {
            Self::OnlineRounds => online.rounds as f64,
            _ if self.counts_bits() => bits(),
            _ => counted.iter().map(|f| f.seconds * 1e6).sum(),
        }
    }

    /// What `--protocol auto` is to make least for it.
    fn optimise(self) -> Optimise {
        match self {
            Self::OnlineUs => Optimise::Online,
            Self::OnlineRounds => Optimise::Rounds,
            Self::OfflineUs | Self::TotalUs | Self::SessionUs => Optimise::Total,
            Self::OfflineBits | Self::OnlineBits | Self::TotalBits | Self::SessionBits => Optimise::Bytes,
        }
    }

    /// Whether it counts what is sent.
    pub fn counts_bits(self) -> bool {
        matches!(self, Self::OfflineBits | Self::OnlineBits | Self::TotalBits | Self::SessionBits)
    }

    /// Whether set-up, which it leaves out, is a part of the same work.
    fn is_part_of_set_up(self) -> bool {
        matches!(self, Self::OfflineBits | Self::OfflineUs | Self::TotalBits | Self::TotalUs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with a step shows what the step took, of the same run as the row of all steps.
    #[test]
    fn rows_of_steps() {
        let table = Table::load("fable-table4").unwrap();
        let most = Bounds { items: 4, rows: 16 };
        let origin = Origin { runs: 3, cpu: "a cpu", date: "a day", commit: "a commit" };
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            cells(&table, &words, most).unwrap()
        };
        let [query, whole] = [of(&["FABLE", "Query"]), of(&["FABLE", "LowMC"])];
        let figures = |seconds, bytes| Figures { seconds, bytes: [bytes, 0], rounds: 1 };
        let mut measured = Measured::default();
        for asked in query.iter().flat_map(Cell::runs) {
            let phases = Phases { setup: figures(1.0, 1), offline: figures(2.0, 2), online: figures(8.0, 8) };
            let steps = vec![("oprf".into(), figures(7.0, 7)), ("query".into(), figures(4.0, 4000))];
            measured.0.insert(key(asked), Taken { phases, steps });
        }
        for cells in [&query, &whole] {
            for cell in cells {
                let line = measured.line(&table, cell, &origin);
                let wants = match (cell.row.step.is_some(), line.unit) {
                    (true, "us") => 1e6,
                    (true, _) => 1.0,
                    (false, "us") => 2.5e6,
                    (false, _) => 0.0025,
                };
                assert_eq!(line.ours, Some(wants), "{} {}", line.key, line.column);
                assert_eq!(line.ours_with_setup.is_some(), cell.row.step.is_none());
                assert_eq!(line.ot, if line.unit == "kB" { "ferret" } else { "auto" });
                assert_eq!((line.runs, line.date, line.commit), (3, "a day", "a commit"));
            }
        }
        assert_eq!((query.len(), whole.len()), (6, 6));
    }
}
