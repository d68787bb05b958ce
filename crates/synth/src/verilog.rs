//! Verilog to circuits. yosys reads the source and flattens it to words and operators; what gates these become is decided
//! here, so that an operator takes as few ANDs as are known.

mod build;
mod cells;
mod netlist;
mod options;
pub(crate) mod yosys;

use std::path::Path;

use logic::Circuit;
pub use options::Options;
use yosys::Yosys;

use crate::error::{Error, Result};

/// The circuit of a module without state, with the modules that it uses. Its form is named `ands`, or `luts` where
/// tables are lookups; [`ands`](crate::optimise::ands) makes a better one of it.
///
/// # Errors
/// [`Error::NoYosys`]; [`Error::Yosys`] for what yosys does not read; [`Error::Design`] for registers, latches, loops,
/// memories that are written, and wires that nothing drives.
pub fn compile(files: &[impl AsRef<Path>], top: &str, options: &Options) -> Result<Circuit> {
    let mut yosys = Yosys::find()?;
    let script = format!("{}write_json design.json", script(&mut yosys, files, top, options)?);
    let said = yosys.run(&script)?;
    // What it warns of, and goes on with one of them.
    if let Some(what) = said.lines().find_map(|line| line.split_once("multiple conflicting drivers for ")) {
        return Err(Error::Yosys(format!("two drivers of one wire: {}", what.1.trim_end_matches(':'))));
    }
    let path = yosys.path("design.json");
    let json = yosys.named(&std::fs::read_to_string(&path).map_err(Error::file(&path))?);
    let netlist: netlist::Netlist =
        serde_json::from_str(&json).map_err(|error| Error::Yosys(format!("its netlist: {error}")))?;
    // With values for parameters the module has a name of its own.
    let [(_, module)] = netlist.modules.0.as_slice() else {
        return Error::at(top, "not one flat module");
    };
    build::circuit(module, top, options)
}

/// What reads a design and leaves one flat module of operators on words.
pub(crate) fn script(
    yosys: &mut Yosys,
    files: &[impl AsRef<Path>],
    top: &str,
    options: &Options,
) -> Result<String> {
    let mut script = String::from("read_verilog -sv");
    for file in files {
        script.push_str(&format!(" {}", yosys.source(file.as_ref())?));
    }
    script.push_str(&format!("; hierarchy -check -top {}", identifier(top)?));
    for (name, value) in &options.parameters {
        script.push_str(&format!(" -chparam {} {value}", identifier(name)?));
    }
    script.push_str(
        // Each module is tidied once, and not each use of it: the draft folds what constants leave.
        "; proc; tribuf; check; opt; wreduce; peepopt; opt; opt_mem; memory_collect; opt_clean; flatten; ",
    );
    Ok(script)
}

/// A name that can stand in a script.
fn identifier(name: &str) -> Result<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    match name.bytes().next() {
        Some(first) if plain(first) && !first.is_ascii_digit() && name.bytes().all(plain) => Ok(name),
        _ => Err(Error::Asked(format!("name {name:?}; accepted: letters, digits, _ and $"))),
    }
}

/// The circuit of a module as yosys makes gates of it by itself: what a form of [`compile`] can be proven equal to. It has
/// more ANDs, and its ports no other types than numbers without signs.
///
/// # Errors
/// As [`compile`].
pub fn reference(files: &[impl AsRef<Path>], top: &str, options: &Options) -> Result<Circuit> {
    let mut yosys = Yosys::find()?;
    let script = format!(
        "{}setundef -zero; chtype -set $shift t:$shiftx; memory_map; techmap; simplemap; opt_clean; \
         write_blif design.blif",
        script(&mut yosys, files, top, options)?
    );
    yosys.run(&script)?;
    let path = yosys.path("design.blif");
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    crate::blif::read_listed(&text)
}
