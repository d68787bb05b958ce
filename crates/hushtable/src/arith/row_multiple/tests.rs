use prim::{Block, Prg, low};

use super::*;
use crate::party::run_pair;

/// By lattices, in blocks that rows fill and do not fill.
#[test]
fn rows_of_any_number_by_lattices() {
    let mut prg = Prg::new(Block(2802));
    for round in 0..24u64 {
        let (rows, len, bits) = (1 + prg.below(9) as usize, 1 + prg.below(40) as usize, 8 + prg.below(57));
        let (block, ots) = (1 << prg.below(4), RowMultiplesJob { rows, len, bits, lattice: None });
        let lattice = LatticeTriplesJob::new(bits, ots.blocks(block), Objective::Total).expect("a block");
        let job = RowMultiplesJob { lattice: Some(lattice), ..ots };
        let [x, y] = [rows * len, rows].map(|count| {
            [(); 2].map(|()| {
                let mut words = vec![0u64; count];
                prg.words(bits, &mut words);
                words
            })
        });
        let number = |shares: &[Vec<u64>; 2], i: usize| shares[0][i].wrapping_add(shares[1][i]);
        let expected: Vec<u64> =
            (0..rows * len).map(|i| low(number(&x, i).wrapping_mul(number(&y, i / len)), bits)).collect();
        let one = |p: &mut Party| {
            let [x, y] = [&x, &y].map(|shares| AShare::<u64>::new(bits, shares[p.role() as usize].clone()));
            job.set_up(p)?;
            let (made, offline) = p.metered(|p| RowMultiples::prepare(p, job))?;
            let (products, online) = p.metered(|p| made.multiply(p, &x, &y))?;
            Ok((p.open(&products)?, [offline, online].map(|cost| cost.rounds)))
        };
        let pair = Party::pair_seeded(round).expect("two parties");
        let ((got, rounds), (other, _)) = run_pair(pair, one, one).expect("an honest run");
        assert_eq!((&got, &other), (&expected, &expected), "{rows} x {len}, {bits} bits, blocks of {block}");
        assert_eq!(rounds, [job.bill().offline.rounds, job.bill().online.rounds]);
    }
}
