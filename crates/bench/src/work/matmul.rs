//! `matmul`: products of matrices, of which one party knows one or both are shared.

use std::{fmt, io::Read};

use clap::{Args, ValueEnum};
use hushtable::{
    AShare, Party, Role,
    arith::{LatticeTriplesJob, LinearJob, MatrixShape, Objective, ProductTriples},
    net::LinkShape,
};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

use super::known::{KnownMap, Method};
use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// Products of matrices.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct MatmulWork {
    /// Rows of the left matrix, its columns, and columns of the right one
    #[arg(long, value_name = "M,K,N", default_value = "256,256,256", value_parser = shape)]
    shape: [usize; 3],
    /// Bits of a number, 8 to 64
    #[arg(long, value_name = "L", default_value = "37", value_parser = clap::value_parser!(u32).range(8..=64))]
    bits: u32,
    /// Bits of a number that one party knows, 1 to 63
    #[arg(long, value_name = "B", default_value = "15", value_parser = clap::value_parser!(u32).range(1..=63))]
    number_bits: u32,
    /// Whose the matrices are
    #[arg(long, value_enum, default_value = "one")]
    owner: Owner,
    /// How products are made
    #[arg(long, value_enum, default_value = "he")]
    method: Method,
    /// Number of products
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    batch: u32,
}

/// Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Owner {
    /// The right one is the connecting party's, the left one is shared
    One,
    /// The right one is the connecting party's, the left one the other party's
    Both,
    /// Both are shared
    Shared,
}

/// What a product is made of.
enum Made {
    Known(KnownMap),
    Triples(ProductTriples<u64>),
}

fn shape(text: &str) -> std::result::Result<[usize; 3], String> {
    let sides: Vec<usize> = text
        .split(',')
        .map(|side| side.trim().parse().ok().filter(|side| (1..=1 << 20).contains(side)))
        .collect::<Option<_>>()
        .ok_or("three numbers, 1 to 1048576, such as 128,768,3072")?;
    sides.try_into().map_err(|_| "three numbers, such as 128,768,3072".into())
}

impl fmt::Display for MatmulWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, k, n] = self.shape;
        let whose = match self.owner {
            Owner::One | Owner::Both => format!("numbers of {} bits that P1 knows", self.number_bits),
            Owner::Shared => "shared numbers".into(),
        };
        let how = match self.method {
            Method::He => "lattices",
            Method::Ot => "correlated OTs",
            Method::Auto => "what sends less",
        };
        let first = if self.owner == Owner::Both { "numbers that P0 knows, of" } else { "shared numbers of" };
        write!(f, "{m} x {k} {first} {} bits times {k} x {n} {whose}, by {how}", self.bits)
    }
}

impl MatmulWork {
    fn job(&self, batch: usize) -> LinearJob {
        LinearJob {
            shape: self.matrices(batch).into(),
            bits: self.bits,
            number_bits: self.number_bits,
            owner: Role::P1,
        }
    }

    /// Whether triples for shared factors are made by a lattice.
    fn triples_by_lattice(&self) -> bool {
        match self.method {
            Method::He => true,
            Method::Ot => false,
            Method::Auto => {
                ProductTriples::<u64>::suiting_lattice(self.bits, self.matrices(1), Objective::Total)
                    .is_some()
            }
        }
    }

    fn matrices(&self, batch: usize) -> MatrixShape {
        let [rows, inner, columns] = self.shape;
        MatrixShape { batch, rows, inner, columns }
    }

    /// Shares of a factor in a lane, and the known one.
    fn factor(&self, label: &str, role: Role, lane: usize, count: usize) -> Vec<u64> {
        if self.owner == Owner::Both && role == Role::P1 {
            return vec![0; count];
        }
        let bits = 64 - self.bits;
        inputs::words(label, role as u64, lane as u64).map(|word| word >> bits).take(count).collect()
    }

    fn numbers(&self, lane: usize, count: usize) -> Vec<i64> {
        let bits = 64 - self.number_bits;
        inputs::words("numbers", 0, lane as u64).map(|word| word as i64 >> bits).take(count).collect()
    }

    /// Compares entries of each product; `from` has the shares of P0.
    fn check(&self, lane: usize, batch: usize, mine: &[u64], from: &mut dyn Read) -> Result<()> {
        let shape = self.matrices(batch);
        let [m, k, n] = self.shape;
        let factor = |label, count| {
            let [a, b] = [Role::P0, Role::P1].map(|role| self.factor(label, role, lane, count));
            a.into_iter().zip(b).map(|(a, b)| a.wrapping_add(b)).collect::<Vec<_>>()
        };
        let left = factor("left", shape.left());
        let right = match self.owner {
            Owner::Shared => factor("right", shape.right()),
            _ => self.numbers(lane, shape.right()).into_iter().map(|v| v as u64).collect(),
        };
        let mask = u64::MAX >> (64 - self.bits);
        for (i, mine) in mine.iter().enumerate() {
            let found = lanes::word(from)?.wrapping_add(*mine) & mask;
            // Each entry of small products, some of large ones.
            if i % (m * k * n).div_ceil(1 << 24) != 0 {
                continue;
            }
            let (of, row, column) = (i / (m * n), i / n % m, i % n);
            let one = |q: usize| left[(of * m + row) * k + q].wrapping_mul(right[(of * k + q) * n + column]);
            let want = (0..k).map(one).fold(0, u64::wrapping_add) & mask;
            if found != want {
                return Err(Failure::Check(format!(
                    "entry {row}, {column} of product {of}: {found}, not {want}"
                )));
            }
        }
        Ok(())
    }

