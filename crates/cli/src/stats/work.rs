//! Asking: from the comparison of what is asked to the results.

use crate::stats::{
    groups,
    question::{Question, Statistic},
};
use apps::statistics::{End, Extreme, Group, Moments};
use hushtable::{
    Party, Role,
    bill::Bill,
    operation::{Operation, Words},
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
use hushtable_jobs::{
    cost::Phases,
    count::some,
    digits::Digits,
    join::{file::JoinedFile, named::Number},
    meeting::{Agenda, Begun, SetUp},
    progress::Progress,
    row_results,
    took::Took,
};
use serde::Serialize;

/// A question to two files.
pub struct Asking {
    question: Question,
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
        Self { question, file, json, quiet, lines: vec![] }
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
    fn group(&mut self, name: &str, group: Option<&Group>) {
        self.line(name, "count", group.map(|group| group.count as f64));
        let rows = group.map_or(0.0, |group| group.count as f64).max(1.0);
        for statistic in self.question.statistics.clone() {
            let sum = |at: usize| Some(group?.sums[at] as i64);
            let number = |at: usize| Some(self.question.series[at].number(sum(at)?));
            let count = group.map(|group| group.count).filter(|count| *count > 0);
            let (label, value) = match statistic {
                Statistic::Sum { name, sum: at } => {
                    (name, number(at).map(|sum| self.question.error_of_sum(at, rows).shown(sum)))
                }
                Statistic::Mean { name, sum: at } => {
                    let error = self.question.error_of_mean(at, rows);
                    (name, number(at).zip(count).map(|(sum, n)| error.shown(sum / n as f64)))
                }
                Statistic::Covariance { name, sums, products } => {
                    let unit = self.question.series[products].number(1);
                    let moments = || {
                        let sums = [sum(sums[0])?, sum(sums[1])?];
                        Moments::of(count? as u64, sums, sum(products)?)
                    };
                    let question = &self.question;
                    let shown = |moments: Moments| {
                        let (value, [a, b]) = (moments.covariance * unit, moments.means);
                        let unit = |at: usize| question.series[sums[at]].number(1);
                        let means = [a * unit(0), b * unit(1)];
                        question.error_of_product((sums, products), means, value, rows).shown(value)
                    };
                    (name, moments().map(shown))
                }
            };
            self.line(name, &label, value);
        }
    }

    /// Minimum, maximum and quantiles; nothing unless enough rows match.
    fn orders(&mut self, p: &mut Party, enough: bool, took: &mut Took) -> Result<()> {
        let table = self.question.table(&self.file);
        let bins = table.bins;
        let matched = Words::new(table.matched.bits(bins).iter().collect());
        let mut found = Vec::new();
        for (largest, of) in &self.question.ends {
            let statistic = format!("{} of {}", if *largest { "largest" } else { "smallest" }, of.name);
            let mut value = None;
            if enough {
                let column = groups::numbers(of, &self.file, table);
                let opened = took.values(p, &extreme(*largest, of, bins), &[&matched, &column])?;
                let number = |word: i64| Digits::of_number(of.fraction_bits).shown(of.number(word as f64));
                value = opened.first().and_then(|column| column.first()).map(|word| number(*word));
            }
            found.push((statistic, value, false));
        }
        for (of, q, cuts, quantile) in &self.question.quantiles {
            let statistic = format!("quantile {q} of {}: below", of.name);
            let (mut value, mut above) = (None, false);
            if enough {
                let column = groups::numbers(of, &self.file, table);
                let opened = took.values(p, quantile, &[&matched, &column])?;
                let cut = opened.first().and_then(|reached| quantile.cut(reached));
                // As it was asked for.
                let place = cut.and_then(|cut| quantile.cuts.iter().position(|word| *word == cut));
                value = place.map(|place| cuts[place]);
                above = value.is_none();
            }
            found.push((statistic, value, above));
        }
        for (statistic, value, above) in found {
            self.line("all", &statistic, value);
            self.lines.last_mut().expect("a line").above = above;
        }
        Ok(())
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

/// The largest number or the smallest.
fn extreme(largest: bool, of: &Number, bins: usize) -> Extreme {
    let end = if largest { End::Greatest } else { End::Least };
    Extreme { end, bits: of.width(), bins }
}

/// What it all costs.
pub fn bill(question: &Question, file: &JoinedFile, under: &Setting) -> Result<Bill> {
    let bins = question.table(file).bins;
    let opened = |operation: &dyn Operation| run::bill(operation, 1, 1, Reveal::Both, under);
    let mut all = groups::bill(question, bins, under)? + opened(&question.shape(bins)?)?;
    for (largest, of) in &question.ends {
        all = all + opened(&extreme(*largest, of, bins))?;
    }
    for (.., quantile) in &question.quantiles {
        all = all + opened(quantile)?;
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
        let _progress = Progress::start("questions", 1, self.quiet);
        let mut took = Took::default();
        let table = self.question.table(&self.file);
        let members = groups::members(&self.question, p, &self.file, table, &mut took)?;
        let columns = groups::columns(&self.question, p, &self.file, table, &mut took)?;
        let shape = self.question.shape(table.bins)?;
        let operands: Vec<&[u64]> = [&members].into_iter().chain(&columns).map(|words| &words[..]).collect();
        let opened = Group::all(&shape, took.values(p, &shape, &operands)?);
        for (i, name) in self.question.by.names().iter().enumerate() {
            self.group(name, opened.iter().find(|group| group.group == i));
        }
        // Public by now: whether there are enough rows, and any.
        let enough = opened.first().is_some_and(|all| all.count > 0);
        self.orders(p, enough, &mut took)?;
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
