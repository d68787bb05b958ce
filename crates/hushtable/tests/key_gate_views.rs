//! What sines with cosines send online is uniform: as `arith_views`, which says what this catches.

use crate::support::uniform::assert_uniform;

use hushtable::{
    AShare, Party, Result,
    arith::{Fixed, Objective},
    math::{self, Function, Options, SinCos},
};

/// Items of a batch.
const BATCH: usize = 4096;

/// Prepares, has a barrier, and runs with shares that are all the number given.
type Protocol = fn(&mut Party, u64) -> Result<()>;

fn word(bits: u32, count: usize, share: u64) -> AShare<u64> {
    AShare::new(bits, vec![prim::ring::low(share, bits); count])
}

fn fixed(bits: u32, scale: u32, count: usize, share: u64) -> Result<Fixed<u64>> {
    Fixed::new(word(bits, count, share), scale)
}

fn sin_cos(p: &mut Party, x: u64, method: math::Method, objective: Objective) -> Result<()> {
    let options = Options::default().method(method).objective(objective);
    let material = SinCos::new(Function::SinPi, 12, 6, &options)?.prepare(p, BATCH)?;
    p.barrier()?;
    material.eval(p, &fixed(12, 6, BATCH, x)?).map(drop)
}

const PROTOCOLS: &[(&str, Protocol)] = &[
    ("sine and cosine by a table", |p, x| sin_cos(p, x, math::Method::Direct, Objective::Total)),
    ("sine and cosine in one round", |p, x| sin_cos(p, x, math::Method::Direct, Objective::Rounds)),
    ("sine and cosine by angle addition", |p, x| sin_cos(p, x, math::Method::Angle, Objective::Total)),
];

#[test]
fn what_sines_with_cosines_send_is_uniform() {
    for (i, (name, protocol)) in PROTOCOLS.iter().enumerate() {
        assert_uniform(name, 250 + 10 * i as u64, 1 << 19, protocol);
    }
}
