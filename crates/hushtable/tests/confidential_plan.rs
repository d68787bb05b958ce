//! What the planner for private tables chooses, and that its figures are those of the bills.

use std::time::Duration;

use hushtable::{
    Error, Role,
    bill::NEARLY,
    confidential::{
        copy::{CopyJob, Keys, Lookups},
        planner::{Asked, Design, Form, paced, paces, ways},
        prf::Cipher,
        splut::{SpLutJob, SpLutLookups},
        thin::{Pace, ThinJob, ThinLookups},
    },
    net::LinkShape,
    plan::{self, Machine, Objective, Prediction, Room, Wanted},
};
use prim::{Block, Prg};

/// Batches of 4096 in such a table.
const fn asked(rows: u64, key_bits: u32, row_bits: u32) -> Asked {
    Asked::new(Role::P0, rows, key_bits, row_bits).batch(4096)
}

const ASKED: Asked = asked(1 << 20, 20, 20);
const ROOM: Room = Room { disk: 1 << 40, memory: [1 << 40; 2] };

fn wanted(objective: Objective, link: LinkShape) -> Wanted {
    Wanted::new(objective, link, Machine::REFERENCE)
}

fn plan(asked: Asked, room: Room, objective: Objective) -> Vec<Prediction<Design>> {
    let wanted = wanted(objective, LinkShape::LAN).batches(asked.batches).room(room);
    plan::rank(ways(&asked, &wanted).expect("designs"), &wanted)
}

fn first(asked: Asked, room: Room, objective: Objective) -> Design {
    plan(asked, room, objective)[0].way
}

#[test]
fn small_tables_are_sent_whole() {
    let small = asked(1 << 8, 8, 8);
    assert_eq!(first(small, ROOM, Objective::Bytes), Design::SpLut);
    // What is sent whole is what the protocol takes, whether all keys have rows or some; for a large table it is far off.
    for (asked, serves) in [
        (ASKED, true),
        (asked(1000, 10, 127), true),
        (asked(1000, 10, 128), false),
        (asked(1 << 20, 21, 20), false),
        (asked(1 << 20, 20, 65), false),
    ] {
        let all = plan(asked, ROOM, Objective::Total);
        let found = all.iter().position(|c| c.way == Design::SpLut);
        assert_eq!(found.is_some(), serves, "{asked:?}");
        let keys = match asked.rows == 1 << asked.key_bits {
            true => Keys::All { bits: asked.key_bits },
            false => Keys::Dense { bits: asked.key_bits },
        };
        let job = SpLutJob { owner: asked.owner, keys, row_bits: asked.row_bits };
        assert_eq!(SpLutLookups::bill(&job, 1).is_ok(), serves, "{job:?}");
        assert!(asked != ASKED || found > Some(0), "2^20 rows for each of 4096 lookups");
    }
}

/// A copy where there is room for it, ids where there is not; few batches of a large table are better off with ids.
#[test]
fn room_and_batches_decide() {
    assert!(matches!(first(ASKED, ROOM, Objective::Total), Design::Copy(Cipher::LowMc, Form::Dense)));
    let none = Room { disk: 1 << 20, memory: [1 << 30; 2] };
    assert!(matches!(first(ASKED, none, Objective::Total), Design::Thin(Cipher::Aes128, Form::Dense)));
    let all = plan(ASKED, none, Objective::Total);
    assert!(all.iter().all(|c| c.fits != matches!(c.way, Design::Copy(..))));
    assert!(all.windows(2).all(|pair| pair[0].fits >= pair[1].fits), "those with room come first");
    let bytes = |batches| {
        let asked = asked(1 << 24, 24, 24).batches(batches);
        let all = plan(asked, ROOM, Objective::Bytes);
        let of = |copy: bool| {
            let found = all.iter().find(|c| matches!(c.way, Design::Copy(..)) == copy).expect("one");
            found.value(Objective::Bytes)
        };
        of(true) / of(false)
    };
    assert!(bytes(100) < 0.3 && bytes(1) > 0.5, "{} and {}", bytes(100), bytes(1));
}

