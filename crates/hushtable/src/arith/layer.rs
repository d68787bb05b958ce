//! Linear layers of fixed-point numbers: a linear map and an offset that one party knows, rounded.
//!
//! # Functionality
//! Offline, the *owner* gives a linear map B and an offset c for each column. In: additive shares mod `2^l` of A, with
//! `-2^(l-2) <= A B + c <= 2^(l-2) - 2^f`; out: shares of `(A B + c) / 2^f`, each rounded to one of both neighbours, which is exact where it is an integer, and on average
//! right: up with the probability of what is cut off.
//!
//! # Protocol
//! The map by a [lattice](super::LatticeProduct), or by [OTs](super::LinearProduct) where these send less. The owner adds c,
//! and a [truncation](super::Truncation::round) rounds: a correlated OT in which P1's bit and P0's value cross. By a lattice
//! the other party knows its share of the product beforehand, and sends its part of the truncation beside its masked share of
//! A, be it P1's bit or P0's value; the owner answers with the other part. So both take one way there and one back, whoever
//! the owner is.
//!
//! # Cost
//! Of the map, and of a truncation for each result: 2 rounds.
//!
//! # Source
//! docs/spec/lattice-spec.md, section 5. Stochastic rounding by shares: Mohassel, Zhang, "SecureML" (S&P 2017), with the
//! wrap taken away.

use std::sync::Arc;

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    lattice::{LatticeJob, LatticeProduct},
    linear::{LinearJob, LinearProduct},
    truncate::Truncation,
};
use crate::{
    bill::{Bill, Effort, Objective, Once, Work},
    error::{Error, Result, same},
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
};

/// Layers. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerJob {
    map: LinearJob,
    cut: u32,
    lattice: Option<LatticeJob>,
}

/// One-time material for layers by the same map, and what the owner knows of it.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Layer};
/// fn twice(p: &mut Party, m: Layer, a: &AShare<u64>) -> Result<()> {
///     m.apply(p, a, &[])?;
///     m.apply(p, a, &[])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Layer {
    job: LayerJob,
    product: Product,
    rounding: Option<Truncation>,
}

enum Product {
    Lattice(LatticeProduct),
    Ots(LinearProduct, Arc<Zeroizing<Vec<i64>>>),
}

impl LayerJob {
    /// A layer whose results lose `cut` bits: the lattice, or OTs if these take less bytes, keys for one layer counted.
    ///
    /// # Errors
    /// [`Error::Param`] for what [`LinearProduct`] refuses, and unless `cut` leaves two bits.
    pub fn new(map: LinearJob, cut: u32) -> Result<Self> {
        Self::of(map, cut, 1, Objective::Total)
    }

    /// The same for so many at once, as `objective` likes them best: many share what a lattice takes.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(map: LinearJob, cut: u32, items: usize, objective: Objective) -> Result<Self> {
        let most = map.bits.saturating_sub(2);
        if cut > most {
            let accepted = format!("0 to {most}");
            return Err(Error::Param { what: "bits to cut off", got: cut.to_string(), accepted });
        }
        let lattice = LatticeJob::suiting(map, items.max(1), &map.bill()?, objective);
        Ok(Self { map, cut, lattice })
    }

    /// For so many at once, with the tiles that this takes.
    fn times(&self, items: usize) -> Result<Self> {
        Ok(Self { lattice: self.lattice.map(|lattice| lattice.times(items)).transpose()?, ..*self })
    }

    /// The map.
    pub fn map(&self) -> LinearJob {
        self.map
    }

    /// `Ok(())` if the owner has an offset for each column, or none.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of them.
    pub fn check_offsets(&self, offsets: &[u64]) -> Result<()> {
        let want = if offsets.is_empty() { 0 } else { self.map.shape.columns() };
        same("offsets of a linear layer", want, offsets.len())
    }

    /// How many bits results lose.
    pub fn cut(&self) -> u32 {
        self.cut
    }

    /// Whether it is done by a lattice.
    pub fn by_lattice(&self) -> bool {
        self.lattice.is_some()
    }

    /// What so many cost, without the keys.
    ///
    /// # Errors
    /// [`Error::Param`] for so many that no parameters of the lattice have room for their noise.
    pub fn bill(&self, items: usize) -> Result<Bill> {
        let rounding = match self.cut {
            0 => Bill::FREE,
            cut => Truncation::bill(cut).times(items * self.map.shape.out()),
        };
        let map = match &self.lattice {
            Some(lattice) => lattice.times(items)?.bill(),
            None => self.map.bill()?.times(items),
        };
        Ok(map + rounding)
    }

    /// The keys that the session keeps, for so many at once.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn keys(&self, items: usize) -> Result<Once> {
        self.lattice.map_or(Ok(Once::default()), |lattice| Ok(lattice.times(items)?.keys()))
    }

    /// Makes the keys that the session keeps, where it has none, for so many at once.
    ///
    /// # Errors
    /// As [`bill`](Self::bill), and those of the channel.
    pub fn set_up(&self, p: &mut Party, items: usize) -> Result<()> {
        self.lattice.map_or(Ok(()), |lattice| lattice.times(items)?.set_up(p))
    }

    /// What so many take, the keys once.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn effort(&self, items: usize) -> Result<Effort> {
        let all = self.times(items)?;
        let implied = Effort::implied(all.bill(items)?);
        let Some(lattice) = &all.lattice else { return Ok(implied) };
        let memory = lattice.memory();
        let memory = [0, 1].map(|party| implied.memory[party] + memory[party]);
        let ([made, local], [offline, online]) = (lattice.work(), Work::of_batch(&implied.bill()));
        let effort = implied.after(lattice.keys(), Work::default());
        Ok(effort.working([offline + made, online + local]).remembering(memory))
    }

    /// The same of so many that are spent one by one, as [`Layer::prepare_each`] makes them.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub fn effort_of_each(&self, items: usize) -> Result<Effort> {
        let mut effort = self.effort(items)?;
        effort.bill.online.rounds *= items as u32;
        Ok(effort)
    }

    /// `Ok(())` if the numbers are those of the map. What is only asked for needs none.
    fn check_numbers(&self, p: &mut dyn Source, numbers: &[i64]) -> Result<()> {
        if p.asks_only() { Ok(()) } else { self.map.check_numbers(p.role(), numbers) }
    }

    /// Material for the rounding of so many.
    fn rounding(&self, p: &mut dyn Source, items: usize) -> Result<Option<Truncation>> {
        let count = items * self.map.shape.out();
        (self.cut > 0).then(|| Truncation::prepare(p, self.map.bits, self.cut, count)).transpose()
    }
}

