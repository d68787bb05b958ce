//! What chance can spoil: the sum of all parts, by the parameters that are billed, is 2^-40 at most.

use hushtable::{
    Role,
    arith::DrawnEquality,
    bill::{Bill, Phase},
    chance::{Chance, MOST},
    confidential::{
        copy::{CopyJob, Keys, Lookups, MAX_JOB},
        prf::Cipher,
    },
    cuckoo,
    okvs::Size,
    oprf::OprfJob,
    ot::Setting,
};
use hushtable_apps::{
    ids::{Rules, Set},
    join::{Join, MAX_ROWS},
    private_table::{Description, Key, KeyKind, Places, Scale, Value, ValueKind},
    psi::{Learns, MAX_IDS, Psi},
};
use prim::{Block, Prg};

fn setting() -> Setting {
    Setting::default()
}

fn part(chance: &Chance, of: &str) -> f64 {
    chance.parts().iter().find(|(what, _)| *what == of).map_or(0.0, |(_, part)| *part)
}

/// Sizes of two tables, small ones and large ones alike.
fn sizes(rng: &mut Prg, most: usize) -> [usize; 2] {
    [(); 2].map(|()| (1usize << rng.below(24)).saturating_add(rng.below(1 << 20) as usize % 1000).min(most))
}

/// Of a join: each part is as its parameters say, the bits that are compared are those billed, and the sum is below
/// 2^-40, of two joins in a job too unless it is refused.
#[test]
fn of_joins() {
    let (seed, runs) = (0xc4a, if std::env::var_os("LONG").is_some() { 100_000 } else { 3000 });
    let (mut rng, under) = (Prg::new(Block(seed)), setting());
    let mut refused = 0;
    for run in 0..runs {
        let sizes = if run == 0 { [MAX_ROWS; 2] } else { sizes(&mut rng, MAX_ROWS) };
        let joins =
            [Role::P0, Role::P1].map(|owner| Join::new(owner, sizes, &[], &[]).expect("within the limits"));
        for join in &joins {
            let says = format!("{sizes:?}, run {run} of seed {seed}");
            let (rows, others) = (sizes[join.owner() as usize], sizes[join.owner().peer() as usize]);
            let chance = join.chance();
            let one = chance.clone() + Set::chance(sizes[0] + sizes[1]);
            assert!(one.sum() <= MOST, "{one} of {says}");
            one.check().expect("as much as there may be");
            let tables = Size::chance(rows).sum() + Size::chance(3 * others).sum();
            let by_luck = chance.sum() - cuckoo::chance(rows).sum() - tables;
            let bits = (42 + join.bins().next_power_of_two().ilog2()).next_multiple_of(2).min(64);
            // Of so many common ids: inputs that show in their bins, and other bins that seem to match.
            let (s, bins) = (others as f64, join.bins() as f64);
            let shown = |c: f64| 2f64.powi(-64) * (2.0 * c + 3.0 * (s - c) * c / bins);
            let matching = |c: f64| 2f64.powi(-(bits as i32)) * (bins - c);
            let common = || (0..=1000).map(|i| f64::from(i) / 1000.0 * rows.min(others) as f64);
            let worst = common().map(|c| shown(c) + matching(c)).fold(0.0, f64::max);
            assert!((worst * (1.0 - 1e-9)..worst * 1.0001 + 1e-20).contains(&by_luck), "{chance} of {says}");
            // The same bits are compared, and so are the columns of both stores and the inputs.
            let function = OprfJob { receiver: join.owner(), keys: rows, inputs: 3 * others, blocks: 1 };
            let mut hint = Phase { bits: [0; 2], rounds: 1 };
            hint.bits[join.owner().peer() as usize] =
                64 * Size::of(3 * others).expect("few").columns() as u64;
            let bill = function.bill(&under.limits).expect("few") + Bill { online: hint, ..Bill::FREE };
            let equal = DrawnEquality::bill(join.owner().peer(), bits).expect("up to 64").times(join.bins());
            assert_eq!(join.bill(&under).expect("few"), bill + equal, "{says}");
        }
        let both = joins[0].chance() + joins[1].chance() + Set::chance(sizes[0] + sizes[1]);
        refused += usize::from(both.check().is_err());
        assert!(both.check().is_err() == (both.sum() > MOST));
        if sizes[0] + sizes[1] <= 4_000_000 {
            both.check().unwrap_or_else(|e| panic!("{e}: rows of both, {sizes:?}"));
        }
    }
    assert!(refused > 0, "rows of both, of large tables, would have more than 2^-40");
}

/// What is refused says how many ids would do, and so many do.
#[test]
fn a_refusal_says_what_would_do() {
    let both = |sizes| [Role::P0, Role::P1].map(|owner| Join::new(owner, sizes, &[], &[])).into_iter();
    let both = |sizes| both(sizes).map(|join| join.map(|join| join.chance())).sum::<Result<Chance, _>>();
    let checked = |sizes| Set::check_chance(sizes, both);
    checked([3_370_000; 2]).expect("about as many as there may be");
    let error = checked([MAX_ROWS, 4_000_000]).expect_err("too many").to_string();
    let most = error.split("up to ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a number");
    let most: usize = most.parse().expect("a number");
    assert!((3_370_000..3_390_000).contains(&most), "{error}");
    checked([most; 2]).expect("as many as it says");
    checked([most + 1; 2]).expect_err("one more");
}

