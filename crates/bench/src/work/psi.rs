//! `psi`: the ids that two parties have in common.

use std::fmt;

use apps::psi::{Learns, Psi};
use clap::{Args, ValueEnum};
use hushtable::{Party, Role, net::LinkShape};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

use super::ids::{Counts, Numbers, Taken};
use crate::{
    benchmark::Benchmark,
    lanes::{self, Lanes},
};

/// An intersection; with several threads one of a part of the rows in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct PsiWork {
    #[command(flatten)]
    #[serde(flatten)]
    counts: Counts,
    /// Who gets the rows in common
    #[arg(long, value_enum, default_value = "both")]
    #[serde(default)]
    learns: Who,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Who {
    /// Both parties
    #[default]
    Both,
    /// The one that listens
    P0,
    /// The other
    P1,
}

impl fmt::Display for PsiWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p0, p1] = self.counts.sizes();
        let who = match self.learns {
            Who::Both => "for both",
            Who::P0 => "for P0",
            Who::P1 => "for P1",
        };
        write!(f, "intersection {who} of {p0} and {p1} ids")
    }
}

impl Benchmark for PsiWork {
    fn items(&self) -> usize {
        self.counts.sizes()[0]
    }

    fn unit(&self) -> &'static str {
        "row of P0"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        self.psi(self.counts.sizes())?;
        self.counts.fit(160)
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let under = crate::inputs::usual_setting();
        let psi = self.psi(self.counts.part(items)).expect("checked before the processes started");
        psi.bill(&under).expect("checked numbers").cots_of(role)
    }

    /// Online begins with the salt of the ids: that they are in one form and hashed is not measured.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let role = lanes.role();
        let numbers: Vec<Numbers> = self.numbers(lanes.items());
        let ids = numbers.iter().map(|numbers| Ok(Taken::new(numbers.set(role)?)));
        let ids = ids.collect::<Result<Vec<Taken>>>()?;
        let sources: Vec<Psi> =
            lanes.items().iter().map(|&items| self.psi(self.counts.part(items))).collect::<Result<_>>()?;
        let done = lanes.measure(
            sources,
            ids,
            |p: &mut Party, psi| psi.prepare(p),
            |p, material, ids: &Taken| {
                let ids = ids.take().salted(p)?;
                material.find(p, &ids)
            },
        )?;
        let results: Vec<Vec<u64>> =
            done.results.iter().map(|rows| words(rows.as_deref().unwrap_or_default())).collect();
        let [at_p0, at_p1] = [Who::P0, Who::P1].map(|who| self.learns == Who::Both || self.learns == who);
        done.verify(
            || results.iter().flatten().copied(),
            |from| {
                numbers.iter().zip(&results).try_for_each(|(numbers, mine)| {
                    let count = lanes::word(from)? as usize;
                    let theirs = (0..count.min(1 << 24)).map(|_| lanes::word(from));
                    let theirs = theirs.collect::<Result<Vec<u64>>>()?;
                    check(numbers, at_p0.then_some(&theirs), at_p1.then_some(&mine[1..]))
                })
            },
        )
    }
}

impl PsiWork {
    fn psi(&self, sizes: [usize; 2]) -> Result<Psi> {
        let learns = match self.learns {
            Who::Both => Learns::Both,
            Who::P0 => Learns::Only(Role::P0),
            Who::P1 => Learns::Only(Role::P1),
        };
        Ok(Psi::new(sizes, learns)?)
    }

    fn numbers(&self, items: &[usize]) -> Vec<Numbers> {
        let lane = |(lane, &items)| Numbers::new(lane, self.counts.part(items));
        items.iter().enumerate().map(lane).collect()
    }
}

/// How many rows, and which.
fn words(rows: &[usize]) -> Vec<u64> {
    [rows.len()].iter().chain(rows).map(|&row| row as u64).collect()
}

/// Whether the rows of who learns are those in common, each once, in the same order.
fn check(numbers: &Numbers, at_p0: Option<&Vec<u64>>, at_p1: Option<&[u64]>) -> Result<()> {
    let of = |role: Role, rows: &[u64]| -> Result<Vec<u64>> {
        let shared = rows.iter().all(|&row| numbers.shared(role, row as usize));
        let found: Vec<u64> = rows.iter().map(|&row| numbers.of(role, row as usize)).collect();
        let mut distinct = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if !shared || distinct.len() != found.len() || found.len() != numbers.common() {
            return Err(Failure::Check(format!("{role:?}: {} rows are not those in common", rows.len())));
        }
        Ok(found)
    };
    let found = [at_p0.map(|rows| of(Role::P0, rows)), at_p1.map(|rows| of(Role::P1, rows))];
    let [at_p0, at_p1] = found.map(Option::transpose);
    match (at_p0?, at_p1?) {
        (Some(a), Some(b)) if a != b => Err(Failure::Check("the parties' orders differ".into())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_row() {
        let numbers = Numbers::new(1, [6, 9]);
        // In common: rows 3, 4, 5 of P0 and 8, 7, 6 of P1.
        let (a, b) = (vec![5, 3, 4], vec![6, 8, 7]);
        check(&numbers, Some(&a), Some(&b)).unwrap();
        check(&numbers, None, Some(&b)).unwrap();
        check(&numbers, Some(&a), None).unwrap();
        for (a, b) in [
            (vec![5, 3], b.clone()),
            (vec![5, 3, 2], b.clone()),
            (vec![5, 3, 3], b.clone()),
            (vec![5, 4, 3], b.clone()),
            (a.clone(), vec![6, 8, 5]),
            (a.clone(), vec![6, 8, 9]),
        ] {
            let found = check(&numbers, Some(&a), Some(&b));
            assert!(matches!(found, Err(Failure::Check(_))), "{a:?} {b:?}");
        }
    }
}
