//! A small job of every baseline that is short enough for a fault at each of its messages, each with a barrier at its end,
//! so that nobody is done before the peer is.

use hushtable::{AShare, Party, Result, ot::Scheme};
use hushtable_baselines::{
    dfss::{
        AdditiveContainment, GgmFunction, GgmKeys, OneRoundDigits, OneRoundExtension, OneRoundReduction,
        OneRoundTruncation, PayloadComparison, PayloadEquality, Piecewise, PiecewiseJob,
    },
    ndss::triples_from_codes,
};

use crate::support::pairs::share;

/// Of sessions and shares.
pub const SEED: u64 = 80;

/// A party's part in a protocol, after set-up.
pub type Job = fn(&mut Party) -> Result<()>;

/// Items of a batch: no whole number of bytes.
const BATCH: usize = 11;

/// Shares of numbers of 16 bits.
fn numbers(p: &Party, count: usize) -> AShare<u32> {
    share(p.role(), 16, &(0..count as u32).map(|i| 100 * i).collect::<Vec<_>>(), SEED)
}

pub const JOBS: &[(&str, Option<Scheme>, Job)] = &[
    ("truncation and extension in one round", None, |p| {
        let x = numbers(p, BATCH).low_bits::<u16>(16)?;
        let reduction = OneRoundReduction::<u8>::prepare(p, 16, 9, BATCH)?;
        let truncation = OneRoundTruncation::<u16>::prepare(p, 16, 3, BATCH)?;
        let extension = OneRoundExtension::<u8>::prepare(p, [7, 9], BATCH)?;
        let y = reduction.reduce(p, &x)?;
        truncation.truncate(p, &x)?;
        extension.sign::<u8, u16>(p, &y).and_then(|_| p.barrier())
    }),
    ("gates by keys", None, |p| {
        let x = numbers(p, BATCH).low_bits::<u16>(9)?;
        let job = PiecewiseJob { bits: 9, ring: 12, degree: 1 };
        let intervals = AdditiveContainment::prepare(p, 9, 12, BATCH)?;
        let pieces = Piecewise::prepare(p, job, BATCH)?;
        let digits = OneRoundDigits::<u8>::prepare(p, 9, 4, BATCH)?;
        intervals.negative(p, &x)?;
        pieces.powers(p, &x, &[7])?;
        digits.digits(p, &x).and_then(|_| p.barrier())
    }),
    ("gates with a payload", None, |p| {
        let (x, payload) = (numbers(p, BATCH).low_bits::<u16>(9)?, AShare::new(12, vec![7; BATCH]));
        let (equal, less) =
            (PayloadEquality::prepare(p, 9, &payload)?, PayloadComparison::prepare(p, 9, &payload)?);
        equal.eq(p, &x, &x)?;
        less.less(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("keys over plain trees", None, |p| {
        let (position, payload) = (AShare::new(3, vec![5; BATCH]), AShare::new(9, vec![7; BATCH]));
        GgmKeys::new(p, GgmFunction::Below, &position, &payload).and_then(|_| p.barrier())
    }),
    ("triples from codes", None, |p| triples_from_codes(p, BATCH, 2).and_then(|_| p.barrier())),
];
