//! `hushtable join`: two tables by their ids, without showing who is in them.

use std::path::PathBuf;

use apps::ids::Rules;
use clap::Args;
use hushtable::run::Reveal;
use hushtable_columns::{
    ColumnFile, Dialect, FileFormat,
    failure::{Failure, Result},
};
use hushtable_jobs::{
    count::count,
    delivery::{Delivery, Recipient},
    join::{
        agree::{self, Ask},
        asked::{Duplicates, Shown},
        column::{self, Column, FRACTION_BITS},
        common::Finding,
        explain, file, forms,
        hidden::Hiding,
        rows::{self, Rows},
    },
    link::Link,
    meeting::{COMPUTED, Meeting},
    options::refuse,
};

const EXAMPLES: &str = "\
Each party has a table with an id in each row, in any order and with rows that the other does not have.
  --reveal none, the default: the join stays hidden. Each party keeps a file of shares: for each row whether it has a \
partner, and the columns of both sides. Nobody learns which ids match, nor how many. `stats` computes counts, sums \
and means of the rows in common from two such files, `score --joined` scores them, `apply --joined` \
evaluates functions and comparisons of their columns.
  --reveal ids: each party learns which of its rows the other has too, and writes these, all their columns, in the \
same order as the other: ready for `score` and `apply`. Whoever enters all telephone numbers learns the other's list: \
see the sizes that both say before anything is computed, and agree on them; --peer-at-most N refuses a peer with more.
  --reveal count: both learn how many ids are common, and nothing else.
  --rows says whose rows a hidden join has. The owner of the rows can get results for each of its rows later, the \
other cannot. With both there are two joins in one session, with the roles exchanged, at twice the cost.

  --id a,b makes one id of several columns. --normalise brings ids into one form, the same at both parties. Blanks \
around an id and the way accents were typed never matter; add what else shall not:
    lower          capital and small letters
    alnum          everything but letters and digits: blanks, hyphens, dots, slashes
    digits         everything but digits
    zeros          zeros at the beginning
    e164:+47       notations of telephone numbers: those without a country code are of +47, or another
    date:dmy       notations of dates: 31.1.1970 and 1970-01-31; date:mdy 1/31/1970; date only the year first. A
                   timestamp at midnight is its day, 1970-01-31T00:00:00; one at another time is an error
    none           leaves ids as they are in the file; what follows it counts, as in none,trim
Rules are separated by commas: --normalise lower,alnum. How a file is read is each party's own matter, such as the \
country code and the order of a date; only the form that results must be the same. With several id columns one \
--normalise serves all, or each column has its own, in their order.
  Before anything is sent this warns if ids here differ in what a rule would settle, or look like what a spreadsheet \
made of them. It cannot see the peer's. With \
--tell-form at both parties, each tells the other the pattern that more than half of its ids have, if ten or more have \
it: A999999, or without lengths A*9* (A a capital letter, a a small one, x another, 9 a digit; signs as they are; \
never a letter or digit of an id). If the patterns do not go together, both end and say which rule might help. \
The join itself tells nothing of how many ids match.
  --columns income,debt:500,region:north/south: what of the table is joined; all columns of numbers or of labels.
    income         a number, up to 1048576 in size, kept as a multiple of 2^-16: see --fraction-bits
    debt:500       a number up to 500; variances are finer with a small limit
    region:a/b     one of 2 to 64 labels, for `stats --by`; with a | in quotes between them a label may have a /. Labels
                   are equal as values: 1 and 1.0 are the same, and blanks around them do not count
    '\"a,b\":500'    a name or a label with , : / | or a quote in it stands in double quotes, in which a quote is twice
The names, limits and labels are shown to the peer, the cells are not.
  A missing cell is an error that names the row, unless --na-as says what it counts as (--na-as income=0,region=none), \
or --missing says that the column may have such. Then it is shared \
which they are: `stats` counts and adds up the rows where the cell is there. The peer learns that there may be some.
  An id that occurs twice is an error that names the lines, or: --duplicates first keeps the first row; sum adds up \
the numbers of an id's rows; both happen here, and the peer sees no more than how many ids remain. --duplicates all, \
with --reveal ids, writes all rows of a common id: the two outputs then no longer line up row by row, which `score` \
and `apply` need. It cannot be combined with a hidden join, where a row would need a place \
for each of its partners, as many as the largest number of rows of an id, which both would learn.
  --pad-to N: the peer learns that there are at most N ids, not how many. That hides the number from messages, not from \
