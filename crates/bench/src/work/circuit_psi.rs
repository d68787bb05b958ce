//! `circuit-psi`: set intersection by circuits, whose results belong to the listening party.

use std::{fmt, io::Read, sync::Arc};

use apps::circuit_psi::{CircuitPsi, Matching, Numbers as Set};
use clap::{Args, ValueEnum};
use hushtable::{
    Party, Role,
    net::LinkShape,
    operation::{self, Operation},
    ot::Setting,
    plan::{self, Machine, Wanted},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::choice::Optimise;
use serde::{Deserialize, Serialize};

use super::ids::{Counts, Numbers};
use crate::{
    benchmark::Benchmark,
    lanes::{self, Lanes},
};

/// An intersection; with several threads one of a part of the rows in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct CircuitPsiWork {
    #[command(flatten)]
    #[serde(flatten)]
    counts: Counts,
    /// Bits of a number, 1 to 64
    #[arg(long, value_name = "L", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=64))]
    bits: u32,
    /// What evaluates the circuit of a bin
    #[arg(long, value_enum, default_value = "auto")]
    engine: Engine,
    /// What the choice of the engine is to make small
    #[arg(long, value_enum, default_value = "total")]
    optimise: Optimise,
    /// What was chosen.
    #[arg(skip)]
    #[serde(default)]
    method: String,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Engine {
    /// What the plan takes
    Auto,
    /// ANDs by triples, a round for each layer
    Gmw,
    /// Lookups of one-hot vectors, a round for each layer
    Lut,
    /// SP-LUT lookups with switching roles
    Splut,
    /// Garbled, in two rounds
    Gc,
    /// Garbled before the inputs are there
    #[serde(rename = "gc-ahead")]
    GcAhead,
}

impl fmt::Display for CircuitPsiWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p0, p1] = self.counts.sizes();
        write!(f, "intersection by circuits for P0 of {p0} and {p1} numbers of {} bits", self.bits)?;
        if self.method.is_empty() { Ok(()) } else { write!(f, ", {}", self.method) }
    }
}

impl Benchmark for CircuitPsiWork {
    fn items(&self) -> usize {
        self.counts.sizes()[0]
    }

    fn unit(&self) -> &'static str {
        "row of P0"
    }

    fn prepare(&mut self, link: &LinkShape, _: usize) -> Result<()> {
        let sizes = self.counts.sizes();
        if let Some(most) = 1usize.checked_shl(self.bits).filter(|most| sizes[0] + sizes[1] > *most) {
            return Err(Failure::new(format!(
                "{} rows; numbers of {} bits are {most}",
                sizes[0] + sizes[1],
                self.bits
            )));
        }
        self.counts.fit(600)?;
        let under = Setting::over(*link);
        let ways = self.ways(sizes)?.into_iter().map(|psi| Ok((psi.way().effort(psi.bins(), &under)?, psi)));
        let ways = ways.map(|way| way.map(|(effort, psi)| (psi, effort))).collect::<Result<Vec<_>>>()?;
        let wanted = Wanted::new(self.optimise.into(), *link, Machine::REFERENCE);
        self.method = plan::choose(ways, &wanted).expect("a way of each engine").way().method();
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let psi = self.psi(self.counts.part(items)).expect("checked before the processes started");
        let bill = psi.way().bill(psi.bins(), &crate::inputs::usual_setting());
        bill.expect("a way that was chosen").cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let role = lanes.role();
        let numbers: Vec<Numbers> = self.numbers(lanes.items());
        let matching = |numbers: &Numbers| {
            let psi = self.psi([Role::P0, Role::P1].map(|role| numbers.size(role)))?;
            let set =
                (0..numbers.size(role)).map(|row| self.number(numbers, role, row)).collect::<Vec<u64>>();
            Ok(Matching { psi, numbers: Arc::new(Set::new(self.bits, set)?) })
        };
        let matchings: Vec<Matching> = numbers.iter().map(matching).collect::<Result<_>>()?;
        let inputs = vec![(); matchings.len()];
        let done = lanes.measure(
            matchings,
            inputs,
            |p: &mut Party, matching| matching.prepare(p, 1),
            |p, material, ()| material.eval(p, &[]),
        )?;
        // For measurements only: the verifying party never has the rows otherwise.
        done.verify(
            || done.results.iter().flatten().flat_map(|column| column.iter().copied()),
            |from| {
                numbers
                    .iter()
                    .zip(&done.results)
                    .try_for_each(|(numbers, mine)| check(numbers, &mine[0], from))
            },
        )
    }

    fn protocol(&self) -> Option<String> {
        Some(self.method.clone())
    }
}

