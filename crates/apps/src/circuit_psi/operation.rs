//! An intersection by circuits as an operation, which runs as any other.

use std::sync::Arc;

use hushtable::{
    Error, Party, Result, Role,
    bill::Objective,
    bill::{Bill, Effort},
    chance::Chance,
    operation::{Material, Operation, Port, Signature, Ways, Words, spend},
    ot::Setting,
};
use prim::Wiped;

use super::{CircuitPsi, places::Hashing};

/// A party's numbers, each once.
pub struct Numbers {
    bits: u32,
    numbers: Wiped<u64>,
}

impl Numbers {
    /// Numbers of so many bits, in the order of the party's rows.
    ///
    /// # Errors
    /// [`Error::Param`] for one with more bits, and for one that is there twice, by the rows' numbers from 0.
    pub fn new(bits: u32, numbers: impl Into<Wiped<u64>>) -> Result<Self> {
        let numbers = numbers.into();
        let refused = |got, accepted: String| Err(Error::Param { what: "numbers of a set", got, accepted });
        if let Some(row) = numbers.iter().position(|number| number.checked_shr(bits).unwrap_or(0) > 0) {
            return refused(format!("a longer one in row {row}"), format!("{bits} bits"));
        }
        let mut order = Wiped::from((0..numbers.len()).collect::<Vec<usize>>());
        order.sort_unstable_by_key(|&row| (numbers[row], row));
        if let Some(twice) = order.windows(2).find(|twice| numbers[twice[0]] == numbers[twice[1]]) {
            let got = format!("the same in rows {} and {}", twice[0], twice[1]);
            return refused(got, "each number once".into());
        }
        Ok(Self { bits, numbers })
    }
}

/// An intersection by circuits, at one party. It has this party's numbers, so unlike other operations it is not public. One
/// item; gives, for each bin, the bit whether numbers match, and to the owner its rows, counted from 1, 0 where there is
/// none.
pub struct Matching {
    /// What is intersected.
    pub psi: CircuitPsi,
    /// This party's numbers.
    pub numbers: Arc<Numbers>,
}

impl Matching {
    /// At the owner: those of its rows that the other party has too, from what the bits of matches, opened, and the rows
    /// are.
    pub fn common(matches: &[i64], rows: &[u64]) -> Vec<usize> {
        let found = matches.iter().zip(rows).filter(|(matches, _)| **matches == 1);
        let mut common: Vec<usize> = found.filter_map(|(_, row)| (*row as usize).checked_sub(1)).collect();
        common.sort_unstable();
        common
    }
}

impl Operation for Matching {
    fn name(&self) -> String {
        "intersection by circuits".into()
    }

    fn method(&self) -> String {
        format!("permutation-based hashing, {}", self.psi.way.method())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.psi.fields()
    }

    fn signature(&self) -> Signature {
        // Bin by bin to nobody but the owner: the order is that of its placement.
        let (owner, bins) = (self.psi.owner, self.psi.bins());
        let gives = [Port::bit("matches").only(owner), Port::known("rows of the owner", owner)];
        Signature { takes: vec![], gives: gives.map(|port| port.of(bins)).into() }
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        Ok(self.psi.way.bill(self.psi.bins(), under)?.times(items))
    }

    fn effort(&self, _: usize, under: &Setting) -> Result<Effort> {
        self.psi.way.effort(self.psi.bins(), under)
    }

    fn chance(&self, _: usize) -> Chance {
        self.psi.chance()
    }

    fn most(&self) -> usize {
        1
    }

    fn stocks(&self) -> bool {
        self.psi.way.stocks()
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let Some(Ways { objective, .. }) = self.psi.way.ways(asked)? else { return Ok(None) };
        let by = |psi| Box::new(Self { psi, numbers: self.numbers.clone() }) as Box<dyn Operation>;
        Ok(Some(Ways { objective, all: self.psi.all()?.into_iter().map(by).collect() }))
    }

    fn prepare(&self, p: &mut Party, _: usize) -> Result<Box<dyn Material>> {
        let (psi, numbers) = (self.psi.clone(), self.numbers.clone());
        let material = self.psi.way.prepare(p, psi.bins())?;
        Ok(spend(1, move |s, _| {
            psi.check(s.role(), &numbers)?;
            let hashing = Hashing::new(s, psi.shape, psi.owner);
            let (mut rows, mut given) = (Words::default(), Vec::with_capacity(2));
            if s.role() == psi.owner {
                let (rests, placed) = hashing.own(&numbers.numbers)?;
                rows.extend(placed.items().map(|row| row.map_or(0, |row| row as u64 + 1)));
                given.extend(material.eval(s, &[&rests, &[]])?);
            } else {
                given.extend(material.eval(s, &[&[], &hashing.others(&numbers.numbers)?])?);
            }
            given.push(rows);
            Ok(given)
        }))
    }

    fn tells(&self) -> String {
        "the owner: which of its numbers the other has too; nobody, while results stay shared".into()
    }
}

impl CircuitPsi {
    /// `Ok(())` for a set within the bounds.
    fn check(&self, role: Role, Numbers { bits, numbers }: &Numbers) -> Result<()> {
        let most = self.sizes[role as usize];
        if numbers.len() > most || *bits > self.bits {
            let got = format!("{} of {bits} bits", numbers.len());
            let accepted = format!("up to {most} of up to {} bits", self.bits);
            return Err(Error::Param { what: "numbers of a set", got, accepted });
        }
        Ok(())
    }
}
