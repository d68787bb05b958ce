//! Results of questions, for people and for programs.

use crate::{
    cost::Phases,
    count::some,
    stats::question::{
        Question,
        part::{Part, Statistic},
    },
};
use apps::statistics::{Group, Moments};
use hushtable::Role;
use hushtable_columns::{
    self as columns, FileFormat, Series, Style,
    failure::Result,
    manner,
    output::{Output, Writer},
    shares::role_name,
    terminal,
};
use serde::Serialize;

use super::orders::Found;

/// A result.
#[derive(Serialize)]
pub struct Line {
    /// Of a job file.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<String>,
    group: String,
    statistic: String,
    /// Nothing where it is not shown, or where there is none.
    value: Option<f64>,
    /// Of a quantile: it lies at the last cut or above.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    above: bool,
    /// What stands for people where there is no value.
    #[serde(skip)]
    none: String,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    role: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<u32>,
    results: &'a [Line],
    #[serde(flatten)]
    phases: Phases,
}

/// The statistics of a part, of a group that is shown, or of one that is not.
pub struct Told<'a> {
    pub part: &'a Part,
    pub name: &'a str,
    pub group: Option<&'a Group>,
    pub found: Vec<&'a Found>,
}

/// The lines of a question, of which `step` is the name in a job file.
pub fn lines<'a>(question: &Question, step: Option<&str>, told: impl Iterator<Item = Told<'a>>) -> Vec<Line> {
    let none = match (question.noise, question.least) {
        (None, 0 | 1) => "none".into(),
        (None, least) => format!("not shown, or none: fewer than {least} rows"),
        _ => "not shown, or none".into(),
    };
    let line = |group: &str, (statistic, value, above): (String, Option<f64>, bool)| Line {
        step: step.map(str::to_owned),
        group: group.to_owned(),
        statistic,
        value,
        above,
        none: none.clone(),
    };
    told.flat_map(|told| told.values().into_iter().map(|value| line(told.name, value)).collect::<Vec<_>>())
        .collect()
}

impl Told<'_> {
    /// Each statistic, its value if there is one, and whether it lies above all cuts.
    fn values(&self) -> Vec<(String, Option<f64>, bool)> {
        let Self { part, group, found, .. } = self;
        let mut all = vec![(part.counted(), group.map(|group| group.count as f64), false)];
        let rows = group.map_or(0.0, |group| group.count as f64).max(1.0);
        for statistic in &part.statistics {
            let sum = |at: usize| Some(group.as_ref()?.sums[at] as i64);
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
            all.push((label.clone(), value, false));
        }
        for (at, order) in part.orders.iter().enumerate() {
            let found = found.iter().find(|found| found.order == at);
            all.push((
                order.name(),
                found.and_then(|found| found.value),
                found.is_some_and(|found| found.above),
            ));
        }
        all
    }
}

/// Writes them, if there is where to, and prints them.
pub fn deliver(
    lines: &[Line],
    (output, style): (Option<Output>, &Style),
    (kind, least): (&str, Option<u32>),
    role: Role,
    phases: &Phases,
) -> Result<()> {
    if let Some(output) = output {
        let path = output.path().to_owned();
        let format = FileFormat::of(&path);
        output.write(|to| match format {
            FileFormat::Csv => write_csv(lines, style, to),
            _ => columns::write_series(to, format, &series(lines)),
        })?;
        eprintln!("wrote {} to {}", some(lines.len(), "result"), path.display());
    }
    match manner::is_json() {
        true => {
            terminal::json(&Report { kind, role: role_name(role), least, results: lines, phases: *phases })
        }
        false => terminal::print(&text(lines)),
    }
}

/// A column of texts: its name, and the text of a line.
type Text = (&'static str, fn(&Line) -> &str);

/// All of them.
fn texts(lines: &[Line]) -> Vec<Text> {
    let mut all: Vec<Text> = vec![("group", |line| &line.group), ("statistic", |line| &line.statistic)];
    if lines.iter().any(|line| line.step.is_some()) {
        all.insert(0, ("step", |line| line.step.as_deref().unwrap_or_default()));
    }
    all
}

fn write_csv(lines: &[Line], style: &Style, to: &mut Writer<'_>) -> std::io::Result<()> {
    let mut to = csv::WriterBuilder::new().delimiter(style.separator()).from_writer(to);
    let texts = texts(lines);
    to.write_record(texts.iter().map(|(name, _)| *name).chain(["value"]))?;
    for line in lines {
        let value = line.value.map(|value| style.number(value)).unwrap_or_default();
        to.write_record(texts.iter().map(|(_, of)| of(line)).chain([value.as_str()]))?;
    }
    to.flush()
}

/// For formats with types.
fn series(lines: &[Line]) -> Vec<(String, Series)> {
    let text = |(name, of): Text| {
        (name.to_owned(), Series::Text(lines.iter().map(|line| Some(of(line).to_owned())).collect()))
    };
    let values = Series::Number(lines.iter().map(|line| line.value).collect());
    texts(lines).into_iter().map(text).chain([("value".to_owned(), values)]).collect()
}

/// For people.
fn text(lines: &[Line]) -> String {
    let texts = texts(lines);
    let width = |of: &fn(&Line) -> &str| lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = texts.iter().map(|(_, of)| width(of)).collect();
    let line = |line: &Line| {
        let none = || if line.above { "none of the cuts: it lies above".into() } else { line.none.clone() };
        let value = line.value.map_or_else(none, |value| value.to_string());
        let cells = texts.iter().zip(&widths).map(|((_, of), width)| format!("{:width$}  ", of(line)));
        cells.collect::<String>() + &value + "\n"
    };
    lines.iter().map(line).collect()
}
