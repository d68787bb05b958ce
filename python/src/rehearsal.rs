//! What an operation takes online, found by running it: on a row and on two, between two parties of this process.
//!
//! The library knows what its simple operations take. Those of rows run many of them, each row as the other.

use hushtable::{Error, Party, Role};

use crate::arith::Operation;

type Counts = (usize, usize);

/// Correlated OTs, as sender and as receiver, that `operation(role, rows)` with material takes online at `role`.
pub fn online_cots(
    role: Role,
    rows: usize,
    operation: impl Fn(Role, usize) -> Operation + Sync,
) -> Result<Counts, Error> {
    let taken = |rows| {
        let run = |p: &mut Party| {
            let operation = operation(p.role(), rows);
            let inputs = vec![0; operation.inputs()];
            let ready = operation.ready(p, inputs.len(), true)?;
            let before = p.cots_taken();
            ready(p, &inputs, &[])?;
            Ok(minus(p.cots_taken(), before))
        };
        let (p0, p1) = hushtable::run_pair(Party::pair()?, run, run)?;
        Ok(if role == Role::P0 { p0 } else { p1 })
    };
    let (one, two): (Counts, Counts) = (taken(1)?, taken(2)?);
    let (first, more) = (one, minus(two, one));
    Ok((first.0 + (rows - 1) * more.0, first.1 + (rows - 1) * more.1))
}

fn minus(a: Counts, b: Counts) -> Counts {
    (a.0 - b.0, a.1 - b.1)
}
