//! What joins are made of sends: the part of the golden transcripts of `wire` that is about VOLE and what is built on it.

use hushtable::{
    Party, Result, Role,
    arith::DrawnEquality,
    gates::{Bits, DrawnMux, KnownMux},
    oprf::{Oprf, OprfJob},
    ot::Scheme,
    share::Additive,
};
use prim::block::Block;

use crate::support::transcripts::Protocol;

/// Name, OT extension, protocol.
pub const PROTOCOLS: &[(&str, Option<Scheme>, Protocol)] = &[
    ("vole-packed", None, |p| voles(p, 100)),
    ("vole-s", Some(Scheme::Ferret), |p| voles(p, 20_000)),
    ("vole-m", Some(Scheme::Ferret), |p| voles(p, 130_000)),
    ("oprf", None, |p| function(p, 9, 11)),
    ("oprf-extended", Some(Scheme::Ferret), |p| function(p, 20_000, 11)),
    ("select-known", None, |p| {
        let (bits, words) = (Bits::random(p, 70), [5; 70]);
        let columns: &[&[u64]] = if p.role() == Role::P1 { &[&words, &words] } else { &[] };
        KnownMux::prepare(p, Role::P1, 70, &[9, 33])?.select(p, &bits, columns).map(drop)
    }),
    ("select-drawn", None, |p| {
        let (bits, words) = (Bits::random(p, 70), [5; 70]);
        let columns: &[&[u64]] = if p.role() == Role::P1 { &[&words, &words] } else { &[] };
        DrawnMux::prepare(p, Role::P1, 70, [&[9], &[33]])?.select::<Additive>(p, &bits, columns).map(drop)
    }),
    ("equal-drawn", None, |p| {
        let words = (p.role() == Role::P1).then_some(&[5; 70][..]);
        DrawnEquality::prepare(p, Role::P0, 20, 70)?.eq(p, words).map(drop)
    }),
];

fn voles(p: &mut Party, count: usize) -> Result<()> {
    match p.role() {
        Role::P0 => p.send_voles(count).map(drop),
        Role::P1 => p.receive_voles(count).map(drop),
    }
}

/// P1 receives.
fn function(p: &mut Party, keys: usize, inputs: usize) -> Result<()> {
    let job = OprfJob { receiver: Role::P1, keys, inputs, blocks: 2 };
    let count = if p.role() == Role::P1 { keys } else { inputs };
    let inputs: Vec<Block> = (0..count as u128).map(Block).collect();
    Oprf::prepare(p, job)?.eval(p, &inputs).map(drop)
}
