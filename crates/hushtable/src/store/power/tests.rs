//! A store after a power cut at any moment: each sync of the store is needed by one of these.

use std::{sync::Arc, thread};

use prim::block::Block;
use tempfile::TempDir;

use super::*;
use crate::{
    error::Error,
    lut::{LookupJob, Protocol},
    net::{Identity, Listener, Options, Role, connect},
    operation::Lookup,
    party::{Party, run_pair},
    process::Process,
    share::Sharing,
    store::{Contents, Reserved, Store},
};

const SEED: u128 = 11;
const JOB: LookupJob =
    LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 2, value_bits: 8 };
const LOOKUPS: u64 = 20;

fn lookup() -> Lookup {
    Lookup::blank(Protocol::Doubling, JOB).unwrap()
}

/// Two identities that trust each other, and the folder of P0's store.
struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        for role in [Role::P0, Role::P1] {
            Identity::create(&site.identity_path(role), "somebody").unwrap();
        }
        for role in [Role::P0, Role::P1] {
            let certificate = site.identity_path(role.peer()).join("cert.pem");
            let fingerprint = site.identity(role.peer()).fingerprint();
            Identity::trust(&site.identity_path(role), &certificate, fingerprint, None).unwrap();
        }
        site
    }

    fn identity_path(&self, role: Role) -> PathBuf {
        self.0.path().join(["p0.id", "p1.id"][role as usize])
    }

    fn identity(&self, role: Role) -> Identity {
        Identity::load(&self.identity_path(role)).unwrap()
    }

    /// Makes the stores with the peer; the steps of P0, who promises what it is told.
    fn make(&self) -> Vec<Step> {
        let listener = Listener::bind("127.0.0.1:0", Options::secure(self.identity(Role::P0))).unwrap();
        let (address, peer) = (listener.local_addr().to_string(), self.identity(Role::P1));
        let parties = thread::scope(|scope| {
            let p1 = scope.spawn(move || Party::new(connect(&address, Options::secure(peer)).unwrap(), None));
            (Party::new(listener.accept().unwrap(), None).unwrap(), p1.join().unwrap().unwrap())
        });
        let lookup = lookup();
        let plan = Contents::new(&lookup, LOOKUPS).unwrap().in_files_of(8);
        let make = |p: &mut Party| {
            let dir = self.0.path().join(["p0.store", "p1.store"][p.role() as usize]);
            Store::make(p, &dir, &self.identity(p.role()), &plan, |made| note(Step::Promise(made)))
        };
        let (steps, _) = run_pair(
            parties,
            |p| {
                let (made, steps) = record(|| make(p));
                made.map(|_| steps)
            },
            |p| make(p).map(drop),
        )
        .unwrap();
        steps
    }

    /// Opens P0's store and loads so many lookups at a time; the steps, with the cursor as the promise.
    fn spend(&self, counts: &[usize]) -> Vec<Step> {
        let mut store = open(self.0.path()).unwrap().insecure_agree_alone();
        let spend = |store: &mut Store| {
            for &count in counts {
                let mut reserved = store.reserve(count).unwrap();
                while !reserved.is_empty() {
                    drop(reserved.load(&lookup(), count).unwrap());
                }
                note(Step::Promise(store.cursor()));
            }
        };
        record(|| spend(&mut store)).1
    }

    /// A copy of everything.
    fn copy(&self) -> TempDir {
        let to = tempfile::tempdir().unwrap();
        copy(self.0.path(), &to.path().join("all"));
        to
    }
}

/// P0's store below `root`.
fn open(root: &Path) -> Result<Store, Error> {
    Store::open(&root.join("p0.store"), &Identity::load(&root.join("p0.id")).unwrap())
}

