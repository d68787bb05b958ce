//! Products of shared matrices with themselves, transposed: Gram matrices. Of single rows: sums of squares.
//!
//! # Functionality
//! In: additive shares mod `2^l` of X, `m x k` numbers. Out: shares of `X X^T`, row by row. Any number of them at once.
//!
//! # Protocol
//! With `X = A + B`, A at P0 and B at P1, `X X^T = A A^T + B B^T + C + C^T` for `C = A B^T`: one product of a matrix that P0
//! knows and one that P1 knows, where two factors take two. Of single rows `C + C^T` is twice C, which `l - 1` bits of it
//! make. By OTs C is Gilboa's. Or as triples: *offline* the same for random U, by OTs or by a lattice; *online*
//! 1. open `E = X - U`;
//! 2. `X X^T = U U^T + E U^T + (E U^T)^T + E E^T`, the last term at P0.
//!
//! By a lattice P0 encrypts U and P1 answers. Few rows fill no ciphertext, so several matrices may stand on top of one
//! another: of the product of such a block the squares on its diagonal are what they want, and they drop the rest.
//!
//! # Cost
//! By OTs, a direction of `m x k` by `k x m` numbers as matrix.rs says, of single rows in `l - 1` bits; 1 round. By a lattice
//! offline a product for each block, without the keys. Triples open `2 l m k` bits online, 1 round, where two factors open
//! twice as many.
//!
//! # Source
//! Beaver (CRYPTO 1991) and SecureML (S&P 2017), as in beaver.rs, for equal factors.

use prim::{
    Wiped,
    ring::{Ring, low, signed},
};
use zeroize::Zeroizing;

use super::{
    lattice::{Cross, Side, cheapest_block, part},
    linear::LinearShape,
    matrix::{Directions, MatrixShape, Mixed},
    product::{check_width, share, words},
};
use crate::{
    bill::{Bill, Effort, Objective, Once, Work},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// Matrices that are multiplied with themselves, transposed. Public, the same at both parties.
#[derive(Clone, Copy, Debug)]
pub struct GramJob {
    items: usize,
    rows: usize,
    inner: usize,
    bits: u32,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Ots,
    /// Triples by OTs.
    Triples,
    /// Triples by a lattice.
    Lattice(Lattice),
}

/// How many matrices stand on top of one another, and the products of such blocks.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    block: usize,
    cross: Cross,
}

/// One-time material for such a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Gram};
/// fn twice(p: &mut Party, m: Gram, x: &AShare<u32>) -> Result<()> {
///     m.multiply(p, x)?;
///     m.multiply(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Gram {
    job: GramJob,
    made: Made,
}

enum Made {
    Ots(Mixed),
    Triples(GramTriples),
}

/// Random matrices and their products with themselves, shared.
struct GramTriples {
    rows: usize,
    inner: usize,
    bits: u32,
    /// U.
    masks: Wiped<u64>,
    products: Zeroizing<Vec<u64>>,
}

impl GramJob {
    /// So many matrices of `rows x inner` numbers of `bits` bits, by correlated OTs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64.
    pub fn by_ots([items, rows, inner]: [usize; 3], bits: u32) -> Result<Self> {
        check_width::<u64>(bits)?;
        Ok(Self { items, rows, inner, bits, way: Way::Ots })
    }

    /// By triples from correlated OTs, which take less online and more in all.
    ///
    /// # Errors
    /// As [`by_ots`](Self::by_ots).
    pub fn by_triples(shape: [usize; 3], bits: u32) -> Result<Self> {
        Ok(Self { way: Way::Triples, ..Self::by_ots(shape, bits)? })
    }

