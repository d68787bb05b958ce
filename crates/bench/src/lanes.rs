//! One of the two processes: its lanes, the measured phases, and the results on the way to the other.

mod operate;

use std::{
    fs,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    ops::Range,
    thread,
    time::Instant,
};

use hushtable::{
    Error, Party, Role,
    ot::Rates,
    store::{Reserved, Store},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{
    cost::{Figures, Phase, Phases},
    link::Link,
};
use serde::{Deserialize, Serialize};

use crate::measured::{Accuracy, Run};

/// One party's measurements.
#[derive(Clone, Serialize, Deserialize)]
struct Measured {
    #[serde(with = "PhaseText")]
    setup: Phase,
    #[serde(with = "PhaseText")]
    offline: Phase,
    #[serde(with = "PhaseText")]
    online: Phase,
    #[serde(with = "PhaseText")]
    once: Phase,
    /// Of the online phase.
    steps: Vec<Step>,
    peak_rss_bytes: u64,
}

/// A step of the online phase, which what it sends is a part of.
#[derive(Clone, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    #[serde(with = "PhaseText")]
    pub phase: Phase,
}

/// How a phase is written for the other process.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Phase")]
struct PhaseText {
    seconds: f64,
    sent: u64,
    received: u64,
    rounds: u64,
}

/// A party's lanes, set up.
pub struct Lanes {
    role: Role,
    parties: Vec<Party>,
    /// Items of each lane.
    items: Vec<usize>,
    /// Material of each lane, if it comes from stores.
    reserved: Vec<Reserved>,
    setup: Phase,
    once: Phase,
}

/// What a benchmark needs before it is measured.
pub struct Needs<'a> {
    pub items: usize,
    /// Correlated OTs as sender and as receiver, of a role, for so many items.
    pub cots: &'a dyn Fn(Role, usize) -> (usize, usize),
    /// What lanes share, for so many items in one.
    pub set_up: &'a dyn Fn(&mut Party, usize) -> std::result::Result<(), Error>,
}

/// What a benchmark leaves: a result for each lane and the costs.
pub struct Finished<T> {
    pub results: Vec<T>,
    pub role: Role,
    measured: Measured,
}

