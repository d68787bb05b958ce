//! A circuit from what people write circuits in: Verilog, or gates in a file.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::ValueEnum;
use hushtable::{
    circuit::{self, Circuit, Form, Kind},
    net::LinkShape,
    operation::Engine,
    plan::{Machine, Objective, Wanted},
};
use hushtable_columns::failure::{Failure, Result};
use synth::{
    blif, bristol,
    equal::{self, Verdict},
    optimise, verilog,
};

use super::{is_circuit, load, mapped::Aim};
use crate::progress::Progress;

/// What lookups are made for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Goal {
    /// Time on one machine
    Loopback,
    /// Time over 3 Gbit/s and 0.8 ms
    Lan,
    /// Time over 100 Mbit/s and 50 ms
    Wan,
    /// Bytes of both directions
    Bytes,
}

impl Goal {
    /// By its name.
    pub fn named(name: &str) -> Result<Self> {
        let accepted = "accepted: loopback, lan, wan, bytes";
        Self::from_str(name, false)
            .map_err(|_| Failure::new(format!("lookups made for {name:?}; {accepted}")))
    }

    /// What is to be least, on machines like this one.
    pub fn wanted(self, machine: Machine) -> Wanted {
        let (objective, link) = match self {
            Self::Loopback => (Objective::Total, LinkShape::LOOPBACK),
            Self::Lan => (Objective::Total, LinkShape::LAN),
            Self::Wan => (Objective::Total, LinkShape::WAN),
            Self::Bytes => (Objective::Bytes, LinkShape::LAN),
        };
        Wanted::new(objective, link, machine)
    }
}

/// Gates up to which other forms are made, which takes a minute for as many. A larger circuit keeps the one that it has.
const REWRITTEN: usize = 1 << 17;

/// What a circuit is made of, and how.
pub struct Compilation {
    /// Verilog; or one circuit in BLIF or Bristol Fashion; or some as `.hut` or `lib:NAME`, which stand side by side.
    pub files: Vec<PathBuf>,
    /// The module of Verilog that is the circuit.
    pub top: Option<String>,
    /// What ports mean.
    pub types: Vec<(String, Kind)>,
    /// Values of the module's parameters.
    pub parameters: Vec<(String, i64)>,
    /// Most inputs of a lookup, 2 to 12.
    pub max_inputs: u32,
    /// For how many evaluations at once.
    pub batch: usize,
    /// Whether all forms are proven to compute the same.
    pub prove: bool,
}

/// Reading, ANDs, layers, lookups of both, comparing.
const STEPS: usize = 6;

impl Compilation {
    /// The circuit, in the forms that suit what is wanted. Each is compared with what was written.
    pub fn circuit(&self, wanted: &Wanted) -> Result<Arc<Circuit>> {
        let progress = Progress::start("steps", STEPS + 4 * usize::from(self.prove));
        let circuit = self.read()?;
        progress.step();
        if circuit.inputs().is_empty() || circuit.outputs().is_empty() {
            let path = self.files[0].display();
            return Err(Failure::input(format!("{path}: a circuit needs an input and an output at least")));
        }
        // Circuits side by side have the forms that each of them has.
        let several = self.files.len() > 1 && self.files.iter().all(|file| is_circuit(file));
        Ok(Arc::new(if several { circuit } else { self.with_forms(circuit, wanted, &progress)? }))
    }

    /// The circuit as it is written.
    fn read(&self) -> Result<Circuit> {
        if self.files.iter().all(|file| is_circuit(file)) {
            let circuits: Vec<_> = self.files.iter().map(|file| load(file)).collect::<Result<_>>()?;
            let circuit = match &circuits[..] {
                [circuit] => Circuit::clone(circuit),
                all => {
                    let name = all.iter().map(|circuit| circuit.name()).collect::<Vec<_>>().join("+");
                    Circuit::beside(name, &all.iter().map(|circuit| &**circuit).collect::<Vec<_>>())
                        .map_err(wrong)?
                }
            };
            if self.prove {
                let forms: Vec<&Form> = circuit.forms().iter().collect();
                (1..forms.len()).try_for_each(|at| prove(&forms[..at], forms[at]))?;
            }
            return retyped(circuit, &self.types);
        }
        if let [file] = &self.files[..]
            && is_gates(file)
        {
            let text = fs::read_to_string(file).map_err(Failure::file(file))?;
            let name =
                file.file_stem().map(|stem| stem.to_string_lossy().replace(' ', "_")).unwrap_or_default();
            let circuit =
                if extension(file) == "blif" { blif::read(&text) } else { bristol::read(&text, &name) };
            let circuit = circuit.map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
            return retyped(circuit, &self.types);
        }
        verilog::compile(&self.files, self.module()?, &self.options()).map_err(|error| match error {
            synth::Error::Asked(_) | synth::Error::NoYosys => Failure::new(error.to_string()),
            _ => Failure::input(error.to_string()),
        })
    }

