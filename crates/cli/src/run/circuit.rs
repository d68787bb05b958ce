//! `hushtable run` of a circuit.

use std::{path::PathBuf, sync::Arc};

use crate::run::ports::{Given, Results};
use clap::Args;
use hushtable::{
    Error, Party, Role,
    circuit::{Circuit, Port},
    net::LinkShape,
    operation::{self, Operation},
    run::{self, Outcome, Phase, Reveal},
};
use hushtable_columns::{
    failure::{Failure, Result},
    output::Output,
    terminal,
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{self, Engines},
    cost::Phases,
    count::some,
    delivery::{Delivery, Recipient},
    explain,
    link::Link,
    meeting::{Agenda, Begun, COMPUTED, Meeting, SetUp},
    page::Page,
    progress::Progress,
    row_results,
};

/// What a circuit's run takes besides.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Circuits")]
pub struct Options {
    /// For a circuit: this party's values for input ports, JSON {"port": value or list} or CSV with a column for each
    ///
    /// Integers in decimal digits or as 0x with hexadecimal ones, floating-point numbers, bits in hexadecimal digits. A
    /// port is given by one of the parties.
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    pub inputs: Option<PathBuf>,
    /// For a circuit: who gets the outputs: both, me, peer, or the peer's name
    #[arg(long, value_name = "WHO", requires = "file")]
    pub reveal: Option<Recipient>,
    #[command(flatten)]
    pub engines: Engines,
}

/// Runs a circuit.
pub fn run(file: &std::path::Path, options: &Options, delivery: &Delivery, link: &Link) -> Result<()> {
    let circuit = circuit::load(file)?;
    let Some(recipient) = &options.reveal else {
        return Err(Failure::new("--reveal says who gets the outputs: both, me, peer, or the peer's name"));
    };
    let reveal = recipient.on(link)?;
    if reveal == Reveal::Nobody {
        return Err(Failure::new(
            "--reveal none: the outputs of a circuit go to both, me, peer, or the peer's name",
        ));
    }
    let given = match &options.inputs {
        Some(path) => Given::read(path, &circuit)?,
        None => Given::none(&circuit),
    };
    let gives: Vec<&str> = circuit
        .inputs()
        .iter()
        .zip(&given.words)
        .filter_map(|(port, words)| words.is_some().then_some(port.name()))
        .collect();
    let own = if gives.is_empty() { "nothing".into() } else { gives.join(", ") };
    let running = Running {
        fields: vec![
            ("circuit".into(), circuit.digest().to_hex().to_string()),
            ("reveal".into(), reveal.name().into()),
            ("engine".into(), options.engines.name()),
        ],
        operation: None,
        rows: 0,
        outcomes: Vec::new(),
        options,
        quiet: delivery.quiet,
        circuit: circuit.clone(),
        reveal,
        given,
    };
    let meeting = Meeting {
        kind: "run",
        file: Some(circuit.digest().to_hex().to_string()),
        rows: running.given.rows.unwrap_or(0),
        column: circuit.outputs().iter().map(Port::name).collect::<Vec<_>>().join(", "),
        reveal: reveal.name().into(),
        fields: running.fields.clone(),
        explained: explained(&running, &own, link)?,
        writes: delivery.output.is_some().then_some(running.size()),
        delivery,
        link,
        inputs: std::iter::once(file).filter(|file| file.exists()).chain(options.inputs.as_deref()).collect(),
        kept: None,
        wish: None,
        outcome: COMPUTED,
    };
    meeting.carry_out(running)
}

/// A run of a circuit.
struct Running<'a> {
    circuit: Arc<Circuit>,
    options: &'a Options,
    quiet: bool,
    reveal: Reveal,
    given: Given,
    fields: Vec<(String, String)>,
    operation: Option<Box<dyn Operation>>,
    rows: usize,
    outcomes: Vec<Outcome>,
}

impl Running<'_> {
    /// Bytes of what is written, about.
    fn size(&self) -> u64 {
        let digits: usize = self.circuit.outputs().iter().map(|port| 4 + port.bits() / 3).sum();
        (digits * self.given.rows.unwrap_or(1)) as u64
    }

    /// Who gives which port, and how many rows: each party says what it gives.
    fn meet(&mut self, p: &mut Party) -> Result<Vec<Option<Role>>> {
        let mut mine = (self.given.rows.map_or(u64::MAX, |rows| rows as u64)).to_le_bytes().to_vec();
        mine.extend(self.given.words.iter().map(|words| u8::from(words.is_some())));
        let len = mine.len();
        let theirs = p.exchange(mine, len)?;
        let (rows, gives) = theirs.split_at(8);
        let rows = u64::from_le_bytes(rows.try_into().expect("8 bytes"));
        let peer = if rows == u64::MAX { None } else { usize::try_from(rows).ok() };
        self.rows = match (self.given.rows, peer) {
            (Some(mine), Some(peer)) if mine != peer => {
                return Err(Failure::from(Error::Handshake {
                    field: "rows".into(),
                    ours: mine.to_string(),
                    theirs: peer.to_string(),
                }));
            }
            (mine, peer) => mine.or(peer).ok_or_else(|| Failure::new("neither party gives any input"))?,
        };
        let ports = self.circuit.inputs().iter().zip(&self.given.words).zip(gives);
        let known = ports.map(|((port, mine), theirs)| match (mine.is_some(), *theirs != 0) {
            (true, false) => Ok(Some(p.role())),
            (false, true) => Ok(Some(p.role().peer())),
            (true, true) => {
                Err(Failure::new(format!("both parties give port {}; one of them does", port.name())))
            }
            (false, false) => Err(Failure::new(format!("neither party gives port {}", port.name()))),
        });
        let known: Vec<Option<Role>> = known.collect::<Result<_>>()?;
        if known.windows(2).all(|pair| pair[0] == pair[1]) {
            return Err(Failure::new("one party gives all inputs: it can compute the outputs alone"));
        }
        Ok(known)
    }
}

