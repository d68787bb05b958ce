//! Lookups in a table that is shared itself.

use prim::{
    Wiped,
    ring::{Ring, low},
};

use super::{Material, Operation, Port, Signature, material, operands};
use crate::{
    bill::Bill,
    error::{Result, same},
    lut::{LookupJob, SharedTables},
    onehot::{Cyclic, Group, Xor},
    ot::Setting,
    party::Party,
    share::{Additive, Bitwise, Kind, Share, Sharing},
};

/// Lookups of shared indices in a table that is shared too: nobody knows index or entry.
///
/// It holds this party's share of the table, so unlike other operations it is not public. Nothing prints it, and it is
/// wiped.
pub struct SecretTable {
    job: LookupJob,
    fraction: u32,
    /// This party's shares of the entries.
    entries: Wiped<u64>,
}

impl SecretTable {
    /// In a table of `2^index_bits` entries, shared as the job's results are, with `fraction` bits behind the point.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless there are 1 to 10 index bits and 1 to 64 value bits, and
    /// [`Error::Shape`](crate::Error::Shape) unless there are
    /// as many shares as entries.
    pub fn new(job: LookupJob, fraction: u32, entries: Wiped<u64>) -> Result<Self> {
        SharedTables::<Cyclic, Additive, u64>::bill(job.index_bits, job.value_bits)?;
        same("entries of the shared table", 1 << job.index_bits, entries.len())?;
        Ok(Self { job, fraction, entries })
    }

    fn with_words<R: Ring>(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        match (self.job.index, self.job.output) {
            (Sharing::Additive, Sharing::Additive) => self.make::<Cyclic, Additive, R>(p, items),
            (Sharing::Additive, Sharing::Xor) => self.make::<Cyclic, Bitwise, R>(p, items),
            (Sharing::Xor, Sharing::Additive) => self.make::<Xor, Additive, R>(p, items),
            (Sharing::Xor, Sharing::Xor) => self.make::<Xor, Bitwise, R>(p, items),
        }
    }

    fn make<G: Group, K: Kind, R: Ring>(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let LookupJob { index_bits, value_bits, .. } = self.job;
        let entries = self.entries.iter().map(|&e| R::from_u64(low(e, value_bits))).collect();
        let table = Share::<K, R>::new(value_bits, entries);
        let tables = SharedTables::<G, K, R>::prepare(p, index_bits, &table, items)?;
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            let x = x.iter().map(|&x| low(x, index_bits) as u32).collect();
            let y = tables.lookup(s, &Share::<G::Kind, u32>::new(index_bits, x))?;
            Ok(y.into_wide())
        }))
    }
}

/// Takes this party's shares of the indices.
impl Operation for SecretTable {
    fn name(&self) -> String {
        "lookup in a secret table".into()
    }

    fn method(&self) -> String {
        "two rotations".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("lookups", self.job.to_string()), ("output fraction bits", self.fraction.to_string())]
    }

    fn signature(&self) -> Signature {
        let LookupJob { index, output, index_bits, value_bits } = self.job;
        let entry = Port::shared("entry", output, value_bits).scaled(self.fraction);
        Signature::new([Port::shared("index", index, index_bits)], entry)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let LookupJob { index_bits, value_bits, .. } = self.job;
        Ok(SharedTables::<Cyclic, Additive, u64>::bill(index_bits, value_bits)?.times(items))
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        match self.job.value_bits {
            ..=8 => self.with_words::<u8>(p, items),
            9..=16 => self.with_words::<u16>(p, items),
            17..=32 => self.with_words::<u32>(p, items),
            _ => self.with_words::<u64>(p, items),
        }
    }

    fn tells(&self) -> String {
        "an entry of the table, and no more of which one it is than the entry and its own numbers imply"
            .into()
    }
}