    /// By triples from a lattice, in the blocks and tiles that `objective` likes best.
    ///
    /// # Errors
    /// As of [`LatticeTriplesJob::new`](super::LatticeTriplesJob::new).
    pub fn by_lattice(shape: [usize; 3], bits: u32, objective: Objective) -> Result<Self> {
        let ots = Self::by_ots(shape, bits)?;
        match cheapest_block(ots.items, None, |block| ots.in_blocks(block, objective)) {
            Some(made) => Ok(made),
            // Why it is refused.
            None => ots.in_blocks(1, objective).map(|(_, _, made)| made),
        }
    }

    /// By triples from a lattice if that sends less than those from OTs do, keys for this batch counted; else by OTs.
    ///
    /// # Errors
    /// As [`by_ots`](Self::by_ots).
    pub fn suiting(shape: [usize; 3], bits: u32, objective: Objective) -> Result<Self> {
        let ots = Self::by_ots(shape, bits)?;
        let bill = Self { way: Way::Triples, ..ots }.bill();
        let least = cheapest_block(ots.items, Some(&bill), |block| ots.in_blocks(block, objective));
        Ok(least.unwrap_or(ots))
    }

    /// The same in such blocks by a lattice, with its price, its bill and that of its keys.
    fn in_blocks(self, block: usize, objective: Objective) -> Result<(f64, [Bill; 2], Self)> {
        let rows = block.saturating_mul(self.rows);
        let batch = self.items.div_ceil(block);
        let shape = MatrixShape { batch, rows, inner: self.inner, columns: rows };
        // Both sides are as long, so that it is all the same which one is encrypted.
        let products = LinearShape::from(shape).products()?;
        let cross = Cross::new(products, [self.bits; 2], &[Side::Left], Role::P0, objective)?;
        let job = Self { way: Way::Lattice(Lattice { block, cross }), ..self };
        Ok((cross.price(), [job.bill(), job.keys().bill()], job))
    }

    /// Whether it is done by a lattice.
    pub fn is_by_lattice(&self) -> bool {
        self.cross().is_some()
    }

    fn cross(&self) -> Option<&Cross> {
        if let Way::Lattice(Lattice { cross, .. }) = &self.way { Some(cross) } else { None }
    }

    /// A and `B^T`.
    fn shape(&self) -> MatrixShape {
        MatrixShape { batch: self.items, rows: self.rows, inner: self.inner, columns: self.rows }
    }

    /// Bits of C that are wanted.
    fn mixed_bits(&self) -> u32 {
        if self.rows == 1 { (self.bits - 1).max(1) } else { self.bits }
    }

    /// What all of them cost, without the keys.
    pub fn bill(&self) -> Bill {
        let shape = self.shape();
        let ots = shape.mixed_bill(self.mixed_bits(), directions(Role::P0));
        let made = match &self.way {
            Way::Ots => return ots,
            Way::Triples => Bill { cots: ots.cots, offline: ots.online, ..Bill::FREE },
            Way::Lattice(lattice) => lattice.cross.bill(),
        };
        let opened = u64::from(self.bits) * shape.left() as u64;
        (made + Bill::opening(opened)).keeping(64 * (shape.left() + shape.out()) as u64)
    }

    /// The keys that the session keeps.
    pub fn keys(&self) -> Once {
        self.cross().map_or(Once::default(), Cross::keys)
    }