    fn module(&self) -> Result<&str> {
        let missing = || Failure::new("of Verilog one module is the circuit: top, its name, is missing");
        self.top.as_deref().ok_or_else(missing)
    }

    /// What is asked of yosys.
    fn options(&self) -> verilog::Options {
        let (kinds, parameters) = (self.types.clone(), self.parameters.clone());
        verilog::Options { kinds, parameters, ..verilog::Options::default() }
    }

    /// The circuit with the forms that are made of its first one, each compared with that.
    fn with_forms(&self, circuit: Circuit, wanted: &Wanted, progress: &Progress) -> Result<Circuit> {
        let source = circuit.forms()[0].clone();
        if self.prove && !self.files.iter().any(|file| is_circuit(file) || is_gates(file)) {
            // What yosys itself makes gates of.
            let reference = verilog::reference(&self.files, self.module()?, &self.options());
            let reference = reference.map_err(|error| Failure::input(error.to_string()))?;
            prove(&[&source], &reference.forms()[0])?;
            progress.step();
        }
        if source.gates().len() > REWRITTEN {
            let form = source.renamed("ands").map_err(wrong)?;
            return Circuit::new(
                circuit.name(),
                circuit.inputs().to_vec(),
                circuit.outputs().to_vec(),
                vec![form],
            )
            .map_err(wrong);
        }
        let ands = optimise::ands(&source);
        progress.step();
        let layers = optimise::layers(&ands);
        progress.step();
        let mut forms = vec![ands];
        if layers.depth() < forms[0].depth() {
            forms.push(layers);
        }
        let (engine, inputs, items) = (Engine::Layers(None), self.max_inputs as usize, self.batch);
        let aim = Aim { engine, inputs, items, wanted };
        let luts = forms.iter().map(|form| {
            let luts = aim.lookups(&circuit, form);
            progress.step();
            luts
        });
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
        progress.step();
        if self.prove {
            let known: Vec<&Form> = std::iter::once(&source).chain(&forms).collect();
            for at in 1..known.len() {
                prove(&known[..at], known[at])?;
                progress.step();
            }
        }
        let (inputs, outputs) = (circuit.inputs().to_vec(), circuit.outputs().to_vec());
        Circuit::new(circuit.name(), inputs, outputs, forms).map_err(wrong)
    }
}

/// The circuit in the format of the file's extension.
pub fn written(circuit: &Circuit, path: &Path) -> Result<String> {
    let form = &circuit.forms()[0];
    let text = match extension(path).as_str() {
        "hut" => Ok(circuit.to_string()),
        "blif" => blif::write(circuit, form),
        "txt" | "bristol" => bristol::write(circuit, form, bristol::Format::New),
        _ => {
            let path = path.display();
            return Err(Failure::new(format!("{path}: accepted: .hut, .blif, .txt, .bristol")));
        }
    };
    text.map_err(|error| Failure::new(error.to_string()))
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether a file has gates already.
fn is_gates(file: &Path) -> bool {
    matches!(extension(file).as_str(), "blif" | "txt" | "bristol")
}

fn wrong(error: circuit::Error) -> Failure {
    Failure::new(error.to_string())
}

/// With ports that mean what is said.
fn retyped(circuit: Circuit, types: &[(String, Kind)]) -> Result<Circuit> {
    let all: Vec<&str> = circuit.inputs().iter().chain(circuit.outputs()).map(circuit::Port::name).collect();
    if let Some((name, _)) = types.iter().find(|(name, _)| !all.contains(&name.as_str())) {
        return Err(Failure::new(format!("type of {name}: the circuit has {}", all.join(", "))));
    }
    let of = |ports: &[circuit::Port]| {
        let port = |port: &circuit::Port| match types.iter().find(|(name, _)| name == port.name()) {
            Some((_, kind)) => port.retyped(*kind),
            None => Ok(port.clone()),
        };
        ports.iter().map(port).collect::<std::result::Result<Vec<_>, _>>()
    };
    let (inputs, outputs) = (of(circuit.inputs()).map_err(wrong)?, of(circuit.outputs()).map_err(wrong)?);
    circuit.with_ports(inputs, outputs).map_err(wrong)
}

/// Proves that a form computes the same as some that compute the same.
fn prove(known: &[&Form], form: &Form) -> Result<()> {
    const LIMIT: Duration = Duration::from_secs(600);
    if known.iter().any(|known| equal::alike(known, form)) {
        return Ok(());
    }
    match equal::prove(known[0], form, LIMIT) {
        Ok(Verdict::Equal) => Ok(()),
        Ok(Verdict::Unknown) => Err(Failure::new(format!(
            "nothing is found out about form {} in {LIMIT:?}, which was to be proven",
            form.name()
        ))),
        Ok(Verdict::Different(_)) => {
            Err(Failure::new(format!("form {} differs from the source: a bug", form.name())))
        }
        Err(error) => Err(Failure::new(error.to_string())),
    }
}
