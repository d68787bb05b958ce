//! What a job takes, before it runs: bytes, messages in turn, time from the start of the command to its end, money.
//!
//! Time is that of one thread at each party: what [`plan`] predicts of messages, correlated OTs and local work, and what a
//! command does besides, by counts and rates that were measured on the machine whose rates are the reference, and taken in the
//! ratio of its rates to this one's. `tools/check_times.py` holds it against runs.

use crate::{calibration::Calibration, link::Link, means::dollars, page::Page};
use hushtable::{
    Role,
    bill::{Bill, Effort},
    net::LinkShape,
    ot::Setting,
    plan::{self, Estimate, Machine, Objective, Wanted},
};
use hushtable_columns::units;

/// By what it is predicted.
pub struct Forecast {
    calibration: Calibration,
    shape: Option<LinkShape>,
    me: Role,
}

/// What a machine does beside the protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local {
    /// Bytes of files that are read.
    pub read: u64,
    /// Rows whose ids are compared as they are.
    pub named: usize,
    /// Ids that are brought into one form, compared and sorted.
    pub ids: usize,
    /// Functions whose forms are found.
    pub functions: usize,
    /// Rows that are written.
    pub written: usize,
    /// Items that joins and what follows them work on one by one: places in tables, and numbers in them.
    pub cells: usize,
}

/// Seconds that starting and ending a command takes, and a function; and nanoseconds of each of the others.
const COMMAND: f64 = 6e-3;
const FUNCTION: f64 = 28e-3;
const READ: f64 = 6.0;
const NAMED: f64 = 115.0;
const ID: f64 = 1000.0;
const WRITTEN: f64 = 200.0;
const CELL: f64 = 60.0;

/// So many cells stay in the cache of a processor; each of the others takes longer.
const CACHED: usize = 1 << 18;
const MISSED: f64 = 400.0;

/// What a bill implies of local work, for all that takes correlated OTs: most of what jobs do with them takes so much of it.
const IMPLIED: f64 = 0.7;
/// The same where functions are evaluated, whose tables are read besides.
const IMPLIED_OF_FUNCTIONS: f64 = 0.85;

/// What protocols take.
pub enum Protocols {
    /// Their local work was counted.
    Counted(Effort),
    /// It follows from their bill.
    Billed(Bill),
}

impl Protocols {
    /// As counted, unless some of the material is in a store.
    pub fn of(
        bill: Bill,
        stored: usize,
        counted: impl FnOnce() -> hushtable::Result<Effort>,
    ) -> hushtable::Result<Self> {
        if stored == 0 { counted().map(Self::Counted) } else { Ok(Self::Billed(bill)) }
    }
}

impl Local {
    /// Seconds on the machine of the reference.
    fn seconds(&self) -> f64 {
        let Self { read, named, ids, functions, written, cells } = *self;
        let (near, far) = (cells.min(CACHED), cells.saturating_sub(CACHED));
        let each = [
            (read as usize, READ),
            (named, NAMED),
            (ids, ID),
            (written, WRITTEN),
            (near, CELL),
            (far, MISSED),
        ];
        let counted: f64 = each.into_iter().map(|(count, ns)| count as f64 * ns).sum();
        COMMAND + functions as f64 * FUNCTION + counted * 1e-9
    }
}

impl Forecast {
    /// Of a session over `link`.
    pub fn of(calibration: Calibration, link: &Link) -> Self {
        let shape = calibration.shape(link);
        Self { calibration: calibration.over(link), shape, me: link.role() }
    }

    /// What the parties come to, if the peer says nothing else.
    pub fn under(&self) -> Setting {
        self.machine().setting(self.link())
    }

    /// The link that it is predicted for.
    pub fn link(&self) -> LinkShape {
        self.shape.unwrap_or(LinkShape::USUAL)
    }

    /// The machines.
    pub fn machine(&self) -> Machine {
        self.calibration.machine()
    }

    /// What each party sends, and how often it waits.
    pub fn sent(&self, page: &mut Page, bill: &Bill) {
        let phases = plan::least(bill, &self.link(), &self.machine());
        for (party, fact, role) in
            [("this party sends", "sent_here", self.me), ("the peer sends", "sent_by_peer", self.me.peer())]
        {
            let sent = phases.each_ref().map(|phase| phase.bytes[role as usize].round() as u64);
            let [setup, offline, online] = sent.map(units::bytes);
            page.line(
                party,
                &format!("about {setup} to begin, {offline} before the numbers are used, {online} with them"),
            );
            page.fact(fact, sent.to_vec());
        }
        let rounds = phases.each_ref().map(|phase| phase.rounds);
        let words = rounds.map(|rounds| rounds.to_string()).join(" + ");
        page.detail(
            "messages in turn",
            &format!("{words}: to begin, before the numbers are used, with them"),
        );
        page.fact("rounds", rounds.to_vec());
    }

