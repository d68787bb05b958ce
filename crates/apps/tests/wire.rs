//! What the applications send in a seeded run, hashed and compared with `data/wire.txt`; and faults at each of their
//! messages. A difference means that this version cannot talk to the last one: see the library's `wire.rs`.

use std::{env, fs, path::Path, sync::Arc, time::Instant};

use crate::relay::{Fate, Outcome, relayed};
use hushtable::{
    Error, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Objective},
    confidential::{
        copy::{CopyJob, EncryptedCopy, Keys, Owner},
        prf::Cipher,
    },
    net::Connection,
    operation::{Engine, Operation},
    run::{self, Reveal, Unwatched},
};
use hushtable_apps::{
    circuit_psi::{CircuitPsi, Matching, Numbers},
    embedding::{Embedding, EmbeddingJob},
    fusion::Fusion,
    held_table::Table,
    ids::{Rules, Set},
    join::{Column, Join},
    join_query::{Aggregate, Filter, JoinJob, JoinQuery, Joined},
    private_table::{self, Description, Gets, Key, KeyKind, KeyLookup, Scale, Value, ValueKind},
    proximity::{Places, Proximity},
    psi::{Learns, Psi},
    scoring::{Question, Scoring},
    statistics::GroupShape,
};
use prim::Block;

const SEED: u64 = 91;

/// No whole number of bytes.
const ITEMS: usize = 11;

type Job = fn(&mut Party) -> Result<()>;

const JOBS: &[(&str, Job)] = &[
    ("proximity-own", |p| operated(p, &Proximity::new(250.0, Places::Own)?, 3)),
    ("proximity-plane", |p| operated(p, &Proximity::new(250.0, Places::Plane)?, 2)),
    ("proximity-shared", |p| operated(p, &Proximity::new(250.0, Places::Shared)?, 4)),
    ("proximity-additive", |p| operated(p, &Proximity::new(250.0, Places::Own)?.additive(16), 3)),
    ("fusion", |p| operated(p, &Fusion::new(6, &[1.0, 2.0], 0.9)?, 2)),
    ("score-threshold", |p| operated(p, &Scoring::new(32, 12, Question::AtLeast(0.8))?, 1)),
    ("score-bands", |p| operated(p, &Scoring::new(32, 12, Question::Bands(vec![0.2, 0.8]))?, 1)),
    ("intersection", |p| intersected(p, Learns::Both)),
    ("intersection-for-p1", |p| intersected(p, Learns::Only(Role::P1))),
    ("intersection-by-circuits", |p| matched(p, 0)),
    ("intersection-by-products", |p| matched(p, 1)),
    ("join", joined),
    ("embedding", embedded),
    ("join-query", queried),
    ("lookup", |p| looked_up(p, Gets::Client, None)),
    ("lookup-shared", |p| looked_up(p, Gets::Shared(0), Some(16))),
];

/// A table under a known key, at its owner or as a copy.
fn table(p: &Party, job: CopyJob) -> Result<Table> {
    let keys: Vec<u128> = (0..1 << job.keys.bits()).collect();
    let owner = Owner::insecure_with_key(job, &keys, &vec![5; keys.len() * job.row_words()], Block(7))?;
    Ok(match p.role() == job.owner {
        true => owner.into(),
        false => EncryptedCopy::from_bytes(job, &owner.copy().to_bytes())?.into(),
    })
}

fn embedded(p: &mut Party) -> Result<()> {
    let job = EmbeddingJob { cipher: Cipher::LowMc, bag: 3, ..EmbeddingJob::new(Role::P1, [13, 3], 5, 20) };
    let material = Embedding::new(job, table(p, job.copy())?)?.prepare(p, 2)?;
    material.eval(p, &[&[9, 8, 7, 6, 5, 4]])?;
    p.barrier()
}

fn queried(p: &mut Party) -> Result<()> {
    let (owner, keys) = (Role::P0, Keys::Dense { bits: 4 });
    let job = JoinJob { owner, cipher: Cipher::LowMc, keys, columns: vec![9, 3], per_key: 2 };
    let material = JoinQuery::new(job.clone(), table(p, job.copy())?)?.prepare(p, ITEMS)?;
    let joined = Joined::of(&job, material.eval(p, &[&[3; ITEMS], &[1; ITEMS]])?)?;
    let compare = CompareJob::new(9, CompareDomain::Near, Objective::Total)?;
    let (x, valid) = ([3; 2 * ITEMS], joined.valid.to_wide());
    let stays = Filter(compare).prepare(p, 2 * ITEMS)?.eval(p, &[&valid, &x, &x])?.remove(0);
    let shape = GroupShape { bins: 2 * ITEMS, groups: 1, widths: vec![9], least: 0, noise: None };
    let sums = Aggregate(shape.clone()).prepare(p, 1)?.eval(p, &[&stays, &stays, &x])?;
    Reveal::Both.open(p, &shape.signature().gives, sums)?;
    p.barrier()
}

/// Two batches, each with its results.
fn looked_up(p: &mut Party, gets: Gets, shared_keys: Option<u32>) -> Result<()> {
    let mut description = Description {
        table: "table".into(),
        key: Key::new("key".into(), KeyKind::Whole { least: 0, bits: 4 }, Rules::NONE),
        values: vec![Value {
            name: "number".into(),
            kind: ValueKind::Number { scale: Scale::Decimal(0), bits: 9 },
        }],
        places: private_table::Places::Dense,
        cipher: Cipher::LowMc,
        digest: [0; 32],
        batch: 6,
        lookups: ITEMS as u64,
        shares: true,
    };
    let table = table(p, description.job())?;
    description.digest = *table.copy().digest();
    let lookup = KeyLookup::new(description, table, gets, shared_keys)?;
    run::set_up(&lookup, p, ITEMS)?;
    lookup.look_up(p, ITEMS as u64, Some(&[3; ITEMS]), &Unwatched)?;
    p.barrier()
}

