//! Lookups of a circuit: tables, the protocols that read them, and their material.

use std::{fmt, sync::Arc};

use logic::TruthTable;
use prim::ring::Ring;

use crate::{
    bill::{Bill, Effort},
    circuit::Stock,
    error::{Error, Result},
    gates::Bits,
    lut::{self, LookupJob, Prepared, Protocol},
    onehot::{OneHot, Xor},
    share::{BShare, Bitwise, Sharing},
    source::Source,
};

/// A table of a circuit, and the protocol that reads it. Public.
#[derive(Clone)]
pub struct Reading {
    table: Arc<TruthTable>,
    protocol: Protocol,
    rows: Rows,
}

/// A table in words as narrow as its rows.
#[derive(Clone)]
enum Rows {
    Of8(Arc<lut::Table<u8>>),
    Of16(Arc<lut::Table<u16>>),
    Of32(Arc<lut::Table<u32>>),
    Of64(Arc<lut::Table<u64>>),
}

impl Reading {
    /// Lookups in `table` by this protocol.
    ///
    /// # Errors
    /// [`Error::Param`] for a table that it does not serve.
    pub fn new(table: &Arc<TruthTable>, protocol: Protocol) -> Result<Self> {
        protocol.check(&job(table))?;
        let rows = match table.outputs() {
            ..=8 => Rows::Of8(rows(table)?),
            9..=16 => Rows::Of16(rows(table)?),
            17..=32 => Rows::Of32(rows(table)?),
            _ => Rows::Of64(rows(table)?),
        };
        Ok(Self { table: table.clone(), protocol, rows })
    }

    /// The table.
    pub fn table(&self) -> &Arc<TruthTable> {
        &self.table
    }

    /// Which protocol reads it.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// `Ok(())` for a protocol that [opens](Protocol::opens) one value for a lookup.
    pub(super) fn opens(&self) -> Result<()> {
        if self.protocol.opens() {
            return Ok(());
        }
        let accepted: Vec<_> = Protocol::ALL.into_iter().filter(|p| p.opens()).map(Protocol::name).collect();
        let (what, got) = ("protocol of a circuit's lookups", self.protocol.name().into());
        Err(Error::Param { what, got, accepted: accepted.join(", ") })
    }

    /// Whether its material is one-hot vectors by doubling, which all tables of its length share.
    pub(super) fn shared(&self) -> bool {
        self.protocol == Protocol::Doubling
    }

    /// Lookups by vectors that are there.
    pub(super) fn by(&self, vectors: OneHot<Xor>) -> Box<dyn Stock> {
        match &self.rows {
            Rows::Of8(table) => of(vectors, table),
            Rows::Of16(table) => of(vectors, table),
            Rows::Of32(table) => of(vectors, table),
            Rows::Of64(table) => of(vectors, table),
        }
    }

    /// What so many lookups cost.
    pub(super) fn bill(&self, lookups: usize) -> Bill {
        match lookups {
            0 => Bill::FREE,
            _ => self.protocol.bill_of(&job(&self.table), lookups),
        }
    }

    /// What they take.
    pub(super) fn effort(&self, lookups: usize) -> Effort {
        self.protocol.effort_of(&job(&self.table), lookups)
    }

    /// Material for so many.
    pub(super) fn prepare(&self, from: &mut dyn Source, lookups: usize) -> Result<Box<dyn Table>> {
        match &self.rows {
            Rows::Of8(table) => prepare(self, table, from, lookups),
            Rows::Of16(table) => prepare(self, table, from, lookups),
            Rows::Of32(table) => prepare(self, table, from, lookups),
            Rows::Of64(table) => prepare(self, table, from, lookups),
        }
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reading({} to {} by {})", self.table.inputs(), self.table.outputs(), self.protocol)
    }
}

/// Lookups of one table on indices and rows shared by XOR.
pub(super) fn job(table: &TruthTable) -> LookupJob {
    let (index, output) = (Sharing::Xor, Sharing::Xor);
    LookupJob { index, output, index_bits: table.inputs(), value_bits: table.outputs() }
}

fn rows<R: Ring>(table: &TruthTable) -> Result<Arc<lut::Table<R>>> {
    let rows = table.rows().iter().map(|row| R::from_u64(*row)).collect();
    lut::Table::new(table.outputs(), rows).map(Arc::new)
}

fn prepare<R: Ring>(
    reading: &Reading,
    table: &Arc<lut::Table<R>>,
    from: &mut dyn Source,
    lookups: usize,
) -> Result<Box<dyn Table>> {
    let material = reading.protocol.prepare(from, table, lookups)?;
    Ok(Box::new(Of { material, table: table.clone() }))
}

fn of<R: Ring>(vectors: OneHot<Xor>, table: &Arc<lut::Table<R>>) -> Box<dyn Stock> {
    Box::new(Of { material: Prepared::<Xor, Bitwise, R>::of(vectors), table: table.clone() })
}

/// Material for lookups in a table.
pub(super) trait Table: Send {
    /// Cuts off that of so many.
    fn take(&mut self, lookups: usize) -> Result<Box<dyn Stock>>;
}

struct Of<R: Ring> {
    material: Prepared<Xor, Bitwise, R>,
    table: Arc<lut::Table<R>>,
}

impl<R: Ring> Table for Of<R> {
    fn take(&mut self, lookups: usize) -> Result<Box<dyn Stock>> {
        Ok(Box::new(Self { material: self.material.take(lookups)?, table: self.table.clone() }))
    }
}

impl<R: Ring> Stock for Of<R> {
    fn masked(&self, index: &BShare<u32>) -> Result<BShare<u32>> {
        self.material.masked(index)
    }

    fn read(self: Box<Self>, opened: &[u32]) -> Result<Vec<Bits>> {
        Ok(Bits::from_share(&self.material.read(&self.table, opened)?))
    }
}
