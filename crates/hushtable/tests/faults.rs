//! Faults at every message of every protocol, on both sides: a stream that ends, wrong bytes,
//! wrong lengths. A party gets an error, at once, or wrong values where bytes were masked anyway;
//! it never panics, hangs, or lets a number from the peer choose an allocation.

use crate::support::jobs::{JOBS, Job, SEED};
use crate::support::pairs;
use crate::support::relay;

use std::{
    env, fs,
    sync::Mutex,
    time::{Duration, Instant},
};

use hushtable::{
    AShare, Error, Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::Connection,
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::Scheme,
    share::Share,
};
use pairs::id;
use prim::{block::Block, prg::Prg};
use relay::{Fate, Outcome, relayed};

/// Milliseconds on a machine that does nothing else.
const SOON: Duration = Duration::from_secs(30);

const SET_UP: Job = |p| p.barrier();

type Ends = Outcome<Result<()>, Result<()>>;

fn run(scheme: Option<Scheme>, job: Job, fate: impl Fn(Role, usize, &[u8]) -> Fate + Sync) -> Ends {
    let party = |connection: Connection| job(&mut Party::seeded(connection, SEED, scheme)?);
    relayed(id(SEED), party, party, fate)
}

/// Of the five kinds of faults here, each message meets one, in turns: a run for each takes minutes. With LONG it meets
/// all.
fn in_turn(kind: usize, message: usize) -> bool {
    (kind + message).is_multiple_of(5) || env::var_os("LONG").is_some()
}

/// Runs every job once for each of its messages whose [turn](in_turn) it is, with that message's fate in the hands of
/// `fault`. Calls `check` with what happened, how many messages each party sends in an honest run, and the time since the
/// fault.
fn at_every_message(
    kind: usize,
    fault: impl Fn(usize, &[u8]) -> Fate + Sync,
    check: impl Fn(&str, Role, usize, &Ends, [usize; 2], Duration),
) {
    let set_up = count(None, SET_UP).map(|n| n - 1); // without the barrier
    let with_set_up = [("set-up", None, SET_UP), ("set-up of IKNP", Some(Scheme::Iknp), SET_UP)];
    for (name, scheme, job) in with_set_up.into_iter().chain(JOBS.iter().copied()) {
        let total = count(scheme, job);
        for role in [Role::P0, Role::P1] {
            let first = if name.starts_with("set-up") { 0 } else { set_up[role as usize] };
            for k in (first..total[role as usize]).filter(|k| in_turn(kind, k + role as usize)) {
                let since = Mutex::new(None);
                let ends = run(scheme, job, |r, i, frame| {
                    if (r, i) != (role, k) {
                        return Fate::Pass;
                    }
                    since.lock().expect("no panic").get_or_insert(Instant::now());
                    fault(k, frame)
                });
                let since = since.into_inner().expect("no panic").expect("the message was sent");
                check(name, role, k, &ends, total, since.elapsed());
            }
        }
    }
}

/// Messages each party sends in an honest run.
fn count(scheme: Option<Scheme>, job: Job) -> [usize; 2] {
    let honest = run(scheme, job, |_, _, _| Fate::Pass);
    assert!(
        matches!((&honest.p0, &honest.p1), (Some(Ok(())), Some(Ok(())))),
        "an honest run: {:?}",
        (&honest.p0, &honest.p1)
    );
    honest.sent.map(|sent| sent.len())
}

/// The receiver of the message that failed has an error, and so has everybody who still waited for
/// a message. Who had all already may be done.
fn assert_ended(what: &str, sender: Role, ends: &Ends, total: [usize; 2]) {
    for (role, end) in [(Role::P0, &ends.p0), (Role::P1, &ends.p1)] {
        let end = end.as_ref().unwrap_or_else(|| panic!("{what}: {role:?} panicked"));
        let waits = role != sender || ends.sent[role.peer() as usize].len() < total[role.peer() as usize];
        assert!(end.is_err() || !waits, "{what}: {role:?} noticed nothing");
    }
}