    /// Makes the keys that the session keeps, where it has none.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        self.cross().map_or(Ok(()), |cross| cross.ready(p).map(drop))
    }

    /// Bytes of ciphertexts and keys at P0 and at P1, which answers.
    pub(crate) fn memory(&self) -> [u64; 2] {
        [0, self.cross().map_or(0, Cross::memory)]
    }

    /// The work of the lattice, offline.
    pub(crate) fn work(&self) -> Work {
        self.cross().map_or(Work::default(), Cross::work)
    }

    /// What all of them take, the keys once.
    pub fn effort(&self) -> Effort {
        let (shape, implied) = (self.shape(), Effort::implied(self.bill()));
        if !self.is_by_lattice() {
            return implied;
        }
        // Online two products of matrices, 3 to a nanosecond.
        let products = shape.out() as f64 * shape.inner as f64 * 2.0 / 3000.0;
        let [offline, online] = Work::of_batch(&implied.bill());
        let (memory, lattice) = (implied.memory, self.memory());
        implied
            .after(self.keys(), Work::default())
            .working([offline + self.work(), online + Work::vectors(products)])
            .remembering([0, 1].map(|party| memory[party] + lattice[party]))
    }

    /// This party's shares of the products of `x`: what it has of its own, and what `mixed` adds of C.
    fn products(&self, x: &[u64], mixed: impl FnOnce(&mut [u64]) -> Result<()>) -> Result<Wiped<u64>> {
        let (shape, rows) = (self.shape(), self.rows);
        let mut c = Wiped::zeros(shape.out());
        mixed(&mut c)?;
        let mut out = Wiped::from(shape.local(x, &turned(x, [rows, self.inner])));
        out.iter_mut().zip(c.iter()).for_each(|(out, c)| *out = out.wrapping_add(*c));
        out.iter_mut().zip(turned(&c, [rows; 2]).iter()).for_each(|(out, c)| *out = out.wrapping_add(*c));
        Ok(out)
    }

    /// By OTs. 1 round.
    fn multiplied(&self, s: &mut Session, mixed: Mixed, x: &[u64]) -> Result<Wiped<u64>> {
        self.products(x, |c| match s.role() {
            Role::P0 => mixed.add(s, (x, &[]), Some(&[]), c),
            Role::P1 => {
                let right = turned(x, [self.rows, self.inner]);
                mixed.add(s, (&[], &right), Some(&right), c)
            }
        })
    }

    fn mixed(&self, p: &mut dyn Source) -> Result<Mixed> {
        let directions = directions(p.role());
        Mixed::prepare(p, self.mixed_bits(), self.shape(), directions)
    }
}

/// P0 has the left matrix, and P1 the right one.
fn directions(role: Role) -> Directions {
    Directions { left: role == Role::P0, right: role == Role::P1 }
}

/// Matrices of that shape, transposed.
fn turned(x: &[u64], [rows, columns]: [usize; 2]) -> Wiped<u64> {
    let all = rows * columns;
    let at = |i: usize| i / all * all + i % all % rows * columns + i % all / rows;
    Wiped::from((0..x.len()).map(|i| x[at(i)]).collect::<Vec<u64>>())
}

impl Lattice {
    /// Adds this party's shares of `A B^T` to `c`, of which it has `u`: A, or B.
    fn add(&self, p: &mut Party, u: &[u64], job: &GramJob, c: &mut [u64]) -> Result<()> {
        let (Self { block, cross }, rows) = (self, job.rows);
        let (all, each) = (job.items.div_ceil(*block), block * rows * job.inner);
        // The last block is filled up with zeros. P0 has the left matrices, P1 the right ones, transposed.
        let mut padded = Wiped::zeros(all * each);
        padded[..u.len()].copy_from_slice(u);
        if p.role() == Role::P1 {
            padded = turned(&padded, [block * rows, job.inner]);
        }
        let known: Zeroizing<Vec<i64>> =
            Zeroizing::new(padded.iter().map(|x| signed(*x, job.bits)).collect());
        let mut products = Wiped::zeros(cross.outputs());
        let (encrypted, known) = (|i| part(&padded, i, each), |i| part(&known, i, each));
        Cross::multiply(std::slice::from_ref(cross), p, &encrypted, &known, &mut products)?;
        let side = block * rows;
        for (at, c) in c.iter_mut().enumerate() {
            let (item, row, column) = (at / (rows * rows), at / rows % rows, at % rows);
            let first = item % block * rows;
            let (row, column) = (first + row, first + column);
            *c = c.wrapping_add(products[(item / block * side + row) * side + column]);
        }
        Ok(())
    }
}