impl Agenda for Running<'_> {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        row_results::agree(p, &self.fields, "")?;
        let known = self.meet(p)?;
        let way = self.options.engines.way(&self.circuit, &known, self.rows, &p.setting())?;
        let mut fields = self.fields.clone();
        fields.extend(way.fields().into_iter().map(|(name, value)| (name.to_owned(), value)));
        fields.push(("rows".into(), self.rows.to_string()));
        row_results::agree(p, &fields, "")?;
        let (send, recv) = way.bill(self.rows, &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        self.operation = Some(way);
        begun.settle(p, fields)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let progress = Progress::start("rows", self.rows, self.quiet);
        let operation = self.operation.as_deref().expect("what was agreed on");
        let operands: Vec<&[u64]> =
            self.given.words.iter().map(|words| words.as_ref().map_or(&[][..], |words| &words[..])).collect();
        let ready = vec![run::Ready::default()];
        let lanes = std::slice::from_mut(p);
        let done = run::run(operation, lanes, ready, &operands, self.reveal, &progress)?;
        self.outcomes = done.outcomes;
        Ok([done.offline, done.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, _: &Phases) -> Result<()> {
        if !self.reveal.reaches(role) {
            eprintln!("the outputs go to the peer; nothing is written here");
            return Ok(());
        }
        let operation = self.operation.as_deref().expect("what was agreed on");
        let gives = operation.signature().gives;
        let words = |(outcome, port): (Outcome, &operation::Port)| {
            let mask = u64::MAX >> (64 - port.bits);
            outcome.values().unwrap_or_default().into_iter().map(|value| value as u64 & mask).collect()
        };
        let columns: Vec<Vec<u64>> = self.outcomes.into_iter().zip(&gives).map(words).collect();
        let results = Results::new(&self.circuit, &columns, self.given.single && self.rows == 1);
        let Some(output) = output else { return terminal::print(&results.json()) };
        let path = output.path().to_owned();
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        output.write(|to| match is_json {
            true => std::io::Write::write_all(to, results.json().as_bytes()),
            false => results.csv(to),
        })?;
        eprintln!("wrote {} to {}", some(self.rows, "row"), path.display());
        Ok(())
    }
}

/// What a run shows to whom, before anything is sent.
fn explained(running: &Running<'_>, own: &str, link: &Link) -> Result<String> {
    let Running { circuit, reveal, given, .. } = running;
    let mut page = Page("hushtable run, before anything is sent\n".into());
    explain::who(&mut page, link)?;
    page.title("What is computed");
    page.line("circuit", &format!("{}, {}", circuit.name(), circuit.digest().to_hex()));
    let ports = |ports: &[Port]| {
        ports.iter().map(|port| format!("{} {}", port.name(), port.kind())).collect::<Vec<_>>().join(", ")
    };
    page.line("inputs", &ports(circuit.inputs()));
    page.line("outputs", &ports(circuit.outputs()));
    for form in circuit.forms() {
        let layers = form.depth();
        let what = format!("{} ANDs, {} lookups, {layers} layers", form.ands(), form.lookups());
        page.line(&format!("form {}", form.name()), &what);
    }
    page.title("Who learns what");
    page.line("outputs", &format!("go to {}", reveal.name()));
    page.line(
        "beyond",
        "what a circuit's outputs say of the other party's inputs is the circuit's matter: read it",
    );
    page.title("What shows besides");
    page.line("this party gives", own);
    page.line("rows", &given.rows.map_or("those of the peer".into(), |rows| rows.to_string()));
    page.line("both see", "the circuit, who gives which port, how many rows, and who gets the outputs");
    let rows = given.rows.unwrap_or(1);
    let known: Vec<Option<Role>> = given
        .words
        .iter()
        .map(|words| Some(if words.is_some() { link.role() } else { link.role().peer() }))
        .collect();
    let calibration = Calibration::load(None)?.over(link);
    let shape = Some(link.net()).filter(|&net| net != LinkShape::LOOPBACK).or(calibration.link());
    let under = calibration.machine().setting(shape.unwrap_or(LinkShape::LOOPBACK));
    let operation = &*running.options.engines.way(circuit, &known, rows, &under)?;
    page.title(&format!("What it takes, for {}, if the peer gives the other ports", some(rows, "row")));
    page.line("method", &operation.method());
    let bill = run::bill(operation, rows, 1, *reveal, &under)?;
    let net = shape.unwrap_or(LinkShape::LOOPBACK);
    let phases = explain::sent(&mut page, &bill, &net, &calibration, link.role());
    explain::time(&mut page, phases, None, shape, &calibration);
    Ok(page.0)
}
