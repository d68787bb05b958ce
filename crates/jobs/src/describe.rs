//! What a job file says, for people who are to approve it.

use std::fmt::{self, Write as _};

use hushtable_columns::terminal::within_a_line;
use serde::Serialize;

use crate::job_file::{Flag, JOINING, JobFile, Operand, Step};

/// A job file in words; as JSON by the same names.
#[derive(Serialize)]
pub struct Described<'f> {
    hash: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'f str>,
    listens: &'f str,
    connects: &'f str,
    rows: Vec<String>,
    steps: Vec<String>,
    options: Vec<String>,
}

/// For people who are to approve it. Nothing in the file begins a line of its own.
impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hash, about, listens, connects, rows, steps, options } = self;
        let mut line = |label: &str, words: &str| writeln!(f, "{label:<8} {}", within_a_line(words));
        line("hash", hash)?;
        about.iter().try_for_each(|about| line("about", about))?;
        line("parties", &format!("{listens} listens, {connects} connects"))?;
        let of_rows = ["rows"].into_iter().chain(std::iter::repeat(""));
        of_rows.zip(rows).try_for_each(|(label, words)| line(label, words))?;
        (1..).zip(steps).try_for_each(|(i, step)| line(&format!("step {i}"), step))?;
        options.iter().try_for_each(|option| line("option", option))
    }
}

/// An option, and what it says.
fn said(Flag { key, value, .. }: &Flag) -> String {
    value.as_ref().map_or_else(|| key.clone(), |value| format!("{key} {value}"))
}

impl JobFile {
    /// What it says, in words.
    pub fn described(&self) -> Described<'_> {
        let [listens, connects] = &self.parties;
        let mut rows = vec![match &self.ids {
            Some([a, b]) if self.join => format!(
                "those in common, by a hidden join: column {a} of {listens}, {b} of {connects}; results tell their owner which"
            ),
            Some([a, b]) if self.is_joint() => format!(
                "those in common, by a hidden join: column {a} of {listens}, {b} of {connects}; nobody learns which"
            ),
            Some([a, b]) => format!("by ids: column {a} of {listens}, {b} of {connects}"),
            None => "by position alone".into(),
        }];
        if self.find_difference {
            rows.push("if ids differ, the first row where they do is found".into());
        }
        let steps = self.steps.iter().enumerate().map(|(i, step)| self.sentence(step, self.stays(i)));
        Described {
            hash: &self.hash,
            about: self.about.as_deref(),
            listens,
            connects,
            rows,
            steps: steps.collect(),
            options: self.options.iter().map(said).collect(),
        }
    }

    fn sentence(&self, step: &Step, stays: bool) -> String {
        let Step { name, operation, reveal, .. } = step;
        let mut text = format!("{name}: {operation}");
        let names = if operation == JOINING { ["columns", "missing"] } else { ["x", "y"] };
        for (which, operand) in names.into_iter().zip([&step.x, &step.y]) {
            if let Some(operand) = operand {
                write!(text, ", {which} = {}", self.operand(operand)).expect("text grows");
            }
        }
        for option in &step.options {
            write!(text, ", {}", said(option)).expect("text grows");
        }
        let kept = if stays { ", and stays shared for a later step" } else { "" };
        match reveal.as_str() {
            "none" if stays => text + "; nobody gets it, it stays shared for a later step",
            "none" => text + "; nobody gets it, each party keeps shares",
            "both" => text + "; both parties get it" + kept,
            name => text + &format!("; {name} alone gets it{kept}"),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Number(number) => number.clone(),
            Operand::Step(step) => format!("the result {}", self.steps[*step].name),
            Operand::Columns(columns) => {
                let parts = columns.iter().zip(&self.parties);
                let parts =
                    parts.filter_map(|(column, party)| Some(format!("{} of {party}", column.as_ref()?)));
                parts.collect::<Vec<_>>().join(" + ")
            }
        }
    }
}
