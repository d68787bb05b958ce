//! Rows split over parallel lanes, and what becomes of their results: the one file of `apply` that opens
//! values.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use hushtable::{
    AShare, Error, Party, Role,
    gates::{self, Bits},
    share::{Kind, Share},
};
use prim::ring::Ring;

use crate::cost::Phase;

/// Results that stay shared have at least this width, so that any later index can be cut from them.
pub const SHARED_BITS: u32 = 16;

/// Who gets the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What a party ends with.
#[derive(Clone)]
pub enum Outcome {
    /// The values, in two's complement.
    Values(Vec<i64>),
    /// This party's additive shares of the values.
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

/// Runs `lane` on the input of each lane, each in a thread of its own, and puts the results one behind the
/// other.
pub fn run<I: Send>(
    lanes: &mut [Party],
    inputs: Vec<I>,
    lane: impl Fn(&mut Party, I) -> Result<Done, Error> + Sync,
) -> Result<Done, Error> {
    let done = thread::scope(|scope| {
        let lane = &lane;
        let start = |(p, input)| scope.spawn(move || lane(p, input));
        let threads: Vec<_> = lanes.iter_mut().zip(inputs).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("a lane")).collect::<Result<Vec<_>, Error>>()
    })?;
    let all = done.into_iter().reduce(|mut all, lane| {
        all.outcome.append(lane.outcome);
        let (offline, online) = (all.offline.beside(lane.offline), all.online.beside(lane.online));
        Done { outcome: all.outcome, offline, online }
    });
    Ok(all.expect("at least one lane"))
}

/// Runs `batch` for so many rows at a time. `progress` counts those that are done.
pub fn in_batches(
    rows: usize,
    most: usize,
    progress: &AtomicUsize,
    mut batch: impl FnMut(Range<usize>) -> Result<Done, Error>,
) -> Result<Done, Error> {
    let mut all: Option<Done> = None;
    for from in (0..rows).step_by(most) {
        let at = from..rows.min(from + most);
        let count = at.len();
        let done = batch(at)?;
        progress.fetch_add(count, Ordering::Relaxed);
        match &mut all {
            None => all = Some(done),
            Some(all) => {
                all.outcome.append(done.outcome);
                (all.offline, all.online) = (all.offline.then(done.offline), all.online.then(done.online));
            }
        }
    }
    Ok(all.expect("a lane has rows"))
}

impl Reveal {
    /// In the same words at both parties.
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::P0 => "the listening party (p0)",
            Self::P1 => "the connecting party (p1)",
            Self::None => "none",
        }
    }

    /// Whether the party `role` ends with something to write.
    pub fn reaches(self, role: Role) -> bool {
        match self {
            Self::P0 => role == Role::P0,
            Self::P1 => role == Role::P1,
            Self::Both | Self::None => true,
        }
    }

    /// Signed numbers to whom they go.
    pub fn numbers<R: Ring>(self, p: &mut Party, y: &AShare<R>) -> Result<Outcome, Error> {
        if self == Self::None {
            return Ok(Outcome::Shares(y.words().iter().map(|w| w.to_u64()).collect()));
        }
        let unused = 64 - y.bits();
        let signed = |words: Vec<R>| words.iter().map(|w| (w.to_u64() << unused) as i64 >> unused).collect();
        Ok(self.open(p, y)?.map_or(Outcome::AtPeer, |words| Outcome::Values(signed(words))))
    }

    /// Bits to whom they go; shares of them become additive ones.
    pub fn bits(self, p: &mut Party, bits: &Bits) -> Result<Outcome, Error> {
        if self == Self::None {
            let words: AShare<u64> = gates::b2a(p, bits, SHARED_BITS)?;
            return Ok(Outcome::Shares(words.words().to_vec()));
        }
        let share = Bits::to_share::<u8>(std::slice::from_ref(bits))?;
        let values = |words: Vec<u8>| words.into_iter().map(i64::from).collect();
        Ok(self.open(p, &share)?.map_or(Outcome::AtPeer, |words| Outcome::Values(values(words))))
    }

    fn open<K: Kind, R: Ring>(self, p: &mut Party, y: &Share<K, R>) -> Result<Option<Vec<R>>, Error> {
        // Public to the parties that both chose at the handshake: it is the result they want.
        match self {
            Self::P0 => p.reveal(y, Role::P0),
            Self::P1 => p.reveal(y, Role::P1),
            Self::Both | Self::None => p.open(y).map(Some),
        }
    }
}

impl Outcome {
    /// The results of later rows behind these.
    pub fn append(&mut self, rest: Self) {
        match (self, rest) {
            (Self::Values(all), Self::Values(rest)) => all.extend(rest),
            (Self::Shares(all), Self::Shares(rest)) => all.extend(rest),
            _ => {}
        }
    }
}
