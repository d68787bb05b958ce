//! This party's parts of the scores, and what is said of results.

use std::sync::Arc;

use crate::score::{
    options::{Score, THRESHOLD},
    weights::{self, Named},
};
use apps::scoring::{Question, Scoring};
use hushtable::run::Reveal;
use hushtable_columns::{ColumnFile, Format, Ids, failure::Result};
use prim::wipe::Wiped;

/// The name of the column of results.
pub fn column_name(question: &Question) -> String {
    match question {
        Question::AtLeast(t) => format!("at_least_{t}"),
        Question::Bands(_) => "band".to_owned(),
        Question::Probability => "probability".to_owned(),
    }
}

/// What is asked where nothing was said, and what a probability gives away.
pub fn say(args: &Score, reveal: Reveal) {
    if args.asked.nothing() {
        eprintln!(
            "the result is a decision: whether the probability is at least {THRESHOLD}; --threshold T, --bands A,B,C or \
             --reveal-exact ask for something else"
        );
    }
    let me = args.link.role();
    let who = match reveal {
        _ if !args.asked.reveal_exact => return,
        Reveal::Both => "each party compute the other's part of the score",
        Reveal::Only(role) if role == me => "this party compute the peer's part of the score",
        Reveal::Only(_) => "the peer compute this party's part of the score",
        Reveal::Nobody => return,
    };
    eprintln!(
        "warning: --reveal-exact lets {who} for every row: it is ln(p / (1 - p)) minus its own part, for the probability p"
    );
}

/// The names of the rows, in the columns `ids` of `file`, and this party's parts of their scores, of the features in it.
pub fn parts(
    args: &Score,
    scoring: &Scoring,
    ids: &[&str],
    file: &ColumnFile<'_>,
) -> Result<(Option<Arc<Ids>>, Wiped<u64>)> {
    let columns = file.header()?;
    let Named { features, weights } = weights::read(&args.weights, args.features(), &columns)?;
    let names: Vec<&str> = features.iter().map(String::as_str).collect();
    file.check_standing()?;
    let rows = file.read_named(&names, ids, |_, number| Ok(number))?;
    let unused = columns.iter().filter(|name| !ids.contains(&name.as_str()) && !features.contains(name));
    let unused = unused.map(String::as_str).collect::<Vec<_>>().join(", ");
    if !unused.is_empty() {
        eprintln!("not used, without a weight: {unused}");
    }
    let part = |row: &[f64]| {
        let part = weights.part(row).map_err(|e| e.to_string())?;
        scoring.encode(part).ok_or_else(|| {
            let limit = scoring.limit();
            let terms = names.iter().zip(row.iter().zip(&weights.values)).map(|(name, (x, w))| (name, x * w));
            let most = terms.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let most = most.map_or(String::new(), |(name, term)| format!("; most of it, {term}, is from {name:?}"));
            format!(
                "this party's part of the score, {part}, is outside -{limit} (included) to {limit} (excluded){most}; \
                 use more --bits or fewer --fraction-bits"
            )
        })
    };
    let words = file.each(&rows, part)?;
    Ok((rows.ids.map(Arc::new), words))
}

pub fn format(scoring: &Scoring) -> Format {
    Format { bits: scoring.bits(), fraction_bits: scoring.fraction() }
}
