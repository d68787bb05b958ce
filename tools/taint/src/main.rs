//! Runs the online phase of each family with all that is secret marked as undefined, so that valgrind reports
//! every branch and every address that depends on it: `tools/taint.py`.
//!
//! Secret is what comes from a party's randomness, its keys, masks and material, and its shares. Public is what
//! arrives from the peer. A value that is opened is public as well, but half of it comes from this party's
//! shares: the places where it may decide something stand in `public.txt`, each with its reason.
//!
//! `taint plant` branches on a share of a lookup's result, and looks up at one: both must be reported.

mod jobs;
#[path = "../../../crates/hushtable/tests/support/relay.rs"]
mod relay;
mod valgrind;

use std::{env, hint::black_box, process::ExitCode};

use hushtable::{
    AShare, Party, Result,
    lut::Table,
    net::Connection,
    onehot::{Cyclic, OneHot},
};
use jobs::{JOBS, Phases};
use relay::{Fate, relayed};

fn main() -> ExitCode {
    if !valgrind::running() {
        eprintln!("taint: not under valgrind, which alone sees anything");
        return ExitCode::FAILURE;
    }
    let wanted = env::args().nth(1).unwrap_or_default();
    if wanted == "plant" {
        return plant();
    }
    for (name, phases) in JOBS.iter().filter(|job| job.0.contains(&wanted)) {
        eprintln!("taint: {name}");
        run(*phases);
    }
    ExitCode::SUCCESS
}

/// Both parties, with secret randomness. What is sent is public where it leaves its sender.
fn run(phases: Phases) {
    let party = |connection: Connection| -> Result<()> {
        valgrind::report(false);
        let seed = [7u64];
        valgrind::secret(&seed);
        let outcome =
            Party::seeded(connection, black_box(&seed)[0], None).and_then(|mut p| phases(&mut p, begin));
        // An error is no secret, and whether there is one depends on what was received.
        valgrind::public(std::slice::from_ref(&outcome));
        outcome
    };
    let outcome = relayed([3; 32], party, party, |_, _, frame| {
        valgrind::public(frame);
        Fate::Pass
    });
    outcome.p0.expect("no panic at P0").expect("an honest run of P0");
    outcome.p1.expect("no panic at P1").expect("an honest run of P1");
}

/// The online phase begins: both parties are here.
fn begin(p: &mut Party) -> Result<()> {
    p.barrier()?;
    valgrind::report(true);
    Ok(())
}

/// What must be reported: a branch on a share of a result, and a lookup at one. So what is marked is still known
/// behind a whole protocol.
fn plant() -> ExitCode {
    run(|p, online| {
        let table = Table::<u16>::tabulate(3, 16, |x| x * 31)?;
        let material = OneHot::<Cyclic>::rotl(p, 3, 10)?.signed(p, &[16])?;
        online(p)?;
        let y = material.lookup(p, &table, &AShare::new(3, vec![1; 10]))?;
        branch_on_mask(y.words()[0]);
        let read = [black_box([1u8; 16])[usize::from(y.words()[1] & 15)]];
        valgrind::public(&read);
        eprintln!("taint: a table read at a secret place gives {}", black_box(&read)[0]);
        Ok(())
    });
    ExitCode::SUCCESS
}

/// The planted branch; `tools/branches.py` looks for it too.
#[inline(never)]
fn branch_on_mask(mask: u16) {
    if mask & 1 == 1 {
        eprintln!("taint: a branch on a secret");
    }
}
