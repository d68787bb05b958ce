//! Linear maps that one party knows: products with matrices, and convolutions; by a lattice.
//!
//! # Functionality
//! Offline, one party gives B: `k x n` signed numbers of b bits, the *owner*; or filters. Online, in: additive shares mod
//! `2^l` of A, `m x k` numbers, or images; out: shares of `A B`. Any number of such products at once.
//!
//! # Protocol
//! Offline, the other party draws R, `m x k`, and encrypts it in tiles under a key of its own, which the session keeps. The
//! owner multiplies the tiles by those of B, adds them up, packs, and answers: so both have shares of `R B`. Online, the
//! other party sends its share of A less R. The owner multiplies its share of A, and that, by B. Where there are many A for
//! one B, their R stand on top of one another and make one product.
//!
//! # Cost
//! Without correlated OTs. Offline, after the session's keys: the ciphertexts of R, `30 * 8192` bits for each prime and 64,
//! and the responses, `8192 (l + 11)` bits and `l + 3` for each output; 2 rounds. Online `m k l` bits of the other party in
//! 1 round. Of keys, once a session, for each set of parameters: a ciphertext, and for each level of packing as many digits.
//!
//! # Security
//! The owner sees ciphertexts under a key that it does not have, and a masked share: R is uniform and serves once. The other
//! party sees responses, in which fresh encryptions of zero and flooding hide all of B but the sums:
//! [`he::respond`]; up to a distance of `2^-40` for all that is made at once, which adds up over what is made one after the
//! other. Parameters follow from the shape, how many there are, and b, so nothing about B shows in them.
//!
//! # Source
//! docs/spec/lattice-spec.md, sections 4 and 5. Huang, Lu, Hong, Ding, "Cheetah" (USENIX Security 2022); moving the product
//! before the inputs: Mishra et al., "Delphi" (USENIX Security 2020).

mod cross;
mod keys;

use std::sync::Arc;

use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

pub(super) use self::cross::{Cross, Side};
use super::{
    linear::{LinearJob, local},
    product::{share, words},
};
use crate::{
    bill::{Bill, Objective, Once, Phase, Work},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// Linear maps that one party knows, and how they are cut. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LatticeJob {
    job: LinearJob,
    /// How many such maps.
    items: usize,
    /// Of how many the matrices stand on top of one another in a product.
    stacked: usize,
    objective: Objective,
    cross: Cross,
}

/// Bits that OTs send at least where a lattice comes into question: below, no ciphertext is worth it.
const LEAST: u64 = 1 << 23;
/// Bytes of a digest of numbers.
const DIGEST: usize = 32;

/// One-time material for such maps, and what the owner knows.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::LatticeProduct};
/// fn twice(p: &mut Party, m: LatticeProduct, a: &AShare<u32>) -> Result<()> {
///     m.multiply(p, a)?;
///     m.multiply(p, a)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct LatticeProduct {
    job: LinearJob,
    items: usize,
    /// Of the numbers for which it was made: zeros at the other party.
    made_for: [u8; DIGEST],
    /// The owner's right matrices, which what is cut off has, too; nothing at the other party.
    numbers: Arc<Zeroizing<Vec<i64>>>,
    /// The other party's R; nothing at the owner.
    masks: Wiped<u64>,
    /// Shares of R times the matrices, product by product.
    products: Zeroizing<Vec<u64>>,
}

impl LatticeJob {
    /// These maps, in the tiles that take least time and bytes.
    ///
    /// # Errors
    /// [`Error::Param`] for what a [`LinearProduct`](super::LinearProduct) refuses, for
    /// less than 8 bits, for windows that reach over 8192 pixels and more, and where the noise does not fit any parameters.
    pub fn new(job: LinearJob) -> Result<Self> {
        Self::of(job, Objective::Total)
    }

