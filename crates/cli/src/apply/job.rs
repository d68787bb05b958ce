//! What the command line and the input file ask for, checked before anything is connected.

use std::{fs, path::Path};

use hushtable::{
    Error, Party, Role,
    lut::Protocol,
    math::{Bounds, Domain, Tabulated, exact_fraction_bits},
};

use super::{
    Apply, csv_file, fixed,
    protocol::{Lookup, Reveal},
    shares::ShareFile,
    table_file,
};
use crate::failure::{Failure, Result};

/// Results that stay shared have at least this width, so that any later index can be cut from them.
const SHARED_BITS: u32 = 16;

/// A job: its public parameters and this party's rows.
pub struct Job {
    pub table: Tabulated,
    /// Name of the result column.
    pub column: String,
    /// Width of a result.
    pub bits: u32,
    pub protocol: Protocol,
    pub reveal: Reveal,
    pub ids: Option<Vec<String>>,
    domain: Domain,
    function: String,
    threads: usize,
    /// This party's numbers at the domain's scale, or its shares of them.
    x: Vec<u64>,
    shared: Option<ShareFile>,
}

impl Job {
    /// Reads and checks everything.
    pub fn new(args: &Apply) -> Result<Self> {
        let text = fs::read(&args.input).map_err(Failure::file(&args.input))?;
        let shared = ShareFile::read(&args.input, &text)?;
        let (domain, table, column) = table_of(args, shared.as_ref())?;
        let (ids, x) = match &shared {
            Some(file) => from_shares(args, file, &domain)?,
            None => from_column(args, &text, &domain)?,
        };
        let bits = match args.reveal {
            Reveal::None => table.bits().max(SHARED_BITS),
            _ => table.bits(),
        };
        let protocol = Protocol::SpLut; // until the parties settle on one
        let function = args.function.map_or("table", |f| f.name()).to_owned();
        let (reveal, threads) = (args.reveal, usize::from(args.threads).min(x.len()));
        Ok(Self { table, column, bits, protocol, reveal, ids, domain, function, threads, x, shared })
    }

    pub fn rows(&self) -> usize {
        self.x.len()
    }

    /// Rows of each lane.
    pub fn lane_rows(&self) -> Vec<usize> {
        let share = self.rows().div_ceil(self.threads);
        (0..self.threads).map(|i| share.min(self.rows().saturating_sub(i * share))).collect()
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What the protocols look up.
    pub fn lookup(&self) -> Lookup<'_> {
        let (protocol, reveal, bits) = (self.protocol, self.reveal, self.bits);
        Lookup { protocol, reveal, index_bits: self.domain.index_bits(), entries: self.table.entries(), bits }
    }

    /// This party's shares of the table indices.
    pub fn indices(&self, role: Role) -> Vec<u16> {
        self.x.iter().map(|&x| self.domain.index_share(x, role == Role::P0)).collect()
    }

    /// Compares everything public with the peer, before any work on secrets.
    pub fn agree(&self, p: &mut Party, store: String) -> Result<()> {
        let input = self.shared.as_ref().map_or("numbers".to_owned(), |s| s.pairing(p.role()));
        let ids = self.ids.as_ref().map_or("none".to_owned(), |ids| id_digest(p.id(), ids));
        let fields = [
            ("number of rows", self.rows().to_string()),
            ("ids (hash in row order)", ids),
            ("input", input),
            ("function", self.function.clone()),
            ("fraction bits", self.domain.fraction_bits().to_string()),
            ("domain", self.domain.to_string()),
            ("output fraction bits", self.table.fraction_bits().to_string()),
            ("output bits", self.bits.to_string()),
            ("table digest", self.table.digest().to_hex().to_string()),
            ("reveal", self.reveal.name().to_owned()),
            ("store", store),
            ("threads", self.threads.to_string()),
        ];
        p.agree(&fields).map_err(|error| match &error {
            Error::Handshake { field, .. } if field.starts_with("ids") => {
                Failure::new(format!("{error}. Rows are matched by position: sort both files by id"))
            }
            _ => error.into(),
        })
    }

