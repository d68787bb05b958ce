//! A job from the first connection to its results.

use std::{path::Path, sync::atomic::Ordering, thread};

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

/// A party for each lane, the id of the first connection's session, how many lookups of each lane are
/// in the stock, and what that took.
struct Connected {
    lanes: Vec<Party>,
    session: [u8; 32],
    stored: Vec<usize>,
    setup: Phase,
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
        delivery.check_dry_run(job.reveal, link.role(), &all)?;
        return explain::print(&explain(&mut job)?);
    }
    let output = delivery.reserve(job.reveal, link.role(), &all)?;
    let Some(path) = &delivery.record else {
        return compute(kind, job, stock, (choosing, delivery, link), output, &mut None);
    };
    let explained = explain(&mut job)?;
    let (store, to) = (stock.name(), output.as_ref().map(Output::path));
    let about = About { command: kind, job: &job, store, link, inputs, output: to, explained };
    let mut record = Some(Record::begin(path, delivery.force, about)?);
    let done = compute(kind, job, stock, (choosing, delivery, link), output, &mut record);
    record.expect("it is being kept").end(done)
}

/// From connecting to the results.
fn compute(
    kind: &str,
    mut job: Job,
    mut stock: Stock,
    (choosing, delivery, link): (&Choosing, &Delivery, &Link),
    output: Option<Output>,
    record: &mut Option<Record>,
) -> Result<()> {
    let connected = connect(&mut job, &mut stock, choosing, link, record)?;
    let Connected { mut lanes, session, stored, setup } = connected;
    let role = lanes[0].role();
    let ready = stock.reserve(&stored)?.into_iter();
    let ready = ready.map(|reserved| Ready { reserved, ..Ready::default() }).collect();
    let stored = stored.iter().sum();
    let operands = job.operands(role);
    let operands: Vec<&[u64]> = operands.iter().map(|x| &x[..]).collect();
    let Done { outcome, offline, online } = {
        let progress = Progress::start("rows", job.rows(), delivery.quiet);
        run::run(job.operation(), &mut lanes, ready, &operands, job.reveal, &progress)?
    };
    drop(lanes);
    let phases = Phases::of(role, setup, offline, online);
    if let Some(record) = record {
        record.took(phases);
    }
    delivery.finish(&job, outcome, output, session, role)?;
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

/// Connects, agrees and sets up.
fn connect(
    job: &mut Job,
    stock: &mut Stock,
    choosing: &Choosing,
    link: &Link,
    record: &mut Option<Record>,
) -> Result<Connected> {
    let (connection, start) = link.open()?;
    if let Some(record) = record {
        record.met(&connection);
    }
    let mut p = Party::new(connection, None)?;
    job.agree(&mut p, stock.name())?;
    let count = job.rows();
    if let Work::Lookup(lookup) = &mut job.work {
        let lookup = &mut lookup.operation;
        lookup.protocol = choosing.settle(&mut p, link.net(), &lookup.job, count)?;
    }
    let rows: Vec<usize> = run::pieces(count, job.threads()).iter().map(|at| at.len()).collect();
    let stored = stock::shares(&rows, stock.agree(&mut p, count)?);
    let session = p.id();
    let mut lanes = if rows.len() == 1 { Vec::new() } else { p.fork(rows.len())? };
    let before = Phase::new(start, p.take_cost());
    if lanes.is_empty() {
        lanes.push(p);
    }
    let made = rows.iter().zip(&stored).map(|(rows, stored)| rows - stored).collect();
    let setup = before.then(set_up(job, &mut lanes, made)?);
    Ok(Connected { lanes, session, stored, setup })
}

/// Starts the OT extension in each lane, for the rows of each that take new material.
fn set_up(job: &Job, lanes: &mut [Party], made: Vec<usize>) -> Result<Phase> {
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
