//! What numbers from the peer or the disk make a party allocate, and what material holds against what its bill says,
//! counted by the allocator. A program of its own, because an allocator counts for all threads: nothing else runs
//! beside it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::Write,
    sync::atomic::{AtomicUsize, Ordering},
};

use hushtable::{
    Error, Party, Role,
    arith::Objective,
    lut::{LookupJob, Prepared, Protocol},
    math::{Evaluation, Function, Options, SoftmaxJob},
    net::Connection,
    onehot::Xor,
    operation::{
        Bands, Compare, Intervals, Lookup, Multiply, Operation, Relation, SecretTable, Select, ToAdditive,
        ToXor, Truncate,
    },
    ot::Setting,
    party::run_pair,
    run,
    share::{Bitwise, Sharing},
};

/// The system's allocator, the largest piece that was asked of it, and how much of it is in use.
struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grows(size: usize) {
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call is passed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        grows(layout.size());
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        grows(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        grows(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More than what a connection allocates for itself, and less than what any of the announced lengths takes.
const LIMIT: usize = 1 << 17;

/// Runs `f`; fails if it allocates a larger piece than `LIMIT`.
fn bounded<T>(what: &str, f: impl FnOnce() -> T) -> T {
    LARGEST.store(0, Ordering::Relaxed);
    let out = f();
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest < LIMIT, "{what}: {largest} bytes were allocated");
    out
}

/// What a party makes of a peer that announces a message of `len` bytes and sends a hundred.
fn announced(len: u32, receive: fn(&mut Connection) -> Result<(), Error>) -> Error {
    let (mut connection, peer) = Connection::with_raw_peer(Role::P0, [7; 32]);
    let frame = [&len.to_le_bytes()[..], &1u32.to_le_bytes(), &[0; 100]].concat();
    (&peer).write_all(&frame).expect("room for a hundred bytes");
    receive(&mut connection).expect_err("no such message")
}

type Receive = fn(&mut Connection) -> Result<(), Error>;

const RECEIVERS: [(&str, Receive); 3] = [
    ("a message", |c| c.channel().recv(10).map(drop)),
    ("an exchange", |c| c.channel().exchange(vec![1; 10], 10).map(drop)),
    ("parameters", |c| c.agree(&[("name", "value".into())])),
];

fn lengths_from_the_peer() {
    for len in [u32::MAX - 1, 1 << 31, 1 << 30, 1 << 20, 1 << 17] {
        for (name, receive) in RECEIVERS {
            let what = format!("{name} of {len} bytes");
            let error = bounded(&what, || announced(len, receive));
            assert!(matches!(error, Error::Peer(_)), "{what}: {error}");
        }
        let what = format!("set-up with a message of {len} bytes");
        let error = bounded(&what, || {
            let (connection, peer) = Connection::with_raw_peer(Role::P0, [7; 32]);
            (&peer).write_all(&[len.to_le_bytes(), 1u32.to_le_bytes()].concat()).expect("room");
            Party::new(connection, None).map(drop).expect_err("no such message")
        });
        assert!(matches!(error, Error::Peer(_)), "{what}: {error}");
    }
}

fn counts_from_the_disk() {
    let job = |index_bits| LookupJob { index: Sharing::Xor, output: Sharing::Xor, index_bits, value_bits: 8 };
    for count in [1 << 16, 1 << 20, 1 << 40, usize::MAX / 8, usize::MAX] {
        for protocol in [Protocol::Rotl, Protocol::Doubling, Protocol::SpLut] {
            let what = format!("{count} stored lookups of {protocol} in a hundred bytes");
            let read =
                || Prepared::<Xor, Bitwise, u8>::from_bytes(protocol, &job(8), Role::P0, count, &[0; 100]);
            assert!(bounded(&what, read).is_err(), "{what}");
        }
    }
}

/// Items whose material is weighed: many, so that what a batch has once is lost among them.
const ITEMS: usize = 4096;

/// Lookups in a secret table.
const SMALL: LookupJob =
    LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 6, value_bits: 32 };

/// Operations of many kinds.
fn operations() -> Vec<Box<dyn Operation>> {
    const ALL: [i64; 2] = [-1000, 1000];
    let lookup = |protocol, index_bits| {
        let job =
            LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits, value_bits: 32 };
        Box::new(Lookup::blank(protocol, job).expect("lookups")) as Box<dyn Operation>
    };
    let compare = |relation, objective| {
        Box::new(Compare::new(relation, [32, 0], ALL, ALL, objective).expect("a job")) as Box<dyn Operation>
    };
    let function = |fraction| {
        let function = Evaluation::new(Function::Sigmoid, 32, fraction, &Options::default());
        Box::new(function.expect("a function")) as Box<dyn Operation>
    };
    vec![
        Box::new(Multiply { bits: 40, objective: Objective::Total }),
        Box::new(Multiply { bits: 40, objective: Objective::Online }),
        Box::new(Truncate { bits: 40, cut: 12 }),
        Box::new(Select { bits: 40 }),
        Box::new(Bands::new(32, vec![0, 10, 20], Objective::Total).expect("cuts")),
        compare(Relation::Lt, Objective::Total),
        compare(Relation::Lt, Objective::Rounds),
        compare(Relation::Max, Objective::Bytes),
        lookup(Protocol::Doubling, 6),
        lookup(Protocol::Tree, 10),
        lookup(Protocol::SpLut, 6),
        function(8),
        function(16),
        Box::new(Intervals::new(16, vec![-5..5, 100..1000]).expect("intervals")),
        Box::new(Intervals::new(8, vec![-5..5, 20..30]).expect("intervals")),
        Box::new(ToAdditive { bits: [20, 32], signed: true, fraction: 0 }),
        Box::new(ToXor { bits: 32, fraction: 0 }),
        Box::new(SecretTable::new(SMALL, 0, vec![3; 64].into()).expect("a table")),
        Box::new(SoftmaxJob::new(8, 37, 12)),
    ]
}

