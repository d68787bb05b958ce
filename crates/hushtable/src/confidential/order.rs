//! The order of shared items that were shuffled, by comparisons that are opened.
//!
//! # Functionality
//! In: XOR shares of n items, **no two of which are equal, in an order that is uniform and that neither party knows**. Out:
//! to both parties in clear, which item is the least, and so on. Nothing else is learned.
//!
//! # Protocol
//! 1. Each item becomes additive shares of one bit more. An item of more than 63 bits is two numbers.
//! 2. In each phase a set of pairs, which follows from what is public so far (`order/phases.rs`), is compared at once, and the
//!    results are opened. Sets are filled up with a pair that is compared again, so that their sizes tell nothing.
//!
//! # Cost
//! An item of w bits: w correlated OTs and `w (w + 3) / 2` bits, 1 round. For 4096 items there are 215 k comparisons of
//! numbers near each other ([`Comparison`]) in 5 phases of one round more than a comparison; 268 k in 4 phases or 352 k
//! in 3, as the [`Pace`] says. One of two numbers is two comparisons, a test for equality ([`Equality`]) and an AND, one
//! after the other.
//!
//! # Source
//! confidential-beyond 2, which counts 230 k comparisons in 3 phases by XOR shares; the number there is an average, the
//! one here is fixed. Hamada et al., "Practically Efficient Multi-party Sorting Protocols from Comparison Sort
//! Algorithms" (ICISC 2012) for sorting by opened comparisons after a shuffle.
//!
//! # Security
//! The order of distinct items after a uniform shuffle is uniform, and what is opened is a function of it. If two
//! items were equal, the result of their comparison would tell: who calls this makes them distinct by an index that is
//! shuffled along and stays secret. A public position will not do: of equal items the one in front would always be
//! the lower one. If the last phase lacks room, the protocol ends with [`Error::Chance`]. That depends on the order alone,
//! which tells nothing: new material serves. It happened in none of 10^5 simulated sorts; no bound is proven.

mod phases;

use phases::{Known, Phase, phases};
use prim::Wiped;

use crate::{
    arith::{CompareDomain, CompareJob, ComparePlan, Comparison, Equality, Objective},
    bill::Bill,
    error::{Error, Result, same, within},
    gates::{Bits, Direction, Products, Triples, and, multiply},
    party::Party,
    session::Session,
    share::{AShare, Additive},
};

/// Most items.
pub const MAX_ITEMS: usize = 1 << 12;

/// Most bits of an item.
pub const MAX_BITS: u32 = 126;

/// What an order may take at most, where that can be: fewer rounds cost more bytes. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pace {
    /// Phases.
    pub phases: u32,
    /// Rounds of a comparison of two numbers.
    pub compare: u32,
}

impl Pace {
    /// The least work and nearly the fewest bytes, whatever the rounds.
    pub const USUAL: Self = Self { phases: u32::MAX, compare: u32::MAX };

    /// Those between which there is a choice.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |phases| [u32::MAX, 3, 2].map(|compare| Self { phases, compare });
        [u32::MAX, 4, 3].into_iter().flat_map(of)
    }

    fn phases(self, count: usize) -> Vec<Phase> {
        phases(count, self.phases as usize)
    }

    /// How numbers of so many bits are compared.
    fn job(self, bits: u32) -> Result<CompareJob> {
        let domain = CompareDomain::Near;
        let usual = CompareJob::new(bits + 1, domain, Objective::Total)?;
        let plan = ComparePlan::within(bits, self.compare)?;
        Ok(CompareJob { plan: plan.unwrap_or(usual.plan), ..usual })
    }
}

/// Digits whose equality needs no message.
const EQUALITY_DIGIT: u32 = 1;

/// One-time material for finding the order of a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{Result, confidential::order::Order, gates::Bits, session::Session};
/// fn twice(s: &mut Session, m: Order, x: &[Bits]) -> Result<()> {
///     m.reveal(s, x)?;
///     m.reveal(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Order {
    bits: u32,
    count: usize,
    /// For each bit, lowest first.
    sums: Vec<Products>,
    phases: Vec<(Phase, Compared)>,
}

