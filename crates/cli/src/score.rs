//! `hushtable score`: a logistic regression whose features and weights two parties hold.

mod common;
pub mod weights;

pub use common::InJob;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use apps::scoring::{Question, Scoring};
use clap::Args;
use hushtable::run::Reveal;
use prim::wipe::Wiped;

use self::{common::Rowing, weights::Named};
use crate::{
    apply::{
        agree::{Common, Terms},
        decision,
        delivery::Delivery,
        evaluate,
        input::{Format, Operand},
        job::{Job, SHARED_BITS, Work},
        refuse,
        session::Task,
        stock::{Stock, Stored},
    },
    columns::{ColumnFile, Dialect, Ids},
    failure::Result,
    link::Link,
};

/// The format of scores unless another is asked for.
pub const BITS: u32 = 40;
pub const FRACTION_BITS: u32 = 16;

/// Where decisions are made unless something else is asked.
const THRESHOLD: f64 = 0.5;

const EXAMPLES: &str = "\
The model is split by features: each party has the columns and the weights of its own. Its part of a row's score is \
intercept + sum of weight * feature; the probability is sigmoid(part of P0 + part of P1). Neither sees the other's \
features, weights or parts; but what is opened says something about them:
    --threshold T, the default with T = 0.5: one bit a row, whether the probability is at least T. Whoever gets it learns \
whether the other's part is at least ln(T / (1 - T)) minus its own.
    --bands A,B,C: a number from 0 to 3 a row, how many of A, B and C the probability reaches. Whoever gets it learns \
between which two numbers the other's part lies.
    --reveal-exact: the probability p. Whoever gets it computes the other's part, ln(p / (1 - p)) minus its own, nearly \
exactly, for every row. Only for parties that may know each other's parts; so --reveal must say who gets it.
  Runs with other thresholds over the same rows add up: each halves what is not known. --dry-run shows all of this \
for a job, and its cost, before anything is sent; --record keeps it with the job's outcome.
  The weights are a TOML file; a party without an intercept leaves it out, and two intercepts add up:
    intercept = -0.25
    [weights]
    income_keur = 0.03
    debt_ratio = -1.9
  Every weight needs its column in --features; columns without a weight are not used. Parts are rounded to \
multiples of 2^-F, F = --fraction-bits, and must fit an eighth of what --bits hold; the first row that does not is \
named.
  Rows are matched by position: both files must have the same ids in the same order, which is compared at the start.
  If they are not, --join ID finds the rows in common by a hidden join first, and --joined FILE takes the rows of such \
a join, whose columns of numbers the weights are for. Results go to who owns the rows (--reveal: me, peer, or both, \
each of its own), in the order of its file. They tell which of its rows the other has: the cells of others are \
empty. --default 0, with a threshold, tells less: a row that the other does not have looks like one that does not \
reach it. The other party does not learn which rows match. With --joined, weights are rounded to multiples of 2^-24 \
and scores down by up to 3 steps of 2^-F; each weight costs 256 bytes a row, so --join is the cheaper one.

Examples:
  The bank learns whether the probability is at least 0.8, and nothing else; the telecom company learns nothing:
    hushtable score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable score --threshold 0.8 --reveal peer --features telecom.csv --weights telecom.toml \\
        --connect bank.example:7000 --identity telecom.id
  The same for files in different orders with partly different customers; who is not in common gets 0:
    hushtable score --join id --default 0 --threshold 0.8 --reveal me --features bank.csv \\
        --weights bank.toml --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable score --join id --default 0 --threshold 0.8 --reveal peer --features telecom.csv \\
        --weights telecom.toml --connect bank.example:7000 --identity telecom.id
  What that would show, to whom, and what it takes; nothing is sent:
    hushtable explain score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --listen 0.0.0.0:7000 --identity bank.id
  Both get one of four bands; the peer names the same:
    hushtable score --bands 0.2,0.5,0.8 --features bank.csv --weights bank.toml --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id";

/// Score rows with a logistic regression whose features and weights both parties hold parts of
///
/// The listening party is P0. The result is a decision for each row, at 0.5 unless --threshold, --bands or
/// --reveal-exact asks for something else: a column `at_least_T` of 0 and 1, a column `band`, or `probability`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Score {
    /// This party's features: a CSV file with a header, or a Parquet or Arrow file
    #[arg(long, value_name = "FILE", required_unless_present = "joined")]
    features: Option<PathBuf>,
    /// This party's weights: a TOML file
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// The column that names the rows
    #[arg(long, value_name = "NAME", default_value = "id")]
    id: String,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    rowing: Rowing,
    /// Binary digits after the point of scores and probabilities, 4 to 24
    #[arg(long, value_name = "F", default_value_t = FRACTION_BITS, value_parser = clap::value_parser!(u32).range(4..=24))]
    fraction_bits: u32,
    /// Bits that hold a score with its sign, 16 to 64
    #[arg(long, value_name = "BITS", default_value_t = BITS, value_parser = clap::value_parser!(u32).range(16..=64))]
    bits: u32,
    #[command(flatten)]
    csv: Dialect,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    link: Link,
}

/// What is asked about each row; the peer asks the same.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct Asked {
    /// Whether the probability is at least T, more than 0 and less than 1: one bit a row [default: 0.5]
    #[arg(long, value_name = "T")]
    threshold: Option<f64>,
    /// How many of 1 to 15 increasing thresholds the probability reaches: 0.2,0.5,0.8 gives 0 to 3
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    bands: Option<Vec<f64>>,
    /// The probability; whoever gets it can compute the other party's part of the score
    #[arg(long)]
    reveal_exact: bool,
}

