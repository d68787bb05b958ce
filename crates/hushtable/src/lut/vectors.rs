//! Lookups by one-hot vectors, from any generator, as a [`Spec`].

use std::marker::PhantomData;

use prim::{lookup, ring::Ring};

use super::{
    Table,
    read::Signed,
    spec::{LookupJob, Lookups, Made, Spec},
};
use crate::{
    bill::{Bill, Step, Work},
    codec::{Reader, Writer},
    error::Result,
    net::Role,
    onehot::{Cyclic, Generator, Group, OneHot, Xor},
    party::Party,
    session::Session,
    share::{Kind, Share, Sharing},
};

/// Lookups by one-hot vectors of a generator.
pub(crate) struct Vectors<V>(PhantomData<V>);

impl<V: Generator> Spec for Vectors<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const NUMBER: u8 = V::NUMBER;
    const MAX_BITS: u32 = V::MAX_BITS;
    const OPENS: bool = true;

    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let made = match job.index {
            Sharing::Additive => V::bill::<Cyclic>(job.index_bits, batch),
            Sharing::Xor => V::bill::<Xor>(job.index_bits, batch),
        };
        let sign = Signed::<Cyclic>::bill(job.index_bits, &[job.sign_bits()]);
        made + sign.expect("a width that was checked").times(batch)
    }

    fn steps(job: &LookupJob, batch: usize) -> Vec<Step> {
        let mut steps = match job.index {
            Sharing::Additive => V::steps::<Cyclic>(job.index_bits, batch),
            Sharing::Xor => V::steps::<Xor>(job.index_bits, batch),
        };
        if job.signed() {
            // What removes the sign is chosen by a round.
            steps.extend([Step::Cots([batch as u64; 2]), Step::both(1)]);
        }
        steps
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let d = job.index_bits;
        let made = match job.index {
            Sharing::Additive => V::work::<Cyclic>(d),
            Sharing::Xor => V::work::<Xor>(d),
        };
        let read = V::growing(d) + reading(job);
        // What removes the sign: pads offline, online the product.
        match job.signed() {
            true => [made + Work::payload(1), read + Work::words(8)],
            false => [made, read],
        }
    }

    fn memory(job: &LookupJob, cots: usize) -> usize {
        V::memory(job.index_bits, cots, if job.signed() { REMOVAL } else { 0 })
    }

    fn room(job: &LookupJob) -> usize {
        lookup::layout_bytes(1 << job.index_bits, &[job.value_bits]) + V::room(job.index_bits)
    }

    fn stored_bits(job: &LookupJob) -> Option<usize> {
        Some(Signed::<Cyclic>::stored_bits(job.index_bits, job.sign_bits()))
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        let onehot = V::make::<G>(p, table.index_bits(), batch)?;
        match K::SHARING {
            Sharing::Xor => Ok(Box::new(onehot)),
            Sharing::Additive => Ok(Box::new(onehot.signed(p, &[table.bits()])?)),
        }
    }

    fn decode<G: Group, K: Kind, R: Ring>(
        from: &mut Reader<'_>,
        job: &LookupJob,
        _role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        match K::SHARING {
            Sharing::Xor => Ok(Box::new(OneHot::<G>::decode(from, job.index_bits, count)?)),
            Sharing::Additive => {
                Ok(Box::new(Signed::<G>::decode(from, job.index_bits, &[job.value_bits], count)?))
            }
        }
    }
}

/// Local work of reading a table by a row of bits.
pub(super) fn reading(job: &LookupJob) -> Work {
    reading_columns(job.index_bits, job.value_bits, 1)
}

/// The same of columns that are read together: a table each. Four bits choose among the sums of four entries.
pub(crate) fn reading_columns(index_bits: u32, value_bits: u32, columns: usize) -> Work {
    let table = (value_bits.div_ceil(8) as usize) << index_bits;
    Work::index() + Work::row(1 << index_bits) + Work::bytes(columns * table / 4)
}

/// Bytes of what removes the sign from one output: this party's bit and choice, its pads as sender and as
/// receiver.
pub(super) const REMOVAL: usize = 8 + 8 + 16 + 8;

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for OneHot<G> {
    fn len(&self) -> usize {
        OneHot::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(self.lookup_xor(s, table, x)?.of_kind())
    }

    fn masked(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        self.mask(x)
    }

    fn read(self: Box<Self>, table: &Table<R>, opened: &[u32]) -> Result<Share<K, R>> {
        Ok(self.read_xor(table, opened)?.of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(OneHot::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        OneHot::encode(self, to);
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for Signed<G> {
    fn len(&self) -> usize {
        Signed::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(Signed::lookup(*self, s, table, x)?.of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(Signed::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        Signed::encode(self, to);
    }
}
