//! `sql-join`: shared rows joined with a private table of the listening party, filtered, and added up by group.

use std::{fmt, io::Read};

use apps::{
    held_table::Table,
    join_query::{Aggregate, Filter, JoinJob, JoinQuery, Joined},
    statistics::{Group, GroupShape},
};
use clap::Args;
use hushtable::{
    Error, Party, Role,
    arith::{CompareDomain, CompareJob, Objective, XorToAdditive},
    bill::Bill,
    confidential::copy::{Keys, MAX_JOB},
    gates::Bits,
    net::LinkShape,
    operation::{Material, Operation, Words},
    ot::Setting,
    run::{self, Outcome, Reveal},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::count::batch;
use serde::{Deserialize, Serialize};

use super::private::{Function, transferred};
use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// Bits of a price, and of what is added up.
const PRICE: u32 = 24;
const SUM: u32 = 48;

/// Groups, of which a row has a shared bit each.
const GROUPS: usize = 2;

/// A join of shared rows; with several threads of a part of them in each, and sums of each part.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct SqlJoinWork {
    /// Rows of the private table, 1 to 2^24
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = batch)]
    rows: u32,
    /// Bits of a key, 1 to 63
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=63))]
    key_bits: u32,
    /// Three cells for each row, not a place for every key
    #[arg(long)]
    #[serde(default)]
    sparse: bool,
    /// Shared rows
    #[arg(long, value_name = "N", default_value = "4096", value_parser = batch)]
    batch: u32,
    /// The pseudo-random function
    #[arg(long, value_enum, default_value = "aes")]
    prf: Function,
}

/// One-time material of a lane.
struct Prepared {
    join: Box<dyn Material>,
    prices: XorToAdditive,
    filter: Box<dyn Material>,
    sums: Box<dyn Material>,
}

/// A shared row, in the clear.
struct Row {
    key: u64,
    counts: u64,
    least: u64,
    group: u64,
}

impl fmt::Display for SqlJoinWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, key_bits, batch, .. } = self;
        let (keys, cipher) = (if self.sparse { "sparse" } else { "dense" }, self.prf.cipher());
        write!(
            f,
            "{batch} shared rows joined with {rows} private ones at {keys} keys of {key_bits} bits, filtered, and added up by {GROUPS} groups, {cipher}"
        )
    }
}

impl Benchmark for SqlJoinWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "shared row"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        let Self { rows, key_bits, .. } = *self;
        if u64::from(rows) > 1 << key_bits {
            return Err(Failure::local(format!(
                "--rows {rows}: there are 2^{key_bits} keys of --key-bits {key_bits}"
            )));
        }
        let job = self.job();
        job.check()?;
        // The table and its copy, and the rows as this program has them.
        fits(job.copy().copy_bits() / 2 + 64 * u64::from(rows), "the table at both parties")
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        self.bill(items).expect("checked before the processes started").cots_of(role)
    }

    fn run(&self, mut lanes: Lanes) -> Result<()> {
        let (job, [keys, prices]) = (self.job(), self.table());
        let encrypt = || job.encrypt(&keys.iter().map(|&key| key.into()).collect::<Vec<_>>(), &[&prices]);
        let table = lanes.once(|p| transferred(p, job.copy(), encrypt))?;
        let (role, items) = (lanes.role(), lanes.items().to_vec());
        let rows: Vec<Vec<Row>> = items.iter().enumerate().map(|(lane, &n)| self.shared(lane, n)).collect();
        let inputs =
            rows.iter().enumerate().map(|(lane, rows)| shares(role, lane, rows, self.key_bits)).collect();
        let done = lanes.measure(
            items,
            inputs,
            |p: &mut Party, items| self.prepared(p, &table, items),
            |p, material, x| query(p, &job, material, x),
        )?;
        // Opened, the same at both parties.
        let words = || done.results.iter().flatten().flat_map(|group| [group.count as u64, group.sums[0]]);
        done.verify(words, |from| {
            let price = |key: u64| keys.binary_search(&key).ok().map(|row| prices[row]);
            rows.iter().zip(&done.results).try_for_each(|(rows, mine)| verify(&price, rows, mine, from))
        })
    }
}

impl SqlJoinWork {
    fn job(&self) -> JoinJob {
        let keys = match self.sparse {
            true => {
                let lookups = self.batch.min(MAX_JOB);
                Keys::Sparse { bits: self.key_bits, rows: self.rows, lookups }
            }
            false => Keys::Dense { bits: self.key_bits },
        };
        JoinJob { owner: Role::P0, cipher: self.prf.cipher(), keys, columns: vec![PRICE], per_key: 1 }
    }

    fn shape(items: usize) -> GroupShape {
        GroupShape { bins: items, groups: GROUPS, widths: vec![SUM], least: 0, noise: None }
    }

    fn compare() -> std::result::Result<CompareJob, Error> {
        CompareJob::new(SUM, CompareDomain::Near, Objective::Total)
    }

    fn bill(&self, items: usize) -> std::result::Result<Bill, Error> {
        let prices = XorToAdditive::bill([PRICE, SUM])?.times(items);
        let filter = Filter(Self::compare()?).bill(items, &Setting::default())?;
        let sums = run::bill(&Aggregate(Self::shape(items)), 1, 1, Reveal::Both, &Setting::default())?;
        Ok(self.job().bill(items)? + prices + filter + sums)
    }

    fn prepared(&self, p: &mut Party, table: &Table, items: usize) -> std::result::Result<Prepared, Error> {
        Ok(Prepared {
            join: JoinQuery::new(self.job(), table.clone())?.prepare(p, items)?,
            prices: XorToAdditive::prepare(p, [PRICE, SUM], items)?,
            filter: Filter(Self::compare()?).prepare(p, items)?,
            sums: Aggregate(Self::shape(items)).prepare(p, 1)?,
        })
    }

