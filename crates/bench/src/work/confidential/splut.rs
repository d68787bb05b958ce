//! SP-LUT: the table goes over masked for each lookup.

use hushtable::{
    BShare, Party, Role,
    confidential::{
        copy::{CopyJob, Rows},
        splut::{SpLutJob, SpLutLookups, SpLutTable},
    },
};
use hushtable_columns::failure::Result;

use super::{
    asked::{ConfidentialWork, Key},
    copy::{check, shares, words_of},
};
use crate::lanes::Lanes;

/// The same table as a copy's.
fn table(work: &ConfidentialWork) -> CopyJob {
    super::copy::job(work)
}

fn job(work: &ConfidentialWork) -> SpLutJob {
    let CopyJob { owner, keys, row_bits, .. } = table(work);
    SpLutJob { owner, keys, row_bits }
}

/// Bytes of both processes together, about: material, and messages under way.
pub fn memory(work: &ConfidentialWork) -> Result<u64> {
    let one = SpLutLookups::bill(&job(work), 1)?;
    Ok(2 * one.kept / 8 * work.batch as u64 + one.online.all_bits() + 120 * work.rows as u64)
}

pub fn cots(work: &ConfidentialWork, role: Role, items: usize) -> (usize, usize) {
    SpLutLookups::bill(&job(work), items).expect("checked before the processes started").cots_of(role)
}

pub fn run(work: &ConfidentialWork, lanes: Lanes) -> Result<()> {
    let (job, role) = (job(work), lanes.role());
    let (rows, keys) = (work.table(), work.keys());
    let owned = (role == job.owner).then(|| SpLutTable::new(job, &keys, &rows)).transpose()?;
    let looked_up: Vec<Vec<Key>> =
        lanes.items().iter().enumerate().map(|(lane, &items)| work.looked_up(lane, items)).collect();
    let inputs = looked_up.iter().map(|keys| shares(role, &table(work), keys)).collect();
    let items = lanes.items().to_vec();
    let done = lanes.measure(
        items,
        inputs,
        |p: &mut Party, items| SpLutLookups::prepare(p, job, items),
        |p, material: SpLutLookups, x: &Vec<BShare<u64>>| material.eval(p, owned.as_ref(), &x[0]),
    )?;
    let words = || done.results.iter().flat_map(words_of);
    done.verify(words, |from| {
        looked_up.iter().zip(&done.results).try_for_each(|(keys, mine): (_, &Rows)| {
            let mine: Vec<u64> = words_of(mine).collect();
            check(work, &rows, keys, &mine, from)
        })
    })
}
