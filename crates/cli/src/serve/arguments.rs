//! The arguments of `serve`.

use std::{path::PathBuf, str::FromStr};

use crate::serve::spec::{KeySpec, ValueSpec};
use apps::ids::Rules;
use clap::{Args, ValueEnum};
use hushtable::{confidential::prf::Cipher, net::LinkShape};
use hushtable_columns::{Dialect, named::List};
use hushtable_jobs::{count, dates::Dates, extension::Extension, means::Means};

const EXAMPLES: &str = "\
Who learns what:
  Clients see before they send anything what the table is called, the names, types and widths of its columns, how many \
rows it can have, and how many keys a batch and a session may have. Of the rows they learn those they look up, and \
whether a key is there. A client may look up any key that it likes: --lookups-at-most and --lookups-per-hour bound \
what one can extract.
  This party learns who comes, when, how many keys it looks up and whether it has the copy; never the keys, nor which \
of them are in the table, nor which are equal.
  Widths that are not given follow from the largest number or longest text of a column, and show about how large that is.

COLUMNS
  --key NAME, NAME:int, NAME:text or NAME:date. Text is brought into one form by the rules of --normalise (those of \
`hushtable join --help`), which clients see and must ask for too, and hashed to 96 bits.
  --value NAME, or NAME:KIND:WIDTH with the kinds int, decimal2 (exact, two digits behind the point), fixed16 (multiples \
of 2^-16), text and date; WIDTH in bits, of text in bytes.

Signals: SIGHUP reads table and trusted peers again; sessions under way go on with the old version. SIGINT and SIGTERM \
take no more clients and wait for those that are there, up to --grace; a second one ends at once.

Examples:
  A table of prices by article, for every peer that shop.id trusts:
    hushtable serve --table prices.csv --key sku --value price,tier \\
        --listen 0.0.0.0:7000 --identity shop.id
  With widths that say nothing of the rows, and room for growth:
    hushtable serve --table prices.csv --key sku:text --value price:decimal2:32,tier:text:8 \\
        --pad-to 1e4 --listen 0.0.0.0:7000 --identity shop.id
  For two of the peers, of whom each may look up 10000 keys an hour; clients keep their copies over restarts:
    hushtable serve --table prices.csv --key sku --value price --peer bank --peer telecom \\
        --lookups-per-hour 1e4 --key-file prices.key --listen 0.0.0.0:7000 --identity shop.id
  What it would show; nothing is listened on:
    hushtable explain serve --table prices.csv --key sku --value price \\
        --listen 0.0.0.0:7000 --identity shop.id
  A client:
    hushtable lookup --help";

/// Serve lookups in a private table: clients do not learn its other rows, nor this party their keys
///
/// The table is read and encrypted once. A client fetches the encrypted copy once for each version of the table, and
/// looks up as often as it may.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// The table: CSV with a header, Parquet or Arrow
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    /// Its column of keys, NAME or NAME:KIND; each key occurs once
    #[arg(long, value_name = "K")]
    pub key: KeySpec,
    /// Its columns of values, NAME, NAME:KIND or NAME:KIND:WIDTH, separated by commas; may be given more than once
    #[arg(long, value_name = "V", required = true)]
    pub value: Vec<List<ValueSpec>>,
    /// The table's name, which clients see [default: the file's name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The numbers or dates that keys can be, such as 0:99999; clients see them [default: of numbers 0 to the next
    /// power of two above the largest, or all of 64 bits; of dates all]
    #[arg(long, value_name = "LEAST:MOST", allow_hyphen_values = true)]
    pub key_range: Option<String>,
    /// How keys of text are brought into one form, as ids are by `join`; clients must say the same [default: trim,nfc]
    #[arg(long, alias = "normalize", value_name = "RULE,...", value_parser = hushtable_jobs::join::column::rules)]
    pub normalise: Option<Rules>,
    /// Bits to which text is hashed as a key, 64 or 96; 64 are for few rows and keys in a session, and refused for more
    #[arg(long, value_name = "BITS", default_value = "96", value_parser = hash_bits)]
    pub hash_bits: u32,
    /// Clients learn this bound in place of the number of rows, unless there is a place for each key that can be
    #[arg(long, value_name = "N", value_parser = count::batch)]
    pub pad_to: Option<u32>,
    /// How dates are written in the table: dmy, mdy or ymd; the year first is read in any case
    #[arg(long, value_enum, value_name = "ORDER", default_value = "ymd")]
    pub dates: Dates,
    /// What the copy is encrypted with: aes, or lowmc, which is faster and less studied
    #[arg(long, value_enum, value_name = "NAME", default_value = "aes")]
    pub prf: Prf,
    /// A file for the key of this version: with it a restart with the same table makes no new version, and clients keep
    /// their copies. As secret as the table. Without it each start makes a new version
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Clients may ask for shares of results; this party's go to files in this folder
    #[arg(long, value_name = "DIR")]
    pub shares: Option<PathBuf>,
    /// Clients may look up shared keys: the files in this folder are this party's shares, results of `apply --reveal
    /// none` and its like. Whoever has the other half may look the keys up
    #[arg(long, value_name = "DIR")]
    pub key_shares: Option<PathBuf>,
    /// Sign for clients who ask, with `lookup --record FILE --sign`, which table and version they looked up in, how many
    /// keys and when
    #[arg(long, requires = "identity")]
    pub sign: bool,
    #[command(flatten)]
    pub csv: Dialect,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub port: Port,
    /// Only say, on standard output, what this shows to whom; nothing is listened on
    #[arg(long)]
    pub dry_run: bool,
}

