//! A function as polynomials over pieces of equal length, whose coefficients are looked up.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: shares mod `2^l` of values near the function's.
//!
//! # Protocol
//! 1. *Split*: with `X = x - base` and pieces of `2^t` numbers, party p has `i_p = X_p >> t` and `u_p`, the low t
//!    bits. Then `2^t i + u = X` for `i = i_0 + i_1` and `u = u_0 + u_1 < 2^(t+1)`; i is the number of X's piece, or
//!    one less where u carries. So the polynomial of i is fitted over two pieces.
//! 2. *Free* (a ring larger than the domain): i is taken mod the number of pieces of twice the domain; those
//!    beyond the domain continue the function. *Tight*, where no result outside is wanted and the number of pieces
//!    is less than a power of two: mod that, the last one being -1. *With carry* (the whole ring): `i = -1` and
//!    the last piece would be one. A comparison finds the carry c of u, and `2 i + c` is looked up, each polynomial
//!    over one piece.
//! 3. The polynomial of u by [`Polynomial`], in a ring of `L = v + cut` bits, with `cut` more bits behind the point
//!    than results have.
//! 4. Each party cuts its share, into a ring of v bits: the result is the one rounded up or down, or one more.
//!    *Rounded*: three bits are kept, and cut off faithfully.
//! 5. If `v < l`, an extension with a known sign.
//!
//! # Cost, a number
//! For a table of `2^k` entries: [`OneHot::tree`]; `2 k` bits and what [`Polynomial`] takes, 2 rounds. With carry: a
//! comparison of t bits, and k bits and a correlated OT, 1 round. Rounded: a comparison of 3 bits, and v bits and
//! a correlated OT, 1 round. Extended: `l - v + 1` bits and a correlated OT, 1 round.
//!
//! # Source
//! lut-spec 11.2 and 11.3; Hou et al., "ROTL" (PoPETs 2026), section 8.6. Deviations: the accumulator is as wide
//! as it must be, not as the ring, so that cutting it is local (fss-beyond B8).

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    Method,
    card::Cost,
    pieces::{Pieces, Split},
};
use crate::{
    arith::{self, FaithfulTruncation, Fixed, Millionaires, Plan, sign_extend_bounded, truncate_reduce},
    error::Result,
    gates::b2a,
    lut::{
        Table,
        read::{Polynomial, polynomial::Shape},
    },
    net::Role,
    onehot::{Cyclic, OneHot},
    party::Party,
    share::AShare,
};

/// Bits that are kept for rounding, and how their carry is found.
pub(super) const KEPT: u32 = 3;
const ROUNDING: Plan = Plan { method: arith::Method::Thermometer, digit: KEPT };

/// Polynomials of pieces. Public.
pub(super) struct Spline {
    pieces: Pieces,
    /// How the carry is found, where it is.
    plan: Option<Plan>,
    table: Words,
}

/// In the narrowest words that hold the accumulator.
enum Words {
    U32(Table<u32>),
    U64(Table<u64>),
}

/// One-time material.
pub(super) struct Material {
    carry: Option<Millionaires>,
    polynomial: Polynomial<Cyclic>,
    rounding: Option<FaithfulTruncation>,
}

impl Spline {
    pub(super) fn new(pieces: Pieces, objective: arith::Objective) -> Result<Self> {
        let plan = match pieces.split {
            Split::Free | Split::Tight => None,
            Split::Carry => Some(Plan::best(pieces.low, objective)?),
        };
        let ring = pieces.ring();
        let table = if ring <= 32 { Words::U32(columns(&pieces)?) } else { Words::U64(columns(&pieces)?) };
        Ok(Self { pieces, plan, table })
    }

    pub(super) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    pub(super) fn method(&self) -> Method {
        Method::Spline { degree: self.pieces.degree, pieces: self.pieces.count() }
    }

    /// Index bits, value bits and columns of the table.
    pub(super) fn table(&self) -> (u32, u32, usize) {
        (self.pieces.index_bits(), self.pieces.ring(), self.pieces.degree as usize + 1)
    }

    /// All that the results depend on.
    pub(super) fn hash(&self, hash: &mut blake3::Hasher) {
        hash.update(format!("{:?} {:?}", self.shape(), self.plan).as_bytes());
        self.pieces.hash(hash);
    }

    fn shape(&self) -> Shape {
        Shape { degree: self.pieces.degree, bits: self.pieces.low, ring: self.pieces.ring() }
    }

    /// Offline.
    pub(super) fn prepare(&self, p: &mut Party, batch: usize) -> Result<Material> {
        let carry =
            self.plan.map(|plan| Millionaires::prepare(p, self.pieces.low, plan, batch)).transpose()?;
        let onehot = OneHot::tree(p, self.pieces.index_bits(), batch)?;
        let polynomial = onehot.polynomial(p, self.shape())?;
        let rounding = match self.pieces.rounded {
            true => Some(FaithfulTruncation::prepare(p, KEPT, ROUNDING, batch)?),
            false => None,
        };
        Ok(Material { carry, polynomial, rounding })
    }