    /// The same in the tiles that `objective` likes best.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(job: LinearJob, objective: Objective) -> Result<Self> {
        Self::many(job, 1, objective)
    }

    fn many(job: LinearJob, items: usize, objective: Objective) -> Result<Self> {
        job.check()?;
        let mut stacked = if job.shape.stacks() { items.max(1) } else { 1 };
        loop {
            let (batch, shape) = job.shape.stacked(stacked).products()?;
            let products = (batch.saturating_mul(items.div_ceil(stacked)), shape);
            let bits = [job.bits, job.number_bits];
            let cross = Cross::new(products, bits, &[Side::Left], job.owner.peer(), objective)?;
            if stacked == 1 || cross.is_held() {
                return Ok(Self { job, items, stacked, objective, cross });
            }
            stacked = stacked.div_ceil(2);
        }
    }

    /// So many by the same numbers, in tiles and with parameters for all of them together: these are not always those of one.
    pub(super) fn times(&self, items: usize) -> Result<Self> {
        if items == self.items { Ok(*self) } else { Self::many(self.job, items, self.objective) }
    }

    /// What is multiplied.
    pub fn job(&self) -> LinearJob {
        self.job
    }

    /// What the products cost, without the keys.
    pub fn bill(&self) -> Bill {
        let (LinearJob { shape, bits, .. }, items) = (self.job, self.items);
        let sent = [0, (items * shape.left()) as u64 * u64::from(bits)];
        let online = Bill { online: Phase { bits: sent, rounds: 1 }, ..Bill::FREE };
        let online = if self.job.owner == Role::P0 { online } else { online.swapped() };
        let kept = (items * (shape.left() + shape.out())) as u64 * u64::from(bits);
        (self.cross.bill() + online).keeping(kept)
    }

    /// The keys that the session keeps, made before the first products with these parameters.
    pub fn keys(&self) -> Once {
        self.cross.keys()
    }

    /// So many by the same numbers in the tiles that `objective` likes best, if that sends less than OTs do.
    pub(super) fn suiting(job: LinearJob, items: usize, ots: &Bill, objective: Objective) -> Option<Self> {
        let ots = ots.times(items);
        let made = Self::many(job, items, objective).ok()?;
        sends_less([&made.bill(), &made.keys().bill()], &ots).then_some(made)
    }

    /// By which ways to the same maps are compared.
    pub(crate) fn price(&self) -> f64 {
        self.cross.price()
    }

    /// Local work: before the inputs, and then.
    pub(crate) fn work(&self) -> [Work; 2] {
        // 2.5 products of numbers to a nanosecond.
        let products = self.job.shape.right() as f64 * self.job.shape.out() as f64;
        let products = products / (self.job.shape.columns() * self.job.shape.batch()) as f64;
        [self.cross.work(), Work::vectors(self.items as f64 * products / 2500.0)]
    }

    /// Bytes of ciphertexts and keys at P0 and at P1.
    pub(crate) fn memory(&self) -> [u64; 2] {
        let memory = self.cross.memory();
        if self.job.owner == Role::P0 { [memory, 0] } else { [0, memory] }
    }

    /// Makes the keys that the session keeps, 1 round, where it has none: [`LatticeProduct::prepare`] does so, too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        self.cross.ready(p).map(drop)
    }
}

impl LatticeProduct {
    /// Offline, 2 rounds, or as many as the [bill](LatticeJob::bill) says. `numbers` are the matrices at the owner, row by
    /// row, or filters, and nothing at the other party. What a store has was made for the same numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] for other numbers than the shape has, [`Error::Param`] for one that does not fit its bits,
    /// [`Error::Store`] for numbers that a store's material was not made for, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: &LatticeJob, numbers: &[i64]) -> Result<Self> {
        Self::of(p, job, 1, numbers)
    }

    /// Of so many maps by the same numbers.
    pub(super) fn of(p: &mut dyn Source, job: &LatticeJob, items: usize, numbers: &[i64]) -> Result<Self> {
        let (map, mine) = (job.job, p.role() == job.job.owner);
        let mut made = p.atom(map, items, |p| Self::made(p, job, items, numbers))?;
        if mine {
            if !p.asks_only() {
                check_made_for(&made.made_for, &digest(&map, numbers))?;
            }
            made.numbers = Arc::new(map.shape.right_matrices(numbers));
        }
        Ok(made)
    }

    /// With the peer.
    fn made(p: &mut Party, job: &LatticeJob, items: usize, numbers: &[i64]) -> Result<Self> {
        let LatticeJob { job, stacked, cross, .. } = &job.times(items)?;
        let mine = Source::role(p) == job.owner;
        job.check_numbers(Source::role(p), numbers)?;
        let s = p.session();
        let mut masks = Wiped::zeros(if mine { 0 } else { items * job.shape.left() });
        s.rng().words(job.bits, &mut masks);
        let stack = |masks: &[u64]| {
            // Never grows, so that no part of it is left behind. The last stack is filled up with zeros.
            let mut left = Zeroizing::new(vec![0; stacked * job.shape.left()]);
            left.iter_mut().zip(masks).for_each(|(left, mask)| *left = *mask);
            job.shape.left_matrices(&left)
        };
        let left: Vec<_> = masks.chunks((stacked * job.shape.left()).max(1)).map(stack).collect();
        let right = job.shape.right_matrices(numbers);
        let [encrypted, known] = cross.sizes();
        let mut products = Zeroizing::new(vec![0; cross.outputs()]);
        // Product i is number `i % batch` of stack `i / batch`.
        let batch = job.shape.batch();
        let encrypted = |i: usize| part(&left[i / batch], i % batch, encrypted);
        let known = |i: usize| part(&right, i % batch, known);
        Cross::multiply(std::slice::from_ref(cross), p, &encrypted, &known, &mut products)?;
        products.truncate(items * job.shape.out());
        let made_for = if mine { digest(job, numbers) } else { [0; DIGEST] };
        Ok(Self { job: *job, items, made_for, numbers: Arc::default(), masks, products })
    }

    /// Online, 1 round: shares of `A B`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the factors have the numbers of the shape, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, a: &AShare<R>) -> Result<AShare<R>> {
        let Self { job: LinearJob { shape, bits, owner, .. }, items, numbers, masks, products, .. } = self;
        same("numbers that are mapped", items * shape.left(), a.len())?;
        same("bits of the numbers that are mapped", bits as usize, a.bits() as usize)?;
        let mut a = words(a.words());
        let mut out = products;
        if s.role() != owner {
            a.iter_mut().zip(masks.iter()).for_each(|(a, r)| *a = low(a.wrapping_sub(*r), bits));
            let mut message = Vec::with_capacity(packed_len(a.len(), bits));
            pack(&a, bits, &mut message);
            s.send(message)?;
        } else {
            let (batch, of) = shape.products()?;
            same("numbers of a linear map", batch * of.right(), numbers.len())?;
            let message = s.recv(packed_len(a.len(), bits))?;
            let mut rest = vec![0u64; a.len()];
            unpack(&message, bits, &mut rest);
            a.iter_mut().zip(&rest).for_each(|(a, rest)| *a = a.wrapping_add(*rest));
            for (a, out) in a.chunks_exact(shape.left()).zip(out.chunks_exact_mut(batch * of.out())) {
                let more = local(s.cores(), (batch, of), &shape.left_matrices(a), &numbers, |y| y as u64);
                out.iter_mut().zip(more.iter()).for_each(|(out, more)| *out = out.wrapping_add(*more));
            }
        }
        Ok(share(bits, &shape.results(items, out)))
    }
}

