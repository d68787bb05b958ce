//! Files of circuits, and what each form of one would cost by each engine.

mod compilation;
mod engines;
mod known;
mod mapped;

mod wish;

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use hushtable::{
    Role,
    circuit::{Circuit, Port},
    net::LinkShape,
    operation::{Evaluate, Operation},
    plan::{self, Machine, Objective, Prediction, Wanted},
};
use hushtable_columns::{
    failure::{Failure, Result},
    units::{bytes, time},
};

use crate::means::dollars;

pub use compilation::{Compilation, Goal, written};
pub use engines::{Engines, served, to_store};
pub use known::{Holder, Knows, all_said, no_port, ports, said};
pub use mapped::Aim;
pub use wish::{Way, Wish};

/// Before the name of a circuit of the library.
const LIBRARY: &str = "lib:";

/// The file of a circuit, if it is in one.
pub fn file(path: &Path) -> Option<&Path> {
    of_library(path).is_none().then_some(path)
}

/// Whether this is a circuit and not a file of another kind: `FILE.hut`, or `lib:NAME`.
pub fn is_circuit(path: &Path) -> bool {
    of_library(path).is_some()
        || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("hut"))
}

fn of_library(path: &Path) -> Option<&str> {
    path.to_str().and_then(|path| path.strip_prefix(LIBRARY))
}

/// The circuit of a file, or of this name in the library.
pub fn load(path: &Path) -> Result<Arc<Circuit>> {
    if let Some(name) = of_library(path) {
        let known = || synth::library::names().collect::<Vec<_>>().join(", ");
        let circuit = synth::library::get(name);
        return circuit.map(Arc::new).map_err(|error| Failure::new(format!("{error}; it has {}", known())));
    }
    let bad = |what: String| Failure::input(format!("{}: {what}", path.display()));
    let text = fs::read_to_string(path).map_err(Failure::file(path))?;
    let circuit = Circuit::parse(&text).map_err(|error| bad(error.to_string()))?;
    // Who wrote the file may have had one form read and mean another one to be run.
    let (first, others) = circuit.forms().split_first().expect("a form");
    match others.iter().find(|form| synth::equal::differs(first, form, 0x5eed).is_some()) {
        Some(form) => {
            Err(bad(format!("forms {} and {} compute different things", first.name(), form.name())))
        }
        None => Ok(Arc::new(circuit)),
    }
}

/// Which circuit, for how many evaluations, and over what.
pub struct Asked<'a> {
    pub circuit: &'a Arc<Circuit>,
    /// Who knows each input port; nobody: it is shared.
    pub known: &'a [Option<Role>],
    pub items: usize,
    pub objective: Objective,
    pub link: LinkShape,
    pub machine: &'a Machine,
}

/// About how many rows of other jobs an evaluation is as much work as, for how many lanes there are.
pub fn weight(circuit: &Circuit) -> usize {
    let form = &circuit.forms()[0];
    ((form.ands() + 32 * form.lookups()) / 320).max(1)
}

/// Every way, the best first.
pub fn ways(asked: &Asked<'_>) -> Result<Vec<Prediction<Evaluate>>> {
    let Asked { circuit, known, items, objective, link, machine } = asked;
    let under = machine.setting(*link);
    let all = Evaluate::new(circuit, known, *objective)?.all()?.into_iter().map(|way| {
        let effort = way.effort(*items, &under)?;
        Ok((way, effort))
    });
    Ok(plan::rank(all.collect::<Result<Vec<_>>>()?, &Wanted::new(*objective, *link, **machine)))
}

/// What a run takes, whatever this machine's figures are: both parties come to the same.
pub fn taken(asked: &Asked<'_>) -> Option<String> {
    let Machine { objective, prices, .. } = *asked.machine;
    let machine = &Machine::REFERENCE.objective(objective).prices(prices);
    let all = ways(&Asked { machine, ..*asked }).ok()?;
    all.first().map(|way| way.way.method())
}

/// Bytes of all phases and both parties.
pub fn sent(way: &Prediction<Evaluate>) -> u64 {
    let phases = [way.setup, way.offline, way.online];
    phases.iter().map(|phase| phase.bytes[0] + phase.bytes[1]).sum::<f64>() as u64
}

/// For people.
pub fn table(asked: &Asked<'_>, ways: &[Prediction<Evaluate>]) -> String {
    let Asked { circuit, known, items, link, .. } = asked;
    let who = |role: &Option<Role>| role.map_or("shared".into(), |role| format!("of {role}"));
    let of = |(port, role): (&Port, &Option<Role>)| format!("{} {}", port.name(), who(role));
    let known: Vec<String> = circuit.inputs().iter().zip(*known).map(of).collect();
    let (name, known) = (circuit.name(), known.join(", "));
    let mut out = format!("{items} evaluations of {name}, {known}; network {link}\n  {:44}", "way");
    let head = ["set-up", "offline", "online", "total", "bytes", "rounds", "memory", "money"];
    head.iter().for_each(|head| write!(out, "{head:>11}").expect("text grows"));
    let taken = taken(asked);
    for way in ways {
        let mark = if taken.as_ref() == Some(&way.way.method()) { '*' } else { ' ' };
        write!(out, "\n{mark} {:44}", way.way.method()).expect("text grows");
        let seconds = [way.setup.seconds, way.offline.seconds, way.online.seconds];
        let mut cells = seconds.map(time).to_vec();
        cells.push(time(seconds.iter().sum()));
        cells.push(bytes(sent(way)));
        cells.push([way.setup, way.offline, way.online].map(|phase| phase.rounds.to_string()).join("+"));
        cells.push(bytes(way.memory[0].max(way.memory[1])));
        cells.push(dollars(way.dollars().iter().sum()));
        cells.iter().for_each(|cell| write!(out, "{cell:>11}").expect("text grows"));
    }
    out + "\nTimes are predictions. Memory is that of all evaluations at once; a run cuts them into batches.\n"
}
