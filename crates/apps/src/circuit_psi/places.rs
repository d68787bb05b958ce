//! Permutation-based hashing: where a number lies in a third of the bins, and what is left of it.

use hushtable::{
    Error, Result, Role, cuckoo,
    cuckoo::Placement,
    session::{Purpose, Session},
};
use prim::{Block, CcrHash, Wiped};

/// Steps of a permutation: as many as the rounds of FF1, which has the same structure.
const STEPS: u128 = 10;

/// The most of [`Shape::overfull`].
const MOST: f64 = 1.0 / (1u64 << 41) as f64;

/// Bins, slots and rests. Public.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Bins of a third.
    third: u64,
    /// Different rests in a bin: `third * rests >= 2^bits`.
    rests: u64,
    /// Rests of the other party's in a bin.
    pub slots: usize,
}

/// A number in a third: its bin there, and its rest.
type Place = [u64; 2];

impl Shape {
    /// For so many numbers of the owner and of the other party, of so many bits.
    pub fn new(bits: u32, own: usize, others: usize) -> Result<Self> {
        let third = cuckoo::bins(own)? as u64 / 3;
        let rests = (1u128 << bits).div_ceil(third.into()) as u64;
        let mut shape = Self { third, rests, slots: (others as f64 / third as f64).ceil() as usize };
        while shape.overfull(others) > MOST {
            shape.slots += 1;
        }
        // A bin has no more than there are.
        shape.slots = shape.slots.min(rests.min(others as u64) as usize).max(1);
        Ok(shape)
    }

    pub fn bins(&self) -> usize {
        3 * self.third as usize
    }

    /// Bits of a rest, with two values that none has.
    pub fn rest_bits(&self) -> u32 {
        u64::BITS - (self.rests + 1).leading_zeros()
    }

    /// The rest of a free place at the owner; the next number is that at the other party.
    fn free(&self, owns: bool) -> u64 {
        self.rests + u64::from(!owns)
    }

    /// A bound on the probability that some bin has more than `slots` of `others` numbers.
    ///
    /// How many lie in a bin is a sum of independent bits (Vatutin, Mikhailov 1982) with the mean `m = others / third`. So
    /// its tail from m + 1 on is at most that of a binomial distribution (Hoeffding 1956) and of Poisson's (Anderson,
    /// Samuels 1967): at most its first term by `1 - m / (k + 1)`. By the library's own functions: both parties have the
    /// same slots.
    pub fn overfull(&self, others: usize) -> f64 {
        if self.slots >= others || self.slots as u64 >= self.rests {
            return 0.0;
        }
        let (mean, k) = (others as f64 / self.third as f64, self.slots as f64 + 1.0);
        let term = libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0));
        self.bins() as f64 * term / (1.0 - mean / (k + 1.0))
    }
}

/// Adds a number to the bits from `at` on.
fn add(words: &mut [u64], at: usize, number: u64) {
    let shifted = u128::from(number) << (at % 64);
    words[at / 64] ^= shifted as u64;
    if let Some(next) = words.get_mut(at / 64 + 1) {
        *next ^= (shifted >> 64) as u64;
    }
}

/// The permutations of a session, by which both parties place their numbers. Public.
pub(super) struct Hashing {
    shape: Shape,
    hash: CcrHash,
}

impl Hashing {
    /// For the numbers of the party `owner` and those of its peer.
    pub fn new(s: &mut Session, shape: Shape, owner: Role) -> Self {
        Self { shape, hash: s.hash(Purpose::Bin, owner) }
    }

    /// Of the owner's numbers a rest for each bin, and which number it is of.
    ///
    /// # Errors
    /// [`Error::Chance`] if there is no placement.
    pub fn own(&self, numbers: &[u64]) -> Result<(Wiped<u64>, Placement)> {
        let (shape, third) = (self.shape, self.shape.third as usize);
        let places = [0, 1, 2].map(|third| self.places(third, numbers));
        let mut bins = Wiped::from(vec![[0u32; 3]; numbers.len()]);
        for (i, places) in places.iter().enumerate() {
            bins.iter_mut()
                .zip(places.iter())
                .for_each(|(bins, place)| bins[i] = (i * third) as u32 + place[0] as u32);
        }
        let placed = Placement::new(shape.bins(), &bins)?;
        let rest = |(bin, row): (usize, Option<usize>)| match row {
            Some(row) => places[bin / third][row][1],
            None => shape.free(true),
        };
        let rests = placed.items().enumerate().map(rest).collect::<Vec<u64>>();
        Ok((rests.into(), placed))
    }

