//! `lut`: lookups of random shared indices in a random public table.

use std::{
    fmt,
    io::Read,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use hushtable::{
    Role,
    lut::{LookupJob, Protocol},
    math::Tabulated,
    net::LinkShape,
    operation::Lookup,
    store::Contents,
};
use hushtable_cli::{
    choice::{Choosing, Optimise, Sharing},
    count::{batch, fits},
    failure::{Failure, Result},
};
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
    stock,
};

/// A batch of lookups.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct LutWork {
    /// Which protocol, once it is chosen
    #[arg(skip = Protocol::SpLut)]
    #[serde(with = "name")]
    protocol: Protocol,
    #[command(flatten)]
    #[serde(skip)]
    choosing: Choosing,
    /// How the index is shared
    #[arg(long, value_enum, default_value = "additive")]
    index: Sharing,
    /// How the result is shared
    #[arg(long, value_enum, default_value = "additive")]
    output: Sharing,
    /// The table has 2^K entries, K from 1 to 20, as far as the protocol goes
    #[arg(long, value_name = "K", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=20))]
    index_bits: u32,
    /// Width of an entry in bits, 1 to 64
    #[arg(long, value_name = "L", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=64))]
    value_bits: u32,
    /// Number of lookups, 1 to 2^28, such as 100000 or 1e5
    #[arg(long, value_name = "B", default_value = "100000", value_parser = batch)]
    batch: u32,
    /// Load material from stores in this folder, which are made first if they are not there; implies --tls
    #[arg(long, value_name = "DIR")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<PathBuf>,
}

impl fmt::Display for LutWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} index of {} bits, {} output of {} bits, batch {}",
            self.protocol, self.index, self.index_bits, self.output, self.value_bits, self.batch
        )
    }
}

impl Benchmark for LutWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "lookup"
    }

    fn prepare(&mut self, link: &LinkShape, runs: usize) -> Result<()> {
        let job = self.job();
        self.protocol = self.choosing.over(link, &job, self.items())?;
        let [each, room] = [self.protocol.memory(&job), self.protocol.room(&job)];
        let memory = 2 * (each as u64 * u64::from(self.batch) + room as u64);
        fits(memory, &format!("both parties' {} lookups by {}", self.batch, self.protocol))?;
        let Some(dir) = &self.store else { return Ok(()) };
        let lookup = Lookup::blank(self.protocol, job)?;
        let plan = Contents::new(&lookup, (self.items() * runs) as u64)?;
        stock::prepare(dir, &self.store_name(), &plan, self.items())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.store {
            Some(_) => (0, 0),
            None => match self.protocol.bill(&self.job(), items) {
                Ok(bill) => bill.cots_of(role),
                Err(_) => (0, 0), // refused before the processes start
            },
        }
    }

    fn run(&self, mut lanes: Lanes) -> Result<()> {
        let reserved = stock::reserved(self.store.as_deref(), &self.store_name(), &mut lanes)?;
        let table = Arc::new(self.table());
        let (name, job, protocol) = ("benchmark".into(), self.job(), self.protocol);
        let lookup = Arc::new(Lookup { name, job, table: Arc::clone(&table), protocol });
        let done = lanes.operate(
            self.items(),
            reserved,
            |_| Ok(lookup.clone()),
            |role, rows| Ok(vec![self.indices(role, rows).collect()]),
            |_| (),
        )?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(rows, mine)| self.check(&table, rows, mine, from)),
        )
    }

    fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    fn protocol(&self) -> Option<String> {
        Some(self.protocol.to_string())
    }

    fn plan(&mut self, link: &LinkShape, optimise: Optimise) -> Result<bool> {
        let choosing = Choosing { optimise, ..Choosing::default() };
        self.protocol = choosing.over(link, &self.job(), self.items())?;
        Ok(true)
    }
}

impl LutWork {
    fn store_name(&self) -> String {
        let Self { protocol, index, output, index_bits, value_bits, .. } = self;
        format!("{protocol}-{index}{index_bits}-{output}{value_bits}")
    }

    fn table(&self) -> Tabulated {
        let entries = inputs::words("table", 0, 0).take(1 << self.index_bits);
        Tabulated::integers(entries.map(|w| (w as i64) >> (64 - self.value_bits)).collect())
    }

    /// The shares of some indices that the party `role` has.
    fn indices(&self, role: Role, rows: Range<usize>) -> impl Iterator<Item = u64> + use<> {
        inputs::words("index", role as u64, rows.start as u64).take(rows.len())
    }

    /// Compares some lookups with the table; `from` has the shares of P0.
    fn check(&self, table: &Tabulated, rows: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
        let [x0, x1] = [Role::P0, Role::P1].map(|role| self.indices(role, rows.clone()));
        for (((i, &y1), x0), x1) in rows.clone().zip(mine).zip(x0).zip(x1) {
            let x = combine(self.index, self.index_bits, x0, x1);
            let y = combine(self.output, self.value_bits, lanes::word(from)?, y1);
            let want = table.entries()[x as usize] as u64 & (u64::MAX >> (64 - self.value_bits));
            if y != want {
                return Err(Failure::Check(format!("lookup {i}: T[{x}] is {want}, the shares give {y}")));
            }
        }
        Ok(())
    }

    fn job(&self) -> LookupJob {
        let (index, output) = (self.index.into(), self.output.into());
        LookupJob { index, output, index_bits: self.index_bits, value_bits: self.value_bits }
    }
}

/// A protocol as its name.
mod name {
    use hushtable::lut::Protocol;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(protocol: &Protocol, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(protocol.name())
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Protocol, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// What two shares give.
fn combine(sharing: Sharing, bits: u32, a: u64, b: u64) -> u64 {
    let value = match sharing {
        Sharing::Additive => a.wrapping_add(b),
        Sharing::Xor => a ^ b,
    };
    value & (u64::MAX >> (64 - bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right results of some items: what P1 has and what P0 hands over.
    fn sample(work: &LutWork, table: &Tabulated, rows: Range<usize>) -> (Vec<u64>, Vec<u8>) {
        let [x0, x1] = [Role::P0, Role::P1].map(|role| work.indices(role, rows.clone()));
        let mut handed = Vec::new();
        let mine = x0.zip(x1).enumerate().map(|(i, (x0, x1))| {
            let y = table.entries()[combine(work.index, work.index_bits, x0, x1) as usize] as u64;
            let y0 = i as u64 * 77;
            handed.extend_from_slice(&y0.to_le_bytes());
            if work.output == Sharing::Xor { y ^ y0 } else { y.wrapping_sub(y0) }
        });
        (mine.collect(), handed)
    }

    #[test]
    fn verification_sees_every_result() {
        for (index, output) in [(Sharing::Xor, Sharing::Additive), (Sharing::Additive, Sharing::Xor)] {
            let (protocol, choosing) = (Protocol::Rotl, Choosing::default());
            let (index_bits, value_bits, batch) = (5, 13, 100);
            let work =
                LutWork { protocol, choosing, index, output, index_bits, value_bits, batch, store: None };
            let (table, rows) = (work.table(), 70..100);
            let (mine, handed) = sample(&work, &table, rows.clone());
            work.check(&table, rows.clone(), &mine, &mut handed.as_slice()).unwrap();
            for at in [0, 8 * 15, handed.len() - 8] {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                let found = work.check(&table, rows.clone(), &mine, &mut wrong.as_slice());
                assert!(matches!(found, Err(Failure::Check(_))), "byte {at}");
            }
            let cut = &handed[..handed.len() - 1];
            assert!(work.check(&table, rows, &mine, &mut &cut[..]).is_err());
        }
    }
}
