//! FLUTE: lookups on masked wires, which open their outputs and not their inputs.
//!
//! # Functionality
//! [`Wires`] hold XOR shared bits x as public `m_x = x ^ k_x` and shares of random masks `k_x`. In:
//! wires and a public table with d inputs and l output bits. Out: wires of `T[x]`. XOR and NOT of
//! wires are local.
//!
//! # Protocol
//! 1. Offline, for a table at wires with masks k: shares w of the one-hot vector at k from all
//!    products of the bits of k, as `onehot::flute`; fresh output masks are drawn. Tables that have
//!    wires in common share the products of their masks.
//! 2. To make wires of shares, open `x ^ k`.
//! 3. Online, party p sends `k_y ^ XOR over i of T[i] w[i ^ m_x]`, all in its shares. The sum of both
//!    messages is `m_y`.
//! 4. Shares of a wire are `m ^ k_0` and `k_1`.
//!
//! [`Flute`], a single lookup, computes step 3 as the paper does.
//!
//! # Cost
//! Offline `4 (n - d - 1)` bits and `2 (n - d - 1)` correlated OTs a table, `ceil(log2 d)` rounds.
//! Online `2 l` bits, 1 round; `2 d` bits and a round more for inputs that are not wires yet.
//!
//! # Source
//! Brüggemann, Hundt, Schneider, Suresh, Yalame, "FLUTE" (IEEE S&P 2023); offline phase as in "ROTL"
//! (PoPETs 2026), section 6, and so the vector of steps 1 and 3.

mod expanded;
mod wires;

use prim::{
    ct,
    lookup::{self, Xors},
    ring::Ring,
    rows::Shift,
};
use zeroize::Zeroize;

pub(super) use self::expanded::MaskedWires;
use self::wires::{check_wires, gather};
pub use self::{
    expanded::Flute,
    wires::{Inputs, Masks, Wires},
};
use super::Table;
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::Bits,
    onehot::{MAX_FLUTE_BITS, flute},
    party::Party,
    session::Session,
    share::BShare,
};

/// One-time material for a batch of lookups in one table at given wires.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Lut {
    inputs: Masks,
    /// Which of the wires, lowest index bit first.
    wires: u64,
    rows: Vec<u64>,
    output: Inputs,
}

impl Lut {
    /// Offline: for one table of `outputs` bits an entry at all wires of a bundle, at most 12.
    ///
    /// # Errors
    /// As [`prepare_all`](Self::prepare_all).
    pub fn prepare(p: &mut Party, inputs: &Masks, outputs: u32) -> Result<Self> {
        let all = u64::MAX >> (64 - inputs.width());
        Ok(Self::prepare_all(p, inputs, &[(all, outputs)])?.remove(0))
    }

    /// Offline, step 1: for several tables, each at 1 to 12 wires of one bundle, by their bits, and
    /// with 1 to 64 output bits. Products of masks that tables have in common are made once.
    ///
    /// # Errors
    /// [`Error::Param`] for other numbers of wires or outputs, and those of the channel.
    pub fn prepare_all(p: &mut Party, inputs: &Masks, tables: &[(u64, u32)]) -> Result<Vec<Self>> {
        for &(wires, _) in tables {
            check_wires(wires, inputs.width())?;
            if wires.count_ones() > MAX_FLUTE_BITS {
                let (what, got) = ("inputs of a table", wires.count_ones().to_string());
                return Err(Error::Param { what, got, accepted: format!("1 to {MAX_FLUTE_BITS}") });
            }
        }
        let outputs = tables.iter().map(|&(_, bits)| Inputs::draw(p, bits, inputs.len()));
        let outputs = outputs.collect::<Result<Vec<_>>>()?;
        let sets: Vec<u64> = tables.iter().map(|&(wires, _)| wires).collect();
        let products = flute::subset_products(p, &Bits::from_share(&inputs.0), &sets)?;
        let lut = |(wires, output)| {
            let rows = flute::one_hot_rows(p.role(), &products, wires, inputs.len());
            Self { inputs: inputs.clone(), wires, rows, output }
        };
        Ok(sets.into_iter().zip(outputs).map(lut).collect())
    }

