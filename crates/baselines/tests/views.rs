//! What gates of one opening send online is uniform: `arith_views` of the library says what this catches.

use crate::support::uniform::assert_uniform;

use hushtable::{AShare, Party, Result};
use hushtable_baselines::dfss::{
    AdditiveContainment, OneRoundDigits, OneRoundExtension, OneRoundTruncation, Piecewise, PiecewiseJob,
    SecretPiecewise,
};

/// Items of a batch.
const BATCH: usize = 4096;

/// Prepares, has a barrier, and runs with shares that are all the number given.
type Protocol = fn(&mut Party, u64) -> Result<()>;

fn word(bits: u32, count: usize, share: u64) -> AShare<u64> {
    AShare::new(bits, vec![prim::ring::low(share, bits); count])
}

const PIECES: PiecewiseJob = PiecewiseJob { bits: 8, ring: 20, degree: 1 };

const PROTOCOLS: &[(&str, Protocol)] = &[
    ("truncation and extension in one round", |p, x| {
        let truncation = OneRoundTruncation::<u64>::prepare(p, 36, 3, BATCH)?;
        let extension = OneRoundExtension::<u8>::prepare(p, [7, 9], BATCH)?;
        p.barrier()?;
        truncation.truncate(p, &word(36, BATCH, x))?;
        extension.sign::<u64, u64>(p, &word(7, BATCH, x)).map(drop)
    }),
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
];

#[test]
fn what_gates_of_one_opening_send_is_uniform() {
    for (i, (name, protocol)) in PROTOCOLS.iter().enumerate() {
        assert_uniform(name, 250 + 10 * i as u64, 1 << 19, protocol);
    }
}