a clock: computing on one's own ids takes time by their number.

Examples:
  A hidden join:
    hushtable join --input bank.csv --id customer --normalise lower \\
        --columns income_keur:1000,region:north/south/east/west --output joined.json \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable join --input telecom.csv --id subscriber --normalise lower \\
        --columns contract_months,late_bills:100 --output joined.json \\
        --connect bank.example:7000 --identity telecom.id
  The common rows of each file, in the same order; telephone numbers as people write them:
    hushtable join --reveal ids --input bank-phones.csv --id phone --normalise e164:+43 \\
        --output common.csv --listen 0.0.0.0:7000 --identity bank.id
  How many are common, once both have seen that most ids look alike:
    hushtable join --reveal count --tell-form --input bank.csv --id customer --normalise lower \\
        --listen 0.0.0.0:7000 --identity bank.id
  What it would show, to whom and at what cost; nothing is sent:
    hushtable explain join --input bank.csv --id customer --normalise lower \\
        --columns income_keur,debt_ratio --listen 0.0.0.0:7000 --identity bank.id";

/// Join two tables by their ids without showing who is in them
///
/// The listening party is P0. The result is a file of shares, or with --reveal the common rows, or their number.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Join {
    /// This party's table: a CSV file with a header, or a Parquet or Arrow file
    #[arg(long, value_name = "FILE")]
    input: PathBuf,
    /// The column of ids, or several that make an id together
    #[arg(long, value_name = "NAME,...", required = true)]
    id: Vec<String>,
    /// What is joined: columns of numbers, NAME or NAME:LIMIT, and of labels, NAME:a/b/c
    #[arg(long, value_name = "NAME,...")]
    columns: Vec<String>,
    /// Columns of --columns in which cells may be missing: `stats` leaves these rows out, and nobody sees which they are
    #[arg(long, value_name = "NAME,...")]
    missing: Vec<String>,
    /// Binary digits after the point of this party's numbers, 0 to 32; they are rounded to that
    #[arg(long, value_name = "F", default_value_t = FRACTION_BITS, value_parser = clap::value_parser!(u32).range(0..=32))]
    fraction_bits: u32,
    /// Whose rows a hidden join has: me, peer, both, p0, p1, or a party by its name [default: both]
    #[arg(long, value_name = "WHO")]
    rows: Option<Recipient>,
    /// What is shown: none, ids or count; the peer says the same
    #[arg(long, value_enum, default_value = "none", value_name = "WHAT")]
    reveal: Shown,
    /// With --reveal ids: who learns them: me, peer, both, p0, p1, or a party by its name [default: both]
    #[arg(long, value_name = "WHO")]
    to: Option<Recipient>,
    /// How ids are brought into one form; see below. Once for all columns of --id, or once for each [default: trim,nfc]
    #[arg(long, alias = "normalize", value_name = "RULE,...", value_parser = column::rules)]
    normalise: Vec<Rules>,
    /// Tell the peer the pattern that most ids have, such as A999999, and compare it with the peer's before anything is
    /// joined; the peer says so too
    #[arg(long)]
    tell_form: bool,
    /// What becomes of rows with the same id
    #[arg(long, value_enum, default_value = "refuse", value_name = "WHAT")]
    duplicates: Duplicates,
    /// A bound on the number of ids here, which the peer learns in place of the number itself; a clock may tell more
    #[arg(long, value_name = "N", value_parser = count)]
    pad_to: Option<usize>,
    /// Refuse a peer that says it has more ids, before anything is computed
    #[arg(long, value_name = "N", value_parser = count)]
    peer_at_most: Option<usize>,
    #[command(flatten)]
    csv: Dialect,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    link: Link,
}

/// Runs the subcommand.
pub fn run(args: &Join) -> Result<()> {
    args.link.attended(|| join(args))
}