    /// This party's share file of the results.
    pub fn share_file(&self, session: [u8; 32], role: Role, shares: Vec<u64>) -> ShareFile {
        let of = if self.function == "table" { &self.column } else { &self.function };
        ShareFile {
            bits: self.bits,
            fraction_bits: self.table.fraction_bits(),
            range: self.table.range(),
            ids: self.ids.clone(),
            ..ShareFile::new(of, session, role, shares)
        }
    }
}

/// The domain, the table over it and the name of the result column.
fn table_of(args: &Apply, shared: Option<&ShareFile>) -> Result<(Domain, Tabulated, String)> {
    let fraction_bits = fraction_bits(args, shared)?;
    let output_bits = |otherwise: u32| {
        args.output_fraction_bits.unwrap_or(if args.reveal == Reveal::None {
            fraction_bits
        } else {
            otherwise
        })
    };
    if let Some(function) = args.function {
        let domain = fixed::domain(args.domain.unwrap_or(function.domain()), fraction_bits)?;
        let table = fixed::function(function, &domain, output_bits(16))?;
        return Ok((domain, table, function.name().to_owned()));
    }
    let path = args.table.as_deref().expect("clap requires a function or a table");
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
    let table = fixed::table(&values, output_bits(exact_fraction_bits(&values)))?;
    Ok((domain, table, column))
}

/// As asked for, or as the shares have, or 8 for a function and 0 for a table.
fn fraction_bits(args: &Apply, shared: Option<&ShareFile>) -> Result<u32> {
    let Some(file) = shared else {
        return Ok(args.fraction_bits.unwrap_or(if args.function.is_some() { 8 } else { 0 }));
    };
    let here = || args.input.display();
    match args.fraction_bits {
        Some(asked) if asked != file.fraction_bits => Err(Failure::new(format!(
            "{}: shares with {} fraction bits; --fraction-bits {asked} does not fit",
            here(),
            file.fraction_bits
        ))),
        _ if file.fraction_bits > 16 => Err(Failure::new(format!(
            "{}: shares with {} fraction bits; an index has at most 16: make them with a smaller \
             --output-fraction-bits",
            here(),
            file.fraction_bits
        ))),
        _ => Ok(file.fraction_bits),
    }
}

/// A party's row names and numbers.
type Rows = (Option<Vec<String>>, Vec<u64>);

fn from_column(args: &Apply, text: &[u8], domain: &Domain) -> Result<Rows> {
    let path: &Path = &args.input;
    let Some(column) = &args.column else {
        return Err(Failure::new(format!(
            "{}: --column NAME says which column holds the numbers",
            path.display()
        )));
    };
    let id = (!args.no_ids).then_some(args.id.as_str());
    let read = csv_file::read(path, text, column, id, domain)?;
    Ok((read.ids, read.values.into_iter().map(|v| v as u64).collect()))
}

fn from_shares(args: &Apply, file: &ShareFile, domain: &Domain) -> Result<Rows> {
    let says = |what: String| Err(Failure::new(format!("{}: {what}", args.input.display())));
    if args.column.is_some() {
        return says("a share file has no columns; leave --column out".into());
    }
    if !domain.contains(file.range) {
        let scale = f64::from(1u32 << file.fraction_bits);
        let [least, greatest] = file.range.map(|v| v as f64 / scale);
        return says(format!(
            "shares of values from {least} to {greatest}, which domain {domain} does not hold; give a larger \
             --domain here or a smaller one where the shares are made"
        ));
    }
    let ids = file.ids.clone().filter(|_| !args.no_ids);
    Ok((ids, file.shares.clone()))
}

/// A hash of all ids in order, bound to the session so that it says nothing in another one.
fn id_digest(session: [u8; 32], ids: &[String]) -> String {
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
