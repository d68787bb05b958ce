//! `hushtable plan --compare-bits`: what each way of comparing would cost, which one `apply` takes, and why.

use std::fmt::Write as _;

use hushtable::{
    arith::{CompareDomain, CompareJob, ComparePlan, DigitMethod},
    net::LinkShape,
    operation::{Compare, Relation},
    plan::{self, BEFORE, Estimate, Machine, Objective},
};
use hushtable_columns::{
    failure::Result,
    units::{bytes, time},
};

/// What is compared, and over what.
pub struct Asked<'a> {
    pub bits: u32,
    pub items: usize,
    pub objective: Objective,
    pub link: &'a LinkShape,
    pub machine: &'a Machine,
}

/// A way of comparing: set-up, offline and online phase.
pub struct Way {
    pub plan: ComparePlan,
    pub phases: [Estimate; 3],
    /// Whether `apply` takes it.
    pub chosen: bool,
}

/// Of each method and number of rounds the best, and what `apply` takes; the best first.
pub fn ways(asked: &Asked) -> Result<Vec<Way>> {
    let job = CompareJob::new(asked.bits, CompareDomain::Near, asked.objective)?;
    let taken = Compare::of(Relation::Lt, job)
        .chosen_for(asked.objective)
        .suiting(&asked.machine.setting(*asked.link), asked.items)?;
    let taken = taken.job().plan;
    let mut best: Vec<(u8, Way)> = Vec::new();
    for plan in ComparePlan::all() {
        let job = CompareJob { bits: asked.bits, domain: CompareDomain::Near, plan };
        let phases = plan::least(&job.bill()?.times(asked.items), asked.link, asked.machine);
        let (method, way) = (number(plan), Way { plan, phases, chosen: plan == taken });
        let same = |(other, found): &&mut (u8, Way)| *other == method && found.rounds() == way.rounds();
        match best.iter_mut().find(same) {
            Some((_, found)) if found.chosen || !way.chosen && found.value(asked) <= way.value(asked) => {}
            Some((_, found)) => *found = way,
            None => best.push((method, way)),
        }
    }
    let mut ways: Vec<Way> = best.into_iter().map(|(_, way)| way).collect();
    let key = |way: &Way| (way.value(asked), way.total());
    ways.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("finite predictions"));
    Ok(ways)
}

/// Which method a plan is of.
fn number(plan: ComparePlan) -> u8 {
    match plan.method {
        DigitMethod::Thermometer => 0,
        DigitMethod::Lookup => 1,
        DigitMethod::OneHot { .. } => 2,
    }
}

impl Way {
    fn rounds(&self) -> u32 {
        self.phases[2].rounds
    }

    fn before(&self) -> f64 {
        self.phases[0].seconds + self.phases[1].seconds
    }

    fn total(&self) -> f64 {
        self.before() + self.phases[2].seconds
    }

    fn sent(&self, party: usize) -> f64 {
        self.phases.iter().map(|phase| phase.bytes[party]).sum()
    }

    /// What to minimise.
    fn value(&self, asked: &Asked) -> f64 {
        match asked.objective {
            Objective::Online => BEFORE * self.before() + self.phases[2].seconds,
            Objective::Bytes => self.sent(0) + self.sent(1),
            Objective::Rounds => self.rounds().into(),
            _ => self.total(),
        }
    }
}

/// For people.
pub fn table(asked: &Asked, machine: &str, ways: &[Way]) -> String {
    let Asked { bits, items, link, .. } = asked;
    let mut out = format!("{items} comparisons of near numbers of {bits} bits; network {link}; {machine}\n");
    write!(out, "  {:40}", "method").expect("text grows");
    let head = ["set-up", "offline", "online", "total", "P0 sends", "P1 sends", "rounds"];
    head.iter().for_each(|h| write!(out, "{h:>11}").expect("text grows"));
    for way in ways {
        let mark = if way.chosen { '*' } else { ' ' };
        write!(out, "\n{mark} {:40}", way.plan.to_string()).expect("text grows");
        let seconds = way.phases.map(|phase| phase.seconds);
        let rounds = way.phases.map(|phase| phase.rounds.to_string()).join("+");
        let mut cells = seconds.map(time).to_vec();
        cells.push(time(way.total()));
        cells.extend([0, 1].map(|party| bytes(way.sent(party) as u64)));
        cells.push(rounds);
        cells.iter().for_each(|cell| write!(out, "{cell:>11}").expect("text grows"));
    }
    out + "\n"
        + &why(ways)
        + "Times are the least: of messages, correlated OTs and waiting, local work aside.\n"
}

/// What the choice gains and loses against the best way of every other method.
fn why(ways: &[Way]) -> String {
    let Some(chosen) = ways.iter().find(|way| way.chosen) else { return String::new() };
    let mut out = format!("* is what `apply` takes: {}.\n", rounds(chosen));
    for method in (0..3).filter(|&method| method != number(chosen.plan)) {
        let Some(other) = ways.iter().find(|way| number(way.plan) == method) else { continue };
        let than = |mine: f64, theirs: f64, what: &str| {
            let word = if mine <= theirs { "less" } else { "more" };
            format!("{} {word} {what}", time((mine - theirs).abs()))
        };
        let online = than(chosen.phases[2].seconds, other.phases[2].seconds, "online");
        let before = than(chosen.before(), other.before(), "before");
        writeln!(out, "  Against {}, {}: {online}, {before}.", other.plan, rounds(other))
            .expect("text grows");
    }
    out
}

fn rounds(way: &Way) -> String {
    match way.rounds() {
        1 => "1 round online".into(),
        rounds => format!("{rounds} rounds online"),
    }
}