    /// The time of all of it, and what that costs; `protocols` is what these take.
    pub fn takes(&self, page: &mut Page, protocols: Protocols, local: &Local) {
        let machine = self.machine();
        let (effort, at) = match protocols {
            Protocols::Counted(effort) => (effort, machine),
            Protocols::Billed(bill) => {
                let part = if local.functions > 0 { IMPLIED_OF_FUNCTIONS } else { IMPLIED };
                (Effort::implied(bill), at(machine, part))
            }
        };
        let wanted = Wanted::new(Objective::Total, self.link(), at);
        let predicted = plan::rank([((), effort)], &wanted).remove(0);
        // Words: the rate of most local work.
        let scale = machine.word / Machine::REFERENCE.word;
        let beside = scale * local.seconds();
        let seconds = predicted.value(Objective::Total) + beside;
        let over = match self.shape {
            Some(shape) => format!("over the network {shape}"),
            None => format!("over a network like {}; `hushtable calibrate` measures yours", LinkShape::USUAL),
        };
        page.line(
            "time",
            &format!(
                "about {} on one thread, from start to end, without waiting for the peer to come, {over} ({})",
                units::time(seconds),
                self.calibration
            ),
        );
        page.fact("seconds", seconds);
        let phases = [predicted.once, predicted.setup, predicted.offline, predicted.online];
        page.fact("seconds_of_phases", phases[1..].iter().map(|phase| phase.seconds).collect::<Vec<_>>());
        page.fact("seconds_beside", beside);
        self.money(page, &phases, seconds);
    }

    fn money(&self, page: &mut Page, phases: &[Estimate], seconds: f64) {
        let [p0, p1] = self.machine().prices;
        let paid = |role: Role| -> f64 {
            let sent = phases.iter().map(|phase| phase.bytes[role as usize]).sum();
            [p0, p1][role as usize].of(sent, seconds)
        };
        let (here, both) = (paid(self.me), paid(Role::P0) + paid(Role::P1));
        page.line(
            "money",
            &format!(
                "about {} for both, {} of it here, at ${} for a GB that is sent and ${} for an hour of a core (--price)",
                dollars(both),
                dollars(here),
                p0.gigabyte(),
                p0.core_hour()
            ),
        );
        page.fact("dollars", both);
        page.fact("dollars_here", here);
    }
}

/// A machine that takes this part of the time for everything but set-up and waking a peer.
fn at(machine: Machine, part: f64) -> Machine {
    let Machine { asked, objective, prices, .. } = machine;
    let mut figures = machine.figures();
    figures[2..].iter_mut().for_each(|figure| *figure *= part);
    Machine::from(figures).asked(asked).objective(objective).prices(prices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable::plan::Prices;

    #[test]
    fn a_part_of_the_time_is_that_of_all_work() {
        let half = at(Machine::REFERENCE.prices([Prices::USUAL; 2]), 0.5);
        assert_eq!((half.start, half.round), (Machine::REFERENCE.start, Machine::REFERENCE.round));
        assert_eq!((half.word, half.ots.ferret[1]), (Machine::REFERENCE.word / 2.0, 21.1 / 2.0));
    }

    #[test]
    fn more_takes_longer() {
        let all = Local { read: 1, named: 1, ids: 1, functions: 1, written: 1, cells: 1 };
        let more = [
            Local { read: 1 << 20, ..all },
            Local { named: 1 << 20, ..all },
            Local { ids: 1 << 20, ..all },
            Local { functions: 2, ..all },
            Local { written: 1 << 20, ..all },
            Local { cells: 1 << 20, ..all },
        ];
        assert!(more.iter().all(|more| more.seconds() > all.seconds() + 1e-3));
        // Linear on both sides of the cache.
        let cells = |cells: usize| Local { cells, ..Local::default() }.seconds();
        let step = |at: usize| cells(at + 1) - cells(at);
        assert!(
            (step(CACHED - 1) - CELL * 1e-9).abs() < 1e-12 && (step(CACHED) - MISSED * 1e-9).abs() < 1e-12
        );
    }
}