/// The comparisons of a phase.
enum Compared {
    One(Box<Comparison>),
    Two(Box<Two>),
}

/// Those of two numbers each.
struct Two {
    high: Comparison,
    equal: Equality,
    low: Comparison,
    both: Triples,
}

/// Bits of the numbers that an item is, lowest first.
fn numbers(bits: u32) -> Vec<u32> {
    if bits <= 63 { vec![bits] } else { vec![bits / 2, bits - bits / 2] }
}

/// For each bit of a number, who has the values, and how wide they are.
fn products(bits: u32) -> impl Iterator<Item = (Direction, u32)> {
    (0..bits).map(move |k| (if k % 2 == 0 { Direction::FromP0 } else { Direction::FromP1 }, bits - k))
}

impl Order {
    /// Offline: for `count` items of `bits` bits, at this pace.
    ///
    /// # Errors
    /// [`Error::Param`] for other numbers than 1 to [`MAX_ITEMS`] and 1 to [`MAX_BITS`], and those of the channel.
    pub fn prepare(p: &mut Party, bits: u32, count: usize, pace: Pace) -> Result<Self> {
        check(bits, count)?;
        let phases = pace.phases(count);
        let mut sums = Vec::new();
        if !phases.is_empty() {
            for (direction, width) in numbers(bits).into_iter().flat_map(products) {
                sums.push(Products::prepare(p, direction, count, &[width])?);
            }
        }
        let compared = |phase: Phase| Ok((phase, Compared::prepare(p, bits, phase.room, pace)?));
        let phases = phases.into_iter().map(compared);
        Ok(Self { bits, count, sums, phases: phases.collect::<Result<_>>()? })
    }

    /// What it costs.
    ///
    /// # Errors
    /// [`Error::Param`] as [`prepare`](Self::prepare).
    pub fn bill(bits: u32, count: usize, pace: Pace) -> Result<Bill> {
        check(bits, count)?;
        let phases = pace.phases(count);
        if phases.is_empty() {
            return Ok(Bill::FREE);
        }
        let product = |(direction, width)| Products::bill(direction, &[width]);
        let sums = numbers(bits).into_iter().flat_map(products).map(product);
        let mut bill = sums.fold(Bill::FREE, Bill::beside).times(count);
        for phase in phases {
            bill = bill + Compared::bill(bits, pace)?.times(phase.room) + Bill::opening(phase.room as u64);
        }
        Ok(bill)
    }

    /// Online: the order of the items of which these are shares of the bits, lowest first; to both parties. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many items of as many bits, [`Error::Chance`] if the order is one in which the
    /// last phase lacks room, [`Error::Peer`] for results that are of no order, and those of the channel.
    pub fn reveal(self, s: &mut Session, x: &[Bits]) -> Result<Vec<u32>> {
        same("bits of an item to sort", self.bits as usize, x.len())?;
        x.iter().try_for_each(|bit| same("items to sort", self.count, bit.len()))?;
        let mut known = Known::new(self.count);
        if self.phases.is_empty() {
            return Ok((0..self.count as u32).collect());
        }
        let numbers = sums(s, self.bits, self.sums, x)?;
        for (phase, compared) in self.phases {
            let mut pairs = known.pairs(&phase);
            let asked = pairs.len();
            if asked > phase.room {
                return Err(Error::Chance("sorting by comparisons"));
            }
            pairs.resize(phase.room, [0, 1]);
            let less = compared.less(s, &numbers, &pairs)?;
            // Public: a function of the order of distinct items, which a shuffle has made uniform.
            let less =
                Bits::collect(less.open(s)?.into_iter().flat_map(|word| (0..64).map(move |i| word >> i & 1)));
            known = known.learn(&phase, &mut less.iter().take(asked).map(|bit| bit == 1));
        }
        let order = known.order();
        let mut met = vec![false; self.count];
        order.iter().for_each(|&item| met[item as usize] = true);
        match order.len() == self.count && met.into_iter().all(|met| met) {
            true => Ok(order),
            false => Err(Error::Peer("results of comparisons that are of no order".into())),
        }
    }
}

