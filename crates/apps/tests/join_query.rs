//! Joins with a private table, filters and sums, against the same in the clear.

use crate::billed::check_parts;
use crate::shares::done;
use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Objective, XorToAdditive},
    confidential::{
        copy::{EncryptedCopy, Keys},
        prf::Cipher,
    },
    gates::Bits,
    operation::Operation,
    ot::Setting,
    run::{self, Outcome, Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::{
    held_table::Table,
    join_query::{Aggregate, Filter, JoinJob, JoinQuery, Joined},
    statistics::{Group, GroupShape},
};
use prim::{block::Block, prg::Prg, ring::low};

const JOB: Job = Job { per_key: 3, columns: &[20, 1, 64] };

struct Job {
    per_key: u32,
    columns: &'static [u32],
}

fn job(of: &Job, keys: Keys, owner: Role) -> JoinJob {
    JoinJob { owner, cipher: Cipher::LowMc, keys, columns: of.columns.to_vec(), per_key: of.per_key }
}

fn random(bits: u32, count: usize, seed: u128) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed)).words(bits, &mut words);
    words
}

/// A table: keys, of which some have several rows, and columns.
struct Plain {
    keys: Vec<u128>,
    columns: Vec<Vec<u64>>,
}

impl Plain {
    fn of(job: &JoinJob, distinct: usize) -> Self {
        let key = |i: usize| match job.keys {
            Keys::All { .. } => i as u128,
            keys => low((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), keys.bits().min(64)).into(),
        };
        // The first has all rows it may have, the next ones fewer.
        let rows = |i: usize| 1 + (distinct - i) % job.per_key as usize;
        let mut keys: Vec<u128> = (0..distinct).flat_map(|i| vec![key(i); rows(i)]).collect();
        keys.reverse();
        let columns = job.columns.iter().map(|&bits| random(bits, keys.len(), bits.into())).collect();
        Self { keys, columns }
    }

    fn encrypt(&self, job: &JoinJob) -> Result<Table> {
        let columns: Vec<&[u64]> = self.columns.iter().map(Vec::as_slice).collect();
        job.encrypt(&self.keys, &columns).map(Table::from)
    }

    /// The rows of a key, in their order.
    fn rows(&self, key: u128) -> Vec<Vec<u64>> {
        let rows = (0..self.keys.len()).filter(|&i| self.keys[i] == key);
        rows.map(|i| self.columns.iter().map(|column| column[i]).collect()).collect()
    }
}

fn transferred(p: &mut Party, job: &JoinJob, plain: &Plain) -> Result<Table> {
    if p.role() != job.owner {
        return EncryptedCopy::receive(p, job.copy()).map(Table::from);
    }
    let table = plain.encrypt(job)?;
    if let Table::Owner(owner) = &table {
        owner.send(p)?;
    }
    Ok(table)
}

/// This party's part of values, masked.
fn mine(role: Role, values: &[u64], masks: &[u64]) -> Vec<u64> {
    match role {
        Role::P0 => masks.to_vec(),
        Role::P1 => values.iter().zip(masks).map(|(value, mask)| value ^ mask).collect(),
    }
}

