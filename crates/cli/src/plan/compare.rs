//! `hushtable plan --compare-bits`: what each way of comparing would cost, which one `apply` takes, and why.

use std::fmt::Write as _;

use hushtable::{
    arith::{CompareDomain, CompareJob, ComparePlan, DigitMethod},
    bill::Effort,
    net::LinkShape,
    operation::{self, Compare, Operation, Relation},
    plan::{self, Estimate, Machine, Objective, Prediction, Wanted},
};
use hushtable_columns::{
    failure::Result,
    units::{bytes, time},
};
use hushtable_jobs::{count::some, means::dollars};

/// What is compared, and over what.
pub struct Asked<'a> {
    pub bits: u32,
    pub items: usize,
    pub objective: Objective,
    pub link: &'a LinkShape,
    pub machine: &'a Machine,
}

/// A way of comparing.
pub struct Way {
    pub predicted: Prediction<ComparePlan>,
    /// Whether `apply` takes it.
    pub chosen: bool,
}

/// Of each method and number of rounds the best, and what `apply` takes; the best first.
pub fn ways(asked: &Asked) -> Result<Vec<Way>> {
    let Asked { bits, items, objective, link, machine } = *asked;
    let domain = CompareDomain::Near;
    let compare = Compare::of(Relation::Lt, CompareJob::new(bits, domain, objective)?).chosen_for(objective);
    let chosen = operation::choose(&compare, items, &machine.setting(*link))?;
    let taken = chosen.map_or(compare.method(), |way| way.method());
    let effort = |plan| Ok((plan, Effort::implied(CompareJob { bits, domain, plan }.bill()?.times(items))));
    let all = ComparePlan::all().map(effort).collect::<Result<Vec<_>>>()?;
    let mut ways: Vec<Way> = Vec::new();
    for predicted in plan::rank(all, &Wanted::new(objective, *link, *machine)) {
        let way = Way { chosen: predicted.way.to_string() == taken, predicted };
        let same = |other: &Way| !other.chosen && other.kind() == way.kind();
        match ways.iter().position(same) {
            Some(_) if !way.chosen => {}
            found => {
                found.map(|worse| ways.remove(worse));
                ways.push(way);
            }
        }
    }
    Ok(ways)
}

impl Way {
    /// Its method, and its rounds online.
    fn kind(&self) -> (u8, u32) {
        let method = match self.predicted.way.method {
            DigitMethod::Thermometer => 0,
            DigitMethod::Lookup => 1,
            DigitMethod::OneHot { .. } => 2,
        };
        (method, self.predicted.online.rounds)
    }

    pub fn phases(&self) -> [Estimate; 3] {
        [self.predicted.setup, self.predicted.offline, self.predicted.online]
    }

    fn before(&self) -> f64 {
        self.predicted.setup.seconds + self.predicted.offline.seconds
    }

    fn sent(&self, party: usize) -> f64 {
        self.phases().iter().map(|phase| phase.bytes[party]).sum()
    }
}

/// For people.
pub fn table(asked: &Asked, machine: &str, ways: &[Way]) -> String {
    let Asked { bits, items, link, .. } = asked;
    let mut out =
        format!("{} of near numbers of {bits} bits; network {link}; {machine}\n", some(*items, "comparison"));
    write!(out, "  {:40}", "method").expect("text grows");
    let head = ["set-up", "offline", "online", "total", "P0 sends", "P1 sends", "rounds", "money"];
    head.iter().for_each(|h| write!(out, "{h:>11}").expect("text grows"));
    for way in ways {
        let mark = if way.chosen { '*' } else { ' ' };
        write!(out, "\n{mark} {:40}", way.predicted.way.to_string()).expect("text grows");
        let seconds = way.phases().map(|phase| phase.seconds);
        let rounds = way.phases().map(|phase| phase.rounds.to_string()).join("+");
        let mut cells = seconds.map(time).to_vec();
        cells.push(time(seconds.iter().sum()));
        cells.extend([0, 1].map(|party| bytes(way.sent(party) as u64)));
        cells.push(rounds);
        cells.push(dollars(way.predicted.dollars().iter().sum()));
        cells.iter().for_each(|cell| write!(out, "{cell:>11}").expect("text grows"));
    }
    out + "\n"
        + &why(ways)
        + "Times are predictions: messages, correlated OTs, waiting, and the local work that they imply.\n"
}

/// What the choice gains and loses against the best way of every other method.
fn why(ways: &[Way]) -> String {
    let Some(chosen) = ways.iter().find(|way| way.chosen) else { return String::new() };
    let mut out = format!("* is what `apply` takes: {}.\n", rounds(chosen));
    for method in (0..3).filter(|&method| method != chosen.kind().0) {
        let Some(other) = ways.iter().find(|way| way.kind().0 == method) else { continue };
        let than = |mine: f64, theirs: f64, what: &str| {
            let word = if mine <= theirs { "less" } else { "more" };
            format!("{} {word} {what}", time((mine - theirs).abs()))
        };
        let online = than(chosen.predicted.online.seconds, other.predicted.online.seconds, "online");
        let before = than(chosen.before(), other.before(), "before");
        writeln!(out, "  Against {}, {}: {online}, {before}.", other.predicted.way, rounds(other))
            .expect("text grows");
    }
    out
}

fn rounds(way: &Way) -> String {
    match way.predicted.online.rounds {
        1 => "1 round online".into(),
        rounds => format!("{rounds} rounds online"),
    }
}