#[test]
fn a_stream_that_ends_is_an_error_at_both_soon() {
    let check = |name: &str, role: Role, k: usize, ends: &Ends, total: [usize; 2], took: Duration| {
        let what = format!("{name}, cut before message {k} of {role:?}");
        assert_ended(&what, role, ends, total);
        for end in [&ends.p0, &ends.p1].into_iter().flatten().filter_map(|end| end.as_ref().err()) {
            assert!(matches!(end, Error::Closed), "{what}: {end}");
        }
        assert!(took < SOON, "{what}: took {took:?}");
    };
    at_every_message(0, |_, _| Fate::Cut, check);
}

#[test]
fn a_message_of_wrong_length_is_the_peers_error() {
    let fault = |k: usize, frame: &[u8]| {
        let mut payload = frame[8..].to_vec();
        match k % 3 {
            _ if payload.is_empty() => payload.push(0),
            0 => payload.truncate(payload.len() - 1),
            1 => payload.push(0),
            _ => payload.clear(),
        }
        let mut wrong = (payload.len() as u32).to_le_bytes().to_vec();
        wrong.extend_from_slice(&frame[4..8]);
        wrong.extend(payload);
        Fate::Instead(wrong)
    };
    let check = |name: &str, role: Role, k: usize, ends: &Ends, total: [usize; 2], took: Duration| {
        let what = format!("{name}, message {k} of {role:?} with another length");
        assert_ended(&what, role, ends, total);
        let receiver = if role == Role::P0 { &ends.p1 } else { &ends.p0 };
        let error = receiver.as_ref().expect("no panic").as_ref().expect_err("checked").to_string();
        // What is announced has no length of its own: it is another announcement.
        let named = ["malformed message from the peer", "the parties disagree on operation"];
        assert!(named.iter().any(|text| error.contains(text)), "{what}: {error}");
        assert!(took < SOON, "{what}: took {took:?}");
    };
    at_every_message(1, fault, check);
}

/// A header that announces 4 GiB, or that belongs to no frame this version knows.
#[test]
fn a_bad_header_is_the_peers_error_and_allocates_nothing() {
    let before = peak_memory();
    let fault = |k: usize, frame: &[u8]| {
        let word = if k.is_multiple_of(2) { u32::MAX - 1 } else { u32::MAX };
        let mut bad = word.to_le_bytes().to_vec();
        bad.extend([0xee; 4]);
        bad.extend_from_slice(&frame[8..]);
        Fate::Instead(bad)
    };
    let check = |name: &str, role: Role, k: usize, ends: &Ends, total: [usize; 2], took: Duration| {
        let what = format!("{name}, message {k} of {role:?} with a bad header");
        assert_ended(&what, role, ends, total);
        assert!(took < SOON, "{what}: took {took:?}");
    };
    at_every_message(2, fault, check);
    // Stacks and arenas of the many threads add to it, but never 4 GiB.
    assert!(peak_memory() - before < 2 << 30, "a number from the peer chose an allocation");
}

/// Highest use of address space so far, in bytes; zero where the system does not tell.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}

/// Where bytes are masked, garbage gives wrong values, as it would from a party that deviates;
/// elsewhere an error. Never a panic, and never a wait.
fn assert_garbage_is_harmless(kind: usize, garble: impl Fn(usize, &mut [u8]) + Sync) {
    let fault = |k: usize, frame: &[u8]| {
        let mut garbage = frame.to_vec();
        garble(k, &mut garbage[8..]);
        Fate::Instead(garbage)
    };
    let check = |name: &str, role: Role, k: usize, ends: &Ends, _: [usize; 2], took: Duration| {
        let what = format!("{name}, garbage as message {k} of {role:?}");
        assert!(ends.p0.is_some(), "{what}: P0 panicked");
        assert!(ends.p1.is_some(), "{what}: P1 panicked");
        if name.starts_with("set-up") && k < 2 {
            // Parameters, and points of base OTs.
            let receiver = if role == Role::P0 { &ends.p1 } else { &ends.p0 };
            let error = receiver.as_ref().and_then(|end| end.as_ref().err());
            assert!(matches!(error, Some(Error::Peer(_))), "{what}: {error:?}");
        }
        assert!(took < SOON, "{what}: took {took:?}");
    };
    at_every_message(kind, fault, check);
}

