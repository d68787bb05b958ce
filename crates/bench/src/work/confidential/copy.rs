//! Design A: an encrypted copy.

use std::io::Read;

use hushtable::{
    BShare, Party, Role,
    confidential::copy::{CopyJob, EncryptedCopy, Held, Keys, Lookups, MAX_JOB, Owner, Rows},
};
use hushtable_columns::failure::{Failure, Result};

use super::asked::{ConfidentialWork, Key, Places};
use crate::lanes::{self, Lanes};

pub(super) fn job(work: &ConfidentialWork) -> CopyJob {
    let (bits, rows) = (work.key_bits, work.rows as u32);
    let keys = match work.places {
        Places::All => Keys::All { bits },
        Places::Dense => Keys::Dense { bits },
        Places::Auto if bits <= 24 => Keys::Dense { bits },
        Places::Sparse | Places::Auto => {
            Keys::Sparse { bits, rows, lookups: u32::try_from(work.batch).unwrap_or(MAX_JOB) }
        }
    };
    CopyJob { owner: Role::P0, cipher: work.cipher(), keys, row_bits: work.value_bits }
}

/// Bytes of both processes together, about.
pub fn memory(work: &ConfidentialWork) -> Result<u64> {
    let job = job(work);
    let kept = Lookups::bill(&job, 1)?.kept / 8;
    Ok(job.copy_bits() / 2 + 40 * work.rows as u64 * job.row_words() as u64 + 2 * kept * work.batch as u64)
}

pub fn cots(work: &ConfidentialWork, role: Role, items: usize) -> (usize, usize) {
    let job = job(work);
    let of = pieces(&job, items)
        .map(|count| Lookups::bill(&job, count).expect("checked before the processes started"));
    of.map(|bill| bill.cots_of(role)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Batches of as many as there may be.
fn pieces(job: &CopyJob, items: usize) -> impl Iterator<Item = usize> + use<> {
    let most = job.most().max(1);
    (0..items).step_by(most).map(move |from| most.min(items - from))
}

/// What a party looks up in.
enum Side {
    Owner(Box<Owner>),
    Copy(EncryptedCopy),
}

pub fn run(work: &ConfidentialWork, mut lanes: Lanes) -> Result<()> {
    let (job, role) = (job(work), lanes.role());
    let table = work.table();
    let keys = work.keys();
    let side = lanes.once(|p| match p.role() {
        Role::P0 => {
            let owner = Owner::encrypt(job, &keys, &table)?;
            owner.send(p)?;
            Ok(Side::Owner(owner.into()))
        }
        Role::P1 => EncryptedCopy::receive(p, job).map(Side::Copy),
    })?;
    let looked_up: Vec<Vec<Key>> =
        lanes.items().iter().enumerate().map(|(lane, &items)| work.looked_up(lane, items)).collect();
    let inputs = looked_up.iter().map(|keys| shares(role, &job, keys)).collect();
    let items = lanes.items().to_vec();
    let done = lanes.measure(
        items,
        inputs,
        |p: &mut Party, items| pieces(&job, items).map(|count| Lookups::prepare(p, job, count)).collect(),
        |p, material: Vec<Lookups>, x: &Vec<BShare<u64>>| {
            let mut from = 0;
            let piece = |lookups: Lookups| {
                let at = from..from + lookups.len();
                from = at.end;
                let held = match &side {
                    Side::Owner(owner) => Held::Owner(owner),
                    Side::Copy(copy) => Held::Copy(copy),
                };
                let x: Vec<BShare<u64>> = x
                    .iter()
                    .map(|word| BShare::new(word.bits(), word.words()[at.clone()].to_vec()))
                    .collect();
                lookups.eval(p, held, &x)
            };
            material.into_iter().map(piece).collect::<std::result::Result<Vec<Rows>, _>>()
        },
    )?;
    let words = || done.results.iter().flatten().flat_map(words_of);
    done.verify(words, |from| {
        looked_up.iter().zip(&done.results).try_for_each(|(keys, mine)| {
            let mine: Vec<u64> = mine.iter().flat_map(words_of).collect();
            check(work, &table, keys, &mine, from)
        })
    })
}

/// Shares of the keys' words.
pub(super) fn shares(role: Role, job: &CopyJob, keys: &[Key]) -> Vec<BShare<u64>> {
    let word = |i: usize| {
        let width = (job.keys.bits() - 64 * i as u32).min(64);
        let mask = crate::inputs::words("masks", 0, i as u64);
        let words = keys.iter().zip(mask).map(|(key, mask)| match role {
            Role::P0 => prim::low(mask, width),
            Role::P1 => prim::low(mask ^ (key.key >> (64 * i)) as u64, width),
        });
        BShare::new(width, words.collect())
    };
    (0..job.key_words()).map(word).collect()
}

/// A party's shares, lookup by lookup: the row, and whether it is present.
pub(super) fn words_of(rows: &Rows) -> impl Iterator<Item = u64> + '_ {
    (0..rows.words[0].len()).flat_map(move |item| {
        let row = rows.words.iter().map(move |word| word.words()[item]);
        let present = rows.present.as_ref().map(|bits| bits.words()[item / 64] >> (item % 64) & 1);
        row.chain(present)
    })
}

/// Compares every row; `from` has the shares of P0.
pub(super) fn check(
    work: &ConfidentialWork,
    table: &[u64],
    keys: &[Key],
    mine: &[u64],
    from: &mut dyn Read,
) -> Result<()> {
    let len = work.row_words();
    let each = mine.len() / keys.len().max(1);
    for (key, mine) in keys.iter().zip(mine.chunks_exact(each)) {
        let row = key.row.map(|row| &table[row * len..][..len]);
        let want = |i: usize| match i < len {
            true => row.map_or(0, |row| row[i]),
            false => u64::from(row.is_some()),
        };
        for (i, mine) in mine.iter().enumerate() {
            if lanes::word(from)? ^ mine != want(i) {
                return Err(Failure::Check(format!("the row of key {} is wrong", key.key)));
            }
        }
    }
    Ok(())
}
