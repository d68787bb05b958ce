//! Set intersection by circuits: which numbers two parties have in common, as shared bits.
//!
//! # Functionality
//! Each party has a set of numbers of up to 64 bits, each once, up to a public number of them. One of them is the *owner*
//! of the results. Out, for each of B bins: shares of the bit whether the owner's number that lies in the bin is one of the
//! other party's. The owner alone has the row of each bin.
//!
//! Opened to the owner the bits are the intersection; added up, by [`Matches`](crate::statistics::Matches), they are its
//! size, and only the sum is opened; or they stay shared. **They must never be opened to the other party**: a bin tells it
//! of which few of its own numbers one is common.
//!
//! # Protocol
//! R is the owner, S the other.
//! 1. Three permutations place a number in the three thirds of the bins, one for each third. It has a bin there and a
//!    *rest*, which together are the number again: so what is compared in a bin is short, and equal rests are equal numbers
//!    (permutation-based hashing).
//! 2. R puts each of its numbers in one of its three bins ([`cuckoo`]); S puts each of its own in all three. Every bin has
//!    one rest of R's and as many of S's as [`CircuitPsi::slots`] says. Places that stay free have rests that no number has
//!    and that differ between the parties.
//! 3. The circuit of a bin says whether R's rest is one of S's. S's are distinct, so that one at most is equal and XOR joins
//!    the bits. All bins are [evaluated](Evaluate) side by side, in the way that the plan finds best.
//!
//! # Cost
//! B evaluations of the circuit, for `B = 1.27 n_R` or `n_R + 512` bins ([`cuckoo::bins`]): a bin compares s rests of b
//! bits, `(b - 1) s` ANDs in `ceil(log2 b)` layers. There are `Q = ceil(3 2^l / B)` rests for numbers of l bits, so
//! `b = ceil(log2(Q + 2))`; and s is the least for which some bin of S's is overfull with probability `2^-41` at most. For
//! 16384 and 16384 numbers of 32 bits B is 20808, s 24 and b 20; for 256 and 256 they are 768, 17 and 25.
//!
//! Between layers the form `products` has no more ANDs than `(ceil(b / 2) - 1) s`, by triples. In the first layer it has
//! products of one bit of R's with up to 64 of S's: for h = `2 floor(b / 2)` bits h correlated OTs (`s <= 64`), h bits from
//! R and `h s` from S.
//!
//! # Source
//! Pinkas, Schneider, Segev, Zohner, "Phasing" (USENIX Security 2015), sections 3 and 4; Dessouky et al., "Pushing the
//! Communication Barrier" (NDSS 2017), section VII-B. What is different here:
//! * Three hash functions with a third of the bins each, and neither a stash nor a second try ([`cuckoo`]): there two, 2.4 n
//!   bins, and a stash. With three fewer rests are compared in all.
//! * NDSS 2017 compares 9 rests a bin. Of 2 n numbers in 2.4 n bins more than 9 share one with probability `2^-10` for
//!   16384, which is no error that a user could accept.
//! * The paper's permutation is one step, `bin + f(rest)`. The places of numbers with the same rest then differ by the same
//!   in all three thirds: four runs of 1024 consecutive numbers that begin at multiples of a third found no placement in 6
//!   of 3000 sessions. Here a permutation has ten such steps, in turns of bin and rest.
//! * OR of a bin's bits is XOR.
//!
//! # Security
//! Semi-honest. The circuit is evaluated with the security of its engine, and no message before it depends on a number. The
//! permutations are drawn after both sets are fixed, by keys of the session that both know. A number of R's without a bin
//! and an overfull bin of S's are an [`Error::Chance`] before the first message online, at the
//! party whose numbers they are: it ends, which tells the other that it happened. [`CircuitPsi::chance`] bounds that.
//! The bound takes the permutations for random ones.

use std::sync::Arc;

use hushtable::{
    Error, Result, Role,
    chance::Chance,
    cuckoo,
    operation::{Engine, Evaluate, Operation},
    plan::Objective,
    terms::Value,
};

mod bin;
mod operation;
mod places;

pub use operation::{Matching, Numbers};
use places::Shape;

/// Most numbers of a party.
pub const MAX_NUMBERS: usize = 1 << 20;

/// The public side of an intersection by circuits, the same at both parties.
#[derive(Clone)]
pub struct CircuitPsi {
    owner: Role,
    sizes: [usize; 2],
    bits: u32,
    shape: Shape,
    way: Evaluate,
}

impl CircuitPsi {
    /// Of sets of up to so many numbers of P0 and of P1, of 1 to 64 bits, by the way that suits the objective.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_NUMBERS`], and for other widths.
    pub fn new(owner: Role, sizes: [usize; 2], bits: u32, objective: Objective) -> Result<Self> {
        let param = |what, got: String, accepted| Err(Error::Param { what, got, accepted });
        if let Some(more) = sizes.into_iter().find(|&size| size > MAX_NUMBERS) {
            return param("numbers of a party", more.to_string(), format!("up to {MAX_NUMBERS}"));
        }
        if !(1..=64).contains(&bits) {
            return param("bits of a number", bits.to_string(), "1 to 64".into());
        }
        let [own, others] = [owner, owner.peer()].map(|role| sizes[role as usize]);
        let shape = Shape::new(bits, own, others)?;
        let circuit = Arc::new(bin::circuit(shape.slots, shape.rest_bits()));
        let way = Evaluate::new(&circuit, &[owner, owner.peer()].map(Some), objective)?;
        Ok(Self { owner, sizes, bits, shape, way })
    }

    /// The same by one of the [forms](Evaluate::circuit) of the bin's circuit, and an engine.
    ///
    /// # Errors
    /// [`Error::Param`] as for [`Evaluate::by`].
    pub fn by(self, form: usize, engine: Engine) -> Result<Self> {
        let way = Evaluate::by(self.way.circuit(), &[self.owner, self.owner.peer()].map(Some), form, engine)?;
        Ok(Self { way, ..self })
    }

    /// The same in all ways, the usual one first.
    ///
    /// # Errors
    /// None for what [`new`](Self::new) accepts.
    pub fn all(&self) -> Result<Vec<Self>> {
        Ok(self.way.all()?.into_iter().map(|way| Self { way, ..self.clone() }).collect())
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let own = [
            ("owner of the results", self.owner.to_string()),
            ("numbers", Value::text(&self.sizes[..])),
            ("bits of a number", self.bits.to_string()),
        ];
        own.into_iter().chain(self.way.fields()).collect()
    }

    /// Who has the row of each bin.
    pub fn owner(&self) -> Role {
        self.owner
    }

    /// Bins.
    pub fn bins(&self) -> usize {
        self.shape.bins()
    }

    /// How many rests of the other party's a bin has.
    pub fn slots(&self) -> usize {
        self.shape.slots
    }

    /// How a bin's circuit is evaluated.
    pub fn way(&self) -> &Evaluate {
        &self.way
    }

    /// What chance can spoil.
    pub fn chance(&self) -> Chance {
        let [own, others] = [self.owner, self.owner.peer()].map(|role| self.sizes[role as usize]);
        cuckoo::chance(own) + Chance::of("numbers in an overfull bin", self.shape.overfull(others), 0)
    }
}
