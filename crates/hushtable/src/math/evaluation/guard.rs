//! Numbers outside a domain: found by comparison, and their results replaced.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x, and shares of results. Out: the results, but a given number
//! for each x below `lo` or not below `lo + count`.
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
//! Outside the card's [reach](crate::math::Card::reach), a number may be taken for one of the other end.
//!
//! Multiplexers replace.
//!
//! # Cost, a number
//! [`Sides`]; to replace, 4 correlated OTs and `4 (l + 1)` bits, 1 round.
//!
//! # Source
//! lut-spec 11.3; the shift after 11.2.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{Fixed, Objective, Sides, SidesJob},
    bill::Bill,
    error::{Error, Result},
    gates::{Bits, Mux},
    math::functions::target::Grid,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// How numbers outside are found. Public.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    lo: i64,
    /// Added before the shift.
    margin: u64,
    shift: u32,
    job: SidesJob,
}

impl Guard {
    /// For exactly the numbers of a grid.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than half of the ring.
    pub(super) fn exact(grid: &Grid, bits: u32, objective: Objective) -> Result<Self> {
        if grid.count > 1 << (bits - 1) {
            let accepted = format!("at most half of a ring of {bits} bits, or all of it");
            return Err(Error::Param { what: "domain", got: grid.bounds.to_string(), accepted });
        }
        let job = SidesJob::sides(bits, grid.count, objective)?;
        Ok(Self { lo: grid.lo, margin: 0, shift: 0, job })
    }

    /// For those and some around them: half as many as the next power of two, on either side.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than a quarter of the ring.
    pub(super) fn shifted(grid: &Grid, bits: u32, objective: Objective) -> Result<Self> {
        let shift = grid.bits() - 1;
        let job = SidesJob::sides(bits - shift, 3, objective)?;
        Ok(Self { lo: grid.lo, margin: 1 << shift, shift, job })
    }

    /// The least number that is treated as it should be, and the one that all of those are below, before the ring
    /// ends.
    pub(super) fn reach(&self) -> [i128; 2] {
        let (lo, told) = (i128::from(self.lo), self.job.reach());
        // Of H what is one less is to be told, too: `(least + 1) * 2^s - 2^s`.
        let [least, end] = [i128::from(*told.start()), i128::from(*told.end()) + 1].map(|h| h << self.shift);
        [lo + least, lo + end - i128::from(self.margin)]
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(self) -> Vec<u64> {
        let Self { lo, margin, shift, job } = self;
        [vec![lo as u64, margin, shift.into()], job.words()].concat()
    }

    /// Offline, for a ring of `bits` bits.
    pub(super) fn prepare(&self, p: &mut impl Source, bits: u32, batch: usize) -> Result<Material> {
        let sides = Sides::prepare(p, self.job, batch)?;
        Ok(Material { guard: *self, sides, mux: Mux::prepare(p, 2 * batch, &[bits])? })
    }

    /// What a number costs, with a ring of `bits` bits.
    pub(super) fn bill(&self, bits: u32) -> Result<Bill> {
        Ok(self.job.bill()? + Mux::bill(&[bits]).times(2))
    }
}

/// One-time material.
pub(super) struct Material {
    guard: Guard,
    sides: Sides,
    mux: Mux,
}

/// Which numbers lie below, and which above, with the material that replaces their results.
pub(super) struct Found {
    sides: [Bits; 2],
    mux: Mux,
}

impl Material {
    /// Online: which numbers lie outside.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn find<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Found> {
        let Guard { lo, margin, shift, .. } = self.guard;
        let (role, bits) = (s.role(), x.bits());
        let moved = share_of(margin.wrapping_sub(lo as u64), role);
        let quotients = x.share().words().iter().map(|w| low(w.to_u64().wrapping_add(moved), bits) >> shift);
        let quotients = AShare::<u64>::new(bits - shift, quotients.collect());
        Ok(Found { sides: self.sides.sides(s, &quotients)?, mux: self.mux })
    }
}

/// What stands for a result beyond an end of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// An integer at the results' scale.
    Constant(i64),
    /// The number, with so many bits more behind the point.
    Number(u32),
}

impl Instead {
    /// All of it as numbers, for a digest.
    pub(super) fn words(self) -> [u64; 2] {
        match self {
            Self::Constant(value) => [0, value as u64],
            Self::Number(more) => [1, more.into()],
        }
    }
}

/// Online: the results y of x, but what stands for one where x lies outside: 1 round.
pub(super) fn replace<R: Ring>(
    s: &mut Session,
    Found { sides, mux }: Found,
    instead: [Instead; 2],
    x: &Fixed<R>,
    y: &Fixed<R>,
) -> Result<Fixed<R>> {
    let role = s.role();
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
    let mut chosen = mux.select(s, &bits, &AShare::new(y.bits(), differences.to_vec()))?;
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