impl Lanes {
    /// Set-up: connects, compares what is `asked` with the peer, divides the items among at most `threads` lanes, and
    /// prepares the OTs of each.
    pub fn connect(link: &Link, threads: u16, asked: &str, work: &Needs<'_>) -> Result<Self> {
        let items = work.items;
        // Choosing how to evaluate a function is no part of the set-up.
        let count = usize::from(threads).min(items);
        let items: Vec<usize> = (0..count).map(|i| items / count + usize::from(i < items % count)).collect();
        let counts: Vec<_> = items.iter().map(|&items| (work.cots)(link.role(), items)).collect();
        let (connection, start) = link.open()?;
        let mut p = Party::new(connection, link.wish(Rates::REFERENCE, None))?;
        // A long description is compared by its hash.
        let asked =
            if asked.len() > 256 { blake3::hash(asked.as_bytes()).to_string() } else { asked.to_owned() };
        p.agree(&[("benchmark", asked)])?;
        let role = p.role();
        let begun = Phase::new(start, p.take_cost());
        // What lanes share, for the largest of them.
        let ((), once) = Phase::of(&mut p, |p| (work.set_up)(p, items.first().copied().unwrap_or_default()))?;
        let once = if once.sent + once.received == 0 { Phase::default() } else { once };
        let (start, mut parties) = (Instant::now(), Vec::new());
        if count > 1 {
            // The lanes go on with what is started here, for the largest of them.
            p.prepare_ot(counts[0].0, counts[0].1)?;
            parties = p.fork(count)?;
        }
        let common = begun.then(Phase::new(start, p.take_cost()));
        if count == 1 {
            parties.push(p);
        }
        let mut lanes = Self { role, parties, items, reserved: Vec::new(), setup: common, once };
        let (_, prepared) = lanes.phase(counts, |p, (send, recv)| p.prepare_ot(send, recv))?;
        lanes.setup = common.then(prepared);
        Ok(lanes)
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// Takes the material from a store, once the peer has the same.
    pub fn load_from(&mut self, mut store: Store) -> Result<()> {
        store.agree(&mut self.parties[0])?;
        self.reserved = store.reserve_lanes(&self.items)?;
        Ok(())
    }

    /// What is done once for any number of sessions, in the first lane: measured beside the three phases.
    pub fn once<T>(&mut self, f: impl FnOnce(&mut Party) -> std::result::Result<T, Error>) -> Result<T> {
        self.barrier()?;
        let (done, phase) = Phase::of(&mut self.parties[0], f)?;
        self.once = self.once.then(phase);
        Ok(done)
    }

    /// Items of each lane.
    pub fn items(&self) -> &[usize] {
        &self.items
    }

    /// Numbers of the items of each lane.
    pub fn rows(&self) -> Vec<Range<usize>> {
        let ends = self.items.iter().scan(0, |end, items| {
            *end += items;
            Some(*end)
        });
        ends.zip(&self.items).map(|(end, items)| end - items..end).collect()
    }

    /// Both phases in every lane, with a barrier before each; lane `i` gets `sources[i]`
    /// offline and `inputs[i]` online.
    pub fn measure<S: Send, M: Send, X: Sync, T: Send>(
        mut self,
        sources: Vec<S>,
        inputs: Vec<X>,
        offline: impl Fn(&mut Party, S) -> std::result::Result<M, Error> + Sync,
        online: impl Fn(&mut Party, M, &X) -> std::result::Result<T, Error> + Sync,
    ) -> Result<Finished<T>> {
        self.barrier()?;
        let (materials, offline) = self.phase(sources, offline)?;
        self.barrier()?;
        let inputs = materials.into_iter().zip(&inputs).collect();
        let (results, online) = self.phase(inputs, |p, (m, x)| online(p, m, x))?;
        self.finish(results, offline, online)
    }

    /// The same in rounds, in each of which the first lane alone is online, with what all lanes have made. Lane `i` gets
    /// `sources[k][i]` in round k.
    pub fn measure_rounds<S: Send, M: Send, T>(
        mut self,
        sources: Vec<Vec<S>>,
        offline: impl Fn(&mut Party, S) -> std::result::Result<M, Error> + Sync,
        mut online: impl FnMut(&mut Party, Vec<M>) -> std::result::Result<T, Error>,
    ) -> Result<Finished<T>> {
        let (mut results, mut all) = (Vec::new(), [Phase::default(); 2]);
        for sources in sources {
            self.barrier()?;
            let (materials, made) = self.phase(sources, &offline)?;
            self.barrier()?;
            let (result, spent) = Phase::of(&mut self.parties[0], |p| online(p, materials))?;
            results.push(result);
            all = [all[0].then(made), all[1].then(spent)];
        }
        let [offline, online] = all;
        self.finish(results, offline, online)
    }

    /// The offline phase alone, in pieces of at most `piece` items a lane, as a consumer would take
    /// them: memory stays small. `check` gets what each piece made; its time does not count.
    pub fn measure_pieces<M: Send>(
        mut self,
        piece: usize,
        offline: impl Fn(&mut Party, usize) -> std::result::Result<M, Error> + Sync,
        mut check: impl FnMut(Role, &[M]) -> Result<()>,
    ) -> Result<Finished<()>> {
        self.barrier()?;
        let mut left = self.items.clone();
        let mut total = Phase::default();
        while left.iter().any(|&left| left > 0) {
            let counts: Vec<usize> = left.iter().map(|&left| left.min(piece)).collect();
            left.iter_mut().zip(&counts).for_each(|(left, count)| *left -= count);
            let (made, phase) = self.phase(counts, &offline)?;
            // No piece waits for another one's messages.
            total = Phase { rounds: total.rounds.max(phase.rounds), ..total.then(phase) };
            check(self.role, &made)?;
        }
        self.finish(Vec::new(), total, Phase::default())
    }

    fn finish<T>(mut self, results: Vec<T>, offline: Phase, online: Phase) -> Result<Finished<T>> {
        let (role, setup, once, peak_rss_bytes) = (self.role, self.setup, self.once, peak_rss());
        self.barrier()?;
        let measured = Measured { setup, offline, online, once, steps: Vec::new(), peak_rss_bytes };
        Ok(Finished { results, role, measured })
    }

    fn barrier(&mut self) -> Result<()> {
        Ok(self.parties.iter_mut().try_for_each(|p| p.barrier())?)
    }

    /// Runs `f` in all lanes at once, lane `i` with `inputs[i]`, and measures it.
    fn phase<I: Send, O: Send>(
        &mut self,
        inputs: Vec<I>,
        f: impl Fn(&mut Party, I) -> std::result::Result<O, Error> + Sync,
    ) -> Result<(Vec<O>, Phase)> {
        let done = self.in_lanes(inputs, |p, input| Phase::of(p, |p| f(p, input)))?;
        let (outputs, phases): (Vec<O>, Vec<Phase>) = done.into_iter().unzip();
        Ok((outputs, phases.into_iter().reduce(Phase::beside).unwrap_or_default()))
    }

    fn in_lanes<I: Send, O: Send>(
        &mut self,
        inputs: Vec<I>,
        f: impl Fn(&mut Party, I) -> std::result::Result<O, Error> + Sync,
    ) -> Result<Vec<O>> {
        let mut lanes: Vec<(&mut Party, I)> = self.parties.iter_mut().zip(inputs).collect();
        if lanes.len() == 1 {
            let (p, input) = lanes.remove(0);
            return Ok(vec![f(p, input)?]);
        }
        let done: std::result::Result<Vec<O>, Error> = thread::scope(|scope| {
            let f = &f;
            let threads: Vec<_> = lanes.into_iter().map(|(p, x)| scope.spawn(move || f(p, x))).collect();
            threads.into_iter().map(|t| t.join().expect("a lane")).collect()
        });
        Ok(done?)
    }
}

impl<T> Finished<T> {
    /// With what the steps of the online phase sent and took, which took its cost of them.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<Step>) -> Self {
        let online = &mut self.measured.online;
        for Step { phase, .. } in &steps {
            online.sent += phase.sent;
            online.received += phase.received;
            online.rounds += phase.rounds;
        }
        self.measured.steps = steps;
        self
    }