/// Every kind of keys, with one row of a key and with several, at either party; keys twice, absent, and that do not count.
#[test]
fn joined_rows_are_those_of_the_tables() {
    let single = Job { per_key: 1, columns: &[7] };
    let wide = Job { per_key: 2, columns: &[64, 64, 30] };
    let kinds = [
        (Keys::All { bits: 4 }, &single, 16),
        (Keys::All { bits: 4 }, &JOB, 16),
        (Keys::Dense { bits: 9 }, &single, 40),
        (Keys::Dense { bits: 9 }, &JOB, 40),
        (Keys::Sparse { bits: 40, rows: 50, lookups: 1 << 13 }, &single, 40),
        (Keys::Sparse { bits: 40, rows: 50, lookups: 1 << 13 }, &wide, 40),
        (Keys::Sparse { bits: 96, rows: 9, lookups: 1 << 13 }, &JOB, 9),
    ];
    for (i, (keys, of, distinct)) in kinds.into_iter().enumerate() {
        let job = job(of, keys, [Role::P0, Role::P1][i % 2]);
        let (plain, words) = (Plain::of(&job, distinct), job.copy().key_words());
        let mut asked: Vec<u128> = plain.keys.iter().step_by(3).copied().collect();
        asked.extend([asked[0], 3, 1]);
        let counts: Vec<u64> = (0..asked.len() as u64).map(|i| u64::from(i % 4 != 1)).collect();
        let flat = asked.iter().flat_map(|&key| (0..words).map(move |word| (key >> (64 * word)) as u64));
        let flat: Vec<u64> = flat.collect();
        let masks = random(64, flat.len(), 77).into_iter().enumerate();
        let width = |word: usize| (keys.bits() - 64 * (word % words) as u32).min(64);
        let masks: Vec<u64> = masks.map(|(i, mask)| low(mask, width(i))).collect();
        let bits = random(1, counts.len(), 78);
        let party = |p: &mut Party| -> Result<(Vec<u64>, Vec<Vec<u64>>)> {
            let query = JoinQuery::new(job.clone(), transferred(p, &job, &plain)?)?;
            let (keys, counts) = (mine(p.role(), &flat, &masks), mine(p.role(), &counts, &bits));
            let found = run::shares(&query, p, Ready::default(), &[&keys, &counts], &Unwatched)?;
            let joined = Joined::of(&job, found)?;
            let valid = joined.valid.open(p)?;
            let valid = Bits::new(joined.valid.len(), valid).iter().collect();
            Ok((valid, joined.columns.iter().map(|column| p.open(column)).collect::<Result<_>>()?))
        };
        let pair = Party::pair_seeded(40 + i as u64).expect("a pair");
        let ((valid, columns), _) = run_pair(pair, party, party).expect("an honest run");
        for (i, &key) in asked.iter().enumerate() {
            let rows = plain.rows(key);
            for row in 0..job.per_key as usize {
                let at = i * job.per_key as usize + row;
                let found: Vec<u64> = columns.iter().map(|column| column[at]).collect();
                let want = rows.get(row).cloned().unwrap_or_else(|| vec![0; job.columns.len()]);
                let there = u64::from(row < rows.len()) & counts[i];
                assert_eq!((valid[at], found), (there, want), "{job:?}: row {row} of {key}");
            }
        }
    }
}

/// Two joins one behind the other, a filter of numbers of both parties, and sums by groups that both parties know half of:
/// customers at P0, their orders and the lines of these at P1.
fn query(p: &mut Party, reveal: Reveal) -> Result<Option<Vec<Group>>> {
    let [orders, lines] = tables();
    let (of_orders, of_lines) = (Plain::of(&orders, 30), Plain { ..lines_of() });
    let (customers, limits) = customers();
    let at_p0 = |values: &[u64], role: Role| match role {
        Role::P0 => values.to_vec(),
        Role::P1 => vec![0; values.len()],
    };
    // Keys are P0's own.
    let query = JoinQuery::new(orders.clone(), transferred(p, &orders, &of_orders)?)?;
    let counts = at_p0(&vec![1; customers.len()], p.role());
    let keys = at_p0(&customers, p.role());
    let found = run::shares(&query, p, Ready::default(), &[&keys, &counts], &Unwatched)?;
    let first = Joined::of(&orders, found)?;
    // Nobody knows which orders there are now.
    let query = JoinQuery::new(lines.clone(), transferred(p, &lines, &of_lines)?)?;
    let valid: Vec<u64> = first.valid.iter().collect();
    let found = run::shares(&query, p, Ready::default(), &[first.columns[0].words(), &valid], &Unwatched)?;
    let joined = Joined::of(&lines, found)?;
    let rows = joined.valid.len();
    let prices = XorToAdditive::prepare(p, [16, 40], rows)?.unsigned(p, &joined.columns[0])?;
    // Whoever is not P0 has 0.
    let limits = at_p0(&limits, p.role());
    let limits = Joined::repeated(lines.per_key, &Joined::repeated(orders.per_key, &limits));
    let limits = AShare::new(40, limits.into_vec());
    let compare = CompareJob::new(40, CompareDomain::Near, Objective::Total)?;
    let valid = joined.valid.to_wide();
    let filtered = &[&valid, prices.words(), limits.words()];
    let stays = run::shares(&Filter(compare), p, Ready::default(), filtered, &Unwatched)?.remove(0);
    let years = Joined::repeated(lines.per_key, first.columns[1].words());
    let late = Bits::collect(years.iter().copied());
    let early = late.not(p.role());
    let shape = GroupShape { bins: rows, groups: 2, widths: vec![40], least: 1, noise: None };
    let groups = Bits::to_share::<u64>(&[early, late])?;
    let given = done(p, &Aggregate(shape.clone()), &[&stays, groups.words(), prices.words()], reveal)?;
    let opened: Option<Vec<Vec<i64>>> = given.into_iter().map(Outcome::values).collect();
    Ok(opened.map(|columns| Group::all(&shape, columns)))
}

