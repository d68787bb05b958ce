//! A store whose process is killed: nothing is handed out twice, the rest stays usable.
//!
//! The killed process is this test itself, started again. `CRASH_RUNS` says how often.

use crate::support::stores;

use std::{
    collections::HashSet,
    env, fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use hushtable::{
    Error, Role,
    lut::{LookupJob, Protocol},
    net::Identity,
    onehot::Cyclic,
    share::Additive,
    store::Store,
};
use prim::{block::Block, prg::Prg};
use stores::{JOB, Site, blank, copy, plan};

/// Enough random bits in each lookup that no two are alike.
const WIDE: LookupJob = LookupJob { value_bits: 64, ..JOB };
const LOOKUPS: u64 = 4_000_000;
const PIECE: usize = 1 << 12;

/// The process that is killed: takes pieces of random size and says what it got, line by line, in
/// one write each.
#[test]
#[ignore = "started by the test below"]
fn taker() {
    let Ok(root) = env::var("CRASH_ROOT") else { return };
    let root = PathBuf::from(root);
    let identity = Identity::load(&root.join("bank.id")).unwrap();
    let mut store = Store::open(&root.join("bank.store"), &identity).unwrap().insecure_agree_alone();
    let lookup = blank(Protocol::Doubling, WIDE);
    let mut rng = Prg::new(Block(env::var("CRASH_SEED").unwrap().parse().unwrap()));
    let mut out = io::stdout().lock();
    out.write_all(format!("\nopened {}\n", store.cursor()).as_bytes()).unwrap();
    loop {
        let mut reserved = store.reserve(1 + (rng.u64() % 100) as usize).unwrap();
        let first = reserved.positions().next().unwrap();
        let mut line = format!("took {first} {}", reserved.len());
        while !reserved.is_empty() {
            for bytes in reserved.insecure_bytes(&lookup, 1 << 12).unwrap() {
                line += &format!(" {}", &blake3::hash(&bytes).to_hex()[..24]);
            }
        }
        out.write_all(format!("{line} end\n").as_bytes()).unwrap();
    }
}

#[test]
fn killed_at_any_moment_nothing_is_handed_out_twice() {
    let runs: u64 = env::var("CRASH_RUNS").map_or(60, |runs| runs.parse().expect("a number"));
    let site = Site::new();
    drop(site.make(&plan(Protocol::Doubling, WIDE, LOOKUPS.min(runs * 8000), PIECE)).unwrap());
    let (mut rng, start) = (Prg::new(Block(5)), Instant::now());
    let (mut next, mut taken, mut seen, mut takes) = (0u64, 0u64, HashSet::new(), 0);
    for run in 0..runs {
        // Some are killed while they start or open the store, every third one in the middle of its work.
        let patience = Duration::from_micros(rng.u64() % 80_000);
        for line in run_and_kill(site.root.path(), run, patience, run % 3 == 0) {
            let mut words = line.split(' ');
            match (words.next(), words.next_back()) {
                (Some("opened"), Some(cursor)) => {
                    let cursor: u64 = cursor.parse().unwrap();
                    assert!(cursor >= next, "run {run}: opened at {cursor} after {next} were handed out");
                }
                (Some("took"), Some("end")) => {
                    let numbers: Vec<u64> = words.by_ref().take(2).map(|w| w.parse().unwrap()).collect();
                    assert!(numbers[0] >= next, "run {run}: {line} after {next} were handed out");
                    let digests: Vec<_> = words.map(str::to_owned).collect();
                    assert_eq!(digests.len() as u64, numbers[1]);
                    for digest in digests {
                        assert!(seen.insert(digest), "run {run}: the same material twice");
                    }
                    (next, taken, takes) = (numbers[0] + numbers[1], taken + numbers[1], takes + 1);
                }
                // The line that the kill cut short.
                _ => {}
            }
        }
    }
    let store = site.open(Role::P0).unwrap();
    assert!(store.cursor() >= next, "the cursor is behind what was handed out");
    assert_eq!((store.left(), store.verify().unwrap()), (store.about().planned - store.cursor(), 0));
    assert!(takes >= runs / 3, "{takes} takes in {runs} runs");
    let (cursor, left) = (store.cursor(), store.left());
    drop(store);
    // The peer knows nothing of all this.
    site.spend::<Cyclic, Additive, u64>(&WIDE, left.min(10_000) as usize, 1 << 12).unwrap();
    println!(
        r#"{{"kind":"crash","what":"store","kills":{runs},"takes":{takes},"lookups":{taken},"lost":{},"twice":0,"seconds":{:.1}}}"#,
        cursor - taken,
        start.elapsed().as_secs_f64()
    );
}

/// What a taker says until it is killed, `patience` after it was started, or after its first hand-out.
fn run_and_kill(root: &Path, seed: u64, patience: Duration, working: bool) -> Vec<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "store_crash::taker", "--nocapture", "--test-threads=1"])
        .env("CRASH_ROOT", root)
        .env("CRASH_SEED", seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (said, lines) = channel();
    let reader =
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
    let mut heard = Vec::new();
    while working && !heard.iter().any(|line: &String| line.starts_with("took")) {
        heard.push(lines.recv_timeout(Duration::from_secs(60)).expect("a hand-out"));
    }
    thread::sleep(patience);
    child.kill().unwrap(); // SIGKILL
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    reader.join().unwrap().unwrap();
    heard.extend(lines);
    heard
}