impl Layer {
    /// Offline, for so many. `numbers` is the map at the owner, and nothing at the other party. A store's material is for the
    /// numbers that it was made for.
    ///
    /// # Errors
    /// Those of [`LatticeProduct::prepare`].
    pub fn prepare(p: &mut dyn Source, job: &LayerJob, items: usize, numbers: &[i64]) -> Result<Self> {
        if let Some(lattice) = &job.lattice {
            job.check_numbers(p, numbers)?;
            let product = Product::Lattice(LatticeProduct::of(p, lattice, items, numbers)?);
            return Ok(Self { job: *job, product, rounding: job.rounding(p, items)? });
        }
        Self::by_ots(p, job, items, &Arc::new(numbers.to_vec().into()))
    }

    fn by_ots(
        p: &mut dyn Source,
        job: &LayerJob,
        items: usize,
        numbers: &Arc<Zeroizing<Vec<i64>>>,
    ) -> Result<Self> {
        job.check_numbers(p, numbers)?;
        let product = Product::Ots(LinearProduct::of(p, job.map, items)?, Arc::clone(numbers));
        Ok(Self { job: *job, product, rounding: job.rounding(p, items)? })
    }

    /// Offline, so many that are spent one by one: by a lattice their products are made together, and cut.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_each(
        p: &mut dyn Source,
        job: &LayerJob,
        items: usize,
        numbers: &[i64],
    ) -> Result<Vec<Self>> {
        let Some(lattice) = job.lattice.as_ref().filter(|_| items > 0) else {
            let numbers = Arc::new(numbers.to_vec().into());
            return (0..items).map(|_| Self::by_ots(p, job, 1, &numbers)).collect();
        };
        let mut all = LatticeProduct::of(p, lattice, items, numbers)?;
        let mut one = || {
            let product = Product::Lattice(all.take(1)?);
            Ok(Self { job: *job, product, rounding: job.rounding(p, 1)? })
        };
        (0..items).map(|_| one()).collect()
    }

    /// Width of the numbers.
    pub fn bits(&self) -> u32 {
        self.job.map.bits
    }

    /// Online, 2 rounds, or without rounding 1: shares of the results, for `-2^(l-2) <= A B + c <= 2^(l-2) - 2^f`, and without
    /// rounding for all. `offsets` are c mod `2^l` at the owner, one for each column, or none; and none at the other party.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers and offsets are those of the shape, and those of the channel.
    pub fn apply<R: Ring>(self, s: &mut Session, a: &AShare<R>, offsets: &[u64]) -> Result<AShare<R>> {
        let map = self.job.map;
        match s.role() == map.owner {
            true => self.job.check_offsets(offsets)?,
            false => same("offsets of a layer of the peer's", 0, offsets.len())?,
        }
        let mut out = match self.product {
            Product::Lattice(product) => product.multiply(s, a)?,
            Product::Ots(product, numbers) => product.multiply(s, a, &numbers)?,
        };
        if !offsets.is_empty() {
            let add: Vec<u64> = offsets.iter().copied().cycle().take(out.len()).collect();
            out = out.plus_public(&Zeroizing::new(add))?;
        }
        match self.rounding {
            Some(rounding) => rounding.round(s, &out),
            None => Ok(out),
        }
    }
}
