//! `lut`: lookups of random shared indices in a random public table.

use std::{
    fmt,
    io::Read,
    path::{Path, PathBuf},
};

use clap::Args;
use hushtable::{
    Role,
    lut::{LookupJob, Protocol, Table},
    net::LinkShape,
    onehot::{Cyclic, Group, Xor},
    operation::Lookup,
    share::{Additive, Bitwise, Kind, Share},
    store::Contents,
};
use hushtable_cli::{
    choice::{Choosing, Optimise, Sharing},
    count::{batch, fits},
    failure::{Failure, Result},
};
use prim::ring::Ring;
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

    fn run(&self, lanes: Lanes) -> Result<()> {
        match (self.index, self.output) {
            (Sharing::Additive, Sharing::Additive) => in_kinds::<Cyclic, Additive>(self, lanes),
            (Sharing::Additive, Sharing::Xor) => in_kinds::<Cyclic, Bitwise>(self, lanes),
            (Sharing::Xor, Sharing::Additive) => in_kinds::<Xor, Additive>(self, lanes),
            (Sharing::Xor, Sharing::Xor) => in_kinds::<Xor, Bitwise>(self, lanes),
        }
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

fn in_kinds<G: Group, K: Kind>(work: &LutWork, lanes: Lanes) -> Result<()> {
    match work.value_bits {
        ..=8 => in_ring::<G, K, u8>(work, lanes),
        9..=16 => in_ring::<G, K, u16>(work, lanes),
        17..=32 => in_ring::<G, K, u32>(work, lanes),
        _ => in_ring::<G, K, u64>(work, lanes),
    }
}

fn in_ring<G: Group, K: Kind, R: Ring>(work: &LutWork, mut lanes: Lanes) -> Result<()> {
    let (n, l) = (work.index_bits, work.value_bits);
    let entries = inputs::words("table", 0, 0).take(1 << n).map(|w| R::from_u64(w >> (64 - l))).collect();
    let table = Table::<R>::new(l, entries)?;
    let x = indices::<G>(n, lanes.role(), lanes.items());
    let sources = stock::sources(work.store.as_deref(), &work.store_name(), &mut lanes)?;
    let done = lanes.measure(
        sources,
        x,
        |p, source: stock::Source| match source {
            stock::Source::Make(items) => Ok(vec![work.protocol.prepare::<G, K, R>(p, &table, items)?]),
            stock::Source::Load(reserved) => stock::load(reserved, work.protocol, &table),
        },
        |p, pieces, x| stock::lookup(p, pieces, &table, x),
    )?;
    let words = || done.results.iter().flat_map(Share::words).map(|word| word.to_u64());
    done.verify(words, |from| check::<G, K, R>(work, &table, &done.results, from))
}

/// The shares of the indices that the party `role` has in each lane.
fn indices<G: Group>(n: u32, role: Role, items: &[usize]) -> Vec<Share<G::Kind, u32>> {
    let lane = |(lane, &items): (usize, &usize)| {
        Share::new(
            n,
            inputs::words("index", role as u64, lane as u64).take(items).map(|w| w as u32).collect(),
        )
    };
    items.iter().enumerate().map(lane).collect()
}

/// Compares each lookup of each lane with the table; `from` has the output shares of P0.
fn check<G: Group, K: Kind, R: Ring>(
    work: &LutWork,
    table: &Table<R>,
    results: &[Share<K, R>],
    from: &mut dyn Read,
) -> Result<()> {
    let items: Vec<usize> = results.iter().map(Share::len).collect();
    let [x0, x1] = [Role::P0, Role::P1].map(|role| indices::<G>(work.index_bits, role, &items));
    for ((y1, x0), x1) in results.iter().zip(&x0).zip(&x1) {
        for (i, y1) in y1.words().iter().enumerate() {
            let x = combine::<G::Kind>(work.index_bits, x0.words()[i].into(), x1.words()[i].into());
            let y = combine::<K>(work.value_bits, lanes::word(from)?, y1.to_u64());
            let want = table.columns()[0][x as usize].to_u64();
            if y != want {
                return Err(Failure::Check(format!("lookup {i}: T[{x}] is {want}, the shares give {y}")));
            }
        }
    }
    Ok(())
}

fn combine<K: Kind>(bits: u32, a: u64, b: u64) -> u64 {
    K::combine(a, b) & (u64::MAX >> (64 - bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lanes of right results: what P1 has and what P0 hands over.
    fn sample<K: Kind>(work: &LutWork, table: &Table<u16>) -> (Vec<Share<K, u16>>, Vec<u8>) {
        let items = [70, 30];
        let [x0, x1] = [Role::P0, Role::P1].map(|role| indices::<Xor>(work.index_bits, role, &items));
        let mut handed = Vec::new();
        let lane = |(x0, x1): (&Share<Bitwise, u32>, &Share<Bitwise, u32>)| {
            let mine = x0.words().iter().zip(x1.words()).enumerate().map(|(i, (x0, x1))| {
                let (y, y0) = (table.columns()[0][(x0 ^ x1) as usize], (i * 77) as u16);
                handed.extend_from_slice(&u64::from(y0).to_le_bytes());
                K::strip(y.into(), y0.into()) as u16
            });
            Share::new(work.value_bits, mine.collect())
        };
        (x0.iter().zip(&x1).map(lane).collect(), handed)
    }

    fn verification<K: Kind>(output: Sharing) {
        let (protocol, index) = (Protocol::Rotl, Sharing::Xor);
        let work = LutWork {
            protocol,
            choosing: Choosing::default(),
            index,
            output,
            index_bits: 5,
            value_bits: 13,
            batch: 100,
            store: None,
        };
        let table = Table::tabulate(5, 13, |x| x * 1234).unwrap();
        let (results, handed) = sample::<K>(&work, &table);
        check::<Xor, K, u16>(&work, &table, &results, &mut handed.as_slice()).unwrap();
        for at in [0, 8 * 99, handed.len() - 8] {
            let mut wrong = handed.clone();
            wrong[at] ^= 1;
            let found = check::<Xor, K, u16>(&work, &table, &results, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "byte {at}");
        }
        let cut = &handed[..handed.len() - 1];
        assert!(check::<Xor, K, u16>(&work, &table, &results, &mut &cut[..]).is_err());
    }

    #[test]
    fn verification_sees_every_result() {
        verification::<Additive>(Sharing::Additive);
        verification::<Bitwise>(Sharing::Xor);
    }
}
