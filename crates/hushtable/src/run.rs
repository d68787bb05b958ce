//! Running an operation: batches that fit memory, lanes, material made now, ahead or from disk, phases, and the
//! opening of the results. The program and the Python package run all of theirs here.
//!
//! A lane is a connection with a thread of its own. Each prepares and evaluates its items batch by batch; results stay
//! shared until those of all lanes are there, so that an operation that refuses numbers refuses them before anything
//! is opened.
//!
//! Before it begins, each lane announces what it runs: the operation with its fields and method, how many items, who
//! gets the results, which lane of how many, and how much of its material is ready. So nothing runs that was not
//! compared, and it takes no round.

mod compare;
mod job;
mod phase;
mod ready;
mod reveal;
#[cfg(feature = "tracing")]
mod traced;

use std::{collections::VecDeque, ops::Range, sync::Mutex, thread};

pub use job::Job;
pub use phase::Phase;
pub use ready::Ready;
pub use reveal::{Outcome, Reveal};
#[cfg(feature = "tracing")]
pub use traced::Traced;

use crate::{
    bill::Bill,
    error::{Ending, Error, Result, same},
    net::Role,
    operation::{Material, Operation, Port, Signature, Words, batch, bound},
    ot::Setting,
    party::Party,
};

/// Somebody who wants to know how far a run has come; several lanes tell it at once.
pub trait Watch: Sync {
    /// For so many items more everything is prepared: from now on the peer may come to see their results.
    fn begins(&self, _items: usize) {}

    /// So many items more are done.
    fn done(&self, _items: usize) {}

    /// A step of a phase took this.
    fn took(&self, _step: Step, _phase: Phase) {}
}

/// The phases of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Before the inputs matter.
    Offline,
    /// From then on.
    Online,
}

/// Nobody watches.
pub struct Unwatched;

impl Watch for Unwatched {}

/// What lanes ended with.
#[non_exhaustive]
pub struct Done {
    /// The results, column by column.
    pub outcomes: Vec<Outcome>,
    /// What was prepared.
    pub offline: Phase,
    /// What needed the inputs, the opening included.
    pub online: Phase,
}

impl Done {
    /// The values of the first column, at a party that gets them.
    pub fn values(self) -> Option<Vec<i64>> {
        self.outcomes.into_iter().next()?.values()
    }

    /// This party's shares of the first column, of results that stay shared.
    pub fn shares(self) -> Option<Words> {
        self.outcomes.into_iter().next()?.shares()
    }

    /// Results that stayed shared, opened to whom `reveal` says, which is announced.
    ///
    /// # Errors
    /// [`Error::Param`] for results that may not go there; [`Error::Handshake`] at the next wait for each other if the peer
    /// opens them to others, which a party that only sends them learns later; and those of the channel.
    pub fn open(self, operation: &dyn Operation, p: &mut Party, reveal: Reveal) -> Result<Self> {
        let Signature { gives, .. } = operation.signature();
        p.announce(&format!("{}: opened to {}", operation.name(), reveal.name()))?;
        let columns = self.outcomes.into_iter().map(Outcome::into_words).collect();
        let (outcomes, opening) = Phase::of(p, |p| reveal.open(p, &gives, columns))?;
        Ok(Self { outcomes, offline: self.offline, online: self.online.then(opening) })
    }
}

/// The columns that one lane ended with, and what they took.
struct Lane {
    columns: Vec<Words>,
    offline: Phase,
    online: Phase,
}

/// Runs an operation in lanes and opens the results to whom `reveal` says: the items are cut into as many pieces as
/// there are lanes, which are of the same lengths at the peer.
///
/// # Errors
/// [`Error::Shape`] unless the operands are of as many whole items; [`Error::Param`] for results that may not go to whom
/// `reveal` says; and those of the operation, before anything is opened.
pub fn run(
    operation: &dyn Operation,
    lanes: &mut [Party],
    ready: Vec<Ready>,
    operands: &[&[u64]],
    reveal: Reveal,
    watch: &dyn Watch,
) -> Result<Done> {
    let signature = operation.signature();
    let role = lanes.first().ok_or(Error::Shape { what: "lanes", want: 1, got: 0 })?.role();
    let items = signature.items(role, operands)?;
    reveal.check(&signature.gives)?;
    operation.chance(items).check()?;
    let pieces = pieces(items, lanes.len());
    same("lanes' material", ready.len().clamp(pieces.len(), lanes.len().max(pieces.len())), ready.len())?;
    let work = lanes.iter_mut().zip(&pieces).zip(ready).enumerate();
    let count = pieces.len();
    let shares = in_threads(work, |(i, ((p, at), ready)), go_on| {
        let what = format!("results for {}, lane {} of {count}", reveal.name(), i + 1);
        let operands = &slices(&signature.takes, role, operands, at);
        let work = OneLane { operation, what: &what, items: at.len(), operands };
        work.run(p, ready, watch, go_on).inspect_err(|error| {
            // The other lanes would go on for nothing.
            if let Some(why) = Ending::of(error).filter(|_| count > 1) {
                p.connection().channel().end(why);
            }
        })
    })?;
    let work = lanes.iter_mut().zip(shares);
    let opened = in_threads(work, |(p, lane), _| {
        let Lane { columns, offline, online } = lane;
        let (outcomes, opening) = Phase::of(p, |p| reveal.open(p, &signature.gives, columns))?;
        watch.took(Step::Online, opening);
        Ok(Done { outcomes, offline, online: online.then(opening) })
    })?;
    let all = opened.into_iter().reduce(|mut all, lane| {
        all.outcomes.iter_mut().zip(lane.outcomes).for_each(|(all, rest)| all.append(rest));
        let (offline, online) = (all.offline.beside(lane.offline), all.online.beside(lane.online));
        Done { outcomes: all.outcomes, offline, online }
    });
    all.ok_or(Error::Shape { what: "lanes", want: 1, got: 0 })
}

