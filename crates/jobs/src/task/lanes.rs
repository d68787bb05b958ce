//! The lanes of a job, and what of each of its parts comes from a store.

use std::{slice, thread, time::Instant};

use crate::stock::{self, Stock};
use hushtable::{
    Party,
    operation::{Operation, batch},
    run::{self, Phase, Ready},
};
use hushtable_columns::failure::Result;

/// A part of what lanes do, one after the other.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub operation: &'a dyn Operation,
    pub rows: usize,
    /// Lanes that the parties have agreed on.
    pub threads: usize,
    /// Whether it takes its material from a store, if there is one.
    pub stocked: bool,
}

/// Connections with a thread each; a single lane is the session's own connection.
#[derive(Default)]
pub struct Lanes {
    several: Vec<Party>,
    /// How many items of each lane are in the stock, part by part.
    stored: Vec<Vec<usize>>,
}

impl Lanes {
    /// As many as the parties have agreed on, each with the OT extension for what it makes; the session itself makes
    /// `ahead` besides. Returns what took place since `begun`.
    pub fn start(
        &mut self,
        p: &mut Party,
        parts: &[Part<'_>],
        stock: &mut Stock,
        ahead: (usize, usize),
        begun: Instant,
    ) -> Result<Phase> {
        let pieces = |part: &Part, lanes| run::pieces(part.rows, lanes);
        let count = parts.iter().map(|part| pieces(part, part.threads).len()).max().unwrap_or_default();
        let rows: Vec<Vec<usize>> =
            parts.iter().map(|part| pieces(part, count).iter().map(|at| at.len()).collect()).collect();
        let mut left =
            stock.agree(p, parts.iter().filter(|part| part.stocked).map(|part| part.rows).sum())?;
        let share = |(part, rows): (&Part, &Vec<usize>)| {
            let stored = stock::shares(rows, if part.stocked { left } else { 0 });
            left -= stored.iter().sum::<usize>();
            stored
        };
        self.stored = parts.iter().zip(&rows).map(share).collect();
        let made: Vec<(usize, usize)> =
            (0..count).map(|lane| self.ots(parts, &rows, lane, p)).collect::<Result<_>>()?;
        // What lanes share.
        for ((part, rows), stored) in parts.iter().zip(&rows).zip(&self.stored) {
            let made = rows.iter().zip(stored).map(|(rows, stored)| rows - stored).max().unwrap_or_default();
            if made > 0 {
                part.operation.set_up(p, batch(part.operation, made, &p.setting())?)?;
            }
        }
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

    /// What is stored for a part in each lane.
    pub fn ready(&self, part: usize, stock: &mut Stock) -> Result<Vec<Ready>> {
        let of_store = |reserved| Ready { reserved, ..Ready::default() };
        let all = stock.reserve(&self.stored[part])?.into_iter().map(of_store);
        // One where there are no rows.
        Ok(if self.stored[part].is_empty() { vec![Ready::default()] } else { all.collect() })
    }

    /// How many items come from the stock.
    pub fn stored(&self) -> usize {
        self.stored.iter().flatten().sum()
    }

    /// Closes their connections.
    pub fn end(&mut self) {
        self.several.clear();
    }

    /// Correlated OTs that a lane makes for all parts, as sender and as receiver.
    fn ots(&self, parts: &[Part<'_>], rows: &[Vec<usize>], lane: usize, p: &Party) -> Result<(usize, usize)> {
        let mut all = (0, 0);
        for ((part, rows), stored) in parts.iter().zip(rows).zip(&self.stored) {
            let made = rows.get(lane).map_or(0, |rows| rows - stored[lane]);
            let (send, recv) = part.operation.bill(made, &p.setting())?.cots_of(p.role());
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