impl CircuitPsiWork {
    /// The ways of the engine, or all of them.
    fn ways(&self, sizes: [usize; 2]) -> Result<Vec<CircuitPsi>> {
        let all = CircuitPsi::new(Role::P0, sizes, self.bits, self.optimise.into())?.all()?;
        let asked = |psi: &CircuitPsi| match (self.engine, psi.way().way()) {
            (Engine::Auto, _) => true,
            (Engine::Gmw, (form, operation::Engine::Layers(_))) => form.lookups() == 0,
            (Engine::Lut, (form, operation::Engine::Layers(_))) => form.lookups() > 0,
            (Engine::Splut, (form, operation::Engine::Switching)) => form.lookups() > 0,
            (Engine::Gc, (_, operation::Engine::Garbled { ahead })) => !ahead,
            (Engine::GcAhead, (_, operation::Engine::Garbled { ahead })) => ahead,
            _ => false,
        };
        Ok(all.into_iter().filter(asked).collect())
    }

    /// By the way that was chosen.
    fn psi(&self, sizes: [usize; 2]) -> Result<CircuitPsi> {
        let chosen = self.ways(sizes)?.into_iter().find(|psi| psi.way().method() == self.method);
        chosen.ok_or_else(|| Failure::new(format!("no way {:?}", self.method)))
    }

    fn numbers(&self, items: &[usize]) -> Vec<Numbers> {
        items.iter().enumerate().map(|(lane, &items)| Numbers::new(lane, self.counts.part(items))).collect()
    }

    /// That of a row: no two are the same, and neighbours lie apart.
    fn number(&self, numbers: &Numbers, role: Role, row: usize) -> u64 {
        let mask = u64::MAX >> (64 - self.bits);
        numbers.of(role, row).wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask
    }
}

/// Compares every bin; `from` has the shares of P0 and its rows.
fn check(numbers: &Numbers, mine: &[u64], from: &mut dyn Read) -> Result<()> {
    let mut words = || (0..mine.len()).map(|_| lanes::word(from)).collect::<Result<Vec<u64>>>();
    let (theirs, rows) = (words()?, words()?);
    let mut seen = vec![false; numbers.size(Role::P0)];
    for (bin, ((mine, theirs), row)) in mine.iter().zip(theirs).zip(rows).enumerate() {
        let row = (row as usize).checked_sub(1);
        let shared = row.is_some_and(|row| numbers.shared(Role::P0, row));
        if row.is_some_and(|row| seen.get(row).is_none_or(|seen| *seen)) || mine ^ theirs != u64::from(shared)
        {
            return Err(Failure::Check(format!("bin {bin}: row {row:?}, or whether it matches")));
        }
        row.into_iter().for_each(|row| seen[row] = true);
    }
    match seen.contains(&false) {
        true => Err(Failure::Check("rows without a bin".into())),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_bin() {
        let numbers = Numbers::new(0, [4, 5]);
        let rows = [0, 3, 1, 0, 4, 2];
        let theirs = [1, 0, 1, 0, 1, 1];
        let matched = rows.map(|row: u64| row > 0 && numbers.shared(Role::P0, row as usize - 1));
        let mine: Vec<u64> = matched.iter().zip(theirs).map(|(m, t)| u64::from(*m) ^ t).collect();
        let handed: Vec<u8> = theirs.into_iter().chain(rows).flat_map(u64::to_le_bytes).collect();
        check(&numbers, &mine, &mut handed.as_slice()).unwrap();
        for at in 0..12 {
            let mut wrong = handed.clone();
            wrong[8 * at] ^= 1;
            let found = check(&numbers, &mine, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "word {at}");
        }
    }
}