/// Orders by customer: the order and a bit of its year; lines by order: a price.
fn tables() -> [JoinJob; 2] {
    let orders = Job { per_key: 2, columns: &[32, 1] };
    let lines = Job { per_key: 3, columns: &[16] };
    [
        job(&orders, Keys::Dense { bits: 12 }, Role::P1),
        job(&lines, Keys::Sparse { bits: 32, rows: 60, lookups: 1 << 13 }, Role::P1),
    ]
}

fn lines_of() -> Plain {
    let orders = Plain::of(&tables()[0], 30);
    // The last order has no lines.
    let orders = &orders.columns[0][..orders.keys.len() - 1];
    let keys: Vec<u128> =
        orders.iter().enumerate().flat_map(|(i, &order)| vec![order.into(); 1 + i % 3]).collect();
    let columns = vec![random(16, keys.len(), 4)];
    Plain { keys, columns }
}

/// Customers, one of them twice and two without orders, and what their lines must at least cost.
fn customers() -> (Vec<u64>, Vec<u64>) {
    let orders = Plain::of(&tables()[0], 30);
    let mut customers: Vec<u64> = orders.keys.iter().step_by(2).map(|&key| key as u64).collect();
    customers.extend([customers[3], 1, 2]);
    let mut limits = random(15, customers.len(), 6);
    // Rows that are not there have a price of 0, too.
    limits[..6].fill(0);
    (customers, limits)
}

#[test]
fn a_query_over_two_joins() {
    let (orders, lines) = (Plain::of(&tables()[0], 30), lines_of());
    let (customers, limits) = customers();
    let mut want = [(0i64, 0u64); 2];
    for (customer, limit) in customers.iter().zip(&limits) {
        for order in orders.rows((*customer).into()) {
            for line in lines.rows(order[0].into()).iter().filter(|line| line[0] >= *limit) {
                let (count, sum) = &mut want[order[1] as usize];
                *count += 1;
                *sum += line[0];
            }
        }
    }
    assert!(want.iter().all(|(count, _)| *count > 2), "{want:?}");
    let want: Vec<Group> =
        (0..).zip(want).map(|(group, (count, sum))| Group { group, count, sums: vec![sum] }).collect();
    let pair = |seed| Party::pair_seeded(seed).expect("a pair");
    let run = |seed, to| run_pair(pair(seed), |p| query(p, to), |p| query(p, to)).expect("an honest run");
    assert_eq!(run(50, Reveal::Both), (Some(want.clone()), Some(want.clone())));
    assert_eq!(run(51, Reveal::Only(Role::P0)), (Some(want.clone()), None));
    assert_eq!(run(52, Reveal::Only(Role::P1)), (None, Some(want)));
}

