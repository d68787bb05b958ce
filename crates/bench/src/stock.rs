//! `lut --store`: material that is loaded instead of made.
//!
//! The folder has both parties' identities, for this purpose only, and a store of each for every kind of lookup
//! that was measured with it.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use hushtable::{
    Error, Party,
    lut::{LookupJob, Prepared, Protocol, Table},
    net::{self, Connection, Identity, Listener, Options},
    onehot::Group,
    operation::{Lookup, Operation},
    share::{Kind, Share},
    source::Origin,
    store::{Contents, Reserved, Store},
};
use hushtable_cli::{
    self as cli,
    failure::{Failure, Result},
};
use prim::ring::Ring;

use crate::lanes::Lanes;

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
    fs::create_dir_all(dir).map_err(Failure::writing(dir))?;
    cli::identities(dir, NAMES)
}

/// Makes both stores called `name` by the `plan`, unless they are there and have `needed` lookups.
pub fn prepare(dir: &Path, name: &str, plan: &Contents<'_>, needed: usize) -> Result<()> {
    let [p0, p1] = identities(dir)?.map(|path| Identity::load(&path));
    let identities = [p0?, p1?];
    let stores = [0, 1].map(|role| store_path(dir, name, role));
    let enough = |role: usize| {
        Store::open(&stores[role], &identities[role]).is_ok_and(|store| store.left() >= needed as u64)
    };
    if enough(0) && enough(1) {
        return Ok(());
    }
    for role in [0, 1].into_iter().filter(|&role| stores[role].exists()) {
        Store::remove(&stores[role], Some(&identities[role]))?;
    }
    eprintln!("making {} lookups in {}", plan.items(), dir.display());
    let listener = Listener::bind("127.0.0.1:0", Options::secure(identities[0].clone()))?;
    let address = listener.local_addr().to_string();
    let make = |role: usize, connection: Connection| {
        let mut p = Party::new(connection, None)?;
        Store::make(&mut p, &stores[role], &identities[role], plan, |_| ()).map(drop)
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| make(0, listener.accept()?));
        let second = net::connect(&address, Options::secure(identities[1].clone()));
        let second = second.and_then(|connection| make(1, connection));
        Ok(first.join().expect("a party").and(second)?)
    })
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

/// The material that was reserved, in as many pieces as there are files with some of it.
pub fn load<G: Group, K: Kind, R: Ring>(
    mut reserved: Reserved,
    protocol: Protocol,
    table: &Table<R>,
) -> std::result::Result<Vec<Prepared<G, K, R>>, Error> {
    let shape = Lookup::blank(protocol, LookupJob::of::<G, K, R>(table)?)?.shape()?;
    let mut pieces = Vec::new();
    while !reserved.is_empty() {
        let prepare = |from: &mut Origin<'_>, items| protocol.prepare(from, table, items);
        pieces.push(reserved.read(&shape, reserved.len(), prepare)?);
    }
    Ok(pieces)
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
