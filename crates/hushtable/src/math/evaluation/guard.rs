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
//! *Whole*, where numbers may lie anywhere in the ring and the domain has 0 in it or at an end: [`Sides`] tells what is
//! inside, of every number of the ring, and a comparison with 0 on which side a number lies. What stands for results
//! beyond is selected by the sign, then one of it and the result by the other bit.
//!
//! # Cost, a number
//! [`Sides`]; to replace, 4 correlated OTs and `4 (l + 1)` bits, 1 round. Whole: a comparison of l bits besides, and one
//! round more to replace.
//!
//! # Source
//! lut-spec 11.3; the shift after 11.2.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{CompareDomain, CompareJob, Comparison, Fixed, Objective, Sides, SidesJob},
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
    /// Of numbers with 0, where these may lie anywhere.
    sign: Option<CompareJob>,
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
        Ok(Self { lo: grid.lo, margin: 0, shift: 0, job, sign: None })
    }

    /// For those and some around them: half as many as the next power of two, on either side.
    ///
    /// # Errors
    /// [`Error::Param`] for a domain of more than a quarter of the ring.
    pub(super) fn shifted(grid: &Grid, bits: u32, objective: Objective) -> Result<Self> {
        let shift = grid.bits() - 1;
        let job = SidesJob::sides(bits - shift, 3, objective)?;
        Ok(Self { lo: grid.lo, margin: 1 << shift, shift, job, sign: None })
    }

    /// The same for numbers anywhere in the ring; `None` if 0 is neither in the domain nor at its end.
    ///
    /// # Errors
    /// None for a guard that was made.
    pub(super) fn whole(self, grid: &Grid, bits: u32, objective: Objective) -> Result<Option<Self>> {
        if grid.lo > 0 || grid.lo + (grid.count as i64) < 0 {
            return Ok(None);
        }
        let span = if self.shift == 0 { grid.count } else { 3 };
        let job = SidesJob::inside(bits - self.shift, span, objective)?;
        let sign = Some(CompareJob::new(bits, CompareDomain::Near, objective)?);
        Ok(Some(Self { job, sign, ..self }))
    }

    /// Whether it is for numbers anywhere in the ring.
    pub(super) fn is_whole(&self) -> bool {
        self.sign.is_some()
    }

    /// Whether numbers near the domain count as inside.
    pub(super) fn is_shifted(&self) -> bool {
        self.shift > 0
    }

    /// Whether the number `x` from the domain's first, outside of it, may count as inside.
    pub(super) fn is_near(&self, x: i128) -> bool {
        self.shift > 0 && (-(1 << self.shift)..3 << self.shift).contains(&x)
    }

    /// The least number that is treated as it should be, and the one that all of those are below, before the ring
    /// ends.
    pub(super) fn reach(&self, bits: u32) -> [i128; 2] {
        if self.sign.is_some() {
            let half = 1i128 << (bits - 1);
            return [-half, half];
        }
        let (lo, told) = (i128::from(self.lo), self.job.reach());
        // Of H what is one less is to be told, too: `(least + 1) * 2^s - 2^s`.
        let [least, end] = [i128::from(*told.start()), i128::from(*told.end()) + 1].map(|h| h << self.shift);
        [lo + least, lo + end - i128::from(self.margin)]
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(self) -> Vec<u64> {
        let Self { lo, margin, shift, job, sign } = self;
        let sign = sign.map_or(vec![], |sign| sign.plan.words().to_vec());
        [vec![lo as u64, margin, shift.into()], job.words(), sign].concat()
    }

    /// Offline, for a ring of `bits` bits.
    pub(super) fn prepare(&self, p: &mut dyn Source, bits: u32, batch: usize) -> Result<Material> {
        let sides = Sides::prepare(p, self.job, batch)?;
        let mut mux = |count| Mux::prepare(p, count, &[bits]);
        let muxes = match self.sign {
            None => Muxes::Beside(mux(2 * batch)?),
            Some(_) => Muxes::InTurn([mux(batch)?, mux(batch)?]),
        };
        let sign = self.sign.map(|job| Comparison::prepare(p, job, batch)).transpose()?;
        Ok(Material { guard: *self, sides, sign, muxes })
    }

    /// What a number costs, with a ring of `bits` bits.
    pub(super) fn bill(&self, bits: u32) -> Result<Bill> {
        let mux = Mux::bill(&[bits]);
        match self.sign {
            None => Ok(self.job.bill()? + mux.times(2)),
            Some(sign) => Ok(self.job.bill()? + sign.bill()? + mux + mux),
        }
    }
}