#[test]
fn random_bytes_never_panic() {
    assert_garbage_is_harmless(3, |k, bytes| Prg::new(Block(k as u128 + 1)).bytes(bytes));
}

#[test]
fn equal_bytes_never_panic() {
    assert_garbage_is_harmless(4, |k, bytes| bytes.fill(if k.is_multiple_of(2) { 0xff } else { 0 }));
}

/// Keys, ciphertexts and responses of a lattice: with a byte less or more, all of them, and the first two with numbers that are
/// no residues. The receiver says what is wrong, and the sender learns that the session is over.
#[test]
fn lattices_refuse_what_is_malformed() {
    // A response has 8192 numbers and more of 27 bits, a key or a ciphertext as many of 30 for each of three primes or more.
    const RESPONSE: usize = 8192 * 27 / 8;
    const RESIDUES: usize = 3 * 8192 * 30 / 8;
    for (name, scheme, job) in JOBS.iter().copied().filter(|(name, ..)| name.ends_with("by a lattice")) {
        let lengths = Mutex::new(Vec::new());
        run(scheme, job, |role, k, frame| {
            lengths.lock().expect("no panic").push((role, k, frame.len() - 8));
            Fate::Pass
        });
        let mut lengths = lengths.into_inner().expect("no panic");
        lengths.retain(|(_, _, len)| *len >= RESPONSE);
        let residues = lengths.iter().filter(|(_, _, len)| *len >= RESIDUES).count();
        assert!(residues >= 2 && lengths.len() > residues, "{name}: {lengths:?}");
        for (role, k, len) in lengths {
            let beyond = (len >= RESIDUES).then_some(("ones", "a number that is not below its prime"));
            let lengths = [("less", "malformed message"), ("more", "malformed message")];
            for (fault, says) in lengths.into_iter().chain(beyond) {
                let ends = run(scheme, job, |r, i, frame| {
                    if (r, i) != (role, k) {
                        return Fate::Pass;
                    }
                    let mut payload = frame[8..].to_vec();
                    match fault {
                        "less" => payload.truncate(len - 1),
                        "more" => payload.push(0),
                        _ => payload[len - 100..].fill(0xff),
                    }
                    Fate::Instead([&(payload.len() as u32).to_le_bytes(), &frame[4..8], &payload].concat())
                });
                let what = format!("{name}, {fault} in message {k} of {role:?}");
                let ends = [ends.p0, ends.p1].map(|end| end.expect("no panic").expect_err(&what));
                assert!(ends[role.peer() as usize].to_string().contains(says), "{what}: {ends:?}");
            }
        }
    }
}

/// After an error nothing is tried again: every later call is an error too.
#[test]
fn a_failed_session_stays_failed() {
    let job: Job = |p| {
        let x = AShare::<u32>::new(9, vec![1; 5]);
        let first = p.open(&x).expect_err("an empty message came first");
        assert!(matches!(first, Error::Peer(_)), "{first}");
        for _ in 0..2 {
            assert!(p.open(&x).is_err() && p.barrier().is_err() && p.cots(1 << 14, 0).is_err());
            assert!(OneHot::<Xor>::rotl(p, 3, 40_000).is_err());
        }
        Err(first)
    };
    // What was awaited comes right behind, so that another try would succeed.
    let precede = |_: Role, _: usize, frame: &[u8]| match frame.len() {
        14 => Fate::Instead([&0u32.to_le_bytes(), &frame[4..8], frame].concat()),
        _ => Fate::Pass,
    };
    let ends = run(None, job, precede);
    assert!(matches!((ends.p0, ends.p1), (Some(Err(Error::Peer(_))), Some(Err(Error::Peer(_))))));
}