/// Of an intersection, with the bytes that are billed.
#[test]
fn of_intersections() {
    let (seed, under) = (0x951, setting());
    let mut rng = Prg::new(Block(seed));
    for run in 0..3000 {
        let sizes = if run == 0 { [12_000_000; 2] } else { sizes(&mut rng, 12_000_000) };
        for learns in [Learns::Both, Learns::Only(Role::P0), Learns::Only(Role::P1)] {
            let (psi, says) =
                (Psi::new(sizes, learns).expect("few"), format!("{sizes:?}, {learns:?}, {run} of {seed}"));
            let chance = psi.chance() + Set::chance(sizes[0] + sizes[1]);
            assert!(chance.sum() <= MOST, "{chance} of {says}");
            let pairs = sizes[0] as f64 * sizes[1] as f64;
            let bits = -(part(&chance, "ids that seem to be common") / pairs).log2();
            let receiver = match learns {
                Learns::Only(role) => role,
                Learns::Both => {
                    if sizes[1] < sizes[0] {
                        Role::P1
                    } else {
                        Role::P0
                    }
                }
            };
            let inputs = sizes[receiver.peer() as usize];
            let function = OprfJob { receiver, keys: sizes[receiver as usize], inputs, blocks: 1 };
            let found = psi.bill(&under).expect("few").online.bits[receiver.peer() as usize];
            let before = function.bill(&under.limits).expect("few").online.bits[receiver.peer() as usize];
            assert_eq!(found - before, (bits.round() as u64) * inputs as u64, "{says}");
            assert!(
                part(&chance, "values of the other's inputs that show") == inputs as f64 * 2f64.powi(-64)
            );
        }
    }
    let most = Psi::new([MAX_IDS; 2], Learns::Both).expect("the limit");
    assert!(most.chance().check().is_err(), "what shows of 2^24 ids alone has 2^-40");
}

/// Of lookups in a sparse table: the bits behind a row, which are billed, grow with the lookups of a job.
#[test]
fn of_lookups() {
    let job = |lookups: u32| CopyJob {
        owner: Role::P0,
        cipher: Cipher::LowMc,
        keys: Keys::Sparse { bits: 40, rows: 1000, lookups },
        row_bits: 20,
    };
    let mut last = 0;
    for lookups in (0..31).flat_map(|log| [1u32 << log, (1 << log) + 1]).filter(|&lookups| lookups <= MAX_JOB)
    {
        let chance = job(lookups).chance(lookups.into());
        assert!(chance.sum() <= MOST / 2.0, "{lookups} lookups: {chance}");
        // A cell has the row, and so many bits behind it.
        let bits = -(chance.sum() / f64::from(lookups)).log2();
        let cells = 3 * (1u64 << 9);
        assert_eq!(job(lookups).copy_bits(), cells * (20 + bits as u64), "{lookups} lookups");
        assert!(bits as u64 >= last && bits >= 54.0);
        last = bits as u64;
    }
    assert_eq!(job(8192).copy_bits(), job(1).copy_bits(), "as before for few lookups");
    assert!(Lookups::bill(&job(MAX_JOB + 1), 1).is_err() && Lookups::bill(&job(0), 1).is_err());
    let dense = CopyJob { keys: Keys::Dense { bits: 10 }, ..job(1) };
    assert_eq!(dense.chance(1 << 30), Chance::NONE);
}

/// Of a table that is served: a session's lookups, and equal hashes of texts.
#[test]
fn of_served_tables() {
    let table = |bits, lookups| Description {
        table: "prices".into(),
        key: Key::new("sku".into(), KeyKind::Text { bits }, Rules::default()),
        values: vec![Value {
            name: "price".into(),
            kind: ValueKind::Number { scale: Scale::Decimal(2), bits: 20 },
        }],
        places: Places::Sparse { rows: 100_000 },
        cipher: Cipher::LowMc,
        digest: [7; 32],
        batch: 4096,
        lookups,
        shares: false,
    };
    for lookups in [1, 4096, 100_000, 1 << 30] {
        table(96, lookups).check().expect("a table");
        table(96, lookups).chance(lookups).check().unwrap_or_else(|e| panic!("{lookups}: {e}"));
    }
    let short = table(64, 100_000).chance(100_000);
    assert!(short.check().is_err(), "hashes of 64 bits are for few keys: {short}");
    let error = table(64, 100_000).check().expect_err("refused before any work");
    assert!(error.ends_with("96 bits have that, or up to 83 keys in a session, or up to 83 rows"), "{error}");
    table(64, 83).check().expect("as many keys as it says");
    let fewer = Description { places: Places::Sparse { rows: 83 }, ..table(64, 100_000) };
    fewer.check().expect("as many rows as it says");
    assert!(table(96, (1 << 30) + 1).check().is_err());
}