/// Material of each party has as many bytes as the bill of its operation says.
fn what_is_kept() {
    for operation in &operations() {
        let (p0, p1) = Party::pair_seeded(5).expect("a pair");
        let prepare = |p: &mut Party| operation.prepare(p, ITEMS);
        let made = run_pair((p0, p1), prepare, prepare).expect("an honest run");
        let before = LIVE.load(Ordering::Relaxed);
        drop(made);
        let held = (before - LIVE.load(Ordering::Relaxed)) as f64 / (2 * ITEMS) as f64;
        let said =
            operation.bill(ITEMS, &Setting::default()).expect("a bill").kept as f64 / (8 * ITEMS) as f64;
        let what = format!(
            "{}, {}: {held:.0} bytes an item, {said:.0} in the bill",
            operation.name(),
            operation.method()
        );
        assert!((0.93..1.08).contains(&(held / said)), "{what}");
    }
}

/// A batch takes the memory that its effort says, about: lanes and batches are cut by it.
fn what_a_batch_takes() {
    for operation in &operations() {
        let takes = operation.signature().takes;
        let peak = |items: usize| {
            let pair = Party::pair_seeded(5).expect("a pair");
            let words: Vec<Vec<u64>> = takes.iter().map(|port| vec![0; items * port.words]).collect();
            let before = LIVE.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            let f = |p: &mut Party| {
                let given: Vec<&[u64]> = words.iter().map(Vec::as_slice).collect();
                run::make(operation.as_ref(), p, items)?.0.eval(p, &given).map(drop)
            };
            run_pair(pair, f, f).expect("an honest run");
            (PEAK.load(Ordering::Relaxed) - before) as f64
        };
        let said =
            |items: usize| operation.effort(items, &Setting::default()).expect("an effort").memory[0] as f64;
        // What a batch takes however small it is falls out of the difference. Both parties are in this process.
        let (few, many) = (1024, 4096);
        // How far one party runs ahead of the other is the system's to say: the least of three.
        let least = |items: usize| (0..3).map(|_| peak(items)).fold(f64::INFINITY, f64::min);
        let held = (least(many) - least(few)) / (2 * (many - few)) as f64;
        let said = (said(many) - said(few)) / (many - few) as f64;
        let what =
            format!("{}, {}: {held:.0} bytes an item, {said:.0} said", operation.name(), operation.method());
        // Triples are made of more OTs than an effort sees: those that are handed out beside those in stock.
        let most = if operation.method() == "triples" { 2.0 } else { 1.6 };
        assert!((0.5..most).contains(&(held / said)), "{what}");
    }
}

/// The count itself is red where something is allocated.
fn an_allocation_is_seen() {
    LARGEST.store(0, Ordering::Relaxed);
    std::hint::black_box(vec![1u8; LIMIT]);
    assert!(LARGEST.load(Ordering::Relaxed) >= LIMIT, "an allocation was not counted");
}

fn main() {
    an_allocation_is_seen();
    lengths_from_the_peer();
    counts_from_the_disk();
    what_a_batch_takes();
    what_is_kept();
    println!("no announced length was allocated, and no more is kept than bills say");
}
