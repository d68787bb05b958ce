use std::collections::HashSet;

use prim::{Block, Prg};

use super::*;
use crate::party::run_pair;

/// By lattices, in blocks that rows fill and do not fill: sums are right, the bill is met, and what is opened is uniform though
/// the numbers are all the same.
#[test]
fn rows_of_any_number_by_lattices() {
    let mut prg = Prg::new(Block(2801));
    let mut opened = [0u64; 2];
    for round in 0..24u64 {
        let (rows, len, bits) = (1 + prg.below(9) as usize, 1 + prg.below(40) as usize, 8 + prg.below(57));
        let block = 1 << prg.below(4);
        let lattice = Lattice::new([rows, len], bits, block, Objective::Total).expect("a block");
        let job = RowSquaresJob { rows, len, bits, lattice: Some(lattice) };
        let mut shares = [(); 2].map(|()| {
            let mut words = vec![0u64; rows * len];
            prg.words(bits, &mut words);
            words
        });
        if round % 2 == 0 {
            // The same number everywhere.
            for (a, b) in (0..rows * len).map(|i| (i, i)) {
                shares[1][b] = low((1u64 << (bits - 1)).wrapping_sub(shares[0][a]), bits);
            }
        }
        let number = |i: usize| shares[0][i].wrapping_add(shares[1][i]);
        let expected: Vec<u64> = (0..rows)
            .map(|row| {
                (0..len)
                    .map(|c| number(row * len + c))
                    .fold(0u64, |sum, x| sum.wrapping_add(x.wrapping_mul(x)))
            })
            .map(|sum| low(sum, bits))
            .collect();
        let one = |p: &mut Party| {
            let mine = AShare::<u64>::new(bits, shares[p.role() as usize].clone());
            job.set_up(p)?;
            let (made, offline) = p.metered(|p| RowSquares::prepare(p, job))?;
            let Made::Lattice(masks) = &made.made else { panic!("by a lattice") };
            let masked: Vec<u64> = mine
                .words()
                .iter()
                .zip(masks.rows.iter())
                .map(|(x, u)| low(x.wrapping_sub(*u), bits))
                .collect();
            let (sums, online) = p.metered(|p| made.sum(p, &mine))?;
            Ok((p.open(&sums)?, masked, [offline, online].map(|cost| cost.rounds)))
        };
        let pair = Party::pair_seeded(round).expect("two parties");
        let ((got, masked, rounds), (other, others, _)) = run_pair(pair, one, one).expect("an honest run");
        assert_eq!((&got, &other), (&expected, &expected), "{rows} x {len}, {bits} bits, blocks of {block}");
        let bill = job.bill().expect("a bill");
        assert_eq!(rounds, [bill.offline.rounds, bill.online.rounds]);
        // No U serves two rows: with the same numbers in both, what is opened would be the same.
        if round % 2 == 0 && len as u32 * bits > 64 {
            let e: Vec<u64> =
                masked.iter().zip(&others).map(|(a, b)| low(a.wrapping_add(*b), bits)).collect();
            let rows: HashSet<&[u64]> = e.chunks_exact(len).collect();
            assert_eq!(rows.len(), job.rows, "rows that are opened");
        }
        for (a, b) in masked.iter().zip(&others) {
            let e = a.wrapping_add(*b);
            opened[0] += 8;
            opened[1] += u64::from((e as u8).count_ones());
        }
    }
    let [all, ones] = opened.map(|count| count as f64);
    assert!((ones / all - 0.5).abs() < 4.0 * 0.5 / all.sqrt(), "{ones} of {all} bits opened are ones");
}

/// What is cut off has rows and sums of its own.
#[test]
fn what_is_cut_off_is_gone() {
    let one = |p: &mut Party| {
        let lattice = Lattice::new([8, 3], 40, 4, Objective::Total)?;
        let job = RowSquaresJob { rows: 8, len: 3, bits: 40, lattice: Some(lattice) };
        let Made::Lattice(mut rest) = RowSquares::prepare(p, job)?.made else { panic!("by a lattice") };
        let all = (rest.rows.to_vec(), rest.sums.to_vec());
        let cut = Atom::take(&mut rest, 3)?;
        assert_eq!([&rest.rows[..], &cut.rows[..]].concat(), all.0);
        assert_eq!([&rest.sums[..], &cut.sums[..]].concat(), all.1);
        assert_eq!((rest.sums.len(), cut.sums.len()), (5, 3));
        Ok(())
    };
    run_pair(Party::pair_seeded(9).expect("two parties"), one, one).expect("an honest run");
}
