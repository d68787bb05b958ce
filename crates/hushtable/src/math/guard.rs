//! Numbers outside a domain: found by comparison, and their results replaced, or all refused.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x, and shares of results. Out: the results, but a given number
//! for each x below `lo` or not below `lo + count`. *Strict*: an error at both parties if there is such an
//! x, and nothing else.
//!
//! # Protocol
//! With `X = x - lo`, [`Sides`] tells whether X is negative or not below `count`, for
//! `count - 2^(l-1) <= X < 2^(l-1)`.
//!
//! *Shifted*, where the results are right for `-2^s <= X < 3 * 2^s` and `count <= 2^(s+1)`: with
//! `H = ((X + 2^s)_0 >> s) + ((X + 2^s)_1 >> s)` in `l - s` bits, which is the true quotient or one less,
//! the sides of H and 3 do. Numbers near the domain then count as inside. Both of what H may be are told for
//! `3 * 2^s - 2^(l-1) <= X < 2^(l-1) - 2^s`.
//!
//! What is left is farther from the domain than about half of the ring: little of it for a small domain near 0.
//! Outside the card's [reach](super::Card::reach), a number may be taken for one of the other end.
//!
//! Multiplexers replace. Strict: only whether X is inside, for every x, and an OR over all numbers, of which
//! one bit is opened.
//!
//! # Cost, a number
//! [`Sides`]; to replace, 4 correlated OTs and `4 (l + 1)` bits, 1 round. Strict, for a batch of n: `n - 1`
//! ANDs in `ceil(log2 n)` rounds, and 2 bits in 1 round.
//!
//! # Source
//! lut-spec 11.3 and 11.4; the shift after 11.2.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{card::Cost, target::Grid};
use crate::{
    arith::{Fixed, Objective, Sides, SidesJob, select},
    error::{Error, Result},
    gates::{Bits, Triples, or},
    net::Role,
    party::Party,
    share::AShare,
};

/// How numbers outside are found. Public.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    lo: i64,
    /// Added before the shift.
    margin: u64,
    shift: u32,
    job: SidesJob,
    pub(super) strict: bool,
}

impl Guard {
    /// For exactly the numbers of a grid.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than half of the ring.
    pub(super) fn exact(grid: &Grid, bits: u32, objective: Objective, strict: bool) -> Result<Self> {
        if grid.count > 1 << (bits - 1) {
            let accepted = format!("at most half of a ring of {bits} bits, or all of it");
            return Err(Error::Param { what: "domain", got: grid.bounds.to_string(), accepted });
        }
        let job = match strict {
            true => SidesJob::inside(bits, grid.count, objective)?,
            false => SidesJob::sides(bits, grid.count, objective)?,
        };
        Ok(Self { lo: grid.lo, margin: 0, shift: 0, job, strict })
    }

    /// For those and some around them: half as many as the next power of two, on either side.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than a quarter of the ring.
    pub(super) fn shifted(grid: &Grid, bits: u32, objective: Objective) -> Result<Self> {
        let shift = grid.bits() - 1;
        let job = SidesJob::sides(bits - shift, 3, objective)?;
        Ok(Self { lo: grid.lo, margin: 1 << shift, shift, job, strict: false })
    }

    /// The least number that is treated as it should be, and the one that all of those are below, before the ring
    /// ends.
    pub(super) fn reach(&self) -> [i128; 2] {
        let (lo, told) = (i128::from(self.lo), self.job.reach());
        // Of H what is one less is to be told, too: `(least + 1) * 2^s - 2^s`.
        let [least, end] = [i128::from(*told.start()), i128::from(*told.end()) + 1].map(|h| h << self.shift);
        [lo + least, lo + end - i128::from(self.margin)]
    }

    /// Offline.
    pub(super) fn prepare(&self, p: &mut Party, batch: usize) -> Result<Material> {
        let sides = Sides::prepare(p, self.job, batch)?;
        let triples = if self.strict { Some(Triples::random(p, ors(batch))?) } else { None };
        Ok(Material { guard: *self, sides, triples })
    }

    /// What a number costs, with a ring of `bits` bits. Strict: the share of a number in a large batch, but the
    /// rounds of one; [`Card::of_batch`](super::Card::of_batch) has what is missing.
    pub(super) fn cost(&self, bits: u32) -> Result<Cost> {
        let sides: Cost = self.job.cost()?.into();
        Ok(sides
            + match self.strict {
                true => Cost { cots: 2, online_bits: 4, rounds: 1, ..Cost::default() },
                false => Cost { cots: 4, online_bits: 4 * (bits as usize + 1), rounds: 1, ..Cost::default() },
            })
    }