    /// Keys, which increase, spread over all there could be; and prices.
    fn table(&self) -> [Vec<u64>; 2] {
        let step = (1 << self.key_bits) / u64::from(self.rows);
        let prices = inputs::words("prices", 0, 0).map(|word| word >> (64 - PRICE));
        [(0..u64::from(self.rows)).map(|row| row * step).collect(), prices.take(self.rows as usize).collect()]
    }

    /// The shared rows of a lane: one of four counts not, one of four has a key that may be absent.
    fn shared(&self, lane: usize, items: usize) -> Vec<Row> {
        let step = (1 << self.key_bits) / u64::from(self.rows);
        let mut words = inputs::words("shared rows", 0, lane as u64);
        let mut next = || words.next().expect("endless");
        let row = |i: usize| {
            let key = next() % u64::from(self.rows) * step + u64::from(i % 4 == 3 && step > 1);
            Row { key, counts: u64::from(i % 4 != 1), least: next() >> (65 - PRICE), group: next() >> 63 }
        };
        (0..items).map(row).collect()
    }
}

/// This party's shares of keys, of the bits whether they count, of what a price must be at least, and of a bit for the
/// group.
fn shares(role: Role, lane: usize, rows: &[Row], key_bits: u32) -> [Vec<u64>; 4] {
    let mask = |what: u64| inputs::words("masks", what, lane as u64);
    let xor = |what: u64, bits: u32, value: fn(&Row) -> u64| -> Vec<u64> {
        let masked = rows.iter().zip(mask(what));
        masked
            .map(|(row, mask)| prim::low(if role == Role::P0 { mask } else { mask ^ value(row) }, bits))
            .collect()
    };
    let least = rows.iter().zip(mask(9));
    let least = least.map(|(row, mask)| if role == Role::P0 { mask } else { row.least.wrapping_sub(mask) });
    [
        xor(0, key_bits, |row| row.key),
        xor(1, 1, |row| row.counts),
        least.collect(),
        xor(2, 1, |row| row.group),
    ]
}

/// Everything that needs the inputs; counts and sums are opened.
fn query(
    p: &mut Party,
    job: &JoinJob,
    material: Prepared,
    [keys, counts, least, group]: &[Vec<u64>; 4],
) -> std::result::Result<Vec<Group>, Error> {
    let Prepared { join, prices, filter, sums } = material;
    let joined = Joined::of(job, join.eval(p, &[keys, counts])?)?;
    let prices = prices.unsigned(p, &joined.columns[0])?;
    let counts = Words::new(joined.valid.to_wide());
    let stays = filter.eval(p, &[&counts, prices.words(), least])?.remove(0);
    let second = Bits::collect(group.iter().copied());
    let first = second.not(p.role());
    let groups = Bits::to_share::<u64>(&[first, second])?;
    let given = sums.eval(p, &[&stays, groups.words(), prices.words()])?;
    let shape = SqlJoinWork::shape(keys.len());
    let opened = Reveal::Both.open(p, &shape.signature().gives, given)?;
    Ok(Group::all(&shape, opened.into_iter().filter_map(Outcome::values).collect()))
}

/// Compares counts and sums with those in the clear, `from` has those of P0.
fn verify(
    price: &dyn Fn(u64) -> Option<u64>,
    rows: &[Row],
    mine: &[Group],
    from: &mut dyn Read,
) -> Result<()> {
    let mut want = [[0u64; 2]; GROUPS];
    for row in rows.iter().filter(|row| row.counts == 1) {
        if let Some(price) = price(row.key).filter(|&price| price >= row.least) {
            let [count, sum] = &mut want[row.group as usize];
            (*count, *sum) = (*count + 1, *sum + price);
        }
    }
    for (group, [count, sum]) in want.into_iter().enumerate() {
        let theirs = [lanes::word(from)?, lanes::word(from)?];
        let mine = mine.get(group).map(|group| [group.count as u64, group.sums[0]]);
        if theirs != [count, sum] || mine != Some(theirs) {
            return Err(Failure::Check(format!("count and sum of group {group} are not {count} and {sum}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_counts_and_sums() {
        let work = SqlJoinWork { rows: 50, key_bits: 8, sparse: false, batch: 200, prf: Function::Aes };
        let [keys, prices] = work.table();
        let price = |key: u64| keys.binary_search(&key).ok().map(|row| prices[row]);
        let rows = work.shared(0, 200);
        let of = |group: u64| {
            let stays = rows.iter().filter(|row| row.counts == 1 && row.group == group);
            let found: Vec<u64> =
                stays.filter_map(|row| price(row.key).filter(|&p| p >= row.least)).collect();
            [found.len() as u64, found.iter().sum()]
        };
        let want = [of(0), of(1)];
        assert!(want.iter().all(|[count, _]| *count > 20));
        let group =
            |(group, [count, sum]): (usize, [u64; 2])| Group { group, count: count as i64, sums: vec![sum] };
        let mine: Vec<Group> = want.into_iter().enumerate().map(group).collect();
        let handed: Vec<u8> = want.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
        verify(&price, &rows, &mine, &mut handed.as_slice()).unwrap();
        for at in 0..4 {
            let mut wrong = handed.clone();
            wrong[8 * at] ^= 1;
            let found = verify(&price, &rows, &mine, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "word {at}");
        }
        assert!(verify(&price, &rows, &mine[..1], &mut handed.as_slice()).is_err());
    }
}
