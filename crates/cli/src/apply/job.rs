//! What the command line and the input files ask for, checked before anything is connected.

use std::sync::atomic::AtomicUsize;

use hushtable::{
    Error, Party, Role,
    math::{Bounds, exact_fraction_bits},
    store::Reserved,
};

use super::{
    Apply, Operation, fixed,
    input::{Format, Operand, Source},
    lanes::{Done, Reveal},
    lookup::Lookup,
    relation::{Comparing, Relation},
    shares::ShareFile,
    table_file,
};
use crate::failure::{Failure, Result};

/// The format of compared numbers unless another is asked for.
const COMPARED: Format = Format { bits: 64, fraction_bits: 16 };

/// A job: its public parameters and this party's rows.
pub struct Job {
    pub work: Work,
    /// Name of the result column.
    pub column: String,
    pub reveal: Reveal,
    pub ids: Option<Vec<String>>,
    threads: usize,
    /// This party's part of the numbers; of two for a comparison.
    x: Vec<Operand>,
    /// Whether this party gives numbers for each of them.
    gives: Vec<bool>,
}

/// What is done with the numbers.
pub enum Work {
    Lookup(Lookup),
    Compare(Comparing),
}

impl Job {
    /// Reads and checks everything.
    pub fn new(args: &Apply) -> Result<Self> {
        match args.operation {
            Some(Operation::Relation(relation)) => compare(args, relation),
            _ => {
                args.refuse_second_operand()?;
                look_up(args)
            }
        }
    }

    pub fn rows(&self) -> usize {
        self.x[0].words.len()
    }

    /// Rows of each lane.
    pub fn lane_rows(&self) -> Vec<usize> {
        let share = self.rows().div_ceil(self.threads);
        (0..self.threads).map(|i| share.min(self.rows().saturating_sub(i * share))).collect()
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// This party's parts of the numbers of each lane.
    pub fn lane_words(&self) -> Vec<Vec<&[u64]>> {
        let share = self.rows().div_ceil(self.threads);
        let mut chunks: Vec<_> = self.x.iter().map(|x| x.words.chunks(share)).collect();
        (0..self.threads).map(|_| chunks.iter_mut().filter_map(Iterator::next).collect()).collect()
    }

    /// Compares everything public with the peer, before any work on secrets.
    pub fn agree(&self, p: &mut Party, store: String) -> Result<()> {
        let role = p.role();
        let ids = self.ids.as_ref().map_or("none".to_owned(), |ids| id_digest(p.id(), ids));
        let mut fields = vec![
            ("number of rows", self.rows().to_string()),
            ("ids (hash in row order)", ids),
            ("number of inputs", self.x.len().to_string()),
        ];
        fields.extend(self.x.iter().map(|x| ("input", x.pairing[role as usize].clone())));
        fields.extend(self.work.fields());
        fields.extend([
            ("reveal", self.reveal.name().to_owned()),
            ("store", store),
            ("threads", self.threads.to_string()),
        ]);
        p.agree(&fields).map_err(|error| match &error {
            Error::Handshake { field, .. } if field.starts_with("ids") => {
                Failure::new(format!("{error}. Rows are matched by position: sort both files by id"))
            }
            _ => Failure::from(error),
        })?;
        self.somebody_gives(p)
    }

    /// An error at both parties if neither has numbers for one of the inputs.
    fn somebody_gives(&self, p: &mut Party) -> Result<()> {
        let mine: Vec<u8> = self.gives.iter().map(|&gives| gives.into()).collect();
        let theirs = p.connection().channel().exchange(mine.clone(), mine.len())?;
        let missing = mine.iter().zip(&theirs).position(|(mine, theirs)| mine | theirs == 0);
        match missing {
            None => Ok(()),
            Some(0) => Err(Failure::new("neither party has numbers for x: --column NAME names them")),
            Some(_) => Err(Failure::new("neither party has numbers for y: --against NAME names them")),
        }
    }

    /// Correlated OTs, as sender and as receiver, that `rows` of its rows take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize) -> Result<(usize, usize)> {
        match &self.work {
            Work::Lookup(lookup) => Ok(lookup.cots(role, rows)),
            Work::Compare(comparing) => Ok(comparing.cots(role, rows, self.reveal)?),
        }
    }

