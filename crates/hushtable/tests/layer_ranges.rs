//! Rounded layers at the ends of their range: every pair of shares, by lattices and by OTs, of either owner.

use crate::support::pairs;

use hushtable::{
    AShare, Party, Result, Role,
    arith::{Layer, LayerJob, LinearJob, MatrixShape},
};
use pairs::{both, pair};
use prim::ring::low;

fn signed(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

/// All numbers that a layer takes, less an offset, in all shares; each is multiplied by 1 in as many columns, and what is
/// beside it by 0.
fn ends(
    p: &mut Party,
    [bits, cut]: [u32; 2],
    [inner, columns]: [usize; 2],
    owner: Role,
    offset: i64,
) -> Result<bool> {
    let (quarter, up) = (1i64 << (bits - 2), if cut > 0 { 1i64 << cut } else { 1 });
    let numbers = (-quarter..=quarter - up).flat_map(|x| (0..1u64 << bits).map(move |first| (x, first)));
    let all: Vec<(i64, u64)> = numbers.collect();
    let shape = MatrixShape { batch: 1, rows: all.len(), inner, columns };
    let job = LayerJob::new(LinearJob { shape: shape.into(), bits, number_bits: 2, owner }, cut)?;
    let mut mine = vec![7; shape.left()];
    for (row, (x, first)) in mine.chunks_mut(inner).zip(&all) {
        row[0] = match p.role() {
            Role::P0 => *first,
            Role::P1 => low(((x - offset) as u64).wrapping_sub(*first), bits),
        };
    }
    let shares = AShare::<u64>::new(bits, mine);
    let matrix: Vec<i64> = (0..shape.right()).map(|i| i64::from(i < columns)).collect();
    let offsets = vec![low(offset as u64, bits); columns];
    let (known, offsets) = if p.role() == owner { (&matrix[..], &offsets[..]) } else { (&[][..], &[][..]) };
    let out = Layer::prepare(p, &job, 1, known)?.apply(p, &shares, offsets)?;
    for ((x, first), found) in all.iter().zip(p.open(&out)?.chunks(columns)) {
        let neighbours = x >> cut..=(x + (1 << cut) - 1) >> cut;
        for found in found {
            let found = signed(*found, bits);
            assert!(neighbours.contains(&found), "{x} by 2^{cut}, {bits} bits, is {found}, share {first}");
        }
    }
    Ok(job.by_lattice())
}

#[test]
fn layers_by_ots_are_right_up_to_the_ends() {
    both(pair(2730, None), |p| {
        for (cut, owner) in (0..=4).flat_map(|cut| [Role::P0, Role::P1].map(|owner| (cut, owner))) {
            for offset in [0, 5, -16, 15] {
                assert!(!ends(p, [6, cut], [2, 1], owner, offset)?);
            }
        }
        Ok(())
    });
}

#[test]
fn layers_by_lattices_are_right_up_to_the_ends() {
    both(pair(2731, None), |p| {
        for (cut, owner) in [(0, Role::P0), (1, Role::P1), (3, Role::P0), (6, Role::P1)] {
            assert!(ends(p, [8, cut], [16, 16], owner, -3)?, "a cut of {cut}");
        }
        Ok(())
    });
}

/// Who owns the map makes no difference: what crosses takes one way there and one back.
#[test]
fn both_owners_take_one_round_trip() {
    let shape = MatrixShape { batch: 1, rows: 64, inner: 64, columns: 64 };
    for owner in [Role::P0, Role::P1] {
        let map = LinearJob { shape: shape.into(), bits: 32, number_bits: 9, owner };
        let job = LayerJob::new(map, 8).expect("a job");
        assert!(job.by_lattice());
        let (p0, p1) = both(pair(2732, None), |p| {
            let numbers = vec![3; if p.role() == owner { shape.right() } else { 0 }];
            let layer = Layer::prepare(p, &job, 1, &numbers)?;
            let x = AShare::<u64>::new(32, vec![1; shape.left()]);
            p.barrier()?;
            Ok(p.metered(|p| layer.apply(p, &x, &[]))?.1.rounds)
        });
        assert_eq!((p0, p1), (2, 2), "ways, with {owner} as owner");
    }
}
