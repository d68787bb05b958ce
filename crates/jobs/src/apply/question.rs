//! What `apply` is asked, checked: what is computed, of which numbers, and to whom results go. What does not go together is
//! refused here, before any file is read.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    accuracy::{Beyond, How},
    apply::options::{Apply, Operation, Rowing, Second},
    choice::{Choice, Choosing},
    decision::Through,
    fixed::Table,
    options::refuse,
    row_results,
};
use hushtable::{Role, math::Function, operation::Relation, run::Reveal};
use hushtable_columns::{
    Dialect,
    failure::{Failure, Result},
    shares::ShareFile,
};

/// What is asked, and how it is to be done.
pub struct Question<'a> {
    pub what: What<'a>,
    pub numbers: Numbers<'a>,
    /// Formats, domain and method.
    pub how: &'a How,
    pub reveal: Reveal,
    pub role: Role,
    pub threads: Option<u16>,
    pub choosing: Choosing,
}

/// What is computed of the numbers of a row.
#[derive(Clone, Copy)]
pub enum What<'a> {
    /// A function of numbers of any size.
    Function(Function),
    /// A lookup of numbers in a domain.
    Lookup(Table<'a>),
    /// A comparison, with a public number if there is one.
    Relation(Relation, Option<f64>),
}

/// Where the numbers are.
pub enum Numbers<'a> {
    Files(Files<'a>),
    Joined(Joined<'a>),
}

/// Numbers in files of this party's own.
pub struct Files<'a> {
    pub input: &'a Path,
    /// Of y, if it is not in the same.
    pub other: Option<&'a Path>,
    /// Of x and of y; none where the peer alone has numbers.
    pub columns: [Option<&'a str>; 2],
    /// The column of ids, unless rows are matched by position only.
    pub id: Option<&'a str>,
    pub csv: &'a Dialect,
    /// Results of earlier steps, by the paths that stand for them.
    pub earlier: &'a [Earlier],
    /// The function through which a threshold is decided on what it is of.
    pub through: Option<Through>,
}

/// Results of an earlier step, before they are there: everything but the shares.
#[derive(Clone)]
pub struct Earlier {
    /// What stands for them in place of a file's path.
    pub path: PathBuf,
    pub shares: Arc<ShareFile>,
}

/// Numbers in the columns of a hidden join.
pub struct Joined<'a> {
    pub path: &'a Path,
    pub x: &'a str,
    /// Only of a comparison of two columns.
    pub y: Option<&'a str>,
    /// The result of a row that the peer does not have, as it is written.
    pub default: Option<&'a str>,
}

impl<'a> Question<'a> {
    /// What a command line asks. `stored`: there is a store, and it holds lookups, by the protocol that is `choosing`'s.
    pub fn of(args: &'a Apply, choosing: Choosing, stored: bool) -> Result<Self> {
        let (what, joined) = (What::of(args, choosing.protocol), args.rowing.joined.as_deref());
        let telling = telling(what, joined.is_some());
        check(args, what, stored)?;
        let reveal = args.accord.reveal(&args.link, telling.as_deref())?;
        let numbers = match joined {
            Some(path) => {
                row_results::somebody(reveal, "--joined")?;
                Numbers::Joined(Joined::of(args, what, path)?)
            }
            None => Numbers::Files(Files::of(args)),
        };
        let (how, role, threads) = (&args.how, args.link.role(), args.accord.threads);
        Ok(Self { what, numbers, how, reveal, role, threads, choosing })
    }

    /// What a step of a job file asks.
    pub fn of_step(args: &'a Apply, earlier: &'a [Earlier], through: Option<Through>) -> Result<Self> {
        let Rowing { joined, default } = &args.rowing;
        let rows = [("--joined", joined.is_some()), ("--default", default.is_some())];
        refuse(&[(true, "cannot be combined with a step of a job", &rows)])?;
        let question = Self::of(args, args.choosing.clone(), false)?;
        Ok(Self { numbers: Numbers::Files(Files { earlier, through, ..Files::of(args) }), ..question })
    }
}

