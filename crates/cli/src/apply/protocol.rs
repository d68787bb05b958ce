//! The lookups of a column: the one file of `apply` that runs protocols on secrets.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use clap::ValueEnum;
use hushtable::{
    AShare, Error, Party, Role,
    lut::{Job, Protocol, Table},
    onehot::Cyclic,
    share::{Additive, Sharing},
    store::Reserved,
};
use prim::ring::Ring;

use crate::cost::Phase;

/// Who gets the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reveal {
    /// Both parties
    Both,
    /// The listening party only
    P0,
    /// The connecting party only
    P1,
    /// Nobody: each party keeps a file of shares
    None,
}

impl Reveal {
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::P0 => "p0",
            Self::P1 => "p1",
            Self::None => "none",
        }
    }
}

/// What is looked up and who learns it. All of it is public and the same at both parties.
pub struct Lookup<'a> {
    pub protocol: Protocol,
    pub reveal: Reveal,
    /// `2^index_bits` entries.
    pub index_bits: u32,
    pub entries: &'a [i64],
    /// Width of an entry, `1..=64`.
    pub bits: u32,
}

/// What a party ends with.
#[derive(Clone)]
pub enum Outcome {
    /// The values, in two's complement.
    Values(Vec<i64>),
    /// This party's additive shares of the values, mod `2^bits`.
    Shares(Vec<u64>),
    /// The peer got the values.
    AtPeer,
}

/// The result of one lane or of all.
pub struct Done {
    pub outcome: Outcome,
    pub offline: Phase,
    pub online: Phase,
}

impl Lookup<'_> {
    /// Correlated OTs, as sender and as receiver, that `rows` lookups take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize) -> (usize, usize) {
        let job = self.job();
        let batches = self.protocol.batches(&job, rows);
        batches.map(|batch| self.protocol.cots(&job, role, batch)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// As the protocols see it.
    pub fn job(&self) -> Job {
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        Job { index, output, index_bits: self.index_bits, value_bits: self.bits }
    }

    /// Looks up the shared indices `x`, split evenly over `lanes`, each in a thread of its own.
    /// The first lookups of a lane take what is in its `stock`. `progress` counts the rows that are done.
    pub fn run(
        &self,
        lanes: &mut [Party],
        stock: Vec<Option<Reserved>>,
        x: &[u16],
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        let share = x.len().div_ceil(lanes.len());
        let done = thread::scope(|scope| {
            let lanes = lanes.iter_mut().zip(stock).zip(x.chunks(share));
            let start = |((p, stock), x)| scope.spawn(move || self.lane(p, stock, x, progress));
            let threads: Vec<_> = lanes.map(start).collect();
            threads.into_iter().map(|t| t.join().expect("a lane")).collect::<Result<Vec<_>, Error>>()
        })?;
        let all = done.into_iter().reduce(|mut all, lane| {
            all.outcome.append(lane.outcome);
            let (offline, online) = (all.offline.beside(lane.offline), all.online.beside(lane.online));
            Done { outcome: all.outcome, offline, online }
        });
        Ok(all.expect("at least one lane"))
    }

    fn lane(
        &self,
        p: &mut Party,
        stock: Option<Reserved>,
        x: &[u16],
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        match self.bits {
            ..=8 => self.lane_in::<u8>(p, stock, x, progress),
            9..=16 => self.lane_in::<u16>(p, stock, x, progress),
            17..=32 => self.lane_in::<u32>(p, stock, x, progress),
            _ => self.lane_in::<u64>(p, stock, x, progress),
        }
    }

    /// The entries, reduced to their width.
    pub fn table<R: Ring>(&self) -> Result<Table<R>, Error> {
        let mask = u64::MAX >> (64 - self.bits);
        Table::new(self.bits, self.entries.iter().map(|&e| R::from_u64(e as u64 & mask)).collect())
    }

    fn lane_in<R: Ring>(
        &self,
        p: &mut Party,
        mut stock: Option<Reserved>,
        mut x: &[u16],
        progress: &AtomicUsize,
    ) -> Result<Done, Error> {
        let table = self.table::<R>()?;
        let stored = stock.as_ref().map_or(0, Reserved::len);
        let mut y = AShare::new(self.bits, Vec::with_capacity(x.len()));
        let (mut offline, mut online) = (Phase::default(), Phase::default());
        let mut batches = self.protocol.batches(&self.job(), x.len() - stored);
        while !x.is_empty() {
            let (material, before) = Phase::of(p, |p| match &mut stock {
                Some(stock) if !stock.is_empty() => stock.load(stock.len()),
                _ => {
                    let batch = batches.next().expect("batches for all rows");
                    self.protocol.prepare::<Cyclic, Additive, R>(p, &table, batch)
                }
            })?;
            let (now, later) = x.split_at(material.len());
            x = later;
            let index = AShare::new(self.index_bits, now.iter().map(|&i| u32::from(i)).collect());
            let (part, during) = Phase::of(p, |p| material.lookup(p, &table, &index))?;
            y.append(&part)?;
            (offline, online) = (offline.then(before), online.then(during));
            progress.fetch_add(now.len(), Ordering::Relaxed);
        }
        let (outcome, opening) = Phase::of(p, |p| self.finish(p, &y))?;
        Ok(Done { outcome, offline, online: online.then(opening) })
    }

    fn finish<R: Ring>(&self, p: &mut Party, y: &AShare<R>) -> Result<Outcome, Error> {
        let to = match self.reveal {
            Reveal::None => return Ok(Outcome::Shares(y.words().iter().map(|w| w.to_u64()).collect())),
            // Public to the parties that both chose at the handshake: it is the result they want.
            Reveal::Both => return Ok(Outcome::Values(self.signed(&p.open(y)?))),
            Reveal::P0 => Role::P0,
            Reveal::P1 => Role::P1,
        };
        Ok(p.reveal(y, to)?.map_or(Outcome::AtPeer, |words| Outcome::Values(self.signed(&words))))
    }

    fn signed<R: Ring>(&self, words: &[R]) -> Vec<i64> {
        let unused = 64 - self.bits;
        words.iter().map(|w| ((w.to_u64() << unused) as i64) >> unused).collect()
    }
}

impl Outcome {
    fn append(&mut self, rest: Self) {
        match (self, rest) {
            (Self::Values(all), Self::Values(rest)) => all.extend(rest),
            (Self::Shares(all), Self::Shares(rest)) => all.extend(rest),
            _ => {}
        }
    }
}
