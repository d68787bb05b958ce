//! `bench lut`: lookups of random shared indices in a random public table.

use std::{
    fmt,
    io::Read,
    path::{Path, PathBuf},
};

use clap::Args;
use hushtable::{
    Role,
    lut::{Job, Protocol, Table},
    net::Shape,
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use prim::ring::Ring;
use serde::{Deserialize, Serialize};

use super::{
    party::{Finished, Lanes},
    stock,
};
use crate::{
    choice::{Choosing, Objective, Sharing},
    count::{batch, fits},
    failure::{Failure, Result},
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

impl LutWork {
    pub fn batch(&self) -> usize {
        self.batch as usize
    }

    /// Correlated OTs, as sender and receiver, for `batch` of these lookups.
    pub fn cots(&self, role: Role, batch: usize) -> (usize, usize) {
        match self.store {
            Some(_) => (0, 0),
            None => self.protocol.cots(&self.job(), role, batch),
        }
    }

    /// The folder with stores.
    pub fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    /// Makes the stores for `runs` runs, unless there is enough for one.
    pub fn prepare(&self, runs: usize) -> Result<()> {
        let Some(dir) = &self.store else { return Ok(()) };
        let (job, protocol) = (self.job(), self.protocol.name());
        let kinds = [self.index, self.output].map(|kind| kind.to_string());
        let widths = [job.index_bits, job.value_bits].map(|bits| bits.to_string());
        let arguments = [
            ("--protocol", protocol),
            ("--index", &kinds[0]),
            ("--index-bits", &widths[0]),
            ("--output", &kinds[1]),
            ("--value-bits", &widths[1]),
        ];
        let arguments: Vec<String> =
            arguments.into_iter().flat_map(|(name, value)| [name.into(), value.into()]).collect();
        stock::prepare(dir, &self.store_name(), &arguments, self.batch(), self.batch() * runs)
    }

    fn store_name(&self) -> String {
        let Self { protocol, index, output, index_bits, value_bits, .. } = self;
        format!("{protocol}-{index}{index_bits}-{output}{value_bits}")
    }

    /// Chooses the protocol for this network.
    pub fn choose(&mut self, link: &Shape) -> Result<()> {
        self.protocol = self.choosing.over(link, &self.job(), self.batch())?;
        let [each, room] = [self.protocol.memory(&self.job()), self.protocol.room(&self.job())];
        fits(
            2 * (each as u64 * u64::from(self.batch) + room as u64),
            &format!("both parties' {} lookups by {}", self.batch, self.protocol),
        )
    }

    /// The protocol's name.
    pub fn protocol(&self) -> String {
        self.protocol.to_string()
    }

    /// The same lookups by the protocol that `--protocol auto` takes.
    pub fn planned(&self, link: &Shape, optimise: Objective) -> Result<Self> {
        let choosing = Choosing { optimise, ..Choosing::default() };
        Ok(Self { protocol: choosing.over(link, &self.job(), self.batch())?, ..self.clone() })
    }

    fn job(&self) -> Job {
        let (index, output) = (self.index.into(), self.output.into());
        Job { index, output, index_bits: self.index_bits, value_bits: self.value_bits }
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

/// Measures, then hands over or verifies.
pub fn run(work: &LutWork, lanes: Lanes) -> Result<()> {
    match (work.index, work.output) {
        (Sharing::Additive, Sharing::Additive) => in_kinds::<Cyclic, Additive>(work, lanes),
        (Sharing::Additive, Sharing::Xor) => in_kinds::<Cyclic, Bitwise>(work, lanes),
        (Sharing::Xor, Sharing::Additive) => in_kinds::<Xor, Additive>(work, lanes),
        (Sharing::Xor, Sharing::Xor) => in_kinds::<Xor, Bitwise>(work, lanes),
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
    let entries = random("table", 0, 0).take(1 << n).map(|w| R::from_u64(w >> (64 - l))).collect();
    let table = Table::<R>::new(l, entries)?;
    let x = indices::<G>(n, lanes.role(), lanes.items());
    let sources = stock::sources(work.store(), &work.store_name(), &mut lanes)?;
    let done = lanes.measure(
        sources,
        x,
        |p, source: stock::Source| {
            source.material(|items| work.protocol.prepare::<G, K, R>(p, &table, items))
        },
        |p, pieces, x| stock::lookup(p, pieces, &table, x),
    )?;
    finish::<G, K, R>(work, &table, &done)
}

/// The shares of the indices that the party `role` has in each lane. Public, for measurements only.
fn indices<G: Group>(n: u32, role: Role, items: &[usize]) -> Vec<Share<G::Kind, u32>> {
    let lane = |(lane, &items): (usize, &usize)| {
        Share::new(n, random("index", role as u64, lane as u64).take(items).map(|w| w as u32).collect())
    };
    items.iter().enumerate().map(lane).collect()
}

/// An endless stream of words, the same in both processes.
pub(super) fn random(label: &str, role: u64, lane: u64) -> impl Iterator<Item = u64> {
    let mut hash = blake3::Hasher::new();
    hash.update(label.as_bytes()).update(&role.to_le_bytes()).update(&lane.to_le_bytes());
    let mut words = hash.finalize_xof();
    std::iter::repeat_with(move || {
        let mut word = [0; 8];
        words.fill(&mut word);
        u64::from_le_bytes(word)
    })
}

/// P0 hands its output shares to P1, which compares every result with the table.
fn finish<G: Group, K: Kind, R: Ring>(
    work: &LutWork,
    table: &Table<R>,
    done: &Finished<Share<K, R>>,
) -> Result<()> {
    let width = R::WIDTH as usize / 8;
    if done.role == Role::P0 {
        return done.hand_over(|to| {
            let mut words = done.results.iter().flat_map(|y| y.words());
            words.try_for_each(|w| to.write_all(&w.to_u64().to_le_bytes()[..width]))
        });
    }
    done.verify(|from| check::<G, K, R>(work, table, &done.results, from))
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
            let mut y0 = [0; 8];
            from.read_exact(&mut y0[..R::WIDTH as usize / 8])
                .map_err(|e| Failure::new(format!("the results of P0: {e}")))?;
            let x = combine::<G::Kind>(work.index_bits, x0.words()[i].into(), x1.words()[i].into());
            let y = combine::<K>(work.value_bits, u64::from_le_bytes(y0), y1.to_u64());
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
                handed.extend_from_slice(&y0.to_le_bytes());
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
        for at in [0, 99, handed.len() - 2] {
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
