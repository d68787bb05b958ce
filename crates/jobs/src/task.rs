//! A job from the first connection to its results.

use std::{path::Path, slice, thread, time::Instant};

use crate::{
    agree::{self, Agreed, Common},
    cost::Phases,
    delivery::Delivery,
    explain,
    job::{Job, Work},
    link::Link,
    progress::Progress,
    record::{About, Record},
    seal::seal,
    stock::{self, Stock},
};
use hushtable::{
    Party,
    net::LinkShape,
    run::{self, Done, Outcome, Phase, Ready, Reveal},
};
use hushtable_columns::{
    failure::{Failure, Result},
    output::Output,
};

/// What a command does with the peer: steps over the same rows, in one session.
pub struct Task<'a> {
    /// The subcommand.
    pub kind: &'a str,
    /// The steps, one at least.
    pub jobs: Vec<Job>,
    pub common: Common,
    /// For the first step.
    pub stock: Stock,
    pub delivery: &'a Delivery,
    pub link: &'a Link,
    /// The files that neither output nor record must replace, besides the identity.
    pub inputs: Vec<&'a Path>,
}

/// What the parties have when they have agreed, and what that took.
struct Set {
    agreed: Agreed,
    /// How many items of each lane are in the stock.
    stored: Vec<usize>,
    took: Phase,
}

