//! A compared table as text, CSV and JSON.

use std::{fmt::Write as _, io};

use super::{measure::Line, table::Table};
use crate::report;

/// For people: a block for each column of the paper's table.
pub fn text(table: &Table, lines: &[Line]) -> String {
    let mut out = format!(
        "{}\n{}\nthe paper's machine: {}; network: {}\n",
        table.title, table.source, table.machine, table.network
    );
    for note in &table.notes {
        writeln!(out, "* {note}").expect("text grows");
    }
    let width = lines.iter().map(|l| (l.row.len() + l.key.len() + 1).max(l.column.len() + l.unit.len() + 3));
    let width = width.max().unwrap_or(0);
    for block in lines.chunk_by(|a, b| a.column == b.column) {
        let heading = format!("{} ({})", block[0].column, block[0].unit);
        writeln!(
            out,
            "\n{heading:width$}{:>10}{:>10}{:>10}{:>10}{:>9}{:>10}{:>10}{:>9}",
            "paper", "corrected", "ours", "+ set-up", "ratio", "auto", "+ set-up", "ratio"
        )
        .expect("text grows");
        for l in block {
            writeln!(
                out,
                "{:width$}{:>10}{:>10}{:>10}{:>10}{:>9}{:>10}{:>10}{:>9} {}",
                format!("{} {}", l.row, l.key),
                number(l.paper),
                number(l.corrected),
                number(l.ours),
                number(l.ours_with_setup),
                number(l.ratio),
                number(l.auto),
                number(l.auto_with_setup),
                number(l.auto_ratio),
                note(l),
            )
            .expect("text grows");
        }
    }
    explain(&mut out, table, lines);
    out
}

/// What stands below the blocks: what ours is, and where figures come from.
fn explain(out: &mut String, table: &Table, lines: &[Line]) {
    out.push('\n');
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for l in lines.iter().filter(|l| l.ours.is_some()) {
        match said.iter_mut().find(|(what, _)| *what == l.what) {
            Some((_, rows)) if rows.contains(&l.row) => {}
            Some((_, rows)) => rows.push(l.row),
            None => said.push((l.what, vec![l.row])),
        }
    }
    for (what, rows) in &said {
        let rows = if said.len() > 1 { format!(" of {}", rows.join(", ")) } else { String::new() };
        writeln!(out, "ours{rows}: {what}").expect("text grows");
    }
    if lines.iter().any(|l| l.auto.is_some()) {
        out.push_str("auto: what this library chooses for the column\n");
    }
    let mut ots: Vec<&str> = lines.iter().map(|l| l.ot.as_str()).filter(|ot| !ot.is_empty()).collect();
    ots.sort_unstable();
    ots.dedup();
    writeln!(out, "OTs: {}; auto: what the link gets; ferret where bits are counted", ots.join(", "))
        .expect("text grows");
    if let Some(Line { runs, cpu, date, commit, .. }) = lines.first() {
        writeln!(out, "medians of {runs} run(s), {cpu}; {date}, commit {commit}").expect("text grows");
    }
    out.push_str("set-up: connecting, base OTs, once a session\n");
    out.push_str("ratio: the paper's figure, corrected where it is wrong, over ours without set-up");
    let cut = lines.iter().any(|l| l.cut.is_some());
    out.push_str(if cut { "; none where our job was cut\n" } else { "\n" });
    for (erratum, reason) in &table.errata {
        writeln!(out, "corrected, {erratum}: {reason}").expect("text grows");
    }
}

/// What stands behind a row's figures: the protocol that was chosen, and what was cut.
fn note(line: &Line) -> String {
    let cut = line.cut.as_ref().filter(|_| line.ours.is_some()).map(|cut| format!("cut: {cut}"));
    let parts = [line.auto_protocol.clone(), cut];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Four digits that matter.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(v) if v.abs() >= 1000.0 => format!("{v:.0}"),
        Some(v) if v.abs() >= 100.0 => format!("{v:.1}"),
        Some(v) if v.abs() >= 10.0 => format!("{v:.2}"),
        Some(v) => format!("{v:.3}"),
    }
}

/// A line each, with a heading.
pub fn csv(lines: &[Line], to: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    lines.iter().try_for_each(|line| writer.serialize(line))?;
    writer.flush()
}

/// One line of JSON.
pub fn json(table: &Table, lines: &[Line]) -> String {
    let whole = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "cpu": report::cpu(),
        "table": table.name,
        "title": table.title,
        "source": table.source,
        "machine": table.machine,
        "network": table.network,
        "cells": lines,
    });
    whole.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases =
            [(None, "-"), (Some(4194304.0), "4194304"), (Some(0.0301), "0.030"), (Some(16.25), "16.25")];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
