//! The arguments of `lookup`.

use std::path::{Path, PathBuf};

use apps::ids::Rules;
use clap::{Args, ValueEnum};
use hushtable_columns::{
    Dialect,
    failure::{Failure, Result},
    named::{self, List, Name},
    output::{Output, PRIVATE},
};
use hushtable_jobs::{delivery::Delivery, link::Link};

const EXAMPLES: &str = "\
Who learns what:
  This party learns the values at its keys, and whether each is there. The party that serves the table learns how many \
keys there are, and when; not the keys, nor which are there, nor which are equal. A key that stands twice is looked up \
twice.
  What the table is, and what batches and limits there are, is shown before anything of the keys is used: --describe \
shows it and ends.
  Keys of text are brought into one form first, by the rules that --describe shows: blanks around a key and the way \
accents were typed never matter; with others here, --normalise, this ends before anything is sent. It warns if keys here \
differ in what a rule would settle. The rules are those of `hushtable join --help`.

The copy:
  The first time, an encrypted copy of the table is fetched. It shows nothing of the table but its size, and is kept in \
$XDG_CACHE_HOME/hushtable/copies or ~/.cache/hushtable/copies, or in --copy FILE, for the next time. If the connection \
breaks, the rest is fetched, now or the next time. A copy of another version is replaced. One of more than \
--copy-at-most, or for which the disk has no room, is refused before it is sent.

Results:
  --reveal me writes the column of keys, the columns of the table and a column present, 1 or 0; the cells of a key that \
is not there are empty. --reveal shares writes this party's share of one column, which `apply --input` and its like read \
(rows by position: --no-ids), and with --present that of 1 or 0; the other party keeps its own, if it serves with \
--shares.

Examples:
  What a table is, before anything is looked up:
    hushtable lookup --describe --connect shop.example:7000 --identity bank.id
  The prices of articles:
    hushtable lookup --keys mine.csv --column article --reveal me --output out.csv \\
        --connect shop.example:7000 --identity bank.id
  One column of several, as Parquet:
    hushtable lookup --keys mine.csv --column article --value price --reveal me \\
        --output out.parquet --connect shop.example:7000 --identity bank.id
  Shares that nobody has opened, and shares of whether each key is there:
    hushtable lookup --keys mine.csv --column article --value stock --reveal shares \\
        --output stock.json --present there.json --connect shop.example:7000 --identity bank.id
  Keys that nobody knows: the larger of two numbers, of which each party keeps a share, the shop in its folder keys:
    hushtable apply max --column years --bits 16 --fraction-bits 0 --reveal none \\
        --input members.csv --output keys/years.json --peer bank \\
        --listen 0.0.0.0:7000 --identity shop.id
    hushtable apply max --against years --bits 16 --fraction-bits 0 --reveal none \\
        --input customers.csv --output years.json --connect shop.example:7000 --identity bank.id
    hushtable serve --table rebates.csv --key years --key-range -32768:32767 --value percent \\
        --key-shares keys --listen 0.0.0.0:7000 --identity shop.id
    hushtable lookup --keys years.json --reveal me --output out.csv \\
        --connect shop.example:7000 --identity bank.id
  What it would show; nothing is connected:
    hushtable explain lookup --keys mine.csv --column article --reveal me \\
        --connect shop.example:7000 --identity bank.id
  The other side:
    hushtable serve --help";

