//! The lanes of a task, and what of each step comes from a store.

use std::{slice, thread, time::Instant};

use crate::{
    job::Job,
    stock::{self, Stock},
};
use hushtable::{
    Party,
    run::{self, Phase, Ready},
};
use hushtable_columns::failure::Result;

/// Connections with a thread each; a single lane is the session's own connection.
#[derive(Default)]
pub struct Lanes {
    several: Vec<Party>,
    /// How many items of each lane are in the stock, step by step.
    stored: Vec<Vec<usize>>,
}

impl Lanes {
    /// As many as the parties have agreed on, each with the OT extension for what it makes; the session itself makes
    /// `ahead` besides. Returns what took place since `begun`.
    pub fn start(
        &mut self,
        p: &mut Party,
        jobs: &[Job],
        stock: &mut Stock,
        ahead: (usize, usize),
        begun: Instant,
    ) -> Result<Phase> {
        let pieces = |job: &Job, lanes| run::pieces(job.rows(), lanes);
        let count = jobs.iter().map(|job| pieces(job, job.threads()).len()).max().unwrap_or_default();
        let rows: Vec<Vec<usize>> =
            jobs.iter().map(|job| pieces(job, count).iter().map(|at| at.len()).collect()).collect();
        let mut left = stock.agree(p, stock::items(jobs))?;
        let share = |(job, rows): (&Job, &Vec<usize>)| {
            let stored = stock::shares(rows, if job.stocked { left } else { 0 });
            left -= stored.iter().sum::<usize>();
            stored
        };
        self.stored = jobs.iter().zip(&rows).map(share).collect();
        let made: Vec<(usize, usize)> =
            (0..count).map(|lane| self.ots(jobs, &rows, lane, p)).collect::<Result<_>>()?;
        self.open(p, made, ahead, begun)
    }

    /// The same for so many correlated OTs of each lane, as sender and as receiver.
    pub fn open(
        &mut self,
        p: &mut Party,
        made: Vec<(usize, usize)>,
        ahead: (usize, usize),
        begun: Instant,
    ) -> Result<Phase> {
        let count = made.len();
        if count > 1 || ahead != (0, 0) {
            // The lanes go on with what is started here.
            let most = |of: fn(&(usize, usize)) -> usize| made.iter().map(of).max().unwrap_or_default();
            p.prepare_ot(ahead.0 + most(|made| made.0), ahead.1 + most(|made| made.1))?;
        }
        if count > 1 {
            self.several = p.fork(count)?;
        }
        let before = Phase::new(begun, p.take_cost());
        Ok(before.then(extend(self.of(p), made)?))
    }

    /// Those of the session `p`.
    pub fn of<'p>(&'p mut self, p: &'p mut Party) -> &'p mut [Party] {
        if self.several.is_empty() { slice::from_mut(p) } else { &mut self.several }
    }

    /// What is stored for a step in each lane.
    pub fn ready(&self, step: usize, stock: &mut Stock) -> Result<Vec<Ready>> {
        let of_store = |reserved| Ready { reserved, ..Ready::default() };
        let all = stock.reserve(&self.stored[step])?.into_iter().map(of_store);
        // One where there are no rows.
        Ok(if self.stored[step].is_empty() { vec![Ready::default()] } else { all.collect() })
    }

    /// How many items come from the stock.
    pub fn stored(&self) -> usize {
        self.stored.iter().flatten().sum()
    }

    /// Closes their connections.
    pub fn end(&mut self) {
        self.several.clear();
    }

    /// Correlated OTs that a lane makes for all steps, as sender and as receiver.
    fn ots(&self, jobs: &[Job], rows: &[Vec<usize>], lane: usize, p: &Party) -> Result<(usize, usize)> {
        let mut all = (0, 0);
        for ((job, rows), stored) in jobs.iter().zip(rows).zip(&self.stored) {
            let made = rows.get(lane).map_or(0, |rows| rows - stored[lane]);
            let (send, recv) = job.operation().bill(made, &p.setting())?.cots_of(p.role());
            all = (all.0 + send, all.1 + recv);
        }
        Ok(all)
    }
}

/// Starts the OT extension in each lane.
fn extend(lanes: &mut [Party], made: Vec<(usize, usize)>) -> Result<Phase> {
    let prepare = |(lane, (send, recv)): (&mut Party, _)| -> Result<Phase> {
        Ok(Phase::of(lane, |lane| lane.prepare_ot(send, recv))?.1)
    };
    let prepared = thread::scope(|scope| {
        let start = |lane| scope.spawn(move || prepare(lane));
        let threads: Vec<_> = lanes.iter_mut().zip(made).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("a lane")).collect::<Result<Vec<_>>>()
    })?;
    Ok(prepared.into_iter().reduce(Phase::beside).unwrap_or_default())
}
