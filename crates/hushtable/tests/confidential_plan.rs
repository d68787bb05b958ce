//! What the planner for private tables chooses, and that its figures are those of the bills.

use hushtable::{
    Error, Role,
    confidential::{
        copy::{CopyJob, Keys, Lookups},
        planner::{Asked, Design, Form, ways},
        prf::Cipher,
        splut::{SpLutJob, SpLutLookups},
        thin::{ThinJob, ThinLookups},
    },
    net::LinkShape,
    plan::{self, Machine, Objective, Prediction, Room, Wanted},
};

/// Batches of 4096 in such a table.
const fn asked(rows: u64, key_bits: u32, row_bits: u32) -> Asked {
    Asked::new(Role::P0, rows, key_bits, row_bits).batch(4096)
}

const ASKED: Asked = asked(1 << 20, 20, 20);
const ROOM: Room = Room { disk: 1 << 40, memory: [1 << 40; 2] };

fn plan(asked: Asked, room: Room, objective: Objective) -> Vec<Prediction<Design>> {
    let wanted = Wanted::new(objective, LinkShape::LAN, Machine::REFERENCE).batches(asked.batches).room(room);
    plan::rank(ways(&asked).expect("designs"), &wanted)
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
    assert!(matches!(first(ASKED, none, Objective::Total), Design::Thin(Cipher::LowMc, Form::Dense)));
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
                (ThinLookups::bill(&ThinJob { table: table(cipher), distinct: false }, 4096), 0.0)
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

#[test]
fn tables_that_cannot_be_are_refused() {
    for asked in [asked(1 << 21, 20, 20), asked(0, 20, 20), asked(1 << 20, 97, 20), asked(1 << 25, 40, 20)] {
        assert!(matches!(ways(&asked), Err(Error::Param { .. })), "{asked:?}");
    }
}
