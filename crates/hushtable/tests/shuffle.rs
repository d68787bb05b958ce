//! Secret shuffle: orders, the way back, bills, and what is sent.

use crate::support::{
    billed::check,
    pairs::{both, pair},
    stats,
    uniform::{BOUND, assert_uniform},
};

use hushtable::{
    BShare, Error, Role,
    inner::{draw, drawn_bill, hold_for_draw},
    permutation::shuffle::{MAX_ITEMS, Shuffle},
};
use prim::Wiped;

/// Shares of these words: all at P0, under a mask that both know.
fn shares(role: Role, bits: u32, words: &[u64]) -> BShare<u64> {
    let mask = |i: usize| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 1);
    let share = |(i, &x): (usize, &u64)| if role == Role::P0 { x ^ mask(i) } else { mask(i) };
    BShare::new(bits, words.iter().enumerate().map(share).collect())
}

/// All items come out, in one order for all columns, and other words go back from there.
#[test]
fn items_are_moved_and_moved_back() {
    for (i, items) in [1, 2, 3, 4, 7, 8, 16, 31, 100, 1000, 4096].into_iter().enumerate() {
        let words: Vec<u64> = (0..items as u64).map(|x| (x << 20) | (x * 7 % 13)).collect();
        let wide: Vec<u64> = (0..items as u64).map(|x| x.wrapping_mul(0x1234_5678_9abc_def1)).collect();
        both(pair(4000 + i as u64, None), |p| {
            let x = [shares(p.role(), 33, &words), shares(p.role(), 64, &wide)];
            let material = Shuffle::prepare(p, items, &[33, 64], &[1, 20, 64])?;
            let (moved, back) = material.shuffle(p, &x)?;
            let opened = [p.open(&moved[0])?, p.open(&moved[1])?];
            let order: Vec<usize> = opened[0].iter().map(|x| (x >> 20) as usize).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..items).collect::<Vec<_>>(), "{items} items");
            for (at, &from) in order.iter().enumerate() {
                assert_eq!([opened[0][at], opened[1][at]], [words[from], wide[from]]);
            }
            if items >= 100 {
                let stay = order.iter().enumerate().filter(|(at, from)| at == *from).count();
                assert!(stay < 10, "{stay} of {items} items stay");
            }
            let bits: Vec<u64> = order.iter().map(|&from| from as u64 & 1).collect();
            let tens: Vec<u64> = order.iter().map(|&from| (from as u64) << 4).collect();
            let columns =
                [shares(p.role(), 1, &bits), shares(p.role(), 20, &tens), shares(p.role(), 64, &opened[1])];
            let columns = back.unshuffle(p, &columns)?;
            let opened =
                columns.iter().map(|column| p.open(column)).collect::<hushtable::Result<Vec<_>>>()?;
            for from in 0..items {
                assert_eq!(
                    [opened[0][from], opened[1][from], opened[2][from]],
                    [from as u64 & 1, (from as u64) << 4, wide[from]]
                );
            }
            Ok(())
        });
    }
}

/// Every order of four items as often, whatever each party's own permutation is.
#[test]
fn orders_are_uniform() {
    let mut counts = vec![0u64; 256];
    both(pair(4100, None), |p| {
        let mut found = Vec::new();
        for _ in 0..1200 {
            let x = shares(p.role(), 2, &[0, 1, 2, 3]);
            let (moved, _) = Shuffle::prepare(p, 4, &[2], &[1])?.shuffle(p, &[x])?;
            found.push(p.open(&moved[0])?.iter().fold(0, |sum, x| sum << 2 | x));
        }
        Ok(found)
    })
    .0
    .into_iter()
    .for_each(|order: u64| counts[order as usize] += 1);
    counts.retain(|&count| count > 0);
    assert_eq!(counts.len(), 24);
    let z = stats::uniform(&counts);
    assert!(z < BOUND, "{z:.1} deviations");
}

#[test]
fn bills_are_met() {
    for (items, there, back) in
        [(16, vec![5, 64], vec![9]), (64, vec![32], vec![20, 1]), (1024, vec![31], vec![3])]
    {
        let mut bill = Shuffle::bill(items, &there, &back).expect("a bill");
        // Right behind one another, the last message there and the first one back are one party's.
        bill.online.rounds -= 1;
        check(
            &format!("a shuffle of {items}"),
            bill,
            |p| Shuffle::prepare(p, items, &there, &back),
            |s, m| {
                let of = |widths: &[u32]| -> Vec<BShare<u64>> {
                    widths.iter().map(|&w| BShare::new(w, vec![1; items])).collect()
                };
                let (_, rest) = m.shuffle(s, &of(&there))?;
                rest.unshuffle(s, &of(&back)).map(drop)
            },
        );
    }
}

/// Whatever the shares are, also on the way back.
#[test]
fn what_a_shuffle_sends_is_uniform() {
    assert_uniform("a shuffle", 4200, 1 << 15, |p, x| {
        let material = Shuffle::prepare(p, 128, &[64], &[40])?;
        p.barrier()?;
        let (_, back) = material.shuffle(p, &[BShare::new(64, vec![x; 128])])?;
        back.unshuffle(p, &[BShare::new(40, vec![x; 128])]).map(drop)
    });
}

#[test]
fn shuffles_that_do_not_fit_are_refused() {
    both(pair(4300, None), |p| {
        for (items, there) in [(0, 5), (MAX_ITEMS + 1, 5), (4, 0), (4, 65)] {
            assert!(matches!(Shuffle::prepare(p, items, &[there], &[1]), Err(Error::Param { .. })));
        }
        for x in [BShare::new(5, vec![0u64; 3]), BShare::new(6, vec![0; 4])] {
            let material = Shuffle::prepare(p, 4, &[5], &[1])?;
            assert!(matches!(material.shuffle(p, &[x]), Err(Error::Shape { .. })));
        }
        let material = Shuffle::prepare(p, 4, &[5], &[1])?;
        assert!(matches!(material.shuffle(p, &[]), Err(Error::Shape { .. })));
        Ok(())
    });
}

/// One party's columns in the other's order: shares of them, and the bill.
#[test]
fn columns_take_an_order_that_is_drawn() {
    for (i, items) in [2usize, 4, 16, 512].into_iter().enumerate() {
        let holder = [Role::P0, Role::P1][i % 2];
        let columns: Vec<Wiped<u64>> =
            [1, 7].map(|k| (0..items as u64).map(|x| x * k).collect::<Vec<_>>().into()).into();
        let widths = [items.ilog2(), items.ilog2() + 3];
        let prepare = |p: &mut hushtable::Party| match p.role() == holder {
            true => hold_for_draw(p, &columns, &widths).map(|shares| (None, shares)),
            false => draw(p, items, &widths).map(|(order, shares)| (Some(order), shares)),
        };
        let (a, b) = both(pair(4350 + i as u64, None), prepare);
        let order = a.0.as_ref().or(b.0.as_ref()).expect("the mover's").to_vec();
        let sum = |k: usize| a.1[k].iter().zip(b.1[k].iter()).map(|(a, b)| a ^ b).collect::<Vec<_>>();
        for (k, column) in columns.iter().enumerate() {
            assert_eq!(sum(k), order.iter().map(|&from| column[from as usize]).collect::<Vec<_>>());
        }
        assert!(items < 16 || order.iter().zip(0..).any(|(from, at)| *from != at), "an order of its own");
        // The messages of a layer are whole bytes from 16 items on.
        if items >= 16 {
            check("an order that is drawn", drawn_bill(holder, items, &widths), prepare, |_, _| Ok(()));
        }
    }
}
