//! `triples`: multiplication triples, and the ANDs on which they are spent.

use std::{fmt, io::Read};

use clap::{Args, ValueEnum};
use hushtable::{
    Party, Role,
    gates::{self, Bits, Triples},
    net::LinkShape,
};
use hushtable_cli::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

use crate::{
    baseline::nmt,
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// A batch of triples.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct TriplesWork {
    /// What they are made from
    #[arg(long, value_enum, default_value = "silent")]
    source: Source,
    /// Triples from each 1-of-4^T OT, 1 to 4; for nmt
    #[arg(long, value_name = "T", default_value = "2", value_parser = clap::value_parser!(u32).range(1..=4))]
    #[serde(default)]
    t: u32,
    /// Number of triples, 1 to 2^28
    #[arg(long, value_name = "N", default_value = "1048576", value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    /// Correlated OTs, two a triple
    Silent,
    /// 1-of-N OTs from codes (KK13); a baseline
    Nmt,
}

impl fmt::Display for TriplesWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Silent => write!(f, "{} triples from correlated OTs", self.count),
            Source::Nmt => {
                write!(f, "{} triples, {} from each 1-of-{} OT", self.count, self.t, 1 << (2 * self.t))
            }
        }
    }
}

impl Benchmark for TriplesWork {
    fn items(&self) -> usize {
        self.count as usize
    }

    fn unit(&self) -> &'static str {
        "triple"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.source {
            Source::Silent => (items, items),
            Source::Nmt => nmt::code_cots(role, items, self.t).unwrap_or_default(),
        }
    }

    fn is_baseline(&self) -> bool {
        self.source == Source::Nmt
    }

    /// Offline makes the triples, online spends each on an AND.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let inputs = operands(lanes.role(), lanes.items());
        let make = |p: &mut Party, items| match self.source {
            Source::Silent => Triples::random(p, items),
            Source::Nmt => nmt::triples_from_codes(p, items, self.t),
        };
        let items = lanes.items().to_vec();
        let done = lanes.measure(items, inputs, make, |p, triples, [x, y]| gates::and(p, triples, x, y))?;
        let words = || done.results.iter().flat_map(Bits::words).copied();
        done.verify(words, |from| check(&done.results, from))
    }
}

/// The shares of both operands that the party `role` has in each lane.
fn operands(role: Role, items: &[usize]) -> Vec<[Bits; 2]> {
    let bits = |label, lane, len: usize| {
        Bits::new(len, inputs::words(label, role as u64, lane).take(len.div_ceil(64)).collect())
    };
    let lane = |(lane, &len): (usize, &usize)| ["x", "y"].map(|label| bits(label, lane as u64, len));
    items.iter().enumerate().map(lane).collect()
}

/// Compares every AND; `from` has the shares of P0.
fn check(results: &[Bits], from: &mut dyn Read) -> Result<()> {
    let items: Vec<usize> = results.iter().map(Bits::len).collect();
    let [first, second] = [Role::P0, Role::P1].map(|role| operands(role, &items));
    for ((z1, [x0, y0]), [x1, y1]) in results.iter().zip(&first).zip(&second) {
        for (i, z1) in z1.words().iter().enumerate() {
            let [x, y] = [[x0, x1], [y0, y1]].map(|shares| shares[0].words()[i] ^ shares[1].words()[i]);
            let wrong = lanes::word(from)? ^ z1 ^ (x & y);
            if wrong != 0 {
                return Err(Failure::Check(format!(
                    "AND {}: wrong",
                    64 * i + wrong.trailing_zeros() as usize
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_bit() {
        let items = [130, 70];
        let [first, second] = [Role::P0, Role::P1].map(|role| operands(role, &items));
        let and = |lane: usize, i: usize| {
            let [x, y] = [0, 1].map(|k| first[lane][k].words()[i] ^ second[lane][k].words()[i]);
            x & y
        };
        let share = |lane: usize| {
            (0..items[lane].div_ceil(64)).map(move |i| 0x1234_5678_9abc * (3 * lane + i + 1) as u64)
        };
        let mine: Vec<Bits> = (0..2).map(|lane| Bits::new(items[lane], share(lane).collect())).collect();
        let theirs = |lane: usize| mine[lane].words().iter().enumerate().map(move |(i, z)| z ^ and(lane, i));
        let handed: Vec<u8> = (0..2).flat_map(theirs).flat_map(u64::to_le_bytes).collect();
        check(&mine, &mut handed.as_slice()).unwrap();
        for at in [0, 23, 24, handed.len() - 8] {
            let mut wrong = handed.clone();
            wrong[at] ^= 1;
            assert!(matches!(check(&mine, &mut wrong.as_slice()), Err(Failure::Check(_))), "byte {at}");
        }
        let cut = &handed[..handed.len() - 1];
        assert!(matches!(check(&mine, &mut &cut[..]), Err(Failure::Reported(..))));
    }
}
