//! Jobs over rows: what they bring to a [meeting](crate::meeting).

pub mod lanes;

use std::path::Path;

use crate::{
    agree::{self, Common},
    cost::Phases,
    delivery::{self, Delivery},
    explain::{self, Ahead},
    forecast::Forecast,
    job::{self, Job},
    link::Link,
    meeting::{Agenda, Agreed, Begun, Meeting, SetUp},
    page::Page,
    progress::Progress,
    stock::{self, Stock},
    task::lanes::{Lanes, Part},
};
use hushtable::{
    Party, Role,
    bill::Bill,
    chance::Chance,
    ot::Setting,
    run::{self, Done, Outcome, Phase, Reveal},
};
use hushtable_columns::{
    failure::{Failure, Result},
    output::Output,
    terminal::detail,
};

/// What a command does with the peer: steps over the same rows, in one session.
pub struct Task<'a> {
    /// The subcommand.
    pub kind: &'a str,
    /// The steps, one at least.
    pub jobs: Vec<Job>,
    pub common: Common,
    /// What is done before them.
    pub before: Option<Box<dyn Before>>,
    pub stock: Stock,
    pub delivery: &'a Delivery,
    pub link: &'a Link,
    /// The files that neither output nor record must replace, besides the identity.
    pub inputs: Vec<&'a Path>,
}

/// What gives the first steps their numbers, in the same session.
pub trait Before {
    /// Agrees with the peer on what was left open: the steps as they are then, and what more was compared.
    fn agree(&mut self, p: &mut Party) -> Result<(Vec<Job>, Agreed)>;

    /// What it costs, as far as it is known.
    fn bill(&self, under: &Setting) -> Result<Bill>;

    /// What chance can spoil.
    fn chance(&self) -> Result<Chance>;

    /// Ids of this party's, and what it works on one by one: places in tables and numbers in them.
    fn ids(&self) -> usize;
    fn cells(&self) -> usize;

    /// Puts the numbers in. Returns what was prepared, and what needed the inputs.
    fn carry_out(&mut self, p: &mut Party, jobs: &mut [Job]) -> Result<[Phase; 2]>;
}

/// A task while it runs.
struct Running<'a> {
    task: Task<'a>,
    lanes: Lanes,
    /// What set-up took.
    took: Phase,
    /// Of each step.
    done: Vec<Done>,
}

impl Task<'_> {
    /// What this does, in words.
    pub fn explain(&mut self) -> Result<Page> {
        let choosing = &self.jobs[0].choosing;
        let calibration = choosing.calibration()?;
        let under = Forecast::of(calibration, self.link).under();
        self.suit(&under)?;
        let mut ahead = Ahead { stored: self.stock.left(stock::items(&self.jobs)), ..Ahead::default() };
        if let Some(before) = &self.before {
            (ahead.bill, ahead.chance, ahead.open) = (before.bill(&under)?, before.chance()?, true);
            (ahead.ids, ahead.cells) = (before.ids(), before.cells());
        }
        explain::page(self.kind, &mut self.jobs, &self.common, ahead, (self.link, &self.inputs))
    }

    /// Connects, computes and delivers, or only says what that would be.
    pub fn carry_out(mut self) -> Result<()> {
        let Self { kind, delivery, link, .. } = self;
        if self.common.find_difference && self.jobs[0].ids.is_none() {
            return Err(Failure::new("--find-difference needs ids, and there are none here"));
        }
        delivery.check(&self.jobs, link.role())?;
        self.jobs[0].choosing.optimise.or_money(link.means())?;
        let told = delivery.dry_run || delivery.record.is_some();
        let explained = told.then(|| self.explain()).transpose()?;
        let role = link.role();
        let fields = agree::fields(&self.jobs, &self.common, role, &self.stock.name());
        let jobs = &self.jobs;
        let each = |of: fn(&Job) -> &str| jobs.iter().map(of).collect::<Vec<_>>().join(", ");
        let (rows, column, reveal) = match &self.common.in_common {
            Some(rows) => (rows.rows, jobs[0].column.clone(), rows.reveal()),
            None => (jobs[0].rows(), each(|job| &job.column), each(|job| job.reveal.name())),
        };
        let meeting = Meeting {
            kind,
            file: self.common.file.clone(),
            rows,
            column,
            reveal,
            fields: agree::named(jobs, &fields),
            explained,
            writes: delivery::size(jobs, role),
            delivery,
            link,
            inputs: self.inputs.clone(),
            kept: None,
            wish: Some(jobs[0].choosing.calibration()?.wish(link)),
            outcome: "computed; results are where `reveal` says",
        };
        let (lanes, took, done) = Default::default();
        meeting.carry_out(Running { task: self, lanes, took, done })
    }

    /// Chooses by the setting, where no store says how it is done.
    fn suit(&mut self, under: &Setting) -> Result<()> {
        let none = self.stock.is_none();
        self.jobs.iter_mut().filter(|job| none || !job.stocked).try_for_each(|job| job.suit(under))
    }
}

