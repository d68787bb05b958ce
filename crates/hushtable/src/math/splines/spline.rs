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

use super::pieces::{KEPT, Pieces, Split};
use crate::{
    arith::{self, ComparePlan, FaithfulReduction, Fixed, Millionaires, truncate_reduce},
    bill::Bill,
    error::Result,
    gates::B2a,
    lut::{
        Table,
        read::{Polynomial, PolynomialShape},
    },
    math::{functions::Method, linear::Widening},
    net::Role,
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
};

/// How the carry of the bits that are kept for rounding is found.
const ROUNDING: ComparePlan = ComparePlan { method: arith::DigitMethod::Thermometer, digit: KEPT };

/// Polynomials of pieces. Public.
pub(in crate::math) struct Spline {
    pieces: Pieces,
    /// How the carry is found, where it is.
    plan: Option<ComparePlan>,
    table: Words,
}

/// In the narrowest words that hold the accumulator.
enum Words {
    U32(Table<u32>),
    U64(Table<u64>),
}

/// One-time material.
pub(in crate::math) struct Material {
    carry: Option<(Millionaires, B2a)>,
    polynomial: Polynomial<Cyclic>,
    rounding: Option<FaithfulReduction>,
    widening: Widening,
}

impl Spline {
    pub(in crate::math) fn new(pieces: Pieces, objective: arith::Objective) -> Result<Self> {
        let plan = match pieces.split {
            Split::Free | Split::Tight => None,
            Split::Carry => Some(ComparePlan::best(pieces.low, objective)?),
        };
        let ring = pieces.ring();
        let table = if ring <= 32 { Words::U32(columns(&pieces)?) } else { Words::U64(columns(&pieces)?) };
        Ok(Self { pieces, plan, table })
    }

    pub(in crate::math) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    pub(in crate::math) fn method(&self) -> Method {
        Method::Spline { degree: self.pieces.degree, pieces: self.pieces.count() }
    }

    /// Index bits, value bits and columns of the table.
    pub(in crate::math) fn table(&self) -> (u32, u32, usize) {
        (self.pieces.index_bits(), self.pieces.ring(), self.pieces.degree as usize + 1)
    }

    /// All of it as numbers, for a digest; the table is that of the pieces.
    pub(in crate::math) fn words(&self) -> Vec<u64> {
        let Self { pieces, plan, table: _ } = self;
        let plan = plan.map_or(vec![], |plan| plan.words().to_vec());
        [vec![plan.len() as u64], plan, pieces.words()].concat()
    }

    fn shape(&self) -> PolynomialShape {
        PolynomialShape {
            degree: self.pieces.degree,
            bits: self.pieces.low,
            ring: self.pieces.ring(),
            cut: 0,
            carry: false,
        }
    }

    /// Offline.
    pub(in crate::math) fn prepare(&self, p: &mut dyn Source, batch: usize) -> Result<Material> {
        let carry = match self.plan {
            Some(plan) => {
                let less = Millionaires::prepare(p, self.pieces.low, plan, batch)?;
                Some((less, B2a::prepare(p, self.pieces.index_bits(), batch)?))
            }
            None => None,
        };
        let polynomial = Polynomial::prepare(p, self.pieces.index_bits(), self.shape(), batch)?;
        let rounding = match self.pieces.rounded {
            true => Some(FaithfulReduction::prepare(p, self.rounded_from(), KEPT, ROUNDING, batch)?),
            false => None,
        };
        let widening = Widening::prepare(p, self.widths(), batch)?;
        Ok(Material { carry, polynomial, rounding, widening })
    }

    /// What a number costs.
    pub(in crate::math) fn bill(&self) -> Result<Bill> {
        let index = self.pieces.index_bits();
        let mut bill = OneHot::<Cyclic>::tree_bill(index) + self.shape().bill(index);
        if let Some(plan) = self.plan {
            bill = bill + plan.bill(self.pieces.low)? + B2a::bill(index);
        }
        if self.pieces.rounded {
            bill = bill + FaithfulReduction::bill(self.rounded_from(), KEPT, ROUNDING)?;
        }
        Ok(bill + Widening::bill(self.widths())?)
    }

    /// Width of what is rounded.
    fn rounded_from(&self) -> u32 {
        self.pieces.narrow + KEPT
    }

    /// Of the extension at the end.
    fn widths(&self) -> [u32; 2] {
        [self.pieces.narrow, self.pieces.bits]
    }

    /// Online. Spends the material.
    pub(in crate::math) fn eval<R: Ring>(
        &self,
        s: &mut Session,
        material: Material,
        x: &Fixed<R>,
    ) -> Result<AShare<R>> {
        let Pieces { base, low: t, bits, .. } = self.pieces;
        // P0 subtracts the public base; its u is complemented where carries are found.
        let (base, flip) = match s.role() {
            Role::P0 => (base as u64, u64::MAX),
            Role::P1 => (0, 0),
        };
        let moved = x.share().words().iter().map(|w| low(w.to_u64().wrapping_sub(base), bits));
        let moved = Zeroizing::new(moved.collect::<Vec<u64>>());
        let u = Zeroizing::new(moved.iter().map(|w| low(*w, t)).collect::<Vec<u64>>());
        let k = self.pieces.index_bits();
        let index = match material.carry {
            None => AShare::<u32>::new(k, moved.iter().map(|w| (w >> t) as u32).collect()),
            Some((less, convert)) => {
                // u_0 + u_1 carries if the complement of u_0 is less than u_1.
                let mine = Zeroizing::new(u.iter().map(|u| low(u ^ flip, t)).collect::<Vec<_>>());
                let carry = less.less(s, &mine)?;
                let carry: AShare<u32> = convert.convert(s, &carry)?;
                &AShare::<u32>::new(k, moved.iter().map(|w| ((w >> t) as u32) << 1).collect()) + &carry
            }
        };
        match &self.table {
            Words::U32(table) => {
                let sum = material.polynomial.eval(s, table, &index, &u)?;
                self.finish(s, &sum, material.rounding, material.widening)
            }
            Words::U64(table) => {
                let sum = material.polynomial.eval(s, table, &index, &u)?;
                self.finish(s, &sum, material.rounding, material.widening)
            }
        }
    }

    /// Steps 4 and 5.
    fn finish<W: Ring, R: Ring>(
        &self,
        s: &mut Session,
        sum: &AShare<W>,
        rounding: Option<FaithfulReduction>,
        widening: Widening,
    ) -> Result<AShare<R>> {
        let mut y = truncate_reduce(sum, self.pieces.first_cut())?;
        if let Some(rounding) = rounding {
            y = rounding.reduce(s, &y)?;
        }
        widening.sign(s, &y)
    }
}

/// A column for each coefficient.
fn columns<W: Ring>(pieces: &Pieces) -> Result<Table<W>> {
    let word = |c: &i64| W::from_u64(low(*c as u64, pieces.ring()));
    let columns = pieces.columns().iter().map(|column| column.iter().map(word).collect());
    Table::vector(pieces.ring(), columns.collect())
}