impl<'a> What<'a> {
    /// A function is looked up if a lookup protocol is said, or numbers are to be within its domain.
    pub fn of(args: &'a Apply, protocol: Choice) -> Self {
        let looked_up = protocol != Choice::Auto || args.how.outside == Some(Beyond::Wrap);
        match (args.operation, &args.table) {
            (Some(Operation::Relation(relation)), _) => Self::Relation(relation, args.second.constant),
            (Some(Operation::Function(function)), _) if looked_up => Self::Lookup(Table::Of(function)),
            (Some(Operation::Function(function)), _) => Self::Function(function),
            (None, Some(path)) => Self::Lookup(Table::File(path)),
            (None, None) => unreachable!("clap requires a function or a table"),
        }
    }
}

impl<'a> Files<'a> {
    fn of(args: &'a Apply) -> Self {
        let Second { against, other, .. } = &args.second;
        Self {
            input: args.input.as_deref().expect("clap requires it without --joined"),
            other: other.as_deref(),
            columns: [args.column.as_deref(), against.as_deref()],
            id: (!args.no_ids).then_some(&args.id),
            csv: &args.csv,
            earlier: &[],
            through: None,
        }
    }
}

impl<'a> Joined<'a> {
    fn of(args: &'a Apply, what: What<'_>, path: &'a Path) -> Result<Self> {
        let named = |option: &str, name: &'a Option<String>| {
            let missing = || format!("--joined: {option} NAME says which column of numbers of the join");
            name.as_deref().ok_or_else(|| Failure::new(missing()))
        };
        let y = match what {
            What::Relation(_, None) => Some(named("--against", &args.second.against)?),
            _ => None,
        };
        Ok(Self { path, x: named("--column", &args.column)?, y, default: args.rowing.default.as_deref() })
    }
}

/// Which options do not go with what. `stored`: the store holds lookups.
fn check(args: &Apply, what: What<'_>, stored: bool) -> Result<()> {
    let Apply { how, second, rowing, .. } = args;
    let joined = rowing.joined.is_some();
    let compares = matches!(what, What::Relation(..));
    let looks_up = matches!(what, What::Lookup(_));
    let evaluation = [
        ("--bits", how.bits.is_some()),
        ("--outside", how.outside.is_some_and(|outside| outside != Beyond::Wrap)),
        ("--strict", how.strict),
        ("--method", how.method.is_some()),
    ];
    refuse(&[
        (
            joined,
            "cannot be combined with --joined: a join compares no ids and leaves out no rows, it found those in common",
            &[
                ("--no-ids", args.no_ids),
                ("--leave-out", !args.csv.leave_out.is_empty()),
                ("--bad-rows", args.csv.bad_rows.is_some()),
                ("--na-as", !args.csv.na_as.is_empty()),
                ("--find-difference", args.accord.find_difference),
            ],
        ),
        (!joined, "needs --joined", &[("--default", rowing.default.is_some())]),
        (
            !compares,
            "needs a comparison: ge, gt, le, lt, eq, ne, max or min",
            &[
                ("--against", second.against.is_some()),
                ("--other", second.other.is_some()),
                ("--constant", second.constant.is_some()),
            ],
        ),
        (compares, "cannot be combined with a comparison", &how.of_functions()),
        (
            looks_up && stored,
            "cannot be combined with this --store, which holds lookups of numbers within the domain; leave one out",
            &evaluation,
        ),
        (looks_up, "cannot be combined with a lookup (--table, --protocol or --outside wrap)", &evaluation),
    ])
}

/// What results tell a party of the other's numbers, if that is more than they are asked for. `joined`: the numbers are
/// those of a column of a join.
fn telling(what: What<'_>, joined: bool) -> Option<String> {
    let (of_column, of_sum) = match what {
        What::Relation(relation, _) => {
            let often =
                format!("Whoever gets {} often gets the other party's number itself.", relation.about());
            return relation.selects().then_some(often);
        }
        What::Function(function) | What::Lookup(Table::Of(function)) => (function.name(), function.name()),
        What::Lookup(Table::File(_)) => ("values in the table", "the table's value"),
    };
    Some(match joined {
        true => format!("The column can be computed from its {of_column}, as exactly as the digits allow."),
        false => format!(
            "Whoever gets {of_sum} of a sum and knows its own number can compute the other's, as exactly as the digits \
             allow."
        ),
    })
}
