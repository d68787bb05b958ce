//! Tables on the same or overlapping inputs, merged into one table with concatenated outputs.
//!
//! # Functionality
//! In: public tables, each with the places of its index bits among the inputs of all; XOR shares of
//! these inputs, as one index. Out: XOR shares of every table's entry.
//!
//! # Protocol
//! One lookup with XOR outputs in the merged table, by any protocol of the group of XOR. Its entries
//! are the others' entries side by side, so that shares of them are cut apart locally.
//!
//! # Cost
//! That of one lookup: one 1-of-n OT or one opening in place of one for each table, and
//! `n * (sum of all widths)` bits for SP-LUT, `n = 2^(inputs of all)`. Tables on the same inputs
//! always gain. On overlapping ones SP-LUT saves OTs and sends longer messages, which pays while OTs
//! are dear.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-E.

use prim::ring::Ring;

use hushtable::{
    error::{Error, Result, same},
    lut::Table,
    share::BShare,
};

/// Most index bits of a merged table.
const MAX_INPUTS: u32 = 20;

/// Several tables as one.
///
/// ```
/// # use hushtable::{Party, Result, lut::{Table, splut::SpLut}, onehot::Xor, BShare};
/// # use hushtable_baselines::ndss::Merged;
/// # fn both(p: &mut Party) -> Result<()> {
/// let majority = Table::<u8>::tabulate(3, 1, |x| u64::from(x.count_ones() > 1))?;
/// let sum = Table::<u8>::tabulate(4, 3, |x| u64::from(x.count_ones()))?;
/// // Five inputs in all: the first reads 0 to 2, the second 1 to 4.
/// let merged = Merged::new(5, &[(&majority, &[0, 1, 2]), (&sum, &[1, 2, 3, 4])])?;
/// let x = BShare::<u32>::new(5, vec![0; 10]);
/// let y = SpLut::<Xor>::prepare(p, 32, 10)?.lookup_xor(p, merged.table(), &x)?;
/// let [majorities, sums] = &merged.split::<u8>(&y)?[..] else { unreachable!("two outputs") };
/// # let _ = (majorities, sums);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Merged {
    table: Table<u64>,
    /// Widths of the outputs, from the lowest bits of an entry up.
    widths: Vec<u32>,
}

impl Merged {
    /// Merges tables of `inputs` index bits in all. With each come the places of its own index bits
    /// among these, lowest first; every column is an output.
    ///
    /// # Errors
    /// [`Error::Param`] for more than 20 inputs, more than 64 output bits, a place that is no input,
    /// or a table whose length is no power of two; [`Error::Shape`] unless there is a place for each
    /// of its index bits.
    pub fn new<R: Ring>(inputs: u32, parts: &[(&Table<R>, &[u32])]) -> Result<Self> {
        let param = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        if !(1..=MAX_INPUTS).contains(&inputs) {
            return param("inputs of a merged table", inputs.to_string(), format!("1 to {MAX_INPUTS}"));
        }
        for (table, places) in parts {
            if !table.len().is_power_of_two() {
                let accepted = "powers of two (Table::pad)".into();
                return param("entries of a table to merge", table.len().to_string(), accepted);
            }
            same("places of a table's index bits", table.index_bits() as usize, places.len())?;
            if let Some(place) = places.iter().find(|&&place| place >= inputs) {
                return param("place of an index bit", place.to_string(), format!("less than {inputs}"));
            }
        }
        let columns =
            || parts.iter().flat_map(|(t, places)| t.columns().iter().map(move |c| (*t, *places, c)));
        let widths: Vec<u32> = columns().map(|(t, ..)| t.bits()).collect();
        let bits: u32 = widths.iter().sum();
        if !(1..=64).contains(&bits) {
            return param("output bits of a merged table", bits.to_string(), "1 to 64".into());
        }
        let entry = |x: u32| {
            columns().fold((0, 0), |(entry, at), (table, places, column)| {
                let own = places.iter().rev().fold(0, |own, &place| own << 1 | (x >> place & 1) as usize);
                (entry | column[own].to_u64() << at, at + table.bits())
            })
        };
        let table = Table::new(bits, (0..1 << inputs).map(|x| entry(x).0).collect())?;
        Ok(Self { table, widths })
    }

    /// The merged table.
    pub fn table(&self) -> &Table<u64> {
        &self.table
    }

    /// The outputs of a lookup in the merged table: for every column of every table, in order. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `y` has the width of the merged entries, [`Error::Param`] if an output
    /// does not fit words `S`.
    pub fn split<S: Ring>(&self, y: &BShare<u64>) -> Result<Vec<BShare<S>>> {
        same("bits of the merged outputs", self.table.bits() as usize, y.bits() as usize)?;
        if let Some(wide) = self.widths.iter().find(|&&width| width > S::WIDTH) {
            let (what, got) = ("width of an output", wide.to_string());
            return Err(Error::Param { what, got, accepted: format!("1 to {}", S::WIDTH) });
        }
        let mut from = 0;
        let cut = |&width: &u32| {
            let words = y.words().iter().map(|w| S::from_u64(w >> from)).collect();
            from += width;
            BShare::new(width, words)
        };
        Ok(self.widths.iter().map(cut).collect())
    }
}
