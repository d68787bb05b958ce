//! FABLE: retrieval under homomorphic encryption.

use std::{io::Read, time::Instant};

use hushtable::{
    BShare, Error, Party, Role,
    bill::Objective,
    net::LinkShape,
    plan::{Machine, Wanted},
    run::Phase,
    session::Session,
};
use hushtable_baselines::fable::{Fable, FableJob, FableRows, FableTable, Rounds, Step as Part};
use hushtable_columns::failure::{Failure, Result};

use super::asked::{ConfidentialWork, Key, Rounds as Asked};
use crate::lanes::{self, Lanes, Step};

/// Lookups that share a query.
const MOST: usize = 4096;

fn job(work: &ConfidentialWork) -> FableJob {
    let job = FableJob::new(Role::P0, work.cipher(), work.key_bits, work.value_bits, work.rows);
    job.with_rounds(Rounds::garbling(&work.garbled))
}

/// What is garbled, as is asked for or else by what is predicted to take the least time.
pub fn choose(work: &mut ConfidentialWork, link: &LinkShape) -> Result<()> {
    let rounds = match work.rounds.unwrap_or(Asked::Many) {
        Asked::Many => Rounds::MANY,
        Asked::Few => Rounds::FEW,
        Asked::Auto => {
            let wanted = Wanted::new(Objective::Total, *link, Machine::REFERENCE);
            Rounds::suiting(&job(work), work.batch.min(MOST), &wanted)?
        }
    };
    work.garbled = rounds.garbled().into_iter().map(String::from).collect();
    Ok(())
}

/// Bytes of both processes together, about: the places of all buckets, what is kept of a row, the query and what is
/// added up of it.
pub fn memory(work: &ConfidentialWork) -> Result<u64> {
    let sizes = job(work).sizes(work.batch.min(MOST))?;
    let polynomial = 8 * sizes.slots as u64;
    let query = 3 * 2 * 3 * sizes.code as u64 * polynomial;
    let columns = 2 * (16 + 5 * polynomial / sizes.slots as u64) * (sizes.slots * sizes.code) as u64;
    let sums = 2 * 3 * 7 * sizes.responses() as u64 * polynomial;
    Ok(4 * (sizes.columns * sizes.slots) as u64 + 120 * work.rows as u64 + query + columns + sums + (1 << 28))
}

pub fn cots(work: &ConfidentialWork, role: Role, items: usize) -> (usize, usize) {
    let job = job(work);
    let of =
        pieces(items).map(|count| Fable::bill(&job, count).expect("checked before the processes started"));
    of.map(|bill| bill.cots_of(role)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

fn pieces(items: usize) -> impl Iterator<Item = usize> {
    (0..items).step_by(MOST).map(move |from| MOST.min(items - from))
}

pub fn run(work: &ConfidentialWork, lanes: Lanes) -> Result<()> {
    let (job, role) = (job(work), lanes.role());
    let (rows, keys) = (work.table(), work.keys());
    let keys: Vec<u64> = keys.into_iter().map(|key| key as u64).collect();
    let table = FableTable::new(&job, &keys, &rows)?;
    let table = (role == job.owner).then_some(&table);
    let looked_up: Vec<Vec<Key>> =
        lanes.items().iter().enumerate().map(|(lane, &items)| work.looked_up(lane, items)).collect();
    let inputs = looked_up.iter().map(|keys| shares(role, work.key_bits, keys)).collect();
    let items = lanes.items().to_vec();
    let done = lanes.measure(
        items,
        inputs,
        |p: &mut Party, items| pieces(items).map(|count| Fable::prepare(p, job, count, table)).collect(),
        |p, material: Vec<Fable>, x: &BShare<u64>| {
            let mut from = 0;
            let piece = |fable: Fable| {
                let at = from..from + fable.len();
                from = at.end;
                let x = BShare::new(x.bits(), x.words()[at].to_vec());
                if work.steps {
                    in_steps(p, fable, &x)
                } else {
                    fable.eval(p, &x).map(|rows| (rows, Vec::new()))
                }
            };
            material.into_iter().map(piece).collect::<std::result::Result<Vec<_>, _>>()
        },
    )?;
    // A lane's pieces follow each other, lanes run side by side.
    let lane = |pieces: &Vec<(FableRows, Vec<Step>)>| {
        pieces.iter().map(|(_, steps)| steps.clone()).reduce(|a, b| joined(a, b, Phase::then))
    };
    let steps = done.results.iter().filter_map(lane).reduce(|a, b| joined(a, b, Phase::beside));
    let done = done.with_steps(steps.unwrap_or_default());
    let mine = |lane: usize| done.results[lane].iter().map(|(rows, _)| rows);
    let words = || (0..done.results.len()).flat_map(mine).flat_map(words_of);
    done.verify(words, |from| {
        (0..).zip(&looked_up).try_for_each(|(lane, keys)| check(&rows, keys, mine(lane), from))
    })
}

/// A batch, and what each step of it took; the share conversion of the paper is none here, and its server's set-up
/// is a part of the offline phase.
fn in_steps(
    s: &mut Session,
    fable: Fable,
    x: &BShare<u64>,
) -> std::result::Result<(FableRows, Vec<Step>), Error> {
    let mut steps = Vec::new();
    let mut start = Instant::now();
    let rows = fable.eval_watched(s, x, |s, part| {
        let name = match part {
            Part::Deduplication => "deduplication",
            Part::Oprf => "oprf",
            Part::Query => "query",
            Part::Answer => "answer",
            Part::Extract => "extract",
            Part::Decode => "decode",
            Part::Expansion => "expansion",
        };
        steps.push(Step { name: name.into(), phase: Phase::new(start, s.take_cost()) });
        start = Instant::now();
        Ok(())
    })?;
    Ok((rows, steps))
}

fn joined(a: Vec<Step>, b: Vec<Step>, both: impl Fn(Phase, Phase) -> Phase) -> Vec<Step> {
    let step = |(a, b): (Step, Step)| Step { phase: both(a.phase, b.phase), ..a };
    a.into_iter().zip(b).map(step).collect()
}

/// Shares of the keys.
fn shares(role: Role, bits: u32, keys: &[Key]) -> BShare<u64> {
    let words = keys.iter().zip(crate::inputs::words("masks", 0, 0)).map(|(key, mask)| match role {
        Role::P0 => prim::low(mask, bits),
        Role::P1 => prim::low(mask ^ key.key as u64, bits),
    });
    BShare::new(bits, words.collect())
}

/// A party's shares, lookup by lookup: the value, and whether it is present.
fn words_of(rows: &FableRows) -> impl Iterator<Item = u64> + '_ {
    let present = |item: usize| rows.present.words()[item / 64] >> (item % 64) & 1;
    (0..rows.values.len()).flat_map(move |item| [rows.values.words()[item], present(item)])
}

/// Compares every value; `from` has the shares of P0.
fn check<'a>(
    table: &[u64],
    keys: &[Key],
    mine: impl Iterator<Item = &'a FableRows>,
    from: &mut dyn Read,
) -> Result<()> {
    let mut mine = mine.flat_map(words_of);
    for key in keys {
        let want = [key.row.map_or(0, |row| table[row]), u64::from(key.row.is_some())];
        for want in want {
            if lanes::word(from)? ^ mine.next().expect("two words for each key") != want {
                return Err(Failure::Check(format!("the value of key {} is wrong", key.key)));
            }
        }
    }
    Ok(())
}
