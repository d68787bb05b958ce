//! `hushtable info`: version, kernels and security parameters.

use std::fmt::Write as _;

use crate::settings::{Setting, settings};
use clap::Args;
use hushtable::{
    net::WIRE_VERSION,
    ot::params::{FLOOR_BITS, LpnSet, SETS, WEIGHT},
};
use hushtable_columns::{failure::Result, manner, terminal};
use prim::simd::Kernel;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  hushtable info

Both parties need the same wire version and the same parameter sets.";

/// Show versions, this processor's kernels, the security parameters, and what is set outside of arguments
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Info;

/// Runs the subcommand.
pub fn run() -> Result<()> {
    let settings = settings()?;
    match manner::is_json() {
        true => terminal::json(&Shown::of_this_program(settings)),
        false => terminal::print(&(text() + &set(&settings))),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown {
    version: &'static str,
    wire_version: u16,
    kernel: &'static str,
    /// Kernels that this processor can run.
    kernels: Vec<&'static str>,
    sets: Vec<Set>,
    settings: Vec<Setting>,
}

/// A set of parameters.
#[derive(Serialize)]
struct Set {
    name: &'static str,
    n: usize,
    k: usize,
    t: usize,
    usable: usize,
    least_bits: f64,
}

impl Shown {
    fn of_this_program(settings: Vec<Setting>) -> Self {
        let set = |set: &LpnSet| Set {
            name: set.name,
            n: set.n(),
            k: set.k(),
            t: set.t,
            usable: set.usable(),
            least_bits: set.min_bits(),
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            wire_version: WIRE_VERSION,
            kernel: Kernel::active().name(),
            kernels: Kernel::supported().into_iter().map(Kernel::name).collect(),
            sets: SETS.iter().copied().map(set).collect(),
            settings,
        }
    }
}

fn text() -> String {
    let others: Vec<&str> = Kernel::supported().into_iter().map(Kernel::name).collect();
    let mut out = format!(
        "hushtable {}\nwire version {WIRE_VERSION}\nkernels: {} (this processor can run: {})\n\
         model: two parties, semi-honest; 128 bits computational, 40 bits statistical security\n\
         OT extension by LPN: primal, regular noise, {WEIGHT} ones in a row; every set costs at least 2^{FLOOR_BITS} bit \
         operations by every attack below, others are refused\n",
        env!("CARGO_PKG_VERSION"),
        Kernel::active().name(),
        others.join(", "),
    );
    for set in SETS {
        describe(&mut out, set);
    }
    out
}

/// What is set outside of arguments.
fn set(settings: &[Setting]) -> String {
    let line = |Setting { option, value, from }: &Setting| format!("  --{option} {value}  ({from})\n");
    match settings.is_empty() {
        true => "\nsettings: none; see `hushtable help settings`\n".into(),
        false => format!(
            "\nsettings, unless an argument says otherwise:\n{}",
            settings.iter().map(line).collect::<String>()
        ),
    }
}

fn describe(out: &mut String, set: &LpnSet) {
    let (name, n, k, t) = (set.name, set.n(), set.k(), set.t);
    let attacks: Vec<String> = set.bits.iter().map(|(attack, bits)| format!("{attack} {bits:.1}")).collect();
    write!(
        out,
        "\nset {name}: n = {n}, k = {k}, t = {t}; {} OTs an extension\n  least {:.1} bits, by {} on {}\n  {}\n  \
         a bound that no known algorithm reaches: {:.1}\n",
        set.usable(),
        set.min_bits(),
        set.source,
        set.date,
        attacks.join(", "),
        set.sparse_bound
    )
    .expect("text grows");
}