impl Asked {
    /// As the library has it.
    pub fn question(&self) -> Question {
        match (&self.bands, self.reveal_exact) {
            (Some(thresholds), _) => Question::Bands(thresholds.clone()),
            (None, true) => Question::Probability,
            (None, false) => Question::AtLeast(self.threshold.unwrap_or(THRESHOLD)),
        }
    }

    /// Nothing was asked for.
    pub fn nothing(&self) -> bool {
        self.threshold.is_none() && self.bands.is_none() && !self.reveal_exact
    }
}

/// Runs the subcommand.
pub fn run(args: &Score) -> Result<()> {
    args.link.attended(|| score(args))
}

fn score(args: &Score) -> Result<()> {
    if args.rowing.asked() {
        return common::score(args, None);
    }
    refuse("needs --joined or --join", [("--default", args.rowing.default.is_some())])?;
    let (mut job, stock) = (args.job()?, Stock::open(&args.stored, &args.link)?);
    stock.check(&mut job)?;
    let common = Common::of(&args.terms, &args.delivery);
    let (delivery, link, inputs) = (&args.delivery, &args.link, args.inputs());
    Task { kind: "score", jobs: vec![job], common, stock, delivery, link, inputs }.carry_out()
}

impl Score {
    /// The files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let files = self.features.as_deref().into_iter().chain([self.weights.as_path()]);
        let inputs = files.chain(self.stored.path());
        inputs.chain(self.csv.inputs()).collect()
    }

    /// To whom results go; a probability tells numbers, so that it must be said.
    fn reveal(&self) -> Result<Reveal> {
        match self.asked.reveal_exact {
            true => self.terms.reveal_numbers(
                &self.link,
                "Whoever gets the probability can compute the other party's part of the score, nearly exactly.",
            ),
            false => self.terms.reveal(&self.link),
        }
    }

    fn features(&self) -> &Path {
        self.features.as_deref().expect("clap requires it")
    }

    /// Reads and checks everything.
    fn job(&self) -> Result<Job> {
        job(self)
    }

    /// The job of a step that these arguments say: connected by `link`, from files that are written in `csv`.
    pub fn of_step(mut self, (link, csv): (&Link, &Dialect)) -> Result<Job> {
        (self.link, self.csv) = (link.clone(), csv.clone());
        job(&self)
    }
}

impl Score {
    /// Scores the rows in common as a job file says, connected by `link`, from files that are written in `csv`.
    pub fn of_join(mut self, (link, csv): (&Link, &Dialect), job: &InJob<'_>) -> Result<()> {
        (self.link, self.csv) = (link.clone(), csv.clone());
        common::score(&self, Some(job))
    }
}

fn job(args: &Score) -> Result<Job> {
    let question = args.asked.question();
    let column = column_name(&question);
    let scoring = Scoring::new(args.bits, args.fraction_bits, question)?;
    let file = ColumnFile::open(args.features(), &args.csv)?;
    let (ids, words) = parts(args, &scoring, Some(&args.id), &file)?;
    let pairing = ["parts of scores"; 2].map(str::to_owned);
    let format = format(&scoring);
    let operand = Operand { words, range: format.range(), pairing, error: Some(format.rounding()) };
    let (threads, reveal) = (args.terms.threads, args.reveal()?);
    say(args, reveal);
    let (error, note) = exactness(&scoring, &operand);
    let scoring = if reveal == Reveal::Nobody { scoring.additive(SHARED_BITS) } else { scoring };
    let work = Work::Other(Box::new(scoring));
    let mut job = Job::new(threads, reveal, work, column, ids, vec![operand], vec![true]);
    (job.error, job.notes) = (Some(error), vec![note]);
    Ok(job)
}

/// How exact results are, and words about it.
fn exactness(scoring: &Scoring, x: &Operand) -> (f64, (&'static str, String)) {
    let Some(card) = scoring.card() else {
        let near = decision::about(x.error.unwrap_or_default());
        let text = format!(
            "each party's part of a score is rounded to a multiple of {}: a score within {near} of a threshold's may fall \
             on either side",
            2f64.powi(-(scoring.fraction() as i32))
        );
        return (0.0, ("decision", text));
    };
    let error = card.max_ulp() * 2f64.powi(-(card.scale_out as i32));
    (error, ("exactness", evaluate::exactness("sigmoid", error, x, false)))
}

/// The name of the column of results.
fn column_name(question: &Question) -> String {
    match question {
        Question::AtLeast(t) => format!("at_least_{t}"),
        Question::Bands(_) => "band".to_owned(),
        Question::Probability => "probability".to_owned(),
    }
}

/// What is asked where nothing was said, and what a probability gives away.
fn say(args: &Score, reveal: Reveal) {
    if args.asked.nothing() && !args.delivery.quiet {
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

/// The names of the rows and this party's parts of their scores, of the features in `file`.
fn parts(
    args: &Score,
    scoring: &Scoring,
    id: Option<&str>,
    file: &ColumnFile<'_>,
) -> Result<(Option<Arc<Ids>>, Wiped<u64>)> {
    let columns = file.header()?;
    let Named { features, weights } = weights::read(&args.weights, args.features(), &columns)?;
    let names: Vec<&str> = features.iter().map(String::as_str).collect();
    let rows = file.read(&names, id, Ok)?;
    let unused = columns.iter().filter(|name| !is_id(args, name) && !features.contains(name));
    let unused = unused.map(String::as_str).collect::<Vec<_>>().join(", ");
    if !unused.is_empty() && !args.delivery.quiet {
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

/// Whether a column names the rows.
fn is_id(args: &Score, name: &String) -> bool {
    if args.rowing.join.is_empty() { *name == args.id } else { args.rowing.join.contains(name) }
}

fn format(scoring: &Scoring) -> Format {
    Format { bits: scoring.bits(), fraction_bits: scoring.fraction() }
}