impl Gram {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, job: &GramJob) -> Result<Self> {
        let GramJob { items, rows, inner, bits, way } = *job;
        let made = match way {
            Way::Ots => Made::Ots(job.mixed(p)?),
            _ => Made::Triples(p.atom((bits, [rows, inner]), items, |p| GramTriples::made(p, job))?),
        };
        Ok(Self { job: *job, made })
    }

    /// Online, 1 round: shares of the products. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and width are those prepared for, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let Self { job, made } = self;
        let (shape, bits) = (job.shape(), job.bits);
        same("numbers of matrices", shape.left(), x.len())?;
        same("bits of the numbers of matrices", bits as usize, x.bits() as usize)?;
        let x = words(x.words());
        let GramTriples { masks: u, mut products, .. } = match made {
            Made::Ots(mixed) => return Ok(share(bits, &job.multiplied(s, mixed, &x)?)),
            Made::Triples(triples) => triples,
        };
        let masked = x.iter().zip(u.iter()).map(|(x, u)| low(x.wrapping_sub(*u), bits));
        // Public: U is uniform and masks nothing else.
        let e = s.open(&AShare::<u64>::new(bits, masked.collect()))?;
        let mixed = Wiped::from(shape.local(&e, &turned(&u, [job.rows, job.inner])));
        let own =
            if s.role() == Role::P0 { shape.local(&e, &turned(&e, [job.rows, job.inner])) } else { vec![] };
        let mut add = |terms: &[u64]| {
            products.iter_mut().zip(terms).for_each(|(sum, term)| *sum = sum.wrapping_add(*term));
        };
        add(&own);
        add(&mixed);
        add(&turned(&mixed, [job.rows; 2]));
        Ok(share(bits, &products))
    }
}

impl GramTriples {
    /// With the peer.
    fn made(p: &mut Party, job: &GramJob) -> Result<Self> {
        let GramJob { rows, inner, bits, way, .. } = *job;
        let mut u = Wiped::zeros(job.shape().left());
        p.rng().words(bits, &mut u);
        let products = match way {
            Way::Lattice(lattice) => job.products(&u, |c| lattice.add(p, &u, job, c))?,
            _ => {
                let mixed = job.mixed(p)?;
                job.multiplied(p, mixed, &u)?
            }
        };
        let products = Zeroizing::new(products.iter().map(|x| low(*x, bits)).collect());
        Ok(Self { rows, inner, bits, masks: u, products })
    }
}

/// By width and by the shape of a matrix.
impl Atom for GramTriples {
    type Form = (u32, [usize; 2]);

    fn terms(&(bits, [rows, inner]): &Self::Form) -> Terms {
        Terms::of("random matrices times themselves, transposed")
            .with("bits", bits)
            .with("rows", rows)
            .with("inner", inner)
    }

    fn encode(&self, to: &mut Writer) {
        to.words(&self.masks, self.bits);
        to.words(&self.products, self.bits);
    }

    fn decode(
        from: &mut Reader<'_>,
        _role: Role,
        &(bits, [rows, inner]): &Self::Form,
        items: usize,
    ) -> Result<Self> {
        let mut words = |each: usize| from.words(items.saturating_mul(each), bits);
        let masks = Wiped::from(words(rows.saturating_mul(inner))?);
        let products = Zeroizing::new(words(rows.saturating_mul(rows))?);
        Ok(Self { rows, inner, bits, masks, products })
    }

    fn take(&mut self, items: usize) -> Result<Self> {
        let (mask, product) = (self.rows * self.inner, self.rows * self.rows);
        let all = self.products.len() / product.max(1);
        let Some(left) = all.checked_sub(items) else {
            return Err(Error::Shape { what: "matrices left", want: items, got: all });
        };
        let products = Zeroizing::new(self.products.split_off(left * product));
        Ok(Self { masks: self.masks.split_off(left * mask), products, ..*self })
    }
}

#[cfg(test)]
mod tests;
