//! `embedding`: rows of a private matrix of the listening party at shared token ids.

use std::{fmt, io::Read, ops::Range, sync::Arc};

use apps::embedding::{Embedding, EmbeddingJob};
use clap::Args;
use hushtable::{Role, net::LinkShape, operation::Operation};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::count::batch;
use serde::{Deserialize, Serialize};

use super::private::{Function, transferred};
use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// Rows of a matrix; with several threads a part of them in each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct EmbeddingWork {
    /// Rows of the matrix, 1 to 2^24
    #[arg(long, value_name = "N", default_value = "30522", value_parser = batch)]
    rows: u32,
    /// Numbers of a row
    #[arg(long, value_name = "N", default_value = "768", value_parser = batch)]
    columns: u32,
    /// Bits of a number, 1 to 64
    #[arg(long, value_name = "BITS", default_value = "8", value_parser = clap::value_parser!(u32).range(1..=64))]
    entry_bits: u32,
    /// Bits of a result, as many or more, at most 64
    #[arg(long, value_name = "BITS", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=64))]
    bits: u32,
    /// Tokens whose rows are added up; 1: none
    #[arg(long, value_name = "N", default_value = "1", value_parser = batch)]
    bag: u32,
    /// Results: tokens, or sums of tokens
    #[arg(long, value_name = "N", default_value = "128", value_parser = batch)]
    batch: u32,
    /// The pseudo-random function
    #[arg(long, value_enum, default_value = "aes")]
    prf: Function,
}

impl fmt::Display for EmbeddingWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns, entry_bits, bits, bag, batch, .. } = self;
        let what = if *bag == 1 { format!("{batch} rows") } else { format!("{batch} sums of {bag} rows") };
        let cipher = self.prf.cipher();
        write!(
            f,
            "{what} of a private matrix of {rows} x {columns} x {entry_bits} bits, as {bits} bits, {cipher}"
        )
    }
}

impl Benchmark for EmbeddingWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "result"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        let job = self.job();
        job.check()?;
        // The table and its copy, and the numbers as this program has them.
        let numbers = u64::from(self.rows) * u64::from(self.columns);
        fits(job.copy().copy_bits() / 2 + 24 * numbers, "the matrix at both parties")
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        self.job().bill(items).expect("checked before the processes started").cots_of(role)
    }

    fn run(&self, mut lanes: Lanes) -> Result<()> {
        let (job, matrix) = (self.job(), self.matrix());
        let table = lanes.once(|p| transferred(p, job.copy(), || job.encrypt(&matrix)))?;
        let embedding = Arc::new(Embedding::new(job, table)?);
        let inputs = |role, results| Ok(vec![self.shares(role, results)]);
        let piece = embedding.most();
        let done = lanes.operate(piece, |_| Ok(embedding.clone()), inputs, |_| ())?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(results, mine)| self.verify(&matrix, results, mine, from)),
        )
    }
}

impl EmbeddingWork {
    fn job(&self) -> EmbeddingJob {
        let job = EmbeddingJob::new(Role::P0, [self.rows, self.columns], self.entry_bits, self.bits);
        EmbeddingJob { cipher: self.prf.cipher(), bag: self.bag, ..job }
    }

    fn matrix(&self) -> Vec<i64> {
        let numbers = self.rows as usize * self.columns as usize;
        inputs::words("matrix", 0, 0)
            .take(numbers)
            .map(|word| word as i64 >> (64 - self.entry_bits))
            .collect()
    }

    /// The token ids of some results.
    fn ids(&self, results: Range<usize>) -> impl Iterator<Item = u64> {
        let bag = self.bag as usize;
        let ids = inputs::words("ids", 0, 0).skip(results.start * bag).take(results.len() * bag);
        ids.map(|word| word % u64::from(self.rows))
    }

    fn shares(&self, role: Role, results: Range<usize>) -> Vec<u64> {
        let bits = self.job().copy().keys.bits();
        let masks = inputs::words("masks", 0, results.start as u64);
        let share = |(id, mask): (u64, u64)| prim::low(if role == Role::P0 { mask } else { mask ^ id }, bits);
        self.ids(results).zip(masks).map(share).collect()
    }

    /// Compares every number; `from` has the shares of P0.
    fn verify(&self, matrix: &[i64], results: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
        let columns = self.columns as usize;
        let ids: Vec<u64> = self.ids(results.clone()).collect();
        let bags = ids.chunks_exact(self.bag as usize).zip(mine.chunks_exact(columns));
        for (result, (bag, mine)) in results.zip(bags) {
            for (column, mine) in mine.iter().enumerate() {
                let sum: i64 = bag.iter().map(|&id| matrix[id as usize * columns + column]).sum();
                if (lanes::word(from)?.wrapping_add(*mine) ^ sum as u64) << (64 - self.bits) != 0 {
                    return Err(Failure::Check(format!("result {result}, column {column} is wrong")));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_number() {
        let work = EmbeddingWork {
            rows: 9,
            columns: 3,
            entry_bits: 5,
            bits: 20,
            bag: 2,
            batch: 4,
            prf: Function::Aes,
        };
        let matrix = work.matrix();
        let ids: Vec<u64> = work.ids(0..4).collect();
        let sum = |result: usize, column: usize| -> i64 {
            ids[2 * result..][..2].iter().map(|&id| matrix[3 * id as usize + column]).sum()
        };
        let mine: Vec<u64> = (0..12u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let other = (0..12).map(|i| (sum(i / 3, i % 3) as u64).wrapping_sub(mine[i]));
        let handed: Vec<u8> = other.flat_map(u64::to_le_bytes).collect();
        work.verify(&matrix, 0..4, &mine, &mut handed.as_slice()).unwrap();
        for at in 0..12 {
            let mut wrong = handed.clone();
            wrong[8 * at] ^= 1;
            let found = work.verify(&matrix, 0..4, &mine, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "number {at}");
        }
    }
}
