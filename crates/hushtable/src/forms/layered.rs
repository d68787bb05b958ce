//! A form laid out for evaluation layer by layer.

use std::sync::Arc;

use logic::{Form, TruthTable};

use super::{
    lookups::{Reading, Table},
    lowered::lowered,
    vectors::{Counts, Vectors},
};
use crate::{
    bill::{Bill, Effort, Step},
    circuit::{Layers, Netlist, Reads, Stock},
    error::{Result, same},
    lut::Protocol,
    net::Role,
    source::Source,
};

/// A form as a netlist, and how each of its tables is read. Public.
#[derive(Clone)]
pub struct Layered {
    net: Arc<Netlist>,
    readings: Arc<[Reading]>,
}

impl Layered {
    /// A form, of whose inputs one party knows some, with the protocol that `by` takes for a table's lookups.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless each input is said to be shared or known, for a form without inputs,
    /// and for a protocol that takes more than one opening or does not serve a table.
    pub fn of(
        form: &Form,
        known: &[Option<Role>],
        by: impl Fn(&TruthTable) -> Result<Protocol>,
    ) -> Result<Self> {
        let readings = form.tables().iter().map(|table| Reading::new(table, by(table)?));
        let readings: Arc<[Reading]> = readings.collect::<Result<_>>()?;
        readings.iter().try_for_each(Reading::opens)?;
        Ok(Self { net: lowered(form, known, &readings, None)?, readings })
    }

    /// A netlist with lookups in these tables, with one protocol for all.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) as [`of`](Self::of).
    pub(crate) fn netlist_with(net: Arc<Netlist>, tables: &[Arc<TruthTable>], by: Protocol) -> Result<Self> {
        same("tables of a circuit", net.lookups().len(), tables.len())?;
        let readings: Arc<[Reading]> =
            tables.iter().map(|table| Reading::new(table, by)).collect::<Result<_>>()?;
        readings.iter().try_for_each(Reading::opens)?;
        Ok(Self { net, readings })
    }

    /// The netlist.
    pub fn netlist(&self) -> &Arc<Netlist> {
        &self.net
    }

    /// Of each table how it is read, and lookups for an item.
    pub fn lookups(&self) -> impl Iterator<Item = (&Reading, usize)> {
        self.readings.iter().zip(self.net.lookups()).map(|(reading, (_, lookups))| (reading, *lookups))
    }

    /// Offline: for so many items. The triples, then vectors for all tables that share them, then the lookups of each
    /// other one.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&self, p: &mut dyn Source, items: usize) -> Result<Layers> {
        Layers::reading(p, &self.net, items, |p| {
            let counts = self.vectors();
            let vectors = if counts.is_empty() { None } else { Some(Vectors::prepare(p, &counts, items)?) };
            let others = self.lookups().map(|(reading, lookups)| match reading.shared() {
                true => Ok(None),
                false => reading.prepare(p, lookups * items).map(Some),
            });
            let others = others.collect::<Result<_>>()?;
            Ok(Some(Box::new(Material { readings: self.readings.clone(), vectors, others })))
        })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(&self, items: usize) -> Bill {
        let others = self.lookups().filter(|(reading, _)| !reading.shared());
        let others = others.map(|(reading, lookups)| reading.bill(lookups * items));
        let ands = Layers::bill(&self.net, items);
        let mut bill = others.fold(ands + Vectors::bill(&self.vectors(), items), Bill::then);
        // A lookup opens its index.
        let opened = self.lookups().filter(|(reading, _)| reading.shared());
        let opened =
            opened.map(|(reading, lookups)| u64::from(reading.table().inputs()) * (lookups * items) as u64);
        let opened: u64 = opened.sum();
        bill.online.bits = bill.online.bits.map(|bits| bits + opened);
        bill.online.rounds = ands.online.rounds;
        bill
    }

    /// What it takes.
    pub(crate) fn effort(&self, items: usize) -> Effort {
        let Effort { mut work, mut memory, .. } = Layers::effort(&self.net, items);
        let vectors = Vectors::bill(&self.vectors(), items);
        let mut steps = vec![
            Step::Cots(Layers::bill(&self.net, items).cots),
            Step::Cots(vectors.cots),
            Step::both(vectors.offline.rounds),
        ];
        for (reading, lookups) in self.lookups().filter(|(_, lookups)| *lookups > 0) {
            let effort = reading.effort(lookups * items);
            if !reading.shared() {
                steps.extend(effort.steps);
            }
            work = [work[0] + effort.work[0], work[1] + effort.work[1]];
            memory = [0, 1].map(|party| memory[party].saturating_add(effort.memory[party]));
        }
        let effort = Effort::implied(self.bill(items)).working(work).remembering(memory);
        Effort { steps, ..effort }
    }

    /// Of each number of index bits how many one-hot vectors by doubling an item takes.
    fn vectors(&self) -> Counts {
        let mut counts = Counts::new();
        for (reading, lookups) in self.lookups().filter(|(reading, lookups)| reading.shared() && *lookups > 0)
        {
            let d = reading.table().inputs();
            match counts.iter_mut().find(|(other, _)| *other == d) {
                Some((_, count)) => *count += lookups,
                None => counts.push((d, lookups)),
            }
        }
        counts.sort_unstable();
        counts
    }
}

/// For the lookups of a form.
struct Material {
    readings: Arc<[Reading]>,
    vectors: Option<Vectors>,
    /// Of each table that does not share them.
    others: Vec<Option<Box<dyn Table>>>,
}

impl Reads for Material {
    fn take(&mut self, table: usize, lookups: usize) -> Result<Box<dyn Stock>> {
        let reading = &self.readings[table];
        match (&mut self.others[table], &mut self.vectors) {
            (Some(material), _) => material.take(lookups),
            (None, Some(vectors)) => Ok(reading.by(vectors.cut(reading.table().inputs(), lookups)?)),
            (None, None) => unreachable!("vectors for lookups that share them"),
        }
    }
}