/// How much clients may ask for.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Sessions at once; more clients are told to come again, and do so by themselves
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub sessions: u32,
    /// Sessions at once of one peer, so that one leaves room for the others [default: half of --sessions]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub sessions_per_peer: Option<u32>,
    /// Keys in a session
    #[arg(long, value_name = "N", default_value = "1e5", value_parser = count::count)]
    pub lookups_at_most: usize,
    /// Keys of one peer in an hour, over all its sessions since this program started [default: no limit]
    #[arg(long, value_name = "N", value_parser = count::count)]
    pub lookups_per_hour: Option<usize>,
    /// Copies that one peer fetches in an hour, over all its sessions since this program started. One of less than 64 MiB
    /// counts as that part of a copy, and of one that was cut short what was sent
    #[arg(long, value_name = "N", default_value = "50", value_parser = count::count)]
    pub copies_per_hour: Option<usize>,
    /// The most sessions that may have shares in --shares at once; clients leave no more until some are removed
    #[arg(long, value_name = "N", default_value = "1000", value_parser = count::count)]
    pub kept_sessions: usize,
    /// The same for one peer, counted since this program started [default: half of --kept-sessions]
    #[arg(long, value_name = "N", value_parser = count::count)]
    pub kept_sessions_per_peer: Option<usize>,
    /// Bytes of these files
    #[arg(long, value_name = "BYTES", default_value = "1e9", value_parser = count::count)]
    pub kept_bytes: usize,
    /// The same for one peer [default: half of --kept-bytes]
    #[arg(long, value_name = "BYTES", value_parser = count::count)]
    pub kept_bytes_per_peer: Option<usize>,
    /// Keys in a batch: what is computed at once. Memory of a session grows with it
    #[arg(long, value_name = "N", default_value = "4096", value_parser = count::batch)]
    pub batch: u32,
    /// Seconds that a session may take in all, 1 to 86400
    #[arg(long, value_name = "S", default_value = "3600", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub longest: u32,
    /// Seconds without progress before a session is given up, 1 to 3600; a client that died is noticed within 10 s
    #[arg(long, value_name = "S", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
    /// Seconds to wait for sessions under way when this program is stopped
    #[arg(long, value_name = "S", default_value = "30", value_parser = clap::value_parser!(u32).range(0..=3600))]
    pub grace: u32,
}

impl Limits {
    /// Sessions at once of one peer.
    pub fn of_one_peer(&self) -> usize {
        self.sessions_per_peer.unwrap_or(self.sessions / 2).max(1) as usize
    }
}

/// Where clients come, and which.
#[derive(Args, Debug)]
#[command(next_help_heading = "Connection")]
pub struct Port {
    /// Wait for clients on this address; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: String,
    /// This party's identity folder, made by `hushtable identity new`, for mutual TLS
    #[arg(long, value_name = "DIR", required_unless_present = "insecure_plain_tcp")]
    pub identity: Option<PathBuf>,
    /// A peer that may come, by the name that `hushtable identity list` prints; may be given more than once [default:
    /// all that this party trusts]
    #[arg(long, value_name = "NAME", conflicts_with = "insecure_plain_tcp")]
    pub peer: Vec<String>,
    /// No TLS: anybody may come, and on the way read and change everything; for tests on a network you own
    #[arg(long, conflicts_with = "identity")]
    pub insecure_plain_tcp: bool,
    /// Simulated network: loopback, lan, wan or RATE:RTT (Mbit/s : ms); the same at clients
    #[arg(long, value_name = "NET", default_value = "loopback", value_parser = LinkShape::from_str)]
    pub net: LinkShape,
    /// What makes correlated OTs; what either party asks for is taken
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = Extension::parser())]
    pub ot: Extension,
    #[command(flatten)]
    pub means: Means,
}

/// What encrypts copies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Prf {
    /// AES-128
    Aes,
    /// LowMC with 128-bit blocks
    Lowmc,
}

impl From<Prf> for Cipher {
    fn from(prf: Prf) -> Self {
        match prf {
            Prf::Aes => Self::Aes128,
            Prf::Lowmc => Self::LowMc,
        }
    }
}

pub fn hash_bits(text: &str) -> std::result::Result<u32, String> {
    text.parse().ok().filter(|bits| [64, 96].contains(bits)).ok_or_else(|| "accepted: 64 or 96".into())
}
