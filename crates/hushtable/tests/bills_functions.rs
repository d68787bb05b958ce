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
gelu: 2981888 2093056 278528 10 163.4; 552960 3121152 430080 24 125.2
silu: 2379776 3002368 385024 18 176.0; 1097728 3379200 434176 24 149.9
softmax: 2570688 7279040 473984 56 315.1; 442240 7695616 563328 69 265.5
gelu within 64: 2371584 1626112 172032 8 127.2; 552960 2420736 290816 22 99.6
silu within 64: 1658880 2572288 290816 16 138.0; 1097728 2719744 307200 21 125.9
softmax within 64: 977600 6670144 278912 47 241.9; 442240 6795392 303232 60 230.1
gelu network: 1908736 1544192 253952 10 113.1; 1097728 1835008 294912 12 98.5
silu network: 2101248 1847296 258048 10 128.4; 1097728 2134016 299008 12 107.8
softmax network: 2570688 5034432 440704 56 245.5; 442240 5451008 530048 69 196.0
gelu network within 64: 1298432 1077248 147456 8 77.0; 1097728 1134592 155648 10 72.9
silu network within 64: 1167360 1404928 159744 8 83.4; 1097728 1449984 159744 9 82.6
softmax network within 64: 977600 4425536 245632 47 172.4; 442240 4550784 269952 60 160.6
relu: 1806336 770048 221184 6 85.4; 0 1265664 294912 8 47.6
relu within 64: 741376 462848 118784 6 40.4; 0 688128 151552 8 25.6
tanh: 6275072 2723840 303104 10 283.9; 5361664 3006464 344064 13 265.9
tanh network: 4108288 3174400 303104 10 231.5; 3194880 3457024 344064 13 213.5
sigmoid: 6144000 2940928 307200 10 286.6; 5361664 3194880 339968 13 271.5
sigmoid network: 3977216 3407872 307200 10 234.8; 3194880 3661824 339968 13 219.6
layer norm: 288320 11334656 209984 23 361.1; 288320 11334656 209984 23 361.1
layer norm with private gains: 288320 14372224 212416 24 453.9; 288320 14372224 212416 24 453.9
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
