//! Asking: from the comparison of what is asked to the results.

use std::sync::{Arc, atomic::Ordering};

use crate::{
    cost::Phases,
    count::some,
    join::file::JoinedFile,
    meeting::{Agenda, Begun, SetUp},
    progress::Progress,
    row_results,
    stats::{
        groups::{self, Asked},
        orders::{self, Found},
        question::{
            Question,
            part::{Part, Statistic},
        },
    },
    took::Took,
};
use apps::statistics::{Group, Moments};
use hushtable::{
    Party, Role,
    bill::Bill,
    ot::Setting,
    run::{self, Phase, Reveal},
};
use hushtable_columns::{
    self as columns, FileFormat, Series,
    failure::Result,
    output::{Output, Writer},
    shares::role_name,
    terminal,
};
use serde::Serialize;

/// A question to two files.
pub struct Asking {
    question: Arc<Question>,
    file: JoinedFile,
    json: bool,
    quiet: bool,
    lines: Vec<Line>,
}

/// A result.
#[derive(Serialize)]
struct Line {
    group: String,
    statistic: String,
    /// Nothing where it is not shown, or where there is none.
    value: Option<f64>,
    /// Of a quantile: it lies at the last cut or above.
    #[serde(skip_serializing_if = "is_false")]
    above: bool,
}

fn is_false(above: &bool) -> bool {
    !above
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    role: &'a str,
    least: u32,
    results: &'a [Line],
    #[serde(flatten)]
    phases: Phases,
}

impl Asking {
    pub fn new(question: Question, file: JoinedFile, json: bool, quiet: bool) -> Self {
        Self { question: Arc::new(question), file, json, quiet, lines: vec![] }
    }

    fn line(&mut self, group: &str, statistic: &str, value: Option<f64>) {
        self.lines.push(Line {
            group: group.to_owned(),
            statistic: statistic.to_owned(),
            value,
            above: false,
        });
    }

    /// The statistics of a group that is shown, or of one that is not.
    fn group(&mut self, part: &Part, name: &str, group: Option<&Group>, found: &[&Found]) {
        self.line(name, &part.counted(), group.map(|group| group.count as f64));
        let rows = group.map_or(0.0, |group| group.count as f64).max(1.0);
        for statistic in &part.statistics {
            let sum = |at: usize| Some(group?.sums[at] as i64);
            let number = |at: usize| Some(part.series[at].number(sum(at)?));
            let count = group.map(|group| group.count).filter(|count| *count > 0);
            let (label, value) = match statistic {
                Statistic::Sum { name, sum: at } => {
                    (name, number(*at).map(|sum| part.error_of_sum(*at, rows).shown(sum)))
                }
                Statistic::Mean { name, sum: at } => {
                    let error = part.error_of_mean(*at, rows);
                    (name, number(*at).zip(count).map(|(sum, n)| error.shown(sum / n as f64)))
                }
                Statistic::Covariance { name, sums, products } => {
                    let unit = part.series[*products].number(1);
                    let moments = || {
                        let sums = [sum(sums[0])?, sum(sums[1])?];
                        Moments::of(count? as u64, sums, sum(*products)?)
                    };
                    let shown = |moments: Moments| {
                        let (value, [a, b]) = (moments.covariance * unit, moments.means);
                        let unit = |at: usize| part.series[sums[at]].number(1);
                        let means = [a * unit(0), b * unit(1)];
                        part.error_of_product((*sums, *products), means, value, rows).shown(value)
                    };
                    (name, moments().map(shown))
                }
            };
            self.line(name, label, value);
        }
        for (at, order) in part.orders.iter().enumerate() {
            let found = found.iter().find(|found| found.order == at);
            self.line(name, &order.name(), found.and_then(|found| found.value));
            self.lines.last_mut().expect("a line").above = found.is_some_and(|found| found.above);
        }
    }

