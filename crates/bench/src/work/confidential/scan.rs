//! FLORAM's reads: linear scans, one after the other.

use hushtable::{BShare, Party, Role};
use hushtable_baselines::scan::{Memory, Read, ScanJob};
use hushtable_columns::failure::{Failure, Result};

use super::asked::{ConfidentialWork, Key};
use crate::lanes::{self, Lanes};

fn job(work: &ConfidentialWork) -> ScanJob {
    ScanJob { cipher: work.cipher(), index_bits: work.key_bits }
}

/// What it does not have is refused.
pub fn memory(work: &ConfidentialWork) -> Result<u64> {
    Read::bill(&job(work))?;
    if work.value_bits > 64 {
        return Err(Failure::local("--value-bits: a scanned memory has words of up to 64 bits"));
    }
    Ok((16 * 3) << work.key_bits)
}

pub fn cots(work: &ConfidentialWork, role: Role, items: usize) -> (usize, usize) {
    let (send, receive) = Read::bill(&job(work)).expect("checked before the processes started").cots_of(role);
    (send * items, receive * items)
}

pub fn run(work: &ConfidentialWork, mut lanes: Lanes) -> Result<()> {
    let (job, role) = (job(work), lanes.role());
    let table = work.table();
    let mut words = vec![0; 1 << work.key_bits];
    if role == Role::P0 {
        work.keys().iter().zip(&table).for_each(|(&key, &word)| words[key as usize] = word);
    }
    let memory = lanes.once(|p| Memory::new(p, job, &words))?;
    let looked_up: Vec<Vec<Key>> =
        lanes.items().iter().enumerate().map(|(lane, &items)| work.looked_up(lane, items)).collect();
    let items = lanes.items().to_vec();
    let inputs = looked_up.iter().map(|keys| shares(role, work.key_bits, keys)).collect();
    let done = lanes.measure(
        items,
        inputs,
        |p: &mut Party, items| {
            (0..items).map(|_| Read::prepare(p, job)).collect::<std::result::Result<Vec<_>, _>>()
        },
        |p, material: Vec<Read>, x: &Vec<BShare<u32>>| {
            let read = |(read, x): (Read, _)| read.eval(p, &memory, x).map(|word| word.words()[0]);
            material.into_iter().zip(x).map(read).collect::<std::result::Result<Vec<u64>, _>>()
        },
    )?;
    let words = || done.results.iter().flatten().copied();
    done.verify(words, |from| {
        for (key, mine) in looked_up.iter().flatten().zip(done.results.iter().flatten()) {
            if lanes::word(from)? ^ mine != key.row.map_or(0, |row| table[row]) {
                return Err(Failure::Check(format!("the word at {} is wrong", key.key)));
            }
        }
        Ok(())
    })
}

/// Shares of each index by itself.
fn shares(role: Role, bits: u32, keys: &[Key]) -> Vec<BShare<u32>> {
    let share = |(key, mask): (&Key, u64)| {
        let word = if role == Role::P0 { mask } else { mask ^ key.key as u64 };
        BShare::new(bits, vec![prim::low(word, bits) as u32])
    };
    keys.iter().zip(crate::inputs::words("masks", 0, 0)).map(share).collect()
}
