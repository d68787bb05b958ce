//! The polynomials of a function's pieces, and the integers that they give.

use prim::ring::low;

use super::{fit::fit, poly::Poly, proof::Search};
use crate::{
    error::{Error, Result},
    math::functions::target::{Place, Target},
};

/// Most pieces of a domain, as a power of two.
pub(in crate::math) const MAX_PIECE_BITS: u32 = 12;

/// Bits that are kept for rounding.
pub(super) const KEPT: u32 = 3;

/// Bits of a coefficient below what a result shows, beside those of the powers.
const GUARD_BITS: u32 = 2;

/// An odd factor that spreads entries.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A ring that is at most so many bits wider than the results need is used as it is.
const NARROWING: u32 = 4;

/// How pieces are told from places within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::math) enum Split {
    /// Without a comparison, over twice the domain.
    Free,
    /// Without a comparison, over the domain and a piece below it.
    Tight,
    /// With the carry, over the whole ring.
    Carry,
}

/// What pieces are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::math) struct Form {
    pub(in crate::math) split: Split,
    pub(in crate::math) degree: u32,
    /// Pieces of the domain, as a power of two.
    pub(in crate::math) piece_bits: u32,
    pub(in crate::math) rounded: bool,
}

/// Polynomials for all pieces. Public.
pub(in crate::math) struct Pieces {
    pub(in crate::math) split: Split,
    pub(in crate::math) degree: u32,
    pub(in crate::math) rounded: bool,
    /// What is subtracted from a number.
    pub(in crate::math) base: i64,
    /// Width of the ring of numbers and results.
    pub(in crate::math) bits: u32,
    /// Width of the ring that results come in.
    pub(in crate::math) narrow: u32,
    /// Bits of a place in a piece.
    pub(in crate::math) low: u32,
    /// Bits that are cut off the accumulator.
    cut: u32,
    piece_bits: u32,
    /// Where the domain begins, from `base`.
    start: i64,
    /// For each power.
    columns: Vec<Vec<i64>>,
    /// The least and the greatest result at the numbers that pieces are fitted for.
    fitted: [i64; 2],
}

impl Pieces {
    /// Fits all pieces.
    ///
    /// # Errors
    /// [`Error::Param`] for more pieces than numbers, an accumulator of more than 64 bits, or values that the ring
    /// does not hold.
    pub(in crate::math) fn new(target: &Target, bits: u32, form: Form) -> Result<Self> {
        let Form { split, degree, piece_bits, rounded } = form;
        let Some(t) = target.grid.bits().checked_sub(piece_bits).filter(|&t| t > 0) else {
            let (what, got) = ("pieces of a domain", format!("{}", 1u64 << piece_bits));
            let accepted = format!("at most half of its {} numbers", target.grid.count);
            return Err(Error::Param { what, got, accepted });
        };
        let base = match split {
            Split::Free | Split::Tight => target.grid.lo,
            Split::Carry => (-1i64) << (bits - 1),
        };
        let cut = GUARD_BITS + degree * (t + 1);
        if cut + 2 > 64 {
            return Err(too_wide(cut + 2));
        }
        let start = target.grid.lo.wrapping_sub(base);
        let columns = vec![Vec::new(); degree as usize + 1];
        let mut pieces = Self {
            split,
            degree,
            rounded,
            base,
            bits,
            narrow: bits,
            low: t,
            cut,
            piece_bits,
            start,
            columns,
            fitted: [0; 2],
        };
        let range = pieces.fit(target)?;
        pieces.narrow(range)?;
        Ok(pieces)
    }

    /// Fits every entry's polynomial; the ranges of what accumulators can be at all, and at the numbers that an
    /// entry is fitted for.
    fn fit(&mut self, target: &Target) -> Result<[Range; 2]> {
        let scale = 2f64.powi((target.fraction + self.cut) as i32);
        let offset = self.offset();
        let mut ranges = [Range::default(); 2];
        for entry in 0..1usize << self.index_bits() {
            let (first, from, to) = self.span(entry);
            let within = first - self.start;
            // What lies in the domain, if anything does.
            let inside = [from.max(-within), to.min(target.grid.count as i64 - 1 - within)];
            let (place, ends) = match inside[0] <= inside[1] {
                true => (Place::Inside, inside),
                false => (target.place(within + from), [from, to]),
            };
            let value = |u: f64| scale * target.at(place, within as f64 + u);
            let fitted = fit(self.degree, ends.map(|end| end as u64), value);
            let Some(mut fitted) = fitted else { return Err(too_wide(u32::MAX)) };
            fitted[0] = fitted[0].checked_add(offset).ok_or_else(|| too_wide(u32::MAX))?;
            let poly = Poly::new(fitted.iter().copied(), self.cut);
            for (range, interval) in ranges.iter_mut().zip([[from, to], ends]) {
                range.include(poly.sums(interval));
            }
            self.columns.iter_mut().zip(&fitted).for_each(|(column, &c)| column.push(c));
        }
        Ok(ranges)
    }

