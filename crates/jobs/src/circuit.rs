//! Files of circuits, and what each form of one would cost by each engine.

mod engines;
mod mapped;
mod source;
mod wish;

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use hushtable::{
    Role,
    circuit::Circuit,
    net::LinkShape,
    operation::{Evaluate, Operation},
    plan::{self, Machine, Objective, Prediction, Wanted},
};
use hushtable_columns::{
    failure::{Failure, Result},
    units::{bytes, time},
};

pub use engines::Engines;
pub use mapped::Aim;
pub use source::{Purpose, Source, written};
pub use wish::Wish;

/// Before the name of a circuit of the library.
const LIBRARY: &str = "lib:";

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
    let text = fs::read_to_string(path).map_err(Failure::file(path))?;
    let circuit = Circuit::parse(&text);
    circuit.map(Arc::new).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
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

/// Bytes of all phases and both parties.
pub fn sent(way: &Prediction<Evaluate>) -> u64 {
    let phases = [way.setup, way.offline, way.online];
    phases.iter().map(|phase| phase.bytes[0] + phase.bytes[1]).sum::<f64>() as u64
}

/// For people.
pub fn table(asked: &Asked<'_>, ways: &[Prediction<Evaluate>]) -> String {
    let Asked { circuit, items, link, .. } = asked;
    let mut out = format!("{items} evaluations of {}; network {link}\n  {:44}", circuit.name(), "way");
    let head = ["set-up", "offline", "online", "total", "bytes", "rounds", "memory"];
    head.iter().for_each(|head| write!(out, "{head:>11}").expect("text grows"));
    for (i, way) in ways.iter().enumerate() {
        let mark = if i == 0 { '*' } else { ' ' };
        write!(out, "\n{mark} {:44}", way.way.method()).expect("text grows");
        let seconds = [way.setup.seconds, way.offline.seconds, way.online.seconds];
        let mut cells = seconds.map(time).to_vec();
        cells.push(time(seconds.iter().sum()));
        cells.push(bytes(sent(way)));
        cells.push([way.setup, way.offline, way.online].map(|phase| phase.rounds.to_string()).join("+"));
        cells.push(bytes(way.memory[0].max(way.memory[1])));
        cells.iter().for_each(|cell| write!(out, "{cell:>11}").expect("text grows"));
    }
    out + "\nTimes are predictions. Memory is that of all evaluations at once; a run cuts them into batches.\n"
}