    /// Correlated OTs, `(as sender, as receiver)`, of both phases at `role`.
    pub(super) fn cots(&self, role: Role, batch: usize) -> Result<(usize, usize)> {
        let polynomial = self.shape().cots() * batch;
        let tree = OneHot::<Cyclic>::tree_cots(role, self.pieces.index_bits(), batch);
        let mut parts = vec![tree, (polynomial, polynomial), self.online_cots(role, batch)];
        if let Some(plan) = self.plan {
            parts.push(Millionaires::cots(role, self.pieces.low, plan, batch)?);
        }
        if self.pieces.rounded {
            parts.push(Millionaires::cots(role, KEPT, ROUNDING, batch)?);
        }
        Ok(parts.into_iter().fold((0, 0), |(a, b), (send, recv)| (a + send, b + recv)))
    }

    /// Those of conversions and of the extension, which are taken online: each from P0 to P1.
    pub(super) fn online_cots(&self, role: Role, batch: usize) -> (usize, usize) {
        let extended = self.pieces.narrow < self.pieces.bits;
        let count = [self.plan.is_some(), self.pieces.rounded, extended].into_iter().filter(|&b| b).count();
        if role == Role::P0 { (count * batch, 0) } else { (0, count * batch) }
    }

    /// What a number costs.
    pub(super) fn cost(&self) -> Result<Cost> {
        let Pieces { low, narrow, bits, rounded, .. } = self.pieces;
        let (index, shape) = (self.pieces.index_bits(), self.shape());
        let online_bits = 2 * index as usize + shape.online_bits();
        let mut cost = Cost::tree(index);
        cost = cost + Cost { cots: 2 * shape.cots(), online_bits, rounds: 2, ..Cost::default() };
        if let Some(plan) = self.plan {
            cost = cost + plan.cost(low)?.into() + Cost::conversion(index);
        }
        if rounded {
            cost = cost + ROUNDING.cost(KEPT)?.into() + Cost::conversion(narrow);
        }
        if narrow < bits {
            cost = cost + Cost::conversion(bits - narrow + 1);
        }
        Ok(cost)
    }

    /// Online. Spends the material.
    pub(super) fn eval<R: Ring>(&self, p: &mut Party, material: Material, x: &Fixed<R>) -> Result<AShare<R>> {
        let Pieces { base, low: t, bits, .. } = self.pieces;
        // P0 subtracts the public base; its u is complemented where carries are found.
        let (base, flip) = match p.role() {
            Role::P0 => (base as u64, u64::MAX),
            Role::P1 => (0, 0),
        };
        let moved = x.share().words().iter().map(|w| low(w.to_u64().wrapping_sub(base), bits));
        let moved = Zeroizing::new(moved.collect::<Vec<u64>>());
        let u = Zeroizing::new(moved.iter().map(|w| low(*w, t)).collect::<Vec<u64>>());
        let k = self.pieces.index_bits();
        let index = match material.carry {
            None => AShare::<u32>::new(k, moved.iter().map(|w| (w >> t) as u32).collect()),
            Some(less) => {
                // u_0 + u_1 carries if the complement of u_0 is less than u_1.
                let carry =
                    less.less(p, &Zeroizing::new(u.iter().map(|u| low(u ^ flip, t)).collect::<Vec<_>>()))?;
                let carry: AShare<u32> = b2a(p, &carry, k)?;
                &AShare::<u32>::new(k, moved.iter().map(|w| ((w >> t) as u32) << 1).collect()) + &carry
            }
        };
        match &self.table {
            Words::U32(table) => {
                let sum = material.polynomial.eval(p, table, &index, &u)?;
                self.finish(p, &sum, material.rounding)
            }
            Words::U64(table) => {
                let sum = material.polynomial.eval(p, table, &index, &u)?;
                self.finish(p, &sum, material.rounding)
            }
        }
    }

    /// Steps 4 and 5.
    fn finish<W: Ring, R: Ring>(
        &self,
        p: &mut Party,
        sum: &AShare<W>,
        rounding: Option<FaithfulTruncation>,
    ) -> Result<AShare<R>> {
        let mut y = truncate_reduce(sum, self.pieces.first_cut())?;
        if let Some(rounding) = rounding {
            y = rounding.truncate_reduce(p, &y)?;
        }
        if self.pieces.narrow == self.pieces.bits {
            return y.low_bits(self.pieces.bits);
        }
        sign_extend_bounded(p, &y, self.pieces.bits)
    }
}

/// A column for each coefficient.
fn columns<W: Ring>(pieces: &Pieces) -> Result<Table<W>> {
    let word = |c: &i64| W::from_u64(low(*c as u64, pieces.ring()));
    let columns = pieces.columns().iter().map(|column| column.iter().map(word).collect());
    Table::vector(pieces.ring(), columns.collect())
}
