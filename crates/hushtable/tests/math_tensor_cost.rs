//! What softmax, GELU, reciprocals and layer norm cost: the formulas equal to the meter.

use crate::support::{
    fixed::shared,
    pairs::{both, pair},
};

use hushtable::{
    Party, Result, Role,
    arith::Objective,
    math::{Affine, Cost, Gelu, GeluJob, Norm, NormJob, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob},
};

/// Offline and online bits of both directions, and rounds online, of a job that draws no correlated OTs.
fn measured(
    p: &mut Party,
    run: impl Fn(&mut Party) -> Result<()>,
    offline: impl Fn(&mut Party) -> Result<()>,
) -> Result<[u64; 3]> {
    let (_, before) = p.metered(&offline)?;
    let (_, all) = p.metered(&run)?;
    let bits = |cost: hushtable::net::Cost| 8 * (cost.sent + cost.received);
    Ok([bits(before), bits(all) - bits(before), u64::from(all.rounds - before.rounds)])
}

/// Twice the batch takes as many messages, and as many more bits as the formula says.
fn costs(
    cost: impl Fn(usize) -> Result<Cost> + Sync,
    run: impl Fn(&mut Party, usize, bool) -> Result<()> + Sync,
) {
    both(pair(9, None), |p| {
        p.stock_cots(1 << 19, 1 << 19)?;
        let mut of = |batch| measured(p, |p| run(p, batch, true), |p| run(p, batch, false));
        // As many digits, so that what is announced is as long.
        let (one, two) = (of(16)?, of(32)?);
        let (small, large) = (cost(16)?, cost(32)?);
        assert_eq!(two[0] - one[0], (large.offline_bits - small.offline_bits) as u64, "offline");
        assert_eq!(two[1] - one[1], (large.online_bits - small.online_bits) as u64, "online");
        assert_eq!([one[2], two[2]], [small.rounds as u64; 2], "rounds");
        Ok(())
    });
}

#[test]
fn costs_are_the_documented_ones() {
    let softmax = |rows| SoftmaxJob { rows, len: 13, bits: 37, scale: 12, objective: Objective::Total };
    costs(
        |rows| softmax(rows).cost(),
        |p, rows, online| {
            let material = Softmax::prepare(p, softmax(rows))?;
            let x = shared(p.role(), &vec![1.0; 13 * rows], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
    let gelu = |batch| GeluJob { batch, bits: 37, scale: 12, objective: Objective::Total };
    costs(
        |batch| gelu(batch).cost(),
        |p, batch, online| {
            let material = Gelu::prepare(p, gelu(batch))?;
            let x = shared(p.role(), &vec![1.0; batch], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
    let inverse = ReciprocalJob { bits: 37, scale: 12, scale_out: 14, bounds: [1.0, 200.0], dividend: 0.0 };
    costs(
        |batch| {
            inverse.cost().map(|cost| Cost {
                offline_bits: batch * cost.offline_bits,
                online_bits: batch * cost.online_bits,
                ..cost
            })
        },
        |p, batch, online| {
            let material = Reciprocal::prepare(p, inverse, batch)?;
            let x = shared(p.role(), &vec![3.0; batch], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
}

#[test]
fn costs_of_layer_norms_are_the_documented_ones() {
    let norm = |rows| NormJob {
        rows,
        len: 16,
        bits: 37,
        scale: 12,
        largest: 8.0,
        variance: [0.125, 4.0],
        epsilon: 0.001,
        gain: 2.0,
    };
    for private in [false, true] {
        costs(
            |rows| norm(rows).cost(private),
            |p, rows, online| {
                let gains = || vec![1.0; 16];
                let affine = match (private, p.role()) {
                    (false, _) => Affine::public(gains(), gains()),
                    (true, Role::P0) => Affine::own(Role::P0, gains(), gains()),
                    (true, Role::P1) => Affine::of_peer(Role::P1, 16),
                };
                let material = Norm::prepare(p, norm(rows))?;
                let x = shared(p.role(), &vec![1.0; 16 * rows], 37, 12, 1)?;
                if online { material.eval(p, &x, &affine).map(drop) } else { Ok(()) }
            },
        );
    }
}
