//! FLUTE as its paper computes it, for comparison: every output bit a sum of products, each expanded.
//!
//! # Functionality
//! In: XOR shares of indices of d bits, a public table of `n = 2^d` entries of l bits. Out: XOR shares of `T[x]`.
//!
//! # Protocol
//! On fresh [wires](super):
//! 1. Offline: the products `A_Q` of the mask's bits in Q, for every set Q of them, by AND gates.
//! 2. Online: `m = x ^ k` is opened. `x = i` is the product over j of `m_j ^ i_j ^ 1 ^ k_j`; expanded, the sum over
//!    every Q of `A_Q` and the product of the public `m_j ^ i_j ^ 1` with j outside Q.
//! 3. Each output bit is the sum of this over the entries i that have it; then as [`Lut`](super::Lut), which reads
//!    the same sum from a one-hot vector.
//!
//! # Cost
//! As [`Lut`](super::Lut) with inputs that are no wires yet, and about `n^2 l` operations on bits a lookup, where reading
//! takes `n l`; 64 lookups go side by side.
//!
//! # Source
//! Brüggemann, Hundt, Schneider, Suresh, Yalame, "FLUTE" (IEEE S&P 2023), as "ROTL" (PoPETs 2026), section 6, tells it.

use std::iter::once;

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::wires::{Inputs, Wires};
use crate::{
    bill::{Bill, Work},
    error::{Result, same, within},
    gates::Bits,
    lut::{
        Table,
        spec::{LookupJob, Lookups, Made, Spec, only},
    },
    onehot::{Group, MAX_FLUTE_BITS, flute},
    party::Party,
    session::Session,
    share::{BShare, Kind, Share, Sharing},
};

/// One-time material for a batch of single lookups of shared indices.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Flute {
    inputs: Inputs,
    /// By the set of bits, from the empty one on.
    products: Vec<Bits>,
    output: Inputs,
}

impl Flute {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 12`, of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d` or `bits`, and those of the channel.
    pub fn prepare(p: &mut Party, d: u32, bits: u32, batch: usize) -> Result<Self> {
        within("inputs of a table", d, 1..=MAX_FLUTE_BITS)?;
        let (inputs, output) = (Inputs::draw(p, d, batch)?, Inputs::draw(p, bits, batch)?);
        let mut made = flute::subset_products(p, &Bits::from_share(&inputs.masks().0), &[(1 << d) - 1])?;
        let one = Bits::new(batch, vec![0; batch.div_ceil(64)]).not(p.role());
        let others = (1..1 << d).map(|set| made.remove(&set).expect("all sets"));
        Ok(Self { inputs, products: once(one).chain(others).collect(), output })
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.inputs.masks().len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Online, 2 rounds: XOR shares of `T[x]`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if number, length or width differ from what was prepared, as
    /// [`Inputs::mask`], and those of the channel.
    pub fn lookup_xor<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &BShare<u32>,
    ) -> Result<BShare<R>> {
        table.check_index(self.inputs.masks().width())?;
        same("columns of the table", 1, table.columns().len())?;
        let masks = self.output.masks().clone();
        same("width of the table's entries", masks.width() as usize, table.bits() as usize)?;
        let x = self.inputs.mask(s, x)?;
        let m = Bits::from_share(&BShare::new(x.masks().width(), x.masked));
        let entries = expanded(&self.products, &m, table)?;
        // Public: fresh masks of the outputs hide what was computed, and serve only here.
        let masked = s.open(&(&entries ^ &masks.0))?;
        Wires { masked, masks }.to_share(s.role())
    }
}

/// Steps 2 and 3: this party's shares of the entries at masked indices m.
fn expanded<R: Ring>(products: &[Bits], m: &[Bits], table: &Table<R>) -> Result<BShare<u64>> {
    let groups = m[0].words().len();
    let empty = |_| Zeroizing::new(Vec::with_capacity(groups));
    let mut sums: Vec<Zeroizing<Vec<u64>>> = (0..table.bits()).map(empty).collect();
    // Of each set its share and, public, the product of what stands beside the mask's bits in it.
    let mut shares = Zeroizing::new(vec![0u64; products.len()]);
    let mut factors = vec![u64::MAX; products.len()];
    for group in 0..groups {
        shares.iter_mut().zip(products).for_each(|(share, product)| *share = product.words()[group]);
        for (bit, sums) in sums.iter_mut().enumerate() {
            let mut sum = 0;
            for (i, entry) in table.columns()[0].iter().enumerate() {
                // Public: the table.
                if entry.to_u64() >> bit & 1 == 0 {
                    continue;
                }
                for (j, m) in m.iter().enumerate() {
                    let beside = m.words()[group] ^ ((i as u64 >> j & 1).wrapping_sub(1));
                    let (without, with) = factors.split_at_mut(1 << j);
                    with.iter_mut().zip(without).for_each(|(with, without)| *with = *without & beside);
                }
                // The sets that are outside, from all bits on.
                let outside = factors.iter().rev();
                sum ^= shares.iter().zip(outside).fold(0, |sum, (share, factor)| sum ^ share & factor);
            }
            sums.push(sum);
        }
    }
    let len = m[0].len();
    Bits::to_share(&sums.iter().map(|words| Bits::new(len, words.to_vec())).collect::<Vec<_>>())
}

/// FLUTE.
pub(in crate::lut) struct MaskedWires;

impl Spec for MaskedWires {
    const NAME: &'static str = "flute";
    const ABOUT: &'static str = "masked wires that open their outputs, a baseline; XOR index and output";
    const NUMBER: u8 = 10;
    const MAX_BITS: u32 = MAX_FLUTE_BITS;
    fn check(job: &LookupJob) -> Result<()> {
        only(Self::NAME, "sharing of the output", job.output, Sharing::Xor)?;
        only(Self::NAME, "sharing of the index", job.index, Sharing::Xor)
    }

    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let d = job.index_bits;
        let opened = Bill::opening(d.into()) + Bill::opening(job.value_bits.into());
        (flute::products_bill(d).keeping(1 << d) + opened).times(batch)
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let (d, bits) = (job.index_bits, job.value_bits as usize);
        let made = Work::triples(flute::products(d)) + Work::index();
        // For half of the entries of each bit as many factors and products: two passes over n words for 64 lookups.
        let expanded = Work::bytes((bits << (2 * d)).div_ceil(8));
        [made, Work::index() * 2.0 + Work::words(d as usize + bits) + expanded]
    }

    fn memory(job: &LookupJob, _cots: usize) -> usize {
        // Triples, both operands and the products.
        128 + (2 << job.index_bits)
    }

    fn room(job: &LookupJob) -> usize {
        16 << job.index_bits
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(Flute::prepare(p, table.index_bits(), table.bits(), batch)?))
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for Flute {
    fn len(&self) -> usize {
        Flute::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(self.lookup_xor(s, table, &x.clone().of_kind())?.of_kind())
    }
}