/// A few keys of many bits: only sparse forms. Of many among few bits also the others.
#[test]
fn forms_are_those_that_serve() {
    let forms = |asked: Asked| -> Vec<Form> {
        let form = |c: &Prediction<Design>| match c.way {
            Design::Copy(_, form) | Design::Thin(_, form) => Some(form),
            _ => None,
        };
        plan(asked, ROOM, Objective::Total).iter().filter_map(form).collect()
    };
    assert!(forms(asked(1 << 20, 64, 20)).iter().all(|&form| form == Form::Sparse));
    assert!(forms(ASKED).iter().all(|&form| form == Form::Dense));
    let some = forms(asked(1 << 14, 20, 20));
    assert!(some.contains(&Form::Dense) && some.contains(&Form::Sparse));
}

/// The bytes of a prediction are those of the bills, and of what a message adds.
#[test]
fn bytes_are_those_of_the_bills() {
    let table = |cipher| CopyJob { owner: Role::P0, cipher, keys: Keys::All { bits: 20 }, row_bits: 20 };
    for c in plan(ASKED, ROOM, Objective::Total) {
        let (bill, once) = match c.way {
            Design::Copy(cipher, _) => {
                (Lookups::bill(&table(cipher), 4096), table(cipher).copy_bits() as f64 / 8.0)
            }
            Design::Thin(cipher, _) => {
                let job = ThinJob { table: table(cipher), distinct: false, pace: Pace::USUAL };
                let job = paced(job, 4096, &wanted(Objective::Total, LinkShape::LAN)).expect("a pace");
                (ThinLookups::bill(&job, 4096), 0.0)
            }
            Design::SpLut => {
                let job = SpLutJob { owner: Role::P0, keys: Keys::All { bits: 20 }, row_bits: 20 };
                (SpLutLookups::bill(&job, 4096), 0.0)
            }
            other => panic!("{other} is not measured here"),
        };
        let online = bill.expect("a bill").online;
        let sent: f64 = c.online.bytes.iter().sum();
        let want = online.all_bits() as f64 / 8.0;
        // A header for each message, of which there are more where much is sent.
        let headers = 16.0 * f64::from(online.rounds + 40) + want * 2e-5;
        assert!(sent >= want && sent < want + headers, "{}", c.way);
        assert_eq!(c.online.rounds, online.rounds);
        // The copy's digest, and what frames its messages.
        let rest = c.once.bytes[0] - once;
        assert!((0.0..200.0).contains(&rest) && c.once.bytes[1] < 100.0, "{}: {:?}", c.way, c.once);
    }
}

/// What a batch takes at each pace, and the one that is chosen.
fn predicted(job: ThinJob, count: usize, wanted: &Wanted) -> (Vec<Prediction<Pace>>, Pace) {
    let all = plan::rank(paces(job, count).expect("paces"), wanted);
    (all, paced(job, count, wanted).expect("a pace").pace)
}

