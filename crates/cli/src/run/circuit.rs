//! `hushtable run` of a circuit.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::run::ports::{Given, Results, check_output};
use clap::Args;
use hushtable::{
    Error, Party, Role,
    circuit::{Circuit, Port},
    operation::{self, Evaluate, Operation},
    run::{self, Outcome, Phase, Reveal},
};
use hushtable_columns::{
    Dialect,
    failure::{Failure, Result},
    manner,
    output::Output,
    shares::role_name,
    terminal,
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{self, Engines, Way},
    cost::Phases,
    count::some,
    delivery::{Delivery, Recipient},
    explain,
    forecast::{Forecast, Local, Protocols},
    link::Link,
    meeting::{Agenda, Begun, COMPUTED, Meeting, SetUp},
    page::Page,
    plain::{self, Names},
    progress::Progress,
    row_results,
    stock::{Stock, Stored},
    task::lanes::{Lanes, Part},
    threads::Threads,
};
use serde::Serialize;

/// What a circuit's run takes besides.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Circuits")]
pub struct Options {
    /// For a circuit: this party's values for input ports, JSON {"port": value or list} or a table with a column for each
    ///
    /// Integers in decimal digits or as 0x with hexadecimal ones, floating-point numbers, bits in hexadecimal digits. A
    /// port is given by one of the parties, and each gives one at least.
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    inputs: Option<PathBuf>,
    /// For a circuit: who gets the outputs: both, me, peer, or the peer's name
    #[arg(long, value_name = "WHO", requires = "file")]
    reveal: Option<Recipient>,
    /// For a circuit: threads and connections to work with, 1 to 64 [default: what the peer asks for, or what suits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: Option<u16>,
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    engines: Engines,
}

impl Options {
    /// Which of them were given.
    pub fn given(&self) -> [(&'static str, bool); 6] {
        [
            ("--inputs", self.inputs.is_some()),
            ("--reveal", self.reveal.is_some()),
            ("--threads", self.threads.is_some()),
            ("--store", self.stored.path().is_some()),
            ("--engine", self.engines.engine.is_some()),
            ("--optimise", self.engines.optimise.is_some()),
        ]
    }
}

/// How files are read, and what is known of the network.
pub struct Own<'a> {
    pub csv: &'a Dialect,
    pub calibration: Option<&'a Path>,
}

/// Runs a circuit.
pub fn run(file: &Path, options: &Options, own: &Own<'_>, delivery: &Delivery, link: &Link) -> Result<()> {
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
    let written = delivery.output.as_deref().filter(|_| reveal.reaches(link.role()));
    written.map_or(Ok(()), check_output)?;
    let Some(inputs) = options.inputs.as_deref() else {
        let ports = circuit::ports(&circuit);
        return Err(Failure::new(format!(
            "--inputs FILE has this party's values of some of the ports {ports}"
        )));
    };
    let given = Given::read(inputs, &circuit, own.csv)?;
    if given.words.iter().all(Option::is_some) {
        let what = "all input ports are given here: this party can compute the outputs alone";
        return Err(Failure::input(format!("{}: {what}", inputs.display())));
    }
    let stock = Stock::open(&options.stored, link.identity())?;
    stock.enough(given.rows)?;
    let calibration = Calibration::load(own.calibration)?;
    let fields = vec![
        ("circuit".into(), circuit.digest().to_hex().to_string()),
        ("reveal".into(), reveal.name().into()),
        ("engine".into(), options.engines.name()),
        ("store".into(), stock.name()),
    ];
    let wish = Some(calibration.wish(link));
    let (operation, threads, lanes, outcomes) = (None, 1, Lanes::default(), Vec::new());
    let running = Running {
        circuit,
        options,
        delivery,
        link,
        reveal,
        given,
        stock,
        fields,
        operation,
        threads,
        lanes,
        outcomes,
    };
    // What does not go is said before the peer is called.
    let read = explain::size_of_files(Some(inputs));
    let explained = Some(running.explained(calibration, read)?);
    let meeting = Meeting {
        kind: "run",
        file: Some(running.circuit.digest().to_hex().to_string()),
        rows: running.given.rows,
        column: running.circuit.outputs().iter().map(Port::name).collect::<Vec<_>>().join(", "),
        reveal: reveal.name().into(),
        fields: running.fields.clone(),
        explained,
        writes: written.map(|_| running.size()),
        delivery,
        link,
        inputs: circuit::file(file).into_iter().chain([inputs]).chain(own.calibration).collect(),
        kept: None,
        wish,
        outcome: COMPUTED,
    };
    meeting.carry_out(running)
}