/// Makes what `items` items take, batch by batch, for a run to come of the same lane.
///
/// # Errors
/// Those of the operation.
pub fn prepare(
    operation: &dyn Operation,
    p: &mut Party,
    items: usize,
    watch: &dyn Watch,
) -> Result<VecDeque<Box<dyn Material>>> {
    operation.chance(items).check()?;
    let mut announced = compare::announce(p, "prepared", operation, items)?;
    let batch = batch(operation, items, &p.setting())?.max(1);
    let mut made = VecDeque::new();
    for from in (0..items).step_by(batch) {
        let now = batch.min(items - from);
        let (material, took) = make(operation, p, now)?;
        let took = announced.left_out(took);
        watch.took(Step::Offline, took);
        watch.done(now);
        made.push_back(material);
    }
    Ok(made)
}

/// What [`run`] of `items` items costs under this setting: a lane's batches one after the other, lanes side by side, the opening.
///
/// # Errors
/// Those of the operation.
pub fn bill(
    operation: &dyn Operation,
    items: usize,
    lanes: usize,
    reveal: Reveal,
    under: &Setting,
) -> Result<Bill> {
    let gives = operation.signature().gives;
    let lane = |items: usize| -> Result<Bill> {
        let batch = batch(operation, items, under)?.max(1);
        let batches = [(batch, items / batch), (items % batch, 1)].into_iter();
        let all =
            batches.filter(|(size, times)| size * times > 0).try_fold(Bill::FREE, |all, (size, times)| {
                Ok::<_, Error>(all + operation.bill(size, under)?.repeated(times))
            })?;
        Ok(all + reveal.bill(&gives).times(items))
    };
    pieces(items, lanes)
        .iter()
        .map(|at| lane(at.len()))
        .try_fold(Bill::FREE, |all, lane| Ok(all.beside(lane?)))
}

/// The set-up for `items` items: what the operation keeps in a session, and the OT extension that suits its batches.
///
/// # Errors
/// Those of the operation and of the channel.
pub fn set_up(operation: &dyn Operation, p: &mut Party, items: usize) -> Result<()> {
    if items > 0 {
        operation.set_up(p, batch(operation, items, &p.setting())?)?;
    }
    let (send, recv) = bill(operation, items, 1, Reveal::Nobody, &p.setting())?.cots_of(p.role());
    p.prepare_ot(send, recv)
}

/// This party's words of each column that is given, at its only lane: results stay shared.
///
/// # Errors
/// As [`run`].
pub fn shares(
    operation: &dyn Operation,
    p: &mut Party,
    ready: Ready,
    operands: &[&[u64]],
    watch: &dyn Watch,
) -> Result<Vec<Words>> {
    let items = operation.signature().items(p.role(), operands)?;
    operation.chance(items).check()?;
    let work = OneLane { operation, what: "results stay shared", items, operands };
    Ok(work.run(p, ready, watch, &|| true)?.columns)
}

/// Items of each of so many lanes, the first ones with more; lanes without any are left out.
pub fn pieces(items: usize, lanes: usize) -> Vec<Range<usize>> {
    let share = items.div_ceil(lanes.max(1)).max(1);
    (0..items).step_by(share).map(|from| from..items.min(from + share)).collect()
}

/// What one lane does.
struct OneLane<'a> {
    operation: &'a dyn Operation,
    /// Besides, what the parties compare.
    what: &'a str,
    items: usize,
    operands: &'a [&'a [u64]],
}