    /// The results for a lane's rows, of which `words` has this party's parts. `progress` counts them.
    pub fn lane(
        &self,
        p: &mut Party,
        words: Vec<&[u64]>,
        stock: Option<Reserved>,
        progress: &AtomicUsize,
    ) -> std::result::Result<Done, Error> {
        match &self.work {
            Work::Lookup(lookup) => lookup.lane(p, stock, words[0], self.reveal, progress),
            Work::Compare(comparing) => comparing.lane(p, [words[0], words[1]], self.reveal, progress),
        }
    }

    /// This party's share file of the results.
    pub fn share_file(&self, session: [u8; 32], role: Role, shares: Vec<u64>) -> ShareFile {
        let (format, range) = self.work.result(Reveal::None);
        let made = ShareFile::new(&self.column, session, role, format, range, shares);
        ShareFile { ids: self.ids.clone(), ..made }.sealed()
    }
}

impl Work {
    /// How the results are held, and their range.
    pub fn result(&self, reveal: Reveal) -> (Format, [i64; 2]) {
        match self {
            Self::Lookup(lookup) => lookup.result(),
            Self::Compare(comparing) => comparing.result(reveal),
        }
    }

    /// Its name for reports.
    pub fn protocol(&self) -> String {
        match self {
            Self::Lookup(lookup) => lookup.protocol.name().to_owned(),
            Self::Compare(comparing) => comparing.protocol(),
        }
    }

    /// What the parties compare.
    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Lookup(lookup) => lookup.fields(),
            Self::Compare(comparing) => comparing.fields(),
        }
    }
}

/// A lookup in the table of a function, or in one from a file.
fn look_up(args: &Apply) -> Result<Job> {
    let source = Source::open(&args.input)?;
    let fraction_bits = index_fraction_bits(args, &source)?;
    let output_bits = |otherwise: u32| {
        args.output_fraction_bits.unwrap_or(if args.delivery.reveal == Reveal::None {
            fraction_bits
        } else {
            otherwise
        })
    };
    let name = args.function().map_or("table", |function| function.name());
    let (domain, table, column) = match (args.operation, &args.table) {
        (Some(Operation::Function(function)), _) => {
            let domain = fixed::domain(args.domain.unwrap_or(function.domain()), fraction_bits)?;
            let table = fixed::function(function, &domain, output_bits(16))?;
            (domain, table, function.name().to_owned())
        }
        (_, Some(path)) => {
            let values = table_file::read(path)?;
            let whole = Bounds { lo: 0.0, hi: values.len() as f64 / f64::from(1u32 << fraction_bits) };
            let domain = fixed::domain(args.domain.unwrap_or(whole), fraction_bits)?;
            if values.len() != 1 << domain.index_bits() {
                return Err(Failure::new(format!(
                    "{}: {} values, but domain {domain} with {fraction_bits} fraction bits has {} points",
                    path.display(),
                    values.len(),
                    1u32 << domain.index_bits()
                )));
            }
            let column = path.file_stem().map_or("table".into(), |stem| stem.to_string_lossy().into_owned());
            (domain, fixed::table(&values, output_bits(exact_fraction_bits(&values)))?, column)
        }
        _ => unreachable!("clap requires a function or a table"),
    };
    let (ids, x) = source.indices(args.column.as_deref(), args.id(), &domain)?;
    let work = Work::Lookup(Lookup::new(name, domain, table, args.delivery.reveal));
    Ok(job(args, work, column, ids, vec![x], vec![true]))
}

/// A comparison of two columns, or of one with a public number.
fn compare(args: &Apply, relation: Relation) -> Result<Job> {
    args.refuse_lookup_options()?;
    let first = Source::open(&args.input)?;
    let second = args.second.other.as_deref().map(Source::open).transpose()?;
    let format = compared_format(args, &first, second.as_ref())?;
    let read = |source: &Source, column: Option<&str>| match column {
        None if source.shares.is_none() => source.nothing(args.id(), format),
        column => source.numbers(column, args.id(), format),
    };
    let (ids, x) = read(&first, args.column.as_deref())?;
    let (other_ids, y) = match (args.second.constant, &second) {
        (Some(value), _) => (ids.clone(), Operand::public(value, x.words.len(), format, args.link.role())?),
        (None, Some(source)) => read(source, args.second.against.as_deref())?,
        (None, None) if first.shares.is_some() => {
            return Err(
                first.says("shares of x: --constant C or --other FILE says what they are compared with")
            );
        }
        (None, None) => read(&first, args.second.against.as_deref())?,
    };
    same_rows(args, ids.as_deref(), &x, other_ids.as_deref(), &y)?;
    let gives_x = args.column.is_some() || first.shares.is_some();
    let shared_y = second.as_ref().is_some_and(|source| source.shares.is_some());
    let gives = vec![gives_x, args.second.against.is_some() || args.second.constant.is_some() || shared_y];
    let work = Work::Compare(Comparing::new(relation, format, x.range, y.range)?);
    Ok(job(args, work, relation.name().to_owned(), ids, vec![x, y], gives))
}