    /// Of shared factors, by a lattice.
    fn triples(&self, items: usize) -> hushtable::Result<LatticeTriplesJob> {
        LatticeTriplesJob::new(self.bits, self.matrices(items), Objective::Total)
    }
}

impl Benchmark for MatmulWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "product"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        match self.owner {
            Owner::Shared if self.triples_by_lattice() => {
                self.triples(1)?;
            }
            Owner::Shared => (),
            _ => self.method.lattice(self.job(1)).map(drop)?,
        }
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.owner {
            Owner::Shared if self.triples_by_lattice() => (0, 0),
            Owner::Shared => ProductTriples::<u64>::bill(self.bits, self.matrices(items)).cots_of(role),
            _ => self.method.cots(self.job(items), role),
        }
    }

    fn set_up(&self, p: &mut Party, items: usize) -> hushtable::Result<()> {
        match self.owner {
            Owner::Shared if self.triples_by_lattice() => self.triples(items)?.set_up(p),
            Owner::Shared => Ok(()),
            _ => self.method.set_up(p, self.job(items)),
        }
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let (role, items) = (lanes.role(), lanes.items().to_vec());
        let lattice = self.triples_by_lattice();
        let shares = |(lane, items): (usize, &usize)| {
            let shape = self.matrices(*items);
            let factor = |label, count| AShare::<u64>::new(self.bits, self.factor(label, role, lane, count));
            (factor("left", shape.left()), factor("right", shape.right()))
        };
        let known: Vec<Vec<i64>> = items
            .iter()
            .enumerate()
            .map(|(lane, items)| {
                let mine = self.owner != Owner::Shared && role == Role::P1;
                if mine { self.numbers(lane, self.matrices(*items).right()) } else { Vec::new() }
            })
            .collect();
        let inputs: Vec<_> = items.iter().enumerate().map(shares).zip(known.iter()).collect();
        let make = |p: &mut Party, (items, known): (usize, &Vec<i64>)| match self.owner {
            Owner::Shared if lattice => {
                ProductTriples::by_lattice(p, &self.triples(items)?).map(Made::Triples)
            }
            Owner::Shared => ProductTriples::random(p, self.bits, self.matrices(items)).map(Made::Triples),
            _ => self.method.prepare(p, self.job(items), known).map(Made::Known),
        };
        let sources = items.iter().copied().zip(&known).collect();
        let done = lanes.measure(sources, inputs, make, |p, made, ((left, right), known)| match made {
            Made::Known(made) => made.multiply(p, left, known),
            Made::Triples(made) => made.multiply(p, left, right),
        })?;
        let words = || done.results.iter().flat_map(AShare::words).copied();
        done.verify(words, |from| {
            let mut all = done.results.iter().zip(&items).enumerate();
            all.try_for_each(|(lane, (mine, items))| self.check(lane, *items, mine.words(), from))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_entry() {
        for (owner, bits) in [(Owner::One, 20), (Owner::Both, 33), (Owner::Shared, 64)] {
            let work =
                MatmulWork { shape: [3, 4, 2], bits, number_bits: 9, owner, method: Method::He, batch: 2 };
            let shape = work.matrices(2);
            let [left, right] = [("left", shape.left()), ("right", shape.right())].map(|(label, count)| {
                let [a, b] = [Role::P0, Role::P1].map(|role| work.factor(label, role, 0, count));
                a.into_iter().zip(b).map(|(a, b)| a.wrapping_add(b)).collect::<Vec<u64>>()
            });
            let right = match owner {
                Owner::Shared => right,
                _ => work.numbers(0, shape.right()).into_iter().map(|v| v as u64).collect(),
            };
            let entry = |i: usize| {
                let (of, row, column) = (i / 6, i / 2 % 3, i % 2);
                (0..4).fold(0u64, |sum, q| {
                    sum.wrapping_add(
                        left[(of * 3 + row) * 4 + q].wrapping_mul(right[(of * 4 + q) * 2 + column]),
                    )
                })
            };
            let mine: Vec<u64> = (0..12).map(|i| i * 0x1234_5678_9abc_def1).collect();
            let theirs = |i: usize| entry(i).wrapping_sub(mine[i]);
            let handed: Vec<u8> = (0..12).map(theirs).flat_map(u64::to_le_bytes).collect();
            work.check(0, 2, &mine, &mut handed.as_slice()).unwrap();
            for at in (0..handed.len()).step_by(8) {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                assert!(
                    matches!(work.check(0, 2, &mine, &mut wrong.as_slice()), Err(Failure::Check(_))),
                    "{at}"
                );
            }
        }
    }
}
