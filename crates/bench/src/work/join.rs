//! `join`: the hidden join, whose rows belong to the listening party.

use std::{fmt, io::Read};

use apps::join::{Column, Join, Joined};
use clap::Args;
use hushtable::{Party, Role, net::LinkShape};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

use super::ids::{Counts, Numbers, Taken};
use crate::{
    benchmark::Benchmark,
    lanes::{self, Lanes},
};

/// A join; with several threads one of a part of the rows in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct JoinWork {
    #[command(flatten)]
    #[serde(flatten)]
    counts: Counts,
    /// Bits of the column that P0 brings, whose rows they are, 0 to 64; 0: none
    #[arg(long, value_name = "W", default_value = "64", value_parser = clap::value_parser!(u32).range(0..=64))]
    #[serde(default)]
    own_bits: u32,
    /// Bits of the column that P1 brings, 0 to 64; 0: none
    #[arg(long, value_name = "W", default_value = "64", value_parser = clap::value_parser!(u32).range(0..=64))]
    #[serde(default)]
    payload_bits: u32,
}

/// No row in a bin.
const NONE: u64 = u64::MAX;

impl fmt::Display for JoinWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p0, p1] = self.counts.sizes();
        write!(f, "join of {p0} and {p1} rows, columns of {} and {} bits", self.own_bits, self.payload_bits)
    }
}

impl Benchmark for JoinWork {
    fn items(&self) -> usize {
        self.counts.sizes()[0]
    }

    fn unit(&self) -> &'static str {
        "row of P0"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        self.join(self.counts.sizes())?;
        self.counts.fit(1000)
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let under = crate::inputs::usual_setting();
        let join = self.join(self.counts.part(items)).expect("checked before the processes started");
        join.bill(&under).expect("checked numbers").cots_of(role)
    }

    /// Online begins with the salt of the ids: that they are in one form and hashed is not measured.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let role = lanes.role();
        let joins: Vec<Join> =
            lanes.items().iter().map(|&items| self.join(self.counts.part(items))).collect::<Result<_>>()?;
        let numbers = self.numbers(lanes.items());
        let input = |numbers: &Numbers| Ok((Taken::new(numbers.set(role)?), self.column(role, numbers)));
        let inputs = numbers.iter().map(input).collect::<Result<Vec<(Taken, Vec<u64>)>>>()?;
        let done = lanes.measure(
            joins,
            inputs,
            |p: &mut Party, join| join.prepare(p),
            |p, material, (ids, column)| {
                let (ids, columns) = (ids.take().salted(p)?, [&column[..]]);
                material.run(p, &ids, if self.bits(role) > 0 { &columns } else { &[] })
            },
        )?;
        let shares: Vec<Shares> = done.results.iter().map(Shares::of).collect();
        // For measurements only: the verifying party never has the rows otherwise.
        let words = || shares.iter().flat_map(Shares::words);
        done.verify(words, |from| {
            numbers.iter().zip(&shares).try_for_each(|(numbers, mine)| self.check(numbers, mine, from))
        })
    }
}

/// What a party has of each bin.
struct Shares {
    rows: Vec<u64>,
    matched: Vec<u64>,
    columns: Vec<Vec<u64>>,
}

impl Shares {
    fn of(joined: &Joined) -> Self {
        let bins = joined.bins();
        let rows = joined.rows().map(|rows| rows.map(|row| row.map_or(NONE, |row| row as u64)).collect());
        let columns = joined.own.iter().chain(&joined.additive).map(|column| column.words().to_vec());
        Self {
            rows: rows.unwrap_or_else(|| vec![NONE; bins]),
            matched: joined.matched.iter().collect(),
            columns: columns.collect(),
        }
    }

    /// Bin by bin.
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.rows.len()).flat_map(move |bin| {
            let columns = self.columns.iter().map(move |column| column[bin]);
            [self.rows[bin], self.matched[bin]].into_iter().chain(columns)
        })
    }
}

impl JoinWork {
    fn bits(&self, role: Role) -> u32 {
        if role == Role::P0 { self.own_bits } else { self.payload_bits }
    }

