//! Forms with fewer ANDs, and forms with fewer layers of them.

mod balance;
mod cuts;
mod net;
mod recipes;
mod rewrite;

use logic::Form;

use crate::equal::differs;

/// The form with as few ANDs as rewriting finds, named `ands`. One with lookups stays as it is.
///
/// # Panics
/// If what it made differs from the form: a mistake of this crate.
pub fn ands(form: &Form) -> Form {
    let few = rewritten(form, false, "ands");
    // Balanced products meet others in new ways.
    let flat = layers(&few);
    if (flat.ands(), flat.depth()) < (few.ands(), few.depth()) { checked(form, flat, "ands") } else { few }
}

/// A form that waits for as few ANDs, one after the other, as balancing finds, and has no more of them: named `layers`.
///
/// # Panics
/// As [`ands`].
pub fn layers(form: &Form) -> Form {
    if form.lookups() > 0 {
        return form.clone();
    }
    let mut best = balance::balanced(form);
    loop {
        let next = balance::balanced(&rewritten(&best, true, "layers"));
        if (next.depth(), next.ands()) >= (best.depth(), best.ands()) {
            break;
        }
        best = next;
    }
    checked(form, best, "layers")
}

fn rewritten(form: &Form, keep: bool, name: &str) -> Form {
    if form.lookups() > 0 {
        return form.clone();
    }
    let mut best = form.clone();
    loop {
        let next = rewrite::once(&best, keep);
        if (next.ands(), next.xors()) >= (best.ands(), best.xors()) {
            return checked(form, best, name);
        }
        best = next;
    }
}

fn checked(before: &Form, after: Form, name: &str) -> Form {
    let after = after.renamed(name).expect("a name of one word");
    if let Some(at) = differs(before, &after, 1) {
        panic!("the optimised form differs at the inputs {at:?}");
    }
    after
}