impl Compared {
    fn prepare(p: &mut Party, bits: u32, room: usize, pace: Pace) -> Result<Self> {
        let job = |bits| pace.job(bits);
        Ok(match numbers(bits)[..] {
            [low, high] => Self::Two(Box::new(Two {
                high: Comparison::prepare(p, job(high)?, room)?,
                equal: Equality::prepare(p, high + 1, EQUALITY_DIGIT, room)?,
                low: Comparison::prepare(p, job(low)?, room)?,
                both: Triples::random(p, room)?,
            })),
            _ => Self::One(Comparison::prepare(p, job(bits)?, room)?.into()),
        })
    }

    /// Of a pair.
    fn bill(bits: u32, pace: Pace) -> Result<Bill> {
        let job = |bits| pace.job(bits);
        Ok(match numbers(bits)[..] {
            [low, high] => {
                let equal = Equality::bill(high + 1, EQUALITY_DIGIT)?;
                job(high)?.bill()? + equal + job(low)?.bill()? + Triples::bill(1)
            }
            _ => job(bits)?.bill()?,
        })
    }

    /// Shares of whether the first of each pair is less.
    fn less(self, s: &mut Session, numbers: &[AShare<u64>], pairs: &[[u32; 2]]) -> Result<Bits> {
        // Which pairs there are is public.
        let side = |number: &AShare<u64>, i: usize| {
            let words = pairs.iter().map(|pair| number.words()[pair[i] as usize]);
            AShare::new(number.bits(), words.collect())
        };
        let sides = |number: &AShare<u64>| [side(number, 0), side(number, 1)];
        match self {
            Self::One(one) => {
                let [x, y] = sides(&numbers[0]);
                one.less(s, &x, &y)
            }
            Self::Two(two) => {
                let Two { high, equal, low, both } = *two;
                let [x, y] = sides(&numbers[1]);
                let (above, same) = (high.less(s, &x, &y)?, equal.eq(s, &x, &y)?);
                let [x, y] = sides(&numbers[0]);
                let below = low.less(s, &x, &y)?;
                Ok(&above ^ &and(s, both, &same, &below)?)
            }
        }
    }
}

/// Step 1: additive shares of each number.
fn sums(s: &mut Session, bits: u32, products: Vec<Products>, x: &[Bits]) -> Result<Vec<AShare<u64>>> {
    let values: Vec<zeroize::Zeroizing<Vec<Vec<u64>>>> =
        x.iter().map(|bit| zeroize::Zeroizing::new(vec![bit.to_wide()])).collect();
    let runs = products
        .into_iter()
        .zip(x)
        .zip(&values)
        .map(|((product, bit), value)| product.chosen(bit.iter(), value));
    let crossed = multiply::<Additive>(s, runs.collect())?;
    let mut planes = crossed.iter().zip(&values);
    let number = |width: u32| {
        let mut words = Wiped::<u64>::zeros(x[0].len());
        for (k, (product, value)) in planes.by_ref().take(width as usize).enumerate() {
            // b_0 + b_1 - 2 b_0 b_1
            let bits = words.iter_mut().zip(&product[0]).zip(&value[0]);
            bits.for_each(|((word, product), bit)| {
                *word = word.wrapping_add(bit.wrapping_sub(product << 1) << k)
            });
        }
        AShare::new(width + 1, words.into_vec())
    };
    Ok(numbers(bits).into_iter().map(number).collect())
}

fn check(bits: u32, count: usize) -> Result<()> {
    within("bits of an item to sort", bits, 1..=MAX_BITS)?;
    within("items to sort", u32::try_from(count).unwrap_or(u32::MAX), 1..=MAX_ITEMS as u32)
}