    /// What one table with `inputs` inputs costs offline.
    pub fn bill(inputs: u32) -> Bill {
        flute::products_bill(inputs)
    }

    /// The masks of the output, for which further tables can be prepared.
    pub fn output(&self) -> &Masks {
        self.output.masks()
    }

    /// Online, 1 round: wires of the table's entries. Spends the material.
    ///
    /// # Errors
    /// As [`lookup_all`](Self::lookup_all).
    pub fn lookup<R: Ring>(self, s: &mut Session, table: &Table<R>, x: &Wires) -> Result<Wires> {
        Ok(Self::lookup_all(s, vec![(self, table, x)])?.remove(0))
    }

    /// Online, step 3, 1 round: lookups in tables of one column each, all at once.
    ///
    /// # Errors
    /// [`Error::Shape`] if a table has another length or width than was prepared,
    /// [`Error::Param`] for wires with other masks, and those of the channel.
    pub fn lookup_all<R: Ring>(
        s: &mut Session,
        lookups: Vec<(Self, &Table<R>, &Wires)>,
    ) -> Result<Vec<Wires>> {
        lookups.iter().try_for_each(|(lut, table, x)| lut.check(table, x))?;
        let shares: Vec<_> = lookups.into_iter().map(|(lut, table, x)| lut.read(table, x)).collect();
        // Public: fresh masks of the outputs hide what was read, and serve only here.
        let message: Vec<u8> = shares.iter().flat_map(|(masked, _)| masked.to_wire()).collect();
        let len = message.len();
        let (theirs, mut at) = (s.exchange(message, len)?, 0);
        let wires = |(masked, masks): (BShare<u64>, Masks)| {
            at += masked.wire_len();
            let masked = masked.combine(&theirs[at - masked.wire_len()..at])?;
            Ok(Wires { masked, masks })
        };
        shares.into_iter().map(wires).collect()
    }

    /// `Ok(())` if the material is for this table at these wires. Masks are compared by this
    /// party's shares, which differ only by a mistake of the program.
    fn check<R: Ring>(&self, table: &Table<R>, x: &Wires) -> Result<()> {
        table.check_index(self.wires.count_ones())?;
        same("columns of the table", 1, table.columns().len())?;
        same("width of the table's entries", self.output.0.width() as usize, table.bits() as usize)?;
        same("values on the wires", self.inputs.len(), x.masks.len())?;
        let pairs = self.inputs.0.words().iter().zip(x.masks.0.words());
        if pairs.fold(0, |differs, (a, b)| differs | (a ^ b)) == 0 {
            return Ok(());
        }
        let accepted = "those the material was made for".into();
        Err(Error::Param { what: "wires of a table", got: "wires with other masks".into(), accepted })
    }

    /// This party's share of the masked entries, and the masks.
    fn read<R: Ring>(mut self, table: &Table<R>, x: &Wires) -> (BShare<u64>, Masks) {
        let n = 1usize << self.wires.count_ones();
        for (row, &m) in self.rows.chunks_exact_mut(ct::row_words(n)).zip(&x.masked) {
            lookup::shift_row(row, n, Shift::Xor, gather(m, self.wires) as u32);
        }
        let mut entries = vec![R::default(); x.masked.len()];
        let column = (table.bits(), &table.columns()[0][..]);
        Xors::new(&[column], x.masked.len()).add(0, &self.rows, &mut [&mut entries]);
        let masks = self.output.0.clone();
        let words = entries.iter().zip(masks.0.words()).map(|(y, k)| y.to_u64() ^ k).collect();
        entries.zeroize();
        (BShare::new(table.bits(), words), masks)
    }
}

impl Drop for Lut {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}
