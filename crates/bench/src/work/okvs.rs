//! `okvs`: key-value stores; the listening party encodes, the other decodes.

use std::fmt;

use clap::Args;
use hushtable::{
    Error, Role,
    net::LinkShape,
    okvs::{self, Hashing, Size},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::count::batch;
use prim::{Block, Wiped};
use serde::{Deserialize, Serialize};

use crate::{benchmark::Benchmark, inputs, lanes::Lanes};

/// Words in a message.
const PIECE: usize = 1 << 16;

/// A store; with several threads one for a part of the keys in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct OkvsWork {
    /// Number of keys, 1 to 3 * 2^24
    #[arg(long, value_name = "N", default_value = "1048576", value_parser = batch)]
    count: u32,
    /// Words of 64 bits that a key's row has, 1 to 64
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=64))]
    #[serde(default)]
    words: u32,
}

impl fmt::Display for OkvsWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store of {} keys with {} words each", self.count, self.words)
    }
}

impl Benchmark for OkvsWork {
    fn items(&self) -> usize {
        self.count as usize
    }

    fn unit(&self) -> &'static str {
        "key"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        Size::of(self.items())?;
        fits(u64::from(self.count) * (150 + 50 * u64::from(self.words)), "stores of both parties")
    }

    fn cots(&self, _: Role, _: usize) -> (usize, usize) {
        (0, 0)
    }

    /// Offline P0 encodes; online it sends the table, and P1 decodes. All rows are checked.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let width = self.words as usize;
        let inputs: Vec<Inputs> =
            lanes.items().iter().enumerate().map(|(lane, &items)| Inputs::of(lane, items, width)).collect();
        let done = lanes.measure(
            inputs.iter().collect(),
            inputs.iter().collect(),
            |p, of: &Inputs| {
                let (with, size) = (Hashing::new(p, Role::P0), Size::of(of.keys.len())?);
                let table = match p.role() {
                    Role::P0 => okvs::encode(&with, size, &of.keys, &of.rows, width, p.rng())?,
                    Role::P1 => Wiped::default(),
                };
                Ok((with, size, table))
            },
            |p, (with, size, table), of: &&Inputs| match p.role() {
                Role::P0 => {
                    // Public: keys and rows are known.
                    table.chunks(PIECE).try_for_each(|part| p.send(bytemuck::cast_slice(part).to_vec()))?;
                    Ok::<Wiped<u64>, Error>(Wiped::default())
                }
                Role::P1 => {
                    let mut table = vec![0u64; size.columns() * width];
                    for part in table.chunks_mut(PIECE) {
                        p.connection().channel().recv_into(bytemuck::cast_slice_mut(part))?;
                    }
                    okvs::decode(&with, size, &table, width, &of.keys)
                }
            },
        )?;
        done.verify(std::iter::empty, |_| {
            inputs.iter().zip(&done.results).try_for_each(|(of, found)| check(&of.rows, found, width))
        })
    }
}

/// Of a lane, at both parties.
struct Inputs {
    keys: Vec<Block>,
    rows: Vec<u64>,
}

impl Inputs {
    fn of(lane: usize, items: usize, width: usize) -> Self {
        let words = |label, count| inputs::words(label, 0, lane as u64).take(count).collect::<Vec<u64>>();
        let keys = words("keys", 2 * items);
        let key = |pair: &[u64]| Block(u128::from(pair[0]) << 64 | u128::from(pair[1]));
        Self { keys: keys.chunks_exact(2).map(key).collect(), rows: words("rows", items * width) }
    }
}

/// Compares every row.
fn check(rows: &[u64], found: &[u64], width: usize) -> Result<()> {
    let wrong = rows.iter().zip(found).position(|(row, found)| row != found);
    match wrong.or((rows.len() != found.len()).then_some(found.len())) {
        Some(at) => Err(Failure::Check(format!("the row of key {} is wrong", at / width))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_word() {
        let rows = Inputs::of(1, 20, 3).rows;
        check(&rows, &rows, 3).unwrap();
        for at in 0..60 {
            let mut wrong = rows.clone();
            wrong[at] ^= 1 << at;
            let error = check(&rows, &wrong, 3).unwrap_err().to_string();
            assert!(error.contains(&format!("key {} ", at / 3)), "{error}");
        }
        assert!(check(&rows, &rows[..57], 3).is_err());
    }
}