    fn csv(&self, to: &mut Writer<'_>) -> std::io::Result<()> {
        let mut to = csv::Writer::from_writer(to);
        to.write_record(["group", "statistic", "value"])?;
        for Line { group, statistic, value, .. } in &self.lines {
            let value = value.map(|value| value.to_string()).unwrap_or_default();
            to.write_record([group, statistic, &value])?;
        }
        to.flush()
    }

    /// For formats with types.
    fn series(&self) -> Vec<(String, Series)> {
        let text = |of: fn(&Line) -> &String| {
            Series::Text(self.lines.iter().map(|line| Some(of(line).clone())).collect())
        };
        let values = Series::Number(self.lines.iter().map(|line| line.value).collect());
        let all = [text(|line| &line.group), text(|line| &line.statistic), values];
        ["group", "statistic", "value"].map(str::to_owned).into_iter().zip(all).collect()
    }

    /// For people.
    fn text(&self) -> String {
        let width =
            |of: fn(&Line) -> &str| self.lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0);
        let (group, statistic) = (width(|line| &line.group), width(|line| &line.statistic));
        let hidden = match (self.question.noise, self.question.least) {
            (None, 0 | 1) => "none".into(),
            (None, least) => format!("not shown, or none: fewer than {least} rows"),
            _ => "not shown, or none".into(),
        };
        let line = |line: &Line| {
            let none = || if line.above { "none of the cuts: it lies above".into() } else { hidden.clone() };
            let value = line.value.map_or_else(none, |value| value.to_string());
            format!("{:group$}  {:statistic$}  {value}\n", line.group, line.statistic)
        };
        self.lines.iter().map(line).collect()
    }
}

/// What it all costs, at most: if all groups are shown.
pub fn bill(question: &Question, file: &JoinedFile, under: &Setting) -> Result<Bill> {
    let bins = question.table(file).bins;
    let mut all = groups::bill(question, bins, under)? + orders::bill(question, bins, under)?;
    for part in &question.parts {
        all = all + run::bill(&question.shape(part, bins), 1, 1, Reveal::Both, under)?;
    }
    Ok(all)
}

impl Agenda for Asking {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let fields = self.question.fields(&self.file, p.role());
        row_results::agree(p, &fields, "")?;
        let (send, recv) = bill(&self.question, &self.file, &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        begun.settle(p, fields)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let question = Arc::clone(&self.question);
        let progress = Progress::start("parts of the question", question.parts.len(), self.quiet);
        let mut took = Took::default();
        let names = question.groups();
        let mut results = Vec::new();
        let asked = Asked { question: &question, file: &self.file, table: question.table(&self.file) };
        let members = asked.members(p, &mut took)?;
        for part in &question.parts {
            let members = asked.members_of(part, &members, p, &mut took)?;
            let columns = asked.columns(part, p, &mut took)?;
            let shape = question.shape(part, asked.table.bins);
            let operands: Vec<&[u64]> =
                [&members].into_iter().chain(&columns).map(|words| &words[..]).collect();
            let shown = Group::all(&shape, took.values(p, &shape, &operands)?);
            // Public by now: which groups have enough rows, and how many.
            let found = asked.orders(part, &members, &shown, p, &mut took)?;
            results.push((part, shown, found));
            progress.done().fetch_add(1, Ordering::Relaxed);
        }
        for (i, name) in names.iter().enumerate() {
            for (part, shown, found) in &results {
                let found: Vec<&Found> = found.iter().filter(|found| found.group == i).collect();
                self.group(part, name, shown.iter().find(|group| group.group == i), &found);
            }
        }
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        if let Some(output) = output {
            let path = output.path().to_owned();
            let format = FileFormat::of(&path);
            output.write(|to| match format {
                FileFormat::Csv => self.csv(to),
                _ => columns::write_series(to, format, &self.series()),
            })?;
            eprintln!("wrote {} to {}", some(self.lines.len(), "result"), path.display());
        }
        let (role, least) = (role_name(role), self.question.least);
        match self.json {
            true => {
                terminal::json(&Report { kind: "stats", role, least, results: &self.lines, phases: *phases })
            }
            false => terminal::print(&self.text()),
        }
    }
}