    /// Of the other party's numbers the rests in each bin, one behind the other in whole words.
    ///
    /// # Errors
    /// [`Error::Chance`] for an overfull bin.
    pub fn others(&self, numbers: &[u64]) -> Result<Wiped<u64>> {
        let (shape, bits) = (self.shape, self.shape.rest_bits() as usize);
        let words = (bits * shape.slots).div_ceil(64);
        let mut free = vec![0; words];
        (0..shape.slots).for_each(|slot| add(&mut free, bits * slot, shape.free(false)));
        let mut rests = Wiped::from(free.repeat(shape.bins()));
        let (mut taken, mut overfull) = (Wiped::from(vec![0u32; shape.bins()]), false);
        for third in 0..3 {
            for [bin, rest] in self.places(third, numbers).iter() {
                let bin = (third * shape.third + bin) as usize;
                let slot = taken[bin] as usize;
                taken[bin] += 1;
                overfull |= slot >= shape.slots;
                let at = bits * slot.min(shape.slots - 1);
                add(&mut rests[words * bin..][..words], at, rest ^ shape.free(false));
            }
        }
        match overfull {
            true => Err(Error::Chance("putting numbers in bins")),
            false => Ok(rests),
        }
    }

    /// The places of numbers in a third: in turns a hash of the rest is added to the bin, and one of the bin to the rest.
    fn places(&self, third: u64, numbers: &[u64]) -> Wiped<Place> {
        let sizes = [self.shape.third, self.shape.rests];
        let mut places = Wiped::zeros(numbers.len());
        places.iter_mut().zip(numbers).for_each(|(place, number)| *place = divided(*number, sizes[0]));
        let mut hashed = [Wiped::zeros(numbers.len()), Wiped::zeros(numbers.len())];
        for step in 0..STEPS {
            let [to, from] = if step % 2 == 0 { [0, 1] } else { [1, 0] };
            let [read, out] = &mut hashed;
            read.iter_mut().zip(places.iter()).for_each(|(x, place)| *x = Block(place[from].into()));
            // The same half is hashed again wherever it stands.
            self.hash.xored_again(read, Block((1 + STEPS * u128::from(third) + step) << 64), out);
            for (place, hash) in places.iter_mut().zip(out.iter()) {
                let more = high(hash.0 as u64, sizes[to]);
                place[to] = reduced(place[to] + more, sizes[to]);
            }
        }
        places
    }
}

/// Remainder and quotient, by a public number of 2 or more; in constant time.
fn divided(number: u64, by: u64) -> Place {
    let quotient = high(number, u64::MAX / by); // or one less
    let rest = number - quotient * by;
    let remainder = reduced(rest, by);
    [remainder, quotient + u64::from(remainder != rest)]
}

/// The upper half of a product.
fn high(x: u64, y: u64) -> u64 {
    ((u128::from(x) * u128::from(y)) >> 64) as u64
}