#[test]
fn bills_are_met() {
    let one = Job { per_key: 1, columns: &[16] };
    for (of, keys) in [
        (&JOB, Keys::Dense { bits: 10 }),
        (&one, Keys::Dense { bits: 10 }),
        (&one, Keys::All { bits: 3 }),
        (&one, Keys::Sparse { bits: 40, rows: 30, lookups: 1 << 13 }),
    ] {
        let job = job(of, keys, Role::P0);
        let Table::Owner(owner) = Plain::of(&job, 8).encrypt(&job).expect("a table") else {
            panic!("the owner's")
        };
        let copy = EncryptedCopy::from_bytes(job.copy(), &owner.copy().to_bytes()).expect("its copy");
        let tables = [Table::Owner(owner), copy.into()];
        let of = |role: Role| JoinQuery::new(job.clone(), tables[role as usize].clone());
        check_parts(
            &format!("{job:?}"),
            job.bill(64).expect("a bill"),
            0,
            |p| of(p.role())?.prepare(p, 64),
            |s, m| m.eval(s, &[&[1; 64], &[1; 64]]).map(drop),
        );
    }
    let compare = CompareJob::new(24, CompareDomain::Near, Objective::Total).expect("a comparison");
    let shape = GroupShape { bins: 64, groups: 8, widths: vec![24, 8], least: 0, noise: None };
    for (operation, items) in [(&Filter(compare) as &dyn Operation, 64), (&Aggregate(shape), 1)] {
        check_parts(
            &operation.name(),
            operation.bill(items, &Setting::default()).expect("a bill"),
            0,
            |p| operation.prepare(p, items),
            |s, m| {
                let takes = operation.signature().takes;
                let words: Vec<Vec<u64>> = takes.iter().map(|port| vec![1; items * port.words]).collect();
                m.eval(s, &words.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            },
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let good = job(&JOB, Keys::Dense { bits: 10 }, Role::P0);
    let says = |job: JoinJob, fragment: &str| {
        let text = job.check().expect_err("refused").to_string();
        assert!(text.contains(fragment), "{text}");
        assert_eq!(job.bill(3).expect_err("refused").to_string(), text);
    };
    says(JoinJob { per_key: 0, ..good.clone() }, "rows of a key: 0");
    says(JoinJob { per_key: 65, ..good.clone() }, "accepted: 1 to 64");
    says(JoinJob { columns: vec![], ..good.clone() }, "columns of a table to join: 0");
    says(JoinJob { columns: vec![8, 65], ..good.clone() }, "width of a joined column: 65");
    says(JoinJob { columns: vec![64; 1024], per_key: 64, ..good.clone() }, "bits of a table's row");
    says(JoinJob { keys: Keys::Dense { bits: 25 }, ..good.clone() }, "bits of a table's key: 25");
    let refused = |keys: &[u128], columns: [&[u64]; 3], fragment: &str| {
        let text = good.encrypt(keys, &columns).err().expect("refused").to_string();
        assert!(text.contains(fragment), "{text}");
    };
    refused(&[1, 2], [&[0, 1 << 20], &[0, 1], &[1, 2]], "1048576 in row 1 of column 0");
    refused(&[1, 2], [&[0, 1], &[0, 2], &[1, 2]], "accepted: 0 to 1");
    refused(&[5, 2, 5, 5, 5], [&[0; 5], &[0; 5], &[0; 5]], "4 of key 5, one of which is row 0");
    refused(&[1024], [&[0], &[0], &[0]], "1024");
    refused(&[], [&[], &[], &[]], "rows of a table: 0");
    assert!(matches!(good.encrypt(&[1], &[&[0], &[0]]), Err(Error::Shape { want: 3, got: 2, .. })));
    assert!(matches!(good.encrypt(&[1], &[&[0], &[0, 1], &[0]]), Err(Error::Shape { want: 1, got: 2, .. })));
    assert!(matches!(Joined::of(&good, vec![]), Err(Error::Shape { want: 4, got: 0, .. })));
    let table = Plain::of(&good, 5).encrypt(&good).expect("a table");
    let other = JoinJob { columns: vec![9], ..good.clone() };
    assert!(matches!(JoinQuery::new(other, table.clone()), Err(Error::Param { .. })));
    assert!(matches!(JoinQuery::new(good, table).expect("a query").shape(), Err(Error::Store(_))));
}
