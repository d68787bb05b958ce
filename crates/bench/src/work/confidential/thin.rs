//! Design B: a store for each batch, read by ids.

use hushtable::{
    BShare, Party, Role,
    confidential::{
        copy::Rows,
        planner::paced,
        thin::{Pace, Table, ThinJob, ThinLookups},
    },
    net::LinkShape,
    plan::{Machine, Objective, Wanted},
};
use hushtable_columns::failure::Result;

use super::{
    asked::{ConfidentialWork, Key, Rounds},
    copy::{check, shares, words_of},
};
use crate::lanes::Lanes;

fn job(work: &ConfidentialWork) -> ThinJob {
    let pace = Pace::all().nth(work.pace).expect("one of all");
    ThinJob { table: super::copy::job(work), distinct: work.distinct, pace }
}

/// How few rounds, as is asked for or else by what is predicted to take the least time.
pub fn choose(work: &mut ConfidentialWork, link: &LinkShape) -> Result<()> {
    let objective = match work.rounds.unwrap_or(Rounds::Auto) {
        Rounds::Many => return Ok(()),
        Rounds::Few => Objective::Rounds,
        Rounds::Auto => Objective::Total,
    };
    let asked = job(work);
    let first = pieces(&asked, work.batch).next().unwrap_or(1);
    let pace = paced(asked, first, &Wanted::new(objective, *link, Machine::REFERENCE))?.pace;
    work.pace = Pace::all().position(|other| other == pace).expect("one of all");
    Ok(())
}

/// Bytes of both processes together, about.
pub fn memory(work: &ConfidentialWork) -> Result<u64> {
    let job = job(work);
    let first = pieces(&job, work.batch).next().unwrap_or(1);
    let kept = ThinLookups::bill(&job, first)?.kept / 8;
    let rows = (work.rows as u64).max(1 << work.key_bits.min(24));
    Ok(2 * kept + (20 + 30 * job.table.row_words() as u64) * rows)
}

pub fn cots(work: &ConfidentialWork, role: Role, items: usize) -> (usize, usize) {
    let job = job(work);
    let of = pieces(&job, items)
        .map(|count| ThinLookups::bill(&job, count).expect("checked before the processes started"));
    of.map(|bill| bill.cots_of(role)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Batches as large as there may be, all about as large.
fn pieces(job: &ThinJob, items: usize) -> impl Iterator<Item = usize> + use<> {
    let batches = items.div_ceil(job.most().max(1)).max(1);
    let each = items.div_ceil(batches).max(1);
    (0..items).step_by(each).map(move |from| each.min(items - from))
}

pub fn run(work: &ConfidentialWork, mut lanes: Lanes) -> Result<()> {
    let (job, role) = (job(work), lanes.role());
    let rows = work.table();
    let keys = work.keys();
    let table = lanes.once(|p| match p.role() {
        Role::P0 => Table::new(job.table, &keys, &rows).map(Some),
        Role::P1 => Ok(None),
    })?;
    let looked_up: Vec<Vec<Key>> =
        lanes.items().iter().enumerate().map(|(lane, &items)| work.looked_up(lane, items)).collect();
    let inputs = looked_up.iter().map(|keys| shares(role, &job.table, keys)).collect();
    let items = lanes.items().to_vec();
    let done = lanes.measure(
        items,
        inputs,
        |p: &mut Party, items| {
            pieces(&job, items).map(|count| ThinLookups::prepare(p, job, table.as_ref(), count)).collect()
        },
        |p, material: Vec<ThinLookups>, x: &Vec<BShare<u64>>| {
            let mut from = 0;
            let piece = |lookups: ThinLookups| {
                let at = from..from + lookups.len();
                from = at.end;
                let part = |word: &BShare<u64>| BShare::new(word.bits(), word.words()[at.clone()].to_vec());
                lookups.eval(p, &x.iter().map(part).collect::<Vec<_>>())
            };
            material.into_iter().map(piece).collect::<std::result::Result<Vec<Rows>, _>>()
        },
    )?;
    let words = || done.results.iter().flatten().flat_map(words_of);
    done.verify(words, |from| {
        looked_up.iter().zip(&done.results).try_for_each(|(keys, mine)| {
            let mine: Vec<u64> = mine.iter().flat_map(words_of).collect();
            check(work, &rows, keys, &mine, from)
        })
    })
}