    fn join(&self, sizes: [usize; 2]) -> Result<Join> {
        let [own, payload] = [self.own_bits, self.payload_bits].map(|bits| (bits > 0).then_some(bits));
        let columns: Vec<Column> = payload.into_iter().map(Column::additive).collect();
        Ok(Join::new(Role::P0, sizes, &columns, own.as_slice())?)
    }

    fn numbers(&self, items: &[usize]) -> Vec<Numbers> {
        let lane = |(lane, &items)| Numbers::new(lane, self.counts.part(items));
        items.iter().enumerate().map(lane).collect()
    }

    /// What stands beside an id.
    fn value(&self, role: Role, number: u64) -> u64 {
        let word = (number + 1 + role as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word >> (64 - self.bits(role).max(1))
    }

    fn column(&self, role: Role, numbers: &Numbers) -> Vec<u64> {
        let rows = numbers.size(role);
        (0..rows).map(|row| self.value(role, numbers.of(role, row))).collect()
    }

    /// Compares every bin; `from` has the shares of P0 and its rows.
    fn check(&self, numbers: &Numbers, mine: &Shares, from: &mut dyn Read) -> Result<()> {
        let (mut seen, mut matched) = (vec![false; numbers.size(Role::P0)], 0);
        for bin in 0..mine.rows.len() {
            let wrong = |what: &str| Failure::Check(format!("bin {bin}: {what}"));
            let row = lanes::word(from)?;
            let mut partner = None;
            if row != NONE {
                let row = row as usize;
                match seen.get_mut(row) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(wrong("a row that there is not, or twice")),
                }
                partner = numbers.shared(Role::P0, row).then(|| numbers.of(Role::P0, row));
            }
            if lanes::word(from)? ^ mine.matched[bin] != u64::from(partner.is_some()) {
                return Err(wrong("whether it matches"));
            }
            matched += usize::from(partner.is_some());
            let both = [Role::P0, Role::P1].into_iter().filter(|&role| self.bits(role) > 0);
            for (role, column) in both.zip(&mine.columns) {
                let sum = lanes::word(from)?.wrapping_add(column[bin]);
                let value = partner.map_or(0, |number| self.value(role, number));
                if (sum ^ value) << (64 - self.bits(role)) != 0 {
                    return Err(wrong(&format!("the column of {role:?}")));
                }
            }
        }
        if matched != numbers.common() || seen.contains(&false) {
            return Err(Failure::Check(format!("{matched} matches, or rows without a bin")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_share() {
        let counts = Counts::new([6, 9]);
        let work = JoinWork { counts, own_bits: 20, payload_bits: 64 };
        let numbers = Numbers::new(0, [6, 9]);
        let rows: Vec<u64> = [3, NONE, 0, 5, 1, NONE, 2, 4].into();
        let number = |row: u64| {
            let row = row as usize;
            (row < 6 && numbers.shared(Role::P0, row)).then(|| numbers.of(Role::P0, row))
        };
        let share = |bin: u64| bin.wrapping_mul(0x1234_5678_9abc_def1);
        let theirs = Shares {
            rows: rows.clone(),
            matched: (0..8).map(|bin| bin & 1).collect(),
            columns: vec![(0..8).map(share).collect(), (0..8).map(|bin| share(bin + 8)).collect()],
        };
        let of = |role: Role, k: u64| {
            let value = |bin: usize| number(rows[bin]).map_or(0, |n| work.value(role, n));
            (0..8).map(|bin| value(bin).wrapping_sub(share(bin as u64 + k))).collect::<Vec<u64>>()
        };
        let matched = (0..8).map(|bin| u64::from(number(rows[bin as usize]).is_some()) ^ (bin & 1)).collect();
        let columns = vec![of(Role::P0, 0), of(Role::P1, 8)];
        let mine = Shares { rows: vec![NONE; 8], matched, columns };
        let handed: Vec<u8> = theirs.words().flat_map(u64::to_le_bytes).collect();
        work.check(&numbers, &mine, &mut handed.as_slice()).unwrap();
        for at in 0..handed.len() / 8 {
            let mut wrong = handed.clone();
            wrong[8 * at] ^= 1;
            let found = work.check(&numbers, &mine, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "word {at}");
        }
    }
}
