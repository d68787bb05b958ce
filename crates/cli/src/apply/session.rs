//! A job from the first connection to its results.

use std::{path::Path, slice, sync::atomic::Ordering, thread, time::Instant};

use hushtable::{
    Party,
    run::{self, Done, Phase, Ready, Watch},
};

use super::{
    delivery::Delivery,
    job::{Job, Work},
    output::Output,
    stock::{self, Stock},
};
use crate::{
    choice::Choosing,
    cost::Phases,
    explain,
    failure::Result,
    link::Link,
    progress::Progress,
    record::{About, Record},
};

/// What the parties have when they have agreed, and what that took.
struct Set {
    /// How many lookups of each lane are in the stock.
    stored: Vec<usize>,
    took: Phase,
}

/// Connects, computes and delivers, or only says what that would be. `inputs` are the files that neither output nor
/// record must replace, besides the identity.
pub fn carry_out(
    kind: &str,
    mut job: Job,
    stock: Stock,
    choosing: &Choosing,
    delivery: &Delivery,
    link: &Link,
    inputs: &[&Path],
) -> Result<()> {
    let all: Vec<_> = inputs.iter().copied().chain(link.identity()).collect();
    let explain = |job: &mut Job| explain::text(kind, job, stock.left(job.rows()), choosing, link);
    if delivery.dry_run {
        delivery.check_dry_run(&job, link.role(), &all)?;
        return explain::print(&explain(&mut job)?);
    }
    let output = delivery.reserve(&job, link.role(), &all)?;
    let Some(path) = &delivery.record else {
        return deliver(kind, job, stock, (choosing, delivery, link), output, &mut None);
    };
    let explained = explain(&mut job)?;
    let (store, to) = (stock.name(), output.as_ref().map(Output::path));
    let about = About { command: kind, job: &job, store, link, inputs, output: to, explained };
    let mut record = Some(Record::begin(path, delivery.force, about)?);
    let done = deliver(kind, job, stock, (choosing, delivery, link), output, &mut record);
    record.expect("it is being kept").end(done)
}

/// From connecting to the results.
fn deliver(
    kind: &str,
    mut job: Job,
    mut stock: Stock,
    (choosing, delivery, link): (&Choosing, &Delivery, &Link),
    output: Option<Output>,
    record: &mut Option<Record>,
) -> Result<()> {
    let (connection, start) = link.open()?;
    if let Some(record) = record {
        record.met(&connection);
    }
    let mut p = Party::new(connection, None)?;
    let (role, session, mut lanes) = (p.role(), p.id(), Vec::new());
    let computed = set_up(&mut p, &mut lanes, &mut job, &mut stock, choosing, link, start).and_then(|set| {
        let lanes = if lanes.is_empty() { slice::from_mut(&mut p) } else { &mut lanes[..] };
        Ok((compute(lanes, &job, &mut stock, &set.stored, delivery)?, set))
    });
    // While the connections stand.
    let (Done { outcome, offline, online }, set) = computed.inspect_err(|failure| link.tell(failure))?;
    drop((p, lanes));
    let phases = Phases::of(role, set.took, offline, online);
    if let Some(record) = record {
        record.took(phases);
    }
    delivery.finish(&job, outcome, output, session, role)?;
    let stored = set.stored.iter().sum();
    if let Some(text) = stock.summary(stored, job.rows()).filter(|_| !delivery.quiet) {
        eprintln!("{text}");
    }
    delivery.summary(kind, &job, role, stored, phases)
}

impl Watch for Progress {
    fn done(&self, items: usize) {
        Progress::done(self).fetch_add(items, Ordering::Relaxed);
    }
}

/// Agrees and sets up; several lanes get connections of their own, `lanes`.
fn set_up(
    p: &mut Party,
    lanes: &mut Vec<Party>,
    job: &mut Job,
    stock: &mut Stock,
    choosing: &Choosing,
    link: &Link,
    start: Instant,
) -> Result<Set> {
    job.agree(p, stock.name(), link.is_near())?;
    let count = job.rows();
    if let Work::Lookup(lookup) = &mut job.work {
        let lookup = &mut lookup.operation;
        lookup.protocol = choosing.settle(p, link.net(), &lookup.job, count)?;
    }
    let rows: Vec<usize> = run::pieces(count, job.threads()).iter().map(|at| at.len()).collect();
    let stored = stock::shares(&rows, stock.agree(p, count)?);
    if rows.len() > 1 {
        *lanes = p.fork(rows.len())?;
    }
    let before = Phase::new(start, p.take_cost());
    let lanes = if lanes.is_empty() { slice::from_mut(p) } else { &mut lanes[..] };
    let made = rows.iter().zip(&stored).map(|(rows, stored)| rows - stored).collect();
    let took = before.then(extend(job, lanes, made)?);
    Ok(Set { stored, took })
}

/// Computes in each lane, with what is `stored` for it.
fn compute(
    lanes: &mut [Party],
    job: &Job,
    stock: &mut Stock,
    stored: &[usize],
    delivery: &Delivery,
) -> Result<Done> {
    let ready = stock.reserve(stored)?.into_iter();
    let ready = ready.map(|reserved| Ready { reserved, ..Ready::default() }).collect();
    let operands = job.operands(lanes[0].role());
    let operands: Vec<&[u64]> = operands.iter().map(|x| &x[..]).collect();
    let progress = Progress::start("rows", job.rows(), delivery.quiet);
    Ok(run::run(job.operation(), lanes, ready, &operands, job.reveal, &progress)?)
}

/// Starts the OT extension in each lane, for the rows of each that take new material.
fn extend(job: &Job, lanes: &mut [Party], made: Vec<usize>) -> Result<Phase> {
    let operation = job.operation();
    let prepare = |(lane, made): (&mut Party, usize)| -> Result<Phase> {
        Ok(Phase::of(lane, |lane| run::set_up(operation, lane, made))?.1)
    };
    let prepared = thread::scope(|scope| {
        let start = |lane| scope.spawn(move || prepare(lane));
        let threads: Vec<_> = lanes.iter_mut().zip(made).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("a lane")).collect::<Result<Vec<_>>>()
    })?;
    Ok(prepared.into_iter().reduce(Phase::beside).unwrap_or_default())
}
