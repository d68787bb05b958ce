//! Lookups of a column in a public table, from one-time material that is made now or was made ahead.

use std::sync::atomic::{AtomicUsize, Ordering};

use hushtable::{
    AShare, Error, Party, Role,
    lut::{Job, Protocol, Table},
    math::{Domain, Tabulated},
    onehot::Cyclic,
    share::{Additive, Sharing},
    store::Reserved,
};
use prim::ring::Ring;

use super::{
    input::Format,
    lanes::{Done, Reveal, SHARED_BITS},
};
use crate::cost::Phase;

/// What is looked up. All of it is public and the same at both parties.
pub struct Lookup {
    /// The function's name, or `table`.
    function: String,
    pub table: Tabulated,
    pub domain: Domain,
    pub protocol: Protocol,
    /// Width of a result, `1..=64`.
    pub bits: u32,
}

impl Lookup {
    /// Lookups whose results go where `reveal` says.
    pub fn new(function: &str, domain: Domain, table: Tabulated, reveal: Reveal) -> Self {
        let bits = match reveal {
            Reveal::None => table.bits().max(SHARED_BITS),
            _ => table.bits(),
        };
        let protocol = Protocol::SpLut; // until the parties settle on one
        Self { function: function.to_owned(), table, domain, protocol, bits }
    }

    /// How the results are held, and their range.
    pub fn result(&self) -> (Format, [i64; 2]) {
        (Format { bits: self.bits, fraction_bits: self.table.fraction_bits() }, self.table.range())
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("function", self.function.clone()),
            ("fraction bits", self.domain.fraction_bits().to_string()),
            ("domain", self.domain.to_string()),
            ("output fraction bits", self.table.fraction_bits().to_string()),
            ("output bits", self.bits.to_string()),
            ("table digest", self.table.digest().to_hex().to_string()),
        ]
    }

    /// Correlated OTs, as sender and as receiver, that `rows` lookups take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize) -> (usize, usize) {
        let job = self.job();
        let batches = self.protocol.batches(&job, rows);
        batches.map(|batch| self.protocol.cots(&job, role, batch)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// As the protocols see it.
    pub fn job(&self) -> Job {
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        Job { index, output, index_bits: self.domain.index_bits(), value_bits: self.bits }
    }

    /// The results at a lane's numbers, of which `x` has this party's part. The first rows take what is in
    /// `stock`. `progress` counts the rows that are done.
    pub fn lane(
        &self,
        p: &mut Party,
        stock: Option<Reserved>,
        x: &[u64],
        reveal: Reveal,
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        let subtracts = p.role() == Role::P0;
        let x: Vec<u16> = x.iter().map(|&x| self.domain.index_share(x, subtracts)).collect();
        match self.bits {
            ..=8 => self.lane_in::<u8>(p, stock, &x, reveal, progress),
            9..=16 => self.lane_in::<u16>(p, stock, &x, reveal, progress),
            17..=32 => self.lane_in::<u32>(p, stock, &x, reveal, progress),
            _ => self.lane_in::<u64>(p, stock, &x, reveal, progress),
        }
    }

    /// The entries, reduced to their width.
    fn table<R: Ring>(&self) -> Result<Table<R>, Error> {
        let mask = u64::MAX >> (64 - self.bits);
        Table::new(self.bits, self.table.entries().iter().map(|&e| R::from_u64(e as u64 & mask)).collect())
    }

    fn lane_in<R: Ring>(
        &self,
        p: &mut Party,
        mut stock: Option<Reserved>,
        mut x: &[u16],
        reveal: Reveal,
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        let table = self.table::<R>()?;
        let stored = stock.as_ref().map_or(0, Reserved::len);
        let mut y = AShare::new(self.bits, Vec::with_capacity(x.len()));
        let (mut offline, mut online) = (Phase::default(), Phase::default());
        let mut batches = self.protocol.batches(&self.job(), x.len() - stored);
        while !x.is_empty() {
            let (material, before) = Phase::of(p, |p| match &mut stock {
                Some(stock) if !stock.is_empty() => stock.load(stock.len()),
                _ => {
                    let batch = batches.next().expect("batches for all rows");
                    self.protocol.prepare::<Cyclic, Additive, R>(p, &table, batch)
                }
            })?;
            let (now, later) = x.split_at(material.len());
            x = later;
            let index = AShare::new(self.domain.index_bits(), now.iter().map(|&i| u32::from(i)).collect());
            let (part, during) = Phase::of(p, |p| material.lookup(p, &table, &index))?;
            y.append(&part)?;
            (offline, online) = (offline.then(before), online.then(during));
            progress.fetch_add(now.len(), Ordering::Relaxed);
        }
        let (outcome, opening) = Phase::of(p, |p| reveal.numbers(p, &y))?;
        Ok(Done { outcome, offline, online: online.then(opening) })
    }
}