/// Look keys up in a table that another party serves, without showing them
///
/// This party learns the values at its keys and nothing else of the table.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("listen", |arg| arg.hide(true)))]
pub struct Lookup {
    /// This party's keys: CSV with a header, Parquet or Arrow; or a share file that `--reveal none` wrote, whose other
    /// half the peer has (its --key-shares)
    #[arg(long, value_name = "FILE", required_unless_present = "describe")]
    pub keys: Option<PathBuf>,
    /// The column of --keys with the keys; of a share file it is left out
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub column: Option<String>,
    /// Columns of the table to write, separated by commas [default: all; with --reveal shares one]
    #[arg(long, value_name = "NAME")]
    pub value: Vec<List<Name>>,
    /// Who gets results: me; or shares, where each party keeps one
    #[arg(long, value_enum, value_name = "WHO", required_unless_present = "describe")]
    pub reveal: Option<Who>,
    /// With --reveal shares: a file for this party's shares of whether each key is there
    #[arg(long, value_name = "FILE")]
    pub present: Option<PathBuf>,
    /// The file that keeps the encrypted copy [default: one for this table in the user's cache]
    #[arg(long, value_name = "FILE")]
    pub copy: Option<PathBuf>,
    /// How keys of text are brought into one form; whoever serves the table says the same [default: trim,nfc]
    #[arg(long, alias = "normalize", value_name = "RULE,...", value_parser = hushtable_jobs::join::column::rules)]
    pub normalise: Option<Rules>,
    /// The largest encrypted copy that this party fetches and keeps; the table says how large its own is, and nothing of a
    /// larger one is sent
    #[arg(long, value_name = "BYTES", default_value = "1e9", value_parser = hushtable_jobs::count::count)]
    pub copy_at_most: usize,
    /// How dates are written in --keys: dmy, mdy or ymd; the year first is read in any case
    #[arg(long, value_enum, value_name = "ORDER", default_value = "ymd")]
    pub dates: hushtable_jobs::dates::Dates,
    /// Only connect and say, on standard output, what the table is; nothing is looked up
    #[arg(long, conflicts_with_all = ["keys", "dry_run", "output", "record", "copy", "value"])]
    pub describe: bool,
    #[command(flatten)]
    pub csv: Dialect,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub link: Link,
}

/// Who gets results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Who {
    /// This party, the values
    Me,
    /// Both, shares
    Shares,
}

impl Lookup {
    /// The columns of --value.
    pub fn values(&self) -> Vec<&str> {
        List::all(&self.value).into_iter().map(|name| name.0.as_str()).collect()
    }

    pub fn keys(&self) -> &Path {
        self.keys.as_deref().expect("clap requires it")
    }

    /// Whether results stay shared.
    pub fn shares(&self) -> bool {
        self.reveal == Some(Who::Shares)
    }

    /// No two of the files that it writes are one.
    fn files_apart(&self) -> Result<()> {
        let files = [
            ("--output", &self.delivery.output),
            ("--present", &self.present),
            ("--record", &self.delivery.record),
            ("--copy", &self.copy),
        ];
        let there: Vec<_> =
            files.into_iter().filter_map(|(name, file)| Some((name, file.as_ref()?))).collect();
        for (i, (name, file)) in there.iter().enumerate() {
            if let Some((other, _)) = there[..i].iter().find(|(_, other)| other == file) {
                return Err(Failure::new(format!("{name} and {other} are the same file")));
            }
        }
        Ok(())
    }

    /// Refuses what does not fit what is asked for.
    pub fn check(&self) -> Result<()> {
        if self.present.is_some() && !self.shares() {
            return Err(Failure::new(
                "--present needs --reveal shares; otherwise present is a column of the results",
            ));
        }
        self.files_apart()?;
        match &self.delivery.output {
            _ if self.shares() => self.delivery.no_mode(),
            Some(path) => hushtable_columns::FileFormat::of_output(path).map(drop),
            None => Ok(()),
        }
    }

    /// The file for shares of presence, where there is an output for the results; it replaces none of these files.
    pub fn presence(&self, inputs: &[&Path]) -> Result<Option<Output>> {
        let path = self.present.as_ref().filter(|_| self.delivery.output.is_some());
        let inputs: Vec<&Path> =
            inputs.iter().copied().chain(self.link.identity()).chain(self.copy.as_deref()).collect();
        path.map(|path| Output::reserve(path, &inputs, PRIVATE, self.delivery.force)).transpose()
    }
}
