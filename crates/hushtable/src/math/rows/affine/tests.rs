use prim::{Block, Prg, low};

use super::*;
use crate::party::{Party, run_pair};

/// By lattices, in blocks that columns fill and do not fill, with gains up to the bound.
#[test]
fn columns_of_any_number_by_lattices() {
    let mut prg = Prg::new(Block(2803));
    for round in 0..24u64 {
        let (rows, len, bits) = (1 + prg.below(9) as usize, 1 + prg.below(40) as usize, 24 + prg.below(41));
        let (block, scale, most) = (1 << prg.below(4), 8, 4.0);
        let owner = [Role::P0, Role::P1][prg.below(2) as usize];
        let ots = ScalingJob { rows, len, bits, scale, known_to: Some(owner), lattice: None };
        let lattice = ots.in_blocks(block, (owner, Objective::Total), most).expect("a block");
        let job = ScalingJob { lattice: Some((block, lattice)), ..ots };
        let mut gain = || (f64::from(prg.below(2049)) - 1024.0) / 256.0;
        let gains: Vec<f64> = (0..len).map(|c| if c == 0 { -most } else { gain() }).collect();
        let offsets: Vec<f64> = (0..len).map(|_| gain()).collect();
        let shares = [(); 2].map(|()| {
            let mut words = vec![0u64; rows * len];
            prg.words(bits, &mut words);
            words
        });
        let integer = |x: f64| (x * 256.0) as i64 as u64;
        let expected: Vec<u64> = (0..rows * len)
            .map(|i| {
                let x = shares[0][i].wrapping_add(shares[1][i]);
                low(
                    x.wrapping_mul(integer(gains[i % len])).wrapping_add(integer(offsets[i % len]) << 3),
                    bits,
                )
            })
            .collect();
        let one = |p: &mut Party| {
            let affine = if p.role() == owner {
                Affine::own(owner, gains.clone(), offsets.clone())
            } else {
                Affine::of_peer(p.role(), len)
            };
            let x = AShare::<u64>::new(bits, shares[p.role() as usize].clone());
            job.set_up(p)?;
            let y = Scaling::prepare(p, job, &affine)?.apply(p, &x, 3)?;
            p.open(&y)
        };
        let pair = Party::pair_seeded(round).expect("two parties");
        let (got, _) = run_pair(pair, one, one).expect("an honest run");
        assert_eq!(got, expected, "{rows} x {len}, {bits} bits, blocks of {block}, gains of {owner}");
    }
}
