//! Jobs over rows: what they bring to a [meeting](crate::meeting).

use std::{path::Path, slice, thread};

use crate::{
    agree::{self, Common},
    cost::Phases,
    delivery::{self, Delivery},
    explain,
    job::{self, Job},
    link::Link,
    meeting::{Agenda, Begun, Meeting, SetUp},
    progress::Progress,
    stock::{self, Stock},
};
use hushtable::{
    Party, Role,
    net::LinkShape,
    ot::Setting,
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

/// A task while it runs.
struct Running<'a> {
    task: Task<'a>,
    /// Several have connections of their own.
    lanes: Vec<Party>,
    /// How many items of each lane are in the stock.
    stored: Vec<usize>,
    /// What set-up took.
    took: Phase,
    /// Of each step.
    done: Vec<Done>,
}

impl<'a> Task<'a> {
    /// What this does, in words.
    pub fn explain(&mut self) -> Result<String> {
        let calibration = self.jobs[0].choosing.calibration()?;
        let known = calibration.shape(self.link).unwrap_or(LinkShape::LOOPBACK);
        self.suit(&calibration.machine().setting(known))?;
        let stored = self.stock.left(self.jobs[0].rows());
        explain::text(self.kind, &mut self.jobs, &self.common, stored, self.link)
    }

    /// Connects, computes and delivers, or only says what that would be.
    pub fn carry_out(mut self) -> Result<()> {
        let Self { kind, delivery, link, .. } = self;
        if self.common.find_difference && self.jobs[0].ids.is_none() {
            return Err(Failure::new("--find-difference needs ids, and there are none here"));
        }
        delivery.check(&self.jobs, link.role())?;
        let told = delivery.dry_run || delivery.record.is_some();
        let explained = if told { self.explain()? } else { String::new() };
        let role = link.role();
        let fields = agree::fields(&self.jobs, &self.common, role, &self.stock.name());
        let jobs = &self.jobs;
        let each = |of: fn(&Job) -> &str| jobs.iter().map(of).collect::<Vec<_>>().join(", ");
        let meeting = Meeting {
            kind,
            file: self.common.file.clone(),
            rows: jobs[0].rows(),
            column: each(|job| &job.column),
            reveal: each(|job| job.reveal.name()),
            fields: agree::named(jobs, &fields),
            explained,
            writes: delivery::size(jobs, role),
            delivery,
            link,
            inputs: self.inputs.clone(),
            wish: Some(jobs[0].choosing.calibration()?.wish(link)),
            outcome: "computed; results are where `reveal` says",
        };
        let (lanes, stored, took, done) = Default::default();
        meeting.carry_out(Running { task: self, lanes, stored, took, done })
    }

    /// Chooses by the setting, where no store says how it is done.
    fn suit(&mut self, under: &Setting) -> Result<()> {
        let stored = usize::from(!self.stock.is_none());
        self.jobs.iter_mut().skip(stored).try_for_each(|job| job.suit(under))
    }
}

impl Agenda for Running<'_> {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        self.task.suit(&p.setting())?;
        let Self { task: Task { jobs, stock, common, link, .. }, lanes, stored, .. } = self;
        let (fields, peer_signs) = agree::agree(p, jobs, common, &stock.name(), link.is_near())?;
        link.note(|record| record.compared(agree::named(jobs, &fields)));
        for job in jobs.iter_mut() {
            let count = job.rows();
            if let job::Body::Lookup(lookup) = &mut job.body {
                let lookup = &mut lookup.operation;
                lookup.protocol = job.choosing.settle(p, link.net(), &lookup.job, count)?;
            }
        }
        let count = jobs[0].rows();
        let rows: Vec<usize> = run::pieces(count, jobs[0].threads()).iter().map(|at| at.len()).collect();
        *stored = stock::shares(&rows, stock.agree(p, count)?);
        let made: Vec<usize> = rows.iter().zip(&*stored).map(|(rows, stored)| rows - stored).collect();
        if rows.len() > 1 {
            // The lanes go on with what is started here.
            let most = made.iter().copied().max().unwrap_or_default();
            run::set_up(jobs[0].operation(), p, most)?;
            *lanes = p.fork(rows.len())?;
        }
        let before = Phase::new(begun.start, p.take_cost());
        let lanes = if lanes.is_empty() { slice::from_mut(p) } else { &mut lanes[..] };
        self.took = before.then(extend(&jobs[0], lanes, made)?);
        Ok(SetUp { agreed: agree::named(jobs, &fields), peer_signs, took: self.took })
    }

    /// The steps one after the other, with what is stored for the first in each lane.
    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let Self { task: Task { jobs, stock, delivery, .. }, lanes: several, stored, done: all, .. } = self;
        let lanes = if several.is_empty() { slice::from_mut(p) } else { &mut several[..] };
        let mut ready: Vec<Ready> = stock.reserve(stored)?.into_iter().map(of_store).collect();
        let rows: usize = jobs.iter().map(Job::rows).sum();
        let progress = Progress::start("rows", rows, delivery.quiet);
        // Of several steps nothing is opened before all are done: a later one may refuse its numbers.
        let alone = jobs.len() == 1;
        for step in 0..jobs.len() {
            let job = &jobs[step];
            let none = || lanes.iter().map(|_| Ready::default()).collect();
            let ready = if step == 0 { std::mem::take(&mut ready) } else { none() };
            let operands = job.operands(lanes[0].role());
            let operands: Vec<&[u64]> = operands.iter().map(|x| &x[..]).collect();
            let to = if alone { job.reveal } else { Reveal::Nobody };
            let done = run::run(job.operation(), lanes, ready, &operands, to, &progress)?;
            if let [Outcome::Shares(shares)] = &done.outcomes[..] {
                jobs[step + 1..].iter_mut().for_each(|later| later.give(step, shares));
            }
            all.push(done);
        }
        if !alone {
            let shared = std::mem::take(all);
            let open = |(job, done): (&Job, Done)| -> Result<Done> {
                Ok(done.open(job.operation(), &mut lanes[0], job.reveal)?)
            };
            *all = jobs.iter().zip(shared).map(open).collect::<Result<_>>()?;
        }
        let sum = |of: fn(&Done) -> Phase| all.iter().map(of).reduce(Phase::then).unwrap_or_default();
        let phases = [sum(|done| done.offline), sum(|done| done.online)];
        several.clear();
        Ok(phases)
    }

    fn deliver(self, output: Option<Output>, session: [u8; 32], role: Role, _: &Phases) -> Result<()> {
        let Self { task: Task { kind, jobs, stock, delivery, .. }, stored, took, done, .. } = self;
        let phases: Vec<_> =
            done.iter().map(|done| Phases::of(role, took, done.offline, done.online)).collect();
        let outcomes = done.into_iter().flat_map(|done| done.outcomes).collect();
        delivery.finish(&jobs, outcomes, output, session, role)?;
        let stored = stored.iter().sum();
        if let Some(text) = stock.summary(stored, jobs[0].rows()).filter(|_| !delivery.quiet) {
            eprintln!("{text}");
        }
        delivery.summary(&jobs);
        jobs.iter().zip(phases).try_for_each(|(job, phases)| delivery.report(kind, job, role, stored, phases))
    }
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
