//! FLUTE+ and FLUTE: the lookup is right for every index, gates, bits and rounds are those of the
//! formulas.

#[path = "support/onehot.rs"]
mod onehot;
#[path = "support/pairs.rs"]
mod pairs;

use hushtable::{
    Party, Result, Role,
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
};
use pairs::{both, pair};

#[test]
fn every_index_of_every_width() {
    both(pair(1, None), |p| {
        (1..=8).try_for_each(|n| {
            onehot::every_index::<Cyclic>(p, n, OneHot::flute_plus)?;
            onehot::every_index::<Xor>(p, n, OneHot::flute_plus)
        })
    });
}

#[test]
fn large_tables_and_batches() {
    both(pair(2, None), |p| {
        onehot::some_indices::<Xor>(p, 12, 65, OneHot::flute_plus)?;
        onehot::some_indices::<Cyclic>(p, 11, 3, OneHot::flute_plus)?;
        onehot::some_indices::<Xor>(p, 4, 10_001, OneHot::flute_plus)?;
        onehot::refuses::<Xor>(p, 12, OneHot::flute_plus);
        onehot::refuses::<Cyclic>(p, 12, OneHot::flute_plus);
        Ok(())
    });
}

/// Number of sets of `size` among `n` bits.
fn choose(n: u64, size: u64) -> u64 {
    (0..size).fold(1, |sets, i| sets * (n - i) / (i + 1))
}

/// ANDs of each round for one lookup: sets of 2, of 3 and 4, of 5 to 8 ..
fn ands(n: u64) -> Vec<u64> {
    let rounds = (0..).map(|r| (1 << r) + 1..=(2u64 << r).min(n)).take_while(|sizes| !sizes.is_empty());
    rounds.map(|sizes| sizes.map(|size| choose(n, size)).sum()).collect()
}

#[test]
fn the_number_of_gates_is_the_published_one() {
    for n in 1..=12 {
        assert_eq!(ands(n).iter().sum::<u64>(), (1 << n) - n - 1);
        assert_eq!(ands(n).len() as u32, n.next_power_of_two().ilog2());
    }
    assert_eq!((ands(8), ands(1)), (vec![28, 126, 93], vec![]));
}

/// Bytes each way of `count` ANDs, in messages of 2^20.
fn and_bytes(count: usize) -> u64 {
    let piece = |count: usize| wire_len(2 * count.div_ceil(8));
    let rest = count % (1 << 20);
    (count >> 20) as u64 * piece(1 << 20) + if rest > 0 { piece(rest) } else { 0 }
}

fn check<G: Group>(p: &mut Party, n: u32, batch: usize, lift: bool) -> Result<()> {
    let (send, recv) = OneHot::<G>::flute_plus_cots(p.role(), n, batch);
    let gates = ((1 << n) - n as usize - 1) * batch;
    let lift_cots = if lift { (n as usize - 1) * batch } else { 0 };
    assert_eq!(send + recv, 2 * gates + lift_cots);
    p.stock_cots(send, recv)?;
    let (_, cost) = p.metered(|p| OneHot::<G>::flute_plus(p, n, batch).map(drop))?;
    let each: u64 = ands(n.into()).iter().map(|&sets| and_bytes(sets as usize * batch)).sum();
    let lifted: u64 = if lift { (1..n as usize).map(|w| wire_len((w * batch).div_ceil(8))).sum() } else { 0 };
    let (p0, p1) = (each + lifted, each);
    let (sent, received) = if p.role() == Role::P0 { (p0, p1) } else { (p1, p0) };
    let rounds = n.next_power_of_two().ilog2() + u32::from(lift && n > 1);
    assert_eq!(cost, Cost { sent, received, rounds }, "n {n}, batch {batch}, {}", G::NAME);
    Ok(())
}

#[test]
fn the_cost_is_the_documented_one() {
    both(pair(3, None), |p| {
        for (n, batch) in [(1, 9), (2, 1), (2, 4096), (3, 8), (5, 7), (8, 1001), (12, 10)] {
            check::<Xor>(p, n, batch, false)?;
            check::<Cyclic>(p, n, batch, true)?;
        }
        check::<Xor>(p, 4, 200_000, false) // several messages a round
    });
}