/// Ids 0, 3, .. of P0 and 0, 2, .. of P1; more are allowed.
fn ids(p: &mut Party) -> Result<Set> {
    let step = 3 - p.role() as usize;
    Set::new(Rules::default(), (0..ITEMS).map(|i| [(step * i).to_string()]))
}

fn intersected(p: &mut Party, learns: Learns) -> Result<()> {
    let (material, set) = (Psi::new([ITEMS, ITEMS + 2], learns)?.prepare(p)?, ids(p)?);
    let salted = set.salted(p)?;
    material.find(p, &salted)?;
    p.barrier()
}

/// Numbers 0, 3, .. of P0 and 0, 2, .. of P1, by triples and a form of the bin's circuit.
fn matched(p: &mut Party, form: usize) -> Result<()> {
    let psi = CircuitPsi::new(Role::P1, [ITEMS, ITEMS + 2], 32, Objective::Total)?;
    let (psi, step) = (psi.by(form, Engine::Layers(None))?, 3 - p.role() as u64);
    let numbers = Arc::new(Numbers::new(32, (0..ITEMS as u64).map(|i| step * i).collect::<Vec<u64>>())?);
    Matching { psi, numbers }.prepare(p, 1)?.eval(p, &[])?;
    p.barrier()
}

fn joined(p: &mut Party) -> Result<()> {
    let columns = [Column::additive(20), Column::bitwise(3)];
    let material = Join::new(Role::P1, [ITEMS, ITEMS + 2], &columns, &[13])?.prepare(p)?;
    let (salted, words) = (ids(p)?.salted(p)?, [5; ITEMS]);
    let mine: &[&[u64]] = if p.role() == Role::P1 { &[&words] } else { &[&words, &words] };
    material.run(p, &salted, mine)?;
    p.barrier()
}

fn operated(p: &mut Party, operation: &dyn Operation, operands: usize) -> Result<()> {
    let mine = [77 * (1 + p.role() as u64); ITEMS];
    let material = operation.prepare(p, ITEMS)?;
    material.eval(p, &vec![&mine[..]; operands])?;
    p.barrier()
}

fn run(job: Job, fate: impl Fn(Role, usize, &[u8]) -> Fate + Sync) -> Outcome<Result<()>, Result<()>> {
    let party = |connection: Connection| job(&mut Party::seeded(connection, SEED, None)?);
    relayed(crate::pairs::id(SEED), party, party, fate)
}

/// Every frame each party sent, set-up included.
fn transcript(job: Job) -> [Vec<Vec<u8>>; 2] {
    let outcome = run(job, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic at P0").expect("an honest run");
    outcome.p1.expect("no panic at P1").expect("an honest run");
    outcome.sent
}

fn set_up() -> [usize; 2] {
    transcript(|p| p.barrier()).map(|sent| sent.len() - 1)
}

#[test]
fn every_application_sends_what_it_sent_before() {
    let (mut now, after) = (
        String::from("# application, then for each party: frames sent, hash of them. See wire.rs.\n"),
        set_up(),
    );
    for (name, job) in JOBS {
        let sent = transcript(*job);
        now += name;
        for (role, (frames, after)) in sent.iter().zip(after).enumerate() {
            let mut hash = blake3::Hasher::new();
            for frame in &frames[after..] {
                hash.update(frame);
            }
            now += &format!(" p{role} {} {}", frames.len() - after, &hash.finalize().to_hex()[..32]);
        }
        now.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire.txt");
    if env::var_os("UPDATE_WIRE").is_some() {
        fs::write(&path, &now).expect("data/wire.txt can be written");
    }
    let before = fs::read_to_string(&path).expect("data/wire.txt");
    assert!(
        before == now,
        "the bytes on the wire changed. If that is meant: UPDATE_WIRE=1, a line in the changelog under \"Wire\", and \
         another net::WIRE_VERSION.\n{now}"
    );
}

/// The connection ends before a message, or its length is another, in turns (with LONG both): both parties have an error,
/// and soon.
/// Longer than 10 s: a session with base OTs for each message.
#[test]
fn faults_at_every_message_are_errors() {
    let first = set_up();
    for (name, job) in JOBS {
        let total = transcript(*job).map(|sent| sent.len());
        for role in [Role::P0, Role::P1] {
            for k in first[role as usize]..total[role as usize] - 1 {
                let turn = |cut| std::env::var_os("LONG").is_some() || (k % 2 == role as usize) == cut;
                for cut in [true, false].into_iter().filter(|&cut| turn(cut)) {
                    let start = Instant::now();
                    let ends = run(*job, |r, i, frame| match (r, i) == (role, k) {
                        false => Fate::Pass,
                        true if cut => Fate::Cut,
                        true => Fate::Instead(shorter(frame)),
                    });
                    let what = format!("{name}, message {k} of {role:?}, cut: {cut}");
                    for end in [&ends.p0, &ends.p1] {
                        let error = end.as_ref().expect("no panic").as_ref().expect_err(&what);
                        assert!(!cut || matches!(error, Error::Closed), "{what}: {error}");
                    }
                    assert!(start.elapsed().as_secs() < 60, "{what}: {:?}", start.elapsed());
                }
            }
        }
    }
}

/// With a byte less, or one more where there is none.
fn shorter(frame: &[u8]) -> Vec<u8> {
    let mut payload = frame[8..].to_vec();
    if payload.pop().is_none() {
        payload.push(0);
    }
    let mut wrong = (payload.len() as u32).to_le_bytes().to_vec();
    wrong.extend_from_slice(&frame[4..8]);
    wrong.extend(payload);
    wrong
}