impl Task<'_> {
    /// What this does, in words.
    pub fn explain(&mut self) -> Result<String> {
        let known = self.jobs[0].choosing.calibration()?.shape(self.link);
        self.suit(&known.unwrap_or(LinkShape::LOOPBACK))?;
        let stored = self.stock.left(self.jobs[0].rows());
        explain::text(self.kind, &mut self.jobs, &self.common, stored, self.link)
    }

    /// Connects, computes and delivers, or only says what that would be.
    pub fn carry_out(mut self) -> Result<()> {
        let Self { delivery, link, .. } = self;
        self.check()?;
        let all: Vec<_> = self.inputs.iter().copied().chain(link.identity()).collect();
        if delivery.dry_run {
            delivery.check_dry_run(&self.jobs, link.role(), &all)?;
            return explain::print(&self.explain()?);
        }
        let output = delivery.reserve(&self.jobs, link.role(), &all)?;
        let Some(path) = &delivery.record else {
            return self.deliver(output);
        };
        let explained = self.explain()?;
        let (store, to) = (self.stock.name(), output.as_ref().map(Output::path));
        let fields = agree::fields(&self.jobs, &self.common, link.role(), &store);
        let fields = agree::named(&self.jobs, &fields);
        let Self { kind, jobs, inputs, common, .. } = &self;
        let file = common.file.clone();
        let each = |of: fn(&Job) -> &str| jobs.iter().map(of).collect::<Vec<_>>().join(", ");
        let (rows, column, reveal) = (jobs[0].rows(), each(|job| &job.column), each(|job| job.reveal.name()));
        let about = About {
            command: kind,
            file,
            rows,
            column,
            reveal,
            fields,
            role: link.role(),
            ends: link.ends()?,
            identity: link.identity(),
            inputs,
            output: to,
            explained,
        };
        let identity = link.identity().filter(|_| delivery.sign);
        link.keep(Record::begin(path, delivery.force, about)?.signed_by(identity));
        link.end_record(self.deliver(output))
    }

    /// An error for what is asked for and cannot be had here.
    fn check(&self) -> Result<()> {
        if self.common.sign && self.link.identity().is_none() {
            return Err(Failure::new("--sign needs --identity DIR: with plain TCP nobody has a key"));
        }
        if self.common.find_difference && self.jobs[0].ids.is_none() {
            return Err(Failure::new("--find-difference needs ids, and there are none here"));
        }
        Ok(())
    }

    /// From connecting to the results.
    fn deliver(mut self, output: Option<Output>) -> Result<()> {
        let wish = self.jobs[0].choosing.calibration()?.wish(self.link);
        let (connection, start) = self.link.open()?;
        self.link.note(|record| record.met(&connection));
        let mut p = Party::new(connection, wish)?;
        let (role, session, mut lanes) = (p.role(), p.id(), Vec::new());
        let computed = self.set_up(&mut p, &mut lanes, start).and_then(|set| {
            let lanes = if lanes.is_empty() { slice::from_mut(&mut p) } else { &mut lanes[..] };
            Ok((self.compute(lanes, &set.stored)?, set))
        });
        // While the connections stand.
        let (done, set) = computed.inspect_err(|failure| self.link.tell(failure))?;
        let (all, wishes) =
            (agree::named(&self.jobs, &set.agreed.fields), [self.common.sign, set.agreed.sign]);
        seal(self.link, &mut p, wishes, (self.kind, &all, "computed; results are where `reveal` says"));
        drop((p, lanes));
        let all = |of: fn(&Done) -> Phase| done.iter().map(of).reduce(Phase::then).unwrap_or_default();
        let whole = Phases::of(role, set.took, all(|done| done.offline), all(|done| done.online));
        self.link.note(|record| record.took(whole));
        let Self { kind, jobs, stock, delivery, .. } = self;
        let phases: Vec<_> =
            done.iter().map(|done| Phases::of(role, set.took, done.offline, done.online)).collect();
        let outcomes = done.into_iter().map(|done| done.outcome).collect();
        delivery.finish(&jobs, outcomes, output, session, role)?;
        let stored = set.stored.iter().sum();
        if let Some(text) = stock.summary(stored, jobs[0].rows()).filter(|_| !delivery.quiet) {
            eprintln!("{text}");
        }
        delivery.summary(&jobs, &whole);
        jobs.iter().zip(phases).try_for_each(|(job, phases)| delivery.report(kind, job, role, stored, phases))
    }

    /// Chooses by the link, where no store says how it is done.
    fn suit(&mut self, link: &LinkShape) -> Result<()> {
        let stored = usize::from(!self.stock.is_none());
        self.jobs.iter_mut().skip(stored).try_for_each(|job| job.suit(link))
    }

    /// Agrees and sets up; several lanes get connections of their own, `lanes`.
    fn set_up(&mut self, p: &mut Party, lanes: &mut Vec<Party>, start: Instant) -> Result<Set> {
        self.suit(&p.link())?;
        let Self { jobs, stock, link, .. } = self;
        let agreed = agree::agree(p, jobs, &self.common, &stock.name(), link.is_near())?;
        link.note(|record| record.compared(agree::named(jobs, &agreed.fields)));
        for job in jobs.iter_mut() {
            let count = job.rows();
            if let Work::Lookup(lookup) = &mut job.work {
                let lookup = &mut lookup.operation;
                lookup.protocol = job.choosing.settle(p, link.net(), &lookup.job, count)?;
            }
        }
        let count = jobs[0].rows();
        let rows: Vec<usize> = run::pieces(count, jobs[0].threads()).iter().map(|at| at.len()).collect();
        let stored = stock::shares(&rows, stock.agree(p, count)?);
        let made: Vec<usize> = rows.iter().zip(&stored).map(|(rows, stored)| rows - stored).collect();
        if rows.len() > 1 {
            // The lanes go on with what is started here.
            let most = made.iter().copied().max().unwrap_or_default();
            run::set_up(jobs[0].operation(), p, most)?;
            *lanes = p.fork(rows.len())?;
        }
        let before = Phase::new(start, p.take_cost());
        let lanes = if lanes.is_empty() { slice::from_mut(p) } else { &mut lanes[..] };
        let took = before.then(extend(&jobs[0], lanes, made)?);
        Ok(Set { agreed, stored, took })
    }

    /// Computes the steps one after the other, with what is `stored` for the first in each lane.
    fn compute(&mut self, lanes: &mut [Party], stored: &[usize]) -> Result<Vec<Done>> {
        let mut ready: Vec<Ready> = self.stock.reserve(stored)?.into_iter().map(of_store).collect();
        let rows: usize = self.jobs.iter().map(Job::rows).sum();
        let progress = Progress::start("rows", rows, self.delivery.quiet);
        // Of several steps nothing is opened before all are done: a later one may refuse its numbers.
        let alone = self.jobs.len() == 1;
        let mut all = Vec::new();
        for step in 0..self.jobs.len() {
            let job = &self.jobs[step];
            let none = || lanes.iter().map(|_| Ready::default()).collect();
            let ready = if step == 0 { std::mem::take(&mut ready) } else { none() };
            let operands = job.operands(lanes[0].role());
            let operands: Vec<&[u64]> = operands.iter().map(|x| &x[..]).collect();
            let to = if alone { job.reveal } else { Reveal::Nobody };
            let done = run::run(job.operation(), lanes, ready, &operands, to, &progress)?;
            if let Outcome::Shares(shares) = &done.outcome {
                self.jobs[step + 1..].iter_mut().for_each(|later| later.give(step, shares));
            }
            all.push(done);
        }
        match alone {
            true => Ok(all),
            false => self.jobs.iter().zip(all).map(|(job, done)| opened(job, done, &mut lanes[0])).collect(),
        }
    }
}

/// The results of a step, opened to whom they go.
fn opened(job: &Job, done: Done, p: &mut Party) -> Result<Done> {
    let Done { outcome: Outcome::Shares(shares), offline, online } = done else { return Ok(done) };
    let held = job.operation().result();
    let (outcome, opening) = Phase::of(p, |p| job.reveal.open(p, held, shares))?;
    Ok(Done { outcome, offline, online: online.then(opening) })
}

fn of_store(reserved: Option<hushtable::store::Reserved>) -> Ready {
    Ready { reserved, ..Ready::default() }
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
