//! `bench lut --store`: material that is loaded instead of made.
//!
//! The folder has both parties' identities, for this purpose only, and a store of each for every kind of lookup
//! that was measured with it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hushtable::{
    Error, Party,
    lut::{Prepared, Table},
    net::Identity,
    onehot::Group,
    share::{Kind, Share},
    store::{Reserved, Store},
};
use prim::ring::Ring;

use super::party::Lanes;
use crate::{
    failure::{Failure, Result},
    identity, pair,
};

const NAMES: [&str; 2] = ["bench-p0", "bench-p1"];

/// Where a lane's material comes from.
pub enum Source {
    /// It makes so much.
    Make(usize),
    /// It is there.
    Load(Reserved),
}

/// The identities in `dir`, made if they are not there.
pub fn identities(dir: &Path) -> Result<[PathBuf; 2]> {
    let paths = NAMES.map(|name| dir.join(format!("{name}.id")));
    if paths.iter().all(|path| path.exists()) {
        return Ok(paths);
    }
    fs::create_dir_all(dir).map_err(Failure::file(dir))?;
    identity::pair(dir, NAMES)
}

/// Makes both stores called `name` with `lookups` each by `prepare` with these arguments, unless they are there
/// and have `needed`.
pub fn prepare(dir: &Path, name: &str, arguments: &[String], needed: usize, lookups: usize) -> Result<()> {
    let identities = identities(dir)?;
    let stores = [0, 1].map(|role| store_path(dir, name, role));
    let enough = |role: usize| -> Result<bool> {
        let store = Store::open(&stores[role], &Identity::load(&identities[role])?);
        Ok(store.is_ok_and(|store| store.left() >= needed as u64))
    };
    if enough(0)? && enough(1)? {
        return Ok(());
    }
    for role in [0, 1].into_iter().filter(|&role| stores[role].exists()) {
        Store::remove(&stores[role], Some(&Identity::load(&identities[role])?))?;
    }
    eprintln!("making {lookups} lookups in {}", dir.display());
    let command = |role: usize| -> Result<std::process::Command> {
        let mut command = pair::program()?;
        command.args(["prepare", "--quiet", "--lookups", &lookups.to_string()]).args(arguments);
        command.arg("--store").arg(&stores[role]).arg("--identity").arg(&identities[role]);
        Ok(command)
    };
    let (mut first, mut second) = (command(0)?, command(1)?);
    first.args(["--listen", "127.0.0.1:0"]);
    let connect = |address: &str| {
        second.args(["--connect", address]);
        second
    };
    pair::run(first, connect, false).map(drop)
}

/// At a party: what each lane gets, from the store called `name` if there is a folder of stores.
pub fn sources(dir: Option<&Path>, name: &str, lanes: &mut Lanes) -> Result<Vec<Source>> {
    let items = lanes.items().to_vec();
    let Some(dir) = dir else { return Ok(items.into_iter().map(Source::Make).collect()) };
    let role = lanes.role() as usize;
    let identity = Identity::load(&dir.join(format!("{}.id", NAMES[role])))?;
    let mut store = Store::open(&store_path(dir, name, role), &identity)?;
    store.agree(lanes.first())?;
    Ok(store.reserve_lanes(&items)?.into_iter().map(Source::Load).collect())
}

impl Source {
    /// The material, in as many pieces as there are files with some of it.
    pub fn material<G: Group, K: Kind, R: Ring>(
        self,
        make: impl FnOnce(usize) -> std::result::Result<Prepared<G, K, R>, Error>,
    ) -> std::result::Result<Vec<Prepared<G, K, R>>, Error> {
        match self {
            Self::Make(items) => Ok(vec![make(items)?]),
            Self::Load(mut reserved) => {
                let mut pieces = Vec::new();
                while !reserved.is_empty() {
                    pieces.push(reserved.load(reserved.len())?);
                }
                Ok(pieces)
            }
        }
    }
}

/// Looks up with one piece of material after the other.
pub fn lookup<G: Group, K: Kind, R: Ring>(
    p: &mut Party,
    pieces: Vec<Prepared<G, K, R>>,
    table: &Table<R>,
    x: &Share<G::Kind, u32>,
) -> std::result::Result<Share<K, R>, Error> {
    let mut y = Share::new(table.bits(), Vec::with_capacity(x.len()));
    for material in pieces {
        if material.len() == x.len() {
            return material.lookup(p, table, x);
        }
        let now = Share::new(x.bits(), x.words()[y.len()..][..material.len()].to_vec());
        y.append(&material.lookup(p, table, &now)?)?;
    }
    Ok(y)
}

fn store_path(dir: &Path, name: &str, role: usize) -> PathBuf {
    dir.join(format!("{name}-p{role}.store"))
}
