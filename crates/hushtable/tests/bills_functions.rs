//! Bytes of the functions between a network's layers, of 37 bits with 12 behind the point, to the bit: so a dearer one is
//! seen, and a cheaper one is written down. That bills are what functions cost: bills_math.rs.

use hushtable::{
    Role,
    bill::{Bill, Objective},
    math::{Evaluation, Function, Gated, GeluJob, NormJob, Options, Precision, SoftmaxJob},
    operation::{Operation, Rectify},
    ot::Setting,
};

/// Numbers; a row has 64.
const N: usize = 4096;

/// Fine, and as networks take it.
const PRECISIONS: [(&str, Precision); 2] = [("", Precision::Fine), (" network", Precision::Network)];
/// Anywhere, and known to be below 64 in size.
const RANGES: [(&str, Option<u32>); 2] = [("", None), (" within 64", Some(6))];

/// What the functions cost, by what is to be least.
fn bills(objective: Objective) -> Vec<(String, Bill)> {
    let mut all = Vec::new();
    let ways = PRECISIONS.iter().flat_map(|precision| RANGES.map(|range| (*precision, range)));
    for ((how, precision), (within, magnitude)) in ways {
        for (name, function) in [("gelu", Gated::Gelu), ("silu", Gated::Silu)] {
            let usual = GeluJob::new(37, 12);
            let job = GeluJob { batch: N, function, precision, magnitude, objective, ..usual };
            all.push((format!("{name}{how}{within}"), job.bill()));
        }
        let usual = SoftmaxJob::new(64, 37, 12);
        let job = SoftmaxJob { rows: N / 64, precision, magnitude, objective, ..usual };
        all.push((format!("softmax{how}{within}"), job.bill()));
    }
    for (name, within) in [("relu", 37), ("relu within 64", 19)] {
        let job = Rectify { bits: 37, within, objective };
        all.push((name.into(), job.bill(N, &Setting::default())));
    }
    for (name, function) in [("tanh", Function::Tanh), ("sigmoid", Function::Sigmoid)] {
        for (how, most) in [("", 2.0), (" network", 16.0)] {
            let options = Options::default().objective(objective).max_ulp(most);
            let evaluation = Evaluation::new(function, 37, 12, &options).map(|made| made.bill(N));
            all.push((format!("{name}{how}"), evaluation));
        }
    }
    for (name, gains_known_to) in [("layer norm", None), ("layer norm with private gains", Some(Role::P0))] {
        let job = NormJob {
            rows: N / 64,
            len: 64,
            bits: 37,
            scale: 12,
            largest: 64.0,
            variance: [0.0025, 40.0],
            epsilon: 1e-5,
            gain: 4.0,
            gains_known_to,
            objective,
        };
        all.push((name.into(), job.bill()));
    }
    all.into_iter().map(|(name, bill)| (name, bill.expect("a bill"))).collect()
}

/// A function, then for each of both objectives the bits offline and online of both parties, correlated OTs, rounds online,
/// and bytes of a number with what OTs take.
const PINNED: &str = "\
";

#[test]
fn bytes_of_functions_are_pinned() {
    let [usual, least] = [Objective::Total, Objective::Bytes].map(bills);
    let figures = |bill: &Bill| {
        let (offline, online) = (bill.offline.all_bits(), bill.online.all_bits());
        let bytes = bill.bytes() / N as f64;
        format!("{offline} {online} {} {} {bytes:.1}", bill.all_cots(), bill.online.rounds)
    };
    let line = |((name, usual), (_, least)): (&(String, Bill), &(String, Bill))| {
        format!("{name}: {}; {}\n", figures(usual), figures(least))
    };
    let found: String = usual.iter().zip(&least).map(line).collect();
    assert_eq!(found.lines().count(), PINNED.lines().count(), "{found}");
    for (found, pinned) in found.lines().zip(PINNED.lines()) {
        assert_eq!(found, pinned);
    }
}