/// One-time material.
pub(super) struct Material {
    guard: Guard,
    sides: Sides,
    sign: Option<Comparison>,
    muxes: Muxes,
}

/// What replaces results: those below and above at once; or the sign selects, then what is inside.
enum Muxes {
    Beside(Mux),
    InTurn([Mux; 2]),
}

/// Which numbers lie where, with the material that replaces results.
pub(super) enum Found {
    /// Below and above.
    Sides([Bits; 2], Mux),
    /// Inside, and below 0.
    Inside([Bits; 2], [Mux; 2]),
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
        match (self.muxes, self.sign) {
            (Muxes::InTurn(muxes), Some(sign)) => {
                let inside = self.sides.inside(s, &quotients)?;
                Ok(Found::Inside([inside, sign.negative(s, x.share())?], muxes))
            }
            (Muxes::Beside(mux), _) => Ok(Found::Sides(self.sides.sides(s, &quotients)?, mux)),
            (Muxes::InTurn(_), None) => unreachable!("they are made with a comparison"),
        }
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

impl Instead {
    /// The integer, if it is one.
    pub(super) fn constant(self) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Number(_) => None,
        }
    }

    /// This party's share of it, for its share of a number.
    fn share(self, x: u64, role: Role) -> u64 {
        match self {
            Self::Constant(v) => share_of(v as u64, role),
            Self::Number(more) => x << more,
        }
    }
}

/// Online: the results y of x, but what stands for one where x lies outside: 1 round, or 2 for numbers anywhere.
pub(super) fn replace<R: Ring>(
    s: &mut Session,
    found: Found,
    instead: [Instead; 2],
    x: &Fixed<R>,
    y: &Fixed<R>,
) -> Result<Fixed<R>> {
    let role = s.role();
    let stands = |instead: Instead| x.share().words().iter().map(move |x| instead.share(x.to_u64(), role));
    let results = || y.share().words().iter().map(|y| y.to_u64());
    match found {
        Found::Sides([below, above], mux) => {
            let mut differences = Zeroizing::new(Vec::with_capacity(2 * y.len()));
            for instead in instead {
                let less =
                    stands(instead).zip(results()).map(|(value, y)| R::from_u64(value.wrapping_sub(y)));
                differences.extend(less);
            }
            let mut bits = below;
            bits.append(&above);
            let mut chosen = mux.select(s, &bits, &AShare::new(y.bits(), differences.to_vec()))?;
            let above = chosen.split_off(y.len());
            Fixed::new(&(y.share() + &chosen) + &above, y.scale())
        }
        Found::Inside([inside, negative], [by_sign, by_place]) => {
            let less = |(a, b): (u64, u64)| R::from_u64(a.wrapping_sub(b));
            let words = |words: Vec<R>| AShare::<R>::new(y.bits(), words);
            let differences = words(stands(instead[0]).zip(stands(instead[1])).map(less).collect());
            let below = by_sign.select(s, &negative, &differences)?;
            let beyond = &words(stands(instead[1]).map(R::from_u64).collect()) + &below;
            let chosen = by_place.select(s, &inside, &y.share().minus(&beyond))?;
            Fixed::new(&beyond + &chosen, y.scale())
        }
    }
}

/// A party's additive share of a public number.
fn share_of(value: u64, role: Role) -> u64 {
    match role {
        Role::P0 => value,
        Role::P1 => 0,
    }
}