    /// P0 hands its measurements and the `words` of its results over to P1, where `check` reads these, and prints
    /// the run.
    pub fn verify<I: Iterator<Item = u64>>(
        &self,
        words: impl FnOnce() -> I,
        check: impl FnOnce(&mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        self.verify_accuracy(words, |from| check(from).map(|()| None))
    }

    /// [`verify`](Self::verify) of results that are not exact: also prints how far they are off.
    pub fn verify_accuracy<I: Iterator<Item = u64>>(
        &self,
        words: impl FnOnce() -> I,
        check: impl FnOnce(&mut dyn Read) -> Result<Option<Accuracy>>,
    ) -> Result<()> {
        match self.role {
            Role::P0 => self.hand_over(words()),
            Role::P1 => self.read(check),
        }
    }

    fn hand_over(&self, mut words: impl Iterator<Item = u64>) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        let line = serde_json::to_string(&self.measured).expect("plain data");
        let written = writeln!(out, "{line}")
            .and_then(|()| words.try_for_each(|word| out.write_all(&word.to_le_bytes())))
            .and_then(|()| out.flush());
        written.map_err(|e| Failure::new(format!("handing the results over: {e}")))
    }

    fn read(&self, check: impl FnOnce(&mut dyn Read) -> Result<Option<Accuracy>>) -> Result<()> {
        let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
        let mut line = String::new();
        input.read_line(&mut line).map_err(|e| unreadable(&e))?;
        let p0: Measured = serde_json::from_str(&line).map_err(|e| unreadable(&e))?;
        let accuracy = check(&mut input)?;
        let p1 = &self.measured;
        let both = |a: Phase, b: Phase| {
            let (seconds, rounds) = (a.seconds.max(b.seconds), a.rounds.max(b.rounds));
            Figures::of(Role::P0, Phase { seconds, rounds, ..a })
        };
        let phases = Phases {
            setup: both(p0.setup, p1.setup),
            offline: both(p0.offline, p1.offline),
            online: both(p0.online, p1.online),
        };
        let once = both(p0.once, p1.once);
        let once = (once != Figures::default()).then_some(once);
        let step = |(a, b): (&Step, &Step)| (a.name.clone(), both(a.phase, b.phase));
        let steps = p0.steps.iter().zip(&p1.steps).map(step).collect();
        let run =
            Run { phases, once, steps, peak_rss_bytes: [p0.peak_rss_bytes, p1.peak_rss_bytes], accuracy };
        println!("{}", serde_json::to_string(&run).expect("plain data"));
        Ok(())
    }
}

/// The next word that P0 handed over.
pub fn word(from: &mut dyn Read) -> Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).map_err(|e| unreadable(&e))?;
    Ok(u64::from_le_bytes(bytes))
}

fn unreadable(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("the results of P0: {error}"))
}

/// Peak resident memory of this process in bytes, where the system tells it; else 0.
fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