fn job(
    args: &Apply,
    work: Work,
    column: String,
    ids: Option<Vec<String>>,
    x: Vec<Operand>,
    gives: Vec<bool>,
) -> Job {
    let threads = usize::from(args.delivery.threads).min(x[0].words.len());
    Job { work, column, reveal: args.delivery.reveal, ids, threads, x, gives }
}

/// As the shares have, or as asked for.
fn compared_format(args: &Apply, first: &Source, second: Option<&Source>) -> Result<Format> {
    let of_shares = [Some(first), second].into_iter().flatten().find_map(|s| Some((s, s.format()?)));
    let Some((source, format)) = of_shares else {
        let bits = args.second.bits.unwrap_or(COMPARED.bits);
        let fraction_bits = args.fraction_bits.unwrap_or(COMPARED.fraction_bits);
        if fraction_bits + 3 > bits {
            let what = format!("--fraction-bits {fraction_bits} leaves no room in --bits {bits}");
            return Err(Failure::new(what));
        }
        return Ok(Format { bits, fraction_bits });
    };
    let asked = [
        ("--bits", args.second.bits, format.bits),
        ("--fraction-bits", args.fraction_bits, format.fraction_bits),
    ];
    match asked.into_iter().find(|(_, asked, has)| asked.is_some_and(|asked| asked != *has)) {
        None => Ok(format),
        Some((option, _, has)) => Err(source.says(&format!("shares with {option} {has}; leave it out"))),
    }
}

/// As asked for, or as the shares have, or 8 for a function and 0 for a table.
fn index_fraction_bits(args: &Apply, source: &Source) -> Result<u32> {
    let Some(format) = source.format() else {
        return Ok(args.fraction_bits.unwrap_or(if args.operation.is_some() { 8 } else { 0 }));
    };
    let has = format.fraction_bits;
    match args.fraction_bits {
        Some(asked) if asked != has => {
            Err(source
                .says(&format!("shares with {has} fraction bits; --fraction-bits {asked} does not fit")))
        }
        _ if has > 16 => Err(source.says(&format!(
            "shares with {has} fraction bits; an index has at most 16: make them with a smaller \
             --output-fraction-bits"
        ))),
        _ => Ok(has),
    }
}

/// An error that names the first row in which two operands' names differ.
fn same_rows(
    args: &Apply,
    ids: Option<&[String]>,
    x: &Operand,
    other_ids: Option<&[String]>,
    y: &Operand,
) -> Result<()> {
    let other = || args.second.other.as_ref().unwrap_or(&args.input).display();
    if x.words.len() != y.words.len() {
        let (rows, others) = (x.words.len(), y.words.len());
        return Err(Failure::new(format!("{}: {others} rows; {} has {rows}", other(), args.input.display())));
    }
    let differs = |(ids, others): (&[String], &[String])| ids.iter().zip(others).position(|(a, b)| a != b);
    match ids.zip(other_ids).and_then(differs) {
        None => Ok(()),
        Some(at) => Err(Failure::new(format!(
            "{}: row {} has an id other than in {}: sort both files by id",
            other(),
            at + 1,
            args.input.display()
        ))),
    }
}

/// A hash of all ids in order, bound to the session so that it says nothing in another one.
pub fn id_digest(session: [u8; 32], ids: &[String]) -> String {
    let mut hash = blake3::Hasher::new_keyed(&session);
    for id in ids {
        hash.update(&(id.len() as u64).to_le_bytes());
        hash.update(id.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_digest_is_of_the_list_and_the_session() {
        let ids = |names: &[&str]| names.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let base = id_digest([1; 32], &ids(&["ab", "c"]));
        assert_eq!(base, id_digest([1; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([2; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["a", "bc"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["c", "ab"])));
    }
}
