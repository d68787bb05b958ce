//! Lookups in a public table, by whichever protocol.

use std::sync::Arc;

use prim::ring::Ring;

use super::{Material, Operation, Port, Signature, Ways, material, operands};
use crate::{
    bill::{Bill, Effort, Objective},
    error::{Error, Result},
    lut::{LookupJob, Prepared, Protocol, Table},
    math::Tabulated,
    onehot::{Cyclic, Group, Xor},
    ot::Setting,
    plan::{self, Machine, Wanted},
    share::{Additive, Bitwise, Kind, Share, Sharing},
    source::{Origin, Shape},
};

/// Lookups of shared indices in a table of signed numbers, of `2^k` entries.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// A name for reports.
    pub name: String,
    /// How indices and results are shared, and their widths.
    pub job: LookupJob,
    /// The table.
    pub table: Arc<Tabulated>,
    /// The protocol.
    pub protocol: Protocol,
    /// Whether another may [suit](super::choose) better: this one was not asked for.
    pub open: bool,
}

impl Lookup {
    /// Of additive indices, with additive results, by the protocol that [the rule](crate::bill::NEARLY) takes for `items` of
    /// them under this setting, [the same](crate::Party::setting) at both parties.
    ///
    /// # Errors
    /// [`Error::Param`] unless the table has `2^k` entries, as many as a protocol serves.
    pub fn new(name: &str, table: Tabulated, items: usize, under: &Setting) -> Result<Self> {
        let len = table.entries().len();
        if !len.is_power_of_two() {
            let (what, accepted) = ("entries of a table to look up in", "powers of two".into());
            return Err(Error::Param { what, got: len.to_string(), accepted });
        }
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        let job = LookupJob { index, output, index_bits: len.ilog2(), value_bits: table.bits() };
        let objective = under.objective.unwrap_or(Objective::Total);
        let machine = Machine::REFERENCE.objective(under.objective).prices(under.prices);
        let wanted = Wanted::new(objective, under.link, machine);
        let protocol = plan::choose(Protocol::ways(&job, items)?, &wanted).expect("a way of lookups");
        Ok(Self { name: name.into(), job, table: Arc::new(table), protocol, open: false })
    }

    /// In a table of zeros: for stored material, which does not depend on the table.
    ///
    /// # Errors
    /// [`Error::Param`] for a job that the protocol does not serve.
    pub fn blank(protocol: Protocol, job: LookupJob) -> Result<Self> {
        protocol.check(&job)?;
        let table = Arc::new(Tabulated::integers(vec![0; 1 << job.index_bits]));
        Ok(Self { name: "lookup".into(), job, table, protocol, open: false })
    }

    /// Calls `f` with the types of the job.
    fn typed<F: Typed>(&self, f: F) -> F::Out {
        match self.job.value_bits {
            ..=8 => self.with_words::<F, u8>(f),
            9..=16 => self.with_words::<F, u16>(f),
            17..=32 => self.with_words::<F, u32>(f),
            _ => self.with_words::<F, u64>(f),
        }
    }

    fn with_words<F: Typed, R: Ring>(&self, f: F) -> F::Out {
        match (self.job.index, self.job.output) {
            (Sharing::Additive, Sharing::Additive) => f.call::<Cyclic, Additive, R>(self),
            (Sharing::Additive, Sharing::Xor) => f.call::<Cyclic, Bitwise, R>(self),
            (Sharing::Xor, Sharing::Additive) => f.call::<Xor, Additive, R>(self),
            (Sharing::Xor, Sharing::Xor) => f.call::<Xor, Bitwise, R>(self),
        }
    }

    /// The entries, reduced to their width.
    fn entries<R: Ring>(&self) -> Result<Table<R>> {
        self.protocol.check(&self.job)?;
        let mask = u64::MAX >> (64 - self.job.value_bits);
        let entries = self.table.entries().iter().map(|&e| R::from_u64(e as u64 & mask));
        Table::new(self.job.value_bits, entries.collect())
    }

    /// Material as it is spent by indices in the table.
    fn ready<G: Group, K: Kind, R: Ring>(
        &self,
        prepared: Prepared<G, K, R>,
        table: Table<R>,
    ) -> Box<dyn Material> {
        let index_bits = self.job.index_bits;
        material(prepared.len(), move |s, given| {
            let [x] = operands(given)?;
            let x = x.iter().map(|&x| x as u32).collect();
            let y = prepared.lookup(s, &table, &Share::<G::Kind, u32>::new(index_bits, x))?;
            Ok(y.into_wide())
        })
    }
}

impl Operation for Lookup {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn method(&self) -> String {
        self.protocol.name().into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("lookups", self.job.to_string()),
            ("output fraction bits", self.table.fraction_bits().to_string()),
            ("table digest", self.table.digest().to_hex().to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let LookupJob { index, output, index_bits, value_bits } = self.job;
        let entry = Port::shared("entry", output, value_bits).scaled(self.table.fraction_bits());
        Signature::new([Port::shared("index", index, index_bits)], entry.within(Some(self.table.range())))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.protocol.bill(&self.job, items)
    }

    fn effort(&self, items: usize, _: &Setting) -> Result<Effort> {
        let effort = self.protocol.effort(&self.job, items)?;
        // An index and an entry besides, as words.
        let memory = effort.memory.map(|memory| memory.saturating_add(16u64.saturating_mul(items as u64)));
        Ok(effort.remembering(memory))
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        if !self.open {
            return Ok(None);
        }
        let by = |protocol| Box::new(Self { protocol, ..self.clone() }) as Box<dyn Operation>;
        let all = Protocol::serving(&self.job)?.into_iter().map(by).collect();
        Ok(Some(Ways { objective: asked.unwrap_or(Objective::Total), all }))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        self.typed(Make { from, items })
    }

    fn stored_as(&self) -> String {
        format!("lookups by {}: {}", self.protocol, self.job)
    }

    fn shape(&self) -> Result<Shape> {
        self.protocol.check_stored(&self.job)?;
        Shape::of(self.stored_as(), |from, items| self.typed(Ask { from, items }))
    }

    fn lookups(&self) -> Option<(Protocol, LookupJob)> {
        Some((self.protocol, self.job))
    }
}

/// What is done with the types of a job: the group of the index, kind and words of the results.
trait Typed {
    type Out;
    fn call<G: Group, K: Kind, R: Ring>(self, lookup: &Lookup) -> Self::Out;
}

struct Make<'a, 'b> {
    from: &'a mut Origin<'b>,
    items: usize,
}

impl Typed for Make<'_, '_> {
    type Out = Result<Box<dyn Material>>;

    fn call<G: Group, K: Kind, R: Ring>(self, lookup: &Lookup) -> Self::Out {
        let table = lookup.entries::<R>()?;
        let prepared = lookup.protocol.prepare::<G, K, R>(self.from, &table, self.items)?;
        Ok(lookup.ready(prepared, table))
    }
}

/// Asks for the material and not for the table.
struct Ask<'a, 'b> {
    from: &'a mut Origin<'b>,
    items: usize,
}

impl Typed for Ask<'_, '_> {
    type Out = Result<()>;

    fn call<G: Group, K: Kind, R: Ring>(self, lookup: &Lookup) -> Self::Out {
        let Self { from, items } = self;
        lookup.protocol.ask_for::<G, K, R>(from, &lookup.job, items).map(drop)
    }
}
