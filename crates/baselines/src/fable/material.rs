//! What a batch's circuits take: three networks and the function that makes ids, each by layers or garbled.

use std::sync::Arc;

use super::{
    circuits::{Few, pick},
    distinct, expand,
    job::{COPIES, FableJob, Sizes},
    rounds::Rounds,
};
use hushtable::{
    bill::{Bill, Effort},
    confidential::prf::Prf,
    error::Result,
    inner::{By, Evaluated, Evaluation, Network},
    party::Party,
    plan::{self, Wanted},
};

/// All of a batch's material.
pub(super) struct Material {
    /// Deduplication, decoding, expansion.
    pub networks: [Evaluated; 3],
    pub prf: Prf,
}

impl Rounds {
    /// For `count` lookups, each part as suits what is wanted: they follow each other.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for sizes that are not supported.
    pub fn suiting(job: &FableJob, count: usize, wanted: &Wanted) -> Result<Self> {
        let sizes = job.sizes(count)?;
        let networks = |rounds| networks(&job.with_rounds(rounds), &sizes, count);
        let pairs = networks(Self::MANY)?.into_iter().zip(networks(Self::FEW)?);
        let mut efforts: Vec<[Effort; 2]> = pairs.map(|(many, few)| [many.effort(), few.effort()]).collect();
        efforts.push(Prf::efforts(&job.prf(&sizes), count)?);
        let mut garbled = [false; 4];
        for (garbled, [many, few]) in garbled.iter_mut().zip(efforts) {
            *garbled = plan::choose(vec![(false, many), (true, few)], wanted).expect("two ways");
        }
        Ok(Self { garbled })
    }
}

impl Material {
    pub fn prepare(p: &mut Party, job: &FableJob, sizes: &Sizes, count: usize) -> Result<Self> {
        let prf = match job.rounds.garbles_ids() {
            false => Prf::prepare(p, job.prf(sizes), count)?,
            true => Prf::prepare_garbled(p, job.prf(sizes), count)?,
        };
        let [distinct, decode, expand] = networks(job, sizes, count)?.map(|network| network.prepare(p));
        Ok(Self { networks: [distinct?, decode?, expand?], prf })
    }

    pub fn bill(job: &FableJob, sizes: &Sizes, count: usize) -> Result<Bill> {
        let prf = match job.rounds.garbles_ids() {
            false => Prf::bill(&job.prf(sizes), count)?,
            true => Prf::bill_garbled(&job.prf(sizes), count)?,
        };
        Ok(networks(job, sizes, count)?.iter().fold(prf, |sum, network| sum + network.bill()))
    }
}

/// Deduplication, decoding and expansion.
fn networks(job: &FableJob, sizes: &Sizes, count: usize) -> Result<[Evaluation; 3]> {
    let of = |part: usize, network: &dyn Fn(Few) -> Network| match job.rounds.garbled[part] {
        false => Evaluation::of(&Arc::new(network(Few::Layers)), By::Layers),
        true => Evaluation::of(&Arc::new(network(Few::Ands)), By::Garbling(job.owner)),
    };
    Ok([
        of(0, &|few| distinct::network(count, job.key_bits, few))?,
        of(1, &|_| decoding(sizes.tagged_bits, job.value_bits, count))?,
        of(2, &|few| expand::network(count, job.value_bits + 1, few))?,
    ])
}

/// The network of all rows: how their keys differ from the words, and their values; with it a third array, of values and,
/// above, whether each row is the one.
fn decoding(tagged_bits: u32, value_bits: u32, count: usize) -> Network {
    let rows = COPIES * count;
    let mut network = Network::new(&[(tagged_bits, rows), (value_bits, rows)]);
    let picked = network.array(value_bits + 1, rows);
    let all: Vec<u32> = (0..rows as u32).collect();
    let reads = vec![(0, all.clone()), (1, all.clone())];
    network.stage(&pick([tagged_bits, value_bits]), reads, vec![(picked, all)]);
    network
}

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable::{confidential::prf::Cipher, net::Role};

    /// Operands of ANDs by layers, and ANDs garbled, of each part: for 4096 lookups of 16 bits, with LowMC and AES.
    #[test]
    fn circuits_have_the_ands_of_the_page() {
        let (count, comparators, moved) = (4096, 159_744, 12 * 2048);
        for (cipher, [ids_many, ids_few]) in
            [(Cipher::LowMc, [2 * 510, 3 * 510]), (Cipher::Aes128, [22 * 119, 34 * 119])]
        {
            let job = FableJob::new(Role::P1, cipher, 16, 16, 1 << 16);
            let sizes = job.sizes(count).expect("sizes");
            let of = |rounds| Material::bill(&job.with_rounds(rounds), &sizes, count).expect("a bill");
            let (rows, later) = (3 * count, count - 1);
            let many = comparators * (20 + 11 + 1) + later * (15 + 1) + rows * (16 + 1) + moved + comparators;
            let few = comparators * 32 + later * 31 + rows * 32 + later * 18 + comparators * 17;
            let [many, few] = [many + count * ids_many, few + count * ids_few].map(|sum| sum as u64);
            assert_eq!(of(Rounds::MANY).cots, [many; 2], "{cipher}");
            assert_eq!(of(Rounds::FEW).online.bits[1], 256 * few, "{cipher}");
        }
    }
}
