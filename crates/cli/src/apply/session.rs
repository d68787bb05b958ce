//! A job from the first connection to its results.

use std::{path::Path, thread};

use hushtable::{Party, Role};

use super::{
    delivery::Delivery,
    job::{Job, Work},
    lanes::{self, Done},
    stock::{self, Stock},
};
use crate::{
    choice::Choosing,
    cost::{Phase, Phases},
    failure::Result,
    link::Link,
    progress::Progress,
};

/// A party for each lane, the id of the first connection's session, how many lookups of each lane are
/// in the stock, and what that took.
struct Connected {
    lanes: Vec<Party>,
    session: [u8; 32],
    stored: Vec<usize>,
    setup: Phase,
}

/// Connects, computes and delivers. `inputs` are the files that the output must not replace, besides the
/// identity.
pub fn carry_out(
    kind: &str,
    mut job: Job,
    mut stock: Stock,
    choosing: &Choosing,
    delivery: &Delivery,
    link: &Link,
    inputs: &[&Path],
) -> Result<()> {
    let inputs: Vec<_> = inputs.iter().copied().chain(link.identity()).collect();
    let output = delivery.reserve(link.role(), &inputs)?;
    let Connected { mut lanes, session, stored, setup } = connect(&mut job, &mut stock, choosing, link)?;
    let role = lanes[0].role();
    let reserved = stock.reserve(&stored)?;
    let stored = stored.iter().sum();
    let done = {
        let progress = Progress::start("rows", job.rows(), delivery.quiet);
        let inputs = job.lane_words().into_iter().zip(reserved).collect();
        lanes::run(&mut lanes, inputs, |p, (words, stock)| job.lane(p, words, stock, progress.done()))?
    };
    drop(lanes);
    let Done { outcome, offline, online } = done;
    delivery.finish(&job, outcome, output, session, role)?;
    let phases =
        Phases { setup: setup.figures(role), offline: offline.figures(role), online: online.figures(role) };
    if let Some(text) = stock.summary(stored, job.rows()).filter(|_| !delivery.quiet) {
        eprintln!("{text}");
    }
    delivery.summary(kind, &job, role, stored, phases)
}

/// Connects, agrees and sets up.
fn connect(job: &mut Job, stock: &mut Stock, choosing: &Choosing, link: &Link) -> Result<Connected> {
    let (connection, start) = link.open()?;
    let mut p = Party::new(connection, None)?;
    job.agree(&mut p, stock.name())?;
    let count = job.rows();
    if let Work::Lookup(lookup) = &mut job.work {
        lookup.protocol = choosing.settle(&mut p, link.net(), &lookup.job(), count)?;
    }
    let rows = job.lane_rows();
    let stored = stock::shares(&rows, stock.agree(&mut p, count)?);
    let (session, role) = (p.id(), p.role());
    let mut lanes = if job.threads() == 1 { Vec::new() } else { p.fork(job.threads())? };
    let before = Phase::new(start, p.take_cost());
    if lanes.is_empty() {
        lanes.push(p);
    }
    let made = rows.iter().zip(&stored).map(|(rows, stored)| rows - stored).collect();
    let setup = before.then(prepare(job, role, &mut lanes, made)?);
    Ok(Connected { lanes, session, stored, setup })
}

/// Starts the OT extension in each lane, for the rows of each that take new material.
fn prepare(job: &Job, role: Role, lanes: &mut [Party], made: Vec<usize>) -> Result<Phase> {
    let prepare = |(lane, made): (&mut Party, usize)| -> Result<Phase> {
        let (send, recv) = job.cots(role, made)?;
        Ok(Phase::of(lane, |lane| lane.prepare_ot(send, recv))?.1)
    };
    let prepared = thread::scope(|scope| {
        let start = |lane| scope.spawn(move || prepare(lane));
        let threads: Vec<_> = lanes.iter_mut().zip(made).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("a lane")).collect::<Result<Vec<_>>>()
    })?;
    Ok(prepared.into_iter().reduce(Phase::beside).unwrap_or_default())
}