    /// Correlated OTs, `(as sender, as receiver)`, of both phases at `role`.
    pub(super) fn cots(&self, role: Role, batch: usize) -> Result<(usize, usize)> {
        let (send, recv) = self.job.cots(role, batch)?;
        let (more, _) = if self.strict { Triples::cots(ors(batch)) } else { (2 * batch, 2 * batch) };
        Ok((send + more, recv + more))
    }

    /// Those that are taken online.
    pub(super) fn online_cots(&self, role: Role, batch: usize) -> (usize, usize) {
        let (send, recv) = self.job.online_cots(role, batch);
        let replaced = if self.strict { 0 } else { 2 * batch };
        (send + replaced, recv + replaced)
    }
}

/// ANDs of a strict check.
fn ors(batch: usize) -> usize {
    batch.saturating_sub(1)
}

/// One-time material.
pub(super) struct Material {
    guard: Guard,
    sides: Sides,
    triples: Option<Triples>,
}

impl Material {
    /// Online: shares of the bits that tell which numbers lie below, and which above. Strict: none.
    ///
    /// # Errors
    /// [`Error::Param`] if there are some, strict; and those of the channel.
    pub(super) fn sides<R: Ring>(self, p: &mut Party, x: &Fixed<R>) -> Result<Option<[Bits; 2]>> {
        let Guard { lo, margin, shift, .. } = self.guard;
        let (role, bits) = (p.role(), x.bits());
        let moved = share_of(margin.wrapping_sub(lo as u64), role);
        let quotients = x.share().words().iter().map(|w| low(w.to_u64().wrapping_add(moved), bits) >> shift);
        let quotients = AShare::<u64>::new(bits - shift, quotients.collect());
        let Some(triples) = self.triples else { return Ok(Some(self.sides.sides(p, &quotients)?)) };
        let outside = self.sides.inside(p, &quotients)?.not(role);
        refuse(p, triples, outside)?;
        Ok(None)
    }
}

/// Strict: an error if any bit is 1.
fn refuse(p: &mut Party, mut triples: Triples, mut any: Bits) -> Result<()> {
    while any.len() > 1 {
        let mut first = any;
        let half = first.split_off(first.len().div_ceil(2));
        let rest = first.range(half.len()..first.len());
        let first = first.range(0..half.len());
        any = or(p, triples.take(half.len())?, &first, &half)?;
        any.append(&rest);
    }
    // Public: the caller asked for an error that both parties see, which says this bit and no more.
    if any.is_empty() || any.open(p)?[0] == 0 {
        return Ok(());
    }
    let (what, got) = ("number", "at least one outside the domain".to_string());
    Err(Error::Param { what, got, accepted: "numbers of the domain, with Outside::Strict".into() })
}

/// What stands for a result beyond an end of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// An integer at the results' scale.
    Constant(i64),
    /// The number, with so many bits more behind the point.
    Number(u32),
}

/// Online: the results y of x, but what stands for one where a bit is 1: 1 round.
pub(super) fn replace<R: Ring>(
    p: &mut Party,
    sides: &[Bits; 2],
    instead: [Instead; 2],
    x: &Fixed<R>,
    y: &Fixed<R>,
) -> Result<Fixed<R>> {
    let role = p.role();
    let mut differences = Zeroizing::new(Vec::with_capacity(2 * y.len()));
    for instead in instead {
        for (x, y) in x.share().words().iter().zip(y.share().words()) {
            let value = match instead {
                Instead::Constant(v) => share_of(v as u64, role),
                Instead::Number(more) => x.to_u64() << more,
            };
            differences.push(R::from_u64(value.wrapping_sub(y.to_u64())));
        }
    }
    let mut bits = sides[0].clone();
    bits.append(&sides[1]);
    let mut chosen = select(p, &bits, &[&AShare::new(y.bits(), differences.to_vec())])?.remove(0);
    let above = chosen.split_off(y.len());
    Fixed::new(&(y.share() + &chosen) + &above, y.scale())
}

/// A party's additive share of a public number.
fn share_of(value: u64, role: Role) -> u64 {
    match role {
        Role::P0 => value,
        Role::P1 => 0,
    }
}
