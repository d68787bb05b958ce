//! Results for each row of a hidden join, which go to who owns the rows: steps over its bins, and what is said of them.

pub mod of_file;

use crate::{
    choice::Choosing,
    job::{Body, Job, Placed},
    page::Page,
};
use hushtable::{
    Error, Party, Role,
    operation::{Elsewhere, Operation, Port},
    run::Reveal,
};
use hushtable_columns::{
    Style,
    failure::{Failure, Result},
    numbers::Operand,
    shares::role_name,
};
use prim::wipe::Wiped;

/// What is said and compared of a task over rows in common, whose steps follow from it.
#[derive(Clone, Debug)]
pub struct InCommon {
    /// What the parties compare.
    pub compared: Vec<(&'static str, String)>,
    /// What helps besides where their files differ.
    pub or: &'static str,
    /// How many rows are this party's.
    pub rows: usize,
    /// What stands behind "the rows in common", and what is computed of them.
    pub words: String,
    pub result: String,
    pub notes: Vec<(&'static str, String)>,
    /// Who gets results, each of its own rows.
    pub owners: Vec<Role>,
    pub default: Option<f64>,
    /// What a result tells.
    pub tells: String,
    /// What shows besides, and to whom.
    pub shows: Vec<(&'static str, String)>,
}

/// What is asked of each owner's rows alike.
pub struct Asked {
    /// Name of the results.
    pub column: String,
    /// What stands in place of a result where a bin does not match; nothing: the bits of match are told.
    pub default: Option<f64>,
    pub threads: Option<u16>,
    pub choosing: Choosing,
}

/// The bins of a join.
pub struct Bins {
    pub owner: Role,
    /// Shares of the bits whether they match, one a word.
    pub matched: Wiped<u64>,
    /// At the owner.
    pub placed: Option<Placed>,
    /// How its results are written.
    pub style: Style,
}

impl Bins {
    /// The steps of these bins: `first`, which gives the number that `main` takes, if there is one; `main`, whose results
    /// are shared additively; and what the owner gets of them.
    pub fn steps(self, jobs: &mut Vec<Job>, first: Option<Job>, main: Job, asked: &Asked) -> Result<()> {
        let from = jobs.len();
        let held = main.operation().result();
        let word = asked.default.map(|default| (default * 2f64.powi(held.fraction as i32)).round() as i64);
        let zeros = Wiped::zeros(self.matched.len());
        let mut last = step(Elsewhere::new(held, word)?, [self.matched, zeros], asked);
        last.take(1, from + usize::from(first.is_some()));
        (last.reveal, last.stays) = (Reveal::Only(self.owner), false);
        (last.column, last.placed, last.style) = (asked.column.clone(), self.placed, self.style);
        let mut main = main;
        if first.is_some() {
            main.take(0, from);
        }
        jobs.extend(first.into_iter().chain([main, last]));
        Ok(())
    }
}

/// A step that takes these words and whose results stay shared.
pub fn step<const N: usize>(operation: impl Operation + 'static, x: [Wiped<u64>; N], asked: &Asked) -> Job {
    let mut step = main(Body::Other(Box::new(operation)), x.into(), asked);
    step.stocked = false;
    step
}

/// The step for which there may be stored material.
pub fn main(body: Body, x: Vec<Wiped<u64>>, asked: &Asked) -> Job {
    let operand = |words| Operand { words, range: [0, 0], pairing: Default::default(), error: None };
    let (x, gives): (Vec<_>, Vec<_>) = x.into_iter().map(|words| (operand(words), true)).unzip();
    let mut job = Job::new(asked.threads, Reveal::Nobody, body, asked.column.clone(), None, x, gives);
    (job.stays, job.choosing) = (true, asked.choosing.clone());
    job
}

/// To whom results go, if somebody gets them.
pub fn somebody(reveal: Reveal, options: &str) -> Result<Reveal> {
    match reveal {
        Reveal::Nobody => Err(Failure::new(format!(
            "--reveal none cannot be combined with {options}: results are of a party's rows"
        ))),
        reveal => Ok(reveal),
    }
}

/// Of the owners of rows those whom results reach, P0 first.
pub fn owners(all: impl Iterator<Item = Role>, reveal: Reveal) -> Result<Vec<Role>> {
    let mut owners: Vec<Role> = all.filter(|role| reveal.reaches(*role)).collect();
    owners.sort_by_key(|role| *role as usize);
    match owners.is_empty() {
        false => Ok(owners),
        true => Err(Failure::new(
            "whoever is to get results owns no rows of this join; see --reveal, and `join --rows`",
        )),
    }
}

/// What `--default` says where results are held like this; nothing for empty.
pub fn default(text: Option<&str>, held: Port) -> Result<Option<f64>> {
    let Some(text) = text.filter(|text| *text != "empty") else { return Ok(None) };
    let scale = 2f64.powi(held.fraction as i32);
    let [least, most] = held.range.unwrap_or([-1, 1].map(|sign| sign << (held.bits - 2)));
    let [lo, hi] = [least, most].map(|end| end as f64 / scale);
    let whole = held.fraction == 0;
    let fine = |value: &f64| (lo..=hi).contains(value) && (!whole || value.fract() == 0.0);
    let kind = if whole { "a whole number from " } else { "" };
    let refused = || Failure::new(format!("--default {text}: accepted: {kind}{lo} to {hi}, or empty"));
    text.parse().ok().filter(fine).map(Some).ok_or_else(refused)
}

/// Compares what both must ask alike; `or` says what else helps where the files differ.
pub fn agree(p: &mut Party, fields: &[(String, String)], or: &str) -> Result<()> {
    let compared: Vec<(&str, String)> =
        fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    p.agree(&compared).map_err(|error| match &error {
        Error::Handshake { field, .. } if field == "files" => Failure::from(error)
            .worded(|text| format!("{text}. Both files must come from the same run of `join`{or}")),
        _ => Failure::from(error),
    })
}

impl InCommon {
    /// What is compared of any such task.
    pub fn compared(
        command: &str,
        files: String,
        owners: &[Role],
        default: Option<f64>,
    ) -> Vec<(&'static str, String)> {
        let default = default.map_or("empty".into(), |value| value.to_string());
        vec![
            ("command", format!("{command} of rows in common")),
            ("files", files),
            ("reveal", names(owners)),
            ("default", default),
        ]
    }

    /// Who gets results, in the same words at both parties.
    pub fn reveal(&self) -> String {
        names(&self.owners)
    }

    /// Says what is computed, by the operation of `job`, and who learns what.
    pub fn explain(&self, page: &mut Page, method: &str, me: Role) {
        page.title("What is computed");
        page.line("of", &format!("the rows in common{}", self.words));
        page.line("result", &self.result);
        page.line("by", method);
        self.notes.iter().for_each(|(name, words)| page.line(name, words));
        page.title("Who learns what");
        for (name, role) in [("this party", me), ("the peer", me.peer())] {
            if !self.owners.contains(&role) {
                page.line(
                    name,
                    "nothing: it gets no result, and does not learn which rows match, nor how many",
                );
                continue;
            }
            page.line(name, &format!("for each of its rows that the other has too {}", self.tells));
            match self.default {
                None => page.line("", "which of its rows the other has: the others' cells are empty"),
                Some(value) => {
                    let text = format!(
                        "a row that the other does not have gets {value}. A row in common may get {value} too; any other \
                         result tells that the row is in common"
                    );
                    page.line("", &text);
                }
            }
        }
    }
}

fn names(owners: &[Role]) -> String {
    owners.iter().map(|role| role_name(*role)).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_results_there_can_be() {
        let of = |held: Port, text: &str| default(Some(text), held).map_err(|e| e.to_string());
        let bit = Port::additive("bit", 16).within(Some([0, 1]));
        let probability = Port::additive("p", 40).scaled(2).within(Some([0, 4]));
        assert_eq!(of(bit, "0"), Ok(Some(0.0)));
        assert_eq!(of(bit, "empty"), Ok(None));
        assert_eq!(default(None, bit).unwrap(), None);
        assert_eq!(of(bit.within(Some([0, 2])), "2"), Ok(Some(2.0)));
        assert_eq!(of(probability, "0.25"), Ok(Some(0.25)));
        for (held, text) in [(bit, "2"), (bit, "0.5"), (probability, "1.5"), (probability, "none")] {
            assert!(of(held, text).unwrap_err().contains("--default"), "{text}");
        }
    }
}
