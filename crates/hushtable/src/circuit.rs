//! Boolean circuits as data: netlists, and their evaluation on shared bits.
//!
//! # Functionality
//! In: XOR shares of bits, and bits that one party knows; a public [`Netlist`]. Out: XOR shares of the circuit's outputs.
//!
//! # Protocol
//! XOR and all that only moves bits is local. What one party knows the other holds as zeros, so an AND of bits that the
//! same party knows is local too: round keys and numbers of blocks cost nothing. [`Layers`] evaluates all other ANDs by
//! their depth, those of a layer in one round, as [`and_all`](crate::gates::and_all) does. ANDs of a bit that one party
//! knows with bits that the other knows are products of a choice bit with values in correlated OTs, in forms of circuits.
//!
//! # Cost
//! That of the triples, with a round for each layer: [`Layers::bill`]. A bit of one party's with k of the other's takes a
//! correlated OT, 1 bit and k bits, where a triple takes two correlated OTs and `2 (k + 1)` bits in each phase.
//!
//! # Source
//! Goldreich, Micali, Wigderson (STOC 1987); Beaver (CRYPTO 1991).
//!
//! ```
//! # use hushtable::{Party, Result, Role, circuit::{Builder, Layers, Span}, gates::Bits, run_pair};
//! // Of three bits the one that most of them are, for 5 items side by side: (x ^ z) & (y ^ z) ^ z.
//! let mut b = Builder::new(&[1]);
//! let [x, y, z] = [(); 3].map(|()| b.input(Span::Each(1), None));
//! let (xz, yz) = (b.xor(&[x, z]), b.xor(&[y, z]));
//! let both = b.and(xz, yz);
//! let most = b.xor(&[both, z]);
//! let net = b.finish(&[most]);
//! assert_eq!(Layers::bill(&net, 5).online.bits, [10, 10]);
//! let party = |p: &mut Party| {
//!     let material = Layers::prepare(p, &net, 5)?; // offline
//!     let share = |bits: u64| Bits::new(5, vec![if p.role() == Role::P0 { bits } else { 0 }]);
//!     let [x, y, z] = [0b10100, 0b00110, 0b11110].map(share);
//!     material.eval(p, vec![x, y, z])?[0].open(p) // online, a round, and one to open
//! };
//! let (at_p0, at_p1) = run_pair(Party::pair()?, party, party)?;
//! assert_eq!((at_p0, at_p1), (vec![0b10110], vec![0b10110]));
//! # Ok::<(), hushtable::Error>(())
//! ```

mod builder;
mod flat;
mod layers;
mod lookups;
pub(crate) mod netlist;
pub(crate) mod network;
pub(crate) mod wires;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

pub use builder::Builder;
pub(crate) use flat::Flat;
pub use layers::Layers;
pub use logic::{Circuit, Draft, Error, Form, Gate, Kind, Lit, Port, TruthTable};
pub(crate) use lookups::{Reads, Stock};
pub use netlist::{Netlist, Span, Wire};
pub(crate) use network::{Array, Cells, Network, Stage};

/// Up to `MOST` netlists that were made, or what is made of them, by their sizes: bills are asked for often. Nothing in
/// them is secret.
pub(crate) struct Made<K, const MOST: usize = 128, V = Netlist>(Mutex<BTreeMap<K, Arc<V>>>);

impl<K: Ord, const MOST: usize, V> Made<K, MOST, V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// That of these sizes, made by `make` if there is none yet.
    pub(crate) fn get(&self, sizes: K, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() == MOST && !made.contains_key(&sizes) {
            made.clear();
        }
        made.entry(sizes).or_insert_with(make).clone()
    }
}

/// The AND of so many bits, 1 or more: neighbours in pairs, all pairs of a layer in one message. `ceil(log2 bits)`
/// layers, an AND less than there are bits.
///
/// # Panics
/// For no bits.
pub fn conjunction(bits: usize) -> Arc<Netlist> {
    static MADE: Made<usize> = Made::new();
    MADE.get(bits, || {
        let mut b = Builder::new(&[1]);
        let mut level = b.inputs(bits);
        while level.len() > 1 {
            let groups: Vec<_> = level.chunks_exact(2).map(|pair| (pair[0], &pair[1..])).collect();
            let joined = b.ands(&groups);
            level = [&joined, level.chunks_exact(2).remainder()].concat();
        }
        b.finish(&level)
    })
}

/// The order of two numbers from those of their digits, lowest first: of each whether it is less, and whether it is
/// equal, which the lowest may leave out. Neighbours merge in pairs, until one is left: `less_hi ^ equal_hi & less_lo`
/// and `equal_hi & equal_lo`. `ands` are those of a layer: each of a pair's `equal_hi` with all of the lower digit.
///
/// # Panics
/// For no digits.
pub fn merge_orders(
    b: &mut Builder,
    mut digits: Vec<Vec<Wire>>,
    ands: impl Fn(&mut Builder, &[(Wire, &[Wire])]) -> Vec<Wire>,
) -> Vec<Wire> {
    while digits.len() > 1 {
        let groups: Vec<_> = digits.chunks_exact(2).map(|pair| (pair[1][1], &pair[0][..])).collect();
        let mut products = ands(b, &groups).into_iter();
        let merge = |pair: &[Vec<Wire>]| match pair {
            [low, high] => {
                let less = products.next().expect("an AND for each pair");
                let equal = products.by_ref().take(low.len() - 1);
                [b.xor(&[high[0], less])].into_iter().chain(equal).collect()
            }
            odd => odd.concat(),
        };
        digits = digits.chunks(2).map(merge).collect();
    }
    digits.remove(0)
}
