//! What gates by keys, sines with cosines and angles of vectors send online is uniform: as `arith_views`, which says what
//! this catches.

use crate::support::uniform::assert_uniform;

use hushtable::{
    AShare, Party, Result,
    arith::{
        AdditiveContainment, Fixed, Objective, OneRoundDigits, Piecewise, PiecewiseJob, SecretPiecewise,
    },
    math::{self, Atan2, Atan2Job, Function, Options, SinCos},
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

const PIECES: PiecewiseJob = PiecewiseJob { bits: 8, ring: 20, degree: 1 };

fn sin_cos(p: &mut Party, x: u64, method: math::Method, objective: Objective) -> Result<()> {
    let options = Options { method, objective, ..Options::default() };
    let material = SinCos::new(Function::SinPi, 12, 6, &options)?.prepare(p, BATCH)?;
    p.barrier()?;
    material.eval(p, &fixed(12, 6, BATCH, x)?).map(drop)
}

const PROTOCOLS: &[(&str, Protocol)] = &[
    ("intervals as numbers", |p, x| {
        let material = AdditiveContainment::prepare(p, 8, 16, BATCH)?;
        p.barrier()?;
        material.inside(p, &word(8, BATCH, x), &[3..9, 9..200]).map(drop)
    }),
    ("piecewise polynomials", |p, x| {
        let material = Piecewise::prepare(p, PIECES, BATCH)?;
        p.barrier()?;
        material.powers(p, &word(8, BATCH, x), &[3, 9]).map(drop)
    }),
    ("piecewise polynomials of secrets", |p, x| {
        let material = SecretPiecewise::prepare(p, PIECES, 2, 1024)?;
        p.barrier()?;
        let coefficients = vec![word(20, 1024, x); 4];
        material.eval(p, &word(8, 1024, x), &[3], &coefficients).map(drop)
    }),
    ("digits in one opening", |p, x| {
        let material = OneRoundDigits::<u8>::prepare(p, 10, 4, BATCH)?;
        p.barrier()?;
        material.digits(p, &word(10, BATCH, x)).map(drop)
    }),
    ("sine and cosine by a table", |p, x| sin_cos(p, x, math::Method::Direct, Objective::Total)),
    ("sine and cosine in one round", |p, x| sin_cos(p, x, math::Method::Direct, Objective::Rounds)),
    ("sine and cosine by angle addition", |p, x| sin_cos(p, x, math::Method::Angle, Objective::Total)),
    ("angles of vectors", |p, x| {
        let objective = Objective::Total;
        let job = Atan2Job { bits: 24, scale: 8, scale_out: 12, bounds: [0.5, 100.0], objective };
        let material = Atan2::prepare(p, job, 64)?;
        p.barrier()?;
        material.eval(p, &fixed(24, 8, 64, x)?, &fixed(24, 8, 64, !x)?).map(drop)
    }),
];

#[test]
fn what_gates_by_keys_send_is_uniform() {
    for (i, (name, protocol)) in PROTOCOLS.iter().enumerate() {
        assert_uniform(name, 250 + 10 * i as u64, 1 << 19, protocol);
    }
}
