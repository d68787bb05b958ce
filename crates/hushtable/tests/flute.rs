//! FLUTE+ and FLUTE: the lookup is right for every index, gates, bits and rounds are those of the
//! formulas.

use crate::support::onehot::{self, cots_of};
use crate::support::pairs;

use hushtable::{
    BShare, Error, Party, Result, Role,
    lut::{
        Protocol, Table,
        flute::{Flute, Inputs, Lut},
    },
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
};
use pairs::{both, pair, share};

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
    let (send, recv) = cots_of::<G>(Protocol::FlutePlus, p.role(), n, batch);
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

// ---- FLUTE: masked wires ----

#[test]
fn every_index_on_masked_wires() {
    both(pair(4, None), |p| {
        for (n, l) in (1..=8).zip([1, 2, 3, 8, 16, 29, 32, 5]) {
            let table = Table::<u32>::tabulate(n, l, |x| (x + 1).wrapping_mul(0x9e37_79b9) >> 7)?;
            let xs: Vec<u32> = (0..4 << n).map(|i| i % (1 << n)).collect();
            let want: Vec<u32> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
            let x: BShare<u32> = share(p.role(), n, &xs, 6);
            let (send, recv) = Lut::bill(n).times(xs.len()).cots_of(p.role());
            p.stock_cots(send, recv)?;
            let (material, offline) = p.metered(|p| Flute::prepare(p, n, l, xs.len()))?;
            let each: u64 = ands(n.into()).iter().map(|&sets| and_bytes(sets as usize * xs.len())).sum();
            let rounds = n.next_power_of_two().ilog2();
            assert_eq!(offline, Cost { sent: each, received: each, rounds }, "n {n}");
            let (y, online) = p.metered(|p| material.lookup_xor(p, &table, &x))?;
            let each =
                wire_len((n as usize * xs.len()).div_ceil(8)) + wire_len((l as usize * xs.len()).div_ceil(8));
            assert_eq!(online, Cost { sent: each, received: each, rounds: 2 }, "n {n}");
            assert_eq!(p.open(&y)?, want, "n {n}, {l} bits");
        }
        Ok(())
    });
}

/// Two tables with two of four inputs in common, then one on their outputs and an input, negated
/// and XORed on the way.
#[test]
fn a_circuit_of_tables() {
    const BATCH: usize = 16 * 9;
    let first = Table::<u16>::tabulate(3, 2, |x| (x * 3) >> 1 & 3).expect("a table");
    let second = Table::<u16>::tabulate(3, 2, |x| (x * x + 1) & 3).expect("a table");
    let last = Table::<u16>::tabulate(4, 9, |x| ((x + 5) * 31) & 511).expect("a table");
    let xs: Vec<u32> = (0..BATCH as u32).map(|i| i % 16).collect();
    let plain = |x: u32| -> u32 {
        let a = u32::from(first.columns()[0][x as usize & 7]);
        let b = u32::from(second.columns()[0][x as usize >> 1]);
        let joined = (a ^ b ^ 3) | (x & 3) << 2;
        u32::from(last.columns()[0][joined as usize])
    };
    both(pair(5, None), |p| {
        let inputs = Inputs::draw(p, 4, BATCH)?;
        // Subsets of {0, 1, 2} and {1, 2, 3} with more than one element: 7, not 8.
        p.stock_cots(7 * BATCH, 7 * BATCH)?;
        let (mut luts, cost) =
            p.metered(|p| Lut::prepare_all(p, inputs.masks(), &[(0b0111, 2), (0b1110, 2)]))?;
        let each = and_bytes(5 * BATCH) + and_bytes(2 * BATCH);
        assert_eq!(cost, Cost { sent: each, received: each, rounds: 2 });
        let (b, a) = (luts.remove(1), luts.remove(0));
        let middle = a.output().xor(b.output()).join(&inputs.masks().select(0b0011)?)?;
        assert_eq!((middle.width(), middle.len()), (4, BATCH));
        let c = Lut::prepare(p, &middle, 9)?;

        let x = share(p.role(), 4, &xs, 8);
        let x = inputs.mask(p, &x)?;
        let (outputs, cost) = p.metered(|p| Lut::lookup_all(p, vec![(a, &first, &x), (b, &second, &x)]))?;
        let each = wire_len(2 * (2 * BATCH).div_ceil(8));
        assert_eq!(cost, Cost { sent: each, received: each, rounds: 1 });
        let joined = outputs[0].xor(&outputs[1]).not().join(&x.select(0b0011)?)?;
        let y = c.lookup(p, &last, &joined)?.to_share::<u32>(p.role())?;
        assert_eq!(p.open(&y)?, xs.iter().map(|&x| plain(x)).collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn material_for_other_wires_or_tables_is_refused() {
    both(pair(6, None), |p| {
        let table = Table::<u8>::tabulate(2, 5, |x| x)?;
        let zero: BShare<u32> = share(p.role(), 3, &[0; 9], 1);
        let with = |p: &mut Party, n: u32, l: u32, batch: usize, foreign: bool| -> Result<Error> {
            let (mine, others) = (Inputs::draw(p, n, batch)?, Inputs::draw(p, n, batch)?);
            let lut = Lut::prepare(p, mine.masks(), l)?;
            let x = if foreign { others } else { mine };
            let zeros = share(p.role(), 3, &vec![0; batch], 1);
            let x = x.mask(p, &zeros)?;
            Ok(lut.lookup(p, &table, &x).expect_err("refused"))
        };
        assert!(matches!(with(p, 2, 5, 9, true)?, Error::Param { what: "wires of a table", .. }));
        assert!(matches!(with(p, 3, 5, 9, false)?, Error::Shape { want: 8, got: 4, .. }));
        assert!(matches!(with(p, 2, 4, 9, false)?, Error::Shape { want: 4, got: 5, .. }));
        assert!(matches!(Inputs::draw(p, 2, 8)?.mask(p, &zero), Err(Error::Shape { want: 8, got: 9, .. })));
        let masks = Inputs::draw(p, 14, 3)?;
        for wires in [0, 1 << 14, (1 << 13) - 1] {
            let refused = Lut::prepare_all(p, masks.masks(), &[(wires, 1)]);
            assert!(matches!(refused, Err(Error::Param { .. })), "{wires:#b}");
        }
        for width in [0, 65] {
            assert!(matches!(Inputs::draw(p, width, 1), Err(Error::Param { .. })));
            assert!(matches!(Flute::prepare(p, 2, width, 1), Err(Error::Param { .. })));
        }
        for n in [0, 13] {
            assert!(matches!(Flute::prepare(p, n, 1, 1), Err(Error::Param { .. })));
        }
        for (n, l) in [(3, 5), (2, 4)] {
            let found = Flute::prepare(p, n, l, 9)?.lookup_xor(p, &table, &zero);
            assert!(matches!(found, Err(Error::Shape { .. })), "{n}, {l}");
        }
        Ok(())
    });
}
