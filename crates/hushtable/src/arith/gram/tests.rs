use std::collections::HashSet;

use prim::{Block, Prg};

use super::*;
use crate::party::run_pair;

/// `X X^T` of each matrix in the clear.
fn expected(x: &[u64], [rows, inner]: [usize; 2], bits: u32) -> Vec<u64> {
    let matrices = x.chunks_exact(rows * inner);
    let entries = matrices.flat_map(|x| {
        (0..rows * rows).map(move |at| {
            let [a, b] = [at / rows, at % rows].map(|row| &x[row * inner..][..inner]);
            a.iter().zip(b).fold(0u64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
        })
    });
    entries.map(|sum| low(sum, bits)).collect()
}

/// All ways, in blocks that matrices fill and do not fill: products are right, rounds are those of the bill, and what is opened
/// is uniform though the numbers are all the same, as each party's masks are.
#[test]
fn matrices_of_any_number_by_all_ways() {
    let mut prg = Prg::new(Block(2801));
    let mut opened = [0u64; 2];
    for round in 0..48u64 {
        // Of every other one single rows, which are sums of squares.
        let rows = if round % 4 < 2 { 1 } else { 1 + prg.below(6) as usize };
        let (items, inner) = (1 + prg.below(9) as usize, 1 + prg.below(40) as usize);
        let bits = if round % 3 == 2 { 1 + prg.below(64) } else { 8 + prg.below(57) };
        let shape = [items, rows, inner];
        let job = match round % 3 {
            0 | 1 => {
                let ots = GramJob::by_ots(shape, bits).expect("a job");
                ots.in_blocks(1 << prg.below(4), Objective::Total).expect("a block").2
            }
            _ if round % 2 == 0 => GramJob::by_triples(shape, bits).expect("a job"),
            _ => GramJob::by_ots(shape, bits).expect("a job"),
        };
        let mut shares = [(); 2].map(|()| {
            let mut words = vec![0u64; items * rows * inner];
            prg.words(bits, &mut words);
            words
        });
        let same = round % 4 == 0 || round % 4 == 3;
        if same {
            // The same number everywhere, at the end of the range.
            let [own, other] = &mut shares;
            let of = |own: &u64| low((1u64 << (bits - 1)).wrapping_sub(*own), bits);
            other.iter_mut().zip(own.iter()).for_each(|(other, own)| *other = of(own));
        }
        let [own, other] = &shares;
        let x: Vec<u64> = own.iter().zip(other).map(|(a, b)| a.wrapping_add(*b)).collect();
        let expected = expected(&x, [rows, inner], bits);
        let one = |p: &mut Party| {
            let mine = AShare::<u64>::new(bits, shares[p.role() as usize].clone());
            job.set_up(p)?;
            let (made, offline) = p.metered(|p| Gram::prepare(p, &job))?;
            let masks = if let Made::Triples(made) = &made.made { made.masks.to_vec() } else { vec![] };
            let masked = mine.words().iter().zip(&masks).map(|(x, u)| low(x.wrapping_sub(*u), bits));
            let masked: Vec<u64> = masked.collect();
            let (products, online) = p.metered(|p| made.multiply(p, &mine))?;
            assert!(products.words().iter().all(|word| *word == low(*word, bits)), "reduced");
            Ok((p.open(&products)?, [masked, masks], [offline, online].map(|cost| cost.rounds)))
        };
        let pair = Party::pair_seeded(round).expect("two parties");
        let ((got, [masked, own], rounds), (again, [others, other], _)) =
            run_pair(pair, one, one).expect("an honest run");
        assert_eq!((&got, &again), (&expected, &expected), "{job:?}");
        let bill = job.bill();
        if job.is_by_lattice() {
            assert_eq!(rounds, [bill.offline.rounds, bill.online.rounds]);
        }
        let e: Vec<u64> = masked.iter().zip(&others).map(|(a, b)| low(a.wrapping_add(*b), bits)).collect();
        // No U serves two rows: with the same numbers in both, what is opened would be the same.
        if same && !e.is_empty() && inner as u32 * bits > 64 {
            let rows: HashSet<&[u64]> = e.chunks_exact(inner).collect();
            assert_eq!(rows.len(), job.items * job.rows, "rows that are opened");
        }
        for e in e.iter().chain(&own).chain(&other).filter(|_| bits >= 8) {
            opened[0] += 16;
            opened[1] += u64::from((*e as u8).count_ones() + ((*e >> (bits - 8)) as u8).count_ones());
        }
    }
    let [all, ones] = opened.map(|count| count as f64);
    assert!(
        (ones / all - 0.5).abs() < 4.0 * 0.5 / all.sqrt(),
        "{ones} of {all} bits opened, and of masks, are ones"
    );
}

/// What is cut off has matrices and products of its own.
#[test]
fn what_is_cut_off_is_gone() {
    let one = |p: &mut Party| {
        let job = GramJob::by_lattice([8, 2, 3], 40, Objective::Total)?;
        let Made::Triples(mut rest) = Gram::prepare(p, &job)?.made else { panic!("by a lattice") };
        let all = (rest.masks.to_vec(), rest.products.to_vec());
        let cut = Atom::take(&mut rest, 3)?;
        assert_eq!([&rest.masks[..], &cut.masks[..]].concat(), all.0);
        assert_eq!([&rest.products[..], &cut.products[..]].concat(), all.1);
        assert_eq!((rest.products.len(), cut.products.len()), (20, 12));
        assert!(matches!(Atom::take(&mut rest, 6), Err(Error::Shape { got: 5, .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(9).expect("two parties"), one, one).expect("an honest run");
}
