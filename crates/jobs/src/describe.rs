//! What a job file says, for people who are to approve it.

use std::fmt::Write as _;

use hushtable_columns::terminal::within_a_line;

use crate::job_file::{Flag, JOINING, JobFile, Operand, Step};

impl JobFile {
    /// For people who are to approve it.
    pub fn describe(&self) -> String {
        let [listens, connects] = &self.parties;
        let mut page = format!("hash     {}\n", self.hash);
        let mut line = |label: &str, words: &str| {
            // Nothing in the file begins a line of its own.
            writeln!(page, "{label:<8} {}", within_a_line(words)).expect("text grows");
        };
        if let Some(about) = &self.about {
            line("about", about);
        }
        line("parties", &format!("{listens} listens, {connects} connects"));
        match &self.ids {
            Some([a, b]) if self.join => {
                let text = format!(
                    "those in common, by a hidden join: column {a} of {listens}, {b} of {connects}; results tell their \
                     owner which"
                );
                line("rows", &text);
            }
            Some([a, b]) if self.is_joint() => {
                let text = format!(
                    "those in common, by a hidden join: column {a} of {listens}, {b} of {connects}; nobody learns which"
                );
                line("rows", &text);
            }
            Some([a, b]) => line("rows", &format!("by ids: column {a} of {listens}, {b} of {connects}")),
            None => line("rows", "by position alone"),
        }
        if self.find_difference {
            line("", "if ids differ, the first row where they do is found");
        }
        for (i, step) in self.steps.iter().enumerate() {
            line(&format!("step {}", i + 1), &self.sentence(step, self.stays(i)));
        }
        for Flag { key, value, .. } in &self.options {
            line("option", &format!("{key} {}", value.as_deref().unwrap_or_default()));
        }
        page
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
        for Flag { key, value, .. } in &step.options {
            write!(text, ", {key} {}", value.as_deref().unwrap_or_default()).expect("text grows");
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