/// A run of a circuit.
struct Running<'a> {
    circuit: Arc<Circuit>,
    options: &'a Options,
    delivery: &'a Delivery,
    link: &'a Link,
    reveal: Reveal,
    given: Given,
    stock: Stock,
    fields: Vec<(String, String)>,
    operation: Option<Evaluate>,
    /// Lanes, once the parties are agreed.
    threads: usize,
    lanes: Lanes,
    outcomes: Vec<Outcome>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    circuit: &'a str,
    role: &'a str,
    rows: usize,
    #[serde(flatten)]
    way: Way<'a>,
    threads: usize,
    /// Rows whose material came from disk.
    stored: usize,
    #[serde(flatten)]
    phases: &'a Phases,
}

impl Running<'_> {
    /// Bytes of what is written, about.
    fn size(&self) -> u64 {
        let digits: usize = self.circuit.outputs().iter().map(|port| 4 + port.bits() / 3).sum();
        (digits * self.given.rows) as u64
    }

    /// Who gives which port, and how many lanes there are: each party says how many rows it has, what it gives, and what
    /// threads it asks for.
    fn meet(&mut self, p: &mut Party) -> Result<Vec<Option<Role>>> {
        let rows = self.given.rows;
        let work = rows.saturating_mul(circuit::weight(&self.circuit));
        let threads = Threads::new(self.options.threads, work, self.link.is_near());
        let mut mine = (rows as u64).to_le_bytes().to_vec();
        mine.extend(self.given.words.iter().map(|words| u8::from(words.is_some())));
        mine.extend(threads.to_bytes());
        let len = mine.len();
        let theirs = p.exchange(mine, len)?;
        let (theirs, asked) = theirs.split_last_chunk().expect("two bytes at the end");
        let (peer, gives) = theirs.split_first_chunk().expect("8 bytes at the beginning");
        let peer = u64::from_le_bytes(*peer);
        if peer != rows as u64 {
            let (ours, theirs) = (rows.to_string(), peer.to_string());
            return Err(Error::Handshake { field: "rows".into(), ours, theirs }.into());
        }
        self.threads = threads.settle(*asked)?.min(rows);
        let ports = self.circuit.inputs().iter().zip(&self.given.words).zip(gives);
        let known = ports.map(|((port, mine), theirs)| match (mine.is_some(), *theirs != 0) {
            (true, false) => Ok(Some(p.role())),
            (false, true) => Ok(Some(p.role().peer())),
            (true, true) => {
                Err(Failure::new(format!("both parties give port {}; one of them does", port.name())))
            }
            (false, false) => Err(Failure::new(format!("neither party gives port {}", port.name()))),
        });
        known.collect()
    }
}

impl Agenda for Running<'_> {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        row_results::agree(p, &self.fields, "")?;
        let known = self.meet(p)?;
        let rows = self.given.rows;
        let way = self.options.engines.way(&self.circuit, &known, rows, &p.setting(), &self.stock)?;
        let mut fields = self.fields.clone();
        fields.extend(way.fields().into_iter().map(|(name, value)| (name.to_owned(), value)));
        fields.push(("rows".into(), rows.to_string()));
        row_results::agree(p, &fields, "")?;
        let set = begun.settle(p, fields)?;
        let parts = [Part { operation: &way, rows, threads: self.threads, stocked: true }];
        let took = self.lanes.start(p, &parts, &mut self.stock, (0, 0), Instant::now())?;
        self.operation = Some(way);
        Ok(SetUp { took: set.took.then(took), ..set })
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let progress = Progress::start("rows", self.given.rows);
        let operation = self.operation.as_ref().expect("what was agreed on");
        let operands: Vec<&[u64]> =
            self.given.words.iter().map(|words| words.as_ref().map_or(&[][..], |words| &words[..])).collect();
        let ready = self.lanes.ready(0, &mut self.stock)?;
        let done = run::run(operation, self.lanes.of(p), ready, &operands, self.reveal, &progress)?;
        self.lanes.end();
        self.outcomes = done.outcomes;
        Ok([done.offline, done.online])
    }

    fn deliver(mut self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let way = self.operation.take().expect("what was agreed on");
        let (rows, threads, stored) = (self.given.rows, self.threads, self.lanes.stored());
        if self.reveal.reaches(role) {
            self.write(&way, output)?;
        } else {
            eprintln!("the outputs go to the peer; nothing is written here");
        }
        self.stock.tell(stored, rows);
        self.delivery.tell_threads(self.options.threads.is_none(), threads);
        if manner::is_json() {
            let (circuit, role, way) = (self.circuit.name(), role_name(role), Way::of(&way));
            terminal::json(&Report { kind: "run", circuit, role, rows, way, threads, stored, phases })?;
        }
        Ok(())
    }
}