    /// Makes room for accumulators of these ranges.
    fn narrow(&mut self, [all, fitted]: [Range; 2]) -> Result<()> {
        let needed = fitted.bits(self.cut);
        if needed > self.bits {
            let accepted = format!("{} bits, so much as the ring has", self.bits);
            return Err(Error::Param {
                what: "values of the function",
                got: format!("{needed} bits"),
                accepted,
            });
        }
        self.fitted = [(fitted.least >> self.cut) - 1, fitted.most >> self.cut].map(|result| result as i64);
        // An extension wants one bit more than the sign.
        let needed = all.bits(self.cut) + 1;
        self.narrow = if needed + NARROWING < self.bits { needed } else { self.bits };
        if self.ring() > 64 {
            return Err(too_wide(self.ring()));
        }
        Ok(())
    }

    /// Added to an accumulator, so that errors of cutting lie as much above as below.
    fn offset(&self) -> i64 {
        if self.rounded { ((1 << KEPT) + 1) << (self.cut - KEPT - 1) } else { 1 << self.cut }
    }

    /// Width of the accumulator.
    pub(in crate::math) fn ring(&self) -> u32 {
        self.narrow + self.cut
    }

    /// Whether the domain leaves a piece of those to the next power of two for the one below it.
    pub(in crate::math) fn leave_one(&self, target: &Target) -> bool {
        target.grid.count <= ((1 << self.piece_bits) - 1) << self.low
    }

    /// Pieces of the domain.
    pub(in crate::math) fn count(&self) -> u32 {
        1 << self.piece_bits
    }

    /// Bits of an index into the table.
    pub(in crate::math) fn index_bits(&self) -> u32 {
        match self.split {
            Split::Free => self.piece_bits + 1,
            Split::Tight => self.piece_bits,
            Split::Carry => self.bits - self.low + 1,
        }
    }

    /// Bits that a party cuts off its own share.
    pub(in crate::math) fn first_cut(&self) -> u32 {
        if self.rounded { self.cut - KEPT } else { self.cut }
    }

    /// Coefficients of each power, from the constant on.
    pub(in crate::math) fn columns(&self) -> &[Vec<i64>] {
        &self.columns
    }

    /// The least and the greatest result inside the domain.
    pub(in crate::math) fn fitted(&self) -> [i64; 2] {
        self.fitted
    }

    /// All of it as numbers, for a digest; what results are follows from the rest.
    pub(in crate::math) fn words(&self) -> Vec<u64> {
        let Self {
            split,
            degree,
            rounded,
            base,
            bits,
            narrow,
            low,
            cut,
            piece_bits,
            start,
            columns,
            fitted: _,
        } = self;
        let widths = [degree, bits, narrow, low, cut, piece_bits].map(|&width| width.into());
        let own = [*split as u64, (*rounded).into(), *base as u64, *start as u64];
        let coefficients = columns.iter().flatten().map(|&c| c as u64);
        own.into_iter().chain(widths).chain(coefficients).collect()
    }

    /// What an entry is for: a number, from `base`, and the least and greatest u to add to it.
    fn span(&self, entry: usize) -> (i64, i64, i64) {
        let (entry, t) = (entry as i64, self.low);
        let (one, two) = ((1i64 << t) - 1, (2i64 << t) - 2);
        match self.split {
            Split::Free => {
                let (pieces, all) = (1i64 << self.piece_bits, 2i64 << self.piece_bits);
                let piece = if entry < pieces + pieces / 2 { entry } else { entry - all };
                (piece << t, 0, two)
            }
            Split::Tight => {
                let last = (1i64 << self.piece_bits) - 1;
                (if entry == last { -1 << t } else { entry << t }, 0, two)
            }
            Split::Carry => {
                let (piece, carry) = (entry >> 1, entry & 1);
                // Beyond the last piece comes the first.
                let last = (1i64 << (self.bits - t)) - 1;
                match carry {
                    0 => (piece << t, 0, one),
                    _ => (if piece == last { -1 << t } else { piece << t }, one + 1, two),
                }
            }
        }
    }

    /// What results are off from the function at most, in units in the last place, at the numbers `lo + x` of a region,
    /// both ends included, and by any shares; by proof if the function's slopes are known. With a `limit`, something
    /// beyond it if that is exceeded.
    pub(in crate::math) fn worst(&self, target: &Target, region: [i64; 2], limit: Option<f64>) -> f64 {
        let more = self.rounding();
        let mut search = Search::new(target, limit.map(|limit| limit - more));
        let entries = 1u64 << self.index_bits();
        // In an order that soon meets all parts of the domain.
        for i in 0..entries {
            let entry = (i.wrapping_mul(SPREAD) & (entries - 1)) as usize;
            let (first, from, to) = self.span(entry);
            let within = first - self.start;
            let part = [from.max(region[0] - within), to.min(region[1] - within)];
            if part[0] <= part[1] {
                search.take(&self.poly(entry), within, part);
            }
            if search.failed() {
                break;
            }
        }
        search.proven() + more
    }

