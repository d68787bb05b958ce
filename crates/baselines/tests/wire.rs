//! Golden transcripts of the baselines, as `wire` of the library has those of the product; compared with `data/wire.txt`.
//! FABLE is not among them: its ciphertexts differ between runs with one seed, and only their lengths, which its bill has,
//! are the same.

use std::path::Path;

use hushtable::{AShare, BShare, Party, Result, confidential::prf::Cipher, ot::Scheme};
use hushtable_baselines::{
    dfss::{
        AdditiveContainment, GgmFunction, GgmKeys, OneRoundDigits, OneRoundExtension, OneRoundReduction,
        OneRoundTruncation, PayloadComparison, PayloadEquality, Piecewise, PiecewiseJob, SecretPiecewise,
    },
    ndss::triples_from_codes,
    scan::{Memory, Read, ScanJob},
};

use crate::support::transcripts::{self, Protocol};

/// Name, OT extension, protocol.
pub const PROTOCOLS: &[(&str, Option<Scheme>, Protocol)] = &[
    ("keys-ggm-point", None, |p| keys_over_plain_trees(p, GgmFunction::Point)),
    ("keys-ggm-below", None, |p| keys_over_plain_trees(p, GgmFunction::Below)),
    ("triples-kk13", None, |p| triples_from_codes(p, 9001, 2).map(drop)),
    ("reduce-one-round", None, |p| {
        OneRoundReduction::<u16>::prepare(p, 20, 7, 11)?.reduce(p, &word(20)).map(drop)
    }),
    ("truncate-one-round", None, |p| {
        OneRoundTruncation::<u32>::prepare(p, 20, 7, 11)?.truncate(p, &word(20)).map(drop)
    }),
    ("extend-one-round", None, |p| {
        OneRoundExtension::<u8>::prepare(p, [9, 13], 11)?.sign::<u32, u32>(p, &word(9)).map(drop)
    }),
    ("intervals-additive", None, |p| {
        AdditiveContainment::prepare(p, 9, 20, 11)?.inside(p, &word(9), &[5..9, 0..300]).map(drop)
    }),
    ("equality-payload", None, |p| {
        PayloadEquality::prepare(p, 9, &AShare::new(20, vec![7; 11]))?.eq(p, &word(9), &word(9)).map(drop)
    }),
    ("comparison-payload", None, |p| {
        PayloadComparison::prepare(p, 9, &AShare::new(20, vec![7; 11]))?.less(p, &word(9), &word(9)).map(drop)
    }),
    ("piecewise", None, |p| {
        let job = PiecewiseJob { bits: 9, ring: 30, degree: 3 };
        Piecewise::prepare(p, job, 11)?.powers(p, &word(9), &[5, 300]).map(drop)
    }),
    ("piecewise-secret", None, |p| {
        let job = PiecewiseJob { bits: 9, ring: 30, degree: 1 };
        let coefficients = vec![AShare::<u64>::new(30, vec![4444; 11]); 4];
        SecretPiecewise::prepare(p, job, 2, 11)?.eval(p, &word(9), &[5], &coefficients).map(drop)
    }),
    ("digits-one-round", None, |p| {
        OneRoundDigits::<u8>::prepare(p, 10, 4, 11)?.digits(p, &word(10)).map(drop)
    }),
    ("floram-read", None, |p| {
        let job = ScanJob { cipher: Cipher::LowMc, index_bits: 6 };
        let memory = Memory::new(p, job, &[77; 64])?;
        Read::prepare(p, job)?.eval(p, &memory, &BShare::new(6, vec![5])).map(drop)
    }),
];

/// 11 shares.
fn word(bits: u32) -> AShare<u32> {
    AShare::new(bits, vec![4444 & ((1 << bits) - 1); 11])
}

fn keys_over_plain_trees(p: &mut Party, function: GgmFunction) -> Result<()> {
    GgmKeys::new(p, function, &AShare::new(6, vec![5; 11]), &AShare::new(13, vec![5; 11])).map(drop)
}

#[test]
fn baselines_send_what_they_sent_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire.txt");
    transcripts::compare(&path, PROTOCOLS.iter().copied());
}