/// Every state that a crash can leave between the writes of a hand-out, and every mixture of files
/// of before and after it.
#[test]
fn every_mixture_of_old_and_new_files_is_safe_or_refused() {
    let site = Site::new();
    drop(site.make(&plan(Protocol::Doubling, JOB, 64, 16)).unwrap());
    let (journal, mark) = (site.store_path(Role::P0).join("journal"), site.mark_path(Role::P0));
    site.load_alone(Role::P0, 3);
    let old = [&journal, &mark].map(|path| fs::read(path).unwrap());
    site.load_alone(Role::P0, 5);
    let new = [&journal, &mark].map(|path| fs::read(path).unwrap());
    let try_with = |journal_is: &[u8], mark_is: &[u8]| {
        fs::write(&journal, journal_is).unwrap();
        fs::write(&mark, mark_is).unwrap();
        site.open(Role::P0).map(|store| store.cursor())
    };
    let refused = |result: Result<u64, Error>| matches!(result, Err(Error::Store(text)) if text.contains("restored from a backup"));
    // Killed before the journal, between journal and mark, after the mark.
    assert_eq!(try_with(&old[0], &old[1]).unwrap(), 3, "nothing was handed out");
    assert_eq!(try_with(&new[0], &old[1]).unwrap(), 8, "it might have been");
    assert_eq!(try_with(&new[0], &new[1]).unwrap(), 8);
    // Killed within a write: a record that is cut short, or of the right length and not written.
    let record = new[0].len() - old[0].len();
    for whole in 0..record {
        let torn = &new[0][..old[0].len() + whole];
        assert_eq!(try_with(torn, &old[1]).unwrap(), 3, "{whole} bytes of the journal's record");
        assert!(refused(try_with(torn, &new[1])), "the mark was never written before the journal");
        let torn = &new[1][..old[1].len() + whole];
        assert_eq!(try_with(&new[0], torn).unwrap(), 8, "{whole} bytes of the mark's record");
        let zeros = [&new[0][..old[0].len() + whole], &vec![0; record - whole][..]].concat();
        assert_eq!(try_with(&zeros, &old[1]).unwrap(), 3, "{whole} bytes and zeros");
    }
    // Restored: the store alone, or without any mark.
    assert!(refused(try_with(&old[0], &new[1])));
    fs::write(&journal, &new[0]).unwrap();
    fs::remove_file(&mark).unwrap();
    assert!(refused(site.open(Role::P0).map(|store| store.cursor())));
    // The identity alone: the store knows better.
    assert_eq!(try_with(&new[0], &old[1]).unwrap(), 8);
    // Neither file takes the other's place, and no byte of them can be changed without being seen.
    assert!(try_with(&new[1], &new[1]).is_err() && try_with(&new[0], &new[0]).is_err());
    assert!(try_with(&[], &new[1]).is_err() && try_with(&new[0], &[]).is_err());
}

/// Store and identity restored together at one party: the peer's cursor still prevents a second use.
#[test]
fn a_party_restored_as_a_whole_follows_its_peer() {
    let site = Site::new();
    drop(site.make(&plan(Protocol::Doubling, JOB, 64, 16)).unwrap());
    let backup = tempfile::tempdir().unwrap();
    let folders = [site.store_path(Role::P0), site.identity_path(Role::P0)];
    let saved = ["store", "identity"].map(|name| backup.path().join(name));
    folders.iter().zip(&saved).for_each(|(folder, saved)| copy(folder, saved));
    site.spend::<Cyclic, Additive, u16>(&JOB, 20, 64).unwrap();
    folders.iter().zip(&saved).for_each(|(folder, saved)| copy(saved, folder));
    assert_eq!(site.open(Role::P0).unwrap().cursor(), 0, "it cannot know");
    site.spend::<Cyclic, Additive, u16>(&JOB, 20, 64).unwrap();
    assert_eq!(site.open(Role::P0).unwrap().cursor(), 40);
}
