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
    Party, Role,
    net::{self, Connection, Identity, Listener, Options},
    store::{Contents, Store},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::two_processes;

const NAMES: [&str; 2] = ["bench-p0", "bench-p1"];

/// The identities in `dir`, made if they are not there.
pub fn identities(dir: &Path) -> Result<[PathBuf; 2]> {
    let paths = NAMES.map(|name| dir.join(format!("{name}.id")));
    if paths.iter().all(|path| path.exists()) {
        return Ok(paths);
    }
    fs::create_dir_all(dir).map_err(Failure::writing(dir))?;
    two_processes::identities(dir, NAMES)
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

/// The store called `name` of the party `role`.
pub fn open(dir: &Path, name: &str, role: Role) -> Result<Store> {
    let role = role as usize;
    let identity = Identity::load(&dir.join(format!("{}.id", NAMES[role])))?;
    Ok(Store::open(&store_path(dir, name, role), &identity)?)
}

fn store_path(dir: &Path, name: &str, role: usize) -> PathBuf {
    dir.join(format!("{name}-p{role}.store"))
}
