//! `hushtable info`: version, kernels and security parameters.

use std::fmt::Write as _;

use clap::Args;
use hushtable::{
    net::WIRE_VERSION,
    ot::params::{FLOOR_BITS, LpnSet, SETS, WEIGHT},
};
use hushtable_columns::{failure::Result, terminal};
use prim::simd::Kernel;

const EXAMPLES: &str = "\
Examples:
  hushtable info

Both parties need the same wire version and the same parameter sets.";

/// Show version, wire version, the kernels chosen for this processor and the security parameters
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Info;

/// Runs the subcommand.
pub fn run() -> Result<()> {
    terminal::print(&text())
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
