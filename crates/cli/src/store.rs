//! `hushtable store`: what is on the disk, whether it is sound, and its removal.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use hushtable::{
    net,
    share::Sharing,
    store::{About, Store},
};
use hushtable_columns::{
    failure::{Failure, Result},
    manner, terminal,
    units::{self, date},
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  hushtable store ls --identity bank.id bank.store
  hushtable store verify --identity bank.id bank.store --json
  hushtable store rm --identity bank.id bank.store

A store is refused for good once it was restored from a backup or copied, because nobody can tell what was \
spent since: remove it and make a new one with `hushtable prepare`.";

/// Look at, verify or remove material on disk
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Stores {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Say what stores hold, and how much is left
    #[command(after_help = EXAMPLES)]
    Ls(Which),
    /// Read everything that is left, and check that none of it is damaged or missing
    #[command(after_help = EXAMPLES)]
    Verify(Which),
    /// Remove a store, whatever its state; nothing is overwritten
    #[command(after_help = EXAMPLES)]
    Rm {
        /// The store
        #[arg(value_name = "DIR")]
        store: PathBuf,
        /// The identity it belongs to, to remove its mark there too
        #[arg(long, value_name = "DIR")]
        identity: Option<PathBuf>,
    },
}

#[derive(Args, Debug)]
struct Which {
    /// Stores, or folders with stores in them
    #[arg(value_name = "DIR", required = true)]
    stores: Vec<PathBuf>,
    /// The identity they belong to
    #[arg(long, value_name = "DIR")]
    identity: PathBuf,
}

/// By role.
const ROLES: [&str; 2] = ["P0", "P1"];

/// A store as `--json` prints it. Field names are a contract with other programs.
#[derive(Serialize)]
pub struct Shown {
    path: String,
    id: String,
    /// What the material is for, in words, and the digest of its shape.
    material: String,
    shape: String,
    #[serde(flatten)]
    lookups: Option<Lookups>,
    role: &'static str,
    peer: String,
    made: String,
    planned: u64,
    left: u64,
    /// After `verify`: items that should be there and are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<u64>,
}

/// Of a store of lookups.
#[derive(Serialize)]
struct Lookups {
    protocol: &'static str,
    index: &'static str,
    index_bits: u32,
    output: &'static str,
    value_bits: u32,
}

#[derive(Serialize)]
struct Removed {
    removed: String,
    files: usize,
    bytes: u64,
}

/// Runs the subcommand.
pub fn run(args: &Stores) -> Result<()> {
    let (text, failed) = match &args.action {
        Action::Ls(which) => show(which, |_| Ok(None))?,
        Action::Verify(which) => show(which, |store| store.verify().map(Some))?,
        Action::Rm { store, identity } => (remove(store, identity.as_deref())?, None),
    };
    terminal::print(&text)?;
    failed.map_or(Ok(()), Err)
}

impl Shown {
    /// `missing` is what `verify` found.
    pub fn of(path: &Path, store: &Store, missing: Option<u64>) -> Self {
        let About { role, text, shape, lookups, peer_name, made, planned, .. } = store.about();
        let lookups = lookups.map(|(protocol, job)| Lookups {
            protocol: protocol.name(),
            index: sharing(job.index),
            index_bits: job.index_bits,
            output: sharing(job.output),
            value_bits: job.value_bits,
        });
        Self {
            path: path.display().to_string(),
            id: store.about().name(),
            material: text.clone(),
            shape: shape.iter().map(|byte| format!("{byte:02x}")).collect(),
            lookups,
            role: ROLES[*role as usize],
            peer: peer_name.clone(),
            made: date(*made),
            planned: *planned,
            left: store.left(),
            missing,
        }
    }

    /// For people.
    fn text(&self) -> String {
        let Self { path, material, peer, made, .. } = self;
        let items = if self.lookups.is_some() { "lookups" } else { "items" };
        let sound = match self.missing {
            None => String::new(),
            Some(0) => "\n  verified: all of it is there and sound".into(),
            Some(missing) => format!(
                "\n  verified: what is there is sound; {missing} {items} were never made, or are missing"
            ),
        };
        let side = if self.role == ROLES[0] { "listens" } else { "connects" };
        format!(
            "{path}: {} of {} {items} left\n  {material}\n  with {peer}; this party {side}; made {made}\n  \
             id {}{sound}\n",
            self.left, self.planned, self.id
        )
    }
}

/// A line or a paragraph for each store; the first failure, which does not keep the others from being shown.
fn show(
    which: &Which,
    check: impl Fn(&Store) -> hushtable::Result<Option<u64>>,
) -> Result<(String, Option<Failure>)> {
    let identity = net::Identity::load(&which.identity)?;
    let (mut text, mut failed) = (String::new(), None);
    for path in stores_in(&which.stores)? {
        let looked = Store::open(&path, &identity).and_then(|store| {
            let missing = check(&store)?;
            Ok(Shown::of(&path, &store, missing))
        });
        match looked {
            Ok(shown) if manner::is_json() => text += &terminal::json_line(&shown),
            Ok(shown) => text += &shown.text(),
            Err(error) => {
                let before: Option<Failure> = failed.take();
                let all = before.map_or(String::new(), |before| format!("{before}\n"));
                failed = Some(Failure::from(error).worded(|error| format!("{all}{error}")));
            }
        }
    }
    Ok((text, failed))
}

/// The stores named, and those in the folders named.
fn stores_in(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let is_store = |path: &Path| path.join("journal").exists() || path.join("header").exists();
    let mut stores = Vec::new();
    for path in named {
        if is_store(path) {
            stores.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(Failure::file(path))? {
            inside.push(entry.map_err(Failure::file(path))?.path());
        }
        inside.retain(|path| is_store(path));
        inside.sort();
        if inside.is_empty() {
            return Err(Failure::local(format!("{}: no store, and none in it", path.display())));
        }
        stores.extend(inside);
    }
    Ok(stores)
}

fn remove(path: &Path, identity: Option<&Path>) -> Result<String> {
    let identity = identity.map(net::Identity::load).transpose()?;
    let removed = Store::remove(path, identity.as_ref())?;
    let bytes = removed.iter().map(|(_, bytes)| bytes).sum();
    let shown = Removed { removed: path.display().to_string(), files: removed.len(), bytes };
    if manner::is_json() {
        return Ok(terminal::json_line(&shown));
    }
    // What was removed beside the folder's files is the mark.
    let mark = match identity {
        Some(_) if removed.iter().any(|(file, _)| file.parent() != Some(path)) => "",
        Some(_) => "; the mark in the identity's folder stays, for another copy of it may need it",
        None => "; its mark in the identity's folder stays, and harms nothing",
    };
    let (files, bytes) = (units::some(shown.files, "file"), units::bytes(bytes));
    Ok(format!("{}: removed, {files}, {bytes}, not overwritten{mark}\n", path.display()))
}

fn sharing(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Additive => "additive",
        Sharing::Xor => "xor",
    }
}