fn join(args: &Join) -> Result<()> {
    let ids = column::ids(&args.id, "--id")?;
    let (ask, columns) = args.ask(&ids)?;
    let file = ColumnFile::open(&args.input, &args.csv)?;
    let whole = ask.shows_rows_to(args.link.role());
    let reading = rows::Reading {
        ids: &ids,
        rules: &ask.forms,
        columns: &columns,
        duplicates: args.duplicates,
        whole,
        pad_to: args.pad_to,
        most: agree::most(args.reveal),
    };
    let rows = Rows::read(&file, &args.input, &reading)?;
    rows.warn(&args.input);
    let read = hushtable_jobs::explain::size_of_files([args.input.as_path()]);
    let explained = Some(explain::page(&ask, &rows, &columns, &args.link, read)?);
    let shares = args.reveal == Shown::None;
    let writes = match args.reveal {
        Shown::None => Some(file::size(rows.bound, &columns)),
        Shown::Ids => whole.then(|| rows.lines.bytes() as u64),
        Shown::Count => None,
    };
    if shares {
        args.delivery.no_mode()?;
    }
    let errand = Meeting {
        kind: "join",
        file: None,
        rows: rows.counted(),
        column: columns.iter().map(Column::to_string).collect::<Vec<_>>().join(", "),
        reveal: ask.shown(),
        fields: ask.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        explained,
        writes,
        delivery: &args.delivery,
        link: &args.link,
        inputs: std::iter::once(args.input.as_path()).chain(args.csv.inputs()).collect(),
        kept: None,
        wish: None,
        outcome: COMPUTED,
    };
    match args.reveal {
        Shown::Ids => errand.carry_out(Finding::new(ask, rows)),
        _ => {
            let path = args.delivery.output.clone();
            errand.carry_out(Hiding::new(ask, rows, columns, path))
        }
    }
}

impl Join {
    /// What is asked, checked: what both parties must ask alike, and the columns of this one.
    fn ask(&self, id: &[String]) -> Result<(Ask, Vec<Column>)> {
        let ids = self.reveal == Shown::Ids;
        let (columns, missing) =
            (("--columns", !self.columns.is_empty()), ("--missing", !self.missing.is_empty()));
        refuse(&[
            (!ids, "needs --reveal ids", &[("--to", self.to.is_some())]),
            (ids, "is for a hidden join; with --reveal ids all columns are written", &[columns]),
            (
                self.reveal != Shown::None,
                "is for a hidden join",
                &[columns, missing, ("--rows", self.rows.is_some()), ("--na-as", !self.csv.na_as.is_empty())],
            ),
            (
                self.reveal == Shown::Count,
                "cannot be combined with --reveal count: the number is printed",
                &[("--output", self.delivery.output.is_some())],
            ),
        ])?;
        match self.duplicates {
            Duplicates::All if !ids => {
                return Err(Failure::new(
                    "--duplicates all needs --reveal ids: a hidden join has a place for one partner of each row; \
                     more places would show both parties how many rows an id has at most. Use first or sum",
                ));
            }
            Duplicates::Sum if ids => {
                return Err(Failure::new(
                    "--duplicates sum is for a hidden join; with --reveal ids use first or all",
                ));
            }
            _ => {}
        }
        let who = if ids { &self.to } else { &self.rows };
        let who = who.clone().unwrap_or(Recipient::Fixed(Reveal::Both));
        let who = who.on(&self.link)?;
        if who == Reveal::Nobody {
            return Err(Failure::new(if ids {
                "--to none: nobody would learn anything"
            } else {
                "--rows none: the rows must be those of a party"
            }));
        }
        if let Some(path) = self.delivery.output.as_ref().filter(|_| ids) {
            FileFormat::of_output(path)?;
        }
        let mut columns = Column::all(&self.columns, self.fraction_bits).map_err(Failure::new)?;
        Column::let_miss(&mut columns, &column::ids(&self.missing, "--missing")?).map_err(Failure::new)?;
        let groups = columns.iter().find(|column| column.groups().is_some());
        if let Some(Column { name, .. }) = groups.filter(|_| self.duplicates == Duplicates::Sum) {
            return Err(Failure::new(format!("--duplicates sum is for numbers, and {name:?} has groups")));
        }
        let forms = forms::rules(&self.normalise, id.len(), "--id")?;
        let (reveal, told, peer_at_most) = (self.reveal, self.tell_form, self.peer_at_most);
        Ok((Ask { reveal, who, forms, told, peer_at_most }, columns))
    }
}