#[test]
fn another_ot_extension_is_named_at_both() {
    let ends = relayed(
        id(SEED),
        |c| Party::seeded(c, SEED, Some(Scheme::Iknp)).err(),
        |c| Party::seeded(c, SEED, Some(Scheme::Ferret)).err(),
        |_, _, _| Fate::Pass,
    );
    let errors = [ends.p0, ends.p1].map(|e| e.flatten().expect("an error").to_string());
    assert_eq!(errors[0], "the parties disagree on OT extension: here iknp, at the peer ferret");
    assert_eq!(errors[1], "the parties disagree on OT extension: here ferret, at the peer iknp");
}

#[test]
fn other_lpn_parameters_are_named() {
    let weaken = |role: Role, i: usize, frame: &[u8]| match (role, i) {
        (Role::P0, 0) => {
            let at = frame.windows(8).position(|w| w == b"(976,14,").expect("set S");
            let mut weaker = frame.to_vec();
            weaker[at + 1..at + 4].copy_from_slice(b"850");
            Fate::Instead(weaker)
        }
        _ => Fate::Pass,
    };
    let ends = run(None, SET_UP, weaken);
    match ends.p1 {
        Some(Err(Error::Handshake { field, theirs, .. })) => {
            assert_eq!(field, "LPN parameter sets");
            assert!(theirs.contains("850,14,7"));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(ends.p0, Some(Err(_))), "P0 learns that the session is over");
}

/// Parties that prepare for different batches, lengths or widths.
#[test]
fn different_sizes_are_an_error_at_both() {
    fn onehot<G: Group>(p: &mut Party, n: u32, batch: usize, bits: u32) -> Result<()> {
        let x = Share::<G::Kind, u32>::new(n, vec![1; batch]);
        let material = OneHot::<G>::rotl(p, n, batch)?.signed(p, &[bits])?;
        material.lookup(p, &Table::<u16>::tabulate(n, bits, |x| x)?, &x)?;
        p.barrier()
    }
    fn doubling(p: &mut Party, n: u32, batch: usize, _: u32) -> Result<()> {
        let x = Share::new(n, vec![1; batch]);
        let material = OneHot::<Xor>::doubling(p, n, batch)?;
        material.lookup_xor(p, &Table::<u16>::tabulate(n, 9, |x| x)?, &x)?;
        p.barrier()
    }
    fn splut(p: &mut Party, n: u32, batch: usize, bits: u32) -> Result<()> {
        let material = SpLut::<Cyclic>::prepare(p, n as usize * 3, batch)?;
        material.lookup_mod(p, &Table::<u16>::new(bits, vec![1; n as usize * 3])?, &vec![1; batch])?;
        p.barrier()
    }
    type Sized = fn(&mut Party, u32, usize, u32) -> Result<()>;
    let protocols: [(&str, Sized); 4] =
        [("cyclic", onehot::<Cyclic>), ("xor", onehot::<Xor>), ("doubling", doubling), ("SP-LUT", splut)];
    for (name, protocol) in protocols {
        let (n, batch, bits) = (4, 20, 9);
        for (n1, batch1, bits1) in [(4, 40, 9), (4, 30, 9), (5, 20, 9), (4, 20, 16), (3, 20, 8)] {
            if name == "doubling" && (n1, batch1) == (n, batch) {
                continue; // XOR outputs put no width on the wire
            }
            let start = Instant::now();
            let ends = relayed(
                id(SEED),
                |c| protocol(&mut Party::seeded(c, SEED, None)?, n, batch, bits),
                |c| protocol(&mut Party::seeded(c, SEED, None)?, n1, batch1, bits1),
                |_, _, _| Fate::Pass,
            );
            let what = format!("{name}: {:?} against {:?}", (n, batch, bits), (n1, batch1, bits1));
            assert!(matches!((&ends.p0, &ends.p1), (Some(Err(_)), Some(Err(_)))), "{what}");
            assert!(start.elapsed() < SOON, "{what}: took {:?}", start.elapsed());
        }
    }
}