/// A number below `2 size`, less than `2^63`, mod `size`; in constant time.
fn reduced(number: u64, size: u64) -> u64 {
    let less = number.wrapping_sub(size);
    less.wrapping_add(size & ((less as i64) >> 63) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn hashing(shape: Shape, seed: u128) -> Hashing {
        Hashing { shape, hash: CcrHash::new(Block(seed)) }
    }

    #[test]
    fn division_is_exact() {
        for by in [2, 3, 171, 6936, 443_898, 1 << 24, (1 << 24) - 1] {
            let near = |x: u64| [x.wrapping_sub(1), x, x.wrapping_add(1)];
            let numbers = [0, by, 7 * by, u64::MAX / by * by, u64::MAX, 1 << 32, 0x9e37_79b9_7f4a_7c15];
            for number in numbers.into_iter().flat_map(near) {
                assert_eq!(divided(number, by), [number % by, number / by], "{number} by {by}");
            }
        }
    }

    /// Every place is one number's: what is equal in a bin is the same number.
    #[test]
    fn places_are_a_permutation() {
        for (bits, own) in [(1, 0), (3, 5), (10, 900), (13, 1000)] {
            let shape = Shape::new(bits, own, 1 << bits).expect("few");
            let all: Vec<u64> = (0..shape.third * shape.rests).collect();
            assert!(all.len() >= 1 << bits);
            for third in 0..3 {
                let places = hashing(shape, 7).places(third, &all);
                let inside = |place: &&Place| place[0] < shape.third && place[1] < shape.rests;
                let places: HashSet<Place> = places.iter().filter(inside).copied().collect();
                assert_eq!(places.len(), all.len(), "{bits} bits");
            }
        }
    }

    /// Sets without and with structure: all numbers, random ones, and runs that begin at multiples of a third.
    fn sets(shape: Shape, count: u64) -> [Vec<u64>; 3] {
        let random = (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).collect();
        let runs = (0..4).flat_map(|run| (0..count / 4).map(move |i| 100 * run * shape.third + i)).collect();
        [(0..count).collect(), random, runs]
    }

    /// How many bins have more than so many numbers is as the bound says, which is the next of more; and the owner's find
    /// a place, in as many sessions as chance would let a permutation of a single step fail in.
    #[test]
    fn loads_and_placements_are_as_bounded() {
        const COUNT: usize = 4096;
        const SESSIONS: u128 = 60;
        let shape = Shape::new(32, COUNT, COUNT).expect("few");
        for (kind, set) in sets(shape, COUNT as u64).iter().enumerate() {
            let mut loads = vec![0u32; 64];
            for session in 0..SESSIONS {
                let hashing = hashing(shape, session);
                let (rests, placed) = hashing.own(set).expect("a placement");
                assert_eq!(placed.items().flatten().count(), COUNT);
                let free = rests.iter().filter(|rest| **rest == shape.free(true)).count();
                assert_eq!(free, shape.bins() - COUNT);
                hashing.others(set).expect("no overfull bin");
                for third in 0..3 {
                    let mut taken = vec![0; shape.third as usize];
                    hashing.places(third, set).iter().for_each(|[bin, _]| taken[*bin as usize] += 1);
                    taken.iter().for_each(|load: &usize| loads[*load] += 1);
                }
            }
            for slots in 6..shape.slots {
                let more: u32 = loads[slots + 1..].iter().sum();
                let bound = Shape { slots, ..shape }.overfull(COUNT) * SESSIONS as f64;
                assert!(
                    f64::from(more) < bound + 5.0 * bound.sqrt() + 1.0,
                    "{more} bins of {kind} above {slots}"
                );
                assert!(slots > 9 || f64::from(more) > bound / 2.0, "{more} bins of {kind} above {slots}");
            }
        }
    }

    /// Slots by the size, and what the next smaller number would have.
    #[test]
    fn slots_are_the_least_that_do() {
        let shapes = [(32, 256, 17, 25), (32, 16384, 24, 20), (32, 1 << 20, 26, 14), (64, 16384, 24, 52)];
        for (bits, count, slots, rest_bits) in shapes {
            let shape = Shape::new(bits, count, count).expect("few");
            assert_eq!((shape.slots, shape.rest_bits()), (slots, rest_bits), "{count} numbers");
            assert!(shape.overfull(count) <= MOST);
            assert!(Shape { slots: slots - 1, ..shape }.overfull(count) > MOST);
        }
        // As many as a bin can have, and as there are.
        let few = |bits, own, others| Shape::new(bits, own, others).expect("few").slots;
        assert_eq!([few(12, 4096, 4096), few(32, 5, 0), few(32, 0, 1), few(32, 9, 3)], [3, 1, 1, 3]);
    }

    #[test]
    fn an_overfull_bin_is_an_error() {
        let shape = Shape::new(32, 100, 100).expect("few");
        let narrow = Shape { slots: 1, ..shape };
        let numbers: Vec<u64> = (0..100).collect();
        hashing(shape, 3).others(&numbers).expect("enough slots");
        assert!(matches!(hashing(narrow, 3).others(&numbers), Err(Error::Chance(_))));
    }
}