impl OneLane<'_> {
    fn run(
        &self,
        p: &mut Party,
        mut ready: Ready,
        watch: &dyn Watch,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Lane> {
        let Self { operation, what, items, operands } = *self;
        let mut announced = compare::announce(p, &format!("{what}, {}", ready.said()), operation, items)?;
        let Signature { takes, gives } = operation.signature();
        let columns = gives.iter().map(|_| Words::default()).collect();
        let mut lane = Lane { columns, offline: Phase::default(), online: Phase::default() };
        let batch = batch(operation, items, &p.setting())?;
        let mut at = 0;
        while at < items && go_on() {
            let (material, offline) = next(operation, p, &mut ready, [items - at, batch])?;
            let now = at..at + material.items();
            let given = slices(&takes, p.role(), operands, &now);
            at = now.end;
            let count = now.len();
            let offline = announced.left_out(offline);
            watch.begins(count);
            let (columns, online) = Phase::of(p, |p| material.eval(p, &given))?;
            let online = announced.left_out(online);
            same("columns that an operation gives", gives.len(), columns.len())?;
            for ((words, all), port) in columns.into_iter().zip(&mut lane.columns).zip(&gives) {
                port.check(p.role(), count, words.len())?;
                if count == items {
                    *all = words;
                } else {
                    // Grows once, from nothing, so that no part of it is left behind.
                    let left = items * port.words_at(p.role()) - all.len();
                    all.reserve_exact(left);
                    all.extend_from_slice(&words);
                }
            }
            watch.took(Step::Offline, offline);
            watch.took(Step::Online, online);
            watch.done(count);
            (lane.offline, lane.online) = (lane.offline.then(offline), lane.online.then(online));
        }
        Ok(lane)
    }
}

/// Material for the next of `left` items, of which a batch has so many at most.
fn next(
    operation: &dyn Operation,
    p: &mut Party,
    ready: &mut Ready,
    [left, batch]: [usize; 2],
) -> Result<(Box<dyn Material>, Phase)> {
    if let Some(material) = ready.made.pop_front() {
        if material.items() > left {
            return Err(Error::Shape { what: "items prepared", want: left, got: material.items() });
        }
        return Ok((material, Phase::default()));
    }
    if let Some(reserved) = ready.reserved.as_mut().filter(|reserved| !reserved.is_empty()) {
        // Before anything of it is spent.
        same("items reserved", reserved.len().min(left), reserved.len())?;
        return Phase::of(p, |_| reserved.load(operation, reserved.len()));
    }
    make(operation, p, batch.min(left))
}

/// Makes what `items` items take, all of it at once and unannounced, as a batch of a run is made.
///
/// # Errors
/// Those of the operation.
pub fn make(operation: &dyn Operation, p: &mut Party, items: usize) -> Result<(Box<dyn Material>, Phase)> {
    Phase::of(p, |p| {
        if operation.stocks() {
            let (send, recv) = operation.bill(items, &p.setting())?.cots_of(p.role());
            p.stock_cots(send, recv)?;
        }
        let made = operation.prepare(p, items)?;
        Ok(bound(p, made))
    })
}

/// The words of some items.
fn slices<'a>(takes: &[Port], role: Role, operands: &[&'a [u64]], at: &Range<usize>) -> Vec<&'a [u64]> {
    let of = |(port, x): (&Port, &&'a [u64])| {
        let each = port.words_at(role);
        &x[each * at.start..each * at.end]
    };
    takes.iter().zip(operands).map(of).collect()
}

/// Does each piece of work in a thread of its own, and tells `f` whether to go on. If there are errors, when all have
/// ended, the one that says most.
fn in_threads<W: Send, T: Send>(
    work: impl Iterator<Item = W>,
    f: impl Fn(W, &dyn Fn() -> bool) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut work: Vec<W> = work.collect();
    if work.len() == 1 {
        return Ok(vec![f(work.remove(0), &|| true)?]);
    }
    let failed = Mutex::new(Vec::new());
    let errors = || failed.lock().expect("no lane panics with the lock");
    let one = |work| f(work, &|| errors().is_empty()).map_err(|error| errors().push(error)).ok();
    let done: Option<Vec<T>> = thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = work.into_iter().map(|work| scope.spawn(move || one(work))).collect();
        threads.into_iter().map(|t| t.join().expect("a lane does not panic")).collect()
    });
    // A lane that fails ends the others.
    let silent = |error: &Error| match error {
        Error::Closed => 3,
        Error::Cancelled => 2,
        Error::Ended(_) => 1,
        _ => 0,
    };
    match failed.into_inner().expect("no lane panics with the lock").into_iter().min_by_key(silent) {
        Some(error) => Err(error),
        None => Ok(done.expect("no lane failed")),
    }
}