fn copy(from: &Path, to: &Path) {
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

/// Cuts the power at every moment, in several ways, and looks at what is there with the promise made.
fn every_cut(tape: &Tape, look: impl Fn(&Path, Option<u64>, &str)) {
    let mut chance = Prg::new(Block(SEED));
    for moment in 0..tape.moments() {
        for luck in Luck::ALL.into_iter().chain([Luck::Some; 6]) {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("all");
            tape.cut(moment, luck, &mut chance, &root);
            look(&root, tape.promised(moment), &format!("cut before step {moment}, {luck:?}, seed {SEED}"));
        }
    }
}

#[test]
fn what_was_made_outlives_a_power_cut() {
    let site = Site::new();
    let before = site.copy();
    let steps = site.make();
    let tape = Tape::new(&before.path().join("all"), site.0.path(), steps);
    assert_eq!(tape.promised(tape.moments() - 1), Some(LOOKUPS));
    every_cut(&tape, |root, made, when| match (open(root), made) {
        (Err(error), Some(_)) => panic!("{when}: {error}"),
        (Err(_), None) => {}
        (Ok(store), made) => {
            assert!(store.left() >= made.unwrap_or(0), "{when}: {} are left", store.left());
            let missing = store.verify().unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_eq!(missing, LOOKUPS - store.left(), "{when}");
        }
    });
}

#[test]
fn what_was_loaded_stays_spent_after_a_power_cut() {
    let site = Site::new();
    site.make();
    let before = site.copy();
    let before = before.path().join("all");
    let tape = Tape::new(&before, site.0.path(), site.spend(&[3, 1, 7, 2]));
    assert_eq!(tape.promised(tape.moments() - 1), Some(13));
    every_cut(&tape, |root, spent, when| {
        let store = open(root).unwrap_or_else(|error| panic!("{when}: {error}"));
        assert!(store.cursor() >= spent.unwrap_or(0), "{when}: {} are spent", store.cursor());
        drop(store);
        // The mark is as durable as the journal: a backup of the store is refused at once.
        copy(&before.join("p0.store"), &root.join("p0.store"));
        let restored = open(root);
        assert!(spent.is_none() || restored.is_err(), "{when}: a restored store is opened");
    });
}

#[test]
fn a_power_cut_may_follow_another() {
    for torn in [&[0; 32][..], &[7; 9]] {
        let site = Site::new();
        site.make();
        site.spend(&[5]);
        let journal = site.0.path().join("p0.store/journal");
        fs::write(&journal, [&fs::read(&journal).unwrap(), torn].concat()).unwrap();
        let before = site.copy();
        let ((), mut steps) = record(|| drop(open(site.0.path()).unwrap()));
        steps.extend(site.spend(&[2, 2]));
        let tape = Tape::new(&before.path().join("all"), site.0.path(), steps);
        every_cut(&tape, |root, spent, when| {
            let store = open(root).unwrap_or_else(|error| panic!("{when}: {error}"));
            assert!(store.cursor() >= spent.unwrap_or(5), "{when}: {} are spent", store.cursor());
        });
    }
}

/// What a fork inherits: an open store, of which its parent has handed out all.
#[test]
fn a_fork_neither_spends_nor_removes_anything() {
    let site = Site::new();
    site.make();
    let names = || fs::read_dir(site.0.path().join("p0.store")).unwrap().count();
    for inherited in Process::inherited() {
        let mut store = open(site.0.path()).unwrap().insecure_agree_alone();
        let mut first = store.reserve(8).unwrap();
        drop(first.load(&lookup(), 8).unwrap());
        drop(first);
        let before = names();
        Arc::get_mut(&mut store.pieces).unwrap().inherit(inherited);
        let refused = |error: Error| assert!(matches!(error, Error::Forked { .. }), "{error}");
        refused(store.reserve(1).map(drop).unwrap_err());
        let mut before_the_fork =
            Reserved { pieces: Arc::clone(&store.pieces), ranges: std::iter::once(8..10).collect() };
        refused(before_the_fork.load(&lookup(), 2).map(drop).unwrap_err());
        drop((store, before_the_fork));
        assert_eq!(names(), before, "the parent may read them still");
        fs::remove_dir_all(site.0.path().join("p0.store")).unwrap();
        fs::remove_dir_all(site.0.path().join("p1.store")).unwrap();
        site.make();
    }
}

/// All of the store's syncs go through one function, which these tests see in place of the system.
#[cfg(unix)]
#[test]
fn a_sync_asks_the_system() {
    let (end, _other) = std::io::pipe().unwrap();
    let refused =
        crate::store::files::sync(&fs::File::from(std::os::fd::OwnedFd::from(end)), Path::new("a pipe"));
    assert!(refused.is_err(), "there is nothing durable about a pipe");
}
