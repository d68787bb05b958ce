//! Balanced outer products: the lookup is right for every index, the cost is the documented one.

use crate::support::onehot::{self, cots_of};
use crate::support::pairs;

use hushtable::{
    Party, Result, Role,
    lut::Protocol,
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
};
use pairs::{both, pair};

#[test]
fn every_index_of_every_width() {
    both(pair(1, None), |p| {
        (1..=9).try_for_each(|n| {
            onehot::every_index::<Cyclic>(p, n, OneHot::balanced)?;
            onehot::every_index::<Xor>(p, n, OneHot::balanced)
        })
    });
}

#[test]
fn large_tables_and_batches() {
    both(pair(2, None), |p| {
        onehot::some_indices::<Xor>(p, 16, 3, OneHot::balanced)?;
        onehot::some_indices::<Cyclic>(p, 12, 70, OneHot::balanced)?;
        onehot::some_indices::<Xor>(p, 4, 10_001, OneHot::balanced)?;
        onehot::some_indices::<Cyclic>(p, 3, 4097, OneHot::balanced)?;
        onehot::refuses::<Xor>(p, 16, OneHot::balanced);
        onehot::refuses::<Cyclic>(p, 16, OneHot::balanced);
        Ok(())
    });
}

/// `C(k)` of the module's page in bits, `R(k)` in correlated OTs, and rounds, without the lift.
fn formula(k: u32, pair: u64) -> (u64, usize, u32) {
    match k {
        1 => (0, 0, 0),
        2 => (pair, 2, 1),
        _ => {
            let (low, high) = (formula(k / 2, pair), formula(k - k / 2, pair));
            let rows = (1 << (k - k / 2)) - 1;
            let bits = 2 * rows * (1 << (k / 2)) + low.0 + high.0;
            (bits, 2 * rows as usize + low.1 + high.1, 1 + low.2.max(high.2))
        }
    }
}

#[test]
fn the_formula_is_the_published_one() {
    assert_eq!(formula(8, 2), (536, 50, 3));
    assert_eq!(formula(10, 2), (2128, 110, 4));
}

/// What one party sends: a message for each piece of 4096 lookups of each row. `widths` are those
/// of the payload, `correction` the bits of a choice.
fn row(batch: usize, widths: &[u32], correction: u32) -> u64 {
    let message = |batch: usize| {
        let bytes = |w: u32| (w as usize * batch).div_ceil(8);
        wire_len(widths.iter().map(|&w| bytes(w)).sum::<usize>() + bytes(correction))
    };
    let rest = batch % 4096;
    (batch / 4096) as u64 * message(4096) + if rest > 0 { message(rest) } else { 0 }
}

fn products(k: u32, batch: usize, random: bool) -> u64 {
    if k == 1 {
        return 0;
    }
    let (low, high) = (k / 2, k - k / 2);
    let entries = (1u32 << low) - 1;
    let widths: Vec<u32> = (0..entries.div_ceil(64)).map(|w| (entries - 64 * w).min(64)).collect();
    let own = ((1 << high) - 1) * row(batch, &widths, u32::from(!(random && k == 2)));
    own + products(low, batch, random) + products(high, batch, random)
}

fn check<G: Group>(p: &mut Party, n: u32, batch: usize, lift: bool) -> Result<()> {
    let (send, recv) = cots_of::<G>(Protocol::Balanced, p.role(), n, batch);
    let (bits, cots, rounds) = formula(n, if lift { 4 } else { 2 });
    let lift_cots = if lift { (n as usize - 1) * batch } else { 0 };
    assert_eq!(send + recv, cots * batch + lift_cots);
    p.stock_cots(send, recv)?;
    let (_, cost) = p.metered(|p| OneHot::<G>::balanced(p, n, batch).map(drop))?;
    let each = products(n, batch, !lift);
    let lifted: u64 = if lift { (1..n).map(|w| row(batch, &[w], 0)).sum() } else { 0 };
    let (p0, p1) = (each + lifted, each);
    let (sent, received) = if p.role() == Role::P0 { (p0, p1) } else { (p1, p0) };
    let rounds = rounds + u32::from(lift && n > 1);
    assert_eq!(cost, Cost { sent, received, rounds }, "n {n}, batch {batch}, {}", G::NAME);
    if batch == 4096 {
        // Without framing, as bits a lookup.
        let lift_bits = if lift { u64::from(n * (n - 1) / 2) } else { 0 };
        let messages = (if lift { cots / 2 * 2 + n as usize - 1 } else { cots }) as u64;
        let payload = cost.sent + cost.received - messages * wire_len(0);
        assert_eq!(payload * 8, (bits + lift_bits) * 4096, "n {n}, {}", G::NAME);
    }
    Ok(())
}

#[test]
fn the_cost_is_the_documented_one() {
    both(pair(3, None), |p| {
        let sizes = [(1, 9), (2, 1), (2, 5000), (3, 8), (5, 7), (8, 4096), (10, 64), (14, 3)];
        sizes.into_iter().try_for_each(|(n, batch)| {
            check::<Xor>(p, n, batch, false)?;
            check::<Cyclic>(p, n, batch, true)
        })
    });
}
