//! Our figure beside each cell of a paper's table.

use std::collections::{BTreeSet, HashMap};

use hushtable::net::LinkShape;
use hushtable_cli::{choice::Optimise, cost::Phases, failure::Result};
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
}

/// A cell before the runs: the sources of its figures.
pub struct Cell<'a> {
    row: &'a Row,
    column: &'a Column,
    index: usize,
    own: Option<Source>,
    auto: Option<Source>,
}

/// Costs of the runs so far, by what was run on which network.
#[derive(Default)]
pub struct Measured(HashMap<String, Phases>);

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
                (Some(own), Some(measure)) if column.auto => own.planned(&column.net, measure.optimise())?,
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
    fn runs(&self) -> impl Iterator<Item = (&Work, LinkShape)> {
        let works = self.own.iter().chain(&self.auto).flat_map(|s| [Some(&s.work), s.over.as_ref()]);
        works.flatten().map(|work| (work, self.column.net))
    }
}

impl Measured {
    /// Runs what is still missing for the cells, two processes each, every result verified. One line of
    /// progress a run, on standard error.
    pub fn complete(&mut self, cells: &[Cell], options: &Options) -> Result<()> {
        let mut missing: Vec<(String, &Work, LinkShape)> = Vec::new();
        for (work, net) in cells.iter().flat_map(Cell::runs) {
            let key = key(work, net);
            if !self.0.contains_key(&key) && missing.iter().all(|(known, ..)| *known != key) {
                missing.push((key, work, net));
            }
        }
        missing.iter().try_for_each(|(_, work, _)| baseline::built(&***work))?;
        let total = missing.len();
        for (i, (key, work, net)) in missing.into_iter().enumerate() {
            eprintln!("run {} of {total}: {work}, {net}", i + 1);
            let options = Options { net, ..options.clone() };
            if let Some(refused) = work.refused(&net) {
                eprintln!("not measured: {refused}");
                continue;
            }
            self.0.insert(key, measured::medians(&run::runs(work, &options)?));
        }
        Ok(())
    }

    /// A cell as printed. Everything it needs has been run.
    pub fn line<'a>(&self, table: &'a Table, cell: &Cell<'a>) -> Line<'a> {
        let (row, column) = (cell.row, cell.column);
        let paper = Some(row.cells[cell.index]).filter(|v| !v.is_nan());
        let corrected = row.correction(cell.index);
        let figures = |source: &Source| self.figure(source, column);
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
        }
    }

    fn figure(&self, source: &Source, column: &Column) -> Option<Figure> {
        let measure = column.measure?;
        let of = |work: &Work, with_setup| {
            let value = measure.of(self.0.get(&key(work, column.net))?, with_setup) / work.items() as f64;
            Some(if column.unit == Unit::Kilobytes { value / 8000.0 } else { value })
        };
        let value = of(&source.work, false)?;
        Some(match &source.over {
            Some(over) => Figure { value: of(over, false)? / value, with_setup: None },
            None => {
                Figure { value, with_setup: of(&source.work, true).filter(|_| measure.is_part_of_set_up()) }
            }
        })
    }
}

#[derive(Clone, Copy)]
struct Figure {
    value: f64,
    with_setup: Option<f64>,
}

fn key(work: &Work, net: LinkShape) -> String {
    format!("{net} {}", serde_json::to_string(work).expect("plain data"))
}

impl Measure {
    /// Of a whole run.
    fn of(self, phases: &Phases, with_setup: bool) -> f64 {
        let &Phases { setup, offline, online } = phases;
        let mut counted = match self {
            Self::OfflineBits | Self::OfflineUs => vec![offline],
            Self::OnlineBits | Self::OnlineUs => vec![online],
            Self::TotalBits | Self::TotalUs => vec![offline, online],
            Self::SessionBits | Self::SessionUs => vec![setup, offline, online],
        };
        if with_setup {
            counted.push(setup);
        }
        let bits = || counted.iter().map(|f| (f.bytes[0] + f.bytes[1]) as f64 * 8.0).sum();
        match self {
            Self::OfflineBits | Self::OnlineBits | Self::TotalBits | Self::SessionBits => bits(),
            Self::OfflineUs | Self::OnlineUs | Self::TotalUs | Self::SessionUs => {
                counted.iter().map(|f| f.seconds * 1e6).sum()
            }
        }
    }

    /// What `--protocol auto` is to make least for it.
    fn optimise(self) -> Optimise {
        match self {
            Self::OnlineUs => Optimise::Online,
            Self::OfflineUs | Self::TotalUs | Self::SessionUs => Optimise::Total,
            Self::OfflineBits | Self::OnlineBits | Self::TotalBits | Self::SessionBits => Optimise::Bytes,
        }
    }

    /// Whether set-up, which it leaves out, is a part of the same work.
    fn is_part_of_set_up(self) -> bool {
        matches!(self, Self::OfflineBits | Self::OfflineUs | Self::TotalBits | Self::TotalUs)
    }
}
