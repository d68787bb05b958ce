//! What softmax, GELU, reciprocals and layer norm cost: the formulas equal to the meter.

use crate::support::{
    fixed::shared,
    pairs::{both, pair},
};

use hushtable::{
    Party, Result, Role,
    bill::Bill,
    math::{Affine, Gelu, GeluJob, Norm, NormJob, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob},
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
    bill: impl Fn(usize) -> Result<Bill> + Sync,
    run: impl Fn(&mut Party, usize, bool) -> Result<()> + Sync,
) {
    both(pair(9, None), |p| {
        p.stock_cots(1 << 19, 1 << 19)?;
        let mut of = |batch| measured(p, |p| run(p, batch, true), |p| run(p, batch, false));
        // As many digits, so that what is announced is as long.
        let (one, two) = (of(16)?, of(32)?);
        let (small, large) = (bill(16)?, bill(32)?);
        assert_eq!(two[0] - one[0], large.offline.all_bits() - small.offline.all_bits(), "offline");
        assert_eq!(two[1] - one[1], large.online.all_bits() - small.online.all_bits(), "online");
        assert_eq!([one[2], two[2]], [u64::from(small.online.rounds); 2], "rounds");
        Ok(())
    });
}

#[test]
fn costs_are_the_documented_ones() {
    let softmax = |rows| SoftmaxJob { rows, ..SoftmaxJob::new(13, 37, 12) };
    costs(
        |rows| softmax(rows).bill(),
        |p, rows, online| {
            let material = Softmax::prepare(p, softmax(rows))?;
            let x = shared(p.role(), &vec![1.0; 13 * rows], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
    let gelu = |batch| GeluJob { batch, ..GeluJob::new(37, 12) };
    costs(
        |batch| gelu(batch).bill(),
        |p, batch, online| {
            let material = Gelu::prepare(p, gelu(batch))?;
            let x = shared(p.role(), &vec![1.0; batch], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
    let inverse = ReciprocalJob { bits: 37, scale: 12, scale_out: 14, bounds: [1.0, 200.0], dividend: 0.0 };
    costs(
        |batch| inverse.bill().map(|bill| bill.times(batch)),
        |p, batch, online| {
            let material = Reciprocal::prepare(p, inverse, batch)?;
            let x = shared(p.role(), &vec![3.0; batch], 37, 12, 1)?;
            if online { material.eval(p, &x).map(drop) } else { Ok(()) }
        },
    );
}

#[test]
fn costs_of_layer_norms_are_the_documented_ones() {
    let norm = |rows, gains_known_to| NormJob {
        rows,
        len: 16,
        bits: 37,
        scale: 12,
        largest: 8.0,
        variance: [0.125, 4.0],
        epsilon: 0.001,
        gain: 2.0,
        gains_known_to,
        objective: hushtable::arith::Objective::Total,
    };
    for known_to in [None, Some(Role::P0)] {
        costs(
            |rows| norm(rows, known_to).bill(),
            |p, rows, online| {
                let gains = || vec![1.0; 16];
                let affine = match (known_to, p.role()) {
                    (None, _) => Affine::public(gains(), gains()),
                    (Some(_), Role::P0) => Affine::own(Role::P0, gains(), gains()),
                    (Some(_), Role::P1) => Affine::of_peer(Role::P1, 16),
                };
                let material = Norm::prepare(p, norm(rows, known_to), &affine)?;
                let x = shared(p.role(), &vec![1.0; 16 * rows], 37, 12, 1)?;
                if online { material.eval(p, &x).map(drop) } else { Ok(()) }
            },
        );
    }
}
