//! Whether two forms compute the same.

mod cones;
mod solver;
mod sum;
mod sums;
#[cfg(test)]
mod tests;

use std::time::Duration;

use logic::{Circuit, Form, Kind, Port};
use solver::Found;

use crate::{
    blif,
    error::{Error, Result},
    patterns::{counted, random},
};

/// Whether two forms compute the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do: all inputs were tried, or there is a proof.
    Equal,
    /// They do not: for these inputs, where they are known.
    Different(Option<Vec<bool>>),
    /// No proof was found in the time.
    Unknown,
}

/// Inputs up to which all their values are tried.
const EXHAUSTIVE: usize = 20;
/// Words of 64 evaluations each that are tried beyond.
const WORDS: usize = 64;

/// Inputs for which two forms give different outputs, found by trying: all where there are at most 20 bits of them, else
/// 4096 by chance that `seed` decides. `None` proves nothing beyond 20 bits.
///
/// # Panics
/// If they have different numbers of inputs or outputs.
pub fn differs(a: &Form, b: &Form, seed: u64) -> Option<Vec<bool>> {
    assert_eq!((a.inputs(), a.outputs().len()), (b.inputs(), b.outputs().len()), "ports of two forms");
    let inputs = a.inputs();
    let rounds = if inputs <= EXHAUSTIVE { 1 << inputs.saturating_sub(6) } else { WORDS };
    let mut chance = seed;
    for round in 0..rounds {
        let word = |i: usize| {
            if inputs <= EXHAUSTIVE { counted(i, round) } else { random(&mut chance) }
        };
        let words: Vec<u64> = (0..inputs).map(word).collect();
        let wrong = a.eval(&words).iter().zip(b.eval(&words)).fold(0, |all, (a, b)| all | (a ^ b));
        if wrong != 0 {
            let item = wrong.trailing_zeros();
            return Some(words.iter().map(|word| word >> item & 1 == 1).collect());
        }
    }
    None
}

/// A proof that two forms compute the same, where it takes no search: their outputs are the same sums of products, or a
/// form of lookups is made of the other one's wires. `false` says nothing.
///
/// # Panics
/// As [`differs`].
pub fn alike(a: &Form, b: &Form) -> bool {
    assert_eq!((a.inputs(), a.outputs().len()), (b.inputs(), b.outputs().len()), "ports of two forms");
    sums::alike(a, b)
}

/// Whether two forms compute the same, for all inputs. What is tried, in this order: inputs by chance, or all of them; the
/// sums of products that the outputs are; and the solver of abc, or of yosys where there is no abc.
///
/// # Errors
/// [`Error::NoYosys`] where a solver is needed and none is found.
///
/// # Panics
/// As [`differs`].
pub fn prove(a: &Form, b: &Form, limit: Duration) -> Result<Verdict> {
    if let Some(at) = differs(a, b, 1) {
        return Ok(Verdict::Different(Some(at)));
    }
    if a.inputs() <= EXHAUSTIVE || sums::alike(a, b) {
        return Ok(Verdict::Equal);
    }
    let folder = tempfile::tempdir().map_err(Error::file(std::env::temp_dir()))?;
    let port = |name: &str, bits: usize| Port::new(name, Kind::Bits(bits as u32)).map(|port| vec![port]);
    for (name, form) in [("a", a), ("b", b)] {
        let form = form.clone();
        let circuit =
            Circuit::new(name, port("x", form.inputs())?, port("y", form.outputs().len())?, vec![form])?;
        let path = folder.path().join(format!("{name}.blif"));
        let text = blif::write(&circuit, &circuit.forms()[0])?;
        std::fs::write(&path, text).map_err(Error::file(&path))?;
    }
    Ok(match solver::compared(folder.path(), limit)? {
        Found::Equal => Verdict::Equal,
        Found::Different => Verdict::Different(None),
        Found::Nothing => Verdict::Unknown,
    })
}