impl Running<'_> {
    /// Writes or prints the outputs.
    fn write(&mut self, way: &Evaluate, output: Option<Output>) -> Result<()> {
        let gives = way.signature().gives;
        let words = |(outcome, port): (Outcome, &operation::Port)| {
            let mask = u64::MAX >> (64 - port.bits);
            outcome.values().unwrap_or_default().into_iter().map(|value| value as u64 & mask).collect()
        };
        let columns: Vec<Vec<u64>> =
            std::mem::take(&mut self.outcomes).into_iter().zip(&gives).map(words).collect();
        let results = Results::new(&self.circuit, &columns, self.given.single);
        let Some(output) = output else { return terminal::print(&results.json()) };
        let path = output.path().to_owned();
        output.write(|to| results.write(&path, to))?;
        eprintln!("wrote {} to {}", some(self.given.rows, "row"), path.display());
        Ok(())
    }

    /// What a run shows to whom, before anything is sent.
    fn explained(&self, calibration: Calibration, read: u64) -> Result<Page> {
        let Self { circuit, reveal, given, link, stock, .. } = self;
        let mut page = Page::new("hushtable run, before anything is sent");
        let names = Names::of(link)?;
        page.plain([
            format!(
                "{} evaluate the circuit {} together for {}, each with inputs of its own.",
                names.both(),
                plain::quoted(circuit.name()),
                some(given.rows, "row")
            ),
            names.learns(*reveal, "the outputs"),
            format!(
                "Neither is shown the other's inputs, but outputs can say something about them: read the circuit; {}.",
                plain::network(link)
            ),
        ]);
        explain::who(&mut page, link)?;
        page.title("What is computed");
        page.line("circuit", circuit.name());
        page.detail("", &format!("digest {}", circuit.digest().to_hex()));
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
        let mine = |(port, words): (&Port, &_)| Option::is_some(words).then(|| port.name().to_owned());
        let mine: Vec<String> = circuit.inputs().iter().zip(&given.words).filter_map(mine).collect();
        page.line("this party gives", &mine.join(", "));
        page.line("rows", &given.rows.to_string());
        page.line("both see", "the circuit, who gives which port, how many rows, and who gets the outputs");
        let forecast = Forecast::of(calibration, link);
        let under = forecast.under();
        let role = |words: &Option<_>| Some(if words.is_some() { link.role() } else { link.role().peer() });
        let known: Vec<Option<Role>> = given.words.iter().map(role).collect();
        let (rows, lanes) = (given.rows, self.options.threads.map_or(1, usize::from));
        let way = self.options.engines.way(circuit, &known, rows, &under, stock)?;
        page.title(&format!("What it takes, for {}, if the peer gives the other ports", some(rows, "row")));
        page.line("method", &way.method());
        let stored = stock.left(rows);
        let of = |rows| run::bill(&way, rows, lanes, *reveal, &under);
        let bill = explain::all_but(of(rows)?, of(rows - stored)?);
        forecast.sent(&mut page, &bill);
        explain::stored(&mut page, stored, rows, "rows");
        if self.options.threads.is_none() {
            page.line("threads", explain::THREADS);
        }
        let protocols = Protocols::of(bill, stored, || way.effort(rows, &under))?;
        forecast.takes(&mut page, protocols, &Local { read, written: rows, ..Local::default() });
        Ok(page)
    }
}
