//! A bill held against a run: every bit, every round and every correlated OT.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{
    Party, Result, Role,
    bill::{Bill, Phase},
    net::Connection,
    session::Session,
};

use super::{
    pairs::id,
    relay::{Fate, relayed},
};

/// Stands between the phases in what is sent: no round, and no message of a protocol's.
const MARK: &str = "the next phase of a bill";

/// What operations announce begins so.
const ANNOUNCED: [&str; 14] = [
    MARK,
    "lattice: ",
    "made: ",
    "kept: ",
    "function ",
    "sine and cosine ",
    "softmax",
    "GELU",
    "SiLU",
    "layer norm",
    "reciprocal",
    "gains and offsets ",
    "copy",
    "transformer block",
];

/// At one party: rounds of both phases, and correlated OTs that left the stock, as sender and as receiver.
struct Met {
    rounds: [u32; 2],
    cots: [[i64; 2]; 2],
}

/// Runs both phases with as many correlated OTs in stock as billed: `bill` is what it costs, to the bit, and
/// nothing is drawn online. All messages must be whole bytes.
pub fn check<M>(
    what: &str,
    bill: Bill,
    prepare: impl Fn(&mut Party) -> Result<M> + Sync,
    online: impl Fn(&mut Session, M) -> Result<()> + Sync,
) {
    let offline = measured(what, bill, 0, prepare, online);
    assert_eq!(offline, bill.offline.rounds, "{what}, rounds offline");
}

/// [`check`] of what is made of parts: their rounds offline may overlap where one party alone sends. At each party
/// `filled` more bits fill online messages up to whole bytes.
pub fn check_parts<M>(
    what: &str,
    bill: Bill,
    filled: u64,
    prepare: impl Fn(&mut Party) -> Result<M> + Sync,
    online: impl Fn(&mut Session, M) -> Result<()> + Sync,
) {
    let (offline, most) = (measured(what, bill, filled, prepare, online), bill.offline.rounds);
    assert!((most.div_ceil(2)..=most).contains(&offline), "{what}, {offline} rounds offline of {most}");
}

/// Checks all but the rounds offline, and returns those.
fn measured<M>(
    what: &str,
    bill: Bill,
    filled: u64,
    prepare: impl Fn(&mut Party) -> Result<M> + Sync,
    online: impl Fn(&mut Session, M) -> Result<()> + Sync,
) -> u32 {
    met(what, bill, filled, &|p, between| {
        let material = prepare(p)?;
        between(p)?;
        online(p, material)
    })
}

/// Both phases, with something between them.
type Phases<'a> = dyn Fn(&mut Party, &mut dyn FnMut(&mut Party) -> Result<()>) -> Result<()> + Sync + 'a;

/// [`measured`], compiled once for all material.
fn met(what: &str, bill: Bill, filled: u64, phases: &Phases<'_>) -> u32 {
    const SEED: u64 = 0xb111;
    let party = |connection: Connection| -> Result<Met> {
        let p = &mut Party::seeded(connection, SEED, None)?;
        let (send, recv) = bill.cots_of(p.role());
        p.stock_cots(send, recv)?;
        // More than were in stock are made many at a time: then there are fewer than none gone.
        let stock = |p: &Party| [p.cots_in_stock().0, p.cots_in_stock().1].map(|count| count as i64);
        let before = stock(p);
        let left = |p: &Party| [before[0] - stock(p)[0], before[1] - stock(p)[1]];
        p.announce(MARK)?;
        p.take_cost();
        let (mut offline, mut prepared) = (0, [0; 2]);
        phases(p, &mut |p| {
            (offline, prepared) = (p.take_cost().rounds, left(p));
            p.announce(MARK)?;
            p.take_cost();
            Ok(())
        })?;
        let spent = p.take_cost().rounds;
        p.announce(MARK)?;
        p.barrier()?; // no one hangs up before all is sent
        Ok(Met { rounds: [offline, spent], cots: [prepared, left(p)] })
    };
    let outcome = relayed(id(SEED), party, party, |_, _, _| Fate::Pass);
    let met = [outcome.p0, outcome.p1].map(|met| met.expect("no panic").expect("an honest run"));
    let sent = outcome.sent.each_ref().map(|frames| bits_of_phases(frames));
    let bits = |i: usize| sent.each_ref().map(|phases| phases[i]);
    let rounds = |i: usize| met[0].rounds[i].max(met[1].rounds[i]);
    let online = Phase { bits: bill.online.bits.map(|bits| bits + filled), ..bill.online };
    assert_eq!(bits(0), bill.offline.bits, "{what}, bits offline, seed {SEED:#x}");
    assert_eq!(Phase { bits: bits(1), rounds: rounds(1) }, online, "{what}, online, seed {SEED:#x}");
    for (met, role) in met.iter().zip([Role::P0, Role::P1]) {
        let billed = [bill.cots_of(role).0, bill.cots_of(role).1].map(|count| count as i64);
        assert_eq!(met.cots[0], billed, "{what}, correlated OTs of {role:?}, seed {SEED:#x}");
        assert_eq!(met.cots[1], met.cots[0], "{what} draws OTs online, seed {SEED:#x}");
    }
    rounds(0)
}

/// Bits of the messages of both phases.
fn bits_of_phases(frames: &[Vec<u8>]) -> [u64; 2] {
    let mut phases = frames.split(|frame| &frame[8..] == MARK.as_bytes()).skip(1);
    let mut next = || {
        let announced = |frame: &[u8]| ANNOUNCED.iter().any(|text| frame.starts_with(text.as_bytes()));
        let frames = phases.next().expect("a phase").iter().map(|frame| &frame[8..]);
        frames.filter(|frame| !announced(frame)).map(|frame| 8 * frame.len() as u64).sum()
    };
    [next(), next()]
}