/// What lanes do of a step.
fn part(job: &Job) -> Part<'_> {
    let (operation, rows, threads) = (job.operation(), job.rows(), job.threads());
    Part { operation, rows, threads, stocked: job.stocked }
}

impl Agenda for Running<'_> {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let task = &mut self.task;
        if task.before.is_none() {
            task.suit(&p.setting())?;
        }
        let mut agreed = agree::agree(p, &task.jobs, &task.common, &task.stock.name())?;
        task.link.note(|record| record.compared(agreed.clone()));
        let mut ahead = (0, 0);
        if let Some(before) = &mut task.before {
            let (jobs, more) = before.agree(p)?;
            task.jobs = jobs;
            agreed.extend(more);
            ahead = before.bill(&p.setting())?.cots_of(p.role());
            task.suit(&p.setting())?;
        }
        let Task { jobs, stock, common, link, .. } = task;
        let peer_signs = agree::settle(p, jobs, common.sign, link.is_near())?;
        for job in jobs.iter_mut() {
            let count = job.rows();
            if let job::Body::Lookup(lookup) = &mut job.body {
                let lookup = &mut lookup.operation;
                lookup.protocol = job.choosing.settle(p, &lookup.job, count)?;
            }
        }
        let parts: Vec<_> = jobs.iter().map(part).collect();
        self.took = self.lanes.start(p, &parts, stock, ahead, begun.start)?;
        Ok(SetUp { agreed, peer_signs: Some(peer_signs), took: self.took })
    }

    /// The steps one after the other, with what is stored for them in each lane.
    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let Self { task: Task { jobs, before, stock, .. }, lanes: several, done: all, .. } = self;
        let [offline, online] = match before {
            Some(before) => before.carry_out(p, jobs)?,
            None => Default::default(),
        };
        let rows: usize = jobs.iter().map(Job::rows).sum();
        let progress = Progress::start("rows", rows);
        // Of several steps nothing is opened before all are done: a later one may refuse its numbers.
        let alone = jobs.len() == 1;
        for step in 0..jobs.len() {
            let job = &jobs[step];
            let ready = several.ready(step, stock)?;
            let lanes = several.of(p);
            let operands = job.operands(lanes[0].role());
            let operands: Vec<&[u64]> = operands.iter().map(|x| &x[..]).collect();
            let to = if alone { job.reveal } else { Reveal::Nobody };
            let done = run::run(job.operation(), lanes, ready, &operands, to, &progress)?;
            let mut later = jobs[step + 1..].iter_mut().filter(|job| job.takes_from(step)).peekable();
            match &done.outcomes[..] {
                [Outcome::Shares(shares)] => later.for_each(|later| later.give(step, shares)),
                _ if later.peek().is_none() => {}
                _ => return Err(Failure::new("a later step takes results that are not one shared column")),
            }
            all.push(done);
        }
        if !alone {
            let first = &mut several.of(p)[0];
            let open = |(job, done): (&Job, Done)| done.open(job.operation(), first, job.reveal);
            *all = jobs.iter().zip(std::mem::take(all)).map(open).collect::<hushtable::Result<_>>()?;
        }
        let sum = |of: fn(&Done) -> Phase| all.iter().map(of).reduce(Phase::then).unwrap_or_default();
        several.end();
        Ok([offline.then(sum(|done| done.offline)), online.then(sum(|done| done.online))])
    }

    fn deliver(self, output: Option<Output>, session: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let Self { task: Task { kind, jobs, common, stock, delivery, .. }, lanes, took, done, .. } = self;
        let each: Vec<_> =
            done.iter().map(|done| Phases::of(role, took, done.offline, done.online)).collect();
        delivery.finish(&jobs, done, output, session, role)?;
        let stored = lanes.stored();
        stock.tell(stored, stock::items(&jobs));
        delivery.tell_threads(jobs[0].threads_are_open(), jobs[0].threads());
        for job in jobs.iter().filter(|job| job.stocked) {
            detail(&format!("{:?} was computed by {}\n", job.column, job.operation().method()));
        }
        let report = |job, rows, phases| delivery.report(kind, (job, rows), role, stored, phases);
        if let Some(rows) = &common.in_common {
            return jobs.iter().find(|job| job.stocked).map_or(Ok(()), |job| report(job, rows.rows, *phases));
        }
        jobs.iter().zip(each).try_for_each(|(job, phases)| report(job, job.rows(), phases))
    }
}