/// Bound to the owner's numbers: their digest stays with it.
impl Atom for LatticeProduct {
    type Form = LinearJob;

    fn terms(job: &LinearJob) -> Terms {
        Terms::of("products with a known linear map")
            .with("map", job.shape.terms())
            .with("bits", job.bits)
            .with("bits of a number", job.number_bits)
            .with("owner", job.owner)
    }

    fn encode(&self, to: &mut Writer) {
        to.bytes(&self.made_for);
        to.words(&self.masks, self.job.bits);
        to.words(&self.products, self.job.bits);
    }

    fn decode(from: &mut Reader<'_>, role: Role, job: &LinearJob, items: usize) -> Result<Self> {
        let made_for = from.array()?;
        let masks = if role == job.owner { 0 } else { items.saturating_mul(job.shape.left()) };
        let masks = Wiped::from(from.words(masks, job.bits)?);
        let products = Zeroizing::new(from.words(items.saturating_mul(job.shape.out()), job.bits)?);
        Ok(Self { job: *job, items, made_for, numbers: Arc::default(), masks, products })
    }

    fn take(&mut self, items: usize) -> Result<Self> {
        let Some(left) = self.items.checked_sub(items) else {
            return Err(Error::Shape { what: "products left", want: items, got: self.items });
        };
        let of = |each: usize, all: usize| if all == 0 { 0 } else { left * each };
        let masks = self.masks.split_off(of(self.job.shape.left(), self.masks.len()));
        let products = Zeroizing::new(self.products.split_off(left * self.job.shape.out()));
        self.items = left;
        Ok(Self { items, masks, products, numbers: Arc::clone(&self.numbers), ..*self })
    }
}

/// Of the map and its numbers: 128 bits and more against other numbers.
fn digest(job: &LinearJob, numbers: &[i64]) -> [u8; DIGEST] {
    let mut hash = blake3::Hasher::new();
    hash.update(LatticeProduct::terms(job).digest().as_bytes());
    numbers.iter().for_each(|number| _ = hash.update(&number.to_le_bytes()));
    *hash.finalize().as_bytes()
}

fn check_made_for(have: &[u8; DIGEST], given: &[u8; DIGEST]) -> Result<()> {
    if have == given {
        return Ok(());
    }
    Err(Error::Store("holds material for other numbers of a linear map than those that are given".into()))
}

/// Whether a lattice with this bill, and keys for it alone, sends less than OTs with that one, and these so much that it comes
/// into question.
pub(super) fn sends_less([lattice, keys]: [&Bill; 2], ots: &Bill) -> bool {
    // A correlated OT takes a bit, about.
    let sent = |bill: &Bill| bill.offline.all_bits() + bill.online.all_bits() + bill.all_cots();
    sent(ots) >= LEAST && sent(lattice) + sent(keys) < sent(ots)
}

/// How many of `count` rows or columns stand together in a matrix, of which only the diagonal is wanted: of a block, `of` says
/// the price, the bill with that of the keys, and what it is made of. Of those that send less than `ots`, if that is given, the
/// one of the least price.
pub(crate) fn cheapest_block<T>(
    count: usize,
    ots: Option<&Bill>,
    of: impl Fn(usize) -> Result<(f64, [Bill; 2], T)>,
) -> Option<T> {
    let blocks = (0..=8).map(|k| 1 << k).filter(|block| *block < 2 * count);
    let less = blocks.filter_map(|block| of(block).ok());
    let less = less.filter(|(_, [lattice, keys], _)| ots.is_none_or(|ots| sends_less([lattice, keys], ots)));
    less.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, _, made)| made)
}

/// Part i of so many each; nothing of nothing.
pub(super) fn part<T>(all: &[T], i: usize, each: usize) -> &[T] {
    &all[all.len().min(i * each)..all.len().min((i + 1) * each)]
}
