//! Comparison: every pair of small numbers, boundary values at all widths, and the cost.

use crate::support::pairs;

use hushtable::{
    Error, Party, Result, Role,
    arith::{ComparePlan, DigitMethod, Millionaires, Objective},
    bill::Bill,
    net::{Cost, wire_len},
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg, ring::low};

fn random(bits: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed.into())).words(bits, &mut words);
    words
}

/// Pairs whose order is decided at every place: random ones, equal ones, neighbours and bounds.
fn numbers(bits: u32) -> Vec<(u64, u64)> {
    let top = low(u64::MAX, bits);
    let mut pairs = Vec::new();
    for x in random(bits, 12, bits.into()) {
        pairs.extend([(x, x), (x, x ^ 1), (x, x ^ 1 << (bits - 1)), (x, 0), (x, top), (0, x), (top, x)]);
        pairs.extend(random(bits, 5, x).into_iter().map(|y| (x, y)));
        pairs.extend((0..bits).map(|k| (x, x ^ 1 << k)));
    }
    for x in [0, 1, top / 2, top / 2 + 1, top - 1, top] {
        pairs.extend([0, 1, top / 2, top / 2 + 1, top - 1, top].map(|y| (x, low(y, bits))));
    }
    pairs.into_iter().map(|(x, y)| (low(x, bits), low(y, bits))).collect()
}

fn mine(role: Role, pairs: &[(u64, u64)]) -> Vec<u64> {
    pairs.iter().map(|&(x, y)| if role == Role::P0 { x } else { y }).collect()
}

const METHODS: [DigitMethod; 4] = [
    DigitMethod::Thermometer,
    DigitMethod::Lookup,
    DigitMethod::OneHot { join: 2 },
    DigitMethod::OneHot { join: 5 },
];

fn plans() -> impl Iterator<Item = ComparePlan> {
    METHODS.into_iter().flat_map(|method| (1..=6).map(move |digit| ComparePlan { method, digit }))
}

/// Compares and checks every result.
fn compare(p: &mut Party, bits: u32, plan: ComparePlan, pairs: &[(u64, u64)]) -> Result<()> {
    let mine = mine(p.role(), pairs);
    let less = Millionaires::prepare(p, bits, plan, pairs.len())?.less(p, &mine)?;
    let opened = less.open(p)?;
    for (i, (x, y)) in pairs.iter().enumerate() {
        let got = opened[i / 64] >> (i % 64) & 1 == 1;
        assert_eq!(got, x < y, "{x} < {y}, {bits} bits by {plan:?}");
    }
    Ok(())
}

/// Longer than 10 s: 2^16 pairs by 24 plans.
#[test]
fn every_pair_of_numbers_of_8_bits() {
    let pairs: Vec<(u64, u64)> = (0..1 << 16).map(|i| (i >> 8, i & 255)).collect();
    both(pair(1, None), |p| plans().try_for_each(|plan| compare(p, 8, plan, &pairs)));
}

/// Longer than 10 s on a small machine: 64 widths by every method, and every digit for some.
#[test]
fn every_width() {
    both(pair(2, None), |p| {
        for bits in 1..=64 {
            for method in METHODS {
                compare(p, bits, ComparePlan { method, digit: 1 + bits % 6 }, &numbers(bits))?;
            }
        }
        [16, 31, 32, 63, 64]
            .iter()
            .try_for_each(|&bits| plans().try_for_each(|plan| compare(p, bits, plan, &numbers(bits))))
    });
}

/// Wide digits, and every way to join them.
#[test]
fn one_hot_digits_of_every_width() {
    both(pair(5, None), |p| {
        for digit in 7..=10 {
            let plan = ComparePlan { method: DigitMethod::OneHot { join: 2 }, digit };
            compare(p, digit, plan, &numbers(digit))?;
            compare(p, 3 * digit - 1, plan, &numbers(3 * digit - 1))?;
        }
        for (join, bits) in (2..=5).flat_map(|join| (1..=26).map(move |bits| (join, bits))) {
            let plan = ComparePlan { method: DigitMethod::OneHot { join }, digit: 1 };
            compare(p, bits, plan, &numbers(bits))?;
        }
        Ok(())
    });
}

