//! Two identities, their stores, and sessions between them.
#![allow(dead_code)] // not every test uses all of it

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use hushtable::{
    Error, Party, Result, Role,
    lut::{LookupJob, Protocol, Table},
    net::{Identity, Listener, Options, connect},
    onehot::Group,
    operation::{Lookup, Operation},
    run_pair,
    share::{Kind, Share, Sharing},
    store::{Contents, Reserved, Store},
};
use prim::{block::Block, prg::Prg, ring::Ring};
use tempfile::TempDir;

/// A folder with the identities of two parties who trust each other.
pub struct Site {
    pub root: TempDir,
}

/// Lookups of 4-bit additive indices with 16-bit additive outputs.
pub const JOB: LookupJob =
    LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 4, value_bits: 16 };

impl Site {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let site = Self { root };
        for role in [Role::P0, Role::P1] {
            Identity::create(&site.identity_path(role), ["bank", "telecom"][role as usize]).unwrap();
        }
        for role in [Role::P0, Role::P1] {
            let certificate = site.identity_path(role.peer()).join("cert.pem");
            let fingerprint = site.identity(role.peer()).fingerprint();
            Identity::trust(&site.identity_path(role), &certificate, fingerprint, None).unwrap();
        }
        site
    }

    pub fn identity_path(&self, role: Role) -> PathBuf {
        self.root.path().join(["bank.id", "telecom.id"][role as usize])
    }

    pub fn identity(&self, role: Role) -> Identity {
        Identity::load(&self.identity_path(role)).unwrap()
    }

    /// Where a party's store is.
    pub fn store_path(&self, role: Role) -> PathBuf {
        self.root.path().join(["bank.store", "telecom.store"][role as usize])
    }

    /// The mark of a party's only store.
    pub fn mark_path(&self, role: Role) -> PathBuf {
        let marks: Vec<_> = fs::read_dir(self.identity_path(role).join("spent")).unwrap().collect();
        assert_eq!(marks.len(), 1, "one store");
        marks[0].as_ref().unwrap().path()
    }

    pub fn open(&self, role: Role) -> Result<Store> {
        Store::open(&self.store_path(role), &self.identity(role))
    }

    /// A session; `listening` is P0.
    pub fn session(&self, listening: Role) -> (Party, Party) {
        let listener = Listener::bind("127.0.0.1:0", Options::secure(self.identity(listening))).unwrap();
        let (addr, peer) = (listener.local_addr().to_string(), self.identity(listening.peer()));
        thread::scope(|scope| {
            let p1 = scope.spawn(move || Party::new(connect(&addr, Options::secure(peer)).unwrap(), None));
            (Party::new(listener.accept().unwrap(), None).unwrap(), p1.join().unwrap().unwrap())
        })
    }

    /// Runs a function at both parties in a new session.
    pub fn run<T: Send>(&self, f: impl Fn(&mut Party) -> Result<T> + Sync) -> Result<(T, T)> {
        run_pair(self.session(Role::P0), &f, &f)
    }

    /// Makes both stores.
    pub fn make(&self, made: &Made) -> Result<(Store, Store)> {
        let plan = made.plan()?;
        self.make_by(&plan)
    }

    pub fn make_by(&self, plan: &Contents<'_>) -> Result<(Store, Store)> {
        self.run(|p| {
            let role = p.role();
            Store::make(p, &self.store_path(role), &self.identity(role), plan, |_| {})
        })
    }

    /// One party loads material for `count` lookups, of 16-bit outputs, without its peer.
    pub fn load_alone(&self, role: Role, count: usize) {
        let mut store = self.open(role).unwrap().insecure_agree_alone();
        let (protocol, job) = store.about().lookups.expect("lookups");
        let mut reserved = store.reserve(count).unwrap();
        while !reserved.is_empty() {
            drop(reserved.load(&blank(protocol, job), reserved.len()).unwrap());
        }
    }

    /// Looks up `count` values from both stores, in pieces of at most `most`, and compares them.
    pub fn spend<G: Group, K: Kind, R: Ring>(
        &self,
        job: &LookupJob,
        count: usize,
        most: usize,
    ) -> Result<()> {
        let table = table::<R>(job);
        let xs: Vec<u32> = (0..count as u32).map(|i| i * 7 % (1 << job.index_bits)).collect();
        let want: Vec<u64> = xs.iter().map(|&x| table.columns()[0][x as usize].to_u64()).collect();
        let (a, b) = self.run(|p| {
            let mut store = self.open(p.role())?;
            store.agree(p)?;
            let (protocol, _) = store.about().lookups.expect("lookups");
            let shape = blank(protocol, *job).shape()?;
            let mut reserved = store.reserve(count)?;
            let x = share::<G::Kind>(p.role(), job.index_bits, &xs);
            let mut got = Vec::new();
            while !reserved.is_empty() {
                let material = reserved
                    .read(&shape, most, |from, items| protocol.prepare::<G, K, R>(from, &table, items))?;
                let x = Share::new(job.index_bits, x.words()[got.len()..][..material.len()].to_vec());
                let y = material.lookup(p, &table, &x)?;
                got.extend(p.open(&y)?.iter().map(|y| y.to_u64()));
            }
            Ok(got)
        })?;
        assert_eq!((&a, &b), (&want, &want), "{job:?}");
        Ok(())
    }
}

/// Stores of 100 lookups in four files.
pub fn made() -> Site {
    let site = Site::new();
    drop(site.make(&plan(Protocol::Rotl, JOB, 100, 32)).unwrap());
    site
}

/// The text of a store's refusal.
#[track_caller]
pub fn refusal<T>(result: Result<T>) -> String {
    match result {
        Err(Error::Store(text)) => text,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("was not refused"),
    }
}

#[track_caller]
pub fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in {text:?}");
    }
}

/// Loads material for the next `count` lookups, of 16-bit outputs, and drops it.
pub fn load(reserved: &mut Reserved, count: usize) {
    let (left, lookup) = (reserved.len() - count, blank(Protocol::Rotl, JOB));
    while reserved.len() > left {
        drop(reserved.load(&lookup, reserved.len() - left).unwrap());
    }
}

/// What a store of lookups is to hold.
#[derive(Clone)]
pub struct Made {
    pub lookup: Lookup,
    pub items: u64,
    pub piece: usize,
}

impl Made {
    pub fn plan(&self) -> Result<Contents<'_>> {
        Ok(Contents::new(&self.lookup, self.items)?.in_files_of(self.piece))
    }
}

pub fn plan(protocol: Protocol, job: LookupJob, items: u64, piece: usize) -> Made {
    Made { lookup: blank(protocol, job), items, piece }
}

/// Lookups in some table.
pub fn blank(protocol: Protocol, job: LookupJob) -> Lookup {
    Lookup::blank(protocol, job).unwrap()
}

pub fn table<R: Ring>(job: &LookupJob) -> Table<R> {
    Table::tabulate(job.index_bits, job.value_bits, |x| (x + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15)).unwrap()
}

pub fn share<K: Kind>(role: Role, bits: u32, values: &[u32]) -> Share<K, u32> {
    let mut masks = vec![0u32; values.len()];
    Prg::new(Block(77)).words(bits, &mut masks);
    let masks = Share::new(bits, masks);
    match role {
        Role::P0 => masks,
        Role::P1 => Share::<K, u32>::new(bits, values.to_vec()).minus(&masks),
    }
}

/// Replaces the folder or file `to` by a copy of `from`.
pub fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}
