//! What a question shows to whom, and what it takes, before anything is sent.

use std::collections::BTreeSet;

use crate::{
    calibration::Calibration,
    explain,
    forecast::{Forecast, Local, Protocols},
    join::{
        condition::Wanted,
        file::JoinedFile,
        named::{By, Number},
    },
    link::Link,
    page::Page,
    plain::{self, Names},
    stats::{
        question::{
            Question,
            part::{Order, Part, Series, Statistic},
        },
        work,
    },
};
use hushtable::operation::Operation;
use hushtable_columns::{failure::Result, shares::role_name};

/// The whole of it; `read` bytes of files are read.
pub fn page(question: &Question, file: &JoinedFile, link: &Link, read: u64) -> Result<Page> {
    let mut page = Page::new("hushtable stats, before anything is sent");
    page.plain(sentences(question, link)?);
    explain::who(&mut page, link)?;
    computed(&mut page, question, file);
    told(&mut page, question, file);
    page.title("What shows besides");
    let fields = question.fields(file, link.role());
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    page.detail("both compare", &fields.join("; "));
    page.title("What it takes");
    let forecast = Forecast::of(Calibration::load(None)?, link);
    let bill = work::bill(question, file, &forecast.under())?;
    forecast.sent(&mut page, &bill);
    let bins = question.table(file).bins;
    let chance = question.parts.iter().map(|part| question.shape(part, bins).chance(1)).sum();
    explain::chance(&mut page, &chance);
    let of_part = |part: &Part| bins * (1 + part.series.len());
    let cells = question.parts.iter().map(of_part).sum::<usize>() * question.groups().len();
    forecast.takes(&mut page, Protocols::Billed(bill), &Local { read, cells, ..Local::default() });
    Ok(page)
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(question: &Question, link: &Link) -> Result<[String; 3]> {
    let names = Names::of(link)?;
    let learned = match question.by.as_slice() {
        [] => "Both learn these numbers of all these rows together, if there are enough of them.",
        _ => "Both learn these numbers of each group of rows that is large enough.",
    };
    let rest = match question.noise {
        Some(_) => {
            "The numbers have noise, so that they say little about any single row; nobody learns which rows these are"
        }
        None => {
            "Nobody learns which rows these are, but exact numbers, and several questions together, can say something about a \
             single row (see \"Who learns what\")"
        }
    };
    Ok([
        format!(
            "{} compute {} together, over the rows that an earlier join found in both tables.",
            names.both(),
            question.words()
        ),
        learned.into(),
        format!("{rest}; {}.", plain::network(link)),
    ])
}

/// What comes out, and how it is rounded.
fn computed(page: &mut Page, question: &Question, file: &JoinedFile) {
    page.title("What is computed");
    page.line("of", &format!("the rows in common of {}", file.words()));
    if !question.conditions.is_empty() {
        page.line("where", &question.condition_words());
    }
    page.line("result", &question.words());
    if let names @ [_, _, ..] = &question.groups()[..] {
        page.line("groups", &names.join("; "));
    }
    for part in question.parts.iter().filter(|part| !part.present.is_empty()) {
        let names: Vec<&str> = part.present.iter().map(|(_, name)| name.as_str()).collect();
        page.line(
            "of",
            &format!(
                "statistics of {}: the rows where that is not missing, which are counted",
                names.join(" and ")
            ),
        );
    }
    for series in question.parts.iter().flat_map(|part| &part.series) {
        let (names, resolution) = match series {
            Series::Numbers { of, cut } if *cut > 0 => (of.name.clone(), of.number(2f64.powi(*cut as i32))),
            _ => continue,
        };
        page.line("rounding", &format!("{names} to multiples of {resolution}, where it is multiplied or gets noise; a smaller limit, `join --columns NAME:LIMIT`, makes it finer"));
    }
}

/// Who learns what, and what it may say beyond.
fn told(page: &mut Page, question: &Question, file: &JoinedFile) {
    page.title("Who learns what");
    let shown = match question.by[..] {
        [] => "these numbers, and how many rows are in common, if there are enough",
        _ => "these numbers of each group that is large enough, and how many rows it has",
    };
    page.line("both", shown);
    let orders = || question.parts.iter().flat_map(|part| &part.orders);
    if orders().any(|order| matches!(order, Order::End { .. })) {
        page.line("", "the smallest and the largest number are those of a row");
    }
    if orders().any(|order| matches!(order, Order::Rank { .. })) {
        page.line(
            "",
            "a median or quantile is the number of a row, or lies between those of two, and both are told",
        );
    }
    if !question.conditions.is_empty() {
        page.line("", "how many rows fulfil the conditions, if there are enough; not which");
    }
    if question
        .parts
        .iter()
        .flat_map(|part| &part.statistics)
        .any(|s| matches!(s, Statistic::Covariance { .. }))
    {
        page.line("", "a variance or covariance tells count, sums and sum of products");
    }
    sums(page, question, file);
    let cut = |order: &'_ Order| matches!(order, Order::Cut { .. });
    if orders().any(cut) {
        page.line(
            "quantiles",
            "tell below which cut a share of the rows lies; many, with many cuts, tell numbers of rows",
        );
    }
    let least = match question.least {
        0 | 1 => "none: groups of one row are shown, and tell what it has".to_owned(),
        least => format!("{least} rows; of fewer nothing is shown, not even whether there are any"),
    };
    page.line("least size", &least);
    match question.noise {
        Some(eps) => {
            page.line("noise", &format!("of both parties, epsilon {eps} for all of this; the least size is compared with a count that has noise"));
            page.line("", &question.noise_words());
        }
        None => page.line("noise", "none"),
    }
    missing(page, question);
    let by = question.by.iter().filter_map(|by| match by {
        By::Cuts { of, .. } => Some(of),
        By::Groups { .. } => None,
    });
    let conditions = question.conditions.iter().filter_map(|condition| match &condition.what {
        Wanted::Pieces { of, .. } => Some(of),
        Wanted::Groups { .. } => None,
    });
    let quantiles = orders().filter(|order| cut(order)).map(Order::of);
    let decided: BTreeSet<_> = by.chain(conditions).chain(quantiles).map(Number::decisions).collect();
    decided.iter().for_each(|text| page.line("decision", text));
    page.line(
        "repeated runs",
        "add up: two questions that differ in one row tell that row. Keep a list of what was asked",
    );
}

/// What exact numbers tell of the rows that lack a cell.
fn missing(page: &mut Page, question: &Question) {
    let names: BTreeSet<&str> =
        question.parts.iter().flat_map(|part| &part.present).map(|(_, name)| name.as_str()).collect();
    if question.noise.is_some() || names.is_empty() {
        return;
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    page.line(
        "missing cells",
        &format!("how many rows lack {names} is told too, also where they are fewer than the least size"),
    );
    let twice = question.added_up_twice().join(", ");
    if !twice.is_empty() {
        page.line(
            "",
            &format!(
                "{twice}: added up over all rows, and over those where other cells are there; the difference is the sum over the \
                 rest, of one row its number. The least size does not prevent this"
            ),
        );
    }
}

/// What exact sums tell the party that chose the numbers of a column.
fn sums(page: &mut Page, question: &Question, file: &JoinedFile) {
    if question.noise.is_some() {
        return;
    }
    let owner = |of: &Number| {
        let (role, _) = file.columns().nth(of.column).expect("a column of the join");
        if role_name(role) == file.role { "this party" } else { "the peer" }
    };
    // Names by whose columns they are, and pairs with columns of both.
    let mut owned: [(&str, Vec<String>); 2] = [("this party", vec![]), ("the peer", vec![])];
    let mut add = |of: &Number| {
        let (_, names) = owned.iter_mut().find(|(who, _)| *who == owner(of)).expect("one of both");
        if !names.contains(&of.name) {
            names.push(of.name.clone());
        }
    };
    let mut weighted = Vec::new();
    let all = question.parts.iter().flat_map(|part| part.statistics.iter().map(move |one| (part, one)));
    for (part, statistic) in all {
        let (Statistic::Sum { sum: at, .. }
        | Statistic::Mean { sum: at, .. }
        | Statistic::Covariance { products: at, .. }) = statistic;
        match &part.series[*at] {
            Series::Nothing => {}
            Series::Numbers { of, .. } => add(of),
            Series::Products { of: [a, b], .. } => {
                [a, b].into_iter().for_each(&mut add);
                if owner(a) != owner(b) {
                    weighted.extend([[a, b], [b, a]]);
                }
            }
        }
    }
    for (who, names) in owned.iter().filter(|(_, names)| !names.is_empty()) {
        let names = names.join(", ");
        page.line(
            "exact sums",
            &format!(
                "of {names} tell {who}, whose numbers these are, which of its rows are in them: with 1 in one row and 0 elsewhere, whether this row is in common"
            ),
        );
    }
    for [weights, of] in &weighted {
        page.line(
            "",
            &format!(
                "the sum of products tells {} a sum of {} with weights of its own, {}; with a weight on one row, that row's number",
                owner(weights),
                of.name,
                weights.name
            ),
        );
    }
    if owned.iter().any(|(_, names)| !names.is_empty()) {
        page.line("", "the least size does not prevent this; --noise does, up to its epsilon: use it where the peer chose the numbers");
    }
}