/// Wire bytes of `count` items in messages of at most `piece`, of which `each(items)` are the bytes.
fn in_pieces(count: usize, piece: usize, each: impl Fn(usize) -> usize) -> u64 {
    (0..count).step_by(piece).map(|from| wire_len(each(piece.min(count - from)))).sum()
}

/// Digits of widths that differ by one at most, lowest first.
fn widths(bits: u32, digit: u32) -> Vec<u32> {
    let count = bits.div_ceil(digit);
    (0..count).map(|i| (bits + count - 1 - i) / count).collect()
}

/// Per digit `(w - 1) 2^w + 1` bits from P0 and P1 in turn, then `2L` bits, and 6 or 4 for a pair.
#[test]
fn thermometers_cost_what_is_documented() {
    let jobs = [(31, 4, 5000), (63, 4, 100), (8, 1, 64), (64, 6, 33), (5, 6, 20_000), (31, 2, 1)];
    for ((bits, digit, batch), [at_p0, at_p1]) in measured(DigitMethod::Thermometer, &jobs) {
        let widths = widths(bits, digit);
        let thermometer = |&w: &u32| {
            assert_eq!((0..w).map(|k| (1 << w) - (1 << k)).sum::<u32>(), ((w - 1) << w) + 1);
            in_pieces(batch, 1 << 12, |n| (0..w).map(|k| packed(n, (1 << w) - (1 << k))).sum())
        };
        let [p0, p1] = [0, 1].map(|from| widths.iter().skip(from).step_by(2).map(thermometer).sum());
        assert_eq!(at_p0[0], Cost { sent: p0, received: p1, rounds: 1 }, "{bits} {digit} {batch}");
        assert_eq!(at_p1[0], Cost { sent: p1, received: p0, rounds: 1 }, "{bits} {digit} {batch}");
        let digits = in_pieces(batch, 1 << 14, |n| widths.iter().map(|&w| packed(n, w)).sum());
        let (tree, levels) = tree(widths.len(), batch);
        let cost = Cost { sent: digits + tree, received: digits + tree, rounds: 1 + levels };
        assert_eq!((at_p0[1], at_p1[1]), (cost, cost), "{bits} {digit} {batch}");
    }
}

/// Nothing offline but correlated OTs; per digit w bits from the receiver, `2^w - 1` for each output.
#[test]
fn lookups_cost_what_is_documented() {
    let jobs = [(31, 2, 9000), (63, 4, 100), (8, 1, 64), (5, 6, 33), (31, 3, 1)];
    for ((bits, digit, batch), [at_p0, at_p1]) in measured(DigitMethod::Lookup, &jobs) {
        assert_eq!((at_p0[0], at_p1[0]), (Cost::default(), Cost::default()));
        let widths = widths(bits, digit);
        let opened = |(_, &w): (usize, &u32)| in_pieces(batch, 1 << 13, |n| packed(n, w));
        let table = |(i, &w): (usize, &u32)| {
            in_pieces(batch, 1 << 13, |n| (1 + usize::from(i > 0)) * packed(n, (1 << w) - 1))
        };
        let of = |from: usize| widths.iter().enumerate().skip(from).step_by(2);
        let [even, odd] =
            [0, 1].map(|from| (of(from).map(opened).sum::<u64>(), of(from).map(table).sum::<u64>()));
        let (tree, levels) = tree(widths.len(), batch);
        let (p0, p1) = (odd.0 + even.1 + tree, even.0 + odd.1 + tree);
        let rounds = 2 + levels;
        assert_eq!(at_p0[1].rounds.max(at_p1[1].rounds), rounds, "{bits} {digit} {batch}");
        assert_eq!((at_p0[1].sent, at_p0[1].received), (p0, p1), "{bits} {digit} {batch}");
        assert_eq!((at_p1[1].sent, at_p1[1].received), (p1, p0), "{bits} {digit} {batch}");
    }
}