/// Whatever the batch, the link and the objective: of all paces the one that the rule takes.
#[test]
fn paces_suit_the_link() {
    let rng = &mut Prg::new(Block(28));
    for _ in 0..24 {
        let (bits, row_bits) = (8 + rng.below(17), 1 + rng.below(70));
        let most = [64, 1024, 4096][rng.below(3) as usize];
        let count = 1 + rng.below(most) as usize;
        let keys = match rng.below(3) {
            0 => Keys::All { bits },
            1 => Keys::Dense { bits },
            _ => Keys::Sparse { bits: 30 + rng.below(60), rows: 1000, lookups: count as u32 },
        };
        let cipher = Cipher::ALL[rng.below(2) as usize];
        let table = CopyJob { owner: Role::P1, cipher, keys, row_bits };
        let job = ThinJob { table, distinct: rng.below(6) == 0, pace: Pace::USUAL };
        let link =
            [LinkShape::LOOPBACK, LinkShape::USUAL, LinkShape::LAN, LinkShape::WAN][rng.below(4) as usize];
        let objectives = [Objective::Total, Objective::Online, Objective::Bytes, Objective::Rounds];
        for objective in objectives {
            let wanted = wanted(objective, link);
            let (all, pace) = predicted(job, count, &wanted);
            let chosen = all.iter().find(|c| c.way == pace).expect("a pace");
            let least = all.iter().map(|c| c.value(objective)).fold(f64::INFINITY, f64::min);
            let most = if objective.is_of_time() { NEARLY * least } else { least };
            let what = format!("{job:?}, {count} over {link} for {objective:?}: {pace:?}");
            assert!(chosen.value(objective) <= most, "{what}");
            let bytes = |c: &Prediction<Pace>| c.value(Objective::Bytes);
            for other in all.iter().filter(|c| objective.is_of_time() && c.value(objective) <= most) {
                assert!(bytes(chosen) <= bytes(other), "{what}, not {:?}", other.way);
            }
        }
    }
}

/// Among 2^20 rows of 20 bits: what is chosen for a link, in how many rounds, and the time that it is predicted to take in
/// parts of that at the usual pace.
#[test]
fn rounds_fall_where_they_cost() {
    let slow = LinkShape { mbit_per_s: Some(1000.0), rtt: Duration::from_millis(100) };
    let mut wrong = Vec::new();
    for (cipher, count, objective, link, most, part) in [
        (Cipher::Aes128, 4096, Objective::Total, LinkShape::LOOPBACK, 55, 0.75),
        (Cipher::LowMc, 4096, Objective::Total, LinkShape::USUAL, 59, 1.0),
        (Cipher::Aes128, 100, Objective::Total, LinkShape::WAN, 29, 0.65),
        (Cipher::LowMc, 100, Objective::Total, LinkShape::WAN, 31, 0.8),
        (Cipher::Aes128, 4096, Objective::Total, slow, 51, 0.75),
        (Cipher::LowMc, 4096, Objective::Total, slow, 59, 1.0),
        (Cipher::Aes128, 4096, Objective::Online, LinkShape::WAN, 40, 2.0),
        (Cipher::LowMc, 4096, Objective::Online, LinkShape::WAN, 40, 2.0),
        (Cipher::Aes128, 4096, Objective::Rounds, LinkShape::USUAL, 30, 9.0),
        (Cipher::LowMc, 4096, Objective::Rounds, LinkShape::USUAL, 34, 9.0),
    ] {
        let table = CopyJob { owner: Role::P0, cipher, keys: Keys::All { bits: 20 }, row_bits: 20 };
        let job = ThinJob { table, distinct: false, pace: Pace::USUAL };
        let (all, pace) = predicted(job, count, &wanted(objective, link));
        let of = |pace| all.iter().find(|c| c.way == pace).expect("a pace");
        let [usual, chosen] = [of(Pace::USUAL), of(pace)];
        let [before, now] = [usual, chosen].map(|c| c.value(Objective::Total));
        let rounds = ThinLookups::bill(&ThinJob { pace, ..job }, count).expect("a bill").online.rounds;
        if rounds > most || now > part * before {
            let [from, to] = [usual, chosen].map(|c| c.value(Objective::Bytes) / 1e6);
            let what = format!("{cipher}, {count} over {link} for {objective:?}: {pace:?}, {rounds} rounds");
            wrong.push(format!("{what}, {before:.3} to {now:.3} s, {from:.2} to {to:.2} MB"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_that_cannot_be_are_refused() {
    for asked in [asked(1 << 21, 20, 20), asked(0, 20, 20), asked(1 << 20, 97, 20), asked(1 << 25, 40, 20)] {
        assert!(
            matches!(ways(&asked, &wanted(Objective::Total, LinkShape::LAN)), Err(Error::Param { .. })),
            "{asked:?}"
        );
    }
}