    /// All numbers, from the domain's first, for which there are pieces.
    pub(in crate::math) fn region(&self) -> [i64; 2] {
        match self.split {
            Split::Free => {
                [-(1 << (self.piece_bits + self.low - 1)), (3 << (self.piece_bits + self.low - 1)) - 1]
            }
            Split::Tight => [0, (((1 << self.piece_bits) - 1) << self.low) - 1],
            Split::Carry => [-self.start, (1 << self.bits) - 1 - self.start],
        }
    }

    /// Whether numbers beside the domain give what they may: something between the function's value at the end
    /// and what stands for it beyond, or `slack` units in the last place off.
    pub(in crate::math) fn levels_off(&self, target: &Target, slack: f64) -> bool {
        let (count, [least, most]) = (target.grid.count as i64, self.region());
        (0..1usize << self.index_bits()).all(|entry| {
            let (first, from, to) = self.span(entry);
            let within = first - self.start;
            let sides = [
                (0, Place::Below, [from.max(least - within), to.min(-1 - within)]),
                (count - 1, Place::Above, [from.max(count - within), to.min(most - within)]),
            ];
            sides.into_iter().filter(|(.., part)| part[0] <= part[1]).all(|(end, place, part)| {
                let end = target.inside(end as f64) * target.unit();
                let line = |u: i64| target.at(place, (within + u) as f64) * target.unit();
                self.poly(entry).is_between(part, end, line, slack - self.rounding())
            })
        })
    }

    /// The polynomial of an entry, without what is added for the roundings.
    fn poly(&self, entry: usize) -> Poly {
        Poly::new(self.columns.iter().map(|column| column[entry]), self.cut).less(self.offset())
    }

    /// How far results may be from the polynomial's value, in units in the last place: either way a unit of each
    /// party's cut; or what is left of the kept bits, and half a unit.
    fn rounding(&self) -> f64 {
        if self.rounded { 0.5 + 2f64.powi(-(KEPT as i32) - 1) } else { 1.0 }
    }

    /// Every integer that the protocol may give for the number `lo + x`: which one depends on the shares.
    pub(in crate::math) fn results(&self, x: i64) -> impl Iterator<Item = i64> + '_ {
        let from_base = x + self.start;
        let (piece, place) = (from_base >> self.low, from_base & ((1 << self.low) - 1));
        // Below the first piece of all there is none: a number that is told to be near has no carry there.
        let first = self.split == Split::Free && piece == -(1 << (self.piece_bits - 1));
        let carries = place + 2 <= 1 << self.low && !first;
        let splits = [Some((piece, place, 0)), carries.then_some((piece - 1, place + (1 << self.low), 1))];
        splits.into_iter().flatten().flat_map(|(piece, u, carry)| {
            let entry = match self.split {
                Split::Free | Split::Tight => piece as u64,
                Split::Carry => (2 * piece + carry) as u64,
            };
            let entry = low(entry, self.index_bits()) as usize;
            let power =
                |sum: u64, column: &Vec<i64>| sum.wrapping_mul(u as u64).wrapping_add(column[entry] as u64);
            let sum = low(self.columns.iter().rev().fold(0, power), self.ring());
            let cut = self.first_cut();
            let carries = low(sum, cut) + 2 <= 1 << cut;
            let cuts = [Some(sum >> cut), carries.then(|| (sum >> cut).wrapping_sub(1))];
            cuts.into_iter().flatten().map(|cut| self.signed(cut))
        })
    }

    /// The result of the integer that is left of an accumulator.
    fn signed(&self, cut: u64) -> i64 {
        let kept = if self.rounded { KEPT } else { 0 };
        let unused = 64 - self.narrow - kept;
        (cut << unused) as i64 >> unused >> kept
    }
}

/// What accumulators are at least and at most.
#[derive(Clone, Copy)]
struct Range {
    least: i128,
    most: i128,
}

impl Default for Range {
    fn default() -> Self {
        Self { least: i128::MAX, most: i128::MIN }
    }
}

impl Range {
    fn include(&mut self, [least, most]: [i128; 2]) {
        (self.least, self.most) = (self.least.min(least), self.most.max(most));
    }

    /// Bits of a result in two's complement, which may be one less than the quotient.
    fn bits(self, cut: u32) -> u32 {
        let bits = |x: i128| 129 - (x ^ (x >> 127)).leading_zeros();
        bits((self.least >> cut) - 1).max(bits(self.most >> cut))
    }
}

fn too_wide(bits: u32) -> Error {
    let got = if bits == u32::MAX { "more than 64".to_string() } else { bits.to_string() };
    let accepted = "at most 64: fewer fraction bits, a smaller domain, a lower degree or more pieces".into();
    Error::Param { what: "bits of the spline's accumulator", got, accepted }
}