/// Offline, for a digit of w bits, `2^w - w - 1` bits each way and `w (w + 1) / 2` from P0; for an index of b bits
/// `2^b - b - 1` each way. Online w bits each way for a digit and b for a join.
#[test]
fn one_hots_cost_what_is_documented() {
    /// Bits, digit, join; widths of the digits; indices of each level.
    type Joined = (u32, u32, u32, &'static [u64], &'static [&'static [u64]]);
    let jobs: [Joined; 6] = [
        (32, 7, 5, &[7, 7, 6, 6, 6], &[&[8]]),
        (32, 8, 4, &[8, 8, 8, 8], &[&[6]]),
        (64, 5, 4, &[5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4], &[&[6, 5, 5, 5], &[6]]),
        (9, 9, 2, &[9], &[]),
        (3, 1, 2, &[1, 1, 1], &[&[2], &[2]]),
        (20, 5, 3, &[5, 5, 5, 5], &[&[2, 3], &[2]]),
    ];
    for (bits, digit, join, digits, joins) in jobs {
        let bill = ComparePlan { method: DigitMethod::OneHot { join }, digit }.bill(bits).expect("a plan");
        let own = |w: u64| (1 << w) - w - 1;
        let all = || digits.iter().chain(joins.iter().copied().flatten()).copied();
        let sent: u64 = all().map(own).sum();
        let lift: u64 = digits.iter().map(|w| w * (w + 1) / 2).sum();
        assert_eq!(bill.offline.bits, [sent + lift, sent], "{bits} {digit} {join}");
        let levels: u64 = all().map(|w| w - 1).sum();
        assert_eq!(bill.cots, [levels + digits.len() as u64, levels], "{bits} {digit} {join}");
        let index = joins.iter().copied().flatten().max().map_or(0, |b| b - 1);
        assert_eq!(u64::from(bill.offline.rounds), index.max(*digits.iter().max().expect("a digit")));
        assert_eq!(bill.online.bits, [all().sum::<u64>(); 2], "{bits} {digit} {join}");
        assert_eq!(bill.online.rounds as usize, 1 + joins.len(), "{bits} {digit} {join}");
    }
}

/// What few rounds are to cost: 32 bits in 2 at 340 bytes, 64 bits in 3 at 850.
#[test]
fn few_rounds_cost_few_bytes() {
    for (bits, rounds, bytes) in [(8, 1, 72.0), (16, 2, 60.0), (31, 2, 200.0), (32, 2, 340.0), (64, 3, 850.0)]
    {
        let bill = ComparePlan::best(bits, Objective::Rounds).unwrap().bill(bits).unwrap();
        assert_eq!(bill.online.rounds, rounds, "{bits} bits");
        assert!(bill.bytes() < bytes, "{bits} bits: {} bytes", bill.bytes());
        let online = ComparePlan::best(bits, Objective::Online).unwrap();
        assert!(matches!(online.method, DigitMethod::OneHot { .. }), "{bits} bits by {online}");
        assert!(online.bill(bits).unwrap().online.rounds <= rounds, "{bits} bits by {online}");
        let total = ComparePlan::best(bits, Objective::Total).unwrap();
        assert!(!matches!(total.method, DigitMethod::OneHot { .. }), "{bits} bits by {total}");
    }
}

type Job = (u32, u32, usize);

/// Costs offline and online of both parties, the correlated OTs being in stock.
fn measured(method: DigitMethod, jobs: &[Job]) -> Vec<(Job, [[Cost; 2]; 2])> {
    let measure = |p: &mut Party, (bits, digit, batch): Job| -> Result<[Cost; 2]> {
        let plan = ComparePlan { method, digit };
        let (send, recv) = plan.bill(bits)?.times(batch).cots_of(p.role());
        p.stock_cots(send, recv)?;
        let (material, offline) = p.metered(|p| Millionaires::prepare(p, bits, plan, batch))?;
        let (_, online) = p.metered(|p| material.less(p, &vec![1; batch]))?;
        Ok([offline, online])
    };
    let run = |p: &mut Party| jobs.iter().map(|&job| measure(p, job)).collect::<Result<Vec<_>>>();
    let (at_p0, at_p1) = both(pair(3, None), run);
    jobs.iter().copied().zip(at_p0.into_iter().zip(at_p1).map(|(a, b)| [a, b])).collect()
}

fn packed(count: usize, bits: u32) -> usize {
    (count * bits as usize).div_ceil(8)
}

/// Bytes from each party, and levels.
fn tree(digits: usize, batch: usize) -> (u64, u32) {
    let levels = digits.next_power_of_two().trailing_zeros();
    let pair = |opened: usize| wire_len(opened * batch.div_ceil(8));
    (u64::from(levels) * pair(2) + (digits as u64 - 1 - u64::from(levels)) * pair(3), levels)
}

/// The plan's own account agrees with the formulas, and its choices are what they claim.
#[test]
fn plans_know_their_cost() {
    let sums =
        |bill: Bill| (bill.all_cots(), bill.offline.all_bits(), bill.online.all_bits(), bill.online.rounds);
    let cost = |method, digit, bits| sums(ComparePlan { method, digit }.bill(bits).unwrap());
    let of = |cots, offline_bits, online_bits, rounds| (cots, offline_bits, online_bits, rounds);
    assert_eq!(cost(DigitMethod::Thermometer, 4, 31), of(31 + 14, 7 * 49 + 17, 62 + 3 * 4 + 4 * 6, 4));
    assert_eq!(cost(DigitMethod::Lookup, 4, 31), of(31 + 14, 0, 7 * 34 + 17 - 15 + 3 * 4 + 4 * 6, 5));
    assert_eq!(cost(DigitMethod::Thermometer, 6, 5), of(5, 4 * 32 + 1, 10, 1));
    for bits in 1..=64 {
        let costs: Vec<Bill> = ComparePlan::all().map(|plan| plan.bill(bits).unwrap()).collect();
        let best = |objective| ComparePlan::best(bits, objective).unwrap().bill(bits).unwrap();
        let bytes = |b: &Bill| b.all_cots() + b.offline.all_bits() + b.online.all_bits();
        assert_eq!(bytes(&best(Objective::Bytes)), costs.iter().map(bytes).min().unwrap());
        let rounds = |b: &Bill| b.online.rounds;
        assert_eq!(rounds(&best(Objective::Rounds)), costs.iter().map(rounds).min().unwrap());
        let online = |objective| best(objective).online.all_bits();
        assert!(online(Objective::Online) <= online(Objective::Bytes));
    }
}

#[test]
fn refused() {
    both(pair(4, None), |p| {
        for (bits, digit) in [(0, 4), (65, 4), (8, 0), (8, 7)] {
            let plan = ComparePlan { method: DigitMethod::Lookup, digit };
            assert!(matches!(Millionaires::prepare(p, bits, plan, 1), Err(Error::Param { .. })));
            assert!(matches!(plan.bill(bits), Err(Error::Param { .. })));
        }
        for (join, digit) in [(1, 4), (6, 4), (4, 0), (4, 11)] {
            let plan = ComparePlan { method: DigitMethod::OneHot { join }, digit };
            assert!(matches!(Millionaires::prepare(p, 32, plan, 1), Err(Error::Param { .. })));
            assert!(matches!(plan.bill(32), Err(Error::Param { .. })));
        }
        assert!(matches!(ComparePlan::best(65, Objective::Total), Err(Error::Param { .. })));
        for plan in plans() {
            let few = Millionaires::prepare(p, 8, plan, 3)?;
            assert!(matches!(few.less(p, &[1; 4]), Err(Error::Shape { .. })));
            compare(p, 7, plan, &[])?;
        }
        Ok(())
    });
}
