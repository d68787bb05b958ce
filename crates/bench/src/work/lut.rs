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
    share::{Additive, Bitwise, Kind},
    store::Contents,
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::{
    choice::{Choosing, Optimise, Sharing},
    count::batch,
    means::Means,
};
use prim::ring::low;
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
        self.protocol = self.choosing.over(link, &Means::default(), &job, self.items())?;
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
        if let Some(dir) = &self.store {
            lanes.load_from(stock::open(dir, &self.store_name(), lanes.role())?)?;
        }
        let lookup = Arc::new(self.lookup()?);
        let inputs = |role, rows| Ok(vec![self.indices(role, rows)]);
        let done = lanes.operate(self.items(), |_| Ok(lookup.clone()), inputs, |_| ())?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(rows, mine)| check(self, &lookup.table, rows, mine, from)),
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
        self.protocol = choosing.over(link, &Means::default(), &self.job(), self.items())?;
        Ok(true)
    }
}

impl LutWork {
    fn store_name(&self) -> String {
        let Self { protocol, index, output, index_bits, value_bits, .. } = self;
        format!("{protocol}-{index}{index_bits}-{output}{value_bits}")
    }

    /// In a random table.
    fn lookup(&self) -> Result<Lookup> {
        let entry = |w| (w >> (64 - self.value_bits)) as i64;
        let entries = inputs::words("table", 0, 0).take(1 << self.index_bits).map(entry).collect();
        let table = Arc::new(Tabulated::integers(entries));
        Ok(Lookup { table, ..Lookup::blank(self.protocol, self.job())? })
    }

    /// The shares of the indices number `rows` that the party `role` has.
    fn indices(&self, role: Role, rows: Range<usize>) -> Vec<u64> {
        let words = inputs::words("index", role as u64, rows.start as u64);
        words.take(rows.len()).map(|word| low(word, self.index_bits)).collect()
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

/// Compares the lookups number `rows` with the table; `from` has the output shares of P0.
fn check(
    work: &LutWork,
    table: &Tabulated,
    rows: Range<usize>,
    mine: &[u64],
    from: &mut dyn Read,
) -> Result<()> {
    let [x0, x1] = [Role::P0, Role::P1].map(|role| work.indices(role, rows.clone()));
    for (i, ((x0, x1), mine)) in rows.zip(x0.into_iter().zip(x1).zip(mine)) {
        let x = combine(work.index, work.index_bits, x0, x1);
        let y = combine(work.output, work.value_bits, lanes::word(from)?, *mine);
        let want = low(table.entries()[x as usize] as u64, work.value_bits);
        if y != want {
            return Err(Failure::Check(format!("lookup {i}: T[{x}] is {want}, the shares give {y}")));
        }
    }
    Ok(())
}

fn combine(sharing: Sharing, bits: u32, a: u64, b: u64) -> u64 {
    let value = match sharing {
        Sharing::Additive => Additive::combine(a, b),
        Sharing::Xor => Bitwise::combine(a, b),
    };
    low(value, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verification(output: Sharing) {
        let work = LutWork {
            protocol: Protocol::Rotl,
            choosing: Choosing::default(),
            index: Sharing::Xor,
            output,
            index_bits: 5,
            value_bits: 13,
            batch: 100,
            store: None,
        };
        let table = Tabulated::integers((0..32).map(|x| x * 1234).collect());
        // Right results, from the seventieth on: what P1 has and what P0 hands over.
        let rows = 70..170;
        let [x0, x1] = [Role::P0, Role::P1].map(|role| work.indices(role, rows.clone()));
        let handed: Vec<u8> = (0..100u64).flat_map(|i| (i * 77).to_le_bytes()).collect();
        let mine = |(i, (x0, x1)): (u64, (u64, u64))| {
            let y = table.entries()[(x0 ^ x1) as usize] as u64;
            if output == Sharing::Xor { y ^ (i * 77) } else { y.wrapping_sub(i * 77) }
        };
        let mine: Vec<u64> = (0..).zip(x0.into_iter().zip(x1)).map(mine).collect();
        let check = |mut handed: &[u8]| check(&work, &table, rows.clone(), &mine, &mut handed);
        check(&handed).unwrap();
        for at in [0, 8 * 99, handed.len() - 8] {
            let mut wrong = handed.clone();
            wrong[at] ^= 1;
            assert!(matches!(check(&wrong), Err(Failure::Check(_))), "byte {at}");
        }
        assert!(check(&handed[..handed.len() - 1]).is_err());
    }

    #[test]
    fn verification_sees_every_result() {
        verification(Sharing::Additive);
        verification(Sharing::Xor);
    }
}
