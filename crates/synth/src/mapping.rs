//! Mapping to lookups: which gates become tables of several inputs and outputs.
//!
//! XOR and NOT are free in every protocol, and so outside of tables: what XORs make of wires counts as no further input,
//! and an output that is the XOR of others, of inputs and of a constant is left out of a table. That is what mappers for
//! programmable hardware do not know, and why this one is our own.
//!
//! For each wire the cuts are looked for of which it is a function, by least depth or by least cost. A cover takes for
//! each wire that is needed its gate or a lookup; lookups of a layer that cost less together are joined. What comes of
//! several limits is judged as a whole, by who knows the protocols and the link.
//!
//! # Source
//! Cuts: Mishchenko, Cho, Chatterjee, Brayton, "Combinational and sequential mapping with priority cuts" (ICCAD 2007).
//! Lookups with several outputs, layers: Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section V.

mod costs;
mod cover;
mod cuts;
mod groups;
mod span;
mod tables;
#[cfg(test)]
mod tests;

use logic::Form;

pub use self::costs::Costs;
use self::{cover::Cover, cuts::Search, span::Sums};

/// Most inputs of a lookup.
pub const MOST_INPUTS: usize = 12;

/// The form with lookups of at most `most` inputs, 2 to [`MOST_INPUTS`], of which `judge` gives the least: a form as it is,
/// or one that is mapped for few layers or at low cost.
///
/// # Panics
/// For another number of inputs.
pub fn lookups(form: &Form, most: usize, costs: &Costs<'_>, judge: &dyn Fn(&Form) -> f64) -> Form {
    assert!((2..=MOST_INPUTS).contains(&most), "lookups of {most} inputs");
    let sums = Sums::of(form);
    let mut best: Option<(f64, Form)> = None;
    for limit in limits(most) {
        for shallow in [true, false] {
            let found = mapped(form, &sums, costs, limit, shallow);
            let value = judge(&found);
            if best.as_ref().is_none_or(|(least, _)| value < *least) {
                best = Some((value, found));
            }
        }
    }
    best.expect("a limit").1
}

/// The limits that are tried.
fn limits(most: usize) -> impl Iterator<Item = usize> {
    [4, 6, 8, 10].into_iter().filter(move |limit| *limit < most).chain([most])
}

/// Mapped to lookups of at most so many inputs: with the fewest layers, or at the least cost.
fn mapped(form: &Form, sums: &Sums, costs: &Costs<'_>, most: usize, shallow: bool) -> Form {
    let mut search = Search { form, sums, costs, most, shallow, reads: read_by_gates(form) };
    // What a cover reads says how costs are shared: once more with that.
    let first = Cover::of(&search, &search.run());
    search.reads = first.reads();
    Cover::of(&search, &search.run()).form(sums, costs)
}

/// How often gates and outputs read each wire.
fn read_by_gates(form: &Form) -> Vec<f64> {
    let mut reads = vec![0.0; form.wires()];
    let gates = form.gates().iter().flat_map(|gate| form.reads(gate));
    gates.chain(form.outputs().iter().copied()).for_each(|lit| reads[lit.wire() as usize] += 1.0);
    reads
}
